//! Reads the value of `--against`.

use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;

use warpdiff_model::{Choice, Deviation, Semantics};
use warpdiff_terminal::suggest::closest;
use warpdiff_worker::command::CommandLine;
use warpdiff_worker::limits::Limits;

use super::registered::registered;
use super::{
    CompiledName, CompiledTarget, CudaName, CudaTarget, EmulatorTarget, Layered, ProcessTarget, PtxasTarget,
    RecordedTarget, Registered, Target, ThroughPtx,
};

/// A target as the command line names it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TargetName {
    /// `emulator`, `emulator+deviation,…`, `emulator+choice=alternative,…`
    Emulator(Semantics),
    /// `emulator:ptx`, with additions as above: the emulator, given PTX alone.
    EmulatorOfPtx(Semantics),
    /// A target that the program has [registered](super::register).
    Registered(Registered),
    /// `ptxas`, `ptxas:PATH`: see [`PtxasTarget`].
    Ptxas(Option<PathBuf>),
    /// `recording:DIR`: see [`RecordedTarget`].
    Recording(PathBuf),
    /// `process:COMMAND`: see [`ProcessTarget`].
    Process(CommandLine),
    /// `compiled[:PTXAS][+O0…+O3]`: see [`CompiledTarget`].
    Compiled(CompiledName),
    /// `cuda[:ORDINAL][+O0…+O4][@LIBRARY]`: see [`CudaTarget`].
    Cuda(CudaName),
}

impl TargetName {
    /// Opens the target with default limits.
    pub fn open(&self) -> Box<dyn Target> {
        self.open_within(Limits::default())
    }

    /// Opens the target; the limits apply to its worker processes, if it has any.
    pub fn open_within(&self, limits: Limits) -> Box<dyn Target> {
        self.open_beside(limits, vec![None])
    }

    /// The same for the corpus in this folder, beside which a target may keep what it needs.
    pub fn open_beside(&self, limits: Limits, corpora: Vec<Option<PathBuf>>) -> Box<dyn Target> {
        match self {
            Self::Emulator(semantics) => Box::new(EmulatorTarget::new(*semantics)),
            Self::EmulatorOfPtx(semantics) => through_ptx(EmulatorTarget::of_ptx(*semantics)),
            Self::Registered(target) => (target.open)(),
            Self::Recording(root) => Box::new(RecordedTarget::open(root)),
            Self::Ptxas(path) => Box::new(PtxasTarget::new(path.clone())),
            Self::Process(command) => through_ptx(ProcessTarget::new(command.clone(), limits)),
            Self::Compiled(name) => through_ptx(CompiledTarget::new(name).beside(corpora)),
            Self::Cuda(name) => through_ptx(CudaTarget::new(name, limits)),
        }
    }
}

/// Whether two names are of one compiler, or of one device, at some levels of optimisation: what they do alike is one witness, and not two.
/// Emulators with different deviations stand for different implementations.
pub fn same_implementation(a: &str, b: &str) -> bool {
    let without_level = |name: &str| match name.parse() {
        Ok(TargetName::Compiled(name)) => Some(TargetName::Compiled(CompiledName { level: None, ..name })),
        Ok(TargetName::Cuda(name)) => Some(TargetName::Cuda(CudaName { level: None, ..name })),
        _ => None,
    };
    without_level(a).is_some_and(|a| without_level(b) == Some(a))
}

/// The target behind the layer that translates SPA 5.0 programs to PTX.
fn through_ptx(target: impl Target + 'static) -> Box<dyn Target> {
    Box::new(Layered::new(Box::new(target), ThroughPtx::default()))
}

impl fmt::Display for TargetName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Process(command) => write!(f, "process:{command}"),
            Self::Compiled(name) => name.fmt(f),
            Self::Cuda(name) => name.fmt(f),
            Self::Recording(root) => write!(f, "recording:{}", root.display()),
            Self::Ptxas(None) => f.write_str("ptxas"),
            Self::Ptxas(Some(path)) => write!(f, "ptxas:{}", path.display()),
            Self::Registered(target) => f.write_str(target.name),
            Self::Emulator(_) | Self::EmulatorOfPtx(_) => f.write_str(self.open().name()),
        }
    }
}

