//! Addresses by hand from PTX ISA 9.7.11: "the lowest dimension coordinate represents a byte offset into the surface",
//! `.trap` traps, `.clamp` goes to "the nearest surface location (sized appropriately)", `.zero` loads zero and drops
//! stores; the address "must be naturally aligned to a multiple of the access size", or else low-order bits are masked
//! off, "or the instruction may fault".

use warpdiff_model::choice::ChoiceSet;
use warpdiff_model::{Choice, Deviation, Geometry, Semantics};

use super::address::OutOfBoundsMode::{Clamp, Trap, Zero};
use super::address::{
    Access, Beyond, Descriptor, Kind, OutOfBoundsMode, Resolution, SurfaceFault, Unit, resolve,
};

const ALL_MODES: [OutOfBoundsMode; 3] = [Trap, Clamp, Zero];

/// Two texels of four bytes in each of three rows: 8-byte rows, 24 bytes.
const IMAGE: Descriptor = Descriptor { geometry: Geometry::D2, extent: [2, 3, 1], layers: 1, texel_size: 4 };

fn at(geometry: Geometry, mode: OutOfBoundsMode, size: u32, x: i32, y: i32) -> Access {
    Access { geometry, x, y, z: 0, layer: 0, size, element: size, mode, unit: Unit::Byte }
}

fn bytes(offset: u64) -> Resolution {
    Resolution::Bytes { offset }
}

/// Resolves a load, and which choices it consulted.
fn consulting(surface: &Descriptor, access: &Access, semantics: &Semantics) -> (Resolution, Vec<Choice>) {
    let mut consulted = ChoiceSet::default();
    let resolution = resolve(surface, access, Kind::Load, semantics, &mut consulted);
    (resolution, consulted.iter().collect())
}

/// Resolves a load that consults no choice.
fn settled(surface: &Descriptor, access: &Access) -> Resolution {
    let (resolution, consulted) = consulting(surface, access, &Semantics::default());
    assert_eq!(consulted, [], "{access:?}");
    resolution
}

/// What an address out of bounds gives that `.clamp` moves to `clamped`.
fn outside(mode: OutOfBoundsMode, clamped: u64) -> Resolution {
    match mode {
        Trap => Resolution::Trap,
        Clamp => bytes(clamped),
        Zero => Resolution::OutOfBounds,
    }
}

#[test]
fn inside_every_aligned_byte_offset_is_itself() {
    for mode in ALL_MODES {
        for size in [1, 2, 4, 8] {
            for y in 0..3u32 {
                for x in (0..8u32).step_by(size as usize) {
                    let expected = bytes(u64::from(8 * y + x));
                    assert_eq!(settled(&IMAGE, &at(Geometry::D2, mode, size, x as i32, y as i32)), expected);
                }
            }
        }
    }
}

#[test]
fn x_out_of_bounds_of_every_size_and_mode() {
    // (size, x, where .clamp goes in row 1, which begins at byte 8)
    let table = [
        (1, 8, 15),
        (1, 9, 15),
        (1, i32::MAX, 15),
        (1, -1, 8),
        (1, i32::MIN, 8),
        (2, 8, 14),
        (2, 10, 14),
        (2, i32::MAX - 1, 14),
        (2, -2, 8),
        (2, i32::MIN, 8),
        (4, 8, 12),
        (4, 16, 12),
        (4, i32::MAX - 3, 12),
        (4, -4, 8),
        (4, i32::MIN, 8),
        (8, -8, 8),
        (8, i32::MIN, 8),
    ];
    for mode in ALL_MODES {
        for (size, x, clamped) in table {
            let access = at(Geometry::D2, mode, size, x, 1);
            let (resolution, consulted) = consulting(&IMAGE, &access, &Semantics::default());
            assert_eq!(resolution, outside(mode, clamped), "{mode:?} {size} bytes at {x}");
            // Two bytes in a texel of four may as well go to its first two.
            let open = mode == Clamp && x > 0 && size < 4;
            assert_eq!(consulted.contains(&Choice::SurfaceClampPlace), open, "{mode:?} {size} bytes at {x}");
        }
    }
}

