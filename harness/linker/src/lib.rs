//! A kernel of a cubin, linked: the words of its section with the constant banks and variables that they refer to.
//!
//! The banks lie one behind another in the constant memory of a launch. Bank 0 is the launch's: what a driver fills in, then the
//! parameters, then the handles of opaque objects. Bank 2 has the numbers that the compiler put there, bank 3 the user's `.const`
//! variables, and bank 4 addresses.

use std::ops::Range;

use warpdiff_ptx::checked::{
    Function, Member, MemberValue, Module, Parameter, Relocation, RelocationSymbol, Variable, VariableId,
};
use warpdiff_ptx::source::Span;
use warpdiff_ptx::vocabulary::{Space, Type};
use warpdiff_sass::bundle::statement_at;
use warpdiff_sass::cubin::{
    Bank, BankRelocation, Cubin, Emitted, Kernel, KernelParameter, OpaqueKind, SamplerInitial,
};
use warpdiff_sass::form::OperandField;
use warpdiff_sass::{
    AddressPart, Decoded, Header, Mnemonic, Operand, Program, SymbolAddress, SymbolUse, decode,
};

use warpdiff_semantics::opaque::Named;

/// Something of a cubin that is not supported, in words.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct NotLinked(pub String);

/// A program of SPA 5.0 with what it refers to.
#[derive(Clone)]
pub struct MachineCode {
    /// Its instructions, with their places in the listing.
    pub program: Program,
    /// Its constant memory.
    pub banks: Banks,
}

/// The constant memory of a program, as far as the launch does not decide it.
#[derive(Clone, Debug, Default)]
pub struct Banks {
    /// For each bank its range in constant memory. Bank 0 begins at 0; of a program that is no part of a cubin its end is open.
    ranges: [Range<u32>; BANKS],
    /// The contents of all banks but the launch's part of bank 0.
    pub contents: Vec<u8>,
    /// The addresses in it: the place, what is written there.
    pub addresses: Vec<(u32, Address)>,
    /// The places of numbers that a loader writes into instructions, by the number of the statement.
    immediates: Vec<(usize, u32)>,
    /// The handles in it: the place, the object.
    pub handles: Vec<(u32, Named)>,
    /// Whether the code reads the driver's tables of textures and surfaces.
    pub reads_tables: bool,
    /// The variable that holds bank 3 for generic addresses.
    pub constants: Option<VariableId>,
}

/// An address that a loader writes into a bank.
#[derive(Clone, Copy, Debug)]
pub struct Address {
    /// What it is the address of.
    pub symbol: RelocationSymbol,
    /// Whether it is generic; otherwise, for a `.const` variable, it is an offset in the bank.
    pub generic: bool,
    /// Bytes added to it.
    pub addend: i64,
    /// Bytes written.
    pub width: usize,
    /// Right shift in bits.
    pub shift: u32,
}

/// Number of banks that programs of sm_50 refer to.
const BANKS: usize = 5;
/// Offset of the kernel parameters in bank 0 of sm_50.
pub const PARAMETERS: u32 = 0x140;
/// The bank of the compiler, that of the user's `.const` variables, and that of addresses.
const LITERALS: usize = 2;
const CONSTANTS: usize = 3;
const ADDRESSES: usize = 4;
/// Bytes of stack that a driver gives a thread at least, unless a program asks for more. A kernel that recurses or calls through
/// pointers needs it: the file states the stack of the functions that it finds, each once.
const USUAL_STACK: u32 = 1024;

impl Banks {
    /// The place in constant memory of bytes of a bank; `None` if they are outside.
    pub fn place(&self, bank: u8, offset: i32, size: u32) -> Option<u32> {
        let offset = u32::try_from(offset).ok()?;
        let range = self.ranges.get(usize::from(bank))?;
        let open = bank == 0 && range.end == 0;
        let end = offset.checked_add(size)?;
        (open || end <= range.end - range.start).then_some(range.start + offset)
    }

