//! Syntax tree → checked module: names resolved, variables laid out, every form looked up in the tables.
//!
//! | file | what it holds |
//! |---|---|
//! | `target` | `.version`, `.target` and what follows from them |
//! | `scope` | names |
//! | `constant` | constant expressions |
//! | `linkage` | what the module defines, and what it does not |
//! | `variable`, `opaque_variable`, `initializer`, `initial_address`, `opaque_initializer`, `contents` | declarations and their bytes |
//! | `function`, `parameter`, `shared_memory` | heads and bodies, what a kernel takes |
//! | `constant_memory` | what the module takes of `.const` |
//! | `instruction` | an instruction against the tables |
//! | `operand`, `address`, `moves`, `surface`, `texture`, `call` | operands |
//! | `agreement`, `tuple` | which register goes with which type, which elements with each other |
//! | `forms` | the legality tables |

mod address;
mod agreement;
mod call;
mod constant;
mod constant_memory;
mod contents;
mod forms;
mod function;
mod initial_address;
mod initializer;
mod instruction;
mod linkage;
mod moves;
mod opaque_initializer;
mod opaque_variable;
mod operand;
mod parameter;
mod scope;
mod shared_memory;
mod surface;
mod target;
mod texture;
mod tuple;
mod variable;

use warpdiff_model::Deviation;

use crate::ast::{self, Item, Statement};
use crate::checked::{FunctionId, Module, Register};
use crate::parser::{parse, parse_known};
use crate::source::{Diagnostic, Span};
use crate::vocabulary::Space;
use scope::Scopes;

/// Diagnostics after which the checker stops listing: nobody reads more.
const DIAGNOSTIC_LIMIT: usize = 50;

/// Whose acceptance decides.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Dialect {
    /// The text of the PTX ISA, its printed examples included.
    #[default]
    Spec,
    /// NVIDIA's assembler of that version: `Ptxas(12, 9)`.
    Ptxas(u32, u32),
}

/// What a program is checked against. Its own `.version` and `.target` stand; the maxima refuse newer ones.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Rules {
    /// Whose acceptance decides.
    pub dialect: Dialect,
    /// Newest `.version` admitted, if any limit.
    pub max_version: Option<(u32, u32)>,
    /// Newest `.target` admitted, as a number: 90.
    pub max_target: Option<u32>,
    /// Whether the assembler makes a relocatable object (`--compile-only`), which may be linked to others. The text knows no
    /// such thing.
    pub relocatable: bool,
    /// Whether a linker follows where one is wanted: a program that speaks of `.unified` is made a relocatable object then.
    pub linked: bool,
}

impl Rules {
    /// The rules that a program to be run is held to: those of ptxas 12.9. It takes `.unified` in relocatable objects alone, so
    /// that a program with such variables is one that a linker has still to finish.
    pub const TO_RUN: Self = Self {
        dialect: Dialect::Ptxas(12, 9),
        max_version: None,
        max_target: None,
        relocatable: false,
        linked: true,
    };
}

/// Parses and checks.
///
/// # Errors
/// Everything found wrong by the parser, or, if nothing but unknown opcodes, those and what the checker finds in the rest.
pub fn compile(text: &str, rules: &Rules) -> Result<Module, Vec<Diagnostic>> {
    let (module, mut unknown) = parse_known(text)?;
    let checked = check(text, &module, rules);
    if unknown.is_empty() {
        return checked;
    }
    unknown.extend(checked.err().unwrap_or_default());
    Err(listed(unknown))
}

/// Parses and checks for the sake of the variables: what is legal but not run by this project and is no variable in memory
/// is left out of the module, and the diagnostics beside it say which.
///
/// # Errors
/// Everything found wrong, and what is not supported of anything else than an instruction; at most 50 diagnostics.
pub fn compile_variables(text: &str, rules: &Rules) -> Result<(Module, Vec<Diagnostic>), Vec<Diagnostic>> {
    let module = parse(text)?;
    let (checked, diagnostics) = look_over(text, &module, rules);
    let beside = beside_variables(&module);
    let harmless = |it: &Diagnostic| {
        let before = beside.partition_point(|span| span.start <= it.span.start);
        it.unsupported && beside[..before].last().is_some_and(|span| it.span.end <= span.end)
    };
    let passes = diagnostics.iter().all(harmless);
    let diagnostics = listed(diagnostics);
    if passes { Ok((checked, diagnostics)) } else { Err(diagnostics) }
}

