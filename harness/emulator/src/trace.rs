//! One thread's run, instruction by instruction: the registers it writes, the memory it accesses, where it goes.
//!
//! [`trace()`] runs a launch once under one [`Semantics`], as [`crate::run`] does, and records the thread.

use std::collections::HashMap;
use std::sync::Arc;

pub use warpdiff_model::Thread;
use warpdiff_model::{Launch, Semantics};
use warpdiff_ptx::checked::{Module, VariableId};
use warpdiff_ptx::vocabulary::Space as PtxSpace;
use warpdiff_sass::mnemonic::Subject;

use crate::Run;
use crate::address_space::Region;
use crate::decoded::Site;
use crate::launch::validation::{LaunchError, error};
use crate::machine::Machine;
pub use crate::machine::recorder::AccessKind;
use crate::machine::recorder::{Goes, Name, Noted, RawStep, Recorder, Value};
use crate::operation::Class;
use crate::outcome::run_traced;
use crate::program::Program;
use crate::registers::all_bits;

/// A register and its value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Register {
    /// Its name: `%r1`, `R2`, `P0`, `c[0x0][0x140]`.
    pub name: String,
    /// Bits: 1 for a predicate, 32 or 64.
    pub bits: u32,
    /// The value.
    pub value: u64,
    /// Its undefined bits.
    pub undefined: u64,
    /// The bits that are not the same on every implementation: undefined, dependent on an order or on the placement of memory.
    pub open: u64,
    /// The floating-point type that the instruction gives it: `f32`.
    pub float: Option<&'static str>,
}

/// A register that an instruction reads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Source {
    /// The register.
    pub register: Register,
    /// Whether it decides where an access goes, and not what is stored.
    pub addresses: bool,
    /// The step of the thread that wrote it last.
    pub written_by: Option<usize>,
}

/// The kind of a piece of memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum MemoryKind {
    /// A buffer of the launch.
    Buffer,
    /// A variable in `.global`.
    Variable,
    /// Variables in `.const`, and the constant banks of machine code.
    Constant,
    /// The shared memory of the block.
    Shared,
    /// The local memory of the thread.
    Local,
    /// The parameters of the kernel.
    Parameters,
    /// The texels of a surface.
    Surface,
    /// Tables of the driver.
    Tables,
}

/// A place in memory.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Place {
    /// The kind of memory.
    pub kind: MemoryKind,
    /// Its name: of a buffer, a variable, a surface or a bank; otherwise empty.
    pub name: Arc<str>,
    /// Offset in bytes; in the guard before a buffer it is negative.
    pub offset: i64,
}

/// An access to memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Access {
    /// Its kind.
    pub kind: AccessKind,
    /// Where.
    pub place: Place,
    /// Bytes, at most 8; an instruction for several elements has several accesses.
    pub size: u32,
    /// The value that is loaded or stored; of an atomic the new value.
    pub value: u64,
    /// Its undefined bits.
    pub undefined: u64,
    /// As [`Register::open`].
    pub open: u64,
    /// As [`Register::float`].
    pub float: Option<&'static str>,
    /// Of an atomic: the old value.
    pub before: Option<u64>,
    /// Of a load: the step of the thread that stored there last.
    pub written_by: Option<usize>,
}

/// Where the thread goes after a step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Control {
    /// To the next instruction.
    Next,
    /// On: a branch is not taken.
    NotTaken,
    /// A branch goes to this line.
    Branch(u32),
    /// A call enters this function.
    Call(String),
    /// A return goes to this line.
    Return(u32),
    /// The thread ends.
    Exit,
    /// The thread ends because of a fault.
    Fault(String),
}

/// What the thread did at one instruction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// Line of the program's text, or of the listing of machine code.
    pub line: u32,
    /// The instruction on one line.
    pub instruction: Arc<str>,
    /// Whether its guard kept the thread from executing it.
    pub skipped: bool,
    /// The registers that it read, its guard included.
    pub reads: Vec<Source>,
    /// The registers that it wrote.
    pub writes: Vec<Register>,
    /// Its accesses to memory.
    pub accesses: Vec<Access>,
    /// Where the thread went.
    pub control: Control,
}

