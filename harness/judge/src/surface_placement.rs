//! The class of a wrong surface access by its bytes: those of another place, of another element, or a wrong value.
//!
//! If a row inside of the surface is wrong, the rows outside are not wrong because of clamping. A wrongly clamped access still has
//! the coordinates that lay inside. One wrong element of a vector is not a wrong address.

use std::collections::BTreeSet;
use std::ops::Range;

use warpdiff_corpus::plan::{PlannedLaunch, Row};
use warpdiff_emulator::Compiled;
use warpdiff_model::allowed::{MaskedRegion, MaskedState};
use warpdiff_model::{Axis, Mismatch, MismatchClass, RegionKind, State, Surface};
use warpdiff_ptx::vocabulary::{Modifier, Opcode};

use crate::mismatch_class::{row_of, surface_named};
use crate::site::{self, Site};

/// A launch with its permitted and its observed state.
pub(crate) struct EndedLaunch<'a> {
    /// The program.
    pub(crate) compiled: &'a Compiled,
    /// The launch.
    pub(crate) planned: &'a PlannedLaunch,
    /// The permitted and the observed state, if it completed and should have.
    pub(crate) states: Option<(&'a MaskedState, &'a State)>,
}

/// The place of an access by its coordinates.
struct SurfaceAccess<'a> {
    surface: &'a Surface,
    /// The first byte along the row, its size, the row and the slice; they may lie outside of the surface.
    x: i64,
    size: i64,
    y: i64,
    slice: i64,
    /// Whether x, y and the slice lie inside.
    inside: [bool; 3],
    misaligned: bool,
}

/// The symptom of one row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum RowSymptom {
    /// It faulted and should not have, or the reverse; with the class of that.
    Fault(MismatchClass),
    /// The right bytes, wrongly extended into a wider register.
    Extension,
    /// Bytes of another place, and whether they fit the coordinates that lie inside.
    Elsewhere { heeded: bool },
    /// The elements of the access in another order.
    Permuted,
    /// Only some of several elements are wrong, and whether they look as if they were not accessed.
    Partial { missing: bool },
    /// A missing access: zero was loaded, or nothing was stored out of bounds.
    Nothing,
    /// The right place, a wrong value.
    Value,
}

/// The class of the mismatches of a launch by its bytes. `None` if the instruction accesses no surface, its coordinates are
/// unknown, or the bytes decide nothing.
pub(crate) fn class(ended: &EndedLaunch<'_>, site: &Site, mismatches: &[Mismatch]) -> Option<MismatchClass> {
    let mode = site.surface_mode?;
    let mismatches = &in_all_rows(ended, mismatches);
    let mut inside: Vec<RowSymptom> = Vec::new();
    let mut outside: Vec<RowSymptom> = Vec::new();
    let mut misaligned = true;
    // For each byte of a row's outputs the element of the load that it comes from.
    let sources = match site.opcode {
        Some(Opcode::Suld) => site::elements(ended.compiled, ended.planned, site),
        _ => Vec::new(),
    };
    let partial = wrong_in_part(ended, site, &sources, mismatches);
    for mismatch in mismatches {
        let row = row_of(ended.planned, mismatch);
        let Some(access) = SurfaceAccess::of(ended.planned, site, row) else { continue };
        let shown = match &mismatch.region {
            None => Some(RowSymptom::Fault(mismatch.class)),
            Some((RegionKind::Surface, name)) if *name == access.surface.name => stored(ended, site, &access),
            Some((RegionKind::Buffer, name)) if name == PlannedLaunch::OUTPUTS => {
                loaded(ended, site, &access, &elements(ended, site, &sources, mismatch), partial)
            }
            Some(_) => None,
        };
        let Some(shown) = shown else { continue };
        misaligned &= access.misaligned;
        let into = if access.is_inside() { &mut inside } else { &mut outside };
        into.push(shown);
    }
    if !inside.is_empty() {
        return of_inside(&inside, mode);
    }
    if outside.is_empty() {
        return None;
    }
    if misaligned {
        return Some(MismatchClass::Alignment);
    }
    of_outside(&outside, mode)
}

/// Most runs of outputs that are examined.
const RUNS: usize = 512;