#[test]
fn y_out_of_bounds_of_every_mode() {
    for mode in ALL_MODES {
        for (y, row) in [(-1, 0), (i32::MIN, 0), (3, 16), (4, 16), (i32::MAX, 16)] {
            assert_eq!(settled(&IMAGE, &at(Geometry::D2, mode, 4, 4, y)), outside(mode, row + 4), "y = {y}");
        }
        // Both coordinates clamp, each on its own.
        assert_eq!(settled(&IMAGE, &at(Geometry::D2, mode, 4, 64, -9)), outside(mode, 4));
        assert_eq!(settled(&IMAGE, &at(Geometry::D2, mode, 4, -64, 9)), outside(mode, 16));
    }
}

#[test]
fn coordinates_that_a_geometry_does_not_have_are_ignored() {
    let line = Descriptor { geometry: Geometry::D1, extent: [4, 1, 1], ..IMAGE };
    let odd = Access { y: 77, z: -5, layer: 99, ..at(Geometry::D1, Trap, 4, 12, 0) };
    assert_eq!(settled(&line, &odd), bytes(12));
    let odd = Access { z: -5, layer: 99, ..at(Geometry::D2, Trap, 4, 4, 2) };
    assert_eq!(settled(&IMAGE, &odd), bytes(20));
    // "a four-element vector for 3d surfaces, where the fourth element is ignored"
    let solid = Descriptor { geometry: Geometry::D3, extent: [2, 3, 2], ..IMAGE };
    assert_eq!(
        settled(&solid, &Access { layer: 99, z: 1, ..at(Geometry::D3, Trap, 4, 4, 2) }),
        bytes(24 + 20)
    );
    let layers = Descriptor { geometry: Geometry::A2d, layers: 2, ..IMAGE };
    assert_eq!(
        settled(&layers, &Access { layer: 1, z: -5, ..at(Geometry::A2d, Trap, 4, 4, 2) }),
        bytes(24 + 20)
    );
}

#[test]
fn z_of_a_3d_surface() {
    let solid = Descriptor { geometry: Geometry::D3, extent: [2, 3, 4], ..IMAGE };
    for mode in ALL_MODES {
        let at = |y, z| Access { z, ..at(Geometry::D3, mode, 4, 0, y) };
        assert_eq!(settled(&solid, &at(1, 3)), bytes(3 * 24 + 8));
        for (z, slice) in [(-1, 0), (i32::MIN, 0), (4, 72), (i32::MAX, 72)] {
            assert_eq!(settled(&solid, &at(1, z)), outside(mode, slice + 8), "z = {z}");
        }
        assert_eq!(settled(&solid, &at(-1, 9)), outside(mode, 72));
    }
}

/// "The first element is interpreted as an unsigned integer index (.u32) into the surface array."
#[test]
fn layers_are_unsigned() {
    let lines = Descriptor { geometry: Geometry::A1d, extent: [2, 1, 1], layers: 3, texel_size: 4 };
    let images = Descriptor { geometry: Geometry::A2d, layers: 3, ..IMAGE };
    let bounded = Semantics::default();
    let selects = bounded.under(bounded.assignment.with(Choice::SurfaceLayer, 1));
    for mode in ALL_MODES {
        // `.clamp` goes to the nearest layer under either reading.
        let choices = if mode == Clamp { vec![] } else { vec![Choice::SurfaceLayer] };
        for layer in [3, 4, 1 << 31, u32::MAX] {
            let line = Access { layer, ..at(Geometry::A1d, mode, 4, 4, 0) };
            let image = Access { layer, ..at(Geometry::A2d, mode, 4, 4, 2) };
            for (surface, access, last) in [(&lines, &line, 2 * 8 + 4), (&images, &image, 2 * 24 + 20)] {
                let expected = (outside(mode, last), choices.clone());
                assert_eq!(consulting(surface, access, &bounded), expected, "layer {layer}");
                let expected = (bytes(last), choices.clone());
                assert_eq!(consulting(surface, access, &selects), expected, "layer {layer}");
            }
            // The last layer, if that is what it selects, has bounds as any other.
            let beyond = Access { layer, ..at(Geometry::A2d, mode, 4, 4, 3) };
            assert_eq!(consulting(&images, &beyond, &selects).0, outside(mode, 2 * 24 + 20));
        }
        assert_eq!(settled(&lines, &Access { layer: 1, ..at(Geometry::A1d, mode, 4, 4, -7) }), bytes(12));
        // A layer within bounds does not help a row out of bounds, nor the reverse.
        assert_eq!(
            settled(&images, &Access { layer: 1, ..at(Geometry::A2d, mode, 4, 0, 3) }),
            outside(mode, 24 + 16)
        );
    }
}

