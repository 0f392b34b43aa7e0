//! Arbitrary bytes → a valid program of PTX or SPA 5.0 with its inputs; and back: the smallest program that still differs.
//!
//! A [`Specimen`] is the structured form: input columns, steps, memory windows, images. It is valid by construction, so that
//! no execution is spent on a program that is refused. `Specimen::arbitrary` reads one from bytes (from a random number
//! generator or from libFuzzer), [`Specimen::write`] turns it into PTX and a [`warpdiff_model::Launch`],
//! [`reduce::reduce`] shrinks it, and [`case::text`] writes it as a case of the corpus: the full program, never a seed.
//!
//! Each thread works on its own data, or meets the others where the specification decides what comes of it; branches are on inputs, and loops are
//! bounded. So every value is decided, but for what atomics return that threads contend for: of those the serialisation check says whether some
//! order gives it.
//! To teach it an instruction, add a row to the table of its family:
//!
//! * [`forms`]: instructions from registers to registers;
//! * [`memory`]: `ld`, `st`, `atom`, `red`;
//! * [`surface`]: `suld`, `sust`, `sured`;
//! * [`texture`]: `tex`, by the type that texels are read as, and samplers;
//! * [`lanes`]: what lanes of a warp do together, and barriers;
//! * [`moves`]: `mov`, special registers;
//! * [`queries`]: `suq`, `txq`, `istypep`;
//! * [`flow`]: blocks of instructions, with the branches around them;
//! * [`variable`]: types and shapes of variables with initial values, and loads of their elements;
//! * [`spa`]: programs of SPA 5.0.
//!
//! [`census`] counts which of the forms that the reference runs they have.
//!
//! [`declarations`] writes modules of variables with initial values, which are assembled and not run.

mod available;
mod body;
mod branches;
pub mod build;
mod builder;
mod call;
pub mod case;
pub mod census;
mod constants;
pub mod declarations;
mod fault;
pub mod flow;
pub mod forms;
pub mod image;
pub mod lanes;
mod meeting;
pub mod memory;
mod mix;
mod module;
pub mod moves;
pub mod mutate;
mod part;
mod places;
pub mod queries;
pub mod reduce;
pub mod seed;
pub mod spa;
pub mod specimen;
pub mod surface;
mod text;
pub mod texture;
pub mod values;
pub mod variable;
pub mod video;
pub mod write;

pub use available::register_forms;
pub use mix::Mix;
pub use module::{Differs, Opcodes};
pub use specimen::{Entrance, Specimen};
pub use write::{Places, Written};

/// The newest target whose instructions specimens have, by its number.
pub use places::TARGET as NEWEST_TARGET;

/// The specimen of that index under that seed.
///
/// # Errors
///
/// Only if the generator asks for a choice among nothing, which is a defect of a table.
pub fn specimen(seed: u64, index: u64) -> arbitrary::Result<Specimen> {
    specimen_of(seed, index, NEWEST_TARGET, Mix::All)
}

/// The specimen of that index under that seed and of that mix, with instructions that a target has: the number of one, 50 or more. It is
/// another one for each mix, and for each of the targets that brought instructions.
///
/// # Errors
///
/// As [`specimen()`].
pub fn specimen_of(seed: u64, index: u64, target: u32, mix: Mix) -> arbitrary::Result<Specimen> {
    drawn(seed, index, |u| build::of_target(u, target, mix))
}

/// The specimen of that index under that seed, as a program of SPA 5.0.
///
/// # Errors
///
/// As [`specimen()`].
pub fn spa_specimen(seed: u64, index: u64) -> arbitrary::Result<Specimen> {
    drawn(seed, index, |u| spa::draw(u, Mix::All))
}

/// The specimen that these bytes give, of that mix and with instructions that a target has, and how many of them it is made of: any bytes give one,
/// and those beyond the last are zero.
///
/// # Errors
///
/// As [`specimen()`].
pub fn specimen_of_bytes(bytes: &[u8], target: u32, mix: Mix) -> arbitrary::Result<(Specimen, usize)> {
    read(bytes, |u| build::of_target(u, target, mix))
}

/// The same as a program of SPA 5.0 of that mix. Its threads have places of their own, so that the mix [`Mix::Contended`] is everything.
///
/// # Errors
///
/// As [`specimen()`].
pub fn spa_specimen_of_bytes(bytes: &[u8], mix: Mix) -> arbitrary::Result<(Specimen, usize)> {
    read(bytes, |u| spa::draw(u, mix))
}

fn read(
    bytes: &[u8],
    draw: impl FnOnce(&mut arbitrary::Unstructured<'_>) -> arbitrary::Result<Specimen>,
) -> arbitrary::Result<(Specimen, usize)> {
    let mut left = arbitrary::Unstructured::new(bytes);
    let specimen = draw(&mut left)?;
    Ok((specimen, bytes.len() - left.len()))
}

fn drawn(
    seed: u64,
    index: u64,
    draw: impl FnOnce(&mut arbitrary::Unstructured<'_>) -> arbitrary::Result<Specimen>,
) -> arbitrary::Result<Specimen> {
    let mut bytes = [0; seed::SPECIMEN_BYTES];
    seed::fill(&mut bytes, seed, index);
    read(&bytes, draw).map(|(specimen, _)| specimen)
}