/// The mismatches, those of outputs from all rows: a verdict lists the first few only.
fn in_all_rows(ended: &EndedLaunch<'_>, mismatches: &[Mismatch]) -> Vec<Mismatch> {
    let in_outputs = |m: &Mismatch| {
        m.region.as_ref().is_some_and(|(kind, name)| {
            (*kind, name.as_str()) == (RegionKind::Buffer, PlannedLaunch::OUTPUTS)
        })
    };
    let (outputs, mut others): (Vec<&Mismatch>, Vec<&Mismatch>) =
        mismatches.iter().partition(|mismatch| in_outputs(mismatch));
    let all = ended.states.zip(outputs.first()).and_then(|((allowed, observed), like)| {
        let index = allowed.regions.iter().position(|masked| {
            (masked.region.kind, masked.region.name.as_str()) == (RegionKind::Buffer, PlannedLaunch::OUTPUTS)
        })?;
        let runs = allowed.differing(observed, &[]).into_iter().nth(index)?;
        let masked = &allowed.regions[index];
        let one = |run: Range<usize>| Mismatch {
            offset: run.start,
            row: run.start.checked_div(masked.stride as usize),
            expected: masked.region.bytes[run].to_vec(),
            ..(*like).clone()
        };
        Some(runs.into_iter().take(RUNS).map(one).collect::<Vec<_>>())
    });
    match all {
        Some(all) => all.into_iter().chain(others.into_iter().cloned()).collect(),
        None => {
            others.extend(outputs);
            others.into_iter().cloned().collect()
        }
    }
}

/// The class by the rows inside of the surface.
fn of_inside(shown: &[RowSymptom], mode: Modifier) -> Option<MismatchClass> {
    let count = |is: fn(&RowSymptom) -> bool| shown.iter().filter(|s| is(s)).count();
    let elsewhere = count(|s| matches!(s, RowSymptom::Elsewhere { .. }));
    // Some values occur elsewhere by chance; among many that do not, they are no sign of a wrong address.
    if elsewhere > 0 && elsewhere >= count(|s| *s == RowSymptom::Value) {
        return Some(MismatchClass::Addressing);
    }
    if let Some(class) = shown.iter().find_map(|s| match s {
        RowSymptom::Fault(class) => Some(*class),
        _ => None,
    }) {
        return Some(class);
    }
    let all = |is: RowSymptom| shown.iter().all(|s| *s == is);
    if all(RowSymptom::Extension) {
        return Some(MismatchClass::Conversion);
    }
    if all(RowSymptom::Permuted) {
        return Some(MismatchClass::Layout);
    }
    if shown.iter().all(|s| matches!(s, RowSymptom::Permuted | RowSymptom::Partial { .. })) {
        return Some(MismatchClass::UnpredictableComponent);
    }
    // The behaviour of `.zero` out of bounds, but in bounds.
    (all(RowSymptom::Nothing) && mode == Modifier::Zero).then_some(MismatchClass::OutOfBounds)
}

/// The class by the rows outside of the surface, if none inside is wrong.
fn of_outside(shown: &[RowSymptom], mode: Modifier) -> Option<MismatchClass> {
    let count = |is: fn(&RowSymptom) -> bool| shown.iter().filter(|s| is(s)).count();
    let all = |is: fn(&RowSymptom) -> bool| shown.iter().all(is);
    if all(|s| matches!(s, RowSymptom::Fault(MismatchClass::OutOfBounds))) && mode == Modifier::Trap {
        return Some(MismatchClass::OutOfBounds);
    }
    if all(|s| *s == RowSymptom::Extension) {
        return Some(MismatchClass::Conversion);
    }
    let unheeded = count(|s| *s == RowSymptom::Elsewhere { heeded: false });
    if unheeded > 0 && unheeded >= count(|s| *s == RowSymptom::Elsewhere { heeded: true }) {
        return Some(MismatchClass::Addressing);
    }
    if all(|s| *s == RowSymptom::Partial { missing: true }) {
        return Some(MismatchClass::UnpredictableComponent);
    }
    // A store to the right place is not wrong by clamping.
    (!all(|s| *s == RowSymptom::Value)).then_some(MismatchClass::Clamp)
}

impl<'a> SurfaceAccess<'a> {
    fn of(planned: &'a PlannedLaunch, site: &Site, row: Option<&Row>) -> Option<Self> {
        let target = site.target.as_ref()?;
        let surface = surface_named(planned, &target.surface)?;
        let values = target.values(surface.geometry, row);
        let along = |axis: Axis| values.iter().find(|(a, _)| *a == axis).map(|(_, value)| *value);
        // `sust.p` counts and moves texels, `sured.p` data of its type.
        let sample = match site.opcode == Some(Opcode::Sured) {
            true => site.access,
            false => surface.format.texel_size(),
        };
        let (unit, size) = if site.x_in_bytes { (1, site.access) } else { (sample, sample) };
        let (x, size) = (along(Axis::X)? * i64::from(unit), i64::from(size));
        let slice = along(Axis::Layer).or(along(Axis::Z)).unwrap_or(0);
        let y = along(Axis::Y).unwrap_or(0);
        let width = i64::try_from(surface.row_size()).unwrap_or(i64::MAX);
        let slices = i64::from(surface.extent[2].max(surface.layers));
        let within = |value: i64, limit: i64| (0..limit).contains(&value);
        let inside =
            [x >= 0 && x + size <= width, within(y, i64::from(surface.extent[1])), within(slice, slices)];
        let misaligned = site.x_in_bytes && size > 1 && x % size != 0;
        Some(Self { surface, x, size, y, slice, inside, misaligned })
    }

