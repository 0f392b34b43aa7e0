//! A launch as a program that needs no warpdiff: the PTX file, and drivers in C and in Python that set up its memory, launch it once and say
//! what is wrong with what it leaves.
//!
//! * `parts` – what both drivers have to know, and what they cannot do.
//! * `c`, `python` – the same as tables before `driver.c` and `driver.py`, which hold the calls.

mod c;
mod parts;
mod python;

pub use parts::{Reproducer, Unwritable};
