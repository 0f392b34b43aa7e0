//! Loads an image as a checked module, with its options and logs.

use std::ffi::{c_char, c_void};

use warpdiff_ptx::checked::Module;
use warpdiff_ptx::source::Diagnostic;
use warpdiff_ptx::{Dialect, Rules, check, parse, render};
use warpdiff_sass::cubin::Cubin;

use crate::pointer::{element, put_text};
use crate::remark::report;
use crate::result::CallResult;
use crate::{advertised_capability, result};

/// Name of the program text in messages.
const ORIGIN: &str = "<ptx>";

/// The options of a load that mean something here (`CUjit_option`). They hold buffers of the client, for which whoever reads them
/// vouches.
#[derive(Default)]
pub(crate) struct Options {
    info: Log,
    error: Log,
}

/// A buffer for messages.
#[derive(Default)]
struct Log {
    buffer: *mut c_char,
    capacity: usize,
    /// The option's value, which receives the number of bytes written.
    written: *mut *mut c_void,
}

impl Log {
    /// Writes a text, as far as there is room, and how long it was.
    fn write(&self, text: &str) {
        if self.buffer.is_null() || self.capacity == 0 {
            return;
        }
        // SAFETY: the client has given `capacity` as the size of the buffer, which lives as long as these options: see
        // `Options::read`.
        let written = unsafe { put_text(self.buffer, self.capacity, text) }.unwrap_or(0);
        if !self.written.is_null() {
            // SAFETY: an element of the client's array of values, which lives as long as these options: see `Options::read`.
            unsafe { self.written.write_unaligned(written as *mut c_void) };
        }
    }
}

impl Options {
    /// Reads options; those that steer an optimiser, which this is not, are taken and change nothing.
    ///
    /// # Safety
    /// `keys` and `values` are null, or have `count` elements. The values, and the buffers that they name with their sizes, are
    /// valid for writes as long as the options are in use.
    pub(crate) unsafe fn read(count: u32, keys: *const u32, values: *mut *mut c_void) -> CallResult<Self> {
        if count > 0 && (keys.is_null() || values.is_null()) {
            return Err(result::ERROR_INVALID_VALUE);
        }
        let mut options = Self::default();
        for n in 0..count as usize {
            // SAFETY: `n` is below `count`, so both arrays have this element.
            let (key, value, slot) = unsafe { (element(keys, n)?, element(values, n)?, values.add(n)) };
            match key {
                // WALL_TIME: milliseconds as a float, in the option's value.
                // SAFETY: the value is valid for writes, and a float is no larger.
                2 => unsafe { slot.cast::<f32>().write_unaligned(0.0) },
                3 => options.info.buffer = value.cast(),
                4 => {
                    options.info.capacity = value as usize & 0xFFFF_FFFF;
                    options.info.written = slot;
                }
                5 => options.error.buffer = value.cast(),
                6 => {
                    options.error.capacity = value as usize & 0xFFFF_FFFF;
                    options.error.written = slot;
                }
                // OPTIMIZATION_LEVEL: 0 to 4.
                7 if value as usize & 0xFFFF_FFFF > 4 => return Err(result::ERROR_INVALID_VALUE),
                0..=40 => {}
                _ => return Err(result::ERROR_INVALID_VALUE),
            }
        }
        for log in [&options.info, &options.error] {
            if !log.written.is_null() {
                // SAFETY: an element of the client's array of values, which is valid for writes.
                unsafe { log.written.write_unaligned(std::ptr::null_mut()) };
            }
        }
        Ok(options)
    }

    /// Writes the error log.
    pub(crate) fn complain(&self, text: &str) {
        self.error.write(text);
    }

    /// Writes the info log.
    pub(crate) fn inform(&self, text: &str) {
        self.info.write(text);
    }
}

/// The text of an image: of its bytes before the first zero. Binaries, which have zeros in their heads, are known by what is before
/// these.
pub(crate) fn image_text<'a>(image: &'a [u8], options: &Options) -> CallResult<&'a str> {
    let binary = match image {
        // The magic numbers of a fat binary and of its wrapper, 0xBA55ED50 and 0x466243B1.
        [0x50, 0xED, 0x55, 0xBA, ..] | [0xB1, 0x43, 0x62, 0x46, ..] => Some("a fat binary"),
        _ => None,
    };
    if let Some(binary) = binary {
        let message =
            format!("unsupported: {binary}: only PTX text and cubins for sm_50 to sm_53 can be run");
        report(&message);
        options.complain(&message);
        return Err(result::ERROR_NO_BINARY_FOR_GPU);
    }
    std::str::from_utf8(image).map_err(|error| {
        options.complain(&format!("error: the program is not UTF-8 text: {error}"));
        result::ERROR_INVALID_IMAGE
    })
}

