//! `warpdiff layout FILE.ptx`: the layout and the initial bytes of a program's variables.

use std::fmt::Write;
use std::path::PathBuf;

use warpdiff_judge::dialect::DialectName;
use warpdiff_judge::exit_code::Exit;
use warpdiff_judge::layout::{Address, Emission, Placed, layout};
use warpdiff_ptx::ptxas_deviation::warning;

use super::check::read;
use super::layout_random::LayoutRandom;
use super::layout_table::LayoutTable;
use crate::failure::Failure;
use crate::shared_options::SharedOptions;
use crate::standard_output::emit;

/// Most bytes of a variable that are printed.
const SHOWN: usize = 256;

/// Options of `layout`.
#[derive(Debug, clap::Args)]
pub(crate) struct Layout {
    /// The program; `-` reads the standard input
    #[arg(required_unless_present_any = ["table", "random"])]
    file: Option<PathBuf>,
    /// Compare with tables of what an assembler emitted instead of printing a layout (docs/tables.md)
    #[arg(long, value_name = "FILE", num_args = 1.., conflicts_with_all = ["file", "dialect", "relocatable"])]
    table: Vec<PathBuf>,
    /// Generate N modules of declarations and compare their layout with an assembler's
    #[arg(long, value_name = "N", conflicts_with_all = ["file", "table", "dialect", "relocatable"])]
    random: Option<u64>,
    /// Seed of the generated modules
    #[arg(long, value_name = "S", default_value_t = 1, requires = "random")]
    seed: u64,
    /// The assembler of the generated modules: `ptxas` or `ptxas:PATH`
    #[arg(long, value_name = "TARGET", default_value = "ptxas", requires = "random")]
    against: String,
    /// Write the table to FILE in its compact form
    #[arg(long, value_name = "FILE", requires = "table")]
    compact: Option<PathBuf>,
    /// Whose bytes to print: those of the specification (`spec`) or of the assembler (`ptxas-12.9`)
    #[arg(long = "as", value_name = "DIALECT", default_value = "spec")]
    dialect: DialectName,
    /// Print the bytes of a relocatable object (`ptxas --compile-only`)
    #[arg(long)]
    relocatable: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

impl Layout {
    pub(crate) fn execute(&self, shared: &SharedOptions) -> Result<Exit, Failure> {
        if let Some(count) = self.random {
            let random = LayoutRandom { count, seed: self.seed, against: &self.against, json: self.json };
            return random.execute(shared);
        }
        let Some(file) = &self.file else {
            let tables =
                LayoutTable { files: &self.table, compact: self.compact.as_deref(), json: self.json };
            return tables.execute(shared);
        };
        let (text, origin) = read(file)?;
        let emission =
            Emission { dialect: self.dialect.0, architecture: None, relocatable: self.relocatable };
        let (module, unsupported) = match warpdiff_ptx::compile_variables(&text, &emission.rules()) {
            Ok(found) => found,
            Err(diagnostics) => {
                let legal = diagnostics.iter().all(|it| it.unsupported);
                let answers = if legal { "accepts, but warpdiff does not lay out," } else { "rejects" };
                let shown = |color| {
                    let carets = warpdiff_ptx::render(&diagnostics, &origin, &text, color);
                    format!("{} {answers} {origin}\n{carets}", self.dialect)
                };
                return Err(Failure::in_files(shown(false), shown(shared.color.on_stderr()), &[]));
            }
        };
        let placed = layout(&module, &emission);
        if self.json {
            let text = serde_json::to_string_pretty(&placed).map_err(|e| Failure::broken(e.to_string()))?;
            emit(&format!("{text}\n"))?;
            return Ok(Exit::Conforms);
        }
        let mut out: String = placed.iter().map(render).collect();
        let mut warnings: Vec<_> = module.deviations.iter().map(|(it, span)| warning(*it, *span)).collect();
        warnings.extend(unsupported);
        if !warnings.is_empty() {
            out.push('\n');
            out.push_str(&warpdiff_ptx::render_warnings(&warnings, &origin, &text, shared.style().color()));
        }
        emit(&out)?;
        Ok(Exit::Conforms)
    }
}

fn render(placed: &Placed) -> String {
    let mut out = String::new();
    let offset = placed.offset.map_or_else(|| "-".into(), |offset| format!("+{offset}"));
    let name = match &placed.function {
        Some(function) => format!("{function}/{}", placed.name),
        None => placed.name.clone(),
    };
    let external = if placed.external { ", defined elsewhere" } else { "" };
    let Placed { space, align, size, ty, .. } = placed;
    let _ = writeln!(out, ".{space:6} {offset:>6}  align {align:<3} size {size:<6} {name}: {ty}{external}");
    if let Some(bytes) = &placed.bytes {
        let mut pairs: Vec<_> = bytes.as_bytes().chunks(2).map(String::from_utf8_lossy).collect();
        for [start, end] in &placed.undefined {
            let end = (*end as usize).min(pairs.len());
            pairs[(*start as usize).min(end)..end].fill("??".into());
        }
        for line in pairs[..pairs.len().min(SHOWN)].chunks(16) {
            let _ = writeln!(out, "    {}", line.join(" "));
        }
        if pairs.len() > SHOWN {
            let _ = writeln!(out, "    … and {} more bytes", pairs.len() - SHOWN);
        }
    }
    for address in &placed.addresses {
        let _ = writeln!(out, "    {}", sentence(address));
    }
    if let Some(trace) = &placed.trace {
        let _ = writeln!(out, "    {trace}");
    }
    out
}

/// `+8, 8 bytes: the generic address of foo + 4`
fn sentence(address: &Address) -> String {
    let Address { offset, width, shift, symbol, addend, generic, kind } = address;
    let word = if *generic { "generic address" } else { "address" };
    let addend = match addend {
        0 => String::new(),
        addend => format!("{addend:+}"),
    };
    let part = if *width == 1 { format!(", bits {shift} to {}", shift + 7) } else { String::new() };
    let kind = kind.map(|kind| format!(" (relocation of type {kind})")).unwrap_or_default();
    format!("+{offset}, {width} bytes: the {word} of {symbol}{addend}{part}{kind}")
}
