//! Instructions from registers to registers: every form that the front end has, the reference runs, the assembler takes and the specification decides.
//!
//! Words and the classes of registers come from those tables. What stands here is what they do not say: which sources have to be drawn with
//! care (`BIASED`), and which opcodes have no place in a program of independent threads, and why ([`left_out`]).

use std::collections::HashSet;

use warpdiff_ptx::ast::WordKind;
use warpdiff_ptx::checked::Subject;
use warpdiff_ptx::forms::{Form as Row, Pattern, Role, TypeOf, forms_to_run, needed_target};
use warpdiff_ptx::vocabulary::{Modifier, Opcode, Type};

use crate::specimen::Class;
use crate::values::Value;
use crate::video::{self, May};

/// A form with one choice of its words.
#[derive(Debug)]
pub struct Form {
    /// The opcode with all modifiers.
    pub text: String,
    /// Classes of the results.
    pub results: Vec<Class>,
    /// The meaning of each source.
    pub sources: Vec<Value>,
    /// Whether it reads the carry: an instruction that writes it has to stand before it.
    pub reads_carry: bool,
    /// What its operands may be besides whole registers; of video instructions.
    pub(crate) may: Option<[May; 4]>,
}

impl Form {
    /// Whether it computes with floating-point numbers.
    pub(crate) fn is_of_floats(&self) -> bool {
        let is_float = |value: &Value| matches!(value, Value::F16 | Value::F16x2 | Value::F32 | Value::F64);
        self.sources.iter().any(is_float)
    }
}

/// All forms of an opcode.
#[derive(Debug)]
pub struct OpcodeForms {
    /// The opcode.
    pub opcode: Opcode,
    /// Its forms.
    pub forms: Vec<Form>,
}

/// The forms that a target has.
pub(crate) fn of_target(target: u32) -> Vec<OpcodeForms> {
    let mut all: Vec<OpcodeForms> = Vec::new();
    // Two rows may have the same words, for different versions.
    let mut texts = HashSet::new();
    for (opcode, row) in forms_to_run().filter(|(opcode, row)| left_out(*opcode, row).is_none()) {
        let words = choices(row).into_iter().filter(|words| needed_target(opcode, row, words) <= target);
        let forms = words.filter_map(|words| form(opcode, row, &words));
        let forms: Vec<Form> = forms.filter(|form| texts.insert(form.text.clone())).collect();
        match all.iter_mut().find(|known| known.opcode == opcode) {
            Some(known) => known.forms.extend(forms),
            None => all.push(OpcodeForms { opcode, forms }),
        }
    }
    all.retain(|of_one| !of_one.forms.is_empty());
    all
}

/// Why no step is of that row, where another module makes no steps of its family either.
pub fn left_out(opcode: Opcode, row: &Row) -> Option<&'static str> {
    use Opcode::{Cos, Ex2, Lg2, Mov, Rsqrt, Sin, Tanh};
    let approximates = || row.slots.iter().flat_map(|slot| &slot.words).any(is_approximate);
    Some(match (opcode, row.subject) {
        (Sin | Cos | Lg2 | Ex2 | Tanh | Rsqrt, _) => APPROXIMATE,
        (_, Subject::Float) if approximates() => APPROXIMATE,
        (Mov, _)
        | (_, Subject::Control | Subject::Warp | Subject::Memory | Subject::Surface | Subject::Texture) => {
            "not of registers alone"
        }
        (
            _,
            Subject::Integer
            | Subject::Video
            | Subject::Logic
            | Subject::Comparison
            | Subject::Float
            | Subject::Conversion,
        ) => return None,
    })
}

const APPROXIMATE: &str = "the specification bounds its result and does not decide it";

fn is_approximate(word: &WordKind) -> bool {
    matches!(word, WordKind::Modifier(Modifier::Approx | Modifier::Full))
}

/// Every choice of the words of a row, in the manual's order.
pub fn choices(row: &Row) -> Vec<Vec<WordKind>> {
    choices_of(row, |_| true).into_iter().map(|words| words.into_iter().flatten().collect()).collect()
}

