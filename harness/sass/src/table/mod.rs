//! The instructions of sm_50 as data: one row for each with what all its forms share, and one for each of its forms.

mod bits;
mod compare;
mod control;
mod convert;
mod double;
mod field;
mod global;
mod integer;
mod kind;
mod single;
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
        &integer::SUM_PLUS_ONE,
        &integer::SCALED_SUM_PLUS_ONE,
        bits::FORMS,
        &bits::FIND_LEADING,
        &bits::INSERT,
        compare::FORMS,
        &compare::SET,
        single::FORMS,
        &single::ADD,
        &single::MULTIPLY,
        &single::MULTIPLY_ADD,
        &single::EXTREMUM,
        &single::COMPARE,
        &single::CHECK,
        &single::REDUCE,
        &double::ADD,
        &double::MULTIPLY,
        &double::MULTIPLY_ADD,
        &double::EXTREMUM,
        &double::COMPARE,
        &convert::OF_BYTES,
        &convert::OF_HALVES,
        &convert::OF_WORDS,
        &convert::OF_PAIRS,
        &convert::TO_UNSIGNED_INTEGER,
        &convert::TO_SIGNED_INTEGER,
        &convert::SINGLE_TO_HALF,
        &convert::DOUBLE_TO_HALF,
        &convert::HALF_TO_SINGLE,
        &convert::DOUBLE_TO_SINGLE,
        &convert::HALF_TO_DOUBLE,
        &convert::SINGLE_TO_DOUBLE,
        warp::FORMS,
        control::FORMS,
    ];
    groups.into_iter().flatten().collect()
});
