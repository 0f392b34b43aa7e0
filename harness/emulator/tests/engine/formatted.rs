//! `sust.p`, end to end; conversions and addressing have their own tests.

use crate::kernel::Kernel;
use warpdiff_model::allowed::MaskedState;
use warpdiff_model::{Choice, Deviation, FaultClass, Geometry, Permitted, Semantics, Surface};

/// Texels of a format in rows of two, three rows, every byte 0xA5.
fn image(format: &str) -> Surface {
    shaped(Geometry::D2, [2, 3, 1], 1, format)
}

fn shaped(geometry: Geometry, extent: [u32; 3], layers: u32, format: &str) -> Surface {
    let mut surface = Surface {
        name: "image".into(),
        geometry,
        extent,
        layers,
        format: format.parse().expect("a format"),
        bytes: Vec::new(),
        bound_to: None,
    };
    surface.bytes = vec![0xA5; surface.size() as usize];
    surface
}

/// A kernel that stores 1, 2, 3, 4 (as integers, from `%r5` on) with `instruction`; x is `%r3`, y `%r4`.
fn store(format: &str, x: i32, y: i32, instruction: &str) -> Kernel {
    let body = format!(
        "mov.s32 %r3, {x}; mov.s32 %r4, {y}; mov.u32 %r5, 1; mov.u32 %r6, 2; mov.u32 %r7, 3; mov.u32 %r8, 4; {instruction}"
    );
    Kernel::new(&body, 1, 1).surface(image(format))
}

/// The texels afterwards, and which of their bits are defined.
fn texels(state: &MaskedState) -> (&[u8], &[u8]) {
    (&state.regions[2].region.bytes, &state.regions[2].defined)
}

/// The texels of an image all of whose bits are defined.
fn plain(kernel: &Kernel) -> Vec<u8> {
    let state = kernel.state();
    let (bytes, defined) = texels(&state);
    assert!(defined.iter().all(|mask| *mask == 0xFF), "{defined:?}");
    bytes.to_vec()
}

const V4: &str = "sust.p.2d.v4.b32.trap [%surface, {%r3, %r4}], {%r5, %r6, %r7, %r8};";

/// "a sample offset rather than a byte offset"; "interpreted left-to-right as R, G, B, and A surface components"
#[test]
fn x_counts_samples_and_elements_are_components() {
    let mut expected = vec![0xA5; 24];
    // Row 1 begins at 8, its second sample is at 12.
    expected[12..16].copy_from_slice(&[1, 2, 3, 4]);
    assert_eq!(plain(&store("u8x4", 1, 1, V4)), expected);
    let mut expected = vec![0xA5; 96];
    for (n, value) in [1u32, 2, 3, 4].into_iter().enumerate() {
        expected[48 + 4 * n..52 + 4 * n].copy_from_slice(&value.to_le_bytes());
    }
    assert_eq!(plain(&store("s32x4", 1, 1, V4)), expected);
}

/// "Source elements that do not occur in the surface sample are ignored."
#[test]
fn surplus_elements_are_ignored() {
    let mut expected = vec![0xA5; 6];
    expected[3] = 1;
    assert_eq!(plain(&store("u8", 1, 1, V4)), expected);
    let mut expected = vec![0xA5; 24];
    expected[8..12].copy_from_slice(&[1, 0, 2, 0]);
    assert_eq!(plain(&store("u16x2", 0, 1, V4)), expected);
}

/// "Surface sample components that do not occur in the source vector will be written with an unpredictable value."
#[test]
fn missing_components_are_unpredictable_to_the_bit() {
    let one = store("u8x4", 0, 1, "sust.p.2d.b32.trap [%surface, {%r3, %r4}], %r5;").state();
    let (bytes, defined) = texels(&one);
    let mut mask = [0xFF; 24];
    mask[9..12].fill(0);
    assert_eq!((bytes[8], defined), (1, &mask[..]));
    let two = store("f32x4", 1, 0, "sust.p.2d.v2.b32.trap [%surface, {%r3, %r4}], {%r5, %r6};");
    // 1 and 2 as binary32 are subnormal.
    let state = two.semantics(Semantics::default()).state();
    let (bytes, defined) = texels(&state);
    let mut mask = [0xFF; 96];
    mask[24..32].fill(0);
    assert_eq!((&bytes[16..24], defined), (&[1, 0, 0, 0, 2, 0, 0, 0][..], &mask[..]));
}

#[test]
fn what_is_unpredictable_may_be_zero() {
    let kernel = store("u8x4", 0, 1, "sust.p.2d.b32.trap [%surface, {%r3, %r4}], %r5;");
    let allowed = kernel.allowed();
    let zeroed = Semantics::default().with(Deviation::SustPMissingZeroed);
    let observed = warpdiff_emulator::observe(&kernel.program(), &kernel.launch, &zeroed).expect("a launch");
    let warpdiff_model::Observation::Completed { state } = &observed else { panic!("{observed:?}") };
    assert_eq!(state.regions[2].bytes[8..12], [1, 0, 0, 0]);
    assert!(Deviation::SustPMissingZeroed.is_permitted());
    assert!(matches!(allowed.admits(&observed), warpdiff_model::Admission::Conforms { .. }));
}

