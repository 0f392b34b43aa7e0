//! A text in which every place asks which mutant is active. Where one is, the text of its change has no places itself: one is active at a time.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::ops::Range;

use crate::mutation::{Kind, Place};

/// The rewritten text, and what of it belongs to which mutants.
pub(crate) struct Rewritten {
    pub(crate) text: String,
    /// What the compiler finds wrong here, these mutants are to blame for.
    owned: Vec<(Range<usize>, Vec<u32>)>,
}

impl Rewritten {
    /// Rewrites a text. `switch` is the path of the module that knows which mutant is active. Mutants of `left_out` do not compile.
    pub(crate) fn new(text: &str, places: &[Place], switch: &str, left_out: &BTreeSet<u32>) -> Self {
        let mut places: Vec<Place> = places.iter().filter_map(|place| without(place, left_out)).collect();
        // Those around others first. The order in which they were found decides between those of the same range.
        places.sort_by_key(|place| (place.range.start, std::cmp::Reverse(place.range.end)));
        let mut writer =
            Writer { source: text, switch, done: Self { text: String::new(), owned: Vec::new() } };
        writer.write(0..text.len(), &places);
        writer.done
    }

    /// The mutants to blame for an error at `range`: those of the smallest text around it, or of what it is around.
    pub(crate) fn to_blame(&self, range: &Range<usize>) -> Vec<u32> {
        let around = self.owned.iter().filter(|(own, _)| own.start <= range.start && range.end <= own.end);
        if let Some((_, mutants)) = around.min_by_key(|(own, _)| own.len()) {
            return mutants.clone();
        }
        let inside = self.owned.iter().filter(|(own, _)| range.start <= own.start && own.end <= range.end);
        inside.max_by_key(|(own, _)| own.len()).map(|(_, mutants)| mutants.clone()).unwrap_or_default()
    }
}

fn without(place: &Place, left_out: &BTreeSet<u32>) -> Option<Place> {
    let mut place = place.clone();
    match &mut place.kind {
        Kind::Expression { others: pairs, .. } | Kind::Beginning { returns: pairs } => {
            pairs.retain(|(mutant, _)| !left_out.contains(mutant));
        }
        Kind::Guard { always, never } => {
            if never.is_some_and(|never| left_out.contains(&never)) {
                *never = None;
            }
            // 0 is never active where it is asked for: the place then stays as it is.
            if left_out.contains(always) {
                return None;
            }
        }
        Kind::Statement { without: mutant } | Kind::PatternEnd { never: mutant } => {
            if left_out.contains(mutant) {
                return None;
            }
        }
    }
    (!place.kind.mutants().is_empty()).then_some(place)
}

struct Writer<'a> {
    source: &'a str,
    switch: &'a str,
    done: Rewritten,
}

impl Writer<'_> {
    /// Writes a range of the source with the places that lie in it.
    fn write(&mut self, range: Range<usize>, mut places: &[Place]) {
        let mut at = range.start;
        while let Some((first, rest)) = places.split_first() {
            self.done.text.push_str(&self.source[at..first.range.start]);
            at = first.range.end;
            let inside = rest.iter().take_while(|place| is_inside(place, first)).count();
            self.place(first, &rest[..inside]);
            places = &rest[inside..];
        }
        self.done.text.push_str(&self.source[at..range.end]);
    }

    fn place(&mut self, place: &Place, inside: &[Place]) {
        let begin = self.done.text.len();
        let range = place.range.clone();
        match &place.kind {
            Kind::Expression { others, is_body } => {
                let (open, close) = if *is_body { ("{", "}") } else { ("(", ")") };
                self.done.text.push_str(open);
                for (mutant, other) in others {
                    self.ask("if ", *mutant);
                    self.owned_text(*mutant, &format!(" {{ {other} }} else "));
                }
                self.done.text.push_str("{ ");
                self.write(range, inside);
                self.done.text.push_str(" }");
                self.done.text.push_str(close);
            }
            Kind::Statement { without } => {
                self.ask("if !", *without);
                self.done.text.push_str(" { ");
                self.write(range, inside);
                self.done.text.push_str(" }");
            }
            Kind::Guard { always, never } => {
                self.ask("(", *always);
                self.done.text.push_str(" || (");
                self.write(range, inside);
                self.done.text.push_str("))");
                if let Some(never) = never {
                    self.ask(" && !", *never);
                }
            }
            Kind::PatternEnd { never } => self.ask(" if !", *never),
            Kind::Beginning { returns } => {
                for (mutant, value) in returns {
                    self.ask(" if ", *mutant);
                    self.owned_text(*mutant, &format!(" {{ return {value}; }}"));
                }
            }
        }
        self.done.owned.push((begin..self.done.text.len(), place.kind.mutants()));
    }

    fn ask(&mut self, before: &str, mutant: u32) {
        let _ = write!(self.done.text, "{before}{}::is({mutant})", self.switch);
    }

    fn owned_text(&mut self, mutant: u32, text: &str) {
        let begin = self.done.text.len();
        self.done.text.push_str(text);
        self.done.owned.push((begin..self.done.text.len(), vec![mutant]));
    }
}

fn is_inside(inner: &Place, outer: &Place) -> bool {
    outer.range.start <= inner.range.start
        && inner.range.end <= outer.range.end
        && outer.range.start < outer.range.end
}
