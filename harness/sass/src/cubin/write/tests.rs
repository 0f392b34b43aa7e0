//! Cubins of ptxas taken apart and written again.

use super::*;
use crate::Header;
use crate::cubin::elf::{Elf, number};
use crate::cubin::info::attributes;

const FUNCTIONS: &[u8] = include_bytes!("../../../tests/nvdisasm/cubins/functions.cubin");
const MEETINGS: &[u8] = include_bytes!("../../../tests/nvdisasm/cubins/meetings.cubin");
const LINES: &[u8] = include_bytes!("../../../tests/nvdisasm/cubins/lines.cubin");
const SHARED: &[u8] = include_bytes!("../../../tests/nvdisasm/cubins/shared.cubin");

/// The attributes of a kernel that a launch needs, in order.
fn needed(elf: &Elf<'_>, kernel: &str) -> Vec<(u8, Vec<u8>)> {
    let kinds = [
        info::API_VERSION,
        info::SW2393858,
        info::SW1850030,
        info::PARAMETER,
        info::PARAMETER_BANK,
        info::EXITS,
        info::BLOCK_READS,
        info::MAX_THREADS,
        info::REQUIRED_THREADS,
    ];
    let own = attributes(elf, &format!(".nv.info.{kernel}")).unwrap();
    let mut all: Vec<(u8, Vec<u8>)> = own
        .iter()
        .filter(|attribute| kinds.contains(&attribute.kind))
        .map(|attribute| match attribute.kind {
            // In front is the number of a symbol; of its name here.
            info::PARAMETER_BANK => {
                let symbol = &elf.symbols[number(attribute.bytes, 0, 4).unwrap()];
                let name = elf.sections[symbol.section].name.clone();
                (attribute.kind, [name.as_bytes(), &attribute.bytes[4..]].concat())
            }
            kind => (kind, attribute.bytes.to_vec()),
        })
        .collect();
    all.sort_by_key(|(kind, _)| *kind);
    all
}

/// The numbers that the module's attributes state for a kernel.
fn stated(elf: &Elf<'_>, kernel: &str) -> Vec<Option<u32>> {
    let is_it = |symbol: &crate::cubin::elf::Symbol| symbol.name == kernel && symbol.kind == 2;
    let symbol = elf.symbols.iter().position(is_it).unwrap();
    let module = attributes(elf, ".nv.info").unwrap();
    [info::REGISTERS, info::MIN_STACK_SIZE].map(|kind| info::of_symbol(&module, kind, symbol)).to_vec()
}

#[test]
fn a_cubin_of_ptxas_is_written_again_as_it_was() {
    for (name, file) in
        [("functions", FUNCTIONS), ("meetings", MEETINGS), ("lines", LINES), ("shared", SHARED)]
    {
        let mut cubin = Cubin::read(file).unwrap();
        let written = cubin.write().unwrap();
        // The line table and the text are not written.
        cubin.source.clear();
        cubin.kernels.iter_mut().for_each(|kernel| kernel.lines.clear());
        assert_eq!(Cubin::read(&written).unwrap(), cubin, "{name}");
        let (theirs, ours) = (Elf::read(file).unwrap(), Elf::read(&written).unwrap());
        assert_eq!(ours.flags, theirs.flags, "{name}");
        assert_eq!(written[..0x18], file[..0x18], "{name}: the head");
        for kernel in &cubin.kernels {
            let name = &kernel.name;
            assert_eq!(needed(&ours, name), needed(&theirs, name), "{name}");
            assert_eq!(stated(&ours, name), stated(&theirs, name), "{name}");
            for section in [".text", ".nv.constant0", ".nv.constant2", ".nv.shared"] {
                let section = format!("{section}.{name}");
                let of = |elf: &Elf<'_>| {
                    elf.section(&section).map(|index| {
                        let section = &elf.sections[index];
                        let owner = if section.kind == PROGRAM && section.flags & EXECUTABLE as usize != 0 {
                            elf.symbols[section.info & 0xff_ffff].name.clone()
                        } else {
                            elf.sections[section.info].name.clone()
                        };
                        (section.kind, section.flags, section.size, owner, elf.contents(section).to_vec())
                    })
                };
                assert_eq!(of(&ours), of(&theirs), "{section}");
            }
            let symbol = |elf: &Elf<'_>| {
                let symbol =
                    elf.symbols.iter().find(|symbol| symbol.name == *name && symbol.kind == 2).unwrap();
                let home = elf.sections[symbol.section].name.clone();
                (symbol.binding, symbol.other, symbol.value, symbol.size, home)
            };
            assert_eq!(symbol(&ours), symbol(&theirs), "{name}");
        }
    }
}

