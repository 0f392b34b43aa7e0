//! Buffers and surfaces of a case: types, sizes, and the contents they begin with.

use std::collections::HashSet;
use std::ops::Range;

use warpdiff_model::{Buffer, Format, Geometry, RegionKind, Surface, Texture};
use warpdiff_ptx::vocabulary::Type;

use super::error::CorpusError;
use super::numbers::{self, FileValues, Special};
use super::reader::{ErrorNoted, Fields, Read, Reader};
use super::texture::texture;
use super::value::{Element, integer};
use super::yaml::{Key, Kind, Node};
use crate::expectations::{self, Stated, StatedMemory, element_index};
use crate::location::Location;
use crate::plan::{Expectation, RegionType};

/// Largest buffer or surface, in bytes.
pub(crate) const MAX_BYTES: u64 = 64 << 20;
/// Largest extent of a surface, in texels (that of CUDA's 1d arrays).
const MAX_EXTENT: i128 = 131_072;

/// The buffers and surfaces of a case, with the types of their elements.
#[derive(Debug, Default)]
pub(crate) struct Resources {
    /// Buffers in the order written.
    pub(crate) buffers: Vec<(Buffer, Element)>,
    /// Surfaces in the order written.
    pub(crate) surfaces: Vec<Surface>,
    /// Textures in the order written.
    pub(crate) textures: Vec<Texture>,
}

impl Resources {
    /// Reads the keys `buffers`, `surfaces` and `textures`. Names in `reserved` are refused.
    pub(crate) fn read(reader: &Reader<'_>, fields: &Fields<'_>, reserved: &[&str]) -> Read<Self> {
        let mut resources = Self::default();
        if let Some(node) = fields.get("buffers") {
            for (key, node) in reader.entries(node, "`buffers`")?.entries {
                let name = resources.fresh(reader, reader.name(key, "a buffer")?, &key.range(), reserved)?;
                resources.buffers.push(buffer(reader, name, node)?);
            }
        }
        if let Some(node) = fields.get("surfaces") {
            for (key, node) in reader.entries(node, "`surfaces`")?.entries {
                let name = resources.fresh(reader, reader.name(key, "a surface")?, &key.range(), reserved)?;
                resources.surfaces.push(surface(reader, name, node)?);
            }
        }
        if let Some(node) = fields.get("textures") {
            for (key, node) in reader.entries(node, "`textures`")?.entries {
                let name = resources.fresh(reader, reader.name(key, "a texture")?, &key.range(), reserved)?;
                resources.textures.push(texture(reader, name, node)?);
            }
        }
        Ok(resources)
    }

