//! One deviation that explains all that is wrong in a run.
//!
//! What the kernel around every case shows makes cases of every family of instructions wrong. To diagnose each family by itself would take as many
//! searches, and would find for some families what fits them by accident.

use std::collections::BTreeMap;

use rayon::prelude::*;
use warpdiff_model::Deviation;

use crate::family_diagnosis::{FamilyDiagnosis, unrefuted};
use crate::judged_run::JudgedRun;
use crate::judged_variant::Standing;

/// Families with wrong variants from which on one cause of all is looked for. The instructions that one deviation is about are of fewer families,
/// where it does not show in every kernel.
const FAMILIES: usize = 8;
/// Wrong variants, each of another family, on which the whole catalogue is tried.
const PROBES: usize = 4;

/// The deviations of which each explains everything, right variants included. There are no sets if there is none.
pub(crate) fn of_everything(run: &JudgedRun<'_, '_>, room: &mut usize) -> FamilyDiagnosis {
    let wrong = run.telling();
    let runs = Deviation::all().filter(|deviation| deviation.entry().runs);
    let mut left: Vec<Vec<Deviation>> = runs.map(|deviation| vec![deviation]).collect();
    let probes = probes(run, &wrong);
    if probes.is_empty() {
        return FamilyDiagnosis::default();
    }
    for probe in probes {
        let judged = &run.judged[probe];
        let explains = |set: &Vec<Deviation>| {
            // What cannot show in it is what the specification says, which it is not.
            judged.may_show(set) && matches!(judged.against(None, &[set]).as_slice(), [Standing::Fits])
        };
        left = left.into_par_iter().filter(explains).collect();
        if left.is_empty() {
            return FamilyDiagnosis::default();
        }
    }
    let right = run.right(None);
    let standing = run.standing(None, &left, &run.wrong_then_right(&wrong, &right), room);
    let (sets, unchecked) = unrefuted(left.iter().zip(&standing));
    FamilyDiagnosis { sets, unchecked, ..FamilyDiagnosis::default() }
}

/// The smallest wrong variant of each of a few families, those with the most wrong variants. None if there are few families.
fn probes(run: &JudgedRun<'_, '_>, wrong: &[usize]) -> Vec<usize> {
    let mut families: BTreeMap<String, Vec<usize>> = BTreeMap::new();
    for index in wrong {
        if let Some(family) = run.judged[*index].blamed_family() {
            families.entry(family).or_default().push(*index);
        }
    }
    if families.len() < FAMILIES {
        return Vec::new();
    }
    let mut families: Vec<Vec<usize>> = families.into_values().collect();
    families.sort_by_key(|of| std::cmp::Reverse(of.len()));
    let smallest = |of: &Vec<usize>| of.iter().copied().min_by_key(|index| run.judged[*index].rows);
    families.iter().take(PROBES).filter_map(smallest).collect()
}
