//! Deviations of atomic operations on memory, of PTX and of SPA 5.0.

use super::deviation::Deviation;
use super::entry::Origin::Reading;
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
}
