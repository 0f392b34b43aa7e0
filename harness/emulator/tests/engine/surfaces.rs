//! Surface loads and stores, end to end; addressing has its own tests.

use crate::kernel::Kernel;
use warpdiff_model::{
    Admission, Argument, Deviation, FaultClass, Geometry, Observation, Permitted, Semantics, State, Surface,
};

/// 4 x 3 texels of 32 bits; texel (x, y) holds 4 y + x.
fn image() -> Surface {
    Surface {
        name: "image".into(),
        geometry: Geometry::D2,
        extent: [4, 3, 1],
        layers: 1,
        format: "u32".parse().expect("a format"),
        bytes: (0..12u32).flat_map(u32::to_le_bytes).collect(),
        bound_to: None,
    }
}

fn load(instruction: &str) -> Kernel {
    Kernel::new(&format!("mov.u32 %r2, 0; {instruction} st.global.u32 [%mine], %r1;"), 1, 1).surface(image())
}

#[test]
fn x_counts_bytes_and_y_rows() {
    let at = |x: i32, y: i32| {
        load(&format!(
            "mov.u32 %r3, {x}; mov.u32 %r4, {y}; suld.b.2d.b32.trap %r1, [%surface, {{%r3, %r4}}];"
        ))
        .words()
    };
    assert_eq!(at(0, 0), [0]);
    assert_eq!(at(8, 1), [6]);
    assert_eq!(at(12, 2), [11]);
}

#[test]
fn out_of_bounds_modes() {
    let at = |mode: &str| {
        load(&format!("mov.u32 %r3, 16; mov.u32 %r4, 2; suld.b.2d.b32.{mode} %r1, [%surface, {{%r3, %r4}}];"))
    };
    assert_eq!(at("clamp").words(), [11]);
    assert_eq!(at("zero").words(), [0]);
    let faults = at("trap").faults();
    assert_eq!(faults[0].class, FaultClass::SurfaceTrap);
    let place = "x = 16, y = 2 of surface `image` (rows of 16 bytes, 3 rows)";
    assert!(faults[0].detail.contains(place), "{}", faults[0].detail);
    let semantics = Semantics::default().with(Deviation::SuldClampAsZero);
    assert_eq!(at("clamp").semantics(semantics).words(), [0]);
}

/// A line has x alone, and an array of lines a layer.
#[test]
fn a_fault_names_the_coordinates_of_the_geometry() {
    let at = |geometry: Geometry, layers: u32, access: &str| {
        let surface =
            Surface { geometry, extent: [4, 1, 1], layers, bytes: vec![0; 16 * layers as usize], ..image() };
        let body = format!("mov.u32 %r3, 16; mov.u32 %r4, 1; suld.b.{access}; st.global.u32 [%mine], %r1;");
        Kernel::new(&body, 1, 1).surface(surface).faults()[0].detail.clone()
    };
    let line = at(Geometry::D1, 1, "1d.b32.trap %r1, [%surface, {%r3}]");
    assert!(line.contains("x = 16 of surface `image` (16 bytes)"), "{line}");
    let lines = at(Geometry::A1d, 2, "a1d.b32.trap %r1, [%surface, {%r4, %r3}]");
    assert!(lines.contains("layer = 1, x = 16 of surface `image` (rows of 16 bytes, 2 layers)"), "{lines}");
}

#[test]
fn stores_land_in_the_surface() {
    let body = "mov.u32 %r3, 4; mov.u32 %r4, 1; mov.u32 %r5, 0x11223344; sust.b.2d.b32.trap [%surface, {%r3, %r4}], %r5; \
                mov.u32 %r6, 64; sust.b.2d.b32.zero [%surface, {%r6, %r4}], %r5;";
    let state = Kernel::new(body, 1, 1).surface(image()).state();
    let mut expected = image().bytes;
    expected[20..24].copy_from_slice(&[0x44, 0x33, 0x22, 0x11]);
    assert_eq!(state.regions[2].region.bytes, expected);
}

#[test]
fn vectors_and_bytes() {
    let body = "mov.u32 %r3, 4; mov.u32 %r4, 1; suld.b.2d.v2.b8.trap {%h1, %h2}, [%surface, {%r3, %r4}]; cvt.u32.u16 %r5, %h1; \
                cvt.u32.u16 %r6, %h2; mad.lo.u32 %r1, %r6, 256, %r5;";
    assert_eq!(load(body).words(), [5]);
}

