//! Writes a cubin that a driver for sm_50 to sm_62 loads: the sections, symbols and attributes that ptxas 12.9 writes for kernels of
//! their own, as far as a launch needs them.
//!
//! Left out are the attributes that say where certain instructions stand for debuggers and preemption, and the copies of what the
//! words say.

use super::info;
use super::reader::{BUNDLED, Bank, Cubin, INDEPENDENT, Kernel, KernelParameter};
use crate::bundle::address;
use crate::instruction::{Instruction, Operand};
use crate::mnemonic::Mnemonic;
use crate::program::Program;
use crate::word::Decoded;

/// Offset of the parameters in constant bank 0.
const PARAMETERS: usize = 0x140;
/// `EM_CUDA`.
const MACHINE: u16 = 190;
/// `e_version` of CUDA 12.9.
const TOOLKIT: u32 = 0x81;
/// Bits of `e_flags`: 64-bit addresses, textures and samplers as one.
const FLAGS: u32 = 0x400;
const UNIFIED: u32 = 0x100;

/// Section types.
const PROGRAM: u32 = 1;
const SYMBOLS: u32 = 2;
const STRINGS: u32 = 3;
const NO_BITS: u32 = 8;
const INFO: u32 = 0x7000_0000;
const CALL_GRAPH: u32 = 0x7000_0001;
/// Section flags.
const WRITABLE: u64 = 1;
const ALLOCATED: u64 = 2;
const EXECUTABLE: u64 = 4;
const LINKED: u64 = 0x40;

/// Forms of attributes: none, a number in the head, bytes behind it.
const PLAIN: u8 = 1;
const NUMBER: u8 = 3;
const BYTES: u8 = 4;

/// A call graph without calls between sections: four ends, as ptxas writes them.
const NO_CALLS: [u32; 8] = [0, u32::MAX, 0, u32::MAX - 1, 0, u32::MAX - 2, 0, u32::MAX - 3];
/// Bytes of the stack of the branch unit for each address that is pushed on it, and for the ways into which a warp may part in a
/// loop: read off what ptxas writes.
const PUSHED: u32 = 16;
const PARTED: u32 = 0x200;
/// Number of barriers of a block.
const BARRIERS: u64 = 16;

impl Kernel {
    /// The kernel of a program. Its parameters have these sizes; each lies at the next multiple of its size, of 8 for larger ones.
    pub fn of_program(program: &Program, name: &str, parameter_sizes: &[u32]) -> Kernel {
        let mut end = 0_u32;
        let place = |size: &u32| {
            let offset = end.next_multiple_of(size.next_power_of_two().clamp(1, 8));
            end = offset + size;
            KernelParameter { offset, size: *size, opaque: None }
        };
        let parameters = parameter_sizes.iter().map(place).collect();
        Kernel {
            name: name.to_owned(),
            words: program.words(),
            header: program.header,
            parameters,
            max_threads: None,
            required_threads: None,
            open_stack: false,
            launch: Bank { bytes: vec![0; PARAMETERS + end as usize], relocations: Vec::new() },
            literals: Bank::default(),
            relocations: Vec::new(),
            lines: Vec::new(),
        }
    }
}

impl Cubin {
    /// A cubin for sm_50 of kernels without variables.
    pub fn of_kernels(kernels: Vec<Kernel>) -> Cubin {
        Cubin {
            architecture: 50,
            independent: false,
            kernels,
            constants: Bank::default(),
            addresses: Bank::default(),
            variables: Vec::new(),
            opaque: Vec::new(),
            source: Vec::new(),
        }
    }

    /// The file. Line tables are not written.
    ///
    /// # Errors
    /// What cannot be written: relocations, variables, opaque objects, another architecture, names that an ELF file cannot hold.
    pub fn write(&self) -> Result<Vec<u8>, String> {
        if !BUNDLED.contains(&self.architecture) {
            return Err(format!("unsupported: a cubin for sm_{}", self.architecture));
        }
        let concerned = [
            ("variables", self.variables.is_empty() && self.constants.bytes.is_empty()),
            ("addresses", self.addresses.bytes.is_empty()),
            ("textures, samplers or surfaces", self.opaque.is_empty()),
        ];
        if let Some((what, _)) = concerned.iter().find(|(_, none)| !none) {
            return Err(format!("unsupported: writing a cubin with {what}"));
        }
        let mut writer = Writer::default();
        for kernel in &self.kernels {
            writer.add(kernel)?;
        }
        let modes = if self.independent { INDEPENDENT } else { UNIFIED };
        Ok(writer.file(self.architecture | self.architecture << 16 | modes | FLAGS))
    }
}

