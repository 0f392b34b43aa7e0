//! The columns of a table case and the records they make up.

use std::sync::Arc;

use warpdiff_ptx::vocabulary::Type;

use super::reader::{Fields, Read, Reader};
use super::resources::{Resources, element_type};
use super::value::Element;
use crate::plan::Column;

/// Keys of a row that are not columns.
pub(crate) const ROW_KEYS: [&str; 4] = ["fault", "may-fault", "image", "memory"];

/// The columns of inputs or of outputs, laid out in a record.
#[derive(Debug, Default)]
pub(crate) struct ColumnRecord {
    /// Columns in the order written, with their types; offsets are multiples of sizes.
    pub(crate) columns: Vec<(Column, Type)>,
    /// How each column's values are written.
    pub(crate) elements: Vec<Element>,
    /// Bytes from one record to the next: a multiple of the largest column.
    pub(crate) stride: u32,
}

impl ColumnRecord {
    /// Reads the key `inputs` or `outputs`. Names of `taken` records, buffers and surfaces cannot be chosen.
    pub(crate) fn read(
        reader: &Reader<'_>,
        fields: &Fields<'_>,
        key: &str,
        taken: &[&ColumnRecord],
        resources: &Resources,
    ) -> Read<Self> {
        let mut record = Self::default();
        let Some(node) = fields.get(key) else { return Ok(record) };
        for (name, node) in reader.entries(node, &format!("`{key}`"))?.entries {
            let text = reader.name(name, "a column")?;
            if ROW_KEYS.contains(&text) {
                return reader.fail(
                    &name.range(),
                    format!("a column cannot be called `{text}`: that is a key of rows"),
                );
            }
            let is_resource = resources.buffers.iter().any(|(b, _)| b.name == text)
                || resources.images().any(|image| image.name == text);
            if is_resource || taken.iter().any(|other| other.position(text).is_some()) {
                return reader.fail(&name.range(), format!("two things are called `{text}`"));
            }
            let (ty, element) = element_type(reader, node, "type of a column")?;
            record.push(text, ty, element);
        }
        Ok(record)
    }

    /// Appends a column.
    pub(super) fn push(&mut self, name: &str, ty: Type, element: Element) {
        let size = element.size();
        let end = self.columns.last().map_or(0, |(column, _)| column.offset + column.size);
        let offset = end.next_multiple_of(size);
        let column = Column { name: name.to_owned(), ty: ty.text().to_owned(), offset, size };
        self.columns.push((column, ty));
        self.elements.push(element);
        let largest = self.elements.iter().map(|e| e.size()).max().unwrap_or(1);
        self.stride = (offset + size).next_multiple_of(largest);
    }

    /// Index of the column of that name.
    pub(crate) fn position(&self, name: &str) -> Option<usize> {
        self.columns.iter().position(|(column, _)| column.name == name)
    }

    /// The columns without their types.
    pub(crate) fn for_reports(&self) -> Arc<[Column]> {
        self.columns.iter().map(|(column, _)| column.clone()).collect()
    }

    /// Names of the columns.
    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        self.columns.iter().map(|(column, _)| column.name.as_str())
    }
}
