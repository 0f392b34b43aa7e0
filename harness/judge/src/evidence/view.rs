//! Which part of a region is shown around its differences.

use std::collections::BTreeSet;
use std::ops::Range;

use warpdiff_model::RegionKind;

use super::accessed_place::AccessedPlace;
use super::grid::{Cell, Content, Grid};

/// Columns and rows of texels shown at most.
const TEXELS: (u64, u64) = (12, 12);
/// Columns and rows of bytes shown at most.
const BYTES: (u64, u64) = (32, 12);
/// Columns and rows shown around a difference, if not all are shown.
const MARGIN: u64 = 2;
/// Slices shown at most.
const SLICES: usize = 4;

/// What the observation is compared with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Basis {
    /// The permitted contents.
    Permitted,
    /// The initial contents, because the launch must fault and so has no permitted contents.
    Before,
    /// The permitted contents and their changes; nothing was observed, because the target did not complete.
    Demanded,
    /// The permitted contents; nothing differs, but a row accessed the region.
    Unchanged,
    /// The initial contents; nothing was observed, and nothing should have changed.
    Initial,
}

/// The part of a region around its differences.
#[derive(Clone, Debug)]
pub struct View {
    /// Kind of the region.
    pub kind: RegionKind,
    /// Its name.
    pub name: String,
    /// Its cells.
    pub grid: Grid,
    /// What the observation is compared with.
    pub basis: Basis,
    /// The parts that are shown, slice by slice.
    pub windows: Vec<Window>,
    /// Cells that differ, in the region as a whole.
    pub differing: usize,
    /// How many of them lie outside of the windows.
    pub hidden: usize,
    /// Texels that rows accessed.
    pub accessed: Vec<AccessedPlace>,
}

/// A rectangle of cells of one slice.
#[derive(Clone, Debug)]
pub struct Window {
    /// The slice.
    pub slice: u64,
    /// Columns.
    pub columns: Range<u64>,
    /// Rows.
    pub rows: Range<u64>,
    /// Its cells, row by row; `None` beyond the end of the region.
    pub cells: Vec<Option<Pair>>,
}

/// A cell with its expected and its observed bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pair {
    /// The permitted or the initial bytes.
    pub expected: Vec<u8>,
    /// The mask of compared bits.
    pub compared: Vec<u8>,
    /// The observed bytes.
    pub observed: Vec<u8>,
    /// Whether compared bits differ beyond tolerances.
    pub differs: bool,
}

/// A region as a whole, from which a view is cut.
pub struct Sheet<'a> {
    /// Kind of the region.
    pub kind: RegionKind,
    /// Its name.
    pub name: &'a str,
    /// Its cells.
    pub grid: Grid,
    /// What the observation is compared with.
    pub basis: Basis,
    /// The permitted or the initial bytes, as many as the grid has.
    pub expected: &'a [u8],
    /// The compared bits of a byte.
    pub compared: &'a dyn Fn(usize) -> u8,
    /// The observed bytes, as many as the grid has.
    pub observed: &'a [u8],
    /// Bytes that differ.
    pub runs: &'a [Range<usize>],
}

impl Sheet<'_> {
    /// The view around the differences and the accessed texels.
    pub fn view(&self, accessed: &[AccessedPlace]) -> View {
        let of_it = |a: &&AccessedPlace| self.kind == RegionKind::Surface && a.surface == self.name;
        let accessed: Vec<AccessedPlace> = accessed.iter().filter(of_it).cloned().collect();
        let differing = self.differing();
        let mut wanted: Vec<Cell> = differing.iter().copied().collect();
        wanted.extend(accessed.iter().flat_map(|a| nearest(&self.grid, a)));
        let windows: Vec<Window> =
            slices(&wanted).into_iter().map(|slice| self.window(slice, &wanted, &differing)).collect();
        let shown = |cell: &&Cell| windows.iter().any(|w| w.holds(**cell));
        let hidden = differing.len() - differing.iter().filter(shown).count();
        View {
            kind: self.kind,
            name: self.name.to_string(),
            grid: self.grid,
            basis: self.basis,
            windows,
            differing: differing.len(),
            hidden,
            accessed,
        }
    }

    fn differing(&self) -> BTreeSet<Cell> {
        self.runs.iter().flat_map(|run| run.clone().map(|offset| self.grid.cell_at(offset))).collect()
    }

    fn window(&self, slice: u64, wanted: &[Cell], differing: &BTreeSet<Cell>) -> Window {
        let limits = if self.grid.content == Content::Bytes { BYTES } else { TEXELS };
        let here = wanted.iter().filter(|cell| cell.slice == slice);
        let columns = fit(here.clone().map(|c| c.x), self.grid.width, limits.0);
        let rows = fit(here.map(|c| c.y), self.grid.height, limits.1);
        let places = rows.clone().flat_map(|y| columns.clone().map(move |x| Cell { slice, y, x }));
        let cells = places.map(|cell| self.pair(cell, differing.contains(&cell))).collect();
        Window { slice, columns, rows, cells }
    }

    fn pair(&self, cell: Cell, differs: bool) -> Option<Pair> {
        let begin = self.grid.offset(cell)?;
        let range = begin..begin + self.grid.cell;
        Some(Pair {
            expected: self.expected.get(range.clone())?.to_vec(),
            compared: range.clone().map(self.compared).collect(),
            observed: self.observed.get(range)?.to_vec(),
            differs,
        })
    }
}

