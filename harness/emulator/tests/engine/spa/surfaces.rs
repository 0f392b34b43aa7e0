//! Machine code that accesses surfaces, with texels worked out by hand: `SULD`, `SUST`, `SURED`, `TXQ`. ptxas 12.9 makes `SULD.D.BA` of
//! `suld.b`, `SUST.P` of `sust.p`, `SURED.D` of `sured.p` and so on; what the words mean is in `docs/sass.md`.

use warpdiff_model::{Argument, FaultClass, Geometry, Permitted, Surface};

use super::kernel::{Spa, set, storing};
use crate::kernel::words;

/// An image of u32 texels, each of which is its place in memory: texel n holds n.
pub(super) fn counted(geometry: Geometry, extent: [u32; 3], layers: u32) -> Surface {
    let texels = extent.iter().product::<u32>() * layers;
    let bytes = (0..texels).flat_map(u32::to_le_bytes).collect();
    shaped(geometry, extent, layers, "u32", bytes)
}

pub(super) fn shaped(
    geometry: Geometry,
    extent: [u32; 3],
    layers: u32,
    format: &str,
    bytes: Vec<u8>,
) -> Surface {
    let format = format.parse().expect("a format");
    Surface { name: "image".into(), geometry, extent, layers, format, bytes, bound_to: None }
}

/// A body with a surface whose handle is in `c[0x0][0x148]`, which is word 0x52, and in `R240`.
pub(super) fn with(surface: Surface, body: &str, words: usize) -> Spa {
    let mut spa = Spa::new(&format!("MOV R240, c[0x0][0x148];\n{body}"), words);
    spa.launch.surfaces.push(surface);
    spa.launch.arguments.push(Argument::Surface { index: 0 });
    spa
}

/// The bytes of the image afterwards, all of them defined.
pub(super) fn image_after(spa: &Spa) -> Vec<u8> {
    let (bytes, defined) = image_and_mask(spa);
    assert!(defined.iter().all(|mask| *mask == 0xFF), "undefined texels: {defined:x?}");
    bytes
}

/// The bytes of the image afterwards, and which of their bits are defined.
pub(super) fn image_and_mask(spa: &Spa) -> (Vec<u8>, Vec<u8>) {
    let state = spa.state();
    let image = state.regions.iter().find(|region| region.region.name == "image").expect("the image");
    (image.region.bytes.clone(), image.defined.to_vec())
}

/// Both ways to name the surface.
const HANDLES: [&str; 2] = ["0x52", "R240"];

#[test]
fn each_geometry_has_its_coordinates_in_consecutive_registers_and_the_layer_last() {
    // In R4, R5, R6: x is 4, which is byte 4, texel 1.
    let places = [
        ("1D", Geometry::D1, [4, 1, 1], 1, [4, 9, 9], 1),
        ("2D", Geometry::D2, [4, 3, 1], 1, [4, 2, 9], 2 * 4 + 1),
        ("3D", Geometry::D3, [4, 3, 2], 1, [4, 2, 1], (3 + 2) * 4 + 1),
        // The second register is the layer.
        ("1D_ARRAY", Geometry::A1d, [4, 1, 1], 3, [4, 2, 9], 2 * 4 + 1),
        // x, y, layer.
        ("2D_ARRAY", Geometry::A2d, [4, 3, 1], 2, [4, 2, 1], (3 + 2) * 4 + 1),
    ];
    for (dimension, geometry, extent, layers, [x, y, z], expected) in places {
        for handle in HANDLES {
            let body = [set("R4", x), set("R5", y), set("R6", z)].concat()
                + &format!("SULD.D.BA.{dimension}.TRAP R8, [R4], {handle};\n")
                + &storing(&["R8"]);
            let spa = with(counted(geometry, extent, layers), &body, 1);
            assert_eq!(spa.words(), [expected], "{dimension} {handle}");
        }
    }
}

#[test]
fn x_counts_bytes_under_ba_and_texels_without() {
    for (unit, x, expected) in [(".BA", 8, 2), ("", 8, 8), ("", 2, 2)] {
        let body = set("R4", x) + &format!("SULD.D{unit}.1D.TRAP R8, [R4], 0x52;\n") + &storing(&["R8"]);
        let spa = with(counted(Geometry::D1, [10, 1, 1], 1), &body, 1);
        assert_eq!(spa.words(), [expected], "{unit} {x}");
    }
}