#[test]
fn a_module_scope_surfref_names_its_surface() {
    let mut surface = image();
    surface.bound_to = Some("image_ref".into());
    let body = "mov.u32 %r3, 8; mov.u32 %r4, 2; suld.b.2d.b32.trap %r1, [image_ref, {%r3, %r4}]; mov.u64 %d2, image_ref; \
                suld.b.2d.b32.trap %r5, [%d2, {%r3, %r4}]; add.u32 %r1, %r1, %r5; st.global.u32 [%mine], %r1;";
    let kernel = Kernel::new(body, 1, 1).outside(".global .surfref image_ref;\n").surface(surface);
    assert_eq!(kernel.words(), [20]);
}

/// PTX ISA 5.3: "performing pointer arithmetic will result in undefined results"; of a number that never was a handle the
/// text says nothing either.
#[test]
fn what_names_no_surface_is_indeterminate() {
    let body = "mov.u32 %r3, 0; mov.u32 %r4, 0; suld.b.2d.b32.trap %r1, [%surface, {%r3, %r4}];";
    let mut kernel = load(body);
    kernel.launch.arguments[1] = Argument::Value(vec![9; 8]);
    let (place, why) = kernel.indeterminate();
    assert!(place.starts_with("the surface operand of `suld.b.2d"), "{place}");
    // Eight bytes of 9 that the host gave: no bit is undefined, and none is said to be.
    assert_eq!(why, "names no surface (0x909090909090909)");
    // As a target it has to do something.
    assert_eq!(kernel.untracked().faults()[0].class, FaultClass::InvalidHandle);
    for change in [
        "add.s64 %surface, %surface, 4;",
        "add.s64 %surface, %surface, -1;",
        "xor.b64 %surface, %surface, 3;",
    ] {
        // With a second surface, so that its handle is not the next number.
        let kernel = load(&format!("{change} {body}")).surface(Surface { name: "other".into(), ..image() });
        let mut kernel = kernel;
        kernel.launch.arguments.pop();
        let (place, why) = kernel.indeterminate();
        assert!(place.starts_with("the surface handle of `suld.b.2d"), "{change}: {place}");
        assert!(
            why.contains("undefined bits") && why.contains(change.trim_end_matches(';')),
            "{change}: {why}"
        );
    }
    let unbound = Kernel::new("mov.u64 %d1, lonely; suq.width.b32 %r1, [%d1];", 1, 1)
        .outside(".global .surfref lonely;\n");
    assert!(unbound.indeterminate().1.contains("names no surface"));
}

/// A handle is another number on every target.
#[test]
fn handles_are_not_compared_and_still_name() {
    let body = "st.global.u64 [%out], %surface; ld.global.u64 %d1, [%out]; mov.b64 {%r5, %r6}, %d1; mov.b64 %d2, {%r5, %r6}; \
                mov.u32 %r3, 4; mov.u32 %r4, 1; suld.b.2d.b32.trap %r1, [%d2, {%r3, %r4}]; st.global.u32 [%out+8], %r1;";
    let kernel = Kernel::new(body, 1, 3).surface(image());
    assert_eq!(kernel.defined(), [u32::MAX; 3]);
    assert_eq!(kernel.unordered(), [u32::MAX, u32::MAX, 0]);
    let run = kernel.run();
    assert!(!run.order_dependent);
    assert_eq!(kernel.state().regions[0].region.bytes[8..], [5, 0, 0, 0]);
}

/// "Accessing the pointer with ld and st instructions, or performing pointer arithmetic will result in undefined results" (5.3).
#[test]
fn what_is_computed_of_a_handle_or_found_there_is_undefined() {
    let body = "add.s64 %d1, %surface, 8; st.global.u64 [%out], %d1; mov.u32 %r1, 7; ld.global.u32 %r1, [%surface]; \
                st.global.u32 [%out+8], %r1; setp.eq.u32 %p1, %t, 0; mov.u64 %d2, 0; selp.b64 %d3, %surface, %d2, %p1; \
                mov.u32 %r3, 4; mov.u32 %r4, 1; suld.b.2d.b32.trap %r5, [%d3, {%r3, %r4}]; st.global.u32 [%out+12], %r5;";
    let kernel = Kernel::new(body, 1, 4).surface(image());
    assert_eq!(kernel.defined(), [0, 0, 0, u32::MAX]);
    let allowed = kernel.allowed();
    let may: Vec<_> = allowed.outcomes[0].may.iter().map(|fault| fault.class).collect();
    assert_eq!(may, [FaultClass::Unspecified]);
    for change in ["st.global.u32 [%surface], %r1;", "red.global.add.u32 [%surface], 1;"] {
        let (place, why) = load(&format!("mov.u32 %r1, 1; {change}")).indeterminate();
        assert!(place.starts_with("the address of `"), "{place}");
        assert_eq!(why, "is a pointer to an opaque variable");
    }
}

