//! Floating-point arithmetic.

use warpdiff_model::Deviation;
use warpdiff_ptx::vocabulary::{Modifier, Opcode, Type};
use warpdiff_semantics::definedness::{self, Bits};
use warpdiff_semantics::numeric::bound::Operation;
use warpdiff_semantics::numeric::compare::Property;
use warpdiff_semantics::numeric::extremum::Extremum;
use warpdiff_semantics::numeric::half::{self, HalfMode, Kind};
use warpdiff_semantics::numeric::rounding::{Layout, Mode, Rounding};
use warpdiff_semantics::numeric::{approximate, compare, double, extremum, nan, single};

use super::{Decode, Decoder, bits_of, float_rule};
use crate::operation::{BoundUse, Code, Slot};

/// A function of up to three numbers, as their bits.
type Function<B> = Box<dyn Fn(B, B, B) -> B + Send + Sync>;

impl Decoder<'_> {
    /// Floating-point arithmetic.
    pub(super) fn float(&mut self) -> Decode {
        match self.instruction.opcode {
            Opcode::Testp => return self.testp(),
            Opcode::Copysign => return self.copysign(),
            _ => {}
        }
        match self.ty(0)? {
            Type::F32 => self.float32(),
            Type::F64 => self.float64(),
            ty @ (Type::F16 | Type::Bf16 | Type::F16x2 | Type::Bf16x2) => self.float16(ty),
            _ => Err(self.unsupported()),
        }
    }

    /// The rounding modifier; nearest even without one.
    pub(super) fn rounding(&self) -> Rounding {
        let modes =
            [(Modifier::Rz, Rounding::Rz), (Modifier::Rm, Rounding::Rm), (Modifier::Rp, Rounding::Rp)];
        modes.iter().find(|(word, _)| self.has(*word)).map_or(Rounding::Rn, |(_, mode)| *mode)
    }

    fn mode(&self) -> Mode {
        Mode { rounding: self.rounding(), ftz: self.has(Modifier::Ftz), sat: self.has(Modifier::Sat) }
    }

    /// Sources 1, 2, … of type `ty`, as many as there are.
    fn float_sources(&mut self, ty: Type) -> Decode<Vec<Slot>> {
        (1..self.instruction.operands.len()).map(|n| self.source(n, ty)).collect()
    }

    fn float32(&mut self) -> Decode {
        let ty = Type::F32;
        let d = self.destination(0, ty)?;
        let sources = self.float_sources(ty)?;
        let mode = self.mode();
        let opcode = self.instruction.opcode;
        let unfused = self.deviates(Deviation::FmaUnfused);
        let at = |n: usize| sources.get(n).map_or(0, |slot: &Slot| slot.index);
        let fast = match opcode {
            _ if !mode.is_plain() => None,
            Opcode::Add => Some(Code::AddF32),
            Opcode::Sub => Some(Code::SubF32),
            Opcode::Mul => Some(Code::MulF32),
            Opcode::Fma | Opcode::Mad if !unfused => Some(Code::FmaF32),
            _ => None,
        };
        if let Some(code) = fast {
            self.emit(code, d.index, [at(0), at(1), at(2)], 0);
            return Ok(());
        }
        let compute = self.compute32(mode)?;
        let count = sources.len();
        let sign_operation = matches!(opcode, Opcode::Neg | Opcode::Abs) && !mode.sat;
        self.bound = self.bound32(mode);
        self.lane_op(
            d,
            &sources,
            Box::new(move |v: &[u64; 4]| u64::from(compute(v[0] as u32, v[1] as u32, v[2] as u32))),
            Box::new(move |v: &[Bits; 4], result| {
                if sign_operation {
                    return match (v[0].is_known(32), opcode) {
                        (true, _) => u64::from(nan::defined_sign_operation32(result as u32)),
                        (false, Opcode::Abs) => definedness::float::abs(v[0], Layout::F32, mode.ftz),
                        (false, _) => definedness::float::neg(v[0], Layout::F32, mode.ftz),
                    };
                }
                float_rule(v, count, Layout::F32, u64::from(nan::defined32(result as u32)))
            }),
            true,
        );
        Ok(())
    }

    /// What a `.f32` instruction does with bounds.
    fn bound32(&self, mode: Mode) -> BoundUse {
        let approx = self.has(Modifier::Approx);
        let operation = match self.instruction.opcode {
            // A number that is flushed is not in the interval any more.
            Opcode::Neg if !mode.ftz && !mode.sat => return BoundUse::Negates,
            Opcode::Abs if !mode.ftz && !mode.sat => return BoundUse::TakesAbsolute,
            Opcode::Div if approx => Operation::DivApprox,
            Opcode::Div if self.has(Modifier::Full) => Operation::DivFull,
            Opcode::Rcp if approx => Operation::Rcp,
            Opcode::Sqrt if approx => Operation::Sqrt,
            Opcode::Rsqrt => Operation::Rsqrt,
            Opcode::Sin => Operation::Sin,
            Opcode::Cos => Operation::Cos,
            Opcode::Lg2 => Operation::Lg2,
            Opcode::Ex2 => Operation::Ex2,
            Opcode::Tanh => Operation::Tanh,
            _ => return BoundUse::None,
        };
        BoundUse::Approximates { operation, ftz: mode.ftz }
    }

    /// What a `.f64` instruction does with bounds.
    fn bound64(&self) -> BoundUse {
        let (approx, ftz) = (self.has(Modifier::Approx), self.has(Modifier::Ftz));
        let operation = match self.instruction.opcode {
            Opcode::Rcp if approx => Operation::Gross64,
            Opcode::Rsqrt if ftz => Operation::Gross64,
            Opcode::Rsqrt => Operation::Rsqrt64,
            _ => return BoundUse::None,
        };
        BoundUse::Approximates { operation, ftz }
    }

    /// The function of a `.f32` instruction.
    fn compute32(&self, mode: Mode) -> Decode<Function<u32>> {
        let approx = self.has(Modifier::Approx);
        let ftz = mode.ftz;
        let unfused = self.deviates(Deviation::FmaUnfused);
        let saturated = move |value: u32| if mode.sat { single::saturate(value) } else { value };
        let extremum = self.extremum(ftz);
        Ok(match self.instruction.opcode {
            Opcode::Add => Box::new(move |a, b, _| single::add(a, b, mode)),
            Opcode::Sub => Box::new(move |a, b, _| single::sub(a, b, mode)),
            Opcode::Mul => Box::new(move |a, b, _| single::mul(a, b, mode)),
            Opcode::Fma | Opcode::Mad if unfused => {
                Box::new(move |a, b, c| single::fma_unfused(a, b, c, mode))
            }
            Opcode::Fma | Opcode::Mad => Box::new(move |a, b, c| single::fma(a, b, c, mode)),
            Opcode::Div if approx => Box::new(move |a, b, _| approximate::div(a, b, ftz)),
            Opcode::Div if self.has(Modifier::Full) => {
                Box::new(move |a, b, _| approximate::div_full(a, b, ftz))
            }
            Opcode::Div => Box::new(move |a, b, _| single::div(a, b, mode)),
            Opcode::Rcp if approx => Box::new(move |a, _, _| approximate::rcp(a, ftz)),
            Opcode::Rcp => Box::new(move |a, _, _| single::rcp(a, mode)),
            Opcode::Sqrt if approx => Box::new(move |a, _, _| approximate::sqrt(a, ftz)),
            Opcode::Sqrt => Box::new(move |a, _, _| single::sqrt(a, mode)),
            Opcode::Rsqrt => Box::new(move |a, _, _| approximate::rsqrt(a, ftz)),
            Opcode::Sin => Box::new(move |a, _, _| approximate::sin(a, ftz)),
            Opcode::Cos => Box::new(move |a, _, _| approximate::cos(a, ftz)),
            Opcode::Lg2 => Box::new(move |a, _, _| approximate::lg2(a, ftz)),
            Opcode::Ex2 => Box::new(move |a, _, _| approximate::ex2(a, ftz)),
            Opcode::Tanh => Box::new(move |a, _, _| approximate::tanh(a)),
            Opcode::Neg => Box::new(move |a, _, _| saturated(single::neg(a, ftz))),
            Opcode::Abs => Box::new(move |a, _, _| saturated(single::abs(a, ftz))),
            Opcode::Min if self.instruction.operands.len() == 3 => {
                Box::new(move |a, b, _| extremum::min32(a, b, extremum))
            }
            Opcode::Max if self.instruction.operands.len() == 3 => {
                Box::new(move |a, b, _| extremum::max32(a, b, extremum))
            }
            _ => return Err(self.unsupported()),
        })
    }

    fn float64(&mut self) -> Decode {
        let ty = Type::F64;
        let d = self.destination(0, ty)?;
        let sources = self.float_sources(ty)?;
        let rounding = self.rounding();
        let opcode = self.instruction.opcode;
        let unfused = self.deviates(Deviation::FmaUnfused);
        let at = |n: usize| sources.get(n).map_or(0, |slot: &Slot| slot.index);
        let fast = match opcode {
            _ if rounding != Rounding::Rn => None,
            Opcode::Add => Some(Code::AddF64),
            Opcode::Sub => Some(Code::SubF64),
            Opcode::Mul => Some(Code::MulF64),
            Opcode::Fma | Opcode::Mad if !unfused => Some(Code::FmaF64),
            _ => None,
        };
        if let Some(code) = fast {
            self.emit(code, d.index, [at(0), at(1), at(2)], 0);
            return Ok(());
        }
        let compute = self.compute64(rounding)?;
        let count = sources.len();
        let sign_operation = matches!(opcode, Opcode::Neg | Opcode::Abs);
        let is_extremum = matches!(opcode, Opcode::Min | Opcode::Max);
        self.bound = self.bound64();
        self.lane_op(
            d,
            &sources,
            Box::new(move |v: &[u64; 4]| compute(v[0], v[1], v[2])),
            Box::new(move |v: &[Bits; 4], result| {
                if sign_operation {
                    return match (v[0].is_known(64), opcode) {
                        (true, Opcode::Abs) => nan::defined_abs64(result),
                        (true, _) => nan::defined_neg64(result),
                        (false, Opcode::Abs) => definedness::float::abs(v[0], Layout::F64, false),
                        (false, _) => definedness::float::neg(v[0], Layout::F64, false),
                    };
                }
                let inputs = [v[0].value, v[1].value, v[2].value];
                // "If both inputs are NaN, the result is NaN": which is not said.
                let passing = if is_extremum { 0 } else { count.min(3) };
                let defined = nan::defined64(result, &inputs[..passing])
                    & definedness::float::passed_on(&v[..passing], Layout::F64);
                float_rule(v, count, Layout::F64, defined)
            }),
            true,
        );
        Ok(())
    }

    /// The modifiers of `min` and `max`.
    fn extremum(&self, ftz: bool) -> Extremum {
        Extremum {
            ftz,
            nan: self.has(Modifier::Nan),
            xorsign_abs: self.has(Modifier::Xorsign),
            signalling: self.deviates(Deviation::MinMaxSignallingNan),
        }
    }

    /// The function of a `.f64` instruction.
    fn compute64(&self, rounding: Rounding) -> Decode<Function<u64>> {
        let approx = self.has(Modifier::Approx);
        let ftz = self.has(Modifier::Ftz);
        let unfused = self.deviates(Deviation::FmaUnfused);
        let extremum = self.extremum(false);
        Ok(match self.instruction.opcode {
            Opcode::Add => Box::new(move |a, b, _| double::add(a, b, rounding)),
            Opcode::Sub => Box::new(move |a, b, _| double::sub(a, b, rounding)),
            Opcode::Mul => Box::new(move |a, b, _| double::mul(a, b, rounding)),
            Opcode::Fma | Opcode::Mad if unfused => {
                Box::new(move |a, b, c| double::fma_unfused(a, b, c, rounding))
            }
            Opcode::Fma | Opcode::Mad => Box::new(move |a, b, c| double::fma(a, b, c, rounding)),
            Opcode::Div if !approx => Box::new(move |a, b, _| double::div(a, b, rounding)),
            Opcode::Rcp if approx && ftz => Box::new(move |a, _, _| approximate::rcp64_ftz(a)),
            Opcode::Rcp if !approx => Box::new(move |a, _, _| double::rcp(a, rounding)),
            Opcode::Sqrt if !approx => Box::new(move |a, _, _| double::sqrt(a, rounding)),
            Opcode::Rsqrt if ftz => Box::new(move |a, _, _| approximate::rsqrt64_ftz(a)),
            Opcode::Rsqrt => Box::new(move |a, _, _| approximate::rsqrt64(a)),
            Opcode::Neg => Box::new(move |a, _, _| double::neg(a)),
            // `DADD d, -RZ, |a|`.
            Opcode::Abs if self.deviates(Deviation::PtxasAbsQuiet) => Box::new(move |a, _, _| {
                double::abs(a) | if double::is_nan(a) { Layout::F64.quiet_bit() } else { 0 }
            }),
            Opcode::Abs => Box::new(move |a, _, _| double::abs(a)),
            Opcode::Min => Box::new(move |a, b, _| extremum::min64(a, b, extremum)),
            Opcode::Max => Box::new(move |a, b, _| extremum::max64(a, b, extremum)),
            _ => return Err(self.unsupported()),
        })
    }

    /// `.f16`, `.bf16` and their pairs.
    fn float16(&mut self, ty: Type) -> Decode {
        let kind = if matches!(ty, Type::F16 | Type::F16x2) { Kind::F16 } else { Kind::Bf16 };
        let layout = kind.layout();
        let paired = ty.size() == 4;
        let d = self.destination(0, ty)?;
        let sources = self.float_sources(ty)?;
        let count = sources.len();
        let sign_operation = matches!(self.instruction.opcode, Opcode::Neg | Opcode::Abs);
        let compute = self.compute16(kind)?;
        let mask = bits_of(ty);
        self.lane_partial(
            d,
            &sources,
            move |v| {
                let low = compute(v[0] as u16, v[1] as u16, v[2] as u16);
                if !paired {
                    return u64::from(low);
                }
                let high = compute((v[0] >> 16) as u16, (v[1] >> 16) as u16, (v[2] >> 16) as u16);
                u64::from(low) | u64::from(high) << 16
            },
            move |v, result| {
                let half = |shift: u32| {
                    let bits = (result >> shift) as u16;
                    let fixed = if sign_operation {
                        nan::defined_sign_operation16(bits, kind)
                    } else {
                        nan::defined16(bits, kind)
                    };
                    let part =
                        v.map(|bits| Bits { value: bits.value >> shift, defined: bits.defined >> shift });
                    float_rule(&part, count, layout, u64::from(fixed)) << shift
                };
                (half(0) | if paired { half(16) } else { 0 }) & mask
            },
        );
        Ok(())
    }

    /// The function of one half.
    fn compute16(&self, kind: Kind) -> Decode<Function<u16>> {
        let ftz = self.has(Modifier::Ftz);
        let mode = HalfMode { ftz, sat: self.has(Modifier::Sat), relu: self.has(Modifier::Relu) };
        let extremum = self.extremum(ftz);
        Ok(match self.instruction.opcode {
            Opcode::Add => Box::new(move |a, b, _| half::add(a, b, kind, mode)),
            Opcode::Sub => Box::new(move |a, b, _| half::sub(a, b, kind, mode)),
            Opcode::Mul => Box::new(move |a, b, _| half::mul(a, b, kind, mode)),
            Opcode::Fma => Box::new(move |a, b, c| half::fma(a, b, c, kind, mode)),
            Opcode::Neg => Box::new(move |a, _, _| half::neg(a, kind, ftz)),
            Opcode::Abs => Box::new(move |a, _, _| half::abs(a, kind, ftz)),
            Opcode::Min if self.instruction.operands.len() == 3 => {
                Box::new(move |a, b, _| half::min(a, b, kind, extremum))
            }
            Opcode::Max if self.instruction.operands.len() == 3 => {
                Box::new(move |a, b, _| half::max(a, b, kind, extremum))
            }
            _ => return Err(self.unsupported()),
        })
    }

    fn testp(&mut self) -> Decode {
        let ty = self.ty(0)?;
        let (d, a) = (self.destination(0, Type::Pred)?, self.source(1, ty)?);
        let properties = [
            (Modifier::Finite, Property::Finite),
            (Modifier::Infinite, Property::Infinite),
            (Modifier::Number, Property::Number),
            (Modifier::Notanumber, Property::Notanumber),
            (Modifier::Normal, Property::Normal),
            (Modifier::Subnormal, Property::Subnormal),
        ];
        let Some((_, property)) = properties.into_iter().find(|(word, _)| self.has(*word)) else {
            return Err(self.unsupported());
        };
        let double = ty == Type::F64;
        self.lane(
            d,
            &[a],
            move |v| {
                u64::from(if double {
                    compare::testp64(property, v[0])
                } else {
                    compare::testp32(property, v[0] as u32)
                })
            },
            move |v, _| float_rule(v, 1, if double { Layout::F64 } else { Layout::F32 }, 1),
        );
        Ok(())
    }

    /// "Copy sign bit of a into value of b."
    fn copysign(&mut self) -> Decode {
        let ty = self.ty(0)?;
        let (d, a, b) = (self.destination(0, ty)?, self.source(1, ty)?, self.source(2, ty)?);
        let sign = bits_of(ty) ^ bits_of(ty) >> 1;
        self.lane(
            d,
            &[a, b],
            move |v| v[0] & sign | v[1] & !sign,
            move |v, _| v[0].defined & sign | v[1].defined & !sign,
        );
        Ok(())
    }
}
