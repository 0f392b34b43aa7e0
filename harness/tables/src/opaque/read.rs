//! Reads a table of opaque initialisers: `long` (a line per circumstance), or `compact` (circumstances by number).

use warpdiff_targets::ptxas::circumstance::Circumstance;

use crate::read::Malformed;

/// Columns of the long shape, the first ones of a line; `messages` may follow.
const LONG: [&str; 10] = [
    "ptxas",
    "ptx_version",
    "target",
    "arch",
    "type",
    "member",
    "value",
    "verdict",
    "cubin_vs_no_initializer",
    "nv_info",
];
/// Columns of the compact shape.
pub(super) const COMPACT: [&str; 6] = ["where", "type", "member", "value", "accepted", "trace"];

/// Initialisers and what became of them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OpaqueTable {
    /// Lines that tell where the table comes from, without their `#`.
    pub origin: Vec<String>,
    /// The initialisers.
    pub rows: Vec<OpaqueRow>,
}

/// `.global .texref t = { member = value };` and what became of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OpaqueRow {
    /// Its line of the table, from 1.
    pub line: usize,
    /// Who assembled it, and how.
    pub circumstance: Circumstance,
    /// `texref`
    pub ty: String,
    /// `filter_mode`
    pub member: String,
    /// `linear`
    pub value: String,
    /// Whether it was accepted.
    pub accepted: bool,
    /// What the assembler kept: `.nv.info attr 0x09: ff ff ff 01`; empty if nothing.
    pub trace: String,
    /// Whether the object differs from that of the variable without an initialiser; `None` where the table does not say.
    pub differs: Option<bool>,
}

/// Whether the text has the columns of such a table.
pub fn is_opaque(text: &str) -> bool {
    let line = text.lines().find(|line| !line.starts_with('#') && !line.starts_with("circumstance\t"));
    line.is_some_and(|line| {
        let columns: Vec<_> = line.split('\t').collect();
        columns == COMPACT || columns.starts_with(&LONG)
    })
}

/// Reads a table.
///
/// # Errors
/// The first line that is malformed.
pub fn read(text: &str) -> Result<OpaqueTable, Malformed> {
    let mut table = OpaqueTable::default();
    let mut circumstances: Vec<Circumstance> = Vec::new();
    let mut compact = None;
    for (index, line) in text.lines().enumerate() {
        let cells: Vec<_> = line.split('\t').collect();
        let number = index + 1;
        let read = match (compact, cells.as_slice()) {
            (_, [""]) => Ok(()),
            (None, [comment]) if comment.starts_with('#') => {
                table.origin.push(comment.trim_start_matches('#').trim().to_owned());
                Ok(())
            }
            (None, ["circumstance", name]) => name.parse().map(|it| circumstances.push(it)),
            (None, columns) if columns == COMPACT => {
                compact = Some(true);
                Ok(())
            }
            (None, columns) if columns.starts_with(&LONG) => {
                compact = Some(false);
                Ok(())
            }
            (None, _) => {
                Err(format!("expected the columns `{}`, or `{}`", LONG.join(" "), COMPACT.join(" ")))
            }
            (Some(true), _) => {
                compact_rows(&cells, &circumstances, number).map(|rows| table.rows.extend(rows))
            }
            (Some(false), _) => long_row(&cells, number).map(|row| table.rows.push(row)),
        };
        read.map_err(|message| Malformed { line: number, message })?;
    }
    match compact {
        None => Err(Malformed { line: 1, message: "the line with the column names is missing".into() }),
        Some(_) => Ok(table),
    }
}

fn long_row(cells: &[&str], line: usize) -> Result<OpaqueRow, String> {
    let [release, version, target, arch, ty, member, value, verdict, differs, trace, ..] = cells else {
        return Err(format!("{} cells, not {} or more", cells.len(), LONG.len()));
    };
    let accepted = match *verdict {
        "accept" => true,
        "reject" => false,
        other => return Err(format!("`{other}` is not a verdict: expected `accept` or `reject`")),
    };
    Ok(OpaqueRow {
        line,
        circumstance: Circumstance::of(release, version, target, arch)?,
        ty: (*ty).to_owned(),
        member: (*member).to_owned(),
        value: (*value).to_owned(),
        accepted,
        trace: (*trace).to_owned(),
        differs: match *differs {
            "same" => Some(false),
            "differs" => Some(true),
            _ => None,
        },
    })
}

fn compact_rows(cells: &[&str], known: &[Circumstance], line: usize) -> Result<Vec<OpaqueRow>, String> {
    let [places, ty, member, value, accepted, trace] = cells else {
        return Err(format!("{} cells, not {}", cells.len(), COMPACT.len()));
    };
    let accepted = match *accepted {
        "A" => true,
        "R" => false,
        other => return Err(format!("`{other}` is not an answer: expected `A` or `R`")),
    };
    let row = |place: &str| {
        let circumstance = place.parse().ok().and_then(|index: usize| known.get(index)).cloned();
        Ok(OpaqueRow {
            line,
            circumstance: circumstance.ok_or_else(|| format!("no circumstance `{place}`"))?,
            ty: (*ty).to_owned(),
            member: (*member).to_owned(),
            value: (*value).to_owned(),
            accepted,
            trace: (*trace).to_owned(),
            differs: None,
        })
    };
    places.split(',').map(row).collect()
}
