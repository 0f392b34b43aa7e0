//! The text that `vprintf` makes of a format and its arguments.
//!
//! The formats are those of the CUDA C++ Programming Guide, "Formatted Output": `%[flags][width][.precision][size]type`, with the
//! flags `#`, space, `0`, `+`, `-`, the sizes `h`, `l`, `ll`, and the types `%cdiouxXpeEfgGaAs`, each as in C. The arguments are
//! packed as C promotes them (PTX Writer's Guide to Interoperability, "System Calls"): 4 bytes of an `int`, 8 of a `long`, a pointer
//! or a `double`, each at a multiple of its size.

/// "The printf() command can accept at most 32 arguments in addition to the format string. Additional arguments beyond this will be
/// ignored, and the format specifier output as-is."
const ARGUMENTS: i32 = 32;
/// Characters that a width or a precision can ask for.
const WIDTH_LIMIT: usize = 4096;

/// What a format takes its arguments from.
pub trait Arguments {
    /// The next argument, of 4 or 8 bytes; `None` where none can be read.
    fn next(&mut self, size: usize) -> Option<u64>;
    /// The characters of a string up to its zero; `None` where it cannot be read.
    fn string(&mut self, address: u64) -> Option<Vec<u8>>;
}

/// Flags, width and precision of a conversion.
#[derive(Clone, Copy, Default)]
struct Style {
    left: bool,
    plus: bool,
    space: bool,
    alternative: bool,
    zero: bool,
    width: usize,
    precision: Option<usize>,
}

/// Formats a text; answers it and the number of arguments that it took. `None` where an argument cannot be read.
pub fn print(format: &[u8], arguments: &mut impl Arguments) -> Option<(Vec<u8>, i32)> {
    let mut text = Vec::new();
    let mut taken = 0;
    let mut rest = format;
    while let Some((&first, after)) = rest.split_first() {
        if first != b'%' {
            text.push(first);
            rest = after;
            continue;
        }
        let before = taken;
        let (length, made) = conversion(after, arguments, &mut taken)?;
        match made {
            Some(made) if taken <= ARGUMENTS => text.extend(made),
            _ => {
                taken = before;
                text.push(b'%');
                text.extend(&after[..length]);
            }
        }
        rest = &after[length..];
    }
    Some((text, taken))
}

/// The length of the conversion behind a `%`, and its text; no text where it is none.
fn conversion(
    format: &[u8],
    arguments: &mut impl Arguments,
    taken: &mut i32,
) -> Option<(usize, Option<Vec<u8>>)> {
    let mut at = 0;
    let mut style = Style::default();
    while let Some(flag) = format.get(at) {
        match flag {
            b'-' => style.left = true,
            b'+' => style.plus = true,
            b' ' => style.space = true,
            b'#' => style.alternative = true,
            b'0' => style.zero = true,
            _ => break,
        }
        at += 1;
    }
    let mut count = |at: &mut usize, taken: &mut i32| -> Option<i64> {
        if format.get(*at) == Some(&b'*') {
            *at += 1;
            *taken += 1;
            return Some(i64::from(arguments.next(4)? as u32 as i32));
        }
        let digits = format[*at..].iter().take_while(|byte| byte.is_ascii_digit()).count();
        let number = format[*at..*at + digits].iter();
        *at += digits;
        Some(number.fold(0i64, |all, digit| all.saturating_mul(10).saturating_add(i64::from(digit - b'0'))))
    };
    let width = count(&mut at, taken)?;
    // "A negative field width argument is taken as a - flag followed by a positive field width" (C11 7.21.6.1).
    style.left |= width < 0;
    style.width = (width.unsigned_abs() as usize).min(WIDTH_LIMIT);
    if format.get(at) == Some(&b'.') {
        at += 1;
        // "A negative precision argument is taken as if the precision were omitted."
        let precision = count(&mut at, taken)?;
        style.precision = usize::try_from(precision).ok().map(|precision| precision.min(WIDTH_LIMIT));
    }
    let sizes = format[at..].iter().take_while(|byte| matches!(byte, b'h' | b'l')).count();
    let size = &format[at..at + sizes];
    at += sizes;
    let Some(kind) = format.get(at) else { return Some((at, None)) };
    at += 1;
    if *kind == b'%' {
        return Some((at, Some(vec![b'%'])));
    }
    if !b"cdiouxXpeEfFgGaAs".contains(kind) {
        return Some((at, None));
    }
    *taken += 1;
    let is_long = size.first() == Some(&b'l');
    let bytes = if is_long && b"diouxX".contains(kind) || b"pseEfFgGaA".contains(kind) { 8 } else { 4 };
    let value = arguments.next(bytes)?;
    let (short, shorter) = (size == b"h", size == b"hh");
    let made = match kind {
        b'c' => padded(style, b"", vec![value as u8], false),
        b's' if value == 0 => string(style, b"(null)"),
        b's' => string(style, &arguments.string(value)?),
        b'p' => padded(style, b"0x", format!("{value:x}").into_bytes(), false),
        b'd' | b'i' => {
            let value = match (is_long, short, shorter) {
                (true, ..) => value as i64,
                (_, true, _) => i64::from(value as i16),
                (_, _, true) => i64::from(value as i8),
                _ => i64::from(value as i32),
            };
            integer(style, sign(style, value < 0), value.unsigned_abs(), b'd')
        }
        b'o' | b'u' | b'x' | b'X' => {
            let value = match (is_long, short, shorter) {
                (true, ..) => value,
                (_, true, _) => u64::from(value as u16),
                (_, _, true) => u64::from(value as u8),
                _ => u64::from(value as u32),
            };
            integer(style, b"", value, *kind)
        }
        _ => float(style, f64::from_bits(value), *kind),
    };
    Some((at, Some(made)))
}

