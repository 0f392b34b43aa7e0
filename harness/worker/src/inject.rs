//! Faults that `warpdiff worker` has on demand, by case: for tests of the supervision, from the command line down.

use std::io::{self, Write};
use std::str::FromStr;
use std::time::Duration;

use warpdiff_corpus::filter::Pattern;

use super::protocol::{Observed, Outcome};

/// How a worker misbehaves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// Dies of SIGABRT while the launch runs.
    Crash,
    /// Dies of SIGABRT before it announces the launch.
    EarlyCrash,
    /// Dies of SIGABRT after it has answered.
    LateCrash,
    /// Ends with code 3 while the launch runs.
    Exit,
    /// Does not come back.
    Hang,
    /// Starts another process that keeps its output open, and dies.
    Orphan,
    /// Writes what is no message.
    Garbage,
    /// Writes a line without end.
    Oversized,
    /// Leaves out the last byte of a region.
    Lie,
    /// Answers for another launch.
    WrongId,
    /// Inverts the first byte of a region.
    Flip,
    /// Writes a megabyte to its standard error, then dies of SIGABRT.
    Chatter,
    /// Kills itself with SIGKILL, as a memory killer would.
    Kill,
    /// Answers, and leaves.
    Leave,
    /// Answers twice.
    Twice,
    /// Writes what is no message after it has answered.
    Postscript,
    /// Answers without having announced the launch.
    Unannounced,
    /// Ends with code 0 in the middle of a message.
    Partial,
    /// Closes its output, and stays.
    Mute,
    /// Writes a message that is nested without end.
    Nested,
    /// Writes a megabyte to its standard error, and is well.
    Loud,
}

impl Fault {
    /// Every fault with its name.
    pub const ALL: [(Fault, &'static str); 21] = [
        (Fault::Crash, "crash"),
        (Fault::EarlyCrash, "early-crash"),
        (Fault::LateCrash, "late-crash"),
        (Fault::Exit, "exit"),
        (Fault::Hang, "hang"),
        (Fault::Orphan, "orphan"),
        (Fault::Garbage, "garbage"),
        (Fault::Oversized, "oversized"),
        (Fault::Lie, "lie"),
        (Fault::WrongId, "wrong-id"),
        (Fault::Flip, "flip"),
        (Fault::Chatter, "chatter"),
        (Fault::Kill, "kill"),
        (Fault::Leave, "leave"),
        (Fault::Twice, "twice"),
        (Fault::Postscript, "postscript"),
        (Fault::Unannounced, "unannounced"),
        (Fault::Partial, "partial"),
        (Fault::Mute, "mute"),
        (Fault::Nested, "nested"),
        (Fault::Loud, "loud"),
    ];

    /// What happens before the launch is announced.
    pub(super) fn before(self) {
        if self == Self::EarlyCrash {
            std::process::abort();
        }
    }

    /// What happens while it runs.
    pub(super) fn during(self, output: &mut impl Write) -> io::Result<()> {
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
    pub(super) fn alter(self, observed: &mut Observed) {
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
    pub(super) fn announces(self) -> bool {
        self != Self::Unannounced
    }

    /// How often the launch is answered.
    pub(super) fn answers(self) -> usize {
        if self == Self::Twice { 2 } else { 1 }
    }

    /// What happens after the answer.
    pub(super) fn after(self, output: &mut impl Write) -> io::Result<()> {
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

/// Writes a megabyte to the standard error.
fn chatter() {
    (0..16384).for_each(|n| eprintln!("{n:063}"));
}

/// A fault and the cases that have it: `crash=suld/*`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Injection {
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
pub struct Faults(pub Vec<Injection>);

impl Faults {
    /// The fault of a case.
    pub fn of(&self, case: &str) -> Option<Fault> {
        self.0.iter().find(|injection| injection.cases.matches(case)).map(|injection| injection.fault)
    }
}
