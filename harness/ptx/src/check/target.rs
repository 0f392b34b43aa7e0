//! The directives `.version`, `.target` and `.address_size`: their place, known versions and architectures, and which fit together.

use super::{Checked, Checker, Dialect};
use crate::ast::Item;
use crate::source::Span;

/// Every target with the PTX version that introduced it (PTX ISA 11.1.2 and its release notes).
const TARGETS: &[(u32, u32)] = &[
    (10, 10),
    (11, 10),
    (12, 12),
    (13, 12),
    (20, 20),
    (21, 30),
    (30, 30),
    (32, 40),
    (35, 31),
    (37, 41),
    (50, 40),
    (52, 41),
    (53, 42),
    (60, 50),
    (61, 50),
    (62, 50),
    (70, 60),
    (72, 61),
    (75, 63),
    (80, 70),
    (86, 71),
    (87, 74),
    (88, 90),
    (89, 78),
    (90, 78),
    (100, 86),
    (101, 86),
    (103, 88),
    (110, 90),
    (120, 87),
    (121, 88),
];

/// Newest PTX ISA version that this project knows.
const NEWEST_VERSION: u32 = 95;

/// The newest `.version` that an assembler accepts.
fn newest_version(dialect: Dialect) -> u32 {
    match dialect {
        Dialect::Spec => NEWEST_VERSION,
        // CUDA 11.x: PTX 7.x; 12.0 is 8.0, 12.9 is 8.8 (12.6 brought none of its own); 13.0 is 9.0, 13.5 is 9.5.
        Dialect::Ptxas(11, minor) => 70 + minor.min(8),
        Dialect::Ptxas(12, minor) => 80 + if minor >= 6 { minor - 1 } else { minor },
        Dialect::Ptxas(13, minor) => 90 + minor.min(5),
        Dialect::Ptxas(..) => NEWEST_VERSION,
    }
}

