//! Machine code that gathers texels, adds offsets to coordinates, or asks for a level: `TLD4`, `TLD4S`, `TXD`, `TMML`, and the further forms
//! of `TEX`, `TLD` and their scalar ones, with texels worked out by hand.

use warpdiff_model::{AddressMode, FilterMode, Geometry, Sampler, Surface};

use super::kernel::{Spa, set, storing};
use super::textures::{ALL, counted, float, image, texel, with};

/// Four texels in a row, three rows: texel (x, y) is number 4 y + x.
fn plane() -> Surface {
    counted(Geometry::D2, [4, 3, 1], 1)
}

fn layers() -> Surface {
    counted(Geometry::A2d, [4, 3, 1], 2)
}

fn clamped() -> Sampler {
    Sampler { address: [AddressMode::Clamp; 3], ..Sampler::default() }
}

fn asked(image: Surface, sampler: Sampler, body: &str) -> Spa {
    with(image, sampler, &(body.to_owned() + &storing(&ALL)), 4)
}

/// Coordinates x and y in these registers, and a word in a third one.
fn place(x: (&str, f32), y: (&str, f32), word: (&str, u32)) -> String {
    float(x.0, x.1) + &float(y.0, y.1) + &set(word.0, word.1)
}

/// Component 2 (green) of these texels.
fn green(texels: [u32; 4]) -> [u32; 4] {
    texels.map(|n| 10 * n + 2)
}

/// "Counter-clockwise order starting at lower left": of the neighbours of (2, 2), which are the texels 1 and 2 of the rows 1 and 2, first those of
/// row 2, and then those of row 1 from right to left.
#[test]
fn a_gather_goes_around_the_footprint() {
    let at = place(("R4", 2.0), ("R5", 2.0), ("R6", 0));
    let around = [9, 10, 6, 5];
    for instruction in ["TLD4.G R8, R4, 0x52, 2D, 0xf;\n", "TLD4.G.B R8, R4, R240, 0x0, 2D, 0xf;\n"] {
        assert_eq!(asked(plane(), clamped(), &(at.clone() + instruction)).words(), green(around));
        // The filter is of no consequence.
        let linear = Sampler { filter: FilterMode::Linear, ..clamped() };
        assert_eq!(asked(plane(), linear, &(at.clone() + instruction)).words(), green(around));
    }
    for (letter, component) in [("R", 1), ("G", 2), ("B", 3), ("A", 4)] {
        let body = at.clone() + &format!("TLD4.{letter} R8, R4, 0x52, 2D, 0xf;\n");
        let expected = around.map(|n| 10 * n + component);
        assert_eq!(asked(plane(), clamped(), &body).words(), expected, "{letter}");
        let body =
            place(("R4", 2.0), ("R6", 2.0), ("R5", 0)) + &format!("TLD4S.{letter} R10, R8, R4, R6, 0x52;\n");
        assert_eq!(asked(plane(), clamped(), &body).words(), expected, "TLD4S {letter}");
    }
    // The mask counts texels.
    let before = ALL.map(|register| set(register, 7)).concat();
    let body = at + &before + "TLD4.G R8, R4, 0x52, 2D, 0x5;\n";
    assert_eq!(asked(plane(), clamped(), &body).words(), [92, 62, 7, 7]);
    // The index into an array comes first.
    let body = place(("R5", 2.0), ("R6", 2.0), ("R4", 1)) + "TLD4.G R8, R4, 0x52, ARRAY_2D, 0xf;\n";
    assert_eq!(asked(layers(), clamped(), &body).words(), green(around.map(|n| n + 12)));
}

