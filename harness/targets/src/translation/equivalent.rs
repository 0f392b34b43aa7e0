//! The table of accesses to local and shared memory: their PTX, and the SASS that ptxas makes of it for sm_50.
//!
//! The table is computed from the forms of [`warpdiff_sass::table`], so that no form is left out: [`all`] lists every operation,
//! size and cache operator that the instructions' pages allow.

use std::fmt;

use warpdiff_sass::form::Form;
use warpdiff_sass::{
    Guard, Header, Instruction, Marks, Mnemonic as M, Operand, Program, Register, Statement, table,
};

/// The PTX equivalent of an SPA 5.0 access.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Equivalent {
    /// The opcode and its modifiers: `ATOMS.CAST.SPIN.64`.
    pub spa: String,
    /// The PTX opcode that makes the access: `atom.shared.cas.b64`.
    pub ptx: String,
    /// The PTX opcode for `Rd = RZ`, where it differs: `red.shared.add.u32`.
    pub without_result: Option<String>,
    /// The PTX opcodes that follow the access.
    pub then: &'static [&'static str],
    /// The SASS that ptxas makes of the access for sm_50. Its only hint is `.U`, on every load from shared memory.
    pub lowered: String,
    /// How the PTX may behave differently, apart from addresses.
    pub unlike: Option<Unlike>,
}

/// A difference between an access and its PTX. Whether it affects the result depends on the launch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Unlike {
    /// `.LU`: "load, then invalidate line".
    LastUse,
    /// `.CI`: "Cache as inconsistent data".
    Inconsistent,
    /// `.SPIN`: one thread of a bank attempts.
    Spin,
}

impl fmt::Display for Unlike {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::LastUse => "`.LU` may lose a local word that all threads of the warp load, and ptxas compiles `ld.local.lu` to a plain load",
            Self::Inconsistent => "`.CI` may load an older value, and PTX has no such load from local memory",
            Self::Spin => "with `.SPIN` one thread of each bank attempts, in PTX every thread does",
        })
    }
}

impl Equivalent {
    /// The equivalent of an access; `None` for other instructions, and for a size without meaning.
    pub fn of(instruction: &Instruction) -> Option<Self> {
        match instruction.form.mnemonic {
            M::LDL => load_local(instruction),
            M::LDS => load_shared(instruction),
            M::STL => store_local(instruction),
            M::STS => store_shared(instruction),
            M::ATOMS if instruction.form.fixed_modifiers.is_empty() => atomic(instruction),
            M::ATOMS => compare_and_swap(instruction),
            _ => None,
        }
    }

    /// An equivalent without further opcodes or differences.
    fn plain(instruction: &Instruction, ptx: String, lowered: String) -> Self {
        let spa = opcode(instruction);
        Self { spa, ptx, without_result: None, then: &[], lowered, unlike: None }
    }
}

/// The printed opcode with its modifiers.
fn opcode(instruction: &Instruction) -> String {
    let text = Instruction { guard: Guard::ALWAYS, ..instruction.clone() }.to_string();
    text.split([' ', ';']).next().unwrap_or_default().to_owned()
}

/// The spelling of the modifier with this role; empty if it is not printed.
fn spelled(instruction: &Instruction, role: &str) -> &'static str {
    instruction.modifier_name(role).unwrap_or_default()
}

/// `.lu` for `LU`; empty for an empty name.
fn dotted(name: &str) -> String {
    if name.is_empty() { String::new() } else { format!(".{}", name.to_lowercase()) }
}

/// The PTX type of an access; a vector for sizes wider than a register.
fn width(instruction: &Instruction) -> Option<&'static str> {
    ["u8", "s8", "u16", "s16", "b32", "v2.b32", "v4.b32"]
        .get(usize::from(instruction.modifier("size")?))
        .copied()
}

/// The size as printed behind a mnemonic; empty for 32 bits.
fn printed_width(instruction: &Instruction) -> &'static str {
    let size = usize::from(instruction.modifier("size").unwrap_or(4));
    ["U8", "S8", "U16", "S16", "", "64", "128"].get(size).copied().unwrap_or_default()
}

/// PTX has no volatile access to local memory, and needs none: local memory belongs to one thread.
fn load_local(instruction: &Instruction) -> Option<Equivalent> {
    let operator = spelled(instruction, "cache operator");
    let (operator, unlike) = match operator {
        "LU" => (operator, Some(Unlike::LastUse)),
        "CI" => ("", Some(Unlike::Inconsistent)),
        _ => (operator, None),
    };
    let ptx = format!("ld.local{}.{}", dotted(operator), width(instruction)?);
    let lowered = format!("LDL{}", upper(printed_width(instruction)));
    Some(Equivalent { unlike, ..Equivalent::plain(instruction, ptx, lowered) })
}

fn upper(name: &str) -> String {
    if name.is_empty() { String::new() } else { format!(".{name}") }
}

/// Volatile, because concurrent accesses to shared memory are not a race in SPA 5.0, and so that no compiler removes the load.
fn load_shared(instruction: &Instruction) -> Option<Equivalent> {
    let ptx = format!("ld.volatile.shared.{}", width(instruction)?);
    let size = match printed_width(instruction) {
        "" => "32",
        other => other,
    };
    Some(Equivalent::plain(instruction, ptx, format!("LDS.U.{size}")))
}

fn store_local(instruction: &Instruction) -> Option<Equivalent> {
    let operator = dotted(spelled(instruction, "cache operator"));
    let ptx = format!("st.local{operator}.{}", stored_width(instruction)?);
    let lowered = format!("STL{}", upper(printed_store(instruction)));
    Some(Equivalent::plain(instruction, ptx, lowered))
}

