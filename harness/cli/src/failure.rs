//! Why a command could not do its work, and with which exit code it then ends.

use warpdiff_judge::exit_code::Exit;
use warpdiff_terminal::foreign;

/// Why a command could not do its work.
#[derive(Debug)]
pub(crate) struct Failure {
    pub(crate) exit: Exit,
    /// In words; those of a target may be among them.
    pub(crate) message: String,
    /// The same with carets and colours, where we made it up ourselves.
    pub(crate) rendered: Option<String>,
}

impl Failure {
    /// Wrong usage or an error in the corpus.
    pub(crate) fn usage(message: impl Into<String>) -> Self {
        Self { exit: Exit::Usage, message: message.into(), rendered: None }
    }

    /// The machine's fault, or warpdiff's.
    pub(crate) fn broken(message: impl Into<String>) -> Self {
        Self { exit: Exit::Broken, message: message.into(), rendered: None }
    }

    /// An error in a file, `message` without colours and `rendered` with them.
    pub(crate) fn in_file(message: String, rendered: String) -> Self {
        Self { exit: Exit::Usage, message, rendered: Some(rendered) }
    }

    /// The failure as it is printed: whatever is not of our own making is harmless.
    pub(crate) fn shown(self) -> String {
        // Our own words about usage are laid out already; what else comes on several lines belongs together.
        let indent = if self.exit == Exit::Usage { 0 } else { 2 };
        self.rendered.unwrap_or_else(|| foreign::lines(&self.message, indent).to_string())
    }
}
