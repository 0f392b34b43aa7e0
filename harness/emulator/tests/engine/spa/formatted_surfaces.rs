//! Machine code that accesses surfaces through their format, with texels worked out by hand: `SULD.P`, `SURED.P`. No PTX instruction is
//! compiled to these; `docs/sass.md` says whose rules they are.

use warpdiff_model::{FaultClass, Geometry, Surface};

use super::kernel::{Spa, set, storing};
use super::surfaces::{counted, image_after, image_and_mask, shaped, with};
use crate::kernel::words;

const ALL: [&str; 4] = ["R8", "R9", "R10", "R11"];

/// What a load of texel `x` leaves in R8 to R11, which held 0x77.
fn loaded(image: Surface, mask: &str, clamp: &str, x: i32) -> Spa {
    let before = ALL.map(|register| set(register, 0x77)).concat();
    let body =
        set("R4", x as u32) + &before + &format!("SULD.P.1D{mask}{clamp} R8, [R4], 0x52;\n") + &storing(&ALL);
    with(image, &body, 4)
}

fn line(format: &str, bytes: &[u8]) -> Surface {
    let size = format.parse::<warpdiff_model::Format>().expect("a format").texel_size();
    shaped(Geometry::D1, [bytes.len() as u32 / size, 1, 1], 1, format, bytes.to_vec())
}

#[test]
fn a_formatted_load_fills_consecutive_registers_with_the_components_of_its_mask() {
    let image = || line("u8x4", &(1..=12).collect::<Vec<u8>>());
    // x counts texels: texel 1 is 5, 6, 7, 8.
    for (mask, expected) in [
        ("", [5, 6, 7, 8]),
        (".R", [5, 0x77, 0x77, 0x77]),
        (".RG", [5, 6, 0x77, 0x77]),
        (".RGB", [5, 6, 7, 0x77]),
        // Without gaps.
        (".A", [8, 0x77, 0x77, 0x77]),
        (".RA", [5, 8, 0x77, 0x77]),
        (".GBA", [6, 7, 8, 0x77]),
    ] {
        assert_eq!(loaded(image(), mask, ".TRAP", 1).words(), expected, "{mask}");
    }
}

#[test]
fn the_format_says_what_is_loaded_and_what_is_absent_is_opaque_black() {
    let one = 1f32.to_bits();
    let texels: [(&str, &[u8], [u32; 4]); 10] = [
        ("u8", &[200], [200, 0, 0, 1]),
        ("s8x2", &[0xFE, 3], [0xFFFF_FFFE, 3, 0, 1]),
        ("u16x2", &[0x34, 0x12, 0xFF, 0xFF], [0x1234, 0xFFFF, 0, 1]),
        ("s16", &[0, 0x80], [0xFFFF_8000, 0, 0, 1]),
        ("u32x2", &[1, 2, 3, 0x84, 5, 0, 0, 0], [0x8403_0201, 5, 0, 1]),
        ("s32", &[0xFF; 4], [0xFFFF_FFFF, 0, 0, 1]),
        // 0xFF of 255, and 0x33 of 255, which is 0.2.
        ("unorm8x2", &[0xFF, 0x33], [one, 0.2f32.to_bits(), 0, one]),
        // -127 of 127, and -128 is the same.
        ("snorm8x4", &[0x81, 0x80, 0, 0x7F], [(-1f32).to_bits(), (-1f32).to_bits(), 0, one]),
        ("f16x2", &[0x00, 0x3C, 0x00, 0xC0], [one, (-2f32).to_bits(), 0, one]),
        ("f32", &[0, 0, 0xC0, 0x3F], [1.5f32.to_bits(), 0, 0, one]),
    ];
    for (format, bytes, expected) in texels {
        assert_eq!(loaded(line(format, bytes), "", ".TRAP", 0).words(), expected, "{format}");
    }
}

