//! The JSON Schema of a file of expectations, so that editors complete and check it. It is built from the reader's key lists.

use schemars::Schema;
use serde_json::{Map, Value, json};
use warpdiff_judge::mismatch_class::{CLASSES, class_name};

use crate::cause::NONE;
use crate::conditions::{DEVICE, RANGES};
use crate::entry::RAREST;
use crate::file::{CAUSE, CAUSE_KEYS, FILE_KEYS, List, PASSES};

/// The schema.
pub fn schema() -> Schema {
    let properties: Map<String, Value> =
        FILE_KEYS.iter().map(|key| ((*key).to_owned(), of_file(key))).collect();
    let whole = json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "warpdiff expectations",
        "description": "What is expected of a target. See docs/expectations.md.",
        "type": "object",
        "properties": properties,
        "required": ["target"],
        "additionalProperties": false,
    });
    match whole {
        Value::Object(map) => Schema::from(map),
        _ => Schema::default(),
    }
}

/// What stands under a key of a file.
fn of_file(key: &str) -> Value {
    match List::ALL.iter().find(|(_, name)| *name == key) {
        Some((list, _)) => json!({"type": ["array", "null"], "items": entry(*list)}),
        None => of_entry(key),
    }
}

fn entry(list: List) -> Value {
    let properties: Map<String, Value> =
        list.entry_keys().iter().map(|key| ((*key).to_owned(), of_entry(key))).collect();
    let selections: Vec<Value> =
        ["variants", "requirements", "instructions"].iter().map(|key| json!({"required": [key]})).collect();
    json!({
        "type": "object",
        "properties": properties,
        "required": list.required_keys(),
        "anyOf": selections,
        "additionalProperties": false,
    })
}

/// What stands under a key of an entry, or of a file that has the same key.
fn of_entry(key: &str) -> Value {
    if let Some((_, what)) = RANGES.iter().find(|(fact, _)| *fact == key) {
        let words = format!("A release or a range of releases (570, 535..570, 570.124..) of {what}");
        return json!({"type": ["string", "number"], "description": words});
    }
    match key {
        "target" => patterns("Names of targets as --against writes them, or patterns with *"),
        "variants" => patterns("Ids of variants, or patterns with *"),
        "requirements" => patterns("Ids of requirements that the variants cover, or patterns with *"),
        "instructions" => {
            patterns("Families of instructions in the programs, such as suld.b, or patterns with *")
        }
        DEVICE => patterns("Names of devices, or patterns with *"),
        "reason" => json!({"type": "string", "minLength": 1, "description": "Why"}),
        "link" => json!({"type": "string", "pattern": "^https?://", "description": "Where more is said"}),
        "expires" => json!({
            "type": "string",
            "pattern": "^[0-9]{4}-[0-9]{2}-[0-9]{2}$",
            "description": "The last day on which the entry holds: 2026-11-22",
        }),
        CAUSE => cause(),
        PASSES => json!({
            "type": "number",
            "minimum": RAREST,
            "exclusiveMaximum": 1,
            "description": "The least share of runs that pass",
        }),
        _ => json!(true),
    }
}

pub(crate) fn patterns(description: &str) -> Value {
    let one = json!({"type": "string", "minLength": 1});
    json!({"description": description, "anyOf": [one, {"type": "array", "items": one, "minItems": 1}]})
}

fn cause() -> Value {
    let deviation = json!({"type": "string", "description": format!("The name of a deviation, or {NONE}")});
    json!({
        "type": "object",
        "description": "The class of the failure and the deviation that reproduces it, as a run prints them",
        "properties": {
            "class": {"enum": CLASSES.map(class_name)},
            "deviation": {"anyOf": [deviation, {"type": "array", "items": {"type": "string"}, "minItems": 1}]},
        },
        "required": CAUSE_KEYS,
        "additionalProperties": false,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::file::ENTRY_KEYS;

    #[test]
    fn every_key_of_the_reader_is_described() {
        let schema = serde_json::to_value(schema()).unwrap();
        for key in FILE_KEYS {
            assert!(schema["properties"][key].is_object(), "{key}");
        }
        for (list, name) in List::ALL {
            let entry = &schema["properties"][name]["items"];
            for key in ENTRY_KEYS.iter().copied().chain(list.entry_keys()) {
                assert!(entry["properties"][key].is_object(), "{name}: {key}");
            }
            for key in list.required_keys() {
                assert!(entry["required"].as_array().unwrap().iter().any(|required| required == key));
            }
        }
    }
}
