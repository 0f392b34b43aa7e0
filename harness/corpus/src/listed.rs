//! What a list shows of a variant and a filter selects by: its names, without its programs, rows and launches. Which variants of a
//! corpus are planned, and which are only listed.

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
    /// Rows of its table, or launches where it has none; 1 for a case of legality.
    pub rows: usize,
}

/// Which variants of a corpus are planned. What is not planned is read and checked all the same, and then only listed.
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

/// Lists variants one after the other. Those of a case share what is the same in all of them.
#[derive(Default)]
pub(crate) struct Lister {
    title: Arc<str>,
    covers: Arc<[String]>,
    subject: Arc<str>,
}

impl Lister {
    /// The names of a variant.
    pub(crate) fn list(&mut self, variant: &Variant) -> ListedVariant {
        if *self.title != *variant.title {
            self.title = variant.title.as_str().into();
        }
        if *self.covers != *variant.covers {
            self.covers = variant.covers.as_slice().into();
        }
        if *self.subject != *variant.subject {
            self.subject = variant.subject.as_str().into();
        }
        ListedVariant {
            id: variant.id.clone(),
            title: Arc::clone(&self.title),
            covers: Arc::clone(&self.covers),
            subject: Arc::clone(&self.subject),
            location: variant.location.clone(),
            rows: rows(variant),
        }
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
