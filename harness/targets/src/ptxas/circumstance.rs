//! What an assembler was asked under: its release, the directives of the program, and its options.

use std::fmt;
use std::str::FromStr;

use warpdiff_ptx::{Dialect, Rules};

/// The first version with `.address_size`, times ten.
const ADDRESS_SIZE: u32 = 23;

/// Which assembler was asked, and under which directives and options.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Circumstance {
    /// Its release: `(12, 9)`.
    pub release: (u32, u32),
    /// `.version`.
    pub version: (u32, u32),
    /// What stands behind `.target`.
    pub target: String,
    /// Number of the architecture assembled for; `None` where the table does not say: that of the target, or the oldest the
    /// release has.
    pub architecture: Option<u32>,
    /// Whether it was told to make a relocatable object (`-c`).
    pub relocatable: bool,
}

impl Circumstance {
    /// The whole program.
    pub fn program(&self, source: &str) -> String {
        let (major, minor) = self.version;
        let size = if major * 10 + minor >= ADDRESS_SIZE { ".address_size 64\n" } else { "" };
        format!(".version {major}.{minor}\n.target {}\n{size}{source}", self.target)
    }

    /// The rules that the front end is asked to follow.
    pub fn rules(&self) -> Rules {
        Rules {
            dialect: Dialect::Ptxas(self.release.0, self.release.1),
            max_version: None,
            max_target: self.architecture,
            relocatable: self.relocatable,
            linked: false,
        }
    }
}

/// `12.9:8.8:sm_50`, behind it `:sm_90` and ` -c` where the table says so.
impl fmt::Display for Circumstance {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ((a, b), (c, d)) = (self.release, self.version);
        write!(f, "{a}.{b}:{c}.{d}:{}", self.target)?;
        if let Some(number) = self.architecture {
            write!(f, ":sm_{number}")?;
        }
        f.write_str(if self.relocatable { " -c" } else { "" })
    }
}

impl FromStr for Circumstance {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let parts: Vec<_> = text.split(':').collect();
        let (release, version, target, architecture) = match parts.as_slice() {
            [release, version, target] => (release, version, target, ""),
            [release, version, target, architecture] => (release, version, target, *architecture),
            _ => return Err(format!("`{text}` is not of the form `12.9:8.8:sm_50`")),
        };
        Self::of(release, version, target, architecture)
    }
}

impl Circumstance {
    /// From the cells of a table; `architecture` as in `sm_90 -c`, or empty.
    ///
    /// # Errors
    /// Which cell is malformed, as a lowercase fragment.
    pub fn of(release: &str, version: &str, target: &str, architecture: &str) -> Result<Self, String> {
        let (name, options) = architecture.split_once(' ').unwrap_or((architecture, ""));
        if !matches!(options, "" | "-c") {
            return Err(format!("unknown options `{options}` of the assembler"));
        }
        let number = |name: &str| {
            let number = name.strip_prefix("sm_").and_then(|digits| digits.parse().ok());
            number.ok_or_else(|| format!("`{name}` is not an architecture such as `sm_90`"))
        };
        Ok(Self {
            release: numbers(release)?,
            version: numbers(version)?,
            target: target.to_owned(),
            architecture: if name.is_empty() { None } else { Some(number(name)?) },
            relocatable: options == "-c",
        })
    }
}

/// `8.8`
fn numbers(text: &str) -> Result<(u32, u32), String> {
    let parts = text.split_once('.').and_then(|(a, b)| Some((a.parse().ok()?, b.parse().ok()?)));
    parts.ok_or_else(|| format!("`{text}` is not a version such as `8.8`"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn circumstances_are_written_as_they_are_read() {
        for text in ["12.9:8.8:sm_50", "11.8:7.8:sm_50, texmode_independent", "12.9:8.8:sm_50:sm_90 -c"] {
            assert_eq!(text.parse::<Circumstance>().unwrap().to_string(), text);
        }
        for text in ["12.9", "12:8.8:sm_50", "12.9:8.8:sm_50:ninety", "12.9:8.8:sm_50:sm_50 -O3"] {
            assert!(text.parse::<Circumstance>().is_err(), "{text}");
        }
    }

    /// `.address_size` came with PTX 2.3.
    #[test]
    fn the_head_is_that_of_the_version() {
        let of = |text: &str| text.parse::<Circumstance>().unwrap().program("x");
        assert_eq!(of("12.9:2.2:sm_20"), ".version 2.2\n.target sm_20\nx");
        assert_eq!(of("12.9:2.3:sm_20"), ".version 2.3\n.target sm_20\n.address_size 64\nx");
    }
}
