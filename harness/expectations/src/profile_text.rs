//! Writes a profile of what was seen of a target.

use std::fmt::Write;

use warpdiff_model::Deviation;
use warpdiff_model::choice::ChoiceInfo;

use crate::day::Day;
use crate::proposal::quoted;

/// What was seen of a target.
#[derive(Clone, Debug)]
pub struct Seen<'s> {
    /// What the profile describes.
    pub describes: String,
    /// The name of the target, as `--against` writes it.
    pub target: &'s str,
    /// Choices that it was seen to make, each with the indices of the alternatives.
    pub choices: Vec<(&'static ChoiceInfo, Vec<u8>)>,
    /// Deviations that reproduce what it does wrong, each with the number of variants that show it.
    pub deviations: Vec<(Deviation, usize)>,
    /// What it does wrong and no deviation reproduces: causes in words, each with the number of variants.
    pub unexplained: Vec<(String, usize)>,
    /// The command that showed it.
    pub command: String,
    /// The day on which it ran.
    pub date: Day,
}

/// The text of the profile.
pub fn written(seen: &Seen<'_>) -> String {
    let Seen { describes, target, choices, deviations, unexplained, command, date } = seen;
    let mut text = format!("describes: {}\ntarget: {}\n", quoted(describes), quoted(target));
    let known = |text: &mut String| {
        let _ = writeln!(text, "    evidence: {{command: {}}}\n    date: {date}", quoted(command));
    };
    if !choices.is_empty() {
        text.push_str("\nchoices:\n");
    }
    for (info, takes) in choices {
        let names: Vec<&str> =
            takes.iter().filter_map(|index| info.alternatives.get(usize::from(*index)).copied()).collect();
        let takes = match names.as_slice() {
            [one] => (*one).to_owned(),
            several => format!("[{}]", several.join(", ")),
        };
        let _ = writeln!(text, "  - choice: {}\n    takes: {takes}", info.name);
        known(&mut text);
    }
    if !deviations.is_empty() {
        text.push_str("\ndeviations:\n");
    }
    for (deviation, variants) in deviations {
        let noun = if *variants == 1 { "variant" } else { "variants" };
        let _ = writeln!(text, "  - deviation: {}   # {variants} {noun}", deviation.name());
        known(&mut text);
    }
    if !unexplained.is_empty() {
        text.push_str(
            "\n# No deviation reproduces the following; expectations can say it (docs/expectations.md):\n",
        );
    }
    for (cause, variants) in unexplained {
        let _ = writeln!(text, "#   {variants:>5}  {}", cause.replace(['\n', '\r'], " "));
    }
    text
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use warpdiff_corpus::plan::SourceFile;
    use warpdiff_model::Choice;

    use super::*;
    use crate::profile::Profile;

    #[test]
    fn what_is_written_is_read_again() {
        let (misaligned, layer) = (Choice::ALL[0].choice.info(), Choice::ALL[2].choice.info());
        let deviation = Deviation::from_name("suld.clamp-as-zero").unwrap();
        let seen = Seen {
            describes: "process:./x --a: 'b' # as seen".into(),
            target: "process:./x --a: 'b' # c",
            choices: vec![(misaligned, vec![1]), (layer, vec![0, 1])],
            deviations: vec![(deviation, 3)],
            unexplained: vec![("value in mul.hi, reproduced by no known deviation".into(), 2)],
            command: "warpdiff characterize --against \"process:./x --a: 'b' # c\"".into(),
            date: "2026-11-22".parse().unwrap(),
        };
        let file = Arc::new(SourceFile::new("x.yaml", written(&seen)));
        let read = Profile::parse(file).unwrap_or_else(|errors| panic!("{}", errors[0].render(false)));
        assert!(read.is_for(seen.target) && !read.is_for("emulator"));
        assert_eq!(read.describes, seen.describes);
        let takes: Vec<_> = read.choices.iter().map(|known| (known.info.name, known.takes.clone())).collect();
        assert_eq!(takes, [(misaligned.name, vec![1]), (layer.name, vec![0, 1])]);
        let named: Vec<_> = read.deviations.iter().map(|known| known.deviation).collect();
        assert_eq!(named, [deviation]);
        assert_eq!(read.deviations[0].known.evidence, [("command", seen.command)]);
        assert_eq!(read.deviations[0].known.date, seen.date);
    }
}