#[test]
fn a_program_becomes_a_kernel_with_its_parameters() {
    let text = ".spa 5.0\n.registers 12\n.shared 100\n.local 16\nBAR.SYNC 0x3; MOV R0, c[0x0][0x148]; EXIT;";
    let program = crate::compile(text, &Header::default()).unwrap();
    let kernel = Kernel::of_program(&program, "probe", &[4, 8, 1, 2, 12]);
    let offsets: Vec<u32> = kernel.parameters.iter().map(|parameter| parameter.offset).collect();
    assert_eq!(offsets, [0, 8, 16, 18, 24]);
    let cubin = Cubin::of_kernels(vec![kernel]);
    let file = cubin.write().unwrap();
    let read = Cubin::read(&file).unwrap();
    assert_eq!(read, cubin);
    assert_eq!(read.kernels[0].words, program.words());
    assert_eq!(read.kernels[0].header, Header { registers: 12, shared: 100, local: 16, ..Header::default() });
    assert_eq!(read.kernels[0].launch.bytes.len(), 0x140 + 36);
    let elf = Elf::read(&file).unwrap();
    let code = &elf.sections[elf.section(".text.probe").unwrap()];
    assert_eq!(code.flags >> 20, 4, "barriers 0 to 3");
    assert_eq!(needed(&elf, "probe").iter().filter(|(kind, _)| *kind == info::PARAMETER).count(), 5);
    assert!(needed(&elf, "probe").contains(&(info::EXITS, vec![0x18, 0, 0, 0])));
}

#[test]
fn what_cannot_be_written_is_an_error() {
    let error = |file: &[u8]| Cubin::read(file).unwrap().write().unwrap_err();
    let textures = include_bytes!("../../../tests/nvdisasm/cubins/descriptors.cubin");
    assert_eq!(error(textures), "unsupported: writing a cubin with textures, samplers or surfaces");
    let program = crate::compile("EXIT;", &Header::default()).unwrap();
    let kernel = |name: &str| Kernel::of_program(&program, name, &[]);
    let twice = Cubin::of_kernels(vec![kernel("a"), kernel("a")]);
    assert_eq!(twice.write().unwrap_err(), "there are two kernels `a`");
    assert_eq!(Cubin::of_kernels(vec![kernel("")]).write().unwrap_err(), "`` is no name of a kernel");
    let newer = Cubin { architecture: 70, ..Cubin::of_kernels(vec![kernel("a")]) };
    assert_eq!(newer.write().unwrap_err(), "unsupported: a cubin for sm_70");
}

#[test]
fn a_stack_without_a_bound_is_no_number_of_bytes() {
    let program = crate::compile(".spa 5.0\n.registers 4\n.local 16\nEXIT;", &Header::default()).unwrap();
    let mut file = Cubin::of_kernels(vec![Kernel::of_program(&program, "probe", &[])]).write().unwrap();
    // The attribute, the format of its value, eight bytes: the symbol and the size.
    let at = file.windows(4).position(|bytes| bytes == [4, info::MIN_STACK_SIZE, 8, 0]).unwrap() + 8;
    assert_eq!(file[at..at + 4], 16_u32.to_le_bytes());
    file[at..at + 4].copy_from_slice(&u32::MAX.to_le_bytes());
    let read = Cubin::read(&file).unwrap();
    assert!(read.kernels[0].open_stack);
    assert_eq!(read.kernels[0].header.local, 0);
}