#[test]
fn misaligned_addresses_are_masked_or_fault_before_bounds_are_looked_at() {
    let faults = Semantics::default();
    let faults = faults.under(faults.assignment.with(Choice::SurfaceMisaligned, 1));
    // (size, x, x with its low bits masked off), of which the last two lie out of bounds
    for (size, x, masked) in [(2, 1, 0), (4, 3, 0), (4, 6, 4), (8, 7, 0), (4, 9, 8), (4, -1, -4)] {
        for mode in ALL_MODES {
            let access = at(Geometry::D2, mode, size, x, 1);
            let aligned = settled(&IMAGE, &at(Geometry::D2, mode, size, masked, 1));
            let expected = (aligned, vec![Choice::SurfaceMisaligned]);
            assert_eq!(consulting(&IMAGE, &access, &Semantics::default()), expected, "{size} bytes at {x}");
            let fault = Resolution::Fault(SurfaceFault::Misaligned);
            assert_eq!(consulting(&IMAGE, &access, &faults), (fault, vec![Choice::SurfaceMisaligned]));
        }
    }
    // A vector's access size is that of the whole transfer: .v2.b32 at 4 is misaligned.
    let vector = Access { element: 4, ..at(Geometry::D2, Zero, 8, 4, 0) };
    assert_eq!(consulting(&IMAGE, &vector, &faults).0, Resolution::Fault(SurfaceFault::Misaligned));
}

/// Rows of three 4-byte texels, 12 bytes: 8 bytes at 8 begin inside and end beyond.
#[test]
fn straddling_the_row_end() {
    let rows = Descriptor { extent: [3, 2, 1], ..IMAGE };
    let whole = Semantics::default();
    let bytewise = whole.under(whole.assignment.with(Choice::SurfaceStraddle, 1));
    let straddle = |mode| at(Geometry::D2, mode, 8, 8, 1);
    let partial = |beyond| Resolution::Partial { offset: 12 + 8, len: 4, beyond };
    // Under either reading some byte is out of bounds.
    assert_eq!(settled(&rows, &straddle(Trap)), Resolution::Trap);
    let consulted = vec![Choice::SurfaceStraddle];
    assert_eq!(consulting(&rows, &straddle(Zero), &whole), (Resolution::OutOfBounds, consulted.clone()));
    assert_eq!(consulting(&rows, &straddle(Zero), &bytewise), (partial(Beyond::Zero), consulted.clone()));
    // The last place where eight bytes fit is 0; the last texel is at 8, and so is the last aligned place.
    let both = vec![Choice::SurfaceStraddle, Choice::SurfaceClampPlace];
    assert_eq!(consulting(&rows, &straddle(Clamp), &whole), (bytes(12), both));
    for place in [1, 2] {
        let whole = whole.under(whole.assignment.with(Choice::SurfaceClampPlace, place));
        let (moved, _) = consulting(&rows, &straddle(Clamp), &whole);
        assert_eq!(moved, partial(Beyond::Nearest { reach: 4, moved: false }), "alternative {place}");
    }
    // What is beyond may go to the last texel, as a part of one element or as the second of two.
    for element in [8, 4] {
        let access = Access { element, ..straddle(Clamp) };
        let expected = (partial(Beyond::Nearest { reach: 4, moved: false }), consulted.clone());
        assert_eq!(consulting(&rows, &access, &bytewise), expected, "elements of {element} bytes");
    }
    // The second of two elements of 8 bytes has no other place in the row than 0.
    let vector = Access { size: 16, element: 8, x: 0, ..straddle(Clamp) };
    let all =
        Resolution::Partial { offset: 12, len: 12, beyond: Beyond::Nearest { reach: 12, moved: false } };
    assert_eq!(consulting(&rows, &vector, &bytewise).0, all);
    // 16 bytes at 0 straddle too.
    let wide = Resolution::Partial { offset: 12, len: 12, beyond: Beyond::Zero };
    assert_eq!(consulting(&rows, &at(Geometry::D2, Zero, 16, 0, 1), &bytewise).0, wide);
}

