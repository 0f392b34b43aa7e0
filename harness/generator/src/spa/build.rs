//! Bytes → specimen of SPA 5.0: which kinds of steps a generated program has.
//!
//! Addresses are drawn from their end: first the place, then an offset (small, at an end of its range, or anything) and the
//! register that leads there with it, modulo 2^32. Now and then the place is misaligned, or outside of what is allocated.

use std::borrow::Cow;

use arbitrary::{Result, Unstructured};

use crate::builder::{Builder, weighted};
use crate::flow;
use crate::mix::Mix;
use crate::specimen::{Action, Class, Language, Operand, Shape, Space, Specimen, Step};
use crate::values::Value;

use super::functions::{function, plain_function};
use super::global::global;
use super::images::image;
use super::lookups::lookup;
use super::place::{Place, SIZES, operands_of};

/// The word of `EXIT`.
const EXIT: u64 = 0xe300_0000_0007_000f;
/// Most steps of a specimen.
const MAX_STEPS: u32 = 8;
/// The middle of a window of 16 MB: absolute addresses from here on would be negative if they were signed.
const UPPER_HALF: u32 = 0x80_0000;

#[derive(Clone, Copy)]
enum Kind {
    Function,
    Load,
    Store,
    Operation,
    Swap,
    UpperHalf,
    Global,
    Image,
    Lookup,
    Exit,
}

/// The table: how often each kind is drawn, in programs that have PTX, in others, and in those of the mixes that have weights of their own.
#[rustfmt::skip]
const KINDS: &[(Kind, [u32; 5])] = &[
    //                  ptx  all  surf  flow  float
    (Kind::Function,  [  12, 120,   30,  100,   100]),
    (Kind::Load,      [  20,  12,    5,   12,     2]),
    (Kind::Store,     [  10,  10,    5,   10,     2]),
    (Kind::Operation, [  12,  10,    0,   10,     0]),
    (Kind::Swap,      [  10,  10,    0,   10,     0]),
    (Kind::UpperHalf, [   1,   0,    0,    0,     0]),
    (Kind::Global,    [   0,  14,    5,   14,     4]),
    (Kind::Image,     [   0,  40,   60,    4,     0]),
    (Kind::Lookup,    [   0,  30,   60,    4,     4]),
    (Kind::Exit,      [   1,   2,    0,    6,     1]),
];

/// How many of 256 steps open a block, or go on to another arm or the end of one.
const TURNS: u8 = 30;
/// The same in the mix of control flow.
const MORE_TURNS: u8 = 120;

/// The column of [`KINDS`].
fn column(mix: Mix, has_ptx: bool) -> usize {
    match mix {
        Mix::Surfaces => 2,
        Mix::Float => 4,
        Mix::ControlFlow if !has_ptx => 3,
        _ => usize::from(!has_ptx),
    }
}

/// Reads a specimen of that mix from bytes. Threads have places of their own, so that [`Mix::Contended`] is [`Mix::All`].
///
/// # Errors
///
/// Only if there is a choice among nothing, which is a defect of a table.
pub fn draw(u: &mut Unstructured<'_>, mix: Mix) -> Result<Specimen> {
    let threads = u.int_in_range(1..=Specimen::FEW_THREADS)?;
    let scheduled = u.arbitrary::<u8>()? & 1 == 1;
    let may_have_ptx = u.arbitrary::<u8>()? & 1 == 1;
    let has_ptx = match mix {
        // Every bit of these is defined.
        Mix::NoUndefined => true,
        Mix::Surfaces | Mix::Float => false,
        _ => may_have_ptx,
    };
    let mut builder = Builder::new(Language::Spa { scheduled, has_ptx }, threads).of_mix(mix);
    let column = column(mix, has_ptx);
    let turns = if mix == Mix::ControlFlow { MORE_TURNS } else { TURNS };
    for _ in 0..u.int_in_range(1..=MAX_STEPS)? {
        if u.arbitrary::<u8>()? < turns {
            flow::turn(&mut builder, u)?;
        }
        match weighted(u, KINDS, |(_, weights)| weights[column])?.0 {
            // Nobody ends before the last step.
            Kind::Exit if mix == Mix::OneFault => load(&mut builder, u)?,
            Kind::Function if has_ptx => plain_function(&mut builder, u)?,
            Kind::Function => function(&mut builder, u)?,
            Kind::Global => global(&mut builder, u)?,
            Kind::Image => image(&mut builder, u)?,
            Kind::Lookup => lookup(&mut builder, u)?,
            Kind::Exit => exit(&mut builder, u)?,
            Kind::Load => load(&mut builder, u)?,
            Kind::Store => store(&mut builder, u)?,
            Kind::Operation => operation(&mut builder, u)?,
            Kind::Swap => swap(&mut builder, u)?,
            Kind::UpperHalf => upper_half(&mut builder, u)?,
        }
    }
    if mix == Mix::OneFault {
        fault(&mut builder, u)?;
    }
    Ok(builder.finish())
}

