//! JSON Schemas of the case format and of `requirements.yaml`, so that editors complete and check them.
//!
//! They are built from the loader's key lists: a test fails if a key is in the loader and not in the schema, or the reverse.

use schemars::Schema;
use serde_json::{Map, Value, json};
use warpdiff_model::history::{Attempted, Field};
use warpdiff_model::{AddressMode, ChannelType, FaultClass, FilterMode, ReadMode};
use warpdiff_ptx::vocabulary::Type;

use crate::{
    Between, CHAPTER, CaseForm, ERRATUM_KEYS, LIMIT_KEYS, LOG_KEYS, REQUIREMENT_KEYS, REQUIREMENTS_KEYS,
    RequirementKind, SPA_HEADER_KEYS, Taken, is_value_type, observations,
};

/// A place of SPA 5.0 that a column may be, as an input or as an output.
const SPA_PLACE: &str = r"(R[0-9]+|P[0-6]|(shared|local)\.(0x[0-9a-fA-F]+|[0-9]+))'?";
/// A value as a word: a number in any notation, a predicate, or a word that stands for values. Words of other keys are none, so that a
/// misspelt key of a row is not taken for a column.
const WORD: &str = r"^\s*([-+]?([0-9]|\.[0-9]|inf$)|nan$|any-nan$|true$|false$|undefined$)|\$\{";
/// Keys of a row that are not columns.
const ROW_KEYS: [&str; 4] = ["fault", "may-fault", "image", "memory"];

/// The schema of a case file.
pub fn cases() -> Schema {
    let forms: Vec<Value> = CaseForm::ALL.iter().map(|form| reference(&definition(*form))).collect();
    let mut definitions = shared_definitions();
    for form in CaseForm::ALL {
        definitions.insert(definition(form), form_schema(form));
    }
    object(json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "warpdiff cases",
        "description": "A file of the corpus: a list of cases. See cases/README.md.",
        "type": "array",
        "items": {"oneOf": forms},
        "$defs": definitions,
    }))
}

/// The name of a form among the definitions. References are URIs, which have no blanks.
fn definition(form: CaseForm) -> String {
    form.name().replace(' ', "-")
}

/// The schema of `requirements.yaml`.
pub fn requirements() -> Schema {
    let kinds = RequirementKind::ALL.map(|(name, _)| name);
    let property = |key: &str| match key {
        "kind" => json!({"enum": kinds}),
        "id" => described("Id that `covers` of cases names: suld.clamp.nearest", text()),
        "why" => described("Why it cannot be observed", text()),
        "witness" => described(
            "An implementation or a model that is not ours, against which the reference is held here otherwise than by running cases",
            text(),
        ),
        "errata" => described(
            "Where the specification contradicts this sentence",
            json!({"type": "array", "items": erratum()}),
        ),
        _ => text(),
    };
    let heading = described("Begins a chapter, with this title", text());
    let list = json!({
        "type": "array",
        "items": {"oneOf": [
            closed(&REQUIREMENT_KEYS, &["id", "kind", "section", "text"], property),
            closed(&[CHAPTER], &[CHAPTER], |_| heading.clone()),
        ]},
    });
    let of_file = |key: &str| match key {
        "complete" => {
            described("Whether there is a case for each that needs one", json!({"type": "boolean"}))
        }
        _ => reference("list"),
    };
    object(json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "warpdiff requirements",
        "anyOf": [reference("list"), closed(&REQUIREMENTS_KEYS, &["requirements"], of_file)],
        "$defs": {"list": list},
    }))
}

/// The schema of an erratum.
fn erratum() -> Value {
    let between = Between::ALL.map(|(name, _)| name);
    let taken = Taken::ALL.map(|(name, _)| name);
    closed(&ERRATUM_KEYS, &ERRATUM_KEYS, |key| match key {
        "between" => described("What contradicts what", json!({"enum": between})),
        "readings" => described(
            "Both readings",
            json!({"type": "array", "items": text(), "minItems": 2, "maxItems": 2}),
        ),
        "taken" => described("The reading that the reference takes", json!({"enum": taken})),
        "why" => described("Why it takes that one", text()),
        _ => described("What shows the contradiction", text()),
    })
}

/// A map with these keys and no others, some of which it must have.
fn closed(keys: &[&str], required: &[&str], of: impl Fn(&str) -> Value) -> Value {
    let properties: Map<String, Value> = keys.iter().map(|key| ((*key).to_owned(), of(key))).collect();
    json!({"type": "object", "properties": properties, "required": required, "additionalProperties": false})
}

