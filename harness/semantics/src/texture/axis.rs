//! Texel coordinates and filter weights along one dimension of a texture: address modes, normalisation, 8-bit fractions.
//!
//! CUDA C++ Programming Guide, "Texture Fetching": without filtering the texel is `i = floor(x)`; with linear filtering the
//! texels are `i` and `i + 1` with the weights `1 - a` and `a`, where `i = floor(x - 0.5)` and `a = frac(x - 0.5)` "stored in
//! 9-bit fixed point format with 8 bits of fractional value (so 1.0 is exactly represented)". Outside of the image, "Texture
//! Memory": coordinates are clamped to the image; in border mode zero is returned; in wrap mode, with normalised coordinates, x is
//! taken for `frac(x)`; in mirror mode for `frac(x)` where `floor(x)` is even and for `1 - frac(x)` where it is odd. A texel
//! beside the image that filtering needs is the one that the mode gives for its place.

use warpdiff_model::choice::ChoiceSet;
use warpdiff_model::{AddressMode, Choice, Deviation, FilterMode, Semantics};

/// A coordinate.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Coordinate {
    /// `.s32`: a texel index.
    Integer(i32),
    /// `.f32`
    Float(f32),
}

/// A sample at one position of an axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Tap {
    /// The texel of this number.
    Texel(u32),
    /// The border colour.
    Border,
    /// Zero.
    Zero,
    /// Unspecified.
    Unknown,
}

/// The samples of an axis and their weights. Without filtering only the first is used.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Axis {
    /// The taps.
    pub taps: [(Tap, f64); 2],
    /// Number of samples: 1 or 2.
    pub count: usize,
}

impl Axis {
    /// A tap alone.
    #[inline]
    pub(super) fn one(tap: Tap) -> Self {
        Self { taps: [(tap, 1.0), (Tap::Unknown, 0.0)], count: 1 }
    }
}

/// An axis to look along.
#[derive(Clone, Copy, Debug)]
pub(super) struct Along {
    /// Texels.
    pub extent: u32,
    /// Whether coordinates go from 0 to 1.
    pub normalized: bool,
    /// The mode for coordinates outside the image.
    pub mode: Option<AddressMode>,
    /// Filter.
    pub filter: FilterMode,
    /// Texels that are added to the coordinate before it is wrapped, mirrored or clamped: "added to the texel coordinates" (OpenGL
    /// 4.6, 8.14.2, whose offsets the machine's are; ptxas compiles PTX's to them).
    pub offset: i32,
}

/// Number of weight steps between adjacent texels: weights have 8 bits.
const STEPS: f64 = 256.0;

impl Along {
    /// What a coordinate takes; notes in `consulted` the choices that decided it.
    #[inline]
    pub(super) fn at(self, coordinate: Coordinate, semantics: &Semantics, consulted: &mut ChoiceSet) -> Axis {
        if self.extent == 0 {
            return Axis::one(Tap::Unknown);
        }
        self.deviating(semantics).place_of(coordinate, semantics, consulted)
    }

    /// The axis in the mode that the semantics mistake its own for.
    fn deviating(self, semantics: &Semantics) -> Self {
        let mistaken = [
            (AddressMode::Wrap, Deviation::TexWrapAsClamp, AddressMode::Clamp),
            (AddressMode::Mirror, Deviation::TexMirrorAsWrap, AddressMode::Wrap),
            (AddressMode::Border, Deviation::TexBorderAsClamp, AddressMode::Clamp),
        ];
        let wrong = mistaken.iter().find(|(mode, how, _)| Some(*mode) == self.mode && semantics.has(*how));
        Self {
            mode: wrong.map_or(self.mode, |(_, _, other)| Some(*other)),
            normalized: self.normalized && !semantics.has(Deviation::TexNormalisedIgnored),
            ..self
        }
    }