/// The places that `.clamp` moves an access beyond the end to, under each alternative: where all of it fits, the last texel, the last
/// aligned place.
fn places(surface: &Descriptor, access: &Access) -> [Resolution; 3] {
    [0, 1, 2].map(|place| {
        let semantics = Semantics::default();
        let semantics = semantics.under(semantics.assignment.with(Choice::SurfaceClampPlace, place));
        let (resolution, consulted) = consulting(surface, access, &semantics);
        assert_eq!(consulted, [Choice::SurfaceClampPlace], "{access:?}");
        resolution
    })
}

#[test]
fn clamping_an_access_that_is_not_of_the_size_of_a_texel() {
    let partial = |offset, len, reach| {
        let beyond = Beyond::Nearest { reach, moved: true };
        Resolution::Partial { offset, len, beyond }
    };
    // Four texels of two bytes, an access of four: the last place where it fits is 4, the last texel is at 6.
    let line = Descriptor { geometry: Geometry::D1, extent: [4, 1, 1], layers: 1, texel_size: 2 };
    for x in [8, 12, i32::MAX - 3] {
        let access = at(Geometry::D1, Clamp, 4, x, 0);
        assert_eq!(places(&line, &access), [bytes(4), partial(6, 2, 2), bytes(4)]);
    }
    // An access of one byte: the last byte, or the first byte of the last texel.
    for x in [8, 9, i32::MAX] {
        assert_eq!(places(&line, &at(Geometry::D1, Clamp, 1, x, 0)), [bytes(7), bytes(6), bytes(7)]);
    }
    // An access of the size of a texel leaves no choice, nor does one that goes to the first location.
    assert_eq!(settled(&line, &at(Geometry::D1, Clamp, 2, 100, 0)), bytes(6));
    assert_eq!(settled(&line, &at(Geometry::D1, Clamp, 4, -4, 0)), bytes(0));
    // Rows of 20 bytes, an access of 16 as four elements: all of it fits at 0 alone, the last texel is at 19, and 16 is aligned.
    let odd = Descriptor { geometry: Geometry::D1, extent: [20, 1, 1], layers: 1, texel_size: 1 };
    let vector = Access { element: 4, ..at(Geometry::D1, Clamp, 16, 32, 0) };
    assert_eq!(places(&odd, &vector), [bytes(0), partial(19, 1, 4), partial(16, 4, 4)]);
    // A row narrower than the access has no place where it fits: the nearest location is the first.
    let narrow = partial(0, 8, 2);
    let beyond = at(Geometry::D1, Clamp, 16, 16, 0);
    assert_eq!(places(&line, &beyond), [narrow, partial(6, 2, 2), narrow]);
    // Before the row, too; the first location is then that of the access as a whole.
    let whole = Resolution::Partial { offset: 0, len: 8, beyond: Beyond::Nearest { reach: 2, moved: false } };
    assert_eq!(consulting(&line, &at(Geometry::D1, Clamp, 16, -16, 0), &Semantics::default()).0, whole);
}

#[test]
fn sample_addressing_scales_x() {
    let samples = |unit, x, mode| Access { unit, ..at(Geometry::D2, mode, 4, x, 1) };
    // sust.p: "a sample offset rather than a byte offset"
    assert_eq!(settled(&IMAGE, &samples(Unit::Texel, 1, Trap)), bytes(12));
    assert_eq!(settled(&IMAGE, &samples(Unit::Texel, 2, Trap)), Resolution::Trap);
    // sured.p: "scaled by the data-size given by .ctype"; products exceed 32 bits without wrapping.
    assert_eq!(settled(&IMAGE, &samples(Unit::Element, 1, Trap)), bytes(12));
    assert_eq!(settled(&IMAGE, &samples(Unit::Element, 1 << 30, Zero)), Resolution::OutOfBounds);
    assert_eq!(settled(&IMAGE, &samples(Unit::Element, i32::MIN, Clamp)), bytes(8));
    let wide = Descriptor { texel_size: 8, ..IMAGE };
    assert_eq!(settled(&wide, &samples(Unit::Texel, 1 << 29, Zero)), Resolution::OutOfBounds);
}