fn object(value: Value) -> Schema {
    match value {
        Value::Object(map) => Schema::from(map),
        _ => Schema::default(),
    }
}

fn described(text: &str, mut schema: Value) -> Value {
    schema["description"] = json!(text);
    schema
}

fn reference(name: &str) -> Value {
    json!({"$ref": format!("#/$defs/{name}")})
}

/// A single value that is read as text, whatever its YAML type.
fn text() -> Value {
    json!({"type": ["string", "number", "boolean"]})
}

fn map_of(name: &str) -> Value {
    json!({"type": "object", "additionalProperties": reference(name)})
}

/// The schema of one form: its keys and no others, with the required ones.
fn form_schema(form: CaseForm) -> Value {
    let keys = form.keys();
    let properties: Map<String, Value> =
        keys.iter().map(|key| ((*key).to_owned(), property(form, key))).collect();
    let mut schema = json!({
        "type": "object",
        "properties": properties,
        "required": ["case"],
        "additionalProperties": false,
    });
    let any = |keys: &[&str]| -> Value { keys.iter().map(|key| json!({"required": [key]})).collect() };
    match form {
        CaseForm::Table => schema["anyOf"] = any(&["rows", "sweep"]),
        CaseForm::Spa => {
            schema["required"] = json!(["case", "sass", "body"]);
            schema["anyOf"] = any(&["rows", "sweep"]);
        }
        CaseForm::Whole => {
            schema["required"] = json!(["case", "launch"]);
            schema["oneOf"] = any(&["program", "file"]);
        }
        CaseForm::Legality => schema["anyOf"] = any(&["accept", "reject"]),
        CaseForm::Declare => schema["required"] = json!(["case", "declare"]),
    }
    schema
}

/// The schema of a key of a case.
fn property(form: CaseForm, key: &str) -> Value {
    let text = text();
    match key {
        "case" => described("Title, unique in its file", text),
        "covers" => described("Ids of the requirements it covers", json!({"type": "array", "items": text})),
        "why" => described("How its expectations follow from the specification", text),
        "question" => described(
            "The question it asks of hardware, in a sentence: `characterize` prints the answers",
            text,
        ),
        "isa" => described(".version, 8.0 by default", text.clone()),
        "target" => described(".target, sm_50 by default", text),
        "matrix" => described(
            "Names and their values: ${name} stands for each of them in turn",
            json!({"type": "object", "additionalProperties": {"type": "array", "minItems": 1}}),
        ),
        "exclude" => described(
            "Combinations of the matrix to leave out",
            json!({"type": "array", "items": {"type": "object"}}),
        ),
        "surfaces" => map_of("surface"),
        "textures" => map_of("texture"),
        "buffers" => map_of("buffer"),
        "sass" => described("Resources of the shader of a SPA 5.0 body or program", shader_schema()),
        "inputs" | "outputs" if form == CaseForm::Spa => described(
            "Columns that are registers, predicates and bytes of shared and local memory",
            json!({
                "type": "object",
                "additionalProperties": reference("type"),
                "propertyNames": {"pattern": format!("^({SPA_PLACE})$")},
            }),
        ),
        "addresses" => described(
            "Even registers: each, with the next one, holds the address of a buffer when the body begins",
            json!({
                "type": "object",
                "additionalProperties": text,
                "propertyNames": {"pattern": "^R[0-9]+$"},
            }),
        ),
        "body" if form == CaseForm::Spa => described("Instructions of SPA 5.0", text),
        "inputs" => described("Columns that are registers the body reads", map_of("type")),
        "outputs" => described("Columns that are registers the body writes", map_of("type")),
        "declarations" => described("Module-scope PTX", text),
        "declare" => described("Module-scope PTX whose legality or initial bytes are tested", text),
        "registers" => described("`.reg` lines", text),
        "body" => described("Instructions; columns, buffers, surfaces and textures are registers: %x", text),
        "program" => described("A whole PTX module, or a whole program of SPA 5.0", text),
        "file" => described("The same as a file, by its path below the corpus root", text),
        "rows" if form == CaseForm::Spa => json!({"type": "array", "items": reference("spa-row")}),
        "rows" => json!({"type": "array", "items": reference("row")}),
        "sweep" => described("Values of every input, combined", map_of("axis")),
        "launch" if matches!(form, CaseForm::Table | CaseForm::Spa) => {
            json!({"anyOf": [{"enum": ["isolated", "together"]}, {"type": "string", "pattern": "\\$\\{"}]})
        }
        "launch" => reference("launch"),
        "limits" => described(
            "Limits of each of its launches: `seconds` in a worker process, in place of --time-limit; `steps`, instructions summed over threads",
            limits_schema(),
        ),
        "tolerance" => map_of("tolerance"),
        "logs" => described("Buffers in which threads log the compare-and-swaps they attempt", map_of("log")),
        "expect" => reference("expect"),
        "observations" => reference("observations"),
        "observe" => {
            described("Module-scope .global variables to compare", json!({"type": "array", "items": text}))
        }
        "managed" => described(
            "What the host writes to .managed variables before the launch",
            json!({"type": "object", "additionalProperties": {
                "type": "object",
                "properties": {"type": reference("type"), "values": reference("values")},
                "required": ["type", "values"],
                "additionalProperties": false,
            }}),
        ),
        "schedules" => {
            described("The expectations hold under every order of execution", json!({"enum": ["all"]}))
        }
        "accept" => described("Who accepts it", json!({"type": "array", "items": reference("judge")})),
        "reject" => described(
            "Who rejects it, or a map to a fragment of the message",
            json!({"anyOf": [{"type": "array", "items": reference("judge")}, {"type": "object", "additionalProperties": text}]}),
        ),
        "at" => described("Text at which the caret of the rejection stands", text),
        "bytes" => described(
            "Initial bytes of variables: \"01 00 ?? ??\"",
            json!({"type": "object", "additionalProperties": text}),
        ),
        _ => json!(false),
    }
}