    /// The two neighbours between which a coordinate lies, which linear filtering would weigh, whatever the filter is: what a gather
    /// takes.
    pub(super) fn neighbours(
        self,
        coordinate: f32,
        semantics: &Semantics,
        consulted: &mut ChoiceSet,
    ) -> [Tap; 2] {
        let along = Self { filter: FilterMode::Linear, ..self.deviating(semantics) };
        if self.extent == 0 || coordinate.is_nan() {
            return [Tap::Unknown; 2];
        }
        let Some((place, _)) = along.float(coordinate, semantics, consulted) else {
            return [Tap::Unknown; 2];
        };
        let first = (place / STEPS).floor() as i64;
        [first, first + 1].map(|index| along.tap(index, semantics, consulted))
    }

    #[inline]
    fn place_of(self, coordinate: Coordinate, semantics: &Semantics, consulted: &mut ChoiceSet) -> Axis {
        match coordinate {
            Coordinate::Integer(index) => {
                let index = i64::from(index) + i64::from(self.offset);
                Axis::one(self.integer(index, semantics, consulted))
            }
            Coordinate::Float(value) if value.is_nan() => Axis::one(Tap::Unknown),
            Coordinate::Float(value) => match self.float(value, semantics, consulted) {
                Some((place, x)) => self.taps(place, x, semantics, consulted),
                None => Axis::one(Tap::Unknown),
            },
        }
    }

    /// Integer coordinates are never filtered ("tex1Dfetch … does not perform any texture filtering").
    fn integer(self, index: i64, semantics: &Semantics, consulted: &mut ChoiceSet) -> Tap {
        if self.normalized && choose(Choice::TextureIntegerNormalised, semantics, consulted) != 0 {
            return Tap::Unknown;
        }
        if self.holds(index) {
            return Tap::Texel(index as u32);
        }
        match choose(Choice::TextureIntegerOutside, semantics, consulted) {
            0 => self.tap(index, semantics, consulted),
            _ => Tap::Zero,
        }
    }

    /// Where a coordinate lies, in the terms of `places`, and the same in texels; `None` if that is nowhere.
    #[inline]
    fn float(self, value: f32, semantics: &Semantics, consulted: &mut ChoiceSet) -> Option<(f64, f64)> {
        let scaled = self.normalized;
        let exact = if scaled { self.scaled(f64::from(value))? } else { f64::from(value) };
        let rounded = if scaled { self.scaled_rounded(value)? } else { exact };
        // Where the image is mirrored, so is the offset.
        let is_mirrored =
            scaled && self.mode == Some(AddressMode::Mirror) && f64::from(value).floor() % 2.0 != 0.0;
        let offset = f64::from(if is_mirrored { -self.offset } else { self.offset });
        let (exact, rounded) = (exact + offset, rounded + offset);
        let places = [exact, rounded].map(|x| self.places(x, semantics));
        let scale = match places[0] == places[1] {
            true => 0,
            false => choose(Choice::TextureScale, semantics, consulted),
        };
        let [nearest, truncated] = places[usize::from(scale)];
        let mut place = nearest;
        if nearest != truncated && choose(Choice::TextureWeights, semantics, consulted) != 0 {
            place = truncated;
        }
        Some((place, if scale == 0 { exact } else { rounded }))
    }

    /// A normalised coordinate in texels, exactly. Of wrap and mirror mode the image is the period; infinity lies nowhere in it.
    fn scaled(self, value: f64) -> Option<f64> {
        let extent = f64::from(self.extent);
        let part = match self.mode {
            Some(AddressMode::Wrap | AddressMode::Mirror) if value.is_infinite() => return None,
            // The difference of a tiny negative number and -1 has no binary64 of its own: the nearest one below 1 is as good.
            Some(AddressMode::Wrap) => (value - value.floor()).min(1.0 - f64::EPSILON / 2.0),
            Some(AddressMode::Mirror) => {
                let part = value - value.floor();
                if value.floor() % 2.0 == 0.0 { part.min(1.0 - f64::EPSILON / 2.0) } else { 1.0 - part }
            }
            _ => value,
        };
        Some(part * extent)
    }

