//! `sured`, by hand from PTX ISA 9.7.11.3.

use crate::kernel::Kernel;
use warpdiff_model::{Deviation, FaultClass, Geometry, Permitted, Semantics, Surface};

/// A line of texels with these bytes.
fn line(format: &str, bytes: &[u8]) -> Surface {
    let format: warpdiff_model::Format = format.parse().expect("a format");
    Surface {
        name: "line".into(),
        geometry: Geometry::D1,
        extent: [bytes.len() as u32 / format.texel_size(), 1, 1],
        layers: 1,
        format,
        bytes: bytes.to_vec(),
        bound_to: None,
    }
}

fn bytes_of(words: &[u32]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}

/// `instruction` on a line of words, by one thread: x is `%r3`, data `%r4` and `%d4`.
fn reduce(format: &str, words: &[u32], x: i32, data: u64, instruction: &str) -> Kernel {
    let body =
        format!("mov.s32 %r3, {x}; mov.u32 %r4, {:#x}; mov.u64 %d4, {data:#x}; {instruction}", data as u32);
    Kernel::new(&body, 1, 1).surface(line(format, &bytes_of(words)))
}

/// The words afterwards, all defined and ordered.
fn words(kernel: &Kernel) -> Vec<u32> {
    let state = kernel.state();
    let surface = &state.regions[2];
    assert!(surface.defined.iter().all(|mask| *mask == 0xFF), "{:?}", surface.defined);
    assert!(surface.unordered.iter().all(|mask| *mask == 0), "{:?}", surface.unordered);
    crate::kernel::words(&surface.region.bytes)
}

const MINUS_3: u32 = -3i32 as u32;

#[test]
fn operations_on_32_bits() {
    for (form, old, data, new) in [
        ("b.add.1d.u32", u32::MAX, 2, 1),
        ("b.add.1d.s32", 5, MINUS_3, 2),
        ("b.min.1d.u32", 5, MINUS_3, 5),
        ("b.min.1d.s32", 5, MINUS_3, MINUS_3),
        ("b.max.1d.u32", 5, MINUS_3, MINUS_3),
        ("b.max.1d.s32", 5, MINUS_3, 5),
        ("b.and.1d.b32", 0b1100, 0b1010, 0b1000),
        ("b.or.1d.b32", 0b1100, 0b1010, 0b1110),
    ] {
        // Signedness is the instruction's, whatever the format.
        for format in ["u32", "s32", "f32", "u8x4", "unorm16x2"] {
            let kernel = reduce(
                format,
                &[9, old, 9],
                4,
                data.into(),
                &format!("sured.{form}.trap [%surface, {{%r3}}], %r4;"),
            );
            assert_eq!(words(&kernel), [9, new, 9], "{form} on {format}");
        }
    }
}

#[test]
fn operations_on_64_bits() {
    let minus_3 = -3i64 as u64;
    for (form, old, data, new) in [
        ("add.1d.u64", 0xFFFF_FFFF_u64, 1u64, 0x1_0000_0000u64),
        ("min.1d.u64", 5, minus_3, 5),
        ("min.1d.s64", 5, minus_3, minus_3),
        ("max.1d.u64", 0x1_0000_0000, 0xFFFF_FFFF, 0x1_0000_0000),
        ("max.1d.s64", minus_3, 5, 5),
    ] {
        let split = |value: u64| [value as u32, (value >> 32) as u32];
        let [low, high] = split(old);
        let kernel = reduce(
            "u32x2",
            &[9, 9, low, high],
            8,
            data,
            &format!("sured.b.{form}.trap [%surface, {{%r3}}], %d4;"),
        );
        let [low, high] = split(new);
        assert_eq!(words(&kernel), [9, 9, low, high], "{form}");
    }
}

