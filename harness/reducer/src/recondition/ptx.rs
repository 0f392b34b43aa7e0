//! Added instructions in programs of PTX.

use warpdiff_model::{Argument, Launch};
use warpdiff_ptx::ast::{Declaration, Declarator, Function, Instruction, Item, Operand, Statement};
use warpdiff_ptx::source::Span;
use warpdiff_ptx::vocabulary::{Opcode, Space, Type};

use super::dialect::{Dialect, Purpose};
use super::wraps::{Place, Side, Wrap};
use crate::program::Program;

/// A program of PTX with the registers that it declares.
pub(super) struct PtxProgram {
    program: Program,
    registers: Vec<Register>,
}

/// Registers of a declaration.
struct Register {
    /// The name, or what the names `%r<9>` begin with.
    name: String,
    is_numbered: bool,
    ty: Type,
    /// The line of the declaration, and the last one of the block in which it is.
    line: u32,
    last: u32,
}

impl PtxProgram {
    /// `None` if it cannot be parsed.
    pub(super) fn of(launch: &Launch) -> Option<Self> {
        let program = Program::of(launch)?;
        let registers = program.functions().flat_map(|function| declared(&program, function)).collect();
        Some(Self { program, registers })
    }

    /// The declaration that a name belongs to at that line: of several the innermost.
    fn register(&self, line: u32, name: &str) -> Option<&Register> {
        let is_meant = |of: &&Register| {
            let number = name.strip_prefix(&of.name);
            let is_named = match of.is_numbered {
                true => number.is_some_and(|it| !it.is_empty() && it.bytes().all(|of| of.is_ascii_digit())),
                false => number == Some(""),
            };
            of.line < line && line <= of.last && is_named
        };
        self.registers.iter().filter(is_meant).max_by_key(|of| of.line)
    }

    fn at(&self, line: u32) -> Option<&Instruction> {
        self.program.instructions().find(|instruction| self.program.line(instruction.span) == line)
    }

    /// The kernel of the launch, if that line is part of it.
    fn kernel(&self, launch: &Launch, line: u32) -> Option<&Function> {
        let before = |function: &&Function| self.program.line(function.span) <= line;
        let function = self.program.functions().take_while(before).last()?;
        let is_entered = function.entry && self.program.module.text_of(function.name) == launch.entry;
        is_entered.then_some(function)
    }

    /// An instruction that gives a register the first argument of the launch that it may be, or the address of such a variable.
    fn useful(&self, launch: &Launch, line: u32, register: &str, purpose: Purpose) -> Option<String> {
        let is_right = |argument: &Argument| match purpose {
            Purpose::Value => false,
            Purpose::Address => matches!(argument, Argument::Buffer { .. }),
            Purpose::Surface => matches!(argument, Argument::Surface { .. }),
            Purpose::Texture => matches!(argument, Argument::Texture { .. }),
        };
        let text = |span: Span| self.program.module.text_of(span);
        let parameters = self.kernel(launch, line).and_then(|kernel| kernel.parameters.as_ref());
        let mut passed = parameters.into_iter().flatten().zip(&launch.arguments);
        if let Some((parameter, _)) = passed.find(|(of, argument)| of.ty.size() == 8 && is_right(argument)) {
            let name = text(parameter.declarators.first()?.name);
            return Some(format!("ld.param.b64 {register}, [{name}];\n"));
        }
        let wanted = match purpose {
            Purpose::Value | Purpose::Address => return None,
            Purpose::Surface => Type::Surfref,
            Purpose::Texture => Type::Texref,
        };
        let mut variables = self.program.module.items.iter().filter_map(|item| match item {
            Item::Declaration(declaration) if declaration.ty == wanted => declaration.declarators.first(),
            _ => None,
        });
        variables.next().map(|variable| format!("mov.u64 {register}, {};\n", text(variable.name)))
    }
}

impl Dialect for PtxProgram {
    fn text(&self) -> &str {
        self.program.text()
    }

    fn definition(
        &self,
        launch: &Launch,
        line: u32,
        register: &str,
        purpose: Purpose,
    ) -> Option<(Place, Wrap)> {
        let declared = self.register(line, register)?;
        let is_wide = matches!(declared.ty, Type::B64 | Type::U64 | Type::S64);
        let useful = is_wide.then(|| self.useful(launch, line, register, purpose)).flatten();
        let place = (declared.line, Side::After, register.to_owned());
        Some((place, useful.map_or(Wrap::Zero, Wrap::Becomes)))
    }

