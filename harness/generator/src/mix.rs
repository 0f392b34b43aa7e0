//! Mixes: what programs have more of, and what they have not.

/// What programs have more of.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Mix {
    /// Everything.
    #[default]
    All,
    /// Everything, and no access leaves its image.
    InBounds,
    /// The same, and the last step is one that faults.
    OneFault,
    /// Nothing of which the specification leaves a bit undefined.
    NoUndefined,
    /// Many threads that contend for the same places, and meet at barriers.
    Contended,
    /// Surfaces and textures.
    Surfaces,
    /// Loops, branches, calls, and what lanes do together.
    ControlFlow,
    /// Floating-point numbers.
    Float,
}

/// A kind of step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// An instruction from registers to registers.
    Register,
    /// An access to memory.
    Memory,
    /// `suld`
    SurfaceLoad,
    /// `sust.b`
    SurfaceStore,
    /// `sust.p`
    TexelStore,
    /// `sured`
    SurfaceReduction,
    /// A texture lookup.
    Texture,
    /// A load of a variable.
    Variable,
    /// An instruction in a function.
    Call,
    /// `mov`
    Move,
    /// A query of a surface or a texture.
    Query,
    /// An operation among threads.
    Lanes,
    /// An atomic on a place that all threads share.
    Contended,
    /// An early end, or a pause.
    Aside,
}

/// The table: how often each kind is drawn, for each mix in the order of [`Mix::ALL`].
#[rustfmt::skip]
const KINDS: &[(Kind, [u32; 8])] = &[
    //                         all  in  fault  no-u  cont  surf  flow  float
    (Kind::Register,         [ 40,  40,  40,   40,   10,   10,   30,  100]),
    (Kind::Memory,           [ 48,  48,  40,   48,   20,    8,   20,   10]),
    (Kind::SurfaceLoad,      [ 16,  16,  16,   16,    0,   40,    4,    0]),
    (Kind::SurfaceStore,     [ 16,  16,  16,   16,    0,   30,    4,    0]),
    (Kind::TexelStore,       [ 10,  10,  10,   10,    0,   25,    2,    0]),
    (Kind::SurfaceReduction, [ 12,  12,  12,   12,    0,   30,    2,    0]),
    (Kind::Texture,          [ 15,  15,  15,   15,    0,   40,    4,    4]),
    (Kind::Variable,         [  4,   4,   4,    4,    0,    0,    2,    4]),
    (Kind::Call,             [  2,   2,   2,    2,    0,    0,   10,    4]),
    (Kind::Move,             [  5,   5,   5,    5,    2,    0,    5,    4]),
    (Kind::Query,            [  3,   3,   3,    3,    0,   10,    0,    0]),
    (Kind::Lanes,            [ 60,  60,   0,   60,   40,   20,   60,   20]),
    (Kind::Contended,        [ 30,  30,   0,   30,   60,    0,   20,    0]),
    (Kind::Aside,            [  1,   1,   0,    1,    1,    0,    4,    1]),
];

/// Of 256 steps, how many have the start, the next arm or the end of a block before them.
const TURNS: [u8; 8] = [40, 40, 0, 40, 30, 20, 150, 30];
/// Of 256 programs, how many have threads that meet.
const TOGETHER: [u8; 8] = [40, 40, 0, 40, 255, 20, 120, 20];

impl Mix {
    /// Every mix with its name.
    pub const ALL: [(Self, &'static str); 8] = [
        (Self::All, "all"),
        (Self::InBounds, "in-bounds"),
        (Self::OneFault, "one-fault"),
        (Self::NoUndefined, "no-undefined"),
        (Self::Contended, "contended"),
        (Self::Surfaces, "surfaces"),
        (Self::ControlFlow, "control-flow"),
        (Self::Float, "float"),
    ];

    /// Its name.
    pub fn name(self) -> &'static str {
        Self::ALL[self as usize].1
    }

    /// The kinds of steps with their weights.
    pub(crate) fn kinds(self) -> impl Iterator<Item = (u32, Kind)> {
        KINDS.iter().map(move |(kind, weights)| (weights[self as usize], *kind))
    }

    /// Of 256 steps, how many have the start, the next arm or the end of a block before them.
    pub(crate) fn turns(self) -> u8 {
        TURNS[self as usize]
    }

    /// Of 256 programs, how many have threads that meet.
    pub(crate) fn together(self) -> u8 {
        TOGETHER[self as usize]
    }

    /// Whether coordinates are within their image.
    pub(crate) fn is_inside(self) -> bool {
        matches!(self, Self::InBounds | Self::OneFault)
    }
}
