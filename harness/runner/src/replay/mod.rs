//! Recordings of targets: what a target did, kept in a folder, to be judged again where the target is not at hand.
//!
//! * [`meaning`] says what a launch means, whatever the kernel around it looks like.
//! * [`observed`] is an observation as it is kept.
//! * [`folder`] writes and reads the folder, and refuses one in which a byte has changed.
//! * [`changes`] tells what differs between two recordings.

pub mod changes;
pub mod folder;
pub mod meaning;
pub mod observed;
