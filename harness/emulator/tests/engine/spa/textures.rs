//! Machine code that looks textures up, with texels worked out by hand: `TEX`, `TEXS`, `TLD`, `TLDS`.

use warpdiff_model::{AddressMode, Argument, FilterMode, Geometry, Sampler, Surface, Texture};

use super::kernel::{Spa, set, storing};

pub(super) fn image(
    geometry: Geometry,
    extent: [u32; 3],
    layers: u32,
    format: &str,
    bytes: Vec<u8>,
) -> Surface {
    let format = format.parse().expect("a format");
    Surface { name: "picture".into(), geometry, extent, layers, format, bytes, bound_to: None }
}

/// Texel n has the components 10 n + 1, 10 n + 2, 10 n + 3, 10 n + 4.
pub(super) fn counted(geometry: Geometry, extent: [u32; 3], layers: u32) -> Surface {
    let texels = extent.iter().product::<u32>() * layers;
    let components = (0..texels).flat_map(|texel| (1..5).map(move |component| 10 * texel + component));
    let bytes = components.flat_map(u32::to_le_bytes).collect();
    image(geometry, extent, layers, "u32x4", bytes)
}

/// A body with a texture whose handle is in `c[0x0][0x148]`, which is word 0x52, and in `R240`.
pub(super) fn with(image: Surface, sampler: Sampler, body: &str, words: usize) -> Spa {
    let mut spa = Spa::new(&format!("MOV R240, c[0x0][0x148];\n{body}"), words);
    spa.launch.textures.push(Texture { image, sampler });
    spa.launch.arguments.push(Argument::Texture { index: 0 });
    spa
}

pub(super) fn float(register: &str, value: f32) -> String {
    set(register, value.to_bits())
}

/// x, y, z of texel (1, 2, 1), in texels: a lookup takes the texel that the coordinates lie in.
fn coordinates(registers: [&str; 3]) -> String {
    [1.5, 2.5, 1.5].iter().zip(registers).map(|(value, register)| float(register, *value)).collect()
}

pub(super) const ALL: [&str; 4] = ["R8", "R9", "R10", "R11"];

/// The four components of texel n.
pub(super) fn texel(n: u32) -> [u32; 4] {
    [1, 2, 3, 4].map(|component| 10 * n + component)
}

#[test]
fn each_dimension_has_its_coordinates_behind_the_index_into_an_array() {
    // Of an array the first register is the index: 1.
    let array = |body: &str| set("R4", 1) + body;
    let cases = [
        ("1D", Geometry::D1, [4, 1, 1], 1, coordinates(["R4", "R5", "R6"]), 1),
        ("2D", Geometry::D2, [4, 3, 1], 1, coordinates(["R4", "R5", "R6"]), 2 * 4 + 1),
        ("3D", Geometry::D3, [4, 3, 2], 1, coordinates(["R4", "R5", "R6"]), (3 + 2) * 4 + 1),
        ("ARRAY_1D", Geometry::A1d, [4, 1, 1], 2, array(&coordinates(["R5", "R6", "R7"])), 4 + 1),
        ("ARRAY_2D", Geometry::A2d, [4, 3, 1], 2, array(&coordinates(["R5", "R6", "R7"])), (3 + 2) * 4 + 1),
    ];
    for (dimension, geometry, extent, layers, place, expected) in cases {
        for (opcode, more, number) in
            [("TEX", "", "0x52"), ("TEX.B", "R240, ", "0x0"), ("TEX.LZ", "", "0x52")]
        {
            let body = place.clone()
                + &format!("{opcode} R8, R4, {more}{number}, {dimension}, 0xf;\n")
                + &storing(&ALL);
            let spa = with(counted(geometry, extent, layers), Sampler::default(), &body, 4);
            assert_eq!(spa.words(), texel(expected), "{opcode} {dimension}");
        }
    }
}

