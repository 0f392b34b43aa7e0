//! How people call the bytes of a region: which element of a buffer, which texel and channel of a surface, and the value there.

use std::fmt::Write;
use std::ops::Range;

use warpdiff_model::{ChannelType, Geometry, RegionKind, Surface};

use crate::bytes::{hex, is_float, masked_hex, number};
use crate::plan::{Expected, PlannedLaunch, Row, RowInputs};

/// The elements of a region.
#[derive(Clone, Copy, Debug)]
pub struct Elements<'a> {
    /// Their type: `f32`, or of the channels of a surface `unorm8`.
    pub ty: &'static str,
    /// Bytes of one, at least 1.
    pub size: usize,
    /// The surface, if they are its channels.
    surface: Option<&'a Surface>,
}

/// The place of a channel in a surface.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Texel {
    /// The shape of the surface, which decides what the coordinates mean.
    pub geometry: Geometry,
    /// x, y, and z or the layer, in texels.
    pub coordinates: [u64; 3],
    /// The channel, if the format has several.
    pub channel: Option<u64>,
}

impl Texel {
    /// Its coordinates by name: those that the geometry has.
    pub fn axes(&self) -> Vec<(&'static str, u64)> {
        let [x, y, slice] = self.coordinates;
        match self.geometry {
            Geometry::D1 => vec![("x", x)],
            Geometry::D2 => vec![("x", x), ("y", y)],
            Geometry::D3 => vec![("x", x), ("y", y), ("z", slice)],
            Geometry::A1d => vec![("x", x), ("layer", slice)],
            // A face of a cube is a layer.
            Geometry::A2d | Geometry::Cube | Geometry::Acube => vec![("x", x), ("y", y), ("layer", slice)],
        }
    }

    /// In words: `x = 3, y = 1, channel 2`.
    pub fn words(&self) -> String {
        let axes: Vec<String> = self.axes().iter().map(|(name, value)| format!("{name} = {value}")).collect();
        let mut words = axes.join(", ");
        if let Some(channel) = self.channel {
            let _ = write!(words, ", channel {channel}");
        }
        words
    }
}

impl Elements<'_> {
    /// The texel of the element at `index`, if it is a channel of a surface.
    pub fn texel(&self, index: usize) -> Option<Texel> {
        let surface = self.surface?;
        let (index, channels) = (index as u64, u64::from(surface.format.channels.max(1)));
        let [width, height, _] = surface.extent.map(|extent| u64::from(extent.max(1)));
        let texel = index / channels;
        Some(Texel {
            geometry: surface.geometry,
            coordinates: [texel % width, texel / width % height, texel / (width * height)],
            channel: (channels > 1).then_some(index % channels),
        })
    }

    /// The element at `index` in words: `element 14`, with its texel where it has one.
    pub fn words(&self, index: usize) -> String {
        match self.texel(index) {
            Some(texel) => format!("element {index} at {}", texel.words()),
            None => format!("element {index}"),
        }
    }

    /// The value of an element, with its bytes where the value does not show them: `1.5 (0x3fc00000)`; undefined bits are marked.
    pub fn value(&self, bytes: &[u8], defined: &[u8]) -> String {
        if defined.iter().any(|mask| *mask != 0xFF) {
            return masked_hex(bytes, defined);
        }
        number(bytes, self.ty).unwrap_or_else(|| hex(bytes))
    }

    /// A value that a case states, in words. Only `nan` leaves bits open: sign and payload.
    pub fn stated(&self, bytes: &[u8], mask: &[u8]) -> String {
        match is_float(self.ty) && mask.iter().any(|mask| *mask != 0xFF) {
            true => "a quiet NaN".into(),
            false => self.value(bytes, mask),
        }
    }
}

