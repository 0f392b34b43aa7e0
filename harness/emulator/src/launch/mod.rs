//! From a launch to the memory it starts with.
//!
//! * [`validation`] – what a launch must be so that it can begin, and the errors where it is not.
//! * [`layout`] – where parameters, variables, buffers and surfaces lie, and what they hold at first.
//! * [`binder`] – what arguments, variables and parameters are bound to; all of it together.

pub(crate) mod binder;
pub(crate) mod layout;
pub(crate) mod validation;