/// "a sample offset rather than a byte offset and is scaled by the data-size given by .ctype": two sizes, if they differ.
#[test]
fn a_sample_of_another_size_than_the_type_has_two_readings() {
    let by_type = Semantics::default();
    let by_texel = by_type.under(by_type.assignment.with(Choice::SuredSampleUnit, 1));
    let sample = |x| Access { unit: Unit::Element, ..at(Geometry::D2, Trap, 4, x, 1) };
    let consulted = vec![Choice::SuredSampleUnit];
    let wide = Descriptor { texel_size: 8, ..IMAGE };
    assert_eq!(consulting(&wide, &sample(1), &by_type), (bytes(16 + 4), consulted.clone()));
    assert_eq!(consulting(&wide, &sample(1), &by_texel), (bytes(16 + 8), consulted.clone()));
    // Four texels of two bytes: sample 2 is at 8, beyond the row, or at 4.
    let narrow = Descriptor { extent: [4, 3, 1], texel_size: 2, ..IMAGE };
    assert_eq!(consulting(&narrow, &sample(2), &by_type), (Resolution::Trap, consulted.clone()));
    assert_eq!(consulting(&narrow, &sample(2), &by_texel), (bytes(8 + 4), consulted));
    // Sample 1 is then at 2, which is misaligned for four bytes.
    let both = vec![Choice::SurfaceMisaligned, Choice::SuredSampleUnit];
    assert_eq!(consulting(&narrow, &sample(1), &by_texel), (bytes(8), both));
    // Sample 0 is at 0 whatever the unit.
    assert_eq!(settled(&wide, &sample(0)), bytes(16));
}

#[test]
fn deviations_of_samples_layers_and_rounding() {
    let sample = |unit| Access { unit, ..at(Geometry::D2, Trap, 4, 4, 1) };
    for unit in [Unit::Texel, Unit::Element] {
        assert_eq!(deviating(Deviation::SurfaceSampleXAsByte, Kind::Store, &sample(unit)), bytes(8 + 4));
        assert_eq!(deviating(Deviation::SurfaceXAsTexel, Kind::Store, &sample(unit)), Resolution::Trap);
    }
    let layers = Descriptor { geometry: Geometry::A1d, extent: [2, 1, 1], layers: 3, texel_size: 4 };
    let signed = Semantics::default().with(Deviation::SurfaceLayerSigned);
    let selects = signed.under(signed.assignment.with(Choice::SurfaceLayer, 1));
    let negative = Access { layer: u32::MAX, ..at(Geometry::A1d, Trap, 4, 4, 0) };
    assert_eq!(consulting(&layers, &negative, &selects).0, bytes(4), "-1 selects the first layer");
    let resolved =
        |layer, mode| consulting(&layers, &Access { layer, ..at(Geometry::A1d, mode, 4, 4, 0) }, &signed).0;
    assert_eq!(resolved(u32::MAX, Clamp), bytes(4), "-1 is nearest to the first layer");
    assert_eq!(resolved(3, Clamp), bytes(16 + 4));
    assert_eq!(resolved(1, Clamp), bytes(8 + 4));
    // Address 3 of four bytes is nearest to 4, and masked it is 0.
    let misaligned = at(Geometry::D2, Trap, 4, 3, 0);
    assert_eq!(deviating(Deviation::SurfaceMisalignedRounded, Kind::Load, &misaligned), bytes(4));
    let beyond = at(Geometry::D2, Zero, 4, 8, 0);
    assert_eq!(deviating(Deviation::SuredZeroWrites, Kind::Reduce, &beyond), bytes(4));
    assert_eq!(deviating(Deviation::SuredZeroWrites, Kind::Store, &beyond), Resolution::OutOfBounds);
}