/// The parts that several forms refer to.
fn shared_definitions() -> Map<String, Value> {
    let names = |all: &[&str]| json!({"enum": all});
    let faults: Vec<&str> = FaultClass::ALL.iter().map(|(_, name)| *name).collect();
    let types: Vec<&str> =
        Type::ALL.iter().filter(|(ty, _)| is_value_type(*ty)).map(|(_, name)| *name).collect();
    // A name of the matrix may replace any word.
    let or_bound = |schema: Value| json!({"anyOf": [schema, {"type": "string", "pattern": "\\$\\{"}]});
    let integer =
        json!({"anyOf": [{"type": "integer"}, {"type": "string", "pattern": "^[-+]?[0-9]|\\$\\{"}]});
    let lists = [
        ("value", value()),
        (
            "stated",
            json!({"anyOf": [
                reference("value"),
                {"type": "null"},
                {"type": "object", "properties": {"any": {"type": "array", "items": reference("value"), "minItems": 1}},
                 "required": ["any"], "additionalProperties": false},
                {"type": "object", "properties": {"between": {"type": "array", "items": reference("value"), "minItems": 2, "maxItems": 2}},
                 "required": ["between"], "additionalProperties": false},
            ]}),
        ),
        (
            "numbers",
            described(
                "A file with a value for each element, and elements in place of its own: {numbers: a.txt, 5: 7}",
                file_of_values("value"),
            ),
        ),
        (
            "stated-numbers",
            described(
                "A file with a value, `undefined`, `~` or {any: [a, b]} for each element, and elements in place of its own",
                file_of_values("stated"),
            ),
        ),
        (
            "memory",
            json!({"anyOf": [
                {"type": "array", "items": reference("stated")},
                reference("stated-numbers"),
                {"type": "object", "additionalProperties": reference("stated"), "propertyNames": {"pattern": ELEMENT}},
            ]}),
        ),
        ("values", contents(&["sequence", "zero"], &or_bound)),
        ("type", or_bound(names(&types))),
        ("fault", or_bound(names(&faults))),
        ("judge", json!({"type": "string", "pattern": "^(spec|encoder|ptxas-[0-9]+\\.[0-9]+|.*\\$\\{.*)$"})),
        ("integer", integer),
        ("boolean", or_bound(json!({"type": "boolean"}))),
        ("format", or_bound(json!({"type": "string", "pattern": format_pattern()}))),
        ("surface", surface_schema(&or_bound)),
        ("texture", texture_schema(&or_bound)),
        (
            "buffer",
            json!({
                "type": "object",
                "properties": {
                    "type": reference("type"),
                    "values": reference("values"),
                    "count": reference("integer"),
                    "undefined": reference("boolean"),
                },
                "required": ["type"],
                "additionalProperties": false,
            }),
        ),
        ("row", row_schema("[A-Za-z][A-Za-z0-9_]*")),
        ("spa-row", row_schema(SPA_PLACE)),
        (
            "axis",
            json!({"anyOf": [
                {"type": "array", "items": reference("value"), "minItems": 1},
                {"type": "object", "properties": {"from": reference("integer"), "to": reference("integer"), "step": reference("integer")},
                 "required": ["from", "to"], "additionalProperties": false},
            ]}),
        ),
        (
            "tolerance",
            json!({"anyOf": [
                {"type": "string", "pattern": "^([0-9]+ *ulp|.*\\$\\{.*)$"},
                {"type": "object", "properties": {"absolute": {"type": ["number", "string"]}}, "required": ["absolute"],
                 "additionalProperties": false},
            ]}),
        ),
        ("log", log_schema()),
        ("launch", launch_schema()),
        ("expect", expect_schema()),
        ("observations", observations_schema()),
    ];
    lists.into_iter().map(|(name, schema)| (name.to_owned(), schema)).collect()
}

