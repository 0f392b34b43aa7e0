//! Blocks of instructions: what is run by the lanes that take a branch, by those that an index sends there, or several times.
//!
//! A block is a property of its steps, which follow each other in the specimen. A reduction that leaves one of them out leaves the block
//! as it is; one that takes its steps out of a block leaves straight-line code.

use arbitrary::{Result, Unstructured};

use crate::builder::{Builder, weighted};
use crate::specimen::{Class, Input, Operand, Register, Shape, Specimen, Step};
use crate::values::{self, Value};

/// Blocks that may stand in one another.
const DEEPEST: usize = 2;
/// The first target that has pauses.
const PAUSES: u32 = 70;
/// Most arms of a branch by an index.
pub(crate) const MOST_ARMS: u8 = 4;

/// A place in a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Within {
    /// Its index.
    pub block: u8,
    /// The arm; 0 in a block that has one.
    pub arm: u8,
}

/// A block of instructions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Block {
    /// The block that it stands in.
    pub outer: Option<Within>,
    /// Which lanes run it, and how often.
    pub flow: Flow,
}

/// Which lanes run a block, and how often. Registers are inputs: every lane has a defined value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flow {
    /// Arm 0 where a predicate has that value, arm 1 elsewhere.
    Condition {
        /// The predicate.
        condition: Register,
        /// The value.
        sense: bool,
    },
    /// The arm of that number: `brx.idx`.
    Index {
        /// The number.
        index: Register,
        /// How many arms there are.
        arms: u8,
    },
    /// As often as a number says.
    Loop {
        /// The number, which is small.
        count: Register,
        /// Whether it may be zero: the first run has to be asked for, too.
        tests_first: bool,
        /// The loop is left where as many runs remain as this number says.
        leaves_at: Option<Register>,
    },
}

impl Flow {
    fn reads(self) -> [Option<Register>; 2] {
        match self {
            Self::Condition { condition, .. } => [Some(condition), None],
            Self::Index { index, .. } => [Some(index), None],
            Self::Loop { count, leaves_at, .. } => [Some(count), leaves_at],
        }
    }
}

/// The table: what a block may be, and how often.
const FLOWS: &[(u32, Kind)] = &[(4, Kind::Condition), (3, Kind::Index), (5, Kind::Loop)];

#[derive(Clone, Copy)]
enum Kind {
    Condition,
    Index,
    Loop,
}

/// Opens a block, or goes on to the next arm of the one that is open, or closes it.
pub(crate) fn turn(builder: &mut Builder, u: &mut Unstructured<'_>) -> Result<()> {
    let open = builder.path().len();
    let closes = open == DEEPEST || open > 0 && u.arbitrary::<u8>()? % 2 == 0;
    if !closes {
        let flow = drawn(builder, u, open)?;
        builder.open(flow);
    } else if !builder.next_arm() {
        builder.close();
    }
    Ok(())
}

fn drawn(builder: &mut Builder, u: &mut Unstructured<'_>, open: usize) -> Result<Flow> {
    Ok(match weighted(u, FLOWS, |(weight, _)| *weight)?.1 {
        Kind::Condition => {
            let (condition, sense) = builder.guard(u)?;
            Flow::Condition { condition, sense }
        }
        Kind::Index => {
            let arms = u.int_in_range(1..=MOST_ARMS)?;
            // In a third of the programs, one that is the same for all threads.
            let same = if u.arbitrary::<u8>()? % 3 == 0 {
                Some(u64::from(u.arbitrary::<u8>()? % arms))
            } else {
                None
            };
            let values = builder.values(u, |u| match same {
                Some(same) => Ok(same),
                None => Ok(u64::from(u.arbitrary::<u8>()? % arms)),
            })?;
            Flow::Index { index: builder.input(Class::B32, values), arms }
        }
        Kind::Loop => {
            let tests_first = u.arbitrary::<u8>()? % 2 == 0;
            let most = if open == 0 { 5 } else { 3 };
            let mut small = |builder: &mut Builder, least: u8| {
                let values = builder.values(u, |u| Ok(u64::from(u.int_in_range(least..=most)?)))?;
                Ok::<_, arbitrary::Error>(builder.input(Class::B32, values))
            };
            let count = small(builder, u8::from(!tests_first))?;
            let leaves_at = if count.number % 3 == 0 { Some(small(builder, 0)?) } else { None };
            Flow::Loop { count, tests_first, leaves_at }
        }
    })
}

