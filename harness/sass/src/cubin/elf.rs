//! The ELF file that a cubin is: sections, symbols, relocations. 64 bits, little-endian.
//!
//! Every offset and size of the file is checked: a damaged file is an error, or another answer, and never a panic.

/// Size of a section header.
const SECTION_HEADER: usize = 64;
/// Size of a symbol.
const SYMBOL: usize = 24;
/// Section type of a symbol table.
const SYMBOL_TABLE: u32 = 2;
/// Section type of relocations whose addends stand beside them.
const WITH_ADDENDS: u32 = 4;
/// Section type of memory without contents in the file.
const NO_BITS: u32 = 8;
/// The same in relocatable objects (`ptxas -c`), by what the memory is: `.nv.global`, `.nv.local`, `.nv.shared`.
const NO_BITS_IN_OBJECTS: [u32; 3] = [0x7000_0007, 0x7000_0009, 0x7000_000a];
/// Section type of relocations whose addends stand in the contents.
const WITHOUT_ADDENDS: u32 = 9;

/// A section.
#[derive(Clone, Debug)]
pub(super) struct Section {
    pub(super) name: String,
    pub(super) kind: u32,
    /// `sh_flags`.
    pub(super) flags: usize,
    pub(super) offset: usize,
    pub(super) size: usize,
    pub(super) link: usize,
    pub(super) info: usize,
    pub(super) align: usize,
}

impl Section {
    /// Whether the file has no contents of it.
    pub(super) fn is_empty(&self) -> bool {
        self.kind == NO_BITS || NO_BITS_IN_OBJECTS.contains(&self.kind)
    }
}

/// A symbol.
#[derive(Clone, Debug)]
pub(super) struct Symbol {
    pub(super) name: String,
    /// The low four bits of `st_info`.
    pub(super) kind: u8,
    /// The high four bits of `st_info`.
    pub(super) binding: u8,
    /// `st_other`.
    pub(super) other: u8,
    /// Index of its section.
    pub(super) section: usize,
    /// Offset in its section.
    pub(super) value: usize,
    pub(super) size: usize,
}

/// A relocation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Relocation {
    /// Byte offset in the section that it changes.
    pub(super) offset: usize,
    /// Its type, `R_CUDA_…`.
    pub(super) kind: u32,
    /// Index of its symbol.
    pub(super) symbol: usize,
    /// Added to the symbol's address; `None` if it stands in the contents.
    pub(super) addend: Option<i64>,
}

/// A file whose tables have been read.
pub(super) struct Elf<'f> {
    file: &'f [u8],
    /// The low byte of `e_flags`: 50 for sm_50.
    pub(super) architecture: u32,
    /// `e_flags`.
    pub(super) flags: u32,
    pub(super) sections: Vec<Section>,
    /// The symbols of the first symbol table.
    pub(super) symbols: Vec<Symbol>,
}

impl<'f> Elf<'f> {
    /// Reads the tables of a file.
    ///
    /// # Errors
    /// How the file is malformed, as a lowercase fragment.
    pub(super) fn read(file: &'f [u8]) -> Result<Self, String> {
        let cut = || "the cubin ends in the middle of a table".to_string();
        if !file.starts_with(b"\x7fELF\x02\x01") {
            return Err("the file is not a cubin: it is not a 64-bit little-endian ELF file".into());
        }
        let flags = number(file, 0x30, 4).ok_or_else(cut)? as u32;
        // Version 8 of the ABI, in which ptxas 12.9 writes cubins from sm_100 on, has the architecture one byte further up.
        const ABI_VERSION: usize = 8;
        let moved = file.get(ABI_VERSION).is_some_and(|version| *version >= 8);
        let architecture = (if moved { flags >> 8 } else { flags }) & 0xff;
        let sections = sections(file).ok_or_else(cut)?;
        let table = sections.iter().find(|section| section.kind == SYMBOL_TABLE);
        let symbols = match table {
            Some(table) => symbols(file, &sections, table).ok_or_else(cut)?,
            None => Vec::new(),
        };
        Ok(Self { file, architecture, flags, sections, symbols })
    }

