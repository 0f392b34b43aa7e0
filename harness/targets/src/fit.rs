//! Lowers a program's `.version` and `.target` to what a device with its driver, or a compiler, takes. That is sound where the rewritten program is
//! still legal, and so uses nothing newer.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::ops::Range;

use warpdiff_ptx::ast::{self, Item};
use warpdiff_ptx::checked::Module;
use warpdiff_ptx::source::{Diagnostic, Span};
use warpdiff_ptx::{Rules, check, parse};

/// The newest programs that a device and its driver take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Taker {
    /// Compute capability as in `.target`: 90.
    pub(crate) target: u32,
    /// The newest PTX version that the driver compiles.
    pub(crate) version: (u32, u32),
}

impl Taker {
    /// For a device of this compute capability (90) with a driver of this CUDA version (12090).
    pub(crate) fn new(capability: u32, driver: u32) -> Self {
        Self { target: capability, version: newest_version(driver) }
    }

    /// From the facts of a device, `sm` and `cuda`; `None` if one is missing.
    pub(crate) fn of_facts(facts: &BTreeMap<String, String>) -> Option<Self> {
        let (major, minor) = facts.get("cuda")?.split_once('.')?;
        let driver = 1000 * major.parse::<u32>().ok()? + 10 * minor.parse::<u32>().ok()?;
        Some(Self::new(facts.get("sm")?.parse().ok()?, driver))
    }
}

/// A program rewritten for the device.
#[derive(Debug)]
pub(crate) struct Fitted<'a> {
    pub(crate) text: Cow<'a, str>,
    /// The checked program; `None` if warpdiff's front end does not know all of it, and so cannot check it.
    pub(crate) module: Option<Module>,
    /// The target that the program names, if it is lowered to an older one.
    pub(crate) lowered_from: Option<u32>,
    /// Whether the driver's linker must finish it: ptxas refuses `.unified` in a whole program, and so may the driver's compiler.
    pub(crate) linked: bool,
}

/// The newest PTX version that a driver compiles, by its CUDA version (12090 is 12.9) and the release notes in the PTX manual. A
/// driver newer than that table takes at least its last entry.
fn newest_version(driver: u32) -> (u32, u32) {
    match (driver / 1000, driver % 1000 / 10) {
        (..=10, _) => (6, 0),
        (11, minor) => (7, minor.min(8)),
        // 12.6 brought no version of its own.
        (12, minor) => (8, if minor >= 6 { minor - 1 } else { minor }.min(8)),
        (13, minor) => (9, minor.min(5)),
        (14.., _) => (9, 5),
    }
}

/// Rewrites a program for the device.
///
/// # Errors
/// Why the device cannot take it, as a lowercase fragment.
pub(crate) fn fit(text: &str, taker: Taker) -> Result<Fitted<'_>, String> {
    let tree = parse(text).map_err(|found| words(&found))?;
    let linked = tree.speaks_of_unified();
    let changes = changes(text, &tree, taker)?;
    let module = match check(text, &tree, &Rules::TO_RUN) {
        Ok(module) => module,
        // The target may know what warpdiff does not, as long as nothing has to be rewritten.
        Err(found) if changes.is_empty() && found.iter().all(|diagnostic| diagnostic.unsupported) => {
            return Ok(Fitted { text: Cow::Borrowed(text), module: None, lowered_from: None, linked });
        }
        Err(found) => return Err(words(&found)),
    };
    if changes.is_empty() {
        return Ok(Fitted { text: Cow::Borrowed(text), module: Some(module), lowered_from: None, linked });
    }
    let lowered_from = Some(module.target).filter(|named| *named > taker.target);
    let mut rewritten = text.to_string();
    // From the end, so that the places before stay where they are.
    for (place, instead) in changes.into_iter().rev() {
        rewritten.replace_range(place, &instead);
    }
    let rules = Rules { max_version: Some(taker.version), max_target: Some(taker.target), ..Rules::TO_RUN };
    let Taker { target, version: (major, minor) } = taker;
    let module = warpdiff_ptx::compile(&rewritten, &rules).map_err(|found| {
        format!("the target takes at most sm_{target} and PTX {major}.{minor}: {}", words(&found))
    })?;
    Ok(Fitted { text: Cow::Owned(rewritten), module: Some(module), lowered_from, linked })
}

/// The replacements, in the order of the text.
fn changes(text: &str, tree: &ast::Module, taker: Taker) -> Result<Vec<(Range<usize>, String)>, String> {
    let mut changes = Vec::new();
    for item in &tree.items {
        match item {
            Item::Version { major, minor, span } if (*major, *minor) > taker.version => {
                let (major, minor) = taker.version;
                changes.push((range(*span), format!(".version {major}.{minor}")));
            }
            Item::Target { words, .. } => {
                let Some(word) = words.first() else { continue };
                let name = text.get(range(*word)).unwrap_or_default();
                changes.extend(target(name, taker.target)?.map(|instead| (range(*word), instead)));
            }
            _ => {}
        }
    }
    Ok(changes)
}

