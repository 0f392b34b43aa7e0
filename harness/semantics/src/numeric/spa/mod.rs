//! Integer instructions of SPA 5.0, by what decoders of machine code say of them (yuzu, Ryujinx, Mesa, envytools) and by the code
//! that ptxas makes of PTX instructions. No rule is taken from the rule of a PTX instruction, so that each is a witness of the other.
//!
//! - [`codes`]: the condition codes, their tests, and sums that set them.
//! - [`product`]: `XMAD` and `IMAD`.
//! - [`bits`]: `BFE`, `BFI`, `FLO`, `PRMT`, `SHF`.

pub mod bits;
pub mod codes;
pub mod product;