/// Where what is not supported takes nothing from the variables of a module, in the order of the text: instructions, and the state
/// spaces that the text alone has at module scope.
fn beside_variables(module: &ast::Module) -> Vec<Span> {
    let mut spans = Vec::new();
    for item in &module.items {
        match item {
            Item::Declaration(declaration) if matches!(declaration.space, Space::Reg | Space::Local) => {
                spans.push(declaration.space_span);
            }
            Item::Function(function) => {
                spans.extend(function.body.iter().flatten().filter_map(|statement| match statement {
                    Statement::Instruction(instruction) => Some(instruction.span),
                    _ => None,
                }));
            }
            _ => {}
        }
    }
    spans
}

/// Checks a parsed module; `text` is what it was parsed from.
///
/// # Errors
/// Everything found wrong, in the order of the text; at most 50 diagnostics.
pub fn check(text: &str, module: &ast::Module, rules: &Rules) -> Result<Module, Vec<Diagnostic>> {
    let (checked, diagnostics) = examine(text, module, rules);
    if diagnostics.is_empty() { Ok(checked) } else { Err(diagnostics) }
}

/// Checks a parsed module: what is right of it, with where text and assembler part, and everything found wrong or not supported, in the
/// order of the text; at most 50 diagnostics.
pub fn examine(text: &str, module: &ast::Module, rules: &Rules) -> (Module, Vec<Diagnostic>) {
    let (checked, diagnostics) = look_over(text, module, rules);
    (checked, listed(diagnostics))
}

fn look_over(text: &str, module: &ast::Module, rules: &Rules) -> (Module, Vec<Diagnostic>) {
    let relocatable = rules.relocatable || rules.linked && module.speaks_of_unified();
    let mut checker = Checker::new(text, module, &Rules { relocatable, ..*rules });
    checker.module();
    checker.out.deviations.sort_by_key(|(_, span)| span.start);
    (checker.out, checker.diagnostics)
}

/// As many as are listed, in the order of the text. What is wrong goes before what is not supported: a program is not legal because
/// much of it is not supported.
fn listed(mut diagnostics: Vec<Diagnostic>) -> Vec<Diagnostic> {
    diagnostics.sort_by_key(|it| (it.unsupported, it.span.start));
    diagnostics.truncate(DIAGNOSTIC_LIMIT);
    diagnostics.sort_by_key(|it| it.span.start);
    diagnostics
}

/// Something was wrong; the diagnostic is already recorded.
struct Failed;
type Checked<T> = Result<T, Failed>;

struct Checker<'t> {
    text: &'t str,
    ast: &'t ast::Module,
    rules: Rules,
    out: Module,
    /// Ten times the major version plus the minor one.
    version: u32,
    scopes: Scopes<'t>,
    /// The function being checked.
    function: Option<function::Current<'t>>,
    /// Registers of module scope, which by the text every function has.
    module_registers: Vec<Register>,
    diagnostics: Vec<Diagnostic>,
    /// How many of them are of what is wrong, not of what is not supported.
    wrong: usize,
    /// See [`crate::checked::Variable::made`].
    variables_made: u32,
}

impl<'t> Checker<'t> {
    fn new(text: &'t str, ast: &'t ast::Module, rules: &Rules) -> Self {
        let out = Module {
            version: (1, 0),
            target: 10,
            texmode_independent: false,
            address_size: 32,
            variables: Vec::new(),
            functions: Vec::new(),
            deviations: Vec::new(),
        };
        Self {
            text,
            ast,
            rules: *rules,
            out,
            version: 10,
            scopes: Scopes::new(),
            function: None,
            module_registers: Vec::new(),
            diagnostics: Vec::new(),
            wrong: 0,
            variables_made: 0,
        }
    }

