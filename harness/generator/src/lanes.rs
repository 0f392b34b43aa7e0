//! Operations in which lanes of a warp meet, and barriers: every form that the front end's tables have. Words come from those tables; what
//! stands here is what an opcode takes and gives.

use std::borrow::Cow;
use std::collections::BTreeSet;

use arbitrary::{Result, Unstructured};
use warpdiff_ptx::ast::WordKind;
use warpdiff_ptx::checked::Subject;
use warpdiff_ptx::forms::{forms_to_run, needed_target};
use warpdiff_ptx::vocabulary::{Modifier, Opcode, Type};

use crate::builder::Builder;
use crate::flow::Flow;
use crate::forms::{choices, text};
use crate::specimen::{Barrier, Class, Meeting, Operand, Shape, Step};
use crate::values::{self, Value};

/// Threads of a block of two warps.
const TWO_WARPS: u32 = 64;

/// A form of an operation among threads.
#[derive(Debug)]
pub(crate) struct Form {
    text: String,
    takes: Takes,
}

/// What an operation takes and gives: the table, by opcode and words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Takes {
    /// A predicate, of which it gives one, or one of each lane.
    Vote { ballot: bool },
    /// A value that lanes may have in common; the lanes that have it, or whether all do.
    Match { all: bool, wide: bool },
    /// A word, of which it gives one word for all.
    Redux,
    /// A word, and which lane's is given.
    Shuffle,
    /// Nothing: the lanes that run it.
    Active,
    /// A barrier of the lanes of a warp.
    WarpBarrier,
    /// A barrier that a thread passes when all have come.
    Barrier,
    /// A barrier that a thread passes by.
    Arrival,
    /// A barrier that gives a count of predicates, or their conjunction or disjunction.
    Reduction { count: bool },
}

impl Takes {
    fn of(opcode: Opcode, words: &[WordKind]) -> Option<Self> {
        let has = |word: Modifier| words.contains(&WordKind::Modifier(word));
        Some(match opcode {
            Opcode::Vote => Self::Vote { ballot: has(Modifier::Ballot) },
            Opcode::Match => {
                Self::Match { all: has(Modifier::All), wide: words.contains(&WordKind::Type(Type::B64)) }
            }
            Opcode::Redux => Self::Redux,
            Opcode::Shfl => Self::Shuffle,
            Opcode::Activemask => Self::Active,
            Opcode::Bar | Opcode::Barrier if has(Modifier::Warp) => Self::WarpBarrier,
            Opcode::Bar | Opcode::Barrier if has(Modifier::Arrive) => Self::Arrival,
            Opcode::Bar | Opcode::Barrier if has(Modifier::Red) => {
                Self::Reduction { count: has(Modifier::Popc) }
            }
            Opcode::Bar | Opcode::Barrier => Self::Barrier,
            _ => return None,
        })
    }

    /// Whether it is right for lanes that run an arm of a branch: which they are is known there.
    fn is_for_some(self) -> bool {
        matches!(self, Self::Vote { .. } | Self::Match { .. } | Self::Redux)
    }
}

/// The forms that a target has, by opcode.
pub(crate) fn of_target(target: u32) -> Vec<Vec<Form>> {
    let mut all: Vec<(Opcode, Vec<Form>)> = Vec::new();
    let mut texts = BTreeSet::new();
    for (opcode, row) in forms_to_run().filter(|(_, row)| row.subject == Subject::Warp) {
        for words in choices(row) {
            let Some(takes) = Takes::of(opcode, &words) else { continue };
            let form = Form { text: text(opcode, &words), takes };
            if needed_target(opcode, row, &words) > target || !texts.insert(form.text.clone()) {
                continue;
            }
            match all.iter_mut().find(|(known, _)| *known == opcode) {
                Some((_, forms)) => forms.push(form),
                None => all.push((opcode, vec![form])),
            }
        }
    }
    all.into_iter().map(|(_, forms)| forms).collect()
}

