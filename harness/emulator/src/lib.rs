//! placeholder

mod definedness;
mod numeric;
