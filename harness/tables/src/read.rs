//! Reads a table of verdicts: `wide` (a column per circumstance), `long` (a line per answer), or `compact` (a string of letters per
//! program).

use std::collections::HashMap;

use warpdiff_targets::ptxas::circumstance::Circumstance;

use super::verdicts::{Program, TableAnswer, Verdicts};

/// An error in a table, with its line.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {message}")]
pub struct Malformed {
    /// Line, from 1.
    pub line: usize,
    /// The error, as a lowercase fragment.
    pub message: String,
}

/// Columns of the long shape, in their order.
const LONG: [&str; 7] = ["id", "source", "ptxas", "version", "target", "arch", "verdict"];
/// Stands in the string of a compact table for a circumstance without an answer.
pub(super) const NOT_ASKED: char = '.';

/// Reads a table.
///
/// # Errors
/// The first line that is malformed.
pub fn read(text: &str) -> Result<Verdicts, Malformed> {
    let mut reader = Reader::default();
    for (index, line) in text.lines().enumerate() {
        reader.line(line).map_err(|message| Malformed { line: index + 1, message })?;
        reader.number += 1;
    }
    if reader.shape.is_none() {
        return Err(Malformed { line: 1, message: "the line with the column names is missing".into() });
    }
    Ok(reader.table)
}

#[derive(Default)]
struct Reader {
    table: Verdicts,
    shape: Option<Shape>,
    /// Programs that all have the same answers to give: of a long table, by id and source.
    known: HashMap<(String, String), usize>,
    /// Index of each circumstance.
    circumstances: HashMap<Circumstance, usize>,
    /// Text before and after the part that differs.
    frames: Vec<[String; 2]>,
    /// Lines read.
    number: usize,
}

#[derive(Clone, Copy)]
enum Shape {
    /// Answers in the columns from the third on, as many as there are circumstances.
    Wide,
    Long,
    Compact,
}

impl Reader {
    fn line(&mut self, line: &str) -> Result<(), String> {
        let cells: Vec<_> = line.split('\t').collect();
        match (self.shape, cells.as_slice()) {
            (_, [""]) => Ok(()),
            (None, [comment]) if comment.starts_with('#') => {
                self.table.origin.push(comment.trim_start_matches('#').trim().to_owned());
                Ok(())
            }
            (None, ["circumstance", name]) => self.circumstance(name.parse()?).map(|_| ()),
            (None, ["frame", before, after]) => {
                self.frames.push([(*before).to_owned(), (*after).to_owned()]);
                Ok(())
            }
            (None, _) => self.columns(&cells),
            (Some(Shape::Wide), _) => self.wide(&cells),
            (Some(Shape::Long), _) => self.long(&cells),
            (Some(Shape::Compact), _) => self.compact(&cells),
        }
    }

    fn columns(&mut self, cells: &[&str]) -> Result<(), String> {
        self.shape = Some(match cells {
            ["id", "frame", "source", "answers"] => Shape::Compact,
            _ if cells.starts_with(&LONG) => Shape::Long,
            ["id", "source", rest @ ..] => {
                for name in rest.iter().take_while(|name| **name != "messages") {
                    self.circumstance(name.parse()?)?;
                }
                Shape::Wide
            }
            _ => {
                return Err(format!(
                    "expected the names of columns: `id source`, then circumstances such as `12.9:8.8:sm_50`; or `{}`; \
                     or `id frame source answers`",
                    LONG.join(" ")
                ));
            }
        });
        Ok(())
    }

    /// The index of a circumstance, which may be new.
    fn circumstance(&mut self, circumstance: Circumstance) -> Result<usize, String> {
        if let Some(index) = self.circumstances.get(&circumstance) {
            return Ok(*index);
        }
        let index = self.table.circumstances.len();
        self.table.circumstances.push(circumstance.clone());
        self.circumstances.insert(circumstance, index);
        Ok(index)
    }

    fn wide(&mut self, cells: &[&str]) -> Result<(), String> {
        let [id, source, answers @ ..] = cells else { return Err("fewer than two cells".into()) };
        let expected = self.table.circumstances.len();
        if answers.len() < expected {
            return Err(format!("{} answers, not {expected}", answers.len()));
        }
        let answers = answers.iter().take(expected).enumerate();
        let answers: Result<_, String> = answers.map(|(index, cell)| Ok((index, answer(cell)?))).collect();
        self.program(id, unescape(source)?, answers?);
        Ok(())
    }

    fn long(&mut self, cells: &[&str]) -> Result<(), String> {
        let [id, source, release, version, target, architecture, verdict, ..] = cells else {
            return Err(format!("{} cells, not {} or more", cells.len(), LONG.len()));
        };
        let circumstance = self.circumstance(Circumstance::of(release, version, target, architecture)?)?;
        let answer = (circumstance, answer(verdict)?);
        let key = ((*id).to_owned(), unescape(source)?);
        match self.known.get(&key) {
            Some(program) => self.table.programs[*program].answers.push(answer),
            None => {
                self.program(id, key.1.clone(), vec![answer]);
                self.known.insert(key, self.table.programs.len() - 1);
            }
        }
        Ok(())
    }

