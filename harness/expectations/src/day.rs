//! A day of the calendar, in UTC: when an entry expires, and what day it is.

use std::fmt;
use std::str::FromStr;
use std::time::{SystemTime, UNIX_EPOCH};

/// A day, `2026-11-22`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Day {
    year: u64,
    month: u64,
    day: u64,
}

impl Day {
    /// The day of a point in time.
    pub fn of(time: SystemTime) -> Self {
        Self::since_1970(time.duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs() / 86_400))
    }

    /// The day on which this runs.
    pub fn today() -> Self {
        Self::of(SystemTime::now())
    }

    /// The day so many days after this one.
    #[must_use]
    pub fn after(self, days: u64) -> Self {
        Self::since_1970(self.days_since_1970() + days)
    }

    /// Counted in eras of 400 years that begin on the first of March, so that the leap day is the last of its year.
    fn since_1970(days: u64) -> Self {
        let days = days + 719_468;
        let (era, day) = (days / 146_097, days % 146_097);
        let year = (day - day / 1_460 + day / 36_524 - day / 146_096) / 365;
        let day = day - (365 * year + year / 4 - year / 100);
        let month = (5 * day + 2) / 153;
        let day = day - (153 * month + 2) / 5 + 1;
        let (month, next) = if month < 10 { (month + 3, 0) } else { (month - 9, 1) };
        Self { year: era * 400 + year + next, month, day }
    }

    fn days_since_1970(self) -> u64 {
        let years: u64 = (1970..self.year).map(|year| 365 + u64::from(is_leap(year))).sum();
        let months: u64 = (1..self.month).map(|month| days_in(self.year, month)).sum();
        years + months + self.day - 1
    }
}

fn is_leap(year: u64) -> bool {
    year.is_multiple_of(4) && !year.is_multiple_of(100) || year.is_multiple_of(400)
}

fn days_in(year: u64, month: u64) -> u64 {
    match month {
        2 => 28 + u64::from(is_leap(year)),
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

impl fmt::Display for Day {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:04}-{:02}-{:02}", self.year, self.month, self.day)
    }
}

impl FromStr for Day {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let parts: Vec<&str> = text.split('-').collect();
        let number = |part: &str, width: usize| {
            let digits = part.len() == width && part.bytes().all(|c| c.is_ascii_digit());
            part.parse::<u64>().ok().filter(|_| digits)
        };
        let [year, month, day] = parts.as_slice() else { return Err(format!("`{text}` is no date")) };
        let (Some(year), Some(month), Some(day)) = (number(year, 4), number(month, 2), number(day, 2)) else {
            return Err(format!("`{text}` is no date"));
        };
        let is_one = (1970..=9999).contains(&year)
            && (1..=12).contains(&month)
            && (1..=days_in(year, month)).contains(&day);
        if is_one { Ok(Self { year, month, day }) } else { Err(format!("there is no day `{text}`")) }
    }
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
            let read = Day::of(UNIX_EPOCH + Duration::from_secs(seconds));
            assert_eq!(read.to_string(), day);
            assert_eq!(day.parse(), Ok(read));
            assert_eq!(read.days_since_1970(), seconds / 86_400);
        }
    }

    #[test]
    fn days_are_ordered_and_counted() {
        let day = |text: &str| text.parse::<Day>().unwrap();
        assert!(day("2026-11-22") < day("2026-12-01") && day("2026-12-31") < day("2027-01-01"));
        assert_eq!(day("2026-11-22").after(30), day("2026-12-22"));
        assert_eq!(day("2028-02-28").after(2), day("2028-03-01"));
    }

    #[test]
    fn what_is_no_day_is_refused() {
        for text in ["2026-02-29", "2026-13-01", "2026-00-10", "2026-04-31", "1969-12-31"] {
            assert_eq!(text.parse::<Day>(), Err(format!("there is no day `{text}`")));
        }
        for text in ["22.11.2026", "2026-11", "2026-1-2", "tomorrow", "", "+026-01-01", "2026-11-22T00"] {
            assert_eq!(text.parse::<Day>(), Err(format!("`{text}` is no date")));
        }
    }
}
