//! Where Kepler departs from the text, each departure stated from its code and the sentence it departs from.

use warpdiff_model::{ChannelType, Deviation, Surface};

use crate::model::{Access, Coordinates, Reached, effect, reached};
use crate::table::{Clamp, Form, Instruction, Reduction};

/// A named departure of Kepler from the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Departure {
    /// x and y of a2d are unsigned; "the next two elements are interpreted as 2d surface coordinates of type .s32".
    ArrayUnsigned,
    /// An access that begins at the last multiple of its size in the row, and is longer than the rest, is not out of bounds and runs past the row.
    PastRow,
    /// What begins inside a row, above the last multiple of its size there, is out of bounds; of an address that is not aligned the text says
    /// that "the access may proceed by silently masking off low-order address bits […], or the instruction may fault".
    MisalignedOutside,
    /// `sured.p.min` and `.max` compare as unsigned whatever the format; "if the surface format contains SINT data, then .s32 is assumed".
    Unsigned,
}

impl Departure {
    pub(crate) const ALL: [Self; 4] =
        [Self::ArrayUnsigned, Self::PastRow, Self::MisalignedOutside, Self::Unsigned];

    /// The deviation of the emulator that does the same.
    pub(crate) fn deviation(self) -> Deviation {
        match self {
            Self::ArrayUnsigned => Deviation::KeplerA2dUnsigned,
            Self::PastRow => Deviation::KeplerStraddleInBounds,
            Self::MisalignedOutside => Deviation::KeplerMisalignedOutOfBounds,
            Self::Unsigned => Deviation::SuredPSignFromOpcode,
        }
    }

    /// The departures without which the access would do something else.
    pub(crate) fn of(form: &Form, surface: &Surface, access: &Access) -> Vec<Self> {
        Self::ALL.into_iter().filter(|departure| departure.matters(form, surface, access)).collect()
    }

    fn matters(self, form: &Form, surface: &Surface, access: &Access) -> bool {
        let at = reached(form, surface, access.coordinates);
        match self {
            Self::ArrayUnsigned => {
                let signed = |clamp: Clamp| Clamp { signed: true, ..clamp };
                let text = Form { x: signed(form.x), y: form.y.map(signed), ..form.clone() };
                reached(&text, surface, access.coordinates) != at
            }
            Self::PastRow => {
                let size = form.size(surface.format.texel_size() as usize);
                matches!(at, Reached::Place { inside, .. } if inside < size)
            }
            Self::MisalignedOutside => {
                let Coordinates { x, .. } = access.coordinates;
                let masked = Coordinates { x: x & !(form.x.multiple - 1), ..access.coordinates };
                // A trap is a fault.
                at == Reached::Nothing
                    && x < surface.row_size() as u32
                    && reached(form, surface, masked) != at
            }
            Self::Unsigned => {
                let Instruction::Reduce { reduction, size, .. } = form.instruction else { return false };
                let sint = [ChannelType::S8, ChannelType::S16, ChannelType::S32];
                let compares = matches!(reduction, Reduction::Min | Reduction::Max);
                if !form.in_texels || !compares || !sint.contains(&surface.format.channel) {
                    return false;
                }
                let instruction = Instruction::Reduce { reduction, size, signed: true };
                let text = Form { instruction, ..form.clone() };
                effect(&text, surface, access) != effect(form, surface, access)
            }
        }
    }
}
