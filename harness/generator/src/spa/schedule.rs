//! Statements of SPA 5.0 with the barriers that they signal and wait for.
//!
//! A statement waits as late as it may: for the barrier of a result when it reads or writes one of its registers, for the barrier of
//! sources when it overwrites one of them. So a program has several loads, stores and atomics under way at once.

use std::fmt::Write as _;
use std::ops::Range;

/// The least cycles that an instruction stalls which computes what a register holds, which sets predicates or condition codes, and which signals
/// a barrier. Where the next instruction reads a sum ptxas 12.9 stalls 6 cycles for sm_50, and 13 where it tests what `ISETP` has set.
const COMPUTED: usize = 6;
const TESTED: usize = 13;
const SIGNALS: usize = 2;
/// Barriers of a program.
const BARRIERS: u8 = 6;

/// A set of registers, a bit each: general ones, then predicates, then the condition codes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Registers([u64; 5]);

impl Registers {
    /// `count` registers from `first` on.
    pub(super) fn of(first: u8, count: u8) -> Self {
        let mut set = Self::default();
        (first..first + count).for_each(|register| set.0[usize::from(register / 64)] |= 1 << (register % 64));
        set
    }

    /// A predicate.
    pub(super) fn predicate(number: u8) -> Self {
        Self([0, 0, 0, 0, 1 << number])
    }

    /// All predicates.
    pub(super) const PREDICATES: Self = Self([0, 0, 0, 0, 0x7f]);

    /// The condition codes.
    pub(super) const CODES: Self = Self([0, 0, 0, 0, 1 << 8]);

    /// Those of both.
    pub(super) fn and(self, other: Self) -> Self {
        let mut both = self;
        both.0.iter_mut().zip(other.0).for_each(|(mine, other)| *mine |= other);
        both
    }

    fn meets(self, other: Self) -> bool {
        self.0.iter().zip(other.0).any(|(mine, other)| mine & other != 0)
    }
}

/// When a statement reads and writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Duty {
    /// At once: arithmetic.
    Fixed,
    /// Whenever it comes to it, a result among it: loads, atomics, `S2R`, what is computed in a unit of its own.
    Result,
    /// Whenever it comes to it, without a result: stores.
    Sources,
}

/// What a statement does with registers.
#[derive(Clone, Copy, Debug)]
pub(super) struct Effect {
    pub(super) reads: Registers,
    pub(super) writes: Registers,
    pub(super) duty: Duty,
}

/// Text of statements.
pub(super) struct Statements {
    pub(super) text: String,
    /// Whether they have annotations.
    scheduled: bool,
    /// What is under way on each barrier: registers still to be read, and to be written.
    pending: [[Registers; 2]; BARRIERS as usize],
    /// Statements so far; barriers and distances go by turns.
    count: usize,
    /// Whether the next statement waits for everything.
    settles: bool,
}

impl Statements {
    /// No statements yet, under a head.
    pub(super) fn new(head: String, scheduled: bool) -> Self {
        Self { text: head, scheduled, pending: Default::default(), count: 0, settles: false }
    }

    /// Statements so far.
    pub(super) fn count(&self) -> usize {
        self.count
    }

    /// Has the next statement wait for everything that is under way.
    pub(super) fn settle(&mut self) {
        self.settles = true;
    }

    /// Puts a label in front of the next statement.
    pub(super) fn label(&mut self, name: &str) {
        self.text.push_str(name);
        self.text.push_str(":\n");
    }

    /// Adds a statement; answers where it stands.
    pub(super) fn push(&mut self, statement: &str, effect: Effect) -> Range<usize> {
        let mut waits = if self.scheduled { self.waits(effect) } else { Vec::new() };
        if !waits.is_empty() && self.count.is_multiple_of(5) {
            self.wait_apart(&waits);
            waits.clear();
        }
        self.count += 1;
        self.text.push_str("    ");
        let begin = self.text.len();
        self.text.push_str(statement);
        if self.scheduled {
            let annotations = self.annotations(effect, &waits);
            self.text.push_str(&annotations);
        }
        self.text.push(';');
        let range = begin..self.text.len();
        self.text.push('\n');
        range
    }

    /// Waits for barriers by a statement of its own.
    fn wait_apart(&mut self, waits: &[u8]) {
        self.count += 1;
        let text = match waits {
            [first, others @ ..] if self.count.is_multiple_of(2) => match others {
                [] => format!("DEPBAR.LE SB{first}, 0x0"),
                _ => format!("DEPBAR.LE SB{first}, 0x0, {{{}}}", list(others)),
            },
            all => format!("DEPBAR {{{}}}", list(all)),
        };
        put(&mut self.text, format_args!("    {text} ?WAIT2;\n"));
    }

