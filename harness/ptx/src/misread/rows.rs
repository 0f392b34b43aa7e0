//! One row for each deviation that is a misreading: the opcodes it concerns, the test that picks its instructions, and the change it makes.

use warpdiff_model::Deviation as D;

use super::change::{Around, Change, NOTHING};
use crate::checked::{Immediate, Instruction, Operand, Subject};
use crate::vocabulary::Modifier as M;
use crate::vocabulary::Opcode as O;
use crate::vocabulary::{Opcode, Space, SpecialRegister, Type};

/// A deviation as a misreading.
pub(super) struct Row {
    pub(super) deviation: D,
    opcodes: &'static [Opcode],
    when: fn(&Instruction) -> bool,
    change: Change,
}

impl Row {
    pub(super) fn apply(&self, instruction: &mut Instruction, around: &Around<'_>) {
        if self.opcodes.contains(&instruction.opcode) && (self.when)(instruction) {
            self.change.apply(instruction, around);
        }
    }
}

const fn row(
    deviation: D,
    opcodes: &'static [Opcode],
    when: fn(&Instruction) -> bool,
    change: Change,
) -> Row {
    Row { deviation, opcodes, when, change }
}

const SUMS: &[Opcode] = &[O::Add, O::Sub, O::Mul, O::Fma, O::Mad];
const VIDEO: &[Opcode] = &[O::Vadd, O::Vsub, O::Vabsdiff, O::Vmin, O::Vmax, O::Vshl, O::Vshr, O::Vmad];
const DIRECTED: Change = without(&[(M::Rz, None), (M::Rm, None), (M::Rp, None)]);
const NO_FTZ: Change = without(&[(M::Ftz, None)]);
const NO_SAT: Change = without(&[(M::Sat, None)]);
const BARRIERS: &[Opcode] = &[O::Bar, O::Barrier];
const MEMORY: &[Opcode] = &[O::Ld, O::Ldu, O::St, O::Atom, O::Red];
const UNSIGNED: Change = Change::Unsigned(None);
const TRUNCATED: Change = without(&[(M::Rn, Some(M::Rz))]);
const WRAPPED: Change = without(&[(M::Clamp, Some(M::Wrap))]);
const CLAMPED: Change = without(&[(M::Wrap, Some(M::Clamp))]);
const NO_SECOND: Change = without(&[(M::Add, None), (M::Min, None), (M::Max, None)]);

const fn without(words: &'static [(M, Option<M>)]) -> Change {
    Change::Modifiers(words)
}

