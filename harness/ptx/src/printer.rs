//! Syntax tree → source text, one statement a line. Comments are lost; every token stays as written.

use crate::ast::{
    Attribute, CallPrototype, Declaration, Declarator, Function, FunctionDirective, Initializer,
    InitializerPart, Instruction, Item, Linkage, List, Module, Operand, Statement,
};
use crate::lexer::{Kind, Lexer};
use crate::source::Span;

/// The source text of a module; parsing it gives an equal module.
pub fn print(module: &Module) -> String {
    let mut printer = Printer::new(module, &|_| None);
    module.items.iter().for_each(|item| printer.item(item));
    printer.out
}

/// The source text of a module without its head (`.version`, `.target`, `.address_size`). `rename` may replace each name:
/// variables, functions, registers, parameters and labels, wherever they are declared or used. Words of instructions,
/// members of opaque variables and constructs kept as written (`.pragma`, `.loc`, `.section`) are not names.
///
/// A name is replaced in every scope alike, so the meaning is kept if the new names are distinct and not yet used in the
/// module.
pub fn print_body_renamed(module: &Module, rename: &dyn Fn(&str) -> Option<String>) -> String {
    let mut printer = Printer::new(module, rename);
    for item in &module.items {
        if !matches!(item, Item::Version { .. } | Item::Target { .. } | Item::AddressSize { .. }) {
            printer.item(item);
        }
    }
    printer.out
}

struct Printer<'m> {
    module: &'m Module,
    rename: &'m dyn Fn(&str) -> Option<String>,
    out: String,
}

impl<'m> Printer<'m> {
    fn new(module: &'m Module, rename: &'m dyn Fn(&str) -> Option<String>) -> Self {
        Self { module, rename, out: String::with_capacity(module.text.len()) }
    }
}

