//! Small PTX programs run on the emulator; every expected number is worked out by hand from the PTX ISA.

mod addresses;
mod arithmetic;
mod atomics;
mod calls;
mod choices;
mod compiled;
mod consistency;
mod control;
mod faults;
mod formatted;
mod kernel;
mod memory;
mod orders;
mod queries;
mod reductions;
mod surfaces;
mod textures;
mod undefined;
mod warps;
