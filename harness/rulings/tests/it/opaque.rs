//! Surfaces and textures.

use warpdiff_model::{
    AddressMode, ChannelType, FilterMode, Format, Geometry, Launch, ReadMode, Sampler, Surface, Texture,
};
use warpdiff_ptx::vocabulary::Opcode;
use warpdiff_rulings::Ruling::{self, *};

use crate::look::{decide, kernel};

const WORD: Format = Format { channel: ChannelType::U32, channels: 1 };

/// An image of three by two by two texels, or of as many dimensions or layers as it has.
fn image(name: &str, geometry: Geometry, format: Format) -> Surface {
    let (height, depth, layers) = match geometry {
        Geometry::D2 => (2, 1, 1),
        Geometry::D3 => (2, 2, 1),
        Geometry::A1d => (1, 1, 2),
        Geometry::A2d => (2, 1, 2),
        _ => (1, 1, 1),
    };
    let texels = 3 * height * depth * layers;
    Surface {
        name: name.into(),
        geometry,
        extent: [3, height, depth],
        layers,
        format,
        bytes: vec![0; (texels * format.texel_size()) as usize],
        bound_to: Some(name.into()),
    }
}

/// An access to the surface `s`; `%r1` is x.
fn surface(geometry: Geometry, format: Format, x: &str, access: &str) -> Launch {
    let launch = kernel(".global .surfref s;", "", &format!("mov.b32 %r1, {x};\n{access};"));
    Launch { surfaces: vec![image("s", geometry, format)], ..launch }
}

/// PTX ISA 9.7.11: rows have 12 bytes.
#[test]
fn a_coordinate_lies_inside_or_where_the_modifier_says() {
    let cases: &[(Geometry, &str, &str, &[Ruling])] = &[
        (Geometry::D1, "8", "1d.b32.clamp %r2, [s, {%r1}]", &[SurfaceInside]),
        (Geometry::D1, "-4", "1d.b32.clamp %r2, [s, {%r1}]", &[SurfaceXLow, SurfaceClamped]),
        (Geometry::D1, "12", "1d.b32.zero %r2, [s, {%r1}]", &[SurfaceXHigh, SurfaceZeroed]),
        (
            Geometry::D1,
            "12",
            "1d.b32.trap %r2, [s, {%r1}]",
            &[SurfaceXHigh, SurfaceTrapped, FaultSurfaceTrap],
        ),
        // Eight bytes from 8 on end at 16.
        (Geometry::D1, "8", "1d.v2.b32.zero {%r2, %r3}, [s, {%r1}]", &[SurfaceStraddles, SurfaceZeroed]),
        (Geometry::D1, "2", "1d.b32.clamp %r2, [s, {%r1}]", &[SurfaceMisaligned, SurfaceInside]),
        (Geometry::D2, "0", "2d.b32.clamp %r2, [s, {%r1, -1}]", &[SurfaceYLow, SurfaceClamped]),
        (Geometry::D2, "0", "2d.b32.clamp %r2, [s, {%r1, 2}]", &[SurfaceYHigh, SurfaceClamped]),
        (Geometry::D3, "0", "3d.b32.clamp %r2, [s, {%r1, 1, -1, 0}]", &[SurfaceZLow, SurfaceClamped]),
        (Geometry::D3, "0", "3d.b32.clamp %r2, [s, {%r1, 1, 2, 0}]", &[SurfaceZHigh, SurfaceClamped]),
        (Geometry::A1d, "0", "a1d.b32.clamp %r2, [s, {2, %r1}]", &[SurfaceLayerOut, SurfaceClamped]),
        (Geometry::A1d, "0", "a1d.b32.clamp %r2, [s, {1, %r1}]", &[SurfaceInside]),
    ];
    for (geometry, x, access, expected) in cases {
        decide(&surface(*geometry, WORD, x, &format!("suld.b.{access}")), Opcode::Suld, expected);
    }
}

#[test]
fn a_surface_of_another_geometry_is_none_of_these() {
    let launch = surface(Geometry::D2, WORD, "0", "suld.b.1d.b32.clamp %r2, [s, {%r1}]");
    let found = crate::look::all(&launch, Opcode::Suld);
    assert!(found.contains(&SurfaceGeometry) && !found.contains(&SurfaceInside), "{found:?}");
}

