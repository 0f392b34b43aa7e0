//! The last accesses to each byte of memory, in a watched run.

use std::ops::Range;

/// Thread and operation of an access, 0 for none: the number of the thread plus one in the upper half.
type Access = u64;

/// The last accesses to each byte of a piece of memory; empty until the first.
#[derive(Clone, Default)]
pub(crate) struct History {
    writes: Vec<Access>,
    reads: Vec<Access>,
}

impl History {
    /// Notes an access of an operation of a thread to these bytes of memory of `len` bytes.
    pub(crate) fn put(
        &mut self,
        len: usize,
        bytes: Range<usize>,
        (writes, reads): (bool, bool),
        by: (u32, u32),
    ) {
        let access = (u64::from(by.0) + 1) << 32 | u64::from(by.1);
        let fill = |plane: &mut Vec<Access>| {
            if plane.is_empty() {
                *plane = vec![0; len];
            }
            if let Some(plane) = plane.get_mut(bytes.clone()) {
                plane.fill(access);
            }
        };
        if writes {
            fill(&mut self.writes);
        }
        if reads {
            fill(&mut self.reads);
        }
    }

    /// The operation of the last access to a byte that wrote or read, if it was one of this thread.
    pub(crate) fn operation(&self, offset: usize, thread: u32, wrote: bool) -> Option<u32> {
        let plane = if wrote { &self.writes } else { &self.reads };
        let access = *plane.get(offset)?;
        (access >> 32 == u64::from(thread) + 1).then_some(access as u32)
    }
}
