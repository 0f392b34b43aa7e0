//! Deviations of branches, calls, barriers and special registers.

use super::deviation::Deviation;
use super::entry::Origin::{Project, Reading};
use super::entry::{Entry, family};
use crate::MismatchClass;

const NO_SPECIAL_REGISTERS: Option<&str> = Some("generated programs read `%tid.x` of one warp alone");

family! { "control", from super::warp::END;
    /// `trap` does nothing: execution goes on behind it.
    TrapContinues = "trap.continues" {
        is: Value,
        origin: [Project("vosen/ZLUDA #563, commit e4b69a3e")],
        breaks: ["trap"],
        shown_by: ["trap"],
        not_generated: Some("programs with a `trap` are of the mix one-fault alone"),
    }
    /// Lanes whose guard is off execute `call` all the same.
    CallPredicateIgnored = "call.predicate-ignored" {
        is: Value,
        origin: [Project("gpuocelot commit 3718fac6: threads that are predicated off change the call stack")],
        breaks: ["predication"],
        shown_by: ["call @"],
        not_generated: Some("results of a generated call with a guard are taken under the same guard"),
    }
    /// `exit` ends every thread, whatever its guard.
    ExitPredicateIgnored = "exit.predicate-ignored" {
        is: Value,
        origin: [Reading],
        breaks: ["exit"],
        shown_by: ["exit @"],
    }
    /// A branch over one instruction is not taken.
    BraOverOneIgnored = "bra.over-one-ignored" {
        is: Value,
        origin: [Project("SemiAnalysisAI/FuzzX ptxas m038, m039, m085: the arm that is not taken has an effect")],
        breaks: ["bra"],
        shown_by: ["bra @"],
    }
    /// All lanes of a warp take a branch that one of them takes.
    BraUniform = "bra.uniform" {
        is: Value,
        origin: [Project("SemiAnalysisAI/FuzzX ptxas m019: counters that differ by lane are kept once for the warp")],
        breaks: ["divergence"],
        shown_by: ["bra @"],
    }
    /// Special registers other than clocks are read as 16 bits.
    SpecialRegisterNarrow = "sreg.narrow" {
        is: Value,
        origin: [Project("vosen/ZLUDA #21: special registers are read with another width than declared")],
        breaks: ["sreg.lanemask"],
        shown_by: [
            "mov %tid|%ntid|%ctaid|%nctaid|%laneid|%total_smem_size|%dynamic_smem_size",
            "mov %lanemask_eq|%lanemask_le|%lanemask_lt|%lanemask_ge|%lanemask_gt",
        ],
        not_generated: NO_SPECIAL_REGISTERS,
    }
    /// `%tid.y` counts rows of the length of the block's second extent, not of its first.
    TidRowsBySecondExtent = "tid.y-by-second-extent" {
        is: Value,
        origin: [Project("gpuocelot commits 0a972cb4, 416c30cf: %tid.y is computed from the wrong extent")],
        breaks: ["sreg.tid"],
        shown_by: ["mov %tid", "S2R"],
        not_generated: NO_SPECIAL_REGISTERS,
    }
    /// `%laneid` is `%tid.x`.
    LaneidIsTid = "laneid.tid" {
        is: Value,
        origin: [Reading],
        breaks: ["sreg.laneid"],
        shown_by: ["mov %laneid"],
        not_generated: NO_SPECIAL_REGISTERS,
    }
    /// `%lanemask_le` leaves out the bit of the lane itself.
    LanemaskLeIsLt = "lanemask.le-is-lt" {
        is: Value,
        origin: [Reading],
        breaks: ["sreg.lanemask"],
        shown_by: ["mov %lanemask_le"],
        not_generated: NO_SPECIAL_REGISTERS,
    }
    /// `bar.sync` does nothing.
    BarrierIgnored = "bar.ignored" {
        is: Value,
        origin: [Project("tinygrad/tinygrad #17865: lanes are thought to run in lockstep")],
        breaks: ["bar.sync"],
        shown_by: ["bar|barrier .sync"],
    }
    /// `bar.red` without a number of threads waits for 32, and counts these.
    BarrierRedCountsWarp = "bar.red-counts-warp" {
        is: Value,
        origin: [Project("gpgpu-sim commit dc3c13e2: bar.red without a count waits for and counts the wrong number of threads")],
        breaks: ["bar.red"],
        shown_by: ["bar|barrier .red"],
    }
    /// `bar.red.popc` counts all threads.
    BarrierRedCountsAll = "bar.red-counts-all" {
        is: Value,
        origin: [Reading],
        breaks: ["bar.red"],
        shown_by: ["bar|barrier .red .popc"],
    }
    /// `bar.red.and` and `bar.red.or` are exchanged.
    BarrierRedSwapped = "bar.red-and-or-swapped" {
        is: Value,
        origin: [Reading],
        breaks: ["bar.red"],
        shown_by: ["bar|barrier .red .and|.or"],
    }
    /// `bar.red` of a negated predicate takes the predicate.
    BarrierRedNegationIgnored = "bar.red-negation-ignored" {
        is: Value,
        origin: [Reading],
        breaks: ["bar.red"],
        shown_by: ["bar|barrier .red"],
    }
    /// A block has one barrier: all numbers mean the same.
    BarrierIdIgnored = "bar.id-ignored" {
        is: Hang,
        origin: [Reading],
        breaks: ["bar.arrive"],
        shown_by: ["bar|barrier .sync|.arrive|.red"],
    }
    /// `bar.sync` waits for the whole block whatever its number of threads.
    BarrierCountIgnored = "bar.count-ignored" {
        is: Hang,
        origin: [Reading],
        breaks: ["bar.sync"],
        shown_by: ["bar|barrier .sync"],
        not_generated: Some("none of 20,000 generated programs shows it"),
    }
    /// `bar.arrive` waits as `bar.sync` does.
    BarrierArriveWaits = "bar.arrive-waits" {
        is: Hang,
        origin: [Reading],
        breaks: ["bar.arrive"],
        shown_by: ["bar|barrier .arrive"],
        not_generated: Some("none of 20,000 generated programs shows it"),
    }
    /// `bar.arrive` does not count as an arrival.
    BarrierArriveIgnored = "bar.arrive-ignored" {
        is: Hang,
        origin: [Reading],
        breaks: ["bar.arrive"],
        shown_by: ["bar|barrier .arrive"],
    }
}