    /// The place in constant memory of the number that a loader writes into the instruction with that number, if it writes one.
    pub fn immediate(&self, statement: usize) -> Option<u32> {
        self.immediates.iter().find(|(of, _)| *of == statement).map(|(_, place)| *place)
    }

    /// The ranges of all banks in constant memory; an empty one of a bank that there is not, or whose end is open.
    pub fn ranges(&self) -> [Range<u32>; BANKS] {
        self.ranges.clone()
    }

    /// The range of a bank in constant memory; `None` if the program has none of that number.
    pub fn range(&self, bank: u8) -> Option<Range<u32>> {
        self.ranges.get(usize::from(bank)).cloned().filter(|range| !range.is_empty())
    }

    /// Puts a bank behind the others.
    fn add(&mut self, number: usize, bank: &Bank) -> u32 {
        let start = self.contents.len().next_multiple_of(16);
        self.contents.resize(start, 0);
        self.contents.extend(&bank.bytes);
        self.contents.resize(self.contents.len().next_multiple_of(8), 0);
        self.ranges[number] = start as u32..self.contents.len() as u32;
        start as u32
    }
}

/// Links a kernel of a cubin. The module that comes with it has that kernel alone, and the variables of the cubin.
///
/// # Errors
/// The first thing that is not supported.
pub fn link(cubin: &Cubin, kernel: &Kernel) -> Result<(Module, MachineCode, String), NotLinked> {
    let mut words = kernel.words.clone();
    let mut linker = Linker { cubin, module: module_of(cubin, kernel), banks: Banks::default() };
    linker.variables()?;
    linker.opaque_objects();
    linker.link_banks(kernel)?;
    let mut symbols = Vec::new();
    for relocation in &kernel.relocations {
        match relocation.kind {
            LOWER_WORD => symbols.push(linker.word_of_address(&words, relocation, AddressPart::Lower)?),
            UPPER_WORD => symbols.push(linker.word_of_address(&words, relocation, AddressPart::Upper)?),
            _ => {
                write_size(&mut words, relocation)?;
                linker.banks.reads_tables = true;
            }
        }
    }
    let mut program =
        Program::from_words(&words).map_err(|error| unsupported(format!("{error} of `{}`", kernel.name)))?;
    symbols.sort_by_key(|symbol| symbol.statement);
    program.symbols = symbols;
    let calls = program.statements.iter().any(|statement| {
        matches!(statement.instruction.form.mnemonic, Mnemonic::CAL | Mnemonic::JCAL | Mnemonic::PRET)
    });
    let stated = kernel.header.local;
    let local = if kernel.open_stack || calls { stated.max(USUAL_STACK) } else { stated };
    program.header = Header { local, ..kernel.header };
    let text = program.place_in_listing();
    Ok((linker.module, MachineCode { program, banks: linker.banks }, text))
}

/// The types of relocations that write into the 32-bit immediate of an instruction, from bit 20 of its word on: an absolute number,
/// and the lower and the upper word of an address. nvdisasm prints `32@lo(symbol)` and `32@hi(symbol)` for the latter.
const IMMEDIATE: u32 = 42;
const LOWER_WORD: u32 = 43;
const UPPER_WORD: u32 = 44;

/// Bytes of a descriptor in the driver's tables of textures, samplers and surfaces: enough for every member.
pub const DESCRIPTOR_SIZE: u32 = 64;

/// The symbols that state the size of a descriptor in one of these tables.
const DESCRIPTOR_SIZES: [&str; 4] = [
    ".nv.surfrefDescSize",
    ".nv.unified.texrefDescSize",
    ".nv.independent.texrefDescSize",
    ".nv.independent.samplerrefDescSize",
];

/// Writes the size of a descriptor into an instruction.
fn write_size(words: &mut [u64], relocation: &BankRelocation) -> Result<(), NotLinked> {
    let BankRelocation { offset, kind, symbol, .. } = relocation;
    let word = words.get_mut(*offset as usize / 8);
    match word {
        Some(word) if *kind == IMMEDIATE && DESCRIPTOR_SIZES.contains(&symbol.as_str()) => {
            *word |= u64::from(DESCRIPTOR_SIZE) << 20;
            Ok(())
        }
        _ => Err(unsupported(format!("a relocation of type {kind} in the code (of `{symbol}`)"))),
    }
}

