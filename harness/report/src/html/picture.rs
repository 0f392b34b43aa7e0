//! A region of memory as a picture: cells as expected, as observed, and the difference.

use maud::{Markup, html};
use warpdiff_corpus::bytes::kind_name;
use warpdiff_judge::evidence::AccessedPlace;
use warpdiff_judge::evidence::grid::{Content, Grid};
use warpdiff_judge::evidence::view::{Basis, Pair, View, Window};
use warpdiff_model::{Format, Geometry};

use super::texel::{self, Channel, Known};

/// Most rows named on one cell; of more, the number is shown.
const MARKS: usize = 2;

/// The picture of a region, in words and cells.
pub(super) fn picture(view: &View) -> Markup {
    html! {
        section.region {
            h4 { (kind_name(view.kind)) " " code { (view.name) } " " span.shape { (shape(&view.grid)) } }
            p.note { (extent(view)) }
            @for window in &view.windows {
                @let ring = Ring::of(view, window);
                @if let Some(name) = slice_name(view, window) { h5 { (name) } }
                div.panels {
                    @for face in faces(view.basis) { (panel(view, window, &ring, *face)) }
                }
                @for words in beyond(view, window) { p.note { (words) } }
            }
        }
    }
}

/// The contents that a panel shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Face {
    Expected,
    Before,
    Contents,
    Observed,
    Difference,
}

impl Face {
    fn title(self) -> &'static str {
        match self {
            Self::Expected => "expected",
            Self::Before => "before the launch",
            Self::Contents => "contents",
            Self::Observed => "observed",
            Self::Difference => "difference",
        }
    }
}

fn faces(basis: Basis) -> &'static [Face] {
    match basis {
        Basis::Permitted => &[Face::Expected, Face::Observed, Face::Difference],
        Basis::Before => &[Face::Before, Face::Observed, Face::Difference],
        Basis::Demanded => &[Face::Expected],
        Basis::Unchanged | Basis::Initial => &[Face::Contents],
    }
}

/// "2d, 4 × 3 texels of u32"
fn shape(grid: &Grid) -> String {
    match grid.content {
        Content::Bytes => format!("{} bytes", grid.size),
        Content::Texels { geometry, format } => {
            let (width, height, slices) = (grid.width, grid.height, grid.slices);
            let (name, size) = match geometry {
                Geometry::D1 => ("1d", format!("{width}")),
                Geometry::D2 => ("2d", format!("{width} × {height}")),
                Geometry::D3 => ("3d", format!("{width} × {height} × {slices}")),
                Geometry::A1d => ("a1d", format!("{slices} layers of {width}")),
                Geometry::A2d => ("a2d", format!("{slices} layers of {width} × {height}")),
                Geometry::Cube => ("cube", format!("{slices} faces of {width} × {height}")),
                Geometry::Acube => ("acube", format!("{slices} faces of {width} × {height}")),
            };
            format!("{name}, {size} texels of {format}")
        }
    }
}

/// How much differs, and how much of that is shown.
fn extent(view: &View) -> String {
    let cells = |n: usize| {
        let noun = if view.grid.content == Content::Bytes { "byte" } else { "texel" };
        format!("{n} {noun}{}", if n == 1 { "" } else { "s" })
    };
    let mut words = match view.basis {
        Basis::Permitted => format!("differs in {}", cells(view.differing)),
        Basis::Before => format!(
            "should not have changed, because the launch should have faulted: {} changed",
            cells(view.differing)
        ),
        Basis::Demanded => {
            format!("not observed; {} should have changed", cells(view.differing))
        }
        Basis::Unchanged => "correct; shown because rows addressed it".into(),
        Basis::Initial => "as before the launch; shown because rows addressed it".into(),
    };
    let total = view.grid.width * view.grid.height * view.grid.slices;
    let shown: u64 = view.windows.iter().map(|w| w.cells.len() as u64).sum();
    if shown < total {
        let whole = cells(usize::try_from(total).unwrap_or(usize::MAX));
        words.push_str(&format!("; part of its {whole} is shown"));
    }
    if view.hidden > 0 {
        words.push_str(&format!(
            ", and {} of those that changed or differ are outside that part",
            view.hidden
        ));
    }
    words + "."
}

fn slice_name(view: &View, window: &Window) -> Option<String> {
    let Content::Texels { geometry, .. } = view.grid.content else { return None };
    match geometry {
        Geometry::D1 | Geometry::D2 => None,
        Geometry::D3 => Some(format!("slice z = {} of {}", window.slice, view.grid.slices)),
        Geometry::A1d | Geometry::A2d | Geometry::Cube | Geometry::Acube => {
            Some(format!("layer {} of {}", window.slice, view.grid.slices))
        }
    }
}

