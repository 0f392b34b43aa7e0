//! What the rows that a target gets wrong have in common: `with .a2d and x < 0`.
//!
//! The search only looks for conditions that hold for every wrong row, and takes those that leave the fewest right rows; so it states facts
//! about the rows that were looked at, and how many right ones are like them. If the wrong rows are of two kinds, each kind is described.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

/// Most conditions of a clause.
const CONDITIONS: usize = 3;
/// Most conditions by which the wrong rows are taken to be of two kinds.
const SPLITS: usize = 48;

/// What is known of a row: the columns by which wrong rows may differ from right ones.
#[derive(Clone, Debug, Default)]
pub(crate) struct SeenRow {
    pub(crate) wrong: bool,
    /// Parts of the instruction: `.a2d`, `.b32`.
    pub(crate) parts: BTreeSet<String>,
    /// Matrix bindings and formats, by name.
    pub(crate) words: BTreeMap<String, String>,
    /// Inputs that are integers, by column.
    pub(crate) numbers: BTreeMap<String, i128>,
}

/// A condition on a row.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Condition {
    Has(String),
    Lacks(String),
    Is(String, String),
    Negative(String),
    Equals(String, i128),
    Not(String, i128),
    Least(String, i128),
    Most(String, i128),
}

impl Condition {
    fn holds(&self, row: &SeenRow) -> bool {
        let number = |column: &String, test: &dyn Fn(i128) -> bool| {
            row.numbers.get(column).is_some_and(|number| test(*number))
        };
        match self {
            Self::Has(part) => row.parts.contains(part),
            Self::Lacks(part) => !row.parts.contains(part),
            Self::Is(name, value) => row.words.get(name) == Some(value),
            Self::Negative(column) => number(column, &|it| it < 0),
            Self::Equals(column, value) => number(column, &|it| it == *value),
            Self::Not(column, value) => number(column, &|it| it != *value),
            Self::Least(column, value) => number(column, &|it| it >= *value),
            Self::Most(column, value) => number(column, &|it| it <= *value),
        }
    }

    fn words(&self) -> String {
        match self {
            Self::Has(part) => format!("with {part}"),
            Self::Lacks(part) => format!("without {part}"),
            Self::Is(name, value) => format!("{name} is {value}"),
            Self::Negative(column) => format!("{column} < 0"),
            Self::Equals(column, value) => format!("{column} = {value}"),
            Self::Not(column, value) => format!("{column} is not {value}"),
            Self::Least(column, value) => format!("{column} >= {value}"),
            Self::Most(column, value) => format!("{column} <= {value}"),
        }
    }
}

/// What wrong rows have in common.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Pattern {
    /// One clause, or two of which each wrong row fits one: their conditions in words.
    pub clauses: Vec<Vec<String>>,
    /// The wrong rows that were looked at. Each fits a clause.
    pub wrong: usize,
    /// The right rows that were looked at.
    pub right: usize,
    /// The right rows that fit a clause as well.
    pub right_alike: usize,
}

impl Pattern {
    /// In words: `with .a2d and x < 0: all 12 rows that differ, and none of 340 that agree`.
    pub fn words(&self) -> String {
        let clauses: Vec<String> = self.clauses.iter().map(|clause| clause.join(" and ")).collect();
        let rows = |count: usize| if count == 1 { "row" } else { "rows" };
        let alike = match (self.right_alike, self.right) {
            (0, 1) => "not the one that agrees".to_owned(),
            (0, right) => format!("none of {right} that agree"),
            (some, right) => format!("{some} of {right} that agree"),
        };
        let all = if self.wrong == 1 { "the one" } else { "all" };
        let count = if self.wrong == 1 { String::new() } else { format!(" {}", self.wrong) };
        let differ = if self.wrong == 1 { "differs" } else { "differ" };
        let rows = rows(self.wrong);
        format!("{}: {all}{count} {rows} that {differ}, and {alike}", clauses.join("; or "))
    }
}

/// A set of rows, a bit each.
#[derive(Clone, PartialEq)]
struct RowSet(Vec<u64>);

impl RowSet {
    fn of(rows: &[&SeenRow], holds: impl Fn(&SeenRow) -> bool) -> Self {
        let mut words = vec![0; rows.len().div_ceil(64)];
        for (index, _) in rows.iter().enumerate().filter(|(_, row)| holds(row)) {
            words[index / 64] |= 1 << (index % 64);
        }
        Self(words)
    }

