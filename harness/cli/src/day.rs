//! The day on which something happens, UTC.

use std::time::{SystemTime, UNIX_EPOCH};

/// The day of a point in time, UTC: `2026-11-21`. Counted in eras of 400 years that begin on the first of March.
pub(crate) fn of(time: SystemTime) -> String {
    let days = time.duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs() / 86_400) + 719_468;
    let (era, day) = (days / 146_097, days % 146_097);
    let year = (day - day / 1_460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day + 2) / 153;
    let day = day - (153 * month + 2) / 5 + 1;
    let (month, next) = if month < 10 { (month + 3, 0) } else { (month - 9, 1) };
    format!("{:04}-{month:02}-{day:02}", era * 400 + year + next)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn days_are_those_of_the_calendar() {
        // Seconds since 1970 as `date -u -d DAY +%s` gives them.
        for (seconds, day) in [
            (0, "1970-01-01"),
            (951_782_400, "2000-02-29"),
            (951_868_800, "2000-03-01"),
            (1_704_067_199, "2023-12-31"),
            (4_107_542_400, "2100-03-01"),
        ] {
            assert_eq!(of(UNIX_EPOCH + Duration::from_secs(seconds)), day);
        }
    }
}
