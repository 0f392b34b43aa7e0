//! Whether a golden entry is out of date: compares it with the allowed outcomes of now.

/// How an entry changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EntryChange {
    /// Nothing changed.
    Same,
    /// Only which bits are undefined changed: drift, without failure.
    Drifted,
    /// Compared bits or other facts changed.
    Differs,
    /// There is no entry.
    Missing,
}

/// Compares two entries.
pub fn compare(then: Option<&str>, now: &str) -> EntryChange {
    match then {
        None => EntryChange::Missing,
        Some(then) if then == now => EntryChange::Same,
        Some(then) if same_where_both_define(then, now) => EntryChange::Drifted,
        Some(_) => EntryChange::Differs,
    }
}

/// Whether two entries differ only in their undefined bits.
fn same_where_both_define(then: &str, now: &str) -> bool {
    let (mut a, mut b) = (then.lines(), now.lines());
    loop {
        match (a.next(), b.next()) {
            (None, None) => return true,
            (Some(a), Some(b)) if same_line(a, b) => {}
            _ => return false,
        }
    }
}

fn same_line(then: &str, now: &str) -> bool {
    let (mut a, mut b) = (then.split_whitespace(), now.split_whitespace());
    loop {
        match (a.next(), b.next()) {
            (None, None) => return true,
            (Some(a), Some(b)) if a == b || compatible(a, b) => {}
            _ => return false,
        }
    }
}

/// Whether two words are bytes that agree in the bits that both define.
fn compatible(then: &str, now: &str) -> bool {
    let (Some((a, defined_a)), Some((b, defined_b))) = (masked_byte(then), masked_byte(now)) else {
        return false;
    };
    let undefined_somewhere = defined_a != 0xFF || defined_b != 0xFF;
    undefined_somewhere && (a ^ b) & defined_a & defined_b == 0
}

/// Reads a byte as `masked_hex` writes it, with the mask of its defined bits: `3?`, `0b0??1_1111`.
fn masked_byte(word: &str) -> Option<(u8, u8)> {
    let (digits, bits) = match word.strip_prefix("0b") {
        Some(rest) => (rest.replace('_', ""), 1),
        None => (word.to_string(), 4),
    };
    if digits.len() * bits != 8 {
        return None;
    }
    let mut byte = (0_u8, 0_u8);
    for digit in digits.chars() {
        let (value, mask) = match digit {
            '?' => (0, 0),
            digit => (u8::try_from(digit.to_digit(1 << bits)?).ok()?, (1_u8 << bits) - 1),
        };
        byte = (byte.0 << bits | value, byte.1 << bits | mask);
    }
    Some(byte)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_read_as_they_are_written() {
        for (byte, mask) in [(0x3C, 0xFF), (0x30, 0xF0), (0x00, 0x00), (0b0001_1111, 0b1001_1111)] {
            let text = warpdiff_corpus::bytes::masked_hex(&[byte], &[mask]);
            assert_eq!(masked_byte(&text), Some((byte & mask, mask)), "{text}");
        }
        assert_eq!(masked_byte("row"), None);
        assert_eq!(masked_byte("123"), None);
    }

    #[test]
    fn a_change_of_undefined_bits_is_drift_and_any_other_a_difference() {
        let then = "  row 0\n        0 12 3? 0b0??1_1111\n";
        assert_eq!(compare(Some(then), then), EntryChange::Same);
        assert_eq!(compare(Some(then), "  row 0\n        0 12 34 1f\n"), EntryChange::Drifted);
        assert_eq!(compare(Some(then), "  row 0\n        0 12 44 1f\n"), EntryChange::Differs);
        assert_eq!(compare(Some(then), "  row 0\n        0 13 3? 1f\n"), EntryChange::Differs);
        assert_eq!(compare(Some(then), "  row 0\n"), EntryChange::Differs);
        assert_eq!(compare(None, then), EntryChange::Missing);
    }
}
