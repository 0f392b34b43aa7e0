//! The list of mutants that no case can notice, each with the reason: `FILE<tab>FUNCTION<tab>CHANGE<tab>REASON`. The change `*` is whatever of a function
//! nothing notices.

use crate::mutation::Mutant;

/// One line of the list.
pub(crate) struct Known {
    pub(crate) line: usize,
    pub(crate) file: String,
    pub(crate) function: String,
    pub(crate) change: String,
    pub(crate) reason: String,
}

impl Known {
    pub(crate) fn is_about(&self, mutant: &Mutant) -> bool {
        let in_function = mutant.function == self.function
            || mutant.function.strip_prefix(&*self.function).is_some_and(|rest| rest.starts_with("::"));
        self.file == mutant.file && in_function && (self.is_whole() || self.change == mutant.change)
    }

    /// Whether it is about a whole function, of which nothing needs to survive: its rules hold under deviations alone.
    pub(crate) fn is_whole(&self) -> bool {
        self.change == "*"
    }
}

/// Reads the list.
///
/// # Errors
/// A line has not four parts, or no reason.
pub(crate) fn read(text: &str) -> Result<Vec<Known>, String> {
    let mut known = Vec::new();
    for (index, line) in text.lines().enumerate() {
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let parts: Vec<&str> = line.split('\t').collect();
        let [file, function, change, reason] = &*parts else {
            return Err(format!(
                "line {}: FILE, FUNCTION, CHANGE and REASON with tabs between them were expected",
                index + 1
            ));
        };
        if reason.trim().is_empty() {
            return Err(format!("line {}: the reason is missing", index + 1));
        }
        known.push(Known {
            line: index + 1,
            file: (*file).to_owned(),
            function: (*function).to_owned(),
            change: (*change).to_owned(),
            reason: (*reason).to_owned(),
        });
    }
    Ok(known)
}
