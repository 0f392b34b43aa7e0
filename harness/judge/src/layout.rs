//! Where the variables of a module lie, and their initial bytes, as a table.

use serde::Serialize;
use warpdiff_files::hexadecimal;
use warpdiff_ptx::ast::Linkage;
use warpdiff_ptx::checked::{MemberValue, Module, Relocation, RelocationSymbol, Variable, VariableId};
use warpdiff_ptx::vocabulary::{Space, Type};
use warpdiff_ptx::{Dialect, Rules};

/// A variable and its place.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Placed {
    /// Name.
    pub name: String,
    /// The function that declares it; absent at module scope.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub function: Option<String>,
    /// State space: `global`.
    pub space: &'static str,
    /// `.v4 .f32[3][2]`
    pub ty: String,
    /// The ELF section that the assembler puts it into.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub section: Option<&'static str>,
    /// Offset in bytes in its section, where the module decides it: of `.const` variables, which lie in the order of their
    /// declarations, and of kernel parameters. Others are placed when the module is loaded.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub offset: Option<u64>,
    /// Alignment in bytes.
    pub align: u64,
    /// Size in bytes.
    pub size: u64,
    /// `.extern`: the size and contents are another module's.
    #[serde(rename = "extern")]
    pub external: bool,
    /// Initial bytes in lower-case hexadecimal, zero where an address goes; absent without an initial value, which means zero
    /// in `.global` and `.const` and nothing in particular elsewhere.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bytes: Option<String>,
    /// The addresses in the initial bytes.
    pub addresses: Vec<Address>,
    /// Byte ranges `[start, end)` with unspecified contents.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub undefined: Vec<[u64; 2]>,
    /// Deviations of the assembler that it shows, by name: `ptxas.packed-lists`.
    #[serde(rename = "departures", skip_serializing_if = "Vec::is_empty")]
    pub deviations: Vec<&'static str>,
    /// The attributes that the assembler emits for the members of a sampler.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub trace: Option<String>,
}

/// An address inside the initial bytes of a variable: `width` bytes of `(symbol + addend) >> shift`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Address {
    /// Byte offset in the variable.
    pub offset: u64,
    /// Bytes.
    pub width: u32,
    /// Bits to shift right, for the mask operator.
    pub shift: u32,
    /// The variable or function.
    pub symbol: String,
    /// Added to its address.
    pub addend: i64,
    /// Whether the address is generic.
    pub generic: bool,
    /// The ELF type of the relocation that the assembler emits; absent by the specification, and for the address of code in a
    /// linked module.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kind: Option<u32>,
}

/// The dialect and settings whose bytes are computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Emission {
    /// The specification, or an assembler.
    pub dialect: Dialect,
    /// The architecture to assemble for; `None` for that of the module, or the oldest supported one.
    pub architecture: Option<u32>,
    /// Whether it makes a relocatable object (`--compile-only`).
    pub relocatable: bool,
}

impl Emission {
    /// The rules to check the module by.
    pub fn rules(&self) -> Rules {
        Rules {
            dialect: self.dialect,
            max_target: self.architecture,
            relocatable: self.relocatable,
            ..Rules::default()
        }
    }

    fn by_assembler(&self) -> bool {
        matches!(self.dialect, Dialect::Ptxas(..))
    }

    /// Whether the addend of a relocation is read from the bytes in its place. ptxas 13.5 differs from run to run; 11.8 was not
    /// tested.
    fn reads_addends(&self) -> bool {
        matches!(self.dialect, Dialect::Ptxas(12, _))
    }

    /// The architecture that the assembler emits for.
    fn architecture(&self, module: &Module) -> u32 {
        let oldest = match self.dialect {
            Dialect::Ptxas(13.., _) => 75,
            Dialect::Ptxas(12, _) => 50,
            _ => 35,
        };
        self.architecture.unwrap_or(module.target.max(oldest))
    }

    /// The ELF type of the relocation for an address; `None` if the assembler writes a number: the offset of a `.const` variable in
    /// its bank, or the address of code in a linked object.
    fn relocation(&self, module: &Module, relocation: &Relocation) -> Option<u32> {
        let byte = (relocation.width == 1).then_some(relocation.shift / 8);
        let architecture = self.architecture(module);
        let (whole, bytes) = match relocation.symbol {
            RelocationSymbol::Function(id) if module.functions[id.0 as usize].entry => {
                (FUNC_DESC_64, FUNC_DESC_8)
            }
            RelocationSymbol::Function(_) if !self.relocatable => return None,
            RelocationSymbol::Function(_) if architecture >= 90 => (UNIFIED, UNIFIED_8),
            RelocationSymbol::Variable(id)
                if relocation.generic || module.variables[id.0 as usize].space != Space::Const =>
            {
                (G64, G8)
            }
            RelocationSymbol::Variable(_) if !self.relocatable => return None,
            _ => (if architecture >= 70 { ABSOLUTE_64 } else { ABSOLUTE_32 }, ABSOLUTE_8),
        };
        Some(byte.map_or(whole, |byte| bytes + byte))
    }
}

