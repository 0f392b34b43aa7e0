//! `ld`, `ldu`, `st`, `atom` and `red` on memory that each thread owns: every form that the front end's tables have, but for what `left_out`
//! says.

use std::borrow::Cow;
use std::collections::BTreeMap;

use arbitrary::{Result, Unstructured};
use warpdiff_ptx::ast::WordKind;
use warpdiff_ptx::forms::{Form as Row, Role, forms_to_run, needed_target};
use warpdiff_ptx::vocabulary::{Modifier, Opcode, Space as PtxSpace, Type};

use crate::available::Available;
use crate::builder::{Builder, weighted};
use crate::forms::{choices_of, text};
use crate::specimen::{Class, Operand, Register, Shape, Space, Step, Table, WINDOW};
use crate::values::{self, Value};

/// How often each opcode is drawn: roughly as many as it has forms, but more of `atom` and `red`, whose forms are the rarest.
const OPCODES: &[(u32, Opcode)] =
    &[(30, Opcode::Ld), (1, Opcode::Ldu), (24, Opcode::St), (48, Opcode::Atom), (36, Opcode::Red)];

/// A form without the words of caches.
#[derive(Clone, Debug)]
pub(crate) struct Form {
    opcode: Opcode,
    place: Place,
    ty: Type,
    elements: usize,
    /// Operands after the address that are no data of a vector.
    operands: usize,
    /// Its spellings, one for each row that has it.
    spellings: Vec<Vec<Position>>,
}

/// A position of a word in the spelling of a form.
#[derive(Clone, Debug)]
enum Position {
    /// It has that word.
    Word(WordKind),
    /// It has one of these words of caches, or none where it is `optional`.
    Caches { words: Vec<WordKind>, optional: bool },
}

/// What is accessed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    /// A window that the form names.
    Window(Space),
    /// A window, by a generic address.
    Generic,
    /// A variable in constant memory.
    Constant,
    /// A parameter of the kernel.
    Parameter,
    /// A variable that no thread writes: an access by way of the read-only cache.
    ReadOnly,
}

/// The forms that a target has, by opcode.
pub(crate) fn of_target(target: u32) -> Vec<(u32, Vec<Form>)> {
    let of_opcodes = OPCODES.iter().map(|(weight, opcode)| (*weight, of_opcode(*opcode, target)));
    of_opcodes.filter(|(_, forms)| !forms.is_empty()).collect()
}

fn of_opcode(opcode: Opcode, target: u32) -> Vec<Form> {
    let mut all: BTreeMap<String, Form> = BTreeMap::new();
    for (_, row) in forms_to_run().filter(|(of, _)| *of == opcode) {
        for words in choices_of(row, |word| !is_of_caches(*word)) {
            let present: Vec<WordKind> = words.iter().copied().flatten().collect();
            let is_there = needed_target(opcode, row, &present) <= target;
            if !is_there || left_out(opcode, row, &present).is_some() {
                continue;
            }
            let new = || Form {
                opcode,
                place: place(&present),
                ty: element(&present).unwrap_or(Type::B32),
                elements: vector_of(&present),
                operands: row.operands.iter().filter(|pattern| pattern.role == Role::Source).count(),
                spellings: Vec::new(),
            };
            let is_there = |word: &WordKind| needed_target(opcode, row, &[*word]) <= target;
            let positions = row.slots.iter().zip(words).filter_map(|(slot, word)| match word {
                Some(word) => Some(Position::Word(word)),
                None if !slot.words.iter().all(|word| is_of_caches(*word)) => None,
                None => {
                    let words = slot.words.iter().copied().filter(is_there).collect();
                    Some(Position::Caches { words, optional: slot.optional })
                }
            });
            let spelling: Vec<Position> = positions.collect();
            // A word of caches that has to stand may be too new.
            let lacks = |position: &Position| matches!(position, Position::Caches { words, optional: false } if words.is_empty());
            if !spelling.iter().any(lacks) {
                all.entry(text(opcode, &present)).or_insert_with(new).spellings.push(spelling);
            }
        }
    }
    all.into_values().collect()
}

/// The atomics and reductions of a target that give something decided, or something that can be checked, where several threads do them at one
/// place: of integers in global memory. `forms` are those that [`of_target`] gives.
pub(crate) fn contended(forms: &[(u32, Vec<Form>)]) -> Vec<Form> {
    let all = || forms.iter().flat_map(|(_, of_opcode)| of_opcode);
    let of = |opcode: Opcode| all().filter(move |form| form.opcode == opcode);
    let atomics = of(Opcode::Atom).chain(of(Opcode::Red));
    let is_fit = |form: &Form| {
        let is_float = matches!(form.ty, Type::F16 | Type::F16x2 | Type::F32 | Type::F64);
        form.place == Place::Window(Space::Global) && !is_float && form.elements == 1 && form.size() >= 4
    };
    atomics.filter(|form| is_fit(form)).cloned().collect()
}

