//! Results that the manuals fix within a bound only: what is allowed ends exactly there, wherever the value goes unchanged, and nothing is
//! known of what is computed of it. Bounds are those of PTX ISA 9.7.3; each interval is worked out from a result that is exact.

use warpdiff_model::allowed::{MaskedState, Permits};
use warpdiff_model::{
    Admission, Allowed, ChannelType, Format, Geometry, Observation, Permitted, ReadMode, Sampler, State,
    Surface, Texture, Tolerance, ToleranceUnit,
};

use super::kernel::{Kernel, words};
use super::spa::kernel::Spa;

const ONE: u32 = 0x3f80_0000;
const TWO: u32 = 0x4000_0000;
const HALF: u32 = 0x3f00_0000;
const THREE: u32 = 0x4040_0000;
const FOUR: u32 = 0x4080_0000;
const THIRD: u32 = 0x3eaa_aaab;

fn first(allowed: &Allowed) -> &MaskedState {
    match &allowed.outcomes[0].permitted {
        Permitted::Completed { state } => state,
        other => panic!("{other:?}"),
    }
}

/// Whether the launch may leave these bits in a word of its output.
fn admits(allowed: &Allowed, word: usize, bits: u32) -> bool {
    let mut regions: Vec<_> = first(allowed).regions.iter().map(|masked| masked.region.clone()).collect();
    regions[0].bytes[4 * word..4 * word + 4].copy_from_slice(&bits.to_le_bytes());
    let observation = Observation::Completed { state: State { regions } };
    matches!(allowed.admits(&observation), Admission::Conforms { .. })
}

/// All of `inside` are allowed, none of `outside`.
#[track_caller]
fn ends(allowed: &Allowed, word: usize, inside: &[u32], outside: &[u32]) {
    for bits in inside {
        assert!(admits(allowed, word, *bits), "{bits:08x} is within the bound");
    }
    for bits in outside {
        assert!(!admits(allowed, word, *bits), "{bits:08x} is beyond the bound");
    }
}

/// What is allowed of a kernel that ends by storing `%f1`.
fn stores_f1(body: &str) -> Allowed {
    Kernel::new(&format!("{body}\nst.global.f32 [%mine], %f1;"), 1, 1).allowed()
}

/// The same of one instruction on numbers.
fn of(instruction: &str, operands: &[u32]) -> Allowed {
    let operands: Vec<_> = operands.iter().map(|bits| format!(", 0f{bits:08x}")).collect();
    stores_f1(&format!("{instruction} %f1{};", operands.concat()))
}

#[test]
fn each_instruction_at_its_bound_and_just_beyond() {
    // instruction, operands, the exact result, the least and the greatest that its bound admits
    let table: [(&str, &[u32], u32, u32, u32); 12] = [
        ("rcp.approx.f32", &[THREE], THIRD, THIRD - 1, THIRD + 1),
        ("rcp.approx.ftz.f32", &[FOUR], 0x3e80_0000, 0x3e7f_ffff, 0x3e80_0001),
        // 2 · 2^-23 is one step above 2, two of half the size below.
        ("sqrt.approx.f32", &[FOUR], TWO, TWO - 2, TWO + 1),
        // 2^-1 · 2^-22.9 is 1.07 steps of 2^-24 above 2^-1, and 2.14 of 2^-25 below.
        ("rsqrt.approx.f32", &[FOUR], HALF, HALF - 2, HALF + 1),
        // 2^-22 absolute between a half and 2, 2^-22 of the result elsewhere.
        ("lg2.approx.f32", &[ONE], 0, 0xb480_0000, 0x3480_0000),
        ("lg2.approx.f32", &[FOUR], TWO, TWO - 4, TWO + 2),
        ("ex2.approx.f32", &[ONE], TWO, TWO - 2, TWO + 2),
        // 2^-20.5 is 5.66 steps of 2^-23 and 11.31 of 2^-24; cos 2^-13 is a quarter of a step of 2^-24 below 1.
        ("cos.approx.f32", &[0x3900_0000], ONE, ONE - 11, ONE + 5),
        // 2^-20.5 is 46340.95 steps of 2^-36 and 92681.90 of 2^-37; sin 2^-13 is 0.04 of these below 2^-13.
        ("sin.approx.f32", &[0x3900_0000], 0x3900_0000, 0x3900_0000 - 92681, 0x3900_0000 + 46340),
        // 2^-11 is 2^12 steps of 2^-23, 2^13 of 2^-24.
        ("tanh.approx.f32", &[0x42c8_0000], ONE, ONE - 0x2000, ONE + 0x1000),
        ("div.approx.f32", &[ONE, THREE], THIRD, THIRD - 2, THIRD + 2),
        ("div.full.f32", &[ONE, THREE], THIRD, THIRD - 2, THIRD + 2),
    ];
    for (instruction, operands, exact, least, greatest) in table {
        let allowed = of(instruction, operands);
        assert_eq!(words(&first(&allowed).regions[0].region.bytes), [exact], "{instruction}");
        // The number beyond a negative end is the one of greater magnitude.
        let below = if least >> 31 == 1 { least + 1 } else { least - 1 };
        ends(&allowed, 0, &[exact, least, greatest], &[below, greatest + 1, 0x7fff_ffff]);
    }
}

