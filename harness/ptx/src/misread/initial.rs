//! Initial values as an implementation misreads them.

use warpdiff_model::{Deviation, Semantics};

use crate::checked::{Relocation, Variable};

/// What a variable holds at first, and the addresses in it.
pub struct Initial {
    /// Its bytes, from the first on; what is not there is zero.
    pub bytes: Vec<u8>,
    /// Its addresses.
    pub relocations: Vec<Relocation>,
}

/// What a variable with an initial value holds at first, as these semantics misread it; `None` if they read it as it is.
pub fn initial(variable: &Variable, semantics: &Semantics) -> Option<Initial> {
    if semantics.is_specification() || variable.initial.is_empty() && variable.relocations.is_empty() {
        return None;
    }
    let has = |deviation| semantics.has(deviation);
    let (mut bytes, mut relocations) = (variable.initial.clone(), variable.relocations.clone());
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
    let is_same = bytes == variable.initial && relocations == variable.relocations;
    (!is_same).then_some(Initial { bytes, relocations })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Rules, compile};

    /// The bytes, and the addends of addresses, of the first variable.
    fn misread(deviation: Deviation, declaration: &str) -> Option<(Vec<u8>, Vec<i64>)> {
        let text =
            format!(".version 8.5\n.target sm_90\n.address_size 64\n.global .u32 g[4];\n{declaration}\n");
        let module =
            compile(&text, &Rules::default()).unwrap_or_else(|errors| panic!("{declaration}: {errors:?}"));
        let variable = module.variables.last().unwrap();
        assert!(initial(variable, &Semantics::default()).is_none());
        let read = initial(variable, &Semantics::default().with(deviation))?;
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
    }

    #[test]
    fn what_is_alike_is_no_misreading() {
        assert!(misread(Deviation::InitFirstEightBytes, ".global .u32 v = 7;").is_none());
        assert!(misread(Deviation::InitAddendLost, ".global .u64 v = g;").is_none());
        assert!(misread(Deviation::InitIgnored, ".global .u32 v;").is_none());
    }
}