/// Why no step has those words.
pub(crate) fn left_out(opcode: Opcode, row: &Row, words: &[WordKind]) -> Option<&'static str> {
    let has = |word: Modifier| words.contains(&WordKind::Modifier(word));
    let is_hinted = row
        .slots
        .iter()
        .any(|slot| !slot.optional && slot.words == [WordKind::Modifier(Modifier::L2CacheHint)]);
    if is_hinted {
        return Some("a cache policy comes from `createpolicy`, which is not run");
    }
    let is_of_function = has(Modifier::ParamFunc)
        || opcode == Opcode::St
            && (words.contains(&WordKind::Space(PtxSpace::Param)) || has(Modifier::ParamEntry));
    if is_of_function {
        return Some("the arguments of a call have the types of registers");
    }
    let size = element(words).map_or(0, |ty| ty.size() as usize);
    if vector_of(words) * size > 16 || vector_of(words) > 4 {
        return Some("a vector has more than 128 bits, or needs a later target");
    }
    let is_generic = !words.iter().any(|word| is_space(*word));
    if opcode == Opcode::Ldu && is_generic {
        return Some("read-only data is reached by its name, which is no generic address");
    }
    None
}

/// Whether a word says how caches are used, which no program sees.
pub(crate) fn is_of_caches(word: WordKind) -> bool {
    matches!(word, WordKind::Modifier(modifier) if modifier.is_cache_operator() || modifier.is_cache_hint())
}

fn is_space(word: WordKind) -> bool {
    use Modifier::{ParamEntry, ParamFunc, SharedCluster, SharedCta};
    match word {
        WordKind::Space(_) => true,
        WordKind::Modifier(modifier) => {
            matches!(modifier, SharedCta | SharedCluster | ParamEntry | ParamFunc)
        }
        _ => false,
    }
}

/// Whether an opcode names no state space: its address is generic.
pub(crate) fn is_generic(opcode: &str) -> bool {
    !opcode.split('.').skip(1).map(WordKind::from_text).any(is_space)
}

fn place(words: &[WordKind]) -> Place {
    if words.contains(&WordKind::Modifier(Modifier::Nc)) {
        return Place::ReadOnly;
    }
    let space = words.iter().find(|word| is_space(**word));
    match space {
        Some(WordKind::Space(PtxSpace::Const)) => Place::Constant,
        Some(WordKind::Space(PtxSpace::Param) | WordKind::Modifier(Modifier::ParamEntry)) => Place::Parameter,
        Some(WordKind::Space(PtxSpace::Global)) => Place::Window(Space::Global),
        Some(WordKind::Space(PtxSpace::Local)) => Place::Window(Space::Local),
        Some(_) => Place::Window(Space::Shared),
        None => Place::Generic,
    }
}

fn element(words: &[WordKind]) -> Option<Type> {
    let ty = |word: &WordKind| match word {
        WordKind::Type(ty) => Some(*ty),
        _ => None,
    };
    words.iter().find_map(ty)
}

fn vector_of(words: &[WordKind]) -> usize {
    let elements = |word: &WordKind| match word {
        WordKind::Modifier(Modifier::V2) => Some(2),
        WordKind::Modifier(Modifier::V4) => Some(4),
        WordKind::Modifier(Modifier::V8) => Some(8),
        _ => None,
    };
    words.iter().find_map(elements).unwrap_or(1)
}

/// Adds an access.
pub(crate) fn access(
    builder: &mut Builder,
    u: &mut Unstructured<'_>,
    available: &'static Available,
) -> Result<()> {
    let (_, forms) = weighted(u, &available.memory, |(weight, _)| *weight)?;
    let form = u.choose(forms)?;
    let opcode = form.opcode;
    let all = form.words(u)?;
    let text = Cow::Owned(text(opcode, &all));
    match form.place {
        Place::Constant => return load_of_variable(builder, u, form, text, "const"),
        Place::Parameter => return load_of_variable(builder, u, form, text, "param"),
        Place::ReadOnly => return load_of_variable(builder, u, form, text, "global"),
        Place::Window(_) | Place::Generic if opcode == Opcode::Ldu => {
            return load_of_variable(builder, u, form, text, "global");
        }
        Place::Window(_) | Place::Generic => builder.memory(u)?,
    }
    let space = form.space(u, &all)?;
    match opcode {
        Opcode::Ld => {
            let shape = Shape::Load { space, offset: form.offset(u)? };
            load(builder, u, form, text, shape)
        }
        Opcode::St => store(builder, u, form, text, space),
        _ => atomic(builder, u, form, text, space),
    }
}

