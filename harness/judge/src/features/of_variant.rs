//! The features of a variant: those of its programs, its launches, and what it expects.

use std::collections::BTreeSet;

use warpdiff_corpus::plan::{Variant, Work};
use warpdiff_emulator::Checked;

use super::feature::{Collected, Feature};
use super::{launch, ptx, spa};
use crate::reference::Programs;

/// Why a variant has no features.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Without {
    /// It launches nothing: an assembler answers it.
    Legality,
    /// The reference cannot read its program.
    Unread,
}

/// Every feature that a target must have to run the whole variant, those of the kernel around a table among them.
///
/// # Errors
/// If it launches nothing, or has a program that the reference cannot read.
pub fn of_variant(variant: &Variant) -> Result<BTreeSet<Feature>, Without> {
    let launches = match &variant.work {
        Work::Launches(launches) => launches,
        Work::Legality(_) => return Err(Without::Legality),
        Work::Unsupported(_) => return Err(Without::Unread),
    };
    let mut programs = Programs::default();
    let mut found = BTreeSet::new();
    for planned in launches {
        let compiled = programs.get(&planned.launch.program).map_err(|_| Without::Unread)?;
        let mut of_launch = Collected::default();
        match &compiled.checked {
            Checked::Ptx(module) => ptx::add(&compiled.text, module, &mut of_launch),
            Checked::Spa(program) => spa::add(program, &mut of_launch),
        }
        planned.launches().iter().for_each(|planned| launch::add(planned, &mut of_launch));
        found.append(&mut of_launch.0);
    }
    Ok(found)
}
