//! The program around a body of SPA 5.0: it puts the inputs of a row into registers and memory, and the outputs into the buffer.
//!
//! A row is the thread with its number. Parameters lie in constant bank 0 from byte 0x140 on: the number of rows, and the
//! addresses of the buffers `in` and `out` where there are such and of those of the case, each at a multiple of 8.

use std::fmt::Write;
use std::ops::Range;

use warpdiff_ptx::vocabulary::Type;
use warpdiff_sass::Header;

use super::address::Addresses;
use super::column_place::{ColumnPlace, ColumnPlaces};
use crate::plan::Column;
use crate::program::{Program, Writer};
use crate::reader::{Read, Reader};
use crate::text::Text;

/// Where the parameters behind the first begin.
const PARAMETERS: u32 = 0x148;

/// A body by itself, for questions of legality.
pub(crate) fn plain(reader: &Reader<'_>, header: &Header, body: &Text, case: &Range<usize>) -> Read<Program> {
    let mut writer = Writer::default();
    writer.push(&format!("{header}\n"));
    writer.copy(reader, body, "    ");
    writer.push("    EXIT;\n");
    writer.finish(reader, case)
}

/// What the harness writes of a table's program.
#[derive(Debug)]
pub(super) struct SpaKernelFrame<'a> {
    pub(super) header: &'a Header,
    pub(super) inputs: &'a ColumnPlaces,
    pub(super) outputs: &'a ColumnPlaces,
    pub(super) addresses: &'a Addresses,
    /// Whether the rows are threads of one block that see each other.
    pub(super) together: bool,
}

impl SpaKernelFrame<'_> {
    /// The whole program.
    pub(super) fn program(&self, reader: &Reader<'_>, body: &Text, case: &Range<usize>) -> Read<Program> {
        let mut writer = Writer::default();
        writer.push(&self.header.to_string());
        let barrier = barrier(&body.string);
        if !self.inputs.places.is_empty() {
            let scratch = self.scratch(reader, self.inputs, "input", case)?;
            writer.push(&self.prologue(scratch, barrier));
        }
        if !self.addresses.pairs.is_empty() {
            writer.push(&self.loaded_addresses(barrier));
        }
        writer.push("\n// the body of the case\n");
        writer.copy(reader, body, "    ");
        if !self.outputs.places.is_empty() {
            let scratch = self.scratch(reader, self.outputs, "output", case)?;
            writer.push(&self.epilogue(scratch, barrier));
        }
        let mut end = Statements::new(barrier);
        end.fixed("EXIT");
        writer.push(&end.text);
        writer.finish(reader, case)
    }

    /// Two pairs of registers that are no column: the address of the row's record, and a value on its way. The highest there are,
    /// since what they hold is not undefined for the body.
    fn scratch(
        &self,
        reader: &Reader<'_>,
        columns: &ColumnPlaces,
        what: &str,
        case: &Range<usize>,
    ) -> Read<[u8; 2]> {
        let pairs = (0..self.header.registers.min(255) / 2).rev().map(|pair| pair as u8 * 2);
        let mut free = pairs.filter(|pair| !columns.has_register(*pair) && !columns.has_register(pair + 1));
        match (free.next(), free.next()) {
            (Some(address), Some(value)) => Ok([address, value]),
            _ => reader.fail(
                case,
                format!(
                    "the harness needs two aligned pairs of registers that are no {what}: raise `registers`"
                ),
            ),
        }
    }

    fn prologue(&self, [address, value]: [u8; 2], barrier: Option<u8>) -> String {
        let mut out = Statements::new(barrier);
        out.text.push_str("\n// the inputs of this row\n");
        out.record(address, PARAMETERS, self.inputs.record.stride);
        for ((column, ty), place) in self.inputs.record.columns.iter().zip(&self.inputs.places) {
            let from = format!("[R{address}+{:#x}]", column.offset);
            let width = width(*ty, column);
            // A narrow value is extended by its type on its way into a register.
            match place {
                ColumnPlace::Register(number) => out.load(&format!("LDG.E{width} R{number}, {from}")),
                ColumnPlace::Predicate(number) => {
                    out.load(&format!("LDG.E.U8 R{value}, {from}"));
                    out.fixed(&format!("ISETP.NE.AND P{number}, PT, R{value}, RZ, PT"));
                }
                ColumnPlace::Shared(at) => {
                    out.load(&format!("LDG.E{width} R{value}, {from}"));
                    out.store(&format!("STS{width} [{at:#x}], R{value}"));
                }
                ColumnPlace::Local(at) => {
                    out.load(&format!("LDG.E{width} R{value}, {from}"));
                    out.store(&format!("STL{width} [{at:#x}], R{value}"));
                }
            }
        }
        if barrier.is_some() {
            // The body begins with nothing pending.
            out.fixed("NOP");
        }
        out.text
    }

    /// The addresses of the case's buffers, behind those of the harness's own.
    fn loaded_addresses(&self, barrier: Option<u8>) -> String {
        let mut out = Statements::new(barrier);
        out.text.push_str("\n// the addresses of buffers\n");
        let own = [self.inputs, self.outputs].iter().filter(|places| !places.places.is_empty()).count();
        for (index, (register, _)) in self.addresses.pairs.iter().enumerate() {
            let at = PARAMETERS + 8 * (own + index) as u32;
            out.fixed(&format!("MOV R{register}, c[0x0][{at:#x}]"));
            out.fixed(&format!("MOV R{}, c[0x0][{:#x}]", register + 1, at + 4));
        }
        out.text
    }

    fn epilogue(&self, [address, value]: [u8; 2], barrier: Option<u8>) -> String {
        let mut out = Statements::new(barrier);
        out.text.push_str("\n// the outputs of this row\n");
        if self.together && self.outputs.has_shared() {
            out.fixed("BAR.SYNC 0x0");
        }
        let parameter = PARAMETERS + if self.inputs.places.is_empty() { 0 } else { 8 };
        out.record(address, parameter, self.outputs.record.stride);
        for ((column, ty), place) in self.outputs.record.columns.iter().zip(&self.outputs.places) {
            let to = format!("[R{address}+{:#x}]", column.offset);
            let width = width(*ty, column);
            match place {
                ColumnPlace::Register(number) => out.store(&format!("STG.E{width} {to}, R{number}")),
                ColumnPlace::Predicate(number) => {
                    out.fixed(&format!("SEL R{value}, RZ, 0x1, !P{number}"));
                    out.store(&format!("STG.E.U8 {to}, R{value}"));
                }
                ColumnPlace::Shared(at) => {
                    out.load(&format!("LDS{width} R{value}, [{at:#x}]"));
                    out.store(&format!("STG.E{width} {to}, R{value}"));
                }
                ColumnPlace::Local(at) => {
                    out.load(&format!("LDL{width} R{value}, [{at:#x}]"));
                    out.store(&format!("STG.E{width} {to}, R{value}"));
                }
            }
        }
        out.text
    }
}

