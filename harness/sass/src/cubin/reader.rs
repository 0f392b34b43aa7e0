//! What a cubin holds, and reads it: kernels with their words, constant banks, parameters and resources; opaque objects.

use super::elf::{self, Elf};
use super::info::{self, Attribute};
use super::lines::{self, LineRow};
use super::variables::{self, Emitted};
use crate::header::{Header, ShaderType};

/// A cubin with zeros in the place of the copy of its source. A file that is no cubin stays as it is.
pub fn without_source(file: &[u8]) -> Vec<u8> {
    let mut bytes = file.to_vec();
    if let Ok(elf) = Elf::read(file) {
        for section in
            elf.sections.iter().filter(|section| section.name == lines::TEXT && !section.is_empty())
        {
            bytes[section.offset..section.offset + section.size].fill(0);
        }
    }
    bytes
}

/// Architectures whose instructions are 64-bit words in bundles of three.
pub(super) const BUNDLED: std::ops::RangeInclusive<u32> = 50..=62;

/// A cubin.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cubin {
    /// The architecture: 50 for sm_50.
    pub architecture: u32,
    /// Whether textures and samplers are separate: `.target …, texmode_independent`.
    pub independent: bool,
    /// Its kernels, and in relocatable objects its functions.
    pub kernels: Vec<Kernel>,
    /// Constant bank 3, the user's `.const` variables.
    pub constants: Bank,
    /// Constant bank 4, which holds addresses.
    pub addresses: Bank,
    /// Its variables in `.global` and `.const`.
    pub variables: Vec<Emitted>,
    /// Its textures, samplers and surfaces, parameters of kernels included.
    pub opaque: Vec<OpaqueSymbol>,
    /// The lines of the PTX text that it was made of, without indentation, if it has a copy (ptxas writes one with `-lineinfo`).
    pub source: Vec<String>,
}

/// A kernel of a cubin: a section of code, with the functions that it calls behind it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Kernel {
    /// Its name.
    pub name: String,
    /// Its words, bundle by bundle.
    pub words: Vec<u64>,
    /// Its resources: registers, shared memory of a block, and the stack of a thread as far as the file states it.
    pub header: Header,
    /// Its parameters, in order.
    pub parameters: Vec<KernelParameter>,
    /// `.maxntid`.
    pub max_threads: Option<[u32; 3]>,
    /// `.reqntid`.
    pub required_threads: Option<[u32; 3]>,
    /// Whether it calls itself, or through a pointer: no stack size is stated.
    pub open_stack: bool,
    /// Constant bank 0 from its first byte: the part that the driver fills, then the parameters, then the handles of opaque objects.
    pub launch: Bank,
    /// Constant bank 2: numbers that the compiler put there.
    pub literals: Bank,
    /// Changes of the words: byte offset in the section, type and symbol.
    pub relocations: Vec<BankRelocation>,
    /// Lines of the PTX text by address, in order; none unless the cubin has a line table (`-lineinfo`).
    pub lines: Vec<LineRow>,
}

impl Kernel {
    /// The line of the PTX text that the word at a byte offset was made of, if the cubin has a line table.
    pub fn line(&self, address: u32) -> Option<u32> {
        let after = self.lines.partition_point(|row| row.address <= address);
        after.checked_sub(1).map(|row| self.lines[row].line)
    }
}

/// A parameter of a kernel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KernelParameter {
    /// Byte offset from the beginning of the parameters.
    pub offset: u32,
    /// Size in bytes; 0 for one of opaque type.
    pub size: u32,
    /// The symbol of one of opaque type.
    pub opaque: Option<OpaqueSymbol>,
}

/// The kind of an opaque object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OpaqueKind {
    /// A `.texref`.
    Texture,
    /// A `.samplerref`.
    Sampler,
    /// A `.surfref`.
    Surface,
}

/// The name of an opaque object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OpaqueSymbol {
    /// Its name.
    pub name: String,
    /// Its kind.
    pub kind: OpaqueKind,
    /// What the initialiser of a sampler states. Those of textures and surfaces do not reach the file.
    pub initial: SamplerInitial,
}

