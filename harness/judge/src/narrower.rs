//! Which of several deviations that explain the same is the narrower one, and so is named.
//!
//! `surface.mode-ignored` reproduces whatever `suld.clamp-as-zero` does, wherever only loads with `.clamp` were observed. The rule:
//!
//! A deviation is *narrower* than another if each requirement that it breaks is one that the other breaks, and each instruction that can
//! show it can show the other, by their patterns, in the languages in which the other shows, and one of the two is not so the other way round. It claims less of the target, so where
//! both fit it is named, and the other is mentioned as wider. Of two that are not narrower than each other both are named.
//!
//! The rule reads what the catalogue states and nothing else, so that the same two deviations have the same relation in every run.

use warpdiff_model::Deviation;

use crate::shown_by::is_shown_within;

/// Whether one deviation is narrower than the other.
pub fn is_narrower(narrow: Deviation, wide: Deviation) -> bool {
    lies_within(narrow, wide) && !lies_within(wide, narrow)
}

/// Whether what it breaks and what can show it is all among that of the other. What breaks nothing is permitted, and has no place in this
/// order.
fn lies_within(narrow: Deviation, wide: Deviation) -> bool {
    let (breaks, around) = (narrow.entry().breaks, wide.entry().breaks);
    !breaks.is_empty() && breaks.iter().all(|id| around.contains(id)) && is_shown_within(narrow, wide)
}

/// Whether a set of deviations is narrower than another one of the same size: each member is, or is among the others.
pub fn is_narrower_set(narrow: &[Deviation], wide: &[Deviation]) -> bool {
    let own: Vec<Deviation> = narrow.iter().copied().filter(|one| !wide.contains(one)).collect();
    let other: Vec<Deviation> = wide.iter().copied().filter(|one| !narrow.contains(one)).collect();
    !own.is_empty()
        && own.len() == other.len()
        && own.iter().all(|one| other.iter().any(|wide| is_narrower(*one, *wide)))
        && other.iter().all(|wide| own.iter().any(|one| is_narrower(*one, *wide)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_load_that_ignores_clamp_is_narrower_than_all_accesses_that_ignore_the_mode() {
        let (load, all) = (Deviation::SuldClampAsZero, Deviation::SurfaceModeIgnored);
        assert!(is_narrower(load, all));
        assert!(!is_narrower(all, load) && !is_narrower(load, load));
        // Neither breaks all that the other does.
        let store = Deviation::SustClampAsZero;
        assert!(!is_narrower(load, store) && !is_narrower(store, load));
        assert!(is_narrower(store, all));
    }

    /// That the decoder of PTX alone knows the wider one says nothing against it.
    #[test]
    fn a_language_that_the_wider_one_does_not_show_in_does_not_count() {
        let (narrow, wide) = (Deviation::SuredPNarrowUnsigned, Deviation::SuredPSignFromOpcode);
        assert!(lies_within(narrow, wide));
    }

    #[test]
    fn a_set_is_narrower_by_its_members() {
        let (load, all) = (Deviation::SuldClampAsZero, Deviation::SurfaceModeIgnored);
        let (other, third) = (Deviation::SurfaceVectorReversed, Deviation::SurfaceYWraps);
        assert!(is_narrower_set(&[other, load], &[all, other]));
        assert!(!is_narrower_set(&[all, other], &[other, load]));
        assert!(!is_narrower_set(&[other, load], &[other, load]));
        assert!(!is_narrower_set(&[other, load], &[third, all]), "they are about other things");
    }

    /// The relation is an order: none is narrower than itself by way of others.
    #[test]
    fn no_two_are_narrower_than_each_other() {
        for one in Deviation::all() {
            for other in Deviation::all() {
                assert!(!(is_narrower(one, other) && is_narrower(other, one)), "{one} {other}");
            }
        }
    }
}
