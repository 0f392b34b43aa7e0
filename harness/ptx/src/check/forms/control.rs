//! Control flow and miscellaneous (PTX ISA 9.7.12, 9.7.19).

use super::row::{Row, row};
use crate::vocabulary::Opcode::*;

/// The targets from sm_100 on that have what only their own kind has.
const LETTERED: &str = "100a 100f 101a 101f 103a 103f 110a 110f 120a 120f 121a 121f";

pub(super) const ROWS: &[Row] = &[
    row(Bra, "?uni", "label", 10, 10),
    row(Brx, ".idx ?uni", "u32 targets", 60, 30),
    row(Ret, "?uni", "", 10, 10),
    row(Exit, "", "", 10, 10),
    row(Trap, "", "", 10, 10),
    row(Brkpt, "", "", 10, 11),
    row(
        Clusterlaunchcontrol,
        ".try_cancel .async ?shared::cta .mbarrier::complete_tx::bytes .b128",
        "[] [] unsupported",
        86,
        100,
    ),
    row(
        Clusterlaunchcontrol,
        ".try_cancel .async ?shared::cta .mbarrier::complete_tx::bytes .multicast::cluster::all .b128",
        "[] [] unsupported",
        86,
        100,
    )
    .only_on(LETTERED),
    row(Clusterlaunchcontrol, ".query_cancel .is_canceled .pred .b128", "=0 1 unsupported", 86, 100),
    row(Clusterlaunchcontrol, ".query_cancel .get_first_ctaid .v4 .b32 .b128", "=v0 1 unsupported", 86, 100),
    row(
        Clusterlaunchcontrol,
        ".query_cancel .get_first_ctaid::x|get_first_ctaid::y|get_first_ctaid::z .b32 .b128",
        "=0 1 unsupported",
        86,
        100,
    ),
    row(Nanosleep, ".u32", "0", 63, 70),
    row(Pmevent, "", "imm", 14, 10),
    row(Pmevent, ".mask", "imm unsupported", 30, 20),
];
