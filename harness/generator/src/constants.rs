//! Values in initialisers: literals, constant expressions (PTX ISA 4.5), addresses and masks (5.4.4).

use arbitrary::{Result, Unstructured};

use crate::declarations::{Kind, Names, Setting};

/// Operators nested in one another.
const DEPTH: u32 = 3;

/// Operators of integers whose right operand may be anything.
const INTEGER: &[&str] =
    &["+", "-", "*", "&", "|", "^", "<<", ">>", "<", "<=", ">", ">=", "==", "!=", "&&", "||"];
/// Comparisons of floating-point numbers, whose result is an integer.
const COMPARE: &[&str] = &["<", "<=", ">", ">=", "==", "!="];

/// A value for an element of that size and kind.
pub(crate) fn value(
    u: &mut Unstructured<'_>,
    setting: Setting,
    names: &Names,
    size: u64,
    kind: Kind,
) -> Result<String> {
    match kind {
        Kind::Float => float_value(u),
        // A `.b8` or `.b16` takes floating-point numbers, too, and makes something odd of them.
        Kind::Bits if u.ratio(1, 3)? => float_value(u),
        // Addresses go into `.u32` and `.u64`, bytes of them also into `.u8`.
        Kind::Unsigned if u.ratio(2, 5)? => match address(u, setting, names, size)? {
            Some(text) => Ok(text),
            None => integer_value(u, setting),
        },
        Kind::Unsigned | Kind::Signed | Kind::Bits | Kind::Bare => integer_value(u, setting),
    }
}

fn integer_value(u: &mut Unstructured<'_>, setting: Setting) -> Result<String> {
    // The assembler has masks of integers from 7.2 on, the text from 7.3 on.
    if setting.version >= 73 && u.ratio(1, 10)? {
        return Ok(format!("{}({})", mask(u)?, integer(u, DEPTH - 1)?));
    }
    integer(u, DEPTH)
}

/// One of the eight masks of a byte.
fn mask(u: &mut Unstructured<'_>) -> Result<String> {
    let byte = u.int_in_range(0..=7)?;
    Ok(format!("0xFF{}", "00".repeat(byte)))
}

fn integer(u: &mut Unstructured<'_>, depth: u32) -> Result<String> {
    if depth == 0 || u.ratio(1, 2)? {
        return literal(u);
    }
    let operand = |u: &mut Unstructured<'_>| integer(u, depth - 1);
    Ok(match u.int_in_range(0..=9)? {
        0..=4 => {
            let (left, right) = (operand(u)?, operand(u)?);
            format!("({left} {} {right})", u.choose(INTEGER)?)
        }
        // A divisor that is not zero: its lowest bit is set.
        5 => format!("({} {} ({} | 1))", operand(u)?, u.choose(&["/", "%"])?, operand(u)?),
        6 => format!("({}({}))", u.choose(&["-", "~", "!", "+"])?, operand(u)?),
        7 => format!("({}({}))", u.choose(&["(.s64)", "(.u64)"])?, operand(u)?),
        8 => format!("({} ? {} : {})", operand(u)?, operand(u)?, operand(u)?),
        _ => format!("({} {} {})", float(u, 1)?, u.choose(COMPARE)?, float(u, 1)?),
    })
}

fn literal(u: &mut Unstructured<'_>) -> Result<String> {
    let bits: u64 = match u.int_in_range(0..=5)? {
        0 => u.int_in_range(0..=9)?,
        1 => u64::from(u.arbitrary::<u16>()?),
        2 => u64::from(u.arbitrary::<u32>()?),
        3 => *u.choose(&[
            0x7F,
            0x80,
            0xFF,
            0x100,
            0x7FFF_FFFF,
            0x8000_0000,
            1 << 63,
            u64::MAX,
            i64::MAX as u64,
        ])?,
        _ => u.arbitrary()?,
    };
    let suffix = if u.ratio(1, 6)? { "U" } else { "" };
    Ok(match u.int_in_range(0..=6)? {
        0 => format!("0x{bits:X}{suffix}"),
        1 => format!("0{bits:o}{suffix}"),
        2 => format!("0b{bits:b}{suffix}"),
        3 => format!("-{}", bits >> 1),
        4 => "WARP_SZ".into(),
        _ => format!("{bits}{suffix}"),
    })
}

