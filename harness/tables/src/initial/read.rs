//! Reads a table of initial bytes: `long` (a line per variable), or `compact` (circumstances by number, programs once).

use std::collections::HashMap;

use warpdiff_sass::cubin::{Emitted, EmittedAddress};
use warpdiff_targets::ptxas::circumstance::Circumstance;

use super::programs::{EmittedProgram, InitialTable};
use crate::read::{Malformed, unescape};

/// Columns of the long shape that are read; further ones are not.
const LONG: [&str; 12] = [
    "id",
    "ptxas",
    "ptx_version",
    "target",
    "arch",
    "symbol",
    "section",
    "section_align",
    "offset",
    "size",
    "bytes_le_hex",
    "relocations",
];
/// The column of the long shape with the program.
const PROGRAM: &str = "snippet";
/// Columns of the compact shape.
pub(super) const COMPACT: [&str; 10] =
    ["id", "source", "where", "symbol", "section", "align", "offset", "size", "bytes", "relocations"];
/// In the compact shape: the source of the line above.
pub(super) const SAME: &str = "=";
/// In the compact shape: zero bytes, as many as the size says.
pub(super) const ZEROS: &str = "0";
/// In the long shape: the section has no bytes in the file, which means zero.
const NO_BITS: &str = "nobits";
/// Limit of the bytes kept of a variable.
const LONGEST: u64 = 1 << 20;

/// Whether the text has the columns of such a table.
pub fn is_initial(text: &str) -> bool {
    let line = text.lines().find(|line| !line.starts_with('#') && !line.starts_with("circumstance\t"));
    line.is_some_and(|line| {
        let columns: Vec<_> = line.split('\t').collect();
        columns == COMPACT || LONG.iter().all(|name| columns.contains(name))
    })
}

/// Reads a table.
///
/// # Errors
/// The first line that is malformed.
pub fn read(text: &str) -> Result<InitialTable, Malformed> {
    let mut reader = Reader::default();
    for (index, line) in text.lines().enumerate() {
        reader.line(line, index + 1).map_err(|message| Malformed { line: index + 1, message })?;
    }
    if reader.shape.is_none() {
        return Err(Malformed { line: 1, message: "the line with the column names is missing".into() });
    }
    Ok(reader.table)
}

#[derive(Default)]
struct Reader {
    table: InitialTable,
    shape: Option<Shape>,
    /// Of a compact table, by number.
    circumstances: Vec<Circumstance>,
    /// The id and source of the line above, in a compact table.
    last: Option<(String, Option<String>)>,
    /// Index of each program.
    known: HashMap<(String, Circumstance, Option<String>), usize>,
}

enum Shape {
    /// The places of the columns of [`LONG`], and of the program.
    Long([usize; 12], Option<usize>),
    Compact,
}

impl Reader {
    fn line(&mut self, line: &str, number: usize) -> Result<(), String> {
        let cells: Vec<_> = line.split('\t').collect();
        match (&self.shape, cells.as_slice()) {
            (_, [""]) => Ok(()),
            (None, [comment]) if comment.starts_with('#') => {
                self.table.origin.push(comment.trim_start_matches('#').trim().to_owned());
                Ok(())
            }
            (None, ["circumstance", name]) => {
                self.circumstances.push(name.parse()?);
                Ok(())
            }
            (None, _) => self.columns(&cells),
            (Some(Shape::Long(places, program)), _) => {
                let (places, program) = (*places, *program);
                self.long(&cells, places, program, number)
            }
            (Some(Shape::Compact), _) => self.compact(&cells, number),
        }
    }

    fn columns(&mut self, cells: &[&str]) -> Result<(), String> {
        if cells == COMPACT {
            self.shape = Some(Shape::Compact);
            return Ok(());
        }
        let mut places = [0; 12];
        for (place, name) in places.iter_mut().zip(LONG) {
            *place = cells.iter().position(|cell| *cell == name).ok_or_else(|| {
                format!("no column `{name}`: expected `{}`, or `{}`", LONG.join(" "), COMPACT.join(" "))
            })?;
        }
        self.shape = Some(Shape::Long(places, cells.iter().position(|cell| *cell == PROGRAM)));
        Ok(())
    }

    fn long(
        &mut self,
        cells: &[&str],
        places: [usize; 12],
        program: Option<usize>,
        number: usize,
    ) -> Result<(), String> {
        let mut found = [""; 12];
        for (found, (place, name)) in found.iter_mut().zip(places.into_iter().zip(LONG)) {
            *found = cells.get(place).ok_or_else(|| format!("no cell `{name}`"))?;
        }
        let [id, release, version, target, architecture, rest @ ..] = found;
        let circumstance = Circumstance::of(release, version, target, architecture)?;
        let source = match program.and_then(|place| cells.get(place)) {
            None | Some(&"") => None,
            Some(cell) => Some(unescape(cell)?),
        };
        let variable = variable(&rest)?;
        self.add(id, circumstance, source, (number, variable));
        Ok(())
    }

    fn compact(&mut self, cells: &[&str], number: usize) -> Result<(), String> {
        let [id, source, places, rest @ ..] = cells else { return Err("fewer than ten cells".into()) };
        let rest: [&str; 7] = rest.try_into().map_err(|_| format!("{} cells, not 10", cells.len()))?;
        let source = match (*source, &self.last) {
            (SAME, Some((last, source))) if last == id => source.clone(),
            (SAME, _) => return Err(format!("`{SAME}` without a line above of the same id")),
            ("", _) => None,
            (source, _) => Some(unescape(source)?),
        };
        self.last = Some(((*id).to_owned(), source.clone()));
        let variable = variable(&rest)?;
        for place in places.split(',') {
            let index = place.parse::<usize>().ok();
            let circumstance = index.and_then(|index| self.circumstances.get(index)).cloned();
            let circumstance = circumstance.ok_or_else(|| format!("no circumstance `{place}`"))?;
            self.add(id, circumstance, source.clone(), (number, variable.clone()));
        }
        Ok(())
    }

