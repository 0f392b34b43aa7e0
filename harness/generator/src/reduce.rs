//! Shrinks a specimen while a property of it persists.

use crate::places::SLOT;
use crate::specimen::{
    Class, Coordinate, Entrance, Input, Operand, Register, Shape, Side, Specimen, Step, Taken,
};

/// Replaces `specimen` by ever smaller ones for which `persists` holds, until nothing more can be left out: steps, threads,
/// operands, memory, and bits of values. `persists` must hold for the specimen itself.
///
/// `observed` gives the values of a register in each thread, so that a step can stand alone: its operands become inputs. It
/// answers `None` where the value is not known.
pub fn reduce(
    mut specimen: Specimen,
    persists: &mut dyn FnMut(&Specimen) -> bool,
    observed: &mut dyn FnMut(&Specimen, Register) -> Option<Vec<u64>>,
) -> Specimen {
    loop {
        let before = specimen.clone();
        drop_threads(&mut specimen, persists);
        isolate_steps(&mut specimen, persists, observed);
        drop_steps(&mut specimen, persists);
        dissolve_blocks(&mut specimen, persists);
        drop_guards(&mut specimen, persists);
        take_whole(&mut specimen, persists);
        simplify_values(&mut specimen, persists);
        if specimen == before {
            return specimen;
        }
    }
}

/// Takes over `candidate` if the property persists.
fn accept(
    specimen: &mut Specimen,
    mut candidate: Specimen,
    persists: &mut dyn FnMut(&Specimen) -> bool,
) -> bool {
    candidate.prune();
    if candidate != *specimen && persists(&candidate) {
        *specimen = candidate;
        return true;
    }
    false
}

fn drop_threads(specimen: &mut Specimen, persists: &mut dyn FnMut(&Specimen) -> bool) {
    if specimen.threads == 1 {
        return;
    }
    for thread in 0..specimen.threads {
        let mut candidate = specimen.clone();
        candidate.keep_thread(thread);
        if accept(specimen, candidate, persists) {
            return;
        }
    }
}

/// Tries each step alone, with what it reads from earlier steps turned into inputs. A value that is not known, such as an undefined one,
/// is tried as zero: whether the property persists decides.
fn isolate_steps(
    specimen: &mut Specimen,
    persists: &mut dyn FnMut(&Specimen) -> bool,
    observed: &mut dyn FnMut(&Specimen, Register) -> Option<Vec<u64>>,
) {
    for keep in (0..specimen.steps.len()).rev() {
        if specimen.steps.len() == 1 {
            return;
        }
        let zeros = || vec![0; specimen.threads as usize];
        let candidate =
            specimen.alone(keep, &mut |register| Some(observed(specimen, register).unwrap_or_else(zeros)));
        if candidate.is_some_and(|candidate| accept(specimen, candidate, persists)) {
            return;
        }
    }
}

impl Specimen {
    /// One step of it alone, with the values it reads from earlier steps as inputs; `None` if such a value is not known. A step that reads the carry
    /// stands behind the one that writes it, and one of a loop that reads what it writes is as in the first run of the loop.
    pub fn alone(
        &self,
        step: usize,
        observed: &mut dyn FnMut(Register) -> Option<Vec<u64>>,
    ) -> Option<Specimen> {
        let earlier = self.steps[..step].iter().rev().take_while(|earlier| earlier.writes_carry());
        let chained = if self.steps[step].reads_carry() { earlier.count() } else { 0 };
        let mut alone = self.clone();
        let kept = self.steps[step - chained..=step].iter();
        alone.steps = kept.map(|step| Step { within: None, ..step.clone() }).collect();
        let mut written: Vec<Register> = Vec::new();
        let mut read: Vec<Register> = Vec::new();
        for step in &alone.steps {
            read.extend(step.reads().filter(|register| !written.contains(register)));
            written.extend(&step.results);
        }
        for register in read {
            if alone.inputs.iter().all(|input| input.register != register) {
                // What a step wrote in another run of a loop is not known, but what it reads in the first.
                let is_own = written.contains(&register);
                let initial = || vec![register.class.initial(); self.threads as usize];
                let values = if is_own { initial() } else { observed(register)? };
                alone.inputs.push(Input { register, values });
            }
        }
        alone.prune();
        Some(alone)
    }

    /// The program with the inputs at some places as constants, and the others loaded. Registers of inputs get other numbers, which decide that.
    #[must_use]
    pub fn with_constants(&self, is_constant: impl Fn(usize) -> bool) -> Specimen {
        let mut selected = self.clone();
        let first_free = self.first_free().next_multiple_of(2);
        for (place, input) in self.inputs.iter().enumerate() {
            let number = first_free + 2 * place as u32 + u32::from(!is_constant(place));
            selected.rename(input.register, Register { number, ..input.register });
        }
        selected.entrance = Entrance::Mixed;
        selected
    }

    /// A number that no register has.
    fn first_free(&self) -> u32 {
        let results = self.steps.iter().flat_map(|step| &step.results);
        let registers = self.inputs.iter().map(|input| &input.register).chain(results);
        registers.map(|register| register.number + 1).max().unwrap_or(0)
    }

