//! Workers: the processes in which targets run, and the protocol that is spoken with them (`docs/protocol.md`).
//!
//! * [`protocol`] – the messages, versioned; [`hex`] their bytes; [`outcome`] holds an answer against its launch.
//! * [`command`], [`limits`], [`spawner`], [`process`] – one worker: how it is started, bounded and listened to.
//! * [`launch_answer`] – a launch that is put to a worker, and what comes of it.
//! * [`supervisor`] – many launches on workers that may die, as `batch`s, each a `dialogue` with one of them, several programs in
//!   one `module`; `blame` says who is to blame when one dies, and who is asked again, `late_replies` whether more comes of a launch than
//!   its answer, and `health` whether anybody is left to ask;
//!   [`options`] are those of the command line.
//! * [`serve`] – the other side: what runs in warpdiff's own workers. [`emulator`] is the reference emulator there.
//! * [`conformance`], [`probe`] – does a program speak the protocol?

mod batch;
mod blame;
pub mod command;
pub mod conformance;
mod dialogue;
pub mod emulator;
mod health;
pub mod hex;
pub mod host_writes;
mod late_replies;
pub mod launch_answer;
pub mod limits;
pub mod machine_words;
mod module;
pub mod options;
pub mod outcome;
pub mod probe;
pub mod process;
pub mod protocol;
pub mod serve;
pub mod spawner;
pub mod supervisor;
pub mod texture;
