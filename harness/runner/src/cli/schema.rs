//! `warpdiff schema`: the JSON Schema of case files.

use super::Failure;
use super::output::emit;
use crate::status::Exit;

pub(super) fn execute() -> Result<Exit, Failure> {
    let text = serde_json::to_string_pretty(&crate::schema::cases());
    emit(&(text.map_err(|e| Failure::broken(format!("cannot write the schema: {e}")))? + "\n"))?;
    Ok(Exit::Conforms)
}