pub(super) const ROWS: &[Row] = &[
    // Rounding, flushing, saturation.
    row(D::AddRoundingIgnored, &[O::Add, O::Sub], is_float, DIRECTED),
    row(D::MulRoundingIgnored, &[O::Mul], is_float, DIRECTED),
    row(D::DivRoundingIgnored, &[O::Div], is_float, DIRECTED),
    row(D::RcpRoundingIgnored, &[O::Rcp], any, DIRECTED),
    row(D::SqrtRoundingIgnored, &[O::Sqrt], any, DIRECTED),
    row(D::CvtRoundingIgnored, &[O::Cvt], any, DIRECTED),
    row(D::FloatFtzIgnored, SUMS, is_float, NO_FTZ),
    row(D::FloatSatIgnored, SUMS, is_float, NO_SAT),
    row(D::IntegerSatIgnored, &[O::Add, O::Sub], is_integer, NO_SAT),
    row(D::MadSatIgnored, &[O::Mad], is_integer, NO_SAT),
    row(D::VideoSatIgnored, VIDEO, any, NO_SAT),
    row(D::CvtSatIgnored, &[O::Cvt], any, NO_SAT),
    row(D::CvtFtzIgnored, &[O::Cvt], any, NO_FTZ),
    row(D::PtxasHalfUnflushed, &[O::Cvt], is_half_rounded_away, NO_FTZ),
    row(D::CvtRniTruncates, &[O::Cvt], any, without(&[(M::Rni, Some(M::Rzi))])),
    row(D::CvtRmiTruncates, &[O::Cvt], any, without(&[(M::Rmi, Some(M::Rzi))])),
    row(D::CvtRpiTruncates, &[O::Cvt], any, without(&[(M::Rpi, Some(M::Rzi))])),
    row(D::CvtRziNearest, &[O::Cvt], any, without(&[(M::Rzi, Some(M::Rni))])),
    row(D::MinMaxNanIgnored, &[O::Min, O::Max], is_float, without(&[(M::Nan, None)])),
    // Signs of types.
    row(D::CvtWideningZeros, &[O::Cvt], is_widening, Change::Unsigned(Some(1))),
    row(D::CvtResultUnextended, &[O::Cvt], is_narrow_signed, Change::Unsigned(Some(0))),
    row(D::MinMaxUnsigned, &[O::Min, O::Max], any, UNSIGNED),
    row(D::DivUnsigned, &[O::Div], any, UNSIGNED),
    row(D::RemUnsigned, &[O::Rem], any, UNSIGNED),
    row(D::SadUnsigned, &[O::Sad], any, UNSIGNED),
    row(D::ShrUnsigned, &[O::Shr], any, UNSIGNED),
    row(D::MulWideUnsigned, &[O::Mul, O::Mad], |it| it.has(M::Wide), UNSIGNED),
    row(D::Mul24Unsigned, &[O::Mul24, O::Mad24], any, UNSIGNED),
    row(D::DotProductUnsigned, &[O::Dp4a, O::Dp2a], any, UNSIGNED),
    row(D::BfindUnsigned, &[O::Bfind], any, UNSIGNED),
    row(D::CompareUnsigned, &[O::Setp, O::Set], any, UNSIGNED),
    row(D::ReduxUnsigned, &[O::Redux], any, UNSIGNED),
    row(D::AtomMinMaxSigned, &[O::Atom, O::Red], is_minimum_or_maximum, Change::Signed),
    row(
        D::SlctControlInteger,
        &[O::Slct],
        |it| it.types.last() == Some(&Type::F32),
        Change::LastType(Type::S32),
    ),
    // Words that are not decoded, or decoded as others.
    row(D::Mul24HighAsLow, &[O::Mul24, O::Mad24], any, without(&[(M::Hi, Some(M::Lo))])),
    row(D::BfindShiftIgnored, &[O::Bfind], any, without(&[(M::Shiftamt, None)])),
    row(D::ShfWrapClamps, &[O::Shf], any, without(&[(M::Wrap, Some(M::Clamp))])),
    row(D::ShfClampWraps, &[O::Shf], any, without(&[(M::Clamp, Some(M::Wrap))])),
    row(
        D::PrmtModesIgnored,
        &[O::Prmt],
        any,
        without(&[
            (M::F4e, None),
            (M::B4e, None),
            (M::Rc8, None),
            (M::Ecl, None),
            (M::Ecr, None),
            (M::Rc16, None),
        ]),
    ),
    row(
        D::SetUnorderedAsOrdered,
        &[O::Setp, O::Set],
        is_compared_float,
        without(&[
            (M::Equ, Some(M::Eq)),
            (M::Neu, Some(M::Ne)),
            (M::Ltu, Some(M::Lt)),
            (M::Leu, Some(M::Le)),
            (M::Gtu, Some(M::Gt)),
            (M::Geu, Some(M::Ge)),
        ]),
    ),
    row(
        D::SetOrderedAsUnordered,
        &[O::Setp, O::Set],
        is_compared_float,
        without(&[
            (M::Eq, Some(M::Equ)),
            (M::Ne, Some(M::Neu)),
            (M::Lt, Some(M::Ltu)),
            (M::Le, Some(M::Leu)),
            (M::Gt, Some(M::Gtu)),
            (M::Ge, Some(M::Geu)),
        ]),
    ),
    row(
        D::SetNumNanSwapped,
        &[O::Setp, O::Set],
        is_compared_float,
        without(&[(M::Num, Some(M::Nan)), (M::Nan, Some(M::Num))]),
    ),
    row(D::SetFtzIgnored, &[O::Setp, O::Set], any, NO_FTZ),
    row(D::SetpCombinesOr, &[O::Setp], any, without(&[(M::And, Some(M::Or))])),
    row(D::CopysignSwapped, &[O::Copysign], any, Change::Exchanged(1, 2)),
    row(D::CnotIsNot, &[O::Cnot], any, Change::Opcode(O::Not, Subject::Logic)),
    row(D::AddcCarryIgnored, &[O::Addc], any, Change::Opcode(O::Add, Subject::Integer)),
    row(D::SubcBorrowIgnored, &[O::Subc], any, Change::Opcode(O::Sub, Subject::Integer)),
    row(D::VoteAllAsAny, &[O::Vote], any, without(&[(M::All, Some(M::Any))])),
    row(D::VoteNegationIgnored, &[O::Vote], any, Change::OperandsPlain),
    row(D::ShflModesSwapped, &[O::Shfl], any, without(&[(M::Up, Some(M::Down)), (M::Down, Some(M::Up))])),
    row(
        D::SuqAlwaysWidth,
        &[O::Suq],
        any,
        without(&[(M::Height, Some(M::Width)), (M::Depth, Some(M::Width))]),
    ),
    row(
        D::TxqAlwaysWidth,
        &[O::Txq],
        any,
        without(&[(M::Height, Some(M::Width)), (M::Depth, Some(M::Width))]),
    ),
    row(D::SuqArrayAsDepth, &[O::Suq], any, without(&[(M::ArraySize, Some(M::Depth))])),
    row(D::TxqArrayAsDepth, &[O::Txq], any, without(&[(M::ArraySize, Some(M::Depth))])),
    row(D::SuredMinMaxSwapped, &[O::Sured], any, without(&[(M::Min, Some(M::Max)), (M::Max, Some(M::Min))])),
    row(D::SuredBitsSwapped, &[O::Sured], any, without(&[(M::And, Some(M::Or)), (M::Or, Some(M::And))])),
    row(D::SuredUnsigned, &[O::Sured], any, UNSIGNED),
    row(
        D::Tld4AlwaysRed,
        &[O::Tld4],
        any,
        without(&[(M::Green, Some(M::Right)), (M::B, Some(M::Right)), (M::Alpha, Some(M::Right))]),
    ),
    row(
        D::IstypepSurfaceAsTexture,
        &[O::Istypep],
        |it| it.types.last() == Some(&Type::Surfref),
        Change::LastType(Type::Texref),
    ),
    // Guards.
    row(D::SustPredicateIgnored, &[O::Sust], any, Change::Unguarded),
    row(D::SuldPredicateIgnored, &[O::Suld], any, Change::Unguarded),
    row(D::AtomPredicateIgnored, &[O::Atom, O::Red], any, Change::Unguarded),
    row(D::BraNegationIgnored, &[O::Bra], any, Change::GuardPlain),
    // Operands.
    row(D::NameOffsetLost, &[O::Ld, O::St, O::Atom, O::Red, O::Ldu], any, Change::NameAlone),
    row(D::MovNameOffsetLost, &[O::Mov, O::Cvta], any, Change::NameAlone),
    row(D::LdVectorReversed, &[O::Ld, O::Ldu], any, Change::Reversed),
    row(D::StVectorReversed, &[O::St], any, Change::Reversed),
    row(D::MovVectorReversed, &[O::Mov], any, Change::Reversed),
    row(D::SurfaceLayerLast, &[O::Suld, O::Sust, O::Sured], is_array, Change::LayerLast),
    row(D::SurfaceLayerIsX, &[O::Suld, O::Sust, O::Sured], |it| it.has(M::A1d), Change::LayerIsX),
    row(D::TexLayerLast, &[O::Tex], is_array, Change::LayerLast),
    row(
        D::CvtaIgnored,
        &[O::Cvta],
        |it| it.spaces.first().is_some_and(|space| *space != Space::Global),
        Change::Opcode(O::Mov, Subject::Conversion),
    ),
    // Comparisons and selections.
    row(
        D::MovLiteralInverted,
        &[O::Mov],
        |it| it.types.first() == Some(&Type::Pred),
        Change::LiteralsInverted,
    ),
    row(D::SelpNegationIgnored, &[O::Selp], any, Change::OperandsPlain),
    row(D::SelpSwapped, &[O::Selp], any, Change::Exchanged(1, 2)),
    row(D::SetpZeroSigned, &[O::Setp, O::Set], is_never_below_zero, Change::Signed),
    row(D::SetpXorAsOr, &[O::Setp], any, without(&[(M::Xor, Some(M::Or))])),
    row(D::SlctSignedMissing, &[O::Slct], |it| it.types[0].is_signed(), NOTHING),
    // Bits, carries, conversions.
    row(D::Lop3Reversed, &[O::Lop3], any, Change::Exchanged(1, 3)),
    row(D::ShfSwapped, &[O::Shf], any, Change::Exchanged(1, 2)),
    row(D::PrmtSwapped, &[O::Prmt], any, Change::Exchanged(1, 2)),
    row(D::CarryStale, &[O::Addc, O::Subc], any, without(&[(M::Cc, None)])),
    row(D::CvtDirectionsSwapped, &[O::Cvt], any, without(&[(M::Rmi, Some(M::Rpi)), (M::Rpi, Some(M::Rmi))])),
    // Branches, calls, special registers.
    row(D::TrapContinues, &[O::Trap], any, NOTHING),
    row(D::CallPredicateIgnored, &[O::Call], any, Change::Unguarded),
    row(D::PtxasTestpUnguarded, &[O::Testp], any, Change::Unguarded),
    row(D::ExitPredicateIgnored, &[O::Exit], any, Change::Unguarded),
    row(D::BraOverOneIgnored, &[O::Bra], |it| it.guard.is_some(), Change::NotOverOne),
    row(
        D::LaneidIsTid,
        &[O::Mov],
        any,
        Change::SpecialRegister(SpecialRegister::Laneid, SpecialRegister::Tid),
    ),
    row(
        D::LanemaskLeIsLt,
        &[O::Mov],
        any,
        Change::SpecialRegister(SpecialRegister::LanemaskLe, SpecialRegister::LanemaskLt),
    ),
    // Barriers and lanes.
    row(D::BarrierIgnored, BARRIERS, |it| is_of_block(it) && it.has(M::Sync), NOTHING),
    row(D::BarrierArriveIgnored, BARRIERS, |it| is_of_block(it) && it.has(M::Arrive), NOTHING),
    row(D::BarrierArriveWaits, BARRIERS, is_of_block, without(&[(M::Arrive, Some(M::Sync))])),
    row(D::BarrierIdIgnored, BARRIERS, |it| is_of_block(it) && !it.has(M::Red), Change::Constant(0, 0)),
    row(D::BarrierIdIgnored, BARRIERS, |it| is_of_block(it) && it.has(M::Red), Change::Constant(1, 0)),
    row(
        D::BarrierCountIgnored,
        BARRIERS,
        |it| is_of_block(it) && it.has(M::Sync) && it.operands.len() == 2,
        Change::Dropped(1),
    ),
    row(
        D::BarrierRedCountsWarp,
        BARRIERS,
        |it| it.has(M::Red) && it.operands.len() == 3,
        Change::ConstantAdded(2, 32),
    ),
    row(
        D::BarrierRedCountsAll,
        BARRIERS,
        |it| it.has(M::Popc) && it.operands.len() == 3,
        Change::Constant(2, 1),
    ),
    row(
        D::BarrierRedCountsAll,
        BARRIERS,
        |it| it.has(M::Popc) && it.operands.len() == 4,
        Change::Constant(3, 1),
    ),
    row(
        D::BarrierRedSwapped,
        BARRIERS,
        |it| it.has(M::Red),
        without(&[(M::And, Some(M::Or)), (M::Or, Some(M::And))]),
    ),
    row(D::BarrierRedNegationIgnored, BARRIERS, |it| it.has(M::Red), Change::OperandsPlain),
    row(D::ReduxSigned, &[O::Redux], is_minimum_or_maximum, Change::Signed),
    // Memory.
    row(D::GenericCut, &[O::Cvta], any, Change::Typed(O::Cvt, Subject::Conversion, &[Type::U64, Type::U32])),
    row(
        D::CvtaConstIgnored,
        &[O::Cvta],
        |it| it.spaces.first() == Some(&Space::Const),
        Change::Opcode(O::Mov, Subject::Conversion),
    ),
    row(
        D::CvtaWindowsSwapped,
        &[O::Cvta],
        any,
        Change::Spaces(&[(Space::Shared, Space::Local), (Space::Local, Space::Shared)]),
    ),
    // A register of 32 bits has no generic address.
    row(
        D::MovAbsolute,
        &[O::Mov],
        |it| it.types.first().is_some_and(|ty| ty.size() == 8),
        Change::NameGeneric,
    ),
    row(D::IsspacepGlobal, &[O::Isspacep], any, Change::Space(Space::Global)),
    row(D::AtomGenericAsGlobal, &[O::Atom, O::Red], |it| it.spaces.is_empty(), Change::Space(Space::Global)),
    row(
        D::StNarrowWord,
        &[O::St],
        |it| it.types[0].size() < 4 && !it.has(M::V2) && !it.has(M::V4),
        Change::LastType(Type::B32),
    ),
    row(D::LdUnsignedExtended, &[O::Ld, O::Ldu], any, Change::Signed),
    row(D::OffsetScaled, MEMORY, any, Change::OffsetScaled),
    row(D::OffsetUnsigned, MEMORY, any, Change::OffsetUnsigned),
    row(D::MemoryNegationIgnored, &[O::Ld, O::St], any, Change::GuardPlain),
    row(D::AtomCasSwapped, &[O::Atom], |it| it.has(M::Cas), Change::Exchanged(2, 3)),
    row(D::RedIgnored, &[O::Red], any, NOTHING),
    // Rounding and subnormal numbers.
    row(D::MulTruncates, &[O::Mul], is_float, TRUNCATED),
    row(D::DivTruncates, &[O::Div], any, TRUNCATED),
    row(D::RcpTruncates, &[O::Rcp], any, TRUNCATED),
    row(D::SqrtTruncates, &[O::Sqrt], any, TRUNCATED),
    row(
        D::FloatSubnormalsFlushed,
        SUMS,
        |it| it.types.first() == Some(&Type::F32) && !it.has(M::Ftz),
        Change::Added(M::Ftz),
    ),
    row(
        D::HalfSubnormalsFlushed,
        SUMS,
        |it| matches!(it.types.first(), Some(Type::F16 | Type::F16x2)) && !it.has(M::Ftz),
        Change::Added(M::Ftz),
    ),
    row(D::CvtNarrowingSaturates, &[O::Cvt], is_cut, Change::Added(M::Sat)),
    row(D::TestpNumberFinite, &[O::Testp], any, without(&[(M::Number, Some(M::Finite))])),
    row(D::TestpNormalFinite, &[O::Testp], any, without(&[(M::Normal, Some(M::Finite))])),
    // Integers.
    row(D::MulHighAsLow, &[O::Mul], is_integer, without(&[(M::Hi, Some(M::Lo))])),
    row(D::AddCarryLost, &[O::Add], any, without(&[(M::Cc, None)])),
    row(D::SubBorrowLost, &[O::Sub], any, without(&[(M::Cc, None)])),
    row(D::BmskClampWraps, &[O::Bmsk], any, WRAPPED),
    row(D::BmskWrapClamps, &[O::Bmsk], any, CLAMPED),
    // Video instructions.
    row(D::VideoSourcesUnsigned, VIDEO, any, Change::Unsigned(Some(1))),
    row(D::VideoSourcesUnsigned, VIDEO, any, Change::Unsigned(Some(2))),
    row(D::VideoMergeClears, VIDEO, is_merged, Change::Constant(3, 0)),
    row(D::VideoMergeClears, &[O::Vset], is_merged, Change::Constant(3, 0)),
    row(D::VideoSecondIgnored, VIDEO, has_second, Change::Dropped(3)),
    row(D::VideoSecondIgnored, VIDEO, has_second, NO_SECOND),
    row(D::VideoSecondIgnored, &[O::Vset], has_second, Change::Dropped(3)),
    row(D::VideoSecondIgnored, &[O::Vset], has_second, NO_SECOND),
    row(D::VshlClampWraps, &[O::Vshl, O::Vshr], any, WRAPPED),
    row(D::VshlWrapClamps, &[O::Vshl, O::Vshr], any, CLAMPED),
    row(D::VmadPoIgnored, &[O::Vmad], any, without(&[(M::Po, None)])),
    row(D::VmadScaleIgnored, &[O::Vmad], any, without(&[(M::Shr7, None), (M::Shr15, None)])),
    row(D::VsetUnsigned, &[O::Vset], any, UNSIGNED),
];