/// "if the surface format contains UINT data, then .u32 is assumed; if the surface format contains SINT data, then .s32 is
/// assumed. For type .b64 […] .u64 […] .s64"; x is "scaled by the data-size given by .ctype".
#[test]
fn samples_take_their_sign_from_the_format() {
    for (form, format, result) in [
        ("min.1d.b32", "u32", 5),
        ("min.1d.b32", "s32", MINUS_3),
        ("max.1d.b32", "u8x4", MINUS_3),
        ("max.1d.b32", "s16x2", 5),
        ("add.1d.b32", "s32", 2),
        ("and.1d.b32", "u32", 5),
        ("or.1d.b32", "s16x2", MINUS_3),
    ] {
        let kernel = reduce(
            format,
            &[9, 5, 9],
            1,
            MINUS_3.into(),
            &format!("sured.p.{form}.trap [%surface, {{%r3}}], %r4;"),
        );
        assert_eq!(words(&kernel), [9, result, 9], "{form} on {format}");
    }
    for (format, result) in
        [("u32x2", [5, 0]), ("s32x2", [MINUS_3, u32::MAX]), ("s16x4", [MINUS_3, u32::MAX])]
    {
        let instruction = "sured.p.min.1d.b64.trap [%surface, {%r3}], %d4;";
        let kernel = reduce(format, &[9, 9, 5, 0], 1, -3i64 as u64, instruction);
        assert_eq!(words(&kernel), [9, 9, result[0], result[1]], "{format}");
    }
}

/// "the data is interpreted as .u32 or .s32 based on the surface sample format": of other formats nothing is said, whatever the
/// operation.
#[test]
fn a_reduction_of_samples_that_are_no_integers_is_undefined_or_faults() {
    for (format, op) in
        [("f32", "min"), ("unorm8x4", "max"), ("f16x2", "add"), ("snorm16x2", "and"), ("f32", "or")]
    {
        let instruction = format!("sured.p.{op}.1d.b32.trap [%surface, {{%r3}}], %r4;");
        let kernel = reduce(format, &[9, 5], 1, 3, &instruction);
        let allowed = kernel.allowed();
        let [first, second] = &allowed.outcomes[..] else { panic!("{:?}", allowed.outcomes) };
        let Permitted::Completed { state } = &first.permitted else { panic!("{first:?}") };
        assert_eq!(*state.regions[2].defined, [0xFF, 0xFF, 0xFF, 0xFF, 0, 0, 0, 0]);
        assert!(matches!(second.permitted, Permitted::Faulted { .. }));
    }
}

#[test]
fn out_of_bounds() {
    let of = |x, mode: &str| {
        reduce("u32", &[1, 2, 3], x, 10, &format!("sured.b.add.1d.u32.{mode} [%surface, {{%r3}}], %r4;"))
    };
    for (x, clamped) in
        [(12, [1, 2, 13]), (i32::MAX - 3, [1, 2, 13]), (-4, [11, 2, 3]), (i32::MIN, [11, 2, 3])]
    {
        assert_eq!(words(&of(x, "clamp")), clamped);
        assert_eq!(words(&of(x, "zero")), [1, 2, 3]);
        assert_eq!(of(x, "trap").faults()[0].class, FaultClass::SurfaceTrap);
    }
    let writes = Semantics::default().with(Deviation::SuredZeroWrites);
    assert_eq!(words(&of(12, "zero").semantics(writes)), [1, 2, 13]);
}

/// Eight bytes at 8 of a row of twelve: as a whole out of bounds, or partly in it and then nothing says what is written there.
#[test]
fn straddling_the_end() {
    let kernel = reduce("u32", &[1, 2, 3], 8, 10, "sured.b.add.1d.u64.zero [%surface, {%r3}], %d4;");
    let allowed = kernel.allowed();
    let defined = allowed.outcomes.iter().map(|outcome| match &outcome.permitted {
        Permitted::Completed { state } => crate::kernel::words(&state.regions[2].defined),
        other => panic!("{other:?}"),
    });
    assert_eq!(defined.collect::<Vec<_>>(), [[u32::MAX; 3], [u32::MAX, u32::MAX, 0]]);
}

