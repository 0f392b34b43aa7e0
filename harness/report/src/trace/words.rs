//! The words for what a step did.

use warpdiff_emulator::trace::{
    Access, AccessKind, Control, MemoryKind, Number, Place, Register, Step, Thread, Trace,
};
use warpdiff_model::Permitted;

/// A number in hexadecimal, with `?` for each digit that has an undefined bit.
pub(super) fn hex(value: u64, undefined: u64, bits: u32) -> String {
    let digits = bits.div_ceil(4);
    let digit = |n: u32| match undefined >> (4 * n) & 0xF {
        0 => char::from_digit((value >> (4 * n) & 0xF) as u32, 16).unwrap_or('?'),
        _ => '?',
    };
    format!("0x{}", (0..digits).rev().map(digit).collect::<String>())
}

/// The value of a register.
pub(super) fn value(register: &Register) -> String {
    let Register { bits, value, undefined, number, .. } = *register;
    if bits == 1 {
        let word = if value & 1 == 1 { "true" } else { "false" };
        return if undefined & 1 == 1 { "?".into() } else { word.into() };
    }
    let hex = hex(value, undefined, bits);
    match number {
        _ if undefined != 0 => hex,
        Number::Bits => hex,
        Number::F32 => format!("{hex} ({:?})", f32::from_bits(value as u32)),
        Number::F64 => format!("{hex} ({:?})", f64::from_bits(value)),
    }
}

/// `%r1 = 0x00000002`
pub(super) fn register(register: &Register) -> String {
    format!("{} = {}", register.name, value(register))
}

/// `buffer out+0x4`
pub(super) fn place(place: &Place) -> String {
    let Place { kind, name, offset } = place;
    let sign = if *offset < 0 { '-' } else { '+' };
    let at = format!("{sign}{:#x}", offset.unsigned_abs());
    match kind {
        MemoryKind::Buffer => format!("buffer {name}{at}"),
        MemoryKind::Variable => format!("variable {name}{at}"),
        MemoryKind::Constant => format!("{name}{at}"),
        MemoryKind::Shared => format!("shared{at}"),
        MemoryKind::Local => format!("local{at}"),
        MemoryKind::Parameters => format!("parameters{at}"),
        MemoryKind::Surface => format!("surface {name}{at}"),
        MemoryKind::Tables => format!("tables of the driver{at}"),
    }
}

/// `store  buffer out+0x4: 0x00000002`
pub(super) fn access(access: &Access) -> String {
    let Access { kind, size, value, undefined, before, .. } = access;
    let bits = 8 * size;
    let new = hex(*value, *undefined, bits);
    let at = place(&access.place);
    match (kind, before) {
        (AccessKind::Atomic, Some(before)) => {
            format!("{} {at}: {} becomes {new}", kind.name(), hex(*before, 0, bits))
        }
        _ => format!("{} {at}: {new}", kind.name()),
    }
}

/// Where the thread goes, unless to the next instruction.
pub(super) fn control(control: &Control) -> Option<String> {
    Some(match control {
        Control::Next => return None,
        Control::NotTaken => "not taken".into(),
        Control::Branch(line) => format!("goes to line {line}"),
        Control::Call(name) => format!("calls {name}"),
        Control::Return(line) => format!("returns to line {line}"),
        Control::Exit => "exits".into(),
        Control::Fault(detail) => format!("faults: {detail}"),
    })
}

/// Everything that a step did.
pub(super) fn effects(step: &Step) -> Vec<String> {
    let skipped = step.skipped && step.control != Control::NotTaken;
    let mut all: Vec<String> =
        skipped.then(|| "not executed: its guard is false".to_owned()).into_iter().collect();
    all.extend(step.accesses.iter().map(access));
    all.extend(step.writes.iter().map(register));
    all.extend(control(&step.control));
    all
}

/// `[0, 0, 0] of block [1, 0, 0]`
pub(super) fn thread(thread: Thread) -> String {
    format!("{:?} of block {:?}", thread.thread, thread.block)
}

/// How the launch ended.
pub(super) fn ending(trace: &Trace) -> String {
    match &trace.run.outcome.permitted {
        Permitted::Completed { .. } => "the launch completes".into(),
        Permitted::Faulted { faults } => match faults.first() {
            Some(fault) => format!("the launch faults: {}: {}", fault.class, fault.detail),
            None => "the launch faults".into(),
        },
        Permitted::TimedOut => "the launch does not end within its budget of steps".into(),
        Permitted::Indeterminate { place, origin } => {
            format!("the launch is indeterminate: {place}: {origin}")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_undefined_bit_hides_its_digit() {
        assert_eq!(hex(0x12, 0, 8), "0x12");
        assert_eq!(hex(0x1234, 0x0100, 16), "0x1?34");
        assert_eq!(hex(0, u64::MAX, 32), "0x????????");
    }

    #[test]
    fn floats_are_numbers_too() {
        let one = Register {
            name: "%f1".into(),
            bits: 32,
            value: 0x3F80_0000,
            undefined: 0,
            open: 0,
            number: Number::F32,
        };
        assert_eq!(register(&one), "%f1 = 0x3f800000 (1.0)");
        assert_eq!(value(&Register { undefined: 1, ..one.clone() }), "0x3f80000?");
        assert_eq!(value(&Register { bits: 1, value: 1, number: Number::Bits, ..one }), "true");
    }
}
