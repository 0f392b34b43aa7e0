//! The branches around the blocks of a specimen.

use crate::body::Body;
use crate::flow::{Flow, Within};
use crate::part::{Guard, Helper, Instructions, Label, Part};
use crate::specimen::{Register, Shape};

/// The counter of a loop in that many blocks.
fn remaining(depth: usize) -> Part<'static> {
    Part::Helper(if depth == 0 { Helper::Count0 } else { Helper::Count1 })
}

impl<I: Instructions> Body<'_, I> {
    /// Closes and opens blocks, so that the next instruction stands at that place.
    pub(crate) fn go_to(&mut self, within: Option<Within>) {
        let path = self.specimen.path(within);
        let same = self.open.iter().zip(&path).take_while(|(open, wanted)| open == wanted).count();
        while self.open.len() > same {
            let open = self.open[self.open.len() - 1];
            let wanted = path.get(self.open.len() - 1);
            if self.open.len() == same + 1
                && let Some(wanted) = wanted
                && wanted.block == open.block
            {
                self.arms(open, wanted.arm);
                self.open[same] = *wanted;
                break;
            }
            self.close(open);
            self.open.pop();
        }
        for place in &path[self.open.len()..] {
            self.begin(place.block);
            self.open.push(Within { block: place.block, arm: 0 });
            self.arms(Within { block: place.block, arm: 0 }, place.arm);
            if let Some(last) = self.open.last_mut() {
                *last = *place;
            }
        }
    }

    fn begin(&mut self, block: u8) {
        if self.open.is_empty() {
            let steps = self.specimen.steps_of(block);
            let results: Vec<Register> = steps.flat_map(|(step, _)| step.results.iter().copied()).collect();
            results.into_iter().for_each(|result| self.initial(result));
        }
        let flow = self.specimen.blocks[usize::from(block)].flow;
        match flow {
            Flow::Condition { condition, sense } => {
                if self.has_members(block) {
                    let members = Part::Helper(Helper::Members);
                    let predicate = Part::Own(condition).negated(!sense);
                    self.put("vote.sync.ballot.b32", &[members, predicate, self.all_lanes()]);
                }
                let other = if self.has_else(block) { Label::Arm(block, 1) } else { Label::End(block) };
                self.branch(Some(Guard::Own(condition, !sense)), other);
            }
            Flow::Index { index, arms } => {
                let labels: Vec<Label> = (0..arms).map(|arm| Label::Arm(block, arm)).collect();
                self.out.targets(block, &labels);
                let is_same = self.is_same(index);
                let opcode = if is_same && block.is_multiple_of(2) { "brx.idx.uni" } else { "brx.idx" };
                self.put(opcode, &[Part::Own(index), Part::Targets(block)]);
                self.out.label(labels[0]);
            }
            Flow::Loop { count, tests_first, leaves_at } => {
                let remaining = remaining(self.open.len());
                self.put("mov.b32", &[remaining, Part::Own(count)]);
                if tests_first {
                    self.test("setp.le.s32", remaining, Part::Integer(0));
                    self.branch(Some(Guard::Flag(true)), Label::End(block));
                }
                self.out.label(Label::Again(block));
                if let Some(leaves_at) = leaves_at {
                    self.test("setp.eq.s32", remaining, Part::Own(leaves_at));
                    self.branch(Some(Guard::Flag(true)), Label::End(block));
                }
            }
        }
    }

    /// Goes on from one arm of a block to a later one.
    fn arms(&mut self, from: Within, to: u8) {
        let Within { block, arm } = from;
        for next in arm + 1..=to {
            self.branch(None, Label::End(block));
            self.out.label(Label::Arm(block, next));
            let flow = self.specimen.blocks[usize::from(block)].flow;
            if matches!(flow, Flow::Condition { .. }) && self.has_members(block) {
                let members = Part::Helper(Helper::Members);
                self.put("xor.b32", &[members, members, self.all_lanes()]);
            }
        }
    }

    fn close(&mut self, place: Within) {
        let Within { block, .. } = place;
        match self.specimen.blocks[usize::from(block)].flow {
            Flow::Condition { .. } => {}
            Flow::Index { arms, .. } => self.arms(place, arms - 1),
            Flow::Loop { .. } => {
                let remaining = remaining(self.open.len() - 1);
                self.put("add.s32", &[remaining, remaining, Part::Integer(-1)]);
                // Not whether it is zero: a reduction makes numbers smaller.
                self.test("setp.gt.s32", remaining, Part::Integer(0));
                self.branch(Some(Guard::Flag(true)), Label::Again(block));
            }
        }
        self.out.label(Label::End(block));
    }

    /// Branches; where all lanes do, every second time with `.uni`.
    pub(crate) fn branch(&mut self, guard: Option<Guard>, to: Label) {
        let is_uniform = match to {
            Label::End(block) | Label::Arm(block, _) => guard.is_none() && block.is_multiple_of(2),
            Label::Again(_) | Label::Waits(_) | Label::Met(_) => false,
        };
        let opcode = if is_uniform { "bra.uni" } else { "bra" };
        self.out.put(guard, opcode, &[Part::Label(to)]);
    }

    /// Compares the number of remaining runs of a loop.
    fn test(&mut self, comparison: &str, remaining: Part<'_>, with: Part<'_>) {
        self.put(comparison, &[Part::Helper(Helper::Flag), remaining, with]);
    }

    fn has_else(&self, block: u8) -> bool {
        self.specimen.steps_of(block).any(|(_, arm)| arm > 0)
    }

    /// Whether lanes of that block meet in it.
    fn has_members(&self, block: u8) -> bool {
        let meets = |shape| matches!(shape, Shape::Lanes { masked: true, .. });
        self.specimen.steps_of(block).any(|(step, _)| meets(step.shape))
    }

    fn is_same(&self, register: Register) -> bool {
        let input = self.specimen.inputs.iter().find(|input| input.register == register);
        input.is_some_and(|input| input.values.iter().all(|value| *value == input.values[0]))
    }

    /// The lanes of the warp that take part in an operation.
    pub(crate) fn members(&self) -> Part<'static> {
        if self.open.is_empty() { self.all_lanes() } else { Part::Helper(Helper::Members) }
    }

    /// All lanes of a warp.
    fn all_lanes(&self) -> Part<'static> {
        let lanes = self.specimen.block().min(32);
        Part::Bits(u64::from(u32::MAX >> (32 - lanes)))
    }
}
