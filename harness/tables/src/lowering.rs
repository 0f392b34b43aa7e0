//! Tables of the SASS that each load, store and atomic of PTX becomes.
//!
//! Columns: the form, the statement, and then for each architecture the number of instructions, those that access memory, and the opcodes
//! of all. Of these the accesses on sm_50 are read: `LDS.U.64 R2, [R1] ; ATOMS.CAS.64 R2, [R1], R4, R6`, or `REJECTED: …`.

use warpdiff_ptx::checked::Instruction;
use warpdiff_ptx::vocabulary::{Modifier, Opcode, Space, Type};
use warpdiff_ptx::{Dialect, Rules};
use warpdiff_sass::{Decoded, Mnemonic as M, disassemble, parse};
use warpdiff_targets::ptxas::assembler::Assembler;

use super::comparison::{Comparison, Disagreement};
use super::read::Malformed;
use super::words::columns;

/// The columns that are read.
const COLUMNS: [&str; 4] = ["ptx", "statement", "sm_50 n", "sm_50 mem"];

/// Whether a text is such a table.
pub fn is_lowering(text: &str) -> bool {
    columns(text).is_some_and(|cells| cells.starts_with(&COLUMNS))
}

/// The table against what [`of_instruction`] says; the accesses it lists are put to the assembler of SPA 5.0 besides.
///
/// # Errors
/// The first line that is malformed.
pub fn compare(text: &str) -> Result<Comparison, Malformed> {
    compare_with(text, &|statement| Some(front_end(statement)))
}

/// The table against an assembler, whose code is disassembled.
///
/// # Errors
/// The first line that is malformed.
pub fn compare_with_assembler(text: &str, assembler: &Assembler) -> Result<Comparison, Malformed> {
    compare_with(text, &|statement| by_assembler(statement, assembler))
}

fn compare_with(text: &str, ask: &dyn Fn(&str) -> Option<Lowered>) -> Result<Comparison, Malformed> {
    let mut comparison = Comparison::default();
    let mut rows = text.lines().enumerate().filter(|(_, line)| !line.is_empty() && !line.starts_with('#'));
    rows.next();
    for (index, line) in rows {
        let cells: Vec<&str> = line.split('\t').collect();
        let [form, statement, _, accesses, ..] = cells[..] else {
            return Err(Malformed { line: index + 1, message: format!("{} cells, not 4", cells.len()) });
        };
        let table = of_accesses(accesses);
        let Some(now) = ask(statement) else {
            comparison.skipped += 1;
            continue;
        };
        let message = match (&now, misread(accesses)) {
            (Lowered::Rejected(why), _) if table != now => Some(why.clone()),
            (_, misread) => misread,
        };
        comparison.count((table != now || message.is_some()).then(|| Disagreement {
            id: form.to_owned(),
            line: index + 1,
            circumstance: "sm_50".into(),
            table: table.in_words(),
            now: now.in_words(),
            message,
        }));
    }
    Ok(comparison)
}

/// What a statement becomes.
#[derive(Clone, Debug)]
pub enum Lowered {
    /// The opcodes that load from local or shared memory or change shared memory, each once, in their order.
    To(Vec<String>),
    /// It is refused, with the reason.
    Rejected(String),
}

impl PartialEq for Lowered {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::To(a), Self::To(b)) => a == b,
            // Every assembler has its own words.
            (Self::Rejected(_), Self::Rejected(_)) => true,
            _ => false,
        }
    }
}

impl Lowered {
    fn in_words(&self) -> String {
        match self {
            Self::To(opcodes) => format!("becomes {}", opcodes.join(" ")),
            Self::Rejected(_) => "rejects".into(),
        }
    }
}

/// Whether an access is what a statement became, rather than what was done to prepare it.
fn counts(opcode: &str) -> bool {
    matches!(mnemonic(opcode), Some(M::LDL | M::LDS | M::ATOMS | M::LD))
}

fn mnemonic(opcode: &str) -> Option<M> {
    M::from_text(opcode.split('.').next()?)
}

/// The opcodes of a list of instructions that count, each once.
fn opcodes<'t>(texts: impl Iterator<Item = &'t str>) -> Lowered {
    let mut found: Vec<String> = Vec::new();
    for text in texts {
        let mut words = text.split_ascii_whitespace();
        let opcode = words.find(|word| !word.starts_with('@')).unwrap_or_default();
        if counts(opcode) && !found.iter().any(|known| known == opcode) {
            found.push(opcode.to_owned());
        }
    }
    Lowered::To(found)
}

/// What a cell of the table says a statement became.
pub fn of_accesses(accesses: &str) -> Lowered {
    match accesses.strip_prefix("REJECTED") {
        Some(why) => Lowered::Rejected(why.trim_start_matches([':', ' ']).to_owned()),
        None => opcodes(accesses.split(" ; ")),
    }
}

