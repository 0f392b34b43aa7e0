//! The key `managed`: values that the host writes to `.managed` variables before a launch.

use warpdiff_model::HostWrite;
use warpdiff_ptx::checked::Module;

use super::reader::{Fields, Read, Reader};
use super::resources::{contents, element_type};
use super::whole::variables;

/// Reads `managed`: for each variable its type and values, as of a buffer.
pub(crate) fn host_writes(reader: &Reader<'_>, fields: &Fields<'_>, module: &Module) -> Read<Vec<HostWrite>> {
    let Some(node) = fields.get("managed") else { return Ok(Vec::new()) };
    let mut found = Vec::new();
    for (key, node) in reader.entries(node, "`managed`")?.entries {
        let Some(variable) = variables(module).find(|v| v.managed && v.name == key.text) else {
            let known: Vec<&str> = variables(module).filter(|v| v.managed).map(|v| v.name.as_str()).collect();
            let message = format!("the program has no `.managed` variable `{}`", key.text);
            return Err(reader.unknown(&key.range(), &message, &key.text, &known));
        };
        let what = format!("variable `{}`", variable.name);
        let fields = reader.fields(node, &what, &["type", "values"])?;
        let (_, element) =
            element_type(reader, fields.required(reader, "type", &what)?, "type of a variable")?;
        let size = u64::from(element.size());
        if variable.size % size != 0 {
            let message = format!("{what} has {} bytes, not a whole number of elements", variable.size);
            return reader.fail(&node.range(), message);
        }
        fields.required(reader, "values", &what)?;
        let count = usize::try_from(variable.size / size).ok();
        let bytes = contents(reader, &fields, "values", element, count, &what)?;
        found.push(HostWrite { variable: variable.name.clone(), bytes });
    }
    Ok(found)
}
