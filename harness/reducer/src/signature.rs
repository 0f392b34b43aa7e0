//! The signature of a mismatch: what must not change while its launch shrinks.

use std::fmt;

use warpdiff_judge::mismatch_class::class_name;
use warpdiff_model::{Deviation, MismatchClass};

/// The instruction, the class and the cause of a mismatch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Signature {
    /// The instruction with its modifiers: `suld.b.2d.b32.clamp`. `None` if none is known.
    pub instruction: Option<String>,
    /// The class.
    pub class: MismatchClass,
    /// The deviations that each reproduce everything that was observed of the launch, in the order of the catalogue.
    pub cause: Vec<Deviation>,
}

impl Signature {
    /// A name for files: `suld.b.2d.b32.clamp-suld.clamp-as-zero`.
    pub fn file_name(&self) -> String {
        let instruction = self.instruction.as_deref().unwrap_or("several");
        let cause = match self.cause.first() {
            Some(deviation) => deviation.name().to_owned(),
            None => class_name(self.class).replace(' ', "-"),
        };
        let name = format!("{instruction}-{cause}");
        name.chars().map(|c| if c.is_ascii_alphanumeric() || "._-".contains(c) { c } else { '_' }).collect()
    }
}

impl fmt::Display for Signature {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let instruction = self.instruction.as_deref().unwrap_or("several instructions");
        write!(f, "{instruction}: {}", class_name(self.class))?;
        let names: Vec<_> = self.cause.iter().map(|deviation| deviation.name()).collect();
        match names.as_slice() {
            [] => f.write_str(", reproduced by no known deviation"),
            [one] => write!(f, ", reproduced exactly by {one}"),
            several => write!(f, ", reproduced exactly by each of {}", several.join(", ")),
        }
    }
}
