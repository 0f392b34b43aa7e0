//! The loop over operations, with the fast operations in it.

use warpdiff_semantics::definedness::composed::{
    float_rule, mad_rule, mad_wide_rule, mul_wide_signed, shifted_sum_rule, shl32, shl64, shr32, shr64,
    sum_of_three_rule,
};
use warpdiff_semantics::definedness::{self, Bits};
use warpdiff_semantics::numeric::compare::Comparison;
use warpdiff_semantics::numeric::rounding::Layout;
use warpdiff_semantics::numeric::{double, nan, single};

use super::block::BlockState;
use super::lanes::{
    CHUNK, chunk, map1, map2, map2_and_mask, map3, mask2, put_narrow, put_wide, shade_all, shade_computed,
    shade_copy, shade_selected, shade_sum,
};
use super::stall::LOOK_EVERY;
use super::turn::{Next, Turn};
use super::warp::{Group, Warp};
use super::{Machine, Tracking};
use crate::operation::{Class, Code, Op, SETTLED_NAN};
use crate::registers::{LANES, Origin, UNDEFINED, UNORDERED, lanes};
use warpdiff_semantics::definedness::doubt::Doubt;
use warpdiff_semantics::xmad::XmadMode;

/// Fuel charged for an operation that may be part of a spin-wait, so that other warps run sooner.
const TOLL: u32 = 32;
/// Backward branches counted for such an operation if other groups of the warp could run.
const WAIT_CIRCLES: u32 = 8;
/// After this many strong accesses of a warp that changed nothing, with no store between them, its threads probably wait for others: each further
/// look only costs time.
const POLLS: u32 = 4;
/// [`TOLL`] and [`WAIT_CIRCLES`] for each access beyond these.
const POLL_TOLL: u32 = 1024;
const POLL_CIRCLES: u32 = 32;

/// A fold of dirt bytes.
macro_rules! dirt {
    ($registers:ident; $($file:ident[$row:expr]),+) => { 0 $(| $registers.$file[$row])+ };
}

/// Integer operations on a narrow or wide file: value, then rule.
macro_rules! arithmetic {
    ($T:ident, $($rest:tt)+) => {
        arithmetic!(shade_computed; $T, $($rest)+)
    };
    ($shade:ident; $T:ident, $w:ident, $pc:expr, $whole:expr, $mask:expr;
     $dfile:ident $ddirt:ident $dclass:ident $d:expr;
     $map:ident $( ($file:ident $dirtfile:ident $class:ident $row:expr) )+;
     $f:expr; $rule:expr) => {{
        let d = $d;
        let dead = $w.dead;
        let registers = &mut $w.registers;
        if $T::ON {
            if dirt!(registers; $($dirtfile[$row]),+) != 0 {
                let sources = [$((Class::$class, $row)),+];
                $shade(registers, (Class::$dclass, d), &sources, ($mask, dead), $pc, &$rule);
            } else {
                registers.clean(Class::$dclass, d, $whole);
            }
        }
        if $whole != u32::MAX {
            registers.keep(Class::$dclass, d);
        }
        for first in (0..LANES).step_by(CHUNK) {
            let value = $map($(&chunk(&registers.$file[$row], first)),+, $f);
            registers.$dfile[d][first..first + CHUNK].copy_from_slice(&value);
        }
        if $whole != u32::MAX {
            registers.take_back(Class::$dclass, d, !$whole);
        }
    }};
}

