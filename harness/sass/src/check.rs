//! The legality of a program of SPA 5.0: the rules of the instructions' pages, and those of the encoding.

use warpdiff_ptx::source::{Diagnostic, Span};

use crate::form::OperandField;
use crate::header::{Header, ShaderType};
use crate::instruction::{Instruction, Operand, Register};
use crate::lexer::error;
use crate::mnemonic::{Mnemonic as M, Space};
use crate::parser::parse_under;
use crate::program::{Program, Statement};

/// The authority by whose rules a program is checked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Authority {
    /// The pages of `LDL`, `LDS` and `ATOMS`, by their text: sizes, pairs, shaders, the spelling of absolute addresses.
    Pages,
    /// An encoder for sm_50, by whose rules programs are run. It takes what nvdisasm prints of ptxas's code, where that is not as the
    /// pages write it (`LDS.U R0, [0x8]`), and it wants the operands of several registers aligned, and all of them to exist, of which no page speaks.
    #[default]
    Encoder,
}

/// Where the encoder's rules come from: the tables of the tests have the kernels' instructions.
const ALIGNED: &str = "a rule of the encoding, not of the pages: every word that ptxas 12.9 was seen to emit is aligned; nvdisasm 12.8 prints others without complaint";

/// The largest window: 16 MB.
const WINDOW: u32 = 1 << 24;

/// Parses and checks by the rules of the encoder. `header` supplies the directives that the text lacks.
///
/// # Errors
///
/// All errors of the text, or, if it has none, all violations of the rules.
pub fn compile(text: &str, header: &Header) -> Result<Program, Vec<Diagnostic>> {
    compile_by(text, header, Authority::Encoder)
}

/// Parses and checks by the rules of an authority.
///
/// # Errors
///
/// As [`compile`].
pub fn compile_by(text: &str, header: &Header, authority: Authority) -> Result<Program, Vec<Diagnostic>> {
    let program = parse_under(text, header)?;
    let mut diagnostics = check(&program, &program.header, authority);
    diagnostics.extend(program.symbols.iter().map(|symbol| {
        let message =
            format!("`{}` is no label, and a program of SPA 5.0 has no variables", symbol.address.name);
        error(symbol.span, message, Some("a number"))
    }));
    if diagnostics.is_empty() { Ok(program) } else { Err(diagnostics) }
}

/// All that an authority does not allow, in the order of the text.
pub fn check(program: &Program, header: &Header, authority: Authority) -> Vec<Diagnostic> {
    let mut diagnostics = check_header(header);
    for (index, statement) in program.statements.iter().enumerate() {
        Checker { statement, header, authority, diagnostics: &mut diagnostics }.check();
        check_target(program, index, &mut diagnostics);
    }
    diagnostics
}

fn check_header(header: &Header) -> Vec<Diagnostic> {
    let mut messages = Vec::new();
    if header.registers > 255 {
        messages.push(format!("{} registers: a thread has at most 255", header.registers));
    }
    for (window, bytes) in [("shared", header.shared), ("local", header.local)] {
        if bytes > WINDOW {
            messages.push(format!("{bytes} bytes of {window} memory: its window is 16 MB"));
        }
    }
    messages.into_iter().map(|message| error(Span::default(), message, None)).collect()
}

/// Only whether control goes to instructions of the program.
pub(crate) fn check_targets(program: &Program) -> Vec<Diagnostic> {
    let mut diagnostics = Vec::new();
    (0..program.statements.len()).for_each(|index| check_target(program, index, &mut diagnostics));
    diagnostics
}

/// Control goes to an instruction of the program.
fn check_target(program: &Program, index: usize, diagnostics: &mut Vec<Diagnostic>) {
    let statement = &program.statements[index];
    let last = statement.instruction.form.operands.last();
    let has_target = matches!(last, Some(OperandField::Target | OperandField::AbsoluteTarget));
    if has_target
        && program.symbol(index).is_none()
        && program.target(index).is_none_or(|to| to == program.statements.len())
    {
        let message = "control goes to where the program has no instruction";
        diagnostics.push(error(statement.span, message, Some("a label in front of an instruction")));
    }
}

struct Checker<'a> {
    statement: &'a Statement,
    header: &'a Header,
    authority: Authority,
    diagnostics: &'a mut Vec<Diagnostic>,
}

