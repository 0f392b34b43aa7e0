//! Compares a table of initial bytes with warpdiff's layout of the variables.

use rayon::prelude::*;
use serde::Serialize;
use warpdiff_judge::layout::{Address, Emission, Placed, layout};
use warpdiff_sass::cubin::{Emitted, EmittedAddress};
use warpdiff_targets::ptxas::circumstance::Circumstance;

use super::programs::{EmittedProgram, InitialTable};
use crate::agreement::Agreement;

/// A variable whose layout differs from the table.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct VariableDifference {
    /// The program's name in the table.
    pub id: String,
    /// The variable's line in the table, from 1.
    pub line: usize,
    /// The circumstance: `12.9:8.8:sm_50:sm_50`.
    pub circumstance: String,
    /// The variable.
    pub variable: String,
    /// The difference: of size, section, alignment, bytes or addresses.
    pub message: String,
}

/// Compares the emitted variables of a program with its layout, in both directions; a line per difference.
pub fn of_program(circumstance: &Circumstance, source: &str, emitted: &[Emitted]) -> Vec<String> {
    let placed = match placed(circumstance, source) {
        Ok(placed) => placed,
        Err(message) => return vec![format!("warpdiff rejects the program: {message}")],
    };
    let each = emitted.iter().filter_map(|variable| {
        let message = compare(variable, &placed, circumstance).err()?;
        Some(format!("variable `{}`: {message}", variable.name))
    });
    let in_cubin = |it: &&Placed| it.function.is_none() && it.section.is_some();
    let missing =
        placed.iter().filter(in_cubin).filter(|it| !emitted.iter().any(|other| other.name == it.name));
    let missing = missing.map(|it| format!("variable `{}`: the assembler does not emit it", it.name));
    each.chain(missing).collect()
}

/// Compares every variable of a table with the layout of its program, under the rules of its circumstance. Variables whose program
/// is missing or cut off are skipped.
pub fn with_layout(table: &InitialTable) -> Agreement<VariableDifference> {
    let each: Vec<_> = table.programs.par_iter().map(program).collect();
    each.into_iter().collect()
}

fn program(program: &EmittedProgram) -> Agreement<VariableDifference> {
    let Some(source) = program.source.as_deref().filter(|source| is_whole(source)) else {
        return Agreement { skipped: program.variables.len(), ..Agreement::default() };
    };
    let mut agreement = Agreement { compared: program.variables.len(), ..Agreement::default() };
    let placed = placed(&program.circumstance, source);
    for (line, emitted) in &program.variables {
        let found = match &placed {
            Ok(placed) => compare(emitted, placed, &program.circumstance),
            Err(message) => Err(format!("warpdiff rejects the program: {message}")),
        };
        if let Err(message) = found {
            agreement.differences.push(VariableDifference {
                id: program.id.clone(),
                line: *line,
                circumstance: program.circumstance.to_string(),
                variable: emitted.name.clone(),
                message,
            });
        }
    }
    agreement
}

/// Whether a program is not cut off in the middle of a declaration.
fn is_whole(source: &str) -> bool {
    source.trim_end().ends_with([';', '}'])
}

/// The layout of a program under the rules of a circumstance.
///
/// # Errors
/// The first error in the program.
pub fn placed(circumstance: &Circumstance, source: &str) -> Result<Vec<Placed>, String> {
    let rules = circumstance.rules();
    let emission = Emission {
        dialect: rules.dialect,
        architecture: circumstance.architecture,
        relocatable: circumstance.relocatable,
    };
    let module = warpdiff_ptx::compile(&circumstance.program(source), &rules)
        .map_err(|wrong| wrong.into_iter().next().map(|first| first.message).unwrap_or_default())?;
    Ok(layout(&module, &emission))
}

fn compare(emitted: &Emitted, placed: &[Placed], circumstance: &Circumstance) -> Result<(), String> {
    let candidates = candidates(&emitted.name, placed);
    let Some(first) = candidates.first() else { return Err("warpdiff has no such variable".into()) };
    let align = section_align(placed, first.section);
    let one = |candidate: &Placed| variable(emitted, candidate, align, circumstance);
    let first = one(first);
    // The names of variables inside kernels do not tell which kernel it is.
    if candidates.iter().any(|candidate| one(candidate).is_ok()) { Ok(()) } else { first }
}