/// PTX ISA 9.7.11.2, `sust.p`.
#[test]
fn a_component_is_converted_to_the_format() {
    let one = |channel| Format { channel, channels: 1 };
    let cases: &[(ChannelType, &str, &[Ruling])] = &[
        (ChannelType::Unorm8, "0f3f800000", &[]),
        (ChannelType::Unorm8, "0f40000000", &[TexelHigh]),
        (ChannelType::Unorm8, "0fbf800000", &[TexelLow]),
        // 0.5 · 255 = 127.5.
        (ChannelType::Unorm8, "0f3f000000", &[TexelRounded]),
        (ChannelType::Unorm8, "0f7fc00000", &[TexelNan]),
        // 300 is no number of eight bits.
        (ChannelType::U8, "300", &[TexelHigh]),
        (ChannelType::S8, "-200", &[TexelLow]),
        (ChannelType::S8, "-128", &[]),
        // 2^-15 is below the least normal binary16, 2^-14, and a multiple of 2^-24.
        (ChannelType::F16, "0f38000000", &[TexelSubnormal]),
        (ChannelType::F16, "0f3f800001", &[TexelRounded]),
        (ChannelType::F16, "0f47800000", &[TexelHigh]),
        (ChannelType::F32, "0f00000001", &[TexelSubnormal]),
    ];
    for (channel, value, expected) in cases {
        let body = format!("mov.b32 %r2, {value};\nsust.p.1d.b32.clamp [s, {{0}}], {{%r2}}");
        let found = crate::look::all(&surface(Geometry::D1, one(*channel), "0", &body), Opcode::Sust);
        let texels: Vec<Ruling> =
            found.into_iter().filter(|it| (TexelLow..=TexelSubnormal).contains(it)).collect();
        assert_eq!(texels, *expected, "{channel:?} {value}");
    }
}

fn texture(mode: AddressMode, filter: FilterMode, normalized: bool, body: &str) -> Launch {
    let sampler = Sampler {
        address: [mode; 3],
        filter,
        normalized_coordinates: normalized,
        read: ReadMode::Element,
        border: [0; 4],
    };
    let format = Format { channel: ChannelType::F32, channels: 1 };
    let geometry = if body.contains("a1d") { Geometry::A1d } else { Geometry::D1 };
    let launch = kernel(".global .texref t;", "", &format!("{body};"));
    Launch { textures: vec![Texture { image: image("t", geometry, format), sampler }], ..launch }
}

/// CUDA programming guide, "Texture Fetching"; the image has three texels.
#[test]
fn a_lookup_is_inside_or_where_the_sampler_says() {
    let at = |x: &str| {
        format!("mov.f32 %f1, {x};\ntex.1d.v4.f32.f32 {{%r1, %r2, %r3, %r4}}, [t, {{%f1}}]")
            .replace("%r1, %r2, %r3, %r4", "%q1, %q2, %q3, %q4")
    };
    let with_registers = |body: String| format!(".reg .f32 %q<5>;\n{body}");
    // 1, 3, -1, and NaN.
    let [one, three, below, nan] =
        ["0f3f800000", "0f40400000", "0fbf800000", "0f7fc00000"].map(|x| with_registers(at(x)));
    let nearest = FilterMode::Nearest;
    let decided = |launch: Launch, expected: &[Ruling]| {
        let mut found = crate::look::all(&launch, Opcode::Tex);
        found.remove(&Undefined);
        assert_eq!(found.into_iter().collect::<Vec<_>>(), expected, "{}", launch.program);
    };
    decided(texture(AddressMode::Clamp, nearest, false, &one), &[TextureInside]);
    decided(texture(AddressMode::Clamp, FilterMode::Linear, false, &one), &[TextureInside, TextureFiltered]);
    decided(texture(AddressMode::Clamp, nearest, false, &three), &[TextureClamps]);
    decided(texture(AddressMode::Border, nearest, false, &below), &[TextureBorder]);
    // Normalised, 1 is the end of the image.
    decided(texture(AddressMode::Wrap, nearest, true, &one), &[TextureWraps, TextureNormalised]);
    decided(texture(AddressMode::Mirror, nearest, true, &one), &[TextureMirrors, TextureNormalised]);
    decided(texture(AddressMode::Clamp, nearest, false, &nan), &[TextureNan]);
    let layer = ".reg .f32 %q<5>;\nmov.f32 %f1, 0f3f800000;\nmov.b32 %r1, 5;\ntex.a1d.v4.f32.f32 {%q1, %q2, %q3, %q4}, [t, {%r1, %f1}]";
    decided(texture(AddressMode::Clamp, nearest, false, layer), &[TextureLayerOut]);
}