/// Every choice of those words of a row that count, by their position: nothing where a word is left out, or where none counts.
pub(crate) fn choices_of(row: &Row, counts: impl Fn(&WordKind) -> bool) -> Vec<Vec<Option<WordKind>>> {
    let mut lists: Vec<Vec<Option<WordKind>>> = vec![Vec::new()];
    for slot in &row.slots {
        let mut words: Vec<Option<WordKind>> =
            slot.words.iter().filter(|word| counts(word)).map(|word| Some(*word)).collect();
        if slot.optional || words.is_empty() {
            words.insert(0, None);
        }
        let longer = |list: &Vec<Option<WordKind>>| {
            words.iter().map(|word| list.iter().copied().chain([*word]).collect()).collect::<Vec<_>>()
        };
        lists = lists.iter().flat_map(longer).collect();
    }
    lists
}

/// The text of an opcode with words.
pub fn text(opcode: Opcode, words: &[WordKind]) -> String {
    // Most opcodes are shorter, so that the text need not grow.
    let mut text = String::with_capacity(40);
    text.push_str(opcode.text());
    for word in words {
        text.push('.');
        text.push_str(word.text());
    }
    text
}

/// The form with those words; `None` if it has an operand that no step has, which another row of the same words makes up for, or none.
fn form(opcode: Opcode, row: &Row, words: &[WordKind]) -> Option<Form> {
    let ty = |word: &WordKind| match word {
        WordKind::Type(ty) => Some(*ty),
        _ => None,
    };
    let types: Vec<Type> = words.iter().filter_map(ty).collect();
    let (mut results, mut sources) = (Vec::new(), Vec::new());
    for pattern in row.operands.iter().filter(|pattern| !pattern.optional || takes_predicate(pattern, words))
    {
        match pattern.role {
            Role::Destination | Role::DestinationRelaxed | Role::PartDestination => {
                results.push(class(bits(pattern.ty, &types)?));
            }
            Role::PredicatePair => results.extend([Class::Pred, Class::Pred]),
            Role::Predicate => sources.push(Value::Truth),
            Role::Table => sources.push(Value::Table),
            Role::Source
            | Role::SourceRelaxed
            | Role::SourceSpecial
            | Role::PartSource
            | Role::SignedPartSource
            | Role::SignedSource => sources.push(value(opcode, sources.len(), pattern.ty, &types)?),
            _ => return None,
        }
    }
    let reads_carry = matches!(opcode, Opcode::Addc | Opcode::Subc | Opcode::Madc);
    let may = (row.subject == Subject::Video).then(|| video::may(row));
    Some(Form { text: text(opcode, words), results, sources, reads_carry, may })
}

/// Whether that optional operand is there: the predicate that a comparison is joined with, if it is joined.
fn takes_predicate(pattern: &Pattern, words: &[WordKind]) -> bool {
    let joins =
        |word: &WordKind| matches!(word, WordKind::Modifier(Modifier::And | Modifier::Or | Modifier::Xor));
    pattern.role == Role::Predicate && words.iter().any(joins)
}

/// The type of an operand, or the number of its bits where it is wider than a type of the instruction.
enum Width {
    Of(Type),
    Wide(Type),
}

fn bits(ty: TypeOf, types: &[Type]) -> Option<Width> {
    Some(match ty {
        TypeOf::Index(index) => Width::Of(*types.get(index)?),
        TypeOf::Wide => Width::Wide(*types.first()?),
        TypeOf::Fixed(ty) => Width::Of(ty),
    })
}

/// The class of the narrowest register that holds it.
fn class(width: Width) -> Class {
    let bytes = match width {
        Width::Of(Type::Pred) => return Class::Pred,
        Width::Of(ty) => ty.size(),
        Width::Wide(ty) => 2 * ty.size(),
    };
    match bytes {
        0..=2 => Class::B16,
        3 | 4 => Class::B32,
        _ => Class::B64,
    }
}

