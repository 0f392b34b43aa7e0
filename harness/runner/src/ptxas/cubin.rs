//! Reads the initial bytes of module-scope variables from a cubin: a 64-bit little-endian ELF file.
//!
//! A variable is a symbol in `.nv.global.init` or `.nv.constant3` (bytes), or in `.nv.global` (no bytes in the file: zero).
//! Where an address goes there is a relocation in `.rel.nv.global.init` or `.rela.…`.

use std::collections::BTreeMap;

/// Initial bytes of variables by name; `None` where an address goes.
pub type InitialBytes = BTreeMap<String, Vec<Option<u8>>>;

/// Bytes of a variable that are read at most; ELF files may state any size for what holds no bytes.
const LONGEST: usize = 1 << 20;

const SECTION_HEADER: usize = 64;
const SYMBOL: usize = 24;
const SYMBOL_TABLE: u32 = 2;
const WITH_ADDENDS: u32 = 4;
const NO_BITS: u32 = 8;
const WITHOUT_ADDENDS: u32 = 9;
/// Symbol type of data.
const OBJECT: u8 = 1;

/// A section header.
#[derive(Clone, Copy)]
struct Section {
    kind: u32,
    name: usize,
    offset: usize,
    size: usize,
    link: usize,
    info: usize,
}

/// Architectures whose instructions are 64-bit words in bundles of three.
const BUNDLED: std::ops::RangeInclusive<u64> = 50..=62;

/// The words of every kernel and function of the file, by name.
///
/// # Errors
/// What is wrong with the file, as a lowercase fragment; for an architecture other than sm_50 to sm_62, too.
pub fn code(file: &[u8]) -> Result<Vec<(String, Vec<u64>)>, String> {
    let cut = || "the cubin ends in the middle of a section".to_string();
    if !file.starts_with(b"\x7fELF\x02\x01") {
        return Err("the cubin is no 64-bit little-endian ELF file".into());
    }
    // The low byte of `e_flags`.
    let architecture = number(file, 0x30, 1).ok_or_else(cut)? as u64;
    if !BUNDLED.contains(&architecture) {
        return Err(format!("unsupported: the instructions of sm_{architecture}"));
    }
    let sections = sections(file).ok_or_else(cut)?;
    let names = number(file, 0x3e, 2).and_then(|index| sections.get(index)).copied().ok_or_else(cut)?;
    let mut all = Vec::new();
    for section in &sections {
        let name = text(file, names.offset.saturating_add(section.name)).ok_or_else(cut)?;
        let Some(kernel) = name.strip_prefix(".text.") else { continue };
        let end = section.offset.checked_add(section.size).ok_or_else(cut)?;
        let (words, rest) = file.get(section.offset..end).ok_or_else(cut)?.as_chunks::<8>();
        if !rest.is_empty() {
            return Err(format!("the section {name} is no whole number of words"));
        }
        all.push((kernel.to_owned(), words.iter().map(|word| u64::from_le_bytes(*word)).collect()));
    }
    Ok(all)
}

/// The initial bytes of every variable of the file.
///
/// # Errors
/// What is wrong with the file, as a lowercase fragment.
pub fn initial_bytes(file: &[u8]) -> Result<InitialBytes, String> {
    let cut = || "the cubin ends in the middle of a table".to_string();
    if !file.starts_with(b"\x7fELF\x02\x01") {
        return Err("the cubin is no 64-bit little-endian ELF file".into());
    }
    let sections = sections(file).ok_or_else(cut)?;
    let names = number(file, 0x3e, 2).and_then(|index| sections.get(index)).copied().ok_or_else(cut)?;
    let mut all = InitialBytes::new();
    for table in sections.iter().filter(|s| s.kind == SYMBOL_TABLE) {
        let strings = sections.get(table.link).copied().ok_or_else(cut)?;
        for index in 0..table.size / SYMBOL {
            let at = table.offset + index * SYMBOL;
            let symbol = Symbol::read(file, at, &strings).ok_or_else(cut)?;
            let Some(section) = sections.get(symbol.section).filter(|_| symbol.kind == OBJECT) else {
                continue;
            };
            let holds = text(file, names.offset + section.name).ok_or_else(cut)?;
            if is_memory(&holds) {
                let bytes = variable(file, &sections, symbol.section, &symbol).ok_or_else(cut)?;
                all.insert(symbol.name, bytes);
            }
        }
    }
    Ok(all)
}

