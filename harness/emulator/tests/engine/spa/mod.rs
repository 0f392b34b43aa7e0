//! Programs of SPA 5.0. Quotations are from the pages of `LDL`, `LDS` and of `ATOMS`.

mod arithmetic;
mod atoms;
mod barriers;
mod constants;
mod control;
mod cubins;
mod division;
mod float;
mod formatted_surfaces;
mod generic;
mod global_atoms;
mod half;
mod histories;
mod integers;
pub(super) mod kernel;
mod lookups;
mod schedules;
mod sound;
mod special;
mod stack;
mod surface_atoms;
mod surfaces;
mod textures;
mod windows;