/// ELF types of relocations; the types of single bytes are followed by those of the seven bytes above. Observed with ptxas 11.8 to
/// 13.5; known names are those of the CUDA tools.
const ABSOLUTE_32: u32 = 1;
const ABSOLUTE_64: u32 = 2;
const G64: u32 = 4;
const FUNC_DESC_64: u32 = 35;
const ABSOLUTE_8: u32 = 76;
const G8: u32 = 84;
const FUNC_DESC_8: u32 = 92;
const UNIFIED: u32 = 102;
const UNIFIED_8: u32 = 104;

/// The variables of a module that was checked under [`Emission::rules`], in the order of their declarations.
pub fn layout(module: &Module, emission: &Emission) -> Vec<Placed> {
    let offsets = offsets(module, emission);
    let variables = module.variables.iter().zip(&offsets);
    variables.map(|(variable, offset)| place(module, variable, *offset, &offsets, emission)).collect()
}

fn place(
    module: &Module,
    variable: &Variable,
    offset: Option<u64>,
    offsets: &[Option<u64>],
    emission: &Emission,
) -> Placed {
    let function = variable.scope.map(|id| module.functions[id.0 as usize].name.clone());
    let vector = if variable.vector > 1 { format!(".v{} ", variable.vector) } else { String::new() };
    let dimensions: String = variable.dimensions.iter().map(|extent| format!("[{extent}]")).collect();
    let Contents { bytes, addresses, undefined } = contents(module, variable, offsets, emission);
    let initial = matches!(variable.space, Space::Global | Space::Const) && !variable.initial.is_empty();
    Placed {
        name: variable.name.clone(),
        function,
        space: variable.space.text(),
        ty: format!("{vector}.{}{dimensions}", variable.ty),
        section: emission.by_assembler().then(|| section(variable, emission)).flatten(),
        offset,
        align: variable.align,
        size: variable.size,
        external: variable.external,
        bytes: initial.then(|| hexadecimal::of(&bytes)),
        addresses,
        undefined,
        deviations: variable.deviations.iter().map(|deviation| deviation.name()).collect(),
        trace: emission.by_assembler().then(|| sampler_trace(variable)).flatten(),
    }
}

/// The section that the assembler puts a variable into.
fn section(variable: &Variable, emission: &Emission) -> Option<&'static str> {
    let valued = variable.emitted.as_ref().map_or(variable.valued, |image| image.any);
    match variable.space {
        _ if variable.is_opaque() || variable.made.is_none() => None,
        // The linker merges common variables.
        _ if emission.relocatable && variable.linkage == Some(Linkage::Common) && !valued => None,
        Space::Const => Some(".nv.constant3"),
        Space::Global if valued => Some(".nv.global.init"),
        Space::Global => Some(".nv.global"),
        _ => None,
    }
}

/// The contents of a variable.
struct Contents {
    bytes: Vec<u8>,
    addresses: Vec<Address>,
    undefined: Vec<[u64; 2]>,
}

fn contents(module: &Module, variable: &Variable, offsets: &[Option<u64>], emission: &Emission) -> Contents {
    let (bytes, relocations, undefined) = match &variable.emitted {
        Some(image) if emission.by_assembler() => (&image.bytes, &image.relocations, &image.undefined),
        // The specification leaves open the bytes of an address that does not fit; the assembler decides them.
        _ if emission.by_assembler() => (&variable.initial, &variable.relocations, &Vec::new()),
        _ => (&variable.initial, &variable.relocations, &variable.undefined),
    };
    let mut bytes = bytes.clone();
    let mut addresses = Vec::new();
    for relocation in relocations {
        let kind = if emission.by_assembler() { emission.relocation(module, relocation) } else { None };
        let number = match relocation.symbol {
            // The offset of a variable in the bank is a number.
            RelocationSymbol::Variable(id) if emission.by_assembler() && kind.is_none() => {
                offsets[id.0 as usize]
            }
            _ => None,
        };
        match number {
            Some(offset) => write_offset(&mut bytes, relocation, offset, emission.architecture(module)),
            None => addresses.push(Address {
                offset: relocation.offset,
                width: relocation.width,
                shift: relocation.shift,
                symbol: match relocation.symbol {
                    RelocationSymbol::Variable(id) => module.variables[id.0 as usize].name.clone(),
                    RelocationSymbol::Function(id) => module.functions[id.0 as usize].name.clone(),
                },
                addend: relocation.addend,
                generic: relocation.generic,
                kind,
            }),
        }
    }
    if emission.reads_addends() && emission.architecture(module) >= 90 {
        addresses.iter_mut().for_each(|address| read_addend(address, &bytes));
    }
    let undefined = undefined.iter().map(|range| [range.start, range.end]).collect();
    Contents { bytes, addresses, undefined }
}

