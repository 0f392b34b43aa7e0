//! The command line of `warpdiff fuzz`.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use clap::builder::ArgPredicate;
use warpdiff_generator::seed::{SPECIMEN_BYTES, fill};
use warpdiff_generator::{Entrance, Mix, NEWEST_TARGET, Specimen, spa_specimen_of_bytes, specimen_of_bytes};
use warpdiff_targets::TargetName;
use warpdiff_worker::options::WorkerOptions;
use warpdiff_worker::run_end::{self, RunEnd};

/// Options of `fuzz`.
#[derive(Clone, Debug, clap::Args)]
pub struct Options {
    /// Target to judge: `emulator+suld.clamp-as-zero`. May be given several times: each program runs on all of them
    #[arg(long, value_name = "TARGET", required_unless_present = "statistics")]
    pub against: Vec<TargetName>,
    /// Judge no target: count which forms of instructions the programs have, and how many programs the specification decides
    #[arg(long, conflicts_with_all = ["against", "stop"])]
    pub statistics: bool,
    /// Seed: the same seed gives the same programs on every machine
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
    /// Language of the programs
    #[arg(long = "dialect", value_enum, default_value_t)]
    pub language: Language,
    /// How the inputs of programs of PTX reach their registers
    #[arg(long, value_enum, default_value_t)]
    pub inputs: Inputs,
    /// What programs of PTX have more of, and what they have not: it is part of what a seed gives
    #[arg(long, value_parser = mix(), default_value = "all", value_name = "MIX")]
    pub mix: Mix,
    /// Newest architecture whose instructions programs of PTX have, as in `sm_75`: it is part of what a seed gives [default: that of
    /// the target, or sm_90]
    #[arg(long, value_name = "SM", value_parser = architecture)]
    pub arch: Option<u32>,
    /// Number of programs [default: 10000; with --time as many as there is time for]
    #[arg(long, default_value = "10000", default_value_if("time", ArgPredicate::IsPresent, Some("18446744073709551615")),
        hide_default_value = true, value_parser = clap::value_parser!(u64).range(1..))]
    pub count: u64,
    /// Try no more programs after this time, as in `90s`, `20m` or `1h`; what was found is still reduced. The summary says with which
    /// `--first` a later campaign goes on
    #[arg(long, value_name = "TIME", value_parser = duration, conflicts_with = "statistics")]
    pub time: Option<Duration>,
    /// Index of the first program
    #[arg(long, default_value_t = 0, value_name = "INDEX")]
    pub first: u64,
    /// Keep programs that reach a new combination of a form and the rules that decide it (a coordinate that is clamped, a sum that is
    /// rounded up) in this folder, and make later programs of those. The folder is created, or goes on; at the end programs leave it without
    /// which it reaches as much. Its files are bytes that the libFuzzer target `specimen` takes, too
    #[arg(long, value_name = "DIR", conflicts_with = "statistics")]
    pub corpus: Option<PathBuf>,
    /// Folder for the case files of what is found
    #[arg(long, default_value = "fuzz-findings", value_name = "DIR")]
    pub out: PathBuf,
    /// Programs to reduce and write per cause; 0 writes nothing
    #[arg(long, default_value_t = 1, value_name = "N")]
    pub per_cause: usize,
    /// Write a program that needs no warpdiff for each case, to a folder of its own in DIR: a PTX file with drivers in C and in Python,
    /// which say what is wrong
    #[arg(long, value_name = "DIR")]
    pub reproducer: Option<PathBuf>,
    /// Stop at the first program that shows a difference
    #[arg(long)]
    pub stop: bool,
    /// Write every Nth program as text, parse it, and compute all that it is allowed to do; 1: all. For each other program that is done only if the
    /// target reads text, or does something that the reference does not allow under its own choices
    #[arg(long, default_value_t = 32, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub parse_every: u64,
    /// Limits of the processes of the target
    #[command(flatten)]
    pub workers: WorkerOptions,
}