impl Machine<'_> {
    /// Runs a group until it has to stop: at a meeting point, when the groups change, or when `fuel` runs out. It executes at least
    /// one operation.
    pub(super) fn run_group<T: Tracking>(
        &mut self,
        block: &mut BlockState,
        w: &mut Warp,
        group: &mut Group,
        fuel: &mut u32,
    ) {
        #[cfg(target_arch = "x86_64")]
        if is_x86_feature_detected!("avx2")
            && is_x86_feature_detected!("fma")
            && is_x86_feature_detected!("bmi2")
        {
            // SAFETY: the processor has the features that the function is compiled for.
            return unsafe { self.run_group_avx2::<T>(block, w, group, fuel) };
        }
        self.run_group_with::<T>(block, w, group, fuel);
    }

    /// [`Machine::run_group_with`], compiled for wider vectors. Numbers are the same: nothing is contracted or reordered.
    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2,fma,bmi1,bmi2,lzcnt,popcnt")]
    fn run_group_avx2<T: Tracking>(
        &mut self,
        block: &mut BlockState,
        w: &mut Warp,
        group: &mut Group,
        fuel: &mut u32,
    ) {
        self.run_group_with::<T>(block, w, group, fuel);
    }

    #[inline(always)]
    fn run_group_with<T: Tracking>(
        &mut self,
        block: &mut BlockState,
        w: &mut Warp,
        group: &mut Group,
        fuel: &mut u32,
    ) {
        let stop = w.meeting(group);
        let active = u64::from(group.mask.count_ones());
        let mut executed = 0u64;
        while *fuel != 0 {
            *fuel -= 1;
            executed += 1;
            let noted = if T::TRACED { self.before_operation(block, w, group) } else { None };
            if T::TRACED {
                self.watch_operation(w, group);
            }
            let looking = if T::TRACED { self.look(w, group) } else { None };
            let next = self.step::<T>(block, w, group);
            if T::TRACED {
                self.looked(looking, block, w, group);
                self.after_operation(noted, block, w, group);
            }
            match next {
                Next::Go if group.pc < stop => {}
                Next::Wait | Next::Poll => {
                    w.polls = if matches!(next, Next::Poll) { w.polls.saturating_add(1) } else { 0 };
                    let (toll, circles) = match w.polls > POLLS {
                        // All accesses of machine code are strong, so that they say nothing of spin-waits.
                        _ if w.runs_machine_code => (TOLL, 0),
                        true => (POLL_TOLL, POLL_CIRCLES),
                        false => (TOLL, WAIT_CIRCLES),
                    };
                    *fuel = fuel.saturating_sub(toll);
                    w.circles = w.circles.saturating_add(circles);
                    if w.polls > POLLS
                        && w.polls.is_multiple_of(LOOK_EVERY)
                        && self.stalls_at_poll(w, group, *fuel)
                    {
                        *fuel = 0;
                    }
                    if group.pc >= stop {
                        break;
                    }
                }
                _ => break,
            }
        }
        self.steps += executed * active;
    }

    /// Executes one operation.
    #[inline(always)]
    fn step<T: Tracking>(&mut self, block: &mut BlockState, w: &mut Warp, group: &mut Group) -> Next {
        let pc = group.pc;
        let code = self.code;
        let op = &code.ops[pc as usize];
        let Some(mask) = self.guarded::<T>(block, w, group, op) else { return Next::Regroup };
        group.pc = pc + 1;
        if mask == 0 {
            return Next::Go;
        }
        // Dead lanes may be overwritten, so that most stores are whole.
        let dead = w.dead;
        let whole = mask | dead;
        let rows = w.rows;
        macro_rules! n2 {
            ($f:expr, $rule:expr) => {{
                let (a, b) = (rows.n(op.a), rows.n(op.b));
                arithmetic!(T, w, pc, whole, mask; narrow narrow_dirt Narrow rows.n(op.d);
                    map2 (narrow narrow_dirt Narrow a) (narrow narrow_dirt Narrow b); $f; $rule)
            }};
        }
        macro_rules! n3 {
            ($f:expr, $rule:expr) => {{
                let (a, b, c) = (rows.n(op.a), rows.n(op.b), rows.n(op.c));
                arithmetic!(T, w, pc, whole, mask; narrow narrow_dirt Narrow rows.n(op.d);
                    map3 (narrow narrow_dirt Narrow a) (narrow narrow_dirt Narrow b) (narrow narrow_dirt Narrow c); $f; $rule)
            }};
        }
        macro_rules! xmad {
            ($mode:expr) => {
                n3!(|a, b, c| $mode.value(a, b, c), |v: &[Bits; 4]| $mode.rule(v))
            };
        }
        macro_rules! w2 {
            ($f:expr, $rule:expr) => {
                w2!(shade_computed; $f, $rule)
            };
            ($shade:ident; $f:expr, $rule:expr) => {{
                let (a, b) = (rows.w(op.a), rows.w(op.b));
                arithmetic!($shade; T, w, pc, whole, mask; wide wide_dirt Wide rows.w(op.d);
                    map2 (wide wide_dirt Wide a) (wide wide_dirt Wide b); $f; $rule)
            }};
        }
        macro_rules! w3 {
            ($f:expr, $rule:expr) => {{
                let (a, b, c) = (rows.w(op.a), rows.w(op.b), rows.w(op.c));
                arithmetic!(T, w, pc, whole, mask; wide wide_dirt Wide rows.w(op.d);
                    map3 (wide wide_dirt Wide a) (wide wide_dirt Wide b) (wide wide_dirt Wide c); $f; $rule)
            }};
        }
        macro_rules! shift_wide {
            ($f:expr, $rule:expr) => {{
                let (a, b) = (rows.w(op.a), rows.n(op.b));
                arithmetic!(T, w, pc, whole, mask; wide wide_dirt Wide rows.w(op.d);
                    map2 (wide wide_dirt Wide a) (narrow narrow_dirt Narrow b); $f; $rule)
            }};
        }
        macro_rules! widening {
            ($f:expr, $rule:expr) => {{
                let (a, b) = (rows.n(op.a), rows.n(op.b));
                arithmetic!(T, w, pc, whole, mask; wide wide_dirt Wide rows.w(op.d);
                    map2 (narrow narrow_dirt Narrow a) (narrow narrow_dirt Narrow b); $f; $rule)
            }};
        }
        macro_rules! widening_add {
            ($f:expr, $rule:expr) => {{
                let (a, b, c) = (rows.n(op.a), rows.n(op.b), rows.w(op.c));
                arithmetic!(shade_sum; T, w, pc, whole, mask; wide wide_dirt Wide rows.w(op.d);
                    map3 (narrow narrow_dirt Narrow a) (narrow narrow_dirt Narrow b) (wide wide_dirt Wide c); $f; $rule)
            }};
        }
        macro_rules! compare {
            ($row:ident $file:ident $dirt:ident $class:ident; $f:expr; $kind:ident $signed:expr, $width:expr) => {{
                let (a, b, d) = (rows.$row(op.a), rows.$row(op.b), rows.p(op.d));
                let registers = &mut w.registers;
                if T::ON {
                    if dirt!(registers; $dirt[a], $dirt[b]) != 0 {
                        let rule = |v: &[Bits; 4]| {
                            u64::from(definedness::compare(Comparison::$kind, $signed, v[0], v[1], $width))
                        };
                        let sources = [(Class::$class, a), (Class::$class, b)];
                        shade_all(registers, (Class::Predicate, d), &sources, (mask, dead), pc, &rule);
                    } else {
                        registers.clean(Class::Predicate, d, whole);
                    }
                }
                let result = mask2(&registers.$file[a], &registers.$file[b], $f);
                let word = &mut registers.predicates[d];
                *word = *word & !mask | result & mask;
            }};
        }
        macro_rules! predicates {
            ([$($source:ident),+]; $f:expr; $rule:expr) => {{
                let d = rows.p(op.d);
                let registers = &mut w.registers;
                if T::ON {
                    if dirt!(registers; $(predicate_dirt[rows.p(op.$source)]),+) != 0 {
                        let sources = [$((Class::Predicate, rows.p(op.$source))),+];
                        shade_all(registers, (Class::Predicate, d), &sources, (mask, dead), pc, &$rule);
                    } else {
                        registers.clean(Class::Predicate, d, whole);
                    }
                }
                let result: u32 = $f($(registers.predicates[rows.p(op.$source)]),+);
                let word = &mut registers.predicates[d];
                *word = *word & !mask | result & mask;
            }};
        }
        macro_rules! float32 {
            ($map:ident $count:expr; $($source:ident)+; $f:expr) => {{
                let d = rows.n(op.d);
                arithmetic!(T, w, pc, whole, mask; narrow narrow_dirt Narrow d;
                    $map $((narrow narrow_dirt Narrow rows.n(op.$source)))+; $f;
                    |v: &[Bits; 4]| float_rule(v, $count, Layout::F32, u64::from(u32::MAX)));
                // In machine code every bit of a NaN is defined.
                if T::ON && op.x != SETTLED_NAN {
                    self.shade_nan32(w, d, mask, pc);
                }
            }};
        }
        macro_rules! float64 {
            ($map:ident $count:expr; $($source:ident)+; $f:expr) => {{
                let d = rows.w(op.d);
                let nan_inputs = T::ON.then(|| [$(w.registers.wide[rows.w(op.$source)]),+]);
                arithmetic!(T, w, pc, whole, mask; wide wide_dirt Wide d;
                    $map $((wide wide_dirt Wide rows.w(op.$source)))+; $f;
                    |v: &[Bits; 4]| float_rule(v, $count, Layout::F64, u64::MAX));
                if let Some(inputs) = nan_inputs {
                    self.shade_nan64(w, d, mask, pc, &inputs);
                }
            }};
        }
        macro_rules! turn {
            () => {
                &mut Turn { block, warp: w, group, mask, op, pc }
            };
        }
        const W1: u64 = 0xFFFF_FFFF;
        match op.code {
            Code::MovN => {
                let (d, a) = (rows.n(op.d), rows.n(op.a));
                let registers = &mut w.registers;
                if T::ON {
                    if registers.narrow_dirt[a] != 0 {
                        shade_copy(registers, (Class::Narrow, d), (Class::Narrow, a), (mask, dead), pc);
                    } else {
                        registers.clean(Class::Narrow, d, whole);
                    }
                }
                let value = registers.narrow[a];
                put_narrow(&mut registers.narrow[d], &value, whole);
            }
            Code::MovW => {
                let (d, a) = (rows.w(op.d), rows.w(op.a));
                let registers = &mut w.registers;
                if T::ON {
                    if registers.wide_dirt[a] != 0 {
                        shade_copy(registers, (Class::Wide, d), (Class::Wide, a), (mask, dead), pc);
                    } else {
                        registers.clean(Class::Wide, d, whole);
                    }
                }
                let value = registers.wide[a];
                put_wide(&mut registers.wide[d], &value, whole);
            }
            Code::AddN => n2!(|a, b| a.wrapping_add(b), |v: &[Bits; 4]| definedness::add(v[0], v[1], 32)),
            Code::SubN => n2!(|a, b| a.wrapping_sub(b), |v: &[Bits; 4]| definedness::sub(v[0], v[1], 32)),
            Code::MulN => n2!(|a, b| a.wrapping_mul(b), |v: &[Bits; 4]| definedness::mul_lo(v[0], v[1], 32)),
            Code::MadN => {
                n3!(|a, b, c| a.wrapping_mul(b).wrapping_add(c), |v: &[Bits; 4]| mad_rule(v, 32))
            }
            Code::Add3N => n3!(|a, b, c| a.wrapping_add(b).wrapping_add(c), sum_of_three_rule),
            Code::ShlAddN => n3!(|a, b, c| shl32(a, b).wrapping_add(c), shifted_sum_rule),
            // What ptxas makes of a product of words has code of its own, in which the mode is a constant.
            Code::XmadN => match XmadMode(op.x) {
                XmadMode::LOWER => xmad!(const { XmadMode::LOWER }),
                XmadMode::JOINING => xmad!(const { XmadMode::JOINING }),
                XmadMode::CROSSING => xmad!(const { XmadMode::CROSSING }),
                mode => xmad!(mode),
            },
            Code::AddCarryN | Code::CarryN => {
                let (a, b, c) = (rows.n(op.a), rows.n(op.b), rows.p(op.c));
                let destination = match op.code {
                    Code::AddCarryN => (Class::Narrow, rows.n(op.d)),
                    _ => (Class::Predicate, rows.p(op.d)),
                };
                let registers = &mut w.registers;
                if T::ON {
                    if dirt!(registers; narrow_dirt[a], narrow_dirt[b], predicate_dirt[c]) != 0 {
                        let sources = [(Class::Narrow, a), (Class::Narrow, b), (Class::Predicate, c)];
                        let rule = |v: &[Bits; 4]| {
                            let (sum, carry) = definedness::add_carry(v[0], v[1], v[2], 32);
                            if op.code == Code::AddCarryN { sum } else { u64::from(carry) }
                        };
                        shade_computed(registers, destination, &sources, (mask, dead), pc, &rule);
                    } else {
                        registers.clean(destination.0, destination.1, whole);
                    }
                }
                let carry = registers.predicates[c];
                let (a, b) = (&registers.narrow[a], &registers.narrow[b]);
                let sum = map2_and_mask(a, b, carry, |a, b, c| a.wrapping_add(b).wrapping_add(c));
                if op.code == Code::AddCarryN {
                    put_narrow(&mut registers.narrow[destination.1], &sum, whole);
                } else {
                    // With a carry in, a sum that is no less than a summand has gone round as well if the other one is all ones.
                    let result = mask2(a, &sum, |a, sum| sum < a) | mask2(a, &sum, |a, sum| sum == a) & carry;
                    let word = &mut registers.predicates[destination.1];
                    *word = *word & !mask | result & mask;
                }
            }
            Code::AndN => n2!(|a, b| a & b, |v: &[Bits; 4]| definedness::and(v[0], v[1])),
            Code::OrN => n2!(|a, b| a | b, |v: &[Bits; 4]| definedness::or(v[0], v[1])),
            Code::XorN => n2!(|a, b| a ^ b, |v: &[Bits; 4]| definedness::xor(v[0], v[1])),
            Code::NotN => {
                let a = rows.n(op.a);
                arithmetic!(T, w, pc, whole, mask; narrow narrow_dirt Narrow rows.n(op.d);
                    map1 (narrow narrow_dirt Narrow a); |a| !a; |v: &[Bits; 4]| v[0].defined)
            }
            Code::ShlN => n2!(shl32, |v: &[Bits; 4]| definedness::shl(v[0], v[1], 32)),
            Code::ShrUN => n2!(shr32, |v: &[Bits; 4]| definedness::shr_unsigned(v[0], v[1], 32)),
            Code::ShrSN => {
                n2!(|a, b| (a as i32 >> b.min(31)) as u32, |v: &[Bits; 4]| definedness::shr_signed(
                    v[0], v[1], 32
                ))
            }
            Code::MinUN => n2!(|a, b| a.min(b), |v: &[Bits; 4]| definedness::min(v[0], v[1], false, 32)),
            Code::MaxUN => n2!(|a, b| a.max(b), |v: &[Bits; 4]| definedness::max(v[0], v[1], false, 32)),
            Code::MinSN => {
                n2!(|a, b| (a as i32).min(b as i32) as u32, |v: &[Bits; 4]| definedness::min(
                    v[0], v[1], true, 32
                ))
            }
            Code::MaxSN => {
                n2!(|a, b| (a as i32).max(b as i32) as u32, |v: &[Bits; 4]| definedness::max(
                    v[0], v[1], true, 32
                ))
            }
            Code::SelN => {
                let (d, a, b, p) = (rows.n(op.d), rows.n(op.a), rows.n(op.b), rows.p(op.c));
                let registers = &mut w.registers;
                if T::ON {
                    if dirt!(registers; narrow_dirt[a], narrow_dirt[b], predicate_dirt[p]) != 0 {
                        let sources = [(Class::Narrow, a), (Class::Narrow, b), (Class::Predicate, p)];
                        shade_selected(registers, (Class::Narrow, d), &sources, (mask, dead), pc);
                    } else {
                        registers.clean(Class::Narrow, d, whole);
                    }
                }
                let take = registers.predicates[p];
                let select = |a: u32, b: u32, take: u32| if take != 0 { a } else { b };
                let value = map2_and_mask(&registers.narrow[a], &registers.narrow[b], take, select);
                put_narrow(&mut registers.narrow[d], &value, whole);
            }
            Code::SelW => {
                let (d, a, b, p) = (rows.w(op.d), rows.w(op.a), rows.w(op.b), rows.p(op.c));
                let registers = &mut w.registers;
                if T::ON {
                    if dirt!(registers; wide_dirt[a], wide_dirt[b], predicate_dirt[p]) != 0 {
                        let sources = [(Class::Wide, a), (Class::Wide, b), (Class::Predicate, p)];
                        shade_selected(registers, (Class::Wide, d), &sources, (mask, dead), pc);
                    } else {
                        registers.clean(Class::Wide, d, whole);
                    }
                }
                let take = registers.predicates[p];
                let select = |a: u64, b: u64, take: u32| if take != 0 { a } else { b };
                let value = map2_and_mask(&registers.wide[a], &registers.wide[b], take, select);
                put_wide(&mut registers.wide[d], &value, whole);
            }
            Code::AddW => {
                w2!(shade_sum; |a, b| a.wrapping_add(b), |v: &[Bits; 4]| definedness::add(v[0], v[1], 64))
            }
            Code::SubW => w2!(|a, b| a.wrapping_sub(b), |v: &[Bits; 4]| definedness::sub(v[0], v[1], 64)),
            Code::MulW => w2!(|a, b| a.wrapping_mul(b), |v: &[Bits; 4]| definedness::mul_lo(v[0], v[1], 64)),
            Code::MadW => {
                w3!(|a, b, c| a.wrapping_mul(b).wrapping_add(c), |v: &[Bits; 4]| mad_rule(v, 64))
            }
            Code::AndW => w2!(|a, b| a & b, |v: &[Bits; 4]| definedness::and(v[0], v[1])),
            Code::OrW => w2!(|a, b| a | b, |v: &[Bits; 4]| definedness::or(v[0], v[1])),
            Code::XorW => w2!(|a, b| a ^ b, |v: &[Bits; 4]| definedness::xor(v[0], v[1])),
            Code::NotW => {
                let a = rows.w(op.a);
                arithmetic!(T, w, pc, whole, mask; wide wide_dirt Wide rows.w(op.d);
                    map1 (wide wide_dirt Wide a); |a| !a; |v: &[Bits; 4]| v[0].defined)
            }
            Code::ShlW => shift_wide!(shl64, |v: &[Bits; 4]| definedness::shl(v[0], v[1], 64)),
            Code::ShrUW => shift_wide!(shr64, |v: &[Bits; 4]| definedness::shr_unsigned(v[0], v[1], 64)),
            Code::ShrSW => shift_wide!(|a, b: u32| (a as i64 >> b.min(63)) as u64, |v: &[Bits; 4]| {
                definedness::shr_signed(v[0], v[1], 64)
            }),
            Code::MulWideU => {
                widening!(|a, b| u64::from(a) * u64::from(b), |v: &[Bits; 4]| definedness::mul_wide(
                    v[0], v[1], false, 32
                ))
            }
            Code::MulWideS => {
                widening!(mul_wide_signed, |v: &[Bits; 4]| definedness::mul_wide(v[0], v[1], true, 32))
            }
            Code::MadWideU => widening_add!(
                |a, b, c: u64| (u64::from(a) * u64::from(b)).wrapping_add(c),
                |v: &[Bits; 4]| mad_wide_rule(v, false)
            ),
            Code::MadWideS => {
                widening_add!(|a, b, c: u64| mul_wide_signed(a, b).wrapping_add(c), |v: &[Bits; 4]| {
                    mad_wide_rule(v, true)
                })
            }
            Code::ZextNW => {
                let a = rows.n(op.a);
                arithmetic!(T, w, pc, whole, mask; wide wide_dirt Wide rows.w(op.d);
                    map1 (narrow narrow_dirt Narrow a); u64::from; |v: &[Bits; 4]| v[0].defined | !W1)
            }
            Code::SextNW => {
                let a = rows.n(op.a);
                arithmetic!(T, w, pc, whole, mask; wide wide_dirt Wide rows.w(op.d);
                    map1 (narrow narrow_dirt Narrow a); |a| a as i32 as i64 as u64;
                    |v: &[Bits; 4]| v[0].defined as u32 as i32 as i64 as u64)
            }
            Code::TruncWN => {
                let a = rows.w(op.a);
                arithmetic!(T, w, pc, whole, mask; narrow narrow_dirt Narrow rows.n(op.d);
                    map1 (wide wide_dirt Wide a); |a| a as u32; |v: &[Bits; 4]| v[0].defined & W1)
            }
            Code::EqN => compare!(n narrow narrow_dirt Narrow; |a, b| a == b; Eq false, 32),
            Code::NeN => compare!(n narrow narrow_dirt Narrow; |a, b| a != b; Ne false, 32),
            Code::LtUN => compare!(n narrow narrow_dirt Narrow; |a, b| a < b; Lt false, 32),
            Code::LeUN => compare!(n narrow narrow_dirt Narrow; |a, b| a <= b; Le false, 32),
            Code::LtSN => compare!(n narrow narrow_dirt Narrow; |a, b| (a as i32) < b as i32; Lt true, 32),
            Code::LeSN => compare!(n narrow narrow_dirt Narrow; |a, b| a as i32 <= b as i32; Le true, 32),
            Code::EqW => compare!(w wide wide_dirt Wide; |a, b| a == b; Eq false, 64),
            Code::NeW => compare!(w wide wide_dirt Wide; |a, b| a != b; Ne false, 64),
            Code::LtUW => compare!(w wide wide_dirt Wide; |a, b| a < b; Lt false, 64),
            Code::LeUW => compare!(w wide wide_dirt Wide; |a, b| a <= b; Le false, 64),
            Code::LtSW => compare!(w wide wide_dirt Wide; |a, b| (a as i64) < b as i64; Lt true, 64),
            Code::LeSW => compare!(w wide wide_dirt Wide; |a, b| a as i64 <= b as i64; Le true, 64),
            Code::AddF32 => float32!(map2 2; a b; single::add_rn),
            Code::SubF32 => float32!(map2 2; a b; single::sub_rn),
            Code::MulF32 => float32!(map2 2; a b; single::mul_rn),
            Code::FmaF32 => float32!(map3 3; a b c; single::fma_rn),
            Code::AddF64 => float64!(map2 2; a b; double::add_rn),
            Code::SubF64 => float64!(map2 2; a b; double::sub_rn),
            Code::MulF64 => float64!(map2 2; a b; double::mul_rn),
            Code::FmaF64 => float64!(map3 3; a b c; double::fma_rn),
            Code::MovP => predicates!([a]; |a| a; |v: &[Bits; 4]| v[0].defined),
            Code::NotP => predicates!([a]; |a: u32| !a; |v: &[Bits; 4]| v[0].defined),
            Code::AndP => predicates!([a, b]; |a, b| a & b; |v: &[Bits; 4]| definedness::and(v[0], v[1])),
            Code::OrP => predicates!([a, b]; |a, b| a | b; |v: &[Bits; 4]| definedness::or(v[0], v[1])),
            Code::XorP => predicates!([a, b]; |a, b| a ^ b; |v: &[Bits; 4]| definedness::xor(v[0], v[1])),
            Code::Branch => return self.branch(w, group, mask, op.x),
            Code::Load => return self.load::<T>(turn!()),
            Code::Store => return self.store::<T>(turn!()),
            Code::Atomic => return self.atomic::<T>(turn!()),
            Code::Lane => self.lane_function::<T>(w, op.x, mask, pc),
            Code::Await | Code::Signal if !T::ON => {}
            _ => return self.slow_operation::<T>(turn!()),
        }
        Next::Go
    }

    /// The lanes of the group whose guard holds; `None` when that is indeterminate.
    #[inline(always)]
    fn guarded<T: Tracking>(&mut self, block: &BlockState, w: &Warp, group: &Group, op: &Op) -> Option<u32> {
        let Some(predicate) = op.guard.predicate() else { return Some(group.mask) };
        let row = w.rows.p(predicate);
        if T::ON && w.registers.predicate_dirt[row] & (UNDEFINED | UNORDERED) != 0 {
            self.check_guard(block, w, group, row)?;
        }
        Some((w.registers.predicates[row] ^ op.guard.flip()) & group.mask)
    }

    #[cold]
    fn check_guard(&mut self, block: &BlockState, w: &Warp, group: &Group, row: usize) -> Option<()> {
        for lane in lanes(group.mask) {
            let shade = w.registers.shade(Class::Predicate, row, lane);
            self.order_dependent |= shade.unordered != 0;
            if shade.undefined != 0 {
                let origin = shade.origin_seen(group.pc, Origin::GUARD_OPERAND);
                if self.watch_use((block, w, group.pc), lane, "the guard", (&shade, origin)) {
                    continue;
                }
                self.indeterminate(group.pc, "the guard", origin);
                return None;
            }
        }
        Some(())
    }

    /// A branch of the lanes `taken`.
    #[inline(always)]
    fn branch(&mut self, w: &mut Warp, group: &mut Group, taken: u32, target: u32) -> Next {
        let backward = target < group.pc;
        if taken == group.mask {
            group.pc = target;
            if w.groups.is_empty() {
                return Next::Go;
            }
        } else {
            // The others fall through; the scheduler decides who goes first.
            w.put_group(Group { mask: group.mask & !taken, ..*group });
            group.mask = taken;
            group.pc = target;
        }
        if backward && w.others_ready() {
            w.circled(group);
        }
        Next::Regroup
    }

    /// The NaNs among results: which of their bits the manual fixes.
    #[inline(always)]
    fn shade_nan32(&mut self, w: &mut Warp, row: usize, mask: u32, pc: u32) {
        let mut nans = [0u32; 32];
        for (nan, bits) in nans.iter_mut().zip(&w.registers.narrow[row]) {
            *nan = u32::from(bits & 0x7FFF_FFFF > 0x7F80_0000);
        }
        if nans.iter().fold(0, |all, nan| all | nan) != 0 {
            shade_nans(w, (Class::Narrow, row), mask, pc, &|bits, _| u64::from(nan::defined32(bits as u32)));
        }
    }

    #[inline(always)]
    fn shade_nan64(&mut self, w: &mut Warp, row: usize, mask: u32, pc: u32, inputs: &[[u64; 32]]) {
        let any = w.registers.wide[row].iter().any(|bits| bits & (u64::MAX >> 1) > 0x7FF0_0000_0000_0000);
        if any {
            let operands =
                |lane: usize| std::array::from_fn::<u64, 3, _>(|n| inputs.get(n).map_or(0, |row| row[lane]));
            shade_nans(w, (Class::Wide, row), mask, pc, &|bits, lane| {
                nan::defined64(bits, &operands(lane)[..inputs.len().min(3)])
            });
        }
    }
}

#[cold]
#[inline(never)]
fn shade_nans(
    w: &mut Warp,
    (class, row): (Class, usize),
    mask: u32,
    pc: u32,
    defined: &dyn Fn(u64, usize) -> u64,
) {
    for lane in lanes(mask) {
        let bits = w.registers.get(class, row, lane);
        let open = !defined(bits, lane) & crate::registers::all_bits(class);
        if open != 0 {
            let mut shade = w.registers.shade(class, row, lane);
            shade.undefined |= open;
            shade.doubt = Doubt::NONE;
            if shade.origin == Origin::NONE {
                shade.origin = Origin::made_by(pc);
            }
            w.registers.set_shade(class, row, lane, shade);
        }
    }
}
