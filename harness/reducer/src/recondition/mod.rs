//! Reconditioning: a program whose behaviour depends on undefined bits, as one that was half reduced, gets instructions around what does, until
//! the reference says that nothing does any more. A program that is determinate stays as it is.
//!
//! Nothing here knows which behaviour is undefined. The reference says at which instruction it stops, and which undefined bits of which
//! registers that reads; the record of the thread says where these come from. What is done about it stands in docs/reduce.md.
//!
//! * `rounds` – asks the reference and wraps, again and again.
//! * `budget` – what all of it may cost.
//! * `report` – where the reference stops, and the origins of the undefined bits there.
//! * `wraps` – the instructions that are added, and those that are left out.
//! * `dialect` – what both dialects have in common; `ptx`, `spa` – how each writes the instructions.

mod budget;
mod dialect;
mod ptx;
mod report;
mod rounds;
mod spa;
mod wraps;

pub(crate) use rounds::recondition_with;
pub use rounds::{indeterminate, recondition, recondition_within};
