//! Pending instructions of a warp's threads.

use crate::address_space::Spot;
use crate::operation::Slot;
use crate::registers::{LANES, Shade};

/// Pending instructions of a warp's threads.
#[derive(Default)]
pub(crate) struct Scoreboard {
    pub(super) pending: Vec<Pending>,
    /// The lanes that execute the instruction they are at.
    pub(super) executing: u32,
    /// Number of instructions begun.
    pub(super) begun: u64,
}

/// A register that an instruction still writes or reads.
pub(super) struct Pending {
    /// The operation that signals it.
    pub(super) op: u32,
    /// Index of its schedule.
    pub(super) schedule: u32,
    /// The number of the instruction among those that the warp has begun.
    pub(super) number: u64,
    pub(super) slot: Slot,
    /// The lanes that have not waited.
    pub(super) lanes: u32,
    /// The barriers that can be waited on, one bit each; waiting on one of them suffices.
    pub(super) barriers: u8,
    pub(super) what: What,
}

pub(super) enum What {
    /// The register will be written: the shadow of the new value per lane, and the lanes in which the register was overwritten
    /// meanwhile.
    Result { shades: Box<[Shade; LANES]>, spoilt: u32 },
    /// The register will be read as data, to be stored at these places.
    Data { places: Vec<(usize, Spot)>, size: usize },
    /// The register will be read as an address.
    Address,
    /// The guard is false, so that no register is read or written; or a later instruction of the same kind has taken the register. The instruction signals its barrier in its turn all the same: ptxas
    /// 12.9 counts `@P0 LDG` among those of which `DEPBAR.LE` leaves so many, whatever the guard.
    Nothing,
}