#[test]
fn sizes_fill_registers_and_narrow_ones_are_extended() {
    let bytes = (0..16).map(|n| 0x81 + n).collect();
    let image = || shaped(Geometry::D1, [16, 1, 1], 1, "u8", Vec::clone(&bytes));
    // The bytes are 81 82 83 …, least significant first.
    let loads: [(&str, u32, &[u32]); 7] = [
        (".U8", 0, &[0x81]),
        (".S8", 0, &[0xFFFF_FF81]),
        (".U16", 2, &[0x8483]),
        (".S16", 2, &[0xFFFF_8483]),
        ("", 4, &[0x8887_8685]),
        (".64", 8, &[0x8C8B_8A89, 0x908F_8E8D]),
        (".128", 0, &[0x8483_8281, 0x8887_8685, 0x8C8B_8A89, 0x908F_8E8D]),
    ];
    for (size, x, expected) in loads {
        let registers = &["R8", "R9", "R10", "R11"][..expected.len()];
        let body = set("R4", x) + &format!("SULD.D.BA.1D{size}.TRAP R8, [R4], 0x52;\n") + &storing(registers);
        assert_eq!(with(image(), &body, expected.len()).words(), expected, "{size}");
    }
    // A store takes the low bytes of its registers.
    let stores: [(&str, u32, &[u8]); 6] = [
        (".U8", 3, &[0x44]),
        (".S8", 3, &[0x44]),
        (".U16", 2, &[0x44, 0x33]),
        ("", 4, &[0x44, 0x33, 0x22, 0x11]),
        (".64", 8, &[0x44, 0x33, 0x22, 0x11, 0x88, 0x77, 0x66, 0x55]),
        (".128", 0, &[0x44, 0x33, 0x22, 0x11, 0x88, 0x77, 0x66, 0x55, 1, 0, 0, 0, 2, 0, 0, 0]),
    ];
    for (size, x, written) in stores {
        let data = [set("R8", 0x1122_3344), set("R9", 0x5566_7788), set("R10", 1), set("R11", 2)].concat();
        let body = set("R4", x) + &data + &format!("SUST.D.BA.1D{size}.TRAP [R4], R8, 0x52;\n");
        let mut expected: Vec<u8> = Vec::clone(&bytes);
        expected[x as usize..x as usize + written.len()].copy_from_slice(written);
        assert_eq!(image_after(&with(image(), &body, 1)), expected, "{size}");
    }
    // RZ as data is zeros.
    let body = set("R4", 4) + "SUST.D.BA.1D.64.TRAP [R4], RZ, 0x52;\n";
    let misaligned = with(image(), &body.replace("R4, 0x4", "R4, 0x8"), 1);
    assert_eq!(image_after(&misaligned)[8..], [0; 8]);
}

#[test]
fn out_of_bounds_is_ignored_clamped_or_a_trap() {
    let image = || counted(Geometry::D2, [4, 2, 1], 1);
    let load = |clamp: &str, x: u32, y: u32| {
        let body = [set("R4", x), set("R5", y), set("R8", 0x55)].concat()
            + &format!("SULD.D.BA.2D{clamp} R8, [R4], 0x52;\n")
            + &storing(&["R8"]);
        with(image(), &body, 1)
    };
    for (x, y, nearest) in [(16, 0, 3), (0, 2, 4), ((-4i32) as u32, 1, 4), (400, (-1i32) as u32, 3)] {
        assert_eq!(load(".IGN", x, y).words(), [0], "{x} {y}");
        // Nothing written takes the nearest texel.
        assert_eq!(load("", x, y).words(), [nearest], "{x} {y}");
        assert_eq!(load(".TRAP", x, y).faults()[0].class, FaultClass::SurfaceTrap, "{x} {y}");
    }
    let store = |clamp: &str| {
        let body = [set("R4", 16), set("R5", 1), set("R8", 99)].concat()
            + &format!("SUST.D.BA.2D{clamp} [R4], R8, 0x52;\n");
        with(image(), &body, 1)
    };
    assert_eq!(words(&image_after(&store(".IGN"))), [0, 1, 2, 3, 4, 5, 6, 7]);
    assert_eq!(words(&image_after(&store(""))), [0, 1, 2, 3, 4, 5, 6, 99]);
    assert_eq!(store(".TRAP").faults()[0].class, FaultClass::SurfaceTrap);
}

