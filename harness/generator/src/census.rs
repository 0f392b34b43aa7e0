//! Which forms generated programs have, and how often: every form that the front end's tables have and the reference runs is counted from zero.

use std::collections::BTreeMap;

use warpdiff_ptx::ast::WordKind;
use warpdiff_ptx::checked::Subject;
use warpdiff_ptx::forms::{forms_to_run, needed_target};
use warpdiff_ptx::vocabulary::Opcode;

use crate::NEWEST_TARGET;
use crate::forms::{choices, left_out, text};
use crate::memory::is_of_caches;
use crate::part::{EachOpcode, Guard};
use crate::spa::{forms as spa_forms, names_of};
use crate::specimen::{Language, Shape, Specimen};
use crate::{body, call, memory, moves, surface, texture, video};

/// How much less often than half of its family a form that is starved occurs.
const STARVED: u64 = 16;

/// The number of steps by their form.
///
/// A form is an opcode with its words, the types in their order. Cache operators and hints change nothing that a program sees, so an opcode
/// with one of them is a form by itself, and forms that differ in them alone are one. In the same way each part that an operand of a video
/// instruction can be is a form by itself, and its minus sign.
#[derive(Clone, Debug)]
pub struct Census {
    forms: BTreeMap<String, Counted>,
    /// Opcodes of steps that are no form of the tables.
    strangers: BTreeMap<String, u64>,
    steps: u64,
}

/// A form, counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Counted {
    /// Steps that have it.
    pub steps: u64,
    /// Why none is to be expected.
    pub left_out: Option<&'static str>,
    /// Its family: the subject of its table.
    pub family: &'static str,
}

impl Default for Census {
    fn default() -> Self {
        Self::up_to(NEWEST_TARGET)
    }
}

impl Census {
    /// With the forms that a target has, by its number.
    pub fn up_to(target: u32) -> Self {
        let mut forms: BTreeMap<String, Counted> = BTreeMap::new();
        for (opcode, row) in forms_to_run() {
            let left_out = reason(opcode, row.subject).or_else(|| match row.subject {
                Subject::Memory | Subject::Surface | Subject::Texture | Subject::Warp => None,
                Subject::Control => control_left_out(opcode),
                _ if opcode == Opcode::Mov => None,
                _ => left_out(opcode, row),
            });
            let parts = if row.subject == Subject::Video { video::possible(opcode, row) } else { Vec::new() };
            let of_video = Counted { steps: 0, left_out, family: family(row.subject) };
            forms.extend(parts.into_iter().map(|name| (name, of_video)));
            for words in choices(row) {
                let is_newer = needed_target(opcode, row, &words) > target;
                let newer = is_newer.then_some("it needs a newer architecture");
                let left_out = left_out.or(newer).or_else(|| match row.subject {
                    Subject::Memory => memory::left_out(opcode, row, &words),
                    Subject::Surface => surface::left_out(&words),
                    Subject::Texture => texture::left_out(&words),
                    _ if opcode == Opcode::Mov => moves::left_out(&words),
                    _ => None,
                });
                for name in names(opcode, &words) {
                    // The same form of another row may be generated.
                    let counted = forms.entry(name).or_insert(Counted {
                        steps: 0,
                        left_out,
                        family: family(row.subject),
                    });
                    counted.left_out = counted.left_out.and(left_out);
                }
            }
        }
        Self { forms, strangers: BTreeMap::new(), steps: 0 }
    }

    /// With the forms of the machine code of SPA 5.0: the rows of the assembler's table by what their operands are, and for each instruction
    /// the values of its modifiers and the marks of its operands.
    pub fn of_spa() -> Self {
        Self { forms: spa_forms().clone(), strangers: BTreeMap::new(), steps: 0 }
    }

    /// Counts the steps of a specimen.
    pub fn count(&mut self, specimen: &Specimen) {
        if matches!(specimen.language, Language::Spa { .. }) {
            self.steps += specimen.steps.len() as u64;
            names_of(specimen).into_iter().for_each(|name| self.count_name(name));
            return;
        }
        for step in &specimen.steps {
            self.steps += 1;
            self.count_opcode(&step.opcode);
            if let Shape::Video(operands) = &step.shape {
                video::counted(&step.opcode, operands).into_iter().for_each(|name| self.count_name(name));
            }
        }
        for opcode in around(specimen) {
            self.count_opcode(opcode);
        }
    }

    fn count_opcode(&mut self, opcode_text: &str) {
        let mut words = opcode_text.split('.');
        let opcode = words.next().and_then(Opcode::from_text);
        let words: Vec<WordKind> = words.map(WordKind::from_text).collect();
        let names = opcode.map(|opcode| names(opcode, &words)).unwrap_or_default();
        let mut is_known = !names.is_empty();
        for name in names {
            match self.forms.get_mut(&name) {
                Some(counted) => counted.steps += 1,
                None => is_known = false,
            }
        }
        if !is_known {
            *self.strangers.entry(opcode_text.to_owned()).or_default() += 1;
        }
    }