/// Appends the step that faults: a load from outside of what is allocated, or a misaligned atomic.
fn fault(builder: &mut Builder, u: &mut Unstructured<'_>) -> Result<()> {
    builder.close_all();
    builder.single_thread();
    builder.memory(u)?;
    let is_load = u.arbitrary::<u8>()? & 1 == 1;
    let (opcode, space, action) = match is_load {
        true => *u.choose(&[("LDL", Space::Local, Action::Load), ("LDS", Space::Shared, Action::Load)])?,
        false => ("ATOMS.ADD", Space::Shared, Action::Atomic),
    };
    let mut place = Place::draw(u, space, 4, if is_load { 1 } else { 4 })?;
    if is_load {
        place.leave(u)?
    } else {
        place.misalign(u)?
    }
    let (shape, mut sources) = place.shape(builder, u, action)?;
    if !is_load {
        sources.push(Operand::Register(builder.register(u, Class::B32, Value::I32)?));
    }
    let results = vec![builder.result(Class::B32)];
    builder.push(Step { guard: None, opcode: opcode.into(), results, shape, sources, within: None });
    Ok(())
}

/// Whether no access goes wrong but one that is to.
fn is_inside(builder: &Builder) -> bool {
    builder.mix().is_inside() || builder.mix() == Mix::NoUndefined
}

/// Whether an access that goes wrong is drawn, this many times of 256.
fn now_and_then(u: &mut Unstructured<'_>, of_256: u8) -> Result<bool> {
    Ok(u.arbitrary::<u8>()? < of_256)
}

/// `LDL`, `LDS`, `LDG.E`.
fn load(builder: &mut Builder, u: &mut Unstructured<'_>) -> Result<()> {
    builder.memory(u)?;
    let space = *u.choose(&[Space::Local, Space::Local, Space::Shared, Space::Shared, Space::Global])?;
    let (size_name, size) = *u.choose(SIZES)?;
    let is_uniform = space == Space::Shared && now_and_then(u, 80)?;
    let opcode = match space {
        Space::Shared => format!("LDS{size_name}"),
        Space::Local => {
            let operator = *u.choose(&["", "", "", ".CA", ".CS", ".LU", ".CV", ".CI"])?;
            // Of some of them a choice says what they load.
            let operator = if builder.mix() == Mix::NoUndefined { "" } else { operator };
            format!("LDL{operator}{size_name}")
        }
        Space::Global => format!("LDG.E{}", if size == 4 { "" } else { size_name }),
    };
    let mut place = Place::draw(u, space, size, 1)?;
    if space != Space::Global && !is_inside(builder) {
        if size > 1 && now_and_then(u, 20)? {
            place.misalign(u)?;
        } else if now_and_then(u, 6)? {
            place.leave(u)?;
        }
    }
    let (shape, sources) = place.shape(builder, u, Action::Load)?;
    // "LDS{.U}{.sz} Rd, [Ra + ImmS24]": the form with an absolute address has no `.U`. It is the one place where a size has to
    // stand behind a modifier.
    let opcode = match is_uniform && matches!(shape, Shape::Window { based: true, .. }) {
        true => format!("LDS.U{}", if size == 4 { ".32" } else { size_name }),
        false => opcode,
    };
    let classes: &[Class] = match size {
        16 => &[Class::B64, Class::B64],
        8 => &[Class::B64],
        _ => &[Class::B32],
    };
    let results = classes.iter().map(|class| builder.result(*class)).collect();
    builder.push(Step { guard: None, opcode: Cow::Owned(opcode), results, shape, sources, within: None });
    Ok(())
}

/// `STL`, `STS`, `STG.E`, half of the time under a predicate.
fn store(builder: &mut Builder, u: &mut Unstructured<'_>) -> Result<()> {
    builder.memory(u)?;
    let space = *u.choose(&[Space::Local, Space::Shared, Space::Shared, Space::Global])?;
    let (size_name, size) = *u.choose(SIZES)?;
    let size_name = if size == 4 { "" } else { size_name };
    let name = match space {
        Space::Local => *u.choose(&["STL", "STL", "STL.CG", "STL.CS", "STL.WT"])?,
        Space::Shared => "STS",
        Space::Global => "STG.E",
    };
    let place = Place::draw(u, space, size, 1)?;
    let guard = if u.arbitrary::<u8>()? & 1 == 0 { None } else { Some(builder.guard(u)?) };
    let (shape, mut sources) = place.shape(builder, u, Action::Store)?;
    let (class, value) = if size < 8 { (Class::B32, Value::I32) } else { (Class::B64, Value::I64) };
    for _ in 0..size.div_ceil(8) {
        sources.push(Operand::Register(builder.register(u, class, value)?));
    }
    let opcode = Cow::Owned(format!("{name}{size_name}"));
    builder.push(Step { guard, opcode, results: Vec::new(), shape, sources, within: None });
    Ok(())
}

