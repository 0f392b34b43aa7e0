//! The alternatives of choices that may change a run.

use crate::choice::ChoiceSet;
use crate::{Assignment, Choice, Semantics};

/// A set of alternatives, each of a choice.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Alternatives(u128);

/// For each choice the place of its first alternative among those of all choices, and how many there are at the end.
const FIRST: [u8; Choice::COUNT + 1] = {
    let (mut first, mut choice) = ([0; Choice::COUNT + 1], 0);
    while choice < Choice::COUNT {
        first[choice + 1] = first[choice] + Choice::ALL[choice].alternatives.len() as u8;
        choice += 1;
    }
    first
};

/// The choice that each alternative is of, by its place among those of all choices.
const OF_EACH: [u8; FIRST[Choice::COUNT] as usize] = {
    let (mut of_each, mut choice, mut place) = ([0; FIRST[Choice::COUNT] as usize], 0, 0);
    while choice < Choice::COUNT {
        while place < FIRST[choice + 1] as usize {
            of_each[place] = choice as u8;
            place += 1;
        }
        choice += 1;
    }
    of_each
};

const _: () = assert!(FIRST[Choice::COUNT] as u32 <= u128::BITS, "a set has a bit for each alternative");

impl Alternatives {
    /// All of these choices.
    pub fn of_all(choices: ChoiceSet) -> Self {
        let mut all = Self::default();
        choices.iter().for_each(|choice| all.insert_all(choice));
        all
    }

    /// Adds an alternative of a choice.
    pub fn insert(&mut self, choice: Choice, alternative: u8) {
        self.0 |= 1 << (FIRST[choice as usize] + alternative);
    }

    /// Adds all of a choice.
    pub fn insert_all(&mut self, choice: Choice) {
        let [first, next] = [choice as usize, choice as usize + 1].map(|place| FIRST[place]);
        self.0 |= ((1 << (next - first)) - 1) << first;
    }

    /// Whether it holds that one.
    pub fn contains(self, choice: Choice, alternative: u8) -> bool {
        self.0 >> (FIRST[choice as usize] + alternative) & 1 == 1
    }

    /// Adds all of another set.
    pub fn extend(&mut self, other: Self) {
        self.0 |= other.0;
    }

    /// Those of the choices that `wanted` selects.
    #[must_use]
    pub fn only(self, wanted: impl Fn(Choice) -> bool) -> Self {
        let mut set = Self::default();
        self.iter().filter(|(choice, _)| wanted(*choice)).for_each(|(choice, of)| set.insert(choice, of));
        set
    }

    /// Its alternatives, with the choices that they are of, in the order of [`Choice::ALL`].
    pub fn iter(self) -> impl Iterator<Item = (Choice, u8)> {
        let mut left = self.0;
        std::iter::from_fn(move || {
            let place = left.trailing_zeros() as usize;
            let of = *OF_EACH.get(place)?;
            left &= left - 1;
            Some((Choice::ALL[usize::from(of)].choice, place as u8 - FIRST[usize::from(of)]))
        })
    }

    /// Whether a run under `other` surely does the same as the run under `run`. This set has to hold every alternative that may change the latter.
    /// The two do the same if the assignments differ in one choice, and the set lacks the alternative that `other` takes.
    pub fn leave_alike(self, run: Assignment, other: Assignment) -> bool {
        run.only_change(other).is_some_and(|choice| !self.contains(choice, other.get(choice)))
    }

    /// Adds to the assignments those that differ from one of them in an alternative of this set; `false` when there would be more than
    /// `most`.
    pub fn widen(self, assignments: &mut Vec<Assignment>, most: usize) -> bool {
        let mut index = 0;
        while index < assignments.len() {
            for (choice, alternative) in self.iter() {
                let candidate = assignments[index].with(choice, alternative);
                if assignments.contains(&candidate) {
                    continue;
                }
                if assignments.len() == most {
                    return false;
                }
                assignments.push(candidate);
            }
            index += 1;
        }
        true
    }
}

/// What a run consulted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Consulted {
    /// The choices.
    pub choices: ChoiceSet,
    /// Those of their alternatives that may change the run.
    pub differing: Alternatives,
    /// Whether [`Consulted::weigh`] looks for the alternatives that change the run.
    weighs: bool,
}

