//! What is added to a program, and what is left out of it, with the lines of the program that this belongs to.

use std::collections::{BTreeMap, BTreeSet};

/// On which side of a line an instruction is added.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Side {
    Before,
    After,
}

/// What an added instruction does to its register.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Wrap {
    /// It becomes zero; a predicate becomes false.
    Zero,
    /// These bits become zero.
    Clear(u64),
    /// It becomes what this instruction gives it.
    Becomes(String),
    /// It becomes this number where it is greater.
    AtMost(u64),
}

/// Which of the instructions at one place an added one is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Order {
    /// What defines the register.
    Defines,
    /// What then limits its value.
    Limits,
}

/// Where an added instruction stands: its line, the side of it, and its register.
pub(super) type Place = (u32, Side, String);

/// Everything that is done to a program.
#[derive(Clone, Debug, Default)]
pub(super) struct Wraps {
    added: BTreeMap<(Place, Order), Wrap>,
    left_out: BTreeSet<u32>,
}

impl Wraps {
    /// How many instructions the program has more than before; less than zero if it has fewer.
    pub(super) fn growth(&self) -> isize {
        self.added.len() as isize - self.left_out.len() as isize
    }

    /// Adds an instruction, or makes the one there do more; answers whether that is anything new.
    pub(super) fn add(&mut self, place: Place, wrap: Wrap) -> bool {
        let order = if matches!(wrap, Wrap::AtMost(_)) { Order::Limits } else { Order::Defines };
        let place = (place, order);
        let known = self.added.get(&place);
        let new = match (known, wrap) {
            (None, wrap) => wrap,
            (Some(Wrap::Clear(bits)), Wrap::Clear(more)) if bits | more != *bits => Wrap::Clear(bits | more),
            (Some(Wrap::Clear(_)), Wrap::Zero) => Wrap::Zero,
            (Some(Wrap::Zero | Wrap::Clear(_)), wrap @ Wrap::Becomes(_)) => wrap,
            _ => return false,
        };
        self.added.insert(place, new);
        true
    }

    /// Leaves out the instruction of a line; answers whether it was still there.
    pub(super) fn leave_out(&mut self, line: u32) -> bool {
        self.left_out.insert(line)
    }

    /// The text with all of it. `write` gives the line for an added instruction.
    pub(super) fn applied(&self, text: &str, write: impl Fn(&Place, &Wrap) -> String) -> Wrapped {
        let mut wrapped = Wrapped { text: String::with_capacity(text.len() + 256), lines: Vec::new() };
        for (line, written) in (1..).zip(text.split_inclusive('\n')) {
            let at = |side| {
                let range = ((line, side, String::new()), Order::Defines)..;
                self.added.range(range).take_while(move |(((at, of, _), _), _)| *at == line && *of == side)
            };
            at(Side::Before).for_each(|((place, _), wrap)| wrapped.put(line, &write(place, wrap)));
            let kept = if self.left_out.contains(&line) { "\n" } else { written };
            wrapped.put(line, kept);
            at(Side::After).for_each(|((place, _), wrap)| wrapped.put(line, &write(place, wrap)));
        }
        wrapped
    }
}

/// A program with added instructions.
#[derive(Clone, Debug)]
pub(super) struct Wrapped {
    pub(super) text: String,
    /// Of each line, the line of the program without them that it belongs to.
    lines: Vec<u32>,
}

impl Wrapped {
    fn put(&mut self, line: u32, text: &str) {
        self.text.push_str(text);
        self.lines.push(line);
    }

    /// The line, counted without what was added.
    pub(super) fn original(&self, line: u32) -> Option<u32> {
        self.lines.get((line as usize).checked_sub(1)?).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(line: u32, side: Side, register: &str) -> Place {
        (line, side, register.to_owned())
    }

    #[test]
    fn what_is_added_stands_at_its_line_and_lines_are_counted_without_it() {
        let mut wraps = Wraps::default();
        assert!(wraps.add(place(2, Side::After, "a"), Wrap::Clear(0xF0)));
        assert!(wraps.add(place(2, Side::Before, "b"), Wrap::Zero));
        assert!(wraps.leave_out(3));
        let wrapped = wraps.applied("1\n2\n3\n4\n", |(_, _, register), _| format!("{register}\n"));
        assert_eq!(wrapped.text, "1\nb\n2\na\n\n4\n");
        let originals: Vec<u32> = (1..=6).filter_map(|line| wrapped.original(line)).collect();
        assert_eq!(originals, [1, 2, 2, 2, 3, 4]);
        assert_eq!((wrapped.original(0), wrapped.original(7)), (None, None));
        assert_eq!(wraps.growth(), 1);
    }

    #[test]
    fn a_wrap_does_more_and_never_less() {
        let mut wraps = Wraps::default();
        let at = || place(1, Side::After, "a");
        assert!(wraps.add(at(), Wrap::Clear(1)) && wraps.add(at(), Wrap::Clear(2)));
        assert!(!wraps.add(at(), Wrap::Clear(3)) && wraps.add(at(), Wrap::Zero));
        assert!(!wraps.add(at(), Wrap::Clear(4)) && !wraps.add(at(), Wrap::Zero));
        assert!(wraps.add(at(), Wrap::Becomes("x".into())) && !wraps.add(at(), Wrap::Becomes("y".into())));
        assert!(wraps.leave_out(1) && !wraps.leave_out(1));
    }

    #[test]
    fn a_limit_stands_behind_what_defines_the_register() {
        let mut wraps = Wraps::default();
        let at = || place(1, Side::Before, "a");
        assert!(wraps.add(at(), Wrap::AtMost(3)) && !wraps.add(at(), Wrap::AtMost(3)));
        assert!(wraps.add(at(), Wrap::Clear(1)));
        let wrapped = wraps.applied("1\n", |_, wrap| format!("{wrap:?}\n"));
        assert_eq!(wrapped.text, "Clear(1)\nAtMost(3)\n1\n");
        assert_eq!(wraps.growth(), 2);
    }
}