/// As observed with ptxas 12.9: from sm_90 on relocations have addends, and an addend of zero is read from the eight bytes in its
/// place. Behind a variable or element of 32 bits these include the next element.
fn read_addend(address: &mut Address, bytes: &[u8]) {
    let is_read = matches!(address.kind, Some(G64 | FUNC_DESC_64 | ABSOLUTE_64));
    let behind = usize::try_from(address.offset).ok().and_then(|start| bytes.get(start..)?.get(4..8));
    let Some(&[a, b, c, d]) = behind else { return };
    if is_read && address.width == 4 && address.addend == 0 {
        address.addend = i64::from_le_bytes([0, 0, 0, 0, a, b, c, d]);
    }
}

/// Writes the offset of a `.const` variable in its bank. As observed: below sm_70 it has 32 bits, and the upper half of eight bytes
/// stays zero (the mask operator takes a byte of the whole sum). From sm_70 on an offset with an addend has eight bytes, even where
/// these overwrite the four bytes behind it.
fn write_offset(bytes: &mut [u8], relocation: &Relocation, offset: u64, architecture: u32) {
    let wide = architecture >= 70;
    let sum = offset.wrapping_add_signed(relocation.addend);
    let whole = wide || relocation.width == 1;
    let value = (if whole { sum } else { sum & 0xFFFF_FFFF }) >> relocation.shift;
    let start = usize::try_from(relocation.offset).unwrap_or(usize::MAX).min(bytes.len());
    let width = match relocation.width {
        4 if wide && relocation.addend != 0 => 8,
        width => width as usize,
    };
    let end = (start + width).min(bytes.len());
    let written = value.to_le_bytes();
    bytes[start..end].copy_from_slice(&written[..end - start]);
}

/// Offsets of the variables that the module itself places. `.const` variables lie in the order of their declarations; the assembler
/// puts those that other modules can see before the others, and each of `v<N>` where it is made. In a relocatable object no offset
/// is decided.
fn offsets(module: &Module, emission: &Emission) -> Vec<Option<u64>> {
    let mut offsets = vec![None; module.variables.len()];
    let mut end = 0u64;
    let seen = |variable: &Variable| emission.by_assembler() && variable.linkage.is_some();
    let mut order: Vec<usize> = (0..module.variables.len()).collect();
    if emission.by_assembler() {
        order.retain(|index| module.variables[*index].made.is_some());
        order.sort_by_key(|index| module.variables[*index].made);
    }
    for visible in [true, false] {
        for &index in &order {
            let variable = &module.variables[index];
            if variable.space != Space::Const || variable.external || seen(variable) != visible {
                continue;
            }
            let start = end.next_multiple_of(variable.align.max(1));
            end = start.saturating_add(variable.size);
            offsets[index] = (!emission.relocatable).then_some(start);
        }
    }
    for parameter in module.functions.iter().filter(|f| f.entry).flat_map(|f| &f.parameters) {
        if let Some(VariableId(id)) = parameter.variable {
            offsets[id as usize] = Some(parameter.offset);
        }
    }
    offsets
}

/// The members of a sampler as attributes of `.nv.info`: 0x13 is `force_unnormalized_coords`, 0x09 holds `addr_mode_0`,
/// `addr_mode_1`, `addr_mode_2` and `filter_mode`, each a byte, 0xff if absent. Textures and surfaces have no attributes (observed
/// with ptxas 11.8 to 13.5).
fn sampler_trace(variable: &Variable) -> Option<String> {
    if variable.ty != Type::Samplerref || !variable.is_opaque() {
        return None;
    }
    let number = |name: &str| {
        let member = variable.members.iter().find(|member| member.name == name)?;
        Some(match member.value {
            MemberValue::Enumerator(word) => 1 + ENUMERATORS.iter().position(|it| *it == word)? as u32,
            MemberValue::Integer(bits) | MemberValue::Float(bits) => bits as u32,
        })
    };
    let mode = |name: &str| match number(name) {
        // The words count from 1; the modes of addressing and those of filtering each from 0.
        Some(word @ 1..=5) => word as u8 - 1,
        Some(word @ 6..=7) => word as u8 - 6,
        _ => 0xff,
    };
    let modes = ["addr_mode_0", "addr_mode_1", "addr_mode_2", "filter_mode"]
        .map(|name| format!("{:02x}", mode(name)));
    let modes = format!(".nv.info attr 0x09: {}", modes.join(" "));
    Some(match number("force_unnormalized_coords").filter(|number| *number != u32::MAX) {
        Some(number) => {
            let bytes = number.to_le_bytes().map(|byte| format!("{byte:02x}"));
            format!(".nv.info attr 0x13: {}; {modes}", bytes.join(" "))
        }
        None => modes,
    })
}

