//! Bytes → specimen: which kinds of steps a generated PTX program has, and how often each.

use std::borrow::Cow;

use arbitrary::{Arbitrary, Result, Unstructured};

use crate::builder::{Builder, weighted};
use crate::forms::{FORMS, Form};
use crate::specimen::{Language, Shape, Specimen, Step};
use crate::{memory, surface, texture, variable};

/// Most steps of a specimen.
const MAX_STEPS: u32 = 8;

/// What a step may be, and how often.
const KINDS: &[(u32, Kind)] = &[
    (20, Kind::Register),
    (4, Kind::Load),
    (4, Kind::Store),
    (6, Kind::Atomic),
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
    Load,
    Store,
    Atomic,
    SurfaceLoad,
    SurfaceStore,
    TexelStore,
    SurfaceReduction,
    Texture,
    Variable,
}

impl<'a> Arbitrary<'a> for Specimen {
    fn arbitrary(u: &mut Unstructured<'a>) -> Result<Self> {
        let threads = u.int_in_range(1..=Specimen::MAX_THREADS)?;
        let mut builder = Builder::new(Language::Ptx, threads);
        for _ in 0..u.int_in_range(1..=MAX_STEPS)? {
            match weighted(u, KINDS, |(weight, _)| *weight)?.1 {
                Kind::Register => register_step(&mut builder, u)?,
                Kind::Load => {
                    builder.memory(u)?;
                    memory::load(&mut builder, u)?;
                }
                Kind::Store => {
                    builder.memory(u)?;
                    memory::store(&mut builder, u)?;
                }
                Kind::Atomic => {
                    builder.memory(u)?;
                    memory::atomic_operation(&mut builder, u)?;
                }
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
}

fn register_step(builder: &mut Builder, u: &mut Unstructured<'_>) -> Result<()> {
    let form: &Form = weighted(u, FORMS, |form| form.weight)?;
    let opcode = Cow::Borrowed(*u.choose(form.opcodes)?);
    let sources = form.sources.iter().map(|value| builder.operand(u, *value)).collect::<Result<_>>()?;
    let results = vec![builder.result(form.result)];
    builder.push(Step { guard: None, opcode, results, shape: Shape::Plain, sources });
    Ok(())
}
