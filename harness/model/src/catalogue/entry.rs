//! The facts that the catalogue states about each deviation: origin, requirements, patterns.

use std::fmt;

use super::deviation::Deviation;
use crate::MismatchClass;

/// All facts about one deviation. Code that needs a further fact about deviations adds a field here.
#[derive(Clone, Copy, Debug)]
pub struct Entry {
    /// The deviation that the entry describes.
    pub deviation: Deviation,
    /// Its id, which is its name on the command line: `suld.clamp-as-zero`.
    pub name: &'static str,
    /// The family that it is listed under: `surface`.
    pub family: &'static str,
    /// One sentence, in Markdown, that describes the behaviour of an implementation with it.
    pub sentence: &'static str,
    /// The class of the mismatches that it causes.
    pub class: MismatchClass,
    /// The implementations or readings that it is known or likely to come from; at least one.
    pub origins: &'static [Origin],
    /// Ids of the requirements that an implementation with it violates. Empty only where [`Self::permitted_by`] names one.
    pub breaks: &'static [&'static str],
    /// The requirement that leaves the behaviour open, if a target with the deviation conforms all the same.
    pub permitted_by: Option<&'static str>,
    /// Patterns of the instructions, or of the addresses in initial values, that can show it. A program that matches none of them
    /// behaves the same with the deviation and without. `docs/deviations.md` describes the patterns.
    pub shown_by: &'static [&'static str],
    /// Whether the emulator can have it. If not, it concerns only what an assembler accepts, or its layout of variables.
    pub runs: bool,
    /// The reason why no generated program shows it, or none shows it by itself, if that is so.
    pub not_generated: Option<&'static str>,
    /// Whether a compiler applies it where it sees fit, as an optimiser does: a program that it left alone refutes nothing, and two such
    /// deviations may meet in one program.
    pub optional: bool,
    /// Both views in words, if ptxas and the specification disagree about declarations. The checker notes such a deviation where a
    /// program shows it, and the layout then follows ptxas.
    pub contrast: Option<Contrast>,
}

/// The rule of the specification for declarations, and the different behaviour of ptxas.
#[derive(Clone, Copy, Debug)]
pub struct Contrast {
    /// The rule of the specification, with its section.
    pub specification: &'static str,
    /// The behaviour of the assembler, as a sentence without its subject (ptxas 11.8 to 13.5 alike, unless it says otherwise).
    pub assembler: &'static str,
    /// A declaration that shows it.
    pub example: &'static str,
}

/// The origin of a deviation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// A plausible wrong reading of the specification.
    Reading,
    /// NVIDIA's assembler makes this of a program.
    Ptxas,
    /// The code that ptxas 11.8 generates for Kepler, the last chip for which it writes surface addressing as instructions.
    Kepler,
    /// A project has or had this behaviour: its name, with the issue, the commit or the place in its code.
    Project(&'static str),
}

impl Origin {
    /// The kind in one word: `reading`, `ptxas`, `kepler`, `project`.
    pub fn kind(self) -> &'static str {
        match self {
            Self::Reading => "reading",
            Self::Ptxas => "ptxas",
            Self::Kepler => "kepler",
            Self::Project(_) => "project",
        }
    }
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Reading => "a reading",
            Self::Ptxas => "ptxas 12.9",
            Self::Kepler => "Kepler as compiled by ptxas 11.8",
            Self::Project(source) => source,
        })
    }
}

impl Entry {
    /// Whether a compiler makes this of programs, so that a target can have it whose programs went through ptxas.
    pub fn is_of_a_compiler(&self) -> bool {
        self.origins.contains(&Origin::Ptxas)
    }

    /// What an entry says where its declaration does not.
    pub(super) const BLANK: Self = Self {
        deviation: Deviation(0),
        name: "",
        family: "",
        sentence: "",
        class: MismatchClass::Value,
        origins: &[],
        breaks: &[],
        permitted_by: None,
        shown_by: &[],
        runs: true,
        not_generated: None,
        optional: false,
        contrast: None,
    };
}

/// Declares a family of deviations: `family! { "atomics", from super::surface::END; … }`, where the number is that of its first
/// deviation: the end of the family before it.
///
/// Each entry is a doc comment, which is its sentence; the name of its constant, its id; what it `is` a matter of; and the lists
/// `origin`, `breaks` and `shown_by`. Further fields of [`Entry`] may follow.
macro_rules! family {
    ($family:literal, from $first:expr; $(
        $(#[doc = $sentence:literal])+
        $constant:ident = $name:literal {
            is: $class:ident,
            origin: [$($origin:expr),+ $(,)?],
            breaks: [$($broken:literal),* $(,)?],
            shown_by: [$($pattern:literal),+ $(,)?],
            $($field:ident: $value:expr,)*
        }
    )+) => {
        const FIRST: u16 = $first;

        /// The number behind that of the last deviation of this family.
        pub(super) const END: u16 = FIRST + Ordinal::End as u16;

        enum Ordinal { $($constant,)+ End }

        #[expect(non_upper_case_globals, reason = "they are used as the variants of an enum are")]
        impl Deviation {
            $($(#[doc = $sentence])+ pub const $constant: Self = Self(FIRST + Ordinal::$constant as u16);)+
        }

        /// The entries of this family, in the order of their numbers.
        pub(super) const ENTRIES: &[Entry] = &[$(Entry {
            deviation: Deviation::$constant,
            name: $name,
            family: $family,
            sentence: concat!($($sentence),+).trim_ascii(),
            class: MismatchClass::$class,
            origins: &[$($origin),+],
            breaks: &[$($broken),*],
            shown_by: &[$($pattern),+],
            $($field: $value,)*
            ..Entry::BLANK
        }),+];
    };
}
pub(super) use family;