#[test]
fn special_inputs_are_exact_and_large_angles_anything() {
    ends(&of("rcp.approx.f32", &[0]), 0, &[0x7f80_0000], &[0x7f7f_ffff]);
    ends(&of("lg2.approx.f32", &[0]), 0, &[0xff80_0000], &[0xff7f_ffff]);
    ends(&of("ex2.approx.f32", &[0xff80_0000]), 0, &[0], &[1, 0x8000_0000]);
    ends(&of("sin.approx.f32", &[0x8000_0000]), 0, &[0x8000_0000], &[0, 0x8000_0001]);
    ends(&of("cos.approx.f32", &[0]), 0, &[ONE], &[ONE - 1]);
    ends(&of("sin.approx.f32", &[0x43a0_0000]), 0, &[0, ONE, 0x7fff_ffff, 0xffff_ffff], &[]);
}

#[test]
fn the_range_goes_with_the_value() {
    let moves = [
        "mov.b32 %r1, %f1; mov.b32 %f1, %r1;",
        "setp.eq.u32 %p1, %t, 0; selp.f32 %f1, %f1, %f2, %p1;",
        "neg.f32 %f2, %f1; abs.f32 %f1, %f2;",
        "st.global.f32 [%out], %f1; ld.global.f32 %f1, [%out];",
        "st.shared.f32 [tile], %f1; ld.shared.f32 %f1, [tile];",
        "st.local.f32 [mine], %f1; ld.local.f32 %f1, [mine];",
        "shfl.sync.idx.b32 %f1, %f1, 0, 31, 1;",
        "{ .param .f32 a, b; st.param.f32 [a], %f1; call (b), same, (a); ld.param.f32 %f1, [b]; }",
    ];
    let outside = ".shared .f32 tile;\n.func (.param .f32 out) same(.param .f32 in) { .reg .f32 %x; ld.param.f32 %x, [in]; \
                   st.param.f32 [out], %x; ret; }\n";
    for through in moves {
        let body = format!(
            ".local .f32 mine;\nmov.f32 %f2, 0f00000000; rcp.approx.f32 %f1, 0f40400000;\n{through}\nst.global.f32 [%mine], %f1;"
        );
        let allowed = Kernel::new(&body, 1, 1).outside(outside).allowed();
        ends(&allowed, 0, &[THIRD - 1, THIRD, THIRD + 1], &[THIRD - 2, THIRD + 2, THIRD | 1 << 31]);
    }
    let negated = stores_f1("rcp.approx.f32 %f1, 0f40400000; neg.f32 %f1, %f1;");
    let minus = THIRD | 1 << 31;
    ends(&negated, 0, &[minus - 1, minus, minus + 1], &[minus - 2, minus + 2, THIRD]);
}