/// Adds an operation among threads.
pub(crate) fn meet(
    builder: &mut Builder,
    u: &mut Unstructured<'_>,
    forms: &'static [Vec<Form>],
) -> Result<()> {
    let chosen = u.choose(forms)?;
    let mut form = u.choose(chosen)?;
    // Few blocks have two warps, and in no other one of them waits for the other.
    if builder.block() == TWO_WARPS && u.arbitrary::<u8>()? % 4 == 0 {
        let arrivals: Vec<&Form> =
            forms.iter().flatten().filter(|form| form.takes == Takes::Arrival).collect();
        form = u.choose(&arrivals)?;
    }
    let is_alone = match builder.path() {
        [] => false,
        [_] => !(matches!(builder.flow(), Some(Flow::Condition { .. })) && form.takes.is_for_some()),
        _ => true,
    };
    if is_alone {
        builder.close_all();
    }
    let block = builder.block();
    let opcode = Cow::Borrowed(form.text.as_str());
    let negated = u.arbitrary::<u8>()? % 2 == 0;
    let lanes = |masked| Shape::Lanes { negated, masked };
    let (results, shape, sources): (Vec<Class>, Shape, Vec<Operand>) = match form.takes {
        Takes::Vote { ballot } => {
            let result = if ballot { Class::B32 } else { Class::Pred };
            (vec![result], lanes(true), vec![truth(builder, u)?])
        }
        Takes::Match { all, wide } => {
            let class = if wide { Class::B64 } else { Class::B32 };
            let results = if all && u.arbitrary::<u8>()? % 4 != 0 {
                vec![Class::B32, Class::Pred]
            } else {
                vec![Class::B32]
            };
            (results, lanes(true), vec![alike(builder, u, class)?])
        }
        Takes::Redux => {
            let source = builder.register(u, Class::B32, Value::I32)?;
            (vec![Class::B32], lanes(true), vec![Operand::Register(source)])
        }
        Takes::Shuffle => {
            let results =
                if u.arbitrary::<u8>()? % 2 == 0 { vec![Class::B32, Class::Pred] } else { vec![Class::B32] };
            (results, lanes(true), shuffled(builder, u)?)
        }
        Takes::Active => (vec![Class::B32], lanes(false), Vec::new()),
        Takes::Reduction { count } => {
            let result = if count { Class::B32 } else { Class::Pred };
            let shape = barrier(u, block, Meeting::Reduce { negated })?;
            (vec![result], shape, vec![truth(builder, u)?])
        }
        Takes::WarpBarrier | Takes::Barrier => {
            let by = u.int_in_range(1..=block.min(63))? as u8;
            let mut shape = barrier(u, block, Meeting::Exchange { by })?;
            if let (Shape::Barrier(barrier), Takes::WarpBarrier) = (&mut shape, form.takes) {
                barrier.counted = false;
            }
            (vec![Class::B32], shape, vec![Operand::Register(builder.register(u, Class::B32, Value::I32)?)])
        }
        // It takes two warps to wait for another.
        Takes::Arrival if block != TWO_WARPS => return Ok(()),
        Takes::Arrival => {
            let by = u.int_in_range(0..=31)?;
            let number = u.int_in_range(1..=15)?;
            let shape = Shape::Barrier(Barrier { number, counted: true, meeting: Meeting::HandOver { by } });
            (vec![Class::B32], shape, vec![Operand::Register(builder.register(u, Class::B32, Value::I32)?)])
        }
    };
    let results = results.into_iter().map(|class| builder.result(class)).collect();
    builder.push(Step { guard: None, opcode, results, shape, sources, within: None });
    Ok(())
}

fn barrier(u: &mut Unstructured<'_>, block: u32, meeting: Meeting) -> Result<Shape> {
    // A number of threads is one of whole warps.
    let counted = block.is_multiple_of(32) && u.arbitrary::<u8>()? % 2 == 0;
    Ok(Shape::Barrier(Barrier { number: u.int_in_range(0..=15)?, counted, meeting }))
}

/// A predicate; a fourth of the time it is the same in all lanes.
fn truth(builder: &mut Builder, u: &mut Unstructured<'_>) -> Result<Operand> {
    let same = u.arbitrary::<u8>()?;
    let values = builder.values(u, |u| match same % 8 {
        truth @ 0..=1 => Ok(u64::from(truth)),
        _ => values::draw(u, Value::Truth),
    })?;
    Ok(Operand::Register(builder.input(Class::Pred, values)))
}

/// A value that several lanes have, a fourth of the time all.
fn alike(builder: &mut Builder, u: &mut Unstructured<'_>, class: Class) -> Result<Operand> {
    let value = if class == Class::B64 { Value::I64 } else { Value::I32 };
    let few = [values::draw(u, value)?, values::draw(u, value)?, values::draw(u, value)?];
    let different = [1, 2, 2, 3][u.choose_index(4)?];
    let values = builder.values(u, |u| Ok(few[u.choose_index(different)?]))?;
    Ok(Operand::Register(builder.input(class, values)))
}

/// The sources of a shuffle: a word, a lane or a distance, and segments that a warp of the block's threads fills.
fn shuffled(builder: &mut Builder, u: &mut Unstructured<'_>) -> Result<Vec<Operand>> {
    let data = builder.register(u, Class::B32, Value::I32)?;
    let far = u.arbitrary::<u8>()? % 4 == 0;
    let values = builder.values(u, |u| match far {
        true => values::draw(u, Value::I32),
        false => Ok(u64::from(u.arbitrary::<u8>()? % 32)),
    })?;
    let lane = match u.arbitrary::<u8>()? % 3 {
        0 => Operand::Immediate(values[0] as u32 as i32 as i64),
        _ => Operand::Register(builder.input(Class::B32, values)),
    };
    let threads = builder.block().min(32);
    let widest = if threads.is_power_of_two() { threads } else { 1 << threads.trailing_zeros() };
    let width = 1_u32 << u.int_in_range(0..=widest.ilog2())?;
    let clamp = [31, 0, 31, u32::from(u.arbitrary::<u8>()? % 32)][u.choose_index(4)?];
    let segments = i64::from((32 - width) << 8 | clamp);
    let segments = match u.arbitrary::<u8>()? % 2 {
        0 => Operand::Immediate(segments),
        _ => Operand::Register(builder.input(Class::B32, vec![segments as u64; builder.threads() as usize])),
    };
    Ok(vec![Operand::Register(data), lane, segments])
}