#[test]
fn large_surfaces_do_not_overflow() {
    let huge = Descriptor { geometry: Geometry::D1, extent: [u32::MAX, 1, 1], layers: 1, texel_size: 16 };
    assert_eq!(settled(&huge, &at(Geometry::D1, Trap, 16, i32::MAX - 15, 0)), bytes(0x7fff_fff0));
    assert_eq!(settled(&huge, &at(Geometry::D1, Clamp, 16, i32::MIN, 0)), bytes(0));
    let tall = Descriptor { extent: [1 << 20, 1 << 20, 1], ..IMAGE };
    let last = ((1u64 << 20) - 1) * (1 << 22);
    assert_eq!(settled(&tall, &at(Geometry::D2, Clamp, 4, 0, i32::MAX)), bytes(last));
}

#[test]
fn surfaces_without_texels_have_no_nearest_location() {
    let empty = Descriptor { extent: [0, 3, 1], ..IMAGE };
    assert_eq!(settled(&empty, &at(Geometry::D2, Trap, 4, 0, 0)), Resolution::Trap);
    assert_eq!(settled(&empty, &at(Geometry::D2, Clamp, 4, 0, 0)), Resolution::OutOfBounds);
    let flat = Descriptor { extent: [2, 0, 1], ..IMAGE };
    assert_eq!(settled(&flat, &at(Geometry::D2, Clamp, 4, 0, 0)), Resolution::OutOfBounds);
}

/// The text says nothing of a surface of another geometry.
#[test]
fn another_geometry_faults_or_goes_anywhere() {
    let access = at(Geometry::D1, Zero, 4, 0, 0);
    let faults = Semantics::default();
    let consulted = vec![Choice::SurfaceGeometry];
    let fault = Resolution::Fault(SurfaceFault::Geometry);
    assert_eq!(consulting(&IMAGE, &access, &faults), (fault, consulted.clone()));
    let open = faults.under(faults.assignment.with(Choice::SurfaceGeometry, 1));
    assert_eq!(consulting(&IMAGE, &access, &open), (Resolution::Anywhere, consulted));
}

/// Resolves under one deviation.
fn deviating(deviation: Deviation, kind: Kind, access: &Access) -> Resolution {
    resolve(&IMAGE, access, kind, &Semantics::default().with(deviation), &mut ChoiceSet::default())
}

#[test]
fn deviations_of_the_mode() {
    let beyond = |mode| at(Geometry::D2, mode, 4, 8, 0);
    let (load, store, reduce) = (Kind::Load, Kind::Store, Kind::Reduce);
    assert_eq!(deviating(Deviation::SuldClampAsZero, load, &beyond(Clamp)), Resolution::OutOfBounds);
    assert_eq!(deviating(Deviation::SuldClampAsZero, store, &beyond(Clamp)), bytes(4));
    assert_eq!(deviating(Deviation::SustClampAsZero, store, &beyond(Clamp)), Resolution::OutOfBounds);
    assert_eq!(deviating(Deviation::SustClampAsZero, load, &beyond(Clamp)), bytes(4));
    assert_eq!(deviating(Deviation::SustClampAsZero, reduce, &beyond(Clamp)), bytes(4));
    for kind in [load, store, reduce] {
        assert_eq!(deviating(Deviation::SurfaceClampTrapSwapped, kind, &beyond(Clamp)), Resolution::Trap);
        assert_eq!(deviating(Deviation::SurfaceClampTrapSwapped, kind, &beyond(Trap)), bytes(4));
        assert_eq!(
            deviating(Deviation::SurfaceClampTrapSwapped, kind, &beyond(Zero)),
            Resolution::OutOfBounds
        );
    }
    assert_eq!(deviating(Deviation::SuldClampAsZero, load, &beyond(Trap)), Resolution::Trap);
}

