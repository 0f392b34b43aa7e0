//! Reads `--against compiled…`.

use std::fmt;
use std::path::PathBuf;

/// An optimisation level of ptxas.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Level(u8);

impl Level {
    /// All of them.
    pub const ALL: [Level; 4] = [Level(0), Level(1), Level(2), Level(3)];

    /// The level of that name, `O0` to `O3`.
    pub fn from_name(name: &str) -> Option<Level> {
        Level::ALL.into_iter().find(|level| level.to_string() == name)
    }

    /// Its number.
    pub const fn number(self) -> usize {
        self.0 as usize
    }

    /// The option for ptxas: `-O3`.
    pub fn option(self) -> String {
        format!("-{self}")
    }
}

impl Default for Level {
    /// The default of ptxas.
    fn default() -> Self {
        Level(3)
    }
}

impl fmt::Display for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "O{}", self.0)
    }
}

/// A compiler and its optimisation level.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CompiledName {
    /// Path of ptxas; `None` for the kept machine code, and for what is not kept the installed ptxas.
    pub path: Option<PathBuf>,
    /// The level; `None` for the default.
    pub level: Option<Level>,
}

const EXPECTED: &str = "expected `compiled[:PTXAS][+O0…+O3]`, as in `compiled:/opt/bin/ptxas+O0`";

impl CompiledName {
    /// Reads the name of a target; `None` for another kind of target.
    ///
    /// # Errors
    /// The malformed part, as a lowercase fragment.
    pub fn read(text: &str) -> Option<Result<Self, String>> {
        let rest = text.strip_prefix("compiled")?;
        let (path, level) = rest.rsplit_once('+').map_or((rest, None), |(path, level)| (path, Some(level)));
        let path = match path {
            "" => None,
            path => Some(path.strip_prefix(':')?),
        };
        Some(Self::of_parts(path, level))
    }

    fn of_parts(path: Option<&str>, level: Option<&str>) -> Result<Self, String> {
        if path.is_some_and(str::is_empty) {
            return Err(format!("the path of ptxas is missing: {EXPECTED}"));
        }
        let unknown = || format!("unknown optimisation level: {EXPECTED}");
        let level = level.map(|level| Level::from_name(level).ok_or_else(unknown)).transpose()?;
        Ok(Self { path: path.map(PathBuf::from), level })
    }
}

impl fmt::Display for CompiledName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("compiled")?;
        if let Some(path) = &self.path {
            write!(f, ":{}", path.display())?;
        }
        self.level.map_or(Ok(()), |level| write!(f, "+{level}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_compiler_and_its_level_are_read() {
        for name in ["compiled", "compiled+O0", "compiled:/opt/ptxas", "compiled:/opt/c++/ptxas+O2"] {
            assert_eq!(CompiledName::read(name).unwrap().unwrap().to_string(), name);
        }
        let name = CompiledName::read("compiled:a+O1").unwrap().unwrap();
        assert_eq!((name.path, name.level), (Some("a".into()), Some(Level(1))));
        assert_eq!(CompiledName::read("compilers"), None);
        assert_eq!(CompiledName::read("ptxas"), None);
    }

    #[test]
    fn what_is_malformed_is_named() {
        let wrong = |text| CompiledName::read(text).unwrap().unwrap_err();
        assert!(wrong("compiled+O4").starts_with("unknown optimisation level: expected"));
        assert!(wrong("compiled:").starts_with("the path of ptxas is missing"));
    }
}