impl Form {
    fn size(&self) -> usize {
        self.ty.size() as usize
    }

    /// A spelling; with words of caches half of the time, where they may be left out.
    fn words(&self, u: &mut Unstructured<'_>) -> Result<Vec<WordKind>> {
        let some = u.arbitrary::<u8>()? & 1 == 0;
        let mut all = Vec::with_capacity(8);
        for position in u.choose(&self.spellings)? {
            match position {
                Position::Word(word) => all.push(*word),
                Position::Caches { words, optional } if (some || !optional) && !words.is_empty() => {
                    all.push(*u.choose(words)?);
                }
                Position::Caches { .. } => {}
            }
        }
        Ok(all)
    }

    /// The window that is accessed.
    fn space(&self, u: &mut Unstructured<'_>, words: &[WordKind]) -> Result<Space> {
        let has = |word: Modifier| words.contains(&WordKind::Modifier(word));
        let Place::Window(space) = self.place else {
            // What other threads could see is in global or shared memory, and caches beyond the first are of global memory.
            let is_weak = [Modifier::Volatile, Modifier::Relaxed, Modifier::Acquire, Modifier::Release];
            let is_weak = matches!(self.opcode, Opcode::Ld | Opcode::St) && !is_weak.into_iter().any(has);
            return Ok(match (words.iter().any(|word| is_of_caches(*word)), is_weak) {
                (true, _) => Space::Global,
                (false, false) => *u.choose(&[Space::Global, Space::Shared])?,
                (false, true) => *u.choose(&Space::ALL)?,
            });
        };
        Ok(space)
    }

    /// A place in the window, aligned to the whole access.
    fn offset(&self, u: &mut Unstructured<'_>) -> Result<u32> {
        let total = self.size() * self.elements;
        Ok((total * u.choose_index(WINDOW / total)?) as u32)
    }

    /// What a stored value looks like.
    fn value(&self) -> Value {
        match self.ty {
            Type::F16 => Value::F16,
            Type::F16x2 => Value::F16x2,
            Type::F32 => Value::F32,
            Type::F64 => Value::F64,
            _ => match self.size() {
                1 | 2 => Value::I16,
                4 => Value::I32,
                _ => Value::I64,
            },
        }
    }

    /// A class at least as wide as the type (9.4.1): the value is extended to it. Floating-point types have to fit exactly.
    fn register_class(&self, u: &mut Unstructured<'_>) -> Result<Class> {
        let classes: &[Class] = match (self.size(), matches!(self.ty, Type::F32)) {
            (4, true) => &[Class::B32],
            (1 | 2, _) => &[Class::B16, Class::B32, Class::B64],
            (4, false) => &[Class::B32, Class::B64],
            _ => &[Class::B64],
        };
        Ok(*u.choose(classes)?)
    }
}

fn load(
    builder: &mut Builder,
    u: &mut Unstructured<'_>,
    form: &Form,
    opcode: Cow<'static, str>,
    shape: Shape,
) -> Result<()> {
    let class = form.register_class(u)?;
    let results = (0..form.elements).map(|_| builder.result(class)).collect();
    builder.push(Step { guard: None, opcode, results, shape, sources: Vec::new(), within: None });
    Ok(())
}

/// Adds a load of a variable of 64 bytes that no thread writes.
fn load_of_variable(
    builder: &mut Builder,
    u: &mut Unstructured<'_>,
    form: &Form,
    opcode: Cow<'static, str>,
    space: &'static str,
) -> Result<()> {
    let known =
        builder.tables().iter().position(|table| table.space == space && table.elements == WINDOW as u32);
    let table = match known {
        Some(table) => table,
        None => {
            let words = (0..WINDOW / 4).map(|_| Ok(values::draw(u, Value::I32)? as u32));
            let words: Vec<u32> = words.collect::<Result<_>>()?;
            let mut bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
            let mut declarator = format!("[{WINDOW}]");
            // A parameter has an argument in place of an initial value.
            if space != "param" {
                let values: Vec<String> = bytes.drain(..).map(|byte| byte.to_string()).collect();
                declarator.push_str(&format!(" = {{{}}}", values.join(", ")));
            }
            let is_managed = space == "global" && u.arbitrary::<u8>()? % 8 == 0;
            let alignment = if is_managed { ".attribute(.managed) .align 16 " } else { ".align 16 " };
            let (ty, elements) = ("u8", WINDOW as u32);
            builder.add_table(Table { space, alignment, vector: "", ty, declarator, elements, bytes })
        }
    };
    let shape = Shape::TableLoad { table: table as u32, offset: form.offset(u)? };
    load(builder, u, form, opcode, shape)
}

