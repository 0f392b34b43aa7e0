//! The dictionaries of the libFuzzer targets are the words that the project reads: instructions, modifiers, types, keys. With WARPDIFF_BLESS=1 the test
//! writes them.

use std::collections::BTreeSet;
use std::path::Path;

use serde_json::Value;
use warpdiff_ptx::vocabulary::{Modifier, Opcode, Space, SpecialRegister, Type};
use warpdiff_sass::table::FORMS;

/// The words of PTX, each as it stands in a program.
fn ptx() -> BTreeSet<String> {
    let dotted = |text: &str| format!(".{text}");
    let mut words: BTreeSet<String> = Opcode::ALL.iter().map(|(_, text)| (*text).to_owned()).collect();
    words.extend(Modifier::ALL.iter().map(|(_, text)| dotted(text)));
    words.extend(Type::ALL.iter().map(|(_, text)| dotted(text)));
    words.extend(Space::ALL.iter().map(|(_, text)| dotted(text)));
    words.extend(SpecialRegister::ALL.iter().map(|(_, text)| format!("%{text}")));
    let others = [
        ".version 8.8",
        ".target sm_90",
        ".address_size 64",
        ".entry",
        ".func",
        ".visible",
        ".extern",
        ".weak",
        ".align",
        ".reg",
        ".noreturn",
        "ret;",
        "@%p ",
        "{",
        "}",
        "[",
        "]",
        "//",
        "/*",
        "*/",
        "0x",
        "0f3F800000",
        "0d3FF0000000000000",
    ];
    words.extend(others.map(str::to_owned));
    words
}

/// The words of SPA 5.0.
fn spa() -> BTreeSet<String> {
    let mut words = BTreeSet::new();
    for form in FORMS.iter() {
        words.insert(form.mnemonic.to_string());
        words.extend(form.fixed_modifiers.iter().map(|word| format!(".{word}")));
        let names = form.modifiers.iter().flat_map(|field| field.names);
        words.extend(names.filter(|name| !name.is_empty()).map(|name| format!(".{name}")));
    }
    let others = [
        ".spa 5.0",
        ".shader compute",
        ".registers 32",
        ".shared 64",
        ".local 16",
        "RZ",
        "R254",
        "PT",
        "@!P0 ",
        "c[0x0][0x140]",
        "&req={0,5}",
        "&rd=1",
        "&wr=0",
        "&reuse=0xf",
        "?WAIT15",
        "?WAIT4_YIELD",
        ".reuse",
        ".NEG",
        "SB5",
        "CC.EQ",
    ];
    words.extend(others.map(str::to_owned));
    words
}

/// The keys and the fixed values of JSON Schemas.
fn keys(schemas: impl IntoIterator<Item = Value>) -> BTreeSet<String> {
    fn collect(value: &Value, into: &mut BTreeSet<String>) {
        match value {
            Value::Object(members) => {
                for (key, member) in members {
                    match (key.as_str(), member) {
                        ("properties", Value::Object(properties)) => into.extend(properties.keys().cloned()),
                        ("const", Value::String(text)) => _ = into.insert(text.clone()),
                        ("enum", Value::Array(values)) => {
                            into.extend(values.iter().filter_map(Value::as_str).map(str::to_owned));
                        }
                        _ => {}
                    }
                    collect(member, into);
                }
            }
            Value::Array(values) => values.iter().for_each(|value| collect(value, into)),
            _ => {}
        }
    }
    let mut words = BTreeSet::new();
    schemas.into_iter().for_each(|schema| collect(&schema, &mut words));
    words
}

/// A dictionary as libFuzzer reads it: `"word"`, a line each.
fn dictionary(words: &BTreeSet<String>) -> String {
    let entry = |byte: u8| match byte {
        b'"' | b'\\' => format!("\\{}", byte as char),
        b' '..=b'~' => (byte as char).to_string(),
        _ => format!("\\x{byte:02x}"),
    };
    let line = |word: &String| format!("\"{}\"\n", word.bytes().map(entry).collect::<String>());
    words.iter().filter(|word| !word.is_empty()).map(line).collect()
}

#[test]
fn dictionaries_have_the_words_that_are_read() {
    let value = |schema| serde_json::to_value(schema).expect("a schema is JSON");
    let cases = [warpdiff_corpus::schema::cases(), warpdiff_corpus::schema::requirements()].map(value);
    let entries =
        [warpdiff_expectations::schema::schema(), warpdiff_expectations::profile_schema::schema()].map(value);
    let wanted = [
        ("front_end", ptx()),
        ("spa_text", spa()),
        ("case_file", keys(cases).into_iter().chain(ptx()).collect()),
        ("yaml", keys(entries)),
        ("protocol", keys([value(warpdiff_worker::protocol::schema())])),
    ];
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("dictionaries");
    for (target, words) in wanted {
        assert!(words.len() > 20, "{target}: {words:?}");
        let (path, text) = (folder.join(format!("{target}.dict")), dictionary(&words));
        if std::env::var_os("WARPDIFF_BLESS").is_some() {
            std::fs::write(&path, &text).expect("the dictionary");
        }
        let kept = std::fs::read_to_string(&path).unwrap_or_default();
        assert!(kept == text, "{} lacks words, or has others: WARPDIFF_BLESS=1 writes it", path.display());
    }
}