/// The variables that an emitted one may be: that of its name at module scope, or those inside functions of which
/// `$__name__5` is made.
fn candidates<'p>(name: &str, placed: &'p [Placed]) -> Vec<&'p Placed> {
    let module = placed.iter().find(|it| it.function.is_none() && it.name == name && it.section.is_some());
    if let Some(found) = module {
        return vec![found];
    }
    let Some(rest) = name.strip_prefix("$__") else { return Vec::new() };
    let inner = |it: &&Placed| {
        let number = rest.strip_prefix(it.name.as_str()).and_then(|rest| rest.strip_prefix("__"));
        it.function.is_some()
            && it.section.is_some()
            && number.is_some_and(|n| n.starts_with(|c: char| c.is_ascii_digit()))
    };
    placed.iter().filter(inner).collect()
}

/// The alignment of a section: the largest of its variables.
fn section_align(placed: &[Placed], section: Option<&str>) -> u64 {
    placed.iter().filter(|it| it.section == section).map(|it| it.align).max().unwrap_or(1)
}

fn variable(
    emitted: &Emitted,
    placed: &Placed,
    section_align: u64,
    circumstance: &Circumstance,
) -> Result<(), String> {
    let differs = |what: &str, table: &dyn std::fmt::Display, ours: &dyn std::fmt::Display| {
        Err(format!("{what}: the table has {table}, warpdiff {ours}"))
    };
    if emitted.size != placed.size {
        return differs("size", &emitted.size, &placed.size);
    }
    let section = placed.section.unwrap_or("none");
    if emitted.section != section {
        return differs("section", &emitted.section, &section);
    }
    if emitted.section_align != section_align {
        return differs("alignment of the section", &emitted.section_align, &section_align);
    }
    if !emitted.offset.is_multiple_of(placed.align.max(1)) {
        return differs("alignment", &format!("offset {}", emitted.offset), &placed.align);
    }
    bytes(emitted, placed, circumstance)?;
    addresses(emitted, placed, circumstance)
}

fn bytes(emitted: &Emitted, placed: &Placed, circumstance: &Circumstance) -> Result<(), String> {
    let ours = match &placed.bytes {
        Some(text) => (0..text.len())
            .step_by(2)
            .map(|at| u8::from_str_radix(&text[at..at + 2], 16).unwrap_or(0))
            .collect(),
        None => vec![0; emitted.bytes.len()],
    };
    let mut known = vec![true; emitted.bytes.len()];
    for [start, end] in &placed.undefined {
        mask(&mut known, *start, *end);
    }
    // The address of code is a number that only the assembler knows.
    for address in placed.addresses.iter().filter(|address| address.kind.is_none()) {
        mask(&mut known, address.offset, address.offset + code_width(address, circumstance));
    }
    let different = |at: &usize| known[*at] && ours.get(*at) != Some(&emitted.bytes[*at]);
    match (0..emitted.bytes.len()).find(different) {
        Some(at) => {
            let ours = ours.get(at).map_or_else(|| "none".into(), |byte| format!("{byte:02x}"));
            Err(format!("byte {at}: the table has {:02x}, warpdiff {ours}", emitted.bytes[at]))
        }
        None => Ok(()),
    }
}

fn mask(known: &mut [bool], start: u64, end: u64) {
    let end = (end as usize).min(known.len());
    if let Some(range) = known.get_mut((start as usize).min(end)..end) {
        range.fill(false);
    }
}

/// Size of a code address in bytes: eight from sm_70 on, whatever the size of its variable.
fn code_width(address: &Address, circumstance: &Circumstance) -> u64 {
    let wide = circumstance.architecture.unwrap_or(0) >= 70;
    if address.width == 4 && wide { 8 } else { u64::from(address.width) }
}

fn addresses(emitted: &Emitted, placed: &Placed, circumstance: &Circumstance) -> Result<(), String> {
    let ours: Vec<_> = placed.addresses.iter().filter(|address| address.kind.is_some()).collect();
    let shown =
        |it: &EmittedAddress| format!("+{}: type {} of {}{:+}", it.offset, it.kind, it.symbol, it.addend);
    for (index, theirs) in emitted.addresses.iter().enumerate() {
        let Some(address) = ours.get(index) else {
            return Err(format!("the table has the address {}, warpdiff none", shown(theirs)));
        };
        let (addend, known) = addend(address, emitted, circumstance);
        let made = EmittedAddress {
            offset: address.offset,
            kind: address.kind.unwrap_or(0),
            symbol: address.symbol.clone(),
            addend,
        };
        let same = (made.offset, made.kind, &made.symbol) == (theirs.offset, theirs.kind, &theirs.symbol);
        if !same || (made.addend ^ theirs.addend) & known != 0 {
            return Err(format!("address: the table has {}, warpdiff {}", shown(theirs), shown(&made)));
        }
    }
    match ours.get(emitted.addresses.len()) {
        Some(left) => {
            Err(format!("warpdiff has an address of {} at +{}, the table none", left.symbol, left.offset))
        }
        None => Ok(()),
    }
}