/// The modifier of an access to a column.
fn width(ty: Type, column: &Column) -> &'static str {
    match (column.size, ty.is_signed()) {
        (1, true) => ".S8",
        (1, false) => ".U8",
        (2, true) => ".S16",
        (2, false) => ".U16",
        (8, _) => ".64",
        _ => "",
    }
}

/// The barrier by which the harness waits for what it loads itself, where a body has a schedule of its own: one that the body does
/// not use, so that no wait of the harness's is taken for one of the body's. A body that uses all six shares the last.
fn barrier(body: &str) -> Option<u8> {
    // A body that is wrong is complained of when the whole is compiled.
    let program = warpdiff_sass::parse(body).ok().filter(|program| !program.is_unscheduled())?;
    let controls = || program.statements.iter().filter_map(|statement| statement.control);
    let uses = |barrier: u8| {
        controls().any(|control| control.write_barrier == barrier || control.read_barrier == barrier)
    };
    Some((0..6).rev().find(|barrier| !uses(*barrier)).unwrap_or(5))
}

/// Statements of the harness, one on each line. With a barrier they have annotations, each waiting for the last to be done;
/// without they have none.
struct Statements {
    text: String,
    barrier: Option<u8>,
}

impl Statements {
    fn new(barrier: Option<u8>) -> Self {
        Self { text: String::new(), barrier }
    }

    fn push(&mut self, statement: &str, signal: &str) {
        let _ = match self.barrier {
            None => writeln!(self.text, "    {statement};"),
            Some(barrier) if signal.is_empty() => {
                writeln!(self.text, "    {statement} &req={{{barrier}}} ?WAIT15;")
            }
            Some(barrier) => {
                writeln!(self.text, "    {statement} &req={{{barrier}}} &{signal}={barrier} ?WAIT15;")
            }
        };
    }

    /// An instruction whose result is there after a fixed time.
    fn fixed(&mut self, statement: &str) {
        self.push(statement, "");
    }

    /// One whose result is there when its barrier says so.
    fn load(&mut self, statement: &str) {
        self.push(statement, "wr");
    }

    /// One that reads its sources until its barrier says so.
    fn store(&mut self, statement: &str) {
        self.push(statement, "rd");
    }

    /// The address of the row's record in the buffer that is a parameter, in a pair of registers.
    fn record(&mut self, pair: u8, parameter: u32, stride: u32) {
        let high = pair + 1;
        self.load(&format!("S2R R{pair}, SR_TID.X"));
        self.fixed(&format!("SHL R{pair}, R{pair}, {:#x}", stride.trailing_zeros()));
        self.fixed(&format!("IADD R{pair}.CC, R{pair}, c[0x0][{parameter:#x}]"));
        self.fixed(&format!("IADD.X R{high}, RZ, c[0x0][{:#x}]", parameter + 4));
    }
}