    fn fresh<'n>(
        &self,
        reader: &Reader<'_>,
        name: &'n str,
        range: &Range<usize>,
        reserved: &[&str],
    ) -> Read<&'n str> {
        if reserved.contains(&name) {
            return reader.fail(range, format!("the name `{name}` is reserved for the harness"));
        }
        if self.buffers.iter().any(|(buffer, _)| buffer.name == name) {
            return reader.fail(range, format!("`{name}` names a buffer and a surface or texture"));
        }
        if self.surfaces.iter().any(|surface| surface.name == name) {
            return reader.fail(range, format!("`{name}` names a surface and a texture"));
        }
        Ok(name)
    }

    /// Bytes of all buffers, surfaces and textures.
    pub(crate) fn size(&self) -> usize {
        let buffers: usize = self.buffers.iter().map(|(b, _)| b.bytes.len()).sum();
        buffers + self.images().map(|image| image.bytes.len()).sum::<usize>()
    }

    /// The types of the elements of the buffers.
    pub(crate) fn types(&self) -> Vec<RegionType> {
        self.buffers
            .iter()
            .map(|(buffer, element)| region_type(*element, RegionKind::Buffer, &buffer.name))
            .collect()
    }

    /// The surfaces, then the images of the textures.
    pub(crate) fn images(&self) -> impl Iterator<Item = &Surface> {
        self.surfaces.iter().chain(self.textures.iter().map(|texture| &texture.image))
    }

    /// Reads the keys `memory` and `image`: what buffers and surfaces hold after the launch.
    pub(crate) fn after(&self, reader: &Reader<'_>, fields: &Fields<'_>) -> Read<Vec<Expectation>> {
        let mut found = Vec::new();
        for kind in [RegionKind::Buffer, RegionKind::Surface] {
            let Some(node) = fields.get(kind_words(kind).1) else { continue };
            self.each(reader, node, kind, |memory, node| {
                found.extend(memory.expectations(reader, node)?);
                Ok(())
            })?;
        }
        Ok(found)
    }

    /// Calls `act` for each entry of a map whose keys are names of regions.
    pub(crate) fn each(
        &self,
        reader: &Reader<'_>,
        node: &Node,
        kind: RegionKind,
        mut act: impl FnMut(&StatedMemory<'_>, &Node) -> Read<()>,
    ) -> Read<()> {
        let (noun, under) = kind_words(kind);
        let Kind::Map(entries) = &node.kind else {
            let error = reader.error(&node.range(), format!("`{under}` is {}", node.noun()));
            let wanted =
                format!("expected a map from names of {noun}s to their contents: `{}`", self.example(kind));
            return Err(reader.note(error.label(wanted)));
        };
        for (key, node) in entries {
            match self.memory(kind, &key.text) {
                Some(memory) => act(&memory, node)?,
                None => return Err(self.unknown_name(reader, kind, key)),
            }
        }
        Ok(())
    }

    /// Notes that `memory` or `image` has a key that names no such region, and what stands there instead.
    fn unknown_name(&self, reader: &Reader<'_>, kind: RegionKind, key: &Key) -> ErrorNoted {
        let (noun, under) = kind_words(kind);
        let message = format!("no {noun} is called `{}`", key.text);
        if let Some(where_it_is) = self.states(&key.text).filter(|_| !self.names(kind).contains(&&*key.text))
        {
            let error = reader.error(&key.range(), message);
            return reader.note(error.label("another kind of memory has this name").note(where_it_is));
        }
        // Elements stand one level deeper.
        let is_element = integer(&key.text).is_some() || key.text == "numbers";
        if is_element && !self.names(kind).is_empty() {
            let error = reader.error(&key.range(), message).label(format!("expected the name of a {noun}"));
            let note = format!(
                "the keys of `{under}` are names, and elements stand below them: `{}`",
                self.example(kind)
            );
            return reader.note(error.note(note));
        }
        reader.unknown(&key.range(), &message, &key.text, &self.names(kind))
    }

    /// How a case states what the buffer, surface or texture of that name holds afterwards; `None` if there is none.
    pub(crate) fn states(&self, name: &str) -> Option<String> {
        if self.textures.iter().any(|texture| texture.image.name == name) {
            return Some(format!(
                "`{name}` is a texture, which no instruction writes: nothing is stated of it"
            ));
        }
        [RegionKind::Buffer, RegionKind::Surface]
            .into_iter()
            .find(|kind| self.names(*kind).contains(&name))
            .map(|kind| {
                let (noun, under) = kind_words(kind);
                format!(
                    "what {noun} `{name}` holds afterwards stands under `{under}`: `{under}: {{{name}: …}}`"
                )
            })
    }

    /// An example of `memory` or `image` for this case.
    fn example(&self, kind: RegionKind) -> String {
        let name = self.names(kind).first().copied().unwrap_or("NAME");
        format!("{}: {{{name}: {{0: 7}}}}", kind_words(kind).1)
    }

    /// Names of the buffers or of the surfaces.
    pub(crate) fn names(&self, kind: RegionKind) -> Vec<&str> {
        match kind {
            RegionKind::Buffer => self.buffers.iter().map(|(b, _)| b.name.as_str()).collect(),
            _ => self.surfaces.iter().map(|s| s.name.as_str()).collect(),
        }
    }

    fn memory(&self, kind: RegionKind, name: &str) -> Option<StatedMemory<'_>> {
        if kind == RegionKind::Buffer {
            let (buffer, element) = self.buffers.iter().find(|(b, _)| b.name == name)?;
            let (before, defined) = (buffer.bytes.as_slice(), buffer.defined.as_slice());
            return Some(StatedMemory {
                kind,
                name: buffer.name.as_str().into(),
                element: *element,
                before,
                defined,
            });
        }
        let surface = self.surfaces.iter().find(|s| s.name == name)?;
        let element = Element::of_channel(surface.format.channel);
        Some(StatedMemory {
            kind,
            name: surface.name.as_str().into(),
            element,
            before: &surface.bytes,
            defined: &[],
        })
    }
}

/// What regions of this kind are called, and the key under which a case states what they hold afterwards.
fn kind_words(kind: RegionKind) -> (&'static str, &'static str) {
    match kind {
        RegionKind::Buffer => ("buffer", "memory"),
        _ => ("surface", "image"),
    }
}

