//! The list of all forms, and the lookups in it.

use std::sync::LazyLock;

use super::{
    bits, cache, compare, control, convert, double, global, half, integer, single, surface, texture,
    transfer, warp, window,
};
use crate::form::Form;
use crate::mnemonic::{Mnemonic, Traits};

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
        &single::SET,
        &single::CHOOSE,
        &single::CHECK,
        &single::REDUCE,
        &double::ADD,
        &double::MULTIPLY,
        &double::MULTIPLY_ADD,
        &double::EXTREMUM,
        &double::COMPARE,
        &double::SET,
        half::FORMS,
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
        &convert::HALF_TO_HALF,
        &convert::SINGLE_TO_SINGLE,
        &convert::DOUBLE_TO_DOUBLE,
        warp::FORMS,
        &warp::BARRIERS,
        cache::FORMS,
        control::FORMS,
        surface::FORMS,
        texture::FORMS,
        &texture::GATHERS,
        texture::QUERIES,
        texture::SCALAR_LOOKUPS,
        texture::SCALAR_FETCHES,
    ];
    groups.into_iter().flatten().collect()
});

/// The form that a word belongs to.
pub fn form_of(word: u64) -> Option<&'static Form> {
    FORMS.iter().copied().find(|form| word & form.mask == form.bits)
}

impl Mnemonic {
    /// The properties of the instruction that hold for every form; `None` if the table has no form of it.
    pub fn traits(self) -> Option<Traits> {
        FORMS.iter().find(|form| form.mnemonic == self).map(|form| form.traits)
    }
}