/// A texel of a footprint that reaches beyond the image is what the address mode has there.
#[test]
fn a_gather_at_the_edge() {
    let at = |x: f32, y: f32, sampler: Sampler| {
        let body = place(("R4", x), ("R5", y), ("R6", 0)) + "TLD4.G R8, R4, 0x52, 2D, 0xf;\n";
        asked(plane(), sampler, &body)
    };
    // The neighbours of (0.25, 1): texels -1 and 0 of the rows 0 and 1.
    assert_eq!(at(0.25, 1.0, clamped()).words(), green([4, 4, 0, 0]));
    assert_eq!(at(9.0, 9.0, clamped()).words(), green([11, 11, 11, 11]));
    // In the middle of a texel it is the first neighbour.
    assert_eq!(at(1.5, 1.5, clamped()).words(), green([9, 10, 6, 5]));
    let wrapped = Sampler { address: [AddressMode::Wrap; 3], normalized_coordinates: true, ..clamped() };
    // x = 1/16 of four texels is 0.25, and y = 1/3 is in row 1.
    assert_eq!(at(0.0625, 1.0 / 3.0 + 0.01, wrapped).words(), green([7, 4, 0, 3]));
    let bytes = [1f32, 2.0, 3.0, 4.0].iter().flat_map(|value| value.to_bits().to_le_bytes()).collect();
    let border = Sampler { address: [AddressMode::Border; 3], border: [9f32.to_bits(); 4], ..clamped() };
    let body = place(("R4", 0.25), ("R5", 1.0), ("R6", 0)) + "TLD4.R R8, R4, 0x52, 2D, 0xf;\n";
    let found = asked(image(Geometry::D2, [2, 2, 1], 1, "f32", bytes), border, &body).words();
    assert_eq!(found.iter().map(|bits| f32::from_bits(*bits)).collect::<Vec<_>>(), [9.0, 3.0, 1.0, 9.0]);
    // A place that is no number is nowhere.
    assert_eq!(at(f32::NAN, 1.0, clamped()).defined(), [0; 4]);
}

/// Of a gather, "signed 6-bit at 0, 8, 16", the bits above ignored; ptxas packs (3, -2) as 0x3e03.
#[test]
fn the_offset_of_a_gather_is_in_fields_of_six_bits() {
    let of = |word: u32| {
        let body =
            place(("R4", 2.0), ("R5", 2.0), ("R6", word)) + "TLD4.G.AOFFI R8, R4, R6, 0x52, 2D, 0xf;\n";
        asked(plane(), clamped(), &body).words()
    };
    // Texels 0 and 1 of the same rows.
    assert_eq!(of(0x3F), green([8, 9, 5, 4]));
    assert_eq!(of(0xFFFF_C0FF), green([8, 9, 5, 4]));
    // (1, 2) and (3, 2) less two rows: clamped to texel 3, and to row 0.
    assert_eq!(of(0x3E03), green([3, 3, 3, 3]));
    assert_eq!(of(0x3F01), green([6, 7, 3, 2]));
    let body = place(("R4", 2.0), ("R5", 2.0), ("R6", 0x3F01)) + "TLD4S.G.AOFFI R10, R8, R4, R6, 0x52;\n";
    assert_eq!(asked(plane(), clamped(), &body).words(), green([6, 7, 3, 2]));
}

/// `.PTP`: each texel has an offset of its own, in two bytes of two words, from the first neighbours, here (1, 1).
#[test]
fn a_gather_with_an_offset_for_each_texel() {
    let offsets: [[i8; 2]; 4] = [[1, 0], [0, -1], [-1, -1], [2, 1]];
    let bytes: Vec<u8> = offsets.iter().flatten().map(|offset| (*offset as u8) & 0x3F).collect();
    let word = |n: usize| u32::from_le_bytes([bytes[n], bytes[n + 1], bytes[n + 2], bytes[n + 3]]);
    let body = place(("R4", 2.0), ("R5", 2.0), ("R6", word(0)))
        + &set("R7", word(4))
        + "TLD4.G.PTP R8, R4, R6, 0x52, 2D, 0xf;\n";
    // (2, 1), (1, 0), (0, 0), (3, 2).
    assert_eq!(asked(plane(), clamped(), &body).words(), green([6, 1, 0, 11]));
}

/// "Signed 4-bit fields: x 0..3, y 4..7, z 8..11"; ptxas packs (3, -2) as 0xe3.
#[test]
fn offsets_of_lookups_are_in_fields_of_four_bits() {
    let at = place(("R4", 0.5), ("R5", 2.5), ("R6", 0xE3));
    // (0, 2) and (3, -2) is (3, 0).
    let body = at + "TEX.AOFFI R8, R4, R6, 0x52, 2D, 0xf;\n";
    assert_eq!(asked(plane(), clamped(), &body).words(), texel(3));
    let integers = [set("R4", 0), set("R5", 2), set("R6", 0xE3)].concat();
    for instruction in
        ["TLD.LZ.AOFFI R8, R4, R6, 0x52, 2D, 0xf;\n", "TLDS.LZ.AOFFI R10, R8, R4, R6, 0x52, 2D, RGBA;\n"]
    {
        assert_eq!(asked(plane(), clamped(), &(integers.clone() + instruction)).words(), texel(3));
    }
    let body = float("R4", 1.5)
        + &float("R5", 0.5)
        + &float("R6", 0.5)
        + &set("R12", 0x12F)
        + "TEX.AOFFI R8, R4, R12, 0x52, 3D, 0xf;\n";
    // (1, 0, 0) and (-1, 2, 1) is (0, 2, 1).
    assert_eq!(asked(counted(Geometry::D3, [4, 3, 2], 1), clamped(), &body).words(), texel(5 * 4));
}

