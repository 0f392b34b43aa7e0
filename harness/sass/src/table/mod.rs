//! The instructions of sm_50 as data: one row for each with what all its forms share, and one for each of its forms.

mod bits;
mod cache;
mod compare;
mod control;
mod convert;
mod double;
mod field;
mod global;
mod half;
mod integer;
mod kind;
mod list;
mod resize;
mod single;
mod surface;
mod texture;
mod transfer;
mod video;
mod warp;
mod window;

pub use list::{FORMS, form_of, forms_of};
