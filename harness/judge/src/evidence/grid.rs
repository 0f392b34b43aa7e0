//! A region of memory as cells in rows, columns and slices.

use warpdiff_model::{Format, Geometry, Surface};

/// Bytes in a line of a region without records.
const LINE: u64 = 16;
/// Longest record, in bytes, that is shown as one line.
const LONGEST_RECORD: u64 = 32;

/// The kind of the cells of a region.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Content {
    /// Texels.
    Texels {
        /// Shape of the surface.
        geometry: Geometry,
        /// Format of a texel.
        format: Format,
    },
    /// Single bytes.
    Bytes,
}

/// A region of memory as cells: x fastest, then y, then the slice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Grid {
    /// The kind of the cells.
    pub content: Content,
    /// Cells in a row. The last row of bytes may have fewer.
    pub width: u64,
    /// Rows in a slice.
    pub height: u64,
    /// Slices: z planes or layers; at least 1.
    pub slices: u64,
    /// Bytes of a cell.
    pub cell: usize,
    /// Bytes of the region.
    pub size: usize,
}

/// Position of a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Cell {
    /// Slice.
    pub slice: u64,
    /// Row in the slice.
    pub y: u64,
    /// Column.
    pub x: u64,
}

impl Grid {
    /// The texels of a surface.
    pub fn texels(surface: &Surface) -> Self {
        let [width, height, depth] = surface.extent.map(u64::from);
        Self {
            content: Content::Texels { geometry: surface.geometry, format: surface.format },
            width,
            height,
            slices: depth * u64::from(surface.layers),
            cell: surface.format.texel_size() as usize,
            size: surface.bytes.len(),
        }
    }

    /// The bytes of a region, one record in a line if records are short.
    pub fn bytes(size: usize, record: u32) -> Self {
        let record = u64::from(record);
        let width = if (1..=LONGEST_RECORD).contains(&record) { record } else { LINE };
        let height = (size as u64).div_ceil(width);
        Self { content: Content::Bytes, width, height, slices: 1, cell: 1, size }
    }

    /// The cell that holds a byte of the region.
    pub fn cell_at(&self, offset: usize) -> Cell {
        let index = (offset / self.cell.max(1)) as u64;
        let (width, height) = (self.width.max(1), self.height.max(1));
        Cell { slice: index / (width * height), y: index / width % height, x: index % width }
    }

    /// The byte offset of a cell in the region. `None` beyond its end.
    pub fn offset(&self, cell: Cell) -> Option<usize> {
        if cell.x >= self.width || cell.y >= self.height || cell.slice >= self.slices {
            return None;
        }
        let index = (cell.slice * self.height + cell.y) * self.width + cell.x;
        let begin = usize::try_from(index).ok()?.checked_mul(self.cell)?;
        (begin + self.cell <= self.size).then_some(begin)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_of_a_surface_are_packed_x_fastest_then_y_then_slices() {
        let surface = Surface {
            name: "s".into(),
            geometry: Geometry::A2d,
            extent: [4, 3, 1],
            layers: 2,
            format: "u16".parse().unwrap(),
            bytes: vec![0; 48],
            bound_to: None,
        };
        let grid = Grid::texels(&surface);
        // Layer 1, row 2, texel 3 is the last of 24 texels of two bytes.
        let last = Cell { slice: 1, y: 2, x: 3 };
        assert_eq!(grid.offset(last), Some(46));
        assert_eq!(grid.cell_at(47), last);
        assert_eq!(grid.offset(Cell { slice: 0, y: 1, x: 0 }), Some(8));
        assert_eq!(grid.offset(Cell { slice: 2, y: 0, x: 0 }), None);
        assert_eq!(grid.offset(Cell { slice: 0, y: 0, x: 4 }), None);
    }

    #[test]
    fn a_short_record_is_a_line_and_the_last_line_may_be_short() {
        let grid = Grid::bytes(30, 12);
        assert_eq!((grid.width, grid.height), (12, 3));
        assert_eq!(grid.offset(Cell { slice: 0, y: 2, x: 5 }), Some(29));
        assert_eq!(grid.offset(Cell { slice: 0, y: 2, x: 6 }), None);
        assert_eq!(Grid::bytes(100, 0).width, 16);
        assert_eq!(Grid::bytes(1000, 100).width, 16);
        assert_eq!(Grid::bytes(0, 0).height, 0);
    }
}
