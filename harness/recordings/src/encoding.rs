//! The key of a launch: its fields encoded one by one, and their hash. It is explicit, field by field, so that a key depends
//! neither on names in this program nor on how Rust prints values.
//!
//! The hashed bytes are a sequence of fields. A field is its tag, one byte for its kind, and its value. Numbers have 8 bytes,
//! little endian; a length precedes whatever has one:
//!
//! | kind | value |
//! |---|---|
//! | `b` bytes, or text in UTF-8 | length, bytes |
//! | `n` a number | two's complement where it has a sign |
//! | `l` a list | number of elements; their fields follow |
//! | `-` nothing | |
//!
//! The tag is a length and that many bytes, too. The first two fields are the subject of the hash (`what`) and the version of its
//! encoding (`version`). Enumerations are numbers, which the functions here assign; a number is never given to another variant or
//! used again.
//!
//! **A change of the encoded bytes changes the keys of everything stored so far.** Give the changed encoding a new version, and the
//! files that use it a new format; the digests in the tests must be updated by hand.

use sha2::{Digest, Sha256};
use warpdiff_files::hexadecimal;
use warpdiff_model::texture::{AddressMode, FilterMode, ReadMode};
use warpdiff_model::{
    Argument, Buffer, ChannelType, Format, Geometry, HostWrite, Launch, Sampler, Surface, Texture,
};

/// A hash over fields.
pub struct Encoder {
    hash: Sha256,
    /// Bytes that are still to be hashed. Most fields are short, and to hash many of them at once takes less time.
    pending: Vec<u8>,
}

/// At most so many bytes wait to be hashed.
const AT_ONCE: usize = 1024;

impl Encoder {
    /// Begins a hash of `what`, under this version of its encoding.
    pub fn new(what: &str, version: u64) -> Self {
        let mut encoder = Self { hash: Sha256::new(), pending: Vec::with_capacity(AT_ONCE) };
        encoder.text("what", what);
        encoder.number("version", version);
        encoder
    }

    fn put(&mut self, bytes: &[u8]) {
        if self.pending.len() + bytes.len() > AT_ONCE {
            self.hash.update(&self.pending);
            self.pending.clear();
        }
        match bytes.len() > AT_ONCE {
            true => self.hash.update(bytes),
            false => self.pending.extend_from_slice(bytes),
        }
    }

    fn begin(&mut self, tag: &str, kind: u8) {
        self.raw(tag.len());
        self.put(tag.as_bytes());
        self.put(&[kind]);
    }

    fn raw(&mut self, number: usize) {
        self.put(&(number as u64).to_le_bytes());
    }

    /// Bytes.
    pub fn bytes(&mut self, tag: &str, bytes: &[u8]) {
        self.begin(tag, b'b');
        self.raw(bytes.len());
        self.put(bytes);
    }

    /// Text.
    pub fn text(&mut self, tag: &str, text: &str) {
        self.bytes(tag, text.as_bytes());
    }

    /// Text, or nothing.
    pub fn optional(&mut self, tag: &str, text: Option<&str>) {
        match text {
            Some(text) => self.text(tag, text),
            None => self.begin(tag, b'-'),
        }
    }

    /// A number.
    pub fn number(&mut self, tag: &str, number: u64) {
        self.begin(tag, b'n');
        self.put(&number.to_le_bytes());
    }

    /// A number with a sign.
    fn signed(&mut self, tag: &str, number: i64) {
        self.number(tag, number.cast_unsigned());
    }

    /// An index.
    fn place(&mut self, tag: &str, place: usize) {
        self.number(tag, place as u64);
    }

    /// A fixed count of numbers.
    fn numbers(&mut self, tag: &str, numbers: &[u32]) {
        numbers.iter().for_each(|number| self.number(tag, u64::from(*number)));
    }

    /// A list; `each` encodes an element.
    pub fn list<T>(
        &mut self,
        tag: &str,
        elements: impl IntoIterator<Item = T, IntoIter: ExactSizeIterator>,
        mut each: impl FnMut(&mut Self, T),
    ) {
        let elements = elements.into_iter();
        self.begin(tag, b'l');
        self.raw(elements.len());
        elements.for_each(|element| each(self, element));
    }

    /// The hash, in hexadecimal.
    pub fn digest(self) -> String {
        hexadecimal::of(&self.hash.chain_update(&self.pending).finalize())
    }
}

// Every structure is destructured with all its fields, every enumeration with all its variants: an added field or variant does not
// compile here until its effect on the keys is decided.

/// A whole launch, as a target gets it.
pub fn launch(to: &mut Encoder, launch: &Launch) {
    let Launch {
        program,
        entry: _,
        grid: _,
        block: _,
        dynamic_shared: _,
        arguments: _,
        buffers,
        surfaces,
        textures,
        observed_variables: _,
        host_writes: _,
        step_budget,
        time_limit,
    } = launch;
    to.text("program", program);
    start(to, launch);
    to.list("buffers", buffers, whole_buffer);
    to.list("surfaces", surfaces, surface);
    to.list("textures", textures, texture);
    to.number("step budget", *step_budget);
    // A launch that was too slow is run again when its case gives it more time. Launches without a limit of their own keep their hash.
    if let Some(limit) = time_limit {
        to.number("time limit in milliseconds", u64::try_from(limit.as_millis()).unwrap_or(u64::MAX));
    }
}

