//! The line table of a cubin: which line of the PTX text each machine word was made of. ptxas writes it with `-lineinfo` into section
//! `.nv_debug_line_sass`, as a DWARF 2 line program, one sequence for each section of code. The sequence names its section by a
//! relocation of the address that it begins with.

use super::elf::{Elf, number};

/// The section of the table.
const TABLE: &str = ".nv_debug_line_sass";
/// The section with the program's text: lines without their indentation, a zero byte behind each.
pub(super) const TEXT: &str = ".nv_debug_ptx_txt";

/// Standard opcodes of DWARF 2.
const EXTENDED: u8 = 0;
const COPY: u8 = 1;
const ADVANCE_ADDRESS: u8 = 2;
const ADVANCE_LINE: u8 = 3;
const ADVANCE_BY_CONSTANT: u8 = 8;
const ADVANCE_BY_FIXED: u8 = 9;
/// Extended opcodes.
const END_OF_SEQUENCE: u8 = 1;
const SET_ADDRESS: u8 = 2;

/// A row of the table: from here on words are of that line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LineRow {
    /// Byte offset in the section of code, control words included.
    pub address: u32,
    /// Line of the PTX text, from 1.
    pub line: u32,
}

/// The rows of a section of code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Sequence {
    /// Its section.
    pub(super) section: usize,
    /// In order of addresses.
    pub(super) rows: Vec<LineRow>,
}

/// The lines of the program's text, if the file has a copy.
pub(super) fn text(elf: &Elf<'_>) -> Vec<String> {
    let Some(section) = elf.section(TEXT) else { return Vec::new() };
    let contents = elf.contents(&elf.sections[section]);
    let lines = contents.strip_suffix(&[0]).unwrap_or(contents);
    match lines {
        [] => Vec::new(),
        lines => {
            lines.split(|byte| *byte == 0).map(|line| String::from_utf8_lossy(line).into_owned()).collect()
        }
    }
}

/// The sequences of a file; none if it has no table.
///
/// # Errors
/// If the table is cut off, or of another version.
pub(super) fn sequences(elf: &Elf<'_>) -> Result<Vec<Sequence>, String> {
    let Some(index) = elf.section(TABLE) else { return Ok(Vec::new()) };
    let relocations = elf.relocations(index)?;
    // The address at a place of the table: its section, and the offset in it.
    let address_at = |place: usize, stored: usize| {
        let relocation = relocations.iter().find(|relocation| relocation.offset == place)?;
        let symbol = &elf.symbols[relocation.symbol];
        let addend = relocation.addend.map_or(stored, |addend| addend as usize);
        Some((symbol.section, symbol.value.wrapping_add(addend)))
    };
    let table = elf.contents(&elf.sections[index]);
    let mut all = Vec::new();
    let mut at = 0;
    while at < table.len() {
        let unit = Unit::read(table, at).ok_or_else(|| format!("section {TABLE} is malformed"))??;
        at = unit.end;
        all.extend(unit.run(table, &address_at).ok_or_else(|| format!("section {TABLE} is malformed"))?);
    }
    Ok(all)
}

/// The head of a line program.
struct Unit {
    /// Where its program begins and ends in the table.
    start: usize,
    end: usize,
    smallest_instruction: usize,
    line_base: i64,
    line_range: u8,
    opcode_base: u8,
    /// The number of arguments of each standard opcode, from 1.
    argument_counts: Vec<u8>,
}

impl Unit {
    /// The unit at an offset of the table; `None` if it is cut off, an error for another version.
    fn read(table: &[u8], at: usize) -> Option<Result<Unit, String>> {
        let byte = |offset: usize| table.get(at + offset).copied();
        let end = at.checked_add(4)?.checked_add(number(table, at, 4)?)?;
        let version = number(table, at + 4, 2)?;
        if version != 2 {
            return Some(Err(format!("section {TABLE} is of DWARF version {version}, not 2")));
        }
        let start = (at + 10).checked_add(number(table, at + 6, 4)?)?;
        let (smallest_instruction, line_base, line_range, opcode_base) =
            (byte(10)?.into(), i64::from(byte(12)? as i8), byte(13)?, byte(14)?);
        let counts = table.get(at + 15..at + 14 + usize::from(opcode_base.max(1)))?;
        let sound = start <= end && end <= table.len() && line_range > 0;
        sound.then(|| {
            Ok(Unit {
                start,
                end,
                smallest_instruction,
                line_base,
                line_range,
                opcode_base,
                argument_counts: counts.to_vec(),
            })
        })
    }

