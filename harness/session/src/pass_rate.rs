//! What repeated runs show of how often a launch passes: the exact interval of Clopper and Pearson, and how many failures refute a rate.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The risk that the interval does not have the pass rate, and that enough failures occur although the rate is as stated.
const RISK: f64 = 0.05;
/// The risk of calling a rate refuted that is right.
const REFUTING_RISK: f64 = 0.01;

/// Runs, and how many of them passed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Runs {
    /// Runs that passed.
    pub passed: usize,
    /// All runs.
    pub of: usize,
}

impl Runs {
    /// Counts one more.
    pub fn count(&mut self, passed: bool) {
        self.passed += usize::from(passed);
        self.of += 1;
    }

    /// Both together.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        Self { passed: self.passed + other.passed, of: self.of + other.of }
    }

    /// The exact 95 % interval of the pass rate (Clopper and Pearson, Biometrika 26, 1934): the rates under which neither so few nor so
    /// many passes have a probability below 2.5 %. Without a run it is everything.
    pub fn interval(self) -> (f64, f64) {
        let Self { passed, of } = self;
        let half = RISK / 2.0;
        // At least `passed` is as probable as that.
        let low = if passed == 0 { 0.0 } else { rate_at(|rate| 1.0 - at_most(passed - 1, of, rate) > half) };
        // At most `passed` is less probable than that.
        let high = if passed >= of { 1.0 } else { rate_at(|rate| at_most(passed, of, rate) < half) };
        (low, high)
    }

    /// Whether nothing passed in so many runs that a pass would have shown, were the rate at least this, with 99 % confidence.
    pub fn refute(self, rate: f64) -> bool {
        self.passed == 0 && self.of >= runs_to_refute(rate)
    }
}

impl fmt::Display for Runs {
    /// `passed 1 of 4 runs (between 0.6 % and 80.6 % pass, with 95 % confidence)`
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { passed, of } = self;
        let (low, high) = self.interval();
        let noun = if *of == 1 { "run" } else { "runs" };
        write!(
            f,
            "passed {passed} of {of} {noun} (between {:.1} % and {:.1} % pass, with 95 % confidence)",
            low * 100.0,
            high * 100.0
        )
    }
}

/// The number of runs after which a target that passes at this rate has passed once, with 99 % confidence: 459 for 1 %.
pub fn runs_to_refute(rate: f64) -> usize {
    (REFUTING_RISK.ln() / (-rate).ln_1p()).ceil().max(1.0) as usize
}

/// The probability of at most `passed` passes in `of` runs at this rate.
fn at_most(passed: usize, of: usize, rate: f64) -> f64 {
    if rate <= 0.0 || passed >= of {
        return 1.0;
    }
    if rate >= 1.0 {
        return 0.0;
    }
    // The terms as logarithms, each from the one before: no factorial overflows.
    let odds = rate.ln() - (-rate).ln_1p();
    let mut term = of as f64 * (-rate).ln_1p();
    let mut sum = term.exp();
    for k in 0..passed {
        term += ((of - k) as f64).ln() - ((k + 1) as f64).ln() + odds;
        sum += term.exp();
    }
    sum.min(1.0)
}

/// The least rate for which a property holds that holds above some rate, by halving.
fn rate_at(holds: impl Fn(f64) -> bool) -> f64 {
    let (mut low, mut high) = (0.0, 1.0);
    // An `f64` has 53 bits; sixty halvings leave no other number between.
    for _ in 0..60 {
        let middle = (low + high) / 2.0;
        if holds(middle) { high = middle } else { low = middle }
    }
    high
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Values from elsewhere: 0 of 10 and 1 of 10, 5 of 10 are in the tables of Clopper and Pearson's interval of most textbooks; the
    /// last ones have closed forms, 1 − 0.025^(1/n) for no pass and 0.025^(1/n) for nothing but passes.
    #[test]
    fn the_interval_is_that_of_clopper_and_pearson() {
        for (passed, of, low, high) in [
            (0, 10, 0.0, 0.3085),
            (1, 10, 0.0025, 0.4450),
            (2, 10, 0.0252, 0.5561),
            (5, 10, 0.1871, 0.8129),
            (10, 10, 0.6915, 1.0),
            (4, 20, 0.0573, 0.4366),
            (1, 4, 0.0063, 0.8059),
            (10, 100, 0.0490, 0.1762),
        ] {
            let (from, to) = Runs { passed, of }.interval();
            assert!((from - low).abs() < 6e-5 && (to - high).abs() < 6e-5, "{passed} of {of}: {from} {to}");
        }
        for of in [1_usize, 7, 459, 5000] {
            let root = 0.025_f64.powf(1.0 / of as f64);
            let (from, to) = Runs { passed: 0, of }.interval();
            assert!(from == 0.0 && (to - (1.0 - root)).abs() < 1e-9, "{of}: {to}");
            let (from, to) = Runs { passed: of, of }.interval();
            assert!((from - root).abs() < 1e-9 && to == 1.0, "{of}: {from}");
        }
        assert_eq!(Runs::default().interval(), (0.0, 1.0));
    }

    #[test]
    fn the_interval_mirrors_and_narrows() {
        for of in [3, 12, 100, 459] {
            for passed in 0..=of {
                let (low, high) = Runs { passed, of }.interval();
                let (mirrored_low, mirrored_high) = Runs { passed: of - passed, of }.interval();
                assert!((low + mirrored_high - 1.0).abs() < 1e-9 && (high + mirrored_low - 1.0).abs() < 1e-9);
                let rate = passed as f64 / of as f64;
                assert!(low <= rate && rate <= high, "{passed} of {of}");
            }
        }
        let width = |runs: Runs| runs.interval().1 - runs.interval().0;
        assert!(width(Runs { passed: 50, of: 100 }) < width(Runs { passed: 5, of: 10 }));
    }

    #[test]
    fn so_many_failures_refute_a_rate() {
        assert_eq!(runs_to_refute(0.01), 459);
        assert_eq!(runs_to_refute(0.5), 7);
        assert_eq!(runs_to_refute(0.9), 2);
        for rate in [0.01, 0.05, 0.3, 0.95] {
            let runs = runs_to_refute(rate);
            assert!((1.0 - rate).powi(runs as i32) <= 0.01 && (1.0 - rate).powi(runs as i32 - 1) > 0.01);
            assert!(
                Runs { passed: 0, of: runs }.refute(rate) && !Runs { passed: 0, of: runs - 1 }.refute(rate)
            );
            assert!(!Runs { passed: 1, of: 10 * runs }.refute(rate));
        }
    }

    #[test]
    fn it_is_said_in_words() {
        let words = "passed 1 of 4 runs (between 0.6 % and 80.6 % pass, with 95 % confidence)";
        assert_eq!(Runs { passed: 1, of: 4 }.to_string(), words);
        assert!(Runs { passed: 0, of: 1 }.to_string().starts_with("passed 0 of 1 run ("));
    }
}
