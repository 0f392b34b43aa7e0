//! Where Kepler departs from the text, each departure stated from its code and the sentence it departs from.

use warpdiff_model::{ChannelType, Surface};

use crate::model::{Access, Reached, effect, reached};
use crate::table::{Clamp, Form, Instruction, Reduction};

/// A named departure of Kepler from the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Departure {
    /// x and y of a2d are unsigned; "the next two elements are interpreted as 2d surface coordinates of type .s32".
    ArrayUnsigned,
    /// An access that begins at the last multiple of its size in the row, and is longer than the rest, is not out of bounds and runs past the row.
    PastRow,
    /// `sured.p.min` and `.max` compare as unsigned whatever the format; "if the surface format contains SINT data, then .s32 is assumed".
    Unsigned,
}

impl Departure {
    pub(crate) const ALL: [Self; 3] = [Self::ArrayUnsigned, Self::PastRow, Self::Unsigned];

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
