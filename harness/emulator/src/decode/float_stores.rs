//! Stores of registers that hold floating-point numbers, under `Deviation::PtxasFloatStored`.

use warpdiff_ptx::checked::Operand;
use warpdiff_ptx::vocabulary::Type;
use warpdiff_semantics::numeric::convert::{self, Format, Integer, IntegerRounding, NanRule};

use super::{Decode, Decoder, class_of, float_rule};
use crate::operation::{Class, Slot};

impl Decoder<'_> {
    /// An operand that is stored as an element of a type. Under the deviation a floating-point number becomes an integer of that type,
    /// as `F2I` and `I2I.SAT` make it: cut towards zero, and limited to the range. What is no number of 64 bits is 2^31 between the two.
    pub(super) fn stored(&mut self, operand: &Operand, ty: Type) -> Decode<Slot> {
        let number = self.numbers.at(self.instruction);
        let Some(number) = number.filter(|number| !ty.is_float() && ty.size() < number.size()) else {
            return self.source_any(operand, ty);
        };
        // The bits of an immediate integer are those of a number.
        let (bits, format) = match number {
            Type::F64 => (Type::B64, Format::F64),
            Type::F16 => (Type::B16, Format::F16),
            _ => (Type::B32, Format::F32),
        };
        let source = self.source_any(operand, bits)?;
        // Other elements of a vector may be wider.
        if source.class != class_of(bits) {
            return self.source_any(operand, ty);
        }
        let to = Integer { signed: ty.is_signed(), width: 8 * ty.size() };
        let word = Integer { width: 32, ..to };
        let within = u64::MAX >> (64 - format.layout().width());
        let converted = self.temporary(Class::Narrow);
        self.lane(
            converted,
            &[source],
            move |v| {
                let bits = convert::float_to_integer(
                    v[0] & within,
                    format,
                    word,
                    IntegerRounding::Rzi,
                    false,
                    NanRule::Current,
                );
                convert::integer_to_integer(bits, word, to, true)
            },
            move |v, _| float_rule(v, 1, format.layout(), u64::from(u32::MAX)),
        );
        Ok(converted)
    }
}
