//! The features of a program of PTX: the forms of its instructions, what their operands are, and what it declares.

use warpdiff_ptx::ast::{Item, Statement};
use warpdiff_ptx::checked::{AddressBase, Callee, Function, Instruction, Module, Operand, Variable};
use warpdiff_ptx::vocabulary::{Opcode, Space};

use super::feature::{Collected, FeatureKind};
use super::instruction_form;

/// Adds the features of a program, which is checked. `text` is its source.
pub(super) fn add(text: &str, module: &Module, to: &mut Collected) {
    // The checked program has lost the order of an instruction's words. It was parsed before, so it parses.
    let tree = warpdiff_ptx::parse(text);
    let items = tree.iter().flat_map(|tree| tree.items.iter().map(move |item| (tree, item)));
    for (tree, item) in items {
        let Item::Function(function) = item else { continue };
        for statement in function.body.iter().flatten() {
            if let Statement::Instruction(instruction) = statement {
                instruction_form::add(tree, instruction, to);
            }
        }
    }
    let declares = FeatureKind::Declaration;
    to.add_if(module.address_size == 32, declares, ".address_size 32");
    to.add_if(module.texmode_independent, declares, ".target texmode_independent");
    module.variables.iter().for_each(|variable| add_variable(variable, to));
    for function in &module.functions {
        add_function(function, to);
        function.body.iter().for_each(|instruction| add_operands(instruction, to));
    }
}

fn add_function(function: &Function, to: &mut Collected) {
    let declares = FeatureKind::Declaration;
    match (function.entry, function.external) {
        (true, _) => to.add(declares, ".entry"),
        (false, false) => to.add(declares, ".func"),
        (false, true) => to.add(declares, ".func without a body"),
    }
    to.add_if(function.registers.iter().any(|register| register.vector > 1), declares, ".reg of vectors");
}

fn add_variable(variable: &Variable, to: &mut Collected) {
    let declares = FeatureKind::Declaration;
    let space = variable.space.text();
    if variable.is_opaque() {
        let ty = variable.ty.text();
        match variable.space {
            Space::Param => to.add(declares, format!(".param .{ty}")),
            _ => to.add(declares, format!(".{ty} variables")),
        }
        to.add_if(!variable.members.is_empty(), declares, "initial values of members");
        return;
    }
    match variable.space {
        // Every kernel has scalar parameters; `call` has its own form.
        Space::Param => to.add_if(!variable.dimensions.is_empty(), declares, ".param arrays"),
        Space::Shared if variable.external => to.add(declares, ".extern .shared variables"),
        _ => to.add(declares, format!(".{space} variables")),
    }
    to.add_if(variable.valued, declares, "initial values");
    to.add_if(!variable.relocations.is_empty(), declares, "addresses in initial values");
    to.add_if(variable.managed, declares, ".attribute(.managed)");
    to.add_if(variable.unified, declares, ".attribute(.unified)");
}

fn add_operands(instruction: &Instruction, to: &mut Collected) {
    to.add_if(instruction.guard.is_some(), FeatureKind::Operand, "@p");
    for operand in &instruction.operands {
        add_operand(instruction, operand, to);
    }
}

fn add_operand(instruction: &Instruction, operand: &Operand, to: &mut Collected) {
    let kind = FeatureKind::Operand;
    match operand {
        Operand::Special { register, .. } => to.add(kind, format!("%{register}")),
        Operand::Sink => to.add(kind, "_"),
        Operand::Part { .. } => to.add(kind, "parts of registers: %r.b0 %r.h1"),
        Operand::Component { .. } => to.add(kind, "components of vectors: %v.x"),
        Operand::Register { negated, .. } => to.add_if(*negated, kind, "!p"),
        Operand::Vector(items) => {
            // Loads, stores, surfaces and textures say so in their form.
            to.add_if(instruction.opcode == Opcode::Mov, kind, "mov of {a, b}");
            items.iter().for_each(|item| add_operand(instruction, item, to));
        }
        Operand::Pair(first, second) => {
            to.add(kind, "p|q");
            add_operand(instruction, first, to);
            add_operand(instruction, second, to);
        }
        Operand::Address { base, unified, .. } => {
            let of_parameter = instruction.spaces.contains(&Space::Param);
            match base {
                // `ld.param` has no other kind of address in most kernels.
                AddressBase::Variable(_) => to.add_if(!of_parameter, kind, "[variable]"),
                AddressBase::Absolute => to.add(kind, "[number]"),
                AddressBase::Register(_) => to.add_if(of_parameter, kind, "[register] of .param"),
            }
            to.add_if(*unified, kind, "[a].unified");
        }
        Operand::Opaque { coordinates, sampler, .. } => {
            to.add_if(sampler.is_some(), kind, "[texture, sampler, …]");
            coordinates.iter().for_each(|coordinate| add_operand(instruction, coordinate, to));
        }
        Operand::RegisterSum { .. } => to.add(kind, "mov of register + number"),
        Operand::VariableAddress { .. } => to.add(kind, "address of a variable"),
        Operand::FunctionAddress(_) => to.add(kind, "address of a function"),
        Operand::Call(call) => {
            let indirect = matches!(call.callee, Callee::Indirect { .. });
            to.add_if(indirect, kind, "call through a register");
        }
        Operand::Immediate(_) | Operand::Label(_) | Operand::BranchTargets(_) => {}
    }
}

#[cfg(test)]
mod tests {
    use warpdiff_ptx::{Rules, compile};

    use super::*;

    /// The names of the features of one kind.
    fn of(kind: FeatureKind, text: &str) -> Vec<String> {
        let text = format!(".version 8.0\n.target sm_50\n.address_size 64\n{text}");
        let module = compile(&text, &Rules::TO_RUN).unwrap();
        let mut found = Collected::default();
        add(&text, &module, &mut found);
        found.0.into_iter().filter(|feature| feature.kind == kind).map(|feature| feature.name).collect()
    }

    #[test]
    fn declarations_are_features() {
        let text = ".const .u32 c = 4;
            .global .u32 g;
            .global .u64 a = g;
            .extern .shared .b8 dynamic[];
            .global .texref t;
            .func f() { ret; }
            .visible .entry k(.param .u64 p, .param .surfref s) {
                .reg .v2 .u32 %v;
                .shared .b32 room;
                .local .b32 own;
                ret;
            }";
        assert_eq!(
            of(FeatureKind::Declaration, text),
            [
                ".const variables",
                ".entry",
                ".extern .shared variables",
                ".func",
                ".global variables",
                ".local variables",
                ".param .surfref",
                ".reg of vectors",
                ".shared variables",
                ".texref variables",
                "addresses in initial values",
                "initial values",
            ]
        );
    }

    #[test]
    fn what_operands_are_is_a_feature_where_it_is_not_a_register_or_a_number() {
        let text = ".global .u32 g;
            .visible .entry k(.param .u64 p) {
                .reg .u32 %r<4>;
                .reg .u64 %rd<2>;
                .reg .pred %p<2>;
                ld.param.u64 %rd1, [p];
                mov.u32 %r1, %laneid;
                mov.u64 %rd1, g;
                ld.global.u32 %r2, [g+0];
                mov.b64 %rd1, {%r1, %r2};
                setp.eq.u32 %p0|%p1, %r1, %r2;
                @!%p0 add.u32 %r3, %r1, 4;
                ret;
            }";
        assert_eq!(
            of(FeatureKind::Operand, text),
            ["%laneid", "@p", "[variable]", "address of a variable", "mov of {a, b}", "p|q"]
        );
    }
}
