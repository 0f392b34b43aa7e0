//! Reads the variables of a cubin: a 64-bit little-endian ELF file.
//!
//! A variable is a symbol in `.nv.global.init` or `.nv.constant3` (bytes), or in `.nv.global` (no bytes in the file: zero).
//! Where an address goes there is a relocation in `.rel.nv.global.init` or `.rela.…`.

use warpdiff_judge::assembled::InitialBytes;
use warpdiff_sass::{Header, ShaderType};

/// A variable as an assembler emits it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Emitted {
    /// Name. One that is declared inside a kernel has another than in the program: `$__a__5` for `a`.
    pub name: String,
    /// Its section: `.nv.global.init`.
    pub section: String,
    /// Alignment of the section in bytes: the largest among its variables.
    pub section_align: u64,
    /// Byte offset in the section.
    pub offset: u64,
    /// Bytes.
    pub size: u64,
    /// Initial contents, zero where an address goes; at most 1 MiB of them.
    pub bytes: Vec<u8>,
    /// Addresses in the contents, by offset.
    pub addresses: Vec<EmittedAddress>,
}

/// An address in the initial contents of a variable: an ELF relocation.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct EmittedAddress {
    /// Byte offset in the variable.
    pub offset: u64,
    /// ELF type of the relocation: 4 is R_CUDA_G64.
    pub kind: u32,
    /// What it is the address of.
    pub symbol: String,
    /// Added to it.
    pub addend: i64,
}

impl EmittedAddress {
    /// Bytes that it fills in.
    pub fn width(&self) -> usize {
        match self.kind {
            // R_CUDA_8_0 to R_CUDA_8_56, R_CUDA_G8_0 to R_CUDA_G8_56, R_CUDA_FUNC_DESC_8_0 to R_CUDA_FUNC_DESC_8_56.
            76..=99 => 1,
            // R_CUDA_32, R_CUDA_G32.
            1 | 3 => 4,
            // R_CUDA_64, R_CUDA_G64, R_CUDA_FUNC_DESC_64 and what else initialisers give rise to.
            _ => 8,
        }
    }
}

/// Bytes of a variable that are read at most; ELF files may state any size for what holds no bytes.
const LONGEST: usize = 1 << 20;

const SECTION_HEADER: usize = 64;
const SYMBOL: usize = 24;
const SYMBOL_TABLE: u32 = 2;
const WITH_ADDENDS: u32 = 4;
const NO_BITS: u32 = 8;
const WITHOUT_ADDENDS: u32 = 9;
/// Symbol type of data; relocatable objects have a type of the architecture for it.
const OBJECT: [u8; 2] = [1, 13];

/// A section header.
#[derive(Clone, Copy)]
struct Section {
    kind: u32,
    name: usize,
    offset: usize,
    size: usize,
    link: usize,
    info: usize,
    align: usize,
}

/// Architectures whose instructions are 64-bit words in bundles of three.
const BUNDLED: std::ops::RangeInclusive<u64> = 50..=62;

/// A kernel or function of a cubin.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Code {
    /// Its name.
    pub name: String,
    /// Its words, bundle by bundle.
    pub words: Vec<u64>,
    /// What the file says that it has: registers, the shared memory of its block, the stack of its threads.
    pub header: Header,
}

/// Kinds of entries of `.nv.info`: a size and data behind it, and the bytes of stack that a kernel needs with all that it calls.
const WITH_SIZE: usize = 4;
const STACK_SIZE: usize = 0x12;

/// Every kernel and function of the file.
///
/// # Errors
/// What is wrong with the file, as a lowercase fragment; for an architecture other than sm_50 to sm_62, too.
pub fn code(file: &[u8]) -> Result<Vec<Code>, String> {
    let cut = || "the cubin ends in the middle of a section".to_string();
    if !file.starts_with(b"\x7fELF\x02\x01") {
        return Err("the cubin is not a 64-bit little-endian ELF file".into());
    }
    // The low byte of `e_flags`.
    let architecture = number(file, 0x30, 1).ok_or_else(cut)? as u64;
    if !BUNDLED.contains(&architecture) {
        return Err(format!("unsupported: the instructions of sm_{architecture}"));
    }
    let sections = sections(file).ok_or_else(cut)?;
    let names = number(file, 0x3e, 2).and_then(|index| sections.get(index)).copied().ok_or_else(cut)?;
    let named = |wanted: &str| {
        let mut named = sections.iter().filter(|section| {
            text(file, names.offset.saturating_add(section.name)).as_deref() == Some(wanted)
        });
        named.next().copied()
    };
    let mut all = Vec::new();
    for section in &sections {
        let name = text(file, names.offset.saturating_add(section.name)).ok_or_else(cut)?;
        let Some(kernel) = name.strip_prefix(".text.") else { continue };
        let end = section.offset.checked_add(section.size).ok_or_else(cut)?;
        let (words, rest) = file.get(section.offset..end).ok_or_else(cut)?.as_chunks::<8>();
        if !rest.is_empty() {
            return Err(format!("the size of section {name} is not a multiple of 8 bytes"));
        }
        let shared = named(&format!(".nv.shared.{kernel}")).map_or(0, |section| section.size);
        let header = Header {
            // Of a section of code the upper byte says how many registers there are, the lower ones which symbol it is.
            registers: (section.info >> 24 & 0xff) as u16,
            shared: u32::try_from(shared).unwrap_or(u32::MAX),
            local: named(".nv.info")
                .and_then(|info| stack(file, info, section.info & 0xff_ffff))
                .unwrap_or(0),
            shader: ShaderType::Compute,
        };
        let words = words.iter().map(|word| u64::from_le_bytes(*word)).collect();
        all.push(Code { name: kernel.to_owned(), words, header });
    }
    Ok(all)
}

