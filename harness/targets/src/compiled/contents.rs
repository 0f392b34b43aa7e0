//! Machine code that shows undefined bits, run with several contents in them.

use warpdiff_emulator::{Program, Unwritten};
use warpdiff_model::finding::{Finding, FindingKind};
use warpdiff_model::{Admission, Allowed, Launch, Observation, Semantics};

/// What registers and memory hold before the machine code writes there. The first two differ in each bit, so that what is only passed on differs from any
/// value in one of them; in the others no two places have to do with one another.
const CONTENTS: [Unwritten; 4] =
    [Unwritten::Zeros, Unwritten::Ones, Unwritten::Drawn(1), Unwritten::Drawn(2)];

/// Runs a launch that is wrong with its undefined bits inverted, with each of [`CONTENTS`]: the first run that is not allowed, or else that with zeros. That
/// each undefined bit may be anything says too much where several bits, or several values, are made of the same ones: `clz` of an undefined word is
/// at most 32. It also hides what is wrong with other bits.
///
/// `None` if bits may be undefined for another reason than that nothing was written, or that they are of a thread that does not take part: a missing
/// wait, or what is not specified.
pub(super) fn observe(program: &Program, launch: &Launch, allowed: &Allowed) -> Option<Observation> {
    if !reads_unwritten_alone(program, launch) {
        return None;
    }
    let semantics = Semantics::default();
    let mut usual = None;
    for contents in CONTENTS {
        let Ok(run) = warpdiff_emulator::observe_unwritten(program, launch, &semantics, contents) else {
            continue;
        };
        if violates(allowed, &run) {
            return Some(run);
        }
        usual = usual.or(Some(run));
    }
    usual
}

/// Whether a launch has no undefined bits but those that nothing has written. What races is unordered.
fn reads_unwritten_alone(program: &Program, launch: &Launch) -> bool {
    let unwritten = |finding: &Finding| {
        use FindingKind::{Race, UndefinedUse, UninitialisedRead};
        matches!(finding.kind, UninitialisedRead | UndefinedUse | Race(_))
    };
    let found = warpdiff_emulator::findings(program, launch);
    found.is_ok_and(|found| found.more == 0 && found.list.iter().all(unwritten))
}

