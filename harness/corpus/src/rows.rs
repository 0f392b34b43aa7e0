//! The rows of a table case: written one by one (`rows`) or as a product of ranges (`sweep`).

use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::Arc;

use warpdiff_ptx::vocabulary::Type;

use super::columns::{ColumnRecord, ROW_KEYS};
use super::reader::{Fields, Read, Reader};
use super::resources::Resources;
use super::value::{Element, integer};
use super::yaml::{Kind, Node};
use crate::expectation_list::{Expectations, OutputColumn, OutputTable};
use crate::expectations::{encoded, faults, stated, value};
use crate::plan::{Column, Expectation, Row, RowInputs};

/// Most rows of one case.
pub(crate) const MAX_ROWS: usize = 1 << 18;
/// Cost of a row besides its record, in bytes of the budget of a file.
const ROW_COST: usize = 256;
/// Cost of a column of a row besides its bytes.
const COLUMN_COST: usize = 128;

/// Rows of a table, read. A table may have hundreds of thousands of them, so nothing here is a list for each.
#[derive(Debug)]
pub(crate) struct ReadRows {
    /// For reports.
    pub(crate) rows: Vec<Row>,
    /// Their records of inputs, one after the other.
    pub(crate) inputs: Vec<u8>,
    /// Bytes of a record of inputs.
    stride: usize,
    /// All that they state, as expectations of a launch that has these rows.
    pub(crate) expectations: Expectations,
    /// The positions of rows that state faults or memory: each of these has a launch of its own.
    alone: BTreeSet<usize>,
}

impl ReadRows {
    /// Their number.
    pub(crate) fn len(&self) -> usize {
        self.rows.len()
    }

    /// Whether there are none.
    pub(crate) fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Whether the row at that position states faults or memory.
    pub(crate) fn states_more_than_outputs(&self, position: usize) -> bool {
        self.alone.contains(&position)
    }

    /// The rows in several lists, in their order: `list_of` has for each position the list of its row.
    pub(crate) fn distributed(self, lists: usize, list_of: impl Fn(usize) -> usize) -> Vec<ReadRows> {
        let mut counts = vec![0; lists];
        let places: Vec<(u32, u32)> = (0..self.len())
            .map(|position| {
                let list = list_of(position);
                counts[list] += 1;
                (list as u32, counts[list] - 1)
            })
            .collect();
        let empty = |count: &u32| ReadRows {
            rows: Vec::with_capacity(*count as usize),
            inputs: Vec::with_capacity(*count as usize * self.stride),
            stride: self.stride,
            expectations: Expectations::default(),
            alone: BTreeSet::new(),
        };
        let mut distributed: Vec<ReadRows> = counts.iter().map(empty).collect();
        // Mostly all rows share one launch.
        if let Some(whole) = counts.iter().position(|count| *count as usize == self.len()) {
            distributed[whole] = self;
            return distributed;
        }
        let place = |position: usize| (places[position].0 as usize, places[position].1 as usize);
        let expectations = self.expectations.distributed(lists, place);
        for (list, expectations) in distributed.iter_mut().zip(expectations) {
            list.expectations = expectations;
        }
        for (position, row) in self.rows.into_iter().enumerate() {
            let (list, there) = place(position);
            let list = &mut distributed[list];
            list.rows.push(row);
            list.inputs.extend_from_slice(&self.inputs[position * self.stride..][..self.stride]);
            if self.alone.contains(&position) {
                list.alone.insert(there);
            }
        }
        distributed
    }
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

impl TableContext<'_> {
    /// Reads the keys `rows` and `sweep`.
    pub(crate) fn rows(&self, reader: &Reader<'_>, fields: &Fields<'_>) -> Read<ReadRows> {
        let mut rows = self.none(reader);
        let mut complete = Ok(());
        let names = self.inputs.names().chain(self.outputs.names());
        let known: Vec<&str> = names.chain(ROW_KEYS).collect();
        let names: Arc<Vec<String>> = Arc::new(self.inputs.names().map(str::to_owned).collect());
        if let Some(node) = fields.get("rows") {
            let list = reader.list(node, "`rows`")?;
            self.afford(reader, &node.range(), list.len())?;
            rows.rows.reserve_exact(list.len());
            rows.inputs.reserve_exact(list.len() * rows.stride);
            let outputs = &self.outputs.columns;
            let bytes: usize = outputs.iter().map(|(column, _)| column.size as usize).sum();
            rows.expectations.reserve(list.len() * outputs.len(), list.len() * bytes);
            for node in list {
                if let Err(noted) = self.row(reader, &mut rows, node, &known, &names) {
                    complete = Err(noted);
                }
            }
            rows.expectations.shrink();
        }
        if let Some(node) = fields.get("sweep") {
            self.sweep(reader, node, &mut rows, &names)?;
        }
        complete?;
        if rows.is_empty() {
            return reader.fail(&fields.range, "a table without rows: give `rows` or `sweep`");
        }
        Ok(rows)
    }

