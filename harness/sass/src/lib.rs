//! SPA 5.0 front end: machine words of sm_50 ⇄ instructions ⇄ assembler text.
//!
//! ```
//! use warpdiff_sass::{Decoded, decode};
//!
//! let decoded = decode(0xef4c_7000_0087_0102);
//! assert_eq!(decoded.text().unwrap(), "LDS.U.32 R2, [R1+0x8];");
//! assert_eq!(decoded.encode(), 0xef4c_7000_0087_0102);
//! ```
//!
//! * [`form`]: the instructions as one table of bits, fields and spellings.
//! * [`instruction`]: a row of that table with values; printed as `nvdisasm` does.
//! * [`word`]: 64-bit words, both ways, with the bits nobody looks at kept.
//! * [`control`]: the 21-bit scheduling fields and the words that hold three of them.
//! * [`bundle`]: programs as memory holds them, and the schedule of those that state none.
//! * [`parse()`], [`program`]: assembler text, several errors at once.
//! * [`check()`], [`Header`]: what the instructions' pages allow; [`compile`] is both.
//!
//! # Assembler text
//!
//! ```text
//! program     := { label ':' | [ instruction ] ';' }
//! instruction := [ '@' [ '!' ] predicate ] opcode { '.' modifier } [ operand { ',' operand } ] { annotation }
//! operand     := [ '-' ] register | [ '-' ] number | [ '!' ] predicate | special register
//!              | 'c' '[' number ']' '[' [ '-' ] number ']'
//!              | '[' register [ ( '+' | '-' | '+' '-' ) number ] ']' | '[' number ']'
//! register    := 'R0' … 'R254' | 'RZ'
//! predicate   := 'P0' … 'P6' | 'PT'
//! number      := decimal | '0x' hexadecimal
//! annotation  := '&req' '=' '{' [ barrier { ',' barrier } ] '}'      barriers to wait for
//!              | '&rd' '=' barrier                                   set when the sources have been read
//!              | '&wr' '=' barrier                                   set when the result is written
//!              | '?WAIT' 0 … 15 [ '_YIELD' ]                         cycles until the next instruction
//! barrier     := number, 0 to 5
//! label       := a word, dots included
//! ```
//!
//! Modifiers come in the order of the instruction's page: `ATOMS.CAST.SPIN.64`, `LDL.LU.64`. Annotations come in any order, each at
//! most once. Comments are `// …`, `# …` and `/* … */`. White space separates words and has no other meaning.

mod assembler;
pub mod bundle;
mod check;
pub mod control;
pub mod form;
pub mod instruction;
mod lexer;
mod parser;
pub mod program;
mod system_register;
pub mod word;

pub use bundle::{disassemble, serial_control};
pub use check::{Header, ShaderType, check, compile};
pub use control::{Control, ControlWord};
pub use instruction::{Guard, Instruction, Operand, Register};
pub use parser::parse;
pub use program::{Label, Program, Statement};
pub use word::{Decoded, IllegalField, decode, encode};
