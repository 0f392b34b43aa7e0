//! The messages between warpdiff and a worker: one JSON object per line. `docs/protocol.md` describes them for authors of targets;
//! `warpdiff schema protocol` prints their schema, which is derived from these types.
//!
//! Within a version of the protocol fields are added, never removed or changed in meaning; readers ignore unknown fields.

use std::collections::BTreeMap;

use schemars::{JsonSchema, Schema, schema_for};
use serde::de::{self, Deserializer, IntoDeserializer, value::StrDeserializer};
use serde::{Deserialize, Serialize};
use warpdiff_model::{Argument, Buffer, Calls, Format, Geometry, Launch, Surface, Texture};

use super::hex::Hex;
use super::host_writes::HostWrites;
use super::machine_words::ShaderMessage;
use super::texture::TextureMessage;

/// Version of the protocol.
pub const VERSION: u32 = 1;

/// Dialect that every worker takes.
pub const PTX: &str = "ptx";
/// Dialect of programs that begin with `.spa 5.0`.
pub const SPA: &str = "spa-5.0";
/// Dialect of the same programs as machine words.
pub const SPA_WORDS: &str = "spa-5.0-words";

/// A message from warpdiff to a worker.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "type", rename_all = "kebab-case")]
pub enum Request {
    /// The first message.
    Hello(Greeting),
    /// A launch to run.
    Launch(Box<LaunchRequest>),
    /// A module for the launches that follow. Sent only to workers that offer `modules`.
    Module(Box<ModuleRequest>),
}

/// A message from a worker to warpdiff.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "type", rename_all = "kebab-case")]
pub enum Reply {
    /// The answer to `hello`.
    Hello(Introduction),
    /// A launch, or the compilation of a module, begins. Whatever happens from now on is attributed to it.
    Started {
        /// Its number.
        id: u64,
    },
    /// A launch has ended, all its stores are in memory, and no trace of it is left in the worker.
    Observed(Box<Observed>),
    /// A module is compiled and loaded, or refused.
    Loaded {
        /// Its number.
        id: u64,
        /// The reason for refusing it, in the target's words; absent if it is loaded.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        refused: Option<String>,
    },
    /// The line just read is not a request. The worker goes on with the next line.
    Refused {
        /// The reason.
        message: String,
    },
}

/// The first message: warpdiff introduces itself.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Greeting {
    /// Version of the protocol that warpdiff speaks.
    pub protocol: u32,
    /// Version of warpdiff.
    pub warpdiff: String,
}

/// The reply to the first message: the worker introduces itself.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Introduction {
    /// Version of the protocol that the worker speaks.
    pub protocol: u32,
    /// Name of the target for reports, such as "my-emulator 1.2".
    pub name: String,
    /// Dialects of the programs it takes: `ptx` and optionally `spa-5.0`, `spa-5.0-words`.
    pub dialects: Vec<String>,
    /// Capabilities beyond buffers: `surfaces`, `surface-references`, `textures`, `variables`, `managed`, `modules`; other names
    /// are ignored. A launch that needs others is not sent, and counts as unsupported.
    #[serde(default, deserialize_with = "known_capabilities")]
    #[schemars(with = "Vec<String>")]
    pub capabilities: Vec<Capability>,
    /// Longest line that it reads, in bytes, if there is a limit. A longer launch is not sent, and counts as unsupported.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub longest_line: Option<u64>,
    /// Facts about the target for recordings, each by its name: `device`, `driver`, …
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub device: BTreeMap<String, String>,
}

impl Introduction {
    /// Whether the worker takes SPA 5.0 programs, as text or as machine words.
    pub fn takes_spa(&self) -> bool {
        self.dialects.iter().any(|dialect| dialect == SPA || dialect == SPA_WORDS)
    }
}

/// The capabilities that this version knows; a newer worker may name others.
fn known_capabilities<'de, D: Deserializer<'de>>(names: D) -> Result<Vec<Capability>, D::Error> {
    let known = |name: &String| {
        let name: StrDeserializer<'_, de::value::Error> = name.as_str().into_deserializer();
        Capability::deserialize(name).ok()
    };
    Ok(Vec::<String>::deserialize(names)?.iter().filter_map(known).collect())
}