#[test]
fn a_formatted_load_out_of_bounds() {
    let image = || line("u32", &[1, 0, 0, 0, 2, 0, 0, 0]);
    for x in [2, -1, i32::MAX, i32::MIN] {
        // Colours are 0; of alpha the sources say 0 and 1.
        let ignored = loaded(image(), "", ".IGN", x);
        assert_eq!(ignored.words_left()[..3], [0, 0, 0], "{x}");
        assert_eq!(ignored.defined(), [u32::MAX, u32::MAX, u32::MAX, 0], "{x}");
        let nearest = if x < 0 { 1 } else { 2 };
        assert_eq!(loaded(image(), "", "", x).words(), [nearest, 0, 0, 1], "{x}");
        assert_eq!(loaded(image(), "", ".TRAP", x).faults()[0].class, FaultClass::SurfaceTrap, "{x}");
    }
}

#[test]
fn a_formatted_load_has_the_coordinates_of_its_dimension() {
    let body = [set("R4", 1), set("R5", 2), set("R6", 1)].concat()
        + "SULD.P.2D_ARRAY.R.TRAP R8, [R4], 0x52;\nSULD.P.2D_ARRAY.R.TRAP R9, [R4], R240;\n"
        + &storing(&["R8", "R9"]);
    // x = 1, y = 2, layer 1 of 4 times 3 texels.
    let expected = (3 + 2) * 4 + 1;
    assert_eq!(with(counted(Geometry::A2d, [4, 3, 1], 2), &body, 2).words(), [expected, expected]);
}

/// What a program stored is there for its own thread under one choice, and open under the other.
#[test]
fn a_formatted_load_sees_what_its_thread_stored() {
    let body = [set("R4", 1), set("R8", 0x1FF)].concat()
        + "SUST.D.1D.U8.TRAP [R4], R8, 0x52;\nSULD.P.1D.R.TRAP R9, [R4], 0x52;\n"
        + &storing(&["R9"]);
    let spa = with(line("u8", &[1, 2, 3]), &body, 1);
    assert_eq!(spa.words(), [0xFF]);
    let consulted = spa.run().consulted;
    assert!(consulted.contains(warpdiff_model::Choice::SurfaceReadAfterWrite), "{consulted:?}");
}

/// `SURED.P`: the type is the format's, and x counts texels.
#[test]
fn a_formatted_reduction_is_signed_as_the_format_is() {
    let after = |format: &str, operation: &str, data: u32| {
        let body = [set("R4", 1), set("R8", data)].concat()
            + &format!("SURED.P.1D.{operation}.TRAP [R4], R8, 0x52;\n");
        let bytes = [7u32, 100, 9].into_iter().flat_map(u32::to_le_bytes).collect::<Vec<_>>();
        words(&image_after(&with(line(format, &bytes), &body, 1)))
    };
    assert_eq!(after("u32", "ADD", 5), [7, 105, 9]);
    assert_eq!(after("u32", "XOR", 1), [7, 101, 9]);
    assert_eq!(after("u32", "MIN", 0xFFFF_FFF0), [7, 100, 9]);
    assert_eq!(after("s32", "MIN", 0xFFFF_FFF0), [7, 0xFFFF_FFF0, 9]);
    assert_eq!(after("s32", "MAX", 0xFFFF_FFF0), [7, 100, 9]);
    // What it makes of a texel that is no such integer is open, and it touches no other.
    let body = [set("R4", 1), set("R8", 1)].concat() + "SURED.P.1D.ADD.TRAP [R4], R8, 0x52;\n";
    let (_, defined) = image_and_mask(&with(line("u8x2", &[1, 2, 3, 4, 5, 6]), &body, 1));
    assert_eq!(defined, [0xFF, 0xFF, 0, 0, 0xFF, 0xFF]);
    // The second of two texels of 16 bytes.
    let body = [set("R4", 1), set("R8", 1)].concat() + "SURED.P.1D.ADD.TRAP [R4], R8, 0x52;\n";
    let (_, defined) = image_and_mask(&with(line("u32x4", &[7; 32]), &body, 1));
    assert_eq!(defined, [[0xFF; 16], [0; 16]].concat());
}
