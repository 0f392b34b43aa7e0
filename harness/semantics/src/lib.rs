//! The rules of the specification as pure functions, without a machine that applies them.
//!
//! These functions do not depend on registers, lanes, memory or time: a function takes bits, shapes and the current
//! [`warpdiff_model::Semantics`], and returns bits. Choices consulted by a rule are recorded in the
//! [`warpdiff_model::choice::ChoiceSet`] passed to it.
//!
//! * [`numeric`] – results of instructions: integers, floating point, rounding, and error bounds of approximations.
//! * [`definedness`] – the defined bits of a result, given those of the operands.
//! * [`surface`] – coordinates to bytes, source elements to texels, and results of queries.
//! * [`texture`] – coordinates and a sampler to four components.
//! * [`shuffle`] – the lane that a shuffle reads. [`collective`] – what votes and reductions of lanes give. [`atomic`] – the value that an atomic leaves and returns.
//! * [`xmad`] – what the instruction of that name computes, and which bits of it are defined.
//! * [`shared_window`] – where mistaken accesses to shared memory go.
//! * [`opaque`] – the names of surfaces, textures and samplers.
//! * [`onlooker`] – what a machine tells of a run to whoever asks which of these rules decided.
//! * [`printf`] – a format and its arguments to the text that `vprintf` prints. [`printed`] – all that a launch prints.
//!
//! The machine calls most of these functions in its loops over lanes, from another crate: small functions are `#[inline]`, so that
//! they are fast without cross-crate optimisation.

pub mod atomic;
pub mod collective;
pub mod definedness;
pub mod element;
pub mod numeric;
pub mod onlooker;
pub mod opaque;
pub mod printed;
pub mod printf;
pub mod shared_window;
pub mod shuffle;
pub mod surface;
pub mod texture;
pub mod xmad;
