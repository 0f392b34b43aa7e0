//! The answer of an assembler about a program.

use std::collections::BTreeMap;

/// Initial bytes of variables by name; `None` for bytes of an address.
pub type InitialBytes = BTreeMap<String, Vec<Option<u8>>>;

/// The answer of an assembler, such as ptxas, about a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Assembled {
    /// It accepts it.
    Accepted {
        /// The initial bytes of the module-scope variables.
        bytes: InitialBytes,
    },
    /// It rejects it.
    Rejected {
        /// Its message.
        message: String,
    },
    /// It crashed: no answer about the program, but a defect of the assembler.
    Crashed {
        /// How it ended.
        why: String,
    },
    /// It hung, or cannot answer this question.
    NoVerdict {
        /// Why.
        why: String,
    },
}
