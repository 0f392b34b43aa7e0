//! Memory in a recording: the changed bytes as text, or the digest of a whole region.
//!
//! `16=0b000000 32=ff`: at byte 16 of the region four bytes, at byte 32 one, and every other byte as before the launch.
//! `sha256 9f86…, 4096 bytes`: the contents with that digest, which stand in the archive of the recording.

use std::fmt::Write;

use warpdiff_files::hexadecimal;

use super::archive::Archive;

/// Length of the text, in characters, after which the region is archived.
const LONGEST: usize = 384;
/// Unchanged bytes that do not end a run of changed ones: another offset would be as long.
const GAP: usize = 4;
const DIGEST: &str = "sha256 ";

/// The text for a region. `before` is the region before the launch, as long as `after`; without it all bytes are written.
pub fn encode(after: &[u8], before: Option<&[u8]>, archive: &mut Archive) -> String {
    let mut text = String::new();
    for run in runs(after, before) {
        if text.len() > LONGEST || run.len() > LONGEST / 2 {
            return format!("{DIGEST}{}, {} bytes", archive.add(after), after.len());
        }
        let separator = if text.is_empty() { "" } else { " " };
        let _ = write!(text, "{separator}{}=", run.start);
        hexadecimal::push(&mut text, &after[run]);
    }
    text
}

/// The region that a text describes; the inverse of [`encode`].
///
/// # Errors
/// The first malformed part of the text, as a lowercase fragment.
pub fn decode(text: &str, before: Option<&[u8]>, archive: &Archive) -> Result<Vec<u8>, String> {
    if let Some(digest) = archived(text) {
        let contents = archive.get(digest).ok_or_else(|| format!("the archive has no contents {digest}"))?;
        return Ok(contents.to_vec());
    }
    let mut bytes = before.unwrap_or_default().to_vec();
    for word in text.split_whitespace() {
        let run =
            word.split_once('=').and_then(|(offset, digits)| Some((offset.parse().ok()?, hex(digits)?)));
        let (offset, run): (usize, Vec<u8>) =
            run.ok_or_else(|| format!("`{word}` is not a run of bytes `OFFSET=DIGITS`"))?;
        let end = offset.checked_add(run.len()).ok_or("the offset of a run of bytes is too large")?;
        if before.is_none() && offset == bytes.len() {
            bytes.extend(run);
            continue;
        }
        let place = bytes.get_mut(offset..end).ok_or_else(|| format!("`{word}` lies outside its region"))?;
        place.copy_from_slice(&run);
    }
    Ok(bytes)
}

/// The digest in the text of an archived region; `None` for other texts.
pub fn archived(text: &str) -> Option<&str> {
    text.strip_prefix(DIGEST)?.split(',').next()
}

/// The changed bytes as runs; all bytes without `before`.
fn runs(after: &[u8], before: Option<&[u8]>) -> Vec<std::ops::Range<usize>> {
    let Some(before) = before.filter(|before| before.len() == after.len()) else {
        return (!after.is_empty()).then_some(0..after.len()).into_iter().collect();
    };
    let mut runs: Vec<std::ops::Range<usize>> = Vec::new();
    for at in (0..after.len()).filter(|at| before[*at] != after[*at]) {
        match runs.last_mut() {
            Some(run) if at - run.end <= GAP => run.end = at + 1,
            _ => runs.push(at..at + 1),
        }
    }
    runs
}

fn hex(digits: &str) -> Option<Vec<u8>> {
    let digit = |byte: u8| char::from(byte).to_digit(16).and_then(|value| u8::try_from(value).ok());
    let (pairs, rest) = digits.as_bytes().as_chunks::<2>();
    if !rest.is_empty() || pairs.is_empty() {
        return None;
    }
    pairs.iter().map(|[high, low]| Some(digit(*high)? << 4 | digit(*low)?)).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn what_changed_is_listed_by_offset() {
        let mut archive = Archive::default();
        let before = [0; 40];
        let mut after = before;
        (after[16], after[18], after[39]) = (0x0B, 0x01, 0xFF);
        assert_eq!(encode(&after, Some(&before), &mut archive), "16=0b0001 39=ff");
        assert_eq!(encode(&before, Some(&before), &mut archive), "");
        assert_eq!(encode(&[1, 2], None, &mut archive), "0=0102");
        assert!(archive.is_empty());
    }

    #[test]
    fn what_is_long_is_archived() {
        let mut archive = Archive::default();
        let after = vec![7; 1000];
        let text = encode(&after, Some(&vec![0; 1000]), &mut archive);
        assert!(text.starts_with("sha256 ") && text.ends_with(", 1000 bytes"), "{text}");
        assert_eq!(decode(&text, None, &archive), Ok(after));
        let error = decode(&text, None, &Archive::default()).unwrap_err();
        assert!(error.starts_with("the archive has no contents"), "{error}");
    }

    #[test]
    fn what_says_no_such_thing_is_refused() {
        let none = Archive::default();
        for text in ["4=00", "0=0", "0=", "x=00", "0:00", "18446744073709551615=0000", "0=0g"] {
            assert!(decode(text, Some(&[0; 4]), &none).is_err(), "{text}");
        }
    }

    proptest! {
        #[test]
        fn memory_comes_back(before in prop::collection::vec(0..3_u8, 0..600), seed in prop::collection::vec(0..3_u8, 600)) {
            let after = &seed[..before.len()];
            let mut archive = Archive::default();
            let text = encode(after, Some(&before), &mut archive);
            prop_assert_eq!(decode(&text, Some(&before), &archive), Ok(after.to_vec()));
            let text = encode(after, None, &mut archive);
            prop_assert_eq!(decode(&text, None, &archive), Ok(after.to_vec()));
        }
    }
}
