//! Happens-before knowledge of a thread beyond that from the barriers of its own CTA and warp.

use std::ops::Range;

/// A point in the history of a thread: one of its intervals, between two synchronisations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Interval {
    /// The thread.
    pub(crate) thread: u32,
    /// Number of earlier intervals of the thread.
    pub(crate) clock: u32,
    /// Its CTA.
    pub(crate) cta: u32,
    /// Its warp, numbered over the grid.
    pub(crate) warp: u32,
    /// Number of barriers its CTA had passed.
    pub(crate) cta_epoch: u32,
    /// Number of whole-warp synchronisations its warp had passed.
    pub(crate) warp_epoch: u32,
}

/// A group of threads that synchronises as a whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Group {
    /// A CTA.
    Cta(u32),
    /// A warp, numbered over the grid.
    Warp(u32),
}

/// A set of intervals, closed towards the past.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Knowledge {
    /// Per thread, all intervals up to and including this clock. Sorted by thread.
    threads: Vec<(u32, u32)>,
    /// Per group, all intervals before this epoch. Sorted by group.
    groups: Vec<(Group, u32)>,
}

impl Knowledge {
    /// Adds every interval of `thread` up to and including `clock`.
    pub(crate) fn add_thread(&mut self, thread: u32, clock: u32) {
        raise(&mut self.threads, thread, clock);
    }

    /// Adds every interval of `group` before `epoch`.
    pub(crate) fn add_group(&mut self, group: Group, epoch: u32) {
        if epoch > 0 {
            raise(&mut self.groups, group, epoch);
        }
    }

    /// Adds everything that `other` holds.
    pub(crate) fn join(&mut self, other: &Knowledge) {
        raise_all(&mut self.threads, &other.threads);
        raise_all(&mut self.groups, &other.groups);
    }

    /// Whether it holds `interval`.
    pub(crate) fn holds(&self, interval: Interval) -> bool {
        value_at(&self.threads, interval.thread).is_some_and(|clock| clock >= interval.clock)
            || self.holds_epoch(Group::Cta(interval.cta), interval.cta_epoch)
            || self.holds_epoch(Group::Warp(interval.warp), interval.warp_epoch)
    }

    /// Whether it holds every interval of `group` in `epoch` and before.
    pub(crate) fn holds_epoch(&self, group: Group, epoch: u32) -> bool {
        value_at(&self.groups, group).is_some_and(|known| known > epoch)
    }

    /// Removes knowledge that a barrier of `cta` has given to all its threads: all accesses of its threads and warps.
    pub(crate) fn forget_cta(&mut self, cta: u32, threads: Range<u32>, warps: Range<u32>) {
        self.threads.retain(|(thread, _)| !threads.contains(thread));
        self.groups.retain(|(group, _)| match group {
            Group::Cta(known) => *known != cta,
            Group::Warp(warp) => !warps.contains(warp),
        });
    }

    /// Whether it holds nothing.
    pub(crate) fn is_empty(&self) -> bool {
        self.threads.is_empty() && self.groups.is_empty()
    }
}

/// Raises the value at `key` of a sorted list to at least `value`.
fn raise<K: Ord + Copy>(list: &mut Vec<(K, u32)>, key: K, value: u32) {
    match list.binary_search_by_key(&key, |(k, _)| *k) {
        Ok(index) => list[index].1 = list[index].1.max(value),
        Err(index) => list.insert(index, (key, value)),
    }
}

/// Raises the values of a sorted list to at least those of another.
fn raise_all<K: Ord + Copy>(list: &mut Vec<(K, u32)>, other: &[(K, u32)]) {
    // At a contended place everybody soon knows of everybody.
    if list.len() == other.len() && list.iter().zip(other).all(|((a, _), (b, _))| a == b) {
        list.iter_mut().zip(other).for_each(|((_, known), (_, value))| *known = (*known).max(*value));
        return;
    }
    let mut from = 0;
    for (key, value) in other {
        // Both ascend: what lies before the last key holds none of the rest.
        match list[from..].binary_search_by_key(key, |(k, _)| *k) {
            Ok(index) => {
                from += index;
                list[from].1 = list[from].1.max(*value);
            }
            Err(index) => {
                from += index;
                list.insert(from, (*key, *value));
            }
        }
        from += 1;
    }
}

/// The value at `key` of a sorted list.
fn value_at<K: Ord + Copy>(list: &[(K, u32)], key: K) -> Option<u32> {
    list.binary_search_by_key(&key, |(k, _)| *k).ok().map(|index| list[index].1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_joined_as_one_value_after_the_other() {
        let lists: [&[(u32, u32)]; 7] = [
            &[],
            &[(1, 5)],
            &[(1, 7)],
            &[(0, 1), (1, 1), (2, 9)],
            &[(0, 3), (1, 0), (2, 3)],
            &[(2, 1), (4, 1), (9, 1)],
            &[(1, 2), (4, 3), (5, 1), (10, 1)],
        ];
        for (a, b) in lists.iter().flat_map(|a| lists.iter().map(move |b| (a, b))) {
            let (mut together, mut apart) = (a.to_vec(), a.to_vec());
            raise_all(&mut together, b);
            b.iter().for_each(|(key, value)| raise(&mut apart, *key, *value));
            assert_eq!(together, apart, "{a:?} and {b:?}");
        }
    }
}
