//! Which instructions or variables a deviation is about: without one of them, a program does the same with the deviation and without.

use warpdiff_emulator::Checked;
use warpdiff_model::Deviation;
use warpdiff_ptx::checked::{Instruction, Module, Relocation, RelocationSymbol};
use warpdiff_ptx::departure::Departure;
use warpdiff_ptx::vocabulary::{Modifier, Opcode, Space, Type};
use warpdiff_sass::Mnemonic as M;

/// Whether a deviation is about some instruction or variable of the program.
pub fn may_show(deviation: Deviation, program: &Checked) -> bool {
    match program {
        Checked::Ptx(module) => may_show_in(deviation, module),
        Checked::Spa(program) => program.statements.iter().any(|s| concerns_spa(deviation, &s.instruction)),
    }
}

fn may_show_in(deviation: Deviation, module: &Module) -> bool {
    let departs = |departure| module.departures.iter().any(|(found, _)| *found == departure);
    match deviation {
        Deviation::PtxasPackedLists => departs(Departure::PackedLists),
        Deviation::PtxasWideAddress => departs(Departure::WideAddress),
        Deviation::PtxasExpressionSign => departs(Departure::ExpressionSign),
        Deviation::InitConstGeneric => has_const_address(module, false),
        Deviation::InitGenericIgnored => has_const_address(module, true),
        Deviation::InitMaskKeepsUpper => has_masked_address(module),
        Deviation::InitImplicitGenericIgnored => has_implicit_generic(module),
        _ => module.functions.iter().flat_map(|function| &function.body).any(|i| concerns(deviation, i)),
    }
}

/// The addresses in initial values, as the text specifies them and as the assembler emits them.
fn initial_addresses(module: &Module) -> impl Iterator<Item = &Relocation> {
    module.variables.iter().flat_map(|variable| {
        let emitted = variable.emitted.iter().flat_map(|image| &image.relocations);
        variable.relocations.iter().chain(emitted)
    })
}

/// Whether an initial value has an address that is generic without saying so, as before PTX 3.1.
fn has_implicit_generic(module: &Module) -> bool {
    initial_addresses(module).any(|relocation| relocation.implicit)
}

/// Whether an initial value has the address of a `.const` variable, generic or as an offset.
fn has_const_address(module: &Module, generic: bool) -> bool {
    initial_addresses(module).filter(|relocation| relocation.generic == generic).any(|relocation| {
        match relocation.symbol {
            RelocationSymbol::Variable(id) => module.variables[id.0 as usize].space == Space::Const,
            RelocationSymbol::Function(_) => false,
        }
    })
}

/// Whether a variable whose elements have several bytes holds a byte of an address, by mask().
fn has_masked_address(module: &Module) -> bool {
    let wide = module.variables.iter().filter(|variable| variable.ty.size() > 1);
    wide.flat_map(|variable| {
        variable.relocations.iter().chain(variable.emitted.iter().flat_map(|image| &image.relocations))
    })
    .any(|relocation| relocation.width == 1)
}

/// Whether a deviation is about this instruction of SPA 5.0.
pub(crate) fn concerns_spa(deviation: Deviation, instruction: &warpdiff_sass::Instruction) -> bool {
    let form = instruction.form;
    let is = |mnemonics: &[M]| mnemonics.contains(&form.mnemonic);
    let fixed = |modifier| form.fixed_modifiers.contains(&modifier);
    let atomic = |name| is(&[M::ATOMS]) && instruction.modifier_name("operation") == Some(name);
    match deviation {
        Deviation::AtomIncOffByOne => atomic("INC"),
        Deviation::AtomDecIgnoresGreater => atomic("DEC"),
        Deviation::AtomMinMaxUnsigned => atomic("MIN") || atomic("MAX"),
        Deviation::AtomCasReturnsNew => fixed("CAS"),
        Deviation::SpaCasComparesRc => fixed("CAS") || fixed("CAST"),
        Deviation::SpaCastReturnsOld => fixed("CAST"),
        Deviation::SpaSpinNoneWins | Deviation::SpaSpinIgnored => fixed("SPIN"),
        Deviation::SpaAtomsMisalignedMasked
        | Deviation::SpaAtomsMissingRegisterSigned
        | Deviation::SpaAtomsLostUpdate => is(&[M::ATOMS]),
        Deviation::LdSignedZeroExtended | Deviation::SpaWideReversed => is(&[M::LDL, M::LDS, M::LDG]),
        Deviation::SpaMisalignedNotForced
        | Deviation::SpaOutOfBoundsSilent
        | Deviation::SpaWideBoundFirstByte
        | Deviation::SpaOutOfBoundsKept => is(&[M::LDL, M::LDS]),
        Deviation::SpaUniformFromFirstLane => is(&[M::LDS]) && fixed("U"),
        Deviation::SpaLastUseAlwaysLost => is(&[M::LDL]),
        Deviation::SpaOffsetZeroExtended
        | Deviation::SpaAbsoluteSignExtended
        | Deviation::SpaAddressNotWrapped => is(&[M::LDL, M::LDS, M::STL, M::STS, M::ATOMS]),
        _ => false,
    }
}