#[test]
fn deviations_of_the_coordinates() {
    let access = |mode, x, y| at(Geometry::D2, mode, 4, x, y);
    assert_eq!(deviating(Deviation::SurfaceXAsTexel, Kind::Load, &access(Trap, 1, 0)), bytes(4));
    assert_eq!(
        deviating(Deviation::SurfaceXAsTexel, Kind::Store, &access(Zero, 4, 0)),
        Resolution::OutOfBounds
    );
    assert_eq!(deviating(Deviation::SurfaceXAsTexel, Kind::Reduce, &access(Trap, 1, 0)), bytes(4));
    assert_eq!(deviating(Deviation::SurfaceNegativeXUnsigned, Kind::Load, &access(Clamp, -4, 0)), bytes(4));
    assert_eq!(deviating(Deviation::SurfaceNegativeXUnsigned, Kind::Load, &access(Clamp, -4, -1)), bytes(4));
    assert_eq!(deviating(Deviation::SurfaceYWraps, Kind::Load, &access(Trap, 0, 4)), bytes(8));
    assert_eq!(deviating(Deviation::SurfaceYWraps, Kind::Load, &access(Trap, 0, -1)), bytes(16));
}

#[test]
fn deviation_that_checks_the_first_byte_only() {
    let rows = Descriptor { extent: [3, 2, 1], ..IMAGE };
    let semantics = Semantics::default().with(Deviation::SurfaceBoundFirstByte);
    let resolved = |mode, x, y| consulting(&rows, &at(Geometry::D2, mode, 8, x, y), &semantics).0;
    for mode in ALL_MODES {
        // On into the next row, and in the last row as far as there is surface.
        assert_eq!(resolved(mode, 8, 0), bytes(8));
        assert_eq!(resolved(mode, 8, 1), Resolution::Partial { offset: 20, len: 4, beyond: Beyond::Zero });
    }
    assert_eq!(resolved(Trap, 16, 0), Resolution::Trap, "the first byte is out of bounds");
}

#[test]
fn deviations_that_confuse_height_and_depth() {
    // Rows of 8 bytes, three to a slice; five slices. Offset of (x, y, z): 8 * (3 z + y) + x.
    let deep = Descriptor { geometry: Geometry::D3, extent: [2, 3, 5], layers: 1, texel_size: 4 };
    let resolved = |deviation, mode, y, z| {
        let access = Access { z, ..at(Geometry::D3, mode, 4, 4, y) };
        consulting(&deep, &access, &Semantics::default().with(deviation)).0
    };
    let (by_depth, by_height) = (Deviation::SurfaceYBoundFromDepth, Deviation::SurfaceZBoundFromHeight);
    assert_eq!(resolved(by_depth, Trap, 4, 0), bytes(8 * 4 + 4), "row 4 of five");
    assert_eq!(resolved(by_depth, Clamp, 9, 1), bytes(8 * (3 + 4) + 4));
    assert_eq!(resolved(by_depth, Trap, 2, 4), bytes(8 * (12 + 2) + 4));
    assert_eq!(resolved(by_height, Zero, 0, 3), Resolution::OutOfBounds, "slice 3 of three");
    assert_eq!(resolved(by_height, Clamp, 0, 4), bytes(8 * 6 + 4));
    assert_eq!(resolved(by_height, Trap, 2, 2), bytes(8 * (6 + 2) + 4));
    // A 2d surface has no depth.
    assert_eq!(deviating(by_depth, Kind::Load, &at(Geometry::D2, Trap, 4, 0, 2)), bytes(16));
}

#[test]
fn deviation_that_keeps_the_place_within_the_texel() {
    let wide = Descriptor { texel_size: 16, ..IMAGE };
    let semantics = Semantics::default().with(Deviation::SurfaceClampKeepsOffset);
    let resolved = |mode, size, x| consulting(&wide, &at(Geometry::D2, mode, size, x, 0), &semantics).0;
    // Rows of 32 bytes: x = 36 is byte 4 of the texel behind the last one, x = -4 byte 12 of that before the first.
    assert_eq!(resolved(Clamp, 4, 36), bytes(16 + 4));
    assert_eq!(resolved(Clamp, 4, -4), bytes(12));
    assert_eq!(resolved(Clamp, 16, -16), bytes(0), "as wide as a texel");
    assert_eq!(resolved(Zero, 4, 36), Resolution::OutOfBounds);
}

