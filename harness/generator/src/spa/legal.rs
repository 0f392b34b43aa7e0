//! The instructions that no program has, each with the reason. Most of them the reference refuses, because what they do is in no public
//! source, or sources differ; a few it runs, and they show nothing in these programs or cannot stand in them.

use warpdiff_sass::form::{Form, MarkField, OperandField};
use warpdiff_sass::mnemonic::Subject;
use warpdiff_sass::{Instruction, Mark, Marks, Mnemonic as M, Operand};

use super::fields::set;

const NO_BUFFER: &str = "no surface of a launch is a buffer";
const NO_CUBE: &str =
    "the direction of a cube is open in its last bits, and there are no arrays of three dimensions";
const NO_DEPTHS: &str = "no texture of a launch has depths to compare with";
const NO_SAMPLES: &str = "no texture of a launch has several samples";

/// Why no program has something; `None`: programs have it.
pub(super) type Reason = Option<&'static str>;

/// Why no program has an instruction; `None`: programs have it.
pub fn why_not(instruction: &Instruction) -> Option<&'static str> {
    let one = Look(instruction);
    one.form().or_else(|| one.codes()).or_else(|| one.by_mnemonic())
}

/// Gives an instruction what one of its modifiers asks for beside it, which would seldom be drawn together.
pub(super) fn suit(instruction: &mut Instruction) {
    let has = |instruction: &Instruction, role, name| instruction.modifier_name(role) == Some(name);
    match instruction.form.mnemonic {
        M::XMAD if has(instruction, "treatment of the summand", "CSFU") => {
            for (role, name) in [
                ("signedness of the halves", "S16.S16"),
                ("shift of the product", ""),
                ("merging", ""),
                ("extension", ""),
            ] {
                set(instruction, role, name);
            }
            clear_marks(instruction);
            let upper = instruction.form.marks.iter().filter(|field| field.mark == Mark::UpperHalf);
            upper.for_each(|field| instruction.marks[field.operand] = Marks::NONE.with(Mark::UpperHalf));
        }
        M::IMAD if has(instruction, "saturation", "SAT") => {
            for (role, name) in
                [("signedness of the factors", ""), ("part of the product", "HI"), ("extension", "")]
            {
                set(instruction, role, name);
            }
            clear_marks(instruction);
        }
        M::IADD3 if has(instruction, "shift", "RS") => {
            set(instruction, "extension", "");
            clear_marks_named(instruction, |field| {
                field.operand < 3 && matches!(field.mark, Mark::Negated | Mark::ConditionCodes)
            });
        }
        M::SURED | M::SUATOM
            if has(instruction, "type", "F32.FTZ.RN") && !has(instruction, "operation", "CAS") =>
        {
            set(instruction, "operation", "ADD");
        }
        M::LDC => align_part(instruction),
        _ => {}
    }
}

/// Has `LDC` read a part of a constant that is aligned to its size.
fn align_part(instruction: &mut Instruction) {
    let size = match instruction.modifier_name("size") {
        Some("U8" | "S8") => 1,
        Some("U16" | "S16") => 2,
        Some("64") => 8,
        _ => 4,
    };
    for operand in &mut instruction.operands {
        if let Operand::IndexedConstant { offset, .. } = operand {
            *offset -= offset.rem_euclid(size);
        }
    }
}

/// Takes away all marks that are no part of the form.
fn clear_marks(instruction: &mut Instruction) {
    clear_marks_named(instruction, |_| true);
}

/// Takes away the marks that are no part of the form and that are meant.
fn clear_marks_named(instruction: &mut Instruction, is_meant: impl Fn(&MarkField) -> bool) {
    let Instruction { form, marks, .. } = instruction;
    let kept = |field: &&MarkField| {
        let is_set = marks[field.operand].has(field.mark);
        is_set && (form.mask >> field.bit & 1 == 1 || !is_meant(field))
    };
    let kept: Vec<&MarkField> = form.marks.iter().filter(kept).collect();
    marks.fill(Marks::NONE);
    kept.into_iter().for_each(|field| marks[field.operand] = marks[field.operand].with(field.mark));
}

/// An instruction that is looked at.
#[derive(Clone, Copy)]
struct Look<'i>(&'i Instruction);

