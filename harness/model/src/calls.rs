//! The results of the driver API calls around a launch: the codes (`CUresult`) behind a fault, a refusal or a timeout.

use std::fmt;

/// Codes that the calls around a launch answered, each `None` where it was not made or its answer is not known; 0 is success.
/// All of them are `None` for a target that has no such calls.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Calls {
    /// The call that loads the program.
    pub load: Option<u32>,
    /// The call that launches the kernel. A device runs it later, so that this says nothing of its execution.
    pub launch: Option<u32>,
    /// The call that waits for the kernel.
    pub synchronize: Option<u32>,
    /// The call after the one that failed: the same code again where the error sticks to the context.
    pub next: Option<u32>,
}

impl Calls {
    /// Whether nothing is known of any call.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

/// `CUDA_ERROR_LAUNCH_FAILED 719`: the name that `cuda.h` gives a code, and the code. One without a name, as a newer driver or
/// a drop-in may answer, is its number alone.
pub fn named(code: u32) -> String {
    match NAMES.iter().find(|(known, _)| *known == code) {
        Some((_, name)) => format!("CUDA_{name} {code}"),
        None => code.to_string(),
    }
}

impl fmt::Display for Calls {
    /// `load 0, launch 0, synchronise CUDA_ERROR_LAUNCH_FAILED 719, next call CUDA_ERROR_LAUNCH_FAILED 719`
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let calls = [
            ("load", self.load),
            ("launch", self.launch),
            ("synchronise", self.synchronize),
            ("next call", self.next),
        ];
        let known = calls.into_iter().filter_map(|(call, code)| Some((call, code?)));
        for (index, (call, code)) in known.enumerate() {
            let separator = if index == 0 { "" } else { ", " };
            write!(f, "{separator}{call} {}", named(code))?;
        }
        Ok(())
    }
}

/// The codes that loading, launching and waiting can answer, by `cuda.h` of CUDA 12.9.
const NAMES: &[(u32, &str)] = &[
    (1, "ERROR_INVALID_VALUE"),
    (2, "ERROR_OUT_OF_MEMORY"),
    (3, "ERROR_NOT_INITIALIZED"),
    (4, "ERROR_DEINITIALIZED"),
    (46, "ERROR_DEVICE_UNAVAILABLE"),
    (100, "ERROR_NO_DEVICE"),
    (101, "ERROR_INVALID_DEVICE"),
    (200, "ERROR_INVALID_IMAGE"),
    (201, "ERROR_INVALID_CONTEXT"),
    (209, "ERROR_NO_BINARY_FOR_GPU"),
    (214, "ERROR_ECC_UNCORRECTABLE"),
    (218, "ERROR_INVALID_PTX"),
    (221, "ERROR_JIT_COMPILER_NOT_FOUND"),
    (222, "ERROR_UNSUPPORTED_PTX_VERSION"),
    (223, "ERROR_JIT_COMPILATION_DISABLED"),
    (300, "ERROR_INVALID_SOURCE"),
    (302, "ERROR_SHARED_OBJECT_SYMBOL_NOT_FOUND"),
    (303, "ERROR_SHARED_OBJECT_INIT_FAILED"),
    (304, "ERROR_OPERATING_SYSTEM"),
    (400, "ERROR_INVALID_HANDLE"),
    (401, "ERROR_ILLEGAL_STATE"),
    (500, "ERROR_NOT_FOUND"),
    (600, "ERROR_NOT_READY"),
    (700, "ERROR_ILLEGAL_ADDRESS"),
    (701, "ERROR_LAUNCH_OUT_OF_RESOURCES"),
    (702, "ERROR_LAUNCH_TIMEOUT"),
    (703, "ERROR_LAUNCH_INCOMPATIBLE_TEXTURING"),
    (709, "ERROR_CONTEXT_IS_DESTROYED"),
    (710, "ERROR_ASSERT"),
    (714, "ERROR_HARDWARE_STACK_ERROR"),
    (715, "ERROR_ILLEGAL_INSTRUCTION"),
    (716, "ERROR_MISALIGNED_ADDRESS"),
    (717, "ERROR_INVALID_ADDRESS_SPACE"),
    (718, "ERROR_INVALID_PC"),
    (719, "ERROR_LAUNCH_FAILED"),
    (720, "ERROR_COOPERATIVE_LAUNCH_TOO_LARGE"),
    (721, "ERROR_TENSOR_MEMORY_LEAK"),
    (800, "ERROR_NOT_PERMITTED"),
    (801, "ERROR_NOT_SUPPORTED"),
    (912, "ERROR_INVALID_CLUSTER_SIZE"),
    (999, "ERROR_UNKNOWN"),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_code_has_the_name_of_the_header_or_stays_a_number() {
        // cuda.h: "CUDA_ERROR_LAUNCH_FAILED = 719"; it has no 4242.
        assert_eq!(named(719), "CUDA_ERROR_LAUNCH_FAILED 719");
        assert_eq!(named(4242), "4242");
        assert!(NAMES.is_sorted_by_key(|(code, _)| *code));
    }

    #[test]
    fn every_known_call_is_named_with_its_code() {
        let calls = Calls { load: Some(0), launch: Some(0), synchronize: Some(716), next: Some(719) };
        assert_eq!(
            calls.to_string(),
            "load 0, launch 0, synchronise CUDA_ERROR_MISALIGNED_ADDRESS 716, next call CUDA_ERROR_LAUNCH_FAILED 719"
        );
    }
}