/// Entry, shape, arguments, observed variables and host writes of a launch.
pub fn start(to: &mut Encoder, launch: &Launch) {
    let Launch {
        program: _,
        entry,
        grid,
        block,
        dynamic_shared,
        arguments,
        buffers: _,
        surfaces: _,
        textures: _,
        observed_variables,
        host_writes,
        step_budget: _,
        time_limit: _,
    } = launch;
    to.text("entry", entry);
    to.numbers("grid", grid);
    to.numbers("block", block);
    to.number("dynamic shared", u64::from(*dynamic_shared));
    to.list("arguments", arguments, argument);
    to.list("observed variables", observed_variables, |to, name| to.text("variable", name));
    to.list("host writes", host_writes, |to, HostWrite { variable, bytes }| {
        to.text("variable", variable);
        to.bytes("bytes", bytes);
    });
}

/// An argument of a kernel.
fn argument(to: &mut Encoder, argument: &Argument) {
    let mut kind = |number| to.number("argument", number);
    match argument {
        Argument::Value(bytes) => {
            kind(1);
            to.bytes("bytes", bytes);
        }
        Argument::Buffer { index, offset } => {
            kind(2);
            to.place("index", *index);
            to.signed("offset", *offset);
        }
        Argument::Surface { index } => {
            kind(3);
            to.place("index", *index);
        }
        Argument::SurfaceReference { index } => {
            kind(4);
            to.place("index", *index);
        }
        Argument::Texture { index } => {
            kind(5);
            to.place("index", *index);
        }
        Argument::TextureReference { index } => {
            kind(6);
            to.place("index", *index);
        }
        Argument::SamplerReference { index } => {
            kind(7);
            to.place("index", *index);
        }
    }
}

/// Initial contents of a buffer, without guard bands and rows, which the harness chooses.
pub fn buffer(to: &mut Encoder, buffer: &Buffer) {
    let Buffer { name, bytes, defined, guard: _, stride: _ } = buffer;
    to.text("buffer", name);
    to.bytes("bytes", bytes);
    to.bytes("defined", defined);
}

/// A buffer with its guard bands and rows.
fn whole_buffer(to: &mut Encoder, whole: &Buffer) {
    buffer(to, whole);
    to.number("guard", u64::from(whole.guard));
    to.number("stride", u64::from(whole.stride));
}

/// A surface, or the image of a texture.
pub fn surface(to: &mut Encoder, surface: &Surface) {
    let Surface { name, geometry, extent, layers, format, bytes, bound_to } = surface;
    let Format { channel, channels } = format;
    to.text("image", name);
    to.number("geometry", geometry_number(*geometry));
    to.numbers("extent", extent);
    to.number("layers", u64::from(*layers));
    to.number("channel", channel_number(*channel));
    to.number("channels", u64::from(*channels));
    to.optional("bound to", bound_to.as_deref());
    to.bytes("bytes", bytes);
}

/// A texture.
pub fn texture(to: &mut Encoder, Texture { image, sampler }: &Texture) {
    surface(to, image);
    let Sampler { address, filter, normalized_coordinates, read, border } = sampler;
    address.iter().for_each(|mode| to.number("address", address_number(*mode)));
    to.number("filter", filter_number(*filter));
    to.number("normalized coordinates", u64::from(*normalized_coordinates));
    to.number("read", read_number(*read));
    to.numbers("border", border);
}

fn geometry_number(geometry: Geometry) -> u64 {
    match geometry {
        Geometry::D1 => 1,
        Geometry::D2 => 2,
        Geometry::D3 => 3,
        Geometry::A1d => 4,
        Geometry::A2d => 5,
        Geometry::Cube => 6,
        Geometry::Acube => 7,
    }
}

fn channel_number(channel: ChannelType) -> u64 {
    match channel {
        ChannelType::U8 => 1,
        ChannelType::U16 => 2,
        ChannelType::U32 => 3,
        ChannelType::S8 => 4,
        ChannelType::S16 => 5,
        ChannelType::S32 => 6,
        ChannelType::F16 => 7,
        ChannelType::F32 => 8,
        ChannelType::Unorm8 => 9,
        ChannelType::Unorm16 => 10,
        ChannelType::Snorm8 => 11,
        ChannelType::Snorm16 => 12,
    }
}

fn address_number(mode: AddressMode) -> u64 {
    match mode {
        AddressMode::Wrap => 1,
        AddressMode::Clamp => 2,
        AddressMode::Mirror => 3,
        AddressMode::Border => 4,
        AddressMode::ClampOgl => 5,
    }
}

fn filter_number(mode: FilterMode) -> u64 {
    match mode {
        FilterMode::Nearest => 1,
        FilterMode::Linear => 2,
    }
}

fn read_number(mode: ReadMode) -> u64 {
    match mode {
        ReadMode::Element => 1,
        ReadMode::NormalizedFloat => 2,
    }
}
