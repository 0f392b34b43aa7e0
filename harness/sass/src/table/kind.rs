//! The properties that all forms of an instruction share: its name and its traits. There is one row for each instruction.

use crate::mnemonic::{Access, Effect, Mnemonic, Space, Subject, Timing, Traits};

/// An instruction, whatever its form.
#[derive(Clone, Copy)]
pub(super) struct Kind {
    pub(super) mnemonic: Mnemonic,
    pub(super) traits: Traits,
}

/// Done after a number of cycles that is the same for all of these.
pub(super) const fn fixed(mnemonic: Mnemonic, subject: Subject) -> Kind {
    let traits = Traits { subject, timing: Timing::Fixed, access: None, doubles: false, keeps_sources: true };
    Kind { mnemonic, traits }
}

/// Done later, in a unit of its own. Those get their sources by another way: nvdisasm shows no `.reuse` of them.
pub(super) const fn slow(mnemonic: Mnemonic, subject: Subject) -> Kind {
    let kind = fixed(mnemonic, subject);
    Kind { traits: Traits { timing: Timing::Slow, keeps_sources: false, ..kind.traits }, ..kind }
}

/// Done at no time that could be stated.
pub(super) const fn open(mnemonic: Mnemonic, subject: Subject) -> Kind {
    let kind = slow(mnemonic, subject);
    Kind { traits: Traits { timing: Timing::Open, ..kind.traits }, ..kind }
}

const fn access(mnemonic: Mnemonic, subject: Subject, effect: Effect, space: Space) -> Kind {
    let kind = open(mnemonic, subject);
    Kind { traits: Traits { access: Some(Access { effect, space }), ..kind.traits }, ..kind }
}

pub(super) const fn load(mnemonic: Mnemonic, space: Space) -> Kind {
    access(mnemonic, Subject::Memory, Effect::Load, space)
}

pub(super) const fn store(mnemonic: Mnemonic, space: Space) -> Kind {
    access(mnemonic, Subject::Memory, Effect::Store, space)
}

pub(super) const fn atomic(mnemonic: Mnemonic, effect: Effect, space: Space) -> Kind {
    access(mnemonic, Subject::Atomic, effect, space)
}

/// An access to a surface.
pub(super) const fn surface(mnemonic: Mnemonic, effect: Effect) -> Kind {
    access(mnemonic, Subject::Surface, effect, Space::Surface)
}

/// A lookup in a texture, or a question about one.
pub(super) const fn texture(mnemonic: Mnemonic) -> Kind {
    access(mnemonic, Subject::Texture, Effect::Load, Space::Texture)
}

impl Kind {
    /// On doubles.
    pub(super) const fn of_doubles(self) -> Kind {
        Kind { traits: Traits { doubles: true, ..self.traits }, ..self }
    }

    /// Slow, and nvdisasm shows `.reuse` all the same.
    pub(super) const fn keeping_sources(self) -> Kind {
        Kind { traits: Traits { keeps_sources: true, ..self.traits }, ..self }
    }
}