#[test]
fn a_formatted_store_takes_the_components_of_its_mask_from_consecutive_registers() {
    let data = [set("R8", 1), set("R9", 2), set("R10", 3), set("R11", 4)].concat();
    let of = |mask: &str| {
        let body = [set("R4", 1), data.clone()].concat() + &format!("SUST.P.1D{mask}.TRAP [R4], R8, 0x52;\n");
        with(shaped(Geometry::D1, [3, 1, 1], 1, "u8x4", vec![0xA5; 12]), &body, 1)
    };
    // Of a mask nothing is written where all four components are stored; x counts texels.
    let untouched = [0xA5; 4];
    assert_eq!(image_after(&of("")), [untouched, [1, 2, 3, 4], untouched].concat());
    let (bytes, defined) = image_and_mask(&of(".RG"));
    assert_eq!((&bytes[4..6], &defined[4..8]), (&[1, 2][..], &[0xFF, 0xFF, 0, 0][..]));
    // Without gaps: alpha is in the register behind red's.
    let (bytes, defined) = image_and_mask(&of(".RA"));
    assert_eq!(((bytes[4], bytes[7]), &defined[4..8]), ((1, 2), &[0xFF, 0, 0, 0xFF][..]));
    // Numbers go through the format: 300 is more than a byte, and 255 is 1.0 of it.
    let body = [set("R4", 0), set("R8", 0x3F80_0000)].concat() + "SUST.P.1D.R.TRAP [R4], R8, 0x52;\n";
    let unorm = with(shaped(Geometry::D1, [2, 1, 1], 1, "unorm8", vec![7, 7]), &body, 1);
    assert_eq!(image_after(&unorm), [255, 7]);
}

/// What a reduction makes of a location that holds `old`.
fn reduced(format: &str, old: &[u8], instruction: &str, data: [u32; 2]) -> Spa {
    let body = [set("R4", 0), set("R8", data[0]), set("R9", data[1])].concat()
        + &format!("SURED.{instruction}.TRAP [R4], R8, 0x52;\n");
    let texels = old.len() as u32 / format.parse::<warpdiff_model::Format>().expect("a format").texel_size();
    with(shaped(Geometry::D1, [texels, 1, 1], 1, format, old.to_vec()), &body, 1)
}

#[test]
fn reductions_change_words_and_pairs_of_words() {
    let word = |instruction: &str, old: u32, data: u32| {
        words(&image_after(&reduced("u32", &old.to_le_bytes(), instruction, [data, 0])))[0]
    };
    assert_eq!(word("D.BA.1D.ADD", 0xFFFF_FFFF, 3), 2);
    assert_eq!(word("D.BA.1D.AND", 0b1100, 0b1010), 0b1000);
    assert_eq!(word("D.BA.1D.OR", 0b1100, 0b1010), 0b1110);
    assert_eq!(word("D.BA.1D.XOR", 0b1100, 0b1010), 0b0110);
    // Unsigned, unless `.S32` is written.
    assert_eq!(word("D.BA.1D.MIN", 5, 0xFFFF_FFFF), 5);
    assert_eq!(word("D.BA.1D.MIN.S32", 5, 0xFFFF_FFFF), 0xFFFF_FFFF);
    assert_eq!(word("D.BA.1D.MAX", 5, 0xFFFF_FFFF), 0xFFFF_FFFF);
    assert_eq!(word("D.BA.1D.MAX.S32", 5, 0xFFFF_FFFF), 5);
    assert_eq!(word("D.BA.1D.ADD.F32.FTZ.RN", 1f32.to_bits(), 2f32.to_bits()), 3f32.to_bits());
    // A denormal summand is flushed.
    assert_eq!(word("D.BA.1D.ADD.F32.FTZ.RN", 1, 0), 0);
    let pair = |instruction: &str, old: u64, data: u64| {
        let data = [data as u32, (data >> 32) as u32];
        let bytes = image_after(&reduced("u32", &old.to_le_bytes(), instruction, data));
        u64::from_le_bytes(bytes.try_into().expect("eight bytes"))
    };
    assert_eq!(pair("D.BA.1D.ADD.U64", 0xFFFF_FFFF, 1), 1 << 32);
    assert_eq!(pair("D.BA.1D.MIN.U64", 7, u64::MAX), 7);
    assert_eq!(pair("D.BA.1D.MIN.S64", 7, u64::MAX), u64::MAX);
}

