//! Video instructions: which of their operands may be parts of registers, or have a minus sign, and what a step has of that.

use arbitrary::{Result, Unstructured};
use warpdiff_ptx::forms::{Form as Row, Role};
use warpdiff_ptx::vocabulary::Opcode;

use crate::builder::Builder;
use crate::forms::Form;
use crate::specimen::{Operand, Shape};
use crate::values::Value;

/// What of a register of 32 bits an instruction reads or writes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Portion {
    /// All of it.
    #[default]
    Whole,
    /// `.b0` to `.b3`
    Byte(u8),
    /// `.h0`, `.h1`
    Half(u8),
}

impl Portion {
    /// Every part.
    const PARTS: [Self; 6] =
        [Self::Byte(0), Self::Byte(1), Self::Byte(2), Self::Byte(3), Self::Half(0), Self::Half(1)];

    /// The word behind the register.
    pub(crate) fn suffix(self) -> &'static str {
        match self {
            Self::Whole => "",
            Self::Byte(index) => [".b0", ".b1", ".b2", ".b3"][usize::from(index)],
            Self::Half(index) => [".h0", ".h1"][usize::from(index)],
        }
    }

    /// Its lowest bit in the register, and the number of its bits.
    pub(crate) fn bits(self) -> (u32, u32) {
        match self {
            Self::Whole => (0, 32),
            Self::Byte(index) => (8 * u32::from(index), 8),
            Self::Half(index) => (16 * u32::from(index), 16),
        }
    }
}

/// How an operand is taken.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Taken {
    /// What of it.
    pub portion: Portion,
    /// Whether with a minus sign.
    pub negated: bool,
}

/// How the operands of a step are taken: the result, and the sources in their order. Where the result is a part, the third source has its other bits.
pub type Operands = [Taken; 4];

/// The names of the operands in the manual.
const NAMES: [&str; 4] = ["d", "a", "b", "c"];

/// What an operand of a form may be besides a whole register.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct May {
    part: bool,
    sign: bool,
}

/// What the operands of a row may be, in the order of [`Operands`].
pub(crate) fn may(row: &Row) -> [May; 4] {
    let mut may = [May::default(); 4];
    for (may, pattern) in may.iter_mut().zip(&row.operands) {
        *may = match pattern.role {
            Role::PartDestination | Role::PartSource => May { part: true, sign: false },
            Role::SignedPartSource => May { part: true, sign: true },
            Role::SignedSource => May { part: false, sign: true },
            _ => May::default(),
        };
    }
    may
}

/// Names of what the operands of an opcode may be, for a count: `vadd d.b0`, `vmad -c`.
pub(crate) fn possible(opcode: Opcode, row: &Row) -> Vec<String> {
    let mut names = Vec::new();
    for (name, may) in NAMES.iter().zip(may(row)) {
        let parts = Portion::PARTS.iter().filter(|_| may.part);
        names.extend(parts.map(|part| format!("{} {name}{}", opcode.text(), part.suffix())));
        names.extend(may.sign.then(|| format!("{} -{name}", opcode.text())));
    }
    names
}

/// Names of what the operands of a step are.
pub(crate) fn counted(opcode: &str, operands: &Operands) -> Vec<String> {
    let opcode = opcode.split('.').next().unwrap_or_default();
    let mut names = Vec::new();
    for (name, taken) in NAMES.iter().zip(operands) {
        let part = taken.portion != Portion::Whole;
        names.extend(part.then(|| format!("{opcode} {name}{}", taken.portion.suffix())));
        names.extend(taken.negated.then(|| format!("{opcode} -{name}")));
    }
    names
}

/// Draws how the operands of a form are taken: each is a part half of the time, and has a minus sign a third of the time, where the form allows it. Where the result is
/// a part, a source is added that has its other bits.
pub(crate) fn shape(
    builder: &mut Builder,
    u: &mut Unstructured<'_>,
    form: &Form,
    sources: &mut Vec<Operand>,
) -> Result<Shape> {
    let Some(may) = form.may else { return Ok(Shape::Plain) };
    let mut operands = Operands::default();
    for (index, (taken, may)) in operands.iter_mut().zip(may).enumerate() {
        let is_register = match index.checked_sub(1) {
            None => true,
            Some(source) => matches!(sources.get(source), Some(Operand::Register(_))),
        };
        if !is_register {
            continue;
        }
        let roll = u.arbitrary::<u8>()?;
        if may.part && roll.is_multiple_of(2) {
            taken.portion = Portion::PARTS[usize::from(roll >> 1) % Portion::PARTS.len()];
        }
        taken.negated = may.sign && u.arbitrary::<u8>()? % 3 == 0;
    }
    // "-(a*b) + c" and "(a*b) - c" have a meaning, and not both.
    operands[3].negated &= operands[1].negated == operands[2].negated;
    if operands[0].portion != Portion::Whole {
        sources.push(builder.operand(u, Value::I32)?);
    }
    Ok(if operands == Operands::default() { Shape::Plain } else { Shape::Video(operands) })
}
