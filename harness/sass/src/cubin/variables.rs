//! The variables of a cubin: symbols in `.nv.global.init` or `.nv.constant3` (bytes), or in `.nv.global` (no bytes in the file: zero).
//! An address in one has a relocation.

use super::elf::Elf;

/// A variable as an assembler emits it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Emitted {
    /// Its name; for a variable inside a kernel a mangled one: `$__a__5` for `a`.
    pub name: String,
    /// Its section: `.nv.global.init`.
    pub section: String,
    /// Alignment of the section in bytes: the largest among its variables.
    pub section_align: u64,
    /// Byte offset in the section.
    pub offset: u64,
    /// Size in bytes.
    pub size: u64,
    /// Whether the host may access it: `.attribute(.managed)`.
    pub managed: bool,
    /// Initial contents, at most 1 MiB of them; zero where an address goes.
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
    /// The symbol whose address it is.
    pub symbol: String,
    /// Number of bytes added to the address.
    pub addend: i64,
}

impl EmittedAddress {
    /// Size of the address in bytes.
    pub fn width(&self) -> usize {
        match self.kind {
            // R_CUDA_8_0 to R_CUDA_8_56, R_CUDA_G8_0 to R_CUDA_G8_56, R_CUDA_FUNC_DESC_8_0 to R_CUDA_FUNC_DESC_8_56.
            76..=99 => 1,
            // R_CUDA_32, R_CUDA_G32.
            1 | 3 => 4,
            // R_CUDA_64, R_CUDA_G64, R_CUDA_FUNC_DESC_64 and the other types of initialisers.
            _ => 8,
        }
    }
}

/// Limit of the bytes read of a variable; an ELF file may state any size for a variable without contents.
const LONGEST: usize = 1 << 20;
/// Symbol types of data: the standard one, and that of the architecture in relocatable objects.
const OBJECT: [u8; 2] = [1, 13];
/// The bit of `st_other` that marks a managed variable.
const MANAGED: u8 = 4;

/// Every variable of the file, in the order of its symbols.
///
/// # Errors
/// How the file is malformed, as a lowercase fragment.
pub fn variables(file: &[u8]) -> Result<Vec<Emitted>, String> {
    emitted(&Elf::read(file)?)
}

/// Every variable of a file that has been read.
pub(super) fn emitted(elf: &Elf<'_>) -> Result<Vec<Emitted>, String> {
    let mut all = Vec::new();
    for symbol in elf.symbols.iter().filter(|symbol| OBJECT.contains(&symbol.kind)) {
        let Some(section) = elf.sections.get(symbol.section) else { continue };
        if !is_memory(&section.name) {
            continue;
        }
        let shown = symbol.size.min(LONGEST);
        // In relocatable objects its type is one of the architecture, and the bytes at its offset in the file are not its own.
        let bytes = if section.is_empty() || section.name == ".nv.global" {
            vec![0; shown]
        } else {
            let end = symbol.value.saturating_add(shown);
            let contents = elf.contents(section).get(symbol.value..end);
            contents.ok_or("the cubin ends in the middle of a variable")?.to_vec()
        };
        let mut addresses = Vec::new();
        for relocation in elf.relocations(symbol.section)? {
            let offset = relocation.offset.checked_sub(symbol.value);
            let Some(offset) = offset.filter(|offset| *offset < symbol.size) else { continue };
            addresses.push(EmittedAddress {
                offset: offset as u64,
                kind: relocation.kind,
                symbol: elf.symbols[relocation.symbol].name.clone(),
                addend: relocation.addend.unwrap_or(0),
            });
        }
        addresses.sort();
        all.push(Emitted {
            name: symbol.name.clone(),
            section: section.name.clone(),
            section_align: section.align as u64,
            offset: symbol.value as u64,
            size: symbol.size as u64,
            managed: symbol.other & MANAGED != 0,
            bytes,
            addresses,
        });
    }
    Ok(all)
}

/// Whether a section holds variables of the program: `.global` ones, or those of the user's `.const` bank.
fn is_memory(section: &str) -> bool {
    section == ".nv.constant3" || section == ".nv.global" || section.starts_with(".nv.global.init")
}
