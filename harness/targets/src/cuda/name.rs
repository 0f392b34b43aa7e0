//! What `--against cuda…` names.

use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;

/// A device behind a driver library.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CudaName {
    /// The device's number.
    pub ordinal: u32,
    /// Optimisation level of the driver's compiler, 0 to 4; its own default where none is named.
    pub level: Option<u8>,
    /// The library; the installed one where none is named.
    pub library: Option<PathBuf>,
}

const EXPECTED: &str = "expected `cuda[:ORDINAL][+O0…+O4][@LIBRARY]`, as in `cuda:1+O0@/opt/lib/libcuda.so`";

impl CudaName {
    /// Reads what a target is called; `None` if the words are of another kind of target.
    ///
    /// # Errors
    /// What is wrong with it, as a lowercase fragment.
    pub fn read(text: &str) -> Option<Result<Self, String>> {
        let rest = text.strip_prefix("cuda")?;
        let (rest, library) = rest.split_once('@').map_or((rest, None), |(rest, path)| (rest, Some(path)));
        let (rest, level) = rest.split_once('+').map_or((rest, None), |(rest, level)| (rest, Some(level)));
        let ordinal = match rest {
            "" => None,
            rest => Some(rest.strip_prefix(':')?),
        };
        Some(Self::of_parts(ordinal, level, library))
    }

    fn of_parts(ordinal: Option<&str>, level: Option<&str>, library: Option<&str>) -> Result<Self, String> {
        let ordinal = ordinal.map_or(Ok(0), str::parse);
        let ordinal = ordinal.map_err(|_| format!("the device ordinal is not a number: {EXPECTED}"))?;
        let level = match level.map(str::as_bytes) {
            None => None,
            Some([b'O', digit @ b'0'..=b'4']) => Some(digit - b'0'),
            Some(_) => return Err(format!("unknown optimisation level: {EXPECTED}")),
        };
        if library.is_some_and(str::is_empty) {
            return Err(format!("the library is missing: {EXPECTED}"));
        }
        Ok(Self { ordinal, level, library: library.map(PathBuf::from) })
    }
}

impl FromStr for CudaName {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        Self::read(text).unwrap_or_else(|| Err(format!("not a CUDA target: {EXPECTED}")))
    }
}

impl fmt::Display for CudaName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("cuda")?;
        if self.ordinal != 0 {
            write!(f, ":{}", self.ordinal)?;
        }
        if let Some(level) = self.level {
            write!(f, "+O{level}")?;
        }
        match &self.library {
            Some(library) => write!(f, "@{}", library.display()),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_part_may_be_left_out() {
        let name = |ordinal, level, library: Option<&str>| CudaName {
            ordinal,
            level,
            library: library.map(PathBuf::from),
        };
        let known = [
            ("cuda", name(0, None, None)),
            ("cuda:1", name(1, None, None)),
            ("cuda+O0", name(0, Some(0), None)),
            ("cuda@/opt/libcuda.so", name(0, None, Some("/opt/libcuda.so"))),
            // A path may hold anything, `+`, `:` and `@` included.
            ("cuda:3+O4@a+b:c@d.so", name(3, Some(4), Some("a+b:c@d.so"))),
        ];
        for (text, name) in known {
            assert_eq!(text.parse(), Ok(name.clone()));
            assert_eq!(name.to_string(), text);
        }
        assert_eq!("cuda:0".parse(), Ok(CudaName::default()));
    }

    #[test]
    fn mistakes_are_named() {
        let wrong = |text: &str| text.parse::<CudaName>().unwrap_err();
        assert!(wrong("cuda:x").starts_with("the device ordinal is not a number"));
        assert!(wrong("cuda:").starts_with("the device ordinal is not a number"));
        assert!(wrong("cuda+O5").starts_with("unknown optimisation level"));
        assert!(wrong("cuda+fast").starts_with("unknown optimisation level"));
        assert!(wrong("cuda@").starts_with("the library is missing"));
        assert_eq!(CudaName::read("cudax"), None);
        assert_eq!(CudaName::read("emulator"), None);
    }
}
