//! The instruction forms of sm_50 as data: one row for each.

mod bits;
mod compare;
mod control;
mod field;
mod global;
mod integer;
mod transfer;
mod warp;
mod window;

use std::sync::LazyLock;

use crate::form::Form;

/// Every form, no two of which share a word.
pub static FORMS: LazyLock<Vec<&'static Form>> = LazyLock::new(|| {
    let groups = [
        window::FORMS,
        global::FORMS,
        transfer::FORMS,
        integer::FORMS,
        bits::FORMS,
        compare::FORMS,
        warp::FORMS,
        control::FORMS,
    ];
    groups.into_iter().flatten().collect()
});
