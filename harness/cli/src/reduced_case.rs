//! A reduced mismatch as a case: the whole program with its launch and data, its provenance and its signature.

use std::path::Path;

use warpdiff_corpus::bytes;
use warpdiff_corpus::plan::Work;
use warpdiff_generator::case;
use warpdiff_model::{Launch, Mismatch};
use warpdiff_terminal::foreign;

/// Before the signature in the comment of a case.
pub(crate) const SIGNATURE: &str = "# signature: ";

/// Mismatches that the comment shows.
const MISMATCHES: usize = 4;

/// A reduced mismatch, ready to be written.
pub(crate) struct ReducedCase<'a> {
    /// Unique in its file.
    pub(crate) title: String,
    /// Where it comes from, a sentence a line: case or seed, target, version, date.
    pub(crate) provenance: Vec<String>,
    /// Its signature in words.
    pub(crate) signature: String,
    pub(crate) launch: &'a Launch,
    pub(crate) mismatches: &'a [Mismatch],
}

impl ReducedCase<'_> {
    /// The case file.
    ///
    /// # Errors
    /// What the format of cases has no words for: read again, the case is another launch.
    pub(crate) fn text(&self) -> Result<String, String> {
        let mut comment: Vec<String> =
            self.provenance.iter().map(|line| foreign::line(line).to_string()).collect();
        comment.push(format!("{}{}", SIGNATURE.trim_start_matches("# "), self.signature));
        comment.extend(mismatch_lines(self.mismatches));
        let stop = warpdiff_reducer::stop(self.launch);
        let stated = match stop {
            Some(_) => "That it ends so is what the reference computes, and nothing else is stated.",
            None => "No result is stated: the reference computes what is allowed.",
        };
        let why = format!("`warpdiff reduce` made this program from a larger one. {stated}");
        let text = case::text(&self.title, &comment, &why, self.launch, stop.as_deref());
        match read_again(&text)? == trimmed(self.launch) {
            true => Ok(text),
            false => Err("the format of cases has no words for some of it, such as bytes of which some bits are undefined".into()),
        }
    }
}

/// The launch of a case.
fn read_again(text: &str) -> Result<Launch, String> {
    let name = Path::new("reduced.yaml");
    let variants = warpdiff_corpus::load_text_as(name, text.to_owned(), Path::new("."))
        .map_err(|errors| errors.render(false))?;
    let launches = variants.into_iter().filter_map(|variant| match variant.work {
        Work::Launches(launches) => launches.into_iter().next(),
        _ => None,
    });
    launches
        .into_iter()
        .next()
        .map(|planned| trimmed(&planned.launch))
        .ok_or_else(|| "it has no launch".into())
}

/// The launch with a program without white space at its end, which YAML does not keep.
fn trimmed(launch: &Launch) -> Launch {
    Launch { program: launch.program.trim_end().into(), ..launch.clone() }
}

/// The first mismatches, a line each.
pub(crate) fn mismatch_lines(mismatches: &[Mismatch]) -> Vec<String> {
    let line = |mismatch: &Mismatch| {
        let place = mismatch
            .region
            .as_ref()
            .map(|(kind, name)| format!("{} `{name}`, byte {}: ", bytes::kind_name(*kind), mismatch.offset));
        let mut line = format!("{}{}", place.unwrap_or_default(), mismatch.detail);
        if !mismatch.observed.is_empty() {
            let expected = bytes::masked_hex(&mismatch.expected, &mismatch.defined);
            line.push_str(&format!(" (expected {expected}, observed {})", bytes::hex(&mismatch.observed)));
        }
        // Text of the target may be part of it, and must not end the comment.
        foreign::line(&line).to_string()
    };
    mismatches.iter().take(MISMATCHES).map(line).collect()
}
