//! Programs of SPA 5.0 and the passes over them. Their text is printed anew, a statement a line, and changed by lines.
//!
//! A schedule is the first thing to go: without one each instruction waits for all before it, so that others can be left out in any order.
//! Where the mismatch needs the schedule, each instruction keeps its own annotations, and one that others wait for stays.

use std::ops::Range;
use std::sync::Arc;

use warpdiff_model::{Argument, Launch};
use warpdiff_sass::control::NO_BARRIER;
use warpdiff_sass::form::OperandField;
use warpdiff_sass::{
    Control, Guard, Instruction, Marks, Mnemonic, Operand, Program, Register, Statement, is_spa,
};

use crate::culprit::opcode;
use crate::most::apply_most;
use crate::observed::{Observed, SeenLine};
use crate::persistence::{Persistence, take, take_first};
use crate::size::Size;
use crate::text_edit::{TextEdit, edited};

/// Programs with more statements than this are not looked at operand by operand yet.
const FEW: usize = 64;

/// Where the parameters of a kernel begin in constant bank 0.
const PARAMETERS: i32 = 0x140;

/// A program of SPA 5.0 as it is printed.
struct Listing {
    program: Program,
    text: String,
}

impl Listing {
    /// `None` if it is no program of SPA 5.0, or cannot be read.
    fn of(launch: &Launch) -> Option<Self> {
        if !is_spa(&launch.program) {
            return None;
        }
        let mut program = warpdiff_sass::parse(&launch.program).ok()?;
        let text = program.place_in_listing();
        Some(Self { program, text })
    }

    fn printed(&self, launch: &Launch) -> Launch {
        Launch { program: Arc::from(self.text.as_str()), ..launch.clone() }
    }

    /// Where the line of a statement begins and ends.
    fn line(&self, statement: usize) -> Range<usize> {
        let at = self.program.statements[statement].span.start as usize;
        let start = self.text[..at].rfind('\n').map_or(0, |end| end + 1);
        start..self.text[at..].find('\n').map_or(self.text.len(), |end| at + end + 1)
    }

    /// The number of that line, from 1.
    fn number(&self, statement: usize) -> u32 {
        let at = self.program.statements[statement].span.start as usize;
        self.text[..at].matches('\n').count() as u32 + 1
    }

    /// What the reference saw at each statement.
    fn seen<'o>(&self, observed: &'o Observed) -> Vec<Option<&'o SeenLine>> {
        (0..self.program.statements.len()).map(|index| observed.line(self.number(index))).collect()
    }

    fn drop_schedule(&mut self) {
        for statement in &mut self.program.statements {
            (statement.control, statement.reuse, statement.paired) = (None, 0, false);
        }
        self.text = self.program.place_in_listing();
    }

    fn leave_out(&self, statement: usize) -> TextEdit {
        TextEdit::deletion(self.line(statement))
    }

    /// The statement as it is printed when it is another one.
    fn replaced(&self, statement: usize, change: impl FnOnce(&mut Instruction)) -> TextEdit {
        let mut program = self.program.clone();
        change(&mut program.statements[statement].instruction);
        let mut listing = Self { program, text: String::new() };
        listing.text = listing.program.place_in_listing();
        TextEdit { range: self.line(statement), text: listing.text[listing.line(statement)].to_owned() }
    }

    fn apply(&self, launch: &mut Launch, judge: &mut dyn Persistence, changes: &[TextEdit]) -> bool {
        let whole = launch.clone();
        let build = |some: &[usize]| {
            let text = edited(&self.text, some.iter().map(|number| &changes[*number]));
            Some(Launch { program: Arc::from(text), ..whole.clone() })
        };
        apply_most(launch, judge, changes.len(), &build)
    }
}

/// The launch with its program as it is printed, if that is one of SPA 5.0: a modifier that has several spellings has one of them there.
pub(crate) fn printed(launch: Launch) -> Launch {
    match Listing::of(&launch) {
        Some(listing) => listing.printed(&launch),
        None => launch,
    }
}

/// The launch with its program as it is printed without a schedule; `None` if it is none of SPA 5.0.
pub(crate) fn unscheduled(launch: &Launch) -> Option<Launch> {
    let mut listing = Listing::of(launch)?;
    listing.drop_schedule();
    Some(listing.printed(launch))
}

/// The size of a program; `None` if it is none of SPA 5.0.
pub(crate) fn size(launch: &Launch, culprit: Option<&str>) -> Option<Size> {
    let listing = Listing::of(launch)?;
    let is_counted = |statement: &&Statement| {
        let written = statement.instruction.to_string();
        culprit == Some(opcode(&written)) || !moves_data(&statement.instruction)
    };
    let statements = &listing.program.statements;
    Some(Size { instructions: statements.len(), beside_data: statements.iter().filter(is_counted).count() })
}

