//! Injected faults, in builds with the feature `inject`, to test that a harness survives them. They are chosen by kernel.
//!
//! `WARPDIFF_CUDA_INJECT` is a list such as `crash:first,code:second`: a fault, and a part of the names of the kernels that have it.
//! A fault is one of [`NAMES`], or a deviation (`suld.clamp-as-zero:third`), which the device then has at these
//! kernels alone.
//! `wrong-byte/3:fourth` strikes the first of the launches that match, and every third from there: a fault that comes and goes, always
//! at the same launches of a process. `refuse:first` refuses every module with such a kernel. With the feature
//! `inject-missing-symbol` the library lacks `cuSurfRefSetArray`.

use std::collections::HashMap;
use std::sync::Mutex;
use std::time::Duration;

use warpdiff_model::{Argument, Deviation};

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
pub(crate) enum InjectedFault {
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

/// One entry of the list: `fault[/every]:part`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Strike<'l> {
    fault: &'l str,
    /// It strikes the first launch that matches and each so many from there.
    every: usize,
    part: &'l str,
}

/// The entries of a list. Malformed ones are none.
fn strikes(list: &str) -> impl Iterator<Item = Strike<'_>> {
    list.split(',').filter_map(|entry| {
        let (fault, part) = entry.split_once(':')?;
        let (fault, every) = match fault.split_once('/') {
            Some((fault, every)) => (fault, every.parse().ok().filter(|every| *every > 0)?),
            None => (fault, 1),
        };
        (!part.is_empty()).then_some(Strike { fault, every, part })
    })
}

/// What an entry of the list does to a launch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Injected {
    /// A fault at its end.
    Fault(InjectedFault),
    /// The device deviates in it.
    Deviation(Deviation),
}

/// What strikes a kernel, if anything: the first entry that matches, and its number in the list.
fn chosen<'l>(list: &'l str, kernel: &str) -> Option<(usize, Strike<'l>, Injected)> {
    let known = |fault: &str| {
        let fault_of_launch =
            NAMES.iter().find(|(name, _)| *name == fault).map(|(_, fault)| Injected::Fault(*fault));
        fault_of_launch.or_else(|| Deviation::from_name(fault).map(Injected::Deviation))
    };
    let matching = strikes(list).enumerate().filter(|(_, strike)| kernel.contains(strike.part));
    matching.filter_map(|(number, strike)| Some((number, strike, known(strike.fault)?))).next()
}

/// What strikes this launch of a kernel. Counts the launch, so it is asked once for each.
pub(crate) fn due(kernel: &str) -> Option<Injected> {
    static LAUNCHES: Mutex<Option<HashMap<usize, usize>>> = Mutex::new(None);
    let list = std::env::var(VARIABLE).ok()?;
    let (number, strike, injected) = chosen(&list, kernel)?;
    let mut launches = LAUNCHES.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    let before = launches.get_or_insert_default().entry(number).or_default();
    let is_due = before.is_multiple_of(strike.every);
    *before += 1;
    is_due.then_some(injected)
}

/// The kernel because of which a module is refused, if there is one.
pub(crate) fn refused(kernels: impl IntoIterator<Item = impl AsRef<str>>) -> Option<String> {
    let list = std::env::var(VARIABLE).ok()?;
    let is_refused =
        |kernel: &str| strikes(&list).any(|strike| strike.fault == REFUSE && kernel.contains(strike.part));
    kernels.into_iter().map(|kernel| kernel.as_ref().to_owned()).find(|kernel| is_refused(kernel))
}

/// Injects a fault into a launch that ran to its end; returns the result code to report instead.
pub(crate) fn strike(driver: &mut Driver, fault: InjectedFault, arguments: &[Argument]) -> Option<u32> {
    match fault {
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
        let list = "crash:one,code:two,suld.clamp-as-zero/4:three,hang:o";
        let of =
            |kernel| chosen(list, kernel).map(|(number, strike, injected)| (number, strike.every, injected));
        assert_eq!(of("case_one"), Some((0, 1, Injected::Fault(InjectedFault::Crash))));
        assert_eq!(of("case_two"), Some((1, 1, Injected::Fault(InjectedFault::Code))));
        assert_eq!(of("three"), Some((2, 4, Injected::Deviation(Deviation::SuldClampAsZero))));
        assert_eq!(of("other"), Some((3, 1, Injected::Fault(InjectedFault::Hang))));
        assert_eq!(of("next"), None);
        for malformed in ["crash:", "explode:any", "crash/0:any", "crash/x:any", "crash"] {
            assert_eq!(chosen(malformed, "any"), None, "{malformed}");
        }
    }
}
