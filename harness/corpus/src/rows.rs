//! The rows of a table case: written one by one (`rows`) or as a product of ranges (`sweep`).

use std::ops::Range;
use std::sync::Arc;

use warpdiff_model::RegionKind;

use super::columns::{ColumnRecord, ROW_KEYS};
use super::reader::{Fields, Read, Reader};
use super::resources::Resources;
use super::value::{Element, integer};
use super::yaml::{Kind, Node};
use crate::expectations::{Stated, encoded, expectation, faults, stated, value};
use crate::plan::{Expectation, Expected, PlannedLaunch, Row, RowInputs, StatedSubject};

/// Most rows of one case.
pub(crate) const MAX_ROWS: usize = 1 << 18;
/// Cost of a row besides its record, in bytes of the budget of a file.
const ROW_COST: usize = 256;
/// Cost of a column of a row besides its bytes.
const COLUMN_COST: usize = 128;

/// One row, read.
#[derive(Debug)]
pub(crate) struct ReadRow {
    /// For reports.
    pub(crate) row: Row,
    /// Its record of inputs.
    pub(crate) inputs: Vec<u8>,
    /// Expectations of its outputs; offsets are in its record.
    pub(crate) outputs: Vec<Expectation>,
    /// Expectations of faults and memory; a row with any has a launch of its own.
    pub(crate) apart: Vec<Expectation>,
}

/// The context in which rows are read.
#[derive(Debug)]
pub(crate) struct TableContext<'a> {
    /// Input columns.
    pub(crate) inputs: &'a ColumnRecord,
    /// Output columns.
    pub(crate) outputs: &'a ColumnRecord,
    /// Buffers and surfaces.
    pub(crate) resources: &'a Resources,
    /// Whether all rows share a launch, so that no row can state memory.
    pub(crate) together: bool,
    /// Whether a row continues after a fault, as a thread of SPA 5.0 does after a load, and so has outputs.
    pub(crate) continues_after_fault: bool,
}

/// Names that all rows of a table have in common.
struct SharedNames {
    /// The input columns.
    inputs: Arc<[String]>,
    /// The output columns.
    outputs: Vec<Arc<str>>,
    /// The buffer of outputs.
    buffer: Arc<str>,
}

impl SharedNames {
    fn new(inputs: &ColumnRecord, outputs: &ColumnRecord) -> Self {
        Self {
            inputs: inputs.names().map(str::to_owned).collect(),
            outputs: outputs.names().map(Arc::from).collect(),
            buffer: PlannedLaunch::OUTPUTS.into(),
        }
    }
}