    fn and(&self, other: &Self) -> Self {
        Self(self.0.iter().zip(&other.0).map(|(a, b)| a & b).collect())
    }

    fn or(&self, other: &Self) -> Self {
        Self(self.0.iter().zip(&other.0).map(|(a, b)| a | b).collect())
    }

    fn count(&self) -> usize {
        self.0.iter().map(|word| word.count_ones() as usize).sum()
    }
}

/// What the wrong rows have in common and fewer than half of the right rows have. `None` if there is no such thing, or no row to compare
/// with.
pub(crate) fn pattern(rows: &[SeenRow]) -> Option<Pattern> {
    let (wrong, right): (Vec<&SeenRow>, Vec<&SeenRow>) = rows.iter().partition(|row| row.wrong);
    if wrong.is_empty() || right.is_empty() {
        return None;
    }
    let mut best = clause(&wrong, &right).map(|(conditions, alike)| (vec![conditions], alike));
    if best.as_ref().is_none_or(|(_, alike)| alike.count() > 0) {
        let left = best.as_ref().map_or(right.len(), |(_, alike)| alike.count());
        let split = kinds(&wrong).into_iter().take(SPLITS).filter_map(|condition| {
            let (one, other): (Vec<&SeenRow>, Vec<&SeenRow>) =
                wrong.iter().copied().partition(|row| condition.holds(row));
            let ((first, a), (second, b)) = (clause(&one, &right)?, clause(&other, &right)?);
            Some((vec![first, second], a.or(&b)))
        });
        let split = split.min_by_key(|(_, alike)| alike.count());
        // Two kinds are said where that says much more than one.
        if let Some(split) = split.filter(|(_, alike)| 2 * alike.count() < left) {
            best = Some(split);
        }
    }
    let (clauses, alike) = best?;
    let right_alike = alike.count();
    let words = |clause: Vec<Condition>| clause.iter().map(Condition::words).collect();
    (2 * right_alike < right.len()).then(|| Pattern {
        clauses: clauses.into_iter().map(words).collect(),
        wrong: wrong.len(),
        right: right.len(),
        right_alike,
    })
}

/// Conditions that hold for all of these wrong rows, and the right rows for which they hold as well. `None` if no condition leaves
/// anything out.
fn clause(wrong: &[&SeenRow], right: &[&SeenRow]) -> Option<(Vec<Condition>, RowSet)> {
    let candidates: Vec<(Condition, RowSet)> = common(wrong, right)
        .into_iter()
        .map(|condition| {
            let set = RowSet::of(right, |row| condition.holds(row));
            (condition, set)
        })
        .collect();
    let mut chosen: Vec<(Condition, RowSet)> = Vec::new();
    let mut left = RowSet::of(right, |_| true);
    while chosen.len() < CONDITIONS {
        // The first of equal ones: they are in the order in which people look at them.
        let best = candidates.iter().min_by_key(|(_, set)| left.and(set).count())?;
        let next = left.and(&best.1);
        if next.count() == left.count() {
            break;
        }
        left = next;
        chosen.push(best.clone());
    }
    // A later condition may say all that an earlier one did.
    let mut place = 0;
    while chosen.len() > 1 && place < chosen.len() {
        let mut others = RowSet::of(right, |_| true);
        for (_, (_, set)) in chosen.iter().enumerate().filter(|(other, _)| *other != place) {
            others = others.and(set);
        }
        if others == left {
            chosen.remove(place);
        } else {
            place += 1;
        }
    }
    // In the order of the candidates: the instruction comes before the coordinates.
    let order = |condition: &Condition| candidates.iter().position(|(known, _)| known == condition);
    let mut conditions: Vec<Condition> = chosen.into_iter().map(|(condition, _)| condition).collect();
    conditions.sort_by_key(order);
    (!conditions.is_empty()).then_some((conditions, left))
}

