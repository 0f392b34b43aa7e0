//! Initial values, as they are misread.

use warpdiff_model::{Deviation, Semantics};
use warpdiff_ptx::checked::VariableId;
use warpdiff_ptx::misread::initial::initial;
use warpdiff_ptx::{Rules, compile};

/// What memory holds that nobody has written, where a deviation shows it.
const BEFORE: u8 = 0xA5;

/// The bytes, and the addends of addresses, of the first variable.
fn misread(deviation: Deviation, declaration: &str) -> Option<(Vec<u8>, Vec<i64>)> {
    let text = format!(".version 8.5\n.target sm_90\n.address_size 64\n.global .u32 g[4];\n{declaration}\n");
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
    let text = ".version 8.5\n.target sm_90\n.address_size 64\n.global .u32 g;\n.global .u8 v = 0xff00(g);\n";
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
