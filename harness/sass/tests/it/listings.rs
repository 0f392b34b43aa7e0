//! Whole cubins against what nvdisasm prints for their code, and their line tables.

use warpdiff_sass::cubin::{Beside, Cubin, LineRow, listing};
use warpdiff_sass::{Program, bundle, encode, programs};

const LINES: &[u8] = include_bytes!("../nvdisasm/cubins/lines.cubin");

/// The listing is nvdisasm's, and nvdisasm's is assembled to the words.
fn assert_same(name: &str, file: &[u8], expected: &str) {
    let (ours, all) = listing(file, Beside::default()).unwrap_or_else(|error| panic!("{name}: {error}"));
    for (number, (ours, theirs)) in ours.lines().zip(expected.lines()).enumerate() {
        assert_eq!(ours, theirs, "{name}, line {}", number + 1);
    }
    assert_eq!(ours, expected, "{name}");
    assert!(all, "{name}");
    let read = programs(expected).unwrap_or_else(|errors| panic!("{name}: {errors:?}"));
    let cubin = Cubin::read(file).unwrap();
    assert_eq!(read.len(), cubin.kernels.len(), "{name}");
    for (read, kernel) in read.iter().zip(&cubin.kernels) {
        assert_eq!(read.name, kernel.name);
        assert_eq!(read.program.header.registers, kernel.header.registers, "{name}, {}", kernel.name);
        let words = |program: &Program| {
            program.statements.iter().map(|it| (encode(&it.instruction), it.reuse)).collect::<Vec<_>>()
        };
        assert_eq!(
            words(&read.program),
            words(&Program::from_words(&kernel.words).unwrap()),
            "{name}, {}",
            kernel.name
        );
        // Each relocation is the address of a symbol.
        let mut places: Vec<u32> = kernel.relocations.iter().map(|relocation| relocation.offset).collect();
        places.sort_unstable();
        let named = read.program.symbols.iter().map(|symbol| bundle::address(symbol.statement));
        assert_eq!(named.collect::<Vec<_>>(), places, "{name}, {}", kernel.name);
    }
}

macro_rules! listed {
    ($($name:ident: $file:literal),* $(,)?) => {
        $(
            #[test]
            fn $name() {
                let cubin = include_bytes!(concat!("../nvdisasm/cubins/", $file, ".cubin"));
                assert_same($file, cubin, include_str!(concat!("../nvdisasm/cubins/", $file, ".sass")));
            }
        )*
    };
}

listed! {
    functions_and_pairs_are_listed: "functions",
    jumps_to_meeting_points_are_listed: "meetings",
    targets_of_a_table_are_listed: "jump_table",
    symbols_of_relocations_are_listed: "descriptors",
    a_kernel_with_a_barrier_is_listed: "lines",
    a_kernel_with_shared_memory_is_listed: "shared",
    numbers_of_ends_and_local_kernels_are_listed: "ends",
    opaque_parameters_are_listed: "addresses",
    a_relocatable_object_is_listed: "object",
    symbols_in_every_place_are_listed: "symbols",
    halves_of_addresses_are_listed: "halves",
}

/// Listings with encodings have the control words, from which the words come back whole.
#[test]
fn listings_with_encodings_are_assembled_with_their_schedule() {
    for (cubin, texts) in [
        (
            &include_bytes!("../nvdisasm/cubins/functions.cubin")[..],
            [
                include_str!("../nvdisasm/cubins/functions.encoded"),
                include_str!("../nvdisasm/cubins/functions.cuobjdump"),
            ],
        ),
        (
            &include_bytes!("../nvdisasm/cubins/meetings.cubin")[..],
            [
                include_str!("../nvdisasm/cubins/meetings.encoded"),
                include_str!("../nvdisasm/cubins/meetings.cuobjdump"),
            ],
        ),
    ] {
        let cubin = Cubin::read(cubin).unwrap();
        for text in texts {
            let read = programs(text).unwrap_or_else(|errors| panic!("{errors:?}"));
            assert_eq!(read.len(), cubin.kernels.len());
            for kernel in &cubin.kernels {
                let read = read.iter().find(|read| read.name == kernel.name).unwrap();
                assert_eq!(read.program.words(), kernel.words, "{}", kernel.name);
            }
        }
    }
}

/// The rows as `nvdisasm -gp` prints them between the instructions.
#[test]
fn a_line_table_says_the_line_of_each_word() {
    let cubin = Cubin::read(LINES).unwrap();
    let kernel = cubin.kernel("k1").unwrap();
    for (address, line) in
        [(0x8, 10), (0x10, 14), (0x48, 14), (0x50, 19), (0x68, 16), (0x70, 17), (0x90, 20), (0xb0, 21)]
    {
        assert_eq!(kernel.line(address), Some(line), "{address:#x}");
    }
    assert_eq!(kernel.lines[0], LineRow { address: 0, line: 10 });
    assert_eq!(cubin.source[15], "add.u32 x, x, 77;");
    // Without `-lineinfo` there is none.
    let plain = Cubin::read(include_bytes!("../nvdisasm/cubins/meetings.cubin")).unwrap();
    assert!(plain.source.is_empty() && plain.kernels.iter().all(|kernel| kernel.lines.is_empty()));
    assert_eq!(plain.kernels[0].line(0), None);
}

#[test]
fn lines_and_control_fields_stand_beside() {
    let beside = Beside { control: true, lines: true, source: &[] };
    let (text, _) = listing(LINES, beside).unwrap();
    let of = |address: &str| text.lines().find(|line| line.contains(address)).unwrap().to_owned();
    let (_, beside_add) =
        of("/*0068*/").split_once(" // ").map(|(a, b)| (a.to_owned(), b.to_owned())).unwrap();
    assert!(
        beside_add.contains("?WAIT") && beside_add.ends_with("line 16: add.u32 x, x, 77;"),
        "{beside_add}"
    );
    // The next word is of another line, the one behind it of the same.
    assert!(of("/*0070*/").ends_with("line 17: mul.lo.u32 x,"));
    assert!(!of("/*0078*/").contains("line"));
    // A text that is given goes before the copy.
    let source: Vec<String> = (1..=22).map(|number| format!("number {number}")).collect();
    let (text, _) = listing(LINES, Beside { control: false, lines: true, source: &source }).unwrap();
    assert!(text.contains("// line 16: number 16\n"), "{text}");
}

/// Any cut and any changed byte is an error or another answer, never a panic.
#[test]
fn damaged_files_are_errors() {
    let beside = Beside { control: true, lines: true, source: &[] };
    for length in 0..LINES.len() {
        let _ = listing(&LINES[..length], beside);
    }
    for place in 0..LINES.len() {
        for value in [0xff, LINES[place] ^ 1] {
            let mut file = LINES.to_vec();
            file[place] = value;
            let _ = listing(&file, beside);
            let _ = Cubin::read(&file);
        }
    }
    let mut said = Vec::new();
    for number in (0..LINES.len() - 8).step_by(8) {
        let mut file = LINES.to_vec();
        file[number..number + 8].fill(0xff);
        said.extend(listing(&file, beside).err());
        let _ = Cubin::read(&file);
    }
    assert!(said.iter().any(|why| why.ends_with("ends behind its section")), "{said:?}");
}
