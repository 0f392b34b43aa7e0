//! `warpdiff layout FILE.ptx`: where the variables of a program lie, and what they hold at first.

use std::fmt::Write;
use std::path::PathBuf;

use super::check::read;
use super::output::emit;
use super::{Failure, Shared};
use crate::dialect::DialectName;
use crate::layout::{Address, Placed, layout, rules};
use crate::status::Exit;

/// Bytes of a variable that are shown to a person.
const SHOWN: usize = 256;

/// Options of `layout`.
#[derive(Debug, clap::Args)]
pub(super) struct Layout {
    /// The program; `-` reads the standard input
    file: PathBuf,
    /// Whose bytes: those that `spec` specifies, or those that `ptxas-12.9` emits
    #[arg(long = "as", value_name = "DIALECT", default_value = "spec")]
    dialect: DialectName,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

impl Layout {
    pub(super) fn execute(&self, shared: &Shared) -> Result<Exit, Failure> {
        let (text, origin) = read(&self.file)?;
        let module = match warpdiff_ptx::compile(&text, &rules(self.dialect.0)) {
            Ok(module) => module,
            Err(diagnostics) => {
                let shown = |color| {
                    let carets = warpdiff_ptx::render(&diagnostics, &origin, &text, color);
                    format!("{} rejects {origin}\n{carets}", self.dialect)
                };
                return Err(Failure::in_file(shown(false), shown(shared.color.on_stderr())));
            }
        };
        let placed = layout(&module, self.dialect.0);
        if self.json {
            let text = serde_json::to_string_pretty(&placed).map_err(|e| Failure::broken(e.to_string()))?;
            emit(&format!("{text}\n"))?;
        } else {
            emit(&placed.iter().map(render).collect::<String>())?;
        }
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
    let external = if placed.external { ", elsewhere" } else { "" };
    let Placed { space, align, size, ty, .. } = placed;
    let _ = writeln!(out, ".{space:6} {offset:>6}  align {align:<3} size {size:<6} {name}: {ty}{external}");
    if let Some(bytes) = &placed.bytes {
        let pairs: Vec<_> = bytes.as_bytes().chunks(2).map(String::from_utf8_lossy).collect();
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
    out
}

/// `+8, 8 bytes: the generic address of foo + 4`
fn sentence(address: &Address) -> String {
    let Address { offset, width, shift, symbol, addend, generic } = address;
    let kind = if *generic { "generic address" } else { "address" };
    let addend = match addend {
        0 => String::new(),
        addend => format!("{addend:+}"),
    };
    let part = if *width == 1 { format!(", bits {shift} to {}", shift + 7) } else { String::new() };
    format!("+{offset}, {width} bytes: the {kind} of {symbol}{addend}{part}")
}
