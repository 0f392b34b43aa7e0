//! Exact arithmetic on scalars: what a PTX instruction computes, as pure functions on bits.
//!
//! A value of type `.f32` is a `u32`, `.f64` a `u64`, `.f16` and `.bf16` a `u16`; nothing here knows of lanes, registers
//! or definedness (that is [`crate::definedness`]). The machine calls these in its loops over lanes, so everything is
//! inlined and free of allocation; the `_rn` functions of [`single`] and [`double`] are free of branches too, so that such
//! a loop vectorises.
//!
//! - arithmetic on `.f32`, `.f64`, and `.f16` and `.bf16`: [`single`], [`double`], [`half`];
//! - what SPA 5.0 does and PTX does not say: with singles [`spa_single`], with pairs of halves [`spa_half`], in conversions [`spa_convert`];
//! - correctly rounded arithmetic in any binary format, which the directed modes of these come from: [`rounding`];
//! - `min` and `max`, `setp` and `testp`, `cvt`: [`extremum`], [`compare`], [`convert`];
//! - `ex2`, `sin`, `div.full` …: [`approximate`], and how far a target may be from them: [`bound`];
//! - integers and bit fields: [`integer`]; integers whose width is known only when a program is decoded: [`of_width`];
//! - video instructions, of PTX and of SPA 5.0, which have the same rules: [`video`];
//! - machine instructions of SPA 5.0 whose rules are not those of PTX instructions: [`spa`];
//! - which bits of a NaN result the manual fixes: [`nan`].
//!
//! Deviations from the manual are functions of their own: `fma_unfused`, `IntegerRounding::HalfAway`.

pub mod approximate;
pub mod bound;
pub mod compare;
pub mod convert;
pub mod double;
pub mod extremum;
pub mod half;
pub mod integer;
pub mod mistake;
pub mod nan;
pub mod of_width;
pub mod rounding;
pub mod single;
pub mod spa;
pub mod spa_convert;
pub mod spa_half;
pub mod spa_single;
pub mod video;