/// A capability of a target beyond buffers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Capability {
    /// Surfaces through bindless handles.
    Surfaces,
    /// Surfaces bound to module-scope `.surfref` variables and `.surfref` parameters.
    SurfaceReferences,
    /// Textures through bindless handles and bound to module-scope `.texref` variables.
    Textures,
    /// The final bytes of module-scope variables.
    Variables,
    /// Host writes to `.managed` variables.
    Managed,
    /// Modules of many programs, which launches then refer to.
    Modules,
}

impl Capability {
    /// The name in messages.
    pub fn name(self) -> &'static str {
        match self {
            Self::Surfaces => "surfaces",
            Self::SurfaceReferences => "surface-references",
            Self::Textures => "textures",
            Self::Variables => "variables",
            Self::Managed => "managed",
            Self::Modules => "modules",
        }
    }

    /// The capabilities that a launch needs.
    pub fn needed(launch: &Launch) -> Vec<Self> {
        let referred = |argument: &Argument| matches!(argument, Argument::SurfaceReference { .. });
        let references =
            launch.surfaces.iter().any(|s| s.bound_to.is_some()) || launch.arguments.iter().any(referred);
        let all = [
            (!launch.surfaces.is_empty(), Self::Surfaces),
            (references, Self::SurfaceReferences),
            (!launch.textures.is_empty(), Self::Textures),
            (!launch.observed_variables.is_empty(), Self::Variables),
            (!launch.host_writes.is_empty(), Self::Managed),
        ];
        all.into_iter().filter(|(needed, _)| *needed).map(|(_, capability)| capability).collect()
    }
}

/// A module with many entries. The worker compiles it and keeps it for the launches that refer to it, until the next module.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ModuleRequest {
    /// Its number, repeated in the reply and in the launches.
    pub id: u64,
    /// PTX text of the module.
    pub program: String,
    /// Time limit in milliseconds, after which warpdiff kills the worker as hung.
    pub time_limit_ms: u64,
}

/// A launch: load the program, allocate the memory, run, and answer with the memory afterwards.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct LaunchRequest {
    /// Its number, repeated in the replies.
    pub id: u64,
    /// The case it belongs to, for logs.
    pub case: String,
    /// PTX text of the program, or an SPA 5.0 program; empty where `module` or `shader` stands for it.
    pub program: String,
    /// An SPA 5.0 program as machine words, for workers that take those.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shader: Option<ShaderMessage>,
    /// Number of the module loaded last, where `entry` is one of its entries.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub module: Option<u64>,
    /// Name of the `.entry`.
    pub entry: String,
    /// Blocks in x, y, z.
    pub grid: [u32; 3],
    /// Threads of a block in x, y, z.
    pub block: [u32; 3],
    /// Bytes of dynamic shared memory.
    pub dynamic_shared: u32,
    /// Arguments of the kernel in order.
    pub arguments: Vec<ArgumentMessage>,
    /// Linear buffers in global memory.
    pub buffers: Vec<BufferMessage>,
    /// Surfaces.
    pub surfaces: Vec<SurfaceMessage>,
    /// Textures; left out where there are none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub textures: Vec<TextureMessage>,
    /// Module-scope `.global` variables whose final bytes the answer reports.
    pub observed_variables: Vec<String>,
    /// Host writes to `.managed` variables before the launch, through their own addresses; left out where there are none.
    #[serde(default, skip_serializing_if = "HostWrites::is_empty")]
    pub host_writes: HostWrites,
    /// Number of instructions, summed over threads, after which an emulator should answer `timed-out`. Hardware ignores it.
    pub step_budget: u64,
    /// Time limit in milliseconds, after which warpdiff kills the worker as hung.
    pub time_limit_ms: u64,
    /// Whether the launch may fault, or faulted before. A target whose memory is lost with a fault may allocate the memory of such
    /// a launch where it stays readable.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub may_fault: bool,
}

/// An argument of the kernel.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum ArgumentMessage {
    /// Bytes passed by value: a scalar or a struct, little endian.
    Value {
        /// The bytes.
        bytes: Hex,
    },
    /// The 64-bit global address of a buffer's data.
    Buffer {
        /// Index into `buffers`.
        index: usize,
        /// Bytes added to the address.
        offset: i64,
    },
    /// The 64-bit bindless handle of a surface.
    Surface {
        /// Index into `surfaces`.
        index: usize,
    },
    /// A surface for a `.param .surfref`.
    SurfaceReference {
        /// Index into `surfaces`.
        index: usize,
    },
    /// The 64-bit bindless handle of a texture.
    Texture {
        /// Index into `textures`.
        index: usize,
    },
    /// A texture for a `.param .texref`.
    TextureReference {
        /// Index into `textures`.
        index: usize,
    },
    /// The texture whose sampler a `.param .samplerref` gets.
    SamplerReference {
        /// Index into `textures`.
        index: usize,
    },
}

