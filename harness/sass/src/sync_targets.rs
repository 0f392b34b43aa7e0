//! The targets of `SYNC` and `BRK`: the addresses that `SSY` and `PBK` have pushed on the way to them.

use std::collections::HashMap;

use crate::instruction::{Guard, Instruction};
use crate::mnemonic::Mnemonic as M;
use crate::program::Program;

/// The instruction that pushed an address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Pushed {
    /// `SSY`, for `SYNC`.
    Meeting,
    /// `PBK`, for `BRK`.
    Break,
}

/// The addresses that have been pushed and not taken back, the latest last.
type Stack = Vec<(Pushed, usize)>;

/// An instruction whose target cannot be determined.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NoSyncTarget {
    /// The number of its statement.
    pub statement: usize,
    /// The reason: a lowercase fragment.
    pub why: &'static str,
}

impl Program {
    /// The target statement of each `SYNC` and `BRK` that is reached. The popped address has to be the same on every path that
    /// leads to them, as it is in compiler output.
    ///
    /// # Errors
    /// The first statement whose target cannot be determined.
    pub fn sync_targets(&self) -> Result<HashMap<usize, usize>, NoSyncTarget> {
        let mut sync_targets = HashMap::new();
        let mut seen: HashMap<usize, Stack> = HashMap::new();
        let mut ways = vec![(0usize, Stack::new())];
        while let Some((number, stack)) = ways.pop() {
            let Some(statement) = self.statements.get(number) else { continue };
            if let Some(known) = seen.get(&number) {
                if *known != stack {
                    let why = "a place that is reached with different `SSY` or `PBK`";
                    return Err(NoSyncTarget { statement: number, why });
                }
                continue;
            }
            seen.insert(number, stack.clone());
            self.follow(number, &statement.instruction, stack, &mut ways, &mut sync_targets)?;
        }
        Ok(sync_targets)
    }

    /// Adds the ways that lead on from a statement.
    fn follow(
        &self,
        number: usize,
        instruction: &Instruction,
        mut stack: Stack,
        ways: &mut Vec<(usize, Stack)>,
        sync_targets: &mut HashMap<usize, usize>,
    ) -> Result<(), NoSyncTarget> {
        let nowhere = |why| NoSyncTarget { statement: number, why };
        let target = || {
            let target = self.target(number).filter(|target| *target < self.statements.len());
            target.ok_or(nowhere("a target that is no instruction"))
        };
        let always = instruction.guard == Guard::ALWAYS;
        let mnemonic = instruction.form.mnemonic;
        let goes_on = match mnemonic {
            M::SSY => {
                stack.push((Pushed::Meeting, target()?));
                true
            }
            M::PBK => {
                stack.push((Pushed::Break, target()?));
                true
            }
            M::SYNC | M::BRK => {
                let wanted = if mnemonic == M::SYNC { Pushed::Meeting } else { Pushed::Break };
                let without = nowhere("without the `SSY` or `PBK` that says where it goes");
                let (rest, to) = taken(&stack, wanted).ok_or(without)?;
                sync_targets.insert(number, to);
                ways.push((to, rest));
                !always
            }
            M::BRA => {
                ways.push((target()?, stack.clone()));
                !always
            }
            M::EXIT => !always,
            _ => true,
        };
        if goes_on {
            ways.push((number + 1, stack));
        }
        Ok(())
    }
}

/// What is left when an address of that kind has been taken back, and the address. A break leaves whatever was pushed after it.
fn taken(stack: &Stack, wanted: Pushed) -> Option<(Stack, usize)> {
    let at = match wanted {
        Pushed::Meeting => stack.len().checked_sub(1)?,
        Pushed::Break => stack.iter().rposition(|(kind, _)| *kind == wanted)?,
    };
    let (kind, target) = stack[at];
    (kind == wanted).then(|| (stack[..at].to_vec(), target))
}