    /// The same, each step rounded to a binary32.
    fn scaled_rounded(self, value: f32) -> Option<f64> {
        let part = match self.mode {
            Some(AddressMode::Wrap | AddressMode::Mirror) if value.is_infinite() => return None,
            Some(AddressMode::Wrap) => value - value.floor(),
            Some(AddressMode::Mirror) => {
                let part = value - value.floor();
                if value.floor() % 2.0 == 0.0 { part } else { 1.0 - part }
            }
            _ => value,
        };
        Some(f64::from(part * self.extent as f32))
    }

    /// Where `x` lies, with weights rounded and with weights truncated: in steps with linear filtering, else the number of a
    /// texel. Far outside one place is as good as another.
    fn places(self, x: f64, semantics: &Semantics) -> [f64; 2] {
        let far = f64::from(self.extent) + 4.0;
        let x = match self.mode {
            // "GL_CLAMP": the coordinate is clamped to the image, ends included.
            Some(AddressMode::ClampOgl) => x.clamp(0.0, f64::from(self.extent)),
            _ => x.clamp(-far, 2.0 * far),
        };
        if self.filter == FilterMode::Nearest {
            let texel = if semantics.has(Deviation::TexNearestRounds) { x.round() } else { x.floor() };
            return [texel; 2];
        }
        let half = if semantics.has(Deviation::TexLinearOffset) { 0.0 } else { 0.5 };
        let steps = (x - half) * STEPS;
        if semantics.has(Deviation::TexWeightsUnquantised) {
            return [steps; 2];
        }
        [(steps + 0.5).floor(), steps.floor()]
    }

    fn taps(self, place: f64, x: f64, semantics: &Semantics, consulted: &mut ChoiceSet) -> Axis {
        if self.filter == FilterMode::Nearest {
            // The very end belongs to the last texel in the modes that clamp or mirror coordinates to it; see `tap`.
            return Axis::one(self.tap(place as i64, semantics, consulted));
        }
        let first = (place / STEPS).floor();
        let weight = place / STEPS - first;
        let index = first as i64;
        let taps = [(index, 1.0 - weight), (index + 1, weight)];
        let outside = x < 0.0 || x >= f64::from(self.extent);
        let reaches = taps.iter().any(|(index, weight)| self.holds(*index) && *weight > 0.0);
        if self.mode == Some(AddressMode::Border)
            && outside
            && reaches
            && choose(Choice::TextureBorderBlend, semantics, consulted) != 0
        {
            return Axis::one(Tap::Border);
        }
        Axis { taps: taps.map(|(index, weight)| (self.tap(index, semantics, consulted), weight)), count: 2 }
    }

    #[inline]
    fn holds(self, index: i64) -> bool {
        (0..i64::from(self.extent)).contains(&index)
    }

    /// What lies at the place of texel `index`, which may be outside.
    fn tap(self, index: i64, semantics: &Semantics, consulted: &mut ChoiceSet) -> Tap {
        if self.holds(index) {
            return Tap::Texel(index as u32);
        }
        let last = i64::from(self.extent) - 1;
        let edge = Tap::Texel(index.clamp(0, last) as u32);
        match self.mode {
            None => Tap::Unknown,
            Some(AddressMode::Clamp) => edge,
            Some(AddressMode::Border) => Tap::Border,
            // Coordinates never leave the image, but filtering reaches beyond it.
            Some(AddressMode::ClampOgl) if self.filter == FilterMode::Linear => Tap::Border,
            Some(AddressMode::ClampOgl) => edge,
            Some(AddressMode::Wrap | AddressMode::Mirror) if !self.normalized => {
                match choose(Choice::TextureWrapTexels, semantics, consulted) {
                    0 => edge,
                    _ => Tap::Unknown,
                }
            }
            Some(AddressMode::Mirror) => {
                let period = 2 * i64::from(self.extent);
                let place = index.rem_euclid(period);
                Tap::Texel(place.min(period - 1 - place) as u32)
            }
            Some(AddressMode::Wrap) => Tap::Texel(index.rem_euclid(i64::from(self.extent)) as u32),
        }
    }
}

#[inline]
fn choose(choice: Choice, semantics: &Semantics, consulted: &mut ChoiceSet) -> u8 {
    consulted.insert(choice);
    semantics.assignment.get(choice)
}
