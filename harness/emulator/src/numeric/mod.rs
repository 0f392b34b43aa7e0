//! Exact arithmetic on scalars: what a PTX instruction computes, as pure functions on bits.
//!
//! A value of type `.f32` is a `u32`, `.f64` a `u64`, `.f16` and `.bf16` a `u16`; nothing here knows of lanes, registers
//! or definedness (that is [`crate::definedness`]). The engine calls these in its loops over lanes, so everything is
//! inlined and free of allocation; the `_rn` functions of [`single`] and [`double`] are free of branches too, so that such
//! a loop vectorises.
//!
//! - arithmetic on `.f32`, `.f64`, and `.f16` and `.bf16`: [`single`], [`double`], [`half`];
//! - correctly rounded arithmetic in any binary format, which the directed modes of these come from: [`rounding`];
//! - `min` and `max`, `setp` and `testp`, `cvt`: [`extremum`], [`compare`], [`convert`];
//! - `ex2`, `sin`, `div.full` …: [`approximate`], and how far a target may be from them: [`bound`];
//! - integers and bit fields: [`integer`];
//! - which bits of a NaN result the manual fixes: [`nan`].
//!
//! Departures from the manual are functions of their own: `fma_unfused…`, `shl_masked` …, `IntegerRounding::HalfAway`.

pub(crate) mod approximate;
pub(crate) mod bound;
pub(crate) mod compare;
pub(crate) mod convert;
pub(crate) mod double;
pub(crate) mod extremum;
pub(crate) mod half;
pub(crate) mod integer;
pub(crate) mod nan;
pub(crate) mod rounding;
pub(crate) mod single;
