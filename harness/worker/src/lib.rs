//! Workers: the processes in which targets run, and the protocol between them and warpdiff (`docs/protocol.md`).
//!
//! * [`protocol`] – the messages, versioned; [`hex`] – bytes in messages; [`machine_words`], [`texture`], [`host_writes`] – parts
//!   of a launch message; [`outcome`] – converts outcomes to observations and checks them against the launch.
//! * [`command`], [`limits`], [`spawner`], [`process`] – starts one worker, bounds it, and exchanges messages with it. [`mod@system`]
//!   is what that needs of the operating system.
//! * [`launch_answer`] – a launch for a worker, and its answer.
//! * [`supervisor`] – runs many launches on workers that may die: in `batch`es, each a `dialogue` with one worker, several programs
//!   in one `module`. `blame` finds the launch that a lost worker is blamed on, `late_replies` checks that nothing follows an
//!   answer, `health` detects a target that no longer answers. [`options`] – the command line options of all this.
//! * [`serve`] – the worker's side of the protocol. [`emulator`] – the reference emulator as a worker.
//! * [`run_end`] – whether the run is to end early.
//! * [`conformance`], [`known_launch`], `known_instructions` – checks that a program speaks the protocol; [`ability`] – what such a
//!   check shows that it can do.

pub mod ability;
mod batch;
mod blame;
pub mod command;
pub mod conformance;
mod dialogue;
pub mod emulator;
mod health;
pub mod hex;
pub mod host_writes;
mod known_instructions;
pub mod known_launch;
mod late_replies;
pub mod launch_answer;
pub mod limits;
pub mod machine_words;
mod module;
pub mod options;
pub mod outcome;
pub mod process;
pub mod protocol;
pub mod run_end;
pub mod serve;
pub mod spawner;
pub mod supervisor;
pub mod system;
pub mod texture;
