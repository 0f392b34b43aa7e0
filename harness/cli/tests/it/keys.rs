//! The keys of what is kept: recordings and journals. The digests here come from `tests/data/keys.py`, which knows only the
//! description of the encoding; they stay what they are whatever is renamed or printed otherwise.
//!
//! **A digest that has to change orphans what people have recorded**: give the encoding a new version, and recordings or journals a
//! new format that refuses the old one.

use std::path::PathBuf;
use std::sync::Arc;

use warpdiff_corpus::plan::{Column, Location, PlannedLaunch, Row, RowInputs, SourceFile};
use warpdiff_model::{
    AddressMode, Argument, Buffer, ChannelType, FilterMode, Format, Geometry, HostWrite, Launch, ReadMode,
    Sampler, Surface, Texture,
};
use warpdiff_recordings::encoding::{self, Encoder};
use warpdiff_recordings::meaning::meaning;

fn planned(launch: Launch) -> PlannedLaunch {
    PlannedLaunch::bare(launch, Arc::default())
}

fn location() -> Location {
    let file = SourceFile::new(PathBuf::from("cases/a.yaml"), String::new());
    Location { file: Arc::new(file), range: 0..0 }
}

/// The meaning of a whole program that is launched like this.
fn key(change: impl FnOnce(&mut Launch)) -> String {
    let mut launch = Launch::new("P".into(), "k");
    change(&mut launch);
    meaning(&planned(launch))
}

fn image() -> Surface {
    Surface {
        name: "img".into(),
        geometry: Geometry::D2,
        extent: [2, 1, 1],
        layers: 1,
        format: Format { channel: ChannelType::U8, channels: 1 },
        bytes: vec![1, 2],
        bound_to: None,
    }
}

fn texture() -> Texture {
    Texture {
        image: Surface { name: "tex".into(), bound_to: Some("tex".into()), ..image() },
        sampler: Sampler { address: [AddressMode::Clamp; 3], ..Sampler::default() },
    }
}

fn arguments() -> Vec<Argument> {
    vec![
        Argument::Value(vec![0x2A, 0]),
        Argument::Buffer { index: 1, offset: -4 },
        Argument::Surface { index: 2 },
        Argument::SurfaceReference { index: 3 },
        Argument::Texture { index: 4 },
        Argument::TextureReference { index: 5 },
        Argument::SamplerReference { index: 6 },
    ]
}

/// A launch that has everything a launch can have.
fn full() -> Launch {
    let mut launch = Launch::new("full program".into(), "main");
    launch.grid = [1, 2, 3];
    launch.block = [4, 5, 6];
    launch.dynamic_shared = 48;
    launch.arguments = arguments();
    launch.buffers = vec![
        Buffer { defined: vec![0xFF, 0x0F], guard: 16, ..Buffer::new("b", vec![5, 6]) },
        Buffer { stride: 4, ..Buffer::new("out", vec![0; 8]) },
    ];
    launch.surfaces = vec![Surface {
        geometry: Geometry::A2d,
        extent: [3, 2, 1],
        layers: 4,
        format: Format { channel: ChannelType::Snorm16, channels: 4 },
        bytes: (0..6).collect(),
        bound_to: Some("ref".into()),
        ..image()
    }];
    launch.textures = vec![Texture {
        sampler: Sampler {
            address: [AddressMode::Wrap, AddressMode::Mirror, AddressMode::Border],
            filter: FilterMode::Linear,
            normalized_coordinates: true,
            read: ReadMode::NormalizedFloat,
            border: [1, 2, 3, u32::MAX],
        },
        ..texture()
    }];
    launch.observed_variables = vec!["v".into(), "w".into()];
    launch.host_writes = vec![HostWrite { variable: "m".into(), bytes: vec![7, 8] }];
    launch.step_budget = 99;
    launch
}

#[test]
fn every_kind_of_argument_has_its_key() {
    let keys = [
        "v1-3e8d94aa13d7647d",
        "v1-84e6cc8493b11941",
        "v1-7ebabc787bef8bf1",
        "v1-b70b08a7adf8f7e5",
        "v1-3e0d67efd1304c6c",
        "v1-ef23108895ddc671",
        "v1-3fa0906c657d0853",
    ];
    for (argument, pinned) in arguments().into_iter().zip(keys) {
        assert_eq!(key(|launch| launch.arguments = vec![argument.clone()]), pinned, "{argument:?}");
    }
    assert_eq!(key(|_| {}), "v1-1b831ba2e0a6aec8");
}

#[test]
fn every_geometry_and_format_has_its_key() {
    let of = |surface: Surface| key(|launch| launch.surfaces = vec![surface]);
    for (geometry, pinned) in [
        (Geometry::D1, "v1-b2009a03bb8f85f8"),
        (Geometry::D2, "v1-4764b5484ef47981"),
        (Geometry::D3, "v1-caf314c6fec322ef"),
        (Geometry::A1d, "v1-916062af7d8c0357"),
        (Geometry::A2d, "v1-bfe65dae38181b99"),
    ] {
        assert_eq!(of(Surface { geometry, ..image() }), pinned, "{geometry:?}");
    }
    let channels = [
        (ChannelType::U8, "v1-4764b5484ef47981"),
        (ChannelType::U16, "v1-cb1bc2e92a68fc59"),
        (ChannelType::U32, "v1-bfb5dbb959124192"),
        (ChannelType::S8, "v1-a414189cbe5e864d"),
        (ChannelType::S16, "v1-b0705103c505d068"),
        (ChannelType::S32, "v1-d497efdc64d52b58"),
        (ChannelType::F16, "v1-87876bea79b3d357"),
        (ChannelType::F32, "v1-5142bcbe1efa0e18"),
        (ChannelType::Unorm8, "v1-9d025a2d4b419fba"),
        (ChannelType::Unorm16, "v1-f6c949baa2964c0c"),
        (ChannelType::Snorm8, "v1-5a505c0512945150"),
        (ChannelType::Snorm16, "v1-c23dd33478008b34"),
    ];
    assert_eq!(channels.map(|(channel, _)| channel), ChannelType::ALL.map(|(channel, _)| channel));
    for (channel, pinned) in channels {
        let format = Format { channel, channels: 1 };
        assert_eq!(of(Surface { format, ..image() }), pinned, "{channel:?}");
    }
}