/// The type of a region with such elements.
pub(crate) fn region_type(element: Element, kind: RegionKind, name: &str) -> RegionType {
    RegionType { kind, name: name.to_owned(), ty: element.name(), size: element.size() }
}

/// Whether case files can write values of a PTX type.
pub(crate) fn is_value_type(ty: Type) -> bool {
    Element::of_type(ty).is_some()
}

/// A PTX type that values can be written in.
pub(crate) fn element_type(reader: &Reader<'_>, node: &Node, what: &str) -> Read<(Type, Element)> {
    let known: Vec<(&str, Type)> =
        Type::ALL.iter().filter(|(ty, _)| is_value_type(*ty)).map(|(ty, name)| (*name, *ty)).collect();
    let word = reader.word(node, what)?;
    if word == "b128" {
        return reader.fail(&node.range(), "unsupported: values of type `b128`");
    }
    let ty = reader.one_of(node, what, &known)?;
    Ok((ty, Element::of_type(ty).unwrap_or(Element::Bits(ty.size()))))
}

fn buffer(reader: &Reader<'_>, name: &str, node: &Node) -> Read<(Buffer, Element)> {
    let what = format!("buffer `{name}`");
    let fields = reader.fields(node, &what, &["type", "values", "count", "undefined"])?;
    let type_node = fields.required(reader, "type", &what)?;
    let (ty, element) = element_type(reader, type_node, "type of a buffer")?;
    if ty == Type::Pred {
        return reader.fail(&type_node.range(), "predicates cannot be stored: a buffer has no type `pred`");
    }
    let count = match fields.get("count") {
        Some(node) => {
            let most = MAX_BYTES / u64::from(element.size());
            Some(reader.integer(node, &format!("`count` of {what}"), 1..=i128::from(most))? as usize)
        }
        None => None,
    };
    let contents = contents_with_undefined(reader, &fields, "values", element, count, &what)?;
    let defined = contents.defined(element);
    if !defined.is_empty() {
        reader.spend(&fields.range, defined.len())?;
    }
    let mut buffer = Buffer { defined, ..Buffer::new(name, contents.bytes) };
    if let Some(node) = fields.get("undefined")
        && reader.boolean(node, "`undefined`")?
    {
        if fields.has("values") {
            return reader.fail(&node.range(), format!("{what} cannot have `values` and be `undefined`"));
        }
        buffer.defined = vec![0; buffer.bytes.len()];
    }
    Ok((buffer, element))
}

/// Initial contents under `key`, all of whose bits are defined: a list, `sequence`, `zero` or a file of numbers; zeros when the key is
/// missing.
pub(super) fn contents(
    reader: &Reader<'_>,
    fields: &Fields<'_>,
    key: &str,
    element: Element,
    count: Option<usize>,
    what: &str,
) -> Read<Vec<u8>> {
    let Contents { bytes, undefined } = contents_with_undefined(reader, fields, key, element, count, what)?;
    match undefined.into_iter().next() {
        Some((index, location)) => {
            let error =
                CorpusError::new(location, format!("element {index} of {what} cannot be `undefined`"));
            Err(reader.note(error.label("only elements of buffers can")))
        }
        None => Ok(bytes),
    }
}

/// Initial contents.
struct Contents {
    bytes: Vec<u8>,
    /// The elements whose bits are undefined, each with its place.
    undefined: Vec<(usize, Location)>,
}

/// Initial contents under `key`, as by [`contents`], of which elements may be `undefined`.
fn contents_with_undefined(
    reader: &Reader<'_>,
    fields: &Fields<'_>,
    key: &str,
    element: Element,
    count: Option<usize>,
    what: &str,
) -> Read<Contents> {
    let size = element.size() as usize;
    let length = |count: Option<usize>| match count {
        Some(count) => reader.spend(&fields.range, count * size).map(|()| count),
        None => reader.fail(&fields.range, format!("{what} lacks `count`")),
    };
    let defined = |bytes: Vec<u8>| Contents { bytes, undefined: Vec::new() };
    let Some(node) = fields.get(key) else { return Ok(defined(vec![0; length(count)? * size])) };
    let contents = match &node.kind {
        Kind::Scalar(_) => {
            let sequence = reader.one_of(node, "contents", &[("sequence", true), ("zero", false)])?;
            let count = length(count)?;
            defined(match sequence {
                true => (0..count as u64).flat_map(|i| element.of_sequence(i)).collect(),
                false => vec![0; count * size],
            })
        }
        Kind::List(list) => {
            reader.spend(&node.range(), list.len() * size)?;
            let mut contents = defined(Vec::with_capacity(list.len() * size));
            for (index, node) in list.iter().enumerate() {
                contents.set(reader, index, node, element, what)?;
            }
            contents
        }
        Kind::Map(_) => of_file(reader, node, element, what)?,
    };
    let found = contents.bytes.len() / size;
    match count {
        Some(count) if count != found => {
            let error = reader.error(&node.range(), format!("{found} values for {what}"));
            Err(reader.note(error.label(format!("it has {count} elements"))))
        }
        _ if found == 0 => reader.fail(&node.range(), format!("{what} is empty")),
        _ => Ok(contents),
    }
}

