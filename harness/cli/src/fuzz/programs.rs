//! The programs of a campaign: those of its seed, or those that a growing corpus guides to.

use warpdiff_generator::Specimen;

use super::guide::{Covered, Guide, Tried};
use super::options::Options;
use super::trial::CompiledTrial;

/// The programs of a campaign.
#[derive(Clone, Copy)]
pub(super) struct Programs<'a> {
    /// The command line.
    pub(super) options: &'a Options,
    /// With `--corpus`.
    pub(super) guide: Option<&'a Guide>,
}

impl<'a> Programs<'a> {
    /// The programs of the seed.
    pub(super) fn of_seed(options: &'a Options) -> Self {
        Self { options, guide: None }
    }

    /// The specimen of that index.
    ///
    /// # Errors
    /// A message: a table of the generator is wrong.
    pub(super) fn specimen(self, index: u64) -> Result<Specimen, String> {
        match self.guide {
            None => self.options.specimen(index),
            Some(guide) => {
                let (bytes, _) = guide.bytes(self.options.seed, index);
                self.options.specimen_of(&bytes).map(|(specimen, _)| specimen)
            }
        }
    }

    /// Tells the guide what a program reached.
    ///
    /// # Errors
    /// A message, if the reference cannot run it.
    pub(super) fn reached(self, index: u64, program: &CompiledTrial) -> Result<(), String> {
        let Some(guide) = self.guide.filter(|guide| guide.is_asked(index)) else { return Ok(()) };
        let (mut bytes, way) = guide.bytes(self.options.seed, index);
        let (_, used) = self.options.specimen_of(&bytes)?;
        bytes.truncate(used);
        guide.note(index, Tried { bytes, way, reached: program.combinations()? });
        Ok(())
    }

    /// A chunk begins with this program.
    pub(super) fn begin(self, first: u64) {
        if let Some(guide) = self.guide {
            guide.begin(first);
        }
    }

    /// All programs before this one were tried. Answers whether the campaign can go on: the corpus may be one that cannot be written.
    pub(super) fn tried(self, before: u64) -> bool {
        self.guide.is_none_or(|guide| guide.grow(before))
    }

    /// How far the corpus is.
    pub(super) fn covered(self) -> Option<Covered> {
        self.guide.map(Guide::covered)
    }
}
