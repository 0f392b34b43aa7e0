//! How large a program is.

use warpdiff_model::Launch;
use warpdiff_ptx::ast::{Function, Instruction, Item, Operand, Statement, WordKind};
use warpdiff_ptx::vocabulary::{Opcode, Space};

use crate::program::{Program, name_of};
use crate::spa;

/// The instructions of a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Size {
    /// Those of every function.
    pub instructions: usize,
    /// Those without the ones that only bring inputs in and outputs out: in the kernel of a program of PTX `ld.param` of its parameters,
    /// `ld.global` and `st.global`; in one of SPA 5.0 `MOV` of a parameter, `LDG` and `STG`. An instruction that the signature names counts,
    /// whatever it is.
    pub beside_data: usize,
}

impl Size {
    /// The size of the program of a launch, of which a mismatch is put down to this instruction, with its modifiers. `None` if it cannot be
    /// read.
    pub fn of(launch: &Launch, culprit: Option<&str>) -> Option<Self> {
        spa::size(launch, culprit).or_else(|| Some(of_ptx(&Program::of(launch)?, culprit)))
    }
}

/// The instructions of a program, those of every function; `None` if it cannot be read.
pub fn instructions(launch: &Launch) -> Option<usize> {
    Some(Size::of(launch, None)?.instructions)
}

fn of_ptx(program: &Program, culprit: Option<&str>) -> Size {
    let moves = |function: &Function, instruction: &Instruction| {
        culprit != Some(opcode(program, instruction)) && moves_data(program, function, instruction)
    };
    let functions = program.module.items.iter().filter_map(|item| match item {
        Item::Function(function) => Some(&**function),
        _ => None,
    });
    let mut size = Size { instructions: 0, beside_data: 0 };
    for function in functions {
        let instructions = function.body.iter().flatten().filter_map(|statement| match statement {
            Statement::Instruction(instruction) => Some(instruction),
            _ => None,
        });
        for instruction in instructions {
            size.instructions += 1;
            size.beside_data += usize::from(!moves(function, instruction));
        }
    }
    size
}

/// The opcode with its modifiers.
fn opcode<'p>(program: &'p Program, instruction: &Instruction) -> &'p str {
    let words = program.module.words_of(instruction.words);
    let end = words.last().map_or(instruction.opcode_span.end, |word| word.span.end);
    program.text().get(instruction.opcode_span.start as usize..end as usize).unwrap_or_default()
}

/// Whether it brings an input in or an output out.
fn moves_data(program: &Program, function: &Function, instruction: &Instruction) -> bool {
    let words = program.module.words_of(instruction.words);
    let space = words.iter().find_map(|word| match word.kind {
        WordKind::Space(space) => Some(space),
        _ => None,
    });
    match (instruction.opcode, space) {
        (Opcode::Ld | Opcode::St, Some(Space::Global)) => function.entry,
        (Opcode::Ld, Some(Space::Param)) => function.entry && reads_parameter(program, function, instruction),
        _ => false,
    }
}

/// Whether it reads a parameter of the function, and not the result of a call.
fn reads_parameter(program: &Program, function: &Function, instruction: &Instruction) -> bool {
    let text = |span| program.module.text_of(span);
    let declared = |operand: &Operand| {
        let name = name_of(operand).map(text);
        let parameters = function.parameters.iter().flatten();
        let mut names = parameters.flat_map(|of| &of.declarators).map(|declarator| text(declarator.name));
        name.is_some_and(|name| names.any(|parameter| parameter == name))
    };
    program.leaves(instruction.operands).iter().any(declared)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn size(program: &str, culprit: Option<&str>) -> Option<[usize; 2]> {
        let size = Size::of(&Launch::new(program.into(), "k"), culprit)?;
        Some([size.instructions, size.beside_data])
    }

    const PTX: &str = "
        .version 8.0
        .target sm_50
        .address_size 64
        .func (.param .b32 back) f(.param .b32 given)
        {
            .reg .b32 %r;
            ld.param.b32 %r, [given];
            st.param.b32 [back], %r;
            ret;
        }
        .visible .entry k(.param .u64 out, .param .u64 in)
        {
            .reg .b32 %r<4>;
            .reg .b64 %d<3>;
            .shared .b32 tile;
            ld.param.u64 %d1, [out];
            ld.param.u64 %d2, [in+0];
            ld.global.nc.L1::no_allocate.b32 %r1, [%d2];
            ld.global.s8 %r2, [%d2+4];
            ld.b32 %r2, [%d2+4];
            st.shared.b32 [tile], %r1;
            {
                .param .b32 to;
                .param .b32 from;
                st.param.b32 [to], %r1;
                call (from), f, (to);
                ld.param.b32 %r3, [from];
            }
            st.global.b32 [%d1], %r3;
        }";

    /// Of the thirteen, two load parameters of the kernel, two load from global memory and one stores there; a generic load may be any.
    #[test]
    fn what_brings_data_in_and_out_is_told_from_the_rest() {
        assert_eq!(size(PTX, None), Some([13, 8]));
    }

    #[test]
    fn the_instruction_of_the_signature_counts_always() {
        assert_eq!(size(PTX, Some("ld.global.s8")), Some([13, 9]));
        assert_eq!(size(PTX, Some("ld.param.u64")), Some([13, 10]));
        assert_eq!(size(PTX, Some("ld.global")), Some([13, 8]));
        assert_eq!(size(SPA, Some("LDG.E.U8")), Some([8, 4]));
    }

    const SPA: &str = "
        .spa 5.0
        .shader compute
        .registers 24
        .shared 64
        .local 0
        MOV R2, c[0x0][0x140];
        MOV R3, c[0x0][0x144];
        MOV R4, c[0x0][0x20];
        MOV R5, R3;
        LDG.E.U8 R1, [R2];
        LDG.E R6, [R2];
        STG.E [R2], R1;
        EXIT;";

    /// Below 0x140 lie the sizes of the launch.
    #[test]
    fn programs_of_spa_have_parameters_in_a_constant_bank() {
        assert_eq!(size(SPA, None), Some([8, 3]));
    }

    #[test]
    fn what_cannot_be_read_has_no_size() {
        assert_eq!(size(".entry", None), None);
    }
}