/// The contents that `{numbers: path}` names, with elements beside it in place of those of the file: `{numbers: path, 5: 7}`.
fn of_file(reader: &Reader<'_>, node: &Node, element: Element, what: &str) -> Read<Contents> {
    let fields = reader.entries(node, what)?;
    let FileValues { bytes, special, .. } =
        numbers::read(reader, fields.required(reader, "numbers", what)?, element, what)?;
    let count = bytes.len() / element.size() as usize;
    let mut contents = Contents { bytes, undefined: Vec::new() };
    let mut instead = HashSet::new();
    for (key, value) in fields.entries.iter().filter(|(key, _)| key.text != "numbers") {
        let index = element_index(reader, key, count, what, &mut instead)?;
        contents.set(reader, index, value, element, what)?;
    }
    for Special { index, stated, location } in special.into_iter().filter(|s| !instead.contains(&s.index)) {
        if stated != Some(Stated::Undefined) {
            let error = CorpusError::new(location, format!("element {index} of {what} has no single value"));
            return Err(reader.note(error.label("expected a value: the launch begins with it")));
        }
        contents.undefined.push((index, location));
    }
    Ok(contents)
}

impl Contents {
    /// Sets an element, which may be the next one, to what a node says.
    fn set(
        &mut self,
        reader: &Reader<'_>,
        index: usize,
        node: &Node,
        element: Element,
        what: &str,
    ) -> Read<()> {
        let size = element.size() as usize;
        let range = index * size..(index + 1) * size;
        self.bytes.resize(self.bytes.len().max(range.end), 0);
        let name = format!("element {index} of {what}");
        if reader.word(node, &name)? == "undefined" {
            self.bytes[range].fill(0);
            self.undefined.push((index, reader.location(&node.range())));
        } else {
            self.bytes[range].copy_from_slice(&expectations::value(reader, node, element, &name)?.0);
        }
        Ok(())
    }

    /// The mask of defined bits; empty when all are.
    fn defined(&self, element: Element) -> Vec<u8> {
        if self.undefined.is_empty() {
            return Vec::new();
        }
        let size = element.size() as usize;
        let mut defined = vec![0xFF; self.bytes.len()];
        self.undefined.iter().for_each(|(index, _)| defined[index * size..(index + 1) * size].fill(0));
        defined
    }
}

/// The number of geometries that surfaces have, of those in [`image`]'s list.
const SURFACES: usize = 5;
/// The number of geometries that textures have.
pub(super) const TEXTURES: usize = 7;

/// Keys of a surface, and of the image of a texture.
pub(super) const IMAGE_KEYS: [&str; 7] =
    ["geometry", "extent", "layers", "format", "texels", "bytes", "bind"];

fn surface(reader: &Reader<'_>, name: &str, node: &Node) -> Read<Surface> {
    let what = format!("surface `{name}`");
    let fields = reader.fields(node, &what, &IMAGE_KEYS)?;
    image(reader, name, &fields, &what, SURFACES)
}

