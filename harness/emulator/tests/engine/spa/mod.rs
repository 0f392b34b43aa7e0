//! Programs of SPA 5.0. Quotations are from the pages of `LDL`, `LDS` and of `ATOMS`.

mod arithmetic;
mod atoms;
mod barriers;
mod control;
mod division;
mod float;
mod generic;
mod global_atoms;
mod half;
mod histories;
mod integers;
pub(super) mod kernel;
mod schedules;
mod special;
mod stack;
mod surfaces;
mod textures;
mod windows;