/// The replacement of a target, if it needs one.
fn target(name: &str, device: u32) -> Result<Option<String>, String> {
    let digits = name.trim_start_matches(|c: char| !c.is_ascii_digit());
    let special = digits.trim_start_matches(|c: char| c.is_ascii_digit());
    let number = digits.strip_suffix(special).and_then(|digits| digits.parse::<u32>().ok());
    match number {
        // "sm_90a": code for exactly one architecture, compatible with no other.
        Some(number) if !special.is_empty() && number != device => {
            Err(format!("a program for {name} does not run on sm_{device}"))
        }
        Some(number) if number > device => Ok(Some(format!("sm_{device}"))),
        _ => Ok(None),
    }
}

fn range(span: Span) -> Range<usize> {
    span.start as usize..span.end as usize
}

fn words(found: &[Diagnostic]) -> String {
    found.iter().map(|diagnostic| diagnostic.message.as_str()).collect::<Vec<_>>().join("; ")
}

#[cfg(test)]
mod tests {
    use super::*;

    const H200: Taker = Taker { target: 90, version: (8, 8) };

    fn program(version: &str, target: &str, body: &str) -> String {
        format!(
            "// .version 9.9 is no version\n.version {version}\n.target {target}\n.address_size 64\n.visible .entry k() {{ .reg .b32 %r<3>; {body} ret; }}\n"
        )
    }

    #[test]
    fn what_a_device_takes_is_in_its_facts() {
        let facts = |all: &[(&str, &str)]| {
            all.iter().map(|(name, fact)| ((*name).to_owned(), (*fact).to_owned())).collect()
        };
        assert_eq!(Taker::of_facts(&facts(&[("sm", "90"), ("cuda", "12.9")])), Some(H200));
        assert_eq!(Taker::of_facts(&facts(&[("sm", "90")])), None);
        assert_eq!(Taker::of_facts(&facts(&[("sm", "?"), ("cuda", "12.9")])), None);
    }

    #[test]
    fn what_the_device_takes_is_left_alone() {
        let text = program("8.0", "sm_50", "");
        let fitted = fit(&text, H200).unwrap();
        assert!(matches!(fitted.text, Cow::Borrowed(same) if same == text));
    }

    #[test]
    fn a_program_that_uses_nothing_newer_is_written_down() {
        let old = Taker { target: 61, version: (7, 0) };
        let text = program("8.0", "sm_90", "mov.u32 %r1, 1;");
        assert_eq!(fit(&text, old).unwrap().text, program("7.0", "sm_61", "mov.u32 %r1, 1;"));
    }

    #[test]
    fn a_program_that_needs_more_is_not() {
        // PTX manual, redux.sync: "requires sm_80 or higher", "introduced in PTX ISA version 7.0".
        let text = program("7.0", "sm_80", "redux.sync.add.s32 %r1, %r2, 0xffffffff;");
        assert!(fit(&text, H200).is_ok());
        let why = fit(&text, Taker { target: 75, ..H200 }).unwrap_err();
        assert!(why.starts_with("the target takes at most sm_75 and PTX 8.8: "), "{why}");
        assert!(fit(&text, Taker { version: (6, 5), ..H200 }).is_err());
    }

    /// `vadd4` is an instruction of PTX 3.0 and sm_30 that warpdiff's front end does not know.
    #[test]
    fn what_warpdiff_does_not_know_is_left_to_the_target_as_it_stands() {
        let text = program("8.0", "sm_50", "vadd4.u32.u32.u32 %r1, %r1, %r1, %r1;");
        let fitted = fit(&text, H200).unwrap();
        assert!(matches!(fitted.text, Cow::Borrowed(same) if same == text) && fitted.module.is_none());
        // Rewritten it could no longer be legal, and nobody would know.
        assert!(fit(&text, Taker { version: (7, 0), ..H200 }).unwrap_err().contains("vadd4"));
        let wrong = program("8.0", "sm_50", "vadd4.u32.u32.u32 %r1, %r1, %r1, %r1; addd.u32 %r1, %r1, %r1;");
        assert!(fit(&wrong, H200).is_err());
    }

    /// Whole programs go to the driver's compiler, and what ptxas takes in relocatable objects alone to its linker.
    #[test]
    fn a_linker_is_asked_for_unified_alone() {
        let linked = |body: &str| fit(&program("8.0", "sm_90", body), H200).unwrap().linked;
        assert!(!linked("// .unified\n"));
        assert!(linked("{ .reg .u64 %p; ld.global.u32 %r1, [%p].unified; }"));
    }

    #[test]
    fn code_for_one_architecture_runs_there_only() {
        assert_eq!(target("sm_90a", 90), Ok(None));
        assert_eq!(target("sm_90a", 100), Err("a program for sm_90a does not run on sm_100".into()));
        assert_eq!(target("sm_90", 100), Ok(None));
        assert_eq!(target("sm_100", 90), Ok(Some("sm_90".into())));
    }

    #[test]
    fn drivers_and_the_versions_they_compile() {
        // Release notes of the PTX manual: CUDA 11.8 is 7.8, 12.0 is 8.0, 12.5 and 12.6 are 8.5, 12.9 is 8.8, 13.0 is 9.0.
        let known = [
            (11080, (7, 8)),
            (12000, (8, 0)),
            (12050, (8, 5)),
            (12060, (8, 5)),
            (12090, (8, 8)),
            (13000, (9, 0)),
        ];
        for (driver, version) in known {
            assert_eq!(newest_version(driver), version, "{driver}");
        }
    }
}
