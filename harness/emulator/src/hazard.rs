//! Hazards: what a scheduled program does not wait for.

use std::fmt;

/// An instruction that does not wait for a barrier that it would have to wait for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hazard {
    /// What is the matter.
    pub kind: HazardKind,
    /// The register concerned: `R4`.
    pub register: String,
    /// The instruction that is still under way, and its line.
    pub first: (String, u32),
    /// The instruction that should have waited, and its line.
    pub second: (String, u32),
    /// The barrier it should have waited for; `None`: the first instruction releases none, so that nobody can wait.
    pub barrier: Option<u8>,
}

/// What is the matter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HazardKind {
    /// A result is read that may not have been written yet.
    ReadBeforeWritten,
    /// A register is written into which an earlier result may still go.
    WrittenBeforeWritten,
    /// A register is written that may not have been read yet.
    WrittenBeforeRead,
}

impl fmt::Display for Hazard {
    /// "`IADD R1, R0, R0;`, line 3, reads `R0` without waiting for barrier 0, with which `LDS R0, [R2] &wr=0;`, line 2, says that it
    /// has written it".
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Hazard { kind, register, first: (first, first_line), second: (second, second_line), barrier } =
            self;
        let (does, done) = match kind {
            HazardKind::ReadBeforeWritten => ("reads", "written"),
            HazardKind::WrittenBeforeWritten => ("writes", "written"),
            HazardKind::WrittenBeforeRead => ("writes", "read"),
        };
        write!(f, "`{second}`, line {second_line}, {does} `{register}` ")?;
        match barrier {
            Some(barrier) => write!(
                f,
                "without waiting for barrier {barrier}, with which `{first}`, line {first_line}, says that it has {done} it"
            ),
            None => {
                write!(f, "although `{first}`, line {first_line}, says with no barrier when it has {done} it")
            }
        }
    }
}