/// What the initialiser of a sampler variable states, as the file numbers it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SamplerInitial {
    /// `addr_mode_0` to `addr_mode_2`, by their places in `wrap`, `mirror`, `clamp_ogl`, `clamp_to_edge`, `clamp_to_border`; then
    /// `filter_mode`, by its place in `nearest`, `linear`.
    pub modes: [Option<u8>; 4],
    /// `force_unnormalized_coords`.
    pub force_unnormalized: Option<bool>,
}

/// The contents of a constant bank.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Bank {
    /// Its bytes; zero where an address or a handle goes.
    pub bytes: Vec<u8>,
    /// The addresses and handles in it.
    pub relocations: Vec<BankRelocation>,
}

/// A place that a loader fills in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BankRelocation {
    /// Byte offset.
    pub offset: u32,
    /// Its type, an `R_CUDA_…`.
    pub kind: u32,
    /// The name of its symbol.
    pub symbol: String,
    /// Offset of the symbol in its section.
    pub value: u64,
    /// The section of the symbol; empty if it is not defined here.
    pub section: String,
    /// Added to the address.
    pub addend: i64,
}

/// The bit of `e_flags` for separate textures and samplers.
pub(super) const INDEPENDENT: u32 = 0x200;
/// Symbol types of opaque objects.
pub(super) const TEXTURE: u8 = 10;
pub(super) const SAMPLER: u8 = 11;
pub(super) const SURFACE: u8 = 12;

impl Cubin {
    /// Reads a file.
    ///
    /// # Errors
    /// How it is malformed, as a lowercase fragment; also for an architecture other than sm_50 to sm_62.
    pub fn read(file: &[u8]) -> Result<Cubin, String> {
        let elf = Elf::read(file)?;
        if !BUNDLED.contains(&elf.architecture) {
            return Err(match elf.architecture {
                0 => "the file is not a cubin: it names no architecture".into(),
                architecture => format!("unsupported: the instructions of sm_{architecture}"),
            });
        }
        let module = info::attributes(&elf, ".nv.info")?;
        let sequences = lines::sequences(&elf)?;
        let mut kernels = Vec::new();
        for index in 0..elf.sections.len() {
            if let Some(name) = elf.sections[index].name.strip_prefix(".text.") {
                let own = sequences.iter().filter(|sequence| sequence.section == index);
                let lines = own.flat_map(|sequence| sequence.rows.iter().copied()).collect();
                kernels.push(Kernel { lines, ..kernel(&elf, index, name, &module)? });
            }
        }
        Ok(Cubin {
            architecture: elf.architecture,
            independent: elf.flags & INDEPENDENT != 0,
            kernels,
            constants: bank(&elf, ".nv.constant3")?,
            addresses: bank(&elf, ".nv.constant4")?,
            variables: variables::emitted(&elf)?,
            opaque: opaque_variables(&elf, &module),
            source: lines::text(&elf),
        })
    }

    /// The kernel with that name.
    pub fn kernel(&self, name: &str) -> Option<&Kernel> {
        self.kernels.iter().find(|kernel| kernel.name == name)
    }
}

/// The opaque objects that symbols are of, with what the attributes of the module say of samplers.
fn opaque_variables(elf: &Elf<'_>, module: &[Attribute<'_>]) -> Vec<OpaqueSymbol> {
    let one = |(index, symbol): (usize, &elf::Symbol)| {
        let initial = SamplerInitial {
            modes: info::of_symbol(module, info::SAMPLER_INIT, index)
                .map_or([None; 4], |word| word.to_le_bytes().map(|mode| (mode != u8::MAX).then_some(mode))),
            force_unnormalized: info::of_symbol(module, info::SAMPLER_FORCE_UNNORMALIZED, index)
                .map(|word| word != 0),
        };
        Some(OpaqueSymbol { initial, ..opaque(symbol)? })
    };
    elf.symbols.iter().enumerate().filter_map(one).collect()
}

/// The opaque object that a symbol is of.
fn opaque(symbol: &elf::Symbol) -> Option<OpaqueSymbol> {
    let kind = match symbol.kind {
        TEXTURE => OpaqueKind::Texture,
        SAMPLER => OpaqueKind::Sampler,
        SURFACE => OpaqueKind::Surface,
        _ => return None,
    };
    Some(OpaqueSymbol { name: symbol.name.clone(), kind, initial: SamplerInitial::default() })
}

