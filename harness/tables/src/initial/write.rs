//! Writes a table of initial bytes in its compact shape.

use std::collections::HashMap;
use std::fmt::Write;

use warpdiff_files::hexadecimal;
use warpdiff_sass::cubin::Emitted;
use warpdiff_targets::ptxas::circumstance::Circumstance;

use super::programs::InitialTable;
use super::read::{COMPACT, SAME, ZEROS};
use crate::write::escape;

/// The table as text. Programs of the same name and source stand together, in the order in which they come first.
pub fn write(table: &InitialTable) -> String {
    let mut circumstances: Vec<&Circumstance> = Vec::new();
    let mut numbers = HashMap::new();
    let mut groups: Vec<Group<'_>> = Vec::new();
    let mut known = HashMap::new();
    for program in &table.programs {
        let number = *numbers.entry(&program.circumstance).or_insert_with(|| {
            circumstances.push(&program.circumstance);
            circumstances.len() - 1
        });
        let key = (program.id.as_str(), program.source.as_deref());
        let group = *known.entry(key).or_insert_with(|| {
            groups.push(Group { id: key.0, source: key.1, rows: Vec::new() });
            groups.len() - 1
        });
        for (_, variable) in &program.variables {
            groups[group].add(variable, number);
        }
    }
    let mut out = String::new();
    for line in &table.origin {
        let _ = writeln!(out, "# {line}");
    }
    for circumstance in circumstances {
        let _ = writeln!(out, "circumstance\t{circumstance}");
    }
    let _ = writeln!(out, "{}", COMPACT.join("\t"));
    for group in &groups {
        group.write(&mut out);
    }
    out
}

/// Lines of one program.
struct Group<'t> {
    id: &'t str,
    source: Option<&'t str>,
    /// Variables with the circumstances under which they are so.
    rows: Vec<(&'t Emitted, Vec<usize>)>,
}

impl<'t> Group<'t> {
    fn add(&mut self, variable: &'t Emitted, number: usize) {
        match self.rows.iter_mut().find(|(other, _)| *other == variable) {
            Some((_, numbers)) => numbers.push(number),
            None => self.rows.push((variable, vec![number])),
        }
    }

    fn write(&self, out: &mut String) {
        for (index, (variable, numbers)) in self.rows.iter().enumerate() {
            let source = match self.source {
                Some(_) if index > 0 => SAME.to_owned(),
                source => source.map(escape).unwrap_or_default(),
            };
            let places: Vec<_> = numbers.iter().map(ToString::to_string).collect();
            // The table does not state whether the host may access a variable.
            let Emitted { name, section, section_align, offset, size, managed: _, bytes, addresses } =
                variable;
            let bytes = match bytes.iter().all(|byte| *byte == 0) {
                true => ZEROS.to_owned(),
                false => hexadecimal::of(bytes),
            };
            let address = |it: &warpdiff_sass::cubin::EmittedAddress| {
                format!("+{}:type{}:{}{:+}", it.offset, it.kind, it.symbol, it.addend)
            };
            let addresses: Vec<_> = addresses.iter().map(address).collect();
            let _ = writeln!(
                out,
                "{}\t{source}\t{}\t{name}\t{section}\t{section_align}\t{offset}\t{size}\t{bytes}\t{}",
                self.id,
                places.join(","),
                addresses.join(";"),
            );
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::initial::read::read;

    #[test]
    fn what_is_written_is_read_again() {
        let text = "# by hand\n\
            circumstance\t12.9:8.8:sm_50:sm_50\n\
            circumstance\t12.9:8.8:sm_90:sm_90 -c\n\
            id\tsource\twhere\tsymbol\tsection\talign\toffset\tsize\tbytes\trelocations\n\
            a\t.global .u32 x = 1;\\n\t0,1\tx\t.nv.global.init\t4\t0\t4\t01000000\t\n\
            a\t=\t1\ty\t.nv.global\t4\t0\t4\t0\t+0:type4:x+0;+8:type84:x-4\n\
            b\t\t0\ty\t.nv.global\t4\t0\t4\t0\t\n";
        let table = read(text).unwrap();
        assert_eq!(table.programs.len(), 3);
        assert_eq!(write(&table), text);
    }
}
