//! Why a command could not do its work, and whether it then ends with 2 or 4.

use warpdiff_corpus::CorpusError;
use warpdiff_judge::exit_code::Exit;
use warpdiff_report::results::variant::Problem;
use warpdiff_terminal::{foreign, stderr};

/// Why a command could not do its work.
#[derive(Debug)]
pub(crate) struct Failure {
    pub(crate) exit: Exit,
    /// In words, perhaps with text of a target.
    pub(crate) message: String,
    /// The same with carets and colours, if warpdiff wrote all of it.
    pub(crate) rendered: Option<String>,
    /// The errors in files that it consists of, if it does, for programs.
    pub(crate) problems: Vec<Problem>,
}

impl Failure {
    /// Wrong usage or an error in the corpus.
    pub(crate) fn usage(message: impl Into<String>) -> Self {
        Self { exit: Exit::Usage, message: message.into(), rendered: None, problems: Vec::new() }
    }

    /// The machine's fault, or warpdiff's.
    pub(crate) fn broken(message: impl Into<String>) -> Self {
        Self { exit: Exit::Broken, message: message.into(), rendered: None, problems: Vec::new() }
    }

    /// Errors in files, `message` without colours and `rendered` with them; `errors` are those of YAML files.
    pub(crate) fn in_files(message: String, rendered: String, errors: &[CorpusError]) -> Self {
        let problems = errors.iter().map(Problem::new).collect();
        Self { exit: Exit::Usage, message, rendered: Some(rendered), problems }
    }

    /// The failure as it is printed, with foreign text escaped.
    pub(crate) fn shown(self) -> String {
        // Usage errors have their own layout; further lines of other messages are indented.
        let indent = if self.exit == Exit::Usage { 0 } else { 2 };
        self.rendered.unwrap_or_else(|| foreign::lines(&self.message, indent).to_string())
    }
}

/// What a command could not write of several things: each is tried, whatever becomes of the others.
#[derive(Debug, Default)]
pub(crate) struct Unwritten {
    first: Option<Failure>,
}

impl Unwritten {
    /// Notes how one of them went. A failure after the first is printed at once.
    pub(crate) fn note(&mut self, written: Result<(), Failure>) {
        let Err(failure) = written else { return };
        match self.first {
            Some(_) => stderr::line(format_args!("error: {}", failure.shown())),
            None => self.first = Some(failure),
        }
    }

    /// The end of the command.
    pub(crate) fn end(self) -> Result<(), Failure> {
        self.first.map_or(Ok(()), Err)
    }
}
