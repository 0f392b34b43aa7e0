//! Deviations of atomic operations on memory, of PTX and of SPA 5.0.

use super::deviation::Deviation;
use super::entry::Origin::{Project, Reading};
use super::entry::{Entry, family};
use crate::MismatchClass;

family! { "atomics", from super::surface::END;
    /// `atom.inc` wraps when the old value is greater than the bound, instead of greater or equal.
    AtomIncOffByOne = "atom.inc-off-by-one" {
        is: Atomicity,
        origin: [Reading],
        breaks: ["atom.inc", "red.inc", "spa.atoms.inc"],
        shown_by: ["atom|red .inc", "ATOMS .INC"],
    }
    /// `atom.dec` ignores that the old value is greater than the bound.
    AtomDecIgnoresGreater = "atom.dec-ignores-greater" {
        is: Atomicity,
        origin: [Reading],
        breaks: ["atom.dec", "red.dec", "spa.atoms.dec"],
        shown_by: ["atom|red .dec", "ATOMS .DEC"],
    }
    /// `atom.cas` returns the new value instead of the old one.
    AtomCasReturnsNew = "atom.cas-returns-new" {
        is: Atomicity,
        origin: [Reading],
        breaks: ["atom.cas", "atom.returns-old", "spa.atoms.cas"],
        shown_by: ["atom|red .cas", "ATOMS .CAS"],
    }
    /// `atom.min` and `atom.max` on signed types compare as unsigned.
    AtomMinMaxUnsigned = "atom.min-max-unsigned" {
        is: Atomicity,
        origin: [Reading],
        breaks: ["atom.min", "atom.max", "red.minmax", "spa.atoms.signed"],
        shown_by: ["atom|red .min|.max :signed", "ATOMS .MIN|.MAX"],
    }
    /// `atom.min` and `atom.max` on unsigned types compare as signed.
    AtomMinMaxSigned = "atom.min-max-signed" {
        is: Atomicity,
        origin: [Project("llvm/llvm-project #200735; google/swiftshader commit f31bdada2")],
        breaks: ["atom.min", "atom.max", "red.minmax"],
        shown_by: ["atom|red .min|.max"],
    }
    /// Predicated-off lanes of a warp execute `atom` and `red` all the same.
    AtomPredicateIgnored = "atom.predicate-ignored" {
        is: Atomicity,
        origin: [Reading],
        breaks: ["predication"],
        shown_by: ["atom|red @"],
    }
    /// `.inc` and `.dec` add and subtract one whatever the bound.
    AtomIncUnbounded = "atom.inc-dec-unbounded" {
        is: Atomicity,
        origin: [Project("CHIP-SPV/chipStar commit 3c1d6103; eyalroz/cuda-kat #16")],
        breaks: ["atom.inc", "atom.dec", "red.inc", "red.dec", "spa.atoms.inc", "spa.atoms.dec"],
        shown_by: ["atom|red .inc|.dec", "ATOMS .INC|.DEC"],
    }
    /// `.inc` keeps the old value where it must wrap to zero.
    AtomIncStays = "atom.inc-stays" {
        is: Atomicity,
        origin: [Project("ROCm-Developer-Tools/llvm-project #83")],
        breaks: ["atom.inc", "red.inc", "spa.atoms.inc"],
        shown_by: ["atom|red .inc", "ATOMS .INC"],
    }
    /// `.min` and `.max` return the new value.
    AtomExtremumReturnsNew = "atom.min-max-returns-new" {
        is: Atomicity,
        origin: [Project("numba/numba #6020, commit 33e41e8d1")],
        breaks: ["atom.returns-old", "spa.atoms.returns"],
        shown_by: ["atom .min|.max", "ATOMS .MIN|.MAX"],
    }
    /// `atom` and `ATOMS` return zero in place of the old value.
    AtomReturnsZero = "atom.returns-nothing" {
        is: Atomicity,
        origin: [Project("numba/numba #5458, #3619: the old value is not returned")],
        breaks: ["atom.returns-old", "spa.atoms.returns"],
        shown_by: ["atom", "ATOMS"],
    }
    /// `.exch` stores nothing.
    AtomExchKeeps = "atom.exch-keeps" {
        is: Atomicity,
        origin: [Reading],
        breaks: ["atom.exch", "spa.atoms.exch"],
        shown_by: ["atom .exch", "ATOMS .EXCH"],
    }
    /// `.cas` stores whatever it finds.
    AtomCasAlwaysStores = "atom.cas-always-stores" {
        is: Atomicity,
        origin: [Reading],
        breaks: ["atom.cas", "spa.atoms.cas"],
        shown_by: ["atom .cas", "ATOMS .CAS"],
    }
    /// `.or` is an exclusive or.
    AtomOrAsXor = "atom.or-as-xor" {
        is: Atomicity,
        origin: [Reading],
        breaks: ["atom.bitwise", "red.bitwise", "spa.atoms.or"],
        shown_by: ["atom|red .or", "ATOMS .OR"],
    }
}
