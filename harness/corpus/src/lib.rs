//! The corpus: YAML files of cases, read into a [`plan`]: variants, and the launches or programs that decide them.
//!
//! * [`yaml`] is the only place that knows the YAML library; it makes nodes with byte ranges.
//! * [`reader`] reads nodes as words, numbers, texts and keys, and notes errors with their places; `text` substitutes matrix names
//!   and keeps the map back to the file.
//! * `case` finds the form of a case and makes its variants, by `table`, `whole` or `legality`; `blame` says which of them an error concerns.
//! * `spa` reads tables of SPA 5.0; `read_back` makes the launch that reads declared variables back.
//! * `kernel` writes the kernel around a body; `program` keeps a program with its map and compiles it.
//! * `logs` reads the logs of atomic attempts.
//! * `expectations` reads stated values and memory; `numbers` reads files of them, [`value_file`] finds an element in one.
//! * [`byte_strings`] keeps what an expectation permits, mostly one byte string; [`expectation_list`] all that is expected of a launch.
//! * [`schema`] is the JSON Schema of case files, [`coverage`] which requirements have cases, [`filter`] picks variants.
//! * [`elements`] names the elements of regions for reports, [`bytes`] writes values.
//! * `requirements` reads `requirements.yaml`, and `erratum` its contradictions of the specification.
//! * [`listed`](ListedVariant) has the names of every variant, of those that are planned and of the others.
//! * [`sound_files`](SoundFiles) are those that need not be read whole again.
//! * `load` finds and reads the files of a corpus; `join` checks it, or several together: ids, requirements.
//!
//! The format is described in `cases/README.md`.

mod blame;
mod body;
pub mod byte_strings;
pub mod bytes;
mod case;
mod columns;
pub mod coverage;
pub mod elements;
mod erratum;
mod error;
pub mod expectation_list;
mod expectations;
pub mod filter;
mod isolation;
mod join;
mod kernel;
mod known_file;
mod legality;
mod limits;
mod listed;
mod load;
mod location;
mod logs;
mod managed;
mod matrix;
mod numbers;
pub mod observations;
pub mod plan;
mod privacy;
mod program;
mod program_map;
mod read_back;
pub mod reader;
mod requirements;
mod resources;
mod returns;
mod row;
mod rows;
pub mod schema;
mod sound_files;
mod spa;
mod stated;
mod table;
mod text;
mod texture;
mod value;
pub mod value_file;
mod whole;
pub mod yaml;

pub(crate) use case::CaseForm;
pub(crate) use erratum::KEYS as ERRATUM_KEYS;
pub use erratum::{Between, Erratum, Taken};
pub use error::{BrokenCase, CorpusError, CorpusErrors};
pub use join::{Corpus, load, load_trees, load_what_is_right};
pub(crate) use limits::KEYS as LIMIT_KEYS;
pub use listed::{ListedVariant, Planned};
pub use load::{Loading, load_file, load_text_as};
pub(crate) use logs::KEYS as LOG_KEYS;
pub(crate) use requirements::{CHAPTER, FILE_KEYS as REQUIREMENTS_KEYS, KEYS as REQUIREMENT_KEYS};
pub use requirements::{Requirement, RequirementKind};
pub(crate) use resources::is_value_type;
pub use sound_files::{Found, SoundFiles};
pub(crate) use spa::HEADER_KEYS as SPA_HEADER_KEYS;
pub use spa::without_prime;
#[cfg(test)]
pub(crate) use yaml::as_json as yaml_as_json;
