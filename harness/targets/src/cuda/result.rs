//! What a result code of the driver (`CUresult`) says of a launch: fault, refusal, timeout.
//!
//! Codes are numbers here: a newer driver or a drop-in may return an unknown one, which is reported unchanged.

use std::fmt;

use warpdiff_model::FaultClass;

/// `CUDA_ERROR_OUT_OF_MEMORY`
const OUT_OF_MEMORY: u32 = 2;
/// `CUDA_ERROR_NOT_FOUND`
pub(super) const NOT_FOUND: u32 = 500;
/// `CUDA_ERROR_NOT_SUPPORTED`
const NOT_SUPPORTED: u32 = 801;

/// How a kernel ended, by the result code of its launch or synchronisation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ending {
    /// Its execution stopped with a fault.
    Fault(FaultClass),
    /// The driver stopped it because it took too long.
    TimedOut,
}

/// The result codes for errors in a kernel's execution, by the descriptions in `cuda.h`. All of them leave the context unusable,
/// and most the process.
///
/// | code | name in `cuda.h`        | class               |
/// |------|-------------------------|---------------------|
/// | 700  | `ILLEGAL_ADDRESS`       | out-of-bounds       |
/// | 702  | `LAUNCH_TIMEOUT`        | timed out           |
/// | 710  | `ASSERT`                | assert              |
/// | 714  | `HARDWARE_STACK_ERROR`  | stack-overflow      |
/// | 715  | `ILLEGAL_INSTRUCTION`   | illegal-instruction |
/// | 716  | `MISALIGNED_ADDRESS`    | misaligned          |
/// | 717  | `INVALID_ADDRESS_SPACE` | invalid-space       |
/// | 718  | `INVALID_PC`            | illegal-instruction |
/// | 719  | `LAUNCH_FAILED`         | unspecified         |
/// | 721  | `TENSOR_MEMORY_LEAK`    | unspecified         |
const EXECUTION: [(u32, Ending); 10] = [
    (700, Ending::Fault(FaultClass::OutOfBounds)),
    (702, Ending::TimedOut),
    (710, Ending::Fault(FaultClass::Assert)),
    (714, Ending::Fault(FaultClass::StackOverflow)),
    (715, Ending::Fault(FaultClass::IllegalInstruction)),
    (716, Ending::Fault(FaultClass::Misaligned)),
    (717, Ending::Fault(FaultClass::InvalidSpace)),
    (718, Ending::Fault(FaultClass::IllegalInstruction)),
    (719, Ending::Fault(FaultClass::Unspecified)),
    (721, Ending::Fault(FaultClass::Unspecified)),
];

/// How the kernel ended, by the result of the *launch*; `None` if the launch was refused before the kernel ran. (A library that
/// runs kernels synchronously may report faults here; and "this function may also return error codes from previous, asynchronous
/// launches".)
pub(super) fn at_launch(code: u32) -> Option<Ending> {
    EXECUTION.iter().find(|(known, _)| *known == code).map(|(_, ending)| *ending)
}

/// How the kernel ended, by an error of the *synchronisation*: any code means that it did not run to its end.
pub(super) fn at_synchronisation(code: u32) -> Ending {
    at_launch(code).unwrap_or(Ending::Fault(FaultClass::Unspecified))
}

/// A failed call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Refusal {
    /// The library has no such function.
    Missing(&'static str),
    /// It answered with an error.
    Code {
        /// The function.
        call: &'static str,
        /// The result.
        code: u32,
        /// The library's name and description of the code; may be empty.
        words: String,
    },
    /// It succeeded with an impossible result.
    Nonsense(String),
}

impl Refusal {
    /// A variable whose size is not the one it was declared with.
    pub(super) fn of_size(variable: &str, size: usize) -> Self {
        Self::Nonsense(format!("cuModuleGetGlobal says that `{variable}` has {size} bytes"))
    }

    /// The result, where there is one.
    pub(super) fn code(&self) -> Option<u32> {
        match self {
            Self::Code { code, .. } => Some(*code),
            _ => None,
        }
    }

    /// Whether the target lacks a feature, rather than that something is wrong: a missing or unsupported function, or too little
    /// memory.
    pub(super) fn is_inability(&self) -> bool {
        match self {
            Self::Missing(_) => true,
            Self::Code { code, .. } => matches!(*code, OUT_OF_MEMORY | NOT_SUPPORTED),
            Self::Nonsense(_) => false,
        }
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Missing(name) => write!(f, "the library has no function {name}"),
            Self::Code { call, code, words } if words.is_empty() => write!(f, "{call} answered {code}"),
            Self::Code { call, code, words } => write!(f, "{call} answered {code} ({words})"),
            Self::Nonsense(what) => f.write_str(what),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn refusals_of_a_launch_are_no_faults() {
        // cuda.h: 701 "a launch did not occur because it did not have appropriate resources", 1 INVALID_VALUE.
        for code in [1, 2, 701, 720, 801, 999, 4242] {
            assert_eq!(at_launch(code), None, "{code}");
        }
        assert_eq!(at_launch(716), Some(Ending::Fault(FaultClass::Misaligned)));
        assert_eq!(at_launch(702), Some(Ending::TimedOut));
    }

    #[test]
    fn what_ends_a_synchronisation_ended_the_kernel_whatever_its_number() {
        assert_eq!(at_synchronisation(4242), Ending::Fault(FaultClass::Unspecified));
        assert_eq!(at_synchronisation(999), Ending::Fault(FaultClass::Unspecified));
        assert_eq!(at_synchronisation(700), Ending::Fault(FaultClass::OutOfBounds));
    }

    #[test]
    fn an_unknown_code_is_shown_as_its_number() {
        let refusal = Refusal::Code { call: "cuCtxSynchronize", code: 4242, words: String::new() };
        assert_eq!(refusal.to_string(), "cuCtxSynchronize answered 4242");
    }
}
