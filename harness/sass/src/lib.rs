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
//! * [`mnemonic`]: the instructions by name, one row each.
//! * [`form`], [`table`]: their forms as rows of bits, fields and spellings.
//! * [`instruction`]: a row of that table with values; printed as `nvdisasm` does.
//! * [`word`]: 64-bit words, decoded and encoded, with unused bits kept.
//! * [`control`]: the 21-bit scheduling fields and the words that hold three of them.
//! * [`cubin`]: the files that hold machine code.
//! * [`bundle`]: programs as memory holds them, and the schedule of those that state none.
//! * [`parse()`], [`program`]: assembler text, several errors at once; [`programs()`]: several programs in one text.
//! * [`SymbolAddress`]: what a loader fills in.
//! * [`misread`]: programs as implementations misread them, for deviations.
//! * [`check()`], [`Authority`], [`Header`]: what the instructions' pages and an encoder allow; [`compile`] is both.
//!
//! # Programs
//!
//! [`compile`] makes a [`Program`] of text, [`Program::from_words`] one of bundles. It is a list of [`Statement`]s, each an
//! [`Instruction`] (a [`form::Form`], that is a row of [`table::FORMS`] which is compared by identity, with a guard, and a value
//! for each modifier field and operand of the row, and marks such as `-` or `.H1` for each operand), its [`Control`] field where
//! one is written, and its place in the text.
//! [`Program::target`] is the index of the statement that a branch goes to. `Program::control` is the field that an instruction
//! runs under, stated or not. The [`Header`] states the resources of the shader, for the checks and for the code that runs it.
//!
//! # Assembler text
//!
//! ```text
//! program     := { directive } { label ':' | '{' statement statement '}' | statement }
//! directive   := '.spa' '5.0' | '.shader' ( 'compute' | 'graphics' )
//!              | '.registers' number | '.shared' number | '.local' number
//! statement   := [ instruction ] ';'
//! instruction := [ '@' [ '!' ] predicate ] opcode { '.' modifier } [ operand { ',' operand } ] { annotation }
//! operand     := [ '-' ] [ '~' ] [ '|' ] source [ '|' [ '.reuse' ] ]
//!              | literal { '.NEG' | '.ABS' | '.INV' } | [ '!' ] predicate | special register | scoreboard
//!              | '{' barriers '}' | target | symbol | register [ [ '-' ] number ] | signs
//!              | '[' register [ ( '+' | '-' | '+' '-' ) number ] ']' | '[' number ']' | '[' [ register '+' ] symbol ']'
//! source      := register { part | '.CC' | '.reuse' } | constant [ part ]
//! part        := '.H0' | '.H1' | '.B1' | '.B2' | '.B3' | '.F32' | '.H0_H0' | '.H1_H1'
//! literal     := [ '+' | '-' ] ( number | float ) | ( '+' | '-' ) ( 'INF' | ( 'QNAN' | 'SNAN' ) [ '.' bits ] )
//! float       := digits [ '.' digits ] [ ( 'e' | 'E' ) [ '+' | '-' ] digits ]
//! constant    := 'c' '[' symbol ']' | 'c' '[' number ']' '[' [ '-' ] number ']' | 'c' '[' number ']' '[' register [ ( '+' | '-' ) number ] ']'
//! register    := 'R0' … 'R254' | 'RZ'
//! predicate   := 'P0' … 'P6' | 'PT'
//! scoreboard  := 'SB0' … 'SB5'
//! signs       := eight letters 'P', 'N', 'Z': what 'FSWZADD' adds, subtracts and leaves out in each of four lanes
//! test        := 'CC.' and one of the 32 tests of the condition codes: 'CC.EQ', 'CC.LO'; in front of a target, with a comma
//! symbol      := '32@lo' '(' name ')' | '32@hi' '(' name ')' | '`' '(' name ')'; the name, or '(' name ( '+' | '-' ) number ')'
//! target      := constant | label | '`' '(' label ')' | number | '.' ( '+' | '-' ) number
//! number      := decimal | '0x' hexadecimal
//! annotation  := '&req' '=' '{' [ barriers ] '}'      barriers to wait for
//!              | '&rd' '=' barrier                    set when the sources have been read
//!              | '&wr' '=' barrier                    set when the result is written
//!              | '&reuse' '=' number                  registers kept that no `.reuse` can name, a bit each
//!              | '?WAIT' 0 … 15 [ '_YIELD' ]          cycles until the next instruction
//! barriers    := barrier { ',' barrier }
//! barrier     := number, 0 to 5
//! label       := a word, dots included
//! ```
//!
//! A text that is to be told from PTX begins with `.spa 5.0` ([`is_spa`]); the other directives state the [`Header`], in any order
//! and each at most once.
//!
//! Modifiers come in any order, and where two have the same words, in that of the instruction's page. Annotations come in any order,
//! each at most once. A target that is a number is an address in bytes from the first control word, `.` is where the instruction itself
//! stands. Two statements in braces are issued together; the `;` of the second may be left out. Comments are `// …`, `# …` and
//! `/* … */`. White space separates words and has no other meaning.

mod assembler;
pub mod bundle;
mod check;
pub mod condition_code;
pub mod control;
pub mod cubin;
mod directive;
mod float_text;
pub mod form;
mod header;
pub mod instruction;
mod lexer;
mod listing_text;
pub mod misread;
pub mod mnemonic;
mod parser;
pub mod program;
mod programs;
mod reuse;
pub mod surface;
mod symbol;
mod sync_targets;
mod system_register;
pub mod table;
pub mod texture;
pub mod word;

pub use bundle::{NotAProgram, disassemble, serial_control};
pub use check::{Authority, check, compile, compile_by};
pub use control::{Control, ControlWord};
pub use float_text::Float;
pub use form::{Mark, Marks};
pub use header::{Header, ShaderType, is_spa};
pub use instruction::{Guard, Instruction, Operand, Register};
pub use mnemonic::Mnemonic;
pub use parser::{parse, parse_under};
pub use program::{Label, Program, Statement};
pub use programs::{Named, programs};
pub use symbol::{AddressPart, SymbolAddress, SymbolUse};
pub use sync_targets::NoSyncTarget;
pub use word::{Decoded, IllegalField, decode, encode};
