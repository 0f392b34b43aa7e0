//! Bytes → specimen: which kinds of steps a generated PTX program has, and how often each.

use std::borrow::Cow;

use arbitrary::{Arbitrary, Result, Unstructured};

use crate::available::Available;
use crate::builder::{Builder, class_of, reusable, weighted};
use crate::forms::Form;
use crate::mix::{Kind, Mix};
use crate::places::TARGET;
use crate::specimen::{Language, Operand, Shape, Specimen, Step};
use crate::{call, fault, flow, lanes, memory, moves, queries, surface, texture, variable, video};

/// Most steps of a specimen.
const MAX_STEPS: u32 = 8;

/// Threads of a CTA where threads meet. Some are fewer than a warp, some are two.
const BLOCKS: &[u32] = &[2, 4, 5, 8, 16, 32, 32, 64];

impl<'a> Arbitrary<'a> for Specimen {
    fn arbitrary(u: &mut Unstructured<'a>) -> Result<Self> {
        of_target(u, TARGET, Mix::All)
    }
}

/// Reads a specimen of that mix, whose instructions that target has.
pub(crate) fn of_target(u: &mut Unstructured<'_>, target: u32, mix: Mix) -> Result<Specimen> {
    let available = Available::on(target);
    let together = u.arbitrary::<u8>()? < mix.together();
    let (threads, ctas) = threads(u, together)?;
    let mut builder = Builder::new(Language::Ptx, threads).on(available.target).in_ctas(ctas).of_mix(mix);
    for _ in 0..u.int_in_range(1..=MAX_STEPS)? {
        if u.arbitrary::<u8>()? < mix.turns() {
            flow::turn(&mut builder, u)?;
        }
        step(&mut builder, u, available, together)?;
    }
    if mix == Mix::OneFault {
        fault::step(&mut builder, u)?;
    }
    Ok(builder.finish())
}

/// The number of threads, and of CTAs.
fn threads(u: &mut Unstructured<'_>, together: bool) -> Result<(u32, u32)> {
    let several = u.arbitrary::<u8>()? % 4 == 0;
    if together {
        let block = *u.choose(BLOCKS)?;
        let ctas = if several && 2 * block <= Specimen::MAX_THREADS { 2 } else { 1 };
        return Ok((block * ctas, ctas));
    }
    let threads = u.int_in_range(1..=Specimen::FEW_THREADS)?;
    Ok((threads, if several && threads.is_multiple_of(2) { 2 } else { 1 }))
}

/// Adds a step of a kind that is right for the threads.
fn step(
    builder: &mut Builder,
    u: &mut Unstructured<'_>,
    available: &'static Available,
    together: bool,
) -> Result<()> {
    let is_right = |kind: Kind| match kind {
        // Two threads that store to one texel race.
        Kind::SurfaceStore | Kind::TexelStore | Kind::SurfaceReduction => !together,
        // A thread that ended does not come.
        Kind::Lanes => together && builder.is_whole(),
        // Each returned value is seen.
        Kind::Contended => together && !builder.is_in_loop(),
        _ => true,
    };
    let kinds: Vec<(u32, Kind)> = builder.mix().kinds().filter(|(_, kind)| is_right(*kind)).collect();
    match weighted(u, &kinds, |(weight, _)| *weight)?.1 {
        Kind::Register => register_step(builder, u, available),
        Kind::Memory => memory::access(builder, u, available),
        Kind::SurfaceLoad => surface::load(builder, u),
        Kind::SurfaceStore => surface::store(builder, u),
        Kind::TexelStore => surface::store_texel(builder, u),
        Kind::SurfaceReduction => surface::reduce(builder, u),
        Kind::Texture => texture::lookup(builder, u),
        Kind::Variable => variable::load(builder, u),
        Kind::Call => called(builder, u, available),
        Kind::Move => moves::step(builder, u, &available.moves),
        Kind::Query => queries::query(builder, u),
        Kind::Lanes => lanes::meet(builder, u, &available.lanes),
        Kind::Contended => memory::contend(builder, u, available),
        Kind::Aside => flow::aside(builder, u, available.target),
    }
}

/// A form of an instruction of registers. Half of the time all opcodes are equally likely, else all forms: opcodes have from one form to
/// thousands.
fn drawn(
    builder: &Builder,
    u: &mut Unstructured<'_>,
    available: &'static Available,
) -> Result<&'static Form> {
    let forms = &available.registers;
    let mut form = None;
    for _ in 0..8 {
        let of_one = match u.arbitrary::<u8>()? & 1 {
            0 => u.choose(forms)?,
            _ => weighted(u, forms, |of_one| of_one.forms.len() as u32)?,
        };
        let drawn = u.choose(&of_one.forms)?;
        form = Some(drawn);
        if builder.mix() != Mix::Float || drawn.is_of_floats() {
            break;
        }
    }
    Ok(form.unwrap_or(available.carry_writer()))
}

/// Adds an instruction of registers.
fn register_step(
    builder: &mut Builder,
    u: &mut Unstructured<'_>,
    available: &'static Available,
) -> Result<()> {
    let form = drawn(builder, u, available)?;
    if form.reads_carry {
        plain(builder, u, available.carry_writer(), |_, _, _| Ok(Shape::Plain))?;
    }
    plain(builder, u, form, |builder, u, sources| video::shape(builder, u, form, sources))
}

/// Adds one in a function, if it can be called.
fn called(builder: &mut Builder, u: &mut Unstructured<'_>, available: &'static Available) -> Result<()> {
    let form = drawn(builder, u, available)?;
    if form.reads_carry {
        return register_step(builder, u, available);
    }
    plain(builder, u, form, |_, u, sources| {
        Ok(call::passing(u, form, sources)?.map_or(Shape::Plain, Shape::Call))
    })
}

fn plain(
    builder: &mut Builder,
    u: &mut Unstructured<'_>,
    form: &'static Form,
    shape: impl FnOnce(&mut Builder, &mut Unstructured<'_>, &mut Vec<Operand>) -> Result<Shape>,
) -> Result<()> {
    let mut sources: Vec<Operand> =
        form.sources.iter().map(|value| builder.operand(u, *value)).collect::<Result<_>>()?;
    let mut results: Vec<_> = form.results.iter().map(|class| builder.result(*class)).collect();
    // The second predicate of a comparison may be left out.
    if results.len() == 2 && u.arbitrary::<u8>()? & 1 == 0 {
        results.pop();
    }
    if builder.is_in_loop() && u.arbitrary::<u8>()? % 2 == 0 {
        // What it gave in the run before.
        let fits =
            |value| reusable(value) && results.first().is_some_and(|result| result.class == class_of(value));
        if let Some(place) = form.sources.iter().position(|value| fits(*value)) {
            sources[place] = Operand::Register(results[0]);
        }
    }
    let shape = shape(builder, u, &mut sources)?;
    let carries = form.reads_carry || form.text.contains(".cc");
    let rare = if matches!(shape, Shape::Call(_)) { 3 } else { 16 };
    let guard = if !carries && u.arbitrary::<u8>()? % rare == 0 { Some(builder.guard(u)?) } else { None };
    let opcode = Cow::Borrowed(form.text.as_str());
    builder.push(Step { guard, opcode, results, shape, sources, within: None });
    Ok(())
}
