//! What a list shows of a variant and a filter selects by: its names, without its programs, rows and launches. Which variants of a
//! corpus are planned, and of which no more than that is read.

use std::sync::Arc;

use super::filter::Filter;
use crate::plan::{Location, Variant, Work};

/// A variant by its names. Every variant of a corpus is listed, whether or not it is planned.
#[derive(Clone, Debug)]
pub struct ListedVariant {
    /// Unique: that of the [`Variant`].
    pub id: String,
    /// Title of the case.
    pub title: Arc<str>,
    /// Requirement ids it covers.
    pub covers: Arc<[String]>,
    /// First folder under the corpus root.
    pub subject: Arc<str>,
    /// The place of the case.
    pub location: Location,
    /// Rows of its table, or launches where it has none; 1 for a case of legality. `None` if no more than its names was read.
    pub rows: Option<usize>,
    /// Why it does not count as a case of the requirements that it covers: [`Variant::unjudged`], in words.
    pub unjudged: Option<Arc<str>>,
}

/// Which variants of a corpus are planned. The others are only listed.
#[derive(Clone, Copy, Debug)]
pub enum Planned<'f> {
    /// Every variant.
    All,
    /// Those that the filter selects.
    Selected(&'f Filter),
    /// None.
    Nothing,
}

impl Planned<'_> {
    /// Whether the variant of that id is planned.
    pub(crate) fn has(self, id: &str) -> bool {
        match self {
            Self::All => true,
            Self::Selected(filter) => filter.selects(id),
            Self::Nothing => false,
        }
    }
}

impl ListedVariant {
    /// A variant of which only the names are known, because its file was found to be sound earlier. A file with a variant that nothing judges does not
    /// count as sound, so that `unjudged` is `None`.
    pub(crate) fn by_name(
        id: String,
        title: Arc<str>,
        covers: Arc<[String]>,
        subject: Arc<str>,
        location: Location,
    ) -> Self {
        Self { id, title, covers, subject, location, rows: None, unjudged: None }
    }

    /// Lists a variant.
    pub(crate) fn of(variant: &Variant) -> Self {
        let Variant { id, title, covers, subject, location, .. } = variant;
        Self {
            id: id.clone(),
            title: Arc::clone(title),
            covers: Arc::clone(covers),
            subject: Arc::clone(subject),
            location: location.clone(),
            rows: Some(rows(variant)),
            unjudged: variant.unjudged().map(|problem| problem.message.as_str().into()),
        }
    }
}

/// Makes the texts of variants one after the other. Those of a case share what is the same in all of them.
#[derive(Default)]
pub(crate) struct SharedTexts {
    /// Those made last.
    texts: [Option<Arc<str>>; RECENT],
    next: usize,
    covers: Arc<[String]>,
}

/// Texts that are known again: a variant has a title, a subject, a `why` and a question, and may have one more with another title.
const RECENT: usize = 6;

impl SharedTexts {
    /// The text, shared with one of the last if that is equal.
    pub(crate) fn text(&mut self, text: &str) -> Arc<str> {
        if let Some(known) = self.texts.iter().flatten().find(|known| ***known == *text) {
            return Arc::clone(known);
        }
        let new: Arc<str> = text.into();
        self.texts[self.next % RECENT] = Some(Arc::clone(&new));
        self.next += 1;
        new
    }

    /// What a variant covers, shared with the one before it if that covers the same.
    pub(crate) fn covers(&mut self, covers: &[String]) -> Arc<[String]> {
        if *self.covers != *covers {
            self.covers = covers.into();
        }
        Arc::clone(&self.covers)
    }
}

/// Rows of the variant's table, or launches where it has none; 1 for a case of legality.
fn rows(variant: &Variant) -> usize {
    let launches = match &variant.work {
        Work::Launches(launches) => launches,
        Work::Unsupported(unsupported) => &unsupported.launches,
        Work::Legality(_) => return 1,
    };
    launches.iter().map(|launch| launch.rows.len().max(1)).sum()
}
