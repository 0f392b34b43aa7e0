//! Syntax tree → checked module: names resolved, variables laid out, every form looked up in the tables.
//!
//! | file | what it holds |
//! |---|---|
//! | `target` | `.version`, `.target` and what follows from them |
//! | `scope` | names |
//! | `constant` | constant expressions |
//! | `elsewhere` | what the module defines, and what it does not |
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
mod elsewhere;
mod forms;
mod function;
mod initial_address;
mod initializer;
mod instruction;
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

use crate::ast::{self, Item};
use crate::checked::{FunctionId, Module};
use crate::departure::Departure;
use crate::parser::parse_known;
use crate::source::{Diagnostic, Span};
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
    unknown.sort_by_key(|diagnostic| diagnostic.span.start);
    unknown.truncate(DIAGNOSTIC_LIMIT);
    Err(unknown)
}

/// Checks a parsed module; `text` is what it was parsed from.
///
/// # Errors
/// Everything found wrong, in the order of the text; at most 50 diagnostics.
pub fn check(text: &str, module: &ast::Module, rules: &Rules) -> Result<Module, Vec<Diagnostic>> {
    let relocatable = rules.relocatable || rules.linked && module.speaks_of_unified();
    let mut checker = Checker::new(text, module, &Rules { relocatable, ..*rules });
    checker.module();
    checker.out.departures.sort_by_key(|(_, span)| span.start);
    let mut diagnostics = checker.diagnostics;
    if diagnostics.is_empty() {
        return Ok(checker.out);
    }
    diagnostics.sort_by_key(|diagnostic| diagnostic.span.start);
    diagnostics.truncate(DIAGNOSTIC_LIMIT);
    Err(diagnostics)
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
    diagnostics: Vec<Diagnostic>,
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
            departures: Vec::new(),
        };
        Self {
            text,
            ast,
            rules: *rules,
            out,
            version: 10,
            scopes: Scopes::new(),
            function: None,
            diagnostics: Vec::new(),
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
        // Twice the limit is kept, because they are sorted before the limit is applied.
        if self.diagnostics.len() < 2 * DIAGNOSTIC_LIMIT {
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

    /// Notes that the assembler departs from the text here.
    fn depart(&mut self, departure: Departure, span: Span) {
        self.out.departures.push((departure, span));
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
