//! Deviations of votes, shuffles, reductions across a warp, and branches.

use super::deviation::Deviation;
use super::entry::Origin::{Project, Reading};
use super::entry::{Entry, family};
use crate::MismatchClass;

family! { "warp", from super::comparison::END;
    /// `vote.all` is true where one lane's predicate is: its ballot is not zero.
    VoteAllAsAny = "vote.all-as-any" {
        is: Value,
        origin: [Project("gpgpu-sim commit 99ff7de8: all falls through to ballot")],
        breaks: ["vote.all"],
        shown_by: ["vote .all"],
    }
    /// `vote` of a negated predicate takes the predicate.
    VoteNegationIgnored = "vote.negation-ignored" {
        is: Value,
        origin: [Project("mesa nouveau commit b94a46aa8e3")],
        breaks: ["vote.any"],
        shown_by: ["vote"],
    }
    /// `redux.min` and `.max` on signed types compare as unsigned.
    ReduxUnsigned = "redux.unsigned" {
        is: Value,
        origin: [Reading],
        breaks: ["redux"],
        shown_by: ["redux :signed"],
    }
    /// `shfl.up` and `shfl.down` are exchanged.
    ShflModesSwapped = "shfl.up-down-swapped" {
        is: Value,
        origin: [Reading],
        breaks: ["shfl.up", "shfl.down"],
        shown_by: ["shfl .up|.down"],
    }
    /// `shfl` uses all bits of its lane operand.
    ShflLaneUnmasked = "shfl.lane-unmasked" {
        is: Value,
        origin: [Project("vosen/ZLUDA #668; gpgpu-sim commit 6a88a8fb")],
        breaks: ["shfl.idx"],
        shown_by: ["shfl"],
    }
    /// `shfl` takes the whole warp for one segment.
    ShflSegmentsIgnored = "shfl.segments-ignored" {
        is: Value,
        origin: [Project("CHIP-SPV/chipStar #1354; ROCm/hip #3213")],
        breaks: ["shfl.segments"],
        shown_by: ["shfl"],
    }
    /// `shfl.up` compares the source lane as unsigned, so that lanes below the warp count as in range.
    ShflUpUnsigned = "shfl.up-unsigned" {
        is: Value,
        origin: [Project("Ryujinx/Ryujinx #2605; pocl commit a5fb51e63")],
        breaks: ["shfl.up"],
        shown_by: ["shfl .up"],
    }
    /// `@!p bra` branches where `p` holds.
    BraNegationIgnored = "bra.negation-ignored" {
        is: Value,
        origin: [Project("gpuocelot commits 56237db3, c81752ac")],
        breaks: ["bra"],
        shown_by: ["bra @"],
    }
}
