//! `MUFU` and `RRO`: approximations.
//!
//! `MUFU` has no flag for it and flushes subnormal operands and results: ptxas emits it bare for `.ftz`, and instructions around it for the
//! rest. Its bits are published nowhere: a result is within the bounds that the PTX manual documents, and what is computed of it counts as the
//! reference has it, since the code of ptxas corrects the error.

use warpdiff_sass::Marks;
use warpdiff_semantics::numeric::bound::Operation;
use warpdiff_semantics::numeric::rounding::Layout;
use warpdiff_semantics::numeric::{approximate, single};

use super::super::{Decode, float_rule};
use super::Spa;
use super::float::Sign;
use crate::operation::{BoundUse, Class, Slot};
use warpdiff_semantics::definedness::doubt::Reduction;

/// All bits of a register.
const WORD: u64 = 0xFFFF_FFFF;

impl Spa<'_> {
    /// "RRO.SINCOS", "RRO.EX2": prepares the argument of `MUFU.SIN`, `.COS`, `.EX2`. ptxas, Mesa and NAK emit the pair; in what form the argument
    /// is in between no source says, so that its bits are undefined for any other instruction.
    pub(super) fn range_reduction(&mut self) -> Decode {
        let by = [Reduction::Angle, Reduction::Exponent][usize::from(self.modifier("function") & 1)];
        let (d, a, sign) = (self.destination()?, self.unmarked(1)?, Sign::of(self.marks(1), false));
        self.d.bound = BoundUse::Reduces(by);
        self.d.lane_partial(d, &[a], move |v| sign.apply(v[0]), |v, _| float_rule(v, 1, Layout::F32, WORD));
        Ok(())
    }

    /// "MUFU".
    pub(super) fn approximation(&mut self) -> Decode {
        self.only(&["function", "saturation"])?;
        let (angle, exponent) = (Some(Reduction::Angle), Some(Reduction::Exponent));
        let (function, operation, of): (fn(u32, bool) -> u32, _, _) = match self.modifier("function") {
            0 => (approximate::cos, Operation::Cos, angle),
            1 => (approximate::sin, Operation::Sin, angle),
            2 => (approximate::ex2, Operation::Ex2, exponent),
            3 => (approximate::lg2, Operation::Lg2, None),
            4 => (approximate::rcp, Operation::Rcp, None),
            5 => (approximate::rsqrt, Operation::Rsqrt, None),
            6 => return self.upper_word(approximate::rcp64_ftz, false),
            7 => return self.upper_word(approximate::rsqrt64_ftz, true),
            8 => (approximate::sqrt, Operation::Sqrt, None),
            _ => return Err(self.unsupported()),
        };
        let (d, a) = (self.destination()?, self.signed_single(of.is_none())?);
        let saturates = self.modifier("saturation") != 0;
        let raw = if saturates { self.d.temporary(Class::Narrow) } else { d };
        self.d.bound = BoundUse::ApproximatesOpenly { operation, of };
        self.d.lane_partial(
            raw,
            &[a],
            move |v| u64::from(function(v[0] as u32, true)),
            |v, _| float_rule(v, 1, Layout::F32, WORD),
        );
        if saturates {
            self.d.bound = BoundUse::Saturates;
            self.d.lane_partial(
                d,
                &[raw],
                |v| u64::from(single::saturate(v[0] as u32)),
                |v, _| float_rule(v, 1, Layout::F32, WORD),
            );
        }
        Ok(())
    }

    /// Source 1 with its marks, of which a bound is one. An argument that `RRO` has prepared has none.
    fn signed_single(&mut self, may_have_marks: bool) -> Decode<Slot> {
        let (a, marks) = (self.unmarked(1)?, self.marks(1));
        if marks == Marks::NONE {
            return Ok(a);
        }
        if !may_have_marks {
            return Err(self.unsupported_because("a sign of what `RRO` has prepared"));
        }
        let sign = Sign::of(marks, false);
        let signed = self.d.temporary(Class::Narrow);
        self.d.lane(signed, &[a], move |v| sign.apply(v[0]), |v, _| v[0].defined);
        Ok(signed)
    }

    /// "MUFU.RCP64H", "MUFU.RSQ64H": source and result are the upper words of doubles, of which the lower words count as zero.
    fn upper_word(&mut self, function: fn(u64) -> u64, root: bool) -> Decode {
        if self.modifier("saturation") != 0 {
            return Err(self.unsupported_because("a saturated upper word"));
        }
        let (d, a) = (self.destination()?, self.signed_single(true)?);
        self.d.bound = BoundUse::ApproximatesUpperWord { root };
        self.d.lane_partial(
            d,
            &[a],
            move |v| function(v[0] << 32) >> 32,
            |v, _| if v[0].is_known(32) { WORD } else { 0 },
        );
        Ok(())
    }
}
