//! Leaves out what a launch has beside its program: buffers, surfaces, textures, observed variables, shared memory.

use warpdiff_model::{Argument, Launch};

use crate::persistence::{Persistence, take};

/// The kinds of what arguments refer to.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Resource {
    Buffer,
    Surface,
    Texture,
}

/// Leaves out resources that no argument names, and everything else that a launch can do without.
pub(crate) fn leave_out(launch: &mut Launch, judge: &mut dyn Persistence) {
    for kind in [Resource::Buffer, Resource::Surface, Resource::Texture] {
        for index in (0..count(launch, kind)).rev() {
            if let Some(candidate) = without(launch, kind, index) {
                take(launch, judge, candidate);
            }
        }
    }
    take(launch, judge, Launch { dynamic_shared: 0, ..launch.clone() });
    for index in (0..launch.observed_variables.len()).rev() {
        let mut candidate = launch.clone();
        candidate.observed_variables.remove(index);
        take(launch, judge, candidate);
    }
    for index in (0..launch.host_writes.len()).rev() {
        let mut candidate = launch.clone();
        candidate.host_writes.remove(index);
        take(launch, judge, candidate);
    }
    for index in 0..launch.arguments.len() {
        simplify_argument(launch, judge, index);
    }
}

fn count(launch: &Launch, kind: Resource) -> usize {
    match kind {
        Resource::Buffer => launch.buffers.len(),
        Resource::Surface => launch.surfaces.len(),
        Resource::Texture => launch.textures.len(),
    }
}

/// The launch without that resource; `None` if an argument names it.
fn without(launch: &Launch, kind: Resource, gone: usize) -> Option<Launch> {
    let mut smaller = launch.clone();
    for argument in &mut smaller.arguments {
        let Some((of, index)) = named(argument) else { continue };
        if of == kind && *index == gone {
            return None;
        }
        if of == kind && *index > gone {
            *index -= 1;
        }
    }
    match kind {
        Resource::Buffer => drop(smaller.buffers.remove(gone)),
        Resource::Surface => drop(smaller.surfaces.remove(gone)),
        Resource::Texture => drop(smaller.textures.remove(gone)),
    }
    Some(smaller)
}

/// What an argument names.
fn named(argument: &mut Argument) -> Option<(Resource, &mut usize)> {
    match argument {
        Argument::Value(_) => None,
        Argument::Buffer { index, .. } => Some((Resource::Buffer, index)),
        Argument::Surface { index } | Argument::SurfaceReference { index } => {
            Some((Resource::Surface, index))
        }
        Argument::Texture { index }
        | Argument::TextureReference { index }
        | Argument::SamplerReference { index } => Some((Resource::Texture, index)),
    }
}

/// No offset; a value of zero, or with its low bytes alone.
fn simplify_argument(launch: &mut Launch, judge: &mut dyn Persistence, index: usize) {
    let simpler: Vec<Argument> = match &launch.arguments[index] {
        Argument::Buffer { index, offset } if *offset != 0 => {
            vec![Argument::Buffer { index: *index, offset: 0 }]
        }
        Argument::Value(bytes) if bytes.iter().any(|byte| *byte != 0) => {
            let low = |kept: usize| {
                let mut bytes = bytes.clone();
                bytes.iter_mut().skip(kept).for_each(|byte| *byte = 0);
                Argument::Value(bytes)
            };
            vec![low(0), low(1), low(bytes.len() / 2)]
        }
        _ => Vec::new(),
    };
    for argument in simpler {
        let mut candidate = launch.clone();
        candidate.arguments[index] = argument;
        if take(launch, judge, candidate) {
            return;
        }
    }
}