#[test]
fn deviations_of_the_bound_of_a_row() {
    use Deviation as D;
    let load = |deviation, mode, x, y| deviating(deviation, Kind::Load, &at(Geometry::D2, mode, 4, x, y));
    // Rows of 8 bytes. 2³¹ added to -2³¹ and to 4 - 2³¹ is 0 and 4.
    assert_eq!(load(D::SurfaceFarOffset, Zero, i32::MIN, 1), bytes(8));
    assert_eq!(load(D::SurfaceFarOffset, Zero, i32::MIN + 4, 1), bytes(12));
    for x in [8, -4, i32::MIN + 8, i32::MAX - 3] {
        assert_eq!(load(D::SurfaceFarOffset, Zero, x, 1), Resolution::OutOfBounds, "{x}");
    }
    assert_eq!(load(D::SurfaceFarOffset, Trap, i32::MIN, 1), Resolution::Trap);
    assert_eq!(load(D::SurfaceBoundInclusive, Zero, 8, 1), bytes(16));
    assert_eq!(load(D::SurfaceBoundInclusive, Zero, 12, 1), Resolution::OutOfBounds);
    assert_eq!(load(D::SurfaceBoundInTexels, Zero, 0, 1), bytes(8));
    assert_eq!(load(D::SurfaceBoundInTexels, Zero, 4, 1), Resolution::OutOfBounds, "two texels");
    let reduce = |kind, x| deviating(D::SuredBitsUnchecked, kind, &at(Geometry::D2, Zero, 4, x, 1));
    assert_eq!([8, -4].map(|x| reduce(Kind::ReduceBits, x)), [bytes(16), bytes(4)]);
    assert_eq!([8, -4].map(|x| reduce(Kind::Reduce, x)), [Resolution::OutOfBounds; 2]);
    let clamped = |deviation, kind| deviating(deviation, kind, &at(Geometry::D2, Clamp, 4, 8, 0));
    assert_eq!(clamped(D::SuredClampAsZero, Kind::ReduceBits), Resolution::OutOfBounds);
    assert_eq!(clamped(D::SuredClampAsZero, Kind::Load), bytes(4));
}

#[test]
fn deviations_of_accesses_of_another_size_than_a_texel() {
    use Deviation as D;
    let load = |deviation, size, x| deviating(deviation, Kind::Load, &at(Geometry::D2, Zero, size, x, 1));
    assert_eq!([4, 5, 7].map(|x| load(D::SurfaceNarrowOffset, 1, x)), [bytes(12); 3]);
    assert_eq!(load(D::SurfaceNarrowOffset, 1, -1), Resolution::OutOfBounds);
    assert_eq!(load(D::SurfaceNarrowOffset, 1, i32::MIN), Resolution::OutOfBounds);
    assert_eq!(
        load(D::SurfaceWideCut, 8, 0),
        Resolution::Partial { offset: 8, len: 4, beyond: Beyond::Zero }
    );
    assert_eq!(load(D::SurfaceWideCut, 4, 0), bytes(8));
    // Two texels of 1, 4, 8 bytes instead of 4.
    assert_eq!([1, 2].map(|x| load(D::SurfaceBoundByAccess, 1, x)), [bytes(9), Resolution::OutOfBounds]);
    assert_eq!([4, 8].map(|x| load(D::SurfaceBoundByAccess, 4, x)), [bytes(12), Resolution::OutOfBounds]);
    assert_eq!([8, 16].map(|x| load(D::SurfaceBoundByAccess, 8, x)), [bytes(16), Resolution::OutOfBounds]);
}

#[test]
fn deviations_of_other_coordinates() {
    let solid = Descriptor { geometry: Geometry::D3, extent: [2, 3, 2], ..IMAGE };
    let access = Access { z: 1, ..at(Geometry::D3, Zero, 4, 4, 0) };
    let semantics = Semantics::default().with(Deviation::SurfaceYZSwapped);
    assert_eq!(consulting(&solid, &access, &semantics).0, bytes(8 + 4), "row 1 of slice 0");
    let layers = Descriptor { geometry: Geometry::A2d, layers: 2, ..IMAGE };
    let access = Access { layer: 0x1_0001, ..at(Geometry::A2d, Zero, 4, 4, 0) };
    let semantics = Semantics::default().with(Deviation::SurfaceLayerLowHalf);
    assert_eq!(consulting(&layers, &access, &semantics).0, bytes(24 + 4));
}
