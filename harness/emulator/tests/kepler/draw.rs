//! Surfaces and accesses at random, most of them at and around boundaries. The same every time for one start.

use warpdiff_model::{ChannelType, Format, Geometry, Surface};

use crate::model::{Access, Coordinates};
use crate::table::{Form, Instruction};

/// Numbers at random: SplitMix64.
pub(crate) struct Random(pub(crate) u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    /// A number below `limit`.
    fn below(&mut self, limit: u32) -> u32 {
        (((self.next() >> 32) * u64::from(limit)) >> 32) as u32
    }

    fn among<T: Copy>(&mut self, all: &[T]) -> T {
        all[self.below(all.len() as u32) as usize]
    }

    fn bytes<const N: usize>(&mut self) -> [u8; N] {
        std::array::from_fn(|_| self.next() as u8)
    }

    /// A surface for the form: 1 to 20 texels wide, of any format, with no byte of zero, so that zero is never what was there.
    pub(crate) fn surface(&mut self, form: &Form, name: String) -> Surface {
        let (channel, _) = self.among(&ChannelType::ALL);
        let format = Format { channel, channels: self.among(&[1, 2, 4]) };
        let mut surface = Surface {
            name,
            geometry: form.geometry,
            extent: [1 + self.below(20), 1, 1],
            layers: 1,
            format,
            bytes: Vec::new(),
            bound_to: None,
        };
        if matches!(form.geometry, Geometry::D2 | Geometry::D3 | Geometry::A2d) {
            surface.extent[1] = 1 + self.below(5);
        }
        if form.geometry == Geometry::D3 {
            surface.extent[2] = 1 + self.below(4);
        }
        if matches!(form.geometry, Geometry::A1d | Geometry::A2d) {
            surface.layers = 1 + self.below(4);
        }
        surface.bytes = (0..surface.size()).map(|_| 1 + self.below(255) as u8).collect();
        surface
    }

    /// An access of that form to the surface.
    pub(crate) fn access(&mut self, form: &Form, surface: &Surface) -> Access {
        let texel = surface.format.texel_size();
        let row = surface.row_size() as u32;
        let x = if form.in_texels {
            // Among the edges those at which x times the size of a texel or of a word is 2^32.
            self.coordinate(surface.extent[0], &[1, texel, 4], &[1 << 30, 1 << 29, 1 << 28, row])
        } else {
            let size = form.size(texel as usize) as u32;
            let fitting = row / size * size;
            let x = self.coordinate(row, &[1, texel, size], &[fitting, size, texel, surface.extent[0]]);
            // Of what is not aligned and in bounds the witness says nothing.
            if self.below(8) == 0 { x } else { x & !(size - 1) }
        };
        // Where the offset of a row, or of a slice, reaches 2^32.
        let pitches =
            [row, surface.slice_size() as u32].map(|pitch| (1_u64 << 32).div_ceil(u64::from(pitch)) as u32);
        Access {
            coordinates: Coordinates {
                x,
                y: self.coordinate(surface.extent[1], &[1], &pitches),
                z: self.coordinate(surface.extent[2], &[1], &pitches),
                layer: self.coordinate(surface.layers, &[1], &pitches),
            },
            source: self.source(form, surface.format.channel),
            chance: self.bytes(),
        }
    }

    /// A coordinate of a dimension of that extent: inside, or around an edge by one of the steps, or anywhere.
    fn coordinate(&mut self, extent: u32, steps: &[u32], edges: &[u32]) -> u32 {
        match self.below(16) {
            0..9 => self.below(extent),
            9..14 => {
                let edge = match self.below(4) {
                    0 => 0,
                    1 | 2 => extent,
                    _ => {
                        let other = [1 << 31, i32::MAX as u32, u32::MAX, 1 << 16];
                        let any = self.below((edges.len() + other.len()) as u32) as usize;
                        edges.iter().chain(&other).copied().nth(any).unwrap_or(0)
                    }
                };
                let step = self.among(steps).wrapping_mul(self.among(&[0, 1, 1, 2]));
                if self.below(2) == 0 { edge.wrapping_add(step) } else { edge.wrapping_sub(step) }
            }
            14 => (self.below(4 * extent + 4)).wrapping_sub(2 * extent + 2),
            _ => self.next() as u32,
        }
    }

    /// What is stored. A texel of another type than 32-bit numbers gets zero, which no format converts to anything else.
    fn source(&mut self, form: &Form, channel: ChannelType) -> [u8; 16] {
        if !matches!(form.instruction, Instruction::StoreTexel(_)) {
            return self.bytes();
        }
        let mut source = [0; 16];
        for word in source.as_chunks_mut().0 {
            let number = match channel {
                ChannelType::U32 | ChannelType::S32 => self.next() as u32,
                ChannelType::F32 => (1.0 + self.below(1 << 20) as f32).to_bits(),
                _ => 0,
            };
            *word = number.to_le_bytes();
        }
        source
    }
}