impl Window {
    fn holds(&self, cell: Cell) -> bool {
        self.slice == cell.slice && self.columns.contains(&cell.x) && self.rows.contains(&cell.y)
    }

    /// Its rows, each with its cells.
    pub fn lines(&self) -> impl Iterator<Item = (u64, &[Option<Pair>])> {
        let width = usize::try_from(self.columns.end - self.columns.start).unwrap_or(1).max(1);
        self.rows.clone().zip(self.cells.chunks(width))
    }
}

/// The texels of the surface that are nearest to the first and the last accessed one. None in an empty surface.
fn nearest(grid: &Grid, accessed: &AccessedPlace) -> Vec<Cell> {
    if grid.width == 0 || grid.height == 0 || grid.slices == 0 {
        return Vec::new();
    }
    let within = |value: i64, limit: u64| u64::try_from(value).unwrap_or(0).min(limit - 1);
    let (slice, y) = (within(accessed.slice, grid.slices), within(accessed.y, grid.height));
    let last = accessed.x.saturating_add(accessed.count - 1);
    [accessed.x, last].map(|x| Cell { slice, y, x: within(x, grid.width) }).to_vec()
}

/// The first slices that contain wanted cells.
fn slices(wanted: &[Cell]) -> Vec<u64> {
    let all: BTreeSet<u64> = wanted.iter().map(|cell| cell.slice).collect();
    all.into_iter().take(SLICES).collect()
}

/// All of `size` if that is at most `limit`; otherwise the wanted cells with a margin, or the first of them if they lie too far
/// apart.
fn fit(wanted: impl Iterator<Item = u64> + Clone, size: u64, limit: u64) -> Range<u64> {
    if size <= limit {
        return 0..size;
    }
    let first = wanted.clone().next().unwrap_or(0);
    let (low, high) = wanted.fold((first, first), |(low, high), v| (low.min(v), high.max(v)));
    if high - low < limit {
        let (begin, end) = (low.saturating_sub(MARGIN), (high + 1 + MARGIN).min(size));
        return begin..end.min(begin + limit).max(high + 1);
    }
    let begin = first.saturating_sub(1).min(size - limit);
    begin..begin + limit
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_window_holds_what_is_wanted_and_stays_inside() {
        assert_eq!(fit([3].into_iter(), 10, 12), 0..10);
        assert_eq!(fit([50].into_iter(), 100, 11), 48..53);
        assert_eq!(fit([0, 2].into_iter(), 100, 11), 0..5);
        assert_eq!(fit([99].into_iter(), 100, 11), 97..100);
        // Of what just fits, nothing is cut off for the margin.
        assert_eq!(fit([20, 30].into_iter(), 100, 11), 18..31);
        // 10 and 90 are too far apart for 11: the first of them is shown, the other counts as hidden.
        assert_eq!(fit([10, 90].into_iter(), 100, 11), 9..20);
        assert_eq!(fit(std::iter::empty(), 100, 11), 0..3);
    }

    #[test]
    fn what_is_outside_of_the_windows_is_counted() {
        let grid = Grid::bytes(16 * 100, 0);
        let (expected, mut observed) = (vec![0; 1600], vec![0; 1600]);
        (observed[0], observed[1599]) = (1, 1);
        let sheet = Sheet {
            kind: RegionKind::Buffer,
            name: "b",
            grid,
            basis: Basis::Permitted,
            expected: &expected,
            compared: &|_| 0xFF,
            observed: &observed,
            runs: &[0..1, 1599..1600],
        };
        let view = sheet.view(&[]);
        assert_eq!((view.differing, view.hidden, view.windows.len()), (2, 1, 1));
        let first = view.windows[0].cells[0].clone().unwrap();
        assert!(first.differs && first.expected == [0] && first.observed == [1]);
        assert_eq!(view.windows[0].rows, 0..12);
    }

    #[test]
    fn an_access_outside_is_shown_at_the_nearest_texel() {
        let surface = warpdiff_model::Surface {
            name: "image".into(),
            geometry: warpdiff_model::Geometry::D2,
            extent: [640, 480, 1],
            layers: 1,
            format: "u8".parse().unwrap(),
            bytes: vec![0; 640 * 480],
            bound_to: None,
        };
        let accessed = |x, y| AccessedPlace { row: 0, surface: "image".into(), x, count: 4, y, slice: 0 };
        let grid = Grid::texels(&surface);
        assert_eq!(nearest(&grid, &accessed(-4, 1000))[0], Cell { slice: 0, y: 479, x: 0 });
        assert_eq!(nearest(&grid, &accessed(638, -1))[1], Cell { slice: 0, y: 0, x: 639 });
    }
}
