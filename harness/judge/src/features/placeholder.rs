//! The words that stand for several modifiers in the names of features: `<int>` for every integer type.

/// Any integer type.
pub(crate) const INT: &str = "<int>";
/// Any integer or floating-point type, of an instruction that only moves bits.
pub(crate) const TYPE: &str = "<type>";
/// A comparison that is false for NaN, or of integers.
pub(crate) const COMPARISON: &str = "<cmp>";
/// A comparison that is true for NaN, or a test for NaN.
pub(crate) const UNORDERED: &str = "<cmpu>";
/// A boolean operation that joins a comparison with a predicate.
pub(crate) const BOOLEAN: &str = "<bool>";
/// The number of elements of a vector.
pub(crate) const VECTOR: &str = "<vec>";
/// A memory order.
pub(crate) const ORDER: &str = "<order>";
/// The threads among which a memory order holds.
pub(crate) const SCOPE: &str = "<scope>";

/// Every placeholder with what it stands for, in words.
pub const PLACEHOLDERS: [(&str, &str); 8] = [
    (TYPE, "any integer or floating-point type: the instruction only moves bits"),
    (INT, "any integer type: .b8 to .b64, .u8 to .u64, .s8 to .s64"),
    (COMPARISON, ".eq .ne .lt .le .gt .ge .ls .hs, and of unsigned integers .lo .hi"),
    (UNORDERED, ".equ .neu .ltu .leu .gtu .geu .num .nan"),
    (BOOLEAN, ".and .or .xor"),
    (VECTOR, ".v2 .v4"),
    (ORDER, ".relaxed .acquire .release .acq_rel .sc .weak .mmio"),
    (SCOPE, ".cta .cluster .gpu .sys .gl"),
];
