//! The state of memory after a launch: named regions of bytes, bystanders among them.

/// The kind of a [`Region`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum RegionKind {
    /// The data of a buffer.
    Buffer,
    /// The guard bands of a buffer: the one before, then the one after.
    Guard,
    /// The texels of a surface, packed (see [`crate::Surface`]).
    Surface,
    /// A module-scope variable.
    Variable,
}

/// A named run of bytes. Two regions of a state differ in `kind` or `name`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Region {
    /// Its kind.
    pub kind: RegionKind,
    /// Name of the buffer, surface or variable.
    pub name: String,
    /// Contents.
    pub bytes: Vec<u8>,
}

/// The memory a launch leaves behind: regions in the order buffers, guards, surfaces, variables, each in launch order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct State {
    /// The regions.
    pub regions: Vec<Region>,
}

impl State {
    /// The region of that kind and name.
    pub fn region(&self, kind: RegionKind, name: &str) -> Option<&Region> {
        self.regions.iter().find(|r| r.kind == kind && r.name == name)
    }
}