/// "SD32": the type whose sign the surface's format has. ptxas makes it of `sured.p.min.b32` and `sured.p.max.b32`.
#[test]
fn the_format_says_whether_sd32_is_signed() {
    let after = |format: &str, operation: &str, old: i32, data: i32| {
        let instruction = format!("D.1D.{operation}.SD32");
        words(&image_after(&reduced(format, &old.to_le_bytes(), &instruction, [data as u32, 0])))[0] as i32
    };
    assert_eq!(after("s32", "MIN", 100, -16), -16);
    assert_eq!(after("s32", "MAX", 100, -16), 100);
    assert_eq!(after("u32", "MIN", 100, -16), 100);
    assert_eq!(after("u32", "MAX", 100, -16), -16);
}

/// Outside, under `.IGN`, there is no write; under nothing the nearest location is reduced.
#[test]
fn reductions_out_of_bounds() {
    let of = |clamp: &str| {
        let body =
            [set("R4", 8), set("R8", 10)].concat() + &format!("SURED.D.BA.1D.ADD{clamp} [R4], R8, 0x52;\n");
        with(counted(Geometry::D1, [2, 1, 1], 1), &body, 1)
    };
    assert_eq!(words(&image_after(&of(".IGN"))), [0, 1]);
    assert_eq!(words(&image_after(&of(""))), [0, 11]);
    assert_eq!(of(".TRAP").faults()[0].class, FaultClass::SurfaceTrap);
}

#[test]
fn txq_answers_with_the_dimensions_at_the_level_that_there_is() {
    let ask = |image: Surface, mask: u32, registers: &[&str]| {
        let body = set("R4", 0)
            + &format!("TXQ R8, R4, TEX_HEADER_DIMENSION, 0x52, {mask:#x};\n")
            + &storing(registers);
        with(image, &body, registers.len().next_power_of_two())
    };
    let solid = || counted(Geometry::D3, [5, 3, 2], 1);
    assert_eq!(ask(solid(), 1, &["R8"]).words(), [5]);
    assert_eq!(ask(solid(), 2, &["R8"]).words(), [3]);
    assert_eq!(ask(solid(), 4, &["R8"]).words(), [2]);
    // There is one level, and one sample.
    assert_eq!(ask(solid(), 8, &["R8"]).words(), [1]);
    let body = "TXQ R8, RZ, TEX_HEADER_TEXTURE_TYPE, 0x52, 0x4;\n".to_owned() + &storing(&["R8"]);
    assert_eq!(with(solid(), &body, 1).words(), [1]);
    // What else there is in the answer is in no source.
    assert_eq!(with(solid(), &body.replace("0x4;\nSTG", "0x2;\nSTG"), 1).defined(), [0]);
    // The components that are wanted fill registers without gaps.
    assert_eq!(ask(solid(), 5, &["R8", "R9"]).words(), [5, 2]);
    // Of an array the third is the number of layers.
    assert_eq!(ask(counted(Geometry::A2d, [5, 3, 1], 7), 4, &["R8"]).words(), [7]);
    // The handle in a register stands in front of the level, and the result may be in the place of either.
    let body = "MOV R4, R240;\nMOV R5, RZ;\nTXQ.B R4, R4, TEX_HEADER_DIMENSION, 0x0, 0x3;\n".to_owned()
        + &storing(&["R4", "R5"]);
    assert_eq!(with(solid(), &body, 2).words(), [5, 3]);
    // Of another level nothing is known.
    let body = set("R4", 1) + "TXQ R8, R4, TEX_HEADER_DIMENSION, 0x52, 0x1;\n" + &storing(&["R8"]);
    assert_eq!(with(solid(), &body, 1).defined(), [0]);
}

