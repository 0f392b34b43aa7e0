//! Finds few patterns that match all variants that are wanted and none that is not.

use std::collections::{BTreeMap, BTreeSet};

use warpdiff_corpus::filter::Pattern;

use crate::entry::{Selected, Selection};

/// The selection with the fewest patterns that this finds, of ids, of instructions, of requirements, or of an instruction and a
/// requirement. It selects every wanted variant and surely no unwanted one. Ids are preferred, and long patterns to short ones: they
/// match the least of what the corpus does not have yet.
pub fn fewest(wanted: &[Selected<'_>], unwanted: &[Selected<'_>]) -> Selection {
    let by_id = Selection { variants: ids(wanted, unwanted), ..Selection::default() };
    let families = |variant: &Selected<'_>| -> Vec<String> {
        variant.instructions.into_iter().flatten().cloned().collect()
    };
    let mut found = vec![by_id];
    let of = |patterns: Vec<String>| patterns.into_iter().map(Pattern::new).collect();
    found.extend(
        names(wanted, unwanted, &families)
            .map(|patterns| Selection { instructions: of(patterns), ..Selection::default() }),
    );
    found.extend(
        names(wanted, unwanted, &|variant| variant.covers.to_vec())
            .map(|patterns| Selection { requirements: of(patterns), ..Selection::default() }),
    );
    found.extend(both(wanted, unwanted));
    let size = |s: &Selection| s.variants.len() + s.requirements.len() + s.instructions.len();
    found.into_iter().min_by_key(size).unwrap_or_default()
}

/// Patterns over ids. An id itself matches no other id, so there always are some.
pub fn ids(wanted: &[Selected<'_>], unwanted: &[Selected<'_>]) -> Vec<Pattern> {
    let texts: BTreeSet<String> = wanted.iter().flat_map(|variant| candidates(variant.id)).collect();
    let mut matches: Vec<(String, BTreeSet<usize>)> = Vec::new();
    for text in texts {
        let pattern = Pattern::new(text.as_str());
        if !unwanted.iter().any(|variant| pattern.matches_whole(variant.id)) {
            let of = wanted.iter().enumerate().filter(|(_, variant)| pattern.matches_whole(variant.id));
            matches.push((text, of.map(|(index, _)| index).collect()));
        }
    }
    cover(wanted.len(), &matches).unwrap_or_default().into_iter().map(Pattern::new).collect()
}

/// Patterns that match this id: itself; what it begins with, up to a `/`, a blank or a binding of its matrix; and its case with any
/// one binding.
fn candidates(id: &str) -> Vec<String> {
    let mut found = vec![id.to_owned()];
    let ends = id.char_indices().filter(|(_, c)| matches!(c, '/' | ' ' | '[' | ','));
    found.extend(ends.map(|(at, _)| format!("{}*", &id[..=at])));
    if let Some((case, bindings)) = id.strip_suffix(']').and_then(|id| id.split_once('[')) {
        let ends = |index: usize, all: usize| match (index == 0, index + 1 == all) {
            (true, true) => ("", ""),
            (true, false) => ("", ",*"),
            (false, true) => ("*,", ""),
            (false, false) => ("*,", ",*"),
        };
        let all: Vec<&str> = bindings.split(',').collect();
        for (index, binding) in all.iter().enumerate() {
            let (before, after) = ends(index, all.len());
            found.push(format!("{case}[{before}{binding}{after}]"));
            // In every case of the file, or of the folder.
            let folders = case.char_indices().filter(|(_, c)| *c == '/').map(|(at, _)| &case[..=at]);
            found.extend(folders.map(|folder| format!("{folder}*[{before}{binding}{after}]")));
        }
    }
    found
}

