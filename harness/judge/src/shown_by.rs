//! Which programs and instructions can show a deviation, by the patterns in its entry of the catalogue.
//!
//! A pattern is words between spaces, all of which must hold; of a word with `|` in it one part must. `docs/deviations.md` lists them.

use std::sync::LazyLock;

use warpdiff_corpus::plan::ProgramMap;
use warpdiff_emulator::Checked;
use warpdiff_model::Deviation;
use warpdiff_ptx::checked::{Instruction, Module, Operand, Relocation, RelocationSymbol, Variable};
use warpdiff_ptx::vocabulary::{Modifier, Opcode, Space, SpecialRegister, Type};
use warpdiff_sass::Mnemonic;
use warpdiff_sass::form::Form;
use warpdiff_sass::table::FORMS;

use crate::instruction_family;

/// Whether an instruction or an initial value of the program can show the deviation.
pub fn may_show(deviation: Deviation, program: &Checked) -> bool {
    may_show_in_authored(deviation, program, &ProgramMap::default())
}

/// Whether what the author wrote can show the deviation, and not only the kernel that the harness writes around it. Without a map all is the
/// author's.
pub fn may_show_in_authored(deviation: Deviation, program: &Checked, map: &ProgramMap) -> bool {
    let is_authored = |start: u32| instruction_family::is_authored(map, start);
    match program {
        Checked::Ptx(module) => of(deviation).iter().any(|pattern| match pattern {
            Pattern::Ptx(..) => {
                let mut body = module.functions.iter().flat_map(|function| &function.body);
                body.any(|it| is_authored(it.span.start) && pattern.fits(it))
            }
            other => other.is_in(module, deviation),
        }),
        Checked::Spa(program) => {
            let mut authored = program.statements.iter().filter(|it| is_authored(it.span.start));
            authored.any(|statement| may_show_at_spa(deviation, &statement.instruction))
        }
    }
}

/// Whether this instruction can show the deviation.
pub(crate) fn may_show_at(deviation: Deviation, instruction: &Instruction) -> bool {
    of(deviation).iter().any(|pattern| pattern.fits(instruction))
}

/// Whether this instruction of SPA 5.0 can show the deviation.
pub(crate) fn may_show_at_spa(deviation: Deviation, instruction: &warpdiff_sass::Instruction) -> bool {
    of(deviation).iter().any(|pattern| pattern.fits_spa(instruction))
}

/// Whether whatever can show `narrow` can show `wide`, by their patterns, in the languages whose programs can show `wide`.
pub(crate) fn is_shown_within(narrow: Deviation, wide: Deviation) -> bool {
    let shows_wide = |pattern: &&Pattern| of(wide).iter().any(|around| pattern.is_spa() == around.is_spa());
    let mut concerned = of(narrow).iter().filter(shows_wide).peekable();
    concerned.peek().is_some()
        && concerned.all(|pattern| of(wide).iter().any(|around| pattern.lies_within(around)))
}

/// The languages whose programs can show the deviation: `ptx`, `spa`.
pub fn languages(deviation: Deviation) -> Vec<&'static str> {
    let shows = [
        ("ptx", of(deviation).iter().any(|pattern| !pattern.is_spa())),
        ("spa", of(deviation).iter().any(Pattern::is_spa)),
    ];
    shows.into_iter().filter(|(_, shows)| *shows).map(|(dialect, _)| dialect).collect()
}

/// Whether an instruction of this family (`suld.b`, `ATOMS.INC`) can show the deviation, as far as its opcode says. What a declaration shows
/// is seen wherever something reads the variable.
pub fn may_show_in_family(deviation: Deviation, family: &str) -> bool {
    let opcode = family.split('.').next();
    let of_instructions = |pattern: &Pattern| matches!(pattern, Pattern::Ptx(..) | Pattern::Spa(..));
    !of(deviation).iter().all(of_instructions) || instructions(deviation).any(|name| Some(name) == opcode)
}

/// The names of the instructions that can show the deviation: opcodes of PTX, mnemonics of SPA 5.0.
pub(crate) fn instructions(deviation: Deviation) -> impl Iterator<Item = &'static str> {
    of(deviation).iter().flat_map(|pattern| -> Vec<&'static str> {
        match pattern {
            Pattern::Ptx(opcodes, _) => opcodes.iter().map(|opcode| opcode.text()).collect(),
            Pattern::Spa(mnemonics, _) => mnemonics.iter().map(|mnemonic| mnemonic.text()).collect(),
            Pattern::Address(_)
            | Pattern::Initialised
            | Pattern::Variable(_)
            | Pattern::Noted
            | Pattern::Anything => Vec::new(),
        }
    })
}

