//! The ways in which a worker can misbehave. The tests that watch workers read this file, too.

/// How a worker misbehaves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fault {
    /// Dies of SIGABRT while the launch runs.
    Crash,
    /// Dies of SIGABRT before it announces the launch.
    EarlyCrash,
    /// Dies of SIGABRT after it has answered.
    LateCrash,
    /// Ends with code 3 while the launch runs.
    Exit,
    /// Does not come back.
    Hang,
    /// Starts another process that keeps its output open, and dies.
    Orphan,
    /// Writes what is no message.
    Garbage,
    /// Writes a line without end.
    Oversized,
    /// Leaves out the last byte of a region.
    Lie,
    /// Answers for another launch.
    WrongId,
    /// Inverts the first byte of a region.
    Flip,
    /// Writes a megabyte to its standard error, then dies of SIGABRT.
    Chatter,
    /// Kills itself with SIGKILL, as a memory killer would.
    Kill,
    /// Answers, and leaves.
    Leave,
    /// Answers twice.
    Twice,
    /// Writes what is no message after it has answered.
    Postscript,
    /// Answers without having announced the launch.
    Unannounced,
    /// Ends with code 0 in the middle of a message.
    Partial,
    /// Closes its output, and stays.
    Mute,
    /// Writes a message that is nested without end.
    Nested,
    /// Writes a megabyte to its standard error, and is well.
    Loud,
}

impl Fault {
    /// Every fault with its name.
    pub(crate) const ALL: [(Fault, &'static str); 21] = [
        (Fault::Crash, "crash"),
        (Fault::EarlyCrash, "early-crash"),
        (Fault::LateCrash, "late-crash"),
        (Fault::Exit, "exit"),
        (Fault::Hang, "hang"),
        (Fault::Orphan, "orphan"),
        (Fault::Garbage, "garbage"),
        (Fault::Oversized, "oversized"),
        (Fault::Lie, "lie"),
        (Fault::WrongId, "wrong-id"),
        (Fault::Flip, "flip"),
        (Fault::Chatter, "chatter"),
        (Fault::Kill, "kill"),
        (Fault::Leave, "leave"),
        (Fault::Twice, "twice"),
        (Fault::Postscript, "postscript"),
        (Fault::Unannounced, "unannounced"),
        (Fault::Partial, "partial"),
        (Fault::Mute, "mute"),
        (Fault::Nested, "nested"),
        (Fault::Loud, "loud"),
    ];
}