    /// The barriers that a statement has to wait for, which are free then.
    fn waits(&mut self, Effect { reads, writes, .. }: Effect) -> Vec<u8> {
        let all = std::mem::take(&mut self.settles);
        let waits: Vec<u8> = (0..BARRIERS)
            .filter(|barrier| {
                let [to_read, to_write] = self.pending[usize::from(*barrier)];
                let is_pending = to_read != Registers::default() || to_write != Registers::default();
                to_write.meets(reads.and(writes)) || to_read.meets(writes) || all && is_pending
            })
            .collect();
        waits.iter().for_each(|barrier| self.pending[usize::from(*barrier)] = Default::default());
        waits
    }

    fn annotations(&mut self, Effect { reads, writes, duty }: Effect, waits: &[u8]) -> String {
        let mut text = String::new();
        if !waits.is_empty() {
            put(&mut text, format_args!(" &req={{{}}}", list(waits)));
        }
        let barrier = (self.count % usize::from(BARRIERS)) as u8;
        match duty {
            Duty::Fixed => {}
            Duty::Result => {
                // What has been written has had its sources read: a barrier of their own is now and then signalled earlier.
                let early = self.count.is_multiple_of(3).then_some((barrier + 1) % BARRIERS);
                self.begin(early.unwrap_or(barrier), reads, Registers::default());
                self.begin(barrier, Registers::default(), writes);
                if let Some(early) = early {
                    put(&mut text, format_args!(" &rd={early}"));
                }
                put(&mut text, format_args!(" &wr={barrier}"));
            }
            Duty::Sources => {
                self.begin(barrier, reads, Registers::default());
                put(&mut text, format_args!(" &rd={barrier}"));
            }
        }
        let least = if duty != Duty::Fixed {
            SIGNALS
        } else if writes.meets(Registers::PREDICATES.and(Registers::CODES)) {
            TESTED
        } else {
            COMPUTED
        };
        put(&mut text, format_args!(" ?WAIT{}", least.max(1 + self.count % 15)));
        text
    }

    fn begin(&mut self, barrier: u8, reads: Registers, writes: Registers) {
        let [to_read, to_write] = &mut self.pending[usize::from(barrier)];
        (*to_read, *to_write) = (to_read.and(reads), to_write.and(writes));
    }
}

/// Barriers as they are written in braces.
fn list(barriers: &[u8]) -> String {
    barriers.iter().map(u8::to_string).collect::<Vec<_>>().join(",")
}

fn put(text: &mut String, arguments: std::fmt::Arguments<'_>) {
    text.write_fmt(arguments).expect("writing to a string cannot fail");
}

#[cfg(test)]
mod tests {
    use super::*;

    fn effect(reads: Registers, writes: Registers, duty: Duty) -> Effect {
        Effect { reads, writes, duty }
    }

    #[test]
    fn a_result_is_waited_for_by_who_reads_it_and_by_nobody_else() {
        let mut statements = Statements::new(String::new(), true);
        let (none, r) = (Registers::default(), |n| Registers::of(n, 1));
        statements.push("LDS R4, [RZ]", effect(none, r(4), Duty::Result));
        statements.push("MOV R5, RZ", effect(none, r(5), Duty::Fixed));
        statements.push("MOV R6, R4", effect(r(4), r(6), Duty::Fixed));
        statements.push("MOV R7, R4", effect(r(4), r(7), Duty::Fixed));
        let lines: Vec<_> = statements.text.lines().map(str::trim).collect();
        assert_eq!(
            lines,
            [
                "LDS R4, [RZ] &wr=1 ?WAIT2;",
                "MOV R5, RZ ?WAIT6;",
                "MOV R6, R4 &req={1} ?WAIT6;",
                "MOV R7, R4 ?WAIT6;"
            ]
        );
    }

    #[test]
    fn a_source_is_waited_for_by_who_overwrites_it_only() {
        let mut statements = Statements::new(String::new(), true);
        let (none, r) = (Registers::default(), |n| Registers::of(n, 1));
        statements.push("STS [RZ], R4", effect(r(4), none, Duty::Sources));
        statements.push("MOV R6, R4", effect(r(4), r(6), Duty::Fixed));
        statements.push("MOV R4, RZ", effect(none, r(4), Duty::Fixed));
        assert!(statements.text.ends_with("    MOV R6, R4 ?WAIT6;\n    MOV R4, RZ &req={1} ?WAIT6;\n"));
    }

    #[test]
    fn without_a_schedule_there_is_no_annotation() {
        let mut statements = Statements::new(String::new(), false);
        let range =
            statements.push("LDS R4, [RZ]", effect(Registers::default(), Registers::of(4, 1), Duty::Result));
        assert_eq!(&statements.text[range], "LDS R4, [RZ];");
    }
}
