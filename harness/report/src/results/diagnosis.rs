//! A diagnosis as data, and in words.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use warpdiff_model::Deviation;
use warpdiff_session::diagnosis::{Diagnosis, Nearest, Reproduced, Told};
use warpdiff_session::pattern::Pattern;

use super::finding::{AppliedLine, DifferenceLine, applied};

/// What a target does instead of what the specification says, over the whole run: one for each cause.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct DiagnosisLine {
    /// In words, in one or several lines.
    pub words: String,
    /// Families of the instructions that it is about: `suld.b`. Empty if no instruction is known.
    pub families: Vec<String>,
    /// The variants that are wrong because of it.
    pub wrong: usize,
    /// The right variants with these instructions, none of which refutes what is named. With several families a variant may count twice.
    pub right: usize,
    /// The id of the first wrong variant.
    pub example: String,
    /// What reproduces everything that was observed of these instructions: each of these does, the likeliest first. Empty if nothing
    /// known does.
    pub reproduced_by: Vec<ReproducingLine>,
    /// Deviations that reproduce it as well and claim more of the target than one that is named.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub wider: Vec<String>,
    /// Why it was not checked against everything. Left out if it was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unchecked: Option<String>,
    /// Of deviations that a compiler applies in some programs: in how many. Left out for others.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub applied: Option<AppliedLine>,
    /// The cases that would tell the first of several explanations from the others.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub told_apart: Vec<ToldApartLine>,
    /// Where nothing reproduces it: the deviation that explains the most.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub nearest: Option<NearestLine>,
    /// Where nothing reproduces it: what the wrong rows have in common.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pattern: Option<PatternLine>,
}

/// Deviations that reproduce everything that was observed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ReproducingLine {
    /// One deviation, or several that do so only together.
    pub deviations: Vec<String>,
    /// Alternatives of choices that the target takes where it is wrong: `surface.straddle=bytes`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub choices: Vec<String>,
}

/// A case that would tell two explanations apart.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ToldApartLine {
    /// The deviations that the first explanation is to be told from.
    pub other: Vec<String>,
    /// The id of the variant, which the target did not answer in this run.
    pub variant: String,
}

/// A deviation that explains some of what is wrong.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct NearestLine {
    /// Its name.
    pub deviation: String,
    /// The wrong variants that it explains whole.
    pub explains: usize,
    /// The id of a variant that refutes it.
    pub refuting_variant: String,
    /// A difference that refutes it: `expected` and `defined` are the deviation's prediction.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub refuted_by: Option<DifferenceLine>,
}

/// What the wrong rows have in common and most right ones have not.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PatternLine {
    /// One clause, or two of which each wrong row fits one: their conditions.
    pub clauses: Vec<Vec<String>>,
    /// The wrong rows that were looked at; all fit a clause.
    pub wrong: usize,
    /// The right rows that were looked at.
    pub right: usize,
    /// Those of the right rows that fit a clause as well.
    pub right_alike: usize,
}

impl DiagnosisLine {
    /// The data of a diagnosis.
    pub fn new(diagnosis: &Diagnosis) -> Self {
        let Diagnosis { families, wrong, right, example, told } = diagnosis;
        let blank = Self {
            words: words(diagnosis),
            families: families.clone(),
            wrong: *wrong,
            right: *right,
            example: example.clone(),
            reproduced_by: Vec::new(),
            wider: Vec::new(),
            unchecked: None,
            applied: None,
            told_apart: Vec::new(),
            nearest: None,
            pattern: None,
        };
        match told {
            Told::Reproduced(told) => Self {
                reproduced_by: told
                    .by
                    .iter()
                    .map(|by| ReproducingLine { deviations: names(&by.deviations), choices: by.choices() })
                    .collect(),
                wider: names(&told.wider),
                unchecked: told.unchecked.clone(),
                applied: told.applied.as_ref().map(applied),
                told_apart: told
                    .told_apart
                    .iter()
                    .map(|it| ToldApartLine { other: names(&it.other), variant: it.variant.clone() })
                    .collect(),
                ..blank
            },
            Told::Unexplained(told) => Self {
                nearest: told.nearest.as_ref().map(NearestLine::new),
                pattern: told.pattern.as_ref().map(PatternLine::new),
                ..blank
            },
        }
    }

