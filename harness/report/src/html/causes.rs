//! The causes of mismatches on the page: how many variants each has, and one of them in full.

use maud::{Markup, html};
use warpdiff_judge::verdict_table::Settled;

use crate::results::summary;
use crate::results::variant::TargetLine;
use crate::standing::{Standing, Statuses, word};

/// Bytes of examples after which the other causes have none in the page itself; the list of variants has them.
const ROOM: usize = 4 << 20;

/// A cause with its variants.
struct Cause {
    judged: usize,
    words: String,
    statuses: Statuses,
    example: Option<Markup>,
}

/// The causes of a run, by number.
#[derive(Default)]
pub(super) struct Causes {
    all: Vec<Cause>,
    /// Bytes of the examples.
    size: usize,
}

/// A mismatch in one line: `✗ violates ID`.
pub(super) fn headline(id: &str, settled: Settled) -> Markup {
    let standing = Standing::of(settled);
    html! { span.badge .(standing.class()) { (standing.mark()) " " (word(settled)) } " " bdi.id { (id) } }
}

impl Causes {
    /// Counts a mismatch: the number of its cause. `None` without findings. The first of each cause is its example.
    pub(super) fn add(
        &mut self,
        id: &str,
        judged: usize,
        target: &TargetLine,
        body: &Markup,
    ) -> Option<usize> {
        let words = summary::words(summary::cause(&target.findings)?);
        let known = self.all.iter().position(|cause| cause.judged == judged && cause.words == words);
        let number = known.unwrap_or_else(|| {
            let room = self.size + body.0.len() <= ROOM;
            let example = room.then(|| {
                html! { p.headline { (headline(id, target.settled)) } (body) }
            });
            self.size += example.as_ref().map_or(0, |example| example.0.len());
            self.all.push(Cause { judged, words, statuses: Statuses::default(), example });
            self.all.len() - 1
        });
        self.all[number].statuses.add(target.settled);
        Some(number)
    }

    /// Target and words of each.
    pub(super) fn names(&self) -> Vec<(usize, &str)> {
        self.all.iter().map(|cause| (cause.judged, cause.words.as_str())).collect()
    }

    /// How many of a cause were counted.
    pub(super) fn count(&self, number: usize) -> usize {
        self.all[number].statuses.total()
    }

    /// The section of the page: the most urgent cause first, then the most frequent.
    pub(super) fn markup(&self, judged: &[String]) -> Markup {
        let mut order: Vec<usize> = (0..self.all.len()).collect();
        order.sort_by_key(|number| {
            let cause = &self.all[*number];
            (cause.statuses.worst(), cause.judged, std::cmp::Reverse(cause.statuses.total()))
        });
        html! {
            section aria-labelledby="mismatches" {
                h2 id="mismatches" tabindex="-1" { "Mismatches by cause" }
                @if order.is_empty() { p { "None." } }
                @for (place, number) in order.iter().enumerate() {
                    @let cause = &self.all[*number];
                    @let class = cause.statuses.worst().map_or("none", Standing::class);
                    details.cause id={ "cause-" (number) } open[place == 0] {
                        summary {
                            span.badge .(class) { (cause.statuses.short()) }
                            " " strong { (cause.words) }
                            @if judged.len() > 1 { " " span.target { "against " bdi { (judged[cause.judged]) } } }
                        }
                        p.note {
                            (cause.statuses.long()) ". "
                            a id={ "list-cause-" (number) } href={ "#list-cause-" (number) } {
                                @match cause.statuses.total() { 1 => "List it below", n => { "List all " (n) " below" } }
                            }
                        }
                        @match &cause.example {
                            Some(example) => (example),
                            None => { p.note { "The list below shows them in full; this page has examples of the first causes only." } },
                        }
                    }
                }
            }
        }
    }
}
