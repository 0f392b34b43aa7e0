//! What a run says of expectations and profiles that are out of date.

use std::fmt;

use warpdiff_corpus::plan::Location;

/// What is out of date in expectations or profiles.
#[derive(Clone, Debug)]
pub struct Notice {
    /// In one word or two.
    pub kind: NoticeKind,
    /// The place of the entry, and what to do.
    pub words: String,
    /// The place of the entry.
    pub location: Location,
}

/// Kinds of what is out of date in expectations and profiles, in the order in which they are reported.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum NoticeKind {
    /// A variant conforms, and an entry says that it fails; other variants of the entry still fail.
    UnexpectedPass,
    /// The failure of an entry occurs nowhere any more.
    Stale,
    /// No variant of the corpus matches an entry.
    MatchesNothing,
    /// The last day of an entry is over.
    Expired,
    /// A deviation of a profile does not show where it would.
    StaleProfile,
    /// A choice was decided otherwise than a profile says.
    OtherChoice,
}

impl fmt::Display for NoticeKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::UnexpectedPass => "unexpected pass",
            Self::Stale => "stale expectation",
            Self::MatchesNothing => "expectation that matches nothing",
            Self::Expired => "expired expectation",
            Self::StaleProfile => "stale in the profile",
            Self::OtherChoice => "other choice than in the profile",
        })
    }
}
