//! Many programs as one module: a call of ptxas costs more than the code that it makes of a small program. Which programs may share a module, under which
//! names, and how the machine code of each is taken out again.
//!
//! Every name of module scope gets the number of its program in front. A program may not share a module where machine code depends on
//! what else is in it: `.const` variables lie in one bank of the module, linkage reaches beyond it, and functions are merged.

use std::fmt::Write;
use std::ops::Range;

use warpdiff_ptx::ast::Item;
use warpdiff_ptx::checked::Module;
use warpdiff_ptx::lexer::{Kind, Lexer};
use warpdiff_ptx::parse;
use warpdiff_ptx::vocabulary::Space;
use warpdiff_sass::cubin::{Bank, BankRelocation, Cubin, Emitted, Kernel, OpaqueSymbol};

/// A program that may share a module with others that have the same head.
#[derive(Clone, Debug)]
pub(super) struct Member {
    /// `.version`, `.target` and `.address_size`.
    pub(super) head: String,
    /// The rest of its text.
    body: String,
    /// Names of module scope.
    names: Vec<String>,
}

/// The program as a member of a module; `None` if it must be compiled alone.
pub(super) fn member(text: &str, module: &Module) -> Option<Member> {
    if !may_share(module) {
        return None;
    }
    let tree = parse(text).ok()?;
    let (mut head, mut body, mut at) = (String::new(), String::with_capacity(text.len()), 0);
    for item in &tree.items {
        let span = match item {
            Item::Version { span, .. } | Item::Target { span, .. } | Item::AddressSize { span, .. } => span,
            Item::Declaration(_) | Item::Function(_) => continue,
            Item::Alias { .. } | Item::Raw(_) | Item::Section(_) => return None,
        };
        let Range { start, end } = span.start as usize..span.end as usize;
        body.push_str(text.get(at..start)?);
        head.push_str(text.get(start..end)?);
        head.push('\n');
        at = end;
    }
    body.push_str(text.get(at..)?);
    let functions = module.functions.iter().map(|function| function.name.clone());
    let variables = module.variables.iter().filter(|variable| variable.scope.is_none());
    let names = functions.chain(variables.map(|variable| variable.name.clone())).collect();
    Some(Member { head, body, names })
}

/// Whether the machine code of a module does not depend on what is declared beside it.
fn may_share(module: &Module) -> bool {
    let functions = module.functions.iter().all(|function| {
        function.entry && !function.external && function.parameters.iter().all(|p| !p.ty.is_opaque())
    });
    functions
        && module.variables.iter().all(|variable| match (variable.space, variable.scope) {
            (Space::Shared | Space::Local | Space::Param, Some(_)) => !variable.external,
            (Space::Global, None) => variable.linkage.is_none() && !variable.managed && !variable.unified,
            _ => false,
        })
}

/// What the names of a program begin with.
fn prefix(number: usize) -> String {
    format!("m{number}_")
}

/// One module of several programs with the same head.
pub(super) fn joined(members: &[&Member]) -> String {
    let size = members.iter().map(|member| member.body.len() + 64).sum();
    let mut text = String::with_capacity(size);
    if let Some(first) = members.first() {
        text.push_str(&first.head);
    }
    for (number, member) in members.iter().enumerate() {
        let prefix = prefix(number);
        let (body, mut at) = (member.body.as_str(), 0);
        let mut lexer = Lexer::new(body);
        loop {
            let token = lexer.next();
            let (start, end) = (token.span.start as usize, token.span.end as usize);
            match token.kind {
                Kind::End => break,
                Kind::Identifier if member.names.iter().any(|name| *name == body[start..end]) => {
                    let _ = write!(text, "{}{prefix}", &body[at..start]);
                    at = start;
                }
                _ => {}
            }
        }
        text.push_str(&body[at..]);
        text.push('\n');
    }
    text
}