/// Whether a section holds variables of the program: `.global` ones, or those of the user's `.const` bank.
fn is_memory(section: &str) -> bool {
    section == ".nv.constant3" || section == ".nv.global" || section.starts_with(".nv.global.init")
}

struct Symbol {
    name: String,
    kind: u8,
    section: usize,
    value: usize,
    size: usize,
}

impl Symbol {
    fn read(file: &[u8], at: usize, strings: &Section) -> Option<Self> {
        Some(Self {
            name: text(file, strings.offset.checked_add(number(file, at, 4)?)?)?,
            kind: file.get(at + 4)? & 0xF,
            section: number(file, at + 6, 2)?,
            value: number(file, at + 8, 8)?,
            size: number(file, at + 16, 8)?.min(LONGEST),
        })
    }
}

fn sections(file: &[u8]) -> Option<Vec<Section>> {
    let (table, count) = (number(file, 0x28, 8)?, number(file, 0x3c, 2)?);
    let one = |index: usize| {
        let at = table.checked_add(index * SECTION_HEADER)?;
        file.get(at..at.checked_add(SECTION_HEADER)?)?;
        let section = Section {
            name: number(file, at, 4)?,
            kind: u32::try_from(number(file, at + 4, 4)?).ok()?,
            offset: number(file, at + 24, 8)?,
            size: number(file, at + 32, 8)?,
            link: number(file, at + 40, 4)?,
            info: number(file, at + 44, 4)?,
        };
        // From here on offset and size are known to lie in the file.
        let end = section.offset.checked_add(section.size)?;
        (section.kind == NO_BITS || end <= file.len()).then_some(section)
    };
    (0..count).map(one).collect()
}

/// The bytes of a variable, those of its relocations left open.
fn variable(file: &[u8], sections: &[Section], index: usize, symbol: &Symbol) -> Option<Vec<Option<u8>>> {
    let section = sections[index];
    if section.kind == NO_BITS {
        return Some(vec![Some(0); symbol.size]);
    }
    let start = section.offset.checked_add(symbol.value)?;
    let mut bytes: Vec<_> =
        file.get(start..start.checked_add(symbol.size)?)?.iter().copied().map(Some).collect();
    for (table, entry) in sections.iter().filter_map(|s| Some((s, entry_size(s.kind)?))) {
        if table.info != index {
            continue;
        }
        for at in (0..table.size / entry).map(|n| table.offset + n * entry) {
            let (place, kind) = (number(file, at, 8)?, number(file, at + 8, 4)?);
            let Some(first) = place.checked_sub(symbol.value).filter(|first| *first < bytes.len()) else {
                continue;
            };
            let end = (first + width(kind)).min(bytes.len());
            bytes[first..end].fill(None);
        }
    }
    Some(bytes)
}

fn entry_size(kind: u32) -> Option<usize> {
    match kind {
        WITHOUT_ADDENDS => Some(16),
        WITH_ADDENDS => Some(24),
        _ => None,
    }
}

/// Bytes that a relocation fills in: one for R_CUDA_G8_0 to R_CUDA_G8_56 (84 to 91), four for R_CUDA_32 and R_CUDA_G32 (1
/// and 3), eight for all others that initialisers give rise to (R_CUDA_64, R_CUDA_G64, R_CUDA_FUNC_DESC_64).
fn width(kind: usize) -> usize {
    match kind {
        84..=91 => 1,
        1 | 3 => 4,
        _ => 8,
    }
}

