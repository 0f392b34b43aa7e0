//! The key `addresses: {R4: out}`: registers with the addresses of buffers when the body begins.

use std::ops::Range;

use warpdiff_model::RegionKind;
use warpdiff_sass::Header;

use super::column_place::{ColumnPlace, ColumnPlaces};
use crate::reader::{Fields, Read, Reader};
use crate::resources::Resources;

/// Pairs of registers with addresses of buffers.
#[derive(Debug, Default)]
pub(super) struct Addresses {
    /// The lower register of each pair, and the buffer.
    pub(super) pairs: Vec<(u8, usize)>,
}

impl Addresses {
    /// Reads the key `addresses`. It must name every buffer.
    pub(super) fn read(
        reader: &Reader<'_>,
        fields: &Fields<'_>,
        header: &Header,
        inputs: &ColumnPlaces,
        resources: &Resources,
    ) -> Read<Self> {
        let names = resources.names(RegionKind::Buffer);
        let mut read = Self::default();
        if let Some(node) = fields.get("addresses") {
            for (key, node) in reader.entries(node, "`addresses`")?.entries {
                let register = read.pair(reader, &key.text, &key.range(), header, inputs)?;
                let name = reader.word(node, "a buffer")?;
                let Some(buffer) = names.iter().position(|known| *known == name) else {
                    let message = format!("no buffer is called `{name}`");
                    return Err(reader.unknown(&node.range(), &message, &name, &names));
                };
                read.pairs.push((register, buffer));
            }
        }
        let lost = (0..names.len()).find(|index| !read.pairs.iter().any(|(_, buffer)| buffer == index));
        if let Some(lost) = lost {
            let range = fields.key_range("buffers").unwrap_or_else(|| fields.range.clone());
            let message =
                format!("no register holds the address of `{}`: name one in `addresses`", names[lost]);
            return reader.fail(&range, message);
        }
        Ok(read)
    }

    /// An aligned pair that is not an input, named by its lower register.
    fn pair(
        &self,
        reader: &Reader<'_>,
        name: &str,
        range: &Range<usize>,
        header: &Header,
        inputs: &ColumnPlaces,
    ) -> Read<u8> {
        let Some(ColumnPlace::Register(register)) = ColumnPlace::of(name) else {
            let error = reader.error(range, format!("`{name}` is not a register"));
            return Err(reader.note(error.label("expected one like `R4`")));
        };
        if register % 2 != 0 || u16::from(register) + 1 >= header.registers {
            let error =
                reader.error(range, format!("`{name}` is not the lower of two registers for an address"));
            return Err(reader.note(error.label("expected an even register below `registers`")));
        }
        if self.pairs.iter().any(|(taken, _)| *taken == register) {
            return reader.fail(range, format!("`{name}` holds another address"));
        }
        if inputs.has_register(register) || inputs.has_register(register + 1) {
            return reader.fail(range, format!("`{name}` or the register after it is an input"));
        }
        Ok(register)
    }
}
