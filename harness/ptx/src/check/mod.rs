//! Syntax tree → checked module: names resolved, variables laid out, every form looked up in the tables.
//!
//! | file | subject |
//! |---|---|
//! | `target` | `.version`, `.target` and the rules that depend on them |
//! | `scope` | names |
//! | `constant` | constant expressions |
//! | `linkage` | definitions inside and outside the module |
//! | `variable`, `opaque_variable`, `initializer`, `initial_address`, `opaque_initializer`, `contents` | declarations and their bytes |
//! | `function`, `parameter`, `shared_memory` | heads, bodies and parameters; shared memory of a kernel |
//! | `constant_memory` | `.const` memory of the module |
//! | `instruction`, `words`, `matched_forms` | an instruction against the tables; its words by kind; what earlier ones matched |
//! | `operand`, `plain_register`, `address`, `moves`, `surface`, `texture`, `call` | operands |
//! | `fixed_shape` | operands of one shape alone: a pair, a tuple of four, a register of bits, zero |
//! | `video` | operands of video instructions |
//! | `agreement`, `tuple` | agreement of registers with types, and of tuple elements with each other |
//! | `forms` | the legality tables |

mod address;
mod agreement;
mod call;
mod constant;
mod constant_memory;
mod contents;
mod fixed_shape;
mod forms;
mod function;
mod initial_address;
mod initializer;
mod instruction;
mod linkage;
mod matched_forms;
mod moves;
mod opaque_initializer;
mod opaque_variable;
mod operand;
mod overlooked;
mod parameter;
mod plain_register;
mod scope;
mod shared_memory;
mod surface;
mod target;
mod texture;
mod texture_options;
mod tuple;
mod variable;
mod video;
mod words;

use std::fmt::Display;

use warpdiff_model::Deviation;

use crate::ast::{self, Item, Statement};
use crate::checked::{FunctionId, Module, Register};
use crate::parser::{parse, parse_known};
use crate::source::{Diagnostic, Span};
use crate::vocabulary::Space;
use matched_forms::MatchedForms;
use scope::Scopes;

pub use forms::{Form, Pattern, Role, Slot, TypeOf, forms_to_run, needed_target};

/// Maximum number of diagnostics listed.
const DIAGNOSTIC_LIMIT: usize = 50;

/// The authority that decides legality.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Dialect {
    /// The PTX ISA specification, its printed examples included.
    #[default]
    Spec,
    /// NVIDIA's assembler of that version: `Ptxas(12, 9)`.
    Ptxas(u32, u32),
}

/// The rules a program is checked against. Its own `.version` and `.target` apply; the maxima refuse newer ones.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Rules {
    /// The authority that decides legality.
    pub dialect: Dialect,
    /// Newest `.version` accepted; `None` for no limit.
    pub max_version: Option<(u32, u32)>,
    /// Newest `.target` accepted, as a number: 90. `None` for no limit.
    pub max_target: Option<u32>,
    /// Whether the assembler makes a relocatable object (`--compile-only`), which can be linked to others. The
    /// specification has no such notion.
    pub relocatable: bool,
    /// Whether a linker runs where one is needed: a program that uses `.unified` is then made a relocatable object.
    pub linked: bool,
}

