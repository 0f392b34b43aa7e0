//! Programs of SPA 5.0. Quotations are from the pages of `LDL`, `LDS` and of `ATOMS`.

mod arithmetic;
mod atoms;
mod control;
mod division;
mod float;
mod half;
mod histories;
pub(super) mod kernel;
mod schedules;
mod surfaces;
mod textures;
mod windows;