#[test]
fn what_no_source_settles_is_unsupported() {
    for (instruction, why) in [
        ("SULD.D.BA.1D_BUFFER.TRAP R8, [R4], 0x52;", "no surface here is a buffer"),
        ("SURED.D.1D.MIN.F32.FTZ.RN.TRAP [R4], R8, 0x52;", "floats"),
        ("SURED.D.1D.INC.U64.TRAP [R4], R8, 0x52;", "this size"),
        ("SUATOM.P.1D.ADD.TRAP R8, [R4], R9, 0x52;", "with `.D` alone"),
        ("SUATOM.D.1D.EXCH.F32.FTZ.RN.TRAP R8, [R4], R9, 0x52;", "floats"),
        ("TXQ R8, R4, TEX_HEADER_SAMPLER_POS, 0x52, 0x4;", "several samples"),
        ("TXQ R8, R4, TEX_SAMPLER_FILTER, 0x52, 0x1;", "laid out"),
    ] {
        let message = with(counted(Geometry::D1, [2, 1, 1], 1), instruction, 1).unsupported();
        assert!(message.contains(why), "{instruction}: {message}");
    }
}

/// A handle of nothing leaves open what happens, and an undefined one is a mistake of the program.
#[test]
fn a_word_that_names_no_surface_is_seen() {
    for number in ["MOV R240, RZ;\n", "IADD R240, R240, R249;\nIADD R240, R240, 0x1;\n"] {
        let body = number.to_owned() + "SULD.D.BA.1D.TRAP R8, [RZ], R240;\n" + &storing(&["R8"]);
        let run = with(counted(Geometry::D1, [2, 1, 1], 1), &body, 1).run();
        let Permitted::Indeterminate { origin: why, .. } = run.outcome.permitted else {
            panic!("{:?}", run.outcome)
        };
        assert!(why.contains("names no surface"), "{why}");
    }
}

/// A program with a schedule: the address of the output is in `R2:R3`.
fn scheduled(image: Surface, words: usize, body: &str) -> Spa {
    let text = format!(
        "MOV R2, c[0x0][0x140] ?WAIT6;\nMOV R3, c[0x0][0x144] ?WAIT6;\nMOV32I R4, 0x4 ?WAIT6;\nMOV32I R5, 0x8 ?WAIT6;\n\
         MOV32I R8, 0x63 ?WAIT6;\n{body}EXIT ?WAIT15;\n"
    );
    with(image, "", words).with_whole_text(&text)
}

/// Without a wait the result of a load is not there yet. The unit of surfaces is done in order: the wait for a later access covers
/// earlier ones that name no barrier.
#[test]
fn results_are_there_after_a_wait_and_come_in_order() {
    let of = |first: &str, waits: &str| {
        let body = format!(
            "SULD.D.BA.1D.TRAP R6, [R4], 0x52 {first} ?WAIT1;\nSULD.D.BA.1D.TRAP R7, [R5], 0x52 &wr=0 ?WAIT1;\n\
             STG.E [R2], R6 &req={{{waits}}} ?WAIT1;\nSTG.E [R2+0x4], R7 ?WAIT1;\n"
        );
        scheduled(counted(Geometry::D1, [4, 1, 1], 1), 2, &body)
    };
    assert_eq!(of("&wr=1", "0,1").words(), [1, 2]);
    assert_eq!(of("", "0").words(), [1, 2]);
    assert_eq!(of("&wr=1", "0").defined(), [0, u32::MAX]);
}

/// Coordinates that are overwritten before a store has read them may lead it anywhere.
#[test]
fn an_overwritten_coordinate_of_a_store_is_seen() {
    let of = |wait: &str| {
        let body = format!("SUST.D.BA.1D.TRAP [R4], R8, 0x52 &rd=0 ?WAIT1;\nMOV32I R4, 0x8 {wait} ?WAIT6;\n");
        scheduled(counted(Geometry::D1, [4, 1, 1], 1), 1, &body)
    };
    assert_eq!(words(&image_after(&of("&req={0}"))), [0, 0x63, 2, 3]);
    let run = of("").run();
    let Permitted::Indeterminate { origin, .. } = run.outcome.permitted else { panic!("{:?}", run.outcome) };
    assert!(origin.contains("without waiting for barrier 0"), "{origin}");
}
