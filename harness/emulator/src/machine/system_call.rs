//! The functions of the device runtime that a kernel calls by name: `vprintf` and `__assertfail`.
//!
//! Their parameters are those of the PTX Writer's Guide to Interoperability, "System Calls". What they read is not checked for
//! races, and undefined characters are printed as they are; a watched run reports them.

use warpdiff_model::FaultClass;

use super::turn::{Next, Turn};
use super::warp::Frame;
use super::{Machine, Tracking};
use crate::address_space::{Region, Spot};
use crate::memory::locate;
use crate::memory_operation::Place;
use crate::operation::{Call, SystemCall, Transfer};
use crate::registers::{Origin, Rows, Shade, lanes};
use warpdiff_semantics::printf::{Arguments, print};

/// Bytes of a string that are read at most.
const STRING_LIMIT: usize = 1 << 16;
/// The arguments of a format, where a lane has them.
struct InMemory<'m> {
    machine: &'m Machine<'m>,
    turn: &'m Turn<'m>,
    lane: usize,
    /// Address of the next.
    next: u64,
}

impl Arguments for InMemory<'_> {
    fn next(&mut self, size: usize) -> Option<u64> {
        self.next = self.next.checked_next_multiple_of(size as u64)?;
        let start = self.next;
        self.next = start.checked_add(size as u64)?;
        let byte = |address| self.machine.byte(self.turn, self.lane, address).map(u64::from);
        (start..self.next).rev().try_fold(0, |all, address| Some(all << 8 | byte(address)?))
    }

    fn string(&mut self, address: u64) -> Option<Vec<u8>> {
        self.machine.string(self.turn, self.lane, address)
    }
}

