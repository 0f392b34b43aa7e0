//! `prmt.b32`: picks four bytes out of eight.

/// The mode of `prmt`; [`PrmtMode::Index`] is the one without a modifier.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PrmtMode {
    /// Four selector nibbles: three bits of byte number, and a bit that replicates the byte's sign.
    Index,
    /// Forward 4 extract.
    F4e,
    /// Backward 4 extract.
    B4e,
    /// Replicate 8.
    Rc8,
    /// Edge clamp left.
    Ecl,
    /// Edge clamp right.
    Ecr,
    /// Replicate 16.
    Rc16,
}

/// The byte numbers of the special modes, by the two low selector bits, destination byte 0 first: the table of PTX ISA
/// 9.7.9.7 (its columns are printed d.b3 first).
const FORWARD: [[u8; 4]; 4] = [[0, 1, 2, 3], [1, 2, 3, 4], [2, 3, 4, 5], [3, 4, 5, 6]];
const BACKWARD: [[u8; 4]; 4] = [[0, 7, 6, 5], [1, 0, 7, 6], [2, 1, 0, 7], [3, 2, 1, 0]];
const REPLICATE_8: [[u8; 4]; 4] = [[0; 4], [1; 4], [2; 4], [3; 4]];
const CLAMP_LEFT: [[u8; 4]; 4] = [[0, 1, 2, 3], [1, 1, 2, 3], [2, 2, 2, 3], [3, 3, 3, 3]];
const CLAMP_RIGHT: [[u8; 4]; 4] = [[0, 0, 0, 0], [0, 1, 1, 1], [0, 1, 2, 2], [0, 1, 2, 3]];
const REPLICATE_16: [[u8; 4]; 4] = [[0, 1, 0, 1], [2, 3, 2, 3], [0, 1, 0, 1], [2, 3, 2, 3]];

/// For each destination byte, lowest first, the number of the source byte (0–3 in `a`, 4–7 in `b`), plus 8 if its sign is
/// to be replicated instead.
#[inline]
pub fn prmt_selectors(selector: u32, mode: PrmtMode) -> [u8; 4] {
    let row = (selector & 3) as usize;
    match mode {
        PrmtMode::Index => [0, 4, 8, 12].map(|shift| (selector >> shift & 0xf) as u8),
        PrmtMode::F4e => FORWARD[row],
        PrmtMode::B4e => BACKWARD[row],
        PrmtMode::Rc8 => REPLICATE_8[row],
        PrmtMode::Ecl => CLAMP_LEFT[row],
        PrmtMode::Ecr => CLAMP_RIGHT[row],
        PrmtMode::Rc16 => REPLICATE_16[row],
    }
}

/// `prmt.b32 d, a, b, c`.
#[inline]
pub fn prmt(a: u32, b: u32, selector: u32, mode: PrmtMode) -> u32 {
    let bytes = (u64::from(b) << 32 | u64::from(a)).to_le_bytes();
    u32::from_le_bytes(prmt_selectors(selector, mode).map(|selector| {
        let byte = bytes[usize::from(selector & 7)];
        if selector & 8 == 0 { byte } else { (byte as i8 >> 7) as u8 }
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    const A: u32 = 0x3322_1100;
    const B: u32 = 0x7766_5544;

    #[test]
    fn the_default_mode_picks_bytes_by_nibble() {
        // "The bytes in the two source registers are numbered from 0 to 7: {b, a} = {{b7,b6,b5,b4},{b3,b2,b1,b0}}."
        assert_eq!(prmt(A, B, 0x3210, PrmtMode::Index), A);
        assert_eq!(prmt(A, B, 0x7654, PrmtMode::Index), B);
        assert_eq!(prmt(A, B, 0x0246, PrmtMode::Index), 0x0022_4466);
        assert_eq!(
            prmt(A, B, 0xffff_3210, PrmtMode::Index),
            A,
            "the upper half of the selector is not looked at"
        );
    }

    #[test]
    fn the_high_bit_of_a_nibble_replicates_the_sign() {
        // "msb=1 means replicate the sign": byte 1 is 0x80, byte 0 is 0x7f.
        assert_eq!(prmt(0x0000_807f, 0, 0x9810, PrmtMode::Index), 0xff00_807f);
    }

    #[test]
    fn the_special_modes_follow_the_manual_table() {
        // PTX ISA 9.7.9.7, the table of modes: selector, then d.b3 d.b2 d.b1 d.b0, as printed.
        let table: [(PrmtMode, [u32; 4]); 6] = [
            (PrmtMode::F4e, [0x3210, 0x4321, 0x5432, 0x6543]),
            (PrmtMode::B4e, [0x5670, 0x6701, 0x7012, 0x0123]),
            (PrmtMode::Rc8, [0x0000, 0x1111, 0x2222, 0x3333]),
            (PrmtMode::Ecl, [0x3210, 0x3211, 0x3222, 0x3333]),
            (PrmtMode::Ecr, [0x0000, 0x1110, 0x2210, 0x3210]),
            (PrmtMode::Rc16, [0x1010, 0x3232, 0x1010, 0x3232]),
        ];
        for (mode, rows) in table {
            for (selector, nibbles) in (0..).zip(rows) {
                let expected = prmt(A, B, nibbles, PrmtMode::Index);
                assert_eq!(prmt(A, B, selector, mode), expected, "{mode:?} {selector}");
                assert_eq!(prmt(A, B, selector | 0xfffc, mode), expected, "only two selector bits count");
            }
        }
    }
}
