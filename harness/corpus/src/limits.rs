//! `limits`: the time and the number of instructions that a case gives each of its launches.

use std::time::Duration;

use super::reader::{Fields, Read, Reader};
use super::yaml::Node;
use crate::plan::PlannedLaunch;

/// Its keys.
pub(crate) const KEYS: [&str; 2] = ["seconds", "steps"];
/// The longest time of a launch: an hour.
const LONGEST: i128 = 3600;
/// The most instructions of a launch.
pub(crate) const MOST_STEPS: i128 = 1 << 40;

/// Reads `limits: {seconds: 60, steps: 1000000}` and sets them in the launches of the case.
pub(crate) fn set(
    reader: &Reader<'_>,
    node: &Node,
    case: &Fields<'_>,
    launches: &mut [PlannedLaunch],
) -> Read<()> {
    let fields = reader.fields(node, "`limits`", &KEYS)?;
    if let Some(node) = fields.get("seconds") {
        let seconds = reader.integer(node, "`seconds`", 1..=LONGEST)?;
        let limit = Duration::from_secs(u64::try_from(seconds).unwrap_or_default());
        launches.iter_mut().for_each(|planned| planned.launch.time_limit = Some(limit));
    }
    if let Some(node) = fields.get("steps") {
        let steps = reader.integer(node, "`steps`", 1..=MOST_STEPS)?;
        // In a table `launch` is a word.
        let is_whole = case.has("program") || case.has("file");
        let launch = case.get("launch").filter(|_| is_whole);
        let in_launch = launch.map(|launch| reader.entries(launch, "`launch`")).transpose()?;
        if in_launch.is_some_and(|launch| launch.has("steps")) {
            return reader.fail(&node.range(), "`launch` states `steps`, too");
        }
        let steps = u64::try_from(steps).unwrap_or(u64::MAX);
        launches.iter_mut().for_each(|planned| planned.launch.step_budget = steps);
    }
    Ok(())
}
