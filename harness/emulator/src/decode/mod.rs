//! Decodes a checked module into flat operations.
//!
//! The instruction's table of forms determines the decoding module; the modules are named after the tables:
//!
//! * [`integer`], [`logic`], [`comparison`], [`float`], [`conversion`] – functions of registers.
//! * [`memory`], [`warp`], [`control`], [`surface`], [`texture`] – everything else.
//!
//! Further modules:
//!
//! * [`layout`] – placement of variables and registers; [`members`] – sampling properties in initialisers.
//! * [`operand`] – operands to register indices; immediates and special registers to constants.
//! * [`float_stores`] – stores of registers that hold floating-point numbers, for a deviation of compilers.
//! * [`unread`] – registers that nothing reads, [`written`] – which instruction wrote a register, for deviations of compilers.
//! * [`merged_surface`] – surface loads, and stores, that a compiler makes one.
//! * [`folded`] – constants and pairs of instructions that a compiler makes something else of.
//! * [`spa`] – programs of SPA 5.0.
//!
//! Deviations and choices that affect the result of an operation are resolved here, so that the execution loop need not check them.

mod comparison;
mod control;
mod conversion;
mod float;
mod float_stores;
mod folded;
mod integer;
mod layout;
mod logic;
mod members;
mod memory;
mod merged_surface;
mod operand;
pub(crate) mod spa;
mod surface;
mod texture;
mod video;
mod warp;

use std::collections::HashMap;

use warpdiff_model::{Choice, Deviation, Semantics};
use warpdiff_ptx::checked::{Function, FunctionId, Instruction, Module, Operand, RegisterId, Subject};
use warpdiff_ptx::misread;
use warpdiff_ptx::source::Span;
use warpdiff_ptx::stored_numbers::Numbers;
use warpdiff_ptx::unread::Mentions;
use warpdiff_ptx::vocabulary::{Modifier, Opcode, Type};
use warpdiff_ptx::written::Written;
use warpdiff_semantics::definedness::Bits;
use warpdiff_semantics::definedness::composed::{all_or_nothing, float_rule};
use warpdiff_semantics::numeric::mistake::{self, Mistake};

use crate::decoded::{Decoded, NarrowConstant, Site, Unsupported, WideConstant};
use crate::operation::{BoundUse, Class, Code, Consults, Guard, LaneOp, Op, Slot};
use crate::registers::{CONSTANT, FileSizes};

/// Decodes a module under `semantics`, with its variables in the slots from `first_slot` on.
///
/// # Errors
/// The first thing that is not supported.
pub(crate) fn decode(
    module: &Module,
    text: &str,
    semantics: &Semantics,
    first_slot: u32,
) -> Result<Decoded, Unsupported> {
    if module.address_size != 64 {
        return Err(Unsupported { span: Span::default(), what: "programs with 32-bit addresses".into() });
    }
    let misread = misread::of(module, semantics);
    let module = misread.as_ref().unwrap_or(module);
    let mut decoder = Decoder::new(module, text, semantics, first_slot)?;
    for index in 0..module.functions.len() {
        if !module.functions[index].external {
            decoder.function(FunctionId(index as u32))?;
        }
    }
    Ok(decoder.out)
}

/// The state of decoding.
struct Decoder<'m> {
    module: &'m Module,
    text: &'m str,
    semantics: Semantics,
    out: Decoded,
    narrow_constants: HashMap<NarrowConstant, u32>,
    wide_constants: HashMap<WideConstant, u32>,
    // Of the function being decoded:
    function: &'m Function,
    id: FunctionId,
    /// First slot of each register.
    slots: Vec<Slot>,
    /// Registers used so far, temporaries included.
    sizes: FileSizes,
    /// The registers that it reads.
    mentions: Mentions,
    /// The stored registers that hold floating-point numbers.
    numbers: Numbers,
    /// The instructions that wrote the registers, for deviations that join instructions.
    written: Written<'m>,
    /// The carry flag, once some instruction uses it.
    carry: Option<u32>,
    /// Operations whose `x` is an instruction index to be turned into an operation index.
    jumps: Vec<usize>,
    // Of the instruction being decoded:
    instruction: &'m Instruction,
    /// What the semantics mistake it for, if it is a function of registers.
    mistake: Option<Mistake>,
    site: Site,
    guard: Guard,
    /// What the next function of registers consults.
    consults: Option<Consults>,
    /// What the next function of registers does with bounds.
    bound: BoundUse,
}

type Decode<T = ()> = Result<T, Unsupported>;

