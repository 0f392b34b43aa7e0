//! The special registers: which PTX version and target introduced each (PTX ISA 10).

use crate::vocabulary::SpecialRegister;

/// PTX version, as ten times the major one plus the minor one, and target that introduced a special register.
pub(in crate::check) fn introduced(register: SpecialRegister) -> (u32, u32) {
    use SpecialRegister as R;
    match register {
        R::Tid | R::Ntid | R::Ctaid | R::Nctaid | R::Gridid | R::Clock => (10, 10),
        R::Laneid | R::Warpid | R::Smid => (13, 10),
        R::Nwarpid | R::Nsmid | R::Clock64 => (20, 20),
        R::LanemaskEq | R::LanemaskLe | R::LanemaskLt | R::LanemaskGe | R::LanemaskGt => (20, 20),
        R::ClockHi => (50, 20),
        R::Globaltimer | R::GlobaltimerLo | R::GlobaltimerHi => (31, 30),
        R::TotalSmemSize | R::DynamicSmemSize => (41, 20),
    }
}
