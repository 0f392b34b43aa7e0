//! Tokens → syntax tree, by recursive descent. After an error the parser resumes after the next `;` or at the next `}`.
//!
//! | file | constructs |
//! |---|---|
//! | `module` | directives, functions and their heads |
//! | `declaration` | variables, parameters, initialisers |
//! | `statement` | function bodies and instructions |
//! | `operand` | operands |
//! | `expression`, `literal` | constant expressions and literals |

mod declaration;
mod expression;
mod literal;
mod module;
mod operand;
mod statement;

use crate::ast;
use crate::lexer::{Kind, Lexer, Token};
use crate::source::{Diagnostic, Span};

/// Maximum number of diagnostics before the parser stops.
const DIAGNOSTIC_LIMIT: usize = 50;
/// Maximum nesting of operands and expressions: more than programs need, and safe for the stack.
const NESTING_LIMIT: u32 = 100;

/// Marker of an error whose diagnostic is already recorded.
pub(crate) struct Failed;
type Parsed<T> = Result<T, Failed>;

/// Parses a whole module.
///
/// # Errors
/// Returns everything found wrong, in source order; at most 50 diagnostics.
pub fn parse(text: &str) -> Result<ast::Module, Vec<Diagnostic>> {
    let (module, diagnostics) = parse_known(text)?;
    if diagnostics.is_empty() { Ok(module) } else { Err(diagnostics) }
}

/// Parses a whole module without the instructions whose opcode is unknown; the diagnostics beside the module report those.
/// Nothing else depends on them, so the rest can still be checked.
pub(crate) fn parse_known(text: &str) -> Result<(ast::Module, Vec<Diagnostic>), Vec<Diagnostic>> {
    if text.len() >= u32::MAX as usize {
        return Err(vec![Diagnostic {
            span: Span::default(),
            message: "text of 4 GiB or more".to_string(),
            expected: None,
            note: None,
            unsupported: true,
            unchecked: true,
        }]);
    }
    let mut parser = Parser::new(text);
    let items = parser.items();
    if parser.diagnostics.len() > parser.unknown_opcodes || parser.diagnostics.len() >= DIAGNOSTIC_LIMIT {
        return Err(parser.diagnostics);
    }
    let module = ast::Module {
        text: text.into(),
        items,
        words: parser.words,
        operands: parser.operands,
        expressions: parser.expressions,
        long_literals: parser.long_literals,
        subnormal_literals: parser.subnormal_literals,
        empty_statements: parser.empty_statements,
    };
    Ok((module, parser.diagnostics))
}

/// A span in one number. It is written whole for each token: a processor waits where what was written in two parts is read in one.
#[derive(Clone, Copy)]
struct Place(u64);

impl Place {
    fn new(start: u32, end: u32) -> Self {
        Self(u64::from(end) << 32 | u64::from(start))
    }

    fn span(self) -> Span {
        Span { start: self.0 as u32, end: (self.0 >> 32) as u32 }
    }
}

pub(crate) struct Parser<'t> {
    text: &'t str,
    lexer: Lexer<'t>,
    /// Kind and place of the current token, not yet taken.
    kind: Kind,
    place: Place,
    /// End of the last token taken.
    last_end: u32,
    words: Vec<ast::Word>,
    operands: Vec<ast::Operand>,
    expressions: Vec<ast::Expression>,
    long_literals: Vec<Span>,
    subnormal_literals: Vec<Span>,
    empty_statements: Vec<Span>,
    /// Operands of incomplete lists.
    pending: Vec<ast::Operand>,
    /// Statements of the body that is being read.
    statements: Vec<ast::Statement>,
    /// Depth of the operand or expression being read.
    depth: u32,
    diagnostics: Vec<Diagnostic>,
    /// Number of diagnostics for unknown opcodes.
    unknown_opcodes: usize,
}

impl<'t> Parser<'t> {
    fn new(text: &'t str) -> Self {
        let mut lexer = Lexer::new(text);
        let (kind, start) = lexer.advance();
        let place = Place::new(start, lexer.position());
        // An instruction takes some 30 to 40 bytes of text.
        let instructions = text.len() / 40;
        Self {
            text,
            lexer,
            kind,
            place,
            last_end: 0,
            words: Vec::with_capacity(instructions),
            operands: Vec::with_capacity(instructions * 3),
            expressions: Vec::new(),
            long_literals: Vec::new(),
            subnormal_literals: Vec::new(),
            empty_statements: Vec::new(),
            pending: Vec::with_capacity(16),
            statements: Vec::new(),
            depth: 0,
            diagnostics: Vec::new(),
            unknown_opcodes: 0,
        }
    }