impl Look<'_> {
    /// What holds for a form, whatever its modifiers are.
    fn form(self) -> Reason {
        let Instruction { form, .. } = self.0;
        let is_number = |field: &OperandField| matches!(field, OperandField::Immediate20 { .. });
        match form.mnemonic {
            M::P2R | M::R2P if !form.operands.last().is_some_and(is_number) => {
                Some("which bits a mask in a register or a constant names is in no source")
            }
            _ => None,
        }
    }

    /// What the condition codes are after it.
    fn codes(self) -> Reason {
        if !self.0.marks.iter().any(|marks| marks.has(Mark::ConditionCodes)) {
            return None;
        }
        let are_unknown = match self.0.form.traits.subject {
            Subject::Float | Subject::Video => true,
            Subject::Conversion => self.0.form.mnemonic != M::I2I,
            _ => matches!(self.0.form.mnemonic, M::FLO | M::SHL | M::SHR),
        };
        are_unknown.then_some("its condition codes are in no source")
    }

    fn by_mnemonic(self) -> Reason {
        match self.0.form.mnemonic {
            M::BRA | M::BRX | M::JMP | M::JMX => {
                (self.modifier("limit") != 0).then_some("what a limit does is in no source")
            }
            M::CAL | M::JCAL | M::PRET => {
                let is_kept = self.0.modifier_name("increment") == Some("NOINC");
                is_kept.then_some("which address is returned to is in no source")
            }
            M::CSET | M::CSETP => {
                let test = self.modifier("test of the condition codes");
                matches!(test, 24..=29).then_some("the clip state, which compute programs have not")
            }
            M::F2F => self.between_floats(),
            M::F2I | M::I2F | M::I2I => self.conversion(),
            M::FMUL => {
                let both = self.modifier("scale") != 0 && self.modifier("flushing") == 2;
                both.then_some("a scale with `.FMZ` is in no source")
            }
            M::IADD | M::IADD32I => self.sum(),
            M::IADD3 => self.sum_of_three(),
            M::IMAD | M::IMAD32I => self.product_and_sum(),
            M::IMNMX => {
                let is_lowest = self.modifier("part of a longer number") == 1;
                (is_lowest && self.has_codes()).then_some("the codes of the lowest word are in no source")
            }
            M::LEA => {
                let carries = self.is_extended() || self.has_codes();
                (carries && self.marked(2, Mark::Negated))
                    .then_some("the carry of a difference is in no source")
            }
            M::LOP | M::LOP32I | M::LOP3 | M::SHL | M::SHR => {
                self.is_extended().then_some("what a carry does to it is in no source")
            }
            M::MEMBAR => {
                (self.0.modifier_name("scope") == Some("VC")).then_some("what this scope is is in no source")
            }
            M::MUFU => self.approximation(),
            M::SHF => {
                let part = self.modifier("part");
                let is_left = self.0.form.fixed_modifiers.contains(&"L");
                (part > 1 || part == 1 && is_left).then_some("this part of a shift is in no source")
            }
            M::XMAD => self.product_of_halves(),
            M::TEX | M::TLD | M::TLD4 | M::TLD4S | M::TXD | M::TMML => {
                let compares = self.modifier("comparison") != 0;
                let samples = self.modifier("sample") != 0;
                let dimension = self.dimension();
                let is_known = dimension.is_none_or(|name| !name.contains("CUBE") && name != "ARRAY_3D");
                let gathers = self.0.form.mnemonic == M::TLD4;
                let is_plane = dimension.is_none_or(|name| name.ends_with("2D"));
                (!is_known)
                    .then_some(NO_CUBE)
                    .or((gathers && !is_plane).then_some("a gather is of two dimensions"))
                    .or(compares.then_some(NO_DEPTHS))
                    .or(samples.then_some(NO_SAMPLES))
            }
            M::ATOM | M::ATOMS | M::RED => self.atomic(),
            M::SUATOM | M::SURED => self.image_atomic(),
            M::SULD | M::SUST if self.0.modifier_name("dimension") == Some("1D_BUFFER") => Some(NO_BUFFER),
            _ => None,
        }
    }

    fn modifier(self, role: &str) -> u8 {
        self.0.modifier(role).unwrap_or(0)
    }

    /// The dimension of a lookup that may have any.
    fn dimension(self) -> Option<&'static str> {
        self.0.operands.iter().find_map(|operand| match operand {
            Operand::Word { names, value } if names.len() == 8 => names.get(usize::from(*value)).copied(),
            _ => None,
        })
    }

    fn marked(self, operand: usize, mark: Mark) -> bool {
        self.0.marks.get(operand).is_some_and(|marks| marks.has(mark))
    }

    fn has_codes(self) -> bool {
        self.marked(0, Mark::ConditionCodes) || self.marked(1, Mark::ConditionCodes)
    }

    fn is_extended(self) -> bool {
        self.modifier("extension") != 0
    }

    fn is_saturated(self) -> bool {
        self.modifier("saturation") != 0
    }

    /// The bits of the type with that role: of `F16` 16.
    fn width(self, role: &str) -> u32 {
        let digits = self.0.modifier_name(role).and_then(|name| name.get(1..));
        digits.and_then(|digits| digits.parse().ok()).unwrap_or(0)
    }

    fn sum(self) -> Reason {
        let plus_one = self.0.form.fixed_modifiers.contains(&"PO");
        match () {
            () if self.is_saturated() && (self.is_extended() || self.has_codes() || plus_one) => {
                Some("a limited sum with a carry is in no source")
            }
            () if plus_one && self.is_extended() => Some("both one and a carry are in no source"),
            () => None,
        }
    }

    fn sum_of_three(self) -> Reason {
        let carries = self.is_extended() || self.has_codes();
        let negated = [1, 2, 3].map(|n| self.marked(n, Mark::Negated));
        let halves = (1..=3).any(|n| self.marked(n, Mark::LowerHalf) && self.marked(n, Mark::UpperHalf));
        match self.modifier("shift") {
            _ if halves => Some("both halves at once mean nothing"),
            1 | 2 if carries => Some("the carry of a shifted sum is in no source"),
            1 if negated[0] || negated[1] => Some("the upper half of a difference is in no source"),
            _ if carries && negated == [true; 3] => Some("the carry of three negated words is in no source"),
            _ => None,
        }
    }

    fn product_and_sum(self) -> Reason {
        let negated = [1, 3].map(|n| self.marked(n, Mark::Negated));
        let plus_one = self.0.modifier("increment").is_some();
        let upper = self.modifier("part of the product") != 0;
        let is_difference = plus_one || negated != [false; 2];
        let is_signed = self.0.modifier_name("signedness of the factors") == Some("");
        match () {
            () if negated[0] && upper => Some("sources differ on the upper word of a negated product"),
            () if self.is_extended() && is_difference => Some("a difference with a carry is in no source"),
            () if self.is_saturated()
                && (self.is_extended() || self.has_codes() || is_difference || !upper || !is_signed) =>
            {
                Some("which sums are limited is known of the upper word of signed factors alone")
            }
            () => None,
        }
    }

    fn product_of_halves(self) -> Reason {
        let summand = self.modifier("treatment of the summand");
        let changed = self.modifier("shift of the product") != 0 || self.modifier("merging") != 0;
        let upper = [1, 2].map(|n| self.marked(n, Mark::UpperHalf));
        match () {
            () if self.is_extended() => Some("what a carry does to it is in no source"),
            () if self.has_codes() && (changed || summand != 0) => {
                Some("the carry of a sum that is not plain is in no source")
            }
            () if summand == 3
                && (upper != [true; 2] || self.modifier("signedness of the halves") != 3 || changed) =>
            {
                Some("what `.CSFU` does is known of two signed upper halves alone")
            }
            () => None,
        }
    }

    fn between_floats(self) -> Reason {
        let (from, to) = (self.width("source type"), self.width("destination type"));
        let whole = self.0.modifier("whole number");
        let is_flushed = self.modifier("flushing") != 0;
        match (from, to) {
            (16, 64) | (64, 16) => Some("two sources call the combination invalid"),
            (_, 64) if self.is_saturated() => Some("a saturated double is in no source"),
            (16, 16) if is_flushed && matches!(whole, None | Some(1 | 2)) => {
                Some("whether subnormal halves are flushed is in no source")
            }
            _ => self.conversion(),
        }
    }

    fn conversion(self) -> Reason {
        let low = match () {
            () if self.marked(1, Mark::UpperHalf) => 16,
            () => {
                8 * u32::from(self.marked(1, Mark::ByteOne)) + 16 * u32::from(self.marked(1, Mark::ByteTwo))
            }
        };
        let sign = self.marked(1, Mark::Absolute) || self.marked(1, Mark::Negated);
        let is_unsigned = self.0.modifier_name("source type").is_some_and(|name| name.starts_with('U'));
        let of_half = matches!(self.0.operands.get(1), Some(Operand::Half(_)));
        match self.0.form.mnemonic {
            _ if low != 0 && (low + self.width("source type") > 32 || of_half) => {
                Some("the part goes beyond the register")
            }
            M::I2F if sign && is_unsigned => Some("sources differ on the sign of an unsigned integer"),
            M::I2I if self.has_codes() && self.width("destination type") < 32 => {
                Some("the condition codes of a part of a register are in no source")
            }
            _ => None,
        }
    }

    fn atomic(self) -> Reason {
        let operation = self.0.modifier_name("operation");
        let counts = matches!(operation, Some("INC" | "DEC"));
        let is_shared = self.0.form.mnemonic == M::ATOMS;
        match self.0.modifier_name("size").unwrap_or_default() {
            "S64" if is_shared => Some("this size is in no source"),
            "U128" => Some("this size is in no source"),
            "F32.FTZ.RN" if operation != Some("ADD") => Some("what it does with floats is in no source"),
            "S32" | "U64" | "S64" if counts && !is_shared => Some("it counts words without a sign alone"),
            _ => None,
        }
    }

    fn image_atomic(self) -> Reason {
        let operation = self.0.modifier_name("operation");
        match (self.0.modifier_name("type").unwrap_or_default(), operation) {
            _ if self.0.modifier_name("dimension") == Some("1D_BUFFER") => Some(NO_BUFFER),
            ("F32.FTZ.RN", operation) if !matches!(operation, Some("ADD" | "CAS")) => {
                Some("what it does with floats is in no source")
            }
            ("U64" | "S64" | "SD64", Some("INC" | "DEC")) => Some("it counts words alone"),
            _ => None,
        }
    }

    fn approximation(self) -> Reason {
        let function = self.modifier("function");
        let marked = self.marked(1, Mark::Absolute) || self.marked(1, Mark::Negated);
        match function {
            0..=2 if marked => Some("a sign of what `RRO` has prepared is in no source"),
            6 | 7 if self.is_saturated() => Some("a saturated upper word is in no source"),
            _ => None,
        }
    }
}