/// Names that wanted variants have and no unwanted one has, if they are enough.
fn names(
    wanted: &[Selected<'_>],
    unwanted: &[Selected<'_>],
    of: &dyn Fn(&Selected<'_>) -> Vec<String>,
) -> Option<Vec<String>> {
    // A variant whose instructions are not known may have any.
    if unwanted.iter().any(|variant| variant.instructions.is_none()) {
        return None;
    }
    let taken: BTreeSet<String> = unwanted.iter().flat_map(of).collect();
    let mut matches: BTreeMap<String, BTreeSet<usize>> = BTreeMap::new();
    for (index, variant) in wanted.iter().enumerate() {
        for name in of(variant).into_iter().filter(|name| !taken.contains(name)) {
            matches.entry(name).or_default().insert(index);
        }
    }
    cover(wanted.len(), &matches.into_iter().collect::<Vec<_>>())
}

/// An instruction and a requirement that together select exactly the wanted variants.
fn both(wanted: &[Selected<'_>], unwanted: &[Selected<'_>]) -> Option<Selection> {
    let (first, rest) = wanted.split_first()?;
    for instruction in first.instructions? {
        for requirement in first.covers {
            let selection = Selection {
                requirements: vec![Pattern::new(requirement.as_str())],
                instructions: vec![Pattern::new(instruction.as_str())],
                ..Selection::default()
            };
            if rest.iter().all(|variant| selection.selects(variant) == Some(true))
                && unwanted.iter().all(|variant| selection.selects(variant) == Some(false))
            {
                return Some(selection);
            }
        }
    }
    None
}

/// Few of these texts that together match all of 0 to `all`: each time the one that matches the most that is left, the longest of
/// several. Those that the others make needless are left out. `None` if all of them are not enough.
fn cover(all: usize, matches: &[(String, BTreeSet<usize>)]) -> Option<Vec<String>> {
    let mut left: BTreeSet<usize> = (0..all).collect();
    let mut chosen: Vec<usize> = Vec::new();
    while !left.is_empty() {
        let gain = |index: &usize| {
            let (text, of) = &matches[*index];
            (of.intersection(&left).count(), text.len())
        };
        let best = (0..matches.len()).max_by_key(gain)?;
        if gain(&best).0 == 0 {
            return None;
        }
        left.retain(|index| !matches[best].1.contains(index));
        chosen.push(best);
    }
    let mut index = 0;
    while index < chosen.len() {
        let others: BTreeSet<usize> = chosen
            .iter()
            .filter(|other| **other != chosen[index])
            .flat_map(|other| matches[*other].1.iter().copied())
            .collect();
        if others.len() == all {
            chosen.remove(index);
        } else {
            index += 1;
        }
    }
    let mut texts: Vec<String> = chosen.into_iter().map(|index| matches[index].0.clone()).collect();
    texts.sort();
    Some(texts)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The ids in these texts, one a line.
    fn patterns(wanted: &[&str], unwanted: &[&str]) -> Vec<String> {
        let of = |ids: &[&'static str]| -> Vec<Selected<'static>> {
            ids.iter().map(|id| Selected { id, covers: &[], instructions: None }).collect()
        };
        let leak = |ids: &[&str]| -> Vec<&'static str> {
            ids.iter().map(|id| &*Box::leak(id.to_string().into_boxed_str())).collect()
        };
        let found = ids(&of(&leak(wanted)), &of(&leak(unwanted)));
        for pattern in &found {
            assert!(!unwanted.iter().any(|id| pattern.matches_whole(id)), "{}", pattern.as_str());
        }
        assert!(wanted.iter().all(|id| found.iter().any(|pattern| pattern.matches_whole(id))));
        found.iter().map(|pattern| pattern.as_str().to_owned()).collect()
    }

    #[test]
    fn patterns_match_the_wanted_alone_and_are_few() {
        // One variant: its id.
        assert_eq!(patterns(&["a/b/c[t=u32]"], &["a/b/c[t=s32]"]), ["a/b/c[t=u32]"]);
        // A case, a file, a folder.
        assert_eq!(patterns(&["a/b/c[t=1]", "a/b/c[t=2]"], &["a/b/d[t=1]"]), ["a/b/c[*"]);
        assert_eq!(patterns(&["a/b/c", "a/b/d"], &["a/c/c"]), ["a/b/*"]);
        assert_eq!(patterns(&["a/b/c", "a/c/d"], &["b/c"]), ["a/*"]);
        // A binding, of one case or of all.
        let of = |case: &str, op: &str| format!("a/{case}[g=2d,op={op},t=u32]");
        let (c, d) = (of("c", ".ca"), of("d", ".ca"));
        assert_eq!(patterns(&[&c, "a/c[g=1d,op=.ca,t=u32]"], &[&of("c", ".cg")]), ["a/c[*,op=.ca,*]"]);
        assert_eq!(patterns(&[&c, &d], &[&of("c", ".cg"), &of("d", ".cg")]), ["a/*[*,op=.ca,*]"]);
        // No single pattern.
        assert_eq!(patterns(&["a/b/c", "x/y/z"], &["a/b/d"]), ["a/b/c", "x/y/z"]);
        // An id is not matched by what it begins with.
        assert_eq!(patterns(&["a/b/c"], &["a/b/c d"]), ["a/b/c"]);
    }

    #[test]
    fn instructions_and_requirements_are_used_where_they_need_fewer_patterns() {
        let families = |names: &[&str]| names.iter().map(|name| name.to_string()).collect::<BTreeSet<_>>();
        let (suld, sust) = (families(&["add", "suld.b"]), families(&["add", "sust.b"]));
        let covers = |name: &str| vec![name.to_owned()];
        let (clamp, zero) = (covers("clamp"), covers("zero"));
        fn of<'v>(id: &'v str, covers: &'v [String], instructions: &'v BTreeSet<String>) -> Selected<'v> {
            Selected { id, covers, instructions: Some(instructions) }
        }
        let wanted = [of("a/1", &clamp, &suld), of("b/2", &zero, &suld), of("c/3", &clamp, &suld)];
        let unwanted = [of("a/2", &clamp, &sust), of("b/1", &zero, &sust), of("c/1", &zero, &sust)];
        let found = fewest(&wanted, &unwanted);
        assert_eq!(found.words(), "instruction `suld.b`");
        // Here it takes both: neither all of `suld.b` nor all of `clamp` fails.
        let wanted = [of("a/1", &clamp, &suld), of("b/2", &clamp, &suld), of("c/3", &clamp, &suld)];
        let unwanted = [of("a/2", &clamp, &sust), of("b/1", &zero, &suld), of("c/1", &zero, &suld)];
        assert_eq!(fewest(&wanted, &unwanted).words(), "requirement `clamp` and instruction `suld.b`");
        // What did not run may have any instruction.
        let unknown = Selected { instructions: None, ..unwanted[0] };
        assert_eq!(fewest(&wanted, &[unknown]).words(), "variant `a/1` or `b/2` or 1 others");
    }

    /// No fewer patterns of these candidates do: tried for every set of failing variants of a small corpus.
    #[test]
    fn no_fewer_candidates_would_do_in_small_corpora() {
        let all = ["a/x[t=1]", "a/x[t=2]", "a/y[t=1]", "a/y[t=2]", "b/x[t=1]", "b/z"];
        for set in 1..1_u32 << all.len() {
            let is_in = |index: &usize| set & 1 << index != 0;
            let (wanted, unwanted): (Vec<usize>, Vec<usize>) = (0..all.len()).partition(is_in);
            let of = |indices: &[usize]| indices.iter().map(|index| all[*index]).collect::<Vec<_>>();
            let (wanted, unwanted) = (of(&wanted), of(&unwanted));
            let found = patterns(&wanted, &unwanted).len();
            let allowed: Vec<Pattern> = wanted
                .iter()
                .flat_map(|id| candidates(id))
                .collect::<BTreeSet<_>>()
                .into_iter()
                .map(Pattern::new)
                .filter(|pattern| !unwanted.iter().any(|id| pattern.matches_whole(id)))
                .collect();
            let enough = |choice: u32| {
                let chosen = allowed.iter().enumerate().filter(|(index, _)| choice & 1 << index != 0);
                let chosen: Vec<&Pattern> = chosen.map(|(_, pattern)| pattern).collect();
                wanted.iter().all(|id| chosen.iter().any(|pattern| pattern.matches_whole(id)))
            };
            let choices = 0..1_u32 << allowed.len().min(20);
            let fewest =
                choices.filter(|choice| choice.count_ones() < found as u32).find(|choice| enough(*choice));
            assert_eq!(fewest, None, "{wanted:?}: {found} patterns");
        }
    }
}
