//! Textures of a case: their image and their sampler.

use warpdiff_model::{AddressMode, FilterMode, ReadMode, Sampler, Texture};

use super::reader::{Fields, Read, Reader};
use super::resources::{IMAGE_KEYS, TEXTURES, image};
use super::value::Element;
use super::yaml::{Kind, Node};
use crate::expectations;

/// Keys of a sampler, beside those of the image.
const SAMPLER_KEYS: [&str; 5] = ["address", "filter", "coordinates", "read", "border"];

/// Reads a texture.
pub(super) fn texture(reader: &Reader<'_>, name: &str, node: &Node) -> Read<Texture> {
    let what = format!("texture `{name}`");
    let known = [&IMAGE_KEYS[..], &SAMPLER_KEYS].concat();
    let fields = reader.fields(node, &what, &known)?;
    let image = image(reader, name, &fields, &what, TEXTURES)?;
    let sampler = sampler(reader, &fields, &what)?;
    if !sampler.read.suits(image.format.channel) {
        let range = fields.get("read").map_or_else(|| fields.range.clone(), Node::range);
        let error =
            reader.error(&range, format!("{what} has a format that is not read as normalised floats"));
        return Err(reader.note(error.label("only integers of 8 and 16 bits are")));
    }
    Ok(Texture { image, sampler })
}

fn sampler(reader: &Reader<'_>, fields: &Fields<'_>, what: &str) -> Read<Sampler> {
    let mut sampler = Sampler::default();
    if let Some(node) = fields.get("address") {
        sampler.address = address(reader, node, what)?;
    }
    if let Some(node) = fields.get("filter") {
        let known = FilterMode::ALL.map(|(mode, name)| (name, mode));
        sampler.filter = reader.one_of(node, "filter", &known)?;
    }
    if let Some(node) = fields.get("coordinates") {
        let known = [("texels", false), ("normalized", true)];
        sampler.normalized_coordinates = reader.one_of(node, "coordinates", &known)?;
    }
    if let Some(node) = fields.get("read") {
        let known = ReadMode::ALL.map(|(mode, name)| (name, mode));
        sampler.read = reader.one_of(node, "read", &known)?;
    }
    if let Some(node) = fields.get("border") {
        sampler.border = border(reader, node, what)?;
    }
    Ok(sampler)
}

/// One mode for all dimensions, or a list of one for each of them.
fn address(reader: &Reader<'_>, node: &Node, what: &str) -> Read<[AddressMode; 3]> {
    let known = AddressMode::ALL.map(|(mode, name)| (name, mode));
    let Kind::List(list) = &node.kind else {
        return Ok([reader.one_of(node, "address mode", &known)?; 3]);
    };
    if list.is_empty() || list.len() > 3 {
        return reader
            .fail(&node.range(), format!("`address` of {what} has {} modes, not 1 to 3", list.len()));
    }
    let mut address = [AddressMode::default(); 3];
    for (slot, node) in address.iter_mut().zip(list) {
        *slot = reader.one_of(node, "address mode", &known)?;
    }
    Ok(address)
}

/// Four floats, as their bits.
fn border(reader: &Reader<'_>, node: &Node, what: &str) -> Read<[u32; 4]> {
    let list = reader.list(node, "`border`")?;
    if list.len() != 4 {
        return reader.fail(&node.range(), format!("`border` of {what} has {} channels, not 4", list.len()));
    }
    let mut border = [0; 4];
    for (slot, node) in border.iter_mut().zip(list) {
        let (bytes, _) = expectations::value(reader, node, Element::F32, "a channel of the border")?;
        *slot = bytes.iter().rev().fold(0, |bits, byte| bits << 8 | u32::from(*byte));
    }
    Ok(border)
}