/// An access to local or shared memory in the table that the assembler of SPA 5.0 does not take.
fn misread(accesses: &str) -> Option<String> {
    let of_window = |text: &&str| {
        let opcode = text.split_ascii_whitespace().find(|word| !word.starts_with('@'));
        let known = opcode.and_then(mnemonic);
        matches!(known, Some(M::LDL | M::LDS | M::STL | M::STS | M::ATOMS))
    };
    let mut texts = accesses.split(" ; ").filter(of_window);
    let wrong = texts.find(|text| parse(&format!("{text};")).is_err())?;
    Some(format!("warpdiff does not assemble `{wrong}`"))
}

/// The module around a statement: registers by the names that the table's statements use.
fn module(statement: &str) -> String {
    let results: String = ["rd", "hd", "qd", "fd", "gd"]
        .iter()
        .flat_map(|class| (0..4).map(move |number| format!("%{class}{number}")))
        .filter(|register| written(statement).contains(register.as_str()))
        .enumerate()
        .map(|(index, register)| {
            let ty = match &register[1..3] {
                "hd" => "u16",
                "qd" => "u64",
                "fd" => "f32",
                "gd" => "f64",
                _ => "u32",
            };
            format!("    st.volatile.global.{ty} [%out+{}], {register};\n", index * 8)
        })
        .collect();
    format!(
        ".version 8.8\n.target sm_50\n.address_size 64\n\
         .shared .align 16 .b8 window[4096];\n\
         .visible .entry k(.param .u64 out, .param .u32 index, .param .u64 pointer)\n{{\n\
         .local .align 16 .b8 lbuf[4096];\n\
         .reg .b16 %hd<4>;\n.reg .b32 %rd<4>, %ad;\n.reg .b64 %qd<4>, %out, %ap, %wd;\n.reg .f32 %fd<4>;\n.reg .f64 %gd<4>;\n\
         ld.param.u64 %out, [out];\ncvta.to.global.u64 %out, %out;\n\
         ld.param.u32 %ad, [index];\nld.param.u64 %ap, [pointer];\n\
         ld.global.u32 %rd1, [%out];\nld.global.u32 %rd2, [%out+8];\nld.global.u64 %qd1, [%out+16];\n\
         ld.global.u64 %qd2, [%out+24];\nld.global.f32 %fd1, [%out+32];\nld.global.f64 %gd1, [%out+40];\n\
         ld.global.u16 %hd1, [%out+48];\nld.global.u16 %hd2, [%out+56];\n\
         // What is never written may be taken for zero.\n\
         mov.u64 %wd, lbuf;\nadd.u64 %wd, %wd, %ap;\nst.local.u64 [%wd], %qd1;\nst.local.u64 [%wd+512], %qd2;\n\
         {statement}\n{results}    ret;\n}}\n"
    )
}

/// The part of a statement that names its results.
fn written(statement: &str) -> &str {
    let operands = statement.split_once(char::is_whitespace).map_or("", |(_, operands)| operands);
    operands.split('[').next().unwrap_or_default()
}

fn front_end(statement: &str) -> Lowered {
    let rules = Rules { dialect: Dialect::Ptxas(12, 9), ..Rules::default() };
    let text = module(statement);
    let rejected = |why: &str| Lowered::Rejected(why.to_owned());
    let module = match warpdiff_ptx::compile(&text, &rules) {
        Ok(module) => module,
        Err(diagnostics) => return rejected(diagnostics.first().map_or("", |first| &first.message)),
    };
    let at = text.find(statement).unwrap_or_default();
    let bodies = module.functions.iter().flat_map(|function| &function.body);
    let instruction = bodies.into_iter().find(|instruction| instruction.span.start as usize == at);
    instruction.map_or_else(|| rejected("the statement has no instruction"), of_instruction)
}

/// What a load or atomic becomes on sm_50. There is no instruction of that size or operation for most atomics of 64 bits and of
/// floating point: these are loops around a compare-and-swap.
pub fn of_instruction(instruction: &Instruction) -> Lowered {
    let ty = instruction.types.last().copied().unwrap_or(Type::B32);
    let elements = [(Modifier::V2, 2), (Modifier::V4, 4)].into_iter().find(|(m, _)| instruction.has(*m));
    let elements = elements.map_or(1, |(_, count)| count);
    let to = |opcodes: &[String]| Lowered::To(opcodes.to_vec());
    match (instruction.opcode, instruction.spaces.first()) {
        (Opcode::Ld, Some(Space::Local)) => to(&[format!("LDL{}", size(ty, elements, ""))]),
        (Opcode::Ld, Some(Space::Shared)) => to(&[format!("LDS.U{}", size(ty, elements, ".32"))]),
        (Opcode::Ld, None) => to(&[format!("LD.E{}", size(ty, elements, ""))]),
        (Opcode::Atom | Opcode::Red, Some(Space::Shared)) => to(&atomic(instruction, ty)),
        _ => Lowered::Rejected("not a load or atomic of the table".into()),
    }
}

