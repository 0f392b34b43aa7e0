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
        shown_by: ["shfl .up", "SHFL .UP"],
    }
    /// `@!p bra` branches where `p` holds.
    BraNegationIgnored = "bra.negation-ignored" {
        is: Value,
        origin: [Project("gpuocelot commits 56237db3, c81752ac")],
        breaks: ["bra"],
        shown_by: ["bra @"],
    }
    /// `vote.ballot` has ones for the lanes that take no part.
    BallotInitialOnes = "vote.ballot-initial-ones" {
        is: Value,
        origin: [Project("pocl commit 658054f03: the ballot starts from all ones")],
        breaks: ["vote.ballot"],
        shown_by: ["vote .ballot", "VOTE"],
    }
    /// `vote.ballot` has lane 0 in the top bit.
    BallotReversed = "vote.ballot-reversed" {
        is: Value,
        origin: [Reading],
        breaks: ["vote.ballot"],
        shown_by: ["vote .ballot", "VOTE"],
    }
    /// `vote.all` is never true.
    VoteAllNever = "vote.all-never" {
        is: Value,
        origin: [Project("CHIP-SPV/chipStar commit 57b527fe: a ballot of 32 bits is compared with 64 ones")],
        breaks: ["vote.all"],
        shown_by: ["vote .all", "VOTE .ALL"],
    }
    /// `vote.uni` is true only where the predicate is true in every lane.
    VoteUniAsAll = "vote.uni-as-all" {
        is: Value,
        origin: [Reading],
        breaks: ["vote.uni"],
        shown_by: ["vote .uni", "VOTE .EQ"],
    }
    /// `vote`, `shfl`, `match` and `redux` of all warps act on the first warp: those of others write nothing.
    CollectiveFirstWarp = "collective.first-warp" {
        is: Value,
        origin: [Project("FlashGPU-Sim #32")],
        breaks: ["vote.ballot", "shfl.idx"],
        shown_by: ["vote|shfl|match|redux", "VOTE|SHFL"],
    }
    /// `redux.min` and `.max` on unsigned types compare as signed.
    ReduxSigned = "redux.signed" {
        is: Value,
        origin: [Reading],
        breaks: ["redux"],
        shown_by: ["redux .min|.max"],
    }
    /// `shfl.bfly` adds its lane operand to the lane.
    ShflButterflyAdds = "shfl.bfly-adds" {
        is: Value,
        origin: [Reading],
        breaks: ["shfl.bfly"],
        shown_by: ["shfl .bfly", "SHFL"],
    }
    /// `shfl.idx` counts lanes from the first of the warp, not of the segment.
    ShflIndexOfWarp = "shfl.idx-of-warp" {
        is: Value,
        origin: [Reading],
        breaks: ["shfl.segments"],
        shown_by: ["shfl .idx", "SHFL"],
    }
    /// The predicate of `shfl` is always true.
    ShflAlwaysInRange = "shfl.always-in-range" {
        is: Value,
        origin: [Reading],
        breaks: ["shfl.up", "shfl.down"],
        shown_by: ["shfl", "SHFL"],
    }
    /// `shfl` takes the mask of segments from the low five bits of its operand, and the clamp value from bits 12 to 8.
    ShflFieldsSwapped = "shfl.fields-swapped" {
        is: Value,
        origin: [Reading],
        breaks: ["shfl.segments"],
        shown_by: ["shfl", "SHFL"],
    }
}