/// The machine code of one program of a module, under its own names.
pub(super) fn taken_out(cubin: &Cubin, number: usize) -> Cubin {
    let prefix = prefix(number);
    let own = |name: &str| name.strip_prefix(&prefix).map(str::to_owned);
    let kernel = |kernel: &Kernel| {
        let mut kernel = Kernel { name: own(&kernel.name)?, ..kernel.clone() };
        kernel.launch.relocations.iter_mut().for_each(|relocation| rename(relocation, &own));
        kernel.literals.relocations.iter_mut().for_each(|relocation| rename(relocation, &own));
        kernel.relocations.iter_mut().for_each(|relocation| rename(relocation, &own));
        Some(kernel)
    };
    let variable = |variable: &Emitted| {
        let mut variable = Emitted { name: own(&variable.name)?, ..variable.clone() };
        for address in &mut variable.addresses {
            address.symbol = own(&address.symbol).unwrap_or(std::mem::take(&mut address.symbol));
        }
        Some(variable)
    };
    let opaque = |opaque: &OpaqueSymbol| Some(OpaqueSymbol { name: own(&opaque.name)?, ..opaque.clone() });
    // The addresses of the other programs' variables stay zero: this one reads none of them.
    let addresses = cubin.addresses.relocations.iter().filter_map(|relocation| {
        Some(BankRelocation { symbol: own(&relocation.symbol)?, ..relocation.clone() })
    });
    Cubin {
        architecture: cubin.architecture,
        independent: cubin.independent,
        kernels: cubin.kernels.iter().filter_map(kernel).collect(),
        constants: cubin.constants.clone(),
        addresses: Bank { bytes: cubin.addresses.bytes.clone(), relocations: addresses.collect() },
        variables: cubin.variables.iter().filter_map(variable).collect(),
        opaque: cubin.opaque.iter().filter_map(opaque).collect(),
        source: Vec::new(),
    }
}

/// Gives a symbol the name that its program has for it. Symbols without a prefix belong to the system.
fn rename(relocation: &mut BankRelocation, own: &impl Fn(&str) -> Option<String>) {
    if let Some(name) = own(&relocation.symbol) {
        relocation.symbol = name;
    }
}

#[cfg(test)]
mod tests {
    use warpdiff_ptx::{Rules, compile};

    use super::*;

    const HEAD: &str = ".version 8.1\n.target sm_50\n.address_size 64\n";

    fn member_of(rest: &str) -> Option<Member> {
        let text = format!("{HEAD}{rest}");
        member(&text, &compile(&text, &Rules::TO_RUN).unwrap_or_else(|found| panic!("{rest}: {found:?}")))
    }

    #[test]
    fn names_of_module_scope_are_made_distinct_and_nothing_else_is() {
        let one =
            member_of(".global .u32 a = 1;\n.entry k() { .reg .b32 %a; ld.global.u32 %a, [a+0]; a: ret; }")
                .unwrap();
        let two = member_of(".entry k(.param .u64 a) { ret; } // k").unwrap();
        let text = joined(&[&one, &two]);
        let expected = format!(
            "{HEAD}\n\n\n.global .u32 m0_a = 1;\n.entry m0_k() {{ .reg .b32 %a; ld.global.u32 %a, [m0_a+0]; m0_a: ret; }}\n\
             \n\n\n.entry m1_k(.param .u64 a) {{ ret; }} // k\n"
        );
        assert_eq!(text, expected);
        compile(&text, &Rules::TO_RUN).unwrap();
    }

    #[test]
    fn programs_that_a_module_can_show_in_are_compiled_alone() {
        let kernel = ".entry k() { ret; }";
        let alone = [
            ".const .u32 a = 1;",
            ".visible .global .u32 a;",
            ".extern .shared .b8 a[];",
            ".func f() { ret; }",
            ".entry l(.param .texref t) { ret; }",
            ".entry l() { .global .u32 a; ret; }",
        ];
        for declaration in alone {
            assert!(member_of(&format!("{declaration}\n{kernel}")).is_none(), "{declaration}");
        }
        for declaration in
            [".global .surfref a;", ".global .u32 a[2] = {1, 2};", ".entry l() { .shared .u32 a; ret; }"]
        {
            assert!(member_of(&format!("{declaration}\n{kernel}")).is_some(), "{declaration}");
        }
    }
}
