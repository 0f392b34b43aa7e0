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

/// A coordinate in texels. Of wrap and mirror mode it is the place in the image that it stands for, without the offset.
#[derive(Clone, Copy, Debug)]
struct Place {
    x: f64,
    /// Whether the image is mirrored there: the coordinate grows to the left.
    is_mirrored: bool,
}

/// What mirror mode mirrors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mirrored {
    /// The coordinate, of which the texels around it are taken: "x is replaced by 1 - frac(x)".
    Coordinate,
    /// Each of the texels around the coordinate that is not mirrored: `mirror(i0)`, `mirror(i1)` (OpenGL 4.6, 8.14.2 and 8.14.3).
    Texels,
}

/// Number of weight steps between adjacent texels: weights have 8 bits.
pub(super) const STEPS: f64 = 256.0;

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
        if semantics.is_specification() {
            return self;
        }
        let mistaken = [
            (AddressMode::Border, Deviation::TexBorderEdgeSwapped, AddressMode::Clamp),
            (AddressMode::Clamp, Deviation::TexBorderEdgeSwapped, AddressMode::Border),
            (AddressMode::Clamp, Deviation::TexClampDiscarded, AddressMode::Border),
            (AddressMode::Wrap, Deviation::TexWrapAsClamp, AddressMode::Clamp),
            (AddressMode::Mirror, Deviation::TexMirrorAsWrap, AddressMode::Wrap),
            (AddressMode::Border, Deviation::TexBorderAsClamp, AddressMode::Clamp),
            (AddressMode::ClampOgl, Deviation::TexClampOglAsClamp, AddressMode::Clamp),
            (AddressMode::ClampOgl, Deviation::TexClampOglAsBorder, AddressMode::Border),
        ];
        let wrong = mistaken.iter().find(|(mode, how, _)| Some(*mode) == self.mode && semantics.has(*how));
        Self {
            mode: wrong.map_or(self.mode, |(_, _, other)| Some(*other)),
            normalized: self.normalized && !semantics.has(Deviation::TexNormalisedIgnored),
            offset: if semantics.has(Deviation::TexOffsetIgnored) { 0 } else { self.offset },
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
        let mut around = |mirrored: Mirrored| match along.float(coordinate, mirrored, semantics, consulted) {
            None => [Tap::Unknown; 2],
            Some((place, _)) => {
                let shift = if semantics.has(Deviation::Tld4FromTexel) { 0.5 } else { 0.0 };
                let first = (place / STEPS + shift).floor() as i64;
                [first, first + 1].map(|index| along.tap(index, semantics, consulted))
            }
        };
        let taps = around(Mirrored::Coordinate);
        if along.mode != Some(AddressMode::Mirror) {
            return taps;
        }
        let mirrored = around(Mirrored::Texels);
        match taps == mirrored || choose(Choice::TextureGatherMirror, semantics, consulted) == 0 {
            true => taps,
            false => mirrored,
        }
    }

    #[inline]
    fn place_of(self, coordinate: Coordinate, semantics: &Semantics, consulted: &mut ChoiceSet) -> Axis {
        match coordinate {
            Coordinate::Integer(index) => {
                let index = i64::from(index) + i64::from(self.offset);
                Axis::one(self.integer(index, semantics, consulted))
            }
            Coordinate::Float(value) if value.is_nan() => Axis::one(Tap::Unknown),
            Coordinate::Float(value) => match self.float(value, Mirrored::Coordinate, semantics, consulted) {
                Some((place, outside)) => self.taps(place, outside, semantics, consulted),
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

    /// Where a coordinate lies, in the terms of `places`, and whether that is outside of the image; `None` if it lies nowhere.
    #[inline]
    fn float(
        self,
        value: f32,
        mirrored: Mirrored,
        semantics: &Semantics,
        consulted: &mut ChoiceSet,
    ) -> Option<(f64, bool)> {
        let value = match self.mode {
            Some(AddressMode::Wrap) if self.normalized && semantics.has(Deviation::TexWrapRemainder) => {
                value.max(0.0)
            }
            _ => value,
        };
        let exact = match self.normalized {
            true => self.scaled(f64::from(value))?,
            false => Place { x: f64::from(value), is_mirrored: false },
        };
        let rounded = match self.normalized {
            true => Place { x: self.scaled_rounded(value)?, ..exact },
            false => exact,
        };
        let places = [exact, rounded].map(|place| self.places(place, mirrored, semantics));
        let scale = match places[0] == places[1] {
            true => 0,
            false => choose(Choice::TextureScale, semantics, consulted),
        };
        let [nearest, truncated] = places[usize::from(scale)];
        let mut place = nearest;
        if nearest != truncated && choose(Choice::TextureWeights, semantics, consulted) != 0 {
            place = truncated;
        }
        let texel = [exact, rounded][usize::from(scale)].x.floor() + f64::from(self.offset);
        Some((place, !(0.0..f64::from(self.extent)).contains(&texel)))
    }

    /// A normalised coordinate in texels, exactly. Of wrap and mirror mode the image is the period; infinity lies nowhere in it.
    fn scaled(self, value: f64) -> Option<Place> {
        let extent = f64::from(self.extent);
        let is_mirrored = self.mode == Some(AddressMode::Mirror) && value.floor() % 2.0 != 0.0;
        let part = match self.mode {
            Some(AddressMode::Wrap | AddressMode::Mirror) if value.is_infinite() => return None,
            // 1 - frac(x)
            Some(AddressMode::Mirror) if is_mirrored => value.floor() + 1.0 - value,
            // The difference of a tiny negative number and -1 has no binary64 of its own: the nearest one below 1 is as good.
            Some(AddressMode::Wrap | AddressMode::Mirror) => {
                (value - value.floor()).min(1.0 - f64::EPSILON / 2.0)
            }
            _ => value,
        };
        Some(Place { x: part * extent, is_mirrored })
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

    /// The same place, and the offset, seen in the direction in which its texels are found: from where the image is mirrored, to the left.
    #[inline]
    fn facing(self, place: Place, mirrored: Mirrored) -> (f64, f64) {
        let offset = f64::from(self.offset);
        if !self.is_repeated() || self.mode != Some(AddressMode::Mirror) {
            return (place.x, offset);
        }
        // What is mirrored is the image at the other side of 0. The offset may lead from there to where it is not mirrored.
        let extent = f64::from(self.extent);
        let x = if place.is_mirrored { -place.x } else { place.x };
        let is_mirrored = (x.floor() + offset).rem_euclid(2.0 * extent) >= extent;
        match (is_mirrored, mirrored) {
            (true, Mirrored::Coordinate) => (-x, -offset),
            _ => (x, offset),
        }
    }

    /// Whether all places beyond the image are places in it.
    #[inline]
    fn is_repeated(self) -> bool {
        self.normalized && matches!(self.mode, Some(AddressMode::Wrap | AddressMode::Mirror))
    }

    /// Where a place with its offset lies, with weights rounded and with weights truncated: in steps with linear filtering, else the
    /// number of a texel. The offset is added to what was rounded, because a sum with it may have no binary64 of its own.
    fn places(self, place: Place, mirrored: Mirrored, semantics: &Semantics) -> [f64; 2] {
        let (x, offset) = self.facing(place, mirrored);
        let extent = f64::from(self.extent);
        // Far outside one place is as good as another.
        let far = extent + 4.0;
        let (half, unit, places) = match self.filter {
            FilterMode::Nearest => {
                let texel = match () {
                    () if semantics.is_specification() => x.floor(),
                    () if semantics.has(Deviation::TexNearestRounds) => x.round(),
                    () if semantics.has(Deviation::TexNearestTruncates) => x.trunc(),
                    () if semantics.has(Deviation::TexNearestHalf) => (x - 0.5).floor(),
                    () if semantics.has(Deviation::TexNearestFixed) => ((x * STEPS).round() / STEPS).floor(),
                    () => x.floor(),
                };
                (0.0, 1.0, [texel; 2])
            }
            FilterMode::Linear => {
                let half = match () {
                    () if semantics.has(Deviation::TexLinearOffset) => 0.0,
                    () if place.is_mirrored && semantics.has(Deviation::TexMirrorHalfTexel) => -0.5,
                    () => 0.5,
                };
                let steps = (x - half) * STEPS;
                match semantics.has(Deviation::TexWeightsUnquantised) {
                    true => (half, STEPS, [steps; 2]),
                    false => (half, STEPS, [(steps + 0.5).floor(), steps.floor()]),
                }
            }
        };
        places.map(|place| place + offset * unit).map(|place| match self.mode {
            _ if self.is_repeated() => place,
            // "GL_CLAMP": the coordinate is clamped to the image, ends included.
            Some(AddressMode::ClampOgl) => place.clamp(-half * unit, (extent - half) * unit),
            _ => place.clamp(-far * unit, 2.0 * far * unit),
        })
    }

    fn taps(self, place: f64, outside: bool, semantics: &Semantics, consulted: &mut ChoiceSet) -> Axis {
        if self.filter == FilterMode::Nearest {
            // The very end belongs to the last texel in the modes that clamp or mirror coordinates to it; see `tap`.
            return Axis::one(self.tap(place as i64, semantics, consulted));
        }
        let first = (place / STEPS).floor();
        let fraction = place / STEPS - first;
        let weight = if semantics.has(Deviation::TexWeightsSwapped) { 1.0 - fraction } else { fraction };
        let index = first as i64;
        let taps = [(index, 1.0 - weight), (index + 1, weight)];
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
