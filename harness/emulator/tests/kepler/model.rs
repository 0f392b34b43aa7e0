//! Kepler: what its code does with an access. Written from what ptxas emits for it and what is published of `SUCLAMP`, without a look at how
//! the emulator does it:
//!
//! * SUCLAMP clamps a coordinate to 0 … bound, inclusive. The coordinate is a signed number, or with `.U32` an unsigned one; the bound is
//!   rounded down to a multiple of R. Below 0 it gives 0, above the bound the rounded bound, and says of both that they are out of bounds.
//!   The coordinate itself is not rounded.
//! * R is the size of the whole access: with a row of w bytes the bound of x is (w − 1) & ~(R − 1). For `.p` there is no R; x counts texels.
//! * `.clamp` ignores what is out of bounds and goes to the clamped place; `.zero` loads zero or drops the store; `.trap` traps.
//! * An access that begins at or below the bound and is longer than the rest of its row goes on past the row, into what pads it.

use warpdiff_model::Surface;

use crate::table::{Clamp, Form, Instruction, Outside, Reduction};

/// The coordinates of an access, as the registers hold them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Coordinates {
    pub(crate) x: u32,
    pub(crate) y: u32,
    pub(crate) z: u32,
    pub(crate) layer: u32,
}

/// An access: where to, and what is stored.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Access {
    pub(crate) coordinates: Coordinates,
    /// The bytes that a store or reduction takes, in the order of its registers.
    pub(crate) source: [u8; 16],
    /// What the device happens to have where nothing is promised: what pads a row, what becomes of missing components.
    pub(crate) chance: [u8; 16],
}

/// Where an access goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reached {
    /// To this byte of the surface's texels, and from there `inside` bytes of the row; what is more goes past the row.
    Place { offset: usize, inside: usize },
    /// Nowhere: it loads zero or stores nothing.
    Nothing,
    /// It traps.
    Trap,
    /// In bounds, and not aligned to its size: what the hardware does then the code does not show.
    Unsaid,
}

/// What an access leaves behind.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Effect {
    /// These bytes in the registers, the others of them zero; the surface as it was.
    Loaded([u8; 16]),
    /// These texels in the surface.
    Stored(Vec<u8>),
}

impl Clamp {
    /// The place of a coordinate, and whether it is out of bounds.
    fn apply(self, coordinate: u32, bound: u32) -> (u32, bool) {
        let last = bound & !(self.multiple - 1);
        if self.signed && (coordinate as i32) < 0 {
            (0, true)
        } else if coordinate > last {
            (last, true)
        } else {
            (coordinate, false)
        }
    }
}

/// Where an access of that form goes.
pub(crate) fn reached(form: &Form, surface: &Surface, at: Coordinates) -> Reached {
    let texel = surface.format.texel_size();
    let row = surface.row_size() as u32;
    let [width, height, depth] = surface.extent;
    let clamp = |clamp: Option<Clamp>, coordinate: u32, extent: u32| match clamp {
        Some(clamp) => clamp.apply(coordinate, extent - 1),
        None => (0, false),
    };
    let (x, beyond_x) = clamp(Some(form.x), at.x, if form.in_texels { width } else { row });
    let (y, beyond_y) = clamp(form.y, at.y, height);
    let (z, beyond_z) = clamp(form.z, at.z, depth);
    let (layer, beyond_layer) = clamp(form.layer, at.layer, surface.layers);
    if beyond_x || beyond_y || beyond_z || beyond_layer {
        match form.outside {
            Outside::Trapped => return Reached::Trap,
            Outside::Dropped => return Reached::Nothing,
            Outside::Clamped => {}
        }
    }
    let x = if form.in_texels { x * texel } else { x };
    let size = form.size(texel as usize) as u32;
    // Texels are where they are; reductions and unformatted accesses are of naturally aligned words.
    let aligned = matches!(form.instruction, Instruction::StoreTexel(_)) || x % size == 0;
    if !aligned {
        return Reached::Unsaid;
    }
    let offset = ((layer * depth + z) * height + y) * row + x;
    Reached::Place { offset: offset as usize, inside: size.min(row - x) as usize }
}

/// What an access that neither traps nor goes where nothing is said leaves behind.
pub(crate) fn effect(form: &Form, surface: &Surface, access: &Access) -> Option<Effect> {
    let place = match reached(form, surface, access.coordinates) {
        Reached::Trap | Reached::Unsaid => return None,
        Reached::Nothing => None,
        Reached::Place { offset, inside } => Some((offset, inside)),
    };
    let Some((offset, inside)) = place else {
        return Some(match form.stores() {
            true => Effect::Stored(surface.bytes.clone()),
            false => Effect::Loaded([0; 16]),
        });
    };
    let mut found = access.chance;
    found[..inside].copy_from_slice(&surface.bytes[offset..offset + inside]);
    let new = match form.instruction {
        Instruction::Load(size) => {
            found[size..].fill(0);
            return Some(Effect::Loaded(found));
        }
        Instruction::Store(_) => access.source,
        Instruction::StoreTexel(components) => texel(surface, components, access),
        Instruction::Reduce { reduction, size, signed } => {
            reduced(reduction, size, signed, found, access.source)
        }
    };
    let mut image = surface.bytes.clone();
    image[offset..offset + inside].copy_from_slice(&new[..inside]);
    Some(Effect::Stored(image))
}

/// A texel as `SUSTGA.P` writes it. How numbers are converted to a format the code does not show: a channel is as wide as what is stored, and
/// takes it as it is, or what is stored is zero, which is zero in every format.
fn texel(surface: &Surface, components: usize, access: &Access) -> [u8; 16] {
    let mut bytes = access.chance;
    let channels = usize::from(surface.format.channels).min(components);
    let size = surface.format.channel.size() as usize;
    for channel in 0..channels {
        let source = &access.source[4 * channel..4 * channel + 4];
        assert!(size == 4 || source == [0; 4], "a number that would be converted");
        bytes[size * channel..size * (channel + 1)].copy_from_slice(&source[..size]);
    }
    bytes
}

/// What a reduction leaves in the bytes found.
fn reduced(reduction: Reduction, size: usize, signed: bool, found: [u8; 16], source: [u8; 16]) -> [u8; 16] {
    let number = |bytes: [u8; 16]| {
        let mut low = [0; 8];
        low[..size].copy_from_slice(&bytes[..size]);
        u64::from_le_bytes(low)
    };
    let (old, given) = (number(found), number(source));
    // Only words of 32 bits are signed.
    let ordered = |bits: u64| if signed { i64::from(bits as u32 as i32) } else { (bits ^ 1 << 63) as i64 };
    let less = ordered(old) < ordered(given);
    let new = match reduction {
        Reduction::Add => old.wrapping_add(given),
        Reduction::Min if less => old,
        Reduction::Max if !less => old,
        Reduction::Min | Reduction::Max => given,
        Reduction::And => old & given,
        Reduction::Or => old | given,
    };
    let mut bytes = found;
    bytes[..size].copy_from_slice(&new.to_le_bytes()[..size]);
    bytes
}
