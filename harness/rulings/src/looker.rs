//! Looks on while the reference runs a launch, and collects the combinations of forms and rulings.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};

use warpdiff_emulator::{Checked, Compiled, LaunchError, look_on};
use warpdiff_model::{FaultClass, Format, Launch};
use warpdiff_ptx::checked::{Instruction, Module, Operand, Subject};
use warpdiff_ptx::vocabulary::Opcode;
use warpdiff_semantics::onlooker::{Executed, Onlooker, Touched};
use warpdiff_semantics::surface::{Access, Descriptor, Resolution, Unit};
use warpdiff_semantics::texture::{Lookup, Sampling};

use crate::ruling::{Ruling, Rulings};
use crate::{comparison, conversion, float, integer, memory, spa, surface, texture, video, warp};

/// A form of instruction with the rulings that decided one execution of it together: those of a lane, or those of a warp.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Combination {
    /// A number for the form: its opcode with its modifiers and types, but for those that caches alone see. The same on every machine.
    pub form: u64,
    /// The rulings.
    pub rulings: Rulings,
}

/// The combinations of a run of a launch under the specification.
///
/// # Errors
/// If the launch cannot begin.
pub fn combinations(compiled: &Compiled, launch: &Launch) -> Result<BTreeSet<Combination>, LaunchError> {
    let looker = Looker::of(&compiled.checked);
    look_on(&compiled.program, launch, &looker)?;
    Ok(looker.seen.into_inner().found)
}

/// Who looks on.
struct Looker<'p> {
    program: &'p Checked,
    seen: RefCell<Seen>,
}

/// What it has seen.
#[derive(Default)]
struct Seen {
    found: BTreeSet<Combination>,
    /// The lanes that executed the last operation together, by warp.
    together: BTreeMap<u32, u32>,
    /// Of the operation that is being executed: the accesses to memory, to surfaces and to textures.
    touched: Vec<Touched>,
    surfaces: Vec<(usize, Rulings, Format, Unit)>,
    lookups: Vec<Rulings>,
}

impl<'p> Looker<'p> {
    fn of(program: &'p Checked) -> Self {
        Self { program, seen: RefCell::default() }
    }

    /// The instruction of machine code at a place; `None` of PTX.
    fn machine_instruction(&self, (_, statement): (u32, u32)) -> Option<&'p warpdiff_sass::Instruction> {
        let Checked::Spa(program) = self.program else { return None };
        Some(&program.statements.get(statement as usize)?.instruction)
    }

    /// The instruction of PTX at a place; `None` of machine code, and behind the end of a function.
    fn instruction(&self, (function, instruction): (u32, u32)) -> Option<&'p Instruction> {
        let Checked::Ptx(module) = self.program else { return None };
        let module: &Module = module;
        module.functions.get(function as usize)?.body.get(instruction as usize)
    }

    fn form(&self, site: (u32, u32)) -> Option<u64> {
        match self.instruction(site) {
            Some(instruction) => Some(form_of(instruction)),
            None => self.machine_instruction(site).map(form_of_machine),
        }
    }
}

/// FNV-1a.
fn hash(bytes: impl Iterator<Item = u8>) -> u64 {
    bytes.fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3))
}

/// The number of the form of an instruction, as a [`Combination`] has it.
pub fn form_of(instruction: &Instruction) -> u64 {
    let modifiers = instruction.modifiers.iter();
    let modifiers = modifiers.filter(|word| !word.is_cache_operator() && !word.is_cache_hint());
    let words = std::iter::once(instruction.opcode.text())
        .chain(modifiers.map(|word| word.text()))
        .chain(instruction.spaces.iter().map(|word| word.text()))
        .chain(instruction.types.iter().map(|word| word.text()));
    hash(words.flat_map(|word| word.bytes().chain([b'.'])))
}

/// The same of machine code.
pub fn form_of_machine(instruction: &warpdiff_sass::Instruction) -> u64 {
    let form = instruction.form;
    let chosen = form.modifiers.iter().zip(&instruction.modifiers);
    let chosen = chosen.filter(|(field, _)| field.role != "cache operator");
    let names = chosen.filter_map(|(field, value)| field.names.get(usize::from(*value)).copied());
    let words =
        std::iter::once(form.mnemonic.text()).chain(form.fixed_modifiers.iter().copied()).chain(names);
    hash(words.flat_map(|word| word.bytes().chain([b'.'])))
}