impl Consulted {
    /// Nothing yet. [`Consulted::weigh`] looks for alternatives that change the run if it `weighs`, and else notes choices alone.
    pub fn weighing(weighs: bool) -> Self {
        Self { weighs, ..Self::default() }
    }

    /// Notes a choice. Each of its alternatives may change the run.
    pub fn note(&mut self, choice: Choice) {
        self.choices.insert(choice);
        self.differing.insert_all(choice);
    }

    /// Applies a rule and notes every choice that it consults. Each alternative of these choices may change the run.
    pub fn noting<R>(&mut self, rule: impl FnOnce(&mut ChoiceSet) -> R) -> R {
        let mut choices = ChoiceSet::default();
        let result = rule(&mut choices);
        if choices != ChoiceSet::default() {
            choices.iter().for_each(|choice| self.note(choice));
        }
        result
    }

    /// Notes the choices that a rule consulted for one of its results. If that is wanted (see [`Consulted::weighing`]), it notes as well which alternatives
    /// of these choices change the result under some alternatives of the others. If all are known to do so already, the rule is not applied again.
    ///
    /// The rule has no effect but its result, and consults each choice that the result depends on.
    #[inline]
    pub fn weigh<R: PartialEq>(
        &mut self,
        choices: ChoiceSet,
        semantics: &Semantics,
        rule: impl Fn(&Semantics, &mut ChoiceSet) -> R,
    ) {
        self.choices.extend(choices);
        if self.weighs && choices != ChoiceSet::default() {
            self.note_differing(choices, semantics, rule);
        }
    }

    /// Notes the alternatives of these choices that change the result of the rule.
    #[cold]
    fn note_differing<R: PartialEq>(
        &mut self,
        choices: ChoiceSet,
        semantics: &Semantics,
        rule: impl Fn(&Semantics, &mut ChoiceSet) -> R,
    ) {
        let taken = semantics.assignment;
        let is_known = |choice: Choice| {
            let mut others =
                (0..choice.info().alternatives.len() as u8).filter(|one| *one != taken.get(choice));
            others.all(|alternative| self.differing.contains(choice, alternative))
        };
        if choices.iter().all(is_known) {
            return;
        }
        let Some(results) = Results::of(choices, semantics, rule) else {
            choices.iter().for_each(|choice| self.note(choice));
            return;
        };
        results.each_change(|choice, alternative| self.differing.insert(choice, alternative));
    }

    /// Adds what another run consulted.
    pub fn extend(&mut self, other: Self) {
        self.choices.extend(other.choices);
        self.differing.extend(other.differing);
    }
}

/// Assignments of the choices of one result that are looked at; where there are more, each alternative counts as one that differs.
const OF_ONE_RESULT: usize = 12;

/// The results of a rule under every combination of alternatives of the choices that it consults.
struct Results<R> {
    /// The first one is that of the semantics; each of the others differs from it in one choice or several.
    assignments: Vec<Assignment>,
    /// The result under each of them.
    results: Vec<R>,
    /// The choices, each with the number of assignments that were there before it was added. These have the alternative taken; behind them are the
    /// same ones with each other alternative.
    choices: Vec<(Choice, usize)>,
}

impl<R: PartialEq> Results<R> {
    /// Applies a rule under every combination of alternatives of these choices, and of those that it consults on the way. `None` if there are too
    /// many.
    fn of(
        choices: ChoiceSet,
        semantics: &Semantics,
        rule: impl Fn(&Semantics, &mut ChoiceSet) -> R,
    ) -> Option<Self> {
        let mut consulted = choices;
        let mut table = Self {
            assignments: Vec::with_capacity(OF_ONE_RESULT),
            results: Vec::with_capacity(OF_ONE_RESULT),
            choices: Vec::new(),
        };
        table.assignments.push(semantics.assignment);
        let mut known = ChoiceSet::default();
        while table.results.len() < table.assignments.len() {
            let assignment = table.assignments[table.results.len()];
            table.results.push(rule(&semantics.under(assignment), &mut consulted));
            if consulted != known {
                let is_new = |choice: &Choice| !known.contains(*choice);
                if !consulted.iter().filter(is_new).all(|choice| table.add(choice)) {
                    return None;
                }
                known = consulted;
            }
        }
        Some(table)
    }

