//! The rows of a family of instructions with everything by which wrong ones may differ from right ones.

use std::collections::{BTreeMap, BTreeSet};

use warpdiff_corpus::plan::{PlannedLaunch, Row, Work};
use warpdiff_judge::diagnose::{is_comparable, wrong_rows};
use warpdiff_judge::instruction_family;
use warpdiff_judge::reference::Programs;

use crate::judged_variant::JudgedVariant;
use crate::pattern::SeenRow;

/// Most wrong variants that are looked at.
const WRONG: usize = 150;
/// Most right variants that are looked at, evenly among all.
const RIGHT: usize = 300;
/// Most rows of one variant.
const ROWS: usize = 64;
/// Most bytes of a binding that a pattern may name.
const WORD: usize = 40;

/// The rows of variants that are wrong because of a family, and of those that are right.
pub(crate) fn rows(
    family: &str,
    wrong: &[&JudgedVariant<'_, '_>],
    right: &[&JudgedVariant<'_, '_>],
) -> Vec<SeenRow> {
    let mut rows = Vec::new();
    for judged in evenly(wrong, WRONG) {
        add_wrong(&mut rows, family, judged);
    }
    for judged in evenly(right, RIGHT).filter(|judged| judged.earned.findings.is_empty()) {
        let Work::Launches(launches) = &judged.variant.work else { continue };
        let mut programs = Programs::default();
        for planned in launches {
            let Ok(compiled) = programs.get(&planned.launch.program) else { continue };
            let parts = parts(&instruction_family::texts(&compiled, &planned.map, family));
            let indices: Vec<usize> = (0..planned.rows.len()).collect();
            rows.extend(
                evenly(&indices, ROWS)
                    .map(|index| seen(judged, planned, planned.rows.get(*index), parts.clone(), false)),
            );
        }
    }
    rows
}

/// Some of many, the same number apart.
fn evenly<T>(all: &[T], most: usize) -> impl Iterator<Item = &T> {
    all.iter().step_by(all.len().div_ceil(most).max(1))
}

/// Adds the rows of a wrong variant, if it is known which of them are wrong.
fn add_wrong(rows: &mut Vec<SeenRow>, family: &str, judged: &JudgedVariant<'_, '_>) {
    for (unit, answer) in judged.launches().iter().flat_map(|launches| launches.iter()) {
        if !is_comparable(unit, &answer.observation) {
            continue;
        }
        let planned: &PlannedLaunch = &unit.planned;
        let wrong = wrong_rows(unit, &answer.observation);
        let count = planned.rows.len();
        if count > 1 && wrong.iter().any(|row| *row >= count) {
            continue;
        }
        let parts = parts(&instruction_family::texts(&unit.compiled, &planned.map, family));
        if count <= 1 {
            rows.push(seen(judged, planned, planned.rows.first(), parts, !wrong.is_empty()));
            continue;
        }
        let all: Vec<usize> = (0..count).collect();
        let (bad, good): (Vec<usize>, Vec<usize>) = all.into_iter().partition(|row| wrong.contains(row));
        for some in [bad, good] {
            rows.extend(evenly(&some, ROWS).map(|index| {
                seen(judged, planned, planned.rows.get(*index), parts.clone(), wrong.contains(index))
            }));
        }
    }
}

/// The parts of instructions behind their first word, `.2d` and `.clamp` of `suld.b.2d.b32.clamp`. Those that only some of the
/// instructions have say nothing about a row.
fn parts(texts: &[String]) -> BTreeSet<String> {
    let of = |text: &String| -> BTreeSet<String> {
        let word = text.split_whitespace().find(|word| !word.starts_with('@')).unwrap_or_default();
        word.trim_end_matches(';').split('.').skip(1).map(|part| format!(".{part}")).collect()
    };
    let mut all = texts.iter().map(of);
    let first = all.next().unwrap_or_default();
    all.fold(first, |common, parts| common.intersection(&parts).cloned().collect())
}

fn seen(
    judged: &JudgedVariant<'_, '_>,
    planned: &PlannedLaunch,
    row: Option<&Row>,
    parts: BTreeSet<String>,
    wrong: bool,
) -> SeenRow {
    let mut words: BTreeMap<String, String> = judged.variant.bindings.iter().cloned().collect();
    // What the instruction has is said once, and a list of values is no word.
    words.retain(|_, value| {
        let is_part = parts.contains(value) || parts.contains(&format!(".{value}"));
        !value.is_empty() && value.len() <= WORD && !is_part
    });
    if let [surface] = planned.launch.surfaces.as_slice() {
        words.insert("the format".into(), surface.format.to_string());
    }
    let inputs = row.iter().flat_map(|row| row.inputs.iter());
    let numbers = inputs.filter_map(|(column, text)| Some((column.to_owned(), number(text)?))).collect();
    SeenRow { wrong, parts, words, numbers }
}

/// An input as an integer. Floating-point numbers are none.
fn number(text: &str) -> Option<i128> {
    let (negative, digits) = text.strip_prefix('-').map_or((false, text), |digits| (true, digits));
    let number = match digits.strip_prefix("0x") {
        Some(hex) => i128::from_str_radix(hex, 16).ok()?,
        None => digits.parse().ok()?,
    };
    Some(if negative { -number } else { number })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inputs_that_are_integers_are_numbers() {
        for (text, expected) in
            [("-8", Some(-8)), ("0x10", Some(16)), ("7", Some(7)), ("1.5", None), ("nan", None)]
        {
            assert_eq!(number(text), expected, "{text}");
        }
    }

    #[test]
    fn parts_are_those_that_all_instructions_have() {
        let texts = [
            "@%p suld.b.2d.b32.clamp %r1, [img, {%x, %y}];".to_owned(),
            "suld.b.2d.v2.b32.clamp {%a, %b}, [img, {0, 0}];".to_owned(),
        ];
        let parts: Vec<String> = parts(&texts).into_iter().collect();
        assert_eq!(parts, [".2d", ".b", ".b32", ".clamp"]);
    }
}