    /// Gives a register of inputs and steps another name.
    fn rename(&mut self, old: Register, new: Register) {
        let inputs = self.inputs.iter_mut().map(|input| &mut input.register);
        for register in inputs.chain(self.steps.iter_mut().flat_map(Step::registers_mut)) {
            if *register == old {
                *register = new;
            }
        }
    }

    /// The program with a step behind another that counts how often that is done: it adds one to what a word has before it is written.
    #[must_use]
    pub fn counting(&self, step: usize) -> Specimen {
        let mut counting = self.clone();
        let count = Register { class: Class::B32, number: self.first_free() };
        let Step { guard, within, .. } = self.steps[step];
        let sources = vec![Operand::Register(count), Operand::Immediate(1)];
        let adds = Step {
            guard,
            opcode: "add.s32".into(),
            results: vec![count],
            shape: Shape::Plain,
            sources,
            within,
        };
        counting.steps.insert(step + 1, adds);
        counting
    }

    /// The program with moves in the place of a step: of these values for each of its results, one for each thread. All other results stay where they are in `out`.
    #[must_use]
    pub fn with_moves(&self, step: usize, values: Vec<Vec<u64>>) -> Specimen {
        let mut moved = self.clone();
        let first_free = self.first_free();
        let replaced = &self.steps[step];
        let one = |(number, (result, values)): (u32, (&Register, Vec<u64>))| {
            let input = Input { register: Register { number, ..*result }, values };
            let opcode = match result.class {
                Class::Pred => "mov.pred",
                Class::B16 => "mov.b16",
                Class::B32 => "mov.b32",
                Class::B64 => "mov.b64",
            };
            let (results, sources) = (vec![*result], vec![Operand::Register(input.register)]);
            let (opcode, within) = (opcode.into(), replaced.within);
            (input, Step { guard: None, opcode, results, shape: Shape::Plain, sources, within })
        };
        let (inputs, moves): (Vec<Input>, Vec<Step>) =
            (first_free..).zip(replaced.results.iter().zip(values)).map(one).unzip();
        moved.inputs.extend(inputs);
        moved.steps.splice(step..=step, moves);
        moved
    }
}

/// Drops steps one by one, last ones first, each with the steps that depend on it.
fn drop_steps(specimen: &mut Specimen, persists: &mut dyn FnMut(&Specimen) -> bool) {
    let mut index = specimen.steps.len();
    while index > 0 {
        index = index.min(specimen.steps.len());
        if index == 0 || specimen.steps.len() == 1 {
            return;
        }
        index -= 1;
        let candidate = without_step(specimen, index);
        if !candidate.steps.is_empty() {
            accept(specimen, candidate, persists);
        }
    }
}

fn without_step(specimen: &Specimen, index: usize) -> Specimen {
    let mut candidate = specimen.clone();
    let mut gone = candidate.steps.remove(index).results;
    candidate.steps.retain(|step| {
        let depends = step.reads().any(|register| gone.contains(&register));
        if depends {
            gone.extend(&step.results);
        }
        !depends
    });
    candidate
}

/// Tries each block without the branches around it.
fn dissolve_blocks(specimen: &mut Specimen, persists: &mut dyn FnMut(&Specimen) -> bool) {
    for block in 0..specimen.blocks.len() as u8 {
        let mut candidate = specimen.clone();
        candidate.dissolve(block);
        accept(specimen, candidate, persists);
    }
}

fn drop_guards(specimen: &mut Specimen, persists: &mut dyn FnMut(&Specimen) -> bool) {
    for index in 0..specimen.steps.len() {
        if specimen.steps[index].guard.is_some() {
            let mut candidate = specimen.clone();
            candidate.steps[index].guard = None;
            accept(specimen, candidate, persists);
        }
    }
}

/// Takes operands of video instructions as they are, where a part or a minus sign is not needed.
fn take_whole(specimen: &mut Specimen, persists: &mut dyn FnMut(&Specimen) -> bool) {
    // No candidate has other steps, so that the indices stay valid.
    for index in 0..specimen.steps.len() {
        let Shape::Video(operands) = specimen.steps[index].shape else { continue };
        for place in (0..operands.len()).filter(|place| operands[*place] != Taken::default()) {
            let mut candidate = specimen.clone();
            candidate.steps[index].take_whole(place);
            accept(specimen, candidate, persists);
        }
    }
}

/// Makes inputs and memory simpler: zero, one, or fewer bits set. A property that looks at the program only is not disturbed.
fn simplify_values(specimen: &mut Specimen, persists: &mut dyn FnMut(&Specimen) -> bool) {
    // What is taken over may have fewer inputs.
    let mut column = 0;
    while column < specimen.inputs.len() {
        for thread in 0..specimen.threads as usize {
            if column < specimen.inputs.len() {
                simplify_value(specimen, column, thread, persists);
            }
        }
        column += 1;
    }
    if specimen.memory.iter().any(|byte| *byte != 0) {
        let mut candidate = specimen.clone();
        candidate.memory.fill(0);
        if !accept(specimen, candidate, persists) {
            clear_memory_words(specimen, persists);
        }
    }
}