impl Options {
    /// A campaign of so many programs against one target, with the defaults of the command, that writes no files.
    pub fn of(against: TargetName, seed: u64, count: u64) -> Self {
        Self {
            against: vec![against],
            statistics: false,
            seed,
            language: Language::default(),
            inputs: Inputs::default(),
            mix: Mix::All,
            arch: None,
            count,
            time: None,
            first: 0,
            corpus: None,
            out: PathBuf::new(),
            per_cause: 0,
            reproducer: None,
            stop: false,
            parse_every: 32,
            workers: WorkerOptions::default(),
        }
    }
}

/// The language of generated programs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum Language {
    /// PTX
    #[default]
    Ptx,
    /// SPA 5.0
    Spa,
}

/// How the inputs of a program reach their registers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum Inputs {
    /// Loaded from memory
    #[default]
    Loaded,
    /// As constants, which a compiler folds; the first thread of each program
    Immediate,
    /// Every second as a constant; the first thread of each program
    Mixed,
}

impl Inputs {
    fn entrance(self) -> Entrance {
        match self {
            Self::Loaded => Entrance::Loaded,
            Self::Immediate => Entrance::Immediate,
            Self::Mixed => Entrance::Mixed,
        }
    }

    /// How it is said of a program: `, inputs immediate`.
    fn remark(self) -> &'static str {
        match self {
            Self::Loaded => "",
            Self::Immediate => ", inputs immediate",
            Self::Mixed => ", inputs mixed",
        }
    }
}

/// Reads `90s`, `20m`, `1h`.
fn duration(text: &str) -> Result<Duration, String> {
    let wrong =
        || format!("`{text}` is no time: expected seconds, minutes or hours, such as `90s`, `20m` or `1h`");
    let unit = text.chars().next_back().ok_or_else(wrong)?;
    let seconds: u64 = match unit {
        's' => 1,
        'm' => 60,
        'h' => 3600,
        _ => return Err(wrong()),
    };
    let number: u64 = text[..text.len() - unit.len_utf8()].parse().map_err(|_| wrong())?;
    let whole = number.checked_mul(seconds).filter(|whole| *whole > 0).ok_or_else(wrong)?;
    Ok(Duration::from_secs(whole))
}

/// The mixes by their names.
fn mix() -> impl clap::builder::TypedValueParser<Value = Mix> {
    use clap::builder::{PossibleValuesParser, TypedValueParser as _};
    PossibleValuesParser::new(Mix::ALL.map(|(_, name)| name)).map(|name| {
        let known = Mix::ALL.iter().find(|(_, known)| *known == name);
        known.map(|(mix, _)| *mix).unwrap_or_default()
    })
}

/// Reads `sm_75`.
fn architecture(text: &str) -> Result<u32, String> {
    let number = text.strip_prefix("sm_").and_then(|number| number.parse().ok());
    number.filter(|number| *number >= 50).ok_or_else(|| "expected sm_50 or newer, such as `sm_75`".to_owned())
}

impl Options {
    /// What has to be known beside seed and index to get the same program again: `, inputs mixed, up to sm_50`.
    pub(super) fn remark(&self) -> String {
        let mut inputs = self.inputs.remark().to_owned();
        if self.corpus.is_some() {
            inputs.push_str(", guided by a corpus");
        }
        if self.mix != Mix::All {
            inputs.push_str(&format!(", mix {}", self.mix.name()));
        }
        match self.arch {
            Some(arch) if arch < NEWEST_TARGET && self.language == Language::Ptx => {
                format!("{inputs}, up to sm_{arch}")
            }
            _ => inputs,
        }
    }

    /// The first target to judge.
    ///
    /// # Errors
    /// Without one: the command line asks for it, a caller may not have.
    pub fn target(&self) -> Result<&TargetName, FuzzError> {
        self.against.first().ok_or_else(|| FuzzError::Target("--against: a target is needed".to_owned()))
    }

