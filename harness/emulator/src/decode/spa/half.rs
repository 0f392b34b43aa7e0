//! Pairs of halves: `HADD2`, `HMUL2`, `HFMA2`, `HSET2`, `HSETP2`, from sm_53 on.
//!
//! Each of the two lanes takes a half of each source, or a single that is the same for both; a constant is a single always.

use warpdiff_sass::{Mark, Marks, Mnemonic as M, Operand};
use warpdiff_semantics::definedness::{self, Bits};
use warpdiff_semantics::numeric::compare;
use warpdiff_semantics::numeric::rounding::Layout;
use warpdiff_semantics::numeric::spa_half::{self, Mode, Operation, Source};

use super::super::Decode;
use super::Spa;
use super::float::{Asked, asked};
use crate::operation::{Class, Code, Slot};

/// Where a source's lanes are in its register.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Lanes {
    /// Each in its own half.
    Each,
    /// Both in the lower half.
    Lower,
    /// Both in the upper half.
    Upper,
    /// Both are the single that fills the register.
    Single,
}

/// A source with its register, its lanes and its sign.
#[derive(Clone, Copy)]
struct Pair {
    slot: Slot,
    lanes: Lanes,
    absolute: bool,
    negated: bool,
}

impl Pair {
    /// The bits of a lane's operand: the lowest and their number.
    fn part(self, lane: u32) -> (u32, Layout) {
        match self.lanes {
            Lanes::Each => (16 * lane, Layout::F16),
            Lanes::Lower => (0, Layout::F16),
            Lanes::Upper => (16, Layout::F16),
            Lanes::Single => (0, Layout::F32),
        }
    }

    /// The operand of a lane.
    fn source(self, register: u64, lane: u32) -> Source {
        let (low, layout) = self.part(lane);
        let bits = register >> low & u64::MAX >> (64 - layout.width());
        let bits = if self.absolute { bits & !layout.sign() } else { bits };
        let bits = if self.negated { bits ^ layout.sign() } else { bits };
        match self.lanes {
            Lanes::Single => Source::Single(bits as u32),
            _ => Source::Half(bits as u16),
        }
    }

    /// Whether all of a lane's operand is defined, or that it is a NaN.
    fn is_known(self, register: Bits, lane: u32) -> bool {
        let (low, layout) = self.part(lane);
        let part = Bits { value: register.value >> low, defined: register.defined >> low };
        definedness::float::operand(part, layout).is_known(layout.width())
    }
}

