//! Results of `suq` and `txq` (PTX ISA 9.7.11.4 and 9.7.10.5).

use warpdiff_model::choice::ChoiceSet;
use warpdiff_model::{AddressMode, ChannelType, Choice, Deviation, FilterMode, Format, Geometry, Semantics};

use super::address::Descriptor;
use crate::texture::sampling::{Members, Sampling};

/// The attribute asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Query {
    /// `.width`, "in elements".
    Width,
    /// `.height`
    Height,
    /// `.depth`
    Depth,
    /// The third dimension in the header of SPA 5.0: the depth, of an array the number of layers.
    DepthOrLayers,
    /// `.channel_data_type`
    ChannelDataType,
    /// `.channel_order`
    ChannelOrder,
    /// `.array_size`
    ArraySize,
    /// `.memory_layout`
    MemoryLayout,
    /// `.normalized_coords`
    NormalizedCoordinates,
    /// `.filter_mode`
    FilterMode,
    /// `.addr_mode_0` to `.addr_mode_2`: of that dimension.
    AddressMode(u8),
    /// `.force_unnormalized_coords` of a sampler.
    ForceUnnormalized,
    /// `.num_mipmap_levels`, `.num_samples`: no texture here has either.
    LevelsOrSamples,
}

impl Query {
    /// Whether the result is the same for a surface and a texture: the assembler emits the same query for `suq` and `txq` if the
    /// object is in a register.
    #[inline]
    pub fn is_dimension(self) -> bool {
        matches!(self, Self::Width | Self::Height | Self::Depth | Self::DepthOrLayers)
    }
}

/// The result for a texture with the properties of its sampler; `None` if the manual leaves it open. Records the choices that
/// decided it in `consulted`.
pub fn answer(
    query: Query,
    shape: &Descriptor,
    format: Format,
    sampling: Option<&Sampling>,
    semantics: &Semantics,
    consulted: &mut ChoiceSet,
) -> Option<u32> {
    if let Some(answer) = mistaken(query, shape, sampling, semantics) {
        return Some(answer);
    }
    if matches!(query, Query::FilterMode | Query::AddressMode(_)) {
        let sampling = sampling?;
        return mode(query, sampling.filter, sampling.address, semantics, consulted);
    }
    let mut choose = |choice: Choice| {
        consulted.insert(choice);
        semantics.assignment.get(choice)
    };
    let [width, height, depth] = shape.extent;
    // "value in elements" says nothing of a dimension that there is not.
    let (has_height, has_depth, is_array) = match shape.geometry {
        Geometry::D1 => (false, false, false),
        Geometry::D2 => (true, false, false),
        Geometry::D3 => (true, true, false),
        Geometry::A1d => (false, false, true),
        Geometry::A2d | Geometry::Acube => (true, false, true),
        // "A cubemap … six layers", of which no text says whether they count as an array's.
        Geometry::Cube => (true, false, false),
    };
    // One element, none, or whatever the header of the surface holds there.
    let mut unused = || match choose(Choice::SuqUnusedDimension) {
        0 => Some(1),
        1 => Some(0),
        _ => None,
    };
    Some(match query {
        Query::Width => width,
        Query::Height if has_height => height,
        Query::Depth if has_depth => depth,
        Query::DepthOrLayers if is_array => shape.layers,
        Query::DepthOrLayers if has_depth => depth,
        Query::Height | Query::Depth | Query::DepthOrLayers => unused()?,
        // "For a surface array, number of surfaces in array, 0 otherwise."
        Query::ArraySize if is_array => shape.layers,
        Query::ArraySize => 0,
        // "1 for surface with linear memory layout; 0 otherwise."
        Query::MemoryLayout => u32::from(choose(Choice::SuqMemoryLayout)),
        // "Currently, OpenCL is the only source language that defines these fields."
        Query::ChannelDataType | Query::ChannelOrder if choose(Choice::SuqChannels) != 0 => return None,
        Query::ChannelDataType => channel_data_type(format.channel),
        Query::ChannelOrder => channel_order(format.channels),
        // "1 (True) or 0 (False)."
        Query::NormalizedCoordinates => u32::from(sampling?.normalized),
        Query::FilterMode | Query::AddressMode(_) | Query::ForceUnnormalized => return None,
        // "For a mipmapped texture, number of levels of details (LOD), 0 otherwise." "For a multi-sample texture, number of
        // samples, 0 otherwise."
        Query::LevelsOrSamples => 0,
    })
}

