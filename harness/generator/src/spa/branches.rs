//! Blocks of steps and calls → the branches around them.
//!
//! A block with arms meets again behind itself: `SSY` names the place, and each arm ends with `SYNC`. A loop is left by `BRK`, to the
//! place that `PBK` names. Where control goes to another place everything that is under way is waited for, so that a schedule holds
//! on every way.

use warpdiff_sass::bundle::address;

use super::registers::WORD;
use super::schedule::Registers;
use super::write::Writer;
use crate::flow::{Flow, Within};
use crate::specimen::{Register, Step};

/// The tests of the condition codes, without those that always hold or never do. Which arm a lane takes does not matter, as long as it is decided.
const TESTS: &[&str] = &[
    "LT", "EQ", "LE", "GT", "NE", "GE", "NUM", "NAN", "LTU", "EQU", "LEU", "GTU", "NEU", "GEU", "OFF", "LO",
    "SFF", "LS", "HI", "SFT", "HS", "OFT", "RLE", "RGT",
];

/// A label in front of a statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Label(u32);

/// A block that is open.
#[derive(Clone, Debug)]
pub(super) struct Open {
    place: Within,
    /// The beginnings of its arms but the first; of a loop that of its body.
    arms: Vec<Label>,
    /// What stands behind it.
    end: Label,
}

/// A number in the text that is known when all statements are there: the address of a label.
#[derive(Clone, Copy, Debug)]
pub(super) struct Address {
    label: Label,
    /// The statement that it is counted from the end of; `None`: from the beginning of the program.
    from: Option<usize>,
}

/// How a program goes to the function of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Call {
    /// `CAL`.
    Relative,
    /// `JCAL`.
    Absolute,
    /// `PRET` names where to return to, and a jump follows.
    Pushed,
}

/// How a step is called, if it is: now and then one that stands in no block.
pub(super) fn call(step: &Step) -> Option<Call> {
    let number = step.results.first()?.number;
    let is_called = step.within.is_none() && number % 8 == 5;
    is_called.then_some([Call::Relative, Call::Absolute, Call::Pushed][number as usize / 8 % 3])
}