fn float_value(u: &mut Unstructured<'_>) -> Result<String> {
    if u.ratio(1, 6)? {
        // It takes no operator, and stays as it is.
        return Ok(format!("0f{:08X}", u.arbitrary::<u32>()?));
    }
    float(u, DEPTH - 1)
}

fn float(u: &mut Unstructured<'_>, depth: u32) -> Result<String> {
    if depth == 0 || u.ratio(2, 3)? {
        return float_literal(u);
    }
    Ok(match u.int_in_range(0..=4)? {
        // The assembler refuses to divide by zero.
        0 => format!("({} / {}.5)", float(u, depth - 1)?, u.int_in_range(1..=99)?),
        1 => format!("(-({}))", float(u, depth - 1)?),
        _ => format!("({} {} {})", float(u, depth - 1)?, u.choose(&["+", "-", "*"])?, float(u, depth - 1)?),
    })
}

/// Decimal literals that are normal numbers: the assembler refuses others.
fn float_literal(u: &mut Unstructured<'_>) -> Result<String> {
    let whole = u.int_in_range(0..=99_999)?;
    let fraction = u.int_in_range(1..=999_999)?;
    Ok(match u.int_in_range(0..=5)? {
        0 => format!("{whole}.{fraction}"),
        1 => format!("{whole}.{fraction}e-{}", u.int_in_range(1..=40)?),
        2 => format!("{whole}.{fraction}e{}", u.int_in_range(1..=40)?),
        3 => format!("-{whole}.{fraction}"),
        4 => {
            // Every sign and exponent of normal numbers, and no others.
            let exponent: u64 = u.int_in_range(1..=2046)?;
            let (sign, fraction) = (u.int_in_range(0..=1)?, u.arbitrary::<u64>()? >> 12);
            format!("0d{:016X}", sign << 63 | exponent << 52 | fraction)
        }
        _ => format!("{whole}.0"),
    })
}

/// An address, or a byte of one, for an unsigned element of that size; none where there is nothing to take it of.
fn address(u: &mut Unstructured<'_>, setting: Setting, names: &Names, size: u64) -> Result<Option<String>> {
    let masks = setting.version >= 71;
    if !(matches!(size, 4 | 8) || size == 1 && masks) {
        return Ok(None);
    }
    let byte = size == 1 || masks && u.ratio(1, 4)?;
    // As observed: from sm_70 on an offset in `.const` with something added to it overwrites what lies behind 32 bits. What two of
    // them side by side leave of one another is not modelled.
    let bare = size == 4 && !byte && setting.architecture >= 70;
    let Some(symbol) = symbol(u, setting, names, bare)? else { return Ok(None) };
    Ok(Some(if byte { format!("{}({symbol})", mask(u)?) } else { symbol }))
}

/// A variable or function, with something added to it unless it is to be `bare`.
fn symbol(u: &mut Unstructured<'_>, setting: Setting, names: &Names, bare: bool) -> Result<Option<String>> {
    if !names.functions.is_empty() && u.ratio(1, 5)? {
        return Ok(Some(u.choose(&names.functions)?.clone()));
    }
    if names.variables.is_empty() {
        return Ok(None);
    }
    let mut text = u.choose(&names.variables)?.clone();
    if setting.version >= 31 && u.ratio(1, 2)? {
        text = format!("generic({text})");
    }
    Ok(Some(match u.int_in_range(0..=4)? {
        _ if bare => text,
        0 => format!("{text} + {}", u.int_in_range(0..=64)?),
        1 => format!("{text}+-{}", u.int_in_range(1..=64)?),
        2 => format!("{text} + ({} * {})", u.int_in_range(0..=8)?, u.int_in_range(0..=8)?),
        _ => text,
    }))
}