fn sign(style: Style, negative: bool) -> &'static [u8] {
    match (negative, style.plus, style.space) {
        (true, ..) => b"-",
        (_, true, _) => b"+",
        (_, _, true) => b" ",
        _ => b"",
    }
}

/// A text in its field: with blanks, or with zeros behind its prefix.
fn padded(style: Style, prefix: &[u8], digits: Vec<u8>, zeros: bool) -> Vec<u8> {
    let fill = style.width.saturating_sub(prefix.len() + digits.len());
    let (before, between, behind) = match (style.left, zeros) {
        (true, _) => (0, 0, fill),
        (false, true) => (0, fill, 0),
        (false, false) => (fill, 0, 0),
    };
    [vec![b' '; before], prefix.to_vec(), vec![b'0'; between], digits, vec![b' '; behind]].concat()
}

fn string(style: Style, text: &[u8]) -> Vec<u8> {
    let most = style.precision.unwrap_or(text.len()).min(text.len());
    padded(style, b"", text[..most].to_vec(), false)
}

fn integer(style: Style, sign: &[u8], value: u64, kind: u8) -> Vec<u8> {
    let mut digits = match kind {
        b'o' => format!("{value:o}"),
        b'x' => format!("{value:x}"),
        b'X' => format!("{value:X}"),
        _ => value.to_string(),
    };
    // "The result of converting a zero value with a precision of zero is no characters."
    if value == 0 && style.precision == Some(0) {
        digits.clear();
    }
    let least = style.precision.unwrap_or(1);
    digits = "0".repeat(least.saturating_sub(digits.len())) + &digits;
    let mut prefix = sign.to_vec();
    match kind {
        b'o' if style.alternative && !digits.starts_with('0') => digits.insert(0, '0'),
        b'x' if style.alternative && value != 0 => prefix.extend(b"0x"),
        b'X' if style.alternative && value != 0 => prefix.extend(b"0X"),
        _ => {}
    }
    padded(style, &prefix, digits.into_bytes(), style.zero && style.precision.is_none())
}

fn float(style: Style, value: f64, kind: u8) -> Vec<u8> {
    let mut prefix = sign(style, value.is_sign_negative()).to_vec();
    let magnitude = value.abs();
    let upper = kind.is_ascii_uppercase();
    let case = |text: String| if upper { text.to_uppercase() } else { text };
    if !value.is_finite() {
        let text = if value.is_nan() { "nan" } else { "inf" };
        return padded(style, &prefix, case(text.into()).into_bytes(), false);
    }
    let digits = match kind.to_ascii_lowercase() {
        b'f' => fixed(magnitude, style.precision.unwrap_or(6), style.alternative),
        b'e' => scientific(magnitude, style.precision.unwrap_or(6), style.alternative),
        b'g' => general(magnitude, style),
        _ => {
            prefix.extend(if upper { b"0X" } else { b"0x" });
            hexadecimal(magnitude, style)
        }
    };
    padded(style, &prefix, case(digits).into_bytes(), style.zero)
}

