//! Which of Kepler's deviations an access shows, each told from its code and the sentence of the specification that it does not follow.

use warpdiff_model::{ChannelType, Deviation, Origin, Surface};

use crate::model::{Access, Coordinates, Reached, effect, reached};
use crate::table::{Clamp, Form, Instruction, Reduction};

/// The deviations of the catalogue that the code for Kepler has.
pub(crate) fn of_kepler() -> impl Iterator<Item = Deviation> {
    Deviation::all().filter(|deviation| deviation.entry().origins.contains(&Origin::Kepler))
}

/// The deviations without which the access would do something else.
pub(crate) fn shown(form: &Form, surface: &Surface, access: &Access) -> Vec<Deviation> {
    of_kepler().filter(|deviation| matters(*deviation, form, surface, access)).collect()
}

fn matters(deviation: Deviation, form: &Form, surface: &Surface, access: &Access) -> bool {
    let at = reached(form, surface, access.coordinates);
    match deviation {
        // "The next two elements are interpreted as 2d surface coordinates of type .s32."
        Deviation::KeplerA2dUnsigned => {
            let signed = |clamp: Clamp| Clamp { signed: true, ..clamp };
            let text = Form { x: signed(form.x), y: form.y.map(signed), ..form.clone() };
            reached(&text, surface, access.coordinates) != at
        }
        Deviation::KeplerStraddleInBounds => {
            let size = form.size(surface.format.texel_size() as usize);
            matches!(at, Reached::Place { inside, .. } if inside < size)
        }
        // "The access may proceed by silently masking off low-order address bits […], or the instruction may fault."
        Deviation::KeplerMisalignedOutOfBounds => {
            let Coordinates { x, .. } = access.coordinates;
            let masked = Coordinates { x: x & !(form.x.multiple - 1), ..access.coordinates };
            // A trap is a fault.
            at == Reached::Nothing && x < surface.row_size() as u32 && reached(form, surface, masked) != at
        }
        // "If the surface format contains SINT data, then .s32 is assumed."
        Deviation::SuredPSignFromOpcode => {
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
        other => panic!("the catalogue says that Kepler has {other}: say which accesses show it"),
    }
}
