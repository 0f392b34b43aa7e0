//! `S2R`, `CS2R`: registers that describe the thread, the launch and the processor.
//!
//! Their numbers are those of Mesa, yuzu, Ryujinx and envytools, which agree.

use warpdiff_ptx::vocabulary::SpecialRegister;
use warpdiff_sass::Operand;

use super::super::Decode;
use super::Spa;
use crate::operation::{Class, Code, Slot, Volatile};

impl Spa<'_> {
    /// The registers that have a fixed value, and those that no program can rely on: clocks, counters, the place of the thread.
    pub(super) fn special_register(&mut self) -> Decode {
        use SpecialRegister as S;
        let d = self.destination()?;
        let Operand::System(number) = self.operand(1)? else {
            return Err(self.unsupported_because("this kind of operand"));
        };
        let (register, component) = match number {
            0 => (S::Laneid, 0),
            32 => return self.packed_thread_index(d),
            33..=35 => (S::Tid, u32::from(number) - 33),
            37..=39 => (S::Ctaid, u32::from(number) - 37),
            50 => (S::TotalSmemSize, 0),
            // The lowest offset of a thread's stack: at -O0 ptxas compares the stack pointer with it, and traps below. Local memory
            // begins at 0 here.
            55 => {
                let lowest = self.d.constant(Class::Narrow, 0);
                self.d.emit(Code::MovN, d.index, [lowest.index, 0, 0], 0);
                return Ok(());
            }
            56 => (S::LanemaskEq, 0),
            57 => (S::LanemaskLt, 0),
            58 => (S::LanemaskLe, 0),
            59 => (S::LanemaskGt, 0),
            60 => (S::LanemaskGe, 0),
            2 => return self.volatile(d, Volatile::VirtualConfiguration),
            3 => return self.volatile(d, Volatile::VirtualId),
            // The clocks, the counters of the performance monitor, the global timer; each with the upper half of its 64 bits.
            1 | 80 | 4..=11 | 82 => return self.volatile(d, Volatile::Clock),
            81 | 72..=79 | 83 => return self.volatile(d, Volatile::ClockHigh),
            _ => return Err(self.unsupported()),
        };
        let value = self.special(register, component);
        self.d.emit(Code::MovN, d.index, [value.index, 0, 0], 0);
        Ok(())
    }

    fn volatile(&mut self, d: Slot, which: Volatile) -> Decode {
        self.d.emit(Code::Volatile, d.index, [0; 3], which as u32);
        Ok(())
    }

    /// `SR_TID`: x in bits 15:0, y in bits 25:16, z in bits 31:26.
    fn packed_thread_index(&mut self, d: Slot) -> Decode {
        let component = |spa: &mut Self, n| spa.special(SpecialRegister::Tid, n);
        let sources = [component(self, 0), component(self, 1), component(self, 2)];
        self.d.lane(d, &sources, |v| v[0] | v[1] << 16 | v[2] << 26 & 0xFFFF_FFFF, |_, _| u64::MAX);
        Ok(())
    }
}
