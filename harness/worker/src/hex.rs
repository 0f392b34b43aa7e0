//! Bytes in messages: a string of hexadecimal digits, two for each byte.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use warpdiff_files::hexadecimal;

/// Bytes, written as lower-case hexadecimal digits in memory order; upper-case digits are read as well.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Hex(pub Vec<u8>);

impl Serialize for Hex {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&hexadecimal::of(&self.0))
    }
}

impl<'de> Deserialize<'de> for Hex {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = Cow::<'de, str>::deserialize(deserializer)?;
        read(text.as_bytes()).map(Self).map_err(D::Error::custom)
    }
}

fn read(text: &[u8]) -> Result<Vec<u8>, String> {
    if !text.len().is_multiple_of(2) {
        return Err(format!("an odd number of hexadecimal digits ({})", text.len()));
    }
    let digit = |byte: u8| match char::from(byte).to_digit(16) {
        Some(value) => Ok(value as u8),
        None => Err(format!("`{}` is not a hexadecimal digit", char::from(byte).escape_default())),
    };
    text.as_chunks().0.iter().map(|[high, low]| Ok(digit(*high)? << 4 | digit(*low)?)).collect()
}

impl JsonSchema for Hex {
    fn schema_name() -> Cow<'static, str> {
        "Hex".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "type": "string",
            "description": "Bytes in the order of memory, two hexadecimal digits each, without blanks",
            "pattern": "^([0-9a-fA-F]{2})*$",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_written_in_the_order_of_memory() {
        assert_eq!(serde_json::to_string(&Hex(vec![0x00, 0xA5, 0x1f])).unwrap(), "\"00a51f\"");
        assert_eq!(serde_json::from_str::<Hex>("\"00A51f\"").unwrap(), Hex(vec![0x00, 0xA5, 0x1f]));
        assert_eq!(serde_json::from_str::<Hex>("\"\"").unwrap(), Hex::default());
    }

    #[test]
    fn what_is_no_byte_is_refused() {
        for wrong in ["\"0\"", "\"0x\"", "\"0 \"", "\"é\"", "17", "null"] {
            assert!(serde_json::from_str::<Hex>(wrong).is_err(), "{wrong}");
        }
    }
}
