//! What a target did on a variant, held against its profile.

use warpdiff_judge::finding::Finding;
use warpdiff_model::Deviation;
use warpdiff_model::choice::ChoiceInfo;

/// What a target did on a variant, held against its profile.
#[derive(Clone, Debug, Default)]
pub struct Profiled {
    /// The known deviations that together reproduce everything observed of a failing variant, the fewest that do. Empty if none do, or if
    /// nothing failed.
    pub shows: Vec<Deviation>,
    /// Known deviations that the variant refutes: with one of them besides those that show, an implementation would have done something
    /// else.
    pub misses: Vec<Deviation>,
    /// Choices that were decided otherwise than the profile says, each with the alternatives that explain what was observed.
    pub others: Vec<(&'static ChoiceInfo, Vec<u8>)>,
}

impl Profiled {
    /// Whether the profile reproduces a finding of the variant. A crash or a rejection shows no semantics.
    pub fn knows(&self, finding: &Finding) -> bool {
        !self.shows.is_empty() && !finding.raw.is_of_a_process()
    }
}