    fn add(
        &mut self,
        id: &str,
        circumstance: Circumstance,
        source: Option<String>,
        variable: (usize, Emitted),
    ) {
        let key = (id.to_owned(), circumstance, source);
        if let Some(index) = self.known.get(&key) {
            self.table.programs[*index].variables.push(variable);
            return;
        }
        let (id, circumstance, source) = key.clone();
        self.known.insert(key, self.table.programs.len());
        self.table.programs.push(EmittedProgram { id, circumstance, source, variables: vec![variable] });
    }
}

/// A variable from the cells symbol, section, alignment, offset, size, bytes and relocations.
fn variable(cells: &[&str; 7]) -> Result<Emitted, String> {
    let [name, section, align, offset, size, bytes, addresses] = *cells;
    let size = number(size)?;
    Ok(Emitted {
        managed: false,
        name: name.to_owned(),
        section: section.to_owned(),
        section_align: number(align)?,
        offset: number(offset)?,
        size,
        bytes: match bytes {
            // A section without contents has no bytes in the file.
            _ if section == ".nv.global" => vec![0; size.min(LONGEST) as usize],
            // A variable of no bytes has none to write either.
            NO_BITS | ZEROS | "" => vec![0; size.min(LONGEST) as usize],
            // The table may have only the start of a long one.
            _ => hexadecimal(bytes.strip_suffix("...").unwrap_or(bytes))?,
        },
        addresses: addresses.split(';').filter(|it| !it.is_empty()).map(address).collect::<Result<_, _>>()?,
    })
}

fn number(cell: &str) -> Result<u64, String> {
    cell.parse().map_err(|_| format!("`{cell}` is not a number"))
}

fn hexadecimal(cell: &str) -> Result<Vec<u8>, String> {
    let bad = || format!("`{cell}` is not a string of hexadecimal bytes");
    if !cell.len().is_multiple_of(2) || !cell.is_ascii() {
        return Err(bad());
    }
    let byte = |at: usize| u8::from_str_radix(&cell[at..at + 2], 16).map_err(|_| bad());
    (0..cell.len()).step_by(2).map(byte).collect()
}

/// `+8:type4:foo+4`; the addend may be left out.
fn address(cell: &str) -> Result<EmittedAddress, String> {
    let bad = || format!("`{cell}` is not a relocation such as `+8:type4:foo+4`");
    let (offset, rest) = cell.strip_prefix('+').and_then(|rest| rest.split_once(':')).ok_or_else(bad)?;
    let (kind, target) = rest.strip_prefix("type").and_then(|rest| rest.split_once(':')).ok_or_else(bad)?;
    let sign = target.rfind(['+', '-']).filter(|at| {
        *at > 0 && target[at + 1..].bytes().all(|digit| digit.is_ascii_digit()) && at + 1 < target.len()
    });
    let (symbol, addend) = match sign {
        Some(at) => (&target[..at], target[at..].parse::<i64>().map_err(|_| bad())?),
        None => (target, 0),
    };
    Ok(EmittedAddress {
        offset: offset.parse().map_err(|_| bad())?,
        kind: kind.parse().map_err(|_| bad())?,
        // Some tools write `foo+-4`.
        symbol: symbol.trim_end_matches('+').to_owned(),
        addend,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEAD: &str = "id\tptxas\tptx_version\ttarget\tarch\tsymbol\tsection\tsection_align\toffset\tsize\tbytes_le_hex\telf_bind\telf_type\trelocations\tsnippet\n";

    #[test]
    fn lines_of_one_program_are_gathered() {
        let text = format!(
            "{HEAD}a\t12.9\t8.8\tsm_50\tsm_50\tx\t.nv.global.init\t8\t0\t8\t0000000000000000\t0\t1\t+0:type4:f+4\t.global .u64 x = f+4;\\n\n\
             a\t12.9\t8.8\tsm_50\tsm_50\tf\t.nv.global\t4\t0\t4\tnobits\t0\t1\t\t.global .u64 x = f+4;\\n\n"
        );
        assert!(is_initial(&text));
        let table = read(&text).unwrap();
        let [program] = table.programs.as_slice() else { panic!("{table:?}") };
        assert_eq!(program.source.as_deref(), Some(".global .u64 x = f+4;\n"));
        let [(2, x), (3, f)] = program.variables.as_slice() else { panic!("{program:?}") };
        let expected = EmittedAddress { offset: 0, kind: 4, symbol: "f".into(), addend: 4 };
        assert_eq!(x.addresses, [expected]);
        assert_eq!(f.bytes, [0; 4]);
    }

    #[test]
    fn what_is_malformed_is_said_with_its_line() {
        let line = "a\t12.9\t8.8\tsm_50\tsm_50\tx\t.nv.global.init\t4\t0\t4\tnobits\t0\t1\t\t";
        for (wrong, words) in [
            (line.replace("\t4\t0\t4", "\t4\tzero\t4"), "`zero` is not a number"),
            (line.replace("nobits", "0g"), "hexadecimal"),
            (line.replace("1\t\t", "1\t+0:4:f\t"), "`+8:type4:foo+4`"),
            (line.replace("12.9", "new"), "`new` is not a version"),
            ("a\t12.9".to_owned(), "no cell"),
        ] {
            let error = read(&format!("{HEAD}{wrong}\n")).unwrap_err();
            assert_eq!(error.line, 2);
            assert!(error.message.contains(words), "{}", error.message);
        }
        assert!(read("id\tname\n").unwrap_err().message.contains("no column `ptxas`"));
    }
}
