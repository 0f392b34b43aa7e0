//! Reads the JSON Lines that `run --json` prints: `{"run": …, "variants": […], "summary": …}`.

use serde_json::{Value, json};

/// The lines as one value. The variants are in ascending order of their ids, since lines come in the order of judging.
pub(crate) fn read(text: &str) -> Value {
    let lines: Vec<Value> = text
        .lines()
        .map(|line| serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}")))
        .collect();
    let kinds: Vec<&str> = lines.iter().map(|line| line["line"].as_str().unwrap_or_default()).collect();
    let between = kinds.len().saturating_sub(2);
    let inner = kinds.iter().skip(1).take(between).all(|kind| *kind == "variant");
    let ends = (kinds.first(), kinds.last());
    assert!(inner && kinds.len() > 1 && ends == (Some(&"run"), Some(&"summary")), "{text}");
    let mut variants: Vec<Value> = lines[1..lines.len() - 1].to_vec();
    variants.sort_by_key(|variant| variant["id"].as_str().unwrap_or_default().to_owned());
    json!({"run": lines[0], "variants": variants, "summary": lines[lines.len() - 1]})
}
