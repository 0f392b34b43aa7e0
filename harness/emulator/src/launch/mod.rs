//! Prepares the initial memory of a launch.
//!
//! * [`validation`] – the conditions for a launch to begin, and the errors if they do not hold.
//! * [`layout`] – placement and initial contents of parameters, variables, buffers and surfaces.
//! * [`constant_memory`] – the constant banks of machine code; [`descriptors`] – the driver's tables that its queries read.
//! * [`binder`] – bindings of arguments, variables and parameters; combines all steps.

pub(crate) mod binder;
pub(crate) mod constant_memory;
pub(crate) mod descriptors;
pub(crate) mod layout;
pub(crate) mod validation;