/// The addend of an address, and which of its bits are known. From sm_90 on the assembler adds what stands in the eight bytes
/// of an address to which the program adds nothing: in a variable of four bytes the upper half is what lies behind it.
fn addend(address: &Address, emitted: &Emitted, circumstance: &Circumstance) -> (i64, i64) {
    let adds = matches!(address.kind, Some(2 | 4 | 35)) && circumstance.architecture.unwrap_or(0) >= 90;
    if address.width != 4 || address.addend != 0 || !adds {
        return (address.addend, -1);
    }
    let behind = address.offset as usize + 4;
    match emitted.bytes.get(behind..behind + 4).and_then(|bytes| <[u8; 4]>::try_from(bytes).ok()) {
        Some(bytes) => (i64::from(u32::from_le_bytes(bytes)) << 32, -1),
        None => (0, 0xFFFF_FFFF),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::initial::read::read;

    const TABLE: &str = "circumstance\t12.9:8.8:sm_50:sm_50\n\
        id\tsource\twhere\tsymbol\tsection\talign\toffset\tsize\tbytes\trelocations\n\
        a\t.global .u32 x[2] = {1, 258};\\n.global .u64 p = x+4;\\n\t0\tx\t.nv.global.init\t8\t8\t8\t0100000002010000\t\n\
        a\t=\t0\tp\t.nv.global.init\t8\t0\t8\t0\t+0:type4:x+4\n";

    /// Whatever a line says otherwise is a difference: one wrong byte anywhere, another size, section, alignment, address.
    #[test]
    fn a_wrong_line_is_a_difference() {
        let agreement = with_layout(&read(TABLE).unwrap());
        assert_eq!((agreement.compared, agreement.same()), (2, 2), "{agreement:?}");
        let mut wrongs = vec![
            ("8\t8\t8\t01", "8\t8\t4\t01", "size"),
            ("8\t8\t8\t01", "8\t2\t8\t01", "alignment"),
            ("init\t8\t8", "init\t4\t8", "alignment of the section"),
            ("p\t.nv.global.init", "p\t.nv.global", "section"),
            ("type4", "type2", "type 2"),
            ("x+4\n", "x+5\n", "x+5"),
            ("4:x+4\n", "4:p+4\n", "of p"),
            ("+0:type4:x+4", "", "the table none"),
            ("2010000\t", "2010000\t+0:type4:p+0", "warpdiff none"),
        ];
        let damaged: Vec<String> = (0..8)
            .map(|at| {
                let mut bytes = *b"0100000002010000";
                bytes[2 * at + 1] ^= 2;
                String::from_utf8(bytes.to_vec()).unwrap()
            })
            .collect();
        wrongs.extend(damaged.iter().map(|bytes| ("0100000002010000", bytes.as_str(), "byte")));
        for (from, to, words) in wrongs {
            let text = TABLE.replacen(from, to, 1);
            assert_ne!(text, TABLE);
            let agreement = with_layout(&read(&text).unwrap());
            assert!(!agreement.differences.is_empty(), "{to}");
            assert!(agreement.differences.iter().any(|it| it.message.contains(words)), "{to}: {agreement:?}");
        }
    }

    #[test]
    fn what_either_side_lacks_is_a_difference() {
        let mut table = read(TABLE).unwrap();
        let program = table.programs.remove(0);
        let source = program.source.unwrap();
        let mut emitted: Vec<Emitted> = program.variables.into_iter().map(|(_, variable)| variable).collect();
        assert_eq!(of_program(&program.circumstance, &source, &emitted), Vec::<String>::new());
        let without = |source: &str| source.replace("x[2] = {1, 258}", "x");
        let found = of_program(&program.circumstance, &without(&source), &emitted);
        assert!(found[0].starts_with("variable `x`: size"), "{found:?}");
        emitted.remove(0);
        let found = of_program(&program.circumstance, &source, &emitted);
        assert_eq!(found, ["variable `x`: the assembler does not emit it"]);
    }

    #[test]
    fn a_program_that_is_cut_off_is_not_compared() {
        let text = TABLE.replace(".global .u64 p = x+4;\\n", ".global .u64 p = x+");
        let agreement = with_layout(&read(&text).unwrap());
        assert_eq!((agreement.compared, agreement.skipped), (0, 2));
    }
}
