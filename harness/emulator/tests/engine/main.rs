//! Small programs run on the emulator; every expected number is worked out by hand from the PTX ISA, or of SPA 5.0 (`spa`)
//! from the pages of its instructions.

mod addresses;
mod arithmetic;
mod atomics;
mod bounds;
mod calls;
mod choices;
mod compiled;
mod consistency;
mod control;
mod deviations;
mod device_runtime;
mod faults;
mod folded;
mod formatted;
mod joined;
mod kernel;
mod memory;
mod orders;
mod queries;
mod reductions;
mod spa;
mod stalls;
mod surfaces;
mod textures;
mod trace;
mod undefined;
mod variables;
mod warps;
