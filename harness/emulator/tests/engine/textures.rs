//! `txq` and `tex`, end to end.

use crate::kernel::{Kernel, words};
use warpdiff_model::{
    AddressMode, Assignment, Choice, Geometry, Permitted, Sampler, Semantics, Surface, Texture,
};
use warpdiff_ptx::{Dialect, Rules};

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

/// "integer from enum { nearest, linear }", "{ wrap, mirror, clamp_ogl, clamp_to_edge, clamp_to_border }": the text does not say which
/// integers; one reading is the places in the lists.
#[test]
fn which_number_stands_for_a_sampler_mode_is_a_choice() {
    let places = [("filter_mode", 0), ("addr_mode_0", 4), ("addr_mode_1", 4), ("addr_mode_2", 4)];
    for (member, place) in places {
        let body = format!("txq.{member}.b32 %r1, [%texture]; st.global.u32 [%out], %r1;");
        let mut texture = volume(None);
        texture.sampler.address = [AddressMode::Border; 3];
        let allowed = Kernel::new(&body, 1, 1).texture(texture).allowed();
        let found = allowed.outcomes.iter().map(|outcome| match &outcome.permitted {
            Permitted::Completed { state } => {
                (words(&state.regions[0].region.bytes)[0], words(&state.regions[0].defined)[0])
            }
            other => panic!("{other:?}"),
        });
        let found: Vec<_> = found.collect();
        assert_eq!(found.len(), 2, "{member}: {found:?}");
        assert_eq!((found[0], found[1].1), ((place, u32::MAX), 0), "{member}");
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

/// A row of floats, read without filtering and clamped.
fn row(texels: &[f32]) -> Texture {
    let bytes = texels.iter().flat_map(|texel| texel.to_le_bytes()).collect();
    let shape = image("row", Geometry::D1, [texels.len() as u32, 1, 1], 1, "f32");
    Texture { image: Surface { bytes, ..shape }, sampler: Sampler::default() }
}

#[test]
fn each_lane_samples_its_own_place_by_name_by_pointer_and_by_handle() {
    for object in OBJECTS {
        let body = format!(
            "mov.u64 %d1, picture; cvt.rn.f32.u32 %f0, %t; tex.1d.v4.f32.f32 {{%f1, %f2, %f3, %f4}}, [{object}, {{%f0}}]; \
             mov.b32 %r1, %f1; st.global.u32 [%mine], %r1;"
        );
        let mut texture = row(&[8.0, 16.0, 32.0, 64.0]);
        texture.image.bound_to = Some("picture".into());
        let kernel = Kernel::new(&body, 40, 40).outside(".global .texref picture;\n").texture(texture);
        let expected: Vec<u32> = (0..40).map(|t| [8f32, 16.0, 32.0, 64.0][t.min(3)].to_bits()).collect();
        assert_eq!(kernel.words(), expected, "{object}");
    }
}

#[test]
fn a_sampler_beside_the_texture_is_named_or_pointed_to() {
    let samplers = ".global .texref picture;\n\
         .global .samplerref near = { filter_mode = nearest, addr_mode_0 = clamp_to_edge };\n\
         .global .samplerref far = { filter_mode = linear, addr_mode_0 = clamp_to_edge };\n";
    for (sampler, expected) in [("near", 16f32), ("far", 12.0), ("%d1", 12.0), ("%d2", 16.0)] {
        let text = format!(
            ".version 8.1\n.target sm_90, texmode_independent\n.address_size 64\n{samplers}.visible .entry k(.param .u64 out)\n\
             {{ .reg .b64 %d<4>; .reg .f32 %f<5>; ld.param.u64 %d0, [out]; cvta.to.global.u64 %d0, %d0;\n\
             mov.u64 %d1, far; mov.u64 %d2, near;\n\
             tex.1d.v4.f32.f32 {{%f0, _, _, _}}, [picture, {sampler}, {{0f3F800000}}];\n\
             st.global.f32 [%d0], %f0; ret; }}"
        );
        let rules = Rules { dialect: Dialect::Ptxas(12, 9), ..Rules::default() };
        let module = warpdiff_ptx::compile(&text, &rules).expect("a program");
        let program = warpdiff_emulator::Program::new(&module, &text).expect("a program that is run");
        let mut kernel = Kernel::new("", 1, 1);
        let mut texture = row(&[8.0, 16.0, 32.0, 64.0]);
        texture.image.bound_to = Some("picture".into());
        kernel.launch.textures.push(texture);
        let run = warpdiff_emulator::run(&program, &kernel.launch, &kernel.semantics, &kernel.options);
        let memory = run.expect("it begins").memory;
        assert_eq!(words(&memory.regions[0].region.bytes), [expected.to_bits()], "{sampler}");
    }
}

/// At 2 the texel is 32, and halfway between 16 and 32 is 24. The instructions are those of which ptxas makes `TLD`, or `TEX`.
#[test]
fn each_instruction_may_say_whether_integer_coordinates_name_a_texel() {
    let (texel, filtered) = (32f32, 24f32);
    let (line, lines, plane, room) = (Geometry::D1, Geometry::A1d, Geometry::D2, Geometry::D3);
    let edge = |places: &[u32]| -> String {
        places.iter().map(|place| format!(", addr_mode_{place} = clamp_to_edge")).collect()
    };
    let cases = [
        ("tex.1d", line, "sampler, {2}", edge(&[]), texel),
        ("tex.1d", line, "%d1, {2}", edge(&[]), texel),
        ("tex.a1d", lines, "sampler, {0, 2}", edge(&[]), filtered),
        ("tex.a1d", lines, "sampler, {0, 2}", edge(&[0]), texel),
        ("tex.a1d", lines, "sampler, {0, 2}", edge(&[1]), texel),
        ("tex.a1d", lines, "%d1, {0, 2}", edge(&[0]), filtered),
        ("tex.2d", plane, "sampler, {2, 1}", edge(&[]), filtered),
        ("tex.2d", plane, "sampler, {2, 1}", edge(&[0]), filtered),
        ("tex.2d", plane, "sampler, {2, 1}", edge(&[0, 1]), texel),
        ("tex.2d", plane, "sampler, {2, 1}", edge(&[2]), texel),
        (
            "tex.2d",
            plane,
            "sampler, {2, 1}",
            ", addr_mode_0 = clamp_to_edge, addr_mode_1 = mirror".into(),
            filtered,
        ),
        ("tex.2d", plane, "%d1, {2, 1}", edge(&[0, 1]), filtered),
        ("tex.level.2d", plane, "%d1, {2, 1}", edge(&[]), texel),
        ("tex.3d", room, "sampler, {2, 1, 1, 0}", edge(&[0, 1]), filtered),
        ("tex.3d", room, "sampler, {2, 1, 1, 0}", edge(&[0, 1, 2]), texel),
    ];
    for (instruction, geometry, place, modes, expected) in cases {
        let level = if instruction.contains("level") { ", 0" } else { "" };
        let text = format!(
            ".version 8.1\n.target sm_90, texmode_independent\n.address_size 64\n.global .texref picture;\n\
             .global .samplerref sampler = {{ filter_mode = linear{modes} }};\n.visible .entry k(.param .u64 out)\n\
             {{ .reg .b64 %d<4>; .reg .f32 %f<5>; ld.param.u64 %d0, [out]; cvta.to.global.u64 %d0, %d0; mov.u64 %d1, sampler;\n\
             {instruction}.v4.f32.s32 {{%f0, _, _, _}}, [picture, {place}]{level}; st.global.f32 [%d0], %f0; ret; }}"
        );
        let rules = Rules { dialect: Dialect::Ptxas(12, 9), ..Rules::default() };
        let module = warpdiff_ptx::compile(&text, &rules).expect("a program");
        let program = warpdiff_emulator::Program::new(&module, &text).expect("a program that is run");
        let extent = match geometry {
            Geometry::D2 => [4, 2, 1],
            Geometry::D3 => [4, 2, 2],
            _ => [4, 1, 1],
        };
        let rows = (extent[1] * extent[2]) as usize;
        let bytes =
            [8f32, 16.0, 32.0, 64.0].repeat(rows).iter().flat_map(|texel| texel.to_le_bytes()).collect();
        let shape = image("row", geometry, extent, 1, "f32");
        let mut texture = Texture { image: Surface { bytes, ..shape }, sampler: Sampler::default() };
        texture.image.bound_to = Some("picture".into());
        for (alternative, expected) in [(0, texel), (1, filtered), (2, expected)] {
            let assignment = Assignment::default().with(Choice::TextureIntegerSampler, alternative);
            let mut kernel = Kernel::new("", 1, 1).semantics(Semantics::default().under(assignment));
            kernel.launch.textures.push(texture.clone());
            let run = warpdiff_emulator::run(&program, &kernel.launch, &kernel.semantics, &kernel.options);
            let found = words(&run.expect("it begins").memory.regions[0].region.bytes)[0];
            let what = format!("{instruction} {place}{modes}, {alternative}");
            assert_eq!(f32::from_bits(found), expected, "{what}");
        }
    }
}

#[test]
fn a_coordinate_that_was_never_written_makes_the_launch_indeterminate() {
    let body =
        "tex.1d.v4.f32.f32 {%f1, _, _, _}, [%texture, {%f0}]; mov.b32 %r1, %f1; st.global.u32 [%out], %r1;";
    let (place, why) = Kernel::new(body, 1, 1).texture(row(&[1.0])).indeterminate();
    assert!(place.starts_with("a coordinate of `tex.1d"), "{place}");
    assert!(why.contains("%f0"), "{why}");
}

#[test]
fn what_is_computed_of_a_texture_handle_names_nothing() {
    let body = "mov.f32 %f0, 0f00000000; add.u64 %texture, %texture, 1;\n\
                tex.1d.v4.f32.f32 {%f1, _, _, _}, [%texture, {%f0}]; mov.b32 %r1, %f1; st.global.u32 [%out], %r1;";
    let (place, why) = Kernel::new(body, 1, 1).texture(row(&[1.0])).indeterminate();
    assert!(place.contains("tex.1d") && why.contains("undefined result of `add.u64"), "{place}: {why}");
}

#[test]
fn of_another_geometry_than_the_image_nothing_is_known() {
    let body = "mov.f32 %f0, 0f00000000; tex.2d.v4.f32.f32 {%f1, _, _, _}, [%texture, {%f0, %f0}];\n\
                mov.b32 %r1, %f1; st.global.u32 [%out], %r1;";
    assert_eq!(Kernel::new(body, 1, 1).texture(row(&[1.0])).defined(), [0]);
}

/// Integer coordinates beside derivatives: ptxas takes them for the bits of floats, the text for numbers of texels.
#[test]
fn derivatives_of_integer_coordinates_are_legal_and_do_not_run() {
    let body = "mov.u32 %r1, 0; mov.b32 %f0, %r1; tex.grad.1d.v4.f32.s32 {%f1, _, _, _}, [%texture, {%r1}], {%f0}, {%f0};";
    let text = Kernel::new(body, 1, 1).texture(row(&[1.0])).text();
    let module = warpdiff_ptx::compile(&text, &Rules::default()).expect("a legal program");
    let error = warpdiff_emulator::Program::new(&module, &text).err().expect("it is not run").to_string();
    assert!(error.contains("derivatives of integer coordinates"), "{error}");
}

#[test]
fn forms_that_are_not_run_are_said_to_be_unsupported() {
    for form in [
        "tex.1d.v4.f32.f32 {%f0, %f1, %f2, %f3}, [t, {%f4}], %f4;",
        "tex.level.1d.v4.f32.f32 {%f0, %f1, %f2, %f3}, [t, {%f4}], %f4, {%r0}, %f4;",
        "tex.cube.v4.f32.f32 {%f0, %f1, %f2, %f3}, [t, {%f4, %f4, %f4, %f4}], %f4;",
        "tex.2dms.v4.f32.s32 {%f0, %f1, %f2, %f3}, [t, {%r0, %r0, %r0, %r0}];",
        "tex.1d.v4.f32.f32 {%f0, %f1, %f2, %f3}|%p0, [t, {%f4}];",
        "tex.1d.v2.f16x2.f32 {%r0, %r1}, [t, {%f4}];",
        "tld4.r.2d.v4.f32.f32 {%f0, %f1, %f2, %f3}, [t, {%f4, %f4}], %f4;",
    ] {
        let text = format!(
            ".version 8.1\n.target sm_90\n.address_size 64\n.global .texref t;\n.visible .entry k()\n\
             {{ .reg .b32 %r<5>; .reg .f32 %f<5>; .reg .pred %p<2>;\n{form}\nret; }}"
        );
        for dialect in [Dialect::Spec, Dialect::Ptxas(12, 9)] {
            let rules = Rules { dialect, ..Rules::default() };
            let errors = warpdiff_ptx::compile(&text, &rules).expect_err("it is not run");
            let message = warpdiff_ptx::render(&errors, "kernel", &text, false);
            assert!(message.contains("unsupported"), "{message}");
        }
    }
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

#[test]
fn a_reference_fits_a_parameter_of_its_own_type_alone() {
    use warpdiff_model::Argument;
    let begin = |program: &warpdiff_emulator::Program, kernel: &Kernel| {
        warpdiff_emulator::allowed(program, &kernel.launch, &kernel.semantics)
            .expect_err("it must not begin")
            .to_string()
    };
    let mut kernel = Kernel::new("", 1, 1).texture(volume(None));
    let handle = kernel.program();
    for argument in [Argument::TextureReference { index: 0 }, Argument::SamplerReference { index: 0 }] {
        kernel.launch.arguments[1] = argument;
        assert_eq!(begin(&handle, &kernel), "argument 1 is a reference, `texture` is not");
    }
    let text = kernel.text().replace(".param .u64 texture", ".param .texref texture");
    let text = text.replace("ld.param.u64 %texture, [texture];", "");
    let module = warpdiff_ptx::compile(&text, &Rules::default()).expect("a module");
    let reference = warpdiff_emulator::Program::new(&module, &text).expect("a program");
    for argument in [
        Argument::Texture { index: 0 },
        Argument::SamplerReference { index: 0 },
        Argument::SurfaceReference { index: 0 },
        Argument::Value(Vec::new()),
    ] {
        kernel.launch.arguments[1] = argument;
        let why = "argument 1 must be a texture reference: `texture` is a `.texref`";
        assert_eq!(begin(&reference, &kernel), why);
    }
    kernel.launch.arguments[1] = Argument::TextureReference { index: 1 };
    assert_eq!(begin(&reference, &kernel), "texture 1 of 1");
}
