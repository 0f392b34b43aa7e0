//! placeholder

mod definedness;
mod numeric;
mod race;
mod surface;