/// Why a value of `--against` is malformed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TargetNameError {
    /// The word before `+` is not a target.
    #[error(
        "unknown target `{0}`: expected `emulator[+DEVIATION,…]`, `emulator:ptx[+DEVIATION,…]`, `process:COMMAND`, `cuda[:ORDINAL][+O0…+O4][@LIBRARY]`, `compiled[:PTXAS][+O0…+O3]`, `ptxas[:PATH]` or `recording:FOLDER`"
    )]
    Target(String),
    /// A word after `+` is not a deviation.
    #[error("unknown deviation `{name}`{}; `warpdiff deviations` lists them", suggestion(.name))]
    Deviation {
        /// The word.
        name: String,
    },
    /// A word after `+` is a deviation that the emulator cannot be given.
    #[error(
        "the emulator cannot be given `{0}`, which is about declarations; `warpdiff layout` and `warpdiff check` note it"
    )]
    NotRun(&'static str),
    /// `choice=alternative` of an unknown choice or alternative.
    #[error("unknown choice or alternative `{name}`; the choices are:\n{}", choices())]
    Choice {
        /// The words.
        name: String,
    },
    /// The text after `process:` is not a command.
    #[error("{0}")]
    Command(String),
    /// The text after `cuda` names no device.
    #[error("{0}")]
    Cuda(String),
    /// Nothing follows `+`, or there are two commas in a row.
    #[error("a deviation is missing in `{0}`: expected `emulator+deviation,deviation…`")]
    Missing(String),
}

fn suggestion(name: &str) -> String {
    let names = Deviation::all().map(Deviation::name);
    closest(name, names).map(|near| format!(" (did you mean `{near}`?)")).unwrap_or_default()
}

fn choices() -> String {
    let lines: Vec<_> = Choice::ALL
        .iter()
        .map(|info| format!("  {:28}{}", info.name, info.alternatives.join(" | ")))
        .collect();
    lines.join("\n")
}

impl FromStr for TargetName {
    type Err = TargetNameError;

    fn from_str(text: &str) -> Result<Self, TargetNameError> {
        if let Some(command) = text.strip_prefix("process:") {
            return command.parse().map(Self::Process).map_err(TargetNameError::Command);
        }
        if let Some(root) = RecordedTarget::folder(text) {
            return Ok(Self::Recording(root));
        }
        if let Some(path) = text.strip_prefix("ptxas:").filter(|path| !path.is_empty()) {
            return Ok(Self::Ptxas(Some(path.into())));
        }
        if let Some(name) = CompiledName::read(text) {
            return name.map(Self::Compiled).map_err(TargetNameError::Cuda);
        }
        if let Some(name) = CudaName::read(text) {
            return name.map(Self::Cuda).map_err(TargetNameError::Cuda);
        }
        let (target, additions) = text.split_once('+').map_or((text, None), |(t, a)| (t, Some(a)));
        match (target, additions) {
            ("emulator", None) => Ok(Self::Emulator(Semantics::default())),
            ("emulator", Some(additions)) => semantics(text, additions).map(Self::Emulator),
            (EmulatorTarget::PTX_ALONE, None) => Ok(Self::EmulatorOfPtx(Semantics::default())),
            (EmulatorTarget::PTX_ALONE, Some(additions)) => {
                semantics(text, additions).map(Self::EmulatorOfPtx)
            }
            ("ptxas", None) => Ok(Self::Ptxas(None)),
            _ => registered(text).map(Self::Registered).ok_or_else(|| TargetNameError::Target(text.into())),
        }
    }
}

/// The semantics that `additions` describe.
fn semantics(whole: &str, additions: &str) -> Result<Semantics, TargetNameError> {
    let mut semantics = Semantics::default();
    for word in additions.split(',').map(str::trim) {
        if word.is_empty() {
            return Err(TargetNameError::Missing(whole.into()));
        }
        semantics = match word.split_once('=') {
            Some((choice, alternative)) => assigned(semantics, choice, alternative)
                .ok_or_else(|| TargetNameError::Choice { name: word.into() })?,
            None => semantics.with(deviation(word)?),
        };
    }
    Ok(semantics)
}