/// The offset is added before the address mode and the filter apply.
#[test]
fn offsets_are_wrapped_mirrored_and_filtered() {
    let line = || {
        let bytes = [0f32, 10.0, 20.0, 40.0].iter().flat_map(|value| value.to_bits().to_le_bytes()).collect();
        image(Geometry::D1, [4, 1, 1], 1, "f32", bytes)
    };
    let at = |x: f32, offset: i32, sampler: Sampler| {
        let body =
            float("R4", x) + &set("R6", offset as u32 & 0xF) + "TEX.AOFFI R8, R4, R6, 0x52, 1D, 0x1;\n";
        f32::from_bits(with(line(), sampler, &(body + &storing(&["R8"])), 1).words()[0])
    };
    let normalized =
        |mode| Sampler { address: [mode; 3], normalized_coordinates: true, ..Sampler::default() };
    assert_eq!(at(0.125, -1, normalized(AddressMode::Wrap)), 40.0);
    assert_eq!(at(0.125, -1, normalized(AddressMode::Clamp)), 0.0);
    assert_eq!(at(0.125, -2, normalized(AddressMode::Mirror)), 10.0);
    // 1.125 is texel 4, one more is 5, and the mirror image of that is 2.
    assert_eq!(at(1.125, 1, normalized(AddressMode::Mirror)), 20.0);
    let linear = Sampler { filter: FilterMode::Linear, ..clamped() };
    // Halfway between the texels 1 and 2.
    assert_eq!(at(1.0, 1, linear), 15.0);
    assert_eq!(at(1.0, 7, linear), 40.0);
}

/// A texture has one level here, and every level is limited to that; only what is no number chooses none.
#[test]
fn every_level_is_the_one_that_there_is() {
    let at = place(("R4", 1.5), ("R5", 2.5), ("R6", 0));
    let infinite = f32::INFINITY;
    for level in [0.0, -3.0, 0.5, 7.0, infinite, -infinite] {
        for instruction in [
            "TEX.LL R8, R4, R6, 0x52, 2D, 0xf;\n",
            "TEX.LB R8, R4, R6, 0x52, 2D, 0xf;\n",
            "TEX.LLA R8, R4, R6, 0x52, 2D, 0xf;\n",
            "TEXS.LL R10, R8, R4, R6, 0x52, 2D, RGBA;\n",
        ] {
            let body = at.clone() + &float("R6", level) + instruction;
            assert_eq!(asked(plane(), clamped(), &body).words(), texel(9), "{level} {instruction}");
        }
    }
    let body = at + &float("R6", f32::NAN) + "TEX.LL R8, R4, R6, 0x52, 2D, 0xf;\n";
    assert_eq!(asked(plane(), clamped(), &body).defined(), [0; 4]);
    // The handle, the level and the offset stand in this order: (1, 2) and (-1, -1) is (0, 1).
    let body = place(("R4", 1.5), ("R5", 2.5), ("R14", 0xFF))
        + &float("R13", 1.0)
        + "MOV R12, R240;\nTEX.B.LL.AOFFI R8, R4, R12, 0x0, 2D, 0xf;\n";
    assert_eq!(asked(plane(), clamped(), &body).words(), texel(4));
}

