//! PTX front end: source text → lexer → parser → AST → checked module, and a printer back to source text.
//!
//! ```
//! use warpdiff_ptx::{Dialect, Rules, compile, render};
//!
//! let text = ".version 8.8\n.target sm_90\n.address_size 64\n.visible .entry k() { ret; }";
//! let rules = Rules { dialect: Dialect::Ptxas(12, 9), ..Rules::default() };
//! let module = compile(text, &rules).expect("a legal program");
//! assert_eq!(module.functions[0].name, "k");
//!
//! let wrong = text.replace("ret", "retrun");
//! let shown = render(&compile(&wrong, &rules).unwrap_err(), "k.ptx", &wrong, false);
//! assert!(shown.contains("unknown opcode `retrun`") && shown.contains("k.ptx:4:23"));
//! ```
//!
//! * [`lexer`], [`ast`], [`parse`], [`print()`]: the source text as a tree that loses only white space and comments.
//! * [`check()`], [`Rules`]: names, layout of variables, legality by PTX version, target and dialect. The legal forms are in
//!   one table per subject, under `check/forms/`, in a notation close to the manual's.
//! * [`ptxas_deviation`]: where the assembler gives variables other contents than the specification.
//! * [`misread`]: modules as implementations misread them, for deviations.
//! * [`unread`], [`written`], [`stored_numbers`]: which registers nothing reads, which instruction wrote one, which are stored as
//!   floating-point numbers: for deviations of compilers.
//! * [`source`]: spans and diagnostics with a caret.
//! * [`vocabulary`]: opcodes, modifiers, types, state spaces and special registers, as enums.
//! * [`checked`]: a module with resolved names and legal forms, for the emulator to decode.

pub mod ast;
mod check;
pub mod checked;
pub mod joined;
pub mod lexer;
pub mod misread;
mod parser;
mod printer;
pub mod ptxas_deviation;
mod render;
mod short_list;
pub mod source;
mod spelling;
pub mod stored_numbers;
mod unified;
pub mod unread;
pub mod vocabulary;
mod word_kind;
pub mod written;

pub use check::{Dialect, Rules, check, compile, compile_variables, examine};

/// The tables of legal forms, for generators of programs. The notation is that of the tables.
pub mod forms {
    pub use crate::check::{Form, Pattern, Role, Slot, TypeOf, forms_to_run, needed_target};
}
pub use parser::parse;
pub use printer::{print, print_body_renamed};
pub use render::{render, render_warnings};