fn store_shared(instruction: &Instruction) -> Option<Equivalent> {
    let ptx = format!("st.volatile.shared.{}", stored_width(instruction)?);
    Some(Equivalent::plain(instruction, ptx, format!("STS{}", upper(printed_store(instruction)))))
}

/// A store has no sign.
fn stored_width(instruction: &Instruction) -> Option<&'static str> {
    Some(match width(instruction)? {
        "s8" => "u8",
        "s16" => "u16",
        other => other,
    })
}

fn printed_store(instruction: &Instruction) -> &'static str {
    match printed_width(instruction) {
        "S8" => "U8",
        "S16" => "U16",
        other => other,
    }
}

/// The page has no size `.S64`, and 64 bits only for `EXCH`.
fn atomic(instruction: &Instruction) -> Option<Equivalent> {
    let operation = spelled(instruction, "operation");
    let size = instruction.modifier("size")?;
    let (ptx, lowered) = match (operation, size) {
        ("EXCH", 0 | 1) => ("atom.shared.exch.b32".to_owned(), "ATOMS.EXCH".to_owned()),
        ("EXCH", 2) => ("atom.shared.exch.b64".to_owned(), "ATOMS.EXCH.U64".to_owned()),
        ("AND" | "OR" | "XOR", 0 | 1) => {
            (format!("atom.shared.{}.b32", operation.to_lowercase()), format!("ATOMS.{operation}"))
        }
        ("INC" | "DEC", 0) | ("ADD" | "MIN" | "MAX", 0) => {
            (format!("atom.shared.{}.u32", operation.to_lowercase()), format!("ATOMS.{operation}"))
        }
        ("ADD" | "MIN" | "MAX", 1) => {
            (format!("atom.shared.{}.s32", operation.to_lowercase()), format!("ATOMS.{operation}.S32"))
        }
        _ => return None,
    };
    let reduces = operation != "EXCH";
    let without_result = reduces.then(|| ptx.replacen("atom", "red", 1));
    Some(Equivalent { without_result, ..Equivalent::plain(instruction, ptx, lowered) })
}

/// `CAST` is a compare-and-swap that returns the result of its comparison: "if (M == Rb) { M = Rc; Rd = 1; } else { Rd = 0 }".
fn compare_and_swap(instruction: &Instruction) -> Option<Equivalent> {
    let (bits, lowered) = match instruction.modifier("size")? {
        0 => ("b32", "ATOMS.CAS"),
        _ => ("b64", "ATOMS.CAS.64"),
    };
    let fixed = |name| instruction.form.fixed_modifiers.contains(&name);
    let then: &[&str] = match (fixed("CAST"), bits) {
        (false, _) => &[],
        (true, "b32") => &["setp.eq.b32", "selp.b32"],
        (true, _) => &["setp.eq.b64", "selp.b64"],
    };
    let unlike = fixed("SPIN").then_some(Unlike::Spin);
    let plain = Equivalent::plain(instruction, format!("atom.shared.cas.{bits}"), lowered.to_owned());
    Some(Equivalent { then, unlike, ..plain })
}

/// Every access that the pages allow: each operation, size and cache operator once.
pub fn all() -> Vec<Equivalent> {
    let mut all: Vec<Equivalent> = Vec::new();
    for instruction in specimens() {
        let found = Equivalent::of(&instruction);
        all.extend(found.filter(|found| all.iter().all(|known| known.spa != found.spa)));
    }
    all
}

/// An instruction of each form and of each of its modifiers, with registers that fit, as far as the pages allow it.
pub fn specimens() -> Vec<Instruction> {
    let of_windows = |form: &&&Form| matches!(form.mnemonic, M::LDL | M::LDS | M::STL | M::STS | M::ATOMS);
    let mut all = Vec::new();
    for form in table::FORMS.iter().filter(of_windows) {
        let mut values: Vec<Vec<u8>> = vec![Vec::new()];
        for field in form.modifiers {
            let more = values.iter().flat_map(|before| {
                (0..field.names.len() as u8).map(move |value| [before.as_slice(), &[value]].concat())
            });
            values = more.collect();
        }
        all.extend(values.into_iter().filter_map(|modifiers| specimen(form, modifiers)));
    }
    all
}

/// The instruction with these modifiers, if its page allows it.
fn specimen(form: &'static Form, modifiers: Vec<u8>) -> Option<Instruction> {
    use warpdiff_sass::form::OperandField as Field;
    let wide = form.fixed_modifiers.first().is_some_and(|name| name.starts_with("CAS")) && modifiers[0] == 1;
    let operand = |field: &Field| match field {
        Field::Address { .. } => Some(Operand::Address { base: Register(1), offset: 8 }),
        Field::Register { role: "Rd", .. } | Field::OptionalRd => Some(Operand::Register(Register(8))),
        Field::Register { .. } => Some(Operand::Register(Register(4))),
        Field::AfterRb { .. } => Some(Operand::Register(Register(if wide { 6 } else { 5 }))),
        Field::Rz => Some(Operand::Register(Register::RZ)),
        _ => None,
    };
    let operands: Vec<Operand> = form.operands.iter().map(operand).collect::<Option<_>>()?;
    let marks = vec![Marks::NONE; operands.len()];
    let instruction = Instruction { form, guard: Guard::ALWAYS, modifiers, operands, marks, ignored: 0 };
    // A size without meaning has no text that could be read.
    let text = instruction.to_string();
    let read =
        warpdiff_sass::compile(&text, &Header { registers: 32, shared: 64, local: 64, ..Header::default() });
    let statements: Option<Vec<Statement>> = read.ok().map(|Program { statements, .. }| statements);
    statements?.pop().map(|statement| statement.instruction)
}