    fn can_change(&self, line: u32, register: &str) -> bool {
        self.register(line, register).is_some()
    }

    fn written(&self, (line, _, register): &Place, wrap: &Wrap) -> String {
        // A definition stands behind the line of its declaration.
        let ty = self.register(line + 1, register).or_else(|| self.register(*line, register)).map(|of| of.ty);
        let bits = ty.map_or(32, |ty| 8 * ty.size());
        let all = u64::MAX >> (64 - bits.clamp(1, 64));
        match wrap {
            Wrap::Becomes(instruction) => instruction.clone(),
            Wrap::AtMost(most) => format!("min.u{bits} {register}, {register}, {most};\n"),
            Wrap::Clear(undefined) if ty != Some(Type::Pred) && undefined & all != all => {
                format!("and.b{bits} {register}, {register}, {:#x};\n", !undefined & all)
            }
            Wrap::Clear(_) | Wrap::Zero => match ty {
                Some(Type::Pred) => format!("setp.ne.u32 {register}, 0, 0;\n"),
                Some(Type::F32) => format!("mov.f32 {register}, 0f00000000;\n"),
                Some(Type::F64) => format!("mov.f64 {register}, 0d0000000000000000;\n"),
                _ => format!("mov.b{bits} {register}, 0;\n"),
            },
        }
    }

    fn index_in_table(&self, line: u32) -> Option<(Place, Wrap)> {
        let text = |span: Span| self.program.module.text_of(span);
        let instruction = self.at(line).filter(|instruction| instruction.opcode == Opcode::Brx)?;
        let operands = self.program.leaves(instruction.operands);
        let (Operand::Name(index), Operand::Name(list)) = (operands.first()?, operands.get(1)?) else {
            return None;
        };
        let mut statements = self.program.functions().flat_map(|function| function.body.iter().flatten());
        let targets = statements.find_map(|statement| match statement {
            Statement::BranchTargets { label, targets, .. } if text(*label) == text(*list) => Some(*targets),
            _ => None,
        });
        let last = self.program.module.operands_of(targets?).len().checked_sub(1)?;
        let index = text(*index);
        self.register(line, index)?;
        Some(((line, Side::Before, index.to_owned()), Wrap::AtMost(last as u64)))
    }
}

/// The registers of a function that an instruction can change: each a value of 16, 32 or 64 bits, or a predicate.
fn declared(program: &Program, function: &Function) -> Vec<Register> {
    let statements = function.body.as_deref().unwrap_or_default();
    let mut registers = Vec::new();
    for (number, statement) in statements.iter().enumerate() {
        let Statement::Declaration(declaration) = statement else { continue };
        let is_plain = declaration.vector == 1 && matches!(declaration.ty.size(), 2 | 4 | 8);
        if declaration.space != Space::Reg || !is_plain && declaration.ty != Type::Pred {
            continue;
        }
        let last = end_of_block(program, &statements[number..]);
        let of = |declarator: &Declarator| register(program, declaration, declarator, last);
        registers.extend(declaration.declarators.iter().map(of));
    }
    registers
}

fn register(program: &Program, declaration: &Declaration, declarator: &Declarator, last: u32) -> Register {
    Register {
        name: program.module.text_of(declarator.name).to_owned(),
        is_numbered: declarator.count.is_some(),
        ty: declaration.ty,
        line: program.line(declaration.span),
        last,
    }
}

/// The line of the brace that closes the block in which these statements begin, or of the last of them.
fn end_of_block(program: &Program, statements: &[Statement]) -> u32 {
    let mut depth = 0_usize;
    let mut last = 0;
    for statement in statements {
        last = match statement {
            Statement::Open(span)
            | Statement::Close(span)
            | Statement::Label(span)
            | Statement::Raw(span) => program.line(*span),
            Statement::Instruction(instruction) => program.line(instruction.span),
            _ => last,
        };
        match statement {
            Statement::Open(_) => depth += 1,
            Statement::Close(_) => match depth.checked_sub(1) {
                Some(outer) => depth = outer,
                None => return last,
            },
            _ => {}
        }
    }
    last
}