/// A section to be written.
struct Part {
    name: String,
    kind: u32,
    flags: u64,
    link: Link,
    info: u32,
    align: usize,
    entry: u64,
    contents: Vec<u8>,
    /// The size of a section without contents.
    size: usize,
}

/// The section that another belongs to.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Link {
    None,
    Strings,
    Symbols,
}

/// A symbol to be written; its section by its place among the parts of its kind.
struct Named {
    name: String,
    info: u8,
    other: u8,
    section: Place,
    size: u64,
}

/// A section by what it is: its number is known once all are there.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    CallGraph,
    Literals(usize),
    Launch(usize),
    Code(usize),
    Shared(usize),
}

#[derive(Default)]
struct Writer<'k> {
    kernels: Vec<&'k Kernel>,
}

impl<'k> Writer<'k> {
    fn add(&mut self, kernel: &'k Kernel) -> Result<(), String> {
        let Kernel { name, words, launch, literals, relocations, .. } = kernel;
        let error = |what: &str| Err(format!("unsupported: writing kernel `{name}` with {what}"));
        if name.is_empty() || name.contains('\0') {
            return Err(format!("`{}` is no name of a kernel", name.escape_default()));
        }
        if self.kernels.iter().any(|other| other.name == *name) {
            return Err(format!("there are two kernels `{name}`"));
        }
        if !relocations.is_empty() || !launch.relocations.is_empty() || !literals.relocations.is_empty() {
            return error("relocations");
        }
        if kernel.parameters.iter().any(|parameter| parameter.opaque.is_some()) {
            return error("parameters of opaque type");
        }
        if kernel.parameters.iter().any(|parameter| parameter.size >= 1 << 14) || launch.bytes.len() > 0x1140
        {
            return error("more than 4 KiB of parameters");
        }
        if words.len() % 4 != 0 || words.is_empty() {
            return error("words that are no whole number of bundles");
        }
        self.kernels.push(kernel);
        Ok(())
    }

    /// The places in the order of their sections.
    fn places(&self) -> Vec<Place> {
        let kernels = 0..self.kernels.len();
        let literals =
            kernels.clone().filter(|n| !self.kernels[*n].literals.bytes.is_empty()).map(Place::Literals);
        let launch = kernels.clone().map(Place::Launch);
        let shared = kernels.clone().filter(|n| self.kernels[*n].header.shared > 0).map(Place::Shared);
        literals.chain(launch).chain(kernels.map(Place::Code)).chain(shared).collect()
    }

