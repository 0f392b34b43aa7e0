//! Who is asked whether a program is legal: the text of the specification, or an assembler.

use std::fmt;
use std::str::FromStr;

use warpdiff_ptx::Dialect;

/// A dialect by the name that cases and `check --as` use: `spec`, `ptxas-12.9`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DialectName(pub Dialect);

impl DialectName {
    /// Those that `check` asks when none is named.
    pub const USUAL: [DialectName; 2] = [DialectName(Dialect::Spec), DialectName(Dialect::Ptxas(12, 9))];
}

impl fmt::Display for DialectName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Dialect::Spec => f.write_str("spec"),
            Dialect::Ptxas(major, minor) => write!(f, "ptxas-{major}.{minor}"),
        }
    }
}

impl FromStr for DialectName {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "spec" => Ok(Self(Dialect::Spec)),
            "ptxas-12.9" => Ok(Self(Dialect::Ptxas(12, 9))),
            _ => Err(format!("unknown dialect `{text}`: expected `spec` or `ptxas-12.9`")),
        }
    }
}
