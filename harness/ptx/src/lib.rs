//! PTX front end: text → lexer → parser → AST → checked module, and a printer back to text.
//!
//! * [`source`]: spans and diagnostics with a caret.
//! * [`vocabulary`]: opcodes, modifiers, types, state spaces and special registers, as enums.
//! * [`checked`]: a module whose names are resolved and whose forms are legal; what the emulator decodes.

pub mod ast;
mod check;
pub mod checked;
pub mod lexer;
mod parser;
mod printer;
mod render;
pub mod source;
pub mod vocabulary;

pub use check::{Dialect, Rules, check, compile};
pub use parser::parse;
pub use printer::print;
pub use render::render;