    fn file(self, flags: u32) -> Vec<u8> {
        let places = self.places();
        // In front: nothing, names, strings, symbols, `.nv.info`, that of each kernel, and the call graph.
        let first = 6 + self.kernels.len();
        let number = |place: Place| match place {
            Place::CallGraph => first - 1,
            place => first + places.iter().position(|other| *other == place).unwrap_or(0),
        };
        // Symbols of sections come first, since they are local; then the kernels.
        let mut symbols: Vec<Named> = vec![];
        for place in places.iter().copied().chain([Place::CallGraph]) {
            symbols.push(Named { name: self.name(place), info: 3, other: 0, section: place, size: 0 });
        }
        let first_global = symbols.len() + 1;
        for (n, kernel) in self.kernels.iter().enumerate() {
            let (size, section) = (8 * kernel.words.len() as u64, Place::Code(n));
            symbols.push(Named { name: kernel.name.clone(), info: 0x12, other: 0x10, section, size });
        }
        let symbol =
            |place: Place| symbols.iter().position(|it| it.info == 3 && it.section == place).unwrap_or(0) + 1;

        let mut strings = Strings::default();
        let mut table = vec![0; 24];
        for named in &symbols {
            table.extend(strings.add(&named.name).to_le_bytes());
            table.extend([named.info, named.other]);
            table.extend((number(named.section) as u16).to_le_bytes());
            table.extend(0_u64.to_le_bytes());
            table.extend(named.size.to_le_bytes());
        }
        let plain = |name: &str, kind, link, align, contents| Part {
            name: name.into(),
            kind,
            flags: 0,
            link,
            info: 0,
            align,
            entry: 0,
            contents,
            size: 0,
        };
        let mut parts = vec![
            // Names are filled in last.
            plain(".shstrtab", STRINGS, Link::None, 1, Vec::new()),
            plain(".strtab", STRINGS, Link::None, 1, strings.bytes),
            Part {
                info: first_global as u32,
                entry: 24,
                ..plain(".symtab", SYMBOLS, Link::Strings, 8, table)
            },
            plain(".nv.info", INFO, Link::Symbols, 4, self.module_info(first_global as u32)),
        ];
        for (n, kernel) in self.kernels.iter().enumerate() {
            let contents = kernel_info(kernel, symbol(Place::Launch(n)) as u32);
            let part = plain(&format!(".nv.info.{}", kernel.name), INFO, Link::Symbols, 4, contents);
            parts.push(Part { flags: LINKED, info: number(Place::Code(n)) as u32, ..part });
        }
        let graph = NO_CALLS.iter().flat_map(|word| word.to_le_bytes()).collect();
        parts.push(Part { entry: 8, ..plain(".nv.callgraph", CALL_GRAPH, Link::Symbols, 4, graph) });
        for place in &places {
            let name = self.name(*place);
            parts.push(match *place {
                Place::Literals(n) | Place::Launch(n) => {
                    let kernel = self.kernels[n];
                    let bank =
                        if matches!(place, Place::Launch(_)) { &kernel.launch } else { &kernel.literals };
                    let part = plain(&name, PROGRAM, Link::None, 4, bank.bytes.clone());
                    Part { flags: ALLOCATED | LINKED, info: number(Place::Code(n)) as u32, ..part }
                }
                Place::Shared(n) => Part {
                    flags: WRITABLE | ALLOCATED | LINKED,
                    info: number(Place::Code(n)) as u32,
                    size: self.kernels[n].header.shared as usize,
                    ..plain(&name, NO_BITS, Link::None, 16, Vec::new())
                },
                Place::Code(n) => {
                    let kernel = self.kernels[n];
                    let contents = kernel.words.iter().flat_map(|word| word.to_le_bytes()).collect();
                    let info = u32::from(kernel.header.registers) << 24 | (first_global + n) as u32;
                    let flags = ALLOCATED | EXECUTABLE | barriers(kernel) << 20;
                    Part { flags, info, ..plain(&name, PROGRAM, Link::Symbols, 32, contents) }
                }
                Place::CallGraph => continue,
            });
        }
        assemble(parts, flags)
    }

    fn name(&self, place: Place) -> String {
        match place {
            Place::CallGraph => ".nv.callgraph".into(),
            Place::Literals(n) => format!(".nv.constant2.{}", self.kernels[n].name),
            Place::Launch(n) => format!(".nv.constant0.{}", self.kernels[n].name),
            Place::Code(n) => format!(".text.{}", self.kernels[n].name),
            Place::Shared(n) => format!(".nv.shared.{}", self.kernels[n].name),
        }
    }

    /// `.nv.info`: registers and stack of each kernel.
    fn module_info(&self, first: u32) -> Vec<u8> {
        let mut out = Vec::new();
        for (n, kernel) in self.kernels.iter().enumerate() {
            let symbol = first + n as u32;
            let local = kernel.header.local;
            put(&mut out, info::REGISTERS, &[symbol, kernel.header.registers.into()]);
            if kernel.open_stack && local == 0 {
                // No bound: the driver's limit holds.
                continue;
            }
            put(&mut out, info::FRAME_SIZE, &[symbol, local]);
            put(&mut out, info::MIN_STACK_SIZE, &[symbol, local]);
        }
        out
    }
}