impl TableContext<'_> {
    /// Reads the keys `rows` and `sweep`.
    pub(crate) fn rows(&self, reader: &Reader<'_>, fields: &Fields<'_>) -> Read<Vec<ReadRow>> {
        let mut rows = Vec::new();
        let mut complete = Ok(());
        let names = self.inputs.names().chain(self.outputs.names());
        let known: Vec<&str> = names.chain(ROW_KEYS).collect();
        let shared = SharedNames::new(self.inputs, self.outputs);
        if let Some(node) = fields.get("rows") {
            let list = reader.list(node, "`rows`")?;
            self.afford(reader, &node.range, list.len())?;
            for node in list {
                match self.row(reader, rows.len(), node, &known, &shared) {
                    Ok(row) => rows.push(row),
                    Err(noted) => complete = Err(noted),
                }
            }
        }
        if let Some(node) = fields.get("sweep") {
            self.sweep(reader, node, &mut rows, &shared)?;
        }
        complete?;
        if rows.is_empty() {
            return reader.fail(&fields.range, "a table without rows: give `rows` or `sweep`");
        }
        Ok(rows)
    }

    fn afford(&self, reader: &Reader<'_>, range: &Range<usize>, rows: usize) -> Read<()> {
        if rows > MAX_ROWS {
            return reader.fail(range, format!("{rows} rows, more than {MAX_ROWS}"));
        }
        let columns = self.inputs.columns.len() + self.outputs.columns.len();
        let records = (self.inputs.stride + self.outputs.stride) as usize;
        reader.spend(range, rows * (ROW_COST + columns * COLUMN_COST + records))
    }

    fn row(
        &self,
        reader: &Reader<'_>,
        index: usize,
        node: &Node,
        known: &[&str],
        shared: &SharedNames,
    ) -> Read<ReadRow> {
        let before = reader.errors.borrow().len();
        let fields = reader.fields(node, "a row", known)?;
        let mut record = vec![0; self.inputs.stride as usize];
        let mut shown = Vec::with_capacity(self.inputs.columns.len());
        for ((column, _), element) in self.inputs.columns.iter().zip(&self.inputs.elements) {
            let Some(node) = fields.get(&column.name) else {
                let error = reader.error(&node.range, format!("this row lacks the input `{}`", column.name));
                return Err(reader.note(error));
            };
            let what = format_args!("input `{}`", column.name);
            let word = reader.word_of(node, &what)?;
            let (bytes, _) = encoded(reader, node, &word, *element, &what)?;
            record[column.offset as usize..][..bytes.len()].copy_from_slice(&bytes);
            shown.push(word);
        }
        let outputs = self.stated_outputs(reader, &fields, index, shared)?;
        let apart = self.apart(reader, &fields, &outputs)?;
        if reader.errors.borrow().len() > before {
            return Err(super::reader::ErrorNoted);
        }
        let inputs = RowInputs::new(Arc::clone(&shared.inputs), shown.iter().map(|word| &**word));
        let row = Row { index, inputs, location: reader.location(&node.range) };
        Ok(ReadRow { row, inputs: record, outputs, apart })
    }

    fn stated_outputs(
        &self,
        reader: &Reader<'_>,
        fields: &Fields<'_>,
        index: usize,
        shared: &SharedNames,
    ) -> Read<Vec<Expectation>> {
        let mut found = Vec::new();
        let columns = self.outputs.columns.iter().zip(&self.outputs.elements).zip(&*shared.outputs);
        for (((column, _), element), shared_name) in columns {
            let Some(node) = fields.get(&column.name).filter(|node| !node.is_null()) else { continue };
            let stated = stated(reader, node, *element, &format_args!("output `{}`", column.name))?;
            let (region, name) = (RegionKind::Buffer, Arc::clone(&shared.buffer));
            let offset = column.offset as usize;
            let what = match stated {
                Stated::Bytes { alternatives, mask, or_undefined } => {
                    Expected::Bytes { region, name, offset, alternatives, mask, or_undefined }
                }
                Stated::Undefined => {
                    Expected::Undefined { region, name, range: offset..offset + column.size as usize }
                }
                Stated::Nan => Expected::Nan { region, name, range: offset..offset + column.size as usize },
            };
            let subject = StatedSubject::Output { column: Arc::clone(shared_name), row: index };
            found.push(expectation(reader, what, &node.range, subject));
        }
        Ok(found)
    }

    /// The expectations of faults and of memory after the row.
    fn apart(
        &self,
        reader: &Reader<'_>,
        fields: &Fields<'_>,
        outputs: &[Expectation],
    ) -> Read<Vec<Expectation>> {
        if self.together
            && let Some(range) = ROW_KEYS.iter().find_map(|key| fields.key_range(key))
        {
            return reader.fail(
                range,
                "rows that are launched together share one outcome: state it in `expect` of the case",
            );
        }
        let mut found = faults(reader, fields)?;
        if fields.has("fault")
            && !self.continues_after_fault
            && let Some(first) = outputs.first()
        {
            return Err(reader.note(crate::CorpusError::new(
                first.location.clone(),
                "a row that must fault has no outputs",
            )));
        }
        found.extend(self.resources.after(reader, fields)?);
        Ok(found)
    }

    /// Appends the product of the ranges of `sweep`, the last input varying fastest.
    fn sweep(
        &self,
        reader: &Reader<'_>,
        node: &Node,
        rows: &mut Vec<ReadRow>,
        shared: &SharedNames,
    ) -> Read<()> {
        let known: Vec<&str> = self.inputs.names().collect();
        let fields = reader.fields(node, "`sweep`", &known)?;
        let mut axes = Vec::new();
        for ((column, _), element) in self.inputs.columns.iter().zip(&self.inputs.elements) {
            let what = format!("input `{}` of `sweep`", column.name);
            let values = fields.required(reader, &column.name, "`sweep`")?;
            axes.push((column, axis(reader, values, *element, &what)?));
        }
        let count = axes.iter().fold(1_usize, |product, (_, axis)| product.saturating_mul(axis.len()));
        self.afford(reader, &node.range, rows.len().saturating_add(count))?;
        for number in 0..count {
            let mut record = vec![0; self.inputs.stride as usize];
            let mut shown = Vec::new();
            let mut rest = count;
            for (column, axis) in &axes {
                rest /= axis.len();
                let (text, bytes) = &axis[number / rest % axis.len()];
                record[column.offset as usize..][..bytes.len()].copy_from_slice(bytes);
                shown.push(text.as_str());
            }
            let inputs = RowInputs::new(Arc::clone(&shared.inputs), shown);
            let row = Row { index: rows.len(), inputs, location: reader.location(&node.range) };
            rows.push(ReadRow { row, inputs: record, outputs: Vec::new(), apart: Vec::new() });
        }
        Ok(())
    }
}

