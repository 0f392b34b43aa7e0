//! A part of the corpus that has every subject in it.

/// Patterns of it. Of surfaces it is a part: their tables and sweeps have a quarter of a million rows, which are more of the same to a
/// protocol or a driver and would take minutes in a debug build. `ci/nightly.sh` runs all of them.
pub(crate) const EVERY_SUBJECT: [&str; 20] = [
    "arithmetic/*",
    "atomics/*",
    "compiled/*",
    "control/*",
    "declare/*",
    "definedness/*",
    "memory/*",
    "suld/bounds-3d/*",
    "suld/widths/*",
    "sust/widths/*",
    "sust/p-float/*",
    "sured/together/*",
    "suq/*",
    "tex/nearest/*",
    "tex/address/*",
    "tex/linear/*",
    "tex/components/*",
    "tex/integers/*",
    "tex/samplers/*",
    "txq/*",
];
