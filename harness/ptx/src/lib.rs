//! PTX front end: text → lexer → parser → AST → checked module, and a printer back to text.
//!
//! * [`source`]: spans and diagnostics with a caret.
//! * [`vocabulary`]: opcodes, modifiers, types, state spaces and special registers, as enums.
//! * [`checked`]: a module whose names are resolved and whose forms are legal; what the emulator decodes.

pub mod checked;
pub mod source;
pub mod vocabulary;
