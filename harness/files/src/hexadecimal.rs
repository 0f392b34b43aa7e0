//! Bytes as hexadecimal digits.

/// Two lower-case digits for each byte, in the order of the bytes.
pub fn of(bytes: &[u8]) -> String {
    let mut digits = String::with_capacity(2 * bytes.len());
    push(&mut digits, bytes);
    digits
}

/// Appends the digits of bytes to a text.
pub fn push(text: &mut String, bytes: &[u8]) {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    for byte in bytes {
        text.push(char::from(DIGITS[usize::from(byte >> 4)]));
        text.push(char::from(DIGITS[usize::from(byte & 15)]));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_byte_has_two_digits() {
        assert_eq!(of(&[0x00, 0x09, 0x5A, 0xA0, 0xFF]), "00095aa0ff");
        let mut text = String::from("0x");
        push(&mut text, &[0x1F]);
        assert_eq!(text, "0x1f");
    }
}