/// The contents of a section with its relocations; nothing if there is none of that name.
fn bank(elf: &Elf<'_>, name: &str) -> Result<Bank, String> {
    let Some(index) = elf.section(name) else { return Ok(Bank::default()) };
    Ok(Bank { bytes: elf.contents(&elf.sections[index]).to_vec(), relocations: relocations(elf, index)? })
}

pub(super) fn relocations(elf: &Elf<'_>, section: usize) -> Result<Vec<BankRelocation>, String> {
    let one = |relocation: elf::Relocation| {
        let symbol = &elf.symbols[relocation.symbol];
        let home = elf.sections.get(symbol.section).filter(|_| symbol.section != 0);
        BankRelocation {
            offset: relocation.offset as u32,
            kind: relocation.kind,
            symbol: symbol.name.clone(),
            value: symbol.value as u64,
            section: home.map(|section| section.name.clone()).unwrap_or_default(),
            addend: relocation.addend.unwrap_or(0),
        }
    };
    Ok(elf.relocations(section)?.into_iter().map(one).collect())
}

/// The kernel whose code is in the section with that index.
fn kernel(elf: &Elf<'_>, index: usize, name: &str, module: &[Attribute<'_>]) -> Result<Kernel, String> {
    let section = &elf.sections[index];
    let (words, rest) = elf.contents(section).as_chunks::<8>();
    if !rest.is_empty() {
        return Err(format!("the size of section {} is not a multiple of 8 bytes", section.name));
    }
    let shared = elf.section(&format!(".nv.shared.{name}")).map_or(0, |shared| elf.sections[shared].size);
    let own = info::attributes(elf, &format!(".nv.info.{name}"))?;
    // In a section of code the upper byte is the number of registers, the lower ones are the symbol.
    let symbol = section.info & 0xff_ffff;
    // All ones where there is no bound: functions that call themselves, or through pointers.
    let stack = info::of_symbol(module, info::MIN_STACK_SIZE, symbol).filter(|size| *size != u32::MAX);
    let header = Header {
        registers: (section.info >> 24 & 0xff) as u16,
        shared: u32::try_from(shared).unwrap_or(u32::MAX),
        local: stack.unwrap_or(0),
        shader: ShaderType::Compute,
    };
    Ok(Kernel {
        name: name.to_owned(),
        words: words.iter().map(|word| u64::from_le_bytes(*word)).collect(),
        header,
        parameters: parameters(elf, &own)?,
        max_threads: info::triple(&own, info::MAX_THREADS),
        required_threads: info::triple(&own, info::REQUIRED_THREADS),
        open_stack: stack.is_none(),
        launch: bank(elf, &format!(".nv.constant0.{name}"))?,
        literals: bank(elf, &format!(".nv.constant2.{name}"))?,
        relocations: relocations(elf, index)?,
        lines: Vec::new(),
    })
}

/// The parameters that the attributes of a kernel state, in order.
fn parameters(elf: &Elf<'_>, attributes: &[Attribute<'_>]) -> Result<Vec<KernelParameter>, String> {
    let mut all: Vec<(usize, KernelParameter)> = Vec::new();
    for attribute in attributes.iter().filter(|attribute| attribute.kind == info::PARAMETER) {
        let field = |at, size| {
            elf::number(attribute.bytes, at, size).ok_or("a parameter's attribute is too short".to_string())
        };
        // The index of a symbol for one of opaque type; position and offset; the size in the upper 14 bits of a word.
        let (symbol, position, offset, word) = (field(0, 4)?, field(4, 2)?, field(6, 2)?, field(8, 4)?);
        let named = elf.symbols.get(symbol).and_then(opaque).filter(|_| offset == NO_OFFSET);
        let offset = if named.is_some() { 0 } else { offset as u32 };
        all.push((position, KernelParameter { offset, size: (word >> 18) as u32, opaque: named }));
    }
    all.sort_by_key(|(position, _)| *position);
    Ok(all.into_iter().map(|(_, parameter)| parameter).collect())
}

/// The offset of a parameter that has none: one of opaque type.
const NO_OFFSET: usize = 0xffff;