impl Printer<'_> {
    fn push(&mut self, text: &str) {
        self.out.push_str(text);
    }

    fn span(&mut self, span: Span) {
        self.out.push_str(self.module.text_of(span));
    }

    /// A name, or its replacement.
    fn name(&mut self, span: Span) {
        match (self.rename)(self.module.text_of(span)) {
            Some(other) => self.push(&other),
            None => self.span(span),
        }
    }

    /// The tokens of a constant, including names, with blanks only where two tokens would otherwise merge.
    fn tight(&mut self, span: Span) {
        self.tokens(span, Self::name);
    }

    /// The tokens of a span; `identifier` writes the identifiers; blanks only where two tokens would otherwise merge.
    fn tokens(&mut self, span: Span, identifier: fn(&mut Self, Span)) {
        let mut lexer = Lexer::of_span(&self.module.text, span);
        let mut last = Kind::End;
        loop {
            let token = lexer.next();
            if token.kind == Kind::End {
                return;
            }
            if merges(last, token.kind) {
                self.push(" ");
            }
            match token.kind {
                Kind::Identifier => identifier(self, token.span),
                _ => self.span(token.span),
            }
            last = token.kind;
        }
    }

    /// The tokens of a span, with a blank between any two except before `,` and `;`.
    fn spaced(&mut self, span: Span) {
        let mut lexer = Lexer::of_span(&self.module.text, span);
        let mut first = true;
        loop {
            let token = lexer.next();
            if token.kind == Kind::End {
                return;
            }
            if !first && !matches!(token.kind, Kind::Comma | Kind::Semicolon) {
                self.push(" ");
            }
            self.span(token.span);
            first = false;
        }
    }

    fn item(&mut self, item: &Item) {
        match item {
            Item::Version { span, .. } | Item::Target { span, .. } | Item::AddressSize { span, .. } => {
                self.spaced(*span);
            }
            Item::Declaration(declaration) => self.declaration(declaration),
            Item::Function(function) => self.function(function),
            Item::Alias { name, target, .. } => {
                self.push(".alias ");
                self.name(*name);
                self.push(", ");
                self.name(*target);
                self.push(";");
            }
            Item::Raw(span) | Item::Section(span) => self.spaced(*span),
        }
        self.push("\n");
    }

    fn linkage(&mut self, linkage: &[(Linkage, Span)]) {
        for (_, span) in linkage {
            self.span(*span);
            self.push(" ");
        }
    }

    fn declaration(&mut self, declaration: &Declaration) {
        self.linkage(&declaration.linkage);
        self.declaration_without_linkage(declaration);
        self.push(";");
    }

    /// The head's tokens in the order written (`.align` may stand before the space), then the names.
    fn declaration_without_linkage(&mut self, declaration: &Declaration) {
        let after_linkage = declaration.linkage.last().map_or(declaration.span.start, |(_, span)| span.end);
        let head_end = declaration.declarators.first().map_or(declaration.span.end, |first| first.name.start);
        self.spaced_head(Span { start: after_linkage, end: head_end });
        for (i, declarator) in declaration.declarators.iter().enumerate() {
            self.push(if i == 0 { " " } else { ", " });
            self.declarator(declarator);
        }
    }

    /// As [`Self::spaced`], without blanks at parentheses: `.attribute(.managed)`.
    fn spaced_head(&mut self, span: Span) {
        let mut lexer = Lexer::of_span(&self.module.text, span);
        let mut last = Kind::End;
        loop {
            let token = lexer.next();
            let closed = matches!(token.kind, Kind::ParenOpen | Kind::ParenClose | Kind::Comma);
            match token.kind {
                Kind::End => return,
                _ if last == Kind::End || last == Kind::ParenOpen || closed => {}
                _ => self.push(" "),
            }
            self.span(token.span);
            last = token.kind;
        }
    }

    fn declarator(&mut self, declarator: &Declarator) {
        self.name(declarator.name);
        if let Some(count) = declarator.count {
            self.push("<");
            self.tight(count.span);
            self.push(">");
        }
        for dimension in &declarator.dimensions {
            self.tight(dimension.span);
        }
        if let Some(initializer) = &declarator.initializer {
            self.push(" = ");
            self.initializer(initializer);
        }
    }

    fn initializer(&mut self, initializer: &Initializer) {
        let mut separate = false;
        for part in &initializer.parts {
            if separate && !matches!(part, InitializerPart::Close(_)) {
                self.push(", ");
            }
            separate = !matches!(part, InitializerPart::Open(_));
            match part {
                InitializerPart::Open(_) => self.push("{"),
                InitializerPart::Close(_) => self.push("}"),
                InitializerPart::Value(value) => self.tight(value.span),
                InitializerPart::Member { name, value } => {
                    self.span(*name);
                    self.push(" = ");
                    // An enumerator looks like a name and is none.
                    self.tokens(value.span, Self::span);
                }
            }
        }
    }

    fn parameters(&mut self, parameters: &[Declaration]) {
        self.push("(");
        for (i, parameter) in parameters.iter().enumerate() {
            if i > 0 {
                self.push(", ");
            }
            self.declaration_without_linkage(parameter);
        }
        self.push(")");
    }

    fn directives(&mut self, directives: &[FunctionDirective], separator: &str) {
        for directive in directives {
            self.push(separator);
            self.spaced(directive.span);
        }
    }

    fn function(&mut self, function: &Function) {
        self.linkage(&function.linkage);
        self.push(if function.entry { ".entry " } else { ".func " });
        self.attributes(function);
        if let Some(returns) = &function.returns {
            self.parameters(returns);
            self.push(" ");
        }
        self.name(function.name);
        if let Some(parameters) = &function.parameters {
            self.parameters(parameters);
        }
        self.directives(&function.directives, "\n");
        let Some(body) = &function.body else {
            // A pragma among the directives has a semicolon of its own; the declaration ends with another.
            self.push(";");
            return;
        };
        self.push("\n{\n");
        let mut depth = 1;
        for statement in body {
            if matches!(statement, Statement::Close(_)) {
                depth -= 1;
            }
            let indent = if matches!(statement, Statement::Label(_)) { depth - 1 } else { depth };
            for _ in 0..indent.min(16) {
                self.push("    ");
            }
            self.statement(statement);
            self.push("\n");
            if matches!(statement, Statement::Open(_)) {
                depth += 1;
            }
        }
        self.push("}\n");
    }

    fn attributes(&mut self, function: &Function) {
        if function.attributes.is_empty() {
            return;
        }
        self.push(".attribute(");
        for (i, attribute) in function.attributes.iter().enumerate() {
            if i > 0 {
                self.push(", ");
            }
            match attribute {
                Attribute::Managed(span) => self.span(*span),
                Attribute::Unified(span) => self.spaced_head(*span),
            }
        }
        self.push(") ");
    }

    fn statement(&mut self, statement: &Statement) {
        match statement {
            Statement::Open(_) => self.push("{"),
            Statement::Close(_) => self.push("}"),
            Statement::Label(name) => {
                self.name(*name);
                self.push(":");
            }
            Statement::Instruction(instruction) => self.instruction(instruction),
            Statement::Declaration(declaration) => self.declaration(declaration),
            Statement::Raw(span) => self.spaced(*span),
            Statement::BranchTargets { label, targets, .. } => {
                self.target_list(*label, ".branchtargets", *targets)
            }
            Statement::CallTargets { label, targets, .. } => {
                self.target_list(*label, ".calltargets", *targets)
            }
            Statement::CallPrototype(prototype) => self.call_prototype(prototype),
        }
    }

    fn target_list(&mut self, label: Span, directive: &str, targets: List) {
        self.name(label);
        self.push(": ");
        self.push(directive);
        self.push(" ");
        self.operands(targets);
        self.push(";");
    }

    fn call_prototype(&mut self, prototype: &CallPrototype) {
        self.name(prototype.label);
        self.push(": .callprototype ");
        if let Some(returns) = &prototype.returns {
            self.parameters(returns);
            self.push(" ");
        }
        self.name(prototype.name);
        if let Some(parameters) = &prototype.parameters {
            self.push(" ");
            self.parameters(parameters);
        }
        self.directives(&prototype.directives, " ");
        self.push(";");
    }

    fn instruction(&mut self, instruction: &Instruction) {
        if let Some(guard) = instruction.guard {
            self.push(if guard.negated { "@!" } else { "@" });
            self.name(guard.name);
            self.push(" ");
        }
        self.span(instruction.opcode_span);
        let module = self.module;
        for word in module.words_of(instruction.words) {
            self.span(word.span);
        }
        if !instruction.operands.is_empty() {
            self.push(" ");
            self.operands(instruction.operands);
        }
        self.push(";");
    }

    fn operands(&mut self, list: List) {
        let module = self.module;
        for (i, operand) in module.operands_of(list).iter().enumerate() {
            if i > 0 {
                self.push(", ");
            }
            self.operand(operand);
        }
    }

    fn operand(&mut self, operand: &Operand) {
        match *operand {
            Operand::Name(name) => self.name(name),
            Operand::Sink(name) => self.span(name),
            Operand::Component { name, component } => {
                self.name(name);
                self.span(component);
            }
            Operand::Negated(name) => {
                self.push("!");
                self.name(name);
            }
            Operand::Minus { name, component } => {
                self.push("-");
                self.name(name);
                component.into_iter().for_each(|component| self.span(component));
            }
            Operand::Offset { name, offset } => {
                self.name(name);
                self.push("+");
                self.tight(offset.span);
            }
            Operand::Constant(constant) => self.tight(constant.span),
            Operand::Vector { items, resident, .. } => {
                self.enclosed("{", items, "}");
                if let Some(resident) = resident {
                    self.push("|");
                    self.span(resident);
                }
            }
            Operand::Bracket { items, unified, .. } => {
                self.enclosed("[", items, "]");
                if unified.is_some() {
                    self.push(".unified");
                }
            }
            Operand::Element { name, index, .. } => {
                self.name(name);
                self.enclosed("[", index, "]");
            }
            Operand::Group { items, .. } => self.enclosed("(", items, ")"),
            Operand::Pair { items, .. } => {
                let module = self.module;
                for (i, operand) in module.operands_of(items).iter().enumerate() {
                    if i > 0 {
                        self.push("|");
                    }
                    self.operand(operand);
                }
            }
        }
    }

    fn enclosed(&mut self, open: &str, items: List, close: &str) {
        self.push(open);
        self.operands(items);
        self.push(close);
    }
}

/// Whether the two tokens would be read differently without a blank between them.
fn merges(left: Kind, right: Kind) -> bool {
    let wordy = |kind| {
        matches!(
            kind,
            Kind::Identifier
                | Kind::Word
                | Kind::Integer
                | Kind::Decimal
                | Kind::Hex32
                | Kind::Hex64
                | Kind::Percent
        )
    };
    let operator = |kind| {
        matches!(
            kind,
            Kind::Less
                | Kind::Greater
                | Kind::Equals
                | Kind::Bang
                | Kind::Ampersand
                | Kind::Bar
                | Kind::Slash
                | Kind::Star
                | Kind::ShiftLeft
                | Kind::ShiftRight
                | Kind::LessEqual
                | Kind::GreaterEqual
                | Kind::EqualEqual
                | Kind::BangEqual
                | Kind::AndAnd
                | Kind::OrOr
                | Kind::Colon
        )
    };
    wordy(left) && wordy(right) || operator(left) && operator(right)
}
