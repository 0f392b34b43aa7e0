//! Where the variables of a module lie, and what they hold at first.

use serde::Serialize;
use warpdiff_ptx::checked::{Module, RelocationSymbol, Variable, VariableId};
use warpdiff_ptx::vocabulary::Space;
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
    /// Addresses in the initial bytes.
    pub addresses: Vec<Address>,
}

/// An address inside the initial bytes of a variable: `width` bytes of `(symbol + addend) >> shift`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Address {
    /// Byte offset in the variable.
    pub offset: u64,
    /// Bytes.
    pub width: u32,
    /// Bits: what the mask operator leaves out below.
    pub shift: u32,
    /// The variable or function.
    pub symbol: String,
    /// Added to its address.
    pub addend: i64,
    /// Whether the address is generic.
    pub generic: bool,
}

/// The rules that give the bytes of a dialect: what its text specifies, or what its assembler emits.
pub fn rules(dialect: Dialect) -> Rules {
    let packed_lists = matches!(dialect, Dialect::Ptxas(..));
    Rules { dialect, packed_lists, ..Rules::default() }
}

/// The variables of a module that was checked under [`rules`], in the order of their declarations.
pub fn layout(module: &Module, dialect: Dialect) -> Vec<Placed> {
    let offsets = offsets(module);
    let mut placed: Vec<_> = module
        .variables
        .iter()
        .zip(&offsets)
        .map(|(variable, offset)| place(module, variable, *offset))
        .collect();
    if matches!(dialect, Dialect::Ptxas(..)) {
        for (variable, placed) in module.variables.iter().zip(&mut placed) {
            resolve_constants(variable, placed, module, &offsets);
        }
    }
    placed
}

fn place(module: &Module, variable: &Variable, offset: Option<u64>) -> Placed {
    let function = variable.scope.map(|id| module.functions[id.0 as usize].name.clone());
    let vector = if variable.vector > 1 { format!(".v{} ", variable.vector) } else { String::new() };
    let dimensions: String = variable.dimensions.iter().map(|extent| format!("[{extent}]")).collect();
    let addresses = variable.relocations.iter().map(|relocation| Address {
        offset: relocation.offset,
        width: relocation.width,
        shift: relocation.shift,
        symbol: match relocation.symbol {
            RelocationSymbol::Variable(id) => module.variables[id.0 as usize].name.clone(),
            RelocationSymbol::Function(id) => module.functions[id.0 as usize].name.clone(),
        },
        addend: relocation.addend,
        generic: relocation.generic,
    });
    let hexadecimal = |bytes: &[u8]| bytes.iter().map(|byte| format!("{byte:02x}")).collect::<String>();
    Placed {
        name: variable.name.clone(),
        function,
        space: variable.space.text(),
        ty: format!("{vector}.{}{dimensions}", variable.ty),
        offset,
        align: variable.align,
        size: variable.size,
        external: variable.external,
        bytes: (!variable.initial.is_empty()).then(|| hexadecimal(&variable.initial)),
        addresses: addresses.collect(),
    }
}

/// Offsets of the variables that the module itself places.
fn offsets(module: &Module) -> Vec<Option<u64>> {
    let mut end = 0u64;
    let mut offsets: Vec<_> = module
        .variables
        .iter()
        .map(|variable| {
            if variable.space != Space::Const || variable.external {
                return None;
            }
            let start = end.next_multiple_of(variable.align.max(1));
            end = start.saturating_add(variable.size);
            Some(start)
        })
        .collect();
    for parameter in module.functions.iter().filter(|f| f.entry).flat_map(|f| &f.parameters) {
        if let Some(VariableId(id)) = parameter.variable {
            offsets[id as usize] = Some(parameter.offset);
        }
    }
    offsets
}

/// The assembler writes the address of a `.const` variable that is not generic as a number: its offset in the bank.
fn resolve_constants(variable: &Variable, placed: &mut Placed, module: &Module, offsets: &[Option<u64>]) {
    let mut bytes = variable.initial.clone();
    let mut left = Vec::new();
    for (relocation, address) in variable.relocations.iter().zip(&placed.addresses) {
        let constant = match relocation.symbol {
            RelocationSymbol::Variable(id) if !relocation.generic => {
                let known = module.variables[id.0 as usize].space == Space::Const;
                offsets[id.0 as usize].filter(|_| known)
            }
            _ => None,
        };
        let Some(offset) = constant else {
            left.push(address.clone());
            continue;
        };
        let value = offset.wrapping_add_signed(relocation.addend) >> relocation.shift;
        let start = usize::try_from(relocation.offset).unwrap_or(usize::MAX);
        let end = start.saturating_add(relocation.width as usize);
        if let Some(target) = bytes.get_mut(start..end) {
            target.copy_from_slice(&value.to_le_bytes()[..relocation.width as usize]);
        }
    }
    if left.len() < placed.addresses.len() {
        placed.bytes = Some(bytes.iter().map(|byte| format!("{byte:02x}")).collect());
        placed.addresses = left;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEAD: &str = ".version 8.8\n.target sm_50\n.address_size 64\n";

    fn of(text: &str, dialect: Dialect) -> Vec<Placed> {
        let module = warpdiff_ptx::compile(&format!("{HEAD}{text}"), &rules(dialect)).unwrap();
        layout(&module, dialect)
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
}
