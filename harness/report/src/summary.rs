//! The table at the end of a run: a line per subject and target, totals, goldens, time.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::time::Duration;

use warpdiff_judge::verdict_table::Settled;
use warpdiff_session::session::{Session, Settling};
use warpdiff_session::verdict::Verdict;
use warpdiff_terminal::style::Style;

/// Counts of one line of the table.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Variants.
    pub variants: usize,
    /// Rows of their tables.
    pub rows: usize,
    statuses: BTreeMap<usize, usize>,
}

/// Columns of the table, in this order; empty ones are left out, except the first.
const COLUMNS: [(Settled, &str); 15] = [
    (Settled::Pass, "conforms"),
    (Settled::Fail, "violates"),
    (Settled::Flaky, "flaky"),
    (Settled::OtherFailure, "changed"),
    (Settled::KnownFailure, "known"),
    (Settled::KnownFlake, "known flaky"),
    (Settled::AsProfiled, "as profiled"),
    (Settled::OtherChoice, "other choice"),
    (Settled::UnexpectedPass, "unexpected"),
    (Settled::Undecided, "undecided"),
    (Settled::Characterised, "characterised"),
    (Settled::Skip, "not judged"),
    (Settled::LeftOut, "left out"),
    (Settled::CorpusError, "corpus error"),
    (Settled::Error, "error"),
];

/// Width of a column of counts.
const ROOMY: usize = 12;
/// Usual width of a terminal, in columns.
const TERMINAL: usize = 80;

impl Counts {
    /// Counts one more variant.
    pub fn add(&mut self, rows: usize, settled: Settled) {
        self.variants += 1;
        self.rows += rows;
        let column = COLUMNS.iter().position(|(status, _)| *status == settled).unwrap_or(COLUMNS.len() - 1);
        *self.statuses.entry(column).or_default() += 1;
    }

    /// How many variants have this status.
    pub fn of(&self, settled: Settled) -> usize {
        let column = COLUMNS.iter().position(|(status, _)| *status == settled);
        column.and_then(|column| self.statuses.get(&column)).copied().unwrap_or(0)
    }

    fn merge(&mut self, other: &Counts) {
        self.variants += other.variants;
        self.rows += other.rows;
        for (column, count) in &other.statuses {
            *self.statuses.entry(*column).or_default() += count;
        }
    }
}

/// The counts of a session: for each target, or for the reference without targets, the text of the table's corner and the table.
pub fn summaries<'s>(session: &'s Session<'_>, settling: &Settling) -> Vec<(&'s str, Summary)> {
    let table = |settled: &dyn Fn(&Verdict<'_>) -> Settled| {
        let mut summary = Summary::default();
        for verdict in &session.verdicts {
            summary.add(&verdict.variant.subject, verdict.rows, settled(verdict));
        }
        summary
    };
    if session.targets.is_empty() {
        return vec![("reference", table(&|verdict| settling.reference(verdict)))];
    }
    let target = |index: usize| table(&|verdict| settling.target(verdict, &verdict.targets[index]));
    session.targets.iter().enumerate().map(|(index, name)| (name.as_str(), target(index))).collect()
}

/// The counts of a run against one target (or of the reference alone), by subject.
#[derive(Clone, Debug, Default)]
pub struct Summary {
    subjects: BTreeMap<String, Counts>,
}

impl Summary {
    /// Counts one more variant of a subject.
    pub fn add(&mut self, subject: &str, rows: usize, settled: Settled) {
        self.subjects.entry(subject.to_string()).or_default().add(rows, settled);
    }

    /// The subjects in alphabetical order.
    pub fn subjects(&self) -> impl Iterator<Item = (&str, &Counts)> {
        self.subjects.iter().map(|(subject, counts)| (subject.as_str(), counts))
    }

    /// The columns that are shown: the first, and all that are not empty.
    pub fn columns(&self) -> Vec<(Settled, &'static str)> {
        let total = self.total();
        let shown = |(index, (status, _)): &(usize, &(Settled, &str))| *index == 0 || total.of(*status) > 0;
        COLUMNS.iter().enumerate().filter(shown).map(|(_, column)| *column).collect()
    }

    /// The counts of all subjects together.
    pub fn total(&self) -> Counts {
        let mut total = Counts::default();
        self.subjects.values().for_each(|counts| total.merge(counts));
        total
    }

