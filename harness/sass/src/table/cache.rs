//! Cache control: `CCTL` of global and generic memory, `CCTLL` of local memory. It changes no value.
//!
//! Left out are the operations 0 (`QRY1`) and 8 (`WBALL`), which no compiler emits; `IVALL` of an address has no text in nvdisasm 12.8.

use super::field::exact;
use super::kind::{Kind, fixed};
use crate::form::{Form, ModifierField, OperandField};
use crate::mnemonic::{Mnemonic as M, Subject};

const CCTL: Kind = fixed(M::CCTL, Subject::Control);
const CCTLL: Kind = fixed(M::CCTLL, Subject::Control);

const CACHE: ModifierField = ModifierField {
    role: "cache",
    low: 4,
    width: 3,
    names: &["", "U", "C", "I", "CRS", "INVALIDCACHETYPE5", "INVALIDCACHETYPE6", "INVALIDCACHETYPE7"],
    aliases: &[("D", 0)],
    default: Some(0),
};
/// One operation, which stands in the text behind the cache and is selected with the form.
const fn operation(names: &'static [&'static str]) -> ModifierField {
    let width = names.len().trailing_zeros() as u8;
    ModifierField { role: "operation", low: 0, width, names, aliases: &[], default: None }
}

const PREFETCH: ModifierField = operation(&["PF1"]);
const PREFETCH_FURTHER: ModifierField = operation(&["PF1.5", "PF2"]);
const WRITE_BACK: ModifierField = operation(&["WB", "IV"]);
const RESET: ModifierField = operation(&["RS"]);
const RESET_BUFFER: ModifierField = operation(&["RSLB"]);
const INVALIDATE: ModifierField = operation(&["IVALL"]);

const LONG: &[OperandField] = &[OperandField::Address { low: 22, width: 30, dropped: 2 }];
const SHORT: &[OperandField] = &[OperandField::Address { low: 22, width: 22, dropped: 2 }];

/// `CCTL` of 32-bit addresses; bit 52 says that they have 64.
const TOP: u64 = 0xef60 << 48;
const TOP_E: u64 = 0xef70 << 48;
const TOP_LOCAL: u64 = 0xef80 << 48;

/// `RZ` in the place of the address register.
const NOWHERE: u64 = 255 << 8;

/// `CCTL`, of addresses of 64 bits with `.E`.
const fn cache(
    fixed_modifiers: &'static [&'static str],
    bits: u64,
    modifiers: &'static [ModifierField],
    operands: &'static [OperandField],
) -> Form {
    Form { fixed_modifiers, ..exact(CCTL, bits, modifiers, operands, &[]) }
}

pub(super) static FORMS: &[Form] = &[
    cache(&[], TOP | 1, &[CACHE, PREFETCH], LONG),
    cache(&[], TOP | 2, &[CACHE, PREFETCH_FURTHER], LONG),
    cache(&[], TOP | 4, &[CACHE, WRITE_BACK], LONG),
    cache(&[], TOP | 7, &[CACHE, RESET], LONG),
    cache(&[], TOP | 9, &[CACHE, RESET_BUFFER], LONG),
    cache(&[], TOP | NOWHERE | 6, &[CACHE, INVALIDATE], &[]),
    cache(&["E"], TOP_E | 1, &[CACHE, PREFETCH], LONG),
    cache(&["E"], TOP_E | 2, &[CACHE, PREFETCH_FURTHER], LONG),
    cache(&["E"], TOP_E | 4, &[CACHE, WRITE_BACK], LONG),
    cache(&["E"], TOP_E | 7, &[CACHE, RESET], LONG),
    cache(&["E"], TOP_E | 9, &[CACHE, RESET_BUFFER], LONG),
    cache(&["E"], TOP_E | NOWHERE | 6, &[CACHE, INVALIDATE], &[]),
    exact(CCTLL, TOP_LOCAL | 1, &[PREFETCH], SHORT, &[]),
    exact(CCTLL, TOP_LOCAL | 2, &[PREFETCH_FURTHER], SHORT, &[]),
    exact(CCTLL, TOP_LOCAL | 4, &[WRITE_BACK], SHORT, &[]),
    exact(CCTLL, TOP_LOCAL | 7, &[RESET], SHORT, &[]),
    exact(CCTLL, TOP_LOCAL | 9, &[RESET_BUFFER], SHORT, &[]),
    exact(CCTLL, TOP_LOCAL | NOWHERE | 6, &[INVALIDATE], &[], &[]),
];