#[test]
fn machine_code_has_the_bounds_of_the_approximations_that_it_does() {
    let of =
        |text: &str| Spa::new(&format!("MOV32I R0, 0x40400000;\n{text}\nSTG.E [R252], R1;"), 1).allowed();
    ends(&of("MUFU.RCP R1, R0;"), 0, &[THIRD - 1, THIRD, THIRD + 1], &[THIRD - 2, THIRD + 2]);
    let minus = THIRD | 1 << 31;
    ends(&of("MUFU.RCP R1, -R0;"), 0, &[minus - 1, minus + 1], &[minus - 2, minus + 2, THIRD]);
    // What is computed of it counts as the reference has it.
    ends(&of("MUFU.RCP R1, R0; FADD R1, R1, R1;"), 0, &[THIRD + 0x80_0000], &[THIRD, THIRD + 0x80_0001]);
}

#[test]
fn vectors_have_a_range_for_each_element() {
    let body = "rcp.approx.f32 %f1, 0f40400000; ex2.approx.f32 %f2, 0f3f800000; mov.f32 %f3, 0f3f800000;
                sqrt.approx.f32 %f4, 0f40800000; st.global.v4.f32 [%out], {%f1, %f2, %f3, %f4};";
    let allowed = Kernel::new(body, 1, 4).allowed();
    ends(&allowed, 0, &[THIRD - 1, THIRD + 1], &[THIRD - 2, THIRD + 2]);
    ends(&allowed, 1, &[TWO - 2, TWO + 2], &[TWO - 3, TWO + 3]);
    ends(&allowed, 2, &[ONE], &[ONE - 1, ONE + 1]);
    ends(&allowed, 3, &[TWO - 2, TWO + 1], &[TWO - 3, TWO + 2]);
    // Two loaded at once are one number of 64 bits, of which nothing but where it comes from is known.
    let copied = format!("{body}\nld.global.b64 %d1, [%out]; st.global.b64 [%out], %d1;");
    ends(&Kernel::new(&copied, 1, 4).allowed(), 0, &[0x3eaa_aaa8, 0x3eaa_aaaf], &[0x3eaa_aab0]);
}

#[test]
fn what_is_computed_of_it_is_undefined() {
    for computed in [
        "add.f32 %f1, %f1, %f1;",
        "cvt.f64.f32 %fd1, %f1; cvt.rn.f32.f64 %f1, %fd1;",
        "min.f32 %f1, %f1, %f1;",
    ] {
        let allowed = stores_f1(&format!("rcp.approx.f32 %f1, 0f40400000; {computed}"));
        ends(&allowed, 0, &[0, THIRD, 0x7fff_ffff], &[]);
    }
    // Bits that all numbers of the range share are known: 3eaaaaaa to 3eaaaaac differ in the lowest three.
    let shifted =
        "rcp.approx.f32 %f1, 0f40400000; mov.b32 %r1, %f1; shr.u32 %r1, %r1, 3; st.global.u32 [%mine], %r1;";
    assert_eq!(Kernel::new(shifted, 1, 1).words(), [THIRD >> 3]);
}

#[test]
fn a_part_that_is_overwritten_takes_the_range_with_it() {
    let body = "rcp.approx.f32 %f1, 0f40400000; st.global.f32 [%out], %f1; mov.u32 %r1, 0x55; st.global.u8 [%out+1], %r1;";
    let allowed = Kernel::new(body, 1, 1).allowed();
    // The lowest three bits are open, the second byte is what was stored.
    ends(&allowed, 0, &[0x3eaa_55a8, 0x3eaa_55af], &[0x3eaa_54a8, 0x3eaa_55b0]);
}