/// An attribute with words behind it.
fn put(out: &mut Vec<u8>, kind: u8, words: &[u32]) {
    out.extend([BYTES, kind]);
    out.extend((4 * words.len() as u16).to_le_bytes());
    out.extend(words.iter().flat_map(|word| word.to_le_bytes()));
}

/// The attributes of a kernel. `launch` is the symbol of the section of its constant bank 0.
fn kernel_info(kernel: &Kernel, launch: u32) -> Vec<u8> {
    let mut out = Vec::new();
    put(&mut out, info::API_VERSION, &[TOOLKIT]);
    // Two remedies for faults of the hardware, which ptxas always marks as applied.
    out.extend([PLAIN, info::SW2393858, 0, 0, PLAIN, info::SW1850030, 0, 0]);
    if !kernel.parameters.is_empty() {
        let size = kernel.launch.bytes.len().saturating_sub(PARAMETERS) as u32;
        put(&mut out, info::PARAMETER_BANK, &[launch, PARAMETERS as u32 | size << 16]);
        out.extend([NUMBER, info::PARAMETER_SIZE, size as u8, (size >> 8) as u8]);
    }
    // The last parameter first, as ptxas does. Bits 17:12 of the last word say where it lies, bits 11:0 that it is no pointer of known
    // alignment.
    for (position, parameter) in kernel.parameters.iter().enumerate().rev() {
        let place = position as u32 | parameter.offset << 16;
        put(&mut out, info::PARAMETER, &[0, place, parameter.size << 18 | 0x1_f000]);
    }
    out.extend([NUMBER, info::MAX_REGISTERS, 0xff, 0]);
    let offsets = |wanted: &dyn Fn(&Instruction) -> bool| -> Vec<u32> {
        instructions(kernel).filter(|(_, it)| wanted(it)).map(|(at, _)| at).collect()
    };
    let reads_block = |it: &Instruction| {
        it.form.mnemonic == Mnemonic::S2R && it.operands.contains(&Operand::System(BLOCK_X))
    };
    for (kind, places) in [
        (info::BLOCK_READS, offsets(&reads_block)),
        (info::EXITS, offsets(&|it| it.form.mnemonic == Mnemonic::EXIT)),
    ] {
        if !places.is_empty() {
            put(&mut out, kind, &places);
        }
    }
    if let Some(threads) = kernel.max_threads {
        put(&mut out, info::MAX_THREADS, &threads);
    }
    if let Some(threads) = kernel.required_threads {
        put(&mut out, info::REQUIRED_THREADS, &threads);
    }
    let pushes = |it: &Instruction| {
        use Mnemonic as M;
        matches!(it.form.mnemonic, M::SSY | M::PBK | M::PCNT | M::PRET | M::CAL)
    };
    match offsets(&pushes).len() as u32 {
        0 => {}
        // No more addresses are pushed than there are such instructions, unless the program recurses.
        count => put(&mut out, info::BRANCH_STACK, &[PARTED + PUSHED * count]),
    }
    out
}

/// The number of `SR_CTAID.X`.
const BLOCK_X: u8 = 37;

/// The instructions of a kernel with their addresses.
fn instructions(kernel: &Kernel) -> impl Iterator<Item = (u32, Instruction)> {
    let decoded = crate::bundle::disassemble(&kernel.words).unwrap_or_default();
    decoded.into_iter().enumerate().filter_map(|(index, (_, decoded))| match decoded {
        Decoded::Legal(instruction) => Some((address(index), instruction)),
        _ => None,
    })
}

/// The number of barriers of a block that the code uses: all of them if a register names one.
fn barriers(kernel: &Kernel) -> u64 {
    let of = |instruction: Instruction| match instruction.form.mnemonic {
        Mnemonic::BAR => {
            match instruction.operands.iter().find(|it| !matches!(it, Operand::Predicate { .. })) {
                Some(Operand::Immediate(number)) => (*number as u64).min(BARRIERS - 1) + 1,
                _ => BARRIERS,
            }
        }
        _ => 0,
    };
    instructions(kernel).map(|(_, instruction)| of(instruction)).max().unwrap_or(0)
}