/// Whether it brings an input in or an output out: it reads a parameter, or accesses global memory.
fn moves_data(instruction: &Instruction) -> bool {
    let is_parameter =
        |operand: &Operand| matches!(operand, Operand::Constant { bank: 0, offset } if *offset >= PARAMETERS);
    match instruction.form.mnemonic {
        Mnemonic::LDG | Mnemonic::STG => true,
        Mnemonic::MOV => instruction.operands.iter().any(is_parameter),
        _ => false,
    }
}

/// All passes over a program of SPA 5.0, once.
pub(crate) fn reduce_program(launch: &mut Launch, judge: &mut dyn Persistence) {
    if !is_spa(&launch.program) {
        return;
    }
    leave_out_schedule(launch, judge);
    straighten(launch, judge);
    settle_values(launch, judge);
    leave_out_statements(launch, judge);
    inline_values(launch, judge);
    leave_out_statements(launch, judge);
    simplify_operands(launch, judge);
    leave_out_buffers(launch, judge);
}

fn leave_out_schedule(launch: &mut Launch, judge: &mut dyn Persistence) {
    let Some(mut listing) = Listing::of(launch) else { return };
    // Where control goes a label is made up, and nowhere else.
    listing.program.labels.clear();
    listing.text = listing.program.place_in_listing();
    let printed = listing.printed(launch);
    take(launch, judge, printed);
    if listing.program.is_unscheduled() {
        return;
    }
    listing.drop_schedule();
    let unscheduled = listing.printed(launch);
    take(launch, judge, unscheduled);
}

/// The program as it is printed, with what the reference saw of it.
fn observed(launch: &mut Launch) -> Option<(Listing, Observed)> {
    let listing = Listing::of(launch)?;
    *launch = listing.printed(launch);
    let observed = Observed::of(launch)?;
    Some((listing, observed))
}

/// Leaves out what no thread executes, and guards that always hold.
fn straighten(launch: &mut Launch, judge: &mut dyn Persistence) {
    let Some((listing, observed)) = observed(launch) else { return };
    let seen = listing.seen(&observed);
    let change = |(index, seen): (usize, &Option<&SeenLine>)| match seen {
        Some(seen) if seen.executed > 0 => {
            let is_guarded = listing.program.statements[index].instruction.guard != Guard::ALWAYS;
            let always = is_guarded && seen.skipped == 0;
            always.then(|| listing.replaced(index, |instruction| instruction.guard = Guard::ALWAYS))
        }
        _ => Some(listing.leave_out(index)),
    };
    let changes: Vec<TextEdit> = seen.iter().enumerate().filter_map(change).collect();
    listing.apply(launch, judge, &changes);
}

/// Replaces instructions by moves of the values that the reference found in their results, so that what they read can go.
fn settle_values(launch: &mut Launch, judge: &mut dyn Persistence) {
    let Some((listing, observed)) = observed(launch) else { return };
    let seen = listing.seen(&observed);
    let change = |(index, seen): (usize, &Option<&SeenLine>)| {
        let text = moves(&listing, index, &observed, (*seen)?)?;
        Some(TextEdit { range: listing.line(index), text })
    };
    let changes: Vec<TextEdit> = seen.iter().enumerate().filter_map(change).collect();
    listing.apply(launch, judge, &changes);
}

/// Moves of constants to the registers and predicates that the statement writes; `None` if it is such a move, or writes something that is not
/// the same each time. Condition codes have no such move, and are left out.
fn moves(listing: &Listing, index: usize, observed: &Observed, seen: &SeenLine) -> Option<String> {
    let statement = &listing.program.statements[index];
    let mnemonic = statement.instruction.form.mnemonic;
    let is_move = matches!(mnemonic, Mnemonic::MOV32I | Mnemonic::PSETP);
    if is_move || seen.executed == 0 || seen.skipped > 0 && seen.written.is_empty() {
        return None;
    }
    let mut written: Vec<_> = seen.written.iter().filter(|(name, _)| !name.starts_with("CC")).collect();
    written.sort_by_key(|(name, _)| *name);
    let guard = if seen.skipped > 0 { statement.instruction.guard } else { Guard::ALWAYS };
    // What it was waited for is there at once.
    let control = statement.control.map(|control| Control {
        write_barrier: NO_BARRIER,
        read_barrier: NO_BARRIER,
        stall: 15,
        ..control
    });
    let annotations = control.map(|control| format!(" {control}")).unwrap_or_default();
    let mut moves = String::new();
    for (name, of) in &written {
        if !of.same {
            return None;
        }
        let literal = observed.literal(name, of, of.first)?;
        let moved = match (name.as_bytes().first()?, of.first) {
            (b'R', _) => format!("MOV32I {name}, {literal}"),
            (b'P', 0) => format!("PSETP.AND.AND {name}, PT, !PT, PT, PT"),
            (b'P', _) => format!("PSETP.AND.AND {name}, PT, PT, PT, PT"),
            _ => return None,
        };
        moves.push_str(&format!("    {guard}{moved}{annotations};\n"));
    }
    (!moves.is_empty()).then_some(moves)
}