    /// Adds the assignments that take another alternative of this choice; `false` if there would be too many.
    fn add(&mut self, choice: Choice) -> bool {
        let before = self.assignments.len();
        let alternatives = choice.info().alternatives.len();
        if before * alternatives > OF_ONE_RESULT {
            return false;
        }
        let taken = self.assignments[0].get(choice);
        for alternative in (0..alternatives as u8).filter(|one| *one != taken) {
            for index in 0..before {
                self.assignments.push(self.assignments[index].with(choice, alternative));
            }
        }
        self.choices.push((choice, before));
        true
    }

    /// Hands on each alternative that changes a result under some alternatives of the other choices.
    fn each_change(&self, mut take: impl FnMut(Choice, u8)) {
        for (choice, before) in &self.choices {
            let alternatives = choice.info().alternatives.len();
            for (index, result) in self.results.iter().enumerate() {
                let turn = index / before % alternatives;
                if turn != 0 && *result != self.results[index - turn * before] {
                    take(*choice, self.assignments[index].get(*choice));
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Of `surface.clamp-place` there are three alternatives, of `surface.straddle` two.
    const PLACE: Choice = Choice::SurfaceClampPlace;
    const STRADDLE: Choice = Choice::SurfaceStraddle;

    #[test]
    fn sets_of_alternatives() {
        let mut set = Alternatives::default();
        set.insert(PLACE, 2);
        set.insert(STRADDLE, 1);
        assert_eq!(set.iter().collect::<Vec<_>>(), [(STRADDLE, 1), (PLACE, 2)]);
        assert_eq!(set.only(|choice| choice == PLACE).iter().collect::<Vec<_>>(), [(PLACE, 2)]);
        assert!(!set.contains(PLACE, 1) && !set.contains(PLACE, 0) && set.contains(PLACE, 2));
        set.insert_all(PLACE);
        assert_eq!(set.iter().collect::<Vec<_>>(), [(STRADDLE, 1), (PLACE, 0), (PLACE, 1), (PLACE, 2)]);
        let last = Choice::ALL[Choice::COUNT - 1];
        set.insert_all(last.choice);
        assert_eq!(set.iter().count(), 4 + last.alternatives.len());
    }

    #[test]
    fn assignments_differ_in_each_alternative_and_together() {
        let mut set = Alternatives::default();
        set.insert(PLACE, 2);
        set.insert(STRADDLE, 1);
        let bare = Assignment::default();
        let mut all = vec![bare];
        assert!(set.widen(&mut all, 4));
        let both = bare.with(PLACE, 2).with(STRADDLE, 1);
        assert_eq!(all, [bare, bare.with(STRADDLE, 1), bare.with(PLACE, 2), both]);
        assert!(set.widen(&mut all, 4), "there is nothing to add");
        assert!(!set.widen(&mut vec![bare], 3));
    }

    /// What two choices do together is not known of what each does alone.
    #[test]
    fn runs_are_alike_under_assignments_that_differ_in_one_choice_that_does_not_matter() {
        let mut set = Alternatives::default();
        set.insert(PLACE, 2);
        let bare = Assignment::default();
        assert!(set.leave_alike(bare, bare.with(PLACE, 1)));
        assert!(set.leave_alike(bare, bare.with(STRADDLE, 1)));
        assert!(!set.leave_alike(bare, bare.with(PLACE, 2)));
        assert!(!set.leave_alike(bare, bare.with(STRADDLE, 1).with(PLACE, 1)));
        assert!(!set.leave_alike(bare, bare.with(STRADDLE, 1).with(PLACE, 2)));
        assert!(!set.leave_alike(bare, bare), "there is nothing to compare");
    }

    /// The alternatives noted for a rule, taken under an assignment.
    fn weighed(taken: Assignment, rule: fn(&Assignment, &mut ChoiceSet) -> u8) -> Consulted {
        let semantics = Semantics::default().under(taken);
        let rule = |semantics: &Semantics, choices: &mut ChoiceSet| rule(&semantics.assignment, choices);
        let (mut choices, mut consulted) = (ChoiceSet::default(), Consulted::weighing(true));
        rule(&semantics, &mut choices);
        consulted.weigh(choices, &semantics, rule);
        assert_eq!(consulted.choices, choices);
        // What is known is not asked for again.
        let before = consulted;
        let mut of_all = Consulted { differing: Alternatives::of_all(choices), ..consulted };
        of_all.weigh(choices, &semantics, |_, _| -> u8 { panic!("all are known") });
        consulted.weigh(choices, &semantics, rule);
        assert_eq!(consulted, before);
        consulted
    }

    fn differing(consulted: &Consulted) -> Vec<(Choice, u8)> {
        consulted.differing.iter().collect()
    }

    #[test]
    fn of_a_result_only_what_makes_it_another_one_is_noted() {
        let is_last = |assignment: &Assignment, choices: &mut ChoiceSet| {
            choices.insert(PLACE);
            choices.insert(STRADDLE);
            u8::from(assignment.get(PLACE) == 2)
        };
        let bare = Assignment::default();
        assert_eq!(differing(&weighed(bare.with(PLACE, 1), is_last)), [(PLACE, 2)]);
        assert_eq!(differing(&weighed(bare.with(PLACE, 2), is_last)), [(PLACE, 0), (PLACE, 1)]);
        let mut unwanted = Consulted::weighing(false);
        let choices = {
            let mut all = ChoiceSet::default();
            all.insert(PLACE);
            all
        };
        unwanted.weigh(choices, &Semantics::default(), |_, _| -> u8 { panic!("nothing is wanted") });
        assert_eq!((unwanted.choices, differing(&unwanted)), (choices, vec![]));
    }

    /// An alternative is noted if it alone changes the result of an assignment that has the choice as taken. The test compares what is noted with
    /// all pairs of assignments, for results that are drawn.
    #[test]
    fn of_any_table_of_results_every_change_is_noted() {
        let choices = [STRADDLE, Choice::SurfaceLayer, PLACE];
        let alternatives = |choice: Choice| 0..choice.info().alternatives.len() as u8;
        let mut all = vec![Assignment::default()];
        for choice in choices {
            let each =
                |one: &Assignment| alternatives(choice).map(|of| one.with(choice, of)).collect::<Vec<_>>();
            all = all.iter().flat_map(each).collect();
        }
        assert_eq!(all.len(), OF_ONE_RESULT, "as many as are looked at");
        let mut drawn = 0x9E37_79B9_7F4A_7C15_u64;
        for _ in 0..2_000 {
            drawn ^= drawn << 13;
            drawn ^= drawn >> 7;
            drawn ^= drawn << 17;
            let place = |assignment: &Assignment| all.iter().position(|one| one == assignment).unwrap();
            let result = |assignment: &Assignment| drawn >> (2 * place(assignment)) & 3;
            let taken = all[(drawn >> 40) as usize % all.len()];
            let mut expected = Alternatives::default();
            for (one, other) in all.iter().flat_map(|one| all.iter().map(move |other| (one, other))) {
                if let Some(choice) = one.only_change(*other)
                    && one.get(choice) == taken.get(choice)
                    && result(one) != result(other)
                {
                    expected.insert(choice, other.get(choice));
                }
            }
            let rule = |semantics: &Semantics, consulted: &mut ChoiceSet| {
                choices.iter().for_each(|choice| consulted.insert(*choice));
                result(&semantics.assignment)
            };
            let semantics = Semantics::default().under(taken);
            let (mut consulted, mut found) = (ChoiceSet::default(), Consulted::weighing(true));
            rule(&semantics, &mut consulted);
            found.weigh(consulted, &semantics, rule);
            assert_eq!(found.differing, expected, "{drawn:#x}");
        }
    }

    /// A layer that is not there is out of bounds, or the last one; in that, a straddle may be out of bounds in part. Neither alternative
    /// changes anything alone.
    #[test]
    fn alternatives_that_differ_together_are_noted() {
        let rule = |assignment: &Assignment, choices: &mut ChoiceSet| {
            choices.insert(Choice::SurfaceLayer);
            if assignment.get(Choice::SurfaceLayer) == 0 {
                return 0;
            }
            choices.insert(STRADDLE);
            assignment.get(STRADDLE)
        };
        let noted = weighed(Assignment::default(), rule);
        assert_eq!(differing(&noted), [(STRADDLE, 1), (Choice::SurfaceLayer, 1)]);
    }

    /// Three choices with three, two and six alternatives are too many.
    #[test]
    fn of_very_many_assignments_each_alternative_is_noted() {
        let rule = |_: &Assignment, choices: &mut ChoiceSet| {
            [PLACE, STRADDLE, Choice::TextureCubeTie].into_iter().for_each(|choice| choices.insert(choice));
            0
        };
        assert_eq!(differing(&weighed(Assignment::default(), rule)).len(), 11);
    }
}
