//! What the initialisers of texture and sampler variables state of sampling (PTX ISA 5.3.2).

use warpdiff_model::{AddressMode, FilterMode};
use warpdiff_ptx::checked::{MemberValue, Variable};
use warpdiff_semantics::texture::sampling::Members;

/// The sampler members that a variable's initialiser states.
pub(super) fn members_of(variable: &Variable) -> Members {
    let member = |name: &str| variable.members.iter().find(|it| it.name == name).map(|it| it.value);
    let truth = |name| match member(name) {
        Some(MemberValue::Integer(bits)) => Some(bits != 0),
        _ => None,
    };
    let force = truth("force_unnormalized_coords");
    Members {
        normalized: truth("normalized_coords"),
        force_unnormalized: force.unwrap_or(false),
        force_stated: force.is_some(),
        filter: member("filter_mode").map(filter),
        address: ["addr_mode_0", "addr_mode_1", "addr_mode_2"].map(|name| member(name).map(address)),
    }
}

fn filter(value: MemberValue) -> Option<FilterMode> {
    match value {
        MemberValue::Enumerator("nearest") => Some(FilterMode::Nearest),
        MemberValue::Enumerator("linear") => Some(FilterMode::Linear),
        _ => None,
    }
}

fn address(value: MemberValue) -> Option<AddressMode> {
    let MemberValue::Enumerator(enumerator) = value else { return None };
    match enumerator {
        "wrap" => Some(AddressMode::Wrap),
        "mirror" => Some(AddressMode::Mirror),
        "clamp_ogl" => Some(AddressMode::ClampOgl),
        "clamp_to_edge" => Some(AddressMode::Clamp),
        "clamp_to_border" => Some(AddressMode::Border),
        _ => None,
    }
}