/// A buffer in global memory, between two guard bands of bytes 0xA5, which are observed as well.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct BufferMessage {
    /// Its name.
    pub name: String,
    /// Initial contents.
    pub bytes: Hex,
    /// Bytes of each guard band. The data is aligned to 256 bytes.
    pub guard: u32,
}

/// A surface (a CUDA array with surface load/store).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SurfaceMessage {
    /// Its name.
    pub name: String,
    /// Geometry.
    #[schemars(with = "GeometryName")]
    pub geometry: Geometry,
    /// Width, height and depth in texels; 1 where the geometry has no such dimension.
    pub extent: [u32; 3],
    /// Layers of an array; 1 otherwise.
    pub layers: u32,
    /// Type of a channel, `u8` to `u32`, `s8` to `s32`, `f16`, `f32`, `unorm8`, `unorm16`, `snorm8`, `snorm16`, followed by `x2` or
    /// `x4` where there are several.
    #[schemars(with = "String")]
    pub format: Format,
    /// Initial texels, tightly packed: x fastest, then y, then z or layer.
    pub bytes: Hex,
    /// The module-scope `.surfref` it is bound to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bound_to: Option<String>,
}

/// The names of geometries, for the schema.
#[derive(JsonSchema)]
#[expect(dead_code, reason = "stands for warpdiff_model::Geometry in the schema")]
enum GeometryName {
    #[serde(rename = "1d")]
    D1,
    #[serde(rename = "2d")]
    D2,
    #[serde(rename = "3d")]
    D3,
    #[serde(rename = "a1d")]
    A1d,
    #[serde(rename = "a2d")]
    A2d,
    #[serde(rename = "cube")]
    Cube,
    #[serde(rename = "acube")]
    Acube,
}

/// The answer to a launch.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Observed {
    /// Its number.
    pub id: u64,
    /// The outcome of the launch.
    pub outcome: Outcome,
    /// Whether the worker ends now and takes no more launches, as after a fault that leaves its context unusable. It is replaced;
    /// no launch is blamed.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub leaving: bool,
}

/// The outcome of a launch.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum Outcome {
    /// It ran to its end.
    Completed {
        /// The memory afterwards.
        state: StateMessage,
    },
    /// It stopped with a fault.
    Faulted {
        /// `surface-trap`, `out-of-bounds`, `misaligned`, `invalid-space`, `invalid-handle`, `illegal-instruction`, `trap`,
        /// `assert`, `stack-overflow`, or `unspecified` where the target cannot tell.
        class: String,
        /// The target's own code, a CUresult for instance; 0 where there is none.
        #[serde(default)]
        code: u32,
        /// The faulting thread, where it is known: block x, y, z and thread x, y, z.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        thread: Option<[u32; 6]>,
        /// The memory afterwards, as far as it can be read.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        state: Option<StateMessage>,
        /// Results of the CUDA driver API calls around it, for targets that make such calls.
        #[serde(default, skip_serializing_if = "CallsMessage::is_empty")]
        calls: CallsMessage,
    },
    /// The program or the launch was refused.
    Rejected {
        /// `parse`, `load` or `launch`.
        stage: String,
        /// The target's words.
        message: String,
        /// As for a fault.
        #[serde(default, skip_serializing_if = "CallsMessage::is_empty")]
        calls: CallsMessage,
    },
    /// It exceeded the step budget.
    TimedOut {
        /// As for a fault.
        #[serde(default, skip_serializing_if = "CallsMessage::is_empty")]
        calls: CallsMessage,
    },
    /// The target does not support the launch.
    Unsupported {
        /// The unsupported feature.
        what: String,
    },
}

impl Outcome {
    /// Removes the suffix from the names of variables.
    pub fn strip_variables(&mut self, suffix: &str) {
        let state = match self {
            Self::Completed { state } | Self::Faulted { state: Some(state), .. } => state,
            _ => return,
        };
        let variables = std::mem::take(&mut state.variables).into_iter();
        let stripped = |name: String| name.strip_suffix(suffix).map(str::to_owned).unwrap_or(name);
        state.variables = variables.map(|(name, bytes)| (stripped(name), bytes)).collect();
    }
}