    fn is_inside(&self) -> bool {
        self.inside.iter().all(|inside| *inside) && !self.misaligned
    }

    /// Its offset in the surface, if it lies inside.
    fn begin(&self) -> Option<usize> {
        let [row, slice] =
            [self.surface.row_size(), self.surface.slice_size()].map(|n| i64::try_from(n).ok());
        let begin = self.slice * slice? + self.y * row? + self.x;
        self.is_inside().then(|| usize::try_from(begin).ok()).flatten()
    }

    /// Whether an access that begins at this byte of the surface has the coordinates of this one that lie inside.
    fn heeds(&self, at: usize) -> bool {
        let (row, slice) = (self.surface.row_size().max(1), self.surface.slice_size().max(1));
        let at = at as u64;
        let there = [at % row, at % slice / row, at / slice].map(|n| n as i64);
        let same_x = (self.x..self.x + self.size.max(1)).contains(&there[0]);
        let same = [same_x, there[1] == self.y, there[2] == self.slice];
        self.inside.iter().zip(same).all(|(inside, same)| same || !inside)
    }
}

/// A region of a permitted and of an observed state.
fn both<'s>(
    (allowed, observed): (&'s MaskedState, &'s State),
    kind: RegionKind,
    name: &str,
) -> Option<(&'s MaskedRegion, &'s [u8])> {
    let masked = allowed.regions.iter().find(|r| r.region.kind == kind && r.region.name == name)?;
    let observed = &observed.region(kind, name)?.bytes;
    (masked.region.bytes.len() == observed.len()).then_some((masked, observed.as_slice()))
}

/// An element of a load that is wrong.
struct WrongElement {
    index: usize,
    /// Its first wrong byte.
    byte: usize,
    /// Its bytes in the buffer of outputs.
    place: Range<usize>,
}

/// The elements of the load in a run of differing bytes; none if the bytes are not outputs.
fn elements(
    ended: &EndedLaunch<'_>,
    site: &Site,
    sources: &[Option<(usize, usize)>],
    mismatch: &Mismatch,
) -> Vec<WrongElement> {
    let Some(differing) = ended.states.and_then(|s| both(s, RegionKind::Buffer, PlannedLaunch::OUTPUTS))
    else {
        return Vec::new();
    };
    let (masked, observed) = differing;
    let is_outputs =
        matches!(&mismatch.region, Some((RegionKind::Buffer, name)) if name == PlannedLaunch::OUTPUTS);
    if !is_outputs {
        return Vec::new();
    }
    let record = ended.planned.record().max(1);
    let size = site.element as usize;
    let mut found: Vec<WrongElement> = Vec::new();
    let end = (mismatch.offset + mismatch.expected.len()).min(observed.len());
    for at in mismatch.offset..end {
        let differs = (masked.region.bytes[at] ^ observed[at]) & masked.defined[at] & !masked.unordered[at];
        if differs == 0 {
            continue;
        }
        let Some((index, byte)) = sources.get(at % record).copied().flatten() else { continue };
        let place = at.saturating_sub(byte)..at.saturating_sub(byte) + size;
        if place.end <= observed.len() && found.iter().all(|e| e.place != place) {
            found.push(WrongElement { index, byte, place });
        }
    }
    found
}

/// Whether some of several loaded elements are right in all rows.
fn wrong_in_part(
    ended: &EndedLaunch<'_>,
    site: &Site,
    sources: &[Option<(usize, usize)>],
    mismatches: &[Mismatch],
) -> bool {
    let shown: BTreeSet<usize> = sources.iter().flatten().map(|(index, _)| *index).collect();
    let wrong = mismatches.iter().flat_map(|m| elements(ended, site, sources, m));
    let wrong: BTreeSet<usize> = wrong.map(|element| element.index).collect();
    !wrong.is_empty() && wrong.len() < shown.len()
}

