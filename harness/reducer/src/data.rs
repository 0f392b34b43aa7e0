//! Less data: smaller buffers and images, zeros and small numbers in place of what is there.

use warpdiff_model::{Format, Launch, Surface};

use crate::most::apply_most;
use crate::persistence::{Persistence, take, take_first};

/// Pieces into which contents are cut at most, to look for those that are needed.
const PIECES: usize = 512;

/// The contents of something, in a launch.
type Contents = dyn Fn(&mut Launch) -> &mut Vec<u8>;
/// An image of a launch.
type Image = dyn Fn(&mut Launch) -> &mut Surface;

/// Shrinks buffers and images, and simplifies their contents.
pub(crate) fn shrink(launch: &mut Launch, judge: &mut dyn Persistence) {
    for index in 0..launch.buffers.len() {
        shorten(launch, judge, index);
        define(launch, judge, index);
        simplify(launch, judge, &move |launch| &mut launch.buffers[index].bytes);
    }
    for index in 0..launch.surfaces.len() {
        shrink_image(launch, judge, &move |launch| &mut launch.surfaces[index]);
        simplify(launch, judge, &move |launch| &mut launch.surfaces[index].bytes);
    }
    for index in 0..launch.textures.len() {
        shrink_image(launch, judge, &move |launch| &mut launch.textures[index].image);
        simplify(launch, judge, &move |launch| &mut launch.textures[index].image.bytes);
    }
}

/// Makes a buffer shorter, by halves and then by single words.
fn shorten(launch: &mut Launch, judge: &mut dyn Persistence, index: usize) {
    loop {
        let whole = launch.clone();
        let size = whole.buffers[index].bytes.len();
        let word = if size.is_multiple_of(8) { 8 } else { 1 };
        let half = size / 2 / word * word;
        let shorter = [word, half, size - size / 4 / word * word, size.saturating_sub(word)];
        let shorter = shorter.into_iter().filter(|new| (1..size).contains(new));
        let with = |new: usize| {
            let mut candidate = whole.clone();
            let buffer = &mut candidate.buffers[index];
            buffer.bytes.truncate(new);
            buffer.defined.truncate(new);
            candidate
        };
        if take_first(launch, judge, shorter.map(with)).is_none() {
            return;
        }
    }
}

/// Makes every bit of a buffer defined.
fn define(launch: &mut Launch, judge: &mut dyn Persistence, index: usize) {
    let mut candidate = launch.clone();
    candidate.buffers[index].defined.clear();
    take(launch, judge, candidate);
}

/// Makes an image smaller in each dimension, and of fewer layers.
fn shrink_image(launch: &mut Launch, judge: &mut dyn Persistence, image: &Image) {
    for dimension in 0..4 {
        loop {
            let whole = launch.clone();
            let smaller = smaller_sizes(image(launch), dimension);
            let with = |new: u32| {
                let mut candidate = whole.clone();
                let image = image(&mut candidate);
                *image = cropped(image, dimension, new);
                candidate
            };
            if take_first(launch, judge, smaller.into_iter().map(with)).is_none() {
                break;
            }
        }
    }
}

/// The smaller sizes that an image may have in a dimension, those to be tried first in front: a cube has six layers.
fn smaller_sizes(image: &Surface, dimension: usize) -> Vec<u32> {
    let [width, height, depth] = image.extent;
    let size = [width, height, depth, image.layers][dimension];
    let unit = if image.geometry.is_cube() && dimension == 3 { 6 } else { 1 };
    let sizes = [unit, size / 2 / unit * unit, size.saturating_sub(unit)];
    sizes.into_iter().filter(|new| (unit..size).contains(new)).collect()
}

