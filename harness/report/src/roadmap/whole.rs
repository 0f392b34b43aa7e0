//! The roadmap as a whole: which features a target has by what it answers, and the steps to the others.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;
use warpdiff_judge::features::feature::{Feature, FeatureKind};
use warpdiff_judge::verdict_table::Raw;

use super::order;

/// A variant with what it needs.
#[derive(Clone, Debug)]
pub struct Asked<'a> {
    /// Its id.
    pub id: &'a str,
    /// Its features.
    pub features: BTreeSet<Feature>,
    /// Whether the target answers it.
    pub standing: Standing,
}

/// Whether a target answers a variant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Standing {
    /// There is no target, or it does not support the variant.
    Missing,
    /// The same, for the reason that the target states.
    Unsupported(String),
    /// It ran the variant, rightly or wrongly: it has all features.
    Answered,
    /// It did not come back, as the case demands. So does a target that hangs on everything: it runs the variant only if what it answers otherwise shows
    /// each of its features.
    Hung,
    /// It broke on the variant, or did not run it; so nothing is known of its features. Why, in one word.
    Open(&'static str),
}

/// Variants that are in no roadmap, by the reason.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct LeftOut {
    /// Their programs are in the other language.
    pub other_language: usize,
    /// Assemblers answer them, nobody else.
    pub legality: usize,
    /// The reference cannot read their programs.
    pub unread: usize,
}

/// A feature with the number of variants that need it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct UsedFeature {
    /// Its name.
    pub name: String,
    /// Its kind.
    pub kind: FeatureKind,
    /// Variants that need it.
    pub used_by: usize,
    /// Whether the target has it: it answers a variant that needs it.
    pub there: bool,
}

/// A step of the roadmap.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Step {
    /// The features that it adds, those that most variants need first.
    pub features: Vec<UsedFeature>,
    /// The ids of the variants that it unlocks, in the order of the corpus.
    pub unlocks: Vec<String>,
    /// The number of variants that the target answers after it.
    pub in_all: usize,
}

/// A variant that the target does not support although it answers others with each of its features.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Unexplained {
    /// Its id.
    pub variant: String,
    /// What the target says.
    pub reason: String,
}

/// The roadmap. Written as JSON, its keys are what other programs read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Roadmap {
    /// The language of the programs: `ptx` or `spa-5.0`.
    pub language: &'static str,
    /// The target, if there is one.
    pub against: Option<String>,
    /// The variants in the roadmap.
    pub variants: usize,
    /// Those that the target answers.
    pub answered: usize,
    /// The steps, the first first.
    pub steps: Vec<Step>,
    /// Every feature, those that most variants need first.
    pub features: Vec<UsedFeature>,
    /// Variants that need nothing that is missing, and that the target does not support.
    pub unexplained: Vec<Unexplained>,
    /// Variants of which nothing is known, by what became of them.
    pub open: BTreeMap<&'static str, usize>,
    /// Variants that are in no roadmap.
    pub left_out: LeftOut,
}

impl Roadmap {
    /// The roadmap of these variants, in the order of the corpus.
    pub fn new(
        language: &'static str,
        against: Option<String>,
        asked: &[Asked<'_>],
        left_out: LeftOut,
    ) -> Self {
        let mut used: BTreeMap<&Feature, usize> = BTreeMap::new();
        for feature in asked.iter().flat_map(|asked| &asked.features) {
            *used.entry(feature).or_default() += 1;
        }
        let shows = asked.iter().filter(|asked| asked.standing == Standing::Answered);
        let shown: BTreeSet<&Feature> = shows.flat_map(|asked| &asked.features).collect();
        // How it ends is what a hang does show.
        let is_known = |feature: &Feature| feature.kind == FeatureKind::Ending || shown.contains(feature);
        let is_answered = |asked: &Asked<'_>| match asked.standing {
            Standing::Answered => true,
            Standing::Hung => asked.features.iter().all(is_known),
            Standing::Missing | Standing::Unsupported(_) | Standing::Open(_) => false,
        };
        let answered = asked.iter().filter(|asked| is_answered(asked));
        let there: BTreeSet<&Feature> = answered.flat_map(|asked| &asked.features).collect();
        // The number of a feature is its place in the alphabet, so that equal steps are in this order.
        let numbers: BTreeMap<&Feature, usize> = used.keys().copied().zip(0..).collect();
        let by_number: Vec<&Feature> = used.keys().copied().collect();
        let described = |feature: &Feature| UsedFeature {
            name: feature.name.clone(),
            kind: feature.kind,
            used_by: used[feature],
            there: there.contains(feature),
        };
        let locked: Vec<&Asked<'_>> = asked
            .iter()
            .filter(|asked| matches!(asked.standing, Standing::Missing | Standing::Unsupported(_)))
            .collect();
        let missing_of = |asked: &&Asked<'_>| {
            let missing = asked.features.iter().filter(|feature| !there.contains(feature));
            missing.map(|feature| numbers[feature]).collect::<Vec<_>>()
        };
        let missing: Vec<Vec<usize>> = locked.iter().map(missing_of).collect();
        let unexplained = locked.iter().zip(&missing).filter(|(_, missing)| missing.is_empty());
        let unexplained = unexplained.map(|(asked, _)| Unexplained {
            variant: asked.id.to_owned(),
            reason: match &asked.standing {
                Standing::Unsupported(why) => why.clone(),
                _ => String::new(),
            },
        });
        let unexplained = unexplained.collect();
        let answered = asked.iter().filter(|asked| is_answered(asked)).count();
        let mut in_all = answered;
        let step = |step: order::Step| {
            in_all += step.unlocks.len();
            let mut features: Vec<UsedFeature> =
                step.features.iter().map(|number| described(by_number[*number])).collect();
            most_used_first(&mut features);
            Step {
                features,
                unlocks: step.unlocks.iter().map(|variant| locked[*variant].id.to_owned()).collect(),
                in_all,
            }
        };
        let steps = order::steps(&missing).into_iter().map(step).collect();
        let mut features: Vec<UsedFeature> = by_number.iter().map(|feature| described(feature)).collect();
        most_used_first(&mut features);
        let mut open: BTreeMap<&'static str, usize> = BTreeMap::new();
        for asked in asked {
            let what = match asked.standing {
                Standing::Open(what) => what,
                Standing::Hung if !is_answered(asked) => Raw::Hung.name(),
                _ => continue,
            };
            *open.entry(what).or_default() += 1;
        }
        Self {
            language,
            against,
            variants: asked.len(),
            answered,
            steps,
            features,
            unexplained,
            open,
            left_out,
        }
    }
}