impl Spa<'_> {
    /// Functions of pairs of halves.
    pub(super) fn pairs_of_halves(&mut self) -> Decode {
        match self.mnemonic() {
            M::HADD2 | M::HADD2_32I => self.half_arithmetic(Operation::Add, 2),
            M::HMUL2 | M::HMUL2_32I => self.half_arithmetic(Operation::Multiply, 2),
            M::HFMA2 | M::HFMA2_32I => self.half_arithmetic(Operation::MultiplyAdd, 3),
            M::HSET2 => self.half_set(),
            M::HSETP2 => self.half_test(),
            _ => Err(self.unsupported()),
        }
    }

    /// Sources from operand `first` on, and the number of the operand behind them.
    fn pairs(&mut self, first: usize, count: usize) -> Decode<(Vec<Pair>, usize)> {
        let mut next = first;
        let mut pairs = Vec::with_capacity(count);
        for _ in 0..count {
            let marks = self.marks(next);
            let (slot, lanes) = match self.operand(next)? {
                Operand::Half(upper) => {
                    next += 1;
                    let Operand::Half(lower) = self.operand(next)? else {
                        return Err(self.unsupported_because("half a number"));
                    };
                    let both = u64::from(upper) << 16 | u64::from(lower);
                    (self.d.constant(Class::Narrow, both), Lanes::Each)
                }
                Operand::Constant { .. } => (self.unmarked(next)?, Lanes::Single),
                _ => (self.unmarked(next)?, lanes(marks)),
            };
            next += 1;
            let (absolute, negated) = (marks.has(Mark::Absolute), marks.has(Mark::Negated));
            pairs.push(Pair { slot, lanes, absolute, negated });
        }
        Ok((pairs, next))
    }

    fn half_arithmetic(&mut self, operation: Operation, count: usize) -> Decode {
        let flushing = self.modifier("flushing");
        let mode =
            Mode { flushed: flushing == 1, zero_wins: flushing == 2, sat: self.modifier("saturation") != 0 };
        let (d, place) = (self.destination()?, self.modifier("place of the result"));
        let (pairs, _) = self.pairs(1, count)?;
        let before = self.register(0)?;
        let mut slots: Vec<Slot> = pairs.iter().map(|pair| pair.slot).collect();
        slots.push(self.read(before));
        let inputs = move |v: &[u64; 4], lane: u32| {
            std::array::from_fn(|n| match pairs.get(n) {
                Some(pair) => pair.source(v[n], lane),
                None => Source::Half(0),
            })
        };
        let evaluate = move |v: &[u64; 4]| -> [spa_half::Result; 2] {
            match place {
                1 => [spa_half::single(operation, inputs(v, 0), mode), (0, 0)],
                _ => [0, 1].map(|lane| spa_half::half(operation, inputs(v, lane), mode)),
            }
        };
        let again = evaluate.clone();
        let (known, _) = self.pairs(1, count)?;
        self.d.lane_partial(
            d,
            &slots,
            move |v| {
                let [(low, _), (high, _)] = evaluate(v);
                u64::from(match place {
                    0 => high << 16 | low,
                    1 => low,
                    2 => v[count] as u32 & 0xffff_0000 | low,
                    _ => high << 16 | v[count] as u32 & 0xffff,
                })
            },
            move |v, _| {
                let masks = again(&v.map(|bits| bits.value));
                let [low, high] = [0, 1].map(|lane| {
                    let known = known.iter().enumerate().all(|(n, pair)| pair.is_known(v[n], lane));
                    if known { masks[lane as usize].1 } else { 0 }
                });
                u64::from(match place {
                    0 => high << 16 | low,
                    1 => low,
                    2 => v[count].defined as u32 & 0xffff_0000 | low,
                    _ => high << 16 | v[count].defined as u32 & 0xffff,
                })
            },
        );
        Ok(())
    }

    /// Whether the lower halves, and whether the upper ones, from operand `first` on compare as asked; and the number of the operand behind.
    fn half_comparisons(&mut self, first: usize) -> Decode<([Slot; 2], usize)> {
        let ftz = self.modifier("flushing") != 0;
        let (pairs, next) = self.pairs(first, 2)?;
        let kind = match asked(self.modifier("comparison")) {
            Asked::Always(answer) => {
                return Ok(([self.d.constant(Class::Predicate, u64::from(answer)); 2], next));
            }
            Asked::Of(kind) => kind,
        };
        let (a, b) = (pairs[0], pairs[1]);
        let holds = [0, 1].map(|lane| {
            let holds = self.d.temporary(Class::Predicate);
            self.d.lane(
                holds,
                &[a.slot, b.slot],
                move |v| {
                    let (a, b) = (a.source(v[0], lane).value(ftz), b.source(v[1], lane).value(ftz));
                    u64::from(compare::f32(kind, a, b, false))
                },
                move |v, _| u64::from(a.is_known(v[0], lane) && b.is_known(v[1], lane)),
            );
            holds
        });
        Ok((holds, next))
    }

    /// "HSET2{.BF}.cmp.bop Rd, Ra, Rb, Pc": in each half all bits or 1.0 where it holds.
    fn half_set(&mut self) -> Decode {
        let d = self.destination()?;
        let ([low, high], next) = self.half_comparisons(1)?;
        let (c, combine) = (self.predicate(next)?, self.of_predicates("combination")?);
        let truth = if self.modifier("kind of truth") != 0 { 0x3c00 } else { 0xffff };
        let [low, high] = [low, high].map(|holds| {
            let result = self.d.temporary(Class::Predicate);
            self.d.emit(combine, result.index, [holds.index, c.index, 0], 0);
            result
        });
        self.d.lane(
            d,
            &[low, high],
            move |v| (truth * (v[0] & 1)) | ((truth * (v[1] & 1)) << 16),
            // Bits that are zero in both cases are defined.
            move |v, _| {
                let half = |known: u64| if known & 1 == 1 { 0xffff } else { 0xffff & !truth };
                half(v[0].defined) | half(v[1].defined) << 16
            },
        );
        Ok(())
    }

    /// "HSETP2.cmp{.H_AND}.bop P, Q, Ra, Rb, Pc": `P` of the lower halves and `Q` of the upper ones; with `.H_AND` `P` whether both hold,
    /// and `Q` its opposite.
    fn half_test(&mut self) -> Decode {
        let (p, q) = (self.predicate_destination(0)?, self.predicate_destination(1)?);
        let ([low, high], next) = self.half_comparisons(2)?;
        let c = self.predicate(next)?;
        let combine = self.of_predicates("combination")?;
        let (first, second) = (self.d.temporary(Class::Predicate), self.d.temporary(Class::Predicate));
        if self.modifier("union of the halves") == 0 {
            self.d.emit(combine, first.index, [low.index, c.index, 0], 0);
            self.d.emit(combine, second.index, [high.index, c.index, 0], 0);
        } else {
            self.emit_union([first, second], [low, high, c], combine);
        }
        self.d.keep_guard(&[p.index, q.index]);
        self.d.emit(Code::MovP, p.index, [first.index, 0, 0], 0);
        self.d.emit(Code::MovP, q.index, [second.index, 0, 0], 0);
        Ok(())
    }

    /// `.H_AND`: Ryujinx has `P = both bop Pc` and `Q = !both bop Pc`, as `FSETP` has; yuzu combines each half with `Pc`, and has `Q = !P`.
    /// Where they differ the result is undefined.
    fn emit_union(&mut self, [first, second]: [Slot; 2], sources: [Slot; 3], combine: Code) {
        let with = move |holds: bool, c: bool| match combine {
            Code::AndP => holds && c,
            Code::OrP => holds || c,
            _ => holds != c,
        };
        let readings = move |v: [u64; 3]| {
            let [low, high, c] = v.map(|bit| bit & 1 == 1);
            let ryujinx = [with(low && high, c), with(!(low && high), c)];
            let yuzu = with(low, c) && with(high, c);
            (ryujinx, [yuzu, !yuzu])
        };
        for (n, slot) in [first, second].into_iter().enumerate() {
            self.d.lane_partial(
                slot,
                &sources,
                move |v| u64::from(readings([v[0], v[1], v[2]]).0[n]),
                move |v, _| {
                    let (ryujinx, yuzu) = readings([v[0].value, v[1].value, v[2].value]);
                    let known = v[..3].iter().all(|bits| bits.is_known(1));
                    u64::from(known && ryujinx[n] == yuzu[n])
                },
            );
        }
    }
}

/// Where the marks of a register say that its lanes are.
fn lanes(marks: Marks) -> Lanes {
    match (marks.has(Mark::Single), marks.has(Mark::LowerTwice)) {
        (false, false) => Lanes::Each,
        (true, false) => Lanes::Single,
        (false, true) => Lanes::Lower,
        (true, true) => Lanes::Upper,
    }
}
