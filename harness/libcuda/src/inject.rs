//! Injected faults, in builds with the feature `inject`, to test that a harness survives them. They are chosen by kernel.
//!
//! `WARPDIFF_CUDA_INJECT` is a list such as `crash:first,code:second`: a fault, and a part of the names of the kernels that have it.
//! `refuse:first` refuses every module with such a kernel. With the feature `inject-missing-symbol` the library lacks
//! `cuSurfRefSetArray`.

use std::time::Duration;

use warpdiff_model::Argument;

use crate::driver::Driver;
use crate::result;

/// Environment variable with the list.
const VARIABLE: &str = "WARPDIFF_CUDA_INJECT";
/// The word of the list for modules.
const REFUSE: &str = "refuse";
/// A result code that CUDA does not have.
const UNKNOWN_CODE: u32 = 4242;

/// An injected fault of a launch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum InjectedFault {
    /// `crash`: the process aborts.
    Crash,
    /// `hang`: the launch never returns.
    Hang,
    /// `fault`: it ends with an illegal address, a sticky error.
    Sticky,
    /// `wrong-byte`: the lowest bit of the first byte behind its first pointer argument is flipped.
    WrongByte,
    /// `code`: it ends with the result code 4242, a sticky error.
    Code,
}

const NAMES: [(&str, InjectedFault); 5] = [
    ("crash", InjectedFault::Crash),
    ("hang", InjectedFault::Hang),
    ("fault", InjectedFault::Sticky),
    ("wrong-byte", InjectedFault::WrongByte),
    ("code", InjectedFault::Code),
];

/// The device name set in `WARPDIFF_CUDA_NAME`, to test a harness that treats hardware differently.
pub(crate) fn device_name() -> Option<String> {
    std::env::var("WARPDIFF_CUDA_NAME").ok()
}

/// The fault of a kernel, if any: the first match.
fn chosen(list: &str, kernel: &str) -> Option<InjectedFault> {
    let entries = list.split(',').filter_map(|entry| entry.split_once(':'));
    let struck = entries.filter(|(_, part)| !part.is_empty() && kernel.contains(part)).map(|(name, _)| name);
    struck.filter_map(|name| NAMES.iter().find(|(known, _)| *known == name)).map(|(_, fault)| *fault).next()
}

/// The kernel because of which a module is refused, if there is one.
pub(crate) fn refused(kernels: impl IntoIterator<Item = impl AsRef<str>>) -> Option<String> {
    let list = std::env::var(VARIABLE).ok()?;
    let is_refused = |kernel: &str| {
        let entries = list.split(',').filter_map(|entry| entry.split_once(':'));
        entries.into_iter().any(|(fault, part)| fault == REFUSE && !part.is_empty() && kernel.contains(part))
    };
    kernels.into_iter().map(|kernel| kernel.as_ref().to_owned()).find(|kernel| is_refused(kernel))
}

/// Injects the fault of a kernel into a launch that ran to its end; returns the result code to report instead.
pub(crate) fn strike(driver: &mut Driver, kernel: &str, arguments: &[Argument]) -> Option<u32> {
    let list = std::env::var(VARIABLE).ok()?;
    match chosen(&list, kernel)? {
        InjectedFault::Crash => std::process::abort(),
        InjectedFault::Hang => loop {
            std::thread::sleep(Duration::from_secs(3600));
        },
        InjectedFault::Sticky => Some(result::ERROR_ILLEGAL_ADDRESS),
        InjectedFault::Code => Some(UNKNOWN_CODE),
        InjectedFault::WrongByte => {
            let pointers = arguments.iter().filter_map(|argument| match argument {
                Argument::Value(bytes) => <[u8; 8]>::try_from(bytes.as_slice()).ok().map(u64::from_le_bytes),
                _ => None,
            });
            let mut pointers = pointers.filter(|pointer| driver.device.bytes(*pointer, 1).is_some());
            let first = pointers.next()?;
            driver.device.bytes_mut(first, 1)?[0] ^= 1;
            driver.device_to_host();
            None
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_kernel_is_struck_by_the_first_entry_that_names_a_part_of_it() {
        let list = "crash:one,code:two,hang:o";
        assert_eq!(chosen(list, "case_one"), Some(InjectedFault::Crash));
        assert_eq!(chosen(list, "case_two"), Some(InjectedFault::Code));
        assert_eq!(chosen(list, "other"), Some(InjectedFault::Hang));
        assert_eq!(chosen(list, "next"), None);
        assert_eq!(chosen("crash:", "any"), None);
        assert_eq!(chosen("explode:any", "any"), None);
    }
}