fn any(_: &Instruction) -> bool {
    true
}

fn is_float(instruction: &Instruction) -> bool {
    instruction.types.first().is_some_and(|ty| ty.is_float())
}

fn is_integer(instruction: &Instruction) -> bool {
    !is_float(instruction)
}

/// Whether a number of `.f32` becomes the half below or above it.
fn is_half_rounded_away(instruction: &Instruction) -> bool {
    let rounds_away = instruction.has(M::Rm) || instruction.has(M::Rp);
    rounds_away && *instruction.types == [Type::F16, Type::F32]
}

/// Of `set` the last type is that of the numbers.
fn is_compared_float(instruction: &Instruction) -> bool {
    instruction.types.last().is_some_and(|ty| ty.is_float())
}

fn is_widening(instruction: &Instruction) -> bool {
    matches!(*instruction.types, [to, from] if !to.is_float() && from.is_signed() && to.size() > from.size())
}

fn is_narrow_signed(instruction: &Instruction) -> bool {
    matches!(*instruction.types, [to, from] if to.is_signed() && to.size() < 4 && !from.is_float())
}

/// Whether an integer becomes one of fewer bits without a limit.
fn is_cut(instruction: &Instruction) -> bool {
    let is_narrower = matches!(*instruction.types, [to, from] if !to.is_float() && !from.is_float() && to.size() < from.size());
    is_narrower && !instruction.has(M::Sat)
}