/// `EM_CUDA`, the machine of a cubin, in bytes 18 and 19 of an ELF file.
const CUDA_MACHINE: [u8; 2] = [190, 0];
/// The architectures whose machine code can be run.
const ARCHITECTURES: std::ops::RangeInclusive<u32> = 50..=53;

/// Reads a cubin. One for an architecture that cannot be run is no binary for this device; a damaged one is an invalid image.
pub(crate) fn cubin(image: &[u8], options: &Options) -> CallResult<Cubin> {
    let invalid = |why: &str| {
        options.complain(&format!("error: {why}"));
        result::ERROR_INVALID_IMAGE
    };
    if image.get(18..20) != Some(&CUDA_MACHINE) {
        return Err(invalid("the image is an ELF file for another machine, not a cubin"));
    }
    let other = |message: &str| {
        report(message);
        options.complain(message);
        result::ERROR_NO_BINARY_FOR_GPU
    };
    match Cubin::read(image) {
        Ok(cubin) if ARCHITECTURES.contains(&cubin.architecture) => Ok(cubin),
        Ok(Cubin { architecture, .. }) => {
            Err(other(&format!("unsupported: the instructions of sm_{architecture}")))
        }
        Err(why) if why.starts_with("unsupported: ") => Err(other(&why)),
        Err(why) => Err(invalid(&why)),
    }
}

/// Parses and checks a program as the driver's compiler does, a whole one or one that is `linked`. A program with something that
/// warpdiff does not run is not supported, whatever else is found in it: errors beside that may only follow from it, as where a name
/// is used whose declaration was not understood. A program that warpdiff knows and finds wrong is invalid PTX.
pub(crate) fn compile(text: &str, linked: bool, options: &Options) -> CallResult<Module> {
    let rules = Rules {
        dialect: Dialect::Ptxas(12, 9),
        max_version: Some(advertised_capability::ptx_version()),
        max_target: Some(advertised_capability::target()),
        relocatable: linked,
        linked: false,
    };
    let checked = parse(text).and_then(|tree| check(text, &tree, &rules));
    checked.map_err(|diagnostics| {
        options.complain(&render(&diagnostics, ORIGIN, text, false));
        if declared_version(text).is_some_and(|version| version > advertised_capability::ptx_version()) {
            result::ERROR_UNSUPPORTED_PTX_VERSION
        } else if diagnostics.iter().any(|diagnostic| diagnostic.unsupported) {
            for diagnostic in diagnostics.iter().filter(|diagnostic| diagnostic.unsupported) {
                report(&unsupported_text(diagnostic));
            }
            result::ERROR_NOT_SUPPORTED
        } else {
            result::ERROR_INVALID_PTX
        }
    })
}

fn unsupported_text(diagnostic: &Diagnostic) -> String {
    match diagnostic.message.strip_prefix("unsupported: ") {
        Some(_) => diagnostic.message.clone(),
        None => format!("unsupported: {}", diagnostic.message),
    }
}

/// Tells why a checked program cannot be run.
pub(crate) fn explain(unsupported: warpdiff_emulator::Unsupported, text: &str, options: &Options) {
    let message = unsupported.to_string();
    report(&message);
    let diagnostic = Diagnostic {
        span: unsupported.span,
        message,
        expected: None,
        note: None,
        unsupported: true,
        unchecked: false,
    };
    options.complain(&render(&[diagnostic], ORIGIN, text, false));
}

/// Tells why a cubin cannot be run.
pub(crate) fn explain_cubin(unsupported: &warpdiff_emulator::Unsupported, options: &Options) {
    let message = unsupported.to_string();
    report(&message);
    options.complain(&message);
}

/// The `.version` of a text, if it begins with one.
fn declared_version(text: &str) -> Option<(u32, u32)> {
    let line = text.lines().map(str::trim_start).find(|line| line.starts_with(".version"))?;
    let mut numbers = line.strip_prefix(".version")?.split_whitespace().next()?.split('.');
    Some((numbers.next()?.parse().ok()?, numbers.next()?.trim_end_matches(';').parse().ok()?))
}

/// The info log of a successful load.
pub(crate) fn success() -> String {
    let (major, minor) = advertised_capability::version();
    format!("info: checked as ptxas {major}.{minor} does, for sm_{}", advertised_capability::target())
}
