//! Writes a table of opaque initialisers in its compact shape.

use std::collections::HashMap;
use std::fmt::Write;

use warpdiff_targets::ptxas::circumstance::Circumstance;

use super::read::{COMPACT, OpaqueTable};

/// The table as text; what is the same under several circumstances is one line, in the order in which it comes first.
pub fn write(table: &OpaqueTable) -> String {
    let mut circumstances: Vec<&Circumstance> = Vec::new();
    let mut numbers = HashMap::new();
    let mut lines: Vec<(String, Vec<String>)> = Vec::new();
    let mut known = HashMap::new();
    for row in &table.rows {
        let number: usize = *numbers.entry(&row.circumstance).or_insert_with(|| {
            circumstances.push(&row.circumstance);
            circumstances.len() - 1
        });
        let answer = if row.accepted { "A" } else { "R" };
        let rest = [&row.ty, &row.member, &row.value, answer, &row.trace].join("\t");
        let line = *known.entry(rest.clone()).or_insert_with(|| {
            lines.push((rest, Vec::new()));
            lines.len() - 1
        });
        lines[line].1.push(number.to_string());
    }
    let mut out = String::new();
    for line in &table.origin {
        let _ = writeln!(out, "# {line}");
    }
    for circumstance in circumstances {
        let _ = writeln!(out, "circumstance\t{circumstance}");
    }
    let _ = writeln!(out, "{}", COMPACT.join("\t"));
    for (rest, numbers) in lines {
        let _ = writeln!(out, "{}\t{rest}", numbers.join(","));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::opaque::read::{is_opaque, read};

    #[test]
    fn what_is_written_is_read_again() {
        let text = "# by hand\n\
            circumstance\t12.9:8.8:sm_50:sm_50\n\
            circumstance\t12.9:8.8:sm_90, texmode_independent:sm_90\n\
            where\ttype\tmember\tvalue\taccepted\ttrace\n\
            0,1\ttexref\twidth\t1\tA\t\n\
            1\tsamplerref\tfilter_mode\tlinear\tA\t.nv.info attr 0x09: ff ff ff 01\n";
        assert!(is_opaque(text));
        let table = read(text).unwrap();
        assert_eq!(table.rows.len(), 3);
        assert_eq!(write(&table), text);
        let error = read(&text.replace("\tA\t\n", "\tX\t\n")).unwrap_err();
        assert_eq!((error.line, error.message.as_str()), (5, "`X` is not an answer: expected `A` or `R`"));
    }
}