impl Checker<'_> {
    fn wrong(&mut self, message: String, expected: Option<&str>) {
        self.diagnostics.push(error(self.statement.span, message, expected));
    }

    fn instruction(&self) -> &Instruction {
        &self.statement.instruction
    }

    fn check(&mut self) {
        self.shader();
        if self.instruction().form.mnemonic == M::ATOMS {
            self.atoms();
        }
        match self.authority {
            Authority::Pages => self.absolute_address(),
            Authority::Encoder => self.registers(),
        }
    }

    /// "LDS{.U}{.sz} Rd, [Ra + ImmS24]", and for an absolute address "LDS{.sz} Rd, [ImmU24]": that form has no `.U`. The words are those of
    /// `RZ` as `Ra`, which nvdisasm prints as an absolute address.
    fn absolute_address(&mut self) {
        let form = self.instruction().form;
        if form.mnemonic == M::LDS && !form.fixed_modifiers.is_empty() && self.statement.absolute {
            let message = "`LDS` of an absolute address has no `.U`".to_owned();
            self.wrong(message, Some("no `.U`, or `RZ` in front of the offset"));
        }
    }

    /// "ATOMS can only be used in compute shaders, as shared memory windows are not defined for other shader types": the reason
    /// holds for every access to shared memory.
    fn shader(&mut self) {
        let form = self.instruction().form;
        let is_shared = form.traits.access.is_some_and(|access| access.space == Space::Shared);
        if self.header.shader != ShaderType::Compute && is_shared {
            self.wrong(
                format!("`{}` in a shader that has no shared memory", form.mnemonic),
                Some("a compute shader"),
            );
        }
    }

    /// The sizes each operation takes and the pair of a compare-and-swap.
    fn atoms(&mut self) {
        let size = usize::from(self.instruction().modifier("size").unwrap_or(0));
        let pair = self.instruction().form.fixed_modifiers;
        if !pair.is_empty() {
            // "Typed bit size of memory and Rd": what CAST returns, 1 or 0, is as wide as what CAS returns.
            return self.pair(self.instruction().register_bytes().1);
        }
        let operation = usize::from(self.instruction().modifier("operation").unwrap_or(0));
        let name = self.instruction().form.modifiers[0].names[operation];
        let allowed: &[&str] = match name {
            "INC" | "DEC" => &["U32"],
            "EXCH" => &["U32", "S32", "U64"],
            _ => &["U32", "S32"],
        };
        let written = ["U32", "S32", "U64", "S64"][size];
        if !allowed.contains(&written) {
            self.wrong(format!("`ATOMS.{name}` has no size `.{written}`"), Some(&dotted(allowed)));
        }
    }

    /// "in ATOMS.CAS/.CAST.32, Rb must be R2n+0 (even register) and cannot be RZ, and Rc must be Rb+1 or RZ. Similarly, for
    /// ATOMS.CAS/.CAST.64, Rb must be R4n+0 (and cannot be RZ)". That Rc follows is what can be encoded at all.
    fn pair(&mut self, bytes: u32) {
        let (aligned, name) = if bytes == 8 { (4, "R4n") } else { (2, "R2n") };
        match self.instruction().operands[2] {
            Operand::Register(Register::RZ) => {
                self.wrong("Rb of a compare-and-swap is RZ".to_owned(), Some(name))
            }
            Operand::Register(rb) if rb.0 % aligned != 0 => {
                self.wrong(format!("Rb of a compare-and-swap of {} bits is {rb}", bytes * 8), Some(name));
            }
            _ => {}
        }
    }

    /// Operands of several registers are aligned to their number and lie, like all others, within the program's registers. `Ra` may
    /// lie outside: it then reads as if it were omitted. No page says any of it but of the pair of a compare-and-swap.
    fn registers(&mut self) {
        let fields = self.instruction().form.operands.iter().zip(&self.instruction().operands);
        let registers: Vec<_> = fields
            .enumerate()
            .filter_map(|(n, (field, operand))| match (field, operand) {
                (OperandField::Register { role, .. }, Operand::Register(register)) => {
                    Some((n, *role, *register))
                }
                (OperandField::OptionalRd, Operand::Register(register)) => Some((n, "Rd", *register)),
                (OperandField::OptionalRb, Operand::Register(register)) => Some((n, "Rb", *register)),
                (OperandField::AfterRb { .. }, Operand::Register(register)) => Some((n, "Rc", *register)),
                (OperandField::Coordinates, Operand::Address { base, .. }) => Some((n, "Ra", *base)),
                _ => None,
            })
            .filter(|(.., register)| *register != Register::RZ)
            .collect();
        let is_pair = !self.instruction().form.fixed_modifiers.is_empty()
            && self.instruction().form.mnemonic == M::ATOMS;
        for (n, role, register) in registers {
            let count = self.instruction().registers(n);
            // The pair has its own, stricter rule.
            let aligned = count.next_power_of_two();
            if !(is_pair && role != "Rd") && u32::from(register.0) % aligned != 0 {
                let message = format!("{role} is {register}, and its {count} registers are not aligned");
                self.wrong(message, Some(&format!("R{aligned}n")));
                if let Some(diagnostic) = self.diagnostics.last_mut() {
                    diagnostic.note = Some(ALIGNED.to_owned());
                }
            }
            let last = u32::from(register.0) + count - 1;
            if last >= u32::from(self.header.registers.min(255)) {
                self.wrong(
                    format!(
                        "{role} reaches R{last}, and the program has {} registers",
                        self.header.registers
                    ),
                    None,
                );
            }
        }
    }
}

/// `.U32`, `.S32`.
fn dotted(names: &[&str]) -> String {
    names.iter().map(|name| format!("`.{name}`")).collect::<Vec<_>>().join(", ")
}