#[test]
fn many_lanes_of_many_blocks_reduce_one_location() {
    let body = "mov.u32 %r3, 0; mov.u32 %r4, 4; mov.u32 %r6, %ctaid.x; mad.lo.u32 %r5, %r6, 64, %t; \
                sured.b.add.1d.u32.trap [%surface, {%r3}], %r5; sured.b.max.1d.u32.trap [%surface, {%r4}], %r5;";
    let kernel = Kernel::new(body, 64, 1).blocks(3).surface(line("u32", &bytes_of(&[1000, 7, 3])));
    // 0 + 1 + … + 191 = 18336
    assert_eq!(words(&kernel), [19336, 191, 3]);
}

#[test]
fn a_load_after_a_barrier_finds_the_sum() {
    let body = "mov.u32 %r3, 4; sured.b.add.1d.u32.trap [%surface, {%r3}], %t; bar.sync 0; \
                suld.b.1d.b32.trap %r1, [%surface, {%r3}]; st.global.u32 [%mine], %r1;";
    let kernel = Kernel::new(body, 64, 64).surface(line("u32", &bytes_of(&[0, 1])));
    assert_eq!(kernel.words(), [1 + 63 * 64 / 2; 64]);
    // Without the barrier a load may come before or after, and races with what other threads reduce.
    let kernel =
        Kernel::new(&body.replace("bar.sync 0;", ""), 64, 64).surface(line("u32", &bytes_of(&[0, 1])));
    assert_eq!(kernel.defined(), [0; 64]);
}

/// Minimum and sum on one location: (5 min 2) + 3 = 5, (5 + 3) min 2 = 2.
#[test]
fn what_does_not_commute_is_unordered() {
    let body = "mov.u32 %r3, 0; mov.u32 %r4, 2; mov.u32 %r5, 3; setp.eq.u32 %p1, %t, 0; \
                @%p1 sured.b.min.1d.u32.trap [%surface, {%r3}], %r4; @!%p1 sured.b.add.1d.u32.trap [%surface, {%r3}], %r5;";
    let state = Kernel::new(body, 2, 1).surface(line("u32", &bytes_of(&[5, 1]))).state();
    assert_eq!(crate::kernel::words(&state.regions[2].unordered), [u32::MAX, 0]);
}

#[test]
fn a_store_beside_reductions_races() {
    let body = "mov.u32 %r3, 0; setp.eq.u32 %p1, %t, 0; @%p1 sust.b.1d.b32.trap [%surface, {%r3}], %t; \
                @!%p1 sured.b.add.1d.u32.trap [%surface, {%r3}], %t;";
    let state = Kernel::new(body, 2, 1).surface(line("u32", &bytes_of(&[5, 1]))).state();
    assert_eq!(crate::kernel::words(&state.regions[2].defined), [0, u32::MAX]);
}

#[test]
fn deviations() {
    let opcode = Semantics::default().with(Deviation::SuredPSignFromOpcode);
    let instruction = "sured.p.min.1d.b32.trap [%surface, {%r3}], %r4;";
    assert_eq!(words(&reduce("s32", &[9, 5], 1, MINUS_3.into(), instruction).semantics(opcode)), [9, 5]);
    let halves = Semantics::default().with(Deviation::SuredWideAsHalves);
    let wide = |form: &str, old: [u32; 2], data| {
        let instruction = format!("sured.b.{form}.trap [%surface, {{%r3}}], %d4;");
        words(&reduce("u32x2", &old, 0, data, &instruction).semantics(halves))
    };
    assert_eq!(wide("add.1d.u64", [u32::MAX, 0], 1), [0, 0], "the carry is lost");
    assert_eq!(wide("min.1d.u64", [7, 1], 0x0000_0002_0000_0003), [3, 1]);
    let bytes = Semantics::default().with(Deviation::SurfaceSampleXAsByte);
    let instruction = "sured.p.add.1d.b32.trap [%surface, {%r3}], %r4;";
    assert_eq!(words(&reduce("u32", &[9, 5], 1, 3, instruction).semantics(bytes)), [12, 5]);
}
