//! The syntax of declarations: variables, registers, parameters.

use super::{Parsed, Parser};
use crate::ast::{
    Attribute, Constant, ConstantValue, Declaration, Declarator, Dimension, ExpressionKind, Initializer,
    InitializerPart, Linkage, Pointer,
};
use crate::lexer::Kind;
use crate::source::Span;
use crate::vocabulary::{Space, Type};

/// Maximum nesting of brackets in an initialiser.
const INITIALIZER_NESTING: u32 = 32;
/// Maximum number of dimensions of an array.
const DIMENSIONS: usize = 32;

/// The linkage directive with that spelling, without the dot.
pub(super) fn linkage(word: &str) -> Option<Linkage> {
    Some(match word {
        "extern" => Linkage::Extern,
        "visible" => Linkage::Visible,
        "weak" => Linkage::Weak,
        "common" => Linkage::Common,
        _ => return None,
    })
}

/// The state space that a declaration word names; `.shared::cta` is `.shared`.
fn space(word: &str) -> Option<Space> {
    match word {
        "shared::cta" => Some(Space::Shared),
        _ => Space::from_text(word),
    }
}

/// The part of a declaration before its names.
struct Head {
    aligns: Vec<(Constant, Span)>,
    attributes: Vec<Attribute>,
    space: Option<(Space, Span)>,
    bank: Option<Span>,
    vector: u32,
    ty: Option<(Type, Span)>,
    pointer: Option<Pointer>,
}

