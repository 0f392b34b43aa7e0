//! The profiles that come with warpdiff, and the files that `--profile` names.

use std::path::Path;
use std::sync::Arc;

use warpdiff_corpus::plan::SourceFile;
use warpdiff_expectations::profile::Profile;
use warpdiff_terminal::suggest::closest;

use crate::expectation_options::wrong_files;
use crate::failure::Failure;
use crate::shared_options::SharedOptions;

/// The profiles that come with warpdiff: name and text.
const BUILT_IN: [(&str, &str); 2] = [
    ("kepler-compiled", include_str!("../../../ci/profiles/kepler-compiled.yaml")),
    ("ptxas-12.9", include_str!("../../../ci/profiles/ptxas-12.9.yaml")),
];

/// The profile of this name, or in this file: what has a `/`, or ends with `.yaml` or `.yml`, is a file.
pub(crate) fn read(name: &str, shared: &SharedOptions) -> Result<Profile, Failure> {
    let is_file = name.contains(['/', '\\']) || name.ends_with(".yaml") || name.ends_with(".yml");
    let read = match (is_file, BUILT_IN.iter().find(|(known, _)| *known == name)) {
        (true, _) => Profile::read(Path::new(name)),
        (false, Some((_, text))) => {
            let source = SourceFile::new(format!("ci/profiles/{name}.yaml"), (*text).to_owned());
            Profile::parse(Arc::new(source))
        }
        (false, None) => return Err(unknown(name)),
    };
    read.map_err(|errors| wrong_files("the profile has", &errors, shared))
}

fn unknown(name: &str) -> Failure {
    let names = BUILT_IN.map(|(known, _)| known);
    let near = match closest(name, names) {
        Some(near) => format!("did you mean `{near}`? "),
        None => String::new(),
    };
    let known = names.join(", ");
    Failure::usage(format!(
        "there is no profile `{name}`; {near}Those that come with warpdiff are {known}; a file is named with its `.yaml`"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_profiles_that_come_with_warpdiff_are_sound() {
        for (name, text) in BUILT_IN {
            let source = SourceFile::new(format!("{name}.yaml"), text.to_owned());
            let profile = Profile::parse(Arc::new(source));
            let profile = profile.unwrap_or_else(|errors| panic!("{}", errors[0].render(false)));
            assert!(!profile.deviations.is_empty(), "{name}");
        }
    }

    /// Of NVIDIA's compilers everything in the catalogue is in their profile.
    #[test]
    fn what_the_catalogue_says_of_a_compiler_is_in_its_profile() {
        use warpdiff_model::{Deviation, Origin};
        for (name, text) in BUILT_IN {
            let source = SourceFile::new(format!("{name}.yaml"), text.to_owned());
            let profile = Profile::parse(Arc::new(source)).unwrap_or_else(|errors| panic!("{}", errors[0]));
            let origin = if name.starts_with("ptxas") { Origin::Ptxas } else { Origin::Kepler };
            let of = |deviation: &Deviation| deviation.entry().origins.contains(&origin);
            for deviation in Deviation::all().filter(of) {
                assert!(profile.deviation(deviation).is_some(), "{name}: {}", deviation.name());
            }
            for known in &profile.deviations {
                assert!(of(&known.deviation), "{}", known.words());
            }
        }
    }
}