/// Values of members, in the order of their numbers, from 1.
const ENUMERATORS: [&str; 7] =
    ["wrap", "mirror", "clamp_ogl", "clamp_to_edge", "clamp_to_border", "nearest", "linear"];

#[cfg(test)]
mod tests {
    use super::*;

    const HEAD: &str = ".version 8.8\n.target sm_50\n.address_size 64\n";

    fn of(text: &str, dialect: Dialect) -> Vec<Placed> {
        let emission = Emission { dialect, architecture: None, relocatable: false };
        let module = warpdiff_ptx::compile(&format!("{HEAD}{text}"), &emission.rules()).unwrap();
        layout(&module, &emission)
    }

    /// `.const` variables lie in the order of their declarations, each at its natural alignment (5.4.5).
    #[test]
    fn constants_have_offsets() {
        let all = of(".const .u8 a = 1; .const .u32 b = 2; .const .v2 .f32 c; .global .u8 d;", Dialect::Spec);
        let offsets: Vec<_> = all.iter().map(|placed| placed.offset).collect();
        assert_eq!(offsets, [Some(0), Some(4), Some(8), None]);
        assert_eq!(all[2].align, 8);
        assert_eq!(all[1].bytes.as_deref(), Some("02000000"));
        assert_eq!(all[2].bytes, None);
    }

    /// As observed: `.global .u32 p = c+4` holds the offset in the bank as a number, `generic(c)` an address.
    #[test]
    fn the_assembler_writes_addresses_of_constants_as_numbers() {
        let text = ".const .u64 x; .const .u32 c = 42; .global .u32 p = c+4; .global .u64 q = generic(c)+4;";
        let emitted = of(text, Dialect::Ptxas(12, 9));
        assert_eq!(emitted[2].bytes.as_deref(), Some("0c000000"));
        assert!(emitted[2].addresses.is_empty());
        let [address] = emitted[3].addresses.as_slice() else { panic!("{emitted:?}") };
        assert_eq!((address.symbol.as_str(), address.addend, address.generic), ("c", 4, true));
        let specified = of(text, Dialect::Spec);
        assert_eq!(specified[2].bytes.as_deref(), Some("00000000"));
        assert_eq!(specified[2].addresses.len(), 1);
    }

    /// As observed with ptxas 12.9, from sm_90 on: what is behind an address in 32 bits is its addend, unless it has one or is a single byte.
    #[test]
    fn an_address_in_32_bits_takes_what_is_behind_it_for_its_addend() {
        let text = ".global .u32 x; .global .u32 p[2][2] = {{1, x}, {7, 8}}; .global .u32 q[2] = {x+4, 9};\
                    .global .u32 r[2] = {0xff(x), 9}; .global .u64 s[2] = {x, 9}; .global .u32 t = x;";
        let addends = |target: u32| {
            let dialect = Dialect::Ptxas(12, 9);
            let emission = Emission { dialect, architecture: Some(target), relocatable: false };
            let text = format!(".version 8.8\n.target sm_{target}\n.address_size 64\n{text}");
            let module = warpdiff_ptx::compile(&text, &emission.rules()).unwrap();
            let placed = layout(&module, &emission);
            placed[1..].iter().map(|placed| placed.addresses[0].addend).collect::<Vec<_>>()
        };
        assert_eq!(addends(90), [7 << 32, 4, 0, 0, 0]);
        assert_eq!(addends(80), [0, 4, 0, 0, 0]);
    }

    /// "Legacy PTX code is treated as having an implicit generic() operator for each global variable used in an initializer": before
    /// 3.1, and not for one in `.const`, of which ptxas writes the offset in either version.
    #[test]
    fn addresses_before_3_1_are_generic() {
        let text = ".const .u32 c = 1;\n.global .u32 g = 2;\n.global .u64 p[3] = {c, g, g+4};";
        let generic = |version: &str| {
            let emission = Emission { dialect: Dialect::Spec, architecture: None, relocatable: false };
            let text = format!(".version {version}\n.target sm_30\n.address_size 64\n{text}");
            let module = warpdiff_ptx::compile(&text, &emission.rules()).unwrap();
            let placed = layout(&module, &emission);
            placed[2].addresses.iter().map(|address| address.generic).collect::<Vec<_>>()
        };
        assert_eq!(generic("3.0"), [false, true, true]);
        assert_eq!(generic("3.1"), [false; 3]);
    }
}