#[test]
fn integers_name_texels() {
    let place = [set("R4", 2), set("R5", 1)].concat();
    for (opcode, more, number) in [("TLD.LZ", "", "0x52"), ("TLD.B.LZ", "R240, ", "0x0")] {
        let body = place.clone() + &format!("{opcode} R8, R4, {more}{number}, 2D, 0xf;\n") + &storing(&ALL);
        let spa = with(counted(Geometry::D2, [4, 3, 1], 1), Sampler::default(), &body, 4);
        assert_eq!(spa.words(), texel(4 + 2), "{opcode}");
    }
    // Only the lower half of an index into an array counts.
    let body = [set("R4", 0x0005_0001), set("R5", 2)].concat()
        + "TLD.LZ R8, R4, 0x52, ARRAY_1D, 0x1;\n"
        + &storing(&["R8"]);
    let spa = with(counted(Geometry::A1d, [4, 1, 1], 2), Sampler::default(), &body, 1);
    assert_eq!(spa.words(), [10 * (4 + 2) + 1]);
}

/// "chosen components go to consecutive registers from Rd with no gaps", and where Rd is RZ nothing is written.
#[test]
fn the_components_of_the_mask_fill_registers_without_gaps() {
    let before = [set("R8", 7), set("R9", 8), set("R10", 9), set("R11", 6)].concat();
    for (mask, expected) in [(1, [11, 8, 9, 6]), (5, [11, 13, 9, 6]), (8, [14, 8, 9, 6]), (6, [12, 13, 9, 6])]
    {
        let body =
            float("R4", 1.5) + &before + &format!("TEX R8, R4, 0x52, 1D, {mask:#x};\n") + &storing(&ALL);
        let spa = with(counted(Geometry::D1, [4, 1, 1], 1), Sampler::default(), &body, 4);
        assert_eq!(spa.words(), expected, "{mask:#x}");
    }
    let body = float("R4", 1.5) + &before + "TEX RZ, R4, 0x52, 1D, 0xf;\n" + &storing(&ALL);
    let spa = with(counted(Geometry::D1, [4, 1, 1], 1), Sampler::default(), &body, 4);
    assert_eq!(spa.words(), [7, 8, 9, 6]);
}

/// The sources of scalar forms are a pair from Ra on and a pair from Rb on, and each form has its own places.
#[test]
fn scalar_forms_have_their_sources_in_two_pairs() {
    let float_at = |places: &[(&str, f32)]| -> String {
        places.iter().map(|(register, value)| float(register, *value)).collect()
    };
    let at = |places: &[(&str, u32)]| -> String {
        places.iter().map(|(register, value)| set(register, *value)).collect()
    };
    let plane = || counted(Geometry::D2, [4, 3, 1], 1);
    let solid = || counted(Geometry::D3, [4, 3, 2], 1);
    let layers = || counted(Geometry::A2d, [4, 3, 1], 2);
    let line = || counted(Geometry::D1, [4, 1, 1], 1);
    // A is R4, R5; B is R6, R7. x is 1, y is 2, z and the layer are 1.
    let (x, y, z) = (1.5, 2.5, 1.5);
    let cases = [
        ("TEXS.LZ", "R4, 0x52, 1D", float_at(&[("R4", x)]), line(), 1),
        ("TEXS", "R4, R6, 0x52, 2D", float_at(&[("R4", x), ("R6", y)]), plane(), 9),
        ("TEXS.LZ", "R4, R6, 0x52, 2D", float_at(&[("R4", x), ("R6", y)]), plane(), 9),
        ("TEXS", "R4, R6, 0x52, 3D", float_at(&[("R4", x), ("R5", y), ("R6", z)]), solid(), 21),
        ("TEXS.LZ", "R4, R6, 0x52, 3D", float_at(&[("R4", x), ("R5", y), ("R6", z)]), solid(), 21),
        (
            "TEXS",
            "R4, R6, 0x52, ARRAY_2D",
            at(&[("R4", 1)]) + &float_at(&[("R5", x), ("R6", y)]),
            layers(),
            21,
        ),
        (
            "TEXS.LZ",
            "R4, R6, 0x52, ARRAY_2D",
            at(&[("R4", 1)]) + &float_at(&[("R5", x), ("R6", y)]),
            layers(),
            21,
        ),
        ("TLDS.LZ", "R4, 0x52, 1D", at(&[("R4", 1)]), line(), 1),
        ("TLDS.LZ", "R4, R6, 0x52, 2D", at(&[("R4", 1), ("R6", 2)]), plane(), 9),
        ("TLDS.LZ", "R4, R6, 0x52, 3D", at(&[("R4", 1), ("R5", 2), ("R6", 1)]), solid(), 21),
        // Of an array that is fetched from the coordinates are a pair.
        ("TLDS.LZ", "R4, R6, 0x52, ARRAY_2D", at(&[("R4", 1), ("R6", 1), ("R7", 2)]), layers(), 21),
    ];
    for (opcode, operands, place, image, expected) in cases {
        // The second pair of results is written first.
        let body = place + &format!("{opcode} R10, R8, {operands}, RGBA;\n") + &storing(&ALL);
        let spa = with(image, Sampler::default(), &body, 4);
        assert_eq!(spa.words(), texel(expected), "{opcode} {operands}");
    }
}

