//! Initial values as an implementation misreads them.

use warpdiff_model::{Deviation, Semantics};

use super::literals;
use crate::checked::{Module, Relocation, RelocationSymbol, Variable, VariableId};
use crate::vocabulary::Space;
use crate::{Rules, compile};

/// What a variable holds at first, and the addresses in it.
pub struct Initial {
    /// Its bytes, from the first on; what is not there is zero.
    pub bytes: Vec<u8>,
    /// Its addresses.
    pub relocations: Vec<Relocation>,
}

/// A byte of what was there before.
const BEFORE: u8 = 0xA5;

/// What a variable of a module with this text holds at first, as these semantics misread it; `None` if they read it as it is.
pub fn initial(module: &Module, id: VariableId, text: &str, semantics: &Semantics) -> Option<Initial> {
    if semantics.is_specification() {
        return None;
    }
    let has = |deviation| semantics.has(deviation);
    let variable = &module.variables[id.0 as usize];
    if variable.initial.is_empty() && variable.relocations.is_empty() {
        let is_zero = matches!(variable.space, Space::Global | Space::Const) && !variable.ty.is_opaque();
        let garbage = || Initial { bytes: vec![BEFORE; variable.size as usize], relocations: Vec::new() };
        return (is_zero && has(Deviation::InitAbsent)).then(garbage);
    }
    let (mut bytes, mut relocations) = match literals::are_misread(semantics) {
        true => of_respelled(variable, id, text, semantics)?,
        false => (variable.initial.clone(), variable.relocations.clone()),
    };
    let element = (variable.ty.size() as usize).max(1);
    if has(Deviation::InitIgnored) {
        bytes.clear();
        relocations.clear();
    }
    if has(Deviation::InitFirstEightBytes) {
        bytes.truncate(8);
        relocations.retain(|relocation| relocation.offset < 8);
    }
    if has(Deviation::InitElementsReversed) {
        bytes.resize(variable.size as usize, 0);
        let reversed: Vec<u8> = bytes.chunks(element).rev().flatten().copied().collect();
        bytes = reversed;
    }
    if has(Deviation::InitBigEndian) {
        bytes.chunks_mut(element).for_each(<[u8]>::reverse);
    }
    if has(Deviation::InitAddressZero) {
        relocations.clear();
    }
    if has(Deviation::InitAddendLost) {
        relocations.iter_mut().for_each(|relocation| relocation.addend = 0);
    }
    if has(Deviation::InitAddendInElements) {
        let scale = |relocation: &mut Relocation| {
            if let RelocationSymbol::Variable(named) = relocation.symbol {
                relocation.addend *= i64::from(module.variables[named.0 as usize].ty.size());
            }
        };
        relocations.iter_mut().for_each(scale);
    }
    if has(Deviation::InitMaskFromTop) {
        let masked = relocations.iter_mut().filter(|relocation| relocation.width == 1);
        masked.for_each(|relocation| relocation.shift = 56 - relocation.shift.min(56));
    }
    bytes = rearranged(bytes, variable, semantics);
    let is_same = bytes == variable.initial && relocations == variable.relocations;
    (!is_same).then_some(Initial { bytes, relocations })
}

/// The bytes and addresses of a variable whose numbers are spelled otherwise; `None` if they are no initial value then.
fn of_respelled(
    variable: &Variable,
    id: VariableId,
    text: &str,
    semantics: &Semantics,
) -> Option<(Vec<u8>, Vec<Relocation>)> {
    let text = literals::respelled(text, variable.span, semantics);
    let mut module = compile(&text, &Rules::TO_RUN).ok()?;
    let read = module.variables.get_mut(id.0 as usize)?;
    Some((std::mem::take(&mut read.initial), std::mem::take(&mut read.relocations)))
}

/// The bytes of an initial value where they are lost or stand elsewhere.
fn rearranged(mut bytes: Vec<u8>, variable: &Variable, semantics: &Semantics) -> Vec<u8> {
    let has = |deviation| semantics.has(deviation);
    let whole = (variable.ty.size() * variable.vector.max(1)) as usize;
    if has(Deviation::InitLastByte)
        && bytes.len() > 4
        && !bytes.len().is_multiple_of(4)
        && let Some(last) = bytes.last_mut()
    {
        *last = 0;
    }
    if has(Deviation::InitTransposed)
        && let [rows, columns] = variable.dimensions[..]
        && bytes.len() as u64 == rows * columns * whole as u64
    {
        let elements: Vec<&[u8]> = bytes.chunks(whole).collect();
        let (rows, columns) = (rows as usize, columns as usize);
        let place = |n: usize| elements[n % columns * rows + n / columns];
        bytes = (0..rows * columns).flat_map(|n| place(n).to_vec()).collect();
    }
    if has(Deviation::InitWideUnextended) && variable.ty.size() == 8 && !variable.ty.is_float() {
        for number in bytes.chunks_exact_mut(8) {
            if number[4..] == [0xFF; 4] && number[3] >= 0x80 {
                number[4..].fill(0);
            }
        }
    }
    bytes
}