    /// No rows of this table.
    fn none(&self, reader: &Reader<'_>) -> ReadRows {
        let column = |(column, _): &(Column, Type)| OutputColumn {
            name: column.name.as_str().into(),
            offset: column.offset as usize,
            size: column.size as usize,
        };
        let columns = self.outputs.columns.iter().map(column).collect();
        let table = OutputTable::new(reader.file, self.outputs.stride as usize, columns);
        ReadRows {
            rows: Vec::new(),
            inputs: Vec::new(),
            stride: self.inputs.stride as usize,
            expectations: Expectations::of_table(Arc::new(table)),
            alone: BTreeSet::new(),
        }
    }

    fn afford(&self, reader: &Reader<'_>, range: &Range<usize>, rows: usize) -> Read<()> {
        if rows > MAX_ROWS {
            return reader.fail(range, format!("{rows} rows, more than {MAX_ROWS}"));
        }
        let columns = self.inputs.columns.len() + self.outputs.columns.len();
        let records = (self.inputs.stride + self.outputs.stride) as usize;
        reader.spend(range, rows * (ROW_COST + columns * COLUMN_COST + records))
    }

    /// Reads a row and adds it. After an error what was added is of no use.
    fn row(
        &self,
        reader: &Reader<'_>,
        rows: &mut ReadRows,
        node: &Node,
        known: &[&str],
        names: &Arc<Vec<String>>,
    ) -> Read<()> {
        let before = reader.errors.borrow().len();
        let fields = reader.fields_or(node, "a row", known, |key| self.resources.states(key))?;
        let index = rows.len();
        let begin = rows.inputs.len();
        rows.inputs.resize(begin + rows.stride, 0);
        let mut shown = Vec::with_capacity(self.inputs.columns.len());
        for ((column, _), element) in self.inputs.columns.iter().zip(&self.inputs.elements) {
            let Some(node) = fields.get(&column.name) else {
                let error =
                    reader.error(&node.range(), format!("this row lacks the input `{}`", column.name));
                return Err(reader.note(error));
            };
            let what = format_args!("input `{}`", column.name);
            let word = reader.word_of(node, &what)?;
            let (bytes, _) = encoded(reader, node, &word, *element, &what)?;
            rows.inputs[begin + column.offset as usize..][..bytes.len()].copy_from_slice(&bytes);
            shown.push(word);
        }
        let first = self.stated_outputs(reader, &fields, rows)?;
        let more = self.stated_more(reader, &fields, first)?;
        if reader.errors.borrow().len() > before {
            return Err(super::reader::ErrorNoted);
        }
        if !more.is_empty() {
            rows.alone.insert(index);
        }
        let row = u32::try_from(index).ok();
        rows.expectations.extend(more.into_iter().map(|stated| Expectation { row, ..stated }));
        let inputs = RowInputs::new(Arc::clone(names), shown.iter().map(|word| &**word));
        rows.rows.push(Row::new(index, inputs, reader.location(&node.range())));
        Ok(())
    }