impl<'m> Decoder<'m> {
    fn function(&mut self, id: FunctionId) -> Decode {
        let function = &self.module.functions[id.0 as usize];
        self.function = function;
        self.id = id;
        self.enter_function()?;
        let start = self.out.ops.len() as u32;
        let mut starts = Vec::with_capacity(function.body.len() + 1);
        for (index, instruction) in function.body.iter().enumerate() {
            starts.push(self.out.ops.len() as u32);
            self.instruction = instruction;
            self.site = Site { function: id.0, instruction: index as u32 };
            self.guard = match instruction.guard {
                None => Guard::NONE,
                Some(guard) => Guard::new(self.slots[guard.register.0 as usize].index, guard.negated),
            };
            self.written.reach(index as u32);
            self.merged_constants(index as u32);
            self.decode_instruction()?;
            self.written.note(index as u32, instruction);
        }
        starts.push(self.out.ops.len() as u32);
        // Falling off the end returns, as ptxas makes it.
        self.guard = Guard::NONE;
        self.emit(Code::Return, 0, [0; 3], 0);
        self.resolve_jumps(&starts);
        let info = &mut self.out.functions[id.0 as usize];
        info.start = Some(start);
        info.registers = self.sizes;
        Ok(())
    }

    fn resolve_jumps(&mut self, starts: &[u32]) {
        for index in std::mem::take(&mut self.jumps) {
            let op = &mut self.out.ops[index];
            if op.code == Code::BranchTable {
                for target in &mut self.out.tables[op.x as usize] {
                    *target = starts[*target as usize];
                }
            } else {
                op.x = starts[op.x as usize];
            }
        }
    }

    fn decode_instruction(&mut self) -> Decode {
        if self.folded()? {
            return Ok(());
        }
        self.mistake = self.mistaken();
        match self.instruction.subject {
            Subject::Integer => self.integer(),
            Subject::Video => self.video(),
            Subject::Logic => self.logic(),
            Subject::Comparison => self.comparison(),
            Subject::Float => self.float(),
            Subject::Conversion => self.conversion(),
            Subject::Memory => self.memory(),
            Subject::Control => self.control(),
            Subject::Warp => self.warp(),
            Subject::Surface => self.surface(),
            Subject::Texture => self.texture(),
        }
    }

    /// What the semantics mistake the instruction for.
    fn mistaken(&self) -> Option<Mistake> {
        if self.semantics.is_specification() {
            return None;
        }
        let Instruction { opcode, types, modifiers, .. } = self.instruction;
        let of = |ty: Type| mistake::Type {
            width: (8 * ty.size()).max(1),
            kind: match () {
                () if ty.is_signed() => mistake::Kind::Signed,
                () if ty.is_float() => mistake::Kind::Float,
                () if ty.is_bits() || ty == Type::Pred => mistake::Kind::Bits,
                () => mistake::Kind::Unsigned,
            },
        };
        let (first, last) = (of(*types.first()?), of(*types.last()?));
        let modifiers: Vec<&str> = modifiers.iter().map(|modifier| modifier.text()).collect();
        let asked = mistake::Instruction { opcode: opcode.text(), first, last, modifiers: &modifiers };
        Mistake::of(&asked, &self.semantics)
    }

    /// "unsupported", with the instruction's words.
    fn unsupported(&self) -> Unsupported {
        let words = self.text.get(self.instruction.span.range()).unwrap_or("");
        let mut words = words.trim_end_matches(';').split_whitespace().filter(|word| !word.starts_with('@'));
        let head = words.next().unwrap_or(self.instruction.opcode.text());
        Unsupported { span: self.instruction.span, what: format!("`{head}`") }
    }

    /// "unsupported", because of something about the instruction.
    fn unsupported_because(&self, why: &str) -> Unsupported {
        let mut error = self.unsupported();
        error.what = format!("{} ({why})", error.what);
        error
    }

    /// Emits an operation under the instruction's guard.
    fn emit(&mut self, code: Code, d: u32, [a, b, c]: [u32; 3], x: u32) {
        self.out.ops.push(Op { code, guard: self.guard, d, a, b, c, x });
        self.out.sites.push(self.site);
    }

    /// Emits an operation that computes a temporary, in all lanes.
    fn emit_unguarded(&mut self, code: Code, d: u32, sources: [u32; 3], x: u32) {
        let guard = std::mem::replace(&mut self.guard, Guard::NONE);
        self.emit(code, d, sources, x);
        self.guard = guard;
    }

    /// Emits a function of registers.
    fn lane(
        &mut self,
        destination: Slot,
        sources: &[Slot],
        compute: impl Fn(&[u64; 4]) -> u64 + Send + Sync + 'static,
        rule: impl Fn(&[Bits; 4], u64) -> u64 + Send + Sync + 'static,
    ) {
        self.lane_op(destination, sources, Box::new(compute), Box::new(rule), false);
    }

    /// Emits a function of registers whose result can be undefined although its sources are defined.
    fn lane_partial(
        &mut self,
        destination: Slot,
        sources: &[Slot],
        compute: impl Fn(&[u64; 4]) -> u64 + Send + Sync + 'static,
        rule: impl Fn(&[Bits; 4], u64) -> u64 + Send + Sync + 'static,
    ) {
        self.lane_op(destination, sources, Box::new(compute), Box::new(rule), true);
    }

