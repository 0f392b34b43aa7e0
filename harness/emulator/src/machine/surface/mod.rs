//! Surface instructions over the lanes of a group.
//!
//! * [`objects`] – which surface, texture or sampler a lane names.
//! * [`points_to`] – `istypep`.
//! * [`access`] – where a lane's access goes, and what it does there.
//! * [`transfer`] – `suld.b`, `sust.b`: bytes.
//! * [`formatted`] – `sust.p`: components.
//! * [`reduce`] – `sured`.
//! * [`query`] – `suq`, `txq`.
//! * [`sample`] – `tex`.

mod access;
mod formatted;
mod objects;
mod points_to;
mod query;
mod reduce;
mod sample;
mod transfer;