/// Adds a store, half of the time under a predicate.
fn store(
    builder: &mut Builder,
    u: &mut Unstructured<'_>,
    form: &Form,
    opcode: Cow<'static, str>,
    space: Space,
) -> Result<()> {
    let shape = Shape::Store { space, offset: form.offset(u)? };
    let class = form.register_class(u)?;
    let guard = if u.arbitrary::<u8>()? & 1 == 0 { None } else { Some(builder.guard(u)?) };
    let sources = (0..form.elements)
        .map(|_| Ok(Operand::Register(builder.register(u, class, form.value())?)))
        .collect::<Result<_>>()?;
    builder.push(Step { guard, opcode, results: Vec::new(), shape, sources, within: None });
    Ok(())
}

/// Adds an atomic operation or a reduction, which has a guard half of the time.
fn atomic(
    builder: &mut Builder,
    u: &mut Unstructured<'_>,
    form: &Form,
    opcode: Cow<'static, str>,
    space: Space,
) -> Result<()> {
    let class = match form.size() {
        2 => Class::B16,
        4 => Class::B32,
        _ => Class::B64,
    };
    let offset = form.offset(u)?;
    let operand = |builder: &mut Builder, u: &mut Unstructured<'_>| {
        near_memory(builder, u, (class, form.value()), space, offset as usize).map(Operand::Register)
    };
    let sources = (0..if form.operands == 0 { 1 } else { form.operands })
        .map(|_| operand(builder, u))
        .collect::<Result<_>>()?;
    let step = if form.opcode == Opcode::Red {
        let guard = if u.arbitrary::<u8>()? & 1 == 0 { Some(builder.guard(u)?) } else { None };
        Step {
            guard,
            opcode,
            results: Vec::new(),
            shape: Shape::Store { space, offset },
            sources,
            within: None,
        }
    } else {
        let results = vec![builder.result(class)];
        Step { guard: None, opcode, results, shape: Shape::Atomic { space, offset }, sources, within: None }
    };
    builder.push(step);
    Ok(())
}

/// Adds an atomic operation or a reduction on a place that all threads share, and that no other step accesses.
pub(crate) fn contend(
    builder: &mut Builder,
    u: &mut Unstructured<'_>,
    available: &'static Available,
) -> Result<()> {
    let form = u.choose(&available.contended)?;
    let words = form.words(u)?;
    let Some(offset) = builder.common_place(u)? else { return Ok(()) };
    let class = if form.size() == 4 { Class::B32 } else { Class::B64 };
    let has = |word: Modifier| words.contains(&WordKind::Modifier(word));
    let is_bound = has(Modifier::Inc) || has(Modifier::Dec);
    // Without what each returned, the last of several values shows only that they were not the same.
    let same = is_bound && form.opcode == Opcode::Red || u.arbitrary::<u8>()? % 8 == 0;
    let count = form.operands.max(1);
    let mut sources = Vec::with_capacity(count);
    for _ in 0..count {
        let mut first = None;
        let values = builder.values(u, |u| match first {
            Some(value) if same => Ok(value),
            _ => {
                // Few different ones, so that a comparison holds now and then.
                let value = if u.arbitrary::<u8>()? % 2 == 0 {
                    u.arbitrary::<u8>()?.into()
                } else {
                    values::draw(u, form.value())?
                };
                first = Some(value);
                Ok(value)
            }
        })?;
        sources.push(Operand::Register(builder.input(class, values)));
    }
    let results = if form.opcode == Opcode::Atom { vec![builder.result(class)] } else { Vec::new() };
    let opcode = Cow::Owned(text(form.opcode, &words));
    let shape = Shape::Contended { offset };
    builder.push(Step { guard: None, opcode, results, shape, sources, within: None });
    Ok(())
}

/// An operand that often equals what the location held at first, or lies one beside it: that is where `inc`, `dec` and `cas` are
/// interesting.
fn near_memory(
    builder: &mut Builder,
    u: &mut Unstructured<'_>,
    (class, value): (Class, Value),
    space: Space,
    offset: usize,
) -> Result<Register> {
    let roll = u.arbitrary::<u8>()?;
    if roll % 2 == 1 {
        return builder.register(u, class, value);
    }
    let delta = [0, 0, 1, u64::MAX][usize::from(roll >> 1) % 4];
    let size = class.size();
    let values = builder.window_values(u, space, offset, size)?;
    let mask = u64::MAX >> (64 - 8 * size);
    Ok(builder.input(class, values.iter().map(|v| v.wrapping_add(delta) & mask).collect()))
}

/// `.v2`, `.v4` or nothing.
pub(crate) fn vector(elements: usize) -> &'static str {
    match elements {
        2 => ".v2",
        4 => ".v4",
        _ => "",
    }
}
