//! Bytes → specimen: which kinds of steps a generated PTX program has, and how often each.

use std::borrow::Cow;

use arbitrary::{Arbitrary, Result, Unstructured};

use crate::available::Available;
use crate::builder::{Builder, weighted};
use crate::forms::{Form, carry_writer};
use crate::places::TARGET;
use crate::specimen::{Language, Shape, Specimen, Step};
use crate::{memory, surface, texture, variable};

/// Most steps of a specimen.
const MAX_STEPS: u32 = 8;

/// What a step may be, and how often.
const KINDS: &[(u32, Kind)] = &[
    (20, Kind::Register),
    (20, Kind::Memory),
    (8, Kind::SurfaceLoad),
    (6, Kind::SurfaceStore),
    (5, Kind::TexelStore),
    (6, Kind::SurfaceReduction),
    (7, Kind::Texture),
    (2, Kind::Variable),
];

#[derive(Clone, Copy)]
enum Kind {
    Register,
    Memory,
    SurfaceLoad,
    SurfaceStore,
    TexelStore,
    SurfaceReduction,
    Texture,
    Variable,
}

impl<'a> Arbitrary<'a> for Specimen {
    fn arbitrary(u: &mut Unstructured<'a>) -> Result<Self> {
        of_target(u, TARGET)
    }
}

/// Reads a specimen whose instructions that target has.
pub(crate) fn of_target(u: &mut Unstructured<'_>, target: u32) -> Result<Specimen> {
    let available = Available::on(target);
    let threads = u.int_in_range(1..=Specimen::MAX_THREADS)?;
    let mut builder = Builder::new(Language::Ptx, threads);
    for _ in 0..u.int_in_range(1..=MAX_STEPS)? {
        match weighted(u, KINDS, |(weight, _)| *weight)?.1 {
            Kind::Register => register_step(&mut builder, u, available)?,
            Kind::Memory => memory::access(&mut builder, u, available)?,
            Kind::SurfaceLoad => surface::load(&mut builder, u)?,
            Kind::SurfaceStore => surface::store(&mut builder, u)?,
            Kind::TexelStore => surface::store_texel(&mut builder, u)?,
            Kind::SurfaceReduction => surface::reduce(&mut builder, u)?,
            Kind::Texture => texture::lookup(&mut builder, u)?,
            Kind::Variable => variable::load(&mut builder, u)?,
        }
    }
    Ok(builder.finish())
}

/// Adds an instruction of registers. Half of the time all opcodes are equally likely, else all forms: opcodes have from one form to thousands.
fn register_step(
    builder: &mut Builder,
    u: &mut Unstructured<'_>,
    available: &'static Available,
) -> Result<()> {
    let forms = &available.registers;
    let of_one = match u.arbitrary::<u8>()? & 1 {
        0 => u.choose(forms)?,
        _ => weighted(u, forms, |of_one| of_one.forms.len() as u32)?,
    };
    let form = u.choose(&of_one.forms)?;
    if form.reads_carry {
        plain(builder, u, carry_writer())?;
    }
    plain(builder, u, form)
}

fn plain(builder: &mut Builder, u: &mut Unstructured<'_>, form: &'static Form) -> Result<()> {
    let sources = form.sources.iter().map(|value| builder.operand(u, *value)).collect::<Result<_>>()?;
    let mut results: Vec<_> = form.results.iter().map(|class| builder.result(*class)).collect();
    // The second predicate of a comparison may be left out.
    if results.len() == 2 && u.arbitrary::<u8>()? & 1 == 0 {
        results.pop();
    }
    builder.push(Step {
        guard: None,
        opcode: Cow::Borrowed(&form.text),
        results,
        shape: Shape::Plain,
        sources,
    });
    Ok(())
}
