//! The features of a program of SPA 5.0: the families of its instructions with the kinds of their sources, and what it states of
//! itself.

use warpdiff_sass::condition_code;
use warpdiff_sass::{Guard, Instruction, Operand, Program, ShaderType};

use super::feature::{Collected, FeatureKind};
use crate::instruction_family;
use crate::surface_access::SurfaceAccess;

/// Adds the features of a program.
pub(super) fn add(program: &Program, to: &mut Collected) {
    let declares = FeatureKind::Declaration;
    to.add_if(!program.is_unscheduled(), declares, "a stated schedule: &req &rd &wr");
    to.add_if(program.header.shared > 0, declares, ".shared memory");
    to.add_if(program.header.local > 0, declares, ".local memory");
    to.add_if(program.header.shader == ShaderType::Graphics, declares, ".shader graphics");
    for statement in &program.statements {
        add_instruction(&statement.instruction, to);
    }
}

fn add_instruction(instruction: &Instruction, to: &mut Collected) {
    let family = instruction_family::of_spa(instruction);
    let form = match SurfaceAccess::of_spa(instruction) {
        // The words of PTX for geometry and clamp, as other tables of results have them.
        Some(SurfaceAccess { geometry, clamp, .. }) => {
            let clamp = clamp.map(|clamp| format!(".{clamp}")).unwrap_or_default();
            format!("{family} {geometry}{clamp}")
        }
        None => family,
    };
    to.add(FeatureKind::Instruction, form);
    let kind = FeatureKind::Operand;
    to.add_if(instruction.guard != Guard::ALWAYS, kind, "@P");
    for operand in &instruction.operands {
        match *operand {
            Operand::Constant { .. } => to.add(kind, "c[bank][offset]"),
            Operand::IndexedConstant { .. } => to.add(kind, "c[bank][register + offset]"),
            Operand::Immediate(_) | Operand::Float(_) | Operand::Half(_) => to.add(kind, "numbers"),
            Operand::System(_) => to.add(kind, operand.to_string()),
            // `CC.T` always holds, and is not written.
            Operand::Condition(test) => to.add_if(test != condition_code::TRUE, kind, "condition codes"),
            Operand::ConditionCodes => to.add(kind, "condition codes"),
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use warpdiff_sass::Header;

    use super::*;

    #[test]
    fn families_sources_and_what_the_head_states_are_features() {
        let text = ".spa 5.0\n.registers 16\n.shared 64\nS2R R0, SR_TID.X;\nSULD.D.BA.2D R4, [R2], 0x50;\n@P0 IADD R1, R4, c[0x0][0x140];\nSTS [R0], R1;\nEXIT;\n";
        let program = warpdiff_sass::compile(text, &Header::default()).unwrap();
        let mut found = Collected::default();
        add(&program, &mut found);
        let names: Vec<&str> = found.0.iter().map(|feature| feature.name.as_str()).collect();
        // By kind, and in the order of the alphabet. The format 0x50 of the surface is a number.
        let instructions = ["EXIT", "IADD", "S2R", "STS", "SULD.D 2d.clamp"];
        let operands = ["@P", "SR_TID.X", "c[bank][offset]", "numbers"];
        assert_eq!(names, [&instructions[..], &operands, &[".shared memory"]].concat());
    }

    #[test]
    fn a_schedule_is_a_feature_where_it_is_stated() {
        let of = |text: &str| {
            let program = warpdiff_sass::compile(text, &Header::default()).unwrap();
            let mut found = Collected::default();
            add(&program, &mut found);
            found.0.iter().any(|feature| feature.kind == FeatureKind::Declaration)
        };
        assert!(of(".spa 5.0\nS2R R0, SR_TID.X &wr=0;\nMOV R1, R0 &req={0};\nEXIT;\n"));
        assert!(!of(".spa 5.0\nS2R R0, SR_TID.X;\nMOV R1, R0;\nEXIT;\n"));
    }
}