/// The number of a level that there is not names no texel; ptxas sets `.CL` for `tex.level` with integers.
#[test]
fn a_fetch_names_the_level_by_its_number() {
    let of = |level: u32, instruction: &str| {
        let body = [set("R4", 1), set("R5", 2), set("R6", level), set("R7", 0x0F)].concat() + instruction;
        asked(plane(), clamped(), &body)
    };
    for (instruction, expected) in [
        ("TLD.LL R8, R4, R6, 0x52, 2D, 0xf;\n", 9),
        ("TLD.LL.CL R8, R4, R6, 0x52, 2D, 0xf;\n", 9),
        ("TLDS.LL R10, R8, R4, R6, 0x52, 2D, RGBA;\n", 9),
        // The offset behind the level: x less one.
        ("TLD.LL.AOFFI R8, R4, R6, 0x52, 2D, 0xf;\n", 8),
        ("TLDS.LL.AOFFI R10, R8, R4, R6, 0x52, 2D, RGBA;\n", 8),
    ] {
        assert_eq!(of(0, instruction).words(), texel(expected), "{instruction}");
        assert_eq!(of(1, instruction).defined(), [0; 4], "{instruction}");
    }
}

/// Derivatives choose a level, of which there is one. Of `TXD` the handle stands first, and behind the coordinates a word with the index into an
/// array and, from bit 16 on, the offset.
#[test]
fn derivatives_choose_the_level() {
    let derivatives =
        |value: f32| ["R12", "R13", "R14", "R15"].map(|register| float(register, value)).concat();
    let flat = place(("R4", 1.5), ("R5", 2.5), ("R6", 0xFF_0001));
    for (instruction, image, expected) in [
        ("TXD R8, R4, R12, 0x52, 2D, 0xf;\n", plane(), 9),
        ("TXD.AOFFI R8, R4, R12, 0x52, 2D, 0xf;\n", plane(), 4),
        ("TXD R8, R4, R12, 0x52, ARRAY_2D, 0xf;\n", layers(), 12 + 9),
        ("TXD.AOFFI R8, R4, R12, 0x52, ARRAY_2D, 0xf;\n", layers(), 12 + 4),
    ] {
        for value in [0.0, 3.5, -100.0] {
            let body = flat.clone() + &derivatives(value) + instruction;
            assert_eq!(asked(image.clone(), clamped(), &body).words(), texel(expected), "{instruction}");
        }
        let body = flat.clone() + &derivatives(f32::NAN) + instruction;
        assert_eq!(asked(image, clamped(), &body).defined(), [0; 4], "{instruction}");
    }
    let body = place(("R5", 1.5), ("R6", 2.5), ("R7", 1))
        + &derivatives(1.0)
        + "MOV R4, R240;\nTXD.B R8, R4, R12, 0x0, ARRAY_2D, 0xf;\n";
    assert_eq!(asked(layers(), clamped(), &body).words(), texel(12 + 9));
}

/// Component 1 is the level limited to those of the texture, which has one; component 0, before that, depends on the neighbours by no
/// published rule.
#[test]
fn the_level_of_a_lookup() {
    let at = place(("R4", 1.5), ("R5", 2.5), ("R9", 7)) + &set("R8", 7) + &set("R10", 7) + &set("R11", 7);
    for instruction in ["TMML.LOD R8, R4, 0x52, 2D, 0x3;\n", "TMML.B.LOD R8, R4, R240, 0x0, 2D, 0x3;\n"] {
        let spa = asked(plane(), clamped(), &(at.clone() + instruction));
        assert_eq!((spa.words_left()[1], spa.defined()), (0, vec![0, u32::MAX, u32::MAX, u32::MAX]));
    }
    let body = at + "TMML.LOD R8, R4, 0x52, 2D, 0x2;\n";
    assert_eq!(asked(plane(), clamped(), &body).words(), [0, 7, 7, 7]);
}

/// `.F16`: "pairs packed as f16, first in the low half, an odd one with 0 above".
#[test]
fn results_may_be_pairs_of_halves() {
    let bytes =
        [1f32, -2.0, 0.5, 0.1].iter().flat_map(|value| value.to_bits().to_le_bytes()).collect::<Vec<_>>();
    let of = |second: &str, components: &str| {
        let body = place(("R4", 0.5), ("R6", 0.5), ("R5", 0))
            + &ALL.map(|register| set(register, 7)).concat()
            + &format!("TEXS.F16 {second}, R8, R4, R6, 0x52, 2D, {components};\n");
        asked(image(Geometry::D2, [1, 1, 1], 1, "f32x4", bytes.clone()), clamped(), &body)
    };
    assert_eq!(of("RZ", "R").words(), [0x3C00, 7, 7, 7]);
    assert_eq!(of("RZ", "RG").words(), [0xC000_3C00, 7, 7, 7]);
    assert_eq!(of("R10", "RGB").words(), [0xC000_3C00, 7, 0x3800, 7]);
    // 0.1 is no binary16, and how it is rounded is in no source.
    assert_eq!(of("R10", "RGBA").defined(), [u32::MAX, u32::MAX, 0xFFFF, u32::MAX]);
}

