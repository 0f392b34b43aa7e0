//! Surface instructions over the lanes of a group.
//!
//! * [`objects`] – the surface, texture or sampler that a lane names.
//! * [`points_to`] – `istypep`.
//! * [`access`] – resolves and executes a lane's access.
//! * [`transfer`] – `suld.b`, `sust.b`: bytes.
//! * [`formatted`] – `sust.p`, `SULD.P`: components.
//! * [`reduce`] – `sured`, `SUATOM`.
//! * [`query`] – `suq`, `txq`.
//! * [`sample`] – `tex`, gathers.

mod access;
mod formatted;
mod objects;
mod points_to;
mod query;
mod reduce;
mod sample;
mod transfer;
