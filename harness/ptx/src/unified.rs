//! Whether a program uses `.unified`. NVIDIA's assembler makes only relocatable objects of it, which a linker finishes (as observed
//! with ptxas 12.9).

use crate::ast::{Attribute, Declaration, Function, Item, Module, Operand, Statement};

impl Module {
    /// Whether a variable or function has the attribute `.unified`, or a load has the qualifier.
    pub fn speaks_of_unified(&self) -> bool {
        self.items.iter().any(|item| match item {
            Item::Declaration(declaration) => declares(declaration),
            Item::Function(function) => self.function_speaks(function),
            _ => false,
        })
    }

    fn function_speaks(&self, function: &Function) -> bool {
        let statement = |statement: &Statement| match statement {
            Statement::Declaration(declaration) => declares(declaration),
            Statement::Instruction(instruction) => self.operands[instruction.operands.range()]
                .iter()
                .any(|operand| matches!(operand, Operand::Bracket { unified: Some(_), .. })),
            _ => false,
        };
        is_unified(&function.attributes) || function.body.iter().flatten().any(statement)
    }
}

fn declares(declaration: &Declaration) -> bool {
    is_unified(&declaration.attributes)
}

fn is_unified(attributes: &[Attribute]) -> bool {
    attributes.iter().any(|attribute| matches!(attribute, Attribute::Unified(_)))
}

#[cfg(test)]
mod tests {
    use crate::{Dialect, Rules, compile, parse};

    fn program(outside: &str, body: &str) -> String {
        format!(
            ".version 8.0\n.target sm_90\n.address_size 64\n{outside}\n.entry k() {{ .reg .u32 %r; .reg .u64 %p; {body} ret; }}\n"
        )
    }

    /// The word counts where it stands as an attribute or a qualifier, and nowhere else.
    #[test]
    fn comments_and_names_say_nothing() {
        let speaks = |outside: &str, body: &str| parse(&program(outside, body)).unwrap().speaks_of_unified();
        assert!(!speaks("// no .unified here", "/* .attribute(.unified(1, 2)) */"));
        assert!(!speaks(".global .u32 unified; .global .attribute(.managed) .u32 m;", ""));
        assert!(!speaks("", "ld.global.u32 %r, [%p];"));
        assert!(speaks(".global .attribute(.unified(1, 2)) .u32 a;", ""));
        assert!(speaks(".func .attribute(.unified(1, 2)) f() { ret; }", ""));
        assert!(speaks("", "ld.global.u32 %r, [%p].unified;"));
    }

    /// An incomplete external array is one that a whole program may not have: the comment does not make it a relocatable object.
    #[test]
    fn a_linker_is_asked_where_it_is_wanted() {
        let rules = Rules { dialect: Dialect::Ptxas(12, 9), linked: true, ..Rules::default() };
        let incomplete = ".extern .global .u32 a[];";
        let attribute = ".global .attribute(.unified(1, 2)) .u32 b;";
        assert!(compile(&program(attribute, ""), &rules).is_ok());
        assert!(compile(&program(attribute, ""), &Rules { linked: false, ..rules }).is_err());
        let commented = format!("{incomplete} // .unified");
        assert!(compile(&program(&commented, "mov.u64 %p, a;"), &rules).is_err());
        let both = format!("{incomplete} {attribute}");
        assert!(compile(&program(&both, "mov.u64 %p, a;"), &rules).is_ok());
    }
}