/// Reads the keys that surfaces and textures share.
///
/// `kinds` says which geometries there may be: [`SURFACES`] or [`TEXTURES`].
pub(super) fn image(
    reader: &Reader<'_>,
    name: &str,
    fields: &Fields<'_>,
    what: &str,
    kinds: usize,
) -> Read<Surface> {
    let geometries: [(&str, Geometry); TEXTURES] = [
        ("1d", Geometry::D1),
        ("2d", Geometry::D2),
        ("3d", Geometry::D3),
        ("a1d", Geometry::A1d),
        ("a2d", Geometry::A2d),
        ("cube", Geometry::Cube),
        ("acube", Geometry::Acube),
    ];
    let geometry_node = fields.required(reader, "geometry", what)?;
    let geometry = reader.one_of(geometry_node, "geometry", &geometries[..kinds])?;
    let format_node = fields.required(reader, "format", what)?;
    let format: Format = match reader.word(format_node, "format")?.parse() {
        Ok(format) => format,
        Err(error) => return reader.fail(&format_node.range(), format!("{error}")),
    };
    let extent = extent(reader, fields, geometry, what)?;
    let layers = layers(reader, fields, geometry, what)?;
    let bound_to = fields.get("bind").map(|node| reader.word(node, "`bind`")).transpose()?;
    let mut surface =
        Surface { name: name.to_owned(), geometry, extent, layers, format, bytes: Vec::new(), bound_to };
    if surface.size() > MAX_BYTES {
        return reader
            .fail(&fields.range, format!("{what} has {} bytes, more than {MAX_BYTES}", surface.size()));
    }
    surface.bytes = texels(reader, fields, &surface, what)?;
    Ok(surface)
}

fn texels(reader: &Reader<'_>, fields: &Fields<'_>, surface: &Surface, what: &str) -> Read<Vec<u8>> {
    let size = surface.size() as usize;
    let element = Element::of_channel(surface.format.channel);
    let Some(node) = fields.get("bytes") else {
        return contents(reader, fields, "texels", element, Some(size / element.size() as usize), what);
    };
    if fields.has("texels") {
        return reader.fail(&node.range(), format!("{what} has `texels` and `bytes`"));
    }
    if let Kind::Scalar(_) = &node.kind {
        reader.one_of(node, "contents", &[("sequence", ())])?;
        reader.spend(&node.range(), size)?;
        // 251 is prime: no row, slice or texel size makes two rows alike.
        return Ok((0..size).map(|i| (i % 251) as u8).collect());
    }
    contents(reader, fields, "bytes", Element::Unsigned(1), Some(size), what)
}

fn extent(reader: &Reader<'_>, fields: &Fields<'_>, geometry: Geometry, what: &str) -> Read<[u32; 3]> {
    let node = fields.required(reader, "extent", what)?;
    let list = reader.list(node, "`extent`")?;
    let dimensions = match geometry {
        Geometry::D1 | Geometry::A1d => 1,
        Geometry::D2 | Geometry::A2d | Geometry::Cube | Geometry::Acube => 2,
        Geometry::D3 => 3,
    };
    if list.len() < dimensions || list.len() > 3 {
        let error = reader.error(&node.range(), format!("`extent` of {what} has {} numbers", list.len()));
        return Err(reader.note(error.label(format!("this geometry has {dimensions}"))));
    }
    let mut extent = [1; 3];
    for (slot, node) in extent.iter_mut().zip(list) {
        *slot = reader.integer(node, "an extent", 1..=MAX_EXTENT)? as u32;
    }
    if let Some(node) =
        list.iter().zip(extent).skip(dimensions).find_map(|(node, n)| (n != 1).then_some(node))
    {
        let error = reader.error(&node.range(), format!("{what} has more dimensions than its geometry"));
        return Err(reader.note(error.label("expected 1, or nothing")));
    }
    if geometry.is_cube() && extent[0] != extent[1] {
        return reader.fail(&node.range(), format!("the faces of {what} are no squares"));
    }
    Ok(extent)
}

fn layers(reader: &Reader<'_>, fields: &Fields<'_>, geometry: Geometry, what: &str) -> Read<u32> {
    let array = matches!(geometry, Geometry::A1d | Geometry::A2d | Geometry::Acube);
    match fields.get("layers") {
        Some(node) if array => {
            let layers = reader.integer(node, "`layers`", 1..=2048)? as u32;
            if geometry == Geometry::Acube && !layers.is_multiple_of(Geometry::FACES) {
                return reader.fail(&node.range(), format!("the layers of {what} are not six for each cube"));
            }
            Ok(layers)
        }
        Some(node) if geometry == Geometry::Cube => {
            let error =
                reader.error(&node.range(), format!("{what} is one cube: its layers are its six faces"));
            Err(reader.note(error.label("leave `layers` out, or take `geometry: acube`")))
        }
        Some(node) => reader.fail(&node.range(), format!("{what} has layers, but its geometry has none")),
        None if array => reader.fail(&fields.range, format!("{what} lacks `layers`")),
        None if geometry == Geometry::Cube => Ok(Geometry::FACES),
        None => Ok(1),
    }
}
