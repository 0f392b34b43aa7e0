//! Control words: the scheduling fields of an instruction (stalls, barriers, waits, `.reuse`), 21 bits each.

use std::fmt;

/// The scheduling of one instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Control {
    /// Bits 3:0: cycles to wait before the next instruction is issued.
    pub stall: u8,
    /// Bit 4. Clear: another warp may be preferred next. A stall of 0 with this bit set issues the next instruction together with
    /// this one.
    pub stay: bool,
    /// Bits 7:5: the barrier (0 to 5) that is released when the result is written; 7: none. 6 is kept and means nothing.
    pub write_barrier: u8,
    /// Bits 10:8: the barrier (0 to 5) that is released when the sources have been read; 7: none. 6 is kept and means nothing.
    pub read_barrier: u8,
    /// Bits 16:11: the barriers to wait for, one bit each.
    pub wait: u8,
    /// Bits 20:17: the operands whose register reads are kept for the next instruction.
    pub reuse: u8,
}

/// The value of a barrier field that names no barrier.
pub const NO_BARRIER: u8 = 7;

impl Default for Control {
    /// No annotation: nothing waited for, nothing signalled, one cycle.
    fn default() -> Self {
        Control {
            stall: 1,
            stay: true,
            write_barrier: NO_BARRIER,
            read_barrier: NO_BARRIER,
            wait: 0,
            reuse: 0,
        }
    }
}

impl Control {
    /// The 21 bits; higher bits are not looked at.
    pub fn from_bits(bits: u32) -> Control {
        Control {
            stall: (bits & 15) as u8,
            stay: bits >> 4 & 1 == 1,
            write_barrier: (bits >> 5 & 7) as u8,
            read_barrier: (bits >> 8 & 7) as u8,
            wait: (bits >> 11 & 63) as u8,
            reuse: (bits >> 17 & 15) as u8,
        }
    }

    /// The 21 bits.
    pub fn bits(self) -> u32 {
        u32::from(self.stall & 15)
            | u32::from(self.stay) << 4
            | u32::from(self.write_barrier & 7) << 5
            | u32::from(self.read_barrier & 7) << 8
            | u32::from(self.wait & 63) << 11
            | u32::from(self.reuse & 15) << 17
    }
}

/// A control word: the fields of three instructions, the first in the lowest bits, and bit 63, which belongs to none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ControlWord {
    /// The field of each of the three instructions that follow.
    pub slots: [Control; 3],
    /// Bit 63, kept.
    pub top: bool,
}

impl ControlWord {
    /// Takes a word apart.
    pub fn decode(word: u64) -> ControlWord {
        let slot = |index: u32| Control::from_bits((word >> (21 * index)) as u32 & 0x1f_ffff);
        ControlWord { slots: [slot(0), slot(1), slot(2)], top: word >> 63 == 1 }
    }

    /// Puts the word together.
    pub fn encode(self) -> u64 {
        let [first, second, third] = self.slots.map(|slot| u64::from(slot.bits()));
        first | second << 21 | third << 42 | u64::from(self.top) << 63
    }
}

impl fmt::Display for Control {
    /// As annotations: `&req={0,1} &rd=2 &wr=0 ?WAIT4`. Which registers are kept stands at the operands, or where no operand has the
    /// bit, in front of this.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.wait != 0 {
            let barriers: Vec<String> =
                (0..6).filter(|barrier| self.wait >> barrier & 1 == 1).map(|b: u8| b.to_string()).collect();
            write!(f, "&req={{{}}} ", barriers.join(","))?;
        }
        for (name, barrier) in [("rd", self.read_barrier), ("wr", self.write_barrier)] {
            if barrier < 6 {
                write!(f, "&{name}={barrier} ")?;
            }
        }
        write!(f, "?WAIT{}{}", self.stall, if self.stay { "" } else { "_YIELD" })
    }
}