fn unsupported(what: String) -> NotLinked {
    NotLinked(what)
}

/// A module with the kernel alone.
fn module_of(cubin: &Cubin, kernel: &Kernel) -> Module {
    let mut function = Function::bare(kernel.name.clone(), true, false, Span::default());
    function.parameters = kernel.parameters.iter().map(parameter).collect();
    function.max_threads = kernel.max_threads;
    function.required_threads = kernel.required_threads;
    Module {
        version: (0, 0),
        target: cubin.architecture,
        texmode_independent: cubin.independent,
        address_size: 64,
        variables: Vec::new(),
        functions: vec![function],
        deviations: Vec::new(),
    }
}

fn parameter(parameter: &KernelParameter) -> Parameter {
    let ty = parameter.opaque.as_ref().map_or(Type::B8, |opaque| type_of(opaque.kind));
    let name = parameter.opaque.as_ref().map(|opaque| opaque.name.clone()).unwrap_or_default();
    let (size, offset) = (parameter.size.into(), parameter.offset.into());
    Parameter { name, variable: None, register: None, ty, size, align: 1, offset }
}

fn type_of(kind: OpaqueKind) -> Type {
    match kind {
        OpaqueKind::Texture => Type::Texref,
        OpaqueKind::Sampler => Type::Samplerref,
        OpaqueKind::Surface => Type::Surfref,
    }
}

/// A variable of a module without contents.
fn variable(name: &str, space: Space, ty: Type, size: u64) -> Variable {
    let dimensions = if ty == Type::B8 { vec![size] } else { Vec::new() };
    Variable { dimensions, ..Variable::plain(name, space, ty, size, 16) }
}

