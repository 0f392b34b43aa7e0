//! A specimen under construction, with the operations that each kind of step needs to add one.

use arbitrary::{Result, Unstructured};

use crate::flow::{Block, Flow, Within};
use crate::mix::Mix;
use crate::places::TARGET;
use crate::specimen::{
    Class, Entrance, Input, Language, Operand, Register, Shape, Space, Specimen, Step, Table,
};
use crate::values::{self, Value};

/// A specimen under construction.
pub(crate) struct Builder {
    pub(crate) specimen: Specimen,
    next: u32,
    /// Results of earlier steps and inputs, to be used again.
    available: Vec<Register>,
    /// The blocks that are open, the outermost first.
    open: Vec<Within>,
    /// Whether threads may have ended.
    left: bool,
    mix: Mix,
}

/// One of `rows`, in proportion to their weights.
pub(crate) fn weighted<'r, T>(
    u: &mut Unstructured<'_>,
    rows: &'r [T],
    weight: impl Fn(&T) -> u32,
) -> Result<&'r T> {
    let total: u32 = rows.iter().map(&weight).sum();
    let mut left = u.int_in_range(0..=total - 1)?;
    for row in rows {
        match left.checked_sub(weight(row)) {
            Some(rest) => left = rest,
            None => return Ok(row),
        }
    }
    unreachable!("the number drawn is less than the sum of the weights")
}

/// The class of register that holds such a value.
pub(crate) fn class_of(value: Value) -> Class {
    match value {
        Value::I16 | Value::Divisor16 | Value::F16 => Class::B16,
        Value::I32 | Value::Divisor32 | Value::Amount | Value::Field | Value::Bit => Class::B32,
        Value::F16x2 | Value::F32 | Value::Table => Class::B32,
        Value::Span | Value::Lane | Value::Segment | Value::Barrier | Value::Warp => Class::B32,
        Value::I64 | Value::Divisor64 | Value::F64 => Class::B64,
        Value::Truth => Class::Pred,
    }
}

/// Whether an earlier result may stand for such a value. Not where an undefined bit, or a zero, would leave the rest of the
/// program undecided.
pub(crate) fn reusable(value: Value) -> bool {
    let is_divisor = matches!(value, Value::Divisor16 | Value::Divisor32 | Value::Divisor64);
    let is_place = matches!(value, Value::Field | Value::Bit | Value::Span | Value::Lane | Value::Segment)
        || matches!(value, Value::Barrier | Value::Warp);
    !is_divisor && !is_place && !matches!(value, Value::Amount | Value::Table)
}

/// Whether a literal may stand for such a value.
fn literal(value: Value) -> bool {
    let is_divisor = matches!(value, Value::Divisor32 | Value::Divisor64);
    is_divisor || matches!(value, Value::I32 | Value::I64 | Value::Amount | Value::Field | Value::Bit)
}

impl Builder {
    /// A specimen without steps.
    pub(crate) fn new(language: Language, threads: u32) -> Self {
        let specimen = Specimen {
            language,
            target: TARGET,
            threads,
            ctas: 1,
            inputs: Vec::new(),
            entrance: Entrance::Loaded,
            steps: Vec::new(),
            blocks: Vec::new(),
            memory: Vec::new(),
            source: None,
            sink: None,
            picture: None,
            tables: Vec::new(),
            common: Vec::new(),
        };
        Self { specimen, next: 0, available: Vec::new(), open: Vec::new(), left: false, mix: Mix::All }
    }

    /// With its threads in that many CTAs.
    pub(crate) fn in_ctas(mut self, ctas: u32) -> Self {
        self.specimen.ctas = ctas;
        self
    }

    /// For that target.
    pub(crate) fn on(mut self, target: u32) -> Self {
        self.specimen.target = target;
        self
    }

    /// With that mix of steps.
    pub(crate) fn of_mix(self, mix: Mix) -> Self {
        Self { mix, ..self }
    }

    /// What steps it has more of.
    pub(crate) fn mix(&self) -> Mix {
        self.mix
    }

    /// What has been built.
    pub(crate) fn finish(self) -> Specimen {
        self.specimen
    }

