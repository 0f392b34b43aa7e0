//! Static initialisers of opaque variables (PTX ISA 5.3).

use super::constant::Value;
use super::{Checked, Checker};
use crate::ast::{Constant, Initializer, InitializerPart};
use crate::checked::{Member, MemberValue, Variable};
use crate::source::Span;
use crate::vocabulary::Type;

/// Members of opaque types (PTX ISA 5.3, Tables 10 and 11).
const TEXREF: &[&str] = &[
    "width",
    "height",
    "depth",
    "channel_data_type",
    "channel_order",
    "normalized_coords",
    "filter_mode",
    "addr_mode_0",
    "addr_mode_1",
    "addr_mode_2",
    "array_size",
    "num_mipmap_levels",
    "num_samples",
];
const SAMPLERREF: &[&str] =
    &["force_unnormalized_coords", "filter_mode", "addr_mode_0", "addr_mode_1", "addr_mode_2"];
const SURFREF: &[&str] =
    &["width", "height", "depth", "channel_data_type", "channel_order", "array_size", "memory_layout"];

/// Enumerators that members accept: address modes first, then filters.
const ENUMERATORS: &[&str] =
    &["wrap", "mirror", "clamp_ogl", "clamp_to_edge", "clamp_to_border", "nearest", "linear"];
/// Number of address modes among them.
const ADDRESS_MODES: usize = 5;

/// The values of a member by the tables. The assembler accepts any integer, floating-point number or enumerator for any
/// member.
#[derive(Clone, Copy)]
enum Values {
    /// One of these words.
    Words(&'static [&'static str]),
    /// "0, 1", "1 for linear memory layout; 0 otherwise".
    Flag,
    /// "in elements", "as number of …", "enum type corresponding to source language API".
    Number,
}

impl Values {
    fn of(member: &str) -> Self {
        let (modes, filters) = ENUMERATORS.split_at(ADDRESS_MODES);
        match member {
            "filter_mode" => Self::Words(filters),
            "addr_mode_0" | "addr_mode_1" | "addr_mode_2" => Self::Words(modes),
            "normalized_coords" | "force_unnormalized_coords" | "memory_layout" => Self::Flag,
            _ => Self::Number,
        }
    }

    /// Whether the value is allowed. A negative number is not a number of elements.
    fn hold(self, value: MemberValue) -> bool {
        match (self, value) {
            (Self::Words(words), MemberValue::Enumerator(word)) => words.contains(&word),
            (Self::Flag, MemberValue::Integer(bits)) => bits <= 1,
            (Self::Number, MemberValue::Integer(bits)) => bits <= i64::MAX as u64,
            _ => false,
        }
    }

    /// The allowed values, in words.
    fn words(self) -> String {
        match self {
            Self::Words(words) => words.join(", "),
            Self::Flag => "0 or 1".into(),
            Self::Number => "a number of elements, or of an enumeration".into(),
        }
    }
}

impl Checker<'_> {
    /// Members of an opaque variable: they describe what the host sets up, and add no bytes to the module. Each element
    /// of an array has its own list; the assembler also accepts members in the list of the whole array.
    pub(super) fn opaque_initializer(
        &mut self,
        variable: &mut Variable,
        initializer: &Initializer,
    ) -> Checked<()> {
        let shape = "an initial value of opaque type";
        let wanted = "`{ member = value, … }`";
        let mut elements = vec![0u64];
        for (index, part) in initializer.parts.iter().enumerate() {
            match *part {
                InitializerPart::Open(span) => {
                    // The list of the whole counts as no element.
                    if index > 0 && elements.len() > variable.dimensions.len() + 1 {
                        return self.fail_expected(span, shape, wanted);
                    }
                    let level = elements.len();
                    if let Some(count) = elements.last_mut() {
                        *count += 1;
                        let extent = level.checked_sub(2).and_then(|level| variable.dimensions.get(level));
                        if extent.is_some_and(|extent| *extent > 0 && *count > *extent) {
                            return self.fail(span, "more elements than the dimension has");
                        }
                    }
                    elements.push(0);
                }
                InitializerPart::Close(_) => {
                    let count = elements.pop().unwrap_or(0);
                    if elements.len() == 1 && variable.dimensions.first() == Some(&0) {
                        variable.dimensions[0] = count;
                        variable.size = variable.size.saturating_mul(count);
                    }
                }
                InitializerPart::Member { name, .. }
                    if (2..variable.dimensions.len() + 2).contains(&elements.len())
                        && !self.by_assembler() =>
                {
                    return self.fail_expected(
                        name,
                        "a member where a list stands",
                        "as many nested lists as dimensions",
                    );
                }
                InitializerPart::Member { name, value } if elements.len() > 1 => {
                    let member = self.opaque_member(variable.ty, name, value)?;
                    // Of a member that is given twice the last value counts, as observed.
                    variable.members.retain(|earlier| earlier.name != member.name);
                    variable.members.push(member);
                }
                InitializerPart::Member { name: span, .. }
                | InitializerPart::Value(Constant { span, .. }) => {
                    return self.fail_expected(span, shape, wanted);
                }
            }
        }
        Ok(())
    }

    fn opaque_member(&mut self, ty: Type, name: Span, value: Constant) -> Checked<Member> {
        let members = match ty {
            Type::Texref => TEXREF,
            Type::Samplerref => SAMPLERREF,
            _ => SURFREF,
        };
        let Some(name) = members.iter().copied().find(|member| *member == self.text_of(name)) else {
            return self.fail_expected(
                name,
                format!("`.{ty}` has no member `{}`", self.text_of(name)),
                members.join(", "),
            );
        };
        let found = match self.evaluate(value)? {
            Value::Integer { bits, .. } => MemberValue::Integer(bits),
            Value::Float32(bits) => MemberValue::Float(u64::from(bits)),
            Value::Float64(number) => MemberValue::Float(number.to_bits()),
            Value::Address(address) => {
                let word = self.text_of(address.name);
                match ENUMERATORS.iter().find(|enumerator| address.is_plain() && **enumerator == word) {
                    Some(enumerator) => MemberValue::Enumerator(enumerator),
                    None => {
                        return self.fail_expected(
                            value.span,
                            format!("unknown value `{}`", self.text_of(value.span)),
                            ENUMERATORS.join(", "),
                        );
                    }
                }
            }
        };
        let values = Values::of(name);
        if !self.by_assembler() && !values.hold(found) {
            let failed = self.fail_expected(
                value.span,
                format!("`{}` as value of `{name}`", self.text_of(value.span)),
                values.words(),
            );
            self.explain("", "ptxas takes any number and any enumerator for any member");
            return failed;
        }
        Ok(Member { name, value: found })
    }
}