    /// The index of the section with that name.
    pub(super) fn section(&self, name: &str) -> Option<usize> {
        self.sections.iter().position(|section| section.name == name)
    }

    /// The contents of a section; nothing where the file has none.
    pub(super) fn contents(&self, section: &Section) -> &'f [u8] {
        if section.is_empty() {
            return &[];
        }
        let end = section.offset.saturating_add(section.size);
        self.file.get(section.offset..end).unwrap_or_default()
    }

    /// The relocations of the section with that index, in order of their tables.
    ///
    /// # Errors
    /// If one names no symbol.
    pub(super) fn relocations(&self, of: usize) -> Result<Vec<Relocation>, String> {
        let mut all = Vec::new();
        for table in self.sections.iter().filter(|section| section.info == of) {
            let size = match table.kind {
                WITHOUT_ADDENDS => 16,
                WITH_ADDENDS => 24,
                _ => continue,
            };
            for entry in self.contents(table).chunks_exact(size) {
                let field = |at, size| number(entry, at, size).unwrap_or(0);
                let relocation = Relocation {
                    offset: field(0, 8),
                    kind: field(8, 4) as u32,
                    symbol: field(12, 4),
                    addend: (size == 24).then(|| field(16, 8) as i64),
                };
                if relocation.symbol >= self.symbols.len() {
                    return Err(format!(
                        "a relocation of section {} names no symbol",
                        self.sections[of].name
                    ));
                }
                all.push(relocation);
            }
        }
        Ok(all)
    }
}

fn sections(file: &[u8]) -> Option<Vec<Section>> {
    let (table, count) = (number(file, 0x28, 8)?, number(file, 0x3c, 2)?);
    let names = number(file, 0x3e, 2)?;
    let header = |index: usize| {
        let at = table.checked_add(index * SECTION_HEADER)?;
        file.get(at..at.checked_add(SECTION_HEADER)?)
    };
    let strings = number(header(names)?, 24, 8)?;
    let one = |index: usize| {
        let header = header(index)?;
        let section = Section {
            name: text(file, strings.checked_add(number(header, 0, 4)?)?)?,
            kind: u32::try_from(number(header, 4, 4)?).ok()?,
            flags: number(header, 8, 8)?,
            offset: number(header, 24, 8)?,
            size: number(header, 32, 8)?,
            link: number(header, 40, 4)?,
            info: number(header, 44, 4)?,
            align: number(header, 48, 8)?,
        };
        // From here on offset and size are known to lie in the file.
        let end = section.offset.checked_add(section.size)?;
        (section.is_empty() || end <= file.len()).then_some(section)
    };
    (0..count).map(one).collect()
}

fn symbols(file: &[u8], sections: &[Section], table: &Section) -> Option<Vec<Symbol>> {
    let strings = sections.get(table.link)?.offset;
    let one = |index: usize| {
        let at = table.offset + index * SYMBOL;
        Some(Symbol {
            name: text(file, strings.checked_add(number(file, at, 4)?)?)?,
            kind: file.get(at + 4)? & 0xF,
            binding: file.get(at + 4)? >> 4,
            other: *file.get(at + 5)?,
            section: number(file, at + 6, 2)?,
            value: number(file, at + 8, 8)?,
            size: number(file, at + 16, 8)?,
        })
    };
    (0..table.size / SYMBOL).map(one).collect()
}

/// A little-endian number of `size` bytes.
pub(super) fn number(bytes: &[u8], at: usize, size: usize) -> Option<usize> {
    let bytes = bytes.get(at..at.checked_add(size)?)?;
    let value = bytes.iter().rev().fold(0_u64, |value, byte| value << 8 | u64::from(*byte));
    usize::try_from(value).ok()
}

/// A string that ends with a zero byte.
fn text(file: &[u8], at: usize) -> Option<String> {
    let rest = file.get(at..)?;
    let end = rest.iter().position(|byte| *byte == 0)?;
    Some(String::from_utf8_lossy(&rest[..end]).into_owned())
}
