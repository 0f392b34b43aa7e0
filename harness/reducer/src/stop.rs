//! How a launch ends that cannot complete: its case has to say so, since a whole program of which nothing is stated is to complete.

use std::collections::BTreeSet;

use warpdiff_emulator::compile;
use warpdiff_model::{FaultClass, Launch, Permitted, Semantics};

/// The end that every outcome of the reference has, as `expect` of a case: `{fault: surface-trap}`, `{timed-out: true}`. `None` if the launch
/// can complete, if its outcomes have no end in common, or if the reference has no answer.
pub fn stop(launch: &Launch) -> Option<String> {
    let compiled = compile(&launch.program).ok()?;
    let allowed = warpdiff_emulator::allowed(&compiled.program, launch, &Semantics::default()).ok()?;
    let outcomes: Vec<&Permitted> = allowed.outcomes.iter().map(|outcome| &outcome.permitted).collect();
    if !outcomes.is_empty() && outcomes.iter().all(|outcome| matches!(outcome, Permitted::TimedOut)) {
        return Some("{timed-out: true}".to_owned());
    }
    let classes = |outcome: &&Permitted| -> BTreeSet<&'static str> {
        let Permitted::Faulted { faults } = outcome else { return BTreeSet::new() };
        faults.iter().map(|fault| FaultClass::name(fault.class)).collect()
    };
    let common = outcomes.iter().map(classes).reduce(|all, one| &all & &one)?;
    Some(format!("{{fault: {}}}", common.first()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn end(body: &str) -> Option<String> {
        let program = format!(
            ".version 8.0\n.target sm_50\n.address_size 64\n.visible .entry k() {{ .reg .pred %p;\n{body}\n}}\n"
        );
        stop(&Launch { step_budget: 100, ..Launch::new(program.into(), "k") })
    }

    /// "trap: Abort execution and generate an interrupt to the host CPU."
    #[test]
    fn a_launch_that_cannot_complete_has_an_end_that_its_case_states() {
        assert_eq!(end("trap;").as_deref(), Some("{fault: trap}"));
        assert_eq!(end("again: bra again;").as_deref(), Some("{timed-out: true}"));
    }

    #[test]
    fn of_one_that_completes_or_cannot_be_run_nothing_is_stated() {
        assert_eq!(end("ret;"), None);
        assert_eq!(end("setp.eq.u32 %p, 0, 1; @%p trap;"), None);
        assert_eq!(end("no such instruction"), None);
    }
}