/// Rows whose layer or slice the surface does not have, noted at the nearest one.
fn beyond(view: &View, window: &Window) -> Vec<String> {
    let slices = i64::try_from(view.grid.slices).unwrap_or(i64::MAX);
    let outside = view.accessed.iter().filter(|a| a.slice < 0 || a.slice >= slices);
    let nearest = |a: &&AccessedPlace| a.slice.clamp(0, slices.max(1) - 1).cast_unsigned() == window.slice;
    let word = match view.grid.content {
        Content::Texels { geometry: Geometry::D3, .. } => "slice",
        _ => "layer",
    };
    outside
        .filter(nearest)
        .map(|a| format!("Row {} addressed {word} {}, which the surface does not have.", a.row, a.slice))
        .collect()
}

/// The cells around a window, for accesses outside of the surface.
struct Ring {
    left: bool,
    right: bool,
    above: bool,
    below: bool,
}

impl Ring {
    fn of(view: &View, window: &Window) -> Self {
        let (width, height) = (view.grid.width.cast_signed(), view.grid.height.cast_signed());
        let any = |outside: &dyn Fn(&AccessedPlace) -> bool| {
            view.accessed.iter().any(|a| is_of(view, window, a) && outside(a))
        };
        Self {
            left: any(&|a| a.x < 0),
            right: any(&|a| a.x + a.count > width),
            above: any(&|a| a.y < 0),
            below: any(&|a| a.y >= height),
        }
    }

    /// Columns from left to right.
    fn columns(&self, window: &Window) -> Vec<CellPosition> {
        places(self.left, window.columns.clone(), self.right)
    }

    /// Rows from top to bottom.
    fn rows(&self, window: &Window) -> Vec<CellPosition> {
        places(self.above, window.rows.clone(), self.below)
    }
}

/// A column or row of a panel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum CellPosition {
    /// Before the first one of the surface.
    Before,
    At(u64),
    /// Beyond the last one.
    Beyond,
}

impl CellPosition {
    /// Whether a range of coordinates touches this place, in a dimension of that size.
    fn holds(self, first: i64, count: i64, size: u64) -> bool {
        let last = first.saturating_add(count - 1);
        match self {
            Self::Before => first < 0,
            Self::Beyond => last >= size.cast_signed(),
            Self::At(at) => (first..=last).contains(&at.cast_signed()),
        }
    }
}

fn places(before: bool, inside: std::ops::Range<u64>, beyond: bool) -> Vec<CellPosition> {
    let ends = |wanted: bool, place: CellPosition| wanted.then_some(place);
    ends(before, CellPosition::Before)
        .into_iter()
        .chain(inside.map(CellPosition::At))
        .chain(ends(beyond, CellPosition::Beyond))
        .collect()
}

/// Whether a row accessed the slice of this window, or one outside that is nearest to it.
fn is_of(view: &View, window: &Window, accessed: &AccessedPlace) -> bool {
    let last = view.grid.slices.max(1).cast_signed() - 1;
    accessed.slice.clamp(0, last) == window.slice.cast_signed()
}

fn panel(view: &View, window: &Window, ring: &Ring, face: Face) -> Markup {
    let (columns, rows) = (ring.columns(window), ring.rows(window));
    let format = match view.grid.content {
        Content::Texels { format, .. } => Some(format),
        Content::Bytes => None,
    };
    let label = format!("{} {}, {}", kind_name(view.kind), view.name, face.title());
    html! {
        figure class={ "panel " (face.title().split(' ').next().unwrap_or_default()) } {
            figcaption { (face.title()) }
            div.scroll {
                table.grid aria-label=(label) {
                    thead { tr {
                        td.corner { (corner(view)) }
                        @for column in &columns { th scope="col" { (column_name(view, *column)) } }
                    } }
                    tbody { @for row in &rows { tr {
                        th scope="row" { (row_name(view, *row)) }
                        @for column in &columns {
                            @let marks = marks(view, window, *column, *row);
                            (cell(view, window, *column, *row, face, format, &marks))
                        }
                    } } }
                }
            }
        }
    }
}

fn corner(view: &View) -> Markup {
    html! {
        @match view.grid.content {
            Content::Bytes => "byte",
            Content::Texels { .. } => {
                @if view.grid.height > 1 { "y \\ x" } @else { "x" }
                @if view.grid.cell > 1 { small { "byte" } }
            }
        }
    }
}