    fn module(&mut self) {
        let _ = self.header();
        if !self.by_assembler() {
            for span in &self.ast.long_literals {
                self.report(*span, "integer literal of more than 64 bits".into(), None, false);
            }
        }
        if self.by_assembler() {
            for span in &self.ast.subnormal_literals {
                self.report(
                    *span,
                    "floating-point literal below the normal numbers of a double".into(),
                    None,
                    false,
                );
            }
        }
        // As observed; the text has no statement of nothing, and says of none that it is wrong.
        if self.by_assembler() {
            for span in &self.ast.empty_statements {
                self.report(*span, "a semicolon that ends nothing".into(), None, false);
            }
        }
        for item in &self.ast.items {
            // Every failure has left its diagnostic; the next item is checked all the same.
            let _ = self.item(item);
        }
        let _ = self.constant_memory();
        if self.by_assembler() {
            self.unnamed_variables();
        }
    }

    fn item(&mut self, item: &'t Item) -> Checked<()> {
        match item {
            Item::Version { .. }
            | Item::Target { .. }
            | Item::AddressSize { .. }
            | Item::Raw(_)
            | Item::Section(_) => Ok(()),
            Item::Declaration(declaration) => self.module_variables(declaration),
            Item::Function(function) => self.function_item(function),
            Item::Alias { span, .. } => self.unsupported(*span, "`.alias`"),
        }
    }

    fn text_of(&self, span: Span) -> &'t str {
        self.text.get(span.range()).unwrap_or("")
    }

    fn by_assembler(&self) -> bool {
        matches!(self.rules.dialect, Dialect::Ptxas(..))
    }

    fn report(&mut self, span: Span, message: String, expected: Option<String>, unsupported: bool) {
        // Of what is wrong twice the limit is kept, because they are sorted before the limit is applied. What is not supported takes
        // no place from it, and is kept, for it matters where it stands.
        if unsupported || self.wrong < 2 * DIAGNOSTIC_LIMIT {
            self.wrong += usize::from(!unsupported);
            self.diagnostics.push(Diagnostic { span, message, expected, note: None, unsupported });
        }
    }

    /// Adds to the last diagnostic why the other of text and assembler accepts what it refuses.
    fn explain(&mut self, by_text: &str, by_assembler: &str) {
        let note = if self.by_assembler() { by_text } else { by_assembler };
        if let Some(last) = self.diagnostics.last_mut()
            && !note.is_empty()
        {
            last.note = Some(note.to_string());
        }
    }

    /// Notes that the assembler deviates from the specification here.
    fn note_deviation(&mut self, deviation: Deviation, span: Span) {
        self.out.deviations.push((deviation, span));
    }

    fn fail<T>(&mut self, span: Span, message: impl Into<String>) -> Checked<T> {
        self.report(span, message.into(), None, false);
        Err(Failed)
    }

    fn fail_expected<T>(
        &mut self,
        span: Span,
        message: impl Into<String>,
        expected: impl Into<String>,
    ) -> Checked<T> {
        self.report(span, message.into(), Some(expected.into()), false);
        Err(Failed)
    }

    /// Legal, but not run by this project.
    fn unsupported<T>(&mut self, span: Span, what: impl Into<String>) -> Checked<T> {
        self.report(span, what.into(), None, true);
        Err(Failed)
    }

    /// Refuses what is newer than the module's `.version` or `.target`.
    fn gate(&mut self, span: Span, what: &str, version: u32, target: u32) -> Checked<()> {
        if self.version < version {
            return self.fail_expected(
                span,
                format!("{what} needs PTX {}.{}", version / 10, version % 10),
                format!("`.version {}.{}` or newer", version / 10, version % 10),
            );
        }
        if self.out.target < target {
            return self.fail_expected(
                span,
                format!("{what} needs sm_{target}"),
                format!("`.target sm_{target}` or newer"),
            );
        }
        Ok(())
    }

    fn function_id(&self) -> Option<FunctionId> {
        self.function.as_ref().map(|current| current.id)
    }
}