/// Why no program has a form, whatever its modifiers are.
pub fn not_drawn(form: &Form) -> Option<&'static str> {
    match form.traits.subject {
        Subject::Texture => texture_not_drawn(form),
        Subject::Control => control_not_drawn(form),
        Subject::Surface if form.mnemonic == M::SUATOM && form.fixed_modifiers.contains(&"P") => {
            Some("a source says that the hardware has atomics with `.D` alone")
        }
        _ => match form.mnemonic {
            M::ATOMS if form.operands.get(2) == Some(&OperandField::Rz) => {
                Some("`RZ` where `Rb` of a compare-and-swap is breaks a rule of its page")
            }
            M::BAR => barrier_not_drawn(form),
            M::B2R if form.fixed_modifiers != ["RESULT"] => Some("the state of a barrier is in no source"),
            M::LD | M::ST | M::LDG | M::STG | M::ATOM | M::RED if !form.fixed_modifiers.contains(&"E") => {
                Some("the buffers of a launch may lie beyond addresses of 32 bits")
            }
            M::ATOM if form.fixed_modifiers.contains(&"SAFEADD") => Some("what it does is in no source"),
            _ => None,
        },
    }
}

fn control_not_drawn(form: &Form) -> Reason {
    match form.mnemonic {
        M::CCTL | M::CCTLL => Some("shows nothing in a program of independent threads"),
        M::BPT => Some("ends the program, or is seen by debuggers alone"),
        M::KIL | M::LONGJMP | M::PLONGJMP | M::PEXIT => {
            Some("what it does in a compute program is in no source")
        }
        M::RAM | M::SAM => Some("every lane of a quad runs anyway"),
        _ if form
            .operands
            .iter()
            .any(|field| matches!(field, OperandField::ConstantTarget | OperandField::IndexedConstant)) =>
        {
            Some("where control goes would have to be a parameter")
        }
        _ => None,
    }
}

fn barrier_not_drawn(form: &Form) -> Reason {
    let registers = form.operands.iter().filter(|field| matches!(field, OperandField::Register { .. }));
    match form.fixed_modifiers {
        ["SCAN"] => Some("what it does is in no source"),
        ["ARV"] => Some("nobody would come to it: programs have one warp"),
        _ if registers.count() == 2 => Some("two registers are known as one and the same alone"),
        _ => None,
    }
}

fn texture_not_drawn(form: &Form) -> Reason {
    let named = form.operands.iter().find_map(|field| match field {
        OperandField::Word { names: [name], .. } => Some(*name),
        _ => None,
    });
    match form.mnemonic {
        M::TXQ if !matches!(named, Some("TEX_HEADER_DIMENSION" | "TEX_HEADER_TEXTURE_TYPE")) => {
            Some("how the answer is laid out is in no source")
        }
        _ if named == Some("CUBE") => Some(NO_CUBE),
        _ if form.fixed_modifiers.contains(&"DC") => Some(NO_DEPTHS),
        _ if form.fixed_modifiers.contains(&"MS") => Some(NO_SAMPLES),
        _ => None,
    }
}