fn column_name(view: &View, column: CellPosition) -> Markup {
    let bytes = view.grid.content == Content::Bytes;
    html! {
        @match column {
            CellPosition::At(x) if bytes => { "+" (x) },
            // `.b` instructions count bytes, `.p` instructions texels: both numbers are shown.
            CellPosition::At(x) => { (x) @if view.grid.cell > 1 { small { (x * view.grid.cell as u64) } } },
            CellPosition::Before => "< 0",
            CellPosition::Beyond => { "≥ " (view.grid.width) @if view.grid.cell > 1 { small { (view.grid.width * view.grid.cell as u64) } } },
        }
    }
}

fn row_name(view: &View, row: CellPosition) -> String {
    match row {
        CellPosition::At(y) if view.grid.content == Content::Bytes => (y * view.grid.width).to_string(),
        CellPosition::At(y) => y.to_string(),
        CellPosition::Before => "< 0".into(),
        CellPosition::Beyond => format!("≥ {}", view.grid.height),
    }
}

/// The rows of the case that accessed this cell.
fn marks(view: &View, window: &Window, column: CellPosition, row: CellPosition) -> Vec<usize> {
    let here = |a: &&AccessedPlace| {
        is_of(view, window, a)
            && column.holds(a.x, a.count, view.grid.width)
            && row.holds(a.y, 1, view.grid.height)
    };
    view.accessed.iter().filter(here).map(|a| a.row).collect()
}

fn cell(
    view: &View,
    window: &Window,
    column: CellPosition,
    row: CellPosition,
    face: Face,
    format: Option<Format>,
    marks: &[usize],
) -> Markup {
    let marked = html! {
        @if !marks.is_empty() {
            span.mark {
                @for row in marks.iter().take(MARKS) { "r" (row) " " }
                @if marks.len() > MARKS { "+" (marks.len() - MARKS) }
            }
        }
    };
    let pair = match (column, row) {
        (CellPosition::At(x), CellPosition::At(y)) => pair(window, x, y),
        _ => return html! { td.outside.asked[!marks.is_empty()] { (marked) } },
    };
    let Some(pair) = pair else {
        // Beyond the end of the last line.
        return html! { td.none {} };
    };
    let asked = if marks.is_empty() { "" } else { " asked" };
    html! {
        td class={ (class(view, pair, face)) (asked) } { (marked) (values(pair, face, format)) }
    }
}

fn pair(window: &Window, x: u64, y: u64) -> Option<&Pair> {
    let width = window.columns.end - window.columns.start;
    let index = (y - window.rows.start) * width + (x - window.columns.start);
    window.cells.get(usize::try_from(index).ok()?)?.as_ref()
}

fn class(view: &View, pair: &Pair, face: Face) -> &'static str {
    match view.basis {
        Basis::Demanded if pair.differs && known(pair) == Known::All => return "changed",
        Basis::Permitted | Basis::Before if pair.differs => return "differs",
        _ => {}
    }
    match (known(pair), face) {
        (Known::None, _) => "open",
        (Known::Some, _) => "partial",
        (Known::All, Face::Difference) => "equal",
        (Known::All, _) => "same",
    }
}

/// Which bits of the cell are compared: all, some or none.
fn known(pair: &Pair) -> Known {
    match (pair.compared.iter().all(|m| *m == 0), pair.compared.iter().all(|m| *m == 0xFF)) {
        (true, _) => Known::None,
        (_, true) => Known::All,
        _ => Known::Some,
    }
}

fn values(pair: &Pair, face: Face, format: Option<Format>) -> Markup {
    let all = vec![0xFF; pair.observed.len()];
    let expected = channels(format, &pair.expected, &pair.compared);
    // Observed bytes are shown whole; bits that are not compared are marked.
    let observed = || {
        let whole = channels(format, &pair.observed, &all);
        let marked = whole.into_iter().zip(&expected);
        marked.map(|(seen, expected)| Channel { known: expected.known, ..seen }).collect::<Vec<_>>()
    };
    match face {
        Face::Expected | Face::Before | Face::Contents => lines(&expected),
        Face::Observed => lines(&observed()),
        Face::Difference if pair.differs || known(pair) == Known::Some => {
            changes(&expected, &observed(), pair)
        }
        Face::Difference => match known(pair) {
            Known::None => html! { span.silent { "?" } },
            _ => html! { span.silent { "=" } },
        },
    }
}

fn channels(format: Option<Format>, bytes: &[u8], mask: &[u8]) -> Vec<Channel> {
    format.map_or_else(|| vec![texel::byte(bytes, mask)], |format| texel::channels(format, bytes, mask))
}

fn lines(channels: &[Channel]) -> Markup {
    html! { @for channel in channels { (line(channel)) } }
}