    fn text_of(&self, span: Span) -> &'t str {
        &self.text[span.range()]
    }

    /// Whether the text of a span is this word.
    fn spells(&self, span: Span, word: &str) -> bool {
        span.range().len() == word.len() && self.text_of(span) == word
    }

    /// The span of the current token.
    fn span(&self) -> Span {
        self.place.span()
    }

    /// Takes the current token.
    #[inline]
    fn bump(&mut self) -> Token {
        let token = Token { kind: self.kind, span: self.span() };
        self.last_end = token.span.end;
        let (kind, start) = self.lexer.advance();
        self.kind = kind;
        self.place = Place::new(start, self.lexer.position());
        token
    }

    fn at(&self, kind: Kind) -> bool {
        self.kind == kind
    }

    /// Takes the token if it has this kind.
    fn eat(&mut self, kind: Kind) -> Option<Token> {
        self.at(kind).then(|| self.bump())
    }

    fn expect(&mut self, kind: Kind, expected: &str) -> Parsed<Token> {
        if self.at(kind) { Ok(self.bump()) } else { self.fail_here(expected) }
    }

    /// The word after the dot, if the current token is one.
    fn word(&self) -> Option<&'t str> {
        self.at(Kind::Word).then(|| &self.text_of(self.span())[1..])
    }

    /// Takes the token if it is this word.
    fn eat_word(&mut self, word: &str) -> Option<Token> {
        (self.word() == Some(word)).then(|| self.bump())
    }

    /// The span from `start` to the last token taken.
    fn since(&self, start: u32) -> Span {
        Span { start, end: self.last_end.max(start) }
    }

    fn report(&mut self, span: Span, message: String, expected: Option<String>) {
        if self.diagnostics.len() < DIAGNOSTIC_LIMIT {
            self.diagnostics.push(Diagnostic {
                span,
                message,
                expected,
                note: None,
                unsupported: false,
                unchecked: false,
            });
        }
    }

    fn fail<T>(&mut self, span: Span, message: impl Into<String>, expected: Option<&str>) -> Parsed<T> {
        self.report(span, message.into(), expected.map(str::to_string));
        Err(Failed)
    }

    /// Reports that the current token is not the expected one.
    fn fail_here<T>(&mut self, expected: &str) -> Parsed<T> {
        let span = self.span();
        let text = self.text_of(span);
        let message = match self.kind {
            Kind::End => "unexpected end of the text".to_string(),
            Kind::Bad if text.starts_with("/*") => "comment without its `*/`".to_string(),
            Kind::Bad if text.starts_with('"') => "string that does not end".to_string(),
            Kind::Bad => format!("unexpected character `{}`", text.escape_debug()),
            _ => format!("unexpected `{text}`"),
        };
        // A caret under a whole unterminated comment would hide the place.
        let end = if self.kind == Kind::Bad {
            span.end.min(span.start + text.chars().next().map_or(0, char::len_utf8) as u32)
        } else {
            span.end
        };
        self.fail(Span { start: span.start, end }, message, Some(expected))
    }

    /// Runs `parse` one level deeper.
    fn nested<T>(&mut self, parse: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        if self.depth >= NESTING_LIMIT {
            return self.fail(self.span(), format!("nested deeper than {NESTING_LIMIT} levels"), None);
        }
        self.depth += 1;
        let result = parse(self);
        self.depth -= 1;
        result
    }

    /// Skips past the next `;`, or to the next brace.
    fn recover(&mut self) {
        self.depth = 0;
        self.pending.clear();
        loop {
            match self.kind {
                Kind::Semicolon => {
                    self.bump();
                    return;
                }
                Kind::BraceClose | Kind::End => return,
                // The next line starts a new statement when the semicolon itself is what was forgotten.
                Kind::Identifier | Kind::At if self.on_new_line() => return,
                Kind::BraceOpen => self.skip_braces(),
                _ => {
                    self.bump();
                }
            }
        }
    }

    /// Whether a line break lies between the last token taken and the current one.
    fn on_new_line(&self) -> bool {
        self.text[self.last_end as usize..self.span().start as usize].contains('\n')
    }

    /// Skips a `{ … }` with its contents.
    fn skip_braces(&mut self) {
        let mut depth = 0u32;
        loop {
            match self.kind {
                Kind::BraceOpen => depth += 1,
                Kind::BraceClose => depth -= 1,
                Kind::End => return,
                _ => {}
            }
            self.bump();
            if depth == 0 {
                return;
            }
        }
    }
}
