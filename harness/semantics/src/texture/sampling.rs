//! Lookup properties: PTX sampler properties (5.3.2), and the format in which texels are read.

use warpdiff_model::choice::ChoiceSet;
use warpdiff_model::{AddressMode, Choice, Deviation, FilterMode, ReadMode, Sampler, Semantics};

/// The properties of a lookup. `None` marks a property that is not set, or set to a value without a specified meaning.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sampling {
    /// Whether coordinates go from 0 to 1 over the image.
    pub normalized: bool,
    /// Filter.
    pub filter: Option<FilterMode>,
    /// Per dimension: x, y, z.
    pub address: [Option<AddressMode>; 3],
    /// The type as which channels are read.
    pub read: ReadMode,
    /// The border colour in border mode: the bits of a binary32 per channel.
    pub border: [u32; 4],
    /// Whether the sampler is one beside the texture, of independent mode.
    pub is_separate: bool,
}

impl Sampling {
    /// The sampling of a texture with its own sampler.
    pub fn of(sampler: &Sampler) -> Self {
        Self {
            normalized: sampler.normalized_coordinates,
            filter: Some(sampler.filter),
            address: sampler.address.map(Some),
            read: sampler.read,
            border: sampler.border,
            is_separate: false,
        }
    }

    /// The sampling of a texture with a separate sampler, in independent mode: "the fields of the .texref type that describe
    /// sampler properties are ignored, since these properties are defined by .samplerref variables". No member of a sampler is a
    /// colour, and "texture fetches with out-of-range texture coordinates return zero".
    pub fn beside(self, members: &Members, semantics: &Semantics) -> Self {
        if semantics.has(Deviation::TexSamplerOfTexture) {
            return Self { is_separate: true, ..self };
        }
        // "When True, the texture header setting is overridden and unnormalized coordinates are used; when False, the texture
        // header setting is used."
        let forced = members.force_unnormalized && !semantics.has(Deviation::TexForceIgnored);
        Self {
            normalized: self.normalized && !forced,
            filter: members.filter.unwrap_or(None),
            address: members.address.map(|mode| mode.unwrap_or(None)),
            read: self.read,
            border: [0; 4],
            is_separate: true,
        }
    }

    /// The sampling of a texture whose variable has members: the manual does not specify whether the host or the variable takes
    /// precedence, so a choice decides where they differ.
    pub fn with_initializer(
        self,
        members: &Members,
        semantics: &Semantics,
        consulted: &mut ChoiceSet,
    ) -> Self {
        let address: [_; 3] = std::array::from_fn(|n| members.address[n].unwrap_or(self.address[n]));
        let stated = Self {
            normalized: members.normalized.unwrap_or(self.normalized),
            filter: members.filter.unwrap_or(self.filter),
            address,
            ..self
        };
        if stated == self {
            return self;
        }
        consulted.insert(Choice::TextureInitializer);
        if semantics.assignment.get(Choice::TextureInitializer) == 0 { self } else { stated }
    }
}

/// The sampler members of a variable: the outer `None` is a member that the initialiser omits, the inner one a value without a
/// meaning, such as a number for an address mode.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Members {
    /// `normalized_coords`, of textures alone.
    pub normalized: Option<bool>,
    /// `force_unnormalized_coords`, of samplers alone; false where it is left out: the setting of the texture is used.
    pub force_unnormalized: bool,
    /// Whether `force_unnormalized_coords` is stated.
    pub force_stated: bool,
    /// `filter_mode`
    pub filter: Option<Option<FilterMode>>,
    /// `addr_mode_0` to `addr_mode_2`
    pub address: [Option<Option<AddressMode>>; 3],
}

impl Members {
    /// The members of a sampler made by the host. "The OpenCL sampler-based normalized_coords flag maps (negated) to the PTX-level
    /// force_unnormalized_coords flag."
    pub fn of_sampler(sampler: &Sampler) -> Self {
        Self {
            normalized: None,
            force_unnormalized: !sampler.normalized_coordinates,
            force_stated: true,
            filter: Some(Some(sampler.filter)),
            address: sampler.address.map(|mode| Some(Some(mode))),
        }
    }

    /// Those that a texture has in independent mode, where "filter_mode" is "ignored" and the address modes are "N/A" (Table 11).
    #[inline]
    pub fn of_texture_alone(&self) -> Self {
        Self { normalized: self.normalized, ..Self::default() }
    }
}
