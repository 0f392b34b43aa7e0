//! Parses, checks and decodes the text of a program in any dialect for execution; decodes a module that was made without text.

use std::sync::{Arc, LazyLock};

use warpdiff_ptx::Rules;
use warpdiff_ptx::checked::Module;
use warpdiff_ptx::source::Diagnostic;

use crate::Program;

/// A program, checked and decoded.
pub struct Compiled {
    /// Its text.
    pub text: Arc<str>,
    /// The checked program.
    pub checked: Checked,
    /// The same decoded for the emulator.
    pub program: Program,
}

/// A checked program.
pub enum Checked {
    /// A PTX module.
    Ptx(Arc<Module>),
    /// A program of SPA 5.0.
    Spa(warpdiff_sass::Program),
}

/// Why the emulator cannot run a program.
#[derive(Clone, Debug, thiserror::Error)]
pub enum CompileError {
    /// The program is wrong.
    #[error("the program is rejected")]
    Rejected(Vec<Diagnostic>),
    /// The program is legal, but the emulator does not run it.
    #[error("{0}")]
    Unsupported(String),
}

/// Checks a program by [`Rules::TO_RUN`], or by the pages of SPA 5.0, and decodes it.
///
/// # Errors
/// If the program is wrong, or the emulator does not run it.
pub fn compile(text: &Arc<str>) -> Result<Compiled, CompileError> {
    let (checked, program) = if warpdiff_sass::is_spa(text) {
        let spa = warpdiff_sass::compile(text, &warpdiff_sass::Header::default()).map_err(refused)?;
        let program = Program::spa(&spa, text);
        (Checked::Spa(spa), program)
    } else {
        let module = Arc::new(warpdiff_ptx::compile(text, &Rules::TO_RUN).map_err(refused)?);
        let program = Program::shared(Arc::clone(&module), text);
        (Checked::Ptx(module), program)
    };
    let program = program.map_err(|e| CompileError::Unsupported(e.to_string()))?;
    Ok(Compiled { text: Arc::clone(text), checked, program })
}

/// Decodes a module that was made without text. Where faults and messages of the program would show lines of it, they show none.
///
/// # Errors
/// If the emulator does not run it.
pub fn decode_module(module: Module) -> Result<Compiled, CompileError> {
    static NO_TEXT: LazyLock<Arc<str>> = LazyLock::new(|| Arc::from(""));
    let (module, text) = (Arc::new(module), Arc::clone(&NO_TEXT));
    let program = Program::shared(Arc::clone(&module), &text);
    let program = program.map_err(|e| CompileError::Unsupported(e.to_string()))?;
    Ok(Compiled { text, checked: Checked::Ptx(module), program })
}

/// A program in which nothing is wrong but forms that warpdiff does not know is unsupported, not rejected.
fn refused(diagnostics: Vec<Diagnostic>) -> CompileError {
    match diagnostics.iter().all(|d| d.unsupported) {
        true => {
            let words: Vec<_> = diagnostics.iter().map(|d| d.message.as_str()).collect();
            CompileError::Unsupported(words.join("; "))
        }
        false => CompileError::Rejected(diagnostics),
    }
}
