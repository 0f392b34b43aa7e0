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

#[cfg(test)]
mod tests {
    use super::*;

    /// The bytes, and the addends of addresses, of the first variable.
    fn misread(deviation: Deviation, declaration: &str) -> Option<(Vec<u8>, Vec<i64>)> {
        let text =
            format!(".version 8.5\n.target sm_90\n.address_size 64\n.global .u32 g[4];\n{declaration}\n");
        let module =
            compile(&text, &Rules::default()).unwrap_or_else(|errors| panic!("{declaration}: {errors:?}"));
        let last = VariableId(module.variables.len() as u32 - 1);
        assert!(initial(&module, last, &text, &Semantics::default()).is_none());
        let read = initial(&module, last, &text, &Semantics::default().with(deviation))?;
        Some((read.bytes, read.relocations.iter().map(|relocation| relocation.addend).collect()))
    }

    #[test]
    fn initial_values_are_misread_as_each_deviation_says() {
        let bytes = |deviation, declaration| misread(deviation, declaration).unwrap().0;
        const LIST: &str = ".global .u16 v[6] = {1, 2, 3, 4, 5};";
        assert!(bytes(Deviation::InitIgnored, LIST).is_empty());
        assert_eq!(bytes(Deviation::InitFirstEightBytes, LIST), [1, 0, 2, 0, 3, 0, 4, 0]);
        assert_eq!(bytes(Deviation::InitElementsReversed, LIST), [0, 0, 5, 0, 4, 0, 3, 0, 2, 0, 1, 0]);
        assert_eq!(bytes(Deviation::InitBigEndian, ".global .u32 v = 0x01020304;"), [1, 2, 3, 4]);
        const ADDRESS: &str = ".global .u64 v = g+4;";
        assert!(misread(Deviation::InitAddressZero, ADDRESS).unwrap().1.is_empty());
        assert_eq!(misread(Deviation::InitAddendLost, ADDRESS).unwrap().1, [0]);
        assert_eq!(misread(Deviation::InitAddendInElements, ADDRESS).unwrap().1, [16]);
    }

    #[test]
    fn bytes_are_lost_exchanged_or_were_there_before() {
        let bytes = |deviation, declaration| misread(deviation, declaration).unwrap().0;
        assert_eq!(bytes(Deviation::InitAbsent, ".global .u16 v[2];"), [BEFORE; 4]);
        assert_eq!(bytes(Deviation::InitLastByte, ".global .u8 v[5] = {1, 2, 3, 4, 5};"), [1, 2, 3, 4, 0]);
        assert_eq!(
            bytes(Deviation::InitTransposed, ".global .u8 v[2][3] = {{1, 2, 3}, {4, 5, 6}};"),
            [1, 3, 5, 2, 4, 6]
        );
        assert_eq!(
            bytes(Deviation::InitWideUnextended, ".global .s64 v = -2;"),
            [0xFE, 0xFF, 0xFF, 0xFF, 0, 0, 0, 0]
        );
        assert_eq!(bytes(Deviation::InitOctalDecimal, ".global .u8 v[2] = {017, 9};"), [17, 9]);
        assert_eq!(bytes(Deviation::InitHexCut, ".global .u8 v[3] = {0x1f, 0xff, 0x12};"), [1, 0, 0x12]);
    }

    #[test]
    fn a_mask_selects_a_byte_from_the_other_end() {
        let text =
            ".version 8.5\n.target sm_90\n.address_size 64\n.global .u32 g;\n.global .u8 v = 0xff00(g);\n";
        let module = compile(text, &Rules::default()).unwrap();
        let semantics = Semantics::default().with(Deviation::InitMaskFromTop);
        let read = initial(&module, VariableId(1), text, &semantics).unwrap();
        assert_eq!((module.variables[1].relocations[0].shift, read.relocations[0].shift), (8, 48));
    }

    #[test]
    fn what_is_alike_is_no_misreading() {
        assert!(misread(Deviation::InitFirstEightBytes, ".global .u32 v = 7;").is_none());
        assert!(misread(Deviation::InitAddendLost, ".global .u64 v = g;").is_none());
        assert!(misread(Deviation::InitIgnored, ".global .u32 v;").is_none());
        assert!(misread(Deviation::InitAbsent, ".global .u32 v = 0;").is_none());
        assert!(misread(Deviation::InitAbsent, ".shared .u32 v;").is_none());
        assert!(misread(Deviation::InitLastByte, ".global .u8 v = 7;").is_none());
        assert!(misread(Deviation::InitOctalDecimal, ".global .u32 v = 7;").is_none());
    }
}
