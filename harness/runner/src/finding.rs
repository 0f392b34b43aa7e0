//! A difference between what is allowed and what a target did, with all a person needs to see it: the instruction, the row
//! and its inputs, the coordinates, the bytes, the class, and the deviation that does exactly the same.

use warpdiff_model::{Deviation, Mismatch, MismatchClass, Observation, RegionKind};

use crate::cause::{classify, row_of, surface_named};
use crate::diagnose::reproducing;
use crate::plan::{Column, Location, PlannedLaunch, Row};
use crate::reference::Unit;
use crate::site::{self, Site};
use crate::status::Raw;

/// What is wrong with one launch.
#[derive(Clone, Debug)]
pub struct Finding {
    /// Its status.
    pub raw: Raw,
    /// The class of its first difference.
    pub class: MismatchClass,
    /// Where in the program it comes from.
    pub site: Option<Site>,
    /// Deviations that reproduce the observation exactly.
    pub explained: Vec<Deviation>,
    /// The differences, first ones first, at most as many as the model reports.
    pub differences: Vec<Difference>,
}

/// One run of differing bytes, or one thing wrong with the launch as a whole.
#[derive(Clone, Debug)]
pub struct Difference {
    /// The row of the case.
    pub row: Option<Row>,
    /// The output column it begins in.
    pub column: Option<Column>,
    /// Kind and name of the region, if it is one of memory.
    pub region: Option<(RegionKind, String)>,
    /// Byte offset in the region.
    pub offset: usize,
    /// What is allowed there.
    pub expected: Vec<u8>,
    /// Which of its bits are.
    pub defined: Vec<u8>,
    /// What was observed there.
    pub observed: Vec<u8>,
    /// In words.
    pub detail: String,
    /// "x = 16, y = 2 of `image` (2d, 16 bytes x 3 rows)", for a surface access.
    pub coordinates: Option<String>,
}

impl Difference {
    /// Where the row concerned stands in the corpus.
    pub fn location(&self) -> Option<&Location> {
        self.row.as_ref().map(|row| &row.location)
    }
}

/// The finding over a launch whose observation is not allowed.
pub fn finding(unit: &Unit<'_>, observation: &Observation, raw: Raw, mismatches: &[Mismatch]) -> Finding {
    let planned: &PlannedLaunch = &unit.planned;
    let explained = reproducing(unit, observation);
    let locate = |m: &Mismatch| site::find(&unit.compiled, planned, m, explained.first().copied());
    let first = mismatches.first();
    let site = first.and_then(locate);
    let class = first.map_or(MismatchClass::Value, |m| classify(m, planned, site.as_ref()));
    let differences = mismatches.iter().map(|m| difference(planned, m, site.as_ref())).collect();
    Finding { raw, class, site, explained, differences }
}

fn difference(planned: &PlannedLaunch, mismatch: &Mismatch, site: Option<&Site>) -> Difference {
    let row = row_of(planned, mismatch).cloned();
    let coordinates = site.and_then(|site| coordinates(planned, site, row.as_ref()));
    Difference {
        column: column(planned, mismatch),
        row,
        region: mismatch.region.clone(),
        offset: mismatch.offset,
        expected: mismatch.expected.clone(),
        defined: mismatch.defined.clone(),
        observed: mismatch.observed.clone(),
        detail: mismatch.detail.clone(),
        coordinates,
    }
}

fn column(planned: &PlannedLaunch, mismatch: &Mismatch) -> Option<Column> {
    let (RegionKind::Buffer, name) = mismatch.region.as_ref()? else { return None };
    let name = (name == PlannedLaunch::OUTPUTS).then(|| site::column_at(planned, mismatch))??;
    planned.columns.iter().find(|c| c.name == name).cloned()
}

/// The coordinates of a surface access in a row, with the surface they point into.
fn coordinates(planned: &PlannedLaunch, site: &Site, row: Option<&Row>) -> Option<String> {
    let target = site.target.as_ref()?;
    let surface = surface_named(planned, &target.surface)?;
    let named = target.coordinates.iter().zip(["x", "y", "z", "w"]);
    let values: Vec<_> = named.filter_map(|(c, axis)| Some(format!("{axis} = {}", c.value(row)?))).collect();
    if values.is_empty() {
        return None;
    }
    let (width, [_, height, depth]) = (surface.row_size(), surface.extent);
    let shape = match (height, depth, surface.layers) {
        (1, 1, 1) => format!("{width} bytes"),
        (_, 1, 1) => format!("rows of {width} bytes, {height} rows"),
        (_, _, 1) => format!("rows of {width} bytes, {height} rows, {depth} slices"),
        (_, _, layers) => format!("rows of {width} bytes, {height} rows, {layers} layers"),
    };
    Some(format!("{} of `{}` ({shape})", values.join(", "), surface.name))
}