/// A little-endian number of `size` bytes.
fn number(file: &[u8], at: usize, size: usize) -> Option<usize> {
    let bytes = file.get(at..at.checked_add(size)?)?;
    let value = bytes.iter().rev().fold(0_u64, |value, byte| value << 8 | u64::from(*byte));
    usize::try_from(value).ok()
}

/// A string that ends with a zero byte.
fn text(file: &[u8], at: usize) -> Option<String> {
    let rest = file.get(at..)?;
    let end = rest.iter().position(|byte| *byte == 0)?;
    Some(String::from_utf8_lossy(&rest[..end]).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An ELF file by hand: sections null, `.nv.global.init` (12 bytes), its relocations, `.symtab`, `.strtab`.
    fn cubin() -> Vec<u8> {
        let strings = b"\0.nv.global.init\0a\0p\0z\0.nv.global\0";
        let data: [u8; 12] = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12];
        let mut file = vec![0; 64];
        file[..6].copy_from_slice(b"\x7fELF\x02\x01");
        let mut sections = vec![[0_u64; 6]];
        let mut add =
            |file: &mut Vec<u8>, name: u64, kind: u32, bytes: &[u8], link: u64, info: u64, size: u64| {
                sections.push([name, u64::from(kind), file.len() as u64, size, link, info]);
                file.extend_from_slice(bytes);
            };
        add(&mut file, 1, 1, &data, 0, 0, 12);
        // An address of eight bytes at offset 4: R_CUDA_G64.
        let relocation: Vec<u8> = [4_u64, 4].iter().flat_map(|n| n.to_le_bytes()).collect();
        add(&mut file, 0, WITHOUT_ADDENDS, &relocation, 3, 1, 16);
        let mut symbols = vec![0; SYMBOL];
        for (name, section, value, size) in [(17_u32, 1_u16, 0_u64, 4_u64), (19, 1, 4, 8), (21, 5, 0, 3)] {
            symbols.extend(name.to_le_bytes());
            symbols.extend([OBJECT, 0]);
            symbols.extend(section.to_le_bytes());
            symbols.extend(value.to_le_bytes());
            symbols.extend(size.to_le_bytes());
        }
        let size = symbols.len() as u64;
        add(&mut file, 0, SYMBOL_TABLE, &symbols, 4, 0, size);
        add(&mut file, 0, 3, strings, 0, 0, strings.len() as u64);
        add(&mut file, 23, NO_BITS, &[], 0, 0, 3);
        let table = file.len() as u64;
        for [name, kind, offset, size, link, info] in &sections {
            file.extend((*name as u32).to_le_bytes());
            file.extend((*kind as u32).to_le_bytes());
            file.extend([0; 16]);
            file.extend(offset.to_le_bytes());
            file.extend(size.to_le_bytes());
            file.extend((*link as u32).to_le_bytes());
            file.extend((*info as u32).to_le_bytes());
            file.extend([0; 16]);
        }
        file[0x28..0x30].copy_from_slice(&table.to_le_bytes());
        file[0x3c..0x3e].copy_from_slice(&(sections.len() as u16).to_le_bytes());
        file[0x3e..0x40].copy_from_slice(&4_u16.to_le_bytes());
        file
    }

    #[test]
    fn bytes_zeros_and_addresses_are_told_apart() {
        let all = initial_bytes(&cubin()).unwrap();
        assert_eq!(all["a"], [1, 2, 3, 4].map(Some));
        assert_eq!(all["p"], [None; 8]);
        assert_eq!(all["z"], [Some(0); 3]);
        assert_eq!(all.len(), 3);
    }

    #[test]
    fn a_file_that_is_cut_or_damaged_is_an_error_or_another_answer_but_no_panic() {
        let whole = cubin();
        for length in 0..whole.len() {
            assert!(initial_bytes(&whole[..length]).is_err(), "{length}");
        }
        for at in 0..whole.len() {
            let mut damaged = whole.clone();
            damaged[at] = !damaged[at];
            let _ = initial_bytes(&damaged);
        }
    }
}