    /// The table. `who` is in its corner, or above it if the table would be wider than a usual terminal.
    pub fn render(&self, who: &str, style: Style) -> String {
        let total = self.total();
        let names = self.subjects.keys().map(|s| s.chars().count()).chain([8]).max().unwrap_or(8);
        let long = who.chars().count();
        let fits = long <= names || table(long, &widths(self.columns(), long, &total)) <= TERMINAL;
        let mut text = String::new();
        if !fits {
            let _ = writeln!(text, "{}", style.strong().paint(who));
        }
        let (who, width) = if fits { (who, names.max(long)) } else { ("", names) };
        let shown = widths(self.columns(), width, &total);
        let _ = write!(text, "{:width$} {:>9} {:>8}", style.strong().paint(who), "variants", "rows");
        for (_, title, cells) in &shown {
            let _ = write!(text, " {title:>cells$}");
        }
        text.push('\n');
        for (subject, counts) in &self.subjects {
            line(&mut text, subject, width, counts, &shown, style);
        }
        line(&mut text, "total", width, &total, &shown, style);
        text
    }
}

/// How wide the table is with such columns: the name, variants and rows, and each column with the blank before it.
fn table(name: usize, columns: &[(Settled, &'static str, usize)]) -> usize {
    name + 10 + 9 + columns.iter().map(|(.., cells)| cells + 1).sum::<usize>()
}

/// The columns with their widths: wide, or, if the table would be wider than a usual terminal, as narrow as their titles and
/// numbers.
fn widths(
    columns: Vec<(Settled, &'static str)>,
    name: usize,
    total: &Counts,
) -> Vec<(Settled, &'static str, usize)> {
    // The name, variants and rows, and each column with the blank before it.
    let roomy = name + 10 + 9 + columns.len() * (ROOMY + 1);
    let narrow = |settled: Settled, title: &str| title.len().max(total.of(settled).to_string().len()) + 1;
    let width = |(settled, title): (Settled, &'static str)| {
        (settled, title, if roomy > TERMINAL { narrow(settled, title) } else { ROOMY })
    };
    columns.into_iter().map(width).collect()
}

fn line(
    text: &mut String,
    name: &str,
    width: usize,
    counts: &Counts,
    shown: &[(Settled, &str, usize)],
    style: Style,
) {
    let _ = write!(text, "{name:width$} {:>9} {:>8}", counts.variants, counts.rows);
    for (column, _, cells) in shown {
        let count = counts.of(*column);
        let paint = match (count, *column) {
            (0, _) => style.faint(),
            (_, Settled::Pass | Settled::KnownFailure | Settled::KnownFlake | Settled::AsProfiled) => {
                style.good()
            }
            (_, Settled::Skip | Settled::LeftOut | Settled::Characterised) => style.plain(),
            (_, Settled::Undecided | Settled::UnexpectedPass | Settled::OtherChoice) => style.warn(),
            _ => style.bad(),
        };
        let shown = if count == 0 { "·".to_string() } else { count.to_string() };
        let _ = write!(text, " {:>cells$}", paint.paint(shown));
    }
    text.push('\n');
}

/// A time as people write it.
pub fn duration(elapsed: Duration) -> String {
    let seconds = elapsed.as_secs_f64();
    if seconds < 1.0 { format!("{:.0} ms", seconds * 1e3) } else { format!("{seconds:.2} s") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn subjects_are_sorted_and_empty_columns_left_out() {
        let mut summary = Summary::default();
        summary.add("suld", 3, Settled::Pass);
        summary.add("arithmetic", 2, Settled::Pass);
        summary.add("arithmetic", 2, Settled::Fail);
        let expected = "\
emulator    variants     rows     conforms     violates
arithmetic         2        4            1            1
suld               1        3            1            ·
total              3        7            2            1
";
        assert_eq!(summary.render("emulator", Style::new(false)), expected);
    }

    #[test]
    fn a_long_name_stands_above_the_table() {
        let mut summary = Summary::default();
        summary.add("suld", 3, Settled::Pass);
        summary.add("suld", 3, Settled::Skip);
        let who = "process:/opt/an emulator/in a folder/of its own/bin/serve --verbose";
        let expected = format!(
            "{who}\n          variants     rows     conforms   not judged\n\
             suld             2        6            1            1\n\
             total            2        6            1            1\n"
        );
        assert_eq!(summary.render(who, Style::new(false)), expected);
    }

    #[test]
    fn a_table_of_many_columns_is_narrower() {
        let mut summary = Summary::default();
        for settled in [Settled::Pass, Settled::Fail, Settled::Undecided, Settled::Skip, Settled::CorpusError]
        {
            summary.add("surface-examples", 3, settled);
        }
        let expected = "\
reference         variants     rows  conforms  violates  undecided  not judged  corpus error
surface-examples         5       15         1         1          1           1             1
total                    5       15         1         1          1           1             1
";
        assert_eq!(summary.render("reference", Style::new(false)), expected);
    }
}