/// The conditions that hold for all of these rows.
fn common(wrong: &[&SeenRow], right: &[&SeenRow]) -> Vec<Condition> {
    let Some(first) = wrong.first() else { return Vec::new() };
    let all = |condition: &Condition| wrong.iter().all(|row| condition.holds(row));
    let mut conditions: Vec<Condition> = first.parts.iter().cloned().map(Condition::Has).collect();
    conditions.extend(first.words.iter().map(|(name, value)| Condition::Is(name.clone(), value.clone())));
    conditions.extend(first.numbers.keys().cloned().map(Condition::Negative));
    for column in first.numbers.keys() {
        let values = || wrong.iter().filter_map(|row| row.numbers.get(column).copied());
        let (Some(least), Some(most)) = (values().min(), values().max()) else { continue };
        if least == most {
            conditions.push(Condition::Equals(column.clone(), least));
        }
        conditions.push(Condition::Not(column.clone(), 0));
        conditions.push(Condition::Least(column.clone(), least));
        conditions.push(Condition::Most(column.clone(), most));
    }
    let parts: BTreeSet<&String> = right.iter().flat_map(|row| &row.parts).collect();
    conditions.extend(parts.into_iter().cloned().map(Condition::Lacks));
    conditions.retain(all);
    conditions
}

/// Conditions that hold for some of the wrong rows and not for others.
fn kinds(wrong: &[&SeenRow]) -> Vec<Condition> {
    let mut conditions: Vec<Condition> = Vec::new();
    let mut add = |condition: Condition| {
        let some = wrong.iter().filter(|row| condition.holds(row)).count();
        if some > 0 && some < wrong.len() && !conditions.contains(&condition) {
            conditions.push(condition);
        }
    };
    let parts: BTreeSet<&String> = wrong.iter().flat_map(|row| &row.parts).collect();
    parts.into_iter().for_each(|part| add(Condition::Has(part.clone())));
    let columns: BTreeSet<&String> = wrong.iter().flat_map(|row| row.numbers.keys()).collect();
    columns.into_iter().for_each(|column| add(Condition::Negative(column.clone())));
    let words: BTreeSet<(&String, &String)> = wrong.iter().flat_map(|row| &row.words).collect();
    words.into_iter().for_each(|(name, value)| add(Condition::Is(name.clone(), value.clone())));
    conditions
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(wrong: bool, parts: &[&str], numbers: &[(&str, i128)]) -> SeenRow {
        SeenRow {
            wrong,
            parts: parts.iter().map(ToString::to_string).collect(),
            words: BTreeMap::new(),
            numbers: numbers.iter().map(|(name, value)| ((*name).to_owned(), *value)).collect(),
        }
    }

    /// Rows of three forms and some x and y, wrong where `is_wrong` says so.
    fn rows(is_wrong: impl Fn(&str, i128, i128) -> bool) -> Vec<SeenRow> {
        let mut rows = Vec::new();
        for form in [".2d", ".3d", ".a2d"] {
            for x in [-8, -1, 0, 3, 16] {
                for y in [-1, 0, 2, 5] {
                    rows.push(row(is_wrong(form, x, y), &[form, ".b32"], &[("x", x), ("y", y)]));
                }
            }
        }
        rows
    }

    fn words(rows: &[SeenRow]) -> Option<String> {
        pattern(rows).map(|pattern| pattern.words())
    }

    #[test]
    fn a_form_and_a_sign() {
        let rows = rows(|form, x, _| form == ".a2d" && x < 0);
        // Two of five x are negative, with four y each; of 60 rows 52 are left.
        assert_eq!(
            words(&rows).unwrap(),
            "with .a2d and x < 0: all 8 rows that differ, and none of 52 that agree"
        );
    }

    #[test]
    fn two_kinds_of_wrong_rows() {
        let rows = rows(|form, x, y| form == ".2d" && x == 16 || form == ".3d" && y == 5);
        assert_eq!(
            words(&rows).unwrap(),
            "with .2d and x = 16; or with .3d and y = 5: all 9 rows that differ, and none of 51 that agree"
        );
    }

    #[test]
    fn what_right_rows_share_is_counted_and_what_most_share_is_not_said() {
        let mut rows = rows(|form, x, _| form == ".a2d" && x < 0);
        rows.push(row(false, &[".a2d", ".b32"], &[("x", -8), ("y", 0)]));
        assert!(words(&rows).unwrap().ends_with("all 8 rows that differ, and 1 of 53 that agree"));
        // Rows that nothing tells from others.
        let mut alike: Vec<SeenRow> = (0..4).map(|_| row(false, &[".2d"], &[("x", 1)])).collect();
        alike.push(row(true, &[".2d"], &[("x", 1)]));
        assert_eq!(words(&alike), None);
    }

    #[test]
    fn nothing_is_said_without_rows_to_compare_with() {
        assert_eq!(words(&[row(true, &[".2d"], &[])]), None);
        assert_eq!(words(&[row(false, &[".2d"], &[])]), None);
    }
}