    /// Runs the program: the rows of each of its sequences; `None` if it is cut off.
    fn run(
        &self,
        table: &[u8],
        address_at: impl Fn(usize, usize) -> Option<(usize, usize)>,
    ) -> Option<Vec<Sequence>> {
        let mut program = Reader { table: table.get(..self.end)?, at: self.start };
        let mut all = Vec::new();
        let (mut address, mut line, mut section, mut rows) = (0_usize, 1_i64, None, Vec::new());
        let advanced =
            |address: usize, by: usize| address.wrapping_add(by.wrapping_mul(self.smallest_instruction));
        // The address advance of a special opcode.
        let special = |opcode: u8| usize::from((opcode - self.opcode_base) / self.line_range);
        while program.at < self.end {
            let opcode = program.byte()?;
            match opcode {
                _ if opcode >= self.opcode_base => {
                    address = advanced(address, special(opcode));
                    line += self.line_base + i64::from((opcode - self.opcode_base) % self.line_range);
                    rows.push(row(address, line)?);
                }
                EXTENDED => {
                    let length = program.unsigned()? as usize;
                    let next = program.at.checked_add(length)?;
                    match program.byte()? {
                        END_OF_SEQUENCE => {
                            if let Some(section) = section {
                                rows.sort_by_key(|row: &LineRow| row.address);
                                all.push(Sequence { section, rows });
                            }
                            (address, line, section, rows) = (0, 1, None, Vec::new());
                        }
                        SET_ADDRESS => {
                            let stored = number(program.table, program.at, length.checked_sub(1)?)?;
                            let (home, offset) = address_at(program.at, stored)?;
                            (section, address) = (Some(home), offset);
                        }
                        // Names of files, and what NVIDIA adds about inlined functions.
                        _ => {}
                    }
                    program.at = next;
                }
                COPY => rows.push(row(address, line)?),
                ADVANCE_ADDRESS => address = advanced(address, program.unsigned()? as usize),
                ADVANCE_LINE => line = line.wrapping_add(program.signed()?),
                ADVANCE_BY_CONSTANT => address = advanced(address, special(u8::MAX)),
                ADVANCE_BY_FIXED => {
                    address = address.wrapping_add(number(program.table, program.at, 2)?);
                    program.at += 2;
                }
                // File, column, statement and block: they say nothing about lines.
                _ => {
                    for _ in 0..*self.argument_counts.get(usize::from(opcode) - 1)? {
                        program.unsigned()?;
                    }
                }
            }
        }
        Some(all)
    }
}

fn row(address: usize, line: i64) -> Option<LineRow> {
    Some(LineRow { address: u32::try_from(address).ok()?, line: u32::try_from(line).ok()? })
}

/// A place in the table.
struct Reader<'t> {
    table: &'t [u8],
    at: usize,
}

impl Reader<'_> {
    fn byte(&mut self) -> Option<u8> {
        let byte = self.table.get(self.at).copied()?;
        self.at += 1;
        Some(byte)
    }

    /// A number in seven-bit groups, the lowest first: the number, and the bits it is long.
    fn groups(&mut self) -> Option<(u64, u32)> {
        let (mut value, mut bits) = (0_u64, 0);
        loop {
            let byte = self.byte()?;
            value |= u64::from(byte & 0x7f).checked_shl(bits).unwrap_or(0);
            bits += 7;
            if byte & 0x80 == 0 {
                return Some((value, bits));
            }
        }
    }

    /// ULEB128.
    fn unsigned(&mut self) -> Option<u64> {
        self.groups().map(|(value, _)| value)
    }

    /// SLEB128.
    fn signed(&mut self) -> Option<i64> {
        let (value, bits) = self.groups()?;
        let unused = 64_u32.saturating_sub(bits);
        Some((value << unused) as i64 >> unused)
    }
}