/// A thread's run.
#[derive(Clone, Debug)]
pub struct Trace {
    /// The thread.
    pub thread: Thread,
    /// Its steps; those beyond the first [`Trace::MOST`] are not kept.
    pub steps: Vec<Step>,
    /// How many steps it took.
    pub taken: u64,
    /// The launch.
    pub run: Run,
}

impl Trace {
    /// Steps that are kept.
    pub const MOST: usize = crate::machine::recorder::STEPS;
}

/// Runs a launch and records a thread.
///
/// # Errors
/// If the launch cannot begin, or has no such thread.
pub fn trace(
    program: &Program,
    launch: &Launch,
    semantics: &Semantics,
    thread: Thread,
) -> Result<Trace, LaunchError> {
    let Some(numbers) = thread.linear(launch) else {
        let Thread { block, thread } = thread;
        return error(format!(
            "no thread {thread:?} of block {block:?}: the grid is {:?}, a block {:?}",
            launch.grid, launch.block
        ));
    };
    let take = |recorder: Recorder, machine: &Machine<'_>| {
        let mut words = Words { machine, sites: HashMap::new(), floats: HashMap::new() };
        let steps = recorder.steps.iter().map(|step| words.step(step)).collect();
        (steps, recorder.taken)
    };
    let ((steps, taken), run) = run_traced(program, launch, semantics, numbers, take)?;
    Ok(Trace { thread, steps, taken, run })
}

/// Turns what is recorded into words.
struct Words<'m, 'a> {
    machine: &'m Machine<'a>,
    /// Line and text by function and instruction.
    sites: HashMap<(u32, u32), (u32, Arc<str>)>,
    floats: HashMap<(u32, u32), Option<&'static str>>,
}

impl Words<'_, '_> {
    fn step(&mut self, raw: &RawStep) -> Step {
        let (line, instruction) = self.site(raw.site);
        let float = self.float(raw.site);
        let reads = raw.reads.iter().map(|value| Source {
            register: self.register(value, None),
            addresses: value.addresses,
            written_by: value.written_by,
        });
        let reads = reads.collect();
        let writes = raw.writes.iter().map(|value| self.register(value, float)).collect();
        let accesses = raw.accesses.iter().map(|noted| self.access(noted, float)).collect();
        let control = self.control(raw.goes);
        let skipped = raw.skipped && !raw.executed;
        Step { line, instruction, skipped, reads, writes, accesses, control }
    }

    fn site(&mut self, site: Site) -> (u32, Arc<str>) {
        let key = (site.function, site.instruction);
        let machine = self.machine;
        self.sites
            .entry(key)
            .or_insert_with(|| {
                let text = machine.instruction_text(site);
                (machine.line(site).unwrap_or(0), Arc::from(text.trim_end_matches(';').trim_end()))
            })
            .clone()
    }

