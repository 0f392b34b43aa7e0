//! Compares a table of opaque initialisers with the front end and with warpdiff's layout.

use rayon::prelude::*;

use super::read::{OpaqueRow, OpaqueTable};
use crate::agreement::Agreement;
use crate::initial::agree::{VariableDifference, placed};

/// Trace of a sampler without an initialiser.
const NOTHING_GIVEN: &str = ".nv.info attr 0x09: ff ff ff ff";

/// Compares every initialiser of a table.
pub fn with_layout(table: &OpaqueTable) -> Agreement<VariableDifference> {
    let differences: Vec<_> = table.rows.par_iter().filter_map(difference).collect();
    Agreement { compared: table.rows.len(), skipped: 0, differences }
}

fn difference(row: &OpaqueRow) -> Option<VariableDifference> {
    let OpaqueRow { line, circumstance, ty, member, value, .. } = row;
    let source = format!("{}.global .{ty} t = {{ {member} = {value} }};\n", company(row));
    let message = match placed(circumstance, &source) {
        Err(message) if row.accepted => format!("the table accepts, warpdiff rejects: {message}"),
        Ok(_) if !row.accepted => "the table rejects, warpdiff accepts".to_owned(),
        Err(_) => return None,
        Ok(placed) => {
            let ours: Vec<_> = placed.iter().filter_map(|it| it.trace.as_deref()).collect();
            let ours = ours.join("; ");
            let differs = !ours.is_empty() && ours != NOTHING_GIVEN;
            match row.differs {
                _ if ours != row.trace => format!("the table has `{}`, warpdiff `{ours}`", row.trace),
                Some(theirs) if theirs != differs => {
                    "the table and warpdiff disagree whether the initialiser changes the object".to_owned()
                }
                _ => return None,
            }
        }
    };
    Some(VariableDifference {
        id: format!("{ty} {member} = {value}"),
        line: *line,
        circumstance: circumstance.to_string(),
        variable: "t".into(),
        message,
    })
}

/// Further declarations of the table's programs: with independent textures and samplers, a texture or surface stands beside a
/// sampler without an initialiser.
fn company(row: &OpaqueRow) -> &'static str {
    let apart = row.circumstance.target.contains("texmode_independent");
    if apart && row.ty != "samplerref" { ".global .samplerref beside;\n" } else { "" }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::opaque::read::read;

    const TABLE: &str = "circumstance\t12.9:8.8:sm_90, texmode_independent:sm_90\n\
        where\ttype\tmember\tvalue\taccepted\ttrace\n\
        0\tsurfref\twidth\t255\tA\t.nv.info attr 0x09: ff ff ff ff\n\
        0\tsamplerref\taddr_mode_1\tclamp_to_border\tA\t.nv.info attr 0x09: ff 04 ff ff\n\
        0\tsamplerref\tforce_unnormalized_coords\t0x10DE\tA\t.nv.info attr 0x13: de 10 00 00; .nv.info attr 0x09: ff ff ff ff\n\
        0\tsamplerref\twidth\t1\tR\t\n";

    #[test]
    fn a_wrong_line_is_a_difference() {
        let differences = |text: &str| with_layout(&read(text).unwrap()).differences;
        assert_eq!(differences(TABLE), []);
        for (from, to) in [
            ("255\tA\t", "255\tR\t"),
            ("255\tA\t.nv.info attr 0x09: ff ff ff ff", "255\tA\t"),
            ("ff 04 ff", "ff 03 ff"),
            ("de 10", "dd 10"),
            ("1\tR\t", "1\tA\t"),
        ] {
            let [difference] = differences(&TABLE.replacen(from, to, 1)).try_into().unwrap();
            assert_eq!(difference.variable, "t", "{to}");
        }
    }
}
