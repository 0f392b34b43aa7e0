//! Pairs of halves, which machine code has from sm_53 on.

use super::kernel::{Spa, set, storing};

const ALL: u32 = u32::MAX;

fn with(instruction: &str, [a, b, c]: [u32; 3]) -> Spa {
    let body = set("R0", 0x1234_5678)
        + &set("R1", a)
        + &set("R2", b)
        + &set("R3", c)
        + instruction
        + "\n"
        + &storing(&["R0"]);
    Spa::new(&body, 1)
}

/// `R0`, before 0x12345678, after an instruction on `R1`, `R2` and `R3`.
fn of(instruction: &str, a: u32, b: u32, c: u32) -> u32 {
    with(instruction, [a, b, c]).words()[0]
}

fn defined(instruction: &str, a: u32, b: u32, c: u32) -> u32 {
    with(instruction, [a, b, c]).defined()[0]
}

// Halves: 1 is 3c00, 2 is 4000, 3 is 4200, 4 is 4400, 5 is 4500, 6 is 4600, 0.5 is 3800.

#[test]
fn each_lane_has_its_own_sum_and_product() {
    assert_eq!(of("HADD2 R0, R1, R2;", 0x4000_3c00, 0x3c00_4000, 0), 0x4200_4200);
    assert_eq!(of("HADD2 R0, -R1, |R2|;", 0x3c00_3c00, 0xc000_4200, 0), 0x3c00_4000);
    assert_eq!(of("HMUL2 R0, R1, -R2;", 0x4000_3c00, 0x4200_4200, 0), 0xc600_c200);
    assert_eq!(of("HFMA2 R0, R1, R2, -R3;", 0x4000_3c00, 0x4200_4200, 0x3c00_4000), 0x4500_3c00);
    assert_eq!(of("HADD2 R0, R1, 1, 2;", 0, 0, 0), 0x3c00_4000, "the upper half is written first");
    assert_eq!(of("HMUL2_32I R0, R1, 1.0009765625, 2;", 0x3c00_3c00, 0, 0), 0x3c01_4000);
    assert_eq!(of("HADD2_32I.SAT R0, -R1, 2, -1;", 0x3c00_3c00, 0, 0), 0x3c00_0000);
    // The third source is the destination, 0x1234 and 0x5678: 3 x 0 + that.
    assert_eq!(of("HFMA2_32I R0, R1, 0, 0, -R0;", 0x4200_4200, 0, 0), 0x9234_d678);
}

#[test]
fn lanes_of_sources() {
    let (a, b) = (0x4000_3c00, 0x4400_4200);
    assert_eq!(of("HADD2 R0, R1.H0_H0, R2.H0_H0;", a, b, 0), 0x4400_4400);
    assert_eq!(of("HADD2 R0, R1.H1_H1, R2;", a, b, 0), 0x4600_4500);
    assert_eq!(of("HADD2 R0, R1.F32, R2;", 3f32.to_bits(), a, 0), 0x4500_4400);
    assert_eq!(
        of("HFMA2 R0, R1, R2.H1_H1, R3.H0_H0;", a, b, 0x3c00_4000),
        0x4900_4600,
        "2 x 4 + 2, 1 x 4 + 2"
    );
}

#[test]
fn places_of_results() {
    let (a, b) = (0x4000_3c00, 0x4400_4200);
    assert_eq!(of("HADD2.MRG_H0 R0, R1, R2;", a, b, 0), 0x1234_4400);
    assert_eq!(of("HADD2.MRG_H1 R0, R1, R2;", a, b, 0), 0x4600_5678);
    assert_eq!(of("HADD2.F32 R0, R1, R2;", a, b, 0), 4f32.to_bits());
    // 1 + 2^-11: whether it is rounded to a half first is not known.
    assert_eq!(defined("HADD2.F32 R0, R1, R2;", 0x3c00, 0x1000, 0), 0);
}

#[test]
fn modes_and_nans() {
    assert_eq!(of("HADD2.FTZ R0, R1, R2;", 0x0001_0001, 0x8002_0001, 0), 0);
    assert_eq!(of("HADD2 R0, R1, R2;", 0x0001_0001, 0x8002_0001, 0), 0x8001_0002);
    assert_eq!(of("HFMA2.FTZ.SAT R0, R1, R2, R3;", 0x3c00_bc00, 0x4200_4200, 0), 0x3c00_0000);
    assert_eq!(with("HADD2 R0, R1, R2;", [0x7c00_fe01, 0xfc00_3c00, 0]).words_left(), [0x7fff_7fff]);
    assert_eq!(defined("HADD2 R0, R1, R2;", 0x7c00_fe01, 0xfc00_3c00, 0), 0x7e00_7e00);
    assert_eq!(defined("HMUL2.FMZ R0, R1, R2;", 0x3c00_0000, 0x3c00_7c00, 0), 0xffff_7fff);
    assert_eq!(of("HFMA2.FMZ R0, R1, R2, R3;", 0x0000_8001, 0x7c00_7e00, 0x3c00_4000), 0x3c00_4000);
    // One fused operation: (1 + 2^-10)(1 - 2^-10) - 1 = -2^-20.
    assert_eq!(of("HFMA2 R0, R1, R2, R3;", 0x3c01, 0x3bfe, 0xbc00), 0x8010);
}

#[test]
fn comparisons() {
    let (a, b) = (0x4000_3c00, 0x3c00_4000);
    assert_eq!(of("HSET2.LT.AND R0, R1, R2, PT;", a, b, 0), 0x0000_ffff);
    assert_eq!(of("HSET2.BF.GE.AND R0, R1, R2, PT;", a, b, 0), 0x3c00_0000);
    assert_eq!(of("HSET2.LT.XOR R0, R1, R2, PT;", a, b, 0), 0xffff_0000);
    assert_eq!(of("HSET2.EQ.FTZ.AND R0, R1, R2, PT;", 0x0001_0001, 0x8001_3c00, 0), 0xffff_0000);
    assert_eq!(of("HSET2.NEU.AND R0, R1, R1, PT;", 0x7e00_3c00, 0, 0), 0xffff_0000);
    let tests = |text: &str, a, b| {
        of(&format!("{text}\nSEL R0, RZ, 0x1, !P0;\nSEL R4, RZ, 0x2, !P1;\nLOP.OR R0, R0, R4;"), a, b, 0)
    };
    assert_eq!(tests("HSETP2.LT.AND P0, P1, R1, R2, PT;", a, b), 1, "P0 is of the lower halves");
    assert_eq!(tests("HSETP2.GT.AND P0, P1, R1, R2, PT;", a, b), 2);
    assert_eq!(tests("HSETP2.NE.H_AND.AND P0, P1, R1, R2, PT;", a, b), 1);
    assert_eq!(tests("HSETP2.LT.H_AND.AND P0, P1, R1, R2, PT;", a, b), 2);
    assert_eq!(tests("HSETP2.GEU.AND P0, P1, R1.H0_H0, R2.H1_H1, PT;", a, b), 3);
    // With a false predicate sources differ about the second result.
    let open = with("HSETP2.LT.H_AND.AND PT, P1, R1, R2, !PT;\nSEL R0, RZ, 0x2, !P1;", [a, b, 0]).defined();
    assert_eq!(open[0] & 2, 0);
    assert_eq!(open[0] | 2, ALL);
}
