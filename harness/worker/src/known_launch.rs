//! Small launches with known results, to check that a program speaks the protocol.

use std::sync::Arc;

use warpdiff_model::{
    Argument, Buffer, ChannelType, Format, Geometry, HostWrite, Launch, Observation, RegionKind, Sampler,
    State, Surface, Texture,
};

use super::ability::Ability;
use super::known_instructions;

/// Expected result of a launch.
#[derive(Clone, Debug)]
pub enum Wanted {
    /// It completes with these bytes in the named region; guard bands are unchanged.
    Bytes(RegionKind, &'static str, Vec<u8>),
    /// It faults.
    Fault,
    /// It is rejected.
    Rejection,
}

/// A launch with its expected result.
pub struct KnownLaunch {
    /// The expected behaviour, as a sentence without a full stop.
    pub title: &'static str,
    /// What the worker can do that answers it rightly.
    pub shows: &'static [Ability],
    /// The launch.
    pub launch: Launch,
    /// The expected result.
    pub wanted: Wanted,
}

const HEAD: &str = ".version 8.0\n.target sm_50\n.address_size 64\n";

const STORE: &str = ".visible .entry store(.param .u64 out, .param .u32 value)
{
    .reg .u64 %rd<3>;
    .reg .u32 %r<2>;
    ld.param.u64 %rd1, [out];
    ld.param.u32 %r1, [value];
    cvta.to.global.u64 %rd2, %rd1;
    st.global.u32 [%rd2], %r1;
    ret;
}
";

const TRAP: &str = ".visible .entry trapped()
{
    trap;
    ret;
}
";

const SURFACE: &str = ".visible .entry texel(.param .u64 image)
{
    .reg .u64 %rd<2>;
    .reg .u32 %r<3>;
    ld.param.u64 %rd1, [image];
    mov.u32 %r1, 4;
    mov.u32 %r2, 17;
    sust.b.1d.b32.trap [%rd1, {%r1}], %r2;
    ret;
}
";

const REFERENCE: &str = ".global .surfref image;
.visible .entry texel()
{
    .reg .u32 %r<3>;
    mov.u32 %r1, 4;
    mov.u32 %r2, 17;
    sust.b.1d.b32.trap [image, {%r1}], %r2;
    ret;
}
";

const TEXTURE: &str = ".visible .entry width(.param .u64 picture, .param .u64 out)
{
    .reg .u64 %rd<4>;
    .reg .u32 %r<2>;
    ld.param.u64 %rd1, [picture];
    ld.param.u64 %rd2, [out];
    cvta.to.global.u64 %rd3, %rd2;
    txq.width.b32 %r1, [%rd1];
    st.global.u32 [%rd3], %r1;
    ret;
}
";

const TEXTURE_REFERENCE: &str = ".global .texref picture;
.visible .entry width(.param .u64 out)
{
    .reg .u64 %rd<3>;
    .reg .u32 %r<2>;
    ld.param.u64 %rd1, [out];
    cvta.to.global.u64 %rd2, %rd1;
    txq.width.b32 %r1, [picture];
    st.global.u32 [%rd2], %r1;
    ret;
}
";

const VARIABLE: &str = ".visible .global .align 4 .u32 counter = 41;
.visible .entry count()
{
    .reg .u32 %r<3>;
    ld.global.u32 %r1, [counter];
    add.u32 %r2, %r1, 1;
    st.global.u32 [counter], %r2;
    ret;
}
";

const MANAGED: &str = ".visible .global .attribute(.managed) .align 4 .u32 given = 41;
.visible .entry take(.param .u64 out)
{
    .reg .u64 %rd<3>;
    .reg .u32 %r<2>;
    ld.param.u64 %rd1, [out];
    cvta.to.global.u64 %rd2, %rd1;
    ld.global.u32 %r1, [given];
    st.global.u32 [%rd2], %r1;
    ret;
}
";

/// A launch that stores `value` at `offset` of a buffer of `size` bytes, all of them 0x11 before.
pub fn store(size: usize, offset: i64, value: u32) -> Launch {
    let mut launch = Launch::new(text(STORE), "store");
    launch.buffers = vec![Buffer::new("out", vec![0x11; size])];
    launch.arguments =
        vec![Argument::Buffer { index: 0, offset }, Argument::Value(value.to_le_bytes().to_vec())];
    launch
}

/// The expected result of [`store`].
pub fn stored(size: usize, offset: usize, value: u32) -> Wanted {
    let mut bytes = vec![0x11; size];
    bytes[offset..offset + 4].copy_from_slice(&value.to_le_bytes());
    Wanted::Bytes(RegionKind::Buffer, "out", bytes)
}

/// Two kernels as one module: for each the suffix of its name there, the launch, and the expected result; and the text of the module.
pub fn module() -> (Vec<(&'static str, Launch, Wanted)>, String) {
    let launch = |suffix, at: usize, value| (suffix, store(16, at as i64, value), stored(16, at, value));
    let kernels = vec![launch("_first", 4, 11), launch("_second", 8, 12)];
    let named = |(suffix, ..): &(&str, Launch, Wanted)| STORE.replace("store(", &format!("store{suffix}("));
    let text = HEAD.to_owned() + &kernels.iter().map(named).collect::<String>();
    (kernels, text)
}

/// All of them.
pub fn all() -> Vec<KnownLaunch> {
    let counter =
        Launch { observed_variables: vec!["counter".into()], ..Launch::new(text(VARIABLE), "count") };
    let texels = || Wanted::Bytes(RegionKind::Surface, "image", [0, 17u32].map(u32::to_le_bytes).concat());
    let known =
        |title, shows: &'static [Ability], launch, wanted| KnownLaunch { title, shows, launch, wanted };
    let mut all = vec![
        known(
            "a kernel stores a value",
            &[Ability::LdSt],
            store(16, 4, 0x0102_0304),
            stored(16, 4, 0x0102_0304),
        ),
        known(
            "a buffer of a megabyte comes back whole",
            &[Ability::LdSt],
            store(1 << 20, 8, 7),
            stored(1 << 20, 8, 7),
        ),
        known("a fault is reported", &[Ability::Faults], Launch::new(text(TRAP), "trapped"), Wanted::Fault),
        known(
            "text that is not a program is rejected",
            &[],
            Launch::new("this is no program".into(), "store"),
            Wanted::Rejection,
        ),
        known(
            "an unknown entry is rejected",
            &[],
            Launch { entry: "nobody".into(), ..store(16, 0, 1) },
            Wanted::Rejection,
        ),
        known(
            "a surface is written through its handle",
            &[Ability::Sust, Ability::Surfaces],
            surface(SURFACE, None),
            texels(),
        ),
        known(
            "a surface is written through a reference",
            &[Ability::Sust, Ability::SurfaceReferences],
            surface(REFERENCE, Some("image".into())),
            texels(),
        ),
        known(
            "the width of a texture is queried through its handle",
            &[Ability::Txq, Ability::Textures],
            texture(TEXTURE, None),
            stored(16, 0, WIDTH),
        ),
        known(
            "the width of a texture is queried through a reference",
            &[Ability::Txq, Ability::Textures],
            texture(TEXTURE_REFERENCE, Some("picture".into())),
            stored(16, 0, WIDTH),
        ),
        known(
            "a variable is observed",
            &[Ability::Variables],
            counter,
            Wanted::Bytes(RegionKind::Variable, "counter", 42u32.to_le_bytes().to_vec()),
        ),
        known(
            "a kernel reads what the host wrote to a managed variable",
            &[Ability::Managed],
            managed(97),
            stored(16, 0, 97),
        ),
    ];
    all.extend(known_instructions::all());
    all
}

/// A launch that stores the value of a managed variable, written by the host, at the beginning of a buffer of 16 bytes, all of them
/// 0x11 before.
fn managed(value: u32) -> Launch {
    let mut launch = Launch::new(text(MANAGED), "take");
    launch.arguments = vec![Argument::Buffer { index: 0, offset: 0 }];
    launch.buffers = vec![Buffer::new("out", vec![0x11; 16])];
    launch.host_writes = vec![HostWrite { variable: "given".into(), bytes: value.to_le_bytes().to_vec() }];
    launch
}

/// The text of a program, with the directives that come first.
pub(super) fn text(program: &str) -> Arc<str> {
    format!("{HEAD}{program}").into()
}

/// A launch on a surface of two texels.
fn surface(program: &str, bound_to: Option<String>) -> Launch {
    let mut launch = Launch::new(text(program), "texel");
    if bound_to.is_none() {
        launch.arguments = vec![Argument::Surface { index: 0 }];
    }
    launch.surfaces = vec![image("image", 2, bound_to)];
    launch
}

/// Texels of the texture of [`texture`].
const WIDTH: u32 = 3;

/// A launch that stores the width of a texture of three texels at the beginning of a buffer of 16 bytes, all of them 0x11 before.
fn texture(program: &str, bound_to: Option<String>) -> Launch {
    let mut launch = Launch::new(text(program), "width");
    if bound_to.is_none() {
        launch.arguments.push(Argument::Texture { index: 0 });
    }
    launch.arguments.push(Argument::Buffer { index: 0, offset: 0 });
    launch.buffers = vec![Buffer::new("out", vec![0x11; 16])];
    launch.textures = vec![Texture { image: image("picture", WIDTH, bound_to), sampler: Sampler::default() }];
    launch
}

/// A one-dimensional image of zeros, 32 bits a texel.
pub(super) fn image(name: &str, width: u32, bound_to: Option<String>) -> Surface {
    Surface {
        name: name.into(),
        geometry: Geometry::D1,
        extent: [width, 1, 1],
        layers: 1,
        format: Format { channel: ChannelType::U32, channels: 1 },
        bytes: vec![0; 4 * width as usize],
        bound_to,
    }
}

impl Wanted {
    /// How an observation differs from the expected result, if it does.
    pub fn missed_by(&self, observation: &Observation) -> Option<String> {
        match (self, observation) {
            (Self::Bytes(kind, name, bytes), Observation::Completed { state }) => {
                missed(state, *kind, name, bytes)
            }
            (Self::Fault, Observation::Faulted { .. }) | (Self::Rejection, Observation::Rejected { .. }) => {
                None
            }
            (_, Observation::Completed { .. }) => Some("it completed".into()),
            (_, Observation::Rejected { stage, message, .. }) => {
                Some(format!("it was rejected at {stage}: {message}"))
            }
            (_, Observation::Faulted { class, .. }) => Some(format!("it faulted: {class}")),
            (_, other) => Some(format!("it reported {other:?}")),
        }
    }
}

fn missed(state: &State, kind: RegionKind, name: &str, bytes: &[u8]) -> Option<String> {
    let Some(region) = state.region(kind, name) else { return Some(format!("`{name}` is missing")) };
    if let Some(at) = region.bytes.iter().zip(bytes).position(|(a, b)| a != b) {
        let (seen, due) = (region.bytes[at], bytes[at]);
        return Some(format!("byte {at} of `{name}` is {seen:02x}, not {due:02x}"));
    }
    if region.bytes.len() != bytes.len() {
        return Some(format!("`{name}` has {} bytes, not {}", region.bytes.len(), bytes.len()));
    }
    let mut guards = state.regions.iter().filter(|r| r.kind == RegionKind::Guard);
    let touched = guards.find(|r| r.bytes.iter().any(|b| *b != Buffer::GUARD_BYTE));
    touched.map(|r| format!("a guard band of `{}` was overwritten", r.name))
}
