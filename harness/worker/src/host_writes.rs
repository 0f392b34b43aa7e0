//! Host writes to `.managed` variables, as messages.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use warpdiff_model::HostWrite;

use super::hex::Hex;

/// All bytes of each variable, by its name.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct HostWrites(BTreeMap<String, Hex>);

impl HostWrites {
    /// Whether there are no writes.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The same writes, with a suffix at every name.
    pub fn renamed(self, suffix: &str) -> Self {
        Self(self.0.into_iter().map(|(name, bytes)| (name + suffix, bytes)).collect())
    }
}

impl From<&[HostWrite]> for HostWrites {
    fn from(writes: &[HostWrite]) -> Self {
        Self(writes.iter().map(|write| (write.variable.clone(), Hex(write.bytes.clone()))).collect())
    }
}

impl From<HostWrites> for Vec<HostWrite> {
    fn from(writes: HostWrites) -> Self {
        let writes = writes.0.into_iter();
        writes.map(|(variable, Hex(bytes))| HostWrite { variable, bytes }).collect()
    }
}

#[cfg(test)]
mod tests {
    use warpdiff_model::{HostWrite, Launch};

    use crate::protocol::{self, Capability, LaunchRequest};

    fn launch() -> Launch {
        let write =
            |variable: &str, bytes: &[u8]| HostWrite { variable: variable.into(), bytes: bytes.into() };
        Launch { host_writes: vec![write("a", &[1, 2]), write("b", &[])], ..Launch::new("".into(), "k") }
    }

    #[test]
    fn what_the_host_writes_comes_through_a_line_as_it_was() {
        let line = protocol::line(&LaunchRequest::new(1, "case", &launch(), 1000)).expect("a line");
        let back: LaunchRequest = serde_json::from_slice(&line).expect("a request");
        assert_eq!(back.into_launch(), launch());
        let written = String::from_utf8(line).expect("text");
        assert!(written.contains(r#""host_writes":{"a":"0102","b":""}"#), "{written}");
        let nothing = protocol::line(&LaunchRequest::new(1, "case", &Launch::new("".into(), "k"), 1000));
        let nothing = String::from_utf8(nothing.expect("a line")).expect("text");
        assert!(!nothing.contains("host_writes"), "{nothing}");
    }

    #[test]
    fn it_is_a_capability_of_its_own_and_a_shared_module_renames_the_variables() {
        assert_eq!(Capability::needed(&launch()), [Capability::Managed]);
        let renamed = LaunchRequest::new(1, "case", &launch(), 1000).in_module(2, "_x").into_launch();
        let names: Vec<_> = renamed.host_writes.iter().map(|write| write.variable.as_str()).collect();
        assert_eq!(names, ["a_x", "b_x"]);
    }
}