    /// Closes all blocks.
    pub(crate) fn close_all(&mut self) {
        self.open.clear();
    }

    /// Number of threads of a CTA.
    pub(crate) fn block(&self) -> u32 {
        self.specimen.block()
    }

    /// Number of threads.
    pub(crate) fn threads(&self) -> u32 {
        self.specimen.threads
    }

    /// Keeps the first thread only.
    pub(crate) fn single_thread(&mut self) {
        self.specimen.keep_thread(0);
    }

    /// A fresh register for a result; it is available to later steps once the step is pushed.
    pub(crate) fn result(&mut self, class: Class) -> Register {
        let number = self.next;
        self.next += 1;
        Register { class, number }
    }

    /// Appends a step.
    pub(crate) fn push(&mut self, step: Step) {
        // What a contended atomic returns depends on the order of threads.
        let is_contended = matches!(step.shape, Shape::Contended { .. });
        let kept = if is_contended { Vec::new() } else { step.results.clone() };
        self.push_keeping(step, &kept);
    }

    /// Appends a step of whose results later steps are given some only.
    pub(crate) fn push_keeping(&mut self, step: Step, kept: &[Register]) {
        self.left |= matches!(&*step.opcode, "exit" | "ret" | "EXIT");
        self.available.extend(kept);
        self.specimen.steps.push(Step { within: self.open.last().copied(), ..step });
    }

    /// The blocks that are open, the outermost first.
    pub(crate) fn path(&self) -> &[Within] {
        &self.open
    }

    /// The flow of the innermost block that is open.
    pub(crate) fn flow(&self) -> Option<Flow> {
        self.open.last().map(|place| self.specimen.blocks[usize::from(place.block)].flow)
    }

    /// Whether a block that is open runs several times.
    pub(crate) fn is_in_loop(&self) -> bool {
        let flow = |place: &Within| self.specimen.blocks[usize::from(place.block)].flow;
        self.open.iter().any(|place| matches!(flow(place), Flow::Loop { .. }))
    }

    /// Whether all threads are still there.
    pub(crate) fn is_whole(&self) -> bool {
        !self.left
    }

    /// Opens a block.
    pub(crate) fn open(&mut self, flow: Flow) {
        let block = self.specimen.blocks.len() as u8;
        self.specimen.blocks.push(Block { outer: self.open.last().copied(), flow });
        self.open.push(Within { block, arm: 0 });
    }

    /// Goes on to the next arm of the innermost block, if it has one.
    pub(crate) fn next_arm(&mut self) -> bool {
        let arms = match self.flow() {
            // Every second has an arm for the other lanes.
            Some(Flow::Condition { condition, .. }) => 1 + (condition.number % 2) as u8,
            Some(Flow::Index { arms, .. }) => arms,
            Some(Flow::Loop { .. }) | None => 1,
        };
        let Some(place) = self.open.last_mut() else { return false };
        let has_next = place.arm + 1 < arms;
        place.arm += u8::from(has_next);
        has_next
    }

    /// Closes the innermost block.
    pub(crate) fn close(&mut self) {
        self.open.pop();
    }

