//! The features that a target must have to run a variant: what `warpdiff roadmap` puts in an order.
//!
//! * [`feature`] – a feature: its kind and its name.
//! * [`of_variant`] – the features of a variant.
//! * `instruction_form` – the name of an instruction of PTX without what is alike in many: types of one class, comparisons, scopes.
//! * `ptx`, `spa` – the features of a program; `launch` – those of a launch and of what its case expects.

pub mod feature;
mod instruction_form;
mod launch;
pub mod of_variant;
pub mod placeholder;
mod ptx;
mod spa;