    fn lane_op(
        &mut self,
        destination: Slot,
        sources: &[Slot],
        compute: crate::operation::Compute,
        rule: crate::operation::Rule,
        always: bool,
    ) {
        let x = self.out.lanes.len() as u32;
        let consults = self.consults.take();
        let compute = match self.mistake {
            Some(mistake) => Box::new(move |v: &[u64; 4]| mistake.result(v)),
            None => compute,
        };
        self.out.lanes.push(LaneOp {
            sources: sources.to_vec(),
            destination,
            compute,
            rule,
            always,
            computes: !moves(self.instruction.opcode),
            of_addresses: self.instruction.opcode == Opcode::Isspacep,
            consults,
            bound: std::mem::take(&mut self.bound),
        });
        self.emit(Code::Lane, 0, [0; 3], x);
    }

    /// The next function of registers consults a choice when its sources satisfy `when`.
    fn consult_next(&mut self, choice: Choice, when: impl Fn(&[u64; 4]) -> bool + Send + Sync + 'static) {
        self.consults = Some((choice, Box::new(when)));
    }

    fn has(&self, modifier: Modifier) -> bool {
        self.instruction.has(modifier)
    }

    fn deviates(&self, deviation: Deviation) -> bool {
        self.semantics.has(deviation)
    }

    /// The `n`-th type of the instruction.
    fn ty(&self, n: usize) -> Decode<Type> {
        self.instruction.types.get(n).copied().ok_or_else(|| self.unsupported_because("no type"))
    }

    /// The `n`-th operand.
    fn operand(&self, n: usize) -> Decode<&'m Operand> {
        self.instruction.operands.get(n).ok_or_else(|| self.unsupported_because("an operand is missing"))
    }

    /// A fresh register of the frame.
    fn temporary(&mut self, class: Class) -> Slot {
        let names = &mut self.out.functions[self.id.0 as usize].names;
        let (counter, names) = match class {
            Class::Narrow => (&mut self.sizes.narrow, &mut names.narrow),
            Class::Wide => (&mut self.sizes.wide, &mut names.wide),
            Class::Predicate => (&mut self.sizes.predicates, &mut names.predicates),
        };
        names.push("a temporary".into());
        *counter += 1;
        Slot { class, index: *counter - 1 }
    }

    /// If the instruction writes its own guard and takes several operations, guards them with a copy.
    fn keep_guard(&mut self, destinations: &[u32]) {
        if let Some(predicate) = self.guard.predicate().filter(|p| destinations.contains(p)) {
            let copy = self.temporary(Class::Predicate).index;
            let negated = self.guard.flip() != 0;
            self.emit_unguarded(Code::MovP, copy, [predicate, 0, 0], 0);
            self.guard = Guard::new(copy, negated);
        }
    }

    /// The slot of a register.
    fn register(&self, id: RegisterId) -> Slot {
        self.slots[id.0 as usize]
    }

    /// A narrow constant.
    fn narrow_constant(&mut self, constant: NarrowConstant) -> Slot {
        let table = &mut self.out.constants.narrow;
        let index = *self.narrow_constants.entry(constant).or_insert_with(|| {
            table.push(constant);
            table.len() as u32 - 1
        });
        Slot { class: Class::Narrow, index: index | CONSTANT }
    }

    /// A wide constant.
    fn wide_constant(&mut self, constant: WideConstant) -> Slot {
        let table = &mut self.out.constants.wide;
        let index = *self.wide_constants.entry(constant).or_insert_with(|| {
            table.push(constant);
            table.len() as u32 - 1
        });
        Slot { class: Class::Wide, index: index | CONSTANT }
    }

    /// A constant of a class.
    fn constant(&mut self, class: Class, value: u64) -> Slot {
        match class {
            Class::Narrow => self.narrow_constant(NarrowConstant::Value(value as u32)),
            Class::Wide => self.wide_constant(WideConstant::Value(value)),
            // The two predicate constants are made once, false then true.
            Class::Predicate => Slot { class, index: CONSTANT | (value & 1) as u32 },
        }
    }
}

/// Whether an instruction moves its sources, chooses among them or asks something of them: it computes nothing that depends on what
/// number a handle is.
fn moves(opcode: Opcode) -> bool {
    use Opcode::{Cvt, Cvta, Isspacep, Mov, Prmt, Selp, Set, Setp, Slct};
    matches!(opcode, Cvt | Cvta | Isspacep | Mov | Prmt | Selp | Set | Setp | Slct)
}

/// The register file a type lives in.
fn class_of(ty: Type) -> Class {
    match ty {
        Type::Pred => Class::Predicate,
        _ if ty.size() == 8 => Class::Wide,
        _ => Class::Narrow,
    }
}

/// All bits of a type.
fn bits_of(ty: Type) -> u64 {
    match ty.size() {
        0 => 1,
        size @ 1..=7 => (1 << (8 * size)) - 1,
        _ => u64::MAX,
    }
}