fn loaded(
    ended: &EndedLaunch<'_>,
    site: &Site,
    access: &SurfaceAccess<'_>,
    elements: &[WrongElement],
    partial: bool,
) -> Option<RowSymptom> {
    let (_, observed) = both(ended.states?, RegionKind::Buffer, PlannedLaunch::OUTPUTS)?;
    let first = elements.first()?;
    let size = site.element as usize;
    if size == 0 {
        return None;
    }
    if first.byte >= size {
        return Some(RowSymptom::Extension);
    }
    let texels = &access.surface.bytes;
    let seen = |element: &WrongElement| &observed[element.place.clone()];
    let of_others = |element: &WrongElement| {
        let others = (0..access.size as usize / size).filter(|other| *other != element.index);
        let begin = access.begin();
        others
            .filter_map(|other| texels.get(begin? + other * size..begin? + (other + 1) * size))
            .any(|other| other == seen(element))
    };
    if access.size as usize > size && elements.iter().all(of_others) {
        return Some(RowSymptom::Permuted);
    }
    let zero = |element: &WrongElement| seen(element).iter().all(|byte| *byte == 0);
    if partial {
        return Some(RowSymptom::Partial { missing: elements.iter().all(zero) });
    }
    // Most surfaces contain zero, and an access out of bounds may load it.
    if zero(first) && (!access.is_inside() || site.surface_mode == Some(Modifier::Zero)) {
        return Some(RowSymptom::Nothing);
    }
    let stands = |at: &usize| {
        let place = at + first.index * size;
        texels.get(place..place + size) == Some(seen(first))
    };
    let mut places = (0..texels.len()).step_by(size).filter(stands).peekable();
    if places.peek().is_some() {
        return Some(RowSymptom::Elsewhere { heeded: places.any(|at| access.heeds(at)) });
    }
    Some(RowSymptom::Value)
}

fn stored(ended: &EndedLaunch<'_>, site: &Site, access: &SurfaceAccess<'_>) -> Option<RowSymptom> {
    // Rows that share a launch share the surface: which of them changed a byte is not known.
    if ended.planned.rows.len() > 1 {
        return None;
    }
    let surface = access.surface;
    let (masked, observed) = both(ended.states?, RegionKind::Surface, &surface.name)?;
    let before = &surface.bytes;
    let expected = &masked.region.bytes;
    if before.len() != observed.len() {
        return None;
    }
    let compared = |at: usize| masked.defined[at] & !masked.unordered[at];
    let wrong = |at: &usize| (expected[*at] ^ observed[*at]) & compared(*at) != 0;
    let wrong: Vec<usize> = (0..observed.len()).filter(wrong).collect();
    let kept = |at: &usize| (expected[*at] ^ before[*at]) & compared(*at) == 0;
    let intruded: Vec<usize> = wrong.iter().copied().filter(kept).collect();
    let begin = access.begin();
    let asked = begin.map_or(0..0, |begin| begin..begin + access.size as usize);
    if let Some(first) = intruded.iter().find(|at| !asked.contains(at)) {
        return Some(RowSymptom::Elsewhere { heeded: access.heeds(*first) });
    }
    let mut should = (0..expected.len()).filter(|at| !kept(at)).peekable();
    let nothing = should.peek().is_some() && should.all(|at| observed[at] == before[at]);
    if begin.is_none() {
        return Some(if nothing { RowSymptom::Nothing } else { RowSymptom::Value });
    }
    // A stored value that equals the old one looks as if nothing was stored.
    if nothing {
        return Some(RowSymptom::Value);
    }
    let chunk = match site.opcode == Some(Opcode::Sust) && !site.x_in_bytes {
        true => surface.format.channel.size() as usize,
        false => site.element.max(1) as usize,
    };
    let chunks = |bytes: &[u8]| {
        bytes.get(asked.clone()).map(|b| b.chunks(chunk).map(<[u8]>::to_vec).collect::<Vec<_>>())
    };
    let (expected, observed, before) = (chunks(expected)?, chunks(observed)?, chunks(before)?);
    if expected.len() > 1 {
        let sorted = |mut chunks: Vec<Vec<u8>>| {
            chunks.sort();
            chunks
        };
        if sorted(expected.clone()) == sorted(observed.clone()) {
            return Some(RowSymptom::Permuted);
        }
        let each = || expected.iter().zip(&observed).zip(&before);
        let some_right = each().any(|((e, o), b)| e == o && e != b);
        let others_stayed = each().all(|((e, o), b)| e == o || o == b);
        if some_right && others_stayed {
            return Some(RowSymptom::Partial { missing: true });
        }
    }
    Some(RowSymptom::Value)
}
