//! Loads, stores and prefetches (PTX ISA 9.7.9).

use super::{By, Row, WordGate, row};
use crate::vocabulary::Opcode::*;

pub(super) const ROWS: &[Row] = &[
    row(
        Ld,
        "?weak ?const|global|local|param|shared|shared::cta|param::entry|param::func ?ca|cg|cs|lu|cv ?v2|v4 .@mem",
        "=v0 []",
        10,
        10,
    ),
    row(Ld, "?weak ?global ?ca|cg|cs|lu|cv .@l2 ?v2|v4 .@mem", "=v0 []", 74, 75),
    row(Ld, "?weak ?global ?@evict ?@l2 ?v2|v4 .@mem", "=v0 []", 74, 70),
    row(Ld, "?weak ?global ?ca|cg|cs|lu|cv ?@evict .L2::cache_hint ?@l2 ?v2|v4 .@mem", "=v0 [] b64", 74, 80),
    row(Ld, ".volatile ?global|shared|shared::cta ?v2|v4 .@mem", "=v0 []", 10, 10),
    row(Ld, ".volatile ?global .@l2 ?v2|v4 .@mem", "=v0 []", 74, 75),
    row(
        Ld,
        ".relaxed|acquire .@scope ?global|shared|shared::cta ?@evict ?@l2 ?v2|v4 .@mem",
        "=v0 []",
        60,
        70,
    ),
    row(Ld, ".mmio .relaxed .sys ?global ?v2|v4 .@mem", "unsupported", 82, 70),
    row(Ld, ".global ?ca|cg|cs ?@evict .nc ?@evict ?@l2 ?v2|v4 .@mem", "=v0 []", 31, 32),
    row(Ld, "?weak|volatile|relaxed|acquire ?@scope ?shared::cluster ?v2|v4 .@mem", "unsupported", 78, 90),
    row(
        Ld,
        "?weak|volatile ?const|global|local|param|shared|shared::cta ?ca|cg|cs|lu|cv ?nc .b128",
        "unsupported",
        83,
        70,
    ),
    row(Ldu, "?global ?v2|v4 .@mem", "=v0 []", 20, 20),
    row(
        St,
        "?weak ?global|local|param|shared|shared::cta|param::func ?wb|cg|cs|wt ?v2|v4 .@mem",
        "[] v0",
        10,
        10,
    ),
    row(St, "?weak ?global ?@evict ?v2|v4 .@mem", "[] v0", 74, 70),
    row(St, "?weak ?global ?wb|cg|cs|wt ?@evict .L2::cache_hint ?v2|v4 .@mem", "[] v0 b64", 74, 80),
    row(St, ".volatile ?global|shared|shared::cta ?v2|v4 .@mem", "[] v0", 10, 10),
    row(St, ".relaxed|release .@scope ?global|shared|shared::cta ?@evict ?v2|v4 .@mem", "[] v0", 60, 70),
    row(St, ".mmio .relaxed .sys ?global ?v2|v4 .@mem", "unsupported", 82, 70),
    row(St, "?weak|volatile|relaxed|release ?@scope ?shared::cluster ?v2|v4 .@mem", "unsupported", 78, 90),
    row(
        St,
        "?weak|volatile ?global|local|param|shared|shared::cta ?wb|cg|cs|wt .b128",
        "unsupported",
        83,
        70,
    ),
    row(Prefetch, "?global|local .L1|L2", "[]", 20, 20),
    row(Prefetchu, ".L1", "[]", 20, 20),
];

/// Cache operators came with PTX 2.0 and sm_20 (PTX ISA 9.7.9.1); L2 prefetch sizes with 7.4 and sm_75 or sm_80.
pub(super) const GATES: &[WordGate] = &[
    WordGate { opcode: Ld, words: "ca|cg|cs|lu|cv", version: 20, target: 20, by: By::Both },
    WordGate { opcode: St, words: "wb|cg|cs|wt", version: 20, target: 20, by: By::Both },
    WordGate { opcode: Ld, words: "L2::64B|L2::128B", version: 74, target: 75, by: By::Both },
    WordGate { opcode: Ld, words: "L2::256B", version: 74, target: 80, by: By::Both },
    WordGate { opcode: Ld, words: "shared::cta", version: 78, target: 30, by: By::Both },
    WordGate { opcode: St, words: "shared::cta", version: 78, target: 30, by: By::Both },
    WordGate { opcode: Ld, words: "param::entry|param::func", version: 83, target: 30, by: By::Both },
    WordGate { opcode: Ld, words: "cluster", version: 78, target: 90, by: By::Both },
    WordGate { opcode: St, words: "cluster", version: 78, target: 90, by: By::Both },
    WordGate { opcode: Ld, words: "weak", version: 60, target: 70, by: By::Both },
    WordGate { opcode: St, words: "weak", version: 60, target: 70, by: By::Both },
];
