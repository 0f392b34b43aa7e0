//! The list of all forms, and the search for the form of a word or mnemonic.

use std::sync::LazyLock;

use super::{
    bits, cache, compare, control, convert, double, global, half, integer, resize, single, surface, texture,
    transfer, video, warp, window,
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
        &integer::PRODUCT_AND_SUM,
        &integer::SIGNED_PRODUCT_AND_SUM,
        &integer::NEGATED_PRODUCT_AND_SUM,
        &integer::NEGATED_SIGNED_PRODUCT_AND_SUM,
        &integer::PRODUCT_AND_SUM_PLUS_ONE,
        &integer::SIGNED_PRODUCT_AND_SUM_PLUS_ONE,
        &integer::LONG_PRODUCT_AND_SUM,
        &resize::UNSIGNED_OF_BYTE,
        &resize::UNSIGNED_OF_HALF,
        &resize::UNSIGNED_OF_WORD,
        &resize::SIGNED_OF_BYTE,
        &resize::SIGNED_OF_HALF,
        &resize::SIGNED_OF_WORD,
        bits::FORMS,
        &bits::FIND_LEADING,
        &bits::INSERT,
        compare::FORMS,
        &compare::SET,
        &compare::OF_CODES,
        &compare::TO_CODES,
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
        &video::SUM,
        &video::DIFFERENCE,
        &video::DIFFERENCES,
        &video::EXTREMUM,
        &video::COMPARE,
        &video::SHIFT_LEFT,
        &video::SHIFT_RIGHT,
        &video::MULTIPLY_ADD,
        &video::MULTIPLY_SUBTRACT,
        &video::MULTIPLY_ADD_PLUS_ONE,
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

/// The forms of each mnemonic, by its number, in the order of [`FORMS`].
static BY_MNEMONIC: LazyLock<Vec<Vec<&'static Form>>> = LazyLock::new(|| {
    let mut forms = vec![Vec::new(); Mnemonic::COUNT];
    FORMS.iter().for_each(|form| forms[form.mnemonic as usize].push(*form));
    forms
});

/// The forms of a mnemonic, in the order of [`FORMS`].
pub fn forms_of(mnemonic: Mnemonic) -> &'static [&'static Form] {
    &BY_MNEMONIC[mnemonic as usize]
}

/// The form that a word belongs to.
pub fn form_of(word: u64) -> Option<&'static Form> {
    FORMS.iter().copied().find(|form| word & form.mask == form.bits)
}

impl Mnemonic {
    /// The properties of the instruction that hold for every form; `None` if the table has no form of it.
    pub fn traits(self) -> Option<Traits> {
        forms_of(self).first().map(|form| form.traits)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_forms_of_a_mnemonic_are_those_of_the_list_in_its_order() {
        let of_list = |mnemonic| FORMS.iter().copied().filter(move |form| form.mnemonic == mnemonic);
        for form in FORMS.iter() {
            let expected: Vec<&Form> = of_list(form.mnemonic).collect();
            let found = forms_of(form.mnemonic);
            assert!(
                found
                    .iter()
                    .copied()
                    .map(std::ptr::from_ref)
                    .eq(expected.into_iter().map(std::ptr::from_ref))
            );
        }
    }
}
