//! What a driver has to know of a launch.

use warpdiff_emulator::{Checked, compile};
use warpdiff_model::{
    AddressMode, Argument, Buffer, ChannelType, FilterMode, Format, Geometry, Launch, Mismatch, Permitted,
    ReadMode, RegionKind, Semantics, Surface, Texture,
};

use super::{c, python};

/// Why a launch has no driver.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("no reproducer: {0}")]
pub struct Unwritable(pub(super) String);

/// A launch as a program that needs no warpdiff.
pub struct Reproducer<'a> {
    /// The launch.
    pub launch: &'a Launch,
    /// What was wrong with it.
    pub mismatches: &'a [Mismatch],
    /// Comment lines for the head of each file: what it shows, and where it comes from.
    pub head: Vec<String>,
}

/// The parts of a driver.
pub(super) struct Parts<'a> {
    pub(super) launch: &'a Launch,
    pub(super) head: &'a [String],
    /// The surfaces, then the textures.
    pub(super) images: Vec<Image<'a>>,
    /// For each permitted end of the kernel what it leaves.
    pub(super) outcomes: Vec<Vec<ExpectedRegion>>,
    /// Whether the kernel may end, or has to end, with an error.
    pub(super) may_fault: bool,
}

/// A CUDA array, as the driver API describes it.
pub(super) struct Image<'a> {
    pub(super) surface: &'a Surface,
    pub(super) texture: Option<&'a Texture>,
    /// Height and depth of the descriptor: 0 where the array has no such dimension.
    pub(super) height: u32,
    pub(super) depth: u32,
    /// Its number in the enumeration `CUarray_format`.
    pub(super) format: u32,
    /// `CUDA_ARRAY3D_…`
    pub(super) flags: u32,
}

/// Bytes that the specification expects, and which bits of them.
pub(super) struct ExpectedRegion {
    pub(super) kind: RegionKind,
    pub(super) name: String,
    /// Of a buffer, a guard or a surface: its number.
    pub(super) index: usize,
    pub(super) expected: Vec<u8>,
    pub(super) defined: Vec<u8>,
}

impl Reproducer<'_> {
    /// The files, by name.
    ///
    /// # Errors
    /// What the driver API, or a driver as small as these, cannot do.
    pub fn files(&self) -> Result<[(&'static str, String); 3], Unwritable> {
        let parts = Parts::of(self)?;
        let head: String = self.head.iter().map(|line| format!("// {line}\n")).collect();
        Ok([
            ("reproducer.ptx", format!("{head}{}", self.launch.program)),
            ("reproducer.c", c::text(&parts)),
            ("reproducer.py", python::text(&parts)),
        ])
    }
}

impl<'a> Parts<'a> {
    fn of(reproducer: &'a Reproducer<'_>) -> Result<Self, Unwritable> {
        let launch = reproducer.launch;
        let no = |why: &str| Err(Unwritable(why.to_owned()));
        let compiled = compile(&launch.program).map_err(|error| Unwritable(error.to_string()))?;
        let Checked::Ptx(module) = &compiled.checked else {
            return no("the driver API takes no text of SPA 5.0");
        };
        let kernel = module.functions.iter().find(|function| function.name == launch.entry);
        if kernel.is_some_and(|kernel| kernel.parameters.iter().any(|parameter| parameter.ty.is_opaque())) {
            return no("the driver API has no call that binds an opaque kernel parameter");
        }
        if module.texmode_independent {
            return no("the driver API has no call that sets a sampler of independent texture mode");
        }
        if launch.textures.iter().any(|texture| texture.sampler.address.contains(&AddressMode::ClampOgl)) {
            return no("the driver API has no address mode `clamp-ogl`");
        }
        if launch.buffers.iter().any(|buffer| buffer.guard as usize != GUARD) {
            return no("its buffers have unusual guard bands");
        }
        let allowed = warpdiff_emulator::allowed(&compiled.program, launch, &Semantics::default())
            .map_err(|error| Unwritable(error.to_string()))?;
        let (mut outcomes, mut may_fault) = (Vec::new(), false);
        for outcome in &allowed.outcomes {
            may_fault |= !outcome.may.is_empty();
            match &outcome.permitted {
                Permitted::Completed { state } => {
                    outcomes.push(state.regions.iter().map(|region| expected(launch, region)).collect());
                }
                Permitted::Faulted { .. } => may_fault = true,
                Permitted::TimedOut => return no("the kernel does not end"),
                Permitted::Indeterminate { .. } => return no("the specification does not decide it"),
            }
        }
        let surfaces = launch.surfaces.iter().map(|surface| image(surface, None));
        let textures = launch.textures.iter().map(|texture| image(&texture.image, Some(texture)));
        let images = surfaces.chain(textures).collect();
        if !reproducer.mismatches.iter().any(|mismatch| shows(mismatch, &outcomes)) {
            return no(
                "what is wrong is a value that is fixed to an interval or to any NaN, and drivers compare bits",
            );
        }
        Ok(Self { launch, head: &reproducer.head, images, outcomes, may_fault })
    }
}

/// Whether a driver that compares these bits sees the mismatch. One without bytes is another end of the kernel, which it sees.
fn shows(mismatch: &Mismatch, outcomes: &[Vec<ExpectedRegion>]) -> bool {
    let Some((kind, name)) = &mismatch.region else { return true };
    let in_outcome = |outcome: &Vec<ExpectedRegion>| {
        let Some(region) = outcome.iter().find(|region| region.kind == *kind && region.name == *name) else {
            return true;
        };
        let observed = mismatch.observed.iter().enumerate().map(|(n, byte)| (mismatch.offset + n, byte));
        let place = |at: usize| region.expected.get(at).zip(region.defined.get(at));
        observed
            .into_iter()
            .any(|(at, byte)| place(at).is_some_and(|(expected, defined)| (expected ^ byte) & defined != 0))
    };
    outcomes.iter().all(in_outcome)
}