    /// The floating-point type of an instruction's values.
    fn float(&mut self, site: Site) -> Option<&'static str> {
        let machine = self.machine;
        let key = (site.function, site.instruction);
        *self.floats.entry(key).or_insert_with(|| match machine.program.statement(site) {
            Some(statement) => machine_float(statement, &machine.instruction_text(site)),
            None => ptx_float(machine.program.module(), site),
        })
    }

    fn line_of(&mut self, op: u32) -> u32 {
        let site = self.machine.code.sites.get(op as usize).copied();
        site.map_or(0, |site| self.site(site).0)
    }

    fn control(&mut self, goes: Goes) -> Control {
        match goes {
            Goes::On => Control::Next,
            Goes::NotTaken => Control::NotTaken,
            Goes::To(op) => Control::Branch(self.line_of(op)),
            Goes::Into(function) => {
                Control::Call(self.machine.program.module().functions[function as usize].name.clone())
            }
            Goes::Back(op) => Control::Return(self.line_of(op)),
            Goes::Exit => Control::Exit,
            Goes::Fault(number) => {
                let fault = &self.machine.faults[number];
                Control::Fault(format!("{}: {}", fault.class, fault.detail))
            }
        }
    }

    fn register(&self, value: &Value, float: Option<&'static str>) -> Register {
        let bits = match value.class {
            Class::Predicate => 1,
            Class::Narrow => 32,
            Class::Wide => 64,
        };
        let mask = all_bits(value.class);
        let (undefined, open) = (value.undefined & mask, value.open & mask);
        Register { name: self.name(value.name), bits, value: value.value, undefined, open, float }
    }

    fn name(&self, name: Name) -> String {
        match name {
            Name::Of(function, slot) => {
                self.machine.name_of(function, slot).unwrap_or("a register").to_owned()
            }
            Name::Special(register, component) => {
                let text = register.text();
                match (text, ["x", "y", "z", "w"].get(component as usize)) {
                    ("tid" | "ntid" | "ctaid" | "nctaid", Some(component)) => format!("%{text}.{component}"),
                    _ => format!("%{text}"),
                }
            }
            Name::Constant(place) => {
                let place = self.constant(u64::from(place));
                format!("{}[{:#x}]", place.name, place.offset)
            }
            Name::Placed => "an address of the launch".into(),
        }
    }

    fn access(&self, noted: &Noted, float: Option<&'static str>) -> Access {
        let Noted { kind, region, offset, size, value, undefined, open, before, written_by } = *noted;
        let place = self.place(region, offset);
        Access { kind, place, size: size as u32, value, undefined, open, float, before, written_by }
    }

    fn place(&self, region: Region, offset: usize) -> Place {
        let machine = self.machine;
        let nameless = |kind| Place { kind, name: Arc::from(""), offset: offset as i64 };
        let index = match region {
            Region::Shared => return nameless(MemoryKind::Shared),
            Region::Local => return nameless(MemoryKind::Local),
            Region::Param => return self.constant(offset as u64),
            Region::Surface(index) => {
                let name = &machine.memory.surfaces[index as usize].name;
                return Place { name: Arc::from(name.as_str()), ..nameless(MemoryKind::Surface) };
            }
            Region::Global(index) => index as usize,
        };
        let variables = &machine.code.globals;
        if let Some(VariableId(id)) = variables.get(index) {
            let variable = &machine.program.module().variables[*id as usize];
            let kind = match variable.space {
                PtxSpace::Const => MemoryKind::Constant,
                _ => MemoryKind::Variable,
            };
            return Place { name: Arc::from(variable.name.as_str()), ..nameless(kind) };
        }
        match machine.launch.buffers.get(index - variables.len()) {
            Some(buffer) => Place {
                kind: MemoryKind::Buffer,
                name: Arc::from(buffer.name.as_str()),
                offset: offset as i64 - i64::from(buffer.guard),
            },
            None => nameless(MemoryKind::Tables),
        }
    }

    /// A place in the parameters, which for machine code are constant banks.
    fn constant(&self, offset: u64) -> Place {
        let banks = self.machine.program.banks();
        let found = (0..BANKS).find_map(|bank| {
            let range = banks?.range(bank)?;
            range.contains(&(offset as u32)).then(|| (bank, offset - u64::from(range.start)))
        });
        match found {
            Some((bank, offset)) => Place {
                kind: MemoryKind::Constant,
                name: Arc::from(format!("c[{bank:#x}]")),
                offset: offset as i64,
            },
            None if banks.is_some() => {
                Place { kind: MemoryKind::Constant, name: Arc::from("c[0x0]"), offset: offset as i64 }
            }
            None => Place { kind: MemoryKind::Parameters, name: Arc::from(""), offset: offset as i64 },
        }
    }
}

/// Constant banks that a program may refer to.
const BANKS: u8 = 5;

/// The floating-point type of what an instruction of SPA 5.0 computes. Its text tells a conversion from another.
fn machine_float(statement: &warpdiff_sass::Statement, text: &str) -> Option<&'static str> {
    let form = &statement.instruction.form;
    let name = form.mnemonic.text();
    let is_float = match form.traits.subject {
        // `MUFU.RCP64H` has the upper half of a double; `FSET` has a number with `.BF` alone.
        Subject::Float if text.contains("64H") || name == "FSET" && !text.contains(".BF") => false,
        Subject::Float => name.starts_with(['F', 'M']),
        Subject::Conversion => text.contains("2F.F32") || text.contains("2F.FTZ.F32"),
        _ => false,
    };
    is_float.then_some("f32")
}

/// The floating-point type of what a PTX instruction computes, loads or stores: its first type, if it is one.
fn ptx_float(module: &Module, site: Site) -> Option<&'static str> {
    let body = &module.functions[site.function as usize].body;
    let first = *body.get(site.instruction as usize)?.types.first()?;
    first.is_float().then(|| first.text())
}