/// A table of strings.
struct Strings {
    bytes: Vec<u8>,
}

impl Default for Strings {
    fn default() -> Self {
        Strings { bytes: vec![0] }
    }
}

impl Strings {
    /// Adds a string and answers its offset.
    fn add(&mut self, text: &str) -> u32 {
        let offset = self.bytes.len() as u32;
        self.bytes.extend(text.as_bytes());
        self.bytes.push(0);
        offset
    }
}

/// The file with these sections behind the empty first one: header, contents, section headers, program headers.
fn assemble(mut parts: Vec<Part>, flags: u32) -> Vec<u8> {
    let mut names = Strings::default();
    let offsets: Vec<u32> = parts.iter().map(|part| names.add(&part.name)).collect();
    parts[0].contents = names.bytes;
    let mut file = vec![0; 64];
    let mut headers = vec![0; 64];
    // The bytes that are loaded: of constant banks and code, and behind them of shared memory.
    let (mut loaded, mut shared) = (None, None);
    for (part, name) in parts.iter().zip(offsets) {
        file.resize(file.len().next_multiple_of(part.align), 0);
        let offset = file.len() as u64;
        file.extend(&part.contents);
        let size = part.contents.len().max(part.size) as u64;
        let segment = if part.kind == NO_BITS { &mut shared } else { &mut loaded };
        if part.flags & ALLOCATED != 0 {
            let start = segment.map_or(offset, |(start, _)| start);
            let end =
                if part.kind == NO_BITS { segment.map_or(0, |(_, end)| end) + size } else { offset + size };
            *segment = Some((start, end));
        }
        headers.extend(name.to_le_bytes());
        headers.extend(part.kind.to_le_bytes());
        headers.extend(part.flags.to_le_bytes());
        headers.extend(0_u64.to_le_bytes());
        headers.extend(offset.to_le_bytes());
        headers.extend(size.to_le_bytes());
        let link: u32 = match part.link {
            Link::None => 0,
            Link::Strings => 2,
            Link::Symbols => 3,
        };
        headers.extend(link.to_le_bytes());
        headers.extend(part.info.to_le_bytes());
        headers.extend((part.align as u64).to_le_bytes());
        headers.extend(part.entry.to_le_bytes());
    }
    file.resize(file.len().next_multiple_of(64), 0);
    let section_headers = file.len() as u64;
    file.extend(headers);
    let program_headers = file.len() as u64;
    let count = 2 + usize::from(loaded.is_some()) + usize::from(shared.is_some());
    let own = (program_headers, 56 * count as u64);
    // Read and execute, or read and write.
    let mut segments = vec![(6_u32, 5_u32, own.0, own.1, own.1)];
    segments.extend(loaded.map(|(start, end)| (1, 5, start, end - start, end - start)));
    segments.extend(shared.map(|(start, size)| (1, 6, start, 0, size)));
    segments.push((1, 5, own.0, own.1, own.1));
    for (kind, access, offset, in_file, in_memory) in segments {
        file.extend(kind.to_le_bytes());
        file.extend(access.to_le_bytes());
        for field in [offset, 0, 0, in_file, in_memory, 8] {
            file.extend(field.to_le_bytes());
        }
    }
    let mut head = Vec::with_capacity(64);
    // 64 bits, little-endian; the system and its version as ptxas writes them.
    head.extend(b"\x7fELF\x02\x01\x01\x33\x07\0\0\0\0\0\0\0");
    head.extend(2_u16.to_le_bytes());
    head.extend(MACHINE.to_le_bytes());
    head.extend(TOOLKIT.to_le_bytes());
    head.extend(0_u64.to_le_bytes());
    head.extend(program_headers.to_le_bytes());
    head.extend(section_headers.to_le_bytes());
    head.extend(flags.to_le_bytes());
    for field in [64, 56, count as u16, 64, parts.len() as u16 + 1, 1] {
        head.extend(field.to_le_bytes());
    }
    file[..64].copy_from_slice(&head);
    file
}

#[cfg(test)]
mod tests;
