//! What stands around a barrier, so that it shows whether threads met at it.

use std::ops::Range;

use crate::body::Body;
use crate::part::{Guard, Helper, Instructions, Label, Part, Windows};
use crate::specimen::{Barrier, Meeting, Step};

/// Threads of a warp.
const WARP: u32 = 32;

/// Shared memory in which threads leave words for others: the barrier that follows the last of them.
const ALL: &str = "bar.sync";

impl<I: Instructions> Body<'_, I> {
    /// Writes the step of that index, which has a barrier; answers where that stands.
    pub(crate) fn meet(&mut self, step: &Step, barrier: Barrier, index: usize) -> Range<usize> {
        let number = Part::Integer(barrier.number.into());
        // Whole warps, also where a reduction has left a part of one.
        let threads = Part::Integer(self.specimen.block().next_multiple_of(WARP).into());
        let is_of_warp = step.opcode.contains(".warp");
        let mut operands = if is_of_warp { vec![self.members()] } else { vec![number] };
        if barrier.counted {
            operands.push(threads);
        }
        match barrier.meeting {
            Meeting::Reduce { negated } => {
                operands.insert(0, Part::results(&step.results));
                operands.extend(step.sources.iter().map(|source| Part::of(*source).negated(negated)));
                self.out.put(None, &step.opcode, &operands)
            }
            Meeting::Exchange { by } => {
                self.leave_word(step);
                let place = self.out.put(None, &step.opcode, &operands);
                let among = self.specimen.block().min(if is_of_warp { WARP } else { u32::MAX });
                self.take_word(step, by, among);
                // Before anyone leaves the next word.
                self.put(ALL, &[Part::Integer(0)]);
                place
            }
            Meeting::HandOver { by } => {
                step.results.iter().for_each(|result| self.initial(*result));
                let (flag, in_block) = (Part::Helper(Helper::Flag), Part::Helper(Helper::InBlock));
                self.put("setp.ge.u32", &[flag, in_block, Part::Integer(WARP.into())]);
                self.branch(Some(Guard::Flag(true)), Label::Waits(index));
                self.leave_word(step);
                let place = self.out.put(None, &step.opcode, &operands);
                self.branch(None, Label::Met(index));
                self.out.label(Label::Waits(index));
                self.put(ALL, &[number, threads]);
                self.take_word(step, by, WARP);
                self.out.label(Label::Met(index));
                self.put(ALL, &[Part::Integer(0)]);
                place
            }
        }
    }

    /// Stores the source to the thread's place.
    fn leave_word(&mut self, step: &Step) {
        self.exchange_of(Helper::InBlock);
        let data = step.sources.iter().copied().map(Part::of);
        let operands: Vec<Part<'_>> =
            std::iter::once(Part::Address(Helper::Exchange, 0)).chain(data).collect();
        self.put("st.shared.b32", &operands);
    }

    /// Loads the result from the place of a thread that is further on among that many.
    fn take_word(&mut self, step: &Step, by: u8, among: u32) {
        let (word, in_block) = (Part::Helper(Helper::Word), Part::Helper(Helper::InBlock));
        let by = Part::Integer((u32::from(by) % among).into());
        if among.is_power_of_two() && among <= WARP && self.specimen.block() > among {
            // Of the warp, or of the first one.
            let warp = if step.opcode.contains(".warp") { i64::from(u32::MAX) } else { i64::from(WARP - 1) };
            self.put("and.b32", &[word, in_block, Part::Bits(warp as u64)]);
            self.put("xor.b32", &[word, word, by]);
        } else {
            self.put("add.u32", &[word, in_block, by]);
            self.put("rem.u32", &[word, word, Part::Integer(among.into())]);
        }
        self.exchange_of(Helper::Word);
        self.put("ld.shared.b32", &[Part::results(&step.results), Part::Address(Helper::Exchange, 0)]);
    }

    /// Makes the address of the place of a thread.
    fn exchange_of(&mut self, thread: Helper) {
        let exchange = Part::Helper(Helper::Exchange);
        self.put("mov.u64", &[exchange, Part::Windows(Windows::Exchange)]);
        self.put("mad.wide.u32", &[exchange, Part::Helper(thread), Part::Integer(4), exchange]);
    }
}
