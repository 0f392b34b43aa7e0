//! The list of all variants on the page: what the script needs to show it, and mismatches in full, both packed.

use maud::{Markup, html};
use serde::Serialize;
use warpdiff_judge::verdict_table::Settled;

use super::packed::{Chunks, packed};
use crate::standing::{Standing, word};

/// Mismatches of a cause that are in the page in full even where there is no more room.
const SOME: usize = 20;

/// What the script reads.
#[derive(Serialize)]
struct Index<'i> {
    /// Those that are judged: the targets, or the reference.
    judged: &'i [String],
    /// Mark, word and class of each status.
    statuses: Vec<(&'static str, &'static str, &'static str)>,
    /// Place of the target, and words.
    causes: Vec<(usize, &'i str)>,
    /// Names of the cells of the matrix.
    cells: Vec<String>,
    requirements: Vec<&'i str>,
    /// Instructions of mismatches.
    instructions: &'i [String],
    variants: &'i [ListedVariant],
    mismatches: &'i [ListedMismatch],
}

/// Id; the status of each target; cells of the matrix; requirements.
type ListedVariant = (String, Vec<u8>, Vec<usize>, Vec<usize>);

/// A mismatch of a variant and a target.
#[derive(Serialize)]
struct ListedMismatch(
    /// Number of the variant.
    usize,
    /// Place of the target.
    usize,
    /// Number of the cause.
    usize,
    /// Cells of the matrix in which it counts.
    Vec<usize>,
    /// Number of its instruction, if it is known.
    Option<usize>,
    /// Chunk and place of the mismatch in full, if there was room for it.
    Option<(usize, usize)>,
);

/// The list of a run.
#[derive(Default)]
pub(super) struct List {
    variants: Vec<ListedVariant>,
    mismatches: Vec<ListedMismatch>,
    instructions: Vec<String>,
    bodies: Chunks,
}

/// What is known of a mismatch, besides its variant.
pub(super) struct Listed {
    /// Place of the target.
    pub(super) judged: usize,
    /// Number of the cause.
    pub(super) cause: usize,
    /// How many mismatches of the cause there are so far.
    pub(super) nth: usize,
    /// Cells of the matrix in which it counts.
    pub(super) cells: Vec<usize>,
    /// Its instruction.
    pub(super) instruction: Option<String>,
    /// It in full.
    pub(super) body: Markup,
}

impl List {
    /// Adds a variant.
    pub(super) fn add(&mut self, id: &str, settled: &[Settled], cells: Vec<usize>, covers: Vec<usize>) {
        self.variants.push((
            id.to_owned(),
            settled.iter().map(|settled| number(*settled)).collect(),
            cells,
            covers,
        ));
    }

    /// Adds a mismatch of the variant that was added last.
    pub(super) fn mismatch(&mut self, listed: Listed) {
        let Listed { judged, cause, nth, cells, instruction, body } = listed;
        let instruction = instruction.map(|text| {
            // Neighbours have the same instruction, or hardly any have.
            let known = self.instructions.iter().rev().take(64).position(|known| *known == text);
            let known = known.map(|back| self.instructions.len() - 1 - back);
            known.unwrap_or_else(|| {
                self.instructions.push(text);
                self.instructions.len() - 1
            })
        });
        let place = (self.bodies.have_room() || nth <= SOME).then(|| self.bodies.push(body.into_string()));
        let variant = self.variants.len() - 1;
        self.mismatches.push(ListedMismatch(variant, judged, cause, cells, instruction, place));
    }

    /// The section of the page, and the packed data.
    pub(super) fn markup(
        self,
        judged: &[String],
        causes: Vec<(usize, &str)>,
        cells: Vec<String>,
        requirements: Vec<&str>,
    ) -> Markup {
        let left = self.mismatches.iter().filter(|mismatch| mismatch.5.is_none()).count();
        let index = Index {
            judged,
            statuses: STATUSES.iter().map(|settled| described(*settled)).collect(),
            causes,
            cells,
            requirements,
            instructions: &self.instructions,
            variants: &self.variants,
            mismatches: &self.mismatches,
        };
        let (variants, mismatches) = (self.variants.len(), self.mismatches.len());
        let index = packed(&index);
        html! {
            section aria-labelledby="variants" {
                h2 id="variants" tabindex="-1" { "Variants" }
                p.note id="unlisted" {
                    "The list of " (variants) " variants, with " (mismatches) " mismatches in full, is packed in this page; a script unpacks it."
                }
                search.filter hidden {
                    label for="filter" { "Search" }
                    input id="filter" type="search" placeholder="id, cause, instruction" autocomplete="off" aria-describedby="shown";
                    label for="status" { "Status" }
                    select id="status" {}
                    @if judged.len() > 1 { label for="judged" { "Target" } select id="judged" {} }
                    button id="narrowed" type="button" hidden {}
                    span.buttons {
                        button id="expand" type="button" { "Open all" }
                        button id="collapse" type="button" { "Close all" }
                    }
                    span id="shown" role="status" {}
                }
                @if left > 0 { p.note { (left) " mismatches are listed, and not shown in full: the page would be too large. Run with a filter to see them." } }
                ul.listed id="list" {}
                button id="more" type="button" hidden {}
            }
            template id="index" { (index) }
            @for (number, chunk) in self.bodies.finish().into_iter().enumerate() { template id={ "chunk-" (number) } { (chunk) } }
        }
    }
}

/// Every status, in the order of the script.
const STATUSES: [Settled; 15] = [
    Settled::Fail,
    Settled::OtherFailure,
    Settled::Flaky,
    Settled::UnexpectedPass,
    Settled::OtherChoice,
    Settled::Undecided,
    Settled::CorpusError,
    Settled::Error,
    Settled::KnownFailure,
    Settled::KnownFlake,
    Settled::AsProfiled,
    Settled::Characterised,
    Settled::Pass,
    Settled::Skip,
    Settled::LeftOut,
];

fn number(settled: Settled) -> u8 {
    STATUSES.iter().zip(0..).find(|(other, _)| **other == settled).map_or(u8::MAX, |(_, number)| number)
}

fn described(settled: Settled) -> (&'static str, &'static str, &'static str) {
    let standing = Standing::of(settled);
    (standing.mark(), word(settled), standing.class())
}
