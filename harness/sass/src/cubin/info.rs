//! The attributes in sections `.nv.info` and `.nv.info.KERNEL`: a form, a kind and a value each. nvdisasm prints them as `EIATTR_…`.

use super::elf::{Elf, number};

/// `EIATTR_KPARAM_INFO`.
pub(super) const PARAMETER: u8 = 0x17;
/// `EIATTR_MAX_THREADS`.
pub(super) const MAX_THREADS: u8 = 0x05;
/// `EIATTR_REQNTID`.
pub(super) const REQUIRED_THREADS: u8 = 0x10;
/// `EIATTR_MIN_STACK_SIZE`: the stack of a kernel with its callees, in bytes.
pub(super) const MIN_STACK_SIZE: u8 = 0x12;
/// `EIATTR_REGCOUNT`, `EIATTR_FRAME_SIZE`: of a kernel.
pub(super) const REGISTERS: u8 = 0x2f;
pub(super) const FRAME_SIZE: u8 = 0x11;
/// `EIATTR_CUDA_API_VERSION`, and the two `EIATTR_SW…_WAR`.
pub(super) const API_VERSION: u8 = 0x37;
pub(super) const SW2393858: u8 = 0x30;
pub(super) const SW1850030: u8 = 0x2a;
/// `EIATTR_PARAM_CBANK`, `EIATTR_CBANK_PARAM_SIZE`: where the parameters lie.
pub(super) const PARAMETER_BANK: u8 = 0x0a;
pub(super) const PARAMETER_SIZE: u8 = 0x19;
/// `EIATTR_MAXREG_COUNT`.
pub(super) const MAX_REGISTERS: u8 = 0x1b;
/// `EIATTR_S2RCTAID_INSTR_OFFSETS`, `EIATTR_EXIT_INSTR_OFFSETS`: where `S2R … SR_CTAID.X` and `EXIT` stand.
pub(super) const BLOCK_READS: u8 = 0x1d;
pub(super) const EXITS: u8 = 0x1c;
/// `EIATTR_CRS_STACK_SIZE`: bytes of the stack of the branch unit.
pub(super) const BRANCH_STACK: u8 = 0x1e;
/// `EIATTR_INDIRECT_BRANCH_TARGETS`: where `SYNC`, `BRK` and `BRX` go.
pub(super) const JUMP_TARGETS: u8 = 0x34;

/// `EIATTR_SAMPLER_INIT`: of a sampler variable the modes of its three addresses and of its filter, a byte each; 255 is not stated.
pub(super) const SAMPLER_INIT: u8 = 0x09;
/// `EIATTR_SAMPLER_FORCE_UNNORMALIZED`: 1 of a sampler variable that says so.
pub(super) const SAMPLER_FORCE_UNNORMALIZED: u8 = 0x13;

/// The forms of an attribute that is a head alone: without a value, with one of a byte, with one of two bytes.
const WITHOUT_BYTES: std::ops::RangeInclusive<usize> = 1..=3;
/// The form of an attribute with bytes behind it.
const WITH_BYTES: usize = 4;

/// An attribute.
#[derive(Clone, Copy, Debug)]
pub(super) struct Attribute<'f> {
    /// Its kind.
    pub(super) kind: u8,
    /// Its bytes; none for one whose value is in its head.
    pub(super) bytes: &'f [u8],
}

/// The attributes in a section; none if there is none of that name.
///
/// # Errors
/// If it ends in the middle of an attribute, or has one of an unknown form.
pub(super) fn attributes<'f>(elf: &Elf<'f>, section: &str) -> Result<Vec<Attribute<'f>>, String> {
    let Some(index) = elf.section(section) else { return Ok(Vec::new()) };
    let mut rest = elf.contents(&elf.sections[index]);
    let cut = || format!("section {section} ends in the middle of an attribute");
    let mut all = Vec::new();
    while !rest.is_empty() {
        let field = |at, size| number(rest, at, size).ok_or_else(cut);
        let (form, kind, value) = (field(0, 1)?, field(1, 1)?, field(2, 2)?);
        let size = match form {
            WITH_BYTES => value,
            form if WITHOUT_BYTES.contains(&form) => 0,
            _ => return Err(format!("section {section} has an attribute of the unknown form {form}")),
        };
        let bytes = rest.get(4..4 + size).ok_or_else(cut)?;
        all.push(Attribute { kind: kind as u8, bytes });
        rest = &rest[4 + size..];
    }
    Ok(all)
}

/// The number that an attribute of the module states for a symbol.
pub(super) fn of_symbol(attributes: &[Attribute<'_>], kind: u8, symbol: usize) -> Option<u32> {
    let mut found = attributes.iter().filter(|attribute| attribute.kind == kind);
    let found = found.find(|attribute| number(attribute.bytes, 0, 4) == Some(symbol))?;
    u32::try_from(number(found.bytes, 4, 4)?).ok()
}

/// The three numbers that an attribute states.
pub(super) fn triple(attributes: &[Attribute<'_>], kind: u8) -> Option<[u32; 3]> {
    let found = attributes.iter().find(|attribute| attribute.kind == kind)?;
    let of = |n: usize| number(found.bytes, 4 * n, 4).and_then(|n| u32::try_from(n).ok());
    Some([of(0)?, of(1)?, of(2)?])
}
