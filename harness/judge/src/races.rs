//! Races of a launch, for the author of a case who is told that a value is undefined.

use warpdiff_emulator::Checked;
use warpdiff_model::finding::{Earlier, Finding, FindingKind, Hazards, Place};
use warpdiff_model::{Launch, Thread};

use crate::reference::Unit;

/// Pairs of instructions that are named.
const NAMED: usize = 2;

/// Which instructions of a launch race, a note for each pair of them; none for machine code, which has no published rules of order.
pub(crate) fn notes(unit: &Unit<'_>) -> Vec<String> {
    let launch = &unit.planned.launch;
    let threads: u64 = launch.grid.iter().chain(&launch.block).map(|n| u64::from(*n)).product();
    if threads < 2 || matches!(unit.compiled.checked, Checked::Spa(_)) {
        return Vec::new();
    }
    let Ok(found) = warpdiff_emulator::findings(&unit.compiled.program, launch) else { return Vec::new() };
    let races: Vec<String> = found.list.iter().filter_map(|finding| words(finding, launch)).collect();
    let more = races.len().saturating_sub(NAMED);
    let mut notes: Vec<String> = races.into_iter().take(NAMED).collect();
    if more > 0 {
        notes.push(format!("… and {more} more pairs of instructions race"));
    }
    notes
}

/// A race in words; `None` for another finding.
fn words(finding: &Finding, launch: &Launch) -> Option<String> {
    let (FindingKind::Race(hazards), Some(earlier)) = (finding.kind, &finding.earlier) else { return None };
    let one = access(&finding.place, finding.thread, launch);
    let Earlier { wrote, thread, place } = earlier;
    let other = match place {
        Some(place) => access(place, *thread, launch),
        None => format!("an earlier {}", if *wrote { "write" } else { "read" }),
    };
    let what = match hazards {
        Hazards::ReadAfterWrite | Hazards::WriteAfterRead => "a read and a write",
        Hazards::WriteAfterWrite => "two writes",
    };
    Some(format!("a race: nothing orders {what} of the same bytes, {other} and {one}"))
}

fn access(place: &Place, thread: Option<Thread>, launch: &Launch) -> String {
    let of = thread.map(|thread| format!(" of {}", name(thread, launch))).unwrap_or_default();
    format!("`{}`{of} (program line {})", place.instruction, place.line)
}

/// A thread: by its number where the launch is a row of threads, as that of a table is.
fn name(thread: Thread, launch: &Launch) -> String {
    let Thread { block: [bx, by, bz], thread: [x, y, z] } = thread;
    match (launch.grid, launch.block) {
        ([1, 1, 1], [_, 1, 1]) => format!("thread {x}"),
        ([_, 1, 1], [_, 1, 1]) => format!("thread {x} of block {bx}"),
        _ => format!("thread ({x}, {y}, {z}) of block ({bx}, {by}, {bz})"),
    }
}