/// The size of an access: values that are narrower than a register are extended only where they are loaded one by one.
fn size(ty: Type, elements: u32, word: &'static str) -> &'static str {
    match (ty.size() * elements, ty.is_signed() && elements == 1) {
        (1, true) => ".S8",
        (1, false) => ".U8",
        (2, true) => ".S16",
        (2, false) => ".U16",
        (8, _) => ".64",
        (16, _) => ".128",
        _ => word,
    }
}

fn atomic(instruction: &Instruction, ty: Type) -> Vec<String> {
    let wide = ty.size() == 8;
    let operations = [
        (Modifier::Add, "ADD"),
        (Modifier::Min, "MIN"),
        (Modifier::Max, "MAX"),
        (Modifier::Inc, "INC"),
        (Modifier::Dec, "DEC"),
        (Modifier::And, "AND"),
        (Modifier::Or, "OR"),
        (Modifier::Xor, "XOR"),
        (Modifier::Exch, "EXCH"),
        (Modifier::Cas, "CAS"),
    ];
    let name = operations.into_iter().find(|(m, _)| instruction.has(*m)).map_or("ADD", |(_, name)| name);
    match name {
        "CAS" if wide => vec!["ATOMS.CAS.64".into()],
        "EXCH" if wide => vec!["ATOMS.EXCH.U64".into()],
        "CAS" | "EXCH" => vec![format!("ATOMS.{name}")],
        _ if wide => vec!["LDS.U.64".into(), "ATOMS.CAS.64".into()],
        _ if ty.is_float() => vec!["LDS.U.32".into(), "ATOMS.CAS".into()],
        _ if ty == Type::S32 => vec![format!("ATOMS.{name}.S32")],
        _ => vec![format!("ATOMS.{name}")],
    }
}

/// What ptxas makes of a statement; `None` where it says nothing.
fn by_assembler(statement: &str, assembler: &Assembler) -> Option<Lowered> {
    let words = match assembler.code(&module(statement), "sm_50") {
        Ok(code) => code.into_iter().next()?.1,
        Err(Some(why)) => return Some(Lowered::Rejected(why)),
        Err(None) => return None,
    };
    let texts: Vec<String> = disassemble(&words)?
        .into_iter()
        .filter_map(|(_, decoded)| match decoded {
            Decoded::Legal(instruction) => Some(instruction.to_string()),
            _ => None,
        })
        .collect();
    Some(opcodes(texts.iter().map(String::as_str)))
}

#[cfg(test)]
mod tests {
    use super::*;

    const TABLE: &str = "ptx\tstatement\tsm_50 n\tsm_50 mem\n\
        ld.shared.cv.s16\tld.shared.cv.s16 %rd0,[%ad];\t7\tLDS.U.S16 R0, [R0]\n\
        ld.local.v2.b16\tld.local.v2.b16 {%hd0,%hd1},[%ad];\t7\tSTL.64 [R9], R4 ; LDL R0, [R8]\n\
        atom.shared.min.u64\tatom.shared.min.u64 %qd0,[%ad+8],%qd1;\t9\tLDS.U.64 R2, [R0] ; ATOMS.CAS.64 R2, [R0], R4, R6 ; BRA 0x8\n\
        red.shared.add.u32\tred.shared.add.u32 [%ad],%rd1;\t9\tVOTE.ANY R2, PT, PT ; @P0 ATOMS.ADD RZ, [R0], R3\n\
        ld.volatile.local.b8\tld.volatile.local.b8 %hd0,[%ad];\t\tREJECTED: no\n";

    #[test]
    fn a_wrong_cell_is_a_disagreement() {
        assert!(is_lowering(TABLE) && !is_lowering("id\tsource\n"));
        let right = compare(TABLE).unwrap();
        assert_eq!((right.compared, right.same()), (5, 5), "{right:?}");
        for (cell, wrong) in [
            ("LDS.U.S16 R0", "LDS.U.U16 R0"),
            ("LDL R0", "LDL.64 R0"),
            ("ATOMS.CAS.64 R2", "ATOMS.CAST.64 R2"),
            ("ATOMS.ADD RZ", "ATOMS.ADD.S32 RZ"),
            ("REJECTED: no", "LDL.U8 R0, [R1]"),
            ("STL.64 [R9], R4", "STL.64 R4, [R9]"),
        ] {
            let disagreements = compare(&TABLE.replace(cell, wrong)).unwrap().disagreements;
            assert_eq!(disagreements.len(), 1, "{cell}: {disagreements:?}");
        }
    }
}
