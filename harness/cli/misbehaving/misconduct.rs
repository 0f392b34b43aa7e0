//! What a worker does that misbehaves, and in which cases.

use std::io::{self, Write};
use std::str::FromStr;
use std::time::Duration;

use warpdiff_corpus::filter::Pattern;
use warpdiff_worker::protocol::{Observed, Outcome};

use crate::fault::Fault;

impl Fault {
    /// What happens before the launch is announced.
    pub(crate) fn before(self) {
        if self == Self::EarlyCrash {
            std::process::abort();
        }
    }

    /// What happens while it runs.
    pub(crate) fn during(self, output: &mut impl Write) -> io::Result<()> {
        match self {
            Self::Crash => {
                eprintln!("about to crash");
                std::process::abort()
            }
            Self::Exit => std::process::exit(3),
            Self::Hang => sleep(),
            Self::Mute => {
                // SAFETY: a system call without pointers; this process writes nothing to its output after it.
                unsafe { libc::close(libc::STDOUT_FILENO) };
                sleep()
            }
            Self::Partial => {
                output.write_all(b"{\"type\":\"obs")?;
                output.flush()?;
                std::process::exit(0)
            }
            Self::Nested => {
                output.write_all(&[b'['; 200])?;
                output.write_all(b"\n")?;
                output.flush()
            }
            Self::Orphan => {
                std::process::Command::new("sleep").arg("3600").spawn()?;
                std::process::abort()
            }
            Self::Garbage => {
                output.write_all(b"Hello, world\n")?;
                output.flush()
            }
            Self::Oversized => loop {
                output.write_all(&[b'a'; 4096])?;
            },
            Self::Loud => {
                chatter();
                Ok(())
            }
            Self::Chatter => {
                chatter();
                std::process::abort()
            }
            Self::Kill => {
                // SAFETY: a system call without pointers.
                unsafe { libc::raise(libc::SIGKILL) };
                Ok(())
            }
            _ => Ok(()),
        }
    }

    /// What becomes of the answer.
    pub(crate) fn alter(self, observed: &mut Observed) {
        match self {
            Self::WrongId => observed.id = observed.id.wrapping_add(1),
            Self::Leave => observed.leaving = true,
            Self::Lie | Self::Flip => {
                let Outcome::Completed { state } = &mut observed.outcome else { return };
                let regions = [&mut state.buffers, &mut state.surfaces].into_iter();
                let Some(bytes) = regions.flat_map(|map| map.values_mut()).find(|b| !b.0.is_empty()) else {
                    return;
                };
                if self == Self::Lie {
                    bytes.0.pop();
                } else {
                    bytes.0[0] = !bytes.0[0];
                }
            }
            _ => {}
        }
    }

    /// Whether the launch is announced.
    pub(crate) fn announces(self) -> bool {
        self != Self::Unannounced
    }

    /// How often the launch is answered.
    pub(crate) fn answers(self) -> usize {
        if self == Self::Twice { 2 } else { 1 }
    }

    /// What happens after the answer.
    pub(crate) fn after(self, output: &mut impl Write) -> io::Result<()> {
        match self {
            Self::LateCrash => std::process::abort(),
            Self::Postscript => {
                output.write_all(b"and one more thing\n")?;
                output.flush()
            }
            _ => Ok(()),
        }
    }
}

fn sleep() -> ! {
    loop {
        std::thread::sleep(Duration::from_secs(3600));
    }
}

/// Writes a megabyte to the standard error, in lines.
fn chatter() {
    // Made first, as the standard error has no buffer: each character would be a system call.
    let lines: String = (0..16384).map(|n| format!("{n:063}\n")).collect();
    eprint!("{lines}");
}

/// A fault and the cases that have it: `crash=suld/*`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Injection {
    fault: Fault,
    cases: Pattern,
}

impl FromStr for Injection {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (name, pattern) = text.split_once('=').ok_or("expected a fault, `=` and a pattern over cases")?;
        let known = Fault::ALL.iter().find(|(_, known)| *known == name);
        let (fault, _) = known.ok_or_else(|| {
            let names: Vec<_> = Fault::ALL.iter().map(|(_, name)| *name).collect();
            format!("unknown fault `{name}`: expected one of {}", names.join(", "))
        })?;
        Ok(Self { fault: *fault, cases: Pattern::new(pattern) })
    }
}

/// The faults of a worker; the first that fits a case is the one it has.
#[derive(Clone, Debug, Default)]
pub(crate) struct Faults(pub(crate) Vec<Injection>);

impl Faults {
    /// The fault of a case.
    pub(crate) fn of(&self, case: &str) -> Option<Fault> {
        self.0.iter().find(|injection| injection.cases.matches(case)).map(|injection| injection.fault)
    }
}
