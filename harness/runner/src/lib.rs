//! warpdiff: runs a corpus of cases and generated programs on the reference emulator and on targets, and names each
//! semantic difference. The `warpdiff` binary is a thin shell around [`cli::main`].
//!
//! Data flows one way: [`plan`] says what is to be run (built from YAML by the corpus loader), `reference` what the
//! specification allows, `target` asks the one being judged, `judge` compares, `report` tells a person.

pub mod plan;
pub mod corpus;
pub mod coverage;
pub mod suggest;
