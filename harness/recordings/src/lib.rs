//! Recordings: the observations of a target, stored in a folder. They can be judged again without the target.
//!
//! * [`folder`] – the files of a recording; detects changed bytes. [`archive`] – its compressed files.
//! * [`observed`] – a stored observation; [`memory`] – the bytes in it; [`assembler_answer`] – a stored answer of an assembler.
//! * [`meaning`] – the key of a launch, which does not depend on the kernel around a body; [`encoding`] – the hash behind keys.
//! * [`index`] – a recording by launch: to replay it, and to compare a target with it.
//! * [`drift`] – the difference between two observations of a launch; [`changes`] – the differences between two recordings.
//! * [`journal`] – finished observations on disk, so that a killed run can go on.

pub mod archive;
pub mod assembler_answer;
pub mod changes;
pub mod drift;
pub mod encoding;
pub mod folder;
pub mod index;
pub mod join;
pub mod journal;
pub mod meaning;
pub mod memory;
pub mod observed;