/// Whether a video instruction does a second operation with its third source.
fn has_second(instruction: &Instruction) -> bool {
    instruction.has(M::Add) || is_minimum_or_maximum(instruction)
}

/// Whether a video instruction writes a part of its destination and takes the rest from its third source.
fn is_merged(instruction: &Instruction) -> bool {
    matches!(instruction.operands.first(), Some(Operand::Part { .. })) && instruction.operands.len() == 4
}

fn is_minimum_or_maximum(instruction: &Instruction) -> bool {
    instruction.has(M::Min) || instruction.has(M::Max)
}

/// Whether unsigned numbers are compared with the constant 0, which none of them is below.
fn is_never_below_zero(instruction: &Instruction) -> bool {
    let is_zero =
        |operand: &Operand| matches!(operand, Operand::Immediate(Immediate::Integer { bits: 0, .. }));
    (instruction.has(M::Ge) || instruction.has(M::Hs)) && instruction.operands.get(2).is_some_and(is_zero)
}

/// Whether it is a barrier of the block, not of a warp or a cluster.
fn is_of_block(instruction: &Instruction) -> bool {
    !instruction.has(M::Warp) && !instruction.has(M::Cluster)
}

fn is_array(instruction: &Instruction) -> bool {
    instruction.has(M::A1d) || instruction.has(M::A2d)
}