impl Checker<'_> {
    /// Reads the directives that every module starts with.
    pub(super) fn header(&mut self) -> Checked<()> {
        let ast = self.ast;
        let version = self.version_directive();
        let _ = self.head_directives();
        let mut target = None;
        let mut address_size = None;
        for item in &ast.items {
            match item {
                Item::Target { words, span } if target.is_none() => {
                    target = Some(*span);
                    let _ = self.target_directive(words, *span);
                }
                Item::AddressSize { bits, span } if address_size.is_none() => {
                    address_size = Some(*bits);
                    if *bits != 32 && *bits != 64 {
                        let _ = self.fail_expected::<()>(
                            *span,
                            format!("address size of {bits} bits"),
                            "32 or 64",
                        );
                    } else {
                        let _ = self.gate(*span, "`.address_size`", 23, 10);
                    }
                    if *bits == 32 {
                        let _ = self.narrow_addresses(*span);
                    }
                }
                _ => {}
            }
        }
        if target.is_none() && version.is_ok() {
            return self.fail_expected(
                Span::default(),
                "module without `.target`",
                "`.target sm_…` after `.version`",
            );
        }
        if self.by_assembler() && self.rules.relocatable && self.version < 31 {
            let _ = self.fail_expected::<()>(
                Span::default(),
                "a relocatable object of a module this old",
                "`.version 3.1` or newer",
            );
        }
        // The text's default is 32; the assembler's is the machine's 64 when the directive is absent.
        let default = if self.by_assembler() { 64 } else { 32 };
        self.out.address_size = address_size.map_or(default, |bits| if bits == 32 { 32 } else { 64 });
        version
    }

    /// "Each PTX module must begin with a .version directive, and no other .version directive is allowed anywhere
    /// else", "immediately followed by a .target directive" (PTX ISA 11.1.1); `.address_size` "must immediately follow
    /// the .target directive" (11.1.3). By the specification, further `.target` directives may stand anywhere; as
    /// observed, the assembler requires them directly after the first.
    fn head_directives(&mut self) -> Checked<()> {
        let ast = self.ast;
        let mut targets = 0;
        for pair in ast.items.windows(2) {
            match (&pair[0], &pair[1]) {
                (_, Item::Version { span, .. }) => {
                    return self.fail_expected(
                        *span,
                        "`.version` here",
                        "one, at the beginning of the module",
                    );
                }
                (Item::Version { .. } | Item::Target { .. }, Item::Target { .. }) => targets += 1,
                (_, Item::Target { span, .. }) if targets == 0 || self.by_assembler() => {
                    return self.fail_expected(*span, "`.target` here", "`.target` behind `.version`");
                }
                (Item::Target { .. }, _) | (_, Item::Target { .. }) => {}
                (_, Item::AddressSize { span, .. }) => {
                    return self.fail_expected(
                        *span,
                        "`.address_size` here",
                        "`.address_size` behind `.target`",
                    );
                }
                _ => {}
            }
        }
        Ok(())
    }

    fn version_directive(&mut self) -> Checked<()> {
        let ast = self.ast;
        let Some(Item::Version { major, minor, span }) = ast.items.first() else {
            return self.fail_expected(
                Span::default(),
                "module does not start with `.version`",
                "`.version 8.8` or the like",
            );
        };
        let (major, minor, span) = (*major, *minor, *span);
        if major > 9 || minor > 9 {
            return self.fail(span, format!("no PTX version {major}.{minor}"));
        }
        self.version = major * 10 + minor;
        self.out.version = (major, minor);
        let newest = newest_version(self.rules.dialect);
        if self.version < 10 || self.version > newest {
            return self.fail_expected(
                span,
                format!("PTX version {major}.{minor} is not known"),
                format!("1.0 to {}.{}", newest / 10, newest % 10),
            );
        }
        match self.rules.max_version {
            Some(max) if (major, minor) > max => self.fail_expected(
                span,
                format!("PTX version {major}.{minor} is newer than allowed here"),
                format!("at most {}.{}", max.0, max.1),
            ),
            _ => Ok(()),
        }
    }

    fn target_directive(&mut self, words: &[Span], span: Span) -> Checked<()> {
        let Some(first) = words.first() else {
            return self.fail(span, "`.target` without a target");
        };
        let name = self.text_of(*first);
        let digits = name.strip_prefix("sm_").or_else(|| name.strip_prefix("compute_"));
        let number = digits.and_then(|digits| digits.trim_end_matches(['a', 'f']).parse::<u32>().ok());
        let Some((target, since)) = number.and_then(|n| TARGETS.iter().find(|(target, _)| *target == n))
        else {
            return self.fail_expected(
                *first,
                format!("unknown target `{name}`"),
                "a target such as `sm_90`, named first",
            );
        };
        self.out.target = *target;
        self.target_name = digits.unwrap_or_default();
        if self.version < *since {
            return self.fail_expected(
                *first,
                format!("`{name}` needs PTX {}.{}", since / 10, since % 10),
                format!("`.version {}.{}` or newer", since / 10, since % 10),
            );
        }
        if let Some(max) = self.rules.max_target.filter(|max| target > max) {
            return self.fail_expected(
                *first,
                format!("target `{name}` is newer than allowed here"),
                format!("at most sm_{max}"),
            );
        }
        self.target_options(&words[1..])
    }

    fn target_options(&mut self, words: &[Span]) -> Checked<()> {
        let mut unified = false;
        for word in words {
            match self.text_of(*word) {
                "texmode_unified" => unified = true,
                "texmode_independent" => self.out.texmode_independent = true,
                "debug" | "map_f64_to_f32" => {}
                other => {
                    return self.fail_expected(
                        *word,
                        format!("unknown target option `{other}`"),
                        "`texmode_unified`, `texmode_independent`, `debug` or `map_f64_to_f32`",
                    );
                }
            }
            if unified && self.out.texmode_independent {
                return self.fail(*word, "both texture modes at once");
            }
        }
        Ok(())
    }
}