#[test]
fn a_branch_on_it_is_indeterminate_unless_its_known_bits_decide() {
    let branch = |compare: &str| {
        format!(
            "rcp.approx.f32 %f1, 0f40400000; mov.b32 %r1, %f1; {compare}; @%p1 bra END; st.global.u32 [%mine], 1; END:"
        )
    };
    let (place, origin) = Kernel::new(&branch("setp.eq.u32 %p1, %r1, 0x3eaaaaab"), 1, 1).indeterminate();
    assert!(place.contains("@%p1 bra END"), "{place}");
    assert!(origin.contains("rcp.approx.f32 %f1, 0f40400000"), "{origin}");
    assert_eq!(Kernel::new(&branch("setp.eq.u32 %p1, %r1, 0"), 1, 1).words(), [1]);
    // A third is above zero and below a half, whichever of the numbers it is.
    assert_eq!(Kernel::new(&branch("setp.le.f32 %p1, %f1, 0f00000000"), 1, 1).words(), [1]);
    assert_eq!(Kernel::new(&branch("setp.gt.f32 %p1, %f1, 0f3f000000"), 1, 1).words(), [1]);
    assert!(
        Kernel::new(&branch("setp.gt.f32 %p1, %f1, 0f3eaaaaaa"), 1, 1)
            .indeterminate()
            .1
            .contains("rcp.approx")
    );
}

#[test]
fn a_tolerance_takes_the_place_of_the_bound_and_is_asked_of_what_is_computed() {
    let tolerance =
        |ulps| Tolerance { region: 0, offset: 0, stride: 0, size: 4, unit: ToleranceUnit::Ulps(ulps) };
    let mut narrower = of("ex2.approx.f32", &[ONE]);
    narrower.tolerate(&[tolerance(1)]);
    ends(&narrower, 0, &[TWO - 1, TWO + 1], &[TWO - 2, TWO + 2]);
    let mut wider = of("ex2.approx.f32", &[ONE]);
    wider.tolerate(&[tolerance(5)]);
    ends(&wider, 0, &[TWO - 5, TWO + 5], &[TWO - 6, TWO + 6]);
    let mut computed = stores_f1("rcp.approx.f32 %f1, 0f40800000; mul.f32 %f1, %f1, 0f40800000;");
    computed.tolerate(&[tolerance(2)]);
    ends(&computed, 0, &[ONE - 2, ONE, ONE + 2], &[ONE - 3, ONE + 3, 0]);
    let mut unbounded = of("sin.approx.f32", &[0x43a0_0000]);
    // 320 = 102π − 0.44245, and sin 320 = −0.42816: 0xbedb37.. A case may ask for more than the manual promises.
    unbounded.tolerate(&[Tolerance { unit: ToleranceUnit::Absolute(1e-3), ..tolerance(0) }]);
    ends(&unbounded, 0, &[(-0.4282f32).to_bits()], &[0.4282f32.to_bits(), (-0.43f32).to_bits()]);
}

#[test]
fn a_race_is_no_approximation() {
    let race = "rcp.approx.f32 %f1, 0f40400000; cvt.rn.f32.u32 %f2, %t; add.f32 %f1, %f1, %f2; st.global.f32 [%out], %f1;";
    let mut allowed = Kernel::new(race, 2, 1).allowed();
    allowed.tolerate(&[Tolerance { region: 0, offset: 0, stride: 0, size: 4, unit: ToleranceUnit::Ulps(1) }]);
    ends(&allowed, 0, &[0, 0x7fff_ffff], &[]);
}

#[test]
fn surfaces_keep_the_range_of_a_word() {
    let image = Surface {
        name: "image".into(),
        geometry: Geometry::D1,
        extent: [4, 1, 1],
        layers: 1,
        format: Format { channel: ChannelType::F32, channels: 1 },
        bytes: vec![0; 16],
        bound_to: None,
    };
    let body = "rcp.approx.f32 %f1, 0f40400000; mov.b32 %r1, %f1; mov.u32 %r2, 4; sust.b.1d.b32.trap [%surface, {%r2}], {%r1};";
    let allowed = Kernel::new(body, 1, 1).surface(image).allowed();
    let state = first(&allowed);
    let texels = state.regions.iter().find(|masked| masked.region.name == "image").unwrap();
    let [value] = &texels.values[..] else { panic!("{:?}", texels.values) };
    let Permits::Between(interval) = value.permitted else { panic!("{value:?}") };
    assert_eq!(
        (value.offset, interval.least, interval.greatest),
        (4, u64::from(THIRD) - 1, u64::from(THIRD) + 1)
    );
}