fn fixed(value: f64, precision: usize, point: bool) -> String {
    let point = if precision == 0 && point { "." } else { "" };
    format!("{value:.precision$}{point}")
}

/// Mantissa and exponent of a number with so many digits behind the point.
fn parts(value: f64, precision: usize) -> (String, i32) {
    let text = format!("{value:.precision$e}");
    let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    (mantissa.into(), exponent.parse().unwrap_or(0))
}

fn with_exponent(mantissa: &str, exponent: i32) -> String {
    let sign = if exponent < 0 { '-' } else { '+' };
    format!("{mantissa}e{sign}{:02}", exponent.abs())
}

fn scientific(value: f64, precision: usize, point: bool) -> String {
    let (mut mantissa, exponent) = parts(value, precision);
    if precision == 0 && point {
        mantissa.push('.');
    }
    with_exponent(&mantissa, exponent)
}

/// "Let P equal the precision if nonzero, 6 if the precision is omitted, or 1 if the precision is zero. Then, if a conversion with
/// style E would have an exponent of X: if P > X ≥ −4, the conversion is with style f and precision P − (X + 1); otherwise, with style
/// e and precision P − 1. Unless the # flag is used, any trailing zeros are removed" (C11 7.21.6.1).
fn general(value: f64, style: Style) -> String {
    let precision = style.precision.unwrap_or(6).max(1);
    let (mantissa, exponent) = parts(value, precision - 1);
    let bare = |text: String| match text.contains('.') && !style.alternative {
        true => text.trim_end_matches('0').trim_end_matches('.').to_owned(),
        false => text,
    };
    if (-4..precision as i64).contains(&i64::from(exponent)) {
        let behind = (precision as i64 - 1 - i64::from(exponent)) as usize;
        return bare(fixed(value, behind, style.alternative));
    }
    let point = if precision == 1 && style.alternative { "." } else { "" };
    with_exponent(&bare(mantissa + point), exponent)
}

