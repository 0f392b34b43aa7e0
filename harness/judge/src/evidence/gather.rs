//! Which memory is shown for a mismatch.

use std::ops::Range;

use warpdiff_model::allowed::{MaskedRegion, MaskedState};
use warpdiff_model::{Buffer, Launch, Region, RegionKind, State};

use super::accessed_place::AccessedPlace;
use super::grid::Grid;
use super::view::{Basis, Sheet, View};
use crate::reference::Unit;

/// Regions shown at most.
const REGIONS: usize = 6;

/// Memory around the mismatches of a launch.
#[derive(Clone, Debug, Default)]
pub struct Evidence {
    /// The regions that differ, then surfaces that rows accessed.
    pub views: Vec<View>,
    /// Number of further regions that differ.
    pub left_out: usize,
}

/// The regions in which an observed state differs from a permitted one.
pub fn compared(
    unit: &Unit<'_>,
    allowed: &MaskedState,
    observed: &State,
    accessed: &[AccessedPlace],
) -> Evidence {
    let launch = &unit.planned.launch;
    let runs = allowed.differing(observed, &unit.allowed.tolerances);
    let differing = allowed.regions.iter().zip(&runs).filter(|(_, runs)| !runs.is_empty());
    let views = differing.filter_map(|(masked, runs)| of_masked(launch, masked, observed, runs, accessed));
    finished(launch, views.collect(), accessed, Basis::Unchanged)
}

/// The regions that a launch changed, although it should not have completed.
pub fn changed(launch: &Launch, observed: &State, accessed: &[AccessedPlace]) -> Evidence {
    let views = observed.regions.iter().filter_map(|region| of_changed(launch, region, accessed));
    finished(launch, views.collect(), accessed, Basis::Unchanged)
}

/// The surfaces that rows accessed in a launch whose memory was not observed: with the expected contents if it should have
/// completed, and the initial contents.
pub fn unobserved(launch: &Launch, allowed: Option<&MaskedState>, accessed: &[AccessedPlace]) -> Evidence {
    let regions = allowed.iter().flat_map(|state| &state.regions);
    let surfaces = regions.filter(|r| r.region.kind == RegionKind::Surface);
    let views = surfaces.filter_map(|masked| of_demanded(launch, masked, accessed));
    finished(launch, views.collect(), accessed, Basis::Initial)
}

fn of_masked(
    launch: &Launch,
    masked: &MaskedRegion,
    observed: &State,
    runs: &[Range<usize>],
    accessed: &[AccessedPlace],
) -> Option<View> {
    let Region { kind, name, bytes } = &masked.region;
    let sheet = Sheet {
        kind: *kind,
        name,
        grid: grid(launch, *kind, name, bytes.len(), masked.stride),
        basis: Basis::Permitted,
        expected: bytes,
        compared: &|offset| shown(masked, offset),
        observed: &observed.region(*kind, name)?.bytes,
        runs,
    };
    Some(sheet.view(accessed))
}

fn of_demanded(launch: &Launch, masked: &MaskedRegion, accessed: &[AccessedPlace]) -> Option<View> {
    let Region { kind, name, bytes } = &masked.region;
    let before = &launch.surfaces.iter().find(|s| s.name == *name)?.bytes;
    let compared = |offset: usize| shown(masked, offset);
    let changed = |offset: &usize| before.get(*offset) != bytes.get(*offset) || compared(*offset) != 0xFF;
    let runs: Vec<Range<usize>> = (0..bytes.len()).filter(changed).map(|o| o..o + 1).collect();
    let sheet = Sheet {
        kind: *kind,
        name,
        grid: grid(launch, *kind, name, bytes.len(), masked.stride),
        basis: Basis::Demanded,
        expected: bytes,
        compared: &compared,
        observed: bytes,
        runs: &runs,
    };
    (!runs.is_empty()).then(|| sheet.view(accessed))
}

/// The bits of a byte that are shown: compared bits, and all bits of a value with a set of permitted values.
fn shown(masked: &MaskedRegion, offset: usize) -> u8 {
    match masked.value_at(offset) {
        Some(_) => 0xFF,
        None => masked.defined[offset] & !masked.unordered[offset],
    }
}

fn of_changed(launch: &Launch, region: &Region, accessed: &[AccessedPlace]) -> Option<View> {
    let Region { kind, name, bytes } = region;
    let guards;
    let buffer = || launch.buffers.iter().find(|b| b.name == *name);
    let before: &[u8] = match kind {
        RegionKind::Surface => &launch.surfaces.iter().find(|s| s.name == *name)?.bytes,
        RegionKind::Buffer => &buffer()?.bytes,
        RegionKind::Guard => {
            guards = vec![Buffer::GUARD_BYTE; bytes.len()];
            &guards
        }
        // The initial contents of a variable are not part of the launch.
        RegionKind::Variable => return None,
    };
    if before.len() != bytes.len() {
        return None;
    }
    let differs = |offset: &usize| before[*offset] != bytes[*offset];
    let runs: Vec<Range<usize>> = (0..bytes.len()).filter(differs).map(|o| o..o + 1).collect();
    let stride = buffer().map_or(0, |b| b.stride);
    let grid = grid(launch, *kind, name, bytes.len(), stride);
    let sheet = Sheet {
        kind: *kind,
        name,
        grid,
        basis: Basis::Before,
        expected: before,
        compared: &|_| 0xFF,
        observed: bytes,
        runs: &runs,
    };
    (!runs.is_empty()).then(|| sheet.view(accessed))
}

/// Limits the views, and adds the surfaces that rows accessed and that did not change, compared with `basis`.
fn finished(launch: &Launch, mut views: Vec<View>, accessed: &[AccessedPlace], basis: Basis) -> Evidence {
    let left_out = views.len().saturating_sub(REGIONS);
    views.truncate(REGIONS);
    let shown = |name: &str| views.iter().any(|v| v.kind == RegionKind::Surface && v.name == name);
    let addressed =
        launch.surfaces.iter().filter(|s| !shown(&s.name) && accessed.iter().any(|a| a.surface == s.name));
    let unchanged: Vec<View> = addressed
        .map(|surface| {
            let sheet = Sheet {
                kind: RegionKind::Surface,
                name: &surface.name,
                grid: Grid::texels(surface),
                basis,
                expected: &surface.bytes,
                compared: &|_| 0xFF,
                observed: &surface.bytes,
                runs: &[],
            };
            sheet.view(accessed)
        })
        .collect();
    views.extend(unchanged);
    Evidence { views, left_out }
}

/// The cells of a region: texels for a surface of the launch, bytes otherwise.
fn grid(launch: &Launch, kind: RegionKind, name: &str, size: usize, stride: u32) -> Grid {
    let surface = launch.surfaces.iter().find(|s| kind == RegionKind::Surface && s.name == name);
    surface.filter(|s| s.bytes.len() == size).map_or_else(|| Grid::bytes(size, stride), Grid::texels)
}