/// Results (`CUresult`) of the CUDA driver API calls around a launch; a call that was not made is left out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CallsMessage {
    /// The call that loads the program.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub load: Option<u32>,
    /// The call that launches the kernel.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub launch: Option<u32>,
    /// The call that waits for the kernel.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub synchronize: Option<u32>,
    /// The call after the one that failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next: Option<u32>,
}

impl CallsMessage {
    /// Whether no call was made.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

impl From<Calls> for CallsMessage {
    fn from(calls: Calls) -> Self {
        let Calls { load, launch, synchronize, next } = calls;
        Self { load, launch, synchronize, next }
    }
}

impl From<CallsMessage> for Calls {
    fn from(message: CallsMessage) -> Self {
        let CallsMessage { load, launch, synchronize, next } = message;
        Self { load, launch, synchronize, next }
    }
}

/// Memory after a launch: every buffer, guard, surface and observed variable of the launch by its name, whole.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct StateMessage {
    /// The data of each buffer.
    #[serde(default)]
    pub buffers: BTreeMap<String, Hex>,
    /// The guard bands of each buffer: the one before, then the one after.
    #[serde(default)]
    pub guards: BTreeMap<String, Hex>,
    /// The texels of each surface, packed as in the request.
    #[serde(default)]
    pub surfaces: BTreeMap<String, Hex>,
    /// Each observed variable.
    #[serde(default)]
    pub variables: BTreeMap<String, Hex>,
}

/// A line of the worker protocol, version 1: a request from warpdiff or a reply from a worker. See docs/protocol.md.
#[derive(JsonSchema)]
#[serde(untagged)]
#[expect(dead_code, reason = "joins the two directions in the schema")]
enum Message {
    /// A line that warpdiff writes.
    Request(Request),
    /// A line that a worker writes.
    Reply(Reply),
}

/// The JSON Schema of a line: warpdiff writes a `$defs/Request`, a worker a `$defs/Reply`.
pub fn schema() -> Schema {
    schema_for!(Message)
}

impl Request {
    /// warpdiff's first message.
    pub fn hello() -> Self {
        Self::Hello(Greeting { protocol: VERSION, warpdiff: env!("CARGO_PKG_VERSION").into() })
    }
}

impl LaunchRequest {
    /// The launch as a message.
    pub fn new(id: u64, case: &str, launch: &Launch, time_limit_ms: u64) -> Self {
        Self {
            id,
            case: case.into(),
            program: launch.program.to_string(),
            shader: None,
            module: None,
            entry: launch.entry.clone(),
            grid: launch.grid,
            block: launch.block,
            dynamic_shared: launch.dynamic_shared,
            arguments: launch.arguments.iter().map(ArgumentMessage::from).collect(),
            buffers: launch.buffers.iter().map(BufferMessage::from).collect(),
            surfaces: launch.surfaces.iter().map(SurfaceMessage::from).collect(),
            textures: launch.textures.iter().map(TextureMessage::from).collect(),
            observed_variables: launch.observed_variables.clone(),
            host_writes: HostWrites::from(&*launch.host_writes),
            step_budget: launch.step_budget,
            time_limit_ms,
            may_fault: false,
        }
    }

    /// The launch as one of a loaded module, in which the names of its program end with `suffix`.
    pub fn in_module(mut self, module: u64, suffix: &str) -> Self {
        self.program.clear();
        self.module = Some(module);
        self.entry.push_str(suffix);
        let textures = self.textures.iter_mut().map(|texture| &mut texture.image);
        let images = self.surfaces.iter_mut().chain(textures);
        images.flat_map(|image| &mut image.bound_to).for_each(|name| name.push_str(suffix));
        self.observed_variables.iter_mut().for_each(|name| name.push_str(suffix));
        self.host_writes = std::mem::take(&mut self.host_writes).renamed(suffix);
        self
    }

    /// The launch for a worker that takes these dialects: an SPA 5.0 program as text, as words, or as both.
    pub fn in_dialects(mut self, dialects: &[String]) -> Self {
        let takes = |wanted: &str| dialects.iter().any(|dialect| dialect == wanted);
        if warpdiff_sass::is_spa(&self.program) && takes(SPA_WORDS) {
            self.shader = ShaderMessage::of_text(&self.program);
            if self.shader.is_some() && !takes(SPA) {
                self.program.clear();
            }
        }
        self
    }

