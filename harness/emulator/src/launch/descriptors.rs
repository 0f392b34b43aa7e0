//! The driver's tables of textures, samplers and surfaces, which the machine code of queries reads: for each header a descriptor, in
//! which ptxas 12.9 knows where each member stands. How large a descriptor is, and where a table begins, the driver decides: the
//! first is a relocation of the code, the second is in constant bank 0.

use warpdiff_linker::DESCRIPTOR_SIZE;
use warpdiff_model::choice::ChoiceSet;
use warpdiff_model::{Format, Launch, Semantics};
use warpdiff_semantics::surface::Descriptor as Shape;
use warpdiff_semantics::surface::query::{Query, answer, sampler_answer};
use warpdiff_semantics::texture::Sampling;
use warpdiff_semantics::texture::sampling::Members;

use super::validation::LaunchError;
use crate::address_space::slots;
use crate::memory::{Allocation, SurfaceMemory};
use warpdiff_semantics::opaque::{Headers, Named, OpaqueArgument, OpaqueBindings};

/// The tables, one behind another in one allocation.
const TABLES: [Table; 4] = [Table::Surface, Table::UnifiedTexture, Table::IndependentTexture, Table::Sampler];

/// A table of descriptors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Table {
    /// `.nv.surfrefDescSize`.
    Surface,
    /// `.nv.unified.texrefDescSize`.
    UnifiedTexture,
    /// `.nv.independent.texrefDescSize`.
    IndependentTexture,
    /// `.nv.independent.samplerrefDescSize`.
    Sampler,
}

impl Table {
    /// The offset in constant bank 0 of the address of the table.
    pub(super) fn base(self) -> usize {
        match self {
            Table::UnifiedTexture | Table::IndependentTexture => 0xb0,
            Table::Sampler => 0xb8,
            Table::Surface => 0xc0,
        }
    }

    /// Byte offsets of the members, as the queries that ptxas 12.9 compiles for sm_50 read them.
    fn members(self) -> &'static [(usize, Query)] {
        use Query as Q;
        match self {
            Table::Surface => &[
                (0x00, Q::Width),
                (0x04, Q::Height),
                (0x08, Q::Depth),
                (0x0c, Q::ChannelDataType),
                (0x10, Q::ChannelOrder),
                (0x14, Q::MemoryLayout),
                (0x1c, Q::ArraySize),
            ],
            Table::UnifiedTexture => &[
                (0x00, Q::Width),
                (0x04, Q::Height),
                (0x08, Q::Depth),
                (0x0c, Q::AddressMode(0)),
                (0x10, Q::AddressMode(1)),
                (0x14, Q::AddressMode(2)),
                (0x18, Q::FilterMode),
                (0x1c, Q::NormalizedCoordinates),
                (0x20, Q::ChannelDataType),
                (0x24, Q::ChannelOrder),
                (0x28, Q::ArraySize),
                (0x2c, Q::LevelsOrSamples),
                (0x30, Q::LevelsOrSamples),
            ],
            Table::IndependentTexture => &[
                (0x00, Q::Width),
                (0x04, Q::Height),
                (0x08, Q::Depth),
                (0x0c, Q::NormalizedCoordinates),
                (0x10, Q::ChannelDataType),
                (0x14, Q::ChannelOrder),
                (0x18, Q::ArraySize),
                (0x1c, Q::LevelsOrSamples),
                (0x20, Q::LevelsOrSamples),
            ],
            Table::Sampler => &[
                (0x00, Q::AddressMode(0)),
                (0x04, Q::AddressMode(1)),
                (0x08, Q::AddressMode(2)),
                (0x0c, Q::FilterMode),
                (0x10, Q::ForceUnnormalized),
            ],
        }
    }
}

/// The addresses of the tables that a kernel reads.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct TableAddresses {
    /// The table of textures in one mode, and the others: of surfaces, of samplers.
    pub(crate) tables: [(usize, u64); 3],
}

/// The images that opaque objects are bound to, by number.
#[derive(Clone, Copy)]
pub(crate) enum Images<'l> {
    /// The surfaces of a launch, then its textures.
    OfLaunch(&'l Launch),
    /// The arrays of a device.
    OfDevice(&'l [SurfaceMemory]),
}

impl Images<'_> {
    /// The shape and the format of an image.
    fn get(self, number: usize) -> Option<(Shape, Format)> {
        let image = match self {
            Self::OfDevice(arrays) => {
                return arrays.get(number).map(|array| (array.descriptor, array.format));
            }
            Self::OfLaunch(launch) => match number.checked_sub(launch.surfaces.len()) {
                None => launch.surfaces.get(number)?,
                Some(texture) => &launch.textures.get(texture)?.image,
            },
        };
        Some((Shape::of(image), image.format))
    }
}

/// What the launch binds, and the answers to queries of it.
pub(crate) struct Described<'l> {
    pub(crate) images: Images<'l>,
    pub(crate) opaque: &'l OpaqueBindings,
    pub(crate) samplers: &'l [Members],
    pub(crate) semantics: &'l Semantics,
}

impl Described<'_> {
    /// The tables in an allocation of that slot, textures in the mode of the module.
    ///
    /// # Errors
    /// If there is no room for them.
    pub(crate) fn tables(
        &self,
        headers: &Headers,
        independent: bool,
        slot: usize,
        tracked: bool,
    ) -> Result<(Allocation, TableAddresses), LaunchError> {
        let rows = headers.count() as usize + 1;
        let bytes = rows * DESCRIPTOR_SIZE as usize;
        let mut memory = Allocation::uninitialised(TABLES.len() * bytes, tracked);
        memory.base = slots::address(slot);
        for (number, table) in TABLES.into_iter().enumerate() {
            for header in 1..rows {
                let Some(named) = headers.named(header as u32) else { continue };
                for (offset, query) in table.members() {
                    if let Some(value) = self.answer(table, named, *query) {
                        let place = number * bytes + header * DESCRIPTOR_SIZE as usize + offset;
                        memory.write(place, 4, value.into());
                        memory.set_undefined(place, 4, 0);
                    }
                }
            }
        }
        let of_textures = if independent { 2 } else { 1 };
        let at = |number: usize| (TABLES[number].base(), memory.base + (number * bytes) as u64);
        let tables = [at(0), at(of_textures), at(3)];
        Ok((memory, TableAddresses { tables }))
    }

    /// The value of a member; `None` if it is open, or if the object is none of that kind.
    fn answer(&self, table: Table, named: Named, query: Query) -> Option<u32> {
        let mut consulted = ChoiceSet::default();
        if table == Table::Sampler {
            let members = match named {
                Named::Sampler(number) => *self.samplers.get(number)?,
                Named::Parameter(position) => {
                    match self.opaque.parameters.get(position).copied().flatten()? {
                        OpaqueArgument::Sampler(members) => members,
                        _ => return None,
                    }
                }
                _ => return None,
            };
            return sampler_answer(query, &members, self.semantics, &mut consulted);
        }
        let (image, sampler) = if table == Table::Surface {
            (self.opaque.surface(named)?, None)
        } else {
            let texture = self.opaque.texture(named)?;
            (texture.array, Some(texture.sampler))
        };
        let sampling = sampler.map(|sampler| Sampling::of(&sampler));
        let (shape, format) = self.images.get(image)?;
        answer(query, &shape, format, sampling.as_ref(), self.semantics, &mut consulted)
    }
}
