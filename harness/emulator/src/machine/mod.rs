//! The machine: executes a decoded program over a launch.
//!
//! * [`grid`] – schedules blocks and warps; [`stall`] – finds warps that wait for ever, by the states in which they were [`seen`].
//! * [`warp`] – selects the lanes of a warp to run; [`turn`] – an operation and the lanes that execute it.
//! * [`execute`] – the loop over operations; [`lanes`] applies a function to 32 lanes and its rule to their shadow;
//!   [`lane_function`] – such functions; [`slow_operations`] – operations outside the loop.
//! * [`reach`] – resolves addresses; [`access`], [`atomic`], [`surface`] – memory operations; [`window`] – memory rules specific to SPA 5.0.
//! * [`elements`] – loads and stores that fault in no lane; [`places`], [`whole_row`] – where the lanes access memory then; [`meeting`] – what accesses
//!   race and contend with.
//! * [`barrier`] – synchronises threads of the block; [`divergence`] – whether whole warps take part; [`warp_sync`], [`collective`] – synchronise lanes of a warp.
//! * [`call`] – frames; [`system_call`] – functions of the device runtime; [`control_stack`] – where machine code goes later; [`scoreboard`] – waits and hazards of scheduled programs.
//! * [`faults`], [`indeterminate`] – faults of lanes, and indeterminate launches.
//! * [`watch`] – notes what threads do wrong in a watched run; [`recorder`] – notes the operations of one thread in a traced run; [`looking`] – tells an onlooker of each operation; [`operands`] – registers that an operation reads and writes.
//! * [`state`], [`block`] – state shared by all blocks, and by the warps of a block; [`spare`] – room that launches use one after the other.
//!
//! All code is generic over [`tracking`]; an untracked run has no overhead from the shadow.

mod access;
mod atomic;
mod barrier;
mod barrier_state;
mod block;
mod call;
mod collective;
mod control_stack;
mod divergence;
mod elements;
mod execute;
mod faults;
mod grid;
mod indeterminate;
mod lane_function;
mod lanes;
mod looking;
mod meeting;
mod operands;
mod places;
mod reach;
pub(crate) mod recorder;
pub(crate) mod scoreboard;
mod seen;
mod slow_operations;
mod spare;
mod stall;
mod state;
mod surface;
mod system_call;
mod tracking;
mod turn;
mod warp;
mod warp_sync;
mod watch;
mod whole_row;
mod window;

pub(crate) use state::{Machine, Stop, clocks};
pub(crate) use tracking::{Traced, Tracked, Tracking, Untracked};