impl Onlooker for Looker<'_> {
    fn begins(&self) {
        *self.seen.borrow_mut() = Seen::default();
    }

    fn touched(&self, touched: Touched) {
        self.seen.borrow_mut().touched.push(touched);
    }

    fn surface(&self, lane: usize, (shape, format): (&Descriptor, Format), access: &Access, _: Resolution) {
        let rulings = surface::of_access(shape, access);
        self.seen.borrow_mut().surfaces.push((lane, rulings, format, access.unit));
    }

    fn texture(&self, _: usize, shape: &Descriptor, sampling: &Sampling, lookup: &Lookup) {
        self.seen.borrow_mut().lookups.push(texture::of_lookup(shape, sampling, lookup));
    }

    fn executed(&self, executed: &Executed<'_>) {
        let mut seen = self.seen.borrow_mut();
        let (touched, surfaces, lookups) = (
            std::mem::take(&mut seen.touched),
            std::mem::take(&mut seen.surfaces),
            std::mem::take(&mut seen.lookups),
        );
        let Some(form) = self.form(executed.site) else { return };
        let instruction = self.instruction(executed.site);
        let machine_instruction = self.machine_instruction(executed.site);
        let before = seen.together.insert(executed.warp, executed.active).unwrap_or(executed.active);
        let joined = before & executed.active == before && before != executed.active;
        let mut keep = |rulings: Rulings| {
            seen.found.insert(Combination { form, rulings });
        };
        let mut of_warp = of_warp(instruction, executed);
        of_warp.when(joined, Ruling::Reconverges);
        of_warp.when(is_contended(&touched), Ruling::AtomicContended);
        keep(of_warp);
        for lane in (0..32).filter(|lane| executed.mask >> lane & 1 == 1) {
            let mut of_lane = instruction.map_or_else(Rulings::default, |it| of_lane(it, executed, lane));
            of_lane.extend(
                machine_instruction.map_or_else(Rulings::default, |it| of_machine_lane(it, executed, lane)),
            );
            let own = surfaces.iter().filter(|(other, ..)| *other == lane);
            own.for_each(|(_, rulings, format, unit)| {
                of_lane.extend(*rulings);
                of_lane.extend(texel(instruction, executed, lane, (*format, *unit)));
            });
            of_lane.when(executed.undefined >> lane & 1 == 1, Ruling::Undefined);
            if !of_lane.is_empty() {
                keep(of_lane);
            }
        }
        for access in &touched {
            let lane = access.thread.wrapping_sub(executed.warp) as usize;
            let operand = executed.sources.first().and_then(|row| row.get(lane)).copied().unwrap_or(0);
            let mut rulings = memory::of_access(access);
            if let Some(instruction) = instruction {
                rulings.extend(memory::of_atomic(instruction, access, operand));
            }
            if let Some(instruction) = machine_instruction {
                rulings.extend(spa::of_atomic(instruction, access, operand));
            }
            if !rulings.is_empty() {
                keep(rulings);
            }
        }
        lookups.into_iter().for_each(keep);
    }
}

/// What decides what a warp does: which lanes take part, what they consult, which faults they report.
fn of_warp(instruction: Option<&Instruction>, executed: &Executed<'_>) -> Rulings {
    let is_branch = instruction.is_some_and(|it| matches!(it.opcode, Opcode::Bra | Opcode::Brx));
    let mut found = warp::of_lanes(executed, is_branch);
    if let Some(instruction) = instruction {
        found.when(is_branch && warp::is_back(instruction, executed), Ruling::BranchBack);
        found.extend(warp::of_agreement(instruction, executed));
    }
    found.extend(executed.faults.iter().map(|fault| of_fault(fault.class)).collect());
    found.when(!executed.may_faults.is_empty(), Ruling::FaultMay);
    found.chosen = executed.consulted;
    found
}

fn of_fault(class: FaultClass) -> Ruling {
    match class {
        FaultClass::SurfaceTrap => Ruling::FaultSurfaceTrap,
        FaultClass::OutOfBounds => Ruling::FaultOutOfBounds,
        FaultClass::Misaligned => Ruling::FaultMisaligned,
        _ => Ruling::FaultOther,
    }
}

/// Whether several lanes change one place.
fn is_contended(touched: &[Touched]) -> bool {
    let atomics = touched.iter().filter(|access| access.before.is_some());
    let mut places: Vec<(u32, usize)> = atomics.map(|access| access.place).collect();
    let all = places.len();
    places.sort_unstable();
    places.dedup();
    places.len() < all
}

/// What the operands of a lane decide.
fn of_lane(instruction: &Instruction, executed: &Executed<'_>, lane: usize) -> Rulings {
    if !executed.is_alone {
        return Rulings::default();
    }
    let operands: Vec<u64> = executed.sources.iter().map(|row| row[lane]).collect();
    if instruction.opcode == Opcode::Shfl {
        return warp::of_shuffle(instruction, lane as u32, &operands);
    }
    let Some(result) = executed.results.first().map(|row| row[lane]) else { return Rulings::default() };
    let mut found = comparison::rulings(instruction, &operands, result);
    found.extend(match instruction.subject {
        Subject::Integer | Subject::Logic => integer::rulings(instruction, &operands, result),
        Subject::Float => float::rulings(instruction, &operands, result),
        Subject::Conversion => conversion::rulings(instruction, &operands, result),
        Subject::Video => video::rulings(instruction, &operands, result),
        _ => Rulings::default(),
    });
    found
}

/// The same of machine code.
fn of_machine_lane(
    instruction: &warpdiff_sass::Instruction,
    executed: &Executed<'_>,
    lane: usize,
) -> Rulings {
    let Some(result) = executed.results.first().filter(|_| executed.is_alone) else {
        return Rulings::default();
    };
    let operands: Vec<u64> = executed.sources.iter().map(|row| row[lane]).collect();
    spa::rulings(instruction, &operands, result[lane])
}

/// What `sust.p` makes of the elements that a lane stores.
fn texel(
    instruction: Option<&Instruction>,
    executed: &Executed<'_>,
    lane: usize,
    (format, unit): (Format, Unit),
) -> Rulings {
    let stored = match instruction.map(|it| (it.opcode, it.operands.last())) {
        Some((Opcode::Sust, Some(Operand::Vector(elements)))) if unit == Unit::Texel => elements.len(),
        Some((Opcode::Sust, _)) if unit == Unit::Texel => 1,
        _ => return Rulings::default(),
    };
    // What is stored stands before the handle and the coordinates.
    let elements: Vec<u32> = executed.sources.iter().take(stored).map(|row| row[lane] as u32).collect();
    surface::of_texel(format, &elements)
}