    /// A value for each thread. Those beyond the first few repeat the values of these in another order.
    pub(crate) fn values(
        &self,
        u: &mut Unstructured<'_>,
        mut draw: impl FnMut(&mut Unstructured<'_>) -> Result<u64>,
    ) -> Result<Vec<u64>> {
        let threads = self.specimen.threads;
        let few = threads.min(Specimen::FEW_THREADS);
        let mut values: Vec<u64> = (0..few).map(|_| draw(u)).collect::<Result<_>>()?;
        values.extend((few..threads).map(|_| 0));
        for thread in few..threads {
            values[thread as usize] = values[((thread + thread / few) % few) as usize];
        }
        Ok(values)
    }

    /// A new input column.
    pub(crate) fn input(&mut self, class: Class, values: Vec<u64>) -> Register {
        let register = self.result(class);
        self.specimen.inputs.push(Input { register, values });
        register
    }

    /// A register of that class with values of that kind: an earlier one, or a new input column.
    pub(crate) fn register(
        &mut self,
        u: &mut Unstructured<'_>,
        class: Class,
        value: Value,
    ) -> Result<Register> {
        let roll = u.arbitrary::<u8>()?;
        if roll < 80 && reusable(value) {
            let candidates = self.available.iter().rev().filter(|r| r.class == class);
            if let Some(register) = candidates.take(8).nth(usize::from(roll) % 4) {
                return Ok(*register);
            }
        }
        let values = self.values(u, |u| values::draw(u, value))?;
        let register = self.input(class, values);
        self.available.push(register);
        Ok(register)
    }

    /// A register, or now and then a literal.
    pub(crate) fn operand(&mut self, u: &mut Unstructured<'_>, value: Value) -> Result<Operand> {
        if value == Value::Table {
            return Ok(Operand::Immediate(values::draw(u, value)? as i64));
        }
        if literal(value) && u.arbitrary::<u8>()? < 24 {
            let drawn = values::draw(u, value)?;
            if value == Value::Field {
                return Ok(Operand::Immediate((drawn & 0xff) as i64));
            }
            let wide = matches!(value, Value::I64 | Value::Divisor64);
            return Ok(Operand::Immediate(if wide { drawn as i64 } else { i64::from(drawn as u32 as i32) }));
        }
        Ok(Operand::Register(self.register(u, class_of(value), value)?))
    }

    /// A guard for a step that writes no register.
    pub(crate) fn guard(&mut self, u: &mut Unstructured<'_>) -> Result<(Register, bool)> {
        let sense = u.arbitrary::<u8>()? & 1 == 0;
        // An input, not a comparison's result: that may be undefined.
        let values = self.values(u, |u| values::draw(u, Value::Truth))?;
        Ok((self.input(Class::Pred, values), sense))
    }

    /// Gives the specimen memory, if it has none.
    pub(crate) fn memory(&mut self, u: &mut Unstructured<'_>) -> Result<()> {
        if self.specimen.memory.is_empty() {
            let few = self.specimen.threads.min(Specimen::FEW_THREADS) as usize;
            let words = few * Specimen::MEMORY_STRIDE / 4;
            let mut memory = Vec::with_capacity(self.specimen.threads as usize * Specimen::MEMORY_STRIDE);
            for _ in 0..words {
                memory.extend_from_slice(&(values::draw(u, Value::I32)? as u32).to_le_bytes());
            }
            for thread in few..self.specimen.threads as usize {
                let like = (thread + thread / few) % few * Specimen::MEMORY_STRIDE;
                memory.extend_from_within(like..like + Specimen::MEMORY_STRIDE);
            }
            self.specimen.memory = memory;
        }
        Ok(())
    }

    /// What that place of the window held at first, for each thread.
    pub(crate) fn window_values(
        &mut self,
        u: &mut Unstructured<'_>,
        space: Space,
        offset: usize,
        size: usize,
    ) -> Result<Vec<u64>> {
        self.memory(u)?;
        let base = space as usize * crate::specimen::WINDOW + offset;
        let read = |thread: usize| {
            let at = thread * Specimen::MEMORY_STRIDE + base;
            self.specimen.memory[at..at + size]
                .iter()
                .rev()
                .fold(0, |value, byte| value << 8 | u64::from(*byte))
        };
        Ok((0..self.specimen.threads as usize).map(read).collect())
    }

    /// A place of eight bytes that all threads share and that was not given before, if there is one.
    pub(crate) fn common_place(&mut self, u: &mut Unstructured<'_>) -> Result<Option<u32>> {
        let common = &mut self.specimen.common;
        let offset = common.len();
        if offset >= crate::specimen::WINDOW {
            return Ok(None);
        }
        let small = u.arbitrary::<u8>()? % 2 == 0;
        let value = if small { u64::from(u.arbitrary::<u8>()?) } else { values::draw(u, Value::I64)? };
        common.extend_from_slice(&value.to_le_bytes());
        Ok(Some(offset as u32))
    }

    /// The variables so far.
    pub(crate) fn tables(&self) -> &[Table] {
        &self.specimen.tables
    }

    /// Appends a variable, and answers its index.
    pub(crate) fn add_table(&mut self, table: Table) -> usize {
        self.specimen.tables.push(table);
        self.specimen.tables.len() - 1
    }
}