    /// The launch that the message describes.
    pub fn into_launch(self) -> Launch {
        Launch {
            program: self.program.into(),
            entry: self.entry,
            grid: self.grid,
            block: self.block,
            dynamic_shared: self.dynamic_shared,
            arguments: self.arguments.into_iter().map(Argument::from).collect(),
            buffers: self.buffers.into_iter().map(Buffer::from).collect(),
            surfaces: self.surfaces.into_iter().map(Surface::from).collect(),
            textures: self.textures.into_iter().map(Texture::from).collect(),
            observed_variables: self.observed_variables,
            host_writes: self.host_writes.into(),
            step_budget: self.step_budget,
            // The limit is warpdiff's to keep.
            time_limit: None,
        }
    }
}

impl From<&Argument> for ArgumentMessage {
    fn from(argument: &Argument) -> Self {
        match argument {
            Argument::Value(bytes) => Self::Value { bytes: Hex(bytes.clone()) },
            Argument::Buffer { index, offset } => Self::Buffer { index: *index, offset: *offset },
            Argument::Surface { index } => Self::Surface { index: *index },
            Argument::SurfaceReference { index } => Self::SurfaceReference { index: *index },
            Argument::Texture { index } => Self::Texture { index: *index },
            Argument::TextureReference { index } => Self::TextureReference { index: *index },
            Argument::SamplerReference { index } => Self::SamplerReference { index: *index },
        }
    }
}

impl From<ArgumentMessage> for Argument {
    fn from(message: ArgumentMessage) -> Self {
        match message {
            ArgumentMessage::Value { bytes } => Self::Value(bytes.0),
            ArgumentMessage::Buffer { index, offset } => Self::Buffer { index, offset },
            ArgumentMessage::Surface { index } => Self::Surface { index },
            ArgumentMessage::SurfaceReference { index } => Self::SurfaceReference { index },
            ArgumentMessage::Texture { index } => Self::Texture { index },
            ArgumentMessage::TextureReference { index } => Self::TextureReference { index },
            ArgumentMessage::SamplerReference { index } => Self::SamplerReference { index },
        }
    }
}

impl From<&Buffer> for BufferMessage {
    fn from(buffer: &Buffer) -> Self {
        Self { name: buffer.name.clone(), bytes: Hex(buffer.bytes.clone()), guard: buffer.guard }
    }
}

impl From<BufferMessage> for Buffer {
    fn from(message: BufferMessage) -> Self {
        Self { guard: message.guard, ..Self::new(message.name, message.bytes.0) }
    }
}

impl From<&Surface> for SurfaceMessage {
    fn from(surface: &Surface) -> Self {
        Self {
            name: surface.name.clone(),
            geometry: surface.geometry,
            extent: surface.extent,
            layers: surface.layers,
            format: surface.format,
            bytes: Hex(surface.bytes.clone()),
            bound_to: surface.bound_to.clone(),
        }
    }
}

impl From<SurfaceMessage> for Surface {
    fn from(message: SurfaceMessage) -> Self {
        Self {
            name: message.name,
            geometry: message.geometry,
            extent: message.extent,
            layers: message.layers,
            format: message.format,
            bytes: message.bytes.0,
            bound_to: message.bound_to,
        }
    }
}

/// A message as a line, the line break included.
///
/// # Errors
/// None in practice: every message can be written as JSON.
pub fn line<T: Serialize>(message: &T) -> serde_json::Result<Vec<u8>> {
    let mut line = serde_json::to_vec(message)?;
    line.push(b'\n');
    Ok(line)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn capabilities_of_later_workers_are_ignored() {
        let said = |names: &str| {
            let line = format!(
                r#"{{"type":"hello","protocol":1,"name":"x","dialects":["ptx"],"capabilities":{names},"more":1}}"#
            );
            serde_json::from_str::<Reply>(&line)
        };
        let Ok(Reply::Hello(hello)) = said(r#"["teleport","modules","","surface-references"]"#) else {
            panic!("an unknown capability was refused")
        };
        assert_eq!(hello.capabilities, [Capability::Modules, Capability::SurfaceReferences]);
        said("[1]").expect_err("a number is no name");
    }
}
