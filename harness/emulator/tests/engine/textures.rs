//! `txq`, end to end.

use crate::kernel::Kernel;
use warpdiff_model::{AddressMode, Geometry, Sampler, Surface, Texture};

fn image(name: &str, geometry: Geometry, extent: [u32; 3], layers: u32, format: &str) -> Surface {
    let format: warpdiff_model::Format = format.parse().expect("a format");
    let texels = extent.iter().product::<u32>() * layers;
    Surface {
        name: name.into(),
        geometry,
        extent,
        layers,
        format,
        bytes: vec![0; (texels * format.texel_size()) as usize],
        bound_to: None,
    }
}

/// 7 x 5 x 3 texels, read under normalised coordinates.
fn volume(bound_to: Option<&str>) -> Texture {
    let image = image("volume", Geometry::D3, [7, 5, 3], 1, "u8x4");
    let sampler = Sampler { normalized_coordinates: true, ..Sampler::default() };
    Texture { image: Surface { bound_to: bound_to.map(str::to_owned), ..image }, sampler }
}

const OBJECTS: [&str; 3] = ["picture", "%texture", "%d1"];

#[test]
fn dimensions_are_those_of_the_image_by_name_by_pointer_and_by_handle() {
    for object in OBJECTS {
        let body = format!(
            "mov.u64 %d1, picture; txq.width.b32 %r1, [{object}]; txq.height.b32 %r2, [{object}]; txq.depth.b32 %r3, [{object}]; \
             txq.normalized_coords.b32 %r4, [{object}]; txq.array_size.b32 %r5, [{object}]; \
             st.global.u32 [%out], %r1; st.global.u32 [%out+4], %r2; st.global.u32 [%out+8], %r3; \
             st.global.u32 [%out+12], %r4; st.global.u32 [%out+16], %r5;"
        );
        let kernel = Kernel::new(&body, 1, 5).outside(".global .texref picture;\n");
        // "For a texture array, number of textures in array, 0 otherwise."
        assert_eq!(kernel.texture(volume(Some("picture"))).words(), [7, 5, 3, 1, 0], "{object}");
    }
}

#[test]
fn coordinates_in_texels_are_not_normalised() {
    let body = "txq.normalized_coords.b32 %r1, [%texture]; st.global.u32 [%out], %r1;";
    let image = image("row", Geometry::A1d, [9, 1, 1], 4, "f32");
    let texture = Texture { image, sampler: Sampler::default() };
    assert_eq!(Kernel::new(body, 1, 1).texture(texture.clone()).words(), [0]);
    let body = "txq.array_size.b32 %r1, [%texture]; st.global.u32 [%out], %r1;";
    assert_eq!(Kernel::new(body, 1, 1).texture(texture).words(), [4]);
}

#[test]
fn which_number_stands_for_a_sampler_mode_is_undefined() {
    for member in ["filter_mode", "addr_mode_0", "addr_mode_1", "addr_mode_2"] {
        let body = format!("txq.{member}.b32 %r1, [%texture]; st.global.u32 [%out], %r1;");
        let mut texture = volume(None);
        texture.sampler.address = [AddressMode::Border; 3];
        assert_eq!(Kernel::new(&body, 1, 1).texture(texture).defined(), [0], "{member}");
    }
}

#[test]
fn a_texture_is_no_surface_and_a_surface_has_no_sampler() {
    let surface = image("surface", Geometry::D1, [4, 1, 1], 1, "u32");
    let indeterminate = |body: &str| {
        let kernel = Kernel::new(body, 1, 1).surface(surface.clone()).texture(volume(None));
        kernel.indeterminate()
    };
    for body in [
        "suld.b.1d.b32.zero %r1, [%texture, {%r1}];",
        "suq.array_size.b32 %r1, [%texture];",
        "txq.normalized_coords.b32 %r1, [%surface];",
    ] {
        let body = format!("mov.u32 %r1, 0; {body} st.global.u32 [%out], %r1;");
        let (place, why) = indeterminate(&body);
        assert!(place.starts_with("the surface operand of"), "{body}: {place}");
        assert!(why.starts_with("names no surface (0x"), "{body}: {why}");
    }
    let (place, _) = indeterminate("add.u64 %texture, %texture, 1; txq.width.b32 %r1, [%texture];");
    assert!(place.starts_with("the surface handle of `txq.width"), "{place}");
}

#[test]
fn a_texture_is_not_part_of_the_state() {
    let surface = image("surface", Geometry::D1, [4, 1, 1], 1, "u32");
    let kernel = Kernel::new("", 2, 1).surface(surface).texture(volume(None));
    let state = kernel.state();
    let names: Vec<_> = state.regions.iter().map(|region| region.region.name.as_str()).collect();
    assert_eq!(names, ["out", "out", "surface"]);
}

#[test]
fn an_instruction_that_samples_is_said_to_be_unsupported() {
    let text = ".version 8.1\n.target sm_90\n.address_size 64\n.global .texref t;\n.visible .entry k()\n{ .reg .b32 %r<5>; .reg .f32 %f<5>;\n\
                tex.1d.v4.u32.s32 {%r0, %r1, %r2, %r3}, [t, {%r4}];\nret; }";
    let rules = warpdiff_ptx::Rules::default();
    let errors = warpdiff_ptx::compile(text, &rules).expect_err("nothing samples");
    let message = warpdiff_ptx::render(&errors, "kernel", text, false);
    assert!(message.contains("unsupported") && message.contains("tex.1d"), "{message}");
}

#[test]
fn a_launch_that_names_no_texture_or_no_variable_does_not_begin() {
    let begin = |kernel: &Kernel| {
        warpdiff_emulator::allowed(&kernel.program(), &kernel.launch, &kernel.semantics)
            .expect_err("it must not begin")
            .to_string()
    };
    let kernel = Kernel::new("", 1, 1).texture(volume(Some("picture")));
    assert_eq!(begin(&kernel), "the module has no texture variable `picture`");
    let mut kernel = Kernel::new("", 1, 1).texture(volume(None));
    kernel.launch.arguments[1] = warpdiff_model::Argument::Texture { index: 1 };
    assert_eq!(begin(&kernel), "texture 1 of 1");
}
