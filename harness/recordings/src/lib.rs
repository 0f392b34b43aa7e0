//! Recordings of targets: what a target did, kept in a folder, to be judged again where the target is not at hand.
//!
//! * [`meaning`] says what a launch means, whatever the kernel around it looks like; [`encoding`] is how it is written down to be hashed.
//! * [`observed`] is an observation as it is kept, [`memory`] the bytes in it, [`assembler_answer`] what an assembler said.
//! * [`folder`] writes and reads the folder, and refuses one in which a byte has changed; [`archive`] is what is compressed in it.
//! * [`drift`] tells what differs between two observations of a launch, and whether anybody relies on it.
//! * [`index`] is a recording to be asked launch by launch: to replay it, and to hold a target against it.
//! * [`journal`] – finished observations on disk, so that a run that was killed goes on.
//! * [`changes`] tells what differs between two recordings.

pub mod archive;
pub mod assembler_answer;
pub mod changes;
pub mod drift;
pub mod encoding;
pub mod folder;
pub mod index;
pub mod journal;
pub mod meaning;
pub mod memory;
pub mod observed;
