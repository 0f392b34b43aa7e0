//! Faults on demand, in builds with the feature `inject`: what a harness must survive, chosen by kernel.
//!
//! `WARPDIFF_CUDA_INJECT` is a list like `crash:first,code:second`: a fault, and a part of the names of the kernels that it
//! strikes. `refuse:first` has every module refused that holds such a kernel. Built with the feature `inject-missing-symbol`, the library has no `cuSurfRefSetArray` besides.

use std::time::Duration;

use warpdiff_model::Argument;

use crate::driver::Driver;
use crate::result;

/// Where the list stands.
const VARIABLE: &str = "WARPDIFF_CUDA_INJECT";
/// The word of the list for modules.
const REFUSE: &str = "refuse";
/// A result code that no CUDA has.
const UNKNOWN_CODE: u32 = 4242;

/// What may be made to happen to a launch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum InjectedFault {
    /// `crash`: the process aborts.
    Crash,
    /// `hang`: the launch never returns.
    Hang,
    /// `fault`: it ends with an illegal address, which sticks.
    Sticky,
    /// `wrong-byte`: the lowest bit is flipped of the first byte that the first pointer among its arguments points to.
    WrongByte,
    /// `code`: it ends with the result code 4242, which sticks.
    Code,
}

const NAMES: [(&str, InjectedFault); 5] = [
    ("crash", InjectedFault::Crash),
    ("hang", InjectedFault::Hang),
    ("fault", InjectedFault::Sticky),
    ("wrong-byte", InjectedFault::WrongByte),
    ("code", InjectedFault::Code),
];

/// The name that the device is to have: `WARPDIFF_CUDA_NAME`. So a harness can be tried that treats hardware otherwise.
pub(crate) fn device_name() -> Option<String> {
    std::env::var("WARPDIFF_CUDA_NAME").ok()
}

/// The fault that strikes a kernel, if any; the first that fits.
fn chosen(list: &str, kernel: &str) -> Option<InjectedFault> {
    let entries = list.split(',').filter_map(|entry| entry.split_once(':'));
    let struck = entries.filter(|(_, part)| !part.is_empty() && kernel.contains(part)).map(|(name, _)| name);
    struck.filter_map(|name| NAMES.iter().find(|(known, _)| *known == name)).map(|(_, fault)| *fault).next()
}

/// The kernel for which a module is refused, if there is one.
pub(crate) fn refused(kernels: impl IntoIterator<Item = impl AsRef<str>>) -> Option<String> {
    let list = std::env::var(VARIABLE).ok()?;
    let is_refused = |kernel: &str| {
        let entries = list.split(',').filter_map(|entry| entry.split_once(':'));
        entries.into_iter().any(|(fault, part)| fault == REFUSE && !part.is_empty() && kernel.contains(part))
    };
    kernels.into_iter().map(|kernel| kernel.as_ref().to_owned()).find(|kernel| is_refused(kernel))
}

/// Lets happen to a launch that ran to its end what was asked for; answers the code it ends with instead.
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
