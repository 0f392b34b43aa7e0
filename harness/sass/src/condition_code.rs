//! The tests of the condition codes, by number, as nvdisasm 12.8 spells them behind `CC.`.

/// The test that always holds.
pub const TRUE: u8 = 15;

/// The name of each.
pub const NAMES: &[&str] = &[
    "F", "LT", "EQ", "LE", "GT", "NE", "GE", "NUM", "NAN", "LTU", "EQU", "LEU", "GTU", "NEU", "GEU", "T",
    "OFF", "LO", "SFF", "LS", "HI", "SFT", "HS", "OFT", "CSM_TA", "CSM_TR", "CSM_MX", "FCSM_TA", "FCSM_TR",
    "FCSM_MX", "RLE", "RGT",
];

/// The name of a test; numbers have five bits.
pub fn name(test: u8) -> &'static str {
    NAMES[usize::from(test & 31)]
}

/// The test of that name.
pub fn number(name: &str) -> Option<u8> {
    NAMES.iter().position(|other| *other == name).map(|number| number as u8)
}