/// A place of `ATOMS`, now and then one that is an error.
fn atomic_place(builder: &Builder, u: &mut Unstructured<'_>, size: usize) -> Result<Place> {
    let mut place = Place::draw(u, Space::Shared, size, 4)?;
    if is_inside(builder) {
        return Ok(place);
    }
    if now_and_then(u, 8)? {
        place.misalign(u)?;
    } else if now_and_then(u, 4)? {
        place.leave(u)?;
    }
    Ok(place)
}

/// `ATOMS` with one operand.
fn operation(builder: &mut Builder, u: &mut Unstructured<'_>) -> Result<()> {
    let name = *u.choose(&["ADD", "MIN", "MAX", "INC", "DEC", "AND", "OR", "XOR", "EXCH", "EXCH"])?;
    let narrow: &[&str] = match name {
        "INC" | "DEC" => &["", ".U32", ".32"],
        _ => &["", ".U32", ".32", ".S32", ".S32"],
    };
    let wide = name == "EXCH" && u.arbitrary::<u8>()? & 1 == 1;
    let (size_name, size) = if wide { (*u.choose(&[".U64", ".64"])?, 8) } else { (*u.choose(narrow)?, 4) };
    let class = if wide { Class::B64 } else { Class::B32 };
    atomic(builder, u, format!("ATOMS.{name}{size_name}"), size, 1, class)
}

/// `ATOMS.CAS` and `.CAST`.
fn swap(builder: &mut Builder, u: &mut Unstructured<'_>) -> Result<()> {
    let name = *u.choose(&["CAS", "CAST", "CAST.SPIN", "CAST.SPIN"])?;
    let wide = u.arbitrary::<u8>()? & 3 == 0;
    let (size_name, size) = match wide {
        true => (*u.choose(&[".U64", ".64"])?, 8),
        false => (*u.choose(&["", ".U32", ".S32", ".32"])?, 4),
    };
    // "Rd = 1", "Rd = 0", in the "typed bit size of memory and Rd".
    let class = if wide { Class::B64 } else { Class::B32 };
    atomic(builder, u, format!("ATOMS.{name}{size_name}"), size, 2, class)
}

fn atomic(
    builder: &mut Builder,
    u: &mut Unstructured<'_>,
    opcode: String,
    size: usize,
    operands: usize,
    result: Class,
) -> Result<()> {
    builder.memory(u)?;
    let mut place = atomic_place(builder, u, size)?;
    let mut opcode = opcode;
    if builder.threads() > 1 {
        if builder.is_in_loop() {
            opcode = opcode.replace(".SPIN", "");
        }
        place.keep_apart(builder, opcode.contains(".SPIN"));
    }
    let (shape, mut sources) = place.shape(builder, u, Action::Atomic)?;
    operands_of(builder, u, &place, operands, &mut sources)?;
    // Some want no result.
    let results = if u.arbitrary::<u8>()? % 16 == 0 { Vec::new() } else { vec![builder.result(result)] };
    builder.push(Step { guard: None, opcode: Cow::Owned(opcode), results, shape, sources, within: None });
    Ok(())
}

/// An early end of threads that have a predicate.
fn exit(builder: &mut Builder, u: &mut Unstructured<'_>) -> Result<()> {
    let guard = Some(builder.guard(u)?);
    let shape = Shape::Encoded { before: 0, word: EXIT, object: None };
    builder.push(Step {
        guard,
        opcode: "EXIT".into(),
        results: Vec::new(),
        shape,
        sources: Vec::new(),
        within: None,
    });
    Ok(())
}

/// A word stored to and loaded from the upper half of the local window by its absolute address. All below is allocated, so that
/// there is one thread.
fn upper_half(builder: &mut Builder, u: &mut Unstructured<'_>) -> Result<()> {
    builder.single_thread();
    let offset = (UPPER_HALF + 4 * u.int_in_range(0..=15)?) as i32;
    let shape = |action| Shape::Window { action, space: Space::Local, offset, based: false };
    builder.memory(u)?;
    let data = Operand::Register(builder.register(u, Class::B32, Value::I32)?);
    builder.push(Step {
        guard: None,
        opcode: Cow::Borrowed("STL"),
        results: Vec::new(),
        shape: shape(Action::Store),
        sources: vec![data],
        within: None,
    });
    let results = vec![builder.result(Class::B32)];
    builder.push(Step {
        guard: None,
        opcode: Cow::Borrowed("LDL"),
        results,
        shape: shape(Action::Load),
        sources: Vec::new(),
        within: None,
    });
    Ok(())
}
