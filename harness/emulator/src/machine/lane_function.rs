//! Functions of registers that are applied lane by lane, with the choices that they consult.

use warpdiff_semantics::definedness::Bits;

use super::lanes::Operands;
use super::warp::Warp;
use super::{Machine, Tracking};
use crate::operation::{Class, LaneOp};
use crate::registers::lanes;

impl Machine<'_> {
    /// Executes the function of this number.
    #[inline(always)]
    pub(super) fn lane_function<T: Tracking>(&mut self, w: &mut Warp, number: u32, mask: u32, pc: u32) {
        let code = self.code;
        let lane_op = &code.lanes[number as usize];
        if lane_op.consults.is_some() {
            self.note_choice(w, lane_op, mask);
        }
        run_lanes::<T>(w, lane_op, mask, pc);
    }

    /// Notes the choice that an operation consults for these sources.
    #[cold]
    fn note_choice(&mut self, w: &Warp, lane_op: &LaneOp, mask: u32) {
        let Some((choice, when)) = &lane_op.consults else { return };
        for lane in lanes(mask) {
            let mut values = [0; 4];
            for (value, slot) in values.iter_mut().zip(&lane_op.sources) {
                *value = w.registers.get(slot.class, w.rows.row(*slot), lane);
            }
            if when(&values) {
                self.consulted.note(*choice);
            }
        }
    }
}

/// Applies a function of registers, lane by lane.
#[inline(never)]
fn run_lanes<T: Tracking>(w: &mut Warp, lane_op: &LaneOp, mask: u32, pc: u32) {
    let whole = mask | w.dead;
    let rows = w.rows;
    let mut sources = [(Class::Narrow, 0); 4];
    let count = lane_op.sources.len().min(4);
    for (row, slot) in sources.iter_mut().zip(&lane_op.sources) {
        *row = (slot.class, rows.row(*slot));
    }
    let sources = &sources[..count];
    let (class, row) = (lane_op.destination.class, rows.row(lane_op.destination));
    let registers = &mut w.registers;
    let shaded =
        T::ON && (lane_op.always || sources.iter().any(|(class, row)| registers.dirt(*class, *row) != 0));
    if shaded {
        for lane in lanes(mask) {
            let operands = Operands::read(registers, sources, lane);
            let value = (lane_op.compute)(&operands.values);
            let rule = |bits: &[Bits; 4]| (lane_op.rule)(bits, value);
            let mut shade = match lane_op.computes {
                true => operands.computed_shade(class, pc, &rule),
                false => operands.shade(class, pc, &rule),
            };
            if lane_op.of_addresses {
                shade.unfixed = 0;
            }
            operands.bound(&mut shade, lane_op.bound, (class, pc), value);
            registers.set(class, row, lane, value);
            registers.set_shade(class, row, lane, shade);
        }
        registers.refresh(class, row, w.dead);
        return;
    }
    for lane in lanes(mask) {
        let mut values = [0; 4];
        for (value, (class, row)) in values.iter_mut().zip(sources) {
            *value = registers.get(*class, *row, lane);
        }
        let value = (lane_op.compute)(&values);
        registers.set(class, row, lane, value);
    }
    if T::ON {
        registers.clean(class, row, whole);
    }
}
