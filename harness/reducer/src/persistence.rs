//! The question that the engine asks about smaller launches.

use warpdiff_model::Launch;

/// Something that a launch has, and that a smaller one should have, too.
pub trait Persistence {
    /// The first of the candidates that has it, with its number. The candidates are made when they are asked for.
    fn first(&mut self, candidates: &mut dyn Iterator<Item = (usize, Launch)>) -> Option<(usize, Launch)>;
}

/// Replaces the launch by the first of the candidates that has the property; answers which one that was.
pub(crate) fn take_first(
    launch: &mut Launch,
    judge: &mut dyn Persistence,
    candidates: impl Iterator<Item = Launch>,
) -> Option<usize> {
    let (number, found) = judge.first(&mut candidates.enumerate())?;
    *launch = found;
    Some(number)
}

/// Replaces the launch by the candidate if that has the property.
pub(crate) fn take(launch: &mut Launch, judge: &mut dyn Persistence, candidate: Launch) -> bool {
    candidate != *launch && take_first(launch, judge, std::iter::once(candidate)).is_some()
}
