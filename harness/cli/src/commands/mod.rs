//! One file for each command: its options and what it does. `check_table`, `layout_table` and `layout_random` are the modes `check
//! --table`, `layout --table` and `layout --random`, `merge_findings` is `merge --findings`. The command `fuzz` is a folder of its own, [`crate::fuzz`].

pub(crate) mod assemble;
pub(crate) mod book;
pub(crate) mod characterize;
pub(crate) mod check;
pub(crate) mod check_table;
pub(crate) mod compare;
pub(crate) mod compile;
pub(crate) mod completions;
pub(crate) mod conform_protocol;
pub(crate) mod coverage;
pub(crate) mod deviations;
pub(crate) mod disassemble;
pub(crate) mod doctor;
pub(crate) mod expect;
pub(crate) mod export;
pub(crate) mod history;
pub(crate) mod layout;
pub(crate) mod layout_random;
pub(crate) mod layout_table;
pub(crate) mod list;
pub(crate) mod merge;
mod merge_findings;
pub(crate) mod mutate;
pub(crate) mod probe;
pub(crate) mod record;
pub(crate) mod reduce;
pub(crate) mod roadmap;
pub(crate) mod run;
pub(crate) mod schema;
pub(crate) mod selfcheck;
pub(crate) mod show;
pub(crate) mod trace;
pub(crate) mod worker;