/// Sources that are drawn otherwise than others of their type: opcode, position, meaning.
const BIASED: &[(&[Opcode], usize, Value)] = {
    use Opcode::{Bfe, Bfi, Bmsk, Fns, Shf, Shl, Shr, Szext, Vshl, Vshr};
    &[
        (&[Shl, Shr, Szext, Bmsk, Vshl, Vshr], 1, Value::Amount),
        (&[Shf], 2, Value::Amount),
        (&[Bfe], 1, Value::Field),
        (&[Bfe, Bfi], 2, Value::Field),
        (&[Bfi], 3, Value::Field),
        (&[Bmsk], 0, Value::Bit),
        (&[Fns], 1, Value::Bit),
    ]
};

fn value(opcode: Opcode, position: usize, ty: TypeOf, types: &[Type]) -> Option<Value> {
    let biased = BIASED.iter().find(|(opcodes, at, _)| *at == position && opcodes.contains(&opcode));
    if let Some((.., value)) = biased {
        return Some(*value);
    }
    let width = bits(ty, types)?;
    let is_float = matches!(width, Width::Of(Type::F16 | Type::F16x2 | Type::F32 | Type::F64));
    // PTX leaves division by zero unspecified.
    let divides = matches!(opcode, Opcode::Div | Opcode::Rem) && position == 1 && !is_float;
    Some(match (&width, divides) {
        (Width::Of(Type::F16), _) => Value::F16,
        (Width::Of(Type::F16x2), _) => Value::F16x2,
        (Width::Of(Type::F32), _) => Value::F32,
        (Width::Of(Type::F64), _) => Value::F64,
        _ => match (class(width), divides) {
            (Class::Pred, _) => Value::Truth,
            (Class::B16, false) => Value::I16,
            (Class::B16, true) => Value::Divisor16,
            (Class::B32, false) => Value::I32,
            (Class::B32, true) => Value::Divisor32,
            (Class::B64, false) => Value::I64,
            (Class::B64, true) => Value::Divisor64,
        },
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::places::TARGET;

    fn all() -> Vec<Form> {
        of_target(TARGET).into_iter().flat_map(|of_one| of_one.forms).collect()
    }

    /// Operands as the manual has them.
    #[test]
    fn operands_follow_the_manual() {
        use Class::{B16, B32, B64, Pred};
        let expected: [(&str, &[Class], &[Value]); 9] = [
            ("mad.wide.s16", &[B32], &[Value::I16, Value::I16, Value::I32]),
            ("div.u64", &[B64], &[Value::I64, Value::Divisor64]),
            ("bfe.s64", &[B64], &[Value::I64, Value::Field, Value::Field]),
            ("cvt.sat.s8.u64", &[B16], &[Value::I64]),
            ("setp.lt.f16", &[Pred], &[Value::F16, Value::F16]),
            ("setp.lt.xor.ftz.f32", &[Pred, Pred], &[Value::F32, Value::F32, Value::Truth]),
            ("set.gt.or.s32.f64", &[B32], &[Value::F64, Value::F64, Value::Truth]),
            ("slct.ftz.u16.f32", &[B16], &[Value::I16, Value::I16, Value::F32]),
            ("vset.u32.s32.ne.max", &[B32], &[Value::I32, Value::I32, Value::I32]),
        ];
        let all = all();
        for (text, results, sources) in expected {
            let form = all.iter().find(|form| form.text == text).unwrap_or_else(|| panic!("no form {text}"));
            assert_eq!((form.results.as_slice(), form.sources.as_slice()), (results, sources), "{text}");
        }
    }

    /// The text of a form is unique: the count of one is not that of another.
    #[test]
    fn forms_are_told_apart_by_their_texts() {
        let all = all();
        let different: std::collections::BTreeSet<&str> = all.iter().map(|form| form.text.as_str()).collect();
        assert_eq!(all.len(), different.len());
    }
}
