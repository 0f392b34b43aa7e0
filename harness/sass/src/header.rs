//! The header of a program: its directives, and the text they are written as.

use std::fmt;

/// The stage of the graphics pipeline that a program is for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum ShaderType {
    /// Kernels.
    #[default]
    Compute,
    /// Any other stage: it has no shared memory.
    Graphics,
}

/// The properties of a program that its directives state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Header {
    /// The number of registers of a thread, 0 to 255: `R0` up to one less.
    pub registers: u16,
    /// Bytes of shared memory of a CTA.
    pub shared: u32,
    /// Bytes of local memory of a thread.
    pub local: u32,
    /// The kind of program.
    pub shader: ShaderType,
}

impl Default for Header {
    /// A kernel with all registers and without memory.
    fn default() -> Self {
        Header { registers: 255, shared: 0, local: 0, shader: ShaderType::Compute }
    }
}

impl fmt::Display for ShaderType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            ShaderType::Compute => "compute",
            ShaderType::Graphics => "graphics",
        })
    }
}

impl fmt::Display for Header {
    /// The directives that state it, one on each line.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Header { registers, shared, local, shader } = self;
        write!(f, ".spa 5.0\n.shader {shader}\n.registers {registers}\n.shared {shared}\n.local {local}\n")
    }
}

/// Whether a text is a program of SPA 5.0 rather than one of PTX: its first word is `.spa`.
pub fn is_spa(text: &str) -> bool {
    let mut rest = text.trim_start();
    loop {
        let comment = match rest.as_bytes() {
            [b'#', ..] | [b'/', b'/', ..] => rest.find('\n'),
            [b'/', b'*', ..] => rest.find("*/").map(|end| end + 1),
            _ => break,
        };
        let Some(end) = comment else { return false };
        rest = rest[end + 1..].trim_start();
    }
    rest.strip_prefix(".spa").is_some_and(|rest| rest.starts_with(char::is_whitespace))
}
