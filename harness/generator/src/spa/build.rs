//! Bytes → specimen of SPA 5.0: which kinds of steps a generated program has.
//!
//! Addresses are drawn from their end: first the place, then an offset (small, at an end of its range, or anything) and the
//! register that leads there with it, modulo 2^32. Now and then the place is misaligned, or outside of what is allocated.

use std::borrow::Cow;

use arbitrary::{Result, Unstructured};

use crate::builder::{Builder, weighted};
use crate::specimen::{Action, Class, Language, Operand, Register, Shape, Space, Specimen, Step, WINDOW};
use crate::values::Value::{self, Amount, I32};

/// Most steps of a specimen.
const MAX_STEPS: u32 = 8;
/// The middle of a window of 16 MB: absolute addresses from here on would be negative if they were signed.
const UPPER_HALF: u32 = 0x80_0000;

#[derive(Clone, Copy)]
enum Kind {
    Arithmetic,
    Load,
    Store,
    Operation,
    Swap,
    UpperHalf,
}

/// What a step may be, and how often.
const KINDS: &[(u32, Kind)] = &[
    (12, Kind::Arithmetic),
    (20, Kind::Load),
    (10, Kind::Store),
    (12, Kind::Operation),
    (10, Kind::Swap),
    (1, Kind::UpperHalf),
];

/// Instructions from registers to a register, and what each source is.
const ARITHMETIC: &[(&str, &[Value])] = &[
    ("IADD", &[I32, I32]),
    ("IADD3", &[I32, I32, I32]),
    ("LOP.AND", &[I32, I32]),
    ("LOP.OR", &[I32, I32]),
    ("LOP.XOR", &[I32, I32]),
    ("SHL", &[I32, Amount]),
    ("SHR", &[I32, Amount]),
    ("SHR.U32", &[I32, Amount]),
    ("IMUL", &[I32, I32]),
    ("IMUL.HI", &[I32, I32]),
    ("IMUL.U32.U32.HI", &[I32, I32]),
    ("IMUL.S32.U32.HI", &[I32, I32]),
    ("IMUL.U32.S32.HI", &[I32, I32]),
    ("XMAD", &[I32, I32, I32]),
];

/// Sizes of loads and stores: modifier, bytes.
const SIZES: &[(&str, usize)] =
    &[(".U8", 1), (".S8", 1), (".U16", 2), (".S16", 2), ("", 4), (".32", 4), (".64", 8), (".128", 16)];

/// Reads a specimen from bytes.
///
/// # Errors
///
/// Only if there is a choice among nothing, which is a defect of a table.
pub fn draw(u: &mut Unstructured<'_>) -> Result<Specimen> {
    let threads = u.int_in_range(1..=Specimen::FEW_THREADS)?;
    let scheduled = u.arbitrary::<u8>()? & 1 == 1;
    let mut builder = Builder::new(Language::Spa { scheduled }, threads);
    for _ in 0..u.int_in_range(1..=MAX_STEPS)? {
        match weighted(u, KINDS, |(weight, _)| *weight)?.1 {
            Kind::Arithmetic => arithmetic(&mut builder, u)?,
            Kind::Load => load(&mut builder, u)?,
            Kind::Store => store(&mut builder, u)?,
            Kind::Operation => operation(&mut builder, u)?,
            Kind::Swap => swap(&mut builder, u)?,
            Kind::UpperHalf => upper_half(&mut builder, u)?,
        }
    }
    Ok(builder.finish())
}

fn arithmetic(builder: &mut Builder, u: &mut Unstructured<'_>) -> Result<()> {
    let (opcode, values) = *u.choose(ARITHMETIC)?;
    let sources = values
        .iter()
        .map(|value| Ok(Operand::Register(builder.register(u, Class::B32, *value)?)))
        .collect::<Result<_>>()?;
    let results = vec![builder.result(Class::B32)];
    builder.push(Step {
        guard: None,
        opcode: Cow::Borrowed(opcode),
        results,
        shape: Shape::Plain,
        sources,
        within: None,
    });
    Ok(())
}

/// Whether an access that goes wrong is drawn, this many times of 256.
fn now_and_then(u: &mut Unstructured<'_>, of_256: u8) -> Result<bool> {
    Ok(u.arbitrary::<u8>()? < of_256)
}

/// Where an access goes, from the beginning of the thread's window on.
struct Place {
    space: Space,
    at: u32,
    /// Bytes that it moves.
    size: usize,
    /// What its offset is a multiple of.
    unit: i32,
}

