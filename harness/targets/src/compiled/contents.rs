//! Machine code that shows undefined bits, run with several contents in them.

use warpdiff_emulator::{Options, Program};
use warpdiff_model::{Admission, Allowed, Launch, Observation, Semantics};

/// What registers and memory hold in each word before the machine code writes there. The first two differ in each bit, and so do the others: what
/// only passes one on differs from any value with one of them.
const CONTENTS: [u32; 4] = [0, u32::MAX, 0x0F1E_2D3C, 0xF0E1_D2C3];

/// What a launch leaves that is allowed with zeros in its undefined bits, and not if each of them may be anything. That says too much where several
/// bits, or several values, are made of the same undefined ones: `clz` of an undefined word is at most 32. So the launch runs with several contents. This is what it
/// does with the first of them that makes it do what is not allowed, or else with zeros. `None` if what is defined is not allowed either, or
/// if an instruction does not wait for what it needs: what that finds is a matter of time.
pub(super) fn observe(program: &Program, launch: &Launch, allowed: &Allowed) -> Option<Observation> {
    let semantics = Semantics::default();
    let holding = |word: u32| warpdiff_emulator::observe_unwritten(program, launch, &semantics, word).ok();
    let [zeros, others @ ..] = CONTENTS;
    let usual = holding(zeros).filter(|observation| !violates(allowed, observation))?;
    let tracked = warpdiff_emulator::run(program, launch, &semantics, &Options::default()).ok()?;
    if !tracked.hazards.is_empty() {
        return None;
    }
    let wrong = others.into_iter().filter_map(holding).find(|observation| violates(allowed, observation));
    Some(wrong.unwrap_or(usual))
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
        let mut launch = Launch::new(Arc::from(""), "main");
        launch.block = [1, 1, 1];
        launch.buffers.push(Buffer::new("out", vec![0; 8]));
        launch.arguments.push(Argument::Buffer { index: 0, offset: 0 });
        let zeros = program("MOV R4, RZ;\nMOV R5, RZ;");
        let allowed = allowed(&zeros, &launch, &Semantics::default()).unwrap();
        match observe(&program(body), &launch, &allowed)? {
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
        // The first byte beside the last: they are equal in a word of zeros and in one of ones.
        let bytes = "SHR.U32 R4, R9, 0x18;\nLOP32I.AND R5, R9, 0xff;\nIADD R4, R4, -R5;\nMOV R5, RZ;";
        assert_eq!(words(bytes), Some([0x0Fu32.wrapping_sub(0x3C), 0]));
    }

    #[test]
    fn what_is_defined_or_depends_on_time_is_left_as_it_is() {
        assert_eq!(words("MOV32I R4, 0x1;\nMOV R5, RZ;"), None);
        // Nobody waits for the load.
        let early = "STS [0x8], RZ &rd=1;\nLDS R9, [0x8] &req={1} &wr=0;\nIADD R4, R9, -R9;\nMOV R5, RZ;";
        assert_eq!(words(early), None);
    }
}