/// The patterns of a deviation.
fn of(deviation: Deviation) -> &'static [Pattern] {
    static OF_EACH: LazyLock<Vec<Vec<Pattern>>> = LazyLock::new(|| {
        // A pattern that cannot be read rules nothing out. The tests see to it that there is none.
        let read = |text: &&'static str| Pattern::read(text).unwrap_or(Pattern::Anything);
        Deviation::catalogue().iter().map(|entry| entry.shown_by.iter().map(read).collect()).collect()
    });
    &OF_EACH[deviation.index()]
}

/// What can show a deviation. Of each inner list of traits one must hold.
#[derive(Clone, Debug, PartialEq)]
enum Pattern {
    /// An instruction of PTX.
    Ptx(Vec<Opcode>, Vec<Vec<PtxTrait>>),
    /// An instruction of SPA 5.0.
    Spa(Vec<Mnemonic>, Vec<Vec<SpaTrait>>),
    /// An address in an initial value, by the specification or as the assembler emits it.
    Address(Vec<Vec<AddressTrait>>),
    /// A variable with an initial value.
    Initialised,
    /// The declaration of a variable that is no opaque object.
    Variable(Vec<Vec<VariableTrait>>),
    /// A place of a program where the checker notes the deviation.
    Noted,
    /// Any program.
    Anything,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum PtxTrait {
    Guarded,
    Modifier(Modifier),
    Type(Type),
    Space(Space),
    /// It reads this special register.
    Special(SpecialRegister),
    /// One of its types is signed.
    Signed,
    /// One of its types is a floating-point one.
    Float,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum SpaTrait {
    Guarded,
    /// It reads a constant bank.
    Constant,
    /// The word is among its modifiers.
    Modifier(&'static str),
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum AddressTrait {
    /// Of a variable in that space.
    Of(Space),
    /// A generic address, or an offset in the space.
    Generic(bool),
    /// Generic without `generic()`.
    Implicit,
    /// A byte of it, by `mask()`.
    Masked,
    /// In a variable whose elements have several bytes.
    Wide,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum VariableTrait {
    /// In that space.
    In(Space),
    /// Aligned to more than its type is.
    Aligned,
    Array,
    Vector,
    /// Without a size: dynamic shared memory.
    Dynamic,
    /// Without an initial value.
    Uninitialised,
}

/// The accesses to surfaces of SPA 5.0: what `SURFACE` in a pattern means.
const SURFACE: [Mnemonic; 4] = [Mnemonic::SULD, Mnemonic::SUST, Mnemonic::SURED, Mnemonic::SUATOM];
/// The lookups in textures of SPA 5.0: what `TEXTURE` in a pattern means.
const TEXTURE: [Mnemonic; 7] = [
    Mnemonic::TEX,
    Mnemonic::TEXS,
    Mnemonic::TLD,
    Mnemonic::TLDS,
    Mnemonic::TLD4,
    Mnemonic::TLD4S,
    Mnemonic::TXD,
];

/// The word of a pattern that means nothing.
type UnknownWord = &'static str;

impl Pattern {
    fn read(text: &'static str) -> Result<Self, UnknownWord> {
        let mut words = text.split(' ');
        let subject = words.next().unwrap_or_default();
        if subject == "noted" {
            return words.next().map_or(Ok(Self::Noted), Err);
        }
        if subject == "initialised" {
            return words.next().map_or(Ok(Self::Initialised), Err);
        }
        if subject == "variable" {
            return words
                .map(|word| alternatives(word, variable_traits))
                .collect::<Result<_, _>>()
                .map(Self::Variable);
        }
        if subject == "address" {
            return words
                .map(|word| alternatives(word, address_traits))
                .collect::<Result<_, _>>()
                .map(Self::Address);
        }
        if subject.starts_with(|first: char| first.is_ascii_uppercase()) {
            let has_forms = |mnemonic: &Mnemonic| mnemonic.traits().is_some();
            let mnemonics = alternatives(subject, |name| match name {
                "SURFACE" => SURFACE.to_vec(),
                "TEXTURE" => TEXTURE.to_vec(),
                _ => Mnemonic::from_text(name).filter(has_forms).into_iter().collect(),
            })?;
            let traits = words.map(|word| alternatives(word, |part| spa_traits(&mnemonics, part)));
            return Ok(Self::Spa(mnemonics.clone(), traits.collect::<Result<_, _>>()?));
        }
        let opcodes = alternatives(subject, opcodes)?;
        let traits = words.map(|word| alternatives(word, ptx_traits));
        Ok(Self::Ptx(opcodes, traits.collect::<Result<_, _>>()?))
    }

    /// Whether it is of programs of SPA 5.0.
    fn is_spa(&self) -> bool {
        matches!(self, Self::Spa(..))
    }

    /// Whether what fits this pattern surely fits the other.
    fn lies_within(&self, other: &Self) -> bool {
        match (self, other) {
            (_, Self::Anything) | (Self::Initialised, Self::Initialised) => true,
            (Self::Ptx(opcodes, traits), Self::Ptx(around, wider)) => {
                opcodes.iter().all(|opcode| around.contains(opcode)) && imply(traits, wider)
            }
            (Self::Spa(mnemonics, traits), Self::Spa(around, wider)) => {
                mnemonics.iter().all(|mnemonic| around.contains(mnemonic)) && imply(traits, wider)
            }
            (Self::Address(traits), Self::Address(wider)) => imply(traits, wider),
            (Self::Address(_), Self::Initialised) => true,
            // What the checker notes is of one deviation.
            _ => false,
        }
    }

    fn is_in(&self, module: &Module, deviation: Deviation) -> bool {
        match self {
            Self::Anything => true,
            Self::Initialised => module.variables.iter().any(|it| !it.initial.is_empty()),
            Self::Variable(traits) => {
                module.variables.iter().any(|it| !it.is_opaque() && all_hold(traits, |one| one.holds(it)))
            }
            Self::Noted => module.deviations.iter().any(|(noted, _)| *noted == deviation),
            Self::Address(traits) => module.variables.iter().any(|variable| {
                let emitted = variable.emitted.iter().flat_map(|image| &image.relocations);
                let mut addresses = variable.relocations.iter().chain(emitted);
                addresses.any(|it| all_hold(traits, |one| one.holds(it, variable, module)))
            }),
            Self::Ptx(..) => {
                module.functions.iter().flat_map(|function| &function.body).any(|it| self.fits(it))
            }
            Self::Spa(..) => false,
        }
    }

    fn fits(&self, instruction: &Instruction) -> bool {
        match self {
            Self::Anything => true,
            Self::Ptx(opcodes, traits) => {
                opcodes.contains(&instruction.opcode) && all_hold(traits, |one| one.holds(instruction))
            }
            _ => false,
        }
    }

    fn fits_spa(&self, instruction: &warpdiff_sass::Instruction) -> bool {
        match self {
            Self::Anything => true,
            Self::Spa(mnemonics, traits) => {
                mnemonics.contains(&instruction.form.mnemonic)
                    && all_hold(traits, |one| one.holds(instruction))
            }
            _ => false,
        }
    }
}

/// Whether one of each list holds.
fn all_hold<T>(traits: &[Vec<T>], holds: impl Fn(&T) -> bool) -> bool {
    traits.iter().all(|alternatives| alternatives.iter().any(&holds))
}

/// Whether whatever holds for `traits` holds for `wider`: each list there has all of some list here.
fn imply<T: PartialEq>(traits: &[Vec<T>], wider: &[Vec<T>]) -> bool {
    let within = |narrow: &Vec<T>, wide: &Vec<T>| narrow.iter().all(|one| wide.contains(one));
    wider.iter().all(|wide| traits.iter().any(|narrow| within(narrow, wide)))
}

/// What the parts of a word mean; the part that means nothing.
fn alternatives<T>(
    word: &'static str,
    meanings: impl Fn(&'static str) -> Vec<T>,
) -> Result<Vec<T>, UnknownWord> {
    let mut found = Vec::new();
    for part in word.split('|') {
        let before = found.len();
        found.extend(meanings(part));
        if found.len() == before {
            return Err(part);
        }
    }
    Ok(found)
}

fn opcodes(word: &'static str) -> Vec<Opcode> {
    match word {
        "surface" => {
            Opcode::ALL.iter().map(|(opcode, _)| *opcode).filter(|opcode| opcode.is_surface()).collect()
        }
        _ => Opcode::from_text(word).into_iter().collect(),
    }
}

fn ptx_traits(word: &'static str) -> Vec<PtxTrait> {
    match word {
        "@" => return vec![PtxTrait::Guarded],
        ":signed" => return vec![PtxTrait::Signed],
        ":float" => return vec![PtxTrait::Float],
        _ => {}
    }
    if let Some(name) = word.strip_prefix('%') {
        return SpecialRegister::from_text(name).map(PtxTrait::Special).into_iter().collect();
    }
    let Some(word) = word.strip_prefix('.') else { return Vec::new() };
    let modifier = Modifier::from_text(word).map(PtxTrait::Modifier);
    let of_type = Type::from_text(word).map(PtxTrait::Type);
    let space = Space::from_text(word).map(PtxTrait::Space);
    [modifier, of_type, space].into_iter().flatten().collect()
}

impl PtxTrait {
    fn holds(self, instruction: &Instruction) -> bool {
        match self {
            Self::Guarded => instruction.guard.is_some(),
            Self::Modifier(modifier) => instruction.has(modifier),
            Self::Type(ty) => instruction.types.contains(&ty),
            Self::Space(space) => instruction.spaces.contains(&space),
            Self::Special(wanted) => instruction
                .operands
                .iter()
                .any(|it| matches!(it, Operand::Special { register, .. } if *register == wanted)),
            Self::Signed => instruction.types.iter().any(|ty| ty.is_signed()),
            Self::Float => instruction.types.iter().any(|ty| ty.is_float()),
        }
    }
}

/// The forms of that mnemonic.
fn forms_of(mnemonic: Mnemonic) -> impl Iterator<Item = &'static Form> {
    FORMS.iter().copied().filter(move |form| form.mnemonic == mnemonic)
}

/// A modifier that a form of one of these mnemonics has.
fn spa_traits(mnemonics: &[Mnemonic], word: &'static str) -> Vec<SpaTrait> {
    match word {
        "@" => return vec![SpaTrait::Guarded],
        ":constant" => return vec![SpaTrait::Constant],
        _ => {}
    }
    let Some(word) = word.strip_prefix('.') else { return Vec::new() };
    let mut forms = mnemonics.iter().flat_map(|mnemonic| forms_of(*mnemonic));
    let is_known = forms.any(|form| {
        form.fixed_modifiers.contains(&word)
            || form.modifiers.iter().any(|field| {
                field.names.contains(&word) || field.aliases.iter().any(|(alias, _)| *alias == word)
            })
    });
    is_known.then_some(SpaTrait::Modifier(word)).into_iter().collect()
}

fn is_constant(operand: &warpdiff_sass::Operand) -> bool {
    matches!(operand, warpdiff_sass::Operand::Constant { .. })
}

impl SpaTrait {
    fn holds(self, instruction: &warpdiff_sass::Instruction) -> bool {
        let word = match self {
            Self::Guarded => return instruction.guard != warpdiff_sass::Guard::ALWAYS,
            Self::Constant => return instruction.operands.iter().any(is_constant),
            Self::Modifier(word) => word,
        };
        let form = instruction.form;
        form.fixed_modifiers.contains(&word)
            || form.modifiers.iter().any(|field| {
                let Some(value) = instruction.modifier(field.role) else { return false };
                field.names.get(usize::from(value)) == Some(&word) || field.aliases.contains(&(word, value))
            })
    }
}

fn address_traits(word: &'static str) -> Vec<AddressTrait> {
    match word {
        ":generic" => vec![AddressTrait::Generic(true)],
        ":offset" => vec![AddressTrait::Generic(false)],
        ":implicit" => vec![AddressTrait::Implicit],
        ":masked" => vec![AddressTrait::Masked],
        ":wide" => vec![AddressTrait::Wide],
        _ => {
            let space = word.strip_prefix('.').and_then(Space::from_text);
            space.map(AddressTrait::Of).into_iter().collect()
        }
    }
}

fn variable_traits(word: &'static str) -> Vec<VariableTrait> {
    match word {
        ":aligned" => vec![VariableTrait::Aligned],
        ":array" => vec![VariableTrait::Array],
        ":vector" => vec![VariableTrait::Vector],
        ":dynamic" => vec![VariableTrait::Dynamic],
        ":uninitialised" => vec![VariableTrait::Uninitialised],
        _ => {
            let space = word.strip_prefix('.').and_then(Space::from_text);
            space.map(VariableTrait::In).into_iter().collect()
        }
    }
}

impl VariableTrait {
    fn holds(self, variable: &Variable) -> bool {
        match self {
            Self::In(space) => variable.space == space,
            Self::Aligned => variable.align > u64::from(variable.ty.size() * variable.vector.max(1)),
            Self::Array => !variable.dimensions.is_empty(),
            Self::Vector => variable.vector > 1,
            Self::Dynamic => variable.external && variable.size == 0,
            Self::Uninitialised => variable.initial.is_empty(),
        }
    }
}

impl AddressTrait {
    /// Whether it holds of an address that stands in a variable of the module.
    fn holds(self, address: &Relocation, place: &Variable, module: &Module) -> bool {
        match self {
            Self::Of(space) => match address.symbol {
                RelocationSymbol::Variable(id) => module.variables[id.0 as usize].space == space,
                RelocationSymbol::Function(_) => false,
            },
            Self::Generic(generic) => address.generic == generic,
            Self::Implicit => address.implicit,
            Self::Masked => address.width == 1,
            Self::Wide => place.ty.size() > 1,
        }
    }
}

#[cfg(test)]
mod tests {
    use warpdiff_ptx::{Rules, compile};

    use super::*;

    #[test]
    fn every_word_of_every_pattern_is_known() {
        for entry in Deviation::catalogue() {
            for text in entry.shown_by {
                let read = Pattern::read(text);
                assert!(read.is_ok(), "{}: `{}` of `{text}`", entry.name, read.unwrap_err());
            }
            assert!(!entry.shown_by.is_empty(), "{}", entry.name);
        }
    }

    #[test]
    fn a_word_that_is_no_opcode_modifier_or_trait_is_an_error() {
        for (text, word) in [
            ("suldd .clamp", "suldd"),
            ("suld .clmp", ".clmp"),
            ("suld clamp", "clamp"),
            ("suld|sustt", "sustt"),
            ("suld .b8|.b9", ".b9"),
            ("mov %tidy", "%tidy"),
            ("ld :sigend", ":sigend"),
            ("ATOMX", "ATOMX"),
            ("ATOMS .CLAMP", ".CLAMP"),
            ("LDS .SPIN", ".SPIN"),
            ("address .cosnt", ".cosnt"),
            ("noted .const", ".const"),
            ("variable :alligned", ":alligned"),
            ("", ""),
            ("suld  .clamp", ""),
        ] {
            assert_eq!(Pattern::read(text), Err(word), "{text}");
        }
    }

    /// Whether some instruction of a kernel with that body fits the pattern.
    fn fits(pattern: &'static str, body: &str) -> bool {
        let registers = ".reg .pred %p; .reg .b32 %r<9>; .reg .u64 %d<3>; .reg .f32 %f<4>; .reg .b16 %h;";
        let text = format!(
            ".version 8.0\n.target sm_70\n.address_size 64\n.global .surfref s;\n.entry k() {{ {registers} {body} ret; }}"
        );
        let module = compile(&text, &Rules::default()).unwrap_or_else(|e| panic!("{body}: {e:?}"));
        Pattern::read(pattern).unwrap().is_in(&module, Deviation::SuldClampAsZero)
    }

    #[test]
    fn instructions_of_ptx() {
        let load = "suld.b.2d.v2.b8.clamp {%h, %h}, [s, {%r1, %r2}];";
        for (pattern, body, shows) in [
            ("suld", load, true),
            ("sust|suld", load, true),
            ("surface", load, true),
            ("sust", load, false),
            ("suld .clamp", load, true),
            ("suld .zero|.clamp", load, true),
            ("suld .zero", load, false),
            ("suld .clamp .v2|.v4 .b8", load, true),
            ("suld .clamp .v4", load, false),
            ("suld .b16", load, false),
            ("suld .2d", load, true),
            ("suld .3d|.a2d", load, false),
            ("suld @", load, false),
            ("st @", "@%p st.global.u32 [%d1], %r1;", true),
            ("st .global", "st.global.u32 [%d1], %r1;", true),
            ("st .shared", "st.global.u32 [%d1], %r1;", false),
            ("ld :signed", "ld.global.s8 %h, [%d1];", true),
            ("ld :signed", "ld.global.u8 %h, [%d1];", false),
            ("mov %tid|%laneid", "mov.u32 %r1, %tid.y;", true),
            ("mov %laneid", "mov.u32 %r1, %tid.y;", false),
            ("fma|mad :float", "mad.lo.u32 %r1, %r2, %r3, %r4;", false),
            ("fma|mad :float", "fma.rn.f32 %f1, %f2, %f3, %f1;", true),
            ("LDS", load, false),
            ("noted", load, false),
        ] {
            assert_eq!(fits(pattern, body), shows, "`{pattern}` in {body}");
        }
    }

    #[test]
    fn what_lies_within_what() {
        let within = |narrow, wide| Pattern::read(narrow).unwrap().lies_within(&Pattern::read(wide).unwrap());
        for (narrow, wide, lies) in [
            ("suld .clamp", "suld .clamp", true),
            ("suld .clamp", "surface .clamp|.trap", true),
            ("surface .clamp|.trap", "suld .clamp", false),
            ("suld .clamp .b8", "suld .clamp", true),
            ("suld .clamp", "suld .clamp .b8", false),
            ("suld .clamp|.trap", "suld .clamp", false),
            ("LDS .U", "LDL|LDS", true),
            ("LDS", "suld", false),
            ("address .const", "initialised", true),
            ("initialised", "address .const", false),
            ("noted", "noted", false),
        ] {
            assert_eq!(within(narrow, wide), lies, "`{narrow}` in `{wide}`");
        }
    }

    #[test]
    fn instructions_of_spa() {
        let fits = |pattern, text: &str| {
            let program = warpdiff_sass::parse(text).unwrap();
            Pattern::read(pattern).unwrap().fits_spa(&program.statements[0].instruction)
        };
        for (pattern, text, shows) in [
            ("LDL|LDS", "LDS.U.64 R2, [R0];", true),
            ("LDL", "LDS.U.64 R2, [R0];", false),
            ("LDS .U", "LDS.U.64 R2, [R0];", true),
            ("LDS .U", "LDS.64 R2, [R0];", false),
            ("LDS .64|.128", "LDS.64 R2, [R0];", true),
            ("LDS .32", "LDS R2, [R0];", true),
            ("LDS .32", "LDS.64 R2, [R0];", false),
            ("LDS @", "@P0 LDS.64 R2, [R0];", true),
            ("LDS @", "LDS.64 R2, [R0];", false),
            ("ATOMS .MIN|.MAX .S32", "ATOMS.MAX.S32 R2, [R0], R4;", true),
            ("ATOMS .MIN|.MAX .S32", "ATOMS.MAX R2, [R0], R4;", false),
            ("ATOMS .SPIN", "ATOMS.CAST.SPIN R2, [R0], R4, R5;", true),
            ("ATOMS .CAS", "ATOMS.CAST.SPIN R2, [R0], R4, R5;", false),
            ("suld", "LDS.64 R2, [R0];", false),
            ("MOV :constant", "MOV R0, c[0x0][0x20];", true),
            ("MOV :constant", "MOV R0, R1;", false),
            ("SURFACE", "SUST.D.BA.1D [R0], R2, R4;", true),
            ("SURFACE .IGN|.TRAP", "SUST.D.BA.1D [R0], R2, R4;", false),
            ("SURFACE .IGN|.TRAP", "SUST.D.BA.1D.TRAP [R0], R2, R4;", true),
            ("SURFACE .P", "SUST.D.BA.1D [R0], R2, R4;", false),
            ("SURFACE", "LDS.64 R2, [R0];", false),
            ("TEXTURE", "SUST.D.BA.1D [R0], R2, R4;", false),
            ("TEXTURE", "TEX.AOFFI R8, R4, R6, 0x52, 2D, 0x1;", true),
        ] {
            assert_eq!(fits(pattern, text), shows, "`{pattern}` in {text}");
        }
    }

    #[test]
    fn families_are_of_opcodes() {
        for (deviation, family, shows) in [
            (Deviation::SuldClampAsZero, "suld.b", true),
            (Deviation::SuldClampAsZero, "sust.b", false),
            (Deviation::SurfaceModeIgnored, "sust.b", true),
            (Deviation::AtomIncOffByOne, "ATOMS.INC", true),
            (Deviation::AtomIncOffByOne, "LDS", false),
            // Whatever reads the variable shows how its initial value is laid out.
            (Deviation::PtxasPackedLists, "ld", true),
        ] {
            assert_eq!(may_show_in_family(deviation, family), shows, "{deviation} {family}");
        }
    }

    #[test]
    fn addresses_in_initial_values() {
        let shown = |version: &str, declarations: &str, pattern| {
            let text = format!(".version {version}\n.target sm_30\n.address_size 64\n{declarations}\n");
            let module =
                compile(&text, &Rules::default()).unwrap_or_else(|e| panic!("{declarations}: {e:?}"));
            Pattern::read(pattern).unwrap().is_in(&module, Deviation::SuldClampAsZero)
        };
        let offset = ".const .u32 c; .global .u64 p = c;";
        let generic = ".const .u32 c; .global .u64 p = generic(c);";
        let byte = ".global .u32 g; .global .u8 p = 0xff(g);";
        let wide = ".global .u32 g; .global .u64 p = 0xff(g);";
        for (version, declarations, pattern, shows) in [
            ("7.8", offset, "address .const :offset", true),
            ("7.8", offset, "address .const :generic", false),
            ("7.8", offset, "address .global", false),
            ("7.8", generic, "address .const :generic", true),
            ("7.8", generic, "address .const :offset", false),
            ("7.8", byte, "address :masked", true),
            ("7.8", byte, "address :masked :wide", false),
            ("7.8", wide, "address :masked :wide", true),
            ("7.8", offset, "address :masked|:implicit", false),
            ("3.0", ".global .u32 g; .global .u64 p = g;", "address :implicit", true),
            ("3.1", ".global .u32 g; .global .u64 p = g;", "address :implicit", false),
        ] {
            assert_eq!(
                shown(version, declarations, pattern),
                shows,
                "`{pattern}` in {version} {declarations}"
            );
        }
    }

    #[test]
    fn declarations_of_variables() {
        let shown = |declaration: &str, pattern| {
            let text = format!(".version 8.0\n.target sm_70\n.address_size 64\n{declaration}\n");
            let module = compile(&text, &Rules::default()).unwrap_or_else(|e| panic!("{declaration}: {e:?}"));
            Pattern::read(pattern).unwrap().is_in(&module, Deviation::SuldClampAsZero)
        };
        for (declaration, pattern, shows) in [
            (".shared .align 8 .u32 v;", "variable .shared :aligned", true),
            (".shared .align 8 .u32 v;", "variable .local|.const :aligned", false),
            (".shared .align 4 .u32 v;", "variable :aligned", false),
            (".shared .align 8 .v2 .u32 v;", "variable :aligned", false),
            (".shared .align 8 .v2 .u32 v;", "variable :vector", true),
            (".shared .u32 v[2];", "variable :array", true),
            (".shared .u32 v;", "variable :array|:vector", false),
            (".extern .shared .u32 v[];", "variable .shared :dynamic", true),
            (".shared .u32 v[2];", "variable .shared :dynamic", false),
            (".global .u32 v;", "variable .global :uninitialised", true),
            (".global .u32 v = 1;", "variable .global :uninitialised", false),
            (".global .surfref s;", "variable .global", false),
        ] {
            assert_eq!(shown(declaration, pattern), shows, "`{pattern}` in {declaration}");
        }
    }

    #[test]
    fn what_the_checker_notes_is_shown_by_that_deviation_alone() {
        let text = ".version 8.0\n.target sm_70\n.address_size 64\n.global .u8 a[3][2] = {{1}, {2}, {3}};\n";
        let rules = Rules { dialect: warpdiff_ptx::Dialect::Ptxas(12, 9), ..Rules::default() };
        let program = Checked::Ptx(compile(text, &rules).unwrap().into());
        // What reads initial values otherwise may show wherever there is one.
        let noted = Deviation::catalogue().iter().filter(|entry| !entry.name.starts_with("init."));
        let shown = noted.filter(|entry| may_show(entry.deviation, &program));
        assert_eq!(shown.map(|entry| entry.name).collect::<Vec<_>>(), ["ptxas.packed-lists"]);
    }
}