/// Whether an observation is not allowed.
pub(super) fn violates(allowed: &Allowed, observation: &Observation) -> bool {
    matches!(allowed.admits(observation), Admission::Violates { .. })
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use warpdiff_emulator::allowed;
    use warpdiff_model::{Argument, Buffer};
    use warpdiff_sass::{Header, compile};

    use super::*;

    /// A program that stores R4 and R5, made by a body.
    fn program(body: &str) -> Program {
        let text =
            format!("MOV R2, c[0x0][0x140];\nMOV R3, c[0x0][0x144];\n{body}\nSTG.E.64 [R2], R4;\nEXIT;\n");
        let header = Header { shared: 16, ..Header::default() };
        let compiled = compile(&text, &header).unwrap_or_else(|errors| panic!("{errors:?}\n{text}"));
        Program::spa(&compiled, &text).unwrap_or_else(|error| panic!("{error}"))
    }

    /// The two words that a body leaves, where zeros are allowed alone, if the contents decide.
    fn words(body: &str) -> Option<[u32; 2]> {
        words_of_first("", body, 1)
    }

    /// The same of the first of some threads, behind what all of them do.
    fn words_of_first(all: &str, body: &str, threads: u32) -> Option<[u32; 2]> {
        let mut launch = Launch::new(Arc::from(""), "main");
        launch.block = [threads, 1, 1];
        launch.buffers.push(Buffer::new("out", vec![0; 8]));
        launch.arguments.push(Argument::Buffer { index: 0, offset: 0 });
        // A body may state a schedule, and these instructions would have none.
        let others_end = match threads {
            1 => "",
            _ => "S2R R8, SR_TID.X;\nISETP.NE.AND P1, PT, R8, RZ, PT;\n@P1 EXIT;\n",
        };
        let first = |body: &str| program(&format!("{all}{others_end}{body}"));
        let zeros = first("MOV R4, RZ;\nMOV R5, RZ;");
        let allowed = allowed(&zeros, &launch, &Semantics::default()).unwrap();
        match observe(&first(body), &launch, &allowed)? {
            Observation::Completed { state } => {
                let bytes = &state.regions[0].bytes;
                Some([0, 4].map(|at| u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap())))
            }
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn bits_that_are_undefined_together_are_one_value() {
        // What is subtracted from itself is zero, whatever it is.
        assert_eq!(words("IADD R4, R9, -R9;\nMOV R5, RZ;"), Some([0, 0]));
        // The leading bit of a word has a number below 32, or there is none: 31 less that, shifted by six, is zero.
        let zeros = "FLO.U32 R4, R9;\nIADD R4, -R4, 0x1f;\nSHR.U32 R4, R4, 0x6;\nMOV R5, RZ;";
        assert_eq!(words(zeros), Some([0, 0]));
    }

    #[test]
    fn what_depends_on_contents_differs_in_one_of_them() {
        assert_eq!(words("MOV R4, R9;\nMOV R5, RZ;"), Some([u32::MAX, 0]));
        assert_eq!(words("LDS R4, [0x8];\nMOV R5, RZ;"), Some([u32::MAX, 0]));
        assert_eq!(words("MOV R4, RZ;\nSEL R5, RZ, 0x1, !P0;"), Some([0, 1]));
        assert_eq!(words("LOP32I.AND R4, R9, 0x1;\nMOV R5, RZ;"), Some([1, 0]));
        // Two registers, two bytes of one, and a register beside memory: they are equal where all are zeros or all are ones.
        let differs = |body: &str| {
            let [low, high] = words(&format!("{body}\nMOV R5, RZ;")).expect("contents decide");
            low != 0 && high == 0
        };
        assert!(differs("IADD R4, R9, -R10;"));
        assert!(differs("SHR.U32 R4, R9, 0x18;\nLOP32I.AND R5, R9, 0xff;\nIADD R4, R4, -R5;"));
        assert!(differs("LDS R4, [0x8] &wr=0;\nLOP.XOR R4, R4, R9 &req={0};"));
    }

    #[test]
    fn what_is_wrong_beside_undefined_bits_shows_alone() {
        let body = "MOV32I R4, 0x1;\nIADD R5, R9, -R9;";
        assert_eq!(words(body), Some([1, 0]));
    }

    #[test]
    fn an_operand_of_an_atomic_may_be_undefined() {
        // What an atomic leaves of an undefined word, and the leading bit of it, are one value again.
        let zeros = "STS [0x8], RZ;\nATOMS.EXCH R6, [RZ+0x8], R9;\nLDS R7, [0x8];\nFLO.U32 R4, R7;\nIADD R4, -R4, 0x1f;\nSHR.U32 R4, R4, 0x6;\nMOV R5, RZ;";
        assert_eq!(words(zeros), Some([0, 0]));
    }

    #[test]
    fn what_races_is_not_undefined() {
        let zeros = "FLO.U32 R4, R9;\nIADD R4, -R4, 0x1f;\nSHR.U32 R4, R4, 0x6;\nMOV R5, RZ;";
        assert_eq!(words_of_first("STS [0x8], RZ;\n", zeros, 2), Some([0, 0]));
        assert_eq!(words_of_first("STS [0x8], RZ;\n", "MOV R4, R9;\nMOV R5, RZ;", 2), Some([u32::MAX, 0]));
    }

    #[test]
    fn a_thread_that_does_not_take_part_has_several_contents() {
        let from = |lane: u32| format!("SHFL.IDX PT, R4, RZ, {lane:#x}, 0x1f;\nMOV R5, RZ;");
        assert_eq!(words(&from(0)), Some([0, 0]), "it takes its own value");
        assert_eq!(words(&from(5)), Some([u32::MAX, 0]));
        assert_eq!(words("SHFL.IDX PT, R4, RZ, 0x5, 0x1f;\nIADD R4, R4, -R4;\nMOV R5, RZ;"), Some([0, 0]));
    }

    #[test]
    fn what_is_defined_or_depends_on_time_is_left_as_it_is() {
        assert_eq!(words("MOV32I R4, 0x1;\nMOV R5, RZ;"), Some([1, 0]), "the same with all contents");
        // Nobody waits for the load.
        let early = "STS [0x8], RZ &rd=1;\nLDS R9, [0x8] &req={1} &wr=0;\nIADD R4, R9, -R9;\nMOV R5, RZ;";
        assert_eq!(words(early), None);
    }
}
