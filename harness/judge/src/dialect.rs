//! The names of the dialects (`spec`, `ptxas-12.9`, `encoder`), and which of them judge a program.

use std::fmt;
use std::str::FromStr;

use warpdiff_ptx::Dialect;
use warpdiff_sass::Authority;

/// A dialect by the name that cases and `check --as` use: `spec`, `ptxas-12.9`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DialectName(pub Dialect);

impl DialectName {
    /// The dialects of `check` without `--as`.
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

/// A dialect of SPA 5.0 by the name that cases and `check --as` use: `spec`, `encoder`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AuthorityName(pub Authority);

impl AuthorityName {
    /// The dialects of `check` without `--as`.
    pub const USUAL: [AuthorityName; 2] =
        [AuthorityName(Authority::Pages), AuthorityName(Authority::Encoder)];
}

impl fmt::Display for AuthorityName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self.0 {
            Authority::Pages => "spec",
            Authority::Encoder => "encoder",
        })
    }
}

impl FromStr for AuthorityName {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let mut known = Self::USUAL.into_iter();
        known
            .find(|name| name.to_string() == text)
            .ok_or_else(|| format!("unknown dialect `{text}` of SPA 5.0: expected `spec` or `encoder`"))
    }
}

/// A dialect by its name, before the language of the program is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JudgeName {
    /// `spec`, for both languages.
    Spec,
    /// An assembler of PTX.
    Assembler(DialectName),
    /// The encoder of SPA 5.0.
    Encoder,
}

impl JudgeName {
    /// The dialect of PTX.
    ///
    /// # Errors
    ///
    /// The name is of the other language.
    pub fn of_ptx(self) -> Result<DialectName, &'static str> {
        match self {
            Self::Spec => Ok(DialectName(Dialect::Spec)),
            Self::Assembler(name) => Ok(name),
            Self::Encoder => {
                Err("--as encoder is for programs of SPA 5.0; for PTX use `spec` or `ptxas-12.9`")
            }
        }
    }

    /// The dialect of SPA 5.0.
    ///
    /// # Errors
    ///
    /// The name is of the other language.
    pub fn of_spa(self) -> Result<AuthorityName, &'static str> {
        match self {
            Self::Spec => Ok(AuthorityName(Authority::Pages)),
            Self::Encoder => Ok(AuthorityName(Authority::Encoder)),
            Self::Assembler(_) => {
                Err("--as ptxas-12.9 is for programs of PTX; for SPA 5.0 use `spec` or `encoder`")
            }
        }
    }
}

impl FromStr for JudgeName {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "spec" => Ok(Self::Spec),
            "encoder" => Ok(Self::Encoder),
            _ => text.parse().map(Self::Assembler).map_err(|_| {
                format!("unknown dialect `{text}`: expected `spec`, `ptxas-12.9` or, for SPA 5.0, `encoder`")
            }),
        }
    }
}
