//! The words for what a step did.

use warpdiff_corpus::bytes::{self, float_size, number};
use warpdiff_emulator::trace::{
    Access, AccessKind, Control, MemoryKind, Place, Register, Source, Step, Thread, Trace,
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

/// A value: a floating-point number of this type with its bits, or hexadecimal.
fn value(value: u64, undefined: u64, bits: u32, float: Option<&'static str>) -> String {
    let number = with_float(value, undefined, bits, float, number);
    number.unwrap_or_else(|| hex(value, undefined, bits))
}

/// The decimal of a floating-point number of this type.
pub(super) fn decimal(value: u64, undefined: u64, bits: u32, float: Option<&'static str>) -> Option<String> {
    let (decimal, _) = with_float(value, undefined, bits, float, bytes::float)?;
    Some(decimal)
}

/// What `of` makes of the bytes and the type of a floating-point number; `None` for other values, and if a bit of it is undefined. A register may be
/// wider than its number.
fn with_float<T>(
    value: u64,
    undefined: u64,
    bits: u32,
    float: Option<&'static str>,
    of: impl Fn(&[u8], &str) -> Option<T>,
) -> Option<T> {
    let ty = float?;
    let size = float_size(ty).filter(|size| 8 * size <= bits as usize)?;
    let is_defined = undefined.to_le_bytes()[..size].iter().all(|bits| *bits == 0);
    is_defined.then(|| of(&value.to_le_bytes()[..size], ty)).flatten()
}

/// The floating-point type of a value that an instruction loads, stores or changes in memory. A store of plain bits (`st.b32`, and machine
/// code) has that of the instruction that made them.
pub(super) fn stored_float(steps: &[Step], at: &Step, index: usize) -> Option<&'static str> {
    let access = &at.accesses[index];
    if access.float.is_some() || access.kind != AccessKind::Store {
        return access.float;
    }
    let stored: Vec<&Source> =
        at.reads.iter().filter(|read| !read.addresses && read.register.bits > 1).collect();
    let made = stored.get(index).filter(|_| stored.len() == at.accesses.len())?;
    let by = steps.get(made.written_by?)?;
    let float = by.writes.iter().find(|written| written.name == made.register.name)?.float?;
    (float_size(float) == Some(access.size as usize)).then_some(float)
}

/// `%r1 = 0x00000002`
pub(super) fn register(register: &Register) -> String {
    let Register { name, bits, value: of, undefined, float, .. } = register;
    match (bits, undefined & 1, of & 1) {
        (1, 1, _) => format!("{name} = ?"),
        (1, _, bit) => format!("{name} = {}", bit == 1),
        _ => format!("{name} = {}", value(*of, *undefined, *bits, *float)),
    }
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

/// `store buffer out+0x4: 0x00000002`: an access of a step of these.
pub(super) fn access(steps: &[Step], at: &Step, index: usize) -> String {
    let float = stored_float(steps, at, index);
    let Access { kind, size, value: of, undefined, before, place: of_place, .. } = &at.accesses[index];
    let (bits, name, place) = (8 * size, kind.name(), place(of_place));
    let new = value(*of, *undefined, bits, float);
    match (kind, before) {
        (AccessKind::Atomic, Some(before)) => {
            format!("{name} {place}: {} becomes {new}", value(*before, 0, bits, float))
        }
        _ => format!("{name} {place}: {new}"),
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

/// Everything that a step of these did.
pub(super) fn effects(steps: &[Step], step: &Step) -> Vec<String> {
    let skipped = step.skipped && step.control != Control::NotTaken;
    let mut all: Vec<String> =
        skipped.then(|| "not executed: its guard is false".to_owned()).into_iter().collect();
    all.extend((0..step.accesses.len()).map(|index| access(steps, step, index)));
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

    fn of(name: &str, value: u64, float: Option<&'static str>) -> Register {
        Register { name: name.into(), bits: 32, value, undefined: 0, open: 0, float }
    }

    #[test]
    fn floats_are_numbers_with_their_bits() {
        let one = of("%f1", 0x3F80_0000, Some("f32"));
        assert_eq!(register(&one), "%f1 = 1.0 (0x3f800000)");
        assert_eq!(register(&Register { undefined: 1, ..one.clone() }), "%f1 = 0x3f80000?");
        assert_eq!(register(&Register { bits: 1, value: 1, float: None, ..one }), "%f1 = true");
        // A register of 16 bits has a row of 32, whose upper half nobody writes.
        let half = Register { undefined: 0xFFFF_0000, ..of("%h1", 0xBC00, Some("f16")) };
        assert_eq!(register(&half), "%h1 = -1.0 (0xbc00)");
        assert_eq!(register(&Register { undefined: 0x8000, ..half }), "%h1 = 0x0000?c00");
        assert_eq!(decimal(0xBC00, 0, 32, Some("f16")).as_deref(), Some("-1.0"));
        assert_eq!(register(&of("%r1", 0x3F80_0000, None)), "%r1 = 0x3f800000");
    }

    /// A step that does nothing but what is said.
    fn step(reads: Vec<Source>, writes: Vec<Register>, accesses: Vec<Access>) -> Step {
        Step {
            line: 1,
            instruction: "".into(),
            skipped: false,
            reads,
            writes,
            accesses,
            control: Control::Next,
        }
    }

    fn stored(kind: AccessKind, size: u32, value: u64, float: Option<&'static str>) -> Access {
        let place = Place { kind: MemoryKind::Buffer, name: "out".into(), offset: 0 };
        Access { kind, place, size, value, undefined: 0, open: 0, float, before: None, written_by: None }
    }

    /// `-1.0` is `bf800000` in binary32.
    #[test]
    fn stores_show_the_number_of_what_they_store() {
        let typed = [step(vec![], vec![], vec![stored(AccessKind::Store, 4, 0xBF80_0000, Some("f32"))])];
        assert_eq!(access(&typed, &typed[0], 0), "store buffer out+0x0: -1.0 (0xbf800000)");
        let atomic = Access { before: Some(0), ..stored(AccessKind::Atomic, 4, 0xBF80_0000, Some("f32")) };
        let added = [step(vec![], vec![], vec![atomic])];
        assert_eq!(
            access(&added, &added[0], 0),
            "atomic buffer out+0x0: 0.0 (0x00000000) becomes -1.0 (0xbf800000)"
        );
        // Machine code stores plain bits; the guard and the address are no part of what is stored.
        let read = |register: Register, addresses: bool| Source { register, addresses, written_by: Some(0) };
        let guard = Register { bits: 1, ..of("P0", 1, None) };
        let by_bits = |size: u32, float: Option<&'static str>| {
            let reads = vec![
                read(guard.clone(), false),
                read(of("R4", 0, None), true),
                read(of("R6", 0xBF80_0000, None), false),
            ];
            let store = stored(AccessKind::Store, size, 0xBF80_0000, None);
            let steps =
                [step(vec![], vec![of("R6", 0xBF80_0000, float)], vec![]), step(reads, vec![], vec![store])];
            access(&steps, &steps[1], 0)
        };
        assert_eq!(by_bits(4, Some("f32")), "store buffer out+0x0: -1.0 (0xbf800000)");
        assert_eq!(by_bits(4, None), "store buffer out+0x0: 0xbf800000");
        // A part of the number is none.
        assert_eq!(by_bits(2, Some("f32")), "store buffer out+0x0: 0x0000");
    }
}