    /// Whether it says more than that nothing is known.
    pub fn tells(&self) -> bool {
        !self.reproduced_by.is_empty() || self.nearest.is_some() || self.pattern.is_some()
    }

    /// Adds the same diagnosis of another part of a run. `false` if it is another one.
    pub(super) fn add(&mut self, other: &Self) -> bool {
        let same = !self.reproduced_by.is_empty()
            && self.families == other.families
            && self.reproduced_by == other.reproduced_by
            && self.wider == other.wider
            && self.unchecked == other.unchecked
            && self.applied == other.applied;
        if same {
            // Only the words of a part with right variants have a place for their number.
            let of = if self.right == 0 { other } else { &*self };
            let words = of
                .words
                .replacen(
                    &counted(&of.families, of.wrong),
                    &counted(&self.families, self.wrong + other.wrong),
                    1,
                )
                .replacen(&agreeing(of.right), &agreeing(self.right + other.right), 1);
            let told_apart = of.told_apart.clone();
            (self.words, self.told_apart) = (words, told_apart);
            self.wrong += other.wrong;
            self.right += other.right;
        }
        same
    }
}

impl NearestLine {
    fn new(nearest: &Nearest) -> Self {
        Self {
            deviation: nearest.refuted.deviation.name().into(),
            explains: nearest.explains,
            refuting_variant: nearest.variant.clone(),
            refuted_by: nearest.refuted.example.as_deref().map(DifferenceLine::new),
        }
    }
}

impl PatternLine {
    fn new(pattern: &Pattern) -> Self {
        let Pattern { clauses, wrong, right, right_alike } = pattern;
        Self { clauses: clauses.clone(), wrong: *wrong, right: *right, right_alike: *right_alike }
    }
}

fn names(deviations: &[Deviation]) -> Vec<String> {
    deviations.iter().map(|deviation| deviation.name().into()).collect()
}

/// What a diagnosis is about: `suld.b, 37 wrong variants`.
fn counted(families: &[String], wrong: usize) -> String {
    let of = if families.is_empty() { "no known instruction".to_owned() } else { families.join(", ") };
    let variants = if wrong == 1 { "variant" } else { "variants" };
    format!("{of}, {wrong} wrong {variants}")
}

/// What the right variants say of it.
fn agreeing(right: usize) -> String {
    if right == 1 { "the right variant agrees".into() } else { format!("the {right} right variants agree") }
}

fn words(diagnosis: &Diagnosis) -> String {
    let subject = counted(&diagnosis.families, diagnosis.wrong);
    match &diagnosis.told {
        Told::Reproduced(told) => reproduced(&subject, diagnosis.right, told),
        Told::Unexplained(told) => {
            let mut lines = vec![format!("{subject}: nothing known reproduces everything observed")];
            if let Some(nearest) = &told.nearest {
                let explains = match nearest.explains {
                    0 => "explains some rows".to_owned(),
                    1 => "explains one variant".to_owned(),
                    some => format!("explains {some} variants"),
                };
                let name = nearest.refuted.deviation.name();
                let by = nearest.refuted_by();
                lines.push(format!("  the nearest is {name}, which {explains}; refuted by {by}"));
            }
            lines.extend(told.pattern.iter().map(|pattern| format!("  it differs {}", pattern.words())));
            lines.join("\n")
        }
    }
}