/// The bytes of stack that `.nv.info` states for a symbol.
fn stack(file: &[u8], info: Section, symbol: usize) -> Option<u32> {
    let mut at = info.offset;
    let end = info.offset.checked_add(info.size)?;
    while at + 4 <= end {
        let (form, kind, size) = (number(file, at, 1)?, number(file, at + 1, 1)?, number(file, at + 2, 2)?);
        if form == WITH_SIZE && kind == STACK_SIZE && size >= 8 && number(file, at + 4, 4)? == symbol {
            return u32::try_from(number(file, at + 8, 4)?).ok();
        }
        at += 4 + if form == WITH_SIZE { size } else { 0 };
    }
    None
}

/// The initial bytes of every variable of the file.
///
/// # Errors
/// What is wrong with the file, as a lowercase fragment.
pub fn initial_bytes(file: &[u8]) -> Result<InitialBytes, String> {
    let open = |variable: Emitted| {
        let mut bytes: Vec<_> = variable.bytes.iter().copied().map(Some).collect();
        for address in &variable.addresses {
            let first = (address.offset as usize).min(bytes.len());
            let end = (first + address.width()).min(bytes.len());
            bytes[first..end].fill(None);
        }
        (variable.name, bytes)
    };
    Ok(variables(file)?.into_iter().map(open).collect())
}

/// Every variable of the file, in the order of its symbols.
///
/// # Errors
/// What is wrong with the file, as a lowercase fragment.
pub fn variables(file: &[u8]) -> Result<Vec<Emitted>, String> {
    let cut = || "the cubin ends in the middle of a table".to_string();
    if !file.starts_with(b"\x7fELF\x02\x01") {
        return Err("the cubin is not a 64-bit little-endian ELF file".into());
    }
    let sections = sections(file).ok_or_else(cut)?;
    let names = number(file, 0x3e, 2).and_then(|index| sections.get(index)).copied().ok_or_else(cut)?;
    let mut all = Vec::new();
    for table in sections.iter().filter(|s| s.kind == SYMBOL_TABLE) {
        let symbols = symbols(file, &sections, table).ok_or_else(cut)?;
        for symbol in symbols.iter().filter(|symbol| OBJECT.contains(&symbol.kind)) {
            let Some(section) = sections.get(symbol.section) else { continue };
            let holds =
                names.offset.checked_add(section.name).and_then(|at| text(file, at)).ok_or_else(cut)?;
            if is_memory(&holds) {
                all.push(variable(file, &sections, holds, symbol, &symbols).ok_or_else(cut)?);
            }
        }
    }
    Ok(all)
}

/// Whether a section holds variables of the program: `.global` ones, or those of the user's `.const` bank.
fn is_memory(section: &str) -> bool {
    section == ".nv.constant3" || section == ".nv.global" || section.starts_with(".nv.global.init")
}

/// The symbols of a table, in their order.
fn symbols(file: &[u8], sections: &[Section], table: &Section) -> Option<Vec<Symbol>> {
    let strings = sections.get(table.link)?;
    (0..table.size / SYMBOL).map(|index| Symbol::read(file, table.offset + index * SYMBOL, strings)).collect()
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
            size: number(file, at + 16, 8)?,
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
            align: number(file, at + 48, 8)?,
        };
        // From here on offset and size are known to lie in the file.
        let end = section.offset.checked_add(section.size)?;
        (section.kind == NO_BITS || end <= file.len()).then_some(section)
    };
    (0..count).map(one).collect()
}

/// A variable with its contents and the relocations that fall into it.
fn variable(
    file: &[u8],
    sections: &[Section],
    holds: String,
    symbol: &Symbol,
    symbols: &[Symbol],
) -> Option<Emitted> {
    let section = sections[symbol.section];
    let shown = symbol.size.min(LONGEST);
    // In relocatable objects its type is one of the architecture, and what stands at its place in the file is not its own.
    let bytes = if section.kind == NO_BITS || holds == ".nv.global" {
        vec![0; shown]
    } else {
        let start = section.offset.checked_add(symbol.value)?;
        file.get(start..start.checked_add(shown)?)?.to_vec()
    };
    let mut addresses = Vec::new();
    for (table, entry) in sections.iter().filter_map(|s| Some((s, entry_size(s.kind)?))) {
        if table.info != symbol.section {
            continue;
        }
        for at in (0..table.size / entry).map(|n| table.offset + n * entry) {
            let (place, kind, of) =
                (number(file, at, 8)?, number(file, at + 8, 4)?, number(file, at + 12, 4)?);
            let Some(offset) = place.checked_sub(symbol.value).filter(|offset| *offset < symbol.size) else {
                continue;
            };
            let addend = if entry == 24 { number(file, at + 16, 8)? as i64 } else { 0 };
            addresses.push(EmittedAddress {
                offset: offset as u64,
                kind: u32::try_from(kind).ok()?,
                symbol: symbols.get(of)?.name.clone(),
                addend,
            });
        }
    }
    addresses.sort();
    Some(Emitted {
        name: symbol.name.clone(),
        section: holds,
        section_align: section.align as u64,
        offset: symbol.value as u64,
        size: symbol.size as u64,
        bytes,
        addresses,
    })
}

fn entry_size(kind: u32) -> Option<usize> {
    match kind {
        WITHOUT_ADDENDS => Some(16),
        WITH_ADDENDS => Some(24),
        _ => None,
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
            symbols.extend([OBJECT[0], 0]);
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
