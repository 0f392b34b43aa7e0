//! What an assembler made of a program.

use std::collections::BTreeMap;

/// Initial bytes of variables by name; `None` where an address goes.
pub type InitialBytes = BTreeMap<String, Vec<Option<u8>>>;

/// What an assembler, such as ptxas, makes of a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Assembled {
    /// It accepts it.
    Accepted {
        /// What the module-scope variables begin with.
        bytes: InitialBytes,
    },
    /// It rejects it.
    Rejected {
        /// Its words.
        message: String,
    },
    /// It crashed: that says nothing of the program, and something of the assembler.
    Crashed {
        /// How it ended.
        why: String,
    },
    /// It hung, or cannot be asked this.
    NoVerdict {
        /// Why.
        why: String,
    },
}
