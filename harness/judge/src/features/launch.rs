//! The features of a launch, and of what its case expects of it.

use warpdiff_corpus::plan::{Expected, PlannedLaunch};
use warpdiff_model::{AddressMode, Argument, FilterMode, Launch, ReadMode, Sampler};

use super::feature::{Collected, Feature, FeatureKind};

/// Threads of a warp.
const WARP: u64 = 32;

/// Adds the features of a launch to those of its program.
pub(super) fn add(planned: &PlannedLaunch, to: &mut Collected) {
    let launch = &planned.launch;
    let kind = FeatureKind::Launch;
    let product = |of: [u32; 3]| of.iter().map(|n| u64::from(*n)).product::<u64>();
    to.add_if(product(launch.block) > 1, kind, "several threads");
    to.add_if(product(launch.block) > WARP, kind, "several warps");
    to.add_if(product(launch.grid) > 1, kind, "several blocks");
    to.add_if(launch.dynamic_shared > 0, kind, "dynamic shared memory");
    to.add_if(launch.buffers.iter().any(|buffer| buffer.guard > 0), kind, "buffers with guard bands");
    add_objects(launch, to);
    to.add_if(!launch.observed_variables.is_empty(), kind, "final bytes of variables");
    to.add_if(!launch.host_writes.is_empty(), kind, "writes of the host to variables");
    add_texels(launch, to);
    for expectation in planned.expectations.others() {
        match &expectation.what {
            Expected::Fault(class) => to.add(FeatureKind::Ending, format!("faulted: {class}")),
            Expected::TimedOut => to.add(FeatureKind::Ending, "timed-out: the step budget"),
            _ => {}
        }
    }
}

/// Handles of surfaces and textures. Those that are bound to names show in the declarations of the program.
fn add_objects(launch: &Launch, to: &mut Collected) {
    let handle = |argument: &Argument| match argument {
        Argument::Surface { .. } => Some("handles of surfaces"),
        Argument::Texture { .. } => Some("handles of textures"),
        _ => None,
    };
    launch.arguments.iter().filter_map(handle).for_each(|name| to.add(FeatureKind::Launch, name));
}

/// The types of texels that instructions convert, and the settings of samplers. An unformatted access converts nothing.
fn add_texels(launch: &Launch, to: &mut Collected) {
    let formatted = |feature: &Feature| {
        let name = feature.name.to_ascii_lowercase();
        feature.kind == FeatureKind::Instruction && (name.starts_with("sust.p") || name.starts_with("suld.p"))
    };
    if to.0.iter().any(formatted) {
        for surface in &launch.surfaces {
            to.add(FeatureKind::Texels, format!("texels of {}", surface.format.channel.name()));
        }
    }
    for texture in &launch.textures {
        to.add(FeatureKind::Texels, format!("textures of {}", texture.image.format.channel.name()));
        add_sampler(&texture.sampler, to);
    }
}

fn add_sampler(sampler: &Sampler, to: &mut Collected) {
    let kind = FeatureKind::Sampler;
    to.add_if(sampler.filter == FilterMode::Linear, kind, "filter linear");
    to.add_if(sampler.normalized_coordinates, kind, "normalized coordinates");
    to.add_if(sampler.read == ReadMode::NormalizedFloat, kind, "read normalized-float");
    for (mode, name) in AddressMode::ALL {
        // `clamp` is what a sampler does that states nothing.
        to.add_if(
            mode != AddressMode::default() && sampler.address.contains(&mode),
            kind,
            &format!("address {name}"),
        );
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use warpdiff_corpus::plan::ProgramMap;
    use warpdiff_model::{Buffer, ChannelType, Format, Geometry, Surface, Texture};

    use super::*;

    /// The names of the features of a launch whose program has this instruction, with their kinds.
    fn of(launch: Launch, instruction: &str) -> Vec<(FeatureKind, String)> {
        let mut found = Collected::default();
        found.add(FeatureKind::Instruction, instruction);
        add(&PlannedLaunch::bare(launch, Arc::new(ProgramMap::default())), &mut found);
        let others = found.0.into_iter().filter(|feature| feature.kind != FeatureKind::Instruction);
        others.map(|feature| (feature.kind, feature.name)).collect()
    }

    fn surface() -> Surface {
        Surface {
            name: "s".into(),
            geometry: Geometry::D1,
            extent: [1, 1, 1],
            layers: 1,
            format: Format { channel: ChannelType::Unorm8, channels: 4 },
            bytes: vec![0; 4],
            bound_to: None,
        }
    }

    fn launch() -> Launch {
        Launch::new("".into(), "k")
    }

    #[test]
    fn threads_and_objects_of_the_launch_are_features() {
        let named =
            |names: &[&str]| names.iter().map(|n| (FeatureKind::Launch, (*n).to_owned())).collect::<Vec<_>>();
        assert_eq!(of(launch(), "ret"), []);
        assert_eq!(of(Launch { block: [4, 8, 1], ..launch() }, "ret"), named(&["several threads"]));
        let many = Launch { block: [33, 1, 1], grid: [1, 2, 1], dynamic_shared: 4, ..launch() };
        assert_eq!(
            of(many, "ret"),
            named(&["dynamic shared memory", "several blocks", "several threads", "several warps"])
        );
        let buffers = vec![Buffer::new("b", vec![0; 4])];
        let arguments = vec![Argument::Buffer { index: 0, offset: 0 }, Argument::Surface { index: 0 }];
        let with_objects = Launch { buffers, arguments, surfaces: vec![surface()], ..launch() };
        assert_eq!(
            of(with_objects, "suld.b.1d.<type>.trap"),
            named(&["buffers with guard bands", "handles of surfaces"])
        );
    }

    #[test]
    fn texels_are_features_where_something_converts_them_and_so_are_settings_of_samplers() {
        let surfaces = || Launch { surfaces: vec![surface()], ..launch() };
        assert_eq!(of(surfaces(), "sust.b.1d.<type>.trap"), []);
        let texels = [(FeatureKind::Texels, "texels of unorm8".to_owned())];
        assert_eq!(of(surfaces(), "sust.p.1d.<type>.trap"), texels);
        // The same in SPA 5.0.
        assert_eq!(of(surfaces(), "SUST.P 1d.trap"), texels);
        let sampler = Sampler {
            address: [AddressMode::Wrap, AddressMode::Clamp, AddressMode::Clamp],
            filter: FilterMode::Linear,
            ..Sampler::default()
        };
        let textures = Launch { textures: vec![Texture { image: surface(), sampler }], ..launch() };
        let named = [
            (FeatureKind::Texels, "textures of unorm8"),
            (FeatureKind::Sampler, "address wrap"),
            (FeatureKind::Sampler, "filter linear"),
        ];
        assert_eq!(of(textures, "tex.1d.<vec>.f32.f32"), named.map(|(kind, name)| (kind, name.to_owned())));
    }
}
