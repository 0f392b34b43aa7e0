//! The matrix of a case: names and the values they are bound to, excluded combinations, one variant per combination.

use std::collections::HashSet;
use std::sync::Arc;

use super::reader::{Fields, Read, Reader, is_name};
use super::yaml::{Kind, Node};

/// Names of the matrix with their values; the order is that of the file.
pub(crate) type Bindings = Vec<(String, String)>;

/// The member of a value that ids show, with its dot.
pub(crate) const NAME: &str = ".name";

/// Most variants of one case.
pub(crate) const MAX_VARIANTS: usize = 10_000;

/// The bindings of every variant: the product of the values of `matrix` without the combinations of `exclude`. A case without
/// `matrix` has one variant that binds nothing.
pub(crate) fn variants(
    reader: &Reader<'_>,
    matrix: Option<&Node>,
    exclude: Option<&Node>,
) -> Read<Vec<Bindings>> {
    let axes = match matrix {
        Some(node) => axes(reader, node)?,
        None => Vec::new(),
    };
    let count = axes.iter().fold(1_usize, |product, axis| product.saturating_mul(axis.len()));
    if let Some(node) = matrix
        && count > MAX_VARIANTS
    {
        return reader
            .fail(&node.range(), format!("`matrix` makes {count} variants, more than {MAX_VARIANTS}"));
    }
    if let Some(node) = matrix {
        let longest = |axis: &Vec<Bindings>| axis.iter().map(size).max().unwrap_or(0);
        reader.spend(&node.range(), count * axes.iter().map(longest).sum::<usize>())?;
    }
    let mut all: Vec<Bindings> = vec![Vec::new()];
    for axis in &axes {
        all = all
            .iter()
            .flat_map(|front| axis.iter().map(move |back| [front.clone(), back.clone()].concat()))
            .collect();
    }
    if let Some(node) = exclude {
        remove_excluded(reader, node, &mut all)?;
    }
    Ok(all)
}

/// Notes every name of the matrix that no key of the case mentions: its values would only repeat the same variant.
pub(crate) fn check_used(reader: &Reader<'_>, fields: &Fields<'_>) {
    let Some(Kind::Map(axes)) = fields.get("matrix").map(|node| &node.kind) else { return };
    let not_read = ["case", "why", "matrix", "exclude"];
    for (name, _) in axes {
        let forms = [format!("${{{}}}", name.text), format!("${{{}.", name.text)];
        let mut keys = fields.entries.iter().filter(|(key, _)| !not_read.contains(&key.text.as_str()));
        if !keys.any(|(_, node)| mentions(node, &forms)) {
            let error = reader.error(&name.range(), format!("`{}` of `matrix` is never used", name.text));
            reader.note(error.label(format!("expected `{}` in another key of this case", forms[0])));
        }
    }
}

/// Whether a scalar or a key in the node contains one of the texts.
fn mentions(node: &Node, texts: &[String]) -> bool {
    let within = |text: &str| texts.iter().any(|wanted| text.contains(wanted.as_str()));
    match &node.kind {
        Kind::Scalar(scalar) => within(&scalar.text),
        Kind::List(list) => list.iter().any(|node| mentions(node, texts)),
        Kind::Map(entries) => entries.iter().any(|(key, node)| within(&key.text) || mentions(node, texts)),
    }
}

/// Approximate bytes of bindings.
fn size(bindings: &Bindings) -> usize {
    bindings.iter().map(|(name, value)| 48 + name.len() + value.len()).sum()
}

/// For each name the bindings that each of its values makes: one, or one per member for a value that is a map.
fn axes(reader: &Reader<'_>, node: &Node) -> Read<Vec<Vec<Bindings>>> {
    let mut axes = Vec::new();
    for (key, values) in reader.entries(node, "`matrix`")?.entries {
        let what = format!("`{}` of `matrix`", key.text);
        if !is_name(&key.text) {
            let error =
                reader.error(&key.range(), format!("`{}` cannot name a part of the matrix", key.text));
            return Err(reader.note(error.label("expected a letter, then letters, digits or `_`")));
        }
        let values = reader.list(values, &what)?;
        if values.is_empty() {
            return reader.fail(&key.range(), format!("{what} is an empty list: it would leave no variant"));
        }
        let axis: Read<Vec<Bindings>> =
            values.iter().map(|value| bindings(reader, &key.text, value, &what)).collect();
        let axis = axis?;
        check_names(reader, values, &axis)?;
        axes.push(axis);
    }
    Ok(axes)
}

fn bindings(reader: &Reader<'_>, name: &str, value: &Node, what: &str) -> Read<Bindings> {
    match &value.kind {
        Kind::Scalar(scalar) => Ok(vec![(name.to_owned(), scalar.text.to_string())]),
        Kind::Map(members) => {
            members.iter().map(|(key, node)| match &node.kind {
                Kind::Scalar(scalar) => Ok((format!("{name}.{}", key.text), scalar.text.to_string())),
                _ => reader.expected(node, what, "a single value"),
            })
        }
        .collect(),
        Kind::List(_) => reader.expected(value, what, "a single value or a map of them"),
    }
}

/// Refuses two values of an axis with the same `name`: their variants would have the same id.
fn check_names(reader: &Reader<'_>, values: &[Arc<Node>], axis: &[Bindings]) -> Read<()> {
    let mut names: HashSet<&str> = HashSet::new();
    for (value, bindings) in values.iter().zip(axis) {
        let Some((_, name)) = bindings.iter().find(|(member, _)| member.ends_with(NAME)) else { continue };
        if !names.insert(name) {
            return reader.fail(&value.range(), format!("two values of this list have the name `{name}`"));
        }
    }
    Ok(())
}

fn remove_excluded(reader: &Reader<'_>, node: &Node, all: &mut Vec<Bindings>) -> Read<()> {
    for entry in reader.list(node, "`exclude`")? {
        let mut wanted = Vec::new();
        for (key, value) in reader.entries(entry, "an entry of `exclude`")?.entries {
            let known: Vec<&str> =
                all.first().map_or(Vec::new(), |first| first.iter().map(|(n, _)| n.as_str()).collect());
            if !known.contains(&key.text.as_str()) {
                let message = format!("`exclude` names `{}`, which is not in `matrix`", key.text);
                return Err(reader.unknown(&key.range(), &message, &key.text, &known));
            }
            let Kind::Scalar(scalar) = &value.kind else {
                return reader.expected(value, "an excluded value", "a single value");
            };
            wanted.push((key.text.as_str(), scalar.text.as_str()));
        }
        let before = all.len();
        all.retain(|variant| {
            !wanted.iter().all(|(n, v)| variant.iter().any(|(name, value)| name == n && value == v))
        });
        if all.len() == before {
            return reader.fail(&entry.range(), "this entry of `exclude` excludes nothing");
        }
        if all.is_empty() {
            return reader.fail(&entry.range(), "`exclude` leaves no variant");
        }
    }
    Ok(())
}