/// A row of texels, looked up at `x` with linear filtering.
fn filtered(texels: &[u8], format: Format, read: ReadMode, x: f32) -> Allowed {
    let size = format.channel.size() as usize;
    let image = Surface {
        name: "row".into(),
        geometry: Geometry::D1,
        extent: [(texels.len() / size) as u32, 1, 1],
        layers: 1,
        format,
        bytes: texels.to_vec(),
        bound_to: None,
    };
    let sampler = Sampler { filter: warpdiff_model::FilterMode::Linear, read, ..Sampler::default() };
    let body = format!(
        "mov.f32 %f1, 0f{:08x}; tex.1d.v4.f32.f32 {{%f1, _, _, _}}, [%texture, {{%f1}}]; st.global.f32 [%mine], %f1;",
        x.to_bits()
    );
    Kernel::new(&body, 1, 1).texture(Texture { image, sampler }).allowed()
}

#[test]
fn a_filtered_value_lies_between_the_readings_of_its_weights() {
    let format = Format { channel: ChannelType::F32, channels: 1 };
    let floats = |texels: &[f32]| texels.iter().flat_map(|texel| texel.to_le_bytes()).collect::<Vec<_>>();
    let bits = |values: &[f32]| values.iter().map(|value| value.to_bits()).collect::<Vec<_>>();
    let texels = floats(&[0.0, 256.0]);
    let at = |x: f32| filtered(&texels, format, ReadMode::Element, x);
    // 77.75 steps of 1/256: 77 truncated, 78 rounded. All products and sums are exact.
    ends(&at(0.803_710_94), 0, &bits(&[77.0, 77.5, 78.0]), &bits(&[76.99, 78.01, 0.0]));
    // 77.25 steps: 77 in both readings.
    ends(&at(0.801_757_8), 0, &bits(&[77.0]), &bits(&[77.25, 76.99, 78.0]));
    // A third has 24 bits, and a quarter of it and 3/4 of 1 have more: arithmetic in binary32 rounds them, and is off by no more than
    // 3 · 2^-23 · (1/3 + 1).
    let third = filtered(&floats(&[1.0 / 3.0, 1.0]), format, ReadMode::Element, 1.25);
    let mean = 0.25 * (1.0 / 3.0) + 0.75;
    ends(&third, 0, &bits(&[mean, mean + 4e-7, mean - 4e-7]), &bits(&[mean + 6e-7, mean - 6e-7]));
}

#[test]
fn filtered_integers_may_be_off_by_a_step_of_the_weights() {
    let format = Format { channel: ChannelType::U8, channels: 1 };
    let allowed = filtered(&[0, 255], format, ReadMode::NormalizedFloat, 0.75);
    let bits = |values: &[f32]| values.iter().map(|value| value.to_bits()).collect::<Vec<_>>();
    // A quarter within 1/256 = 0.00390625, and what rounding in binary32 may add.
    ends(&allowed, 0, &bits(&[0.25, 0.2461, 0.2539]), &bits(&[0.246, 0.254]));
    // 0.7 of a step, which is 0 or 1, and one step more or less: but no mean of 0 and 1 is below 0.
    let edge = filtered(&[0, 255], format, ReadMode::NormalizedFloat, 0.502_734_4);
    ends(&edge, 0, &bits(&[0.0, 0.003_906_25, 0.007_812_5]), &bits(&[-0.001, 0.01]));
    // The middle of a texel is the texel.
    let alone = filtered(&[0, 255], format, ReadMode::NormalizedFloat, 1.5);
    ends(&alone, 0, &bits(&[1.0]), &bits(&[0.999]));
}
