//! The rules of the specification as pure functions, without a machine that applies them.
//!
//! Nothing here knows of registers, lanes, memory or time: a function takes bits, shapes and the [`warpdiff_model::Semantics`] in
//! force, and answers bits. Choices that a rule consults are noted in the [`warpdiff_model::choice::ChoiceSet`] it is given.
//!
//! * [`numeric`] – what an instruction computes: integers, floating point, rounding, and how far approximations may be off.
//! * [`definedness`] – which bits of a result are defined, given those of the operands.
//! * [`surface`] – from coordinates to bytes, from source elements to texels, and what queries answer.
//! * [`texture`] – from coordinates and a sampler to four components.
//!
//! The machine calls most of it in its loops over lanes, from another crate: small functions are `#[inline]`, so that they are fast
//! without optimisation across crates.

pub mod definedness;
pub mod numeric;
pub mod surface;
pub mod texture;