impl Place {
    /// An aligned place in the window.
    fn draw(u: &mut Unstructured<'_>, space: Space, size: usize, unit: i32) -> Result<Self> {
        Ok(Self { space, at: (size * u.choose_index(WINDOW / size)?) as u32, size, unit })
    }

    /// Moves it to where it is misaligned.
    fn misalign(&mut self, u: &mut Unstructured<'_>) -> Result<()> {
        self.at += u.int_in_range(1..=self.size as u32 - 1)?;
        Ok(())
    }

    /// Moves it outside of what is allocated: behind it, behind the window, or before both.
    fn leave(&mut self, u: &mut Unstructured<'_>) -> Result<()> {
        let allocated = WINDOW as u32 * Specimen::FEW_THREADS;
        self.at = *u.choose(&[allocated, 0x100_0000, 0xff_ff00, 0xffff_f000])?;
        Ok(())
    }

    /// Register and immediate offset that lead there.
    fn reach(&self, builder: &mut Builder, u: &mut Unstructured<'_>) -> Result<(Option<Register>, i32)> {
        // The windows of threads follow each other in shared memory; what has no register is the same for all.
        let absolute = self.space == Space::Local || builder.threads() == 1;
        let fits = self.at < 1 << 24 && (self.at as i32) % self.unit == 0;
        if self.space == Space::Global || absolute && fits && u.arbitrary::<u8>()? < 80 {
            return Ok((None, self.at as i32));
        }
        let unit = self.unit;
        let offset = match u.arbitrary::<u8>()? % 4 {
            0 => 0,
            1 => u.int_in_range(-16..=16)? * unit,
            2 => *u.choose(&[-0x80_0000, 0x7f_fffc, -4, 4, 0x40_0000])?,
            _ => u.int_in_range(-0x80_0000 / unit..=0x7f_ffff / unit)? * unit,
        };
        let base = u64::from(self.at.wrapping_sub(offset as u32));
        let values = vec![base; builder.threads() as usize];
        Ok((Some(builder.input(Class::B32, values)), offset))
    }

    /// The shape of an access to it, and its first source.
    fn shape(
        &self,
        builder: &mut Builder,
        u: &mut Unstructured<'_>,
        action: Action,
    ) -> Result<(Shape, Vec<Operand>)> {
        let (base, offset) = self.reach(builder, u)?;
        let shape = Shape::Window { action, space: self.space, offset, based: base.is_some() };
        Ok((shape, base.map(Operand::Register).into_iter().collect()))
    }
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
            format!("LDL{operator}{size_name}")
        }
        Space::Global => format!("LDG.E{}", if size == 4 { "" } else { size_name }),
    };
    let mut place = Place::draw(u, space, size, 1)?;
    if space != Space::Global {
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
    let (size_name, size) =
        *u.choose(&[(".U8", 1), (".U16", 2), ("", 4), ("", 4), (".64", 8), (".128", 16)])?;
    let name = match space {
        Space::Local => "STL",
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
fn atomic_place(u: &mut Unstructured<'_>, size: usize) -> Result<Place> {
    let mut place = Place::draw(u, Space::Shared, size, 4)?;
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
    let place = atomic_place(u, size)?;
    let (shape, mut sources) = place.shape(builder, u, Action::Atomic)?;
    for _ in 0..operands {
        sources.push(Operand::Register(near_memory(builder, u, &place)?));
    }
    let results = vec![builder.result(result)];
    builder.push(Step { guard: None, opcode: Cow::Owned(opcode), results, shape, sources, within: None });
    Ok(())
}

/// An operand that often equals what the location held at first, or lies one beside it.
fn near_memory(builder: &mut Builder, u: &mut Unstructured<'_>, place: &Place) -> Result<Register> {
    let (class, value) = if place.size == 8 { (Class::B64, Value::I64) } else { (Class::B32, Value::I32) };
    let roll = u.arbitrary::<u8>()?;
    let (at, size) = (place.at as usize, place.size);
    if roll % 2 == 1 || at + size > WINDOW || at % size != 0 {
        return builder.register(u, class, value);
    }
    let delta = [0, 0, 1, u64::MAX][usize::from(roll >> 1) % 4];
    let mask = u64::MAX >> (64 - 8 * size);
    let values = builder.window_values(u, place.space, at, size)?;
    Ok(builder.input(class, values.iter().map(|value| value.wrapping_add(delta) & mask).collect()))
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