/// Leaves out statements.
fn leave_out_statements(launch: &mut Launch, judge: &mut dyn Persistence) {
    let Some(listing) = Listing::of(launch) else { return };
    *launch = listing.printed(launch);
    // Later ones first: what computes a value goes after what reads it.
    let statements = (0..listing.program.statements.len()).rev();
    let changes: Vec<TextEdit> = statements.map(|index| listing.leave_out(index)).collect();
    listing.apply(launch, judge, &changes);
}

/// Puts `RZ` in the place of source registers that hold zero or were never written, and their values into addresses.
fn inline_values(launch: &mut Launch, judge: &mut dyn Persistence) {
    // A statement has several operands, and each round changes one of each.
    for _ in 0..4 {
        let Some((listing, observed)) = observed(launch) else { return };
        let seen = listing.seen(&observed);
        let mut changes = Vec::new();
        for (index, seen) in seen.iter().enumerate() {
            let Some(seen) = seen else { continue };
            let Instruction { form, operands, .. } = &listing.program.statements[index].instruction;
            for (place, (field, operand)) in form.operands.iter().zip(operands).enumerate() {
                if !is_destination(*field)
                    && let Some(constant) = inlined(*operand, seen, &observed)
                {
                    changes
                        .push(listing.replaced(index, |instruction| instruction.operands[place] = constant));
                }
            }
        }
        if !listing.apply(launch, judge, &changes) {
            return;
        }
    }
}

fn is_destination(field: OperandField) -> bool {
    matches!(field, OperandField::Register { role: "Rd", .. } | OperandField::OptionalRd)
}

/// The operand with the value of its register in its place.
fn inlined(operand: Operand, seen: &SeenLine, observed: &Observed) -> Option<Operand> {
    // The value of a register, if it has one that is always the same.
    let value = |register: Register| {
        let name = register.to_string();
        let of = seen.read.get(&name).filter(|of| of.same || of.undefined)?;
        observed.literal(&name, of, of.first)?;
        Some(if of.undefined { 0 } else { of.first as u32 })
    };
    match operand {
        Operand::Register(register) if register != Register::RZ => {
            (value(register)? == 0).then_some(Operand::Register(Register::RZ))
        }
        Operand::Address { base, offset } if base != Register::RZ => {
            let offset = (value(base)? as i32).wrapping_add(offset);
            Some(Operand::Address { base: Register::RZ, offset })
        }
        _ => None,
    }
}

/// Makes numbers smaller and leaves out marks, one at a time.
fn simplify_operands(launch: &mut Launch, judge: &mut dyn Persistence) {
    loop {
        let Some(listing) = Listing::of(launch).filter(|it| it.program.statements.len() <= FEW) else {
            return;
        };
        *launch = listing.printed(launch);
        let mut changes = Vec::new();
        for (index, statement) in listing.program.statements.iter().enumerate() {
            let Instruction { form, operands, marks, .. } = &statement.instruction;
            for (place, (operand, marks)) in operands.iter().zip(marks).enumerate() {
                let with = |simpler| listing.replaced(index, |it| it.operands[place] = simpler);
                // Fewer lanes are not simpler.
                if !matches!(form.operands[place], OperandField::QuadLanes { .. }) {
                    changes.extend(simpler(*operand).into_iter().map(with));
                }
                if *marks != Marks::NONE {
                    changes.push(listing.replaced(index, |it| it.marks[place] = Marks::NONE));
                }
            }
        }
        let whole = launch.clone();
        let candidates = changes.iter().map(|change| Launch {
            program: Arc::from(edited(&listing.text, std::iter::once(change))),
            ..whole.clone()
        });
        if take_first(launch, judge, candidates).is_none() {
            return;
        }
    }
}

/// Operands with smaller numbers: zero, one, half.
fn simpler(operand: Operand) -> Vec<Operand> {
    let smaller = |value: i64| {
        let mut all = vec![0, 1, value / 2];
        all.dedup();
        all.retain(|new| new.unsigned_abs() < value.unsigned_abs());
        all
    };
    match operand {
        Operand::Immediate(value) => smaller(value).into_iter().map(Operand::Immediate).collect(),
        Operand::Address { base, offset } if offset != 0 => vec![Operand::Address { base, offset: 0 }],
        _ => Vec::new(),
    }
}

/// Passes zero in the place of buffers that the program does not need any more: parameters stay where they are.
fn leave_out_buffers(launch: &mut Launch, judge: &mut dyn Persistence) {
    for number in 0..launch.arguments.len() {
        if matches!(launch.arguments[number], Argument::Buffer { .. }) {
            let mut candidate = launch.clone();
            candidate.arguments[number] = Argument::Value(vec![0; 8]);
            take(launch, judge, candidate);
        }
    }
}