impl PlannedLaunch {
    /// The elements of a region of this launch; `None` where the case gives it no type.
    pub fn elements(&self, kind: RegionKind, name: &str) -> Option<Elements<'_>> {
        if kind == RegionKind::Surface {
            let surface = self.launch.surfaces.iter().find(|surface| surface.name == name)?;
            let channel: ChannelType = surface.format.channel;
            let (ty, size) = (channel.name(), channel.size() as usize);
            return Some(Elements { ty, size, surface: Some(surface) });
        }
        let typed = self.types.iter().find(|region| region.kind == kind && region.name == name)?;
        Some(Elements { ty: typed.ty, size: typed.size.max(1) as usize, surface: None })
    }

    /// The type of the value that these bytes of a region are: an output of a row, or an element. `None` where they are no whole value.
    pub fn type_at(&self, kind: RegionKind, name: &str, bytes: Range<usize>) -> Option<&str> {
        let ty = self.value_around(kind, name, bytes.start).filter(|(value, _)| *value == bytes);
        ty.map(|(_, ty)| ty)
    }

    /// The bytes and the type of the value that a byte of a region belongs to: an output of a row, or an element.
    pub fn value_around(&self, kind: RegionKind, name: &str, at: usize) -> Option<(Range<usize>, &str)> {
        // A whole program may have a buffer of that name, too, and no columns.
        if kind == RegionKind::Buffer && name == Self::OUTPUTS && !self.columns.is_empty() {
            let within = at.checked_rem(self.record())?;
            let column = self.columns.iter().find(|column| column.bytes().contains(&within))?;
            let start = at - within + column.offset as usize;
            return Some((start..start + column.size as usize, &column.ty));
        }
        let elements = self.elements(kind, name)?;
        let start = at - at % elements.size;
        Some((start..start + elements.size, elements.ty))
    }

    /// Where the case states the element at `index` of a region: a place in a file of values, or in the case file.
    pub fn stated_at(&self, kind: RegionKind, name: &str, index: usize, size: usize) -> Option<String> {
        let element = index * size..(index + 1) * size;
        let mut whole = None;
        for expectation in self.expectations.iter() {
            let (region, range) = match &expectation.what {
                Expected::Bytes { region, name: of, offset, mask, .. } if **of == *name => {
                    (*region, *offset..offset + mask.len())
                }
                _ => continue,
            };
            if region != kind {
                continue;
            }
            if range == element && expectation.file.is_none() {
                return Some(expectation.location.to_string());
            }
            if let Some(file) = &expectation.file
                && range.contains(&element.start)
            {
                whole = Some(file.place(index, size));
            }
        }
        whole
    }

    /// The inputs of a row by column, floating-point numbers with their bits, however the case writes them: `0.1 (0x3dcccccd)`.
    pub fn inputs_with_bits(&self, row: &Row) -> RowInputs {
        let buffer = self.launch.buffers.iter().find(|buffer| buffer.name == Self::INPUTS);
        // Rows stand in their order.
        let position = self.rows.binary_search_by_key(&row.index, |own| own.index).ok();
        let shown = |name: &str| {
            let column = self.inputs.iter().find(|column| column.name == name && is_float(&column.ty))?;
            let begin = position? * buffer?.stride as usize + column.offset as usize;
            number(buffer?.bytes.get(begin..begin + column.size as usize)?, &column.ty)
        };
        row.inputs.map(|name, text| shown(name).unwrap_or_else(|| text.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn surface(geometry: Geometry, extent: [u32; 3], layers: u32, format: &str) -> Surface {
        let format = format.parse().unwrap();
        Surface { name: "s".into(), geometry, extent, layers, format, bytes: Vec::new(), bound_to: None }
    }

    fn words(surface: &Surface, index: usize) -> String {
        Elements { ty: "u8", size: 1, surface: Some(surface) }.words(index)
    }

    /// Texels lie x fastest, then y, then z or layer; channels within a texel. Every number by hand.
    #[test]
    fn elements_of_a_surface_have_the_coordinates_of_its_geometry() {
        let flat = surface(Geometry::D2, [4, 3, 1], 1, "u8x4");
        // Row 2, texel 1: texel 9, whose channels are the elements 36 to 39.
        assert_eq!(words(&flat, 38), "element 38 at x = 1, y = 2, channel 2");
        let deep = surface(Geometry::D3, [4, 3, 2], 1, "u8");
        // Slice 1 begins at 12, its row 2 at 20.
        assert_eq!(words(&deep, 23), "element 23 at x = 3, y = 2, z = 1");
        let stack = surface(Geometry::A2d, [4, 3, 1], 2, "u8x2");
        // Layer 1 begins at element 24; its texel 5 is x = 1, y = 1.
        assert_eq!(words(&stack, 35), "element 35 at x = 1, y = 1, layer = 1, channel 1");
        assert_eq!(words(&surface(Geometry::A1d, [4, 1, 1], 3, "u8"), 9), "element 9 at x = 1, layer = 2");
        assert_eq!(words(&surface(Geometry::D1, [4, 1, 1], 1, "u8"), 3), "element 3 at x = 3");
        assert_eq!(Elements { ty: "u8", size: 1, surface: None }.words(7), "element 7");
    }
}
