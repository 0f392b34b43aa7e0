//! The bytes of a region that an expectation states, and what an outcome of the reference has there.

use std::borrow::Cow;

use warpdiff_corpus::bytes::{self, Number};
use warpdiff_corpus::elements::Elements;
use warpdiff_model::allowed::{MaskedState, Permits, Value};
use warpdiff_model::{Outcome, Permitted, RegionKind};

use crate::judgement::describe;
use crate::reference::Unit;

/// The bytes of a region that an expectation states.
pub(crate) struct Field<'a> {
    /// The kind of the region.
    pub(crate) region: RegionKind,
    /// Its name.
    pub(crate) name: &'a str,
    /// Where they begin in it.
    pub(crate) offset: usize,
    /// The mask of stated bits, with a byte for each.
    pub(crate) mask: &'a [u8],
    /// The elements of the region, if the field consists of whole ones.
    elements: Option<Elements<'a>>,
}

/// The bits of an outcome in a field.
#[derive(Clone)]
pub(crate) struct FieldBits<'a> {
    /// The bytes.
    pub(crate) bytes: Cow<'a, [u8]>,
    /// Which of their bits are defined.
    pub(crate) defined: Cow<'a, [u8]>,
    /// Index of the region in the state.
    pub(crate) region: usize,
    /// The state of the outcome.
    pub(crate) state: &'a MaskedState,
}

/// Most combinations of values of a field that are tried.
const READINGS: usize = 64;

impl FieldBits<'_> {
    /// All bits that the field may have, if some of its values have two permitted ones. Offsets of `values` are in the region; the
    /// field begins at `offset`.
    fn readings(self, values: &[Value], offset: usize) -> Vec<Self> {
        let end = offset + self.bytes.len();
        let inside = values.iter().filter(|value| offset <= value.offset && value.offset + value.size <= end);
        let mut readings = vec![self];
        for value in inside {
            let either = match value.permitted {
                Permits::Either(either) => either,
                // One number stands for the interval.
                Permits::Between(interval) => [interval.reference; 2],
                Permits::Nan(_) => continue,
            };
            let numbers = if either[0] == either[1] { &either[..1] } else { &either[..] };
            if readings.len() * numbers.len() > READINGS {
                break;
            }
            let range = value.offset - offset..value.offset - offset + value.size;
            let with = |bits: &Self, number: u64| {
                let mut bits = bits.clone();
                bits.bytes.to_mut()[range.clone()].copy_from_slice(&number.to_le_bytes()[..value.size]);
                bits.defined.to_mut()[range.clone()].fill(0xFF);
                bits
            };
            readings =
                readings.iter().flat_map(|bits| numbers.iter().map(|number| with(bits, *number))).collect();
        }
        readings
    }
}

impl Field<'_> {
    /// The field of a region of this launch.
    pub(crate) fn new<'a>(
        unit: &'a Unit<'_>,
        region: RegionKind,
        name: &'a str,
        offset: usize,
        mask: &'a [u8],
    ) -> Field<'a> {
        let whole = |elements: &Elements<'_>| {
            offset.is_multiple_of(elements.size) && mask.len().is_multiple_of(elements.size)
        };
        Field { region, name, offset, mask, elements: unit.planned.elements(region, name).filter(whole) }
    }

    /// Its elements, if it has several.
    pub(crate) fn several(&self) -> Option<Elements<'_>> {
        self.elements.filter(|elements| self.mask.len() > elements.size)
    }

    /// The place of its only element in a surface, which the subject of the expectation does not name.
    pub(crate) fn place(&self) -> Option<String> {
        let only = self.elements.filter(|elements| self.mask.len() == elements.size)?;
        let index = self.offset / only.size;
        Some(format!("element {index} is at {}", only.texel(index)?.words()))
    }

    /// The bytes as a number, if the field is an output column or an element.
    pub(crate) fn decoded(&self, unit: &Unit<'_>, bytes: &[u8]) -> Option<Number> {
        let ty = unit.planned.type_at(self.region, self.name, self.offset..self.offset + bytes.len())?;
        bytes::decoded(bytes, ty)
    }

    /// The same in words, behind the bytes.
    pub(crate) fn number(&self, unit: &Unit<'_>, bytes: &[u8]) -> String {
        self.decoded(unit, bytes).map(|number| format!(", {}", number.words)).unwrap_or_default()
    }

    /// The bits of the outcome there; `Err` says why there are none.
    pub(crate) fn of<'o>(&self, outcome: &'o Outcome) -> Result<FieldBits<'o>, String> {
        match &outcome.permitted {
            Permitted::Completed { state } => self.within(state),
            _ => Err(format!("the reference {}", describe(outcome))),
        }
    }

    /// All bits that the outcome permits there; `Err` says why there are none.
    pub(crate) fn readings<'o>(&self, outcome: &'o Outcome) -> Result<Vec<FieldBits<'o>>, String> {
        let bits = self.of(outcome)?;
        Ok(match self.values(outcome, bits.region) {
            [] => vec![bits],
            values => bits.readings(values, self.offset),
        })
    }

    /// The values with a set of permitted values, in the region of the field.
    pub(crate) fn values<'o>(&self, outcome: &'o Outcome, region: usize) -> &'o [Value] {
        match &outcome.permitted {
            Permitted::Completed { state } => &state.regions[region].values,
            _ => &[],
        }
    }

    /// The bits of a state there; `Err` says why there are none.
    pub(crate) fn within<'o>(&self, state: &'o MaskedState) -> Result<FieldBits<'o>, String> {
        let same = |r: &warpdiff_model::allowed::MaskedRegion| {
            r.region.kind == self.region && r.region.name == self.name
        };
        let Some(region) = state.regions.iter().position(same) else {
            return Err(format!("the launch has no {} `{}`", bytes::kind_name(self.region), self.name));
        };
        let found = &state.regions[region];
        let range = self.offset..self.offset + self.mask.len();
        match (found.region.bytes.get(range.clone()), found.defined.get(range)) {
            (Some(bytes), Some(defined)) => {
                Ok(FieldBits { bytes: bytes.into(), defined: defined.into(), region, state })
            }
            _ => Err(format!("`{}` has only {} bytes", self.name, found.region.bytes.len())),
        }
    }
}

/// That some of the stated bits are undefined, in words.
pub(crate) fn undefined_bits(bits: &FieldBits<'_>, mask: &[u8]) -> Option<String> {
    let undefined = bits.defined.iter().zip(mask).any(|(defined, mask)| !defined & mask != 0);
    undefined.then(|| {
        format!(
            "the reference leaves bits undefined there: {}",
            bytes::masked_hex(&bits.bytes, &bits.defined)
        )
    })
}
