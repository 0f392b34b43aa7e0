//! A launch as the long form of a case states it.

use warpdiff_model::{Buffer, Launch};

/// The launch with the usual guard bands and time limit, and with buffers that are not divided into rows: the long form of a case has no words for
/// anything else of it. What it does is the same.
pub fn as_long_form(launch: &Launch) -> Launch {
    let buffer = |buffer: &Buffer| Buffer {
        defined: buffer.defined.clone(),
        ..Buffer::new(buffer.name.clone(), buffer.bytes.clone())
    };
    Launch { buffers: launch.buffers.iter().map(buffer).collect(), time_limit: None, ..launch.clone() }
}
