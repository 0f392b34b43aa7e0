//! The devices and drivers for which expectations hold.

use std::collections::BTreeMap;

use warpdiff_corpus::filter::Pattern;

use crate::releases::Releases;

/// Conditions on what a target reports of itself; without any it always holds.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Conditions {
    /// Patterns over the name of the device; one must match.
    pub device: Vec<Pattern>,
    /// Ranges over other facts: [`RANGES`].
    pub ranges: Vec<(&'static str, Releases)>,
}

/// Facts with a range, and what they are.
pub const RANGES: [(&str, &str); 3] = [
    ("sm", "the compute capability without its point, such as 90"),
    ("cuda", "the release of CUDA that the driver serves, such as 12.8"),
    ("driver", "the release of the kernel driver, such as 570.124.06"),
];

/// The fact with the name of the device.
pub const DEVICE: &str = "device";

/// Whether conditions hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Holds {
    /// They do.
    Yes,
    /// They do not.
    No,
    /// The target does not report this fact, or not as a release.
    Unknown(&'static str),
}

impl Conditions {
    /// Whether they hold for a target with these facts.
    pub fn hold(&self, facts: &BTreeMap<String, String>) -> Holds {
        let device = match (self.device.is_empty(), facts.get(DEVICE)) {
            (true, _) => Holds::Yes,
            (false, None) => Holds::Unknown(DEVICE),
            (false, Some(name)) => Holds::of(self.device.iter().any(|pattern| pattern.matches_whole(name))),
        };
        let ranges = self.ranges.iter().map(|(fact, range)| {
            let contained = facts.get(*fact).and_then(|release| range.contain(release));
            contained.map_or(Holds::Unknown(fact), Holds::of)
        });
        ranges.fold(device, Holds::and)
    }
}

impl Conditions {
    /// The first condition that a target with these facts surely does not meet: `driver 575.51.03 is not in ..570`.
    pub fn unmet(&self, facts: &BTreeMap<String, String>) -> Option<String> {
        let device = facts.get(DEVICE).filter(|name| {
            !self.device.is_empty() && !self.device.iter().any(|pattern| pattern.matches_whole(name))
        });
        let other = device.map(|name| format!("it is for another device than {name}"));
        let mut ranges = self.ranges.iter().filter_map(|(fact, range)| {
            let release = facts.get(*fact)?;
            (range.contain(release) == Some(false)).then(|| format!("{fact} {release} is not in {range}"))
        });
        other.or_else(|| ranges.next())
    }
}

impl Holds {
    fn of(holds: bool) -> Self {
        if holds { Self::Yes } else { Self::No }
    }

    /// Both. What surely does not hold is not unknown.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        match (self, other) {
            (Self::No, _) | (_, Self::No) => Self::No,
            (Self::Unknown(fact), _) | (_, Self::Unknown(fact)) => Self::Unknown(fact),
            (Self::Yes, Self::Yes) => Self::Yes,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn facts(pairs: &[(&str, &str)]) -> BTreeMap<String, String> {
        pairs.iter().map(|(name, value)| (name.to_string(), value.to_string())).collect()
    }

    #[test]
    fn every_condition_must_hold_and_what_is_not_reported_is_unknown() {
        let conditions = Conditions {
            device: vec![Pattern::new("NVIDIA H100*"), Pattern::new("NVIDIA H200")],
            ranges: vec![("driver", "570..575".parse().unwrap())],
        };
        let of = |device, driver| conditions.hold(&facts(&[("device", device), ("driver", driver)]));
        assert_eq!(of("NVIDIA H200", "570.124.06"), Holds::Yes);
        assert_eq!(of("NVIDIA H100 PCIe", "575.57"), Holds::Yes);
        assert_eq!(of("NVIDIA H200 NVL", "570.124.06"), Holds::No);
        assert_eq!(of("NVIDIA H200", "580.1"), Holds::No);
        let unmet = |device, driver| conditions.unmet(&facts(&[("device", device), ("driver", driver)]));
        assert_eq!(unmet("NVIDIA H200", "580.1").as_deref(), Some("driver 580.1 is not in 570..575"));
        assert_eq!(
            unmet("NVIDIA A100", "570.1").as_deref(),
            Some("it is for another device than NVIDIA A100")
        );
        assert_eq!((unmet("NVIDIA H200", "570.1"), unmet("NVIDIA H200", "unknown")), (None, None));
        assert_eq!(of("NVIDIA H200", "unknown"), Holds::Unknown("driver"));
        assert_eq!(conditions.hold(&facts(&[("device", "NVIDIA H200")])), Holds::Unknown("driver"));
        assert_eq!(conditions.hold(&facts(&[("device", "NVIDIA A100")])), Holds::No);
        assert_eq!(conditions.hold(&facts(&[])), Holds::Unknown("device"));
        assert_eq!(Conditions::default().hold(&facts(&[])), Holds::Yes);
    }
}