/// The members of a sampler as its initialiser has them in PTX.
fn members(initial: &SamplerInitial) -> Vec<Member> {
    const ADDRESSES: [&str; 5] = ["wrap", "mirror", "clamp_ogl", "clamp_to_edge", "clamp_to_border"];
    const FILTERS: [&str; 2] = ["nearest", "linear"];
    let lists: [(&str, &[&'static str]); 4] = [
        ("addr_mode_0", &ADDRESSES),
        ("addr_mode_1", &ADDRESSES),
        ("addr_mode_2", &ADDRESSES),
        ("filter_mode", &FILTERS),
    ];
    let modes = lists.into_iter().zip(initial.modes).filter_map(|((name, list), mode)| {
        let value = MemberValue::Enumerator(list.get(usize::from(mode?))?);
        Some(Member { name, value })
    });
    let force = initial
        .force_unnormalized
        .map(|force| Member { name: "force_unnormalized_coords", value: MemberValue::Integer(force.into()) });
    modes.chain(force).collect()
}

struct Linker<'c> {
    cubin: &'c Cubin,
    module: Module,
    banks: Banks,
}

impl Linker<'_> {
    /// The bank of `.const` variables, and the variables in `.global`, with their contents.
    fn variables(&mut self) -> Result<(), NotLinked> {
        let cubin = self.cubin;
        let constants = &cubin.constants;
        if !constants.bytes.is_empty() {
            let size = constants.bytes.len() as u64;
            self.banks.constants = Some(VariableId(0));
            let bank = Variable {
                initial: constants.bytes.clone(),
                ..variable("c[0x3]", Space::Const, Type::B8, size)
            };
            self.module.variables.push(bank);
        }
        let globals = cubin.variables.iter().filter(|emitted| !is_constant(&emitted.section));
        for Emitted { name, size, managed, bytes, .. } in globals {
            let plain = variable(name, Space::Global, Type::B8, *size);
            self.module.variables.push(Variable { managed: *managed, initial: bytes.clone(), ..plain });
        }
        // Addresses may be of variables that come later.
        for relocation in &constants.relocations {
            let found = self.relocation(relocation)?;
            self.module.variables[0].relocations.push(found);
        }
        let globals = cubin.variables.iter().filter(|emitted| !is_constant(&emitted.section));
        let first = self.module.variables.len() - globals.clone().count();
        for (index, emitted) in globals.enumerate() {
            for address in &emitted.addresses {
                let target = cubin.variables.iter().find(|variable| variable.name == address.symbol);
                let relocation = BankRelocation {
                    offset: address.offset as u32,
                    kind: address.kind,
                    symbol: address.symbol.clone(),
                    value: target.map_or(0, |target| target.offset),
                    section: target.map(|target| target.section.clone()).unwrap_or_default(),
                    addend: address.addend,
                };
                let found = self.relocation(&relocation)?;
                self.module.variables[first + index].relocations.push(found);
            }
        }
        Ok(())
    }

    /// The opaque variables of the module; the parameters of kernels have symbols, too.
    fn opaque_objects(&mut self) {
        let parameters = &self.module.functions[0].parameters;
        let is_parameter = |name: &str| {
            parameters.iter().any(|parameter| parameter.ty.is_opaque() && parameter.name == name)
        };
        let opaque = self.cubin.opaque.iter().filter(|opaque| !is_parameter(&opaque.name));
        let opaque = opaque.map(|opaque| Variable {
            members: members(&opaque.initial),
            ..variable(&opaque.name, Space::Global, type_of(opaque.kind), 8)
        });
        self.module.variables.extend(opaque.collect::<Vec<_>>());
    }

    /// The banks behind one another, with the addresses and handles in them.
    fn link_banks(&mut self, kernel: &Kernel) -> Result<(), NotLinked> {
        for (number, bank) in [
            (0, &kernel.launch),
            (LITERALS, &kernel.literals),
            (CONSTANTS, &self.cubin.constants),
            (ADDRESSES, &self.cubin.addresses),
        ] {
            let start = self.banks.add(number, bank);
            for relocation in &bank.relocations {
                let place = start + relocation.offset;
                match relocation.kind {
                    // R_CUDA_TEX_HEADER_INDEX, R_CUDA_SAMP_HEADER_INDEX, R_CUDA_SURF_HEADER_INDEX.
                    6 | 7 | 52 => self.banks.handles.push((place, self.named(&relocation.symbol)?)),
                    _ => {
                        let Relocation { symbol, generic, addend, width, shift, .. } =
                            self.relocation(relocation)?;
                        let address = Address { symbol, generic, addend, width: width as usize, shift };
                        self.banks.addresses.push((place, address));
                    }
                }
            }
        }
        Ok(())
    }

    /// Half of an address in an instruction. Where variables lie is known when a launch begins, after its program is decoded: so the
    /// number stands behind the banks, as an address in a bank does, and the instruction reads it there.
    fn word_of_address(
        &mut self,
        words: &[u64],
        relocation: &BankRelocation,
        part: AddressPart,
    ) -> Result<SymbolUse, NotLinked> {
        let BankRelocation { offset, kind, symbol, addend, section, .. } = relocation;
        let wrong = |why: &str| {
            unsupported(format!("a relocation of type {kind} in the code (of `{symbol}`): {why}"))
        };
        let statement = statement_at(i64::from(*offset)).filter(|_| offset % 8 == 0 && offset % 32 != 0);
        let (Some(statement), Some(word)) = (statement, words.get(*offset as usize / 8)) else {
            return Err(wrong("at no instruction"));
        };
        let Decoded::Legal(instruction) = decode(*word) else { return Err(wrong("at no instruction")) };
        let immediate =
            instruction.form.operands.iter().zip(&instruction.operands).find_map(|pair| match pair {
                (OperandField::Immediate32 { .. }, Operand::Immediate(value)) => Some(*value),
                _ => None,
            });
        match immediate {
            Some(0) => {}
            Some(_) => return Err(wrong("the instruction has a number already")),
            None => return Err(wrong("the instruction has no number of 32 bits")),
        }
        if is_constant(section) || self.cubin.kernels.iter().any(|kernel| kernel.name == *symbol) {
            return Err(wrong("no source says what the address of a constant or a function is there"));
        }
        let index = self.module.variables.iter().position(|variable| variable.name == *symbol);
        let Some(index) = index else { return Err(wrong("the cubin does not define it")) };
        let place = self.banks.contents.len() as u32;
        self.banks.contents.resize(self.banks.contents.len() + 8, 0);
        self.banks.immediates.push((statement, place));
        let address = Address {
            symbol: RelocationSymbol::Variable(VariableId(index as u32)),
            generic: true,
            addend: *addend,
            width: 4,
            shift: if part == AddressPart::Upper { 32 } else { 0 },
        };
        self.banks.addresses.push((place, address));
        let address = SymbolAddress { part, name: symbol.clone(), addend: *addend };
        Ok(SymbolUse { statement, address, span: Span::default() })
    }

    /// The opaque object of that name.
    fn named(&self, symbol: &str) -> Result<Named, NotLinked> {
        let parameters = &self.module.functions[0].parameters;
        if let Some(position) = parameters.iter().position(|it| it.ty.is_opaque() && it.name == symbol) {
            return Ok(Named::Parameter(position));
        }
        let opaque = self.module.variables.iter().filter(|variable| variable.is_opaque());
        let Some(found) = opaque.clone().find(|variable| variable.name == symbol) else {
            return Err(unsupported(format!("a handle of `{symbol}`, which the cubin does not declare")));
        };
        let of_its_kind = opaque.filter(|variable| variable.ty == found.ty);
        let number = of_its_kind.take_while(|variable| variable.name != symbol).count();
        Ok(match found.ty {
            Type::Texref => Named::Texture(number),
            Type::Samplerref => Named::Sampler(number),
            _ => Named::Surface(number),
        })
    }

    /// A relocation of data as initial contents have it. nvdisasm names the types.
    fn relocation(&self, relocation: &BankRelocation) -> Result<Relocation, NotLinked> {
        let BankRelocation { offset, kind, symbol, value, section, addend } = relocation;
        let (width, shift, generic) = match kind {
            // R_CUDA_32, R_CUDA_64, R_CUDA_G32, R_CUDA_G64.
            1 => (4, 0, false),
            2 => (8, 0, false),
            3 => (4, 0, true),
            4 => (8, 0, true),
            // R_CUDA_FUNC_DESC_64.
            35 => (8, 0, true),
            // R_CUDA_8_0 to R_CUDA_8_56, R_CUDA_G8_0 to R_CUDA_G8_56.
            76..=83 => (1, 8 * (kind - 76), false),
            84..=91 => (1, 8 * (kind - 84), true),
            _ => return Err(unsupported(format!("a relocation of type {kind} (of `{symbol}`)"))),
        };
        let variables = &self.module.variables;
        let (target, start) = if is_constant(section) {
            // The whole bank is one variable.
            (self.banks.constants.map(RelocationSymbol::Variable), *value as i64)
        } else if let Some(index) = self.cubin.kernels.iter().position(|kernel| kernel.name == *symbol) {
            (Some(RelocationSymbol::Function(warpdiff_ptx::checked::FunctionId(index as u32))), 0)
        } else {
            let index = variables.iter().position(|variable| variable.name == *symbol);
            (index.map(|index| RelocationSymbol::Variable(VariableId(index as u32))), 0)
        };
        let Some(target) = target else {
            return Err(unsupported(format!("an address of `{symbol}`, which the cubin does not define")));
        };
        Ok(Relocation {
            offset: u64::from(*offset),
            width,
            shift,
            symbol: target,
            generic,
            implicit: false,
            addend: addend + start,
            fits: true,
        })
    }
}

fn is_constant(section: &str) -> bool {
    section == ".nv.constant3"
}
