//! Acceptance against what NVIDIA's assembler was seen to do; `assembler/README.md` says how.

use warpdiff_ptx::{Dialect, Rules, compile};

const TABLE: &str = include_str!("../assembler/forms.tsv");

/// The kernel around an instruction, as the assembler saw it.
fn program(instruction: &str, version: &str, target: &str) -> String {
    let address_size = if version < "2.3" { "" } else { ".address_size 64" };
    let number: u32 = target.trim_matches(char::is_alphabetic).trim_matches('_').parse().expect("a target");
    let wide = if version >= "8.3" && number >= 70 { ".reg .b128 %q<8>;" } else { "" };
    format!(
        ".version {version}
.target {target}
{address_size}
.global .surfref surf; .global .texref tex; .global .u32 gv; .global .b8 ga[64]; .const .u32 cv;
.func (.param .b32 rv) fun(.param .b32 a0) {{ st.param.b32 [rv], 1; ret; }}
.visible .entry k(.param .u64 p0, .param .u32 p1) {{
.reg .pred %p<8>; .reg .b8 %b<8>; .reg .b16 %rs<8>; .reg .b32 %r<8>; .reg .u32 %u<8>; .reg .s32 %s<8>; .reg .f32 %f<8>; .reg .b64 %rd<8>; .reg .f64 %fd<8>; .reg .u16 %us<8>; .reg .v2 .u32 %vv<4>; .reg .v4 .f32 %vf<4>; .reg .u64 %ud<8>; .reg .s64 %sd<8>; {wide}
.shared .align 8 .b32 sh[8]; .local .align 8 .b32 lo[8];
{instruction}
L_end: ret;
}}
"
    )
}

#[test]
fn instructions_as_ptxas_12_9_takes_them() {
    let rules = Rules { dialect: Dialect::Ptxas(12, 9), ..Rules::default() };
    let mut lines = TABLE.lines();
    let configurations: Vec<(&str, &str)> =
        lines.next().expect("a head").split('\t').skip(1).filter_map(|cell| cell.split_once(':')).collect();
    let (mut judged, mut differences) = (0, Vec::new());
    for line in lines {
        let cells: Vec<&str> = line.split('\t').collect();
        for ((version, target), verdict) in configurations.iter().zip(&cells[1..]) {
            let ours = match compile(&program(cells[0], version, target), &rules) {
                Ok(_) => "A",
                // Legal or not, it is not run: there is nothing to compare.
                Err(diagnostics) if diagnostics.iter().all(|d| d.unsupported) => continue,
                Err(_) => "R",
            };
            judged += 1;
            if ours != *verdict && *verdict != "-" {
                differences.push(format!("{} at {version} {target}: {verdict}, not {ours}", cells[0]));
            }
        }
    }
    assert!(judged > 18_000, "{judged} verdicts");
    assert!(differences.is_empty(), "{} of {judged}:\n{}", differences.len(), differences.join("\n"));
}

/// What the front end says of a form. Legal and not run counts as accepted, so that a form that the assembler refuses must be refused.
fn answer(program: &str, rules: &Rules) -> &'static str {
    match compile(program, rules) {
        Err(diagnostics) if diagnostics.iter().any(|d| !d.unsupported) => "R",
        _ => "A",
    }
}

/// The same, where nothing may be left unchecked.
fn checked_answer(program: &str, rules: &Rules) -> &'static str {
    match compile(program, rules) {
        Err(diagnostics) if diagnostics.iter().any(|d| !d.unsupported) => "R",
        Err(diagnostics) if diagnostics.iter().any(|d| d.unchecked) => "unchecked",
        _ => "A",
    }
}

/// Of forms that are not run: one that is is another answer.
fn answer_of_unrun(program: &str, rules: &Rules) -> &'static str {
    if compile(program, rules).is_ok() { "runs" } else { checked_answer(program, rules) }
}

/// The answers for a table are those of the assembler, of which each is given `least` times.
fn agrees_with(table: &str, least: usize, answer: fn(&str, &Rules) -> &'static str) {
    let rules = Rules { dialect: Dialect::Ptxas(12, 9), ..Rules::default() };
    let mut lines = table.lines();
    let configurations: Vec<(&str, &str)> =
        lines.next().expect("a head").split('\t').skip(1).filter_map(|cell| cell.split_once(':')).collect();
    let (mut accepted, mut refused, mut differences) = (0, 0, Vec::new());
    for line in lines {
        let cells: Vec<&str> = line.split('\t').collect();
        for ((version, target), verdict) in configurations.iter().zip(&cells[1..]) {
            let ours = answer(&program(cells[0], version, target), &rules);
            match *verdict {
                "A" => accepted += 1,
                "R" => refused += 1,
                _ => continue,
            }
            if ours != *verdict {
                differences.push(format!("{} at {version} {target}: {verdict}, not {ours}", cells[0]));
            }
        }
    }
    assert!(accepted > least && refused > least, "{accepted} and {refused} verdicts");
    assert!(differences.is_empty(), "{}:\n{}", differences.len(), differences.join("\n"));
}

#[test]
fn gathers_as_ptxas_12_9_takes_them() {
    agrees_with(include_str!("../assembler/tld4.tsv"), 200, answer);
}

#[test]
fn levels_gradients_offsets_and_cubes_as_ptxas_12_9_takes_them() {
    agrees_with(include_str!("../assembler/tex.tsv"), 800, answer);
}

#[test]
fn moves_of_vectors_as_ptxas_12_9_takes_them() {
    agrees_with(include_str!("../assembler/mov.tsv"), 600, answer);
}

#[test]
fn accesses_of_256_bits_as_ptxas_12_9_takes_them() {
    agrees_with(include_str!("../assembler/wide.tsv"), 500, answer);
}

/// Forms that are legal and not run: what the assembler takes is unsupported, and nothing of it is left unchecked; what it refuses is wrong.
#[test]
fn forms_that_are_not_run_as_ptxas_12_9_takes_them() {
    agrees_with(include_str!("../assembler/unrun.tsv"), 5_000, answer_of_unrun);
}

#[test]
fn cache_policies_vectors_of_8_and_depths_as_ptxas_12_9_takes_them() {
    agrees_with(include_str!("../assembler/observed.tsv"), 200, answer);
}

#[test]
fn packed_conversions_fences_of_proxies_and_priorities_in_l2_as_ptxas_12_9_takes_them() {
    agrees_with(include_str!("../assembler/qualifiers.tsv"), 1_000, checked_answer);
}

/// What the assembler overlooks: words that mean nothing, others the second time, and the place of most.
#[test]
fn words_that_are_overlooked_as_ptxas_12_9_overlooks_them() {
    agrees_with(include_str!("../assembler/overlooked.tsv"), 500, checked_answer);
}