    /// Why no further program is to be tried: a signal came, or the time of a campaign that began then is up.
    pub(super) fn ended(&self, begun: Instant) -> Option<RunEnd> {
        let time_up = self.time.is_some_and(|time| begun.elapsed() >= time);
        run_end::reached().or(time_up.then_some(RunEnd::TimeUp))
    }

    /// The options with the number of programs that really follow the first one: `--time` alone asks for as many as there are.
    pub(super) fn with_programs_that_are_there(mut self) -> Self {
        if self.time.is_some() {
            self.count = self.count.min(u64::MAX - self.first).max(1);
        }
        self
    }

    /// The specimen of that index.
    ///
    /// # Errors
    /// A message: a table of the generator is wrong.
    pub(super) fn specimen(&self, index: u64) -> Result<Specimen, String> {
        let mut bytes = [0; SPECIMEN_BYTES];
        fill(&mut bytes, self.seed, index);
        self.specimen_of(&bytes).map(|(specimen, _)| specimen)
    }

    /// The specimen that these bytes give, and how many of them it is made of.
    ///
    /// # Errors
    /// As [`Options::specimen`].
    pub(super) fn specimen_of(&self, bytes: &[u8]) -> Result<(Specimen, usize), String> {
        let drawn = match self.language {
            Language::Ptx => specimen_of_bytes(bytes, self.arch.unwrap_or(NEWEST_TARGET), self.mix)
                .map(|(specimen, used)| (specimen.entering(self.inputs.entrance()), used)),
            Language::Spa => spa_specimen_of_bytes(bytes, self.mix),
        };
        drawn.map_err(|error| error.to_string())
    }
}

/// Why a campaign failed.
#[derive(Debug, thiserror::Error)]
pub enum FuzzError {
    /// A case file could not be written.
    #[error("cannot write {}: {source}", path.display())]
    Write {
        /// The file or folder.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// The folder of `--corpus`, or a file in it, cannot be used.
    #[error("--corpus: cannot use {}: {source}", path.display())]
    Corpus {
        /// The file or folder.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// The reference does not run the program of a file of `--corpus`.
    #[error("--corpus: the reference cannot run the program of {}: {why}", path.display())]
    Seed {
        /// The file.
        path: PathBuf,
        /// Why.
        why: String,
    },
    /// A finding has no case.
    #[error("a finding cannot be written as a case: {0}")]
    Case(String),
    /// A program that needs no warpdiff could not be written.
    #[error("{0}")]
    Reproducer(String),
    /// There are fewer programs than wanted after the first one.
    #[error("--first {first}: fewer than {count} programs follow; the last has index {}", u64::MAX)]
    Range {
        /// Index of the first program.
        first: u64,
        /// Number of programs.
        count: u64,
    },
    /// Only programs of PTX are for an architecture.
    #[error("--arch is for programs of PTX: those of SPA 5.0 are for sm_50")]
    Architecture,
    /// Only programs of PTX have inputs as constants.
    #[error("--inputs is for programs of PTX: those of SPA 5.0 load their inputs")]
    Inputs,
    /// Only threads of programs of PTX contend.
    #[error("--mix contended is for programs of PTX: threads of those of SPA 5.0 have places of their own")]
    Mix,
    /// The generator or the reference fails on a program.
    #[error("{0}")]
    Program(String),
    /// The target cannot run anything.
    #[error("{0}")]
    Target(String),
    /// The summary could not be written.
    #[error("cannot write the output: {0}")]
    Output(std::io::Error),
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_is_a_number_with_its_unit() {
        let seconds = |text| duration(text).map(|time| time.as_secs());
        assert_eq!(seconds("90s"), Ok(90));
        assert_eq!(seconds("20m"), Ok(1200));
        assert_eq!(seconds("1h"), Ok(3600));
        for wrong in
            ["", "h", "10", "0s", "-1s", "1d", "1.5h", "1µ", "99999999999999999999h", "18446744073709551615h"]
        {
            let said = duration(wrong).expect_err("it is none");
            assert!(said.contains("such as `90s`"), "{said}");
        }
    }
}