/// Sorts by use; equally used features stay in the order of the alphabet.
fn most_used_first(features: &mut [UsedFeature]) {
    features.sort_by_key(|feature| std::cmp::Reverse(feature.used_by));
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked<'a>(id: &'a str, features: &[&str], standing: Standing) -> Asked<'a> {
        let feature = |name: &&str| Feature { kind: FeatureKind::Instruction, name: (*name).into() };
        Asked { id, features: features.iter().map(feature).collect(), standing }
    }

    fn names(features: &[UsedFeature]) -> Vec<&str> {
        features.iter().map(|feature| feature.name.as_str()).collect()
    }

    #[test]
    fn without_a_target_everything_is_missing() {
        use Standing::Missing;
        let corpus = [
            asked("a", &["st", "mov"], Missing),
            asked("b", &["st", "mov", "add"], Missing),
            asked("c", &["st", "suld"], Missing),
            asked("d", &["st", "mov", "add"], Missing),
        ];
        let roadmap = Roadmap::new("ptx", None, &corpus, LeftOut::default());
        // {mov, st} unlocks a: ½. {add, mov, st} unlocks a, b and d: 1. {st, suld} unlocks c: ½. Then {suld} is left.
        assert_eq!(roadmap.steps.len(), 2);
        // `mov` and `add` by their use: 3 and 2 of 4 variants.
        assert_eq!(names(&roadmap.steps[0].features), ["st", "mov", "add"]);
        assert_eq!(roadmap.steps[0].unlocks, ["a", "b", "d"]);
        assert_eq!(names(&roadmap.steps[1].features), ["suld"]);
        assert_eq!((roadmap.steps[0].in_all, roadmap.steps[1].in_all), (3, 4));
        assert_eq!(names(&roadmap.features), ["st", "mov", "add", "suld"]);
        assert_eq!(roadmap.features.iter().map(|f| f.used_by).collect::<Vec<_>>(), [4, 3, 2, 1]);
    }

    /// A target that hangs on everything hangs where it must, too.
    #[test]
    fn a_hang_that_must_be_shows_no_feature() {
        let with = |first: Standing| {
            let mut endless = asked("endless", &["bra"], Standing::Hung);
            endless.features.insert(Feature { kind: FeatureKind::Ending, name: "timed-out".into() });
            let corpus = [asked("a", &["st", "bra"], first), endless];
            let roadmap = Roadmap::new("ptx", Some("T".into()), &corpus, LeftOut::default());
            (roadmap.answered, roadmap.open, roadmap.features.iter().filter(|feature| feature.there).count())
        };
        assert_eq!(with(Standing::Answered), (2, BTreeMap::new(), 3));
        assert_eq!(with(Standing::Open("hung")), (0, BTreeMap::from([("hung", 2)]), 0));
        assert_eq!(with(Standing::Unsupported("st".into())), (0, BTreeMap::from([("hung", 1)]), 0));
    }

    #[test]
    fn a_target_has_the_features_of_what_it_answers() {
        let no = |why: &str| Standing::Unsupported(why.into());
        let corpus = [
            asked("a", &["st", "mov"], Standing::Answered),
            asked("b", &["st", "add"], no("add")),
            asked("c", &["st", "mov"], no("offsets")),
            asked("d", &["st", "div"], Standing::Open("hung")),
            asked("e", &["div", "sub"], no("sub")),
        ];
        let roadmap = Roadmap::new("ptx", Some("T".into()), &corpus, LeftOut::default());
        assert_eq!((roadmap.variants, roadmap.answered), (5, 1));
        // Nothing shows that it has `div`: it hung there.
        assert_eq!(
            roadmap.steps.iter().map(|step| names(&step.features)).collect::<Vec<_>>(),
            [vec!["add"], vec!["div", "sub"]]
        );
        assert_eq!(roadmap.steps[1].in_all, 3);
        // Every feature of `c` is there, so the reason is the target's own.
        assert_eq!(roadmap.unexplained, [Unexplained { variant: "c".into(), reason: "offsets".into() }]);
        assert_eq!(roadmap.open, BTreeMap::from([("hung", 1)]));
        let there = roadmap.features.iter().filter(|feature| feature.there);
        assert_eq!(there.map(|feature| feature.name.as_str()).collect::<Vec<_>>(), ["st", "mov"]);
    }
}