fn simplify_value(
    specimen: &mut Specimen,
    column: usize,
    thread: usize,
    persists: &mut dyn FnMut(&Specimen) -> bool,
) {
    let value = specimen.inputs[column].values[thread];
    // Zero is not tried where it would divide.
    let divides = specimen.steps.iter().any(|step| {
        let divisor = step.sources.get(1).and_then(|s| s.register());
        step.shape == Shape::Plain
            && (step.opcode.starts_with("div.") || step.opcode.starts_with("rem."))
            && divisor == Some(specimen.inputs[column].register)
    });
    let half = match specimen.inputs[column].register.class {
        Class::Pred => 0,
        class => value & (u64::MAX >> (64 - class.size() * 4)),
    };
    for simpler in [0, 1, half] {
        if simpler >= value || (simpler == 0 && divides) {
            continue;
        }
        let mut candidate = specimen.clone();
        candidate.inputs[column].values[thread] = simpler;
        if accept(specimen, candidate, persists) {
            return;
        }
    }
}

fn clear_memory_words(specimen: &mut Specimen, persists: &mut dyn FnMut(&Specimen) -> bool) {
    for word in 0..specimen.memory.len() / 8 {
        let range = word * 8..word * 8 + 8;
        if specimen.memory[range.clone()].iter().any(|byte| *byte != 0) {
            let mut candidate = specimen.clone();
            candidate.memory[range].fill(0);
            accept(specimen, candidate, persists);
        }
    }
}

/// The values a register had, read from the buffer `out` that the specimen left: `None` if one of its bits is undefined.
pub fn observed_values(
    specimen: &Specimen,
    register: Register,
    bytes: &[u8],
    defined: &[u8],
) -> Option<Vec<u64>> {
    (0..specimen.threads).map(|thread| observed_value(specimen, register, bytes, defined, thread)).collect()
}

/// The same in one thread.
pub fn observed_value(
    specimen: &Specimen,
    register: Register,
    bytes: &[u8],
    defined: &[u8],
    thread: u32,
) -> Option<u64> {
    let results = || specimen.steps.iter().flat_map(|step| step.results.iter());
    let slot = results().position(|result| *result == register)?;
    let at = (thread as usize * results().count() + slot) * SLOT;
    let range = at..at + register.class.size();
    let is_known = defined.get(range.clone())?.iter().all(|mask| *mask == 0xff);
    let value = bytes.get(range)?.iter().rev().fold(0, |value, byte| value << 8 | u64::from(*byte));
    is_known.then_some(value)
}

/// The coordinates of an image access, for the class of a mismatch.
pub fn coordinates(specimen: &Specimen, step: usize, thread: usize) -> Option<Vec<i64>> {
    let step = &specimen.steps[step];
    if matches!(step.shape, Shape::Encoded { .. }) {
        // Its coordinates are in another order, and in another unit.
        return None;
    }
    let side = step.side()?;
    let count = specimen.image(side)?.coordinates().len();
    let value = |operand: &Operand| match operand {
        Operand::Immediate(value) => Some(*value),
        Operand::Register(register) => {
            let input = specimen.inputs.iter().find(|input| input.register == *register)?;
            Some(i64::from(input.values[thread] as u32 as i32))
        }
    };
    step.sources.iter().take(count).map(value).collect()
}

/// Whether an image access of that step leaves the image in some thread, so that its clamp mode matters.
pub fn leaves_image(specimen: &Specimen, step: usize) -> bool {
    let Some(side) = specimen.steps[step].side() else { return false };
    let Some(image) = specimen.image(side) else { return false };
    (0..specimen.threads as usize).any(|thread| {
        coordinates(specimen, step, thread).is_some_and(|at| {
            let size = i64::from(access_size(specimen, step, side));
            let opcode = &specimen.steps[step].opcode;
            let leaves = |(what, at): (&Coordinate, i64)| {
                let (last, at) = match what {
                    Coordinate::X if opcode.starts_with("sust.p") => (i64::from(image.width), at),
                    Coordinate::X if opcode.starts_with("sured.p") => (i64::from(image.row()) / size, at),
                    Coordinate::X => (i64::from(image.row()) - size + 1, at),
                    Coordinate::Y => (image.height.into(), at),
                    Coordinate::Z => (image.depth.into(), at),
                    Coordinate::Layer => (image.layers.into(), i64::from(at as u32)),
                    Coordinate::Ignored => return false,
                };
                at < 0 || at >= last
            };
            image.coordinates().iter().zip(at).any(leaves)
        })
    })
}

/// Bytes an image access moves.
fn access_size(specimen: &Specimen, step: usize, side: Side) -> u32 {
    let step = &specimen.steps[step];
    let element = step
        .opcode
        .split('.')
        .find_map(|part| part.strip_prefix(['b', 'u', 's']).and_then(|bits| bits.parse::<u32>().ok()));
    let coordinates = specimen.image(side).map_or(1, |image| image.coordinates().len());
    let elements = match side {
        Side::Source => step.results.len(),
        Side::Sink => step.sources.len() - coordinates,
    };
    element.unwrap_or(8) / 8 * elements as u32
}
