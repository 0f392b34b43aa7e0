//! The register or memory of a column of a SPA 5.0 table: `R4`, `P0`, `shared.16`, `local.0x20`.

use std::ops::Range;

use warpdiff_ptx::vocabulary::Type;
use warpdiff_sass::Header;

use crate::columns::ColumnRecord;
use crate::reader::{Fields, Read, Reader};
use crate::resources::element_type;

/// The place of a column's value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ColumnPlace {
    /// A register, and the one after it for values of 64 bits. Of narrower values it is the low bits.
    Register(u8),
    /// A predicate.
    Predicate(u8),
    /// Bytes of the CTA's shared memory from that address on.
    Shared(u32),
    /// Bytes of the thread's local memory from that address on.
    Local(u32),
}

impl ColumnPlace {
    pub(super) fn of(name: &str) -> Option<Self> {
        let canonical = |digits: &str| digits == "0" || !digits.starts_with(['0', '+']);
        if let Some(digits) = name.strip_prefix('R') {
            let number = digits.parse().ok().filter(|number| *number < 255 && canonical(digits));
            return number.map(Self::Register);
        }
        if let Some(digits) = name.strip_prefix('P') {
            let number = digits.parse().ok().filter(|number| *number < 7 && canonical(digits));
            return number.map(Self::Predicate);
        }
        let (window, address) = name.split_once('.')?;
        let address = match address.strip_prefix("0x") {
            Some(digits) => u32::from_str_radix(digits, 16).ok()?,
            None => address.parse().ok()?,
        };
        match window {
            "shared" => Some(Self::Shared(address)),
            "local" => Some(Self::Local(address)),
            _ => None,
        }
    }

    /// The kind and the range of its registers or bytes.
    fn extent(self, size: u32) -> (u8, Range<u32>) {
        match self {
            Self::Register(number) => (0, u32::from(number)..u32::from(number) + size.div_ceil(4)),
            Self::Predicate(number) => (1, u32::from(number)..u32::from(number) + 1),
            Self::Shared(address) => (2, address..address.saturating_add(size)),
            Self::Local(address) => (3, address..address.saturating_add(size)),
        }
    }
}

/// The name of an output without the prime, which tells it from an input at the same place: `R0'` is what `R0` holds after the body.
pub fn without_prime(name: &str) -> &str {
    name.strip_suffix('\'').unwrap_or(name)
}

/// The columns of inputs or of outputs with their places.
#[derive(Debug, Default)]
pub(super) struct ColumnPlaces {
    /// Their names, types and offsets. The stride is a power of two.
    pub(super) record: ColumnRecord,
    /// The place of each.
    pub(super) places: Vec<ColumnPlace>,
}

impl ColumnPlaces {
    /// Reads the key `inputs` or `outputs`.
    pub(super) fn read(reader: &Reader<'_>, fields: &Fields<'_>, key: &str, header: &Header) -> Read<Self> {
        let mut read = Self::default();
        let Some(node) = fields.get(key) else { return Ok(read) };
        for (name, node) in reader.entries(node, &format!("`{key}`"))?.entries {
            let (bare, expected) = match key {
                "outputs" => {
                    (without_prime(&name.text), "expected `R0`, `P0`, `shared.16` or `local.16`, or `R0'`")
                }
                _ => (name.text.as_str(), "expected `R0`, `P0`, `shared.16` or `local.16`"),
            };
            let Some(place) = ColumnPlace::of(bare) else {
                let error = reader.error(&name.range(), format!("`{}` is not a column", name.text));
                return Err(reader.note(error.label(expected)));
            };
            let (ty, element) = element_type(reader, node, "type of a column")?;
            let size = element.size();
            if (ty == Type::Pred) != matches!(place, ColumnPlace::Predicate(_)) {
                return reader
                    .fail(&node.range(), "`P0` to `P6` have the type `pred`, and nothing else has it");
            }
            read.check(reader, &name.range(), place, size, header)?;
            read.record.push(&name.text, ty, element);
            read.places.push(place);
        }
        read.record.stride = read.record.stride.next_power_of_two();
        Ok(read)
    }

    /// Checks that the place exists, is aligned, and belongs to no other column.
    fn check(
        &self,
        reader: &Reader<'_>,
        range: &Range<usize>,
        place: ColumnPlace,
        size: u32,
        header: &Header,
    ) -> Read<()> {
        let (kind, extent) = place.extent(size);
        let (most, what) = match place {
            ColumnPlace::Register(_) => (u32::from(header.registers), "registers"),
            ColumnPlace::Predicate(_) => (7, "predicates"),
            ColumnPlace::Shared(_) => (header.shared, "bytes of shared memory"),
            ColumnPlace::Local(_) => (header.local, "bytes of local memory"),
        };
        if extent.end > most {
            return reader.fail(range, format!("the shader has only {most} {what}"));
        }
        let align = if matches!(place, ColumnPlace::Register(_)) { size.div_ceil(4) } else { size };
        if !matches!(place, ColumnPlace::Predicate(_)) && extent.start % align != 0 {
            return reader.fail(range, format!("a column of {size} bytes is not aligned there"));
        }
        let taken = self.record.columns.iter().zip(&self.places).find(|((column, _), other)| {
            let (other_kind, other) = other.extent(column.size);
            other_kind == kind && other.start < extent.end && extent.start < other.end
        });
        match taken {
            Some(((column, _), _)) => {
                reader.fail(range, format!("this overlaps the column `{}`", column.name))
            }
            None => Ok(()),
        }
    }

    /// Whether a register is a column or part of one.
    pub(super) fn has_register(&self, register: u8) -> bool {
        self.record.columns.iter().zip(&self.places).any(|((column, _), place)| {
            matches!(place, ColumnPlace::Register(_))
                && place.extent(column.size).1.contains(&u32::from(register))
        })
    }

    /// Whether a column is of shared memory.
    pub(super) fn has_shared(&self) -> bool {
        self.places.iter().any(|place| matches!(place, ColumnPlace::Shared(_)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_columns() {
        assert_eq!(ColumnPlace::of("R254"), Some(ColumnPlace::Register(254)));
        assert_eq!(ColumnPlace::of("P6"), Some(ColumnPlace::Predicate(6)));
        assert_eq!(ColumnPlace::of("shared.16"), Some(ColumnPlace::Shared(16)));
        assert_eq!(ColumnPlace::of("local.0x10"), Some(ColumnPlace::Local(16)));
        for name in ["R255", "RZ", "R", "R01", "R+1", "P7", "PT", "shared", "shared.", "global.4", "x"] {
            assert_eq!(ColumnPlace::of(name), None, "{name}");
        }
    }
}