impl Writer<'_> {
    /// Closes and opens blocks, until what comes next stands in these.
    pub(super) fn go_to(&mut self, within: Option<Within>) {
        let path = self.specimen.path(within);
        while let Some(open) = self.open.last().cloned() {
            let depth = self.open.len() - 1;
            match path.get(depth).filter(|place| place.block == open.place.block) {
                Some(place) => {
                    self.reach_arm(place.arm);
                    break;
                }
                None => self.close(),
            }
        }
        for place in &path[self.open.len()..] {
            self.enter(*place);
            self.reach_arm(place.arm);
        }
    }

    fn enter(&mut self, place: Within) {
        let end = self.label();
        let flow = self.specimen.blocks[usize::from(place.block)].flow;
        let arms = match flow {
            Flow::Condition { condition, sense } => self.condition(condition, sense, end),
            Flow::Index { index, arms } => self.index(index, arms, end),
            Flow::Loop { count, tests_first, .. } => self.loop_head(place.block, count, tests_first, end),
        };
        self.open.push(Open { place: Within { arm: 0, ..place }, arms, end });
    }

    fn condition(&mut self, condition: Register, sense: bool, end: Label) -> Vec<Label> {
        let other = self.label();
        self.goes(&format!("SSY {}", name(end)));
        let (word, _) = self.place(condition);
        // Every third asks the condition codes in place of a predicate.
        if !self.has_ptx && condition.number % 3 == 1 {
            self.fixed(&format!("R2P CC, R{word}, 0xf"), Registers::of(word, 1), Registers::CODES);
            let test = TESTS[condition.number as usize / 3 % TESTS.len()];
            self.goes(&format!("BRA CC.{test}, {}", name(other)));
        } else {
            let not = if sense { "!" } else { "" };
            self.set_predicate(0, word, "RZ");
            self.goes(&format!("@{not}P0 BRA {}", name(other)));
        }
        vec![other]
    }

    /// Goes to the arm of that number: by comparisons, or by a register that holds its address.
    fn index(&mut self, index: Register, arms: u8, end: Label) -> Vec<Label> {
        let labels: Vec<Label> = (1..arms).map(|_| self.label()).collect();
        self.goes(&format!("SSY {}", name(end)));
        let (word, _) = self.place(index);
        if self.has_ptx || index.number.is_multiple_of(3) {
            for (arm, label) in (1..).zip(&labels) {
                let reads = Registers::of(word, 1);
                let statement = format!("ISETP.EQ.AND P0, PT, R{word}, {arm:#x}, PT");
                self.fixed(&statement, reads, Registers::predicate(0));
                self.goes(&format!("@P0 BRA {}", name(*label)));
            }
            return labels;
        }
        let first = self.label();
        // Two statements for each arm, and then the jump.
        let is_relative = index.number % 3 == 1;
        let jump = self.out.count() + 2 * labels.len() + 1;
        let from = is_relative.then_some(jump);
        let target = Registers::of(WORD, 1);
        let begin = self.address_of(first, from);
        self.fixed(&format!("MOV32I R{WORD}, {begin}"), Registers::default(), target);
        for (arm, label) in (1..).zip(&labels) {
            let statement = format!("ISETP.EQ.AND P0, PT, R{word}, {arm:#x}, PT");
            self.fixed(&statement, Registers::of(word, 1), Registers::predicate(0));
            let begin = self.address_of(*label, from);
            self.fixed(&format!("@P0 MOV32I R{WORD}, {begin}"), target.and(Registers::predicate(0)), target);
        }
        self.goes(&format!("{} R{WORD}", if is_relative { "BRX" } else { "JMX" }));
        self.put_label(first);
        labels
    }

    fn loop_head(&mut self, block: u8, count: Register, tests_first: bool, end: Label) -> Vec<Label> {
        let (word, _) = self.place(count);
        let left = self.counter(block);
        self.goes(&format!("PBK {}", name(end)));
        self.fixed(&format!("MOV R{left}, R{word}"), Registers::of(word, 1), Registers::of(left, 1));
        if tests_first {
            self.set_predicate(0, left, "RZ");
            self.goes("@!P0 BRK");
        }
        let body = self.label();
        self.put_label(body);
        let mut labels = vec![body];
        if self.continues(count) {
            let next = self.label();
            self.goes(&format!("PCNT {}", name(next)));
            labels.push(next);
        }
        labels
    }

    /// Whether the lanes of a loop meet at the end of its body.
    fn continues(&self, count: Register) -> bool {
        !self.has_ptx && count.number.is_multiple_of(2)
    }

    /// Goes on to an arm of the innermost block. Those in between are empty.
    fn reach_arm(&mut self, arm: u8) {
        let Some(Open { place, arms, .. }) = self.open.last().cloned() else { return };
        if matches!(self.specimen.blocks[usize::from(place.block)].flow, Flow::Loop { .. }) {
            return;
        }
        for next in place.arm..arm {
            self.goes("SYNC");
            self.put_label(arms[usize::from(next)]);
        }
        if let Some(open) = self.open.last_mut() {
            open.place.arm = open.place.arm.max(arm);
        }
    }

    fn close(&mut self) {
        let Some(Open { place, arms, end }) = self.open.last().cloned() else { return };
        match self.specimen.blocks[usize::from(place.block)].flow {
            Flow::Loop { count, leaves_at, .. } => self.loop_end(place.block, count, leaves_at, &arms),
            Flow::Condition { .. } | Flow::Index { .. } => {
                self.reach_arm(arms.len() as u8);
                self.goes("SYNC");
            }
        }
        self.put_label(end);
        self.open.pop();
    }

    fn loop_end(&mut self, block: u8, count: Register, leaves_at: Option<Register>, labels: &[Label]) {
        let left = self.counter(block);
        if let [_, next] = labels {
            self.goes("CONT");
            self.put_label(*next);
        }
        let one = Registers::of(left, 1);
        self.fixed(&format!("IADD32I R{left}, R{left}, -0x1"), one, one);
        if let Some(last) = leaves_at {
            let (last, _) = self.place(last);
            self.set_predicate(0, left, &format!("R{last}"));
            self.goes("@!P0 BRK");
        }
        self.set_predicate(0, left, "RZ");
        // Some go back by the address.
        match !self.has_ptx && count.number % 4 == 3 {
            true => {
                let begin = self.address_of(labels[0], None);
                self.goes(&format!("@P0 JMP {begin}"));
            }
            false => self.goes(&format!("@P0 BRA {}", name(labels[0]))),
        }
        self.goes("BRK");
    }

    /// A statement after which control may be elsewhere.
    pub(super) fn goes(&mut self, statement: &str) {
        self.out.settle();
        let tested = Registers::predicate(0).and(Registers::CODES).and(Registers::of(WORD, 1));
        self.fixed(statement, tested, Registers::default());
    }

    /// Calls the function of a step, and answers its label.
    pub(super) fn call(&mut self, call: Call) -> Label {
        let function = self.label();
        match call {
            Call::Relative => self.goes(&format!("CAL {}", name(function))),
            Call::Absolute => {
                let begin = self.address_of(function, None);
                self.goes(&format!("JCAL {begin}"));
            }
            Call::Pushed => {
                let back = self.label();
                self.goes(&format!("PRET {}", name(back)));
                // All lanes go there.
                match function.0 % 2 {
                    0 => self.goes(&format!("BRA.U {}", name(function))),
                    _ => {
                        let begin = self.address_of(function, None);
                        self.goes(&format!("JMP.U {begin}"));
                    }
                }
                self.put_label(back);
            }
        }
        function
    }

    pub(super) fn label(&mut self) -> Label {
        self.labels.push(None);
        Label(self.labels.len() as u32 - 1)
    }

    /// Has a label stand in front of the next statement.
    pub(super) fn put_label(&mut self, label: Label) {
        self.labels[label.0 as usize] = Some(self.out.count());
        self.out.label(&name(label));
    }

    /// The address of a label, as it stands in the text until [`Writer::put_addresses`].
    fn address_of(&mut self, label: Label, from: Option<usize>) -> String {
        self.addresses.push(Address { label, from });
        unknown(self.addresses.len() - 1)
    }

    /// Puts the addresses of labels into the text, each as long as what stands there.
    pub(super) fn put_addresses(&self, text: &mut String) {
        for (number, Address { label, from }) in self.addresses.iter().enumerate() {
            let statement = self.labels[label.0 as usize].unwrap_or(0);
            let from = from.map_or(0, |from| address(from) + 8);
            let at = address(statement).wrapping_sub(from);
            let unknown = unknown(number);
            if let Some(start) = text.find(&unknown) {
                text.replace_range(start..start + unknown.len(), &format!("{at:#010x}"));
            }
        }
    }
}

/// The label as it is written.
fn name(label: Label) -> String {
    format!("L{}", label.0)
}

/// Ten characters in the place of an address.
fn unknown(number: usize) -> String {
    format!("0x?{number:07}")
}
