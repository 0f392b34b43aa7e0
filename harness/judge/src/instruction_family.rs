//! The family of an instruction: opcode and operation without types and operands, such as `suld.b`, `atom.inc`, `ATOMS.CAST`. A
//! target is likely to get all instructions of a family right or wrong together.

use std::collections::BTreeSet;

use warpdiff_corpus::plan::ProgramMap;
use warpdiff_emulator::{Checked, Compiled};
use warpdiff_ptx::checked::Instruction;
use warpdiff_ptx::vocabulary::{Modifier, Opcode};

/// The family of an instruction of PTX.
pub(crate) fn of(instruction: &Instruction) -> String {
    name(parts(instruction))
}

/// The opcode of an instruction, and the modifier that its family has beside it.
fn parts(instruction: &Instruction) -> (Opcode, Option<Modifier>) {
    let opcode = instruction.opcode;
    let telling: &[Modifier] = match opcode {
        _ if opcode.is_surface() => &[Modifier::B, Modifier::P],
        Opcode::Mul | Opcode::Mad => &[Modifier::Hi, Modifier::Lo, Modifier::Wide],
        Opcode::Atom | Opcode::Red => &[
            Modifier::And,
            Modifier::Or,
            Modifier::Xor,
            Modifier::Add,
            Modifier::Min,
            Modifier::Max,
            Modifier::Inc,
            Modifier::Dec,
            Modifier::Exch,
            Modifier::Cas,
        ],
        _ => &[],
    };
    (opcode, telling.iter().find(|modifier| instruction.has(**modifier)).copied())
}

/// The name of the family that has these parts.
fn name((opcode, modifier): (Opcode, Option<Modifier>)) -> String {
    match modifier {
        Some(modifier) => format!("{opcode}.{modifier}"),
        None => opcode.to_string(),
    }
}

/// The family of an instruction of SPA 5.0.
pub(crate) fn of_spa(instruction: &warpdiff_sass::Instruction) -> String {
    let form = instruction.form;
    let operation = instruction.modifier_name("operation").filter(|name| !name.is_empty());
    let fixed = form.fixed_modifiers.iter().copied();
    fixed.chain(operation).fold(form.mnemonic.to_string(), |family, part| format!("{family}.{part}"))
}

/// Whether the instruction that begins at this byte of the program is the author's, and not of the kernel that the harness writes.
pub(crate) fn is_authored(map: &ProgramMap, start: u32) -> bool {
    map.is_empty() || map.has(start as usize)
}

/// The families of the instructions that the author wrote; those of the harness's kernel are left out.
pub fn all(compiled: &Compiled, map: &ProgramMap) -> BTreeSet<String> {
    let is_authored = |start: u32| is_authored(map, start);
    match &compiled.checked {
        Checked::Ptx(module) => {
            // Few families come again and again, so each is named once.
            let mut families: Vec<(Opcode, Option<Modifier>)> = Vec::new();
            for instruction in module.functions.iter().flat_map(|function| &function.body) {
                let family = parts(instruction);
                if !families.contains(&family) && is_authored(instruction.span.start) {
                    families.push(family);
                }
            }
            families.into_iter().map(name).collect()
        }
        Checked::Spa(program) => {
            let statements = program.statements.iter().filter(|s| is_authored(s.span.start));
            statements.map(|s| of_spa(&s.instruction)).collect()
        }
    }
}

/// The texts of the author's instructions of a family, in the order of the program.
pub fn texts(compiled: &Compiled, map: &ProgramMap, family: &str) -> Vec<String> {
    let text =
        |start: u32, end: u32| compiled.text.get(start as usize..end as usize).unwrap_or_default().to_owned();
    match &compiled.checked {
        Checked::Ptx(module) => {
            let body = module.functions.iter().flat_map(|function| &function.body);
            let own = body.filter(|i| is_authored(map, i.span.start) && of(i) == family);
            own.map(|i| text(i.span.start, i.span.end)).collect()
        }
        Checked::Spa(program) => {
            let own = program.statements.iter().filter(|s| is_authored(map, s.span.start));
            let own = own.filter(|s| of_spa(&s.instruction) == family);
            own.map(|s| text(s.span.start, s.span.end)).collect()
        }
    }
}