/// A single value. Plain words that YAML takes for numbers or truths come as such.
fn value() -> Value {
    json!({"anyOf": [
        {"type": ["integer", "number", "boolean"]},
        {"type": "string", "pattern": WORD},
    ]})
}

/// The schema of a row whose columns have such names. Which columns a table has, a schema cannot say: it knows a misspelt key by a name
/// that no column can have, or by its value.
fn row_schema(column: &str) -> Value {
    let property = |key: &&str| {
        let schema = match *key {
            "image" | "memory" => map_of("memory"),
            _ => reference("fault"),
        };
        ((*key).to_owned(), schema)
    };
    let properties: Map<String, Value> = ROW_KEYS.iter().map(property).collect();
    json!({
        "type": "object",
        "properties": properties,
        "additionalProperties": reference("stated"),
        "propertyNames": {"pattern": format!("^({column}|{})$", ROW_KEYS.join("|"))},
    })
}

/// The schema of `limits`.
fn limits_schema() -> Value {
    let properties: Map<String, Value> =
        LIMIT_KEYS.iter().map(|key| ((*key).to_owned(), reference("integer"))).collect();
    json!({"type": "object", "properties": properties, "additionalProperties": false})
}

/// The schema of `sass`.
fn shader_schema() -> Value {
    let property = |key: &&str| {
        let schema = match *key {
            "shader" => {
                json!({"anyOf": [{"enum": ["compute", "graphics"]}, {"type": "string", "pattern": "\\$\\{"}]})
            }
            _ => reference("integer"),
        };
        ((*key).to_owned(), schema)
    };
    let properties: Map<String, Value> = SPA_HEADER_KEYS.iter().map(property).collect();
    json!({"type": "object", "properties": properties, "additionalProperties": false})
}

/// The schema of an entry of `logs`.
fn log_schema() -> Value {
    let fields: Vec<&str> = Field::ALL.iter().map(|(_, name)| *name).collect();
    let attempted: Vec<&str> = Attempted::ALL.iter().map(|(_, name)| *name).collect();
    let property = |key: &&str| {
        let schema = match *key {
            "attempted" => json!({"anyOf": [{"enum": attempted}, {"type": "string", "pattern": "\\$\\{"}]}),
            "each" => json!({"type": "array", "items": {"enum": fields}}),
            "last" => {
                json!({"type": "object", "additionalProperties": reference("integer"), "maxProperties": 1})
            }
            _ => reference("integer"),
        };
        ((*key).to_owned(), schema)
    };
    let properties: Map<String, Value> = LOG_KEYS.iter().map(property).collect();
    json!({"type": "object", "properties": properties, "required": ["attempted", "each", "initial"],
        "additionalProperties": false})
}

fn format_pattern() -> String {
    let channels: Vec<&str> = ChannelType::ALL.iter().map(|(_, name)| *name).collect();
    format!("^({})(x[24])?$", channels.join("|"))
}

/// The index of an element, which may be a name of the matrix.
const ELEMENT: &str = "^[0-9]|\\$\\{";

/// A file of values, as text or, if it is called `.bin`, as raw bytes; and single elements.
fn file_of_values(element: &str) -> Value {
    let path =
        described("Its path: text, or raw little-endian bytes if it ends in .bin", json!({"type": "string"}));
    json!({
        "type": "object",
        "properties": {"numbers": path},
        "required": ["numbers"],
        "additionalProperties": reference(element),
        "propertyNames": {"pattern": format!("{ELEMENT}|^numbers$")},
    })
}

/// Initial contents: a word, a list of values, or a file of numbers.
fn contents(words: &[&str], or_bound: &dyn Fn(Value) -> Value) -> Value {
    let list = json!({"type": "array", "items": reference("value")});
    json!({"anyOf": [or_bound(json!({"enum": words})), list, reference("numbers")]})
}

