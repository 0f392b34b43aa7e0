//! Operands to register indices.

use warpdiff_model::Deviation;
use warpdiff_ptx::checked::{Immediate, Operand};
use warpdiff_ptx::vocabulary::{SpecialRegister, Type};
use warpdiff_semantics::numeric::convert;
use warpdiff_semantics::numeric::rounding::Rounding;

use super::{Decode, Decoder, bits_of, class_of};
use crate::address_space::slots;
use crate::decoded::{Decoded, NarrowConstant, VariablePlace, WideConstant};
use crate::operation::{Class, Code, Slot, Volatile};

impl Decoder<'_> {
    /// Source operand `n`, as a register of the class of `ty`.
    pub(super) fn source(&mut self, n: usize, ty: Type) -> Decode<Slot> {
        let operand = self.operand(n)?;
        self.source_operand(operand, ty)
    }

    /// A source operand, as a register of the class of `ty`.
    pub(super) fn source_operand(&mut self, operand: &Operand, ty: Type) -> Decode<Slot> {
        let slot = self.source_any(operand, ty)?;
        Ok(self.in_class(slot, class_of(ty)))
    }

    /// A source operand in whatever class it is in.
    pub(super) fn source_any(&mut self, operand: &Operand, ty: Type) -> Decode<Slot> {
        match operand {
            Operand::Register { id, negated } => {
                let slot = self.register(*id);
                if !negated {
                    return Ok(slot);
                }
                let temporary = self.temporary(Class::Predicate);
                self.emit_unguarded(Code::NotP, temporary.index, [slot.index, 0, 0], 0);
                Ok(temporary)
            }
            Operand::Component { id, component } => {
                let slot = self.register(*id);
                Ok(Slot { index: slot.index + component, ..slot })
            }
            Operand::Immediate(immediate) => {
                let value = self.immediate(*immediate, ty);
                Ok(self.constant(class_of(ty), value))
            }
            Operand::Special { register, component } => self.special(*register, *component, ty),
            Operand::VariableAddress { variable, offset } => {
                let declared = &self.module.variables[variable.0 as usize];
                let align = if self.out.literal_alignment { declared.least_align } else { declared.align };
                self.variable_address(self.place(*variable), align, *offset)
            }
            Operand::RegisterSum { id, offset } => {
                let (slot, class) = (self.register(*id), class_of(ty));
                let added = self.constant(class, *offset as u64);
                let sum = self.temporary(class);
                let code = if class == Class::Wide { Code::AddW } else { Code::AddN };
                self.emit_unguarded(code, sum.index, [slot.index, added.index, 0], 0);
                Ok(sum)
            }
            Operand::FunctionAddress(id) => {
                let value = Decoded::function_address(*id);
                Ok(self.wide_constant(WideConstant::Address { value, aligned: 0 }))
            }
            _ => Err(self.unsupported_because("this kind of operand")),
        }
    }

    /// The same value in another class: widened with zeros or truncated.
    pub(super) fn in_class(&mut self, slot: Slot, class: Class) -> Slot {
        let code = match (slot.class, class) {
            (Class::Narrow, Class::Wide) => Code::ZextNW,
            (Class::Wide, Class::Narrow) => Code::TruncWN,
            _ => return slot,
        };
        let temporary = self.temporary(class);
        self.emit_unguarded(code, temporary.index, [slot.index, 0, 0], 0);
        temporary
    }

    /// Destination operand `n`; `_` is a temporary.
    pub(super) fn destination(&mut self, n: usize, ty: Type) -> Decode<Slot> {
        let operand = self.operand(n)?;
        self.destination_operand(operand, ty)
    }

    /// A destination operand; `_` is a temporary.
    pub(super) fn destination_operand(&mut self, operand: &Operand, ty: Type) -> Decode<Slot> {
        match operand {
            Operand::Register { id, .. } => Ok(self.register(*id)),
            Operand::Component { id, component } => {
                let slot = self.register(*id);
                Ok(Slot { index: slot.index + component, ..slot })
            }
            Operand::Sink => Ok(self.temporary(class_of(ty))),
            _ => Err(self.unsupported_because("this kind of destination")),
        }
    }

    /// The bits of an immediate as an operand of type `ty`.
    pub(super) fn immediate(&self, immediate: Immediate, ty: Type) -> u64 {
        let float_format = match ty {
            Type::F16 | Type::F16x2 => Some(convert::Format::F16),
            Type::Bf16 | Type::Bf16x2 => Some(convert::Format::Bf16),
            Type::F32 | Type::Tf32 => Some(convert::Format::F32),
            Type::F64 => Some(convert::Format::F64),
            _ => None,
        };
        let convert = |bits: u64, from: convert::Format, to: convert::Format| {
            if from == to {
                bits
            } else {
                convert::float_to_float(bits, from, to, Rounding::Rn, false, false)
            }
        };
        let bits = match (immediate, float_format) {
            (Immediate::Integer { bits, .. }, _) => bits,
            (Immediate::Float32(bits), Some(to)) => convert(u64::from(bits), convert::Format::F32, to),
            (Immediate::Float64(bits), Some(to)) => convert(bits, convert::Format::F64, to),
            (Immediate::Float32(bits), None) => u64::from(bits),
            // A decimal literal as an untyped 32-bit operand (`mov.b32 %r, 1.5`) is a binary32.
            (Immediate::Float64(bits), None) if ty.size() == 4 => {
                convert(bits, convert::Format::F64, convert::Format::F32)
            }
            (Immediate::Float64(bits), None) => bits,
        };
        // 4.5.3: as predicates "zero values are False and non-zero values are True".
        if ty == Type::Pred { u64::from(bits != 0) } else { bits & bits_of(ty) }
    }

    fn special(&mut self, register: SpecialRegister, component: u32, ty: Type) -> Decode<Slot> {
        use SpecialRegister as S;
        let volatile = match register {
            S::Clock | S::GlobaltimerLo => Some((Volatile::Clock, Class::Narrow)),
            S::ClockHi | S::GlobaltimerHi => Some((Volatile::ClockHigh, Class::Narrow)),
            S::Clock64 | S::Globaltimer => Some((Volatile::Clock64, Class::Wide)),
            S::Warpid => Some((Volatile::WarpId, Class::Narrow)),
            S::Smid => Some((Volatile::SmId, Class::Narrow)),
            S::Nwarpid | S::Nsmid | S::Gridid => {
                return Err(self.unsupported_because(&format!("`%{register}`")));
            }
            _ => None,
        };
        if let Some((kind, class)) = volatile {
            let temporary = self.temporary(class);
            self.emit_unguarded(
                Code::Volatile,
                temporary.index,
                [u32::from(class == Class::Wide), 0, 0],
                kind as u32,
            );
            return Ok(temporary);
        }
        let slot = self.narrow_constant(NarrowConstant::Special(register, component));
        let ty = if self.deviates(Deviation::SpecialRegisterNarrow) { Type::U16 } else { ty };
        if ty.size() >= 4 || ty == Type::Pred {
            return Ok(slot);
        }
        // Reading a 32-bit special register as 16 bits takes the low half.
        let mask = self.constant(Class::Narrow, bits_of(ty));
        let temporary = self.temporary(Class::Narrow);
        self.emit_unguarded(Code::AndN, temporary.index, [slot.index, mask.index, 0], 0);
        Ok(temporary)
    }

    /// The address of a variable with this alignment in its own space, plus `offset`, in a wide register.
    pub(super) fn variable_address(&mut self, place: VariablePlace, align: u64, offset: i64) -> Decode<Slot> {
        let aligned = align.max(1).trailing_zeros();
        let value = match place {
            VariablePlace::Global { address } => address,
            VariablePlace::Shared { offset }
            | VariablePlace::Parameter { offset }
            | VariablePlace::Const { offset, .. } => u64::from(offset),
            VariablePlace::Frame { offset: start } => {
                let temporary = self.temporary(Class::Wide);
                let x = (i64::from(start) + offset) as u32;
                self.emit_unguarded(Code::FrameAddress, temporary.index, [aligned, 0, 0], x);
                return Ok(temporary);
            }
            VariablePlace::Surface(number) => {
                return Ok(self.wide_constant(WideConstant::SurfaceVariable(number)));
            }
            VariablePlace::Texture(number) => {
                return Ok(self.wide_constant(WideConstant::TextureVariable(number)));
            }
            VariablePlace::Sampler(number) => {
                return Ok(self.wide_constant(WideConstant::SamplerVariable(number)));
            }
            VariablePlace::OpaqueParameter(position) => {
                return Ok(self.wide_constant(WideConstant::OpaqueParameter(position)));
            }
            VariablePlace::None => return Err(self.unsupported_because("the address of such a variable")),
        };
        let value = value.wrapping_add(offset as u64);
        Ok(self.wide_constant(WideConstant::Address { value, aligned }))
    }

    /// The constant to add to an address in `space` to make it generic.
    pub(super) fn window(&self, space: warpdiff_ptx::vocabulary::Space) -> u64 {
        use warpdiff_ptx::vocabulary::Space;
        match space {
            Space::Shared => slots::SHARED,
            Space::Local => slots::LOCAL,
            Space::Param => slots::PARAM,
            Space::Const => self.out.bank.window,
            _ => 0,
        }
    }
}
