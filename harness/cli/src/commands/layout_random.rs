//! `warpdiff layout --random N`: generated declarations, as an assembler emits them against the layout that warpdiff gives.

use std::fmt::Write;

use rayon::prelude::*;
use serde::Serialize;
use warpdiff_generator::declarations::{Declarations, Setting, declarations};
use warpdiff_judge::assembled::Assembled;
use warpdiff_judge::exit_code::Exit;
use warpdiff_tables::initial::agree::of_program;
use warpdiff_targets::ptxas::assembler::Assembler;
use warpdiff_targets::ptxas::circumstance::Circumstance;

use crate::failure::Failure;
use crate::shared_options::SharedOptions;
use crate::standard_output::emit;

/// Programs with differences that are shown to a person.
const SHOWN: usize = 5;

/// What `layout --random` was asked.
pub(crate) struct LayoutRandom<'a> {
    pub(crate) count: u64,
    pub(crate) seed: u64,
    pub(crate) against: &'a str,
    pub(crate) json: bool,
}

/// What came of all programs.
#[derive(Serialize)]
struct RandomReport {
    against: String,
    seed: u64,
    programs: u64,
    /// Variables that were compared.
    variables: usize,
    /// Programs of which the assembler says nothing: it crashed.
    skipped: usize,
    differences: Vec<DifferentProgram>,
}

/// A program that is laid out otherwise.
#[derive(Serialize)]
struct DifferentProgram {
    circumstance: String,
    messages: Vec<String>,
    program: String,
}

/// What came of one program.
enum Compared {
    Same(usize),
    Skipped,
    Different(DifferentProgram),
}

impl LayoutRandom<'_> {
    pub(crate) fn execute(&self, shared: &SharedOptions) -> Result<Exit, Failure> {
        let assembler = match super::check_table::assembler(self.against)? {
            Ok(assembler) => assembler,
            Err(why) => {
                emit(&format!("skipped: {why}\n"))?;
                return Ok(Exit::Undecided);
            }
        };
        let compared: Vec<Compared> = (0..self.count)
            .into_par_iter()
            .map(|index| self.compare(&assembler, index))
            .collect::<Result<_, _>>()?;
        let mut report = RandomReport {
            against: assembler.dialect(),
            seed: self.seed,
            programs: self.count,
            variables: 0,
            skipped: 0,
            differences: Vec::new(),
        };
        for one in compared {
            match one {
                Compared::Same(variables) => report.variables += variables,
                Compared::Skipped => report.skipped += 1,
                Compared::Different(difference) => report.differences.push(difference),
            }
        }
        let agree = report.differences.is_empty();
        let text = match self.json {
            true => serde_json::to_string_pretty(&report).map_err(|e| Failure::broken(e.to_string()))? + "\n",
            false => render(&report, shared),
        };
        emit(&text)?;
        Ok(if agree { Exit::Conforms } else { Exit::Violates })
    }

    fn compare(&self, assembler: &Assembler, index: u64) -> Result<Compared, Failure> {
        let Declarations { setting, source } =
            declarations(self.seed, index).map_err(|e| Failure::broken(e.to_string()))?;
        let circumstance = circumstance(assembler.release, setting);
        let different = |messages: Vec<String>| {
            Compared::Different(DifferentProgram {
                circumstance: circumstance.to_string(),
                messages,
                program: circumstance.program(&source),
            })
        };
        Ok(match assembler.emit_under(&circumstance, &source) {
            Ok(emitted) => match of_program(&circumstance, &source, &emitted) {
                messages if messages.is_empty() => Compared::Same(emitted.len()),
                messages => different(messages),
            },
            Err(Assembled::Rejected { message }) => different(vec![format!("ptxas rejects it: {message}")]),
            Err(_) => Compared::Skipped,
        })
    }
}

fn circumstance(release: (u32, u32), setting: Setting) -> Circumstance {
    Circumstance {
        release,
        version: (setting.version / 10, setting.version % 10),
        target: format!("sm_{}", setting.target),
        architecture: Some(setting.architecture),
        relocatable: setting.relocatable,
    }
}

fn render(report: &RandomReport, shared: &SharedOptions) -> String {
    let style = shared.style();
    let mut out = String::new();
    for DifferentProgram { circumstance, messages, program } in report.differences.iter().take(SHOWN) {
        let differs = style.bad().paint("differs");
        let _ = writeln!(out, "{differs}: {circumstance}");
        for message in messages {
            let _ = writeln!(out, "  {message}");
        }
        for line in program.lines() {
            let _ = writeln!(out, "    {line}");
        }
    }
    let count = report.differences.len();
    if count > SHOWN {
        let _ = writeln!(out, "… and {} more programs", count - SHOWN);
    }
    let RandomReport { against, programs, variables, skipped, seed, .. } = report;
    let paint = if count == 0 { style.good() } else { style.bad() };
    let same = programs - count as u64 - *skipped as u64;
    let words = format!("{same} of {programs} programs of seed {seed} are laid out the same");
    let _ = write!(out, "{against}: {}, {variables} variables", paint.paint(words));
    if *skipped > 0 {
        let _ = write!(out, "; {skipped} skipped (it crashed)");
    }
    out.push('\n');
    out
}