impl Machine<'_> {
    /// Calls a function of the device runtime in each lane.
    pub(super) fn system_call<T: Tracking>(
        &mut self,
        turn: &mut Turn<'_>,
        call: &Call,
        function: SystemCall,
    ) -> Next {
        let frame = turn.warp.frames[turn.group.frame as usize];
        let mut faulted = 0;
        for lane in lanes(turn.mask) {
            let mut values = [0; SystemCall::MOST];
            for (value, argument) in values.iter_mut().zip(&call.arguments) {
                let (read, shade) = argument_value::<T>(turn, &frame, argument, lane);
                if self.is_strict::<T>() && shade.undefined != 0 {
                    self.indeterminate(turn.pc, "an argument", shade.origin);
                    return Next::Regroup;
                }
                *value = read;
            }
            match function {
                SystemCall::Print => match self.print(turn, lane, values[0], values[1]) {
                    Some(taken) if T::TRACED => {
                        self.watch_printed(turn, lane);
                        self.return_status::<T>(turn, &frame, call, lane, taken);
                    }
                    Some(taken) => self.return_status::<T>(turn, &frame, call, lane, taken),
                    None => {
                        let detail = "`vprintf` reads its format or an argument where there is no memory";
                        self.fault(turn, lane, FaultClass::OutOfBounds, Some(values[0]), detail);
                        faulted |= 1 << lane;
                    }
                },
                SystemCall::AssertFail => {
                    self.assertion_failed(turn, lane, &values);
                    faulted |= 1 << lane;
                }
            }
        }
        if faulted == 0 { Next::Go } else { self.exit(turn, faulted) }
    }

    /// Prints; answers the number of arguments, or `None` where memory cannot be read. "If the format string is NULL, -1 is returned."
    fn print(&mut self, turn: &Turn<'_>, lane: usize, format: u64, list: u64) -> Option<i32> {
        if format == 0 {
            return Some(-1);
        }
        let format = self.string(turn, lane, format)?;
        let mut arguments = InMemory { machine: &*self, turn, lane, next: list };
        let (text, taken) = print(&format, &mut arguments)?;
        self.printed.add(&text, false);
        Some(taken)
    }

    /// Puts down the message of an assertion, as the CUDA C++ Programming Guide shows it, and faults.
    fn assertion_failed(&mut self, turn: &Turn<'_>, lane: usize, values: &[u64; SystemCall::MOST]) {
        let [message, file, line, function, _] = *values;
        let text = |address| {
            let text = self.string(turn, lane, address);
            text.map_or("?".into(), |text| String::from_utf8_lossy(&text).into_owned())
        };
        let (message, file, function) = (text(message), text(file), text(function));
        let line = line as u32;
        let geometry = &turn.block.geometry;
        let [x, y, z] = geometry.block_index;
        let [tx, ty, tz] = geometry.thread_index(turn.warp.index * 32 + lane as u32);
        let shown = format!(
            "{file}:{line}: {function}: block: [{x},{y},{z}], thread: [{tx},{ty},{tz}] Assertion `{message}` failed.\n"
        );
        self.printed.add(shown.as_bytes(), true);
        let detail = format!("{file}:{line}: {function}: assertion `{message}` failed");
        self.fault(turn, lane, FaultClass::Assert, None, &detail);
    }

    /// Returns the status of `vprintf`: the number of arguments on a device, which the guides of PTX do not say.
    fn return_status<T: Tracking>(
        &mut self,
        turn: &mut Turn<'_>,
        frame: &Frame,
        call: &Call,
        lane: usize,
        status: i32,
    ) {
        let value = u64::from(status as u32);
        let open = self.is_strict::<T>();
        let w = &mut *turn.warp;
        match call.returns.first() {
            Some(Transfer::Frame { offset, size }) => {
                let (start, size) = ((frame.local + offset) as usize, (*size as usize).min(4));
                w.local[lane].write(start, size, value);
                if open {
                    w.local[lane].set_undefined_bytes(start, size);
                } else {
                    w.local[lane].set_undefined(start, size, 0);
                }
            }
            Some(Transfer::Register(slot)) => {
                let undefined = if open { u64::from(u32::MAX) } else { 0 };
                let shade = Shade { undefined, origin: Origin::made_by(turn.pc), ..Shade::CLEAN };
                w.put::<T>(*slot, lane, value, shade);
                w.refresh::<T>(&[Some(*slot)]);
            }
            None => {}
        }
    }

    /// The characters up to a zero that a lane finds at a generic address.
    fn string(&self, turn: &Turn<'_>, lane: usize, address: u64) -> Option<Vec<u8>> {
        let mut text = Vec::new();
        for n in 0..STRING_LIMIT as u64 {
            match self.byte(turn, lane, address.wrapping_add(n))? {
                0 => break,
                byte => text.push(byte),
            }
        }
        Some(text)
    }

    /// The byte that a lane finds at a generic address.
    fn byte(&self, turn: &Turn<'_>, lane: usize, address: u64) -> Option<u8> {
        let (region, offset) = locate(Place::Generic, address, &self.memory.globals, self.code.bank).ok()?;
        let allocation = match region {
            Region::Global(index) => self.memory.globals.get(index as usize)?,
            Region::Shared => &turn.block.shared,
            Region::Local => &turn.warp.local[lane],
            Region::Param => &self.memory.parameters,
            Region::Surface(_) => return None,
        };
        let offset = usize::try_from(offset).ok()?;
        if let (Some(watch), Some(0..=0xFE)) = (&self.watch, allocation.defined.get(offset)) {
            watch.read_unwritten(Spot { region, offset });
        }
        allocation.data.get(offset).copied()
    }
}

/// The value of an argument in a lane.
fn argument_value<T: Tracking>(
    turn: &Turn<'_>,
    frame: &Frame,
    argument: &Transfer,
    lane: usize,
) -> (u64, Shade) {
    match *argument {
        Transfer::Frame { offset, size } => {
            let (start, size) = ((frame.local + offset) as usize, (size as usize).min(8));
            let local = &turn.warp.local[lane];
            let shade = Shade { undefined: local.undefined(start, size), ..Shade::CLEAN };
            (local.read(start, size), shade)
        }
        Transfer::Register(slot) => {
            let row = Rows { bases: frame.bases }.row(slot);
            let shade = if T::ON { turn.warp.registers.shade(slot.class, row, lane) } else { Shade::CLEAN };
            (turn.warp.registers.get(slot.class, row, lane), shade)
        }
    }
}