/// The values of one input of a sweep: a list, or `{from: a, to: b, step: s}` with both ends.
fn axis(reader: &Reader<'_>, node: &Node, element: Element, what: &str) -> Read<Vec<(String, Vec<u8>)>> {
    if let Kind::Map(_) = &node.kind {
        return range(reader, node, element, what);
    }
    let list: &[Arc<Node>] = reader.list(node, what)?;
    if list.is_empty() {
        return reader.fail(&node.range, format!("{what} has no values"));
    }
    list.iter().map(|n| Ok((reader.word(n, what)?, value(reader, n, element, what)?.0))).collect()
}

fn range(reader: &Reader<'_>, node: &Node, element: Element, what: &str) -> Read<Vec<(String, Vec<u8>)>> {
    let fields = reader.fields(node, what, &["from", "to", "step"])?;
    let number = |key: &str| -> Read<i128> {
        let node = fields.required(reader, key, what)?;
        let word = reader.word(node, what)?;
        match integer(&word) {
            Some(value) => Ok(value),
            None => {
                let error = reader.error(&node.range, format!("`{key}` of {what} is `{word}`"));
                Err(reader.note(error.label("expected an integer")))
            }
        }
    };
    let (from, to) = (number("from")?, number("to")?);
    let step = if fields.has("step") { number("step")? } else { 1 };
    if step <= 0 || to < from {
        return reader.fail(&node.range, format!("{what} is empty: it goes from {from} to {to} by {step}"));
    }
    if (to - from) % step != 0 {
        let message = format!("{what} has both ends, but {to} is not {from} and a number of steps of {step}");
        let error = reader.error(&node.range, message);
        return Err(reader.note(error.label(format!("the last step is at {}", to - (to - from) % step))));
    }
    let count = (to - from) / step + 1;
    if count > MAX_ROWS as i128 {
        return reader.fail(&node.range, format!("{what} has {count} values, more than {MAX_ROWS}"));
    }
    let values = (0..count).map(|i| (from + i * step).to_string());
    values
        .map(|text| match element.encode(&text) {
            Ok(bytes) => Ok((text, bytes)),
            Err(label) => {
                Err(reader.note(reader.error(&node.range, format!("{what} cannot be {text}")).label(label)))
            }
        })
        .collect()
}
