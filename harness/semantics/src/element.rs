//! Elements in memory: numbers of 1 to 8 bytes, the lowest first. Those of 1, 2, 4 and 8 are told apart, so that each is one load or store.

/// The number in up to 8 bytes.
#[inline(always)]
pub fn number(bytes: &[u8]) -> u64 {
    match *bytes {
        [a] => u64::from(a),
        [a, b] => u64::from(u16::from_le_bytes([a, b])),
        [a, b, c, d] => u64::from(u32::from_le_bytes([a, b, c, d])),
        [a, b, c, d, e, f, g, h] => u64::from_le_bytes([a, b, c, d, e, f, g, h]),
        _ => {
            let mut all = [0; 8];
            let len = bytes.len().min(8);
            all[..len].copy_from_slice(&bytes[..len]);
            u64::from_le_bytes(all)
        }
    }
}

/// Stores the lowest bytes of a number: as many as there is room for.
///
/// # Panics
/// If that is more than 8.
#[inline(always)]
pub fn put_number(bytes: &mut [u8], value: u64) {
    match bytes.len() {
        1 => bytes[0] = value as u8,
        2 => bytes.copy_from_slice(&(value as u16).to_le_bytes()),
        4 => bytes.copy_from_slice(&(value as u32).to_le_bytes()),
        8 => bytes.copy_from_slice(&value.to_le_bytes()),
        len => bytes.copy_from_slice(&value.to_le_bytes()[..len]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lowest_byte_comes_first_in_every_size() {
        let value = 0x0807_0605_0403_0201;
        for size in 0..=8 {
            let mut bytes = [0xff; 9];
            put_number(&mut bytes[..size], value);
            let expected: Vec<u8> = (1..=size as u8).chain(std::iter::repeat_n(0xff, 9 - size)).collect();
            assert_eq!(bytes[..], expected[..]);
            assert_eq!(
                number(&bytes[..size]),
                value & u64::MAX.checked_shr(64 - 8 * size as u32).unwrap_or(0)
            );
        }
    }
}