#[test]
fn undefined_coordinates_are_indeterminate() {
    let (place, origin) =
        load("mov.u32 %r4, 0; suld.b.2d.b32.clamp %r1, [%surface, {%r9, %r4}];").indeterminate();
    assert!(place.starts_with("a coordinate of `suld.b.2d.b32.clamp"), "{place}");
    assert!(origin.starts_with("depends on undefined bits: `%r9`, not written before"), "{origin}");
}

#[test]
fn undefined_bits_are_stored_and_loaded() {
    let body = "mov.u32 %r3, 0; mov.u32 %r4, 0; and.b32 %r5, %r9, 0xff00; sust.b.2d.b32.trap [%surface, {%r3, %r4}], %r5; \
                suld.b.2d.b32.trap %r1, [%surface, {%r3, %r4}];";
    assert_eq!(load(body).defined(), [0xFFFF_00FF]);
}

/// As ptxas makes it: without `.v2` or `.v4` a tuple receives one element in each of its registers, and of a stored one the
/// first counts.
#[test]
fn a_tuple_without_a_vector_is_one_element() {
    let body = "mov.u32 %r3, 4; mov.u32 %r4, 1; suld.b.2d.b32.trap {%r5, %r6}, [%surface, {%r3, %r4}]; \
                mov.u32 %r7, 100; sust.b.2d.b32.trap [%surface, {%r3, %r4}], {%r7, %r3}; st.global.u32 [%out], %r5; \
                st.global.u32 [%out+4], %r6;";
    let kernel = Kernel::new(body, 1, 2).surface(image());
    assert_eq!(kernel.words(), [5, 5]);
    let mut expected = image().bytes;
    expected[20..24].copy_from_slice(&100u32.to_le_bytes());
    assert_eq!(kernel.state().regions[2].region.bytes, expected);
}

/// As ptxas makes it: a bare scalar is accepted for every geometry, and the other coordinates are whatever they are.
#[test]
fn coordinates_that_are_not_written_are_undefined() {
    let (place, _) = load("mov.u32 %r3, 4; suld.b.2d.b32.clamp %r1, [%surface, %r3];").indeterminate();
    assert!(place.starts_with("a coordinate of `suld.b.2d"), "{place}");
}

#[test]
fn a_kernel_parameter_names_its_surface_and_its_pointer_may_travel() {
    let body = "mov.u32 %r3, 8; mov.u32 %r4, 2; suld.b.2d.b32.trap %r1, [handle, {%r3, %r4}]; mov.u64 %d2, handle; \
                st.global.u64 [%out], %d2; ld.global.u64 %d3, [%out]; { .param .b64 to; .param .b32 back; \
                st.param.b64 [to], %d3; call.uni (back), fetch, (to); ld.param.b32 %r5, [back]; } \
                add.u32 %r1, %r1, %r5; st.global.u32 [%out], %r1;";
    let fetch = ".func (.param .b32 back) fetch(.param .b64 from) { .reg .b64 %p; .reg .b32 %v; .reg .b32 %x; \
                 ld.param.b64 %p, [from]; mov.u32 %x, 4; suld.b.2d.b32.trap %v, [%p, {%x, %x}]; st.param.b32 [back], %v; ret; }\n";
    let mut kernel = Kernel::new(body, 1, 2).outside(fetch).surface(image());
    kernel.reference_parameter();
    // The function loads at (4, 4) bytes, of which there is no row 4: it traps.
    assert_eq!(kernel.faults()[0].class, FaultClass::SurfaceTrap);
    let fetch = fetch.replace("{%x, %x}", "{%x, 1}");
    let mut kernel = Kernel::new(body, 1, 2).outside(&fetch).surface(image());
    kernel.reference_parameter();
    let out = &kernel.state().regions[0];
    assert_eq!(out.region.bytes[..4], [10 + 5, 0, 0, 0]);
    // The other word still holds half of the pointer, which is another number elsewhere.
    assert_eq!(crate::kernel::words(&out.unordered), [0, u32::MAX]);
}