#[test]
fn out_of_bounds_samples() {
    let of = |x, y, mode: &str| store("u8x4", x, y, &V4.replace("trap", mode));
    let at = |offset: usize| {
        let mut expected = vec![0xA5; 24];
        expected[offset..offset + 4].copy_from_slice(&[1, 2, 3, 4]);
        expected
    };
    // Two samples and three rows: (2, 1) is nearest to (1, 1), at 12.
    for (x, y, offset) in
        [(2, 1, 12), (i32::MAX, 1, 12), (-1, 1, 8), (i32::MIN, 0, 0), (0, 3, 16), (0, -1, 0), (9, 9, 20)]
    {
        assert_eq!(plain(&of(x, y, "clamp")), at(offset), "{x}, {y}");
        assert_eq!(plain(&of(x, y, "zero")), vec![0xA5; 24], "{x}, {y}");
        assert_eq!(of(x, y, "trap").faults()[0].class, FaultClass::SurfaceTrap);
    }
}

#[test]
fn every_geometry() {
    let source = "mov.u32 %r3, 1; mov.u32 %r4, 2; mov.u32 %r5, 3; mov.u32 %r9, 99; mov.u32 %r1, 7;";
    for (geometry, extent, layers, coordinates, at) in [
        (Geometry::D1, [4, 1, 1], 1, "{%r4}", 2),
        (Geometry::D2, [4, 3, 1], 1, "{%r3, %r4}", 9),
        // z = 3, y = 2, x = 1; the fourth element is ignored.
        (Geometry::D3, [4, 3, 4], 1, "{%r3, %r4, %r5, %r9}", 3 * 12 + 9),
        // Layer 2, x = 1; layer 3, x = 1, y = 2.
        (Geometry::A1d, [4, 1, 1], 3, "{%r4, %r3}", 9),
        (Geometry::A2d, [4, 3, 1], 4, "{%r5, %r3, %r4, %r9}", 3 * 12 + 9),
    ] {
        let name = match geometry {
            Geometry::D1 => "1d",
            Geometry::D2 => "2d",
            Geometry::D3 => "3d",
            Geometry::A1d => "a1d",
            Geometry::A2d => "a2d",
            cube => unreachable!("no surface is a {cube:?}"),
        };
        let body = format!("{source} sust.p.{name}.b32.trap [%surface, {coordinates}], %r1;");
        let surface = shaped(geometry, extent, layers, "u8");
        let mut expected = surface.bytes.clone();
        expected[at] = 7;
        assert_eq!(plain(&Kernel::new(&body, 1, 1).surface(surface)), expected, "{name}");
    }
}

#[test]
fn each_reading_of_a_conversion_is_an_outcome() {
    let kernel = store("u8", 0, 0, "mov.u32 %r5, 256; sust.p.2d.b32.trap [%surface, {%r3, %r4}], %r5;");
    let allowed = kernel.allowed();
    let stored = allowed.outcomes.iter().map(|outcome| match &outcome.permitted {
        Permitted::Completed { state } => texels(state).0[0],
        other => panic!("{other:?}"),
    });
    assert_eq!(stored.collect::<Vec<_>>(), [255, 0]);
    assert_eq!(allowed.outcomes[1].assignment.get(Choice::SustIntegerRange), 1);
}

#[test]
fn undefined_source_bits() {
    // A copied component keeps what is defined, a converted one nothing.
    let body = "and.b32 %r5, %r9, 0xff00; sust.p.2d.b32.trap [%surface, {%r3, %r4}], %r5;";
    let copied = store("u32", 0, 0, body).state();
    assert_eq!(texels(&copied).1[..4], [0xFF, 0, 0xFF, 0xFF]);
    let converted = store("u8x2", 0, 0, body).state();
    assert_eq!(texels(&converted).1[..3], [0, 0, 0xFF]);
}

#[test]
fn deviations() {
    let of = |deviation, instruction: &str| {
        let kernel = store("u8x4", 1, 0, instruction).semantics(Semantics::default().with(deviation));
        plain(&kernel)[..8].to_vec()
    };
    assert_eq!(of(Deviation::SustPReversed, V4), [0xA5, 0xA5, 0xA5, 0xA5, 4, 3, 2, 1]);
    // x = 1 as a byte is misaligned and goes to 0.
    assert_eq!(of(Deviation::SurfaceSampleXAsByte, V4), [1, 2, 3, 4, 0xA5, 0xA5, 0xA5, 0xA5]);
    // So does x = 1 as a channel of one byte.
    assert_eq!(of(Deviation::SustXByChannel, V4), [1, 2, 3, 4, 0xA5, 0xA5, 0xA5, 0xA5]);
    // A row of two texels of 16 bits: 7 becomes one of them.
    let raw = "mov.u32 %r5, 7; sust.b.2d.b32.trap [%surface, {%r3, %r4}], %r5;";
    let by_format = Semantics::default().with(Deviation::SustByFormat);
    assert_eq!(plain(&store("u16", 0, 0, raw))[..4], [7, 0, 0, 0]);
    assert_eq!(plain(&store("u16", 0, 0, raw).semantics(by_format))[..4], [7, 0, 0xA5, 0xA5]);
}

#[test]
fn samples_that_several_threads_store_race() {
    let body = "mov.u32 %r3, 0; shr.u32 %r4, %t, 1; sust.p.2d.b32.trap [%surface, {%r3, %r4}], %t;";
    let state = Kernel::new(body, 3, 1).surface(image("u8")).state();
    // Threads 0 and 1 store to (0, 0), thread 2 to (0, 1) alone.
    let (bytes, defined) = texels(&state);
    assert_eq!(defined, [0, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF]);
    assert_eq!(bytes[2], 2);
}