/// Adds an early end of threads that have a predicate, or a pause.
pub(crate) fn aside(builder: &mut Builder, u: &mut Unstructured<'_>, target: u32) -> Result<()> {
    if target >= PAUSES && u.arbitrary::<u8>()? % 3 == 0 {
        let pause = crate::specimen::Operand::Immediate(i64::from(u.arbitrary::<u8>()?));
        builder.push(Step {
            guard: None,
            opcode: "nanosleep.u32".into(),
            results: Vec::new(),
            shape: Shape::Plain,
            sources: vec![pause],
            within: None,
        });
        return Ok(());
    }
    let values = builder.values(u, |u| values::draw(u, Value::Truth))?;
    let sense = u.arbitrary::<u8>()? & 1 == 0;
    let guard = Some((builder.input(Class::Pred, values), sense));
    let opcode = (*u.choose(&["exit", "ret"])?).into();
    builder.push(Step {
        guard,
        opcode,
        results: Vec::new(),
        shape: Shape::Plain,
        sources: Vec::new(),
        within: None,
    });
    Ok(())
}

impl Specimen {
    /// The blocks around a place, the outermost first.
    pub(crate) fn path(&self, within: Option<Within>) -> Vec<Within> {
        let mut path: Vec<Within> = Vec::new();
        let mut next = within;
        while let Some(place) = next {
            path.insert(0, place);
            next = self.blocks[usize::from(place.block)].outer;
        }
        path
    }

    /// The steps that stand in a block, or in one within it.
    pub(crate) fn steps_of(&self, block: u8) -> impl Iterator<Item = (&Step, u8)> {
        self.steps.iter().filter_map(move |step| {
            let path = self.path(step.within);
            path.iter().find(|place| place.block == block).map(|place| (step, place.arm))
        })
    }

    /// The registers that decide which steps are run, of the blocks that have steps.
    pub(crate) fn flow_reads(&self) -> Vec<Register> {
        let has_steps = |block: &usize| self.steps_of(*block as u8).next().is_some();
        let used = (0..self.blocks.len()).filter(has_steps);
        used.flat_map(|block| self.blocks[block].flow.reads()).flatten().collect()
    }

    /// Takes the steps of a block out of it; an arm follows the other. What a step read of another run of a loop is an input then, with the value that the
    /// first run found.
    pub(crate) fn dissolve(&mut self, block: u8) {
        let outer = self.blocks[usize::from(block)].outer;
        let freed = |within: &mut Option<Within>| {
            if within.is_some_and(|place| place.block == block) {
                *within = outer;
            }
        };
        self.steps.iter_mut().for_each(|step| freed(&mut step.within));
        self.blocks.iter_mut().for_each(|inner| freed(&mut inner.outer));
        let again: Vec<usize> =
            (0..self.steps.len()).filter(|step| self.reads_itself_in_vain(*step)).collect();
        for step in again {
            for result in self.steps[step].results.clone() {
                let fresh = Register { number: self.registers(), ..result };
                let values = vec![result.class.initial(); self.threads as usize];
                self.inputs.push(Input { register: fresh, values });
                let sources = self.steps[step].sources.iter_mut();
                sources
                    .filter(|source| source.register() == Some(result))
                    .for_each(|source| *source = Operand::Register(fresh));
            }
        }
    }

    /// Whether a step reads its own result and is in no loop.
    fn reads_itself_in_vain(&self, step: usize) -> bool {
        let Step { results, within, .. } = &self.steps[step];
        let blocks = std::iter::successors(*within, |place| self.blocks[usize::from(place.block)].outer);
        let mut flows = blocks.map(|place| self.blocks[usize::from(place.block)].flow);
        !flows.any(|flow| matches!(flow, Flow::Loop { .. }))
            && self.steps[step].reads().any(|register| results.contains(&register))
    }

    /// The number after that of every register.
    fn registers(&self) -> u32 {
        let inputs = self.inputs.iter().map(|input| input.register);
        let results = self.steps.iter().flat_map(|step| step.results.iter().copied());
        inputs.chain(results).map(|register| register.number + 1).max().unwrap_or(0)
    }
}