/// Undefined is what races, to the byte: threads of one warp, of two warps and of two blocks.
#[test]
fn racing_stores_are_undefined_at_exactly_the_raced_bits() {
    // Thread 0 stores four bytes at 0, the last thread one byte at 2; everybody else nothing.
    let body = "mov.u32 %r3, 0; mov.u32 %r4, 0; mov.u32 %r5, 2; mov.u32 %r6, %ctaid.x; mov.u32 %r7, %ntid.x; \
                mad.lo.u32 %r6, %r6, %r7, %t; setp.eq.u32 %p1, %r6, 0; setp.eq.u32 %p2, %r6, LAST; \
                @%p1 sust.b.2d.b32.trap [%surface, {%r3, %r4}], %r3; @%p2 sust.b.2d.b8.trap [%surface, {%r5, %r4}], %r5;";
    for (threads, blocks) in [(2, 1), (64, 1), (1, 2)] {
        let body = body.replace("LAST", &(threads * blocks - 1).to_string());
        let state = Kernel::new(&body, threads, 1).blocks(blocks).surface(image()).state();
        let mut mask = vec![0xFF; 48];
        mask[2] = 0;
        assert_eq!(state.regions[2].defined, mask, "{threads} x {blocks}");
    }
}

/// A geometry that is not the surface's: a fault, or anything, but only within that surface.
#[test]
fn a_store_of_another_geometry_may_go_anywhere_in_its_surface() {
    let body = "mov.u32 %r3, 0; sust.b.1d.b32.trap [%surface, {%r3}], %r3;";
    let allowed = Kernel::new(body, 1, 1).surface(image()).allowed();
    let [first, second] = &allowed.outcomes[..] else { panic!("{:?}", allowed.outcomes) };
    assert!(
        matches!(&first.permitted, Permitted::Faulted { faults } if faults[0].class == FaultClass::InvalidHandle)
    );
    let Permitted::Completed { state } = &second.permitted else { panic!("{second:?}") };
    assert_eq!(*state.regions[2].defined, [0; 48]);
    assert!(state.regions[..2].iter().all(|region| region.defined.iter().all(|mask| *mask == 0xFF)));
}

/// "the nearest surface location (sized appropriately)": that of a vector as a whole is the last place where it fits; where the last texel
/// is taken instead, each element may as well be at the nearest place for an element.
#[test]
fn elements_of_a_clamped_vector_may_each_be_at_the_nearest_place() {
    // A row of 8 bytes holding 0 to 7, two elements of four bytes beyond it: the nearest place for one element is 4.
    let row = Surface {
        geometry: Geometry::D1,
        extent: [8, 1, 1],
        format: "u8".parse().expect("a format"),
        bytes: (0..8).collect(),
        ..image()
    };
    let body = "mov.u32 %r3, 8; suld.b.1d.v2.b32.clamp {%r1, %r2}, [%surface, {%r3}]; st.global.v2.u32 [%mine], {%r1, %r2};";
    let kernel = Kernel::new(body, 1, 2).surface(row);
    let allowed = kernel.allowed();
    let admits = |words: [u32; 2]| {
        let mut regions: Vec<_> = kernel.state().regions.into_iter().map(|masked| masked.region).collect();
        regions[0].bytes = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        let observation = Observation::Completed { state: State { regions } };
        matches!(allowed.admits(&observation), Admission::Conforms { .. })
    };
    let (first, last) = (0x0302_0100, 0x0706_0504);
    assert!(admits([first, last]), "as a whole");
    assert!(admits([last, last]), "each by itself");
}

#[test]
fn deviations_of_unformatted_accesses() {
    // The red component of a texel whose bytes are all 255 is 1.0.
    let white = Surface { format: "unorm8x4".parse().expect("a format"), bytes: vec![255; 48], ..image() };
    let body = "mov.u32 %r2, 0; suld.b.2d.b32.trap %r1, [%surface, {%r2, %r2}]; st.global.u32 [%mine], %r1;";
    let by_format = Semantics::default().with(Deviation::SuldByFormat);
    assert_eq!(Kernel::new(body, 1, 1).surface(white).semantics(by_format).words(), [1f32.to_bits()]);
    // Texel (1, 1) holds 5.
    let body =
        "mov.u32 %r3, 5; mov.u32 %r4, 1; mov.u32 %r5, 0x44; sust.b.2d.b8.trap [%surface, {%r3, %r4}], %r5;";
    let stored = |semantics| {
        let state = Kernel::new(body, 1, 1).surface(image()).semantics(semantics).state();
        state.regions[2].region.bytes[20..24].to_vec()
    };
    assert_eq!(stored(Semantics::default()), [5, 0x44, 0, 0]);
    assert_eq!(stored(Semantics::default().with(Deviation::SustWholeTexel)), [0, 0x44, 0, 0]);
}