impl Parser<'_> {
    /// Parses a declaration with its semicolon; the linkage directives are already read.
    pub(super) fn declaration(&mut self, start: u32, linkage: Vec<(Linkage, Span)>) -> Parsed<Declaration> {
        let head = self.declaration_head(false)?;
        let mut declarators = Vec::with_capacity(1);
        if self.at(Kind::Semicolon) {
            // A declaration of nothing: for the checker to refuse.
            let declaration = self.finish(start, linkage, head, declarators);
            self.bump();
            return declaration;
        }
        loop {
            declarators.push(self.declarator()?);
            if self.eat(Kind::Comma).is_none() {
                break;
            }
        }
        self.expect(Kind::Semicolon, "`,`, `;`, `[`, `<` or `=`")?;
        self.finish(start, linkage, head, declarators)
    }

    /// A parameter: one declarator, no semicolon.
    pub(super) fn parameter(&mut self) -> Parsed<Declaration> {
        let start = self.span().start;
        let head = self.declaration_head(true)?;
        // A name left out is for the checker to refuse; the empty span stands for it.
        let declarator = match self.kind {
            Kind::Comma | Kind::ParenClose => {
                let span = Span { start: self.last_end, end: self.last_end };
                Declarator { name: span, count: None, dimensions: Vec::new(), initializer: None, span }
            }
            _ => self.declarator()?,
        };
        self.finish(start, Vec::new(), head, vec![declarator])
    }

    fn finish(
        &mut self,
        start: u32,
        linkage: Vec<(Linkage, Span)>,
        head: Head,
        declarators: Vec<Declarator>,
    ) -> Parsed<Declaration> {
        let (Some((space, space_span)), Some((ty, ty_span))) = (head.space, head.ty) else {
            return self.fail(self.since(start), "declaration without state space or type", None);
        };
        Ok(Declaration {
            linkage,
            space,
            space_span,
            bank: head.bank,
            aligns: head.aligns,
            attributes: head.attributes,
            vector: head.vector,
            ty,
            ty_span,
            pointer: head.pointer,
            declarators,
            span: self.since(start),
        })
    }

    /// Space, alignment, attributes, vector and type, and `.ptr` of a parameter. The assembler accepts `.align` and
    /// `.attribute` anywhere before the type, even before the space.
    fn declaration_head(&mut self, parameter: bool) -> Parsed<Head> {
        let mut head = Head {
            aligns: Vec::new(),
            attributes: Vec::new(),
            space: None,
            bank: None,
            vector: 1,
            ty: None,
            pointer: None,
        };
        while head.ty.is_none() {
            let Some(word) = self.word() else {
                return self.fail_here(if head.space.is_none() { "a state space" } else { "a type" });
            };
            let span = self.span();
            match word {
                "align" if head.vector == 1 => self.align(&mut head)?,
                "attribute" if head.vector == 1 => self.attributes(&mut head.attributes)?,
                "v2" | "v4" if head.space.is_some() && head.vector == 1 => {
                    self.bump();
                    head.vector = if word == "v2" { 2 } else { 4 };
                }
                _ if head.space.is_none() => match space(word) {
                    Some(space) => {
                        self.bump();
                        head.space = Some((space, span));
                        if space == Space::Const && self.at(Kind::BracketOpen) {
                            head.bank = Some(self.bank()?);
                        }
                    }
                    None => {
                        return self.fail(
                            span,
                            format!("unknown state space or directive `.{word}`"),
                            Some("`.reg`, `.global`, `.const`, `.shared`, `.local` or `.param`"),
                        );
                    }
                },
                _ => match Type::from_text(word) {
                    Some(ty) => {
                        self.bump();
                        head.ty = Some((ty, span));
                    }
                    None => {
                        return self.fail(
                            span,
                            format!("unknown type `.{word}`"),
                            Some("a type such as `.u32`, `.b64` or `.f32`"),
                        );
                    }
                },
            }
        }
        if parameter && self.eat_word("ptr").is_some() {
            head.pointer = Some(self.pointer()?);
        }
        Ok(head)
    }

    /// `[2]` of `.const[2]` (PTX ISA 5.1.3.1).
    fn bank(&mut self) -> Parsed<Span> {
        let start = self.bump().span.start;
        self.expect(Kind::Integer, "the number of a bank")?;
        self.expect(Kind::BracketClose, "`]`")?;
        Ok(self.since(start))
    }

    fn align(&mut self, head: &mut Head) -> Parsed<()> {
        let start = self.bump().span.start;
        let value = self.number()?;
        head.aligns.push((value, self.since(start)));
        Ok(())
    }

    /// `.ptr {.space} {.align N}` of a kernel parameter (PTX ISA 5.1.6.2).
    fn pointer(&mut self) -> Parsed<Pointer> {
        let mut pointer = Pointer { space: None, opaque: None, align: None };
        if let Some(word) = self.word().filter(|word| *word != "align") {
            match (Space::from_text(word), Type::from_text(word)) {
                (Some(space @ (Space::Const | Space::Global | Space::Local | Space::Shared)), _) => {
                    pointer.space = Some(space);
                }
                (_, Some(ty)) if ty.is_opaque() => pointer.opaque = Some(self.span()),
                _ => return self.fail_here("`.const`, `.global`, `.local` or `.shared`"),
            }
            self.bump();
        }
        if self.eat_word("align").is_some() {
            pointer.align = Some(self.number()?);
        }
        Ok(pointer)
    }

    /// `.attribute(.managed, .unified(1, 2))`
    pub(super) fn attributes(&mut self, attributes: &mut Vec<Attribute>) -> Parsed<()> {
        self.bump();
        self.expect(Kind::ParenOpen, "`(`")?;
        loop {
            let span = self.span();
            match self.word() {
                Some("managed") => {
                    self.bump();
                    attributes.push(Attribute::Managed(span));
                }
                Some("unified") => {
                    self.bump();
                    self.expect(Kind::ParenOpen, "`(`")?;
                    self.number()?;
                    self.expect(Kind::Comma, "`,`")?;
                    self.number()?;
                    self.expect(Kind::ParenClose, "`)`")?;
                    attributes.push(Attribute::Unified(self.since(span.start)));
                }
                _ => return self.fail_here("`.managed` or `.unified(…)`"),
            }
            if self.eat(Kind::Comma).is_none() {
                break;
            }
        }
        self.expect(Kind::ParenClose, "`,` or `)`")?;
        Ok(())
    }

    fn declarator(&mut self) -> Parsed<Declarator> {
        let name = self.expect(Kind::Identifier, "a name")?.span;
        let count = if self.eat(Kind::Less).is_some() {
            let count = self.number()?;
            self.expect(Kind::Greater, "`>`")?;
            Some(count)
        } else {
            None
        };
        let mut dimensions = Vec::new();
        while count.is_none() && self.at(Kind::BracketOpen) {
            let start = self.bump().span.start;
            let extent = if self.at(Kind::BracketClose) { None } else { Some(self.constant()?) };
            self.expect(Kind::BracketClose, "`]`")?;
            if dimensions.len() == DIMENSIONS {
                return self.fail(self.since(start), format!("more than {DIMENSIONS} dimensions"), None);
            }
            dimensions.push(Dimension { extent, span: self.since(start) });
        }
        let initializer = if self.eat(Kind::Equals).is_some() { Some(self.initializer()?) } else { None };
        Ok(Declarator { name, count, dimensions, initializer, span: self.since(name.start) })
    }

    fn initializer(&mut self) -> Parsed<Initializer> {
        let start = self.span().start;
        let mut parts = Vec::new();
        let mut depth = 0;
        loop {
            // An element …
            if self.at(Kind::BraceOpen) {
                if depth == INITIALIZER_NESTING {
                    return self.fail_here("fewer nested lists");
                }
                parts.push(InitializerPart::Open(self.bump().span));
                depth += 1;
                if !self.at(Kind::BraceClose) {
                    continue;
                }
            } else {
                parts.push(self.initializer_value()?);
            }
            // … the ends of the lists it ends …
            while depth > 0 && self.at(Kind::BraceClose) {
                parts.push(InitializerPart::Close(self.bump().span));
                depth -= 1;
            }
            // … and a comma if the list goes on.
            if depth == 0 {
                return Ok(Initializer { parts, span: self.since(start) });
            }
            self.expect(Kind::Comma, "`,` or `}`")?;
        }
    }

    fn initializer_value(&mut self) -> Parsed<InitializerPart> {
        let value = self.initial_value()?;
        if !self.at(Kind::Equals) {
            return Ok(InitializerPart::Value(value));
        }
        let is_name = match value.value {
            ConstantValue::Expression(id) => self.expressions[id as usize].kind == ExpressionKind::Name,
            _ => false,
        };
        if !is_name {
            return self.fail_here("`,` or `}`");
        }
        self.bump();
        Ok(InitializerPart::Member { name: value.span, value: self.initial_value()? })
    }
}
