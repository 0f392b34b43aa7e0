//! A target that a program brings along, besides those that `--against` knows by itself.

use std::sync::OnceLock;

use super::Target;

/// A target with a name for `--against`.
#[derive(Clone, Copy, Debug)]
pub struct Registered {
    /// What the command line calls it.
    pub name: &'static str,
    /// Makes it.
    pub open: fn() -> Box<dyn Target>,
}

impl PartialEq for Registered {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl Eq for Registered {}

static REGISTERED: OnceLock<Registered> = OnceLock::new();

/// Lets `--against` name one more target in this process. The first to be registered stays.
pub fn register(target: Registered) {
    let _ = REGISTERED.set(target);
}

/// The registered target, if that is its name.
pub(crate) fn registered(name: &str) -> Option<Registered> {
    REGISTERED.get().filter(|target| target.name == name).copied()
}