fn reproduced(subject: &str, right: usize, told: &Reproduced) -> String {
    // A sentence each, without its full stop.
    let sentence = |deviation: &Deviation| {
        format!("{} ({})", deviation.entry().sentence.trim_end_matches('.'), deviation.name())
    };
    let each: Vec<String> = told
        .by
        .iter()
        .map(|by| {
            let all: Vec<String> = by.deviations.iter().map(sentence).collect();
            let choices = by.choices();
            let with =
                if choices.is_empty() { String::new() } else { format!(", with {}", choices.join(", ")) };
            format!("{}{with}", all.join("; and "))
        })
        .collect();
    let mut lines = match each.as_slice() {
        [one] => vec![format!("{subject}: {one}")],
        several => {
            let mut lines = vec![format!("{subject}: each of these reproduces everything observed")];
            lines.extend(several.iter().map(|one| format!("  {one}")));
            lines
        }
    };
    if let Some(applied) = &told.applied {
        lines.push(format!("  {}", applied.words()));
    }
    if let Some(unchecked) = &told.unchecked {
        lines.push(format!("  {unchecked}"));
    } else if right > 0 && told.applied.is_none() {
        lines.push(format!("  {}", agreeing(right)));
    }
    if !told.wider.is_empty() {
        let (fits, claims) = if told.wider.len() == 1 { ("fits", "claims") } else { ("fit", "claim") };
        lines.push(format!("  {} {fits} as well, and {claims} more", names(&told.wider).join(", ")));
    }
    for it in &told.told_apart {
        lines.push(format!("  {} would tell it from {}", it.variant, names(&it.other).join(" and ")));
    }
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use warpdiff_model::Choice;
    use warpdiff_session::diagnosis::{Reproducing, ToldApart};

    use super::*;

    fn diagnosis(by: &[&[Deviation]], wider: &[Deviation], told_apart: Vec<ToldApart>) -> Diagnosis {
        let reproducing = |set: &&[Deviation]| Reproducing {
            deviations: set.to_vec(),
            choices: vec![(Choice::SurfaceStraddle, 1)],
        };
        Diagnosis {
            families: vec!["suld.b".into()],
            wrong: 37,
            right: 2,
            example: "a/b/c".into(),
            told: Told::Reproduced(Reproduced {
                by: by.iter().map(reproducing).collect(),
                wider: wider.to_vec(),
                unchecked: None,
                applied: None,
                told_apart,
            }),
        }
    }

    #[test]
    fn one_cause_is_said_with_what_is_wider_and_what_is_chosen() {
        let line = DiagnosisLine::new(&diagnosis(
            &[&[Deviation::SuldClampAsZero]],
            &[Deviation::SurfaceModeIgnored],
            Vec::new(),
        ));
        let words = "\
suld.b, 37 wrong variants: `suld` with `.clamp` loads zero out of bounds, as `.zero` does (suld.clamp-as-zero), with surface.straddle=bytes
  the 2 right variants agree
  surface.mode-ignored fits as well, and claims more";
        assert_eq!(line.words, words);
        assert_eq!(line.reproduced_by[0].choices, ["surface.straddle=bytes"]);
    }

    #[test]
    fn several_causes_are_told_apart_by_a_case() {
        let apart = ToldApart { other: vec![Deviation::SurfaceYWraps], variant: "suld/a/b".into() };
        let line = DiagnosisLine::new(&diagnosis(
            &[&[Deviation::SuldClampAsZero], &[Deviation::SurfaceYWraps]],
            &[],
            vec![apart],
        ));
        assert!(line.words.starts_with(
            "suld.b, 37 wrong variants: each of these reproduces everything observed\n  `suld`"
        ));
        assert!(line.words.ends_with("\n  suld/a/b would tell it from surface.y-wraps"), "{}", line.words);
    }

    #[test]
    fn parts_of_a_run_that_say_the_same_are_counted_together() {
        let mut one = DiagnosisLine::new(&diagnosis(&[&[Deviation::SuldClampAsZero]], &[], Vec::new()));
        let same = one.clone();
        assert!(one.add(&same));
        assert_eq!((one.wrong, one.right), (74, 4));
        assert!(one.words.starts_with("suld.b, 74 wrong variants: "), "{}", one.words);
        assert!(one.words.ends_with("\n  the 4 right variants agree"), "{}", one.words);
        // A part without right variants says nothing of them.
        let mut without = DiagnosisLine { right: 0, ..same.clone() };
        without.words = without.words.replace("\n  the 2 right variants agree", "");
        assert!(without.add(&same));
        assert_eq!((without.wrong, without.right), (74, 2));
        assert!(without.words.ends_with("\n  the 2 right variants agree"), "{}", without.words);
        let other = DiagnosisLine::new(&diagnosis(&[&[Deviation::SurfaceYWraps]], &[], Vec::new()));
        assert!(!one.add(&other));
    }
}
