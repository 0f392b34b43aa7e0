//! Textures in messages: an image, as for a surface, and its sampler.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use warpdiff_model::{AddressMode, FilterMode, ReadMode, Sampler, Surface, Texture};

use super::protocol::SurfaceMessage;

/// A texture: a CUDA array that the kernel reads through a sampler.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TextureMessage {
    /// The fields of a surface; `bound_to` names the module-scope `.texref` that the texture is bound to.
    #[serde(flatten)]
    pub image: SurfaceMessage,
    /// The sampler.
    pub sampler: SamplerMessage,
}

/// The sampler of a texture.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SamplerMessage {
    /// Address modes in x, y and z, for coordinates outside of the image (`CU_TR_ADDRESS_MODE_…`).
    pub address: [AddressName; 3],
    /// Filter mode (`CU_TR_FILTER_MODE_…`).
    pub filter: FilterName,
    /// Whether coordinates go from 0 to 1 over the image (`CU_TRSF_NORMALIZED_COORDINATES`), not from 0 to its extent.
    pub normalized_coordinates: bool,
    /// Type in which channels are read; `element` is `CU_TRSF_READ_AS_INTEGER`.
    pub read: ReadName,
    /// Border colour under `border`: for each channel the bits of a 32-bit float.
    pub border: [u32; 4],
}

macro_rules! names {
    ($($(#[$doc:meta])* $name:ident of $model:ident: $($variant:ident)+;)+) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
        #[serde(rename_all = "kebab-case")]
        #[expect(missing_docs, reason = "the names of the model")]
        pub enum $name {
            $($variant,)+
        }

        impl From<$model> for $name {
            fn from(mode: $model) -> Self {
                match mode {
                    $($model::$variant => Self::$variant,)+
                }
            }
        }

        impl From<$name> for $model {
            fn from(name: $name) -> Self {
                match name {
                    $($name::$variant => Self::$variant,)+
                }
            }
        }
    )+};
}

names! {
    /// The name of an address mode.
    AddressName of AddressMode: Wrap Clamp Mirror Border ClampOgl;
    /// The name of a filter mode.
    FilterName of FilterMode: Nearest Linear;
    /// The name of a read mode.
    ReadName of ReadMode: Element NormalizedFloat;
}

impl From<&Texture> for TextureMessage {
    fn from(texture: &Texture) -> Self {
        let Sampler { address, filter, normalized_coordinates, read, border } = texture.sampler;
        let sampler = SamplerMessage {
            address: address.map(AddressName::from),
            filter: filter.into(),
            normalized_coordinates,
            read: read.into(),
            border,
        };
        Self { image: SurfaceMessage::from(&texture.image), sampler }
    }
}

impl From<TextureMessage> for Texture {
    fn from(message: TextureMessage) -> Self {
        let SamplerMessage { address, filter, normalized_coordinates, read, border } = message.sampler;
        let sampler = Sampler {
            address: address.map(AddressMode::from),
            filter: filter.into(),
            normalized_coordinates,
            read: read.into(),
            border,
        };
        Self { image: Surface::from(message.image), sampler }
    }
}

#[cfg(test)]
mod tests {
    use warpdiff_model::{Argument, Geometry, Launch};

    use super::*;
    use crate::protocol::{self, Capability, LaunchRequest};

    fn launch() -> Launch {
        let mut launch = Launch::new("".into(), "k");
        let image = Surface {
            name: "image".into(),
            geometry: Geometry::A1d,
            extent: [2, 1, 1],
            layers: 3,
            format: "u8x2".parse().expect("a format"),
            bytes: (0..12).collect(),
            bound_to: Some("picture".into()),
        };
        let sampler = Sampler {
            address: [AddressMode::Mirror, AddressMode::Border, AddressMode::Wrap],
            filter: FilterMode::Linear,
            normalized_coordinates: true,
            read: ReadMode::NormalizedFloat,
            border: [1f32, 0.5, 0.25, -0.0].map(f32::to_bits),
        };
        launch.textures = vec![Texture { image, sampler }];
        launch.arguments = vec![Argument::Texture { index: 0 }];
        launch
    }

    #[test]
    fn a_launch_with_a_texture_comes_through_a_line_as_it_was() {
        let launch = launch();
        let line = protocol::line(&LaunchRequest::new(1, "case", &launch, 1000)).expect("a line");
        let back: LaunchRequest = serde_json::from_slice(&line).expect("a request");
        assert_eq!(back.into_launch(), launch);
        let written = String::from_utf8(line).expect("text");
        assert!(written.contains(r#""address":["mirror","border","wrap"],"filter":"linear""#), "{written}");
    }

    #[test]
    fn it_is_a_capability_of_its_own_and_a_shared_module_renames_the_variable() {
        let launch = launch();
        assert_eq!(Capability::needed(&launch), [Capability::Textures]);
        let back = LaunchRequest::new(1, "case", &launch, 1000).in_module(3, "_7").into_launch();
        assert_eq!(back.textures[0].image.bound_to.as_deref(), Some("picture_7"));
    }

    #[test]
    fn a_launch_without_textures_does_not_speak_of_them() {
        let launch = Launch::new("".into(), "k");
        let line = protocol::line(&LaunchRequest::new(1, "case", &launch, 1000)).expect("a line");
        assert!(!String::from_utf8(line).expect("text").contains("texture"));
    }
}