/// Bytes of a guard band: those of every buffer of a case in the long form.
pub(super) const GUARD: usize = 256;

fn expected(launch: &Launch, masked: &warpdiff_model::allowed::MaskedRegion) -> ExpectedRegion {
    let region = &masked.region;
    let buffer = |buffer: &Buffer| buffer.name == region.name;
    let index = match region.kind {
        RegionKind::Buffer | RegionKind::Guard => launch.buffers.iter().position(buffer),
        RegionKind::Surface => launch.surfaces.iter().position(|surface| surface.name == region.name),
        RegionKind::Variable => None,
    };
    // A value that a test of bits does not describe, such as any NaN, is not compared.
    let defined =
        masked.defined.iter().zip(&*masked.unordered).enumerate().map(|(at, (defined, unordered))| {
            if masked.value_at(at).is_some() { 0 } else { defined & !unordered }
        });
    ExpectedRegion {
        kind: region.kind,
        name: region.name.clone(),
        index: index.unwrap_or(0),
        expected: region.bytes.clone(),
        defined: defined.collect(),
    }
}

fn image<'a>(surface: &'a Surface, texture: Option<&'a Texture>) -> Image<'a> {
    const LAYERED: u32 = 1;
    const SURFACE_LOAD_STORE: u32 = 2;
    const CUBEMAP: u32 = 4;
    let [_, height, depth] = surface.extent;
    let (height, depth, flags) = match surface.geometry {
        Geometry::D1 => (0, 0, 0),
        Geometry::D2 => (height, 0, 0),
        Geometry::D3 => (height, depth, 0),
        Geometry::A1d => (0, surface.layers, LAYERED),
        Geometry::A2d => (height, surface.layers, LAYERED),
        Geometry::Cube => (height, surface.layers, CUBEMAP),
        Geometry::Acube => (height, surface.layers, CUBEMAP | LAYERED),
    };
    Image {
        surface,
        texture,
        height,
        depth,
        format: array_format(surface.format),
        flags: flags | SURFACE_LOAD_STORE,
    }
}

/// The number of a format in `CUarray_format` of cuda.h. Normalised formats have one for each number of channels.
fn array_format(format: Format) -> u32 {
    let by_channels = match format.channels {
        1 => 0,
        2 => 1,
        _ => 2,
    };
    match format.channel {
        ChannelType::U8 => 0x01,
        ChannelType::U16 => 0x02,
        ChannelType::U32 => 0x03,
        ChannelType::S8 => 0x08,
        ChannelType::S16 => 0x09,
        ChannelType::S32 => 0x0a,
        ChannelType::F16 => 0x10,
        ChannelType::F32 => 0x20,
        ChannelType::Unorm8 => 0xc0 + by_channels,
        ChannelType::Unorm16 => 0xc3 + by_channels,
        ChannelType::Snorm8 => 0xc6 + by_channels,
        ChannelType::Snorm16 => 0xc9 + by_channels,
    }
}

impl Image<'_> {
    /// The numbers of its address modes in `CUaddress_mode`.
    pub(super) fn address(&self) -> [u32; 3] {
        let number = |mode| match mode {
            AddressMode::Wrap => 0,
            AddressMode::Clamp | AddressMode::ClampOgl => 1,
            AddressMode::Mirror => 2,
            AddressMode::Border => 3,
        };
        self.texture.map_or([1; 3], |texture| texture.sampler.address.map(number))
    }

    /// The number of its filter in `CUfilter_mode`.
    pub(super) fn filter(&self) -> u32 {
        self.texture.map_or(0, |texture| u32::from(texture.sampler.filter == FilterMode::Linear))
    }

    /// `CU_TRSF_READ_AS_INTEGER` and `CU_TRSF_NORMALIZED_COORDINATES`.
    pub(super) fn texture_flags(&self) -> u32 {
        let Some(texture) = self.texture else { return 0 };
        u32::from(texture.sampler.read == ReadMode::Element)
            | u32::from(texture.sampler.normalized_coordinates) << 1
    }

    /// The bits of its border.
    pub(super) fn border(&self) -> [u32; 4] {
        self.texture.map_or([0; 4], |texture| texture.sampler.border)
    }
}

/// What an argument is: a value, the number of a buffer with an offset, or the number of an image.
pub(super) enum ArgumentPart<'a> {
    Value(&'a [u8]),
    Buffer(usize, i64),
    Image(usize),
}

pub(super) fn argument<'a>(argument: &'a Argument, launch: &Launch) -> ArgumentPart<'a> {
    match argument {
        Argument::Value(bytes) => ArgumentPart::Value(bytes),
        Argument::Buffer { index, offset } => ArgumentPart::Buffer(*index, *offset),
        Argument::Surface { index } | Argument::SurfaceReference { index } => ArgumentPart::Image(*index),
        Argument::Texture { index }
        | Argument::TextureReference { index }
        | Argument::SamplerReference { index } => ArgumentPart::Image(launch.surfaces.len() + index),
    }
}

/// The name of a kind of region.
pub(super) fn kind_name(kind: RegionKind) -> &'static str {
    match kind {
        RegionKind::Buffer => "buffer",
        RegionKind::Guard => "guard",
        RegionKind::Surface => "surface",
        RegionKind::Variable => "variable",
    }
}