#[test]
fn scalar_forms_pack_the_components_they_name_into_two_pairs() {
    let before = [set("R8", 7), set("R9", 8), set("R10", 9), set("R11", 6)].concat();
    for (second, components, expected) in [
        ("RZ", "R", [11, 8, 9, 6]),
        ("RZ", "A", [14, 8, 9, 6]),
        ("RZ", "GA", [12, 14, 9, 6]),
        ("RZ", "BA", [13, 14, 9, 6]),
        ("R10", "RGB", [11, 12, 13, 6]),
        ("R10", "RBA", [11, 13, 14, 6]),
        ("R10", "GBA", [12, 13, 14, 6]),
        ("R10", "RGBA", [11, 12, 13, 14]),
    ] {
        let body = set("R4", 1)
            + &before
            + &format!("TLDS.LZ {second}, R8, R4, 0x52, 1D, {components};\n")
            + &storing(&ALL);
        let spa = with(counted(Geometry::D1, [4, 1, 1], 1), Sampler::default(), &body, 4);
        assert_eq!(spa.words(), expected, "{components}");
    }
}

/// What the sampler says is as under PTX: here halfway between two texels, and outside.
#[test]
fn the_sampler_filters_and_addresses() {
    let bytes = [2f32, 6.0].iter().flat_map(|value| value.to_bits().to_le_bytes()).collect::<Vec<u8>>();
    let line = || image(Geometry::D1, [2, 1, 1], 1, "f32", bytes.clone());
    let at = |x: f32, sampler: Sampler| {
        let body = float("R4", x) + "TEX R8, R4, 0x52, 1D, 0x1;\n" + &storing(&["R8"]);
        f32::from_bits(with(line(), sampler, &body, 1).words()[0])
    };
    let nearest = Sampler::default();
    assert_eq!((at(0.5, nearest), at(1.9, nearest)), (2.0, 6.0));
    let linear = Sampler { filter: FilterMode::Linear, ..nearest };
    // Between the centres 0.5 and 1.5.
    assert_eq!(at(1.0, linear), 4.0);
    let clamped = Sampler { address: [AddressMode::Clamp; 3], ..nearest };
    assert_eq!((at(-7.0, clamped), at(9.0, clamped)), (2.0, 6.0));
    let normalized = Sampler { normalized_coordinates: true, ..nearest };
    assert_eq!((at(0.25, normalized), at(0.75, normalized)), (2.0, 6.0));
}

#[test]
fn a_texture_has_its_dimensions() {
    let body = "MOV R4, RZ;\nTXQ R8, R4, TEX_HEADER_DIMENSION, 0x52, 0x7;\n".to_owned()
        + &storing(&["R8", "R9", "R10", "R249"]);
    let spa = with(counted(Geometry::D3, [4, 3, 2], 1), Sampler::default(), &body, 4);
    assert_eq!(spa.words(), [4, 3, 2, 0]);
}

/// ptxas 12.9 compiles `tex.1d` of a float to a lookup in two dimensions at y = 0. A texture of one dimension has that row alone, so that
/// no filter mixes it with what lies outside.
#[test]
fn a_texture_of_one_dimension_is_looked_up_in_two() {
    let bytes = [2f32, 6.0].iter().flat_map(|value| value.to_bits().to_le_bytes()).collect::<Vec<u8>>();
    let border =
        Sampler { address: [AddressMode::Border; 3], filter: FilterMode::Linear, ..Sampler::default() };
    let at = |y: f32| {
        let body =
            float("R4", 1.0) + &float("R6", y) + "TEXS RZ, R8, R4, R6, 0x52, 2D, R;\n" + &storing(&["R8"]);
        with(image(Geometry::D1, [2, 1, 1], 1, "f32", bytes.clone()), border, &body, 1)
    };
    assert_eq!(at(0.0).words(), [4f32.to_bits()]);
    // What another row would be, nothing says.
    assert_eq!(at(1.0).defined(), [0]);
}
