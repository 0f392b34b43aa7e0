//! Colours of terminal output: which text has which, and when there are none (`--color`, `NO_COLOR`, no terminal).

use std::fmt;
use std::io::IsTerminal;

use clap::ValueEnum;

/// When to use colours.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum ColorChoice {
    /// On a terminal, unless `NO_COLOR` is set.
    #[default]
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}

impl ColorChoice {
    /// Whether output on the standard output is to be coloured.
    pub fn on_stdout(self) -> bool {
        self.wanted(std::io::stdout().is_terminal())
    }

    /// Whether output on the standard error is to be coloured.
    pub fn on_stderr(self) -> bool {
        self.wanted(std::io::stderr().is_terminal())
    }

    fn wanted(self, terminal: bool) -> bool {
        match self {
            Self::Always => true,
            Self::Never => false,
            Self::Auto => terminal && std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty()),
        }
    }
}

/// The colours of a report, or their absence.
#[derive(Clone, Copy, Debug)]
pub struct Style {
    color: bool,
}

/// One colour.
#[derive(Clone, Copy, Debug)]
pub struct Paint(&'static str);

impl Style {
    /// With colours or without.
    pub fn new(color: bool) -> Self {
        Self { color }
    }

    /// Whether there are colours.
    pub fn color(self) -> bool {
        self.color
    }

    fn code(self, code: &'static str) -> Paint {
        Paint(if self.color { code } else { "" })
    }

    /// Without colour.
    pub fn plain(self) -> Paint {
        Paint("")
    }

    /// Wrong, or expected (of a difference: the old text).
    pub fn bad(self) -> Paint {
        self.code("\u{1b}[31m")
    }

    /// [`Style::bad`], emphasised.
    pub fn bad_strong(self) -> Paint {
        self.code("\u{1b}[1;4;31m")
    }

    /// Right, or found (of a difference: the new text).
    pub fn good(self) -> Paint {
        self.code("\u{1b}[32m")
    }

    /// [`Style::good`], emphasised.
    pub fn good_strong(self) -> Paint {
        self.code("\u{1b}[1;4;32m")
    }

    /// A warning.
    pub fn warn(self) -> Paint {
        self.code("\u{1b}[33m")
    }

    /// Titles.
    pub fn strong(self) -> Paint {
        self.code("\u{1b}[1m")
    }

    /// Details of little weight.
    pub fn faint(self) -> Paint {
        self.code("\u{1b}[2m")
    }
}

impl Paint {
    /// The value in this colour.
    pub fn paint<T: fmt::Display>(self, value: T) -> Painted<T> {
        Painted { paint: self, value }
    }
}

/// A value in a colour. Width and alignment apply to the value, not to the codes around it.
pub struct Painted<T> {
    paint: Paint,
    value: T,
}

impl<T: fmt::Display> fmt::Display for Painted<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.paint.0.is_empty() {
            return self.value.fmt(f);
        }
        f.write_str(self.paint.0)?;
        self.value.fmt(f)?;
        f.write_str("\u{1b}[0m")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn without_colours_nothing_is_added() {
        assert_eq!(format!("{:>4}", Style::new(false).bad().paint("x")), "   x");
    }

    #[test]
    fn widths_apply_to_the_value() {
        assert_eq!(format!("{:>4}", Style::new(true).good().paint("x")), "\u{1b}[32m   x\u{1b}[0m");
    }
}