/// What deviations answer, of a texture where there is a sampler, else of a surface.
fn mistaken(
    query: Query,
    shape: &Descriptor,
    sampling: Option<&Sampling>,
    semantics: &Semantics,
) -> Option<u32> {
    if semantics.is_specification() {
        return None;
    }
    let is_array = matches!(shape.geometry, Geometry::A1d | Geometry::A2d);
    let (answer, deviation) = match (query, sampling) {
        (Query::NormalizedCoordinates, Some(sampling)) => {
            (u32::from(!sampling.normalized), Deviation::TxqNormalizedInverted)
        }
        (Query::LevelsOrSamples, Some(_)) => (1, Deviation::TxqSamplesOne),
        (Query::Width, None) => (shape.extent[0] * shape.texel_size, Deviation::SuqWidthInBytes),
        (Query::Height, None) if matches!(shape.geometry, Geometry::D2 | Geometry::D3 | Geometry::A2d) => {
            (shape.extent[1].saturating_sub(1), Deviation::SuqLastRow)
        }
        (Query::Depth, None) if shape.geometry == Geometry::D3 => (1, Deviation::SuqDepthOne),
        (Query::ArraySize, None) if is_array => (shape.layers.saturating_sub(1), Deviation::SuqLastLayer),
        (Query::ArraySize, None) => (1, Deviation::SuqArraySizeOne),
        _ => return None,
    };
    semantics.has(deviation).then_some(answer)
}

/// "Integer from enum { nearest, linear }", "Integer from enum { wrap, mirror, clamp_ogl, clamp_to_edge, clamp_to_border }": their
/// places, as in C, or whatever the implementation numbers them by, for no number is given.
fn mode(
    query: Query,
    filter: Option<FilterMode>,
    address: [Option<AddressMode>; 3],
    semantics: &Semantics,
    consulted: &mut ChoiceSet,
) -> Option<u32> {
    let place = match query {
        Query::FilterMode => match filter? {
            FilterMode::Nearest => 0,
            FilterMode::Linear => 1,
        },
        Query::AddressMode(dimension) => match (*address.get(usize::from(dimension))?)? {
            AddressMode::Wrap => 0,
            AddressMode::Mirror => 1,
            AddressMode::ClampOgl => 2,
            AddressMode::Clamp => 3,
            AddressMode::Border => 4,
        },
        _ => return None,
    };
    consulted.insert(Choice::TxqModes);
    (semantics.assignment.get(Choice::TxqModes) == 0).then_some(place)
}

/// The result for a sampler; `None` if the manual leaves it open.
pub fn sampler_answer(
    query: Query,
    members: &Members,
    semantics: &Semantics,
    consulted: &mut ChoiceSet,
) -> Option<u32> {
    match query {
        // "1 (True) or 0 (False)."
        Query::ForceUnnormalized => {
            let is_inverted = semantics.has(Deviation::TxqForceInverted);
            members.force_stated.then_some(u32::from(members.force_unnormalized != is_inverted))
        }
        _ => {
            let address = members.address.map(|mode| mode.unwrap_or(None));
            mode(query, members.filter.unwrap_or(None), address, semantics, consulted)
        }
    }
}

/// PTX ISA 5.3.3, Table 12.
fn channel_data_type(channel: ChannelType) -> u32 {
    match channel {
        ChannelType::Snorm8 => 0x10D0,
        ChannelType::Snorm16 => 0x10D1,
        ChannelType::Unorm8 => 0x10D2,
        ChannelType::Unorm16 => 0x10D3,
        ChannelType::S8 => 0x10D7,
        ChannelType::S16 => 0x10D8,
        ChannelType::S32 => 0x10D9,
        ChannelType::U8 => 0x10DA,
        ChannelType::U16 => 0x10DB,
        ChannelType::U32 => 0x10DC,
        ChannelType::F16 => 0x10DD,
        ChannelType::F32 => 0x10DE,
    }
}

/// PTX ISA 5.3.3, Table 13: CL_R, CL_RG, CL_RGBA.
#[inline]
fn channel_order(channels: u8) -> u32 {
    match channels {
        1 => 0x10B0,
        2 => 0x10B2,
        _ => 0x10B5,
    }
}
