//! What a launch prints.

/// Bytes that a launch can print.
const OUTPUT_LIMIT: usize = 16 << 20;

/// What a launch prints.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Printed {
    /// The text of `vprintf`, in the order in which the threads ran.
    pub text: Vec<u8>,
    /// The messages of `__assertfail`, one a line.
    pub assertions: Vec<u8>,
    /// Whether there was more than is kept.
    pub cut: bool,
}

impl Printed {
    /// Adds a text, or the message of an assertion, as long as there is room.
    pub fn add(&mut self, text: &[u8], is_assertion: bool) {
        if self.text.len() + self.assertions.len() + text.len() > OUTPUT_LIMIT {
            self.cut = true;
            return;
        }
        if is_assertion { &mut self.assertions } else { &mut self.text }.extend(text);
    }
}