/// The image without what is beyond a size in a dimension; the fourth one is that of layers. The faces of a cube stay squares.
fn cropped(image: &Surface, dimension: usize, size: u32) -> Surface {
    let [width, height, depth] = image.extent;
    let from = [width, height, depth, image.layers].map(|n| n as usize);
    let mut to = from;
    let is_side_of_square = image.geometry.is_cube() && dimension < 2;
    if is_side_of_square {
        to[..2].fill(size as usize);
    }
    to[dimension] = size as usize;
    let texel = texel_size(image.format);
    let mut bytes = Vec::new();
    for plane in 0..to[2] * to[3] {
        let (layer, z) = (plane / to[2], plane % to[2]);
        for y in 0..to[1] {
            let start = (((layer * from[2] + z) * from[1]) + y) * from[0] * texel;
            bytes.extend_from_slice(&image.bytes[start..start + to[0] * texel]);
        }
    }
    let [width, height, depth, layers] = to.map(|n| n as u32);
    Surface { extent: [width, height, depth], layers, bytes, ..image.clone() }
}

fn texel_size(format: Format) -> usize {
    format.texel_size() as usize
}

/// Puts zeros where that persists, and smaller bytes elsewhere.
fn simplify(launch: &mut Launch, judge: &mut dyn Persistence, contents: &Contents) {
    let bytes = contents(launch).clone();
    let piece = bytes.len().div_ceil(PIECES).max(1);
    let full: Vec<usize> = (0..bytes.len().div_ceil(piece))
        .filter(|number| bytes[number * piece..].iter().take(piece).any(|byte| *byte != 0))
        .collect();
    let whole = launch.clone();
    let build = |gone: &[usize]| {
        let mut candidate = whole.clone();
        let bytes = contents(&mut candidate);
        for number in gone {
            bytes.iter_mut().skip(full[*number] * piece).take(piece).for_each(|byte| *byte = 0);
        }
        Some(candidate)
    };
    apply_most(launch, judge, full.len(), &build);
    let left: Vec<usize> =
        (0..bytes.len()).filter(|at| contents(launch)[*at] > 1).take(PIECES / 16).collect();
    for at in left {
        let whole = launch.clone();
        let with = |value: u8| {
            let mut candidate = whole.clone();
            contents(&mut candidate)[at] = value;
            candidate
        };
        take_first(launch, judge, [0, 1].into_iter().map(with));
    }
}

#[cfg(test)]
mod tests {
    use warpdiff_model::Geometry;

    use super::*;

    #[test]
    fn an_image_is_cropped_row_by_row() {
        let image = Surface {
            name: "image".into(),
            geometry: Geometry::A2d,
            extent: [3, 2, 1],
            layers: 2,
            format: "u16".parse().expect("a format"),
            bytes: (0..24).collect(),
            bound_to: None,
        };
        // Texels of two bytes, rows of six: the first texel of each row stays.
        assert_eq!(cropped(&image, 0, 1).bytes, [0, 1, 6, 7, 12, 13, 18, 19]);
        assert_eq!(cropped(&image, 1, 1).bytes, [0, 1, 2, 3, 4, 5, 12, 13, 14, 15, 16, 17]);
        assert_eq!(cropped(&image, 3, 1).bytes, (0..12).collect::<Vec<u8>>());
    }

    /// "A cube map has six layers, one for each face", and faces are squares: what is smaller is a cube, too.
    #[test]
    fn a_smaller_cube_has_six_layers_of_squares() {
        let cubes = |geometry, layers: u32| Surface {
            name: "image".into(),
            geometry,
            extent: [2, 2, 1],
            layers,
            format: "u8".parse().expect("a format"),
            bytes: (0..4 * layers as u8).collect(),
            bound_to: None,
        };
        let one = cubes(Geometry::Cube, 6);
        assert_eq!(smaller_sizes(&one, 3), [0; 0]);
        let small = cropped(&one, 0, 1);
        assert_eq!((small.extent, small.layers), ([1, 1, 1], 6));
        // The first texel of each face.
        assert_eq!(small.bytes, [0, 4, 8, 12, 16, 20]);
        assert_eq!(cropped(&one, 1, 1), small);
        assert_eq!(smaller_sizes(&cubes(Geometry::Acube, 18), 3), [6, 6, 12]);
        let of_two = cropped(&cubes(Geometry::Acube, 12), 3, 6);
        assert_eq!((of_two.extent, of_two.layers, of_two.bytes.len()), ([2, 2, 1], 6, 24));
        // Where there is no cube, a layer is as good as six.
        assert_eq!(smaller_sizes(&cubes(Geometry::A2d, 6), 3), [1, 3, 5]);
    }
}