#[test]
fn lookups_of_what_textures_do_not_have_here_are_unsupported() {
    for (instruction, why) in [
        ("TEX.DC R8, R4, R6, 0x52, 1D, 0x1;", "depths"),
        ("TLD4.R.DC R8, R4, R6, 0x52, 2D, 0xf;", "depths"),
        ("TLD4S.R.DC R10, R8, R4, R6, 0x52;", "depths"),
        ("TEX R8, R4, 0x52, CUBE, 0x1;", "cube"),
        ("TLD4.R R8, R4, 0x52, ARRAY_CUBE, 0xf;", "cube"),
        ("TMML.LOD R8, R4, 0x52, CUBE, 0x3;", "cube"),
        ("TLD.LZ.MS R8, R4, R6, 0x52, 2D, 0x1;", "several samples"),
        ("TLD4.R R8, R4, 0x52, 1D, 0xf;", "two dimensions"),
    ] {
        let message = with(plane(), clamped(), instruction, 1).unsupported();
        assert!(message.contains(why), "{instruction}: {message}");
    }
}

/// What ptxas makes of `tex.grad.3d`: for each thread of a quad all four look up, the first at its coordinates and the others at these plus
/// a derivative; the first one's result goes to it. Here texel (tid, 0, 0) of a line of four, in threads 0 to 3.
#[test]
fn a_quad_looks_up_for_each_of_its_threads() {
    let line = || counted(Geometry::D3, [4, 1, 1], 1);
    let mut body = "I2F.F32.U32 R4, R249;\nFADD R4, R4, 0.5;\n".to_owned()
        + &float("R5", 0.5)
        + &float("R6", 0.5)
        + &float("R7", 100.0)
        + &set("R8", 0);
    for thread in 0..4 {
        body += &format!(
            "SAM;\nSHFL.IDX PT, R12, R4, {thread:#x}, 0x1c03;\nSHFL.IDX PT, R11, R7, {thread:#x}, 0x1c03;\n\
             FSWZADD.NDV R12, R11, R12, ZPPPZPPP;\nMOV R13, R5;\nMOV R14, R6;\n\
             TEX.NDV R16, R12, 0x52, 3D, 0x1;\nSHFL.IDX PT, R16, R16, RZ, 0x1c03;\nRAM;\nMOV R8, R16, {:#x};\n",
            1 << thread
        );
    }
    let of = |threads: u32| {
        let mut spa = Spa::threads(&(body.clone() + &storing(&["R8"])), threads, 1);
        let (image, sampler) = (line(), clamped());
        spa.launch.textures.push(warpdiff_model::Texture { image, sampler });
        spa.launch.arguments.push(warpdiff_model::Argument::Texture { index: 0 });
        spa
    };
    assert_eq!(of(8).words(), [1, 11, 21, 31, 31, 31, 31, 31]);
    // The registers of a thread that there is not are undefined, and so is where it would look up.
    let run = of(2).run();
    assert!(
        matches!(run.outcome.permitted, warpdiff_model::Permitted::Indeterminate { .. }),
        "{:?}",
        run.outcome
    );
}

#[test]
fn a_thread_that_has_ended_lends_its_quad_nothing() {
    let of = |guard: &str| {
        let body =
            format!("ISETP.NE.U32.AND P0, PT, R249, 0x2, PT;\n{guard} EXIT;\nMOV32I R8, 0x7;\nSAM;\nRAM;\n");
        Spa::threads(&(body + &storing(&["R8"])), 4, 1)
    };
    assert_eq!(of("@!PT").words(), [7; 4]);
    let run = of("@!P0").run();
    let warpdiff_model::Permitted::Indeterminate { place, origin } = run.outcome.permitted else {
        panic!("{:?}", run.outcome)
    };
    assert!(place.starts_with("a quad of `SAM") && origin.contains("does not run"), "{place}, {origin}");
}
