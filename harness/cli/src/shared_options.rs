//! The options that every command has: `--corpus`, `--color`, `--all-errors`.

use std::io::Write;
use std::path::PathBuf;

use warpdiff_corpus::filter::Filter;
use warpdiff_corpus::{Corpus, CorpusErrors, Loading, Planned, SoundFiles};
use warpdiff_terminal::stderr;
use warpdiff_terminal::style::{ColorChoice, Style};

use crate::corpus_root::{self, CorpusRoots};
use crate::failure::Failure;
use crate::kept_sound_files::KeptSoundFiles;

/// Options of every command.
#[derive(Clone, Debug, Default, clap::Args)]
pub(crate) struct SharedOptions {
    /// Folder of a corpus; `builtin` is the one built into warpdiff. May be given several times: their cases run together [default:
    /// `cases`, here or in a folder above, or else `builtin`]
    #[arg(long, global = true, value_name = "DIR")]
    pub(crate) corpus: Vec<PathBuf>,
    /// When to use colours; NO_COLOR is respected
    #[arg(long, global = true, value_enum, default_value_t, value_name = "WHEN")]
    pub(crate) color: ColorChoice,
    /// Print all errors of the corpus, not only the first 50
    #[arg(long, global = true)]
    pub(crate) all_errors: bool,
}

/// What a list of variants has.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Listing {
    /// Their names.
    Names,
    /// The number of their rows, too, for which every case is read whole.
    WithRows,
}

/// Errors of a corpus that are printed without `--all-errors`.
const ERRORS: usize = 50;

/// The first errors of a corpus with carets, and how many more there are.
fn first(errors: &CorpusErrors, most: usize, color: bool) -> String {
    let (shown, hidden) = errors.0.split_at(errors.0.len().min(most));
    let mut shown: Vec<String> = shown.iter().map(|error| error.render(color)).collect();
    if !hidden.is_empty() {
        shown.push(format!("… and {} more (--all-errors prints them)", hidden.len()));
    }
    shown.join("\n\n")
}

impl SharedOptions {
    /// Where the corpora are.
    pub(crate) fn roots(&self) -> Result<CorpusRoots, Failure> {
        corpus_root::find(&self.corpus)
    }

    /// The corpus with every variant planned, or its errors with carets.
    pub(crate) fn load(&self) -> Result<Corpus, Failure> {
        self.load_for(&Filter::default())
    }

    /// The corpus with no variant planned, or its errors with carets.
    pub(crate) fn load_list(&self) -> Result<Corpus, Failure> {
        let corpus = self.list_what_is_right(Listing::Names)?;
        match corpus.broken.is_empty() {
            true => Ok(corpus),
            false => Err(self.failure(&corpus.errors())),
        }
    }

    /// The corpus with the variants planned that a filter selects. Errors of other cases are said in one line.
    pub(crate) fn load_for(&self, filter: &Filter) -> Result<Corpus, Failure> {
        let corpus = self.with_sound_files(Planned::Selected(filter))?;
        let broken = !corpus.broken.is_empty();
        let needed = corpus.broken.iter().any(|broken| filter.selects(&broken.id));
        // What is looked for may be in a file that cannot be read.
        let found = corpus.listed.iter().any(|variant| filter.selects(&variant.id));
        if broken && (needed || !found) {
            return Err(self.failure(&corpus.errors()));
        }
        if broken {
            stderr::line(format_args!("other cases of the corpus cannot be read: `warpdiff list` says why"));
        }
        Ok(corpus)
    }

    /// What is right of the corpus, with no variant planned; it knows what is not right.
    pub(crate) fn list_what_is_right(&self, listing: Listing) -> Result<Corpus, Failure> {
        match listing {
            Listing::Names => self.with_sound_files(Planned::Nothing),
            Listing::WithRows => self.what_is_right(Planned::Nothing, None),
        }
    }

    /// Uses what earlier commands found, and keeps what this one finds.
    fn with_sound_files(&self, planned: Planned<'_>) -> Result<Corpus, Failure> {
        let Some(kept) = KeptSoundFiles::of_this_program() else { return self.what_is_right(planned, None) };
        let sound = kept.read();
        let corpus = self.what_is_right(planned, Some(&sound))?;
        kept.add(sound);
        Ok(corpus)
    }

    fn what_is_right(&self, planned: Planned<'_>, sound: Option<&SoundFiles>) -> Result<Corpus, Failure> {
        let roots = self.roots()?;
        let corpus = warpdiff_corpus::load_what_is_right(&roots.trees(), Loading { planned, sound })
            .map_err(|errors| self.failure(&errors))?;
        match corpus.listed.is_empty() && corpus.broken.is_empty() {
            true => Err(Failure::usage(format!("no cases found in {}", roots.words()))),
            false => Ok(corpus),
        }
    }

    /// Prints the errors of the corpus, if it has any, on the standard error.
    pub(crate) fn say_what_is_broken(&self, corpus: &Corpus) {
        if !corpus.broken.is_empty() {
            let words = self.words(&corpus.errors(), self.color.on_stderr());
            // A closed standard error is no reason to fail.
            let _ = writeln!(std::io::stderr(), "\n{words}");
        }
    }

    /// The failure of a command that needs what cannot be read.
    pub(crate) fn failure(&self, errors: &CorpusErrors) -> Failure {
        let (message, rendered) = (self.words(errors, false), self.words(errors, self.color.on_stderr()));
        Failure::in_files(message, rendered, &errors.0)
    }

    fn words(&self, errors: &CorpusErrors, color: bool) -> String {
        let count = errors.0.len();
        let noun = if count == 1 { "error" } else { "errors" };
        let most = if self.all_errors { usize::MAX } else { ERRORS };
        format!("the corpus has {count} {noun}\n\n{}", first(errors, most, color))
    }

    /// The style of what goes to the standard output.
    pub(crate) fn style(&self) -> Style {
        Style::new(self.color.on_stdout())
    }
}