impl Rules {
    /// The rules for a program to be run: those of ptxas 12.9. It accepts `.unified` only in relocatable objects, so a
    /// program with such variables still needs a linker.
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
/// Returns everything that the parser finds wrong; if that is only unknown opcodes, also everything that the checker finds.
pub fn compile(text: &str, rules: &Rules) -> Result<Module, Vec<Diagnostic>> {
    let (module, mut unknown) = parse_known(text)?;
    let checked = check(text, &module, rules);
    if unknown.is_empty() {
        return checked;
    }
    unknown.extend(checked.err().unwrap_or_default());
    Err(listed(unknown))
}

/// Parses and checks a program for its variables: the module omits legal constructs that this project does not run and that
/// are no variables in memory; the diagnostics beside the module list them.
///
/// # Errors
/// Returns everything found wrong, and every unsupported construct other than an instruction; at most 50 diagnostics.
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

/// Spans, in source order, where an unsupported construct does not affect the variables of a module: instructions, and the
/// state spaces that only the specification allows at module scope.
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

/// Checks a parsed module; `text` is its source text.
///
/// # Errors
/// Returns everything found wrong, in source order; at most 50 diagnostics.
pub fn check(text: &str, module: &ast::Module, rules: &Rules) -> Result<Module, Vec<Diagnostic>> {
    let (checked, diagnostics) = examine(text, module, rules);
    if diagnostics.is_empty() { Ok(checked) } else { Err(diagnostics) }
}

/// Checks a parsed module. Returns its legal part, with the deviations of the assembler, and everything found wrong or not
/// supported, in source order; at most 50 diagnostics.
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

/// The diagnostics up to the limit, in source order. Errors take precedence over unsupported constructs: many unsupported
/// constructs do not make a program legal. The first of these is always there: errors may only follow from it.
fn listed(mut diagnostics: Vec<Diagnostic>) -> Vec<Diagnostic> {
    diagnostics.sort_by_key(|it| (it.unsupported, it.span.start));
    let first = diagnostics.partition_point(|it| !it.unsupported);
    if first >= DIAGNOSTIC_LIMIT && first < diagnostics.len() {
        diagnostics.swap(DIAGNOSTIC_LIMIT - 1, first);
    }
    diagnostics.truncate(DIAGNOSTIC_LIMIT);
    diagnostics.sort_by_key(|it| it.span.start);
    diagnostics
}

/// Marker of an error whose diagnostic is already recorded.
struct Failed;
type Checked<T> = Result<T, Failed>;

struct Checker<'t> {
    text: &'t str,
    ast: &'t ast::Module,
    rules: Rules,
    out: Module,
    /// Ten times the major version plus the minor one.
    version: u32,
    /// The target as named, behind its `sm_`: `100a`.
    target_name: &'t str,
    scopes: Scopes<'t>,
    /// The function being checked.
    function: Option<function::Current<'t>>,
    /// Registers of module scope, which by the specification belong to every function.
    module_registers: Vec<Register>,
    diagnostics: Vec<Diagnostic>,
    /// Number of diagnostics that are errors, not unsupported constructs.
    wrong: usize,
    matched_forms: MatchedForms,
    /// Whether there are registers of type `.f16x2`.
    packed_registers: bool,
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
            target_name: "",
            scopes: Scopes::new(),
            function: None,
            module_registers: Vec::new(),
            diagnostics: Vec::new(),
            wrong: 0,
            matched_forms: MatchedForms::new(),
            packed_registers: false,
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
            Item::Alias { span, .. } => self.unchecked(*span, "`.alias`"),
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
            let unchecked = false;
            self.diagnostics.push(Diagnostic { span, message, expected, note: None, unsupported, unchecked });
        }
    }

    /// Adds a note to the last diagnostic: why the other authority, specification or assembler, accepts the construct.
    fn explain(&mut self, by_text: &str, by_assembler: &str) {
        let note = if self.by_assembler() { by_text } else { by_assembler };
        if let Some(last) = self.diagnostics.last_mut()
            && !note.is_empty()
        {
            last.note = Some(note.to_string());
        }
    }

    /// Records that the assembler deviates from the specification here.
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

    /// Reports a construct that is legal but not run by this project.
    fn unsupported<T>(&mut self, span: Span, what: impl Into<String>) -> Checked<T> {
        self.report(span, what.into(), None, true);
        Err(Failed)
    }

    /// Reports a construct that this project does not run and of which it does not know what is legal.
    fn unchecked<T>(&mut self, span: Span, what: impl Into<String>) -> Checked<T> {
        self.report(span, what.into(), None, true);
        if let Some(last) = self.diagnostics.last_mut() {
            last.unchecked = true;
        }
        Err(Failed)
    }

    /// Refuses a construct that is newer than the module's `.version` or `.target`.
    fn gate(&mut self, span: Span, what: impl Display, version: u32, target: u32) -> Checked<()> {
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