/// Whether a deviation is about this instruction: no other does anything else because of it.
pub(crate) fn concerns(deviation: Deviation, instruction: &Instruction) -> bool {
    let opcode = instruction.opcode;
    let has = |modifier| instruction.has(modifier);
    let of_type = |is: fn(Type) -> bool| instruction.types.iter().copied().any(is);
    let atomic = matches!(opcode, Opcode::Atom | Opcode::Red);
    match deviation {
        Deviation::SuldClampAsZero => opcode == Opcode::Suld && has(Modifier::Clamp),
        Deviation::SustClampAsZero => opcode == Opcode::Sust && has(Modifier::Clamp),
        Deviation::SurfaceClampTrapSwapped => {
            is_surface(opcode) && (has(Modifier::Clamp) || has(Modifier::Trap))
        }
        Deviation::SurfaceVectorReversed => is_surface(opcode) && (has(Modifier::V2) || has(Modifier::V4)),
        Deviation::SurfaceSampleXAsByte => is_surface(opcode) && has(Modifier::P),
        Deviation::SurfaceLayerSigned => is_surface(opcode) && (has(Modifier::A1d) || has(Modifier::A2d)),
        Deviation::KeplerA2dUnsigned => is_surface(opcode) && has(Modifier::A2d),
        Deviation::KeplerStraddleInBounds | Deviation::KeplerMisalignedOutOfBounds => is_surface(opcode),
        Deviation::SurfaceFourthCoordinate => is_surface(opcode) && (has(Modifier::D3) || has(Modifier::A2d)),
        Deviation::SustPReversed | Deviation::SustPMissingZeroed | Deviation::SustPTruncates => {
            opcode == Opcode::Sust && has(Modifier::P)
        }
        Deviation::SuredPSignFromOpcode => opcode == Opcode::Sured && has(Modifier::P),
        Deviation::SuldB8SignExtended => opcode == Opcode::Suld && of_type(|ty| ty == Type::B8),
        Deviation::AtomIncOffByOne => atomic && has(Modifier::Inc),
        Deviation::AtomDecIgnoresGreater => atomic && has(Modifier::Dec),
        Deviation::AtomCasReturnsNew => atomic && has(Modifier::Cas),
        Deviation::AtomMinMaxUnsigned => {
            atomic && (has(Modifier::Min) || has(Modifier::Max)) && of_type(Type::is_signed)
        }
        Deviation::LdSignedZeroExtended => opcode == Opcode::Ld && of_type(Type::is_signed),
        Deviation::ShiftAmountMasked => matches!(opcode, Opcode::Shl | Opcode::Shr),
        Deviation::PtxasBorrowInverted => {
            opcode == Opcode::Subc || opcode == Opcode::Sub && has(Modifier::Cc)
        }
        Deviation::MulHiUnsigned => matches!(opcode, Opcode::Mul | Opcode::Mad) && has(Modifier::Hi),
        Deviation::CvtRniHalfAway => opcode == Opcode::Cvt && has(Modifier::Rni),
        Deviation::FmaUnfused => matches!(opcode, Opcode::Fma | Opcode::Mad) && of_type(Type::is_float),
        Deviation::PredicateIgnoredBySt => opcode == Opcode::St && instruction.guard.is_some(),
        Deviation::SurfaceYBoundFromDepth | Deviation::SurfaceZBoundFromHeight => {
            is_surface(opcode) && has(Modifier::D3)
        }
        Deviation::SurfaceClampKeepsOffset => is_surface(opcode) && has(Modifier::Clamp),
        Deviation::SuldZeroKeepsDestination => opcode == Opcode::Suld,
        Deviation::SuldZeroFirstElement => opcode == Opcode::Suld && (has(Modifier::V2) || has(Modifier::V4)),
        Deviation::MinMaxSignallingNan => {
            matches!(opcode, Opcode::Min | Opcode::Max) && of_type(Type::is_float)
        }
        Deviation::CvtNanToInfinity => opcode == Opcode::Cvt && of_type(Type::is_float),
        Deviation::SuredPNarrowUnsigned => opcode == Opcode::Sured && has(Modifier::P),
        // They are about variables.
        deviation if deviation.is_of_initial_values() => false,
        // The first word of the name is the opcode, or `surface`.
        other => match other.name().split('.').next() {
            Some("surface") => is_surface(opcode),
            word => word == Some(opcode.text()),
        },
    }
}

/// Whether it accesses or asks a surface.
pub(crate) fn is_surface(opcode: Opcode) -> bool {
    matches!(opcode, Opcode::Suld | Opcode::Sust | Opcode::Sured | Opcode::Suq)
}
