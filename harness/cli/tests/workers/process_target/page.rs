//! The examples of docs/protocol.md are messages of the protocol.

use std::path::Path;

use warpdiff_worker::machine_words::ShaderMessage;
use warpdiff_worker::protocol::{self, ArgumentMessage, Outcome, Reply, Request, SurfaceMessage};

fn page() -> String {
    std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/protocol.md")).unwrap()
}

#[test]
fn every_example_is_a_message_or_a_part_of_one() {
    let page = page();
    let examples: Vec<_> = page
        .split("```json\n")
        .skip(1)
        .flat_map(|block| block.split("```").next().unwrap().lines())
        .collect();
    assert!(examples.len() >= 15, "{} examples", examples.len());
    for example in examples {
        let read = serde_json::from_str::<Request>(example).is_ok()
            || serde_json::from_str::<Reply>(example).is_ok()
            || serde_json::from_str::<ArgumentMessage>(example).is_ok()
            || serde_json::from_str::<SurfaceMessage>(example).is_ok()
            || serde_json::from_str::<ShaderMessage>(example).is_ok()
            || serde_json::from_str::<Outcome>(example).is_ok();
        assert!(read, "{example}");
    }
}

#[test]
fn every_word_of_the_protocol_is_explained() {
    let page = page();
    let mut words = Vec::new();
    collect(&serde_json::to_value(protocol::schema()).unwrap(), &mut words);
    assert!(words.len() > 40, "{words:?}");
    let missing: Vec<_> = words.iter().filter(|word| !page.contains(word.as_str())).collect();
    assert!(missing.is_empty(), "not on the page: {missing:?}");
}

/// The names of fields and the constants of a schema, `request` and `reply` aside.
fn collect(schema: &serde_json::Value, words: &mut Vec<String>) {
    match schema {
        serde_json::Value::Object(map) => {
            for (key, value) in map {
                match (key.as_str(), value) {
                    ("properties", serde_json::Value::Object(fields)) => words.extend(fields.keys().cloned()),
                    ("const", serde_json::Value::String(word)) => words.push(word.clone()),
                    ("enum", serde_json::Value::Array(all)) => {
                        words.extend(all.iter().filter_map(|w| w.as_str().map(str::to_owned)))
                    }
                    _ => {}
                }
                collect(value, words);
            }
        }
        serde_json::Value::Array(all) => all.iter().for_each(|value| collect(value, words)),
        _ => {}
    }
}