    fn compact(&mut self, cells: &[&str]) -> Result<(), String> {
        let [id, frame, source, letters] = cells else {
            return Err(format!("{} cells, not 4", cells.len()));
        };
        let source = match frame.parse::<usize>().ok().and_then(|index| self.frames.get(index)) {
            Some([before, after]) => format!("{before}{source}{after}"),
            None if *frame == "-" => (*source).to_owned(),
            None => return Err(format!("no frame `{frame}`")),
        };
        let expected = self.table.circumstances.len();
        if letters.chars().count() != expected {
            return Err(format!("{} answers, not {expected}", letters.chars().count()));
        }
        let asked = letters.char_indices().filter(|(_, letter)| *letter != NOT_ASKED);
        let answers: Result<_, String> =
            asked.map(|(index, letter)| Ok((index, answer(letter.encode_utf8(&mut [0; 4]))?))).collect();
        self.program(id, unescape(&source)?, answers?);
        Ok(())
    }

    fn program(&mut self, id: &str, source: String, answers: Vec<(usize, TableAnswer)>) {
        self.table.programs.push(Program { id: id.to_owned(), line: self.number + 1, source, answers });
    }
}

fn answer(cell: &str) -> Result<TableAnswer, String> {
    let all = [TableAnswer::Accepts, TableAnswer::Rejects, TableAnswer::Nothing];
    let found = all.into_iter().find(|answer| cell.chars().eq([answer.letter()]));
    found.ok_or_else(|| format!("`{cell}` is not an answer: expected `A`, `R` or `-`"))
}

/// `\n`, `\t` and `\\` inside a cell.
pub(super) fn unescape(cell: &str) -> Result<String, String> {
    let mut out = String::with_capacity(cell.len());
    let mut letters = cell.chars();
    while let Some(letter) = letters.next() {
        out.push(match letter {
            '\\' => match letters.next() {
                Some('n') => '\n',
                Some('t') => '\t',
                Some('\\') => '\\',
                other => {
                    return Err(format!("unknown escape `\\{}`", other.map_or(String::new(), String::from)));
                }
            },
            letter => letter,
        });
    }
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    const WIDE: &str = "id\tsource\t12.9:8.8:sm_50\t11.8:7.8:sm_50\tmessages\n\
                        a\tone\\ntwo\tA\tR\tno\n\
                        b\tx\\\\y\t-\tA\t\n";
    const LONG_SHAPE: &str = "id\tsource\tptxas\tversion\ttarget\tarch\tverdict\tmessages\n\
                              a\tone\\ntwo\t12.9\t8.8\tsm_50\tsm_50 -c\tA\t\n\
                              a\tone\\ntwo\t11.8\t7.8\tsm_50\tsm_50\tR\tno\n";
    const COMPACT: &str = "# seen somewhere\n\
                           circumstance\t12.9:8.8:sm_50\n\
                           circumstance\t11.8:7.8:sm_50\n\
                           frame\tbefore\\n\t\\nafter\n\
                           id\tframe\tsource\tanswers\n\
                           a\t0\tmiddle\tA.\n\
                           b\t-\twhole\t-R\n";

    #[test]
    fn every_shape_is_read() {
        let wide = read(WIDE).unwrap();
        assert_eq!(wide.circumstances.len(), 2);
        assert_eq!(wide.programs[0].source, "one\ntwo");
        assert_eq!(wide.programs[1].source, "x\\y");
        assert_eq!(wide.programs[1].line, 3);
        assert_eq!(wide.programs[1].answers, [(0, TableAnswer::Nothing), (1, TableAnswer::Accepts)]);
        let long = read(LONG_SHAPE).unwrap();
        assert_eq!(long.programs.len(), 1);
        assert!(long.circumstances[0].relocatable && !long.circumstances[1].relocatable);
        assert_eq!(long.programs[0].answers, [(0, TableAnswer::Accepts), (1, TableAnswer::Rejects)]);
        let compact = read(COMPACT).unwrap();
        assert_eq!(compact.origin, ["seen somewhere"]);
        assert_eq!(compact.programs[0].source, "before\nmiddle\nafter");
        assert_eq!(compact.programs[0].answers, [(0, TableAnswer::Accepts)]);
        assert_eq!(compact.programs[1].answers, [(0, TableAnswer::Nothing), (1, TableAnswer::Rejects)]);
    }

    #[test]
    fn malformed_tables_are_refused_at_their_line() {
        let line = |text: &str| read(text).unwrap_err().line;
        assert_eq!(line(""), 1);
        assert_eq!(line("name\tvalue\n"), 1);
        assert_eq!(line(&WIDE.replace("-\tA", "A")), 3);
        assert_eq!(line(&WIDE.replace("A\tR", "A\tX")), 2);
        assert_eq!(line(&WIDE.replace("\\n", "\\q")), 2);
        assert_eq!(line(&WIDE.replace("12.9:8.8:sm_50", "12.9")), 1);
        assert_eq!(line(&LONG_SHAPE.replace("sm_50 -c", "sm_50 -z")), 2);
        assert_eq!(line(&COMPACT.replace("\tA.", "\tA")), 6);
        assert_eq!(line(&COMPACT.replace("a\t0", "a\t7")), 6);
        assert_eq!(line(&COMPACT.replace("before\\n\t", "before")), 4);
    }
}