/// `1.8p+1`: the digit before the point is 0 for zero and subnormal numbers, else 1.
fn hexadecimal(value: f64, style: Style) -> String {
    const DIGITS: usize = 13;
    let bits = value.to_bits();
    let (field, fraction) = (bits >> 52, bits & ((1 << 52) - 1));
    let exponent = match (field, fraction) {
        (0, 0) => 0,
        (0, _) => -1022,
        (field, _) => field as i64 - 1023,
    };
    let mut mantissa = u64::from(field != 0) << 52 | fraction;
    let kept = style.precision.unwrap_or(DIGITS).min(DIGITS);
    let dropped = 4 * (DIGITS - kept);
    if dropped > 0 {
        // To the nearest, and from the middle to an even digit.
        let (half, odd) = (1 << (dropped - 1), mantissa >> dropped & 1);
        mantissa = (mantissa + half - 1 + odd) >> dropped << dropped;
    }
    let digits = format!("{:013x}", mantissa & ((1 << 52) - 1));
    let mut behind = digits[..kept].to_owned();
    match style.precision {
        None => behind.truncate(behind.trim_end_matches('0').len()),
        Some(precision) => behind.push_str(&"0".repeat(precision - kept)),
    }
    let point = if behind.is_empty() && !style.alternative { "" } else { "." };
    format!("{}{point}{behind}p{exponent:+}", mantissa >> 52)
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Given(Vec<u64>);

    impl Arguments for Given {
        fn next(&mut self, _size: usize) -> Option<u64> {
            if self.0.is_empty() { None } else { Some(self.0.remove(0)) }
        }

        fn string(&mut self, address: u64) -> Option<Vec<u8>> {
            Some([&b"abc"[..], &b"longer"[..]][address as usize - 1].to_vec())
        }
    }

    fn printed(format: &str, arguments: &[u64]) -> (String, i32) {
        let (text, taken) = print(format.as_bytes(), &mut Given(arguments.to_vec())).expect("printed");
        (String::from_utf8(text).expect("text"), taken)
    }

    /// What C prints, worked out from C11 7.21.6.1.
    #[test]
    fn conversions_are_those_of_c() {
        let d = |value: f64| value.to_bits();
        let cases: &[(&str, &[u64], &str)] = &[
            ("plain 100%%", &[], "plain 100%"),
            ("%d|%i|%u", &[u64::MAX, 5, u64::MAX], "-1|5|4294967295"),
            ("%ld|%lld|%lu", &[u64::MAX, 1 << 40, u64::MAX], "-1|1099511627776|18446744073709551615"),
            ("%hd|%hhd|%hu", &[0x1_8000, 0xFF, 0x1_FFFF], "-32768|-1|65535"),
            ("%5d|%-5d|%05d|%+d|% d", &[42, 42, 42, 42, 42], "   42|42   |00042|+42| 42"),
            ("%.3d|%8.3d|%08.3d|%.0d|", &[7, 7, 7, 0], "007|     007|     007||"),
            ("%x|%X|%#x|%#X|%#o|%o|%#x", &[255, 255, 255, 255, 8, 8, 0], "ff|FF|0xff|0XFF|010|10|0"),
            ("%#08x|%08d", &[255, (-42i64) as u64], "0x0000ff|-0000042"),
            ("%c%c|%3c", &[104, 105, 33], "hi|  !"),
            ("%s|%6s|%-6s|%.2s|%s", &[1, 1, 1, 2, 0], "abc|   abc|abc   |lo|(null)"),
            ("%p", &[0xAB_0000_0010], "0xab00000010"),
            ("%*d|%-*d|%.*f", &[4, 7, 4, 7, 2, d(1.0)], "   7|7   |1.00"),
            ("%*d|", &[(-4i64) as u64, 7], "7   |"),
            ("%f|%.2f|%.0f|%#.0f", &[d(1.5), d(-2.345), d(2.5), d(2.5)], "1.500000|-2.35|2|2."),
            // 2.675 lies below the middle, 0.125 in it.
            ("%.2f|%.2f|%+.1f|%08.2f", &[d(2.675), d(0.125), d(1.0), d(-1.5)], "2.67|0.12|+1.0|-0001.50"),
            (
                "%e|%.0e|%E|%.2e",
                &[d(12345.678), d(5.0), d(1e-10), d(0.0)],
                "1.234568e+04|5e+00|1.000000E-10|0.00e+00",
            ),
            (
                "%g|%g|%g|%g|%G",
                &[d(100000.0), d(1e6), d(0.0001), d(0.00001), d(1e-20)],
                "100000|1e+06|0.0001|1e-05|1E-20",
            ),
            ("%g|%.3g|%#g|%.0g", &[d(0.5), d(1234.0), d(0.5), d(0.25)], "0.5|1.23e+03|0.500000|0.2"),
            ("%g|%g", &[d(0.0), d(999999.5)], "0|1e+06"),
            (
                "%a|%a|%A|%.1a|%a",
                &[d(1.0), d(0.5), d(10.0), d(1.96875), d(0.0)],
                "0x1p+0|0x1p-1|0X1.4P+3|0x2.0p+0|0x0p+0",
            ),
            (
                "%f|%5.1f|%05f|%E",
                &[d(f64::INFINITY), d(f64::NEG_INFINITY), d(f64::NAN), d(f64::NAN)],
                "inf| -inf|  nan|NAN",
            ),
            ("%q %", &[], "%q %"),
        ];
        for (format, arguments, expected) in cases {
            assert_eq!(printed(format, arguments).0, *expected, "{format}");
        }
    }

    #[test]
    fn the_arguments_are_counted() {
        assert_eq!(printed("none", &[]).1, 0);
        assert_eq!(printed("%d %% %s %*d", &[1, 1, 2, 3]).1, 4);
        let (text, taken) = printed(&"%d".repeat(34), &[1; 34]);
        assert_eq!((text, taken), ("1".repeat(32) + "%d%d", 32));
        assert!(print(b"%d", &mut Given(Vec::new())).is_none());
    }
}