#[test]
fn every_way_to_read_a_texture_has_its_key() {
    let of = |change: &dyn Fn(&mut Sampler)| {
        let mut texture = texture();
        change(&mut texture.sampler);
        key(|launch| launch.textures = vec![texture])
    };
    let modes = [
        (AddressMode::Wrap, "v1-2bb31928fa4cd319"),
        (AddressMode::Clamp, "v1-a970a3d287c6e49c"),
        (AddressMode::Mirror, "v1-55f086d5df1e1bea"),
        (AddressMode::Border, "v1-2c46ce73f0730dd7"),
        (AddressMode::ClampOgl, "v1-25fc583f40379d78"),
    ];
    assert_eq!(modes.map(|(mode, _)| mode), AddressMode::ALL.map(|(mode, _)| mode));
    for (mode, pinned) in modes {
        assert_eq!(of(&|sampler| sampler.address[0] = mode), pinned, "{mode:?}");
    }
    for (filter, pinned) in
        [(FilterMode::Nearest, "v1-a970a3d287c6e49c"), (FilterMode::Linear, "v1-950b72dc8e521f00")]
    {
        assert_eq!(of(&|sampler| sampler.filter = filter), pinned, "{filter:?}");
    }
    for (read, pinned) in
        [(ReadMode::Element, "v1-a970a3d287c6e49c"), (ReadMode::NormalizedFloat, "v1-d78dd069b80f7885")]
    {
        assert_eq!(of(&|sampler| sampler.read = read), pinned, "{read:?}");
    }
}

#[test]
fn whole_programs_and_tables_have_their_keys() {
    assert_eq!(meaning(&planned(full())), "v1-ddf63b88192ad9f6");
    let row = |index: usize, x: &str, y: &str| {
        let inputs = RowInputs::new(vec!["x".to_owned(), "y".to_owned()].into(), [x, y]);
        Row::new(index, inputs, location())
    };
    // The kernel around the body `body;` is the harness's, as are its arguments and the buffers that are divided into rows.
    let table = |program: &str, wrapped: fn(&mut Launch)| {
        let mut launch = Launch::new(program.into(), "kernel");
        launch.buffers = full().buffers;
        wrapped(&mut launch);
        let body = program.find("body;").unwrap();
        PlannedLaunch {
            map: Arc::new(std::iter::once((body..body + 5, location())).collect()),
            rows: vec![row(4, "16", "-1"), row(5, "0x10", "2")],
            columns: vec![Column { name: "d".into(), ty: "b32".into(), offset: 4, size: 4 }].into(),
            ..planned(launch)
        }
    };
    let pinned = "v1-15cb7104912b1689";
    let first = table(".version 8.0\n.target sm_50\n.entry kernel() { body; ret; }\n", |_| {});
    assert_eq!(meaning(&first), pinned);
    let wrapped_otherwise = |launch: &mut Launch| {
        launch.entry = "other".into();
        launch.block = [32, 1, 1];
        launch.arguments = vec![Argument::Value(vec![2, 0, 0, 0])];
        launch.buffers[0].guard = 512;
        launch.buffers[1].bytes = vec![0; 64];
        launch.buffers[1].stride = 32;
    };
    let second = table(".version 8.0\n.target sm_50\n.entry other() { { body; } }\n", wrapped_otherwise);
    assert_eq!(meaning(&second), pinned);
    // A table without outputs is as much the harness's.
    let without = |mut table: PlannedLaunch| {
        table.columns = Arc::default();
        meaning(&table)
    };
    assert_eq!(without(first), without(second));
}

#[test]
fn everything_that_a_target_is_told_of_a_launch_is_in_the_key_of_a_journal() {
    let key = |launch: &Launch| {
        let mut to = Encoder::new("launch", 1);
        encoding::launch(&mut to, launch);
        to.digest()
    };
    assert_eq!(
        key(&Launch::new("P".into(), "k")),
        "461e234d9bd1268642082d77e35da53e83a47c39ccf42f6aa5f05b3f6e4eba6b"
    );
    assert_eq!(key(&full()), "98003270c8bc5166a2106838a9f73b4daa1edcd59443a400b64e83b000da32a9");
    for (length, pinned) in [
        (1024, "db008f3e6484b7f75bef5c92b2e69c2615cdee72d55a051530031f7b3105f629"),
        (1025, "895e9051fea4d17a84ea6fc2651f75625688fb0263eda2612134cb7905eab439"),
        (3000, "102c3a3044d7455d17a39cd1cb22f9821bec23cf2c6a02bd25f80c97ef0de98c"),
    ] {
        assert_eq!(key(&Launch::new("P".repeat(length).into(), "k")), pinned, "{length}");
    }
}
