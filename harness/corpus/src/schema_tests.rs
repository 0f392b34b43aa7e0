//! The schemas, in the hands of a validator that is not ours: they accept this repository's corpus and refuse misspelt keys.

use std::path::Path;
use std::sync::Arc;

use jsonschema::Validator;

use super::*;
use crate::plan::SourceFile;
use crate::yaml_as_json;

fn json_of(text: &str) -> Value {
    let file = SourceFile::new("test.yaml", text.to_owned());
    yaml_as_json(&Arc::new(file)).expect("valid YAML")
}

/// The validator of a schema, which itself keeps to the schema of schemas.
fn validator(schema: Schema) -> Validator {
    let schema = schema.to_value();
    jsonschema::draft202012::meta::validate(&schema).expect("a schema of draft 2020-12");
    jsonschema::draft202012::new(&schema).expect("a schema whose references lead somewhere")
}

fn accepted(text: &str) -> bool {
    validator(cases()).is_valid(&json_of(text))
}

#[test]
fn every_key_of_the_loader_is_described() {
    for form in CaseForm::ALL {
        for key in form.keys() {
            assert_ne!(property(form, key), json!(false), "`{key}` of the {} form", form.name());
        }
    }
    assert_eq!(property(CaseForm::Table, "inptus"), json!(false));
}

#[test]
fn unknown_keys_are_refused_at_every_level() {
    let table = "- {case: t, body: 'x', outputs: {d: b32}, rows: [{d: 1}]";
    assert!(accepted(&format!("{table}}}")));
    assert!(!accepted(&format!("{table}, bodi: x}}")));
    assert!(!accepted(&format!("{table}, expect: {{memry: {{}}}}}}")));
    assert!(!accepted(&format!("{table}, buffers: {{m: {{type: u32, cuont: 4}}}}}}")));
    assert!(accepted(&format!("{table}, buffers: {{m: {{type: u32, count: 4}}}}}}")));
}

#[test]
fn a_file_of_values_may_have_elements_beside_it() {
    let stating = |memory: &str| format!("- {{case: t, body: x, rows: [{{memory: {{m: {memory}}}}}]}}");
    for right in [
        "{numbers: m.bin}",
        "{numbers: m.txt, 5: 7, 6: undefined}",
        "{numbers: m.txt, 5: {any: [1, 2]}}",
        "{5: 7}",
        "{\"${n}\": 7}",
    ] {
        assert!(accepted(&stating(right)), "{right}");
    }
    assert!(!accepted(&stating("{numbers: [1]}")));
    assert!(!accepted(&stating("{numbers: m.txt, 5: [1]}")));
    let buffer = |values: &str| {
        format!("- {{case: t, body: x, rows: [{{}}], buffers: {{m: {{type: u8, values: {values}}}}}}}")
    };
    assert!(accepted(&buffer("{numbers: m.txt, 5: 7}")));
    assert!(!accepted(&buffer("{numbers: m.txt, 5: {any: [1, 2]}}")), "a launch begins with one value");
}

#[test]
fn misspelt_keys_of_rows_are_refused() {
    let table = |row: &str| format!("- {{case: t, body: 'x', outputs: {{d: b32}}, rows: [{{{row}}}]}}");
    for right in [
        "d: 1",
        "d: ~",
        "d: undefined",
        "d: -0x10",
        "d: 0f3F800000",
        "d: -inf",
        "d: 1e-6",
        "d: true",
        "d: \"${n}\"",
        "d: {any: [1, undefined]}",
        "d: 1, fault: surface-trap",
        "may-fault: misaligned, image: {i: [1]}, memory: {m: {\"${t.f0}\": 1}}",
    ] {
        assert!(accepted(&table(right)), "{right}");
    }
    for wrong in [
        "d: 1, fualt: surface-trap",
        "d: 1, may_fault: misaligned",
        "d: 1, mayfault: misaligned",
        "d: 1, may-fualt: misaligned",
        "d: 1, imgae: {i: [1]}",
        "d: 1, memroy: {m: {0: 1}}",
        "d: 1, memory: {m: {x: 1}}",
        "d: 1, fault: surface-trpa",
        "d: undefiend",
        "d: {an: [1]}",
    ] {
        assert!(!accepted(&table(wrong)), "{wrong}");
    }
}

#[test]
fn columns_of_spa_are_places_and_the_prime_is_one_of_them() {
    let table = |outputs: &str, row: &str| {
        format!(
            "- {{case: t, sass: {{}}, body: x, inputs: {{R0: u32}}, outputs: {{{outputs}}}, rows: [{{{row}}}]}}"
        )
    };
    assert!(accepted(&table("\"R0'\": u32, shared.16: u8", "R0: 1, \"R0'\": 2, shared.16: 3")));
    assert!(accepted(&table("P0: pred", "R0: 1, P0: true, fault: misaligned")));
    assert!(!accepted(&table("\"R0''\": u32", "R0: 1")));
    assert!(!accepted(&table("P7: pred", "R0: 1")));
    assert!(!accepted(&table("P0: pred", "R0: 1, P7: true")));
    assert!(!accepted(&table("P0: pred", "R0: 1, r1: 2")), "registers are upper case");
}

#[test]
fn a_case_without_a_form_is_refused() {
    assert!(!accepted("- {case: t, body: x}"));
    assert!(!accepted("- {rows: [{d: 1}]}"), "a case has a title");
    assert!(accepted("- {case: t, body: x, reject: [spec]}"));
    assert!(accepted("- {case: t, declare: x, bytes: {x: '00'}}"));
    assert!(accepted("- {case: t, program: x, launch: {entry: k, arguments: [{u32: 5}]}}"));
}

#[test]
fn requirements_are_a_list_or_a_map_that_may_claim_completeness() {
    let accepted = |text: &str| validator(requirements()).is_valid(&json_of(text));
    let list = "[{id: r, kind: must, section: s, text: It wraps.}]";
    assert!(accepted(list));
    assert!(accepted(&format!("{{complete: true, requirements: {list}}}")));
    assert!(accepted(&format!("{{requirements: {list}}}")));
    assert!(!accepted("{complete: true}"));
    assert!(!accepted(&format!("{{complet: true, requirements: {list}}}")));
    assert!(!accepted(&list.replace("kind", "knid")));
    assert!(!accepted(&list.replace("must", "shall")));
}

/// What the loader is given in this repository, editors must not underline.
#[test]
fn the_corpus_satisfies_the_schema() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../cases");
    let (of_cases, of_requirements) = (validator(cases()), validator(requirements()));
    let mut folders = vec![root.clone()];
    let (mut seen, mut wrong) = (0, Vec::new());
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).expect("the corpus is there") {
            let path = entry.expect("a readable folder").path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|e| e == "yaml" || e == "yml") {
                let value = json_of(&std::fs::read_to_string(&path).expect("readable"));
                seen += 1;
                if path == root.join("requirements.yaml") {
                    assert!(of_requirements.is_valid(&value), "{}", path.display());
                    continue;
                }
                // One by one, so that the message names the case.
                for case in value.as_array().expect("a list") {
                    if !of_cases.is_valid(&json!([case])) {
                        wrong.push(format!("{}: {}", path.display(), case["case"]));
                    }
                }
            }
        }
    }
    assert!(seen > 20, "only {seen} files were checked");
    assert_eq!(wrong, Vec::<String>::new());
}