fn surface_schema(or_bound: &dyn Fn(Value) -> Value) -> Value {
    json!({
        "type": "object",
        "properties": {
            "geometry": or_bound(json!({"enum": ["1d", "2d", "3d", "a1d", "a2d"]})),
            "extent": {"type": "array", "items": reference("integer"), "minItems": 1, "maxItems": 3},
            "layers": reference("integer"),
            "format": reference("format"),
            "texels": contents(&["sequence", "zero"], or_bound),
            "bytes": contents(&["sequence"], or_bound),
            "bind": {"type": "string"},
        },
        "required": ["geometry", "extent", "format"],
        "additionalProperties": false,
    })
}

/// A surface with the keys of a sampler.
fn texture_schema(or_bound: &dyn Fn(Value) -> Value) -> Value {
    let mut schema = surface_schema(or_bound);
    schema["properties"]["geometry"] =
        or_bound(json!({"enum": ["1d", "2d", "3d", "a1d", "a2d", "cube", "acube"]}));
    let mode = or_bound(json!({"enum": AddressMode::ALL.map(|(_, name)| name)}));
    let modes = json!({"type": "array", "items": mode, "minItems": 1, "maxItems": 3});
    schema["properties"]["address"] = json!({"anyOf": [mode, modes]});
    schema["properties"]["filter"] = or_bound(json!({"enum": FilterMode::ALL.map(|(_, name)| name)}));
    schema["properties"]["coordinates"] = or_bound(json!({"enum": ["texels", "normalized"]}));
    schema["properties"]["read"] = or_bound(json!({"enum": ReadMode::ALL.map(|(_, name)| name)}));
    schema["properties"]["border"] =
        json!({"type": "array", "items": reference("value"), "minItems": 4, "maxItems": 4});
    schema
}

fn launch_schema() -> Value {
    let dimensions = json!({"type": "array", "items": reference("integer"), "minItems": 1, "maxItems": 3});
    json!({
        "type": "object",
        "properties": {
            "entry": described("Name of the kernel; may be left out of a program of SPA 5.0, which is one", json!({"type": "string"})),
            "grid": dimensions,
            "block": dimensions,
            "shared": described("Dynamic shared memory in bytes", reference("integer")),
            "steps": described("Thread-instructions after which it counts as timed out", reference("integer")),
            "arguments": described(
                "{buffer: out}, {buffer: out, offset: 4}, {surface: image}, {surfref: image}, {texture: image}, {texref: image}, {samplerref: image}, {bytes: [1, 2]}, {u32: 5}",
                json!({"type": "array", "items": {"type": "object", "minProperties": 1, "maxProperties": 2}}),
            ),
        },
        "additionalProperties": false,
    })
}

fn expect_schema() -> Value {
    let indices =
        json!({"type": "object", "additionalProperties": {"type": "array", "items": reference("integer")}});
    json!({
        "type": "object",
        "properties": {
            "memory": map_of("memory"),
            "image": map_of("memory"),
            "variables": {"type": "object", "additionalProperties": {
                "type": "object",
                "properties": {"type": reference("type"), "values": reference("memory")},
                "required": ["type", "values"],
                "additionalProperties": false,
            }},
            "returns": described(
                "Outputs and buffers in which every thread has another of the numbers from 0 on, in any order",
                json!({"type": "object", "additionalProperties": {"enum": ["permutation"]}}),
            ),
            "fault": reference("fault"),
            "may-fault": reference("fault"),
            "timed-out": reference("boolean"),
            "undefined": {
                "type": "object",
                "properties": {"memory": indices, "image": indices},
                "additionalProperties": false,
            },
        },
        "additionalProperties": false,
    })
}

/// Observations with their verdicts.
fn observations_schema() -> Value {
    let of_one = |key: &&str| {
        let schema = match *key {
            "outputs" => {
                json!({"type": "object", "additionalProperties": {"type": "array", "items": reference("stated")}})
            }
            _ => map_of("memory"),
        };
        ((*key).to_owned(), schema)
    };
    let properties: Map<String, Value> = observations::ENTRY_KEYS.iter().map(of_one).collect();
    let one = json!({"type": "object", "properties": properties, "minProperties": 1, "additionalProperties": false});
    let lists: Map<String, Value> = observations::KEYS
        .iter()
        .map(|(key, _)| ((*key).to_owned(), json!({"type": "array", "items": one, "minItems": 1})))
        .collect();
    json!({"type": "object", "properties": lists, "minProperties": 1, "additionalProperties": false})
}

#[cfg(test)]
#[path = "schema_tests.rs"]
mod tests;
