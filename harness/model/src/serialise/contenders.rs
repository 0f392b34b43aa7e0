//! Atomics with `.SPIN` that contend for a bank: the machine executes one of them and refuses the others.
//!
//! Of the threads of a warp instruction whose addresses lie in one bank one does its compare-and-store; the others answer 0 and
//! do nothing. Which one is selected is seen if it stored. If nobody did, one of them was selected and failed.

use std::collections::BTreeMap;

use super::{Found, Serialisation, Step};
use crate::serial::{AtomicOp, Location};

/// What was read of a location: its final value and its steps, or what is the matter with them.
type Read = Result<(Option<u64>, Vec<Step>), String>;

/// One contender.
struct Member {
    location: usize,
    step: usize,
    compare: u64,
    found: Found,
}

/// What a group comes to.
enum Verdict {
    /// For each contender what it found.
    Settled(Vec<(usize, usize, Found)>),
    /// More than one stored: the locations concerned.
    Several(Vec<usize>, String),
    /// It is not seen what some of them did: the locations concerned.
    Hidden(Vec<usize>),
    /// Nobody stored, on several locations: one of these steps failed to find what it compares with.
    SomewhereFailed(Vec<(usize, usize, Found)>),
}

/// The groups of a set of locations.
pub(super) struct Groups {
    /// For each location and step what a group says of it, and the group's number.
    found: BTreeMap<(usize, usize), (Found, u32)>,
    /// For each location why it cannot be right, or cannot be decided.
    answers: BTreeMap<usize, Serialisation>,
    /// For each location whether a group of it is on others, too.
    loose: Vec<bool>,
}

impl Groups {
    /// Looks at the groups of `locations`, of which these steps were read.
    pub(super) fn of(locations: &[Location], read: &[Read]) -> Groups {
        let mut groups =
            Groups { found: BTreeMap::new(), answers: BTreeMap::new(), loose: vec![false; locations.len()] };
        let mut pending = Vec::new();
        for (number, (members, count)) in members(locations, read) {
            let first = members.first().map(|member| member.location);
            let spread = members.iter().any(|member| Some(member.location) != first);
            if spread || (members.len() as u32) < count {
                members.iter().for_each(|member| groups.loose[member.location] = true);
            }
            match verdict(&members, count) {
                Verdict::Settled(found) => groups.settle(number, found),
                Verdict::Several(at, why) => {
                    for location in at {
                        groups.answers.insert(location, Serialisation::Violates { why: why.clone() });
                    }
                }
                Verdict::Hidden(at) => {
                    let why = "it is not seen which of several contenders stored".to_owned();
                    for location in at {
                        groups
                            .answers
                            .entry(location)
                            .or_insert(Serialisation::Undecided { why: why.clone() });
                    }
                }
                Verdict::SomewhereFailed(steps) => pending.push((number, steps)),
            }
        }
        for (number, steps) in &pending {
            let nothing = steps.iter().map(|(location, step, _)| (*location, *step, Found::Anything));
            groups.settle(*number, nothing.collect());
        }
        for (number, steps) in pending {
            groups.place_failure(locations, read, number, &steps);
        }
        groups
    }

    fn settle(&mut self, number: u32, found: Vec<(usize, usize, Found)>) {
        for (location, step, found) in found {
            self.found.insert((location, step), (found, number));
        }
    }

    /// Finds a location on which one of these steps can have failed; that the others did nothing is settled. One by one that is exact
    /// where no thread repeats: what one failure needs does not hinder another.
    fn place_failure(
        &mut self,
        locations: &[Location],
        read: &[Read],
        number: u32,
        steps: &[(usize, usize, Found)],
    ) {
        for (location, step, found) in steps {
            self.found.insert((*location, *step), (*found, number));
            let Ok((last, all)) = &read[*location] else { continue };
            let fits = match self.applied(*location, all.clone()) {
                Ok(all) => {
                    !matches!(locations[*location].decide(*last, all, false), Serialisation::Violates { .. })
                }
                Err(_) => true,
            };
            if fits {
                return;
            }
            self.found.insert((*location, *step), (Found::Anything, number));
        }
        let why = format!(
            "none of {} contenders stored, and none found another value than it compares with",
            steps.len()
        );
        for (location, ..) in steps {
            self.answers.insert(*location, Serialisation::Violates { why: why.clone() });
        }
    }

    /// The steps of a location with what its groups say of them.
    ///
    /// # Errors
    /// The answer, if the groups already give it.
    pub(super) fn applied(&self, location: usize, mut steps: Vec<Step>) -> Result<Vec<Step>, Serialisation> {
        if let Some(answer) = self.answers.get(&location) {
            return Err(answer.clone());
        }
        for ((_, step), (found, group)) in self.found.range((location, 0)..(location + 1, 0)) {
            steps[*step].found = *found;
            steps[*step].joint = Some(*group);
        }
        Ok(steps)
    }

    /// Whether a group of the location is on others, too, so that its steps happen at once with some that are not looked at.
    pub(super) fn is_loose(&self, location: usize) -> bool {
        self.loose[location]
    }
}

/// The contenders of each group, and how many it has in all.
fn members(locations: &[Location], read: &[Read]) -> BTreeMap<u32, (Vec<Member>, u32)> {
    let mut groups: BTreeMap<u32, (Vec<Member>, u32)> = BTreeMap::new();
    for (location, steps) in read.iter().enumerate() {
        let Ok((_, steps)) = steps else { continue };
        for (step, operation) in locations[location].operations.iter().enumerate() {
            let (Some(spin), AtomicOp::Cast(compare, _)) = (operation.spin, operation.op) else { continue };
            let group = groups.entry(spin.group).or_insert_with(|| (Vec::new(), spin.contenders));
            group.0.push(Member { location, step, compare, found: steps[step].found });
        }
    }
    groups
}

fn verdict(members: &[Member], count: u32) -> Verdict {
    let stored: Vec<&Member> =
        members.iter().filter(|member| matches!(member.found, Found::Value(_))).collect();
    let everywhere = || members.iter().map(|member| member.location).collect();
    let each = |found: &dyn Fn(&Member) -> Found| {
        members.iter().map(|member| (member.location, member.step, found(member))).collect()
    };
    if stored.len() > 1 {
        let why = format!("{} of {count} contenders stored, of which one is selected", stored.len());
        return Verdict::Several(everywhere(), why);
    }
    if stored.len() == 1 {
        return Verdict::Settled(each(&|member| match member.found {
            Found::Value(_) => member.found,
            _ => Found::Anything,
        }));
    }
    if members.iter().any(|member| member.found == Found::Unseen) {
        return Verdict::Hidden(everywhere());
    }
    // The one that stored may be among those that are not here; and of two on one location that compare with different values,
    // one fails whatever is there.
    let compares_differ = members.iter().any(|member| {
        members.iter().any(|other| other.location == member.location && other.compare != member.compare)
    });
    if (members.len() as u32) < count || compares_differ {
        return Verdict::Settled(each(&|_| Found::Anything));
    }
    let mut first_of: BTreeMap<usize, (usize, usize, Found)> = BTreeMap::new();
    for member in members {
        first_of.entry(member.location).or_insert((member.location, member.step, member.found));
    }
    if first_of.len() > 1 {
        return Verdict::SomewhereFailed(each(&|member| member.found));
    }
    let (_, failed, _) = first_of.into_values().next().unwrap_or((0, 0, Found::Anything));
    Verdict::Settled(each(&|member| if member.step == failed { member.found } else { Found::Anything }))
}