    fn count_name(&mut self, name: String) {
        match self.forms.get_mut(&name) {
            Some(counted) => counted.steps += 1,
            None => *self.strangers.entry(name).or_default() += 1,
        }
    }

    /// Adds the counts of another one.
    pub fn add(&mut self, other: &Census) {
        for (name, counted) in &other.forms {
            if let Some(ours) = self.forms.get_mut(name) {
                ours.steps += counted.steps;
            }
        }
        for (opcode, steps) in &other.strangers {
            *self.strangers.entry(opcode.clone()).or_default() += steps;
        }
        self.steps += other.steps;
    }

    /// Every form in the order of its name.
    pub fn forms(&self) -> impl Iterator<Item = (&str, Counted)> {
        self.forms.iter().map(|(name, counted)| (name.as_str(), *counted))
    }

    /// The forms that are starved, with their families: they occur less than a sixteenth as often as half of their family does, and in less than one of a thousand of so many
    /// programs.
    pub fn starved(&self, programs: u64) -> Vec<(&str, Counted)> {
        let mut families: BTreeMap<&str, Vec<u64>> = BTreeMap::new();
        let generated = || self.forms().filter(|(_, counted)| counted.left_out.is_none());
        for (_, counted) in generated() {
            families.entry(counted.family).or_default().push(counted.steps);
        }
        families.values_mut().for_each(|steps| steps.sort_unstable());
        let median = |family: &str| families[family][families[family].len() / 2];
        let is_starved = |counted: Counted| {
            counted.steps * STARVED < median(counted.family) && counted.steps * 1000 < programs
        };
        generated().filter(|(_, counted)| is_starved(*counted)).collect()
    }

    /// Opcodes of steps that are no form of the tables, with their counts: a defect of the generator or of the tables.
    pub fn strangers(&self) -> impl Iterator<Item = (&str, u64)> {
        self.strangers.iter().map(|(opcode, steps)| (opcode.as_str(), *steps))
    }

    /// All steps.
    pub fn steps(&self) -> u64 {
        self.steps
    }
}

/// The names of the forms of an instruction: of its words without cache operators and hints, and one more for each of those.
fn names(opcode: Opcode, words: &[WordKind]) -> Vec<String> {
    let is_cached = |word: &&WordKind| is_of_caches(**word);
    // The order of words other than types is free in the assembler; the order of types counts.
    let mut others: Vec<WordKind> =
        words.iter().filter(|word| !matches!(word, WordKind::Type(_)) && !is_cached(word)).copied().collect();
    others.sort_by_key(|word| word.text());
    let types = words.iter().filter(|word| matches!(word, WordKind::Type(_)));
    let all: Vec<WordKind> = others.iter().chain(types).copied().collect();
    let cached = words.iter().filter(is_cached).map(|word| text(opcode, &[*word]));
    std::iter::once(text(opcode, &all)).chain(cached).collect()
}

/// Why no step is of an opcode that accesses memory or an opaque object.
fn reason(opcode: Opcode, subject: Subject) -> Option<&'static str> {
    use Opcode::{Cvta, Fence, Isspacep, Membar, Prefetch, Prefetchu};
    match (opcode, subject) {
        (Fence | Membar | Prefetch | Prefetchu, _) => {
            Some("shows nothing in a program of independent threads")
        }
        (Cvta | Isspacep, _) => Some("its result is an address, or depends on one"),
        _ => None,
    }
}

/// Why no step is of an opcode of control flow.
fn control_left_out(opcode: Opcode) -> Option<&'static str> {
    match opcode {
        Opcode::Trap => Some("ends the program: only programs of the mix `one-fault` have it"),
        Opcode::Brkpt | Opcode::Pmevent => Some("is seen by debuggers alone"),
        _ => None,
    }
}

/// The name of a table of forms.
fn family(subject: Subject) -> &'static str {
    match subject {
        Subject::Integer => "integers",
        Subject::Video => "video",
        Subject::Logic => "logic",
        Subject::Comparison => "comparison",
        Subject::Float => "floating point",
        Subject::Conversion => "moves, conversion",
        Subject::Memory => "memory",
        Subject::Control => "control flow",
        Subject::Warp => "among threads",
        Subject::Surface => "surfaces",
        Subject::Texture => "textures",
    }
}

/// The branches around the blocks of a specimen, and the ends of its functions and of the kernel.
fn around(specimen: &Specimen) -> Vec<&'static str> {
    let mut found = Vec::new();
    if specimen.language == Language::Ptx {
        let take = |guard: Option<Guard>, opcode: &str| {
            let branches = ["bra", "bra.uni", "brx.idx", "brx.idx.uni"];
            // One with a guard is a step.
            let end = (opcode == "ret" && guard.is_none()).then_some("ret");
            found.extend(branches.into_iter().find(|known| *known == opcode).or(end));
        };
        body::instructions(specimen, &mut EachOpcode(take));
    }
    let calls = specimen.steps.iter().enumerate().filter(|(_, step)| matches!(step.shape, Shape::Call(_)));
    found.extend(calls.map(|(index, _)| call::end(index)));
    found
}