fn line(channel: &Channel) -> Markup {
    html! {
        span.value.unknown[channel.known == Known::None].part[channel.known == Known::Some] {
            (channel.value)
            @if let Some(bits) = &channel.bits { " " small { (bits) } }
        }
    }
}

/// Expected and observed values, channel by channel; right channels are not repeated.
fn changes(expected: &[Channel], observed: &[Channel], pair: &Pair) -> Markup {
    let size = pair.expected.len() / expected.len().max(1);
    let differs = |index: usize| {
        let range = index * size..(index + 1) * size;
        let bytes = pair.expected[range.clone()].iter().zip(&pair.observed[range.clone()]);
        pair.differs && bytes.zip(&pair.compared[range]).any(|((e, o), m)| (e ^ o) & m != 0)
    };
    html! {
        @for (index, (expected, observed)) in expected.iter().zip(observed).enumerate() {
            @if differs(index) {
                span.change { del { (line(expected)) } ins { (line(observed)) } }
            } @else if expected.known == Known::None {
                span.silent.unknown { "?" }
            } @else {
                span.silent.part[expected.known == Known::Some] { "=" }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use warpdiff_judge::evidence::view::Sheet;
    use warpdiff_model::RegionKind;

    use super::*;

    #[test]
    fn a_place_outside_holds_what_is_addressed_there() {
        assert!(CellPosition::Before.holds(-4, 4, 8) && CellPosition::Before.holds(-1, 2, 8));
        assert!(CellPosition::At(0).holds(-1, 2, 8) && !CellPosition::At(0).holds(-4, 4, 8));
        assert!(CellPosition::Beyond.holds(7, 2, 8) && !CellPosition::Beyond.holds(7, 1, 8));
        assert!(CellPosition::Beyond.holds(i64::from(i32::MAX), 4, 8));
    }

    /// A view of an array of two layers of two texels, of which only the second layer differs, in its second texel.
    fn of_layers() -> View {
        let grid = Grid {
            content: Content::Texels { geometry: Geometry::A1d, format: "u8x2".parse().unwrap() },
            width: 2,
            height: 1,
            slices: 2,
            cell: 2,
            size: 8,
        };
        let (expected, observed) = ([1, 2, 3, 4, 5, 6, 7, 8], [1, 2, 3, 4, 50, 9, 70, 8]);
        // The first texel of layer 1 is undefined but for the high nibble of its second channel.
        let compared = |offset: usize| [0xFF, 0xFF, 0xFF, 0xFF, 0, 0xF0, 0xFF, 0xFF][offset];
        let sheet = Sheet {
            kind: RegionKind::Surface,
            name: "layers",
            grid,
            basis: Basis::Permitted,
            expected: &expected,
            compared: &compared,
            observed: &observed,
            runs: std::slice::from_ref(&(6..7)),
        };
        let beyond = AccessedPlace { row: 5, surface: "layers".into(), x: 1, count: 1, y: 0, slice: 9 };
        sheet.view(&[beyond])
    }

    #[test]
    fn layers_are_named_and_a_layer_that_is_not_there_is_said() {
        let markup = picture(&of_layers()).into_string();
        assert!(markup.contains("a1d, 2 layers of 2 texels of u8x2"), "{markup}");
        assert!(markup.contains("<h5>layer 1 of 2</h5>") && !markup.contains("layer 0"), "{markup}");
        assert!(markup.contains("Row 5 addressed layer 9, which the surface does not have."), "{markup}");
        assert!(markup.contains("differs in 1 texel; part of its 4 texels is shown."), "{markup}");
    }

    #[test]
    fn undefined_channels_are_hatched_wherever_they_are_shown_and_are_no_difference() {
        let markup = picture(&of_layers()).into_string();
        let panels: Vec<&str> = markup.split("<figure").skip(1).collect();
        assert_eq!(panels.len(), 3);
        assert!(panels[0].contains("<span class=\"value unknown\">?</span>"), "{}", panels[0]);
        assert!(panels[0].contains("<span class=\"value part\">0?</span>"), "{}", panels[0]);
        assert!(panels[1].contains("<span class=\"value unknown\">50</span>"), "{}", panels[1]);
        assert!(panels[2].contains("<span class=\"silent unknown\">?</span>"), "{}", panels[2]);
        assert!(panels[2].contains("<del><span class=\"value\">7</span></del>"), "{}", panels[2]);
        assert!(panels[2].contains("<ins><span class=\"value\">70</span></ins>"), "{}", panels[2]);
        assert_eq!(panels[2].matches("<del>").count(), 1);
    }
}
