//! Deviations of atomic operations on memory, of PTX and of SPA 5.0.

use super::deviation::Deviation;
use super::entry::Origin::{Project, Reading};
use super::entry::{Entry, family};
use crate::MismatchClass;

family! { "atomics", from super::surface_values::END;
    /// `atom.inc` wraps when the old value is greater than the bound, instead of greater or equal.
    AtomIncOffByOne = "atom.inc-off-by-one" {
        is: Atomicity,
        origin: [Reading],
        breaks: ["atom.inc", "red.inc", "spa.atoms.inc"],
        shown_by: ["atom|red .inc", "ATOMS .INC"],
    }
    /// `atom.dec` ignores that the old value is greater than the bound.
    AtomDecIgnoresGreater = "atom.dec-ignores-greater" {
        is: Atomicity,
        origin: [Reading],
        breaks: ["atom.dec", "red.dec", "spa.atoms.dec"],
        shown_by: ["atom|red .dec", "ATOMS .DEC"],
    }
    /// `atom.cas` returns the new value instead of the old one.
    AtomCasReturnsNew = "atom.cas-returns-new" {
        is: Atomicity,
        origin: [Reading],
        breaks: ["atom.cas", "atom.returns-old", "spa.atoms.cas"],
        shown_by: ["atom|red .cas", "ATOMS .CAS"],
    }
    /// `atom.min` and `atom.max` on signed types compare as unsigned.
    AtomMinMaxUnsigned = "atom.min-max-unsigned" {
        is: Atomicity,
        origin: [Reading],
        breaks: ["atom.min", "atom.max", "red.minmax", "spa.atoms.signed"],
        shown_by: ["atom|red .min|.max :signed", "ATOMS .MIN|.MAX"],
    }
    /// `atom.min` and `atom.max` on unsigned types compare as signed.
    AtomMinMaxSigned = "atom.min-max-signed" {
        is: Atomicity,
        origin: [Project("llvm/llvm-project #200735; google/swiftshader commit f31bdada2")],
        breaks: ["atom.min", "atom.max", "red.minmax"],
        shown_by: ["atom|red .min|.max"],
    }
    /// Predicated-off lanes of a warp execute `atom` and `red` all the same.
    AtomPredicateIgnored = "atom.predicate-ignored" {
        is: Atomicity,
        origin: [Reading],
        breaks: ["predication"],
        shown_by: ["atom|red @"],
    }
    /// `.inc` and `.dec` add and subtract one whatever the bound.
    AtomIncUnbounded = "atom.inc-dec-unbounded" {
        is: Atomicity,
        origin: [Project("CHIP-SPV/chipStar commit 3c1d6103; eyalroz/cuda-kat #16")],
        breaks: ["atom.inc", "atom.dec", "red.inc", "red.dec", "spa.atoms.inc", "spa.atoms.dec"],
        shown_by: ["atom|red .inc|.dec", "ATOMS .INC|.DEC"],
    }
    /// `.inc` keeps the old value where it must wrap to zero.
    AtomIncStays = "atom.inc-stays" {
        is: Atomicity,
        origin: [Project("ROCm-Developer-Tools/llvm-project #83")],
        breaks: ["atom.inc", "red.inc", "spa.atoms.inc"],
        shown_by: ["atom|red .inc", "ATOMS .INC"],
    }
    /// `.min` and `.max` return the new value.
    AtomExtremumReturnsNew = "atom.min-max-returns-new" {
        is: Atomicity,
        origin: [Project("numba/numba #6020, commit 33e41e8d1")],
        breaks: ["atom.returns-old", "spa.atoms.returns"],
        shown_by: ["atom .min|.max", "ATOMS .MIN|.MAX"],
    }
    /// `atom` and `ATOMS` return zero in place of the old value.
    AtomReturnsZero = "atom.returns-nothing" {
        is: Atomicity,
        origin: [Project("numba/numba #5458, #3619: the old value is not returned")],
        breaks: ["atom.returns-old", "spa.atoms.returns"],
        shown_by: ["atom", "ATOMS"],
    }
    /// `.exch` stores nothing.
    AtomExchKeeps = "atom.exch-keeps" {
        is: Atomicity,
        origin: [Reading],
        breaks: ["atom.exch", "spa.atoms.exch"],
        shown_by: ["atom .exch", "ATOMS .EXCH"],
    }
    /// `.cas` stores whatever it finds.
    AtomCasAlwaysStores = "atom.cas-always-stores" {
        is: Atomicity,
        origin: [Reading],
        breaks: ["atom.cas", "spa.atoms.cas"],
        shown_by: ["atom .cas", "ATOMS .CAS"],
    }
    /// `.or` is an exclusive or.
    AtomOrAsXor = "atom.or-as-xor" {
        is: Atomicity,
        origin: [Reading],
        breaks: ["atom.bitwise", "red.bitwise", "spa.atoms.or"],
        shown_by: ["atom|red .or", "ATOMS .OR"],
    }
    /// Results of atomics in a program without stores are not in memory after the launch.
    AtomicsNotWrittenBack = "atom.not-written-back" {
        is: Atomicity,
        origin: [Project("Ryujinx/Ryujinx #2261; yuzu-emu/yuzu commit e3c51c743: buffers that only atomics change are not written back")],
        breaks: ["red.add", "atom.atomicity"],
        shown_by: ["atom|red", "ATOM|RED"],
    }
    /// `atom.add.f32` on global memory keeps subnormal numbers.
    AtomSubnormalsKept = "atom.add-f32-subnormals-kept" {
        is: Atomicity,
        origin: [Project("llvm/llvm-project #200732")],
        breaks: ["atom.add.f32.subnormal"],
        shown_by: ["atom|red .add .f32"],
    }
    /// `atom.add.f32` on shared memory flushes subnormal numbers.
    AtomSubnormalsFlushed = "atom.add-f32-subnormals-flushed" {
        is: Atomicity,
        origin: [Project("llvm/llvm-project #200732")],
        breaks: ["atom.add.f32.subnormal"],
        shown_by: ["atom|red .add .f32"],
    }
    /// An atomic whose address and operand are the same in all lanes of a warp is done once for all of them.
    AtomUniformOnce = "atom.uniform-once" {
        is: Atomicity,
        origin: [Project("pocl commit 93986b3c8")],
        breaks: ["atom.atomicity"],
        shown_by: ["atom|red", "ATOMS"],
    }
    /// Lanes of a warp that update one location all start from the value before the first of them.
    AtomConflictsMerged = "atom.conflicts-merged" {
        is: Atomicity,
        origin: [Project("gpgpu-sim bug 119, commit 508c3225")],
        breaks: ["atom.atomicity"],
        shown_by: ["atom|red", "ATOMS"],
    }
    /// Atomics of 32 bits act on the three words behind their location, too.
    AtomFourWords = "atom.four-words" {
        is: Atomicity,
        origin: [Project("mesa softpipe commit 6444f5702dc: a 32-bit atomic reads and writes four words")],
        breaks: ["red.bitwise", "atom.atomicity"],
        shown_by: ["atom|red", "ATOMS"],
    }
    /// `.cas` compares with its third operand and stores its second.
    AtomCasSwapped = "atom.cas-operands-swapped" {
        is: Atomicity,
        origin: [Reading],
        breaks: ["atom.cas"],
        shown_by: ["atom .cas"],
    }
    /// `red` does nothing.
    RedIgnored = "red.ignored" {
        is: Atomicity,
        origin: [Reading],
        breaks: ["red.add", "red.bitwise", "red.inc", "red.dec", "red.minmax"],
        shown_by: ["red"],
    }
    /// `.add` of 64 bits adds its halves without a carry.
    AtomAddHalves = "atom.add-halves" {
        is: Atomicity,
        origin: [Reading],
        breaks: ["atom.wide"],
        shown_by: ["atom|red .add .u64", "ATOMS .ADD"],
    }
    /// `.exch` returns its operand.
    AtomExchReturnsNew = "atom.exch-returns-new" {
        is: Atomicity,
        origin: [Reading],
        breaks: ["atom.exch", "spa.atoms.exch"],
        shown_by: ["atom .exch", "ATOMS .EXCH"],
    }
    /// An atomic with a generic address takes it for one in global memory.
    AtomGenericAsGlobal = "atom.generic-as-global" {
        is: Addressing,
        origin: [Reading],
        breaks: ["atom.generic"],
        shown_by: ["atom|red"],
    }
    /// `atom.add` and `red.add` of `.f32` and `.f64` round towards zero.
    AtomSumTruncated = "atom.add-float-truncates" {
        is: Value,
        origin: [Reading],
        breaks: ["atom.add.float"],
        shown_by: ["atom|red .add :float"],
    }
}
