//! "Did you mean …": the known name closest to a mistyped one.

/// The candidate closest to `name`, if one is close enough to be a typing error of it.
pub fn closest<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let limit = (name.chars().count() / 3).max(2);
    let scored = candidates.into_iter().map(|candidate| (distance(name, candidate), candidate));
    scored
        .filter(|(distance, _)| *distance <= limit)
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, name)| name)
}

/// Levenshtein's distance in characters.
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, ca) in a.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, cb) in b.iter().enumerate() {
            let substituted = diagonal + usize::from(ca != *cb);
            diagonal = row[j + 1];
            row[j + 1] = substituted.min(diagonal + 1).min(row[j] + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances_are_those_of_the_definition() {
        assert_eq!(distance("kitten", "sitting"), 3);
        assert_eq!(distance("", "abc"), 3);
        assert_eq!(distance("clamp", "clamp"), 0);
    }

    #[test]
    fn only_near_names_are_suggested() {
        let names = ["suld.clamp-as-zero", "fma.unfused"];
        assert_eq!(closest("suld.clamp-as-zer", names), Some("suld.clamp-as-zero"));
        assert_eq!(closest("nonsense", names), None);
    }
}
