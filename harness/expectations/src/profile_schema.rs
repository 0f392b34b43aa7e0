//! The JSON Schema of a profile, so that editors complete and check it. It is built from the reader's key lists, the choices and the
//! catalogue of deviations.

use schemars::Schema;
use serde_json::{Map, Value, json};
use warpdiff_model::{Choice, Deviation};

use crate::profile::{CHOICE_KEYS, DEVIATION_KEYS, EVIDENCE, PROFILE_KEYS, TARGET};
use crate::schema::patterns;

/// The schema.
pub fn schema() -> Schema {
    let properties: Map<String, Value> =
        PROFILE_KEYS.iter().map(|key| ((*key).to_owned(), of_profile(key))).collect();
    let whole = json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "warpdiff profile",
        "description": "What a target is known to do. See docs/profiles.md.",
        "type": "object",
        "properties": properties,
        "required": ["describes"],
        "additionalProperties": false,
    });
    match whole {
        Value::Object(map) => Schema::from(map),
        _ => Schema::default(),
    }
}

/// What stands under a key of a profile.
fn of_profile(key: &str) -> Value {
    match key {
        TARGET => targets(),
        "choices" => {
            // Which alternatives there are depends on the choice.
            let each = Choice::ALL.iter().map(|info| {
                let one = json!({"enum": info.alternatives});
                let takes = json!({"anyOf": [one, {"type": "array", "items": one, "minItems": 1}]});
                json!({
                    "if": {"properties": {"choice": {"const": info.name}}},
                    "then": {"properties": {"takes": takes}},
                })
            });
            let mut entry = entry(&CHOICE_KEYS);
            entry["allOf"] = each.collect();
            json!({"type": ["array", "null"], "items": entry})
        }
        "deviations" => json!({"type": ["array", "null"], "items": entry(&DEVIATION_KEYS)}),
        _ => json!({"type": "string", "minLength": 1, "description": "What it describes, in a sentence"}),
    }
}

fn targets() -> Value {
    patterns("Names of targets as --against writes them, or patterns with *; all without it")
}

/// An entry. It needs all of its keys but `target`.
fn entry(keys: &[&str]) -> Value {
    let properties: Map<String, Value> = keys.iter().map(|key| ((*key).to_owned(), of_entry(key))).collect();
    let required: Vec<&str> = keys.iter().copied().filter(|key| *key != TARGET).collect();
    json!({"type": "object", "properties": properties, "required": required, "additionalProperties": false})
}

fn of_entry(key: &str) -> Value {
    match key {
        TARGET => targets(),
        "choice" => json!({
            "enum": Choice::ALL.iter().map(|info| info.name).collect::<Vec<_>>(),
            "description": "A point that the specification leaves open; warpdiff characterize lists them",
        }),
        "takes" => json!({
            "type": ["string", "array"],
            "description": "The alternative that the target takes, or a list of those it takes in several places",
        }),
        "deviation" => json!({
            "enum": Deviation::all().map(Deviation::name).collect::<Vec<_>>(),
            "description": "A departure from the specification; warpdiff deviations lists them",
        }),
        "evidence" => {
            let kind = |(kind, what): (&str, &str)| {
                let words = format!("{}{}", what[..1].to_uppercase(), &what[1..]);
                (kind.to_owned(), json!({"type": "string", "minLength": 1, "description": words}))
            };
            let properties: Map<String, Value> = EVIDENCE.into_iter().map(kind).collect();
            json!({"type": "object", "properties": properties, "minProperties": 1, "additionalProperties": false})
        }
        _ => json!({
            "type": "string",
            "pattern": "^[0-9]{4}-[0-9]{2}-[0-9]{2}$",
            "description": "The day on which it was found or last confirmed: 2026-11-22",
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_key_of_the_reader_is_described() {
        let schema = serde_json::to_value(schema()).unwrap();
        let of = |list: &str| schema["properties"][list]["items"]["properties"].clone();
        for key in PROFILE_KEYS {
            assert!(schema["properties"][key].is_object(), "{key}");
        }
        for (list, keys) in [("choices", &CHOICE_KEYS[..]), ("deviations", &DEVIATION_KEYS)] {
            assert!(keys.iter().all(|key| of(list)[key].is_object()), "{list}");
        }
        for (kind, _) in EVIDENCE {
            assert!(of("deviations")["evidence"]["properties"][kind].is_object(), "{kind}");
        }
    }
}