    /// Adds what a row states of its outputs; the place of the first of them.
    fn stated_outputs(
        &self,
        reader: &Reader<'_>,
        fields: &Fields<'_>,
        rows: &mut ReadRows,
    ) -> Read<Option<Range<usize>>> {
        let index = rows.len();
        let mut first = None;
        let columns = self.outputs.columns.iter().zip(&self.outputs.elements);
        for (number, ((column, _), element)) in columns.enumerate() {
            let Some(node) = fields.get(&column.name).filter(|node| !node.is_null()) else { continue };
            let stated = stated(reader, node, *element, &format_args!("output `{}`", column.name))?;
            rows.expectations.push_output((index, index), number, &node.range(), stated);
            first.get_or_insert_with(|| node.range());
        }
        Ok(first)
    }

    /// The expectations of faults and of memory after the row.
    fn stated_more(
        &self,
        reader: &Reader<'_>,
        fields: &Fields<'_>,
        first_output: Option<Range<usize>>,
    ) -> Read<Vec<Expectation>> {
        if self.together
            && let Some(range) = ROW_KEYS.iter().find_map(|key| fields.key_range(key))
        {
            return reader.fail(
                &range,
                "rows that are launched together share one outcome: state it in `expect` of the case",
            );
        }
        let mut found = faults(reader, fields)?;
        if fields.has("fault")
            && !self.continues_after_fault
            && let Some(output) = first_output
        {
            return reader.fail(&output, "a row that must fault has no outputs");
        }
        found.extend(self.resources.after(reader, fields)?);
        Ok(found)
    }

    /// Appends the product of the ranges of `sweep`, the last input varying fastest.
    fn sweep(
        &self,
        reader: &Reader<'_>,
        node: &Node,
        rows: &mut ReadRows,
        names: &Arc<Vec<String>>,
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
        self.afford(reader, &node.range(), rows.len().saturating_add(count))?;
        rows.rows.reserve_exact(count);
        rows.inputs.reserve_exact(count * rows.stride);
        for number in 0..count {
            let begin = rows.inputs.len();
            rows.inputs.resize(begin + rows.stride, 0);
            let mut shown = Vec::new();
            let mut rest = count;
            for (column, axis) in &axes {
                rest /= axis.len();
                let (text, bytes) = &axis[number / rest % axis.len()];
                rows.inputs[begin + column.offset as usize..][..bytes.len()].copy_from_slice(bytes);
                shown.push(text.as_str());
            }
            let inputs = RowInputs::new(Arc::clone(names), shown);
            rows.rows.push(Row::new(rows.len(), inputs, reader.location(&node.range())));
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
        return reader.fail(&node.range(), format!("{what} has no values"));
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
                let error = reader.error(&node.range(), format!("`{key}` of {what} is `{word}`"));
                Err(reader.note(error.label("expected an integer")))
            }
        }
    };
    let (from, to) = (number("from")?, number("to")?);
    let step = if fields.has("step") { number("step")? } else { 1 };
    if step <= 0 || to < from {
        return reader.fail(&node.range(), format!("{what} is empty: it goes from {from} to {to} by {step}"));
    }
    if (to - from) % step != 0 {
        let message = format!("{what} has both ends, but {to} is not {from} and a number of steps of {step}");
        let error = reader.error(&node.range(), message);
        return Err(reader.note(error.label(format!("the last step is at {}", to - (to - from) % step))));
    }
    let count = (to - from) / step + 1;
    if count > MAX_ROWS as i128 {
        return reader.fail(&node.range(), format!("{what} has {count} values, more than {MAX_ROWS}"));
    }
    let values = (0..count).map(|i| (from + i * step).to_string());
    values
        .map(|text| match element.encode(&text) {
            Ok(bytes) => Ok((text, bytes)),
            Err(label) => {
                Err(reader.note(reader.error(&node.range(), format!("{what} cannot be {text}")).label(label)))
            }
        })
        .collect()
}
