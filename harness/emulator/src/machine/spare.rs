//! Which warps that have run each thread keeps, so that the next block uses their room again.
//!
//! A launch is mostly short: what it costs is to make its registers, not to run it. Room alone is used again; a warp begins with
//! nothing of what an earlier one held.

use std::cell::RefCell;

use super::warp::{Warp, Warps};

/// Most warps kept: those of the largest block.
const WARPS: usize = 32;
/// Most bytes of registers and local memory of a warp that is kept.
const ROOM: usize = 1 << 18;

thread_local! {
    static KEPT: RefCell<Warps> = const { RefCell::new(Vec::new()) };
}

/// A warp whose room may be used again.
pub(super) fn take() -> Option<Box<Warp>> {
    KEPT.with_borrow_mut(Vec::pop)
}

/// Keeps the room of warps that have run.
pub(super) fn keep(warps: Warps) {
    KEPT.with_borrow_mut(|kept| {
        let room = WARPS - kept.len().min(WARPS);
        kept.extend(warps.into_iter().filter(|warp| warp.room() <= ROOM).take(room));
    });
}