fn deviation(name: &str) -> Result<Deviation, TargetNameError> {
    Deviation::from_name(name).ok_or_else(|| {
        match Deviation::catalogue().iter().find(|entry| entry.name == name) {
            Some(entry) => TargetNameError::NotRun(entry.name),
            None => TargetNameError::Deviation { name: name.into() },
        }
    })
}

/// The semantics with one choice assigned; `None` for an unknown choice or alternative.
fn assigned(semantics: Semantics, choice: &str, alternative: &str) -> Option<Semantics> {
    let info = Choice::ALL.iter().find(|info| info.name == choice)?;
    let index = info.alternatives.iter().position(|name| *name == alternative)?;
    let assignment = semantics.assignment.with(info.choice, u8::try_from(index).ok()?);
    Some(semantics.under(assignment))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<TargetName, String> {
        text.parse().map_err(|e: TargetNameError| e.to_string())
    }

    #[test]
    fn deviations_and_choices_are_read() {
        let Ok(TargetName::Emulator(s)) =
            parse("emulator+suld.clamp-as-zero, fma.unfused,surface.misaligned=fault")
        else {
            panic!("not an emulator")
        };
        assert!(s.has(Deviation::SuldClampAsZero) && s.has(Deviation::FmaUnfused));
        assert_eq!(s.deviations().count(), 2);
        assert_eq!(s.assignment.get(Choice::SurfaceMisaligned), 1);
    }

    #[test]
    fn levels_of_one_compiler_or_device_are_one_implementation() {
        for (a, b, one) in [
            ("compiled", "compiled+O0", true),
            ("compiled+O1", "compiled:/opt/bin/ptxas+O1", false),
            ("cuda:1", "cuda:1+O0", true),
            ("cuda", "cuda:1", false),
            ("cuda", "cuda@/opt/lib/libcuda.so", false),
            ("cuda", "compiled", false),
            ("emulator+suld.clamp-as-zero", "emulator+suld.clamp-as-zero", false),
        ] {
            assert_eq!(same_implementation(a, b), one, "{a}, {b}");
        }
    }

    #[test]
    fn a_target_is_called_what_the_command_line_calls_it() {
        let emulator = "emulator+suld.clamp-as-zero,fma.unfused,surface.misaligned=fault";
        for name in [
            "emulator",
            emulator,
            "emulator:ptx",
            "emulator:ptx+fma.unfused",
            "process:python3 'my target.py' +x",
            "cuda:1+O0@/opt/a.so",
        ] {
            assert_eq!(parse(name).unwrap().to_string(), name);
        }
    }

    #[test]
    fn a_registered_target_is_known_by_its_name() {
        assert!(parse("another").is_err());
        let target =
            Registered { name: "another", open: || Box::new(EmulatorTarget::new(Semantics::default())) };
        crate::register(target);
        assert_eq!(parse("another"), Ok(TargetName::Registered(target)));
        assert_eq!(parse("another").unwrap().to_string(), "another");
        assert!(parse("another+fma.unfused").is_err());
    }

    #[test]
    fn the_specification_is_the_emulator_without_additions() {
        assert_eq!(parse("emulator"), Ok(TargetName::Emulator(Semantics::default())));
    }

    #[test]
    fn a_mistyped_deviation_is_answered_with_the_nearest_and_where_the_list_is() {
        assert_eq!(
            parse("emulator+suld.clamp-as-zer").unwrap_err(),
            "unknown deviation `suld.clamp-as-zer` (did you mean `suld.clamp-as-zero`?); `warpdiff deviations` lists them"
        );
        assert_eq!(
            parse("emulator+ptxas.odd-float").unwrap_err(),
            "the emulator cannot be given `ptxas.odd-float`, which is about declarations; `warpdiff layout` and `warpdiff check` note it"
        );
    }

    #[test]
    fn other_mistakes_have_their_own_message() {
        assert!(parse("emulater").unwrap_err().starts_with("unknown target `emulater`"));
        assert_eq!(parse("process:").unwrap_err(), "the command is empty");
        assert!(parse("emulator+").unwrap_err().starts_with("a deviation is missing"));
        assert!(parse("emulator+fma.unfused,,").unwrap_err().starts_with("a deviation is missing"));
        assert!(
            parse("emulator+surface.misaligned=maybe")
                .unwrap_err()
                .starts_with("unknown choice or alternative")
        );
    }
}
