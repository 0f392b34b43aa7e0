//! What a worker can do, by the names that `conform-protocol --require` knows: instructions, capabilities of the protocol, dialects.

use clap::ValueEnum;

use super::protocol::{Capability, Introduction, SPA, SPA_WORDS};

/// Something that a worker can do, and that `conform-protocol` checks with a launch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, ValueEnum)]
pub enum Ability {
    /// Kernels that load from buffers, add, and store
    LdSt,
    /// Faults, reported as such: a kernel that traps
    Faults,
    /// Several threads and blocks, with their numbers
    Threads,
    /// Predicates and branches: a loop
    Branches,
    /// Functions that are called
    Calls,
    /// Shared memory and barriers
    Shared,
    /// Atomic operations on global memory
    Atoms,
    /// Loads from surfaces
    Suld,
    /// Stores to surfaces
    Sust,
    /// Reductions on surfaces
    Sured,
    /// Queries of surfaces
    Suq,
    /// Texture lookups
    Tex,
    /// Queries of textures
    Txq,
    /// The capability `surfaces`: surfaces through handles
    Surfaces,
    /// The capability `surface-references`: surfaces bound to `.surfref` variables
    SurfaceReferences,
    /// The capability `textures`
    Textures,
    /// The capability `variables`: final bytes of variables
    Variables,
    /// The capability `managed`: writes of the host to `.managed` variables
    Managed,
    /// The capability `modules`: several programs as one module
    Modules,
    /// The dialect `spa-5.0`: programs of SPA 5.0 as text
    #[value(name = "spa-5.0")]
    Spa,
    /// The dialect `spa-5.0-words`: the same as machine words
    #[value(name = "spa-5.0-words")]
    SpaWords,
}

impl Ability {
    /// The name in messages and on the command line.
    pub fn name(self) -> String {
        self.to_possible_value().map(|value| value.get_name().to_owned()).unwrap_or_default()
    }

    /// The ability that a capability of the protocol is.
    pub fn of(capability: Capability) -> Self {
        match capability {
            Capability::Surfaces => Self::Surfaces,
            Capability::SurfaceReferences => Self::SurfaceReferences,
            Capability::Textures => Self::Textures,
            Capability::Variables => Self::Variables,
            Capability::Managed => Self::Managed,
            Capability::Modules => Self::Modules,
        }
    }

    /// Whether a worker says of itself that it has it; `None` of what `hello` does not name.
    pub fn offered(self, by: &Introduction) -> Option<bool> {
        let capability = |capability| Some(by.capabilities.contains(&capability));
        let dialect = |dialect: &str| Some(by.dialects.iter().any(|one| one == dialect));
        match self {
            Self::Surfaces => capability(Capability::Surfaces),
            Self::SurfaceReferences => capability(Capability::SurfaceReferences),
            Self::Textures => capability(Capability::Textures),
            Self::Variables => capability(Capability::Variables),
            Self::Managed => capability(Capability::Managed),
            Self::Modules => capability(Capability::Modules),
            Self::Spa => dialect(SPA),
            Self::SpaWords => dialect(SPA_WORDS),
            _ => None,
        }
    }
}
