//! How a launch ends that cannot complete: its case has to say so, since a whole program of which nothing is stated is to complete.

use std::collections::BTreeSet;

use warpdiff_emulator::compile;
use warpdiff_model::{FaultClass, Launch, Permitted, Semantics};

/// The end that every outcome of the reference has, as `expect` of a case: `{fault: surface-trap}`, `{timed-out: true}`. `None` if the launch
/// can complete, if its outcomes have no end in common, or if the reference has no answer.
pub fn stop(launch: &Launch) -> Option<String> {
    end_of(&outcomes(launch)?)
}

/// Whether a case can state how the launch ends: not if it can fault or time out, and not always for one reason, as where a choice decides which.
pub fn has_one_end(launch: &Launch) -> bool {
    let Some(outcomes) = outcomes(launch) else { return true };
    let stops = |outcome: &Permitted| matches!(outcome, Permitted::Faulted { .. } | Permitted::TimedOut);
    !outcomes.first().is_some_and(stops) || end_of(&outcomes).is_some()
}

fn outcomes(launch: &Launch) -> Option<Vec<Permitted>> {
    let compiled = compile(&launch.program).ok()?;
    let allowed = warpdiff_emulator::allowed(&compiled.program, launch, &Semantics::default()).ok()?;
    Some(allowed.outcomes.into_iter().map(|outcome| outcome.permitted).collect())
}

fn end_of(outcomes: &[Permitted]) -> Option<String> {
    if !outcomes.is_empty() && outcomes.iter().all(|outcome| matches!(outcome, Permitted::TimedOut)) {
        return Some("{timed-out: true}".to_owned());
    }
    let classes = |outcome: &Permitted| -> BTreeSet<&'static str> {
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

    /// What a coordinate counts and what misalignment does are both open: the access is misaligned, or out of bounds.
    #[test]
    fn a_launch_that_faults_in_one_way_or_another_has_no_end_that_a_case_states() {
        let program = ".version 8.0\n.target sm_50\n.address_size 64\n.global .surfref s;\n.visible .entry k() { sured.p.and.2d.b32.trap [s, {5, 0}], 0; }\n";
        let mut launch = Launch { step_budget: 100, ..Launch::new(program.into(), "k") };
        launch.surfaces.push(warpdiff_model::Surface {
            name: "s".into(),
            geometry: warpdiff_model::Geometry::D2,
            extent: [4, 3, 1],
            layers: 1,
            format: warpdiff_model::Format { channel: warpdiff_model::ChannelType::S16, channels: 1 },
            bytes: vec![0; 24],
            bound_to: Some("s".into()),
        });
        assert_eq!(stop(&launch), None);
        assert!(!has_one_end(&launch));
        launch.program = launch.program.replace("{5, 0}", "{4000, 0}").into();
        assert_eq!(stop(&launch).as_deref(), Some("{fault: surface-trap}"));
        assert!(has_one_end(&launch));
    }

    #[test]
    fn of_one_that_completes_or_cannot_be_run_nothing_is_stated() {
        assert_eq!(end("ret;"), None);
        assert_eq!(end("setp.eq.u32 %p, 0, 1; @%p trap;"), None);
        assert_eq!(end("no such instruction"), None);
    }
}
