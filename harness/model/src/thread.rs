//! A thread of a launch: its block and its place in it.

use crate::Launch;

/// A thread of a launch.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Thread {
    /// Index of its block in the grid.
    pub block: [u32; 3],
    /// Its index in the block.
    pub thread: [u32; 3],
}

impl Thread {
    /// The thread of that linear number in the grid, block by block; `None` if there are fewer.
    pub fn of_number(launch: &Launch, number: u64) -> Option<Thread> {
        let per_block: u64 = launch.block.iter().map(|n| u64::from(*n)).product();
        let index = |[x, y, z]: [u32; 3], number: u64| {
            let (x, y) = (u64::from(x), u64::from(y));
            (number / x / y < u64::from(z))
                .then(|| [number % x, number / x % y, number / x / y].map(|n| n as u32))
        };
        if per_block == 0 {
            return None;
        }
        let block = index(launch.grid, number / per_block)?;
        Some(Thread { block, thread: index(launch.block, number % per_block)? })
    }

    /// Its linear number in the grid; `None` if the launch has no such thread.
    pub fn number(self, launch: &Launch) -> Option<u64> {
        let (block, thread) = self.linear(launch)?;
        let per_block: u64 = launch.block.iter().map(|n| u64::from(*n)).product();
        Some(u64::from(block) * per_block + u64::from(thread))
    }

    /// The linear numbers of its block and of the thread in it.
    pub fn linear(self, launch: &Launch) -> Option<(u32, u32)> {
        let number = |[x, y, z]: [u32; 3], [width, height, depth]: [u32; 3]| {
            (x < width && y < height && z < depth).then(|| (z * height + y) * width + x)
        };
        Some((number(self.block, launch.grid)?, number(self.thread, launch.block)?))
    }
}
