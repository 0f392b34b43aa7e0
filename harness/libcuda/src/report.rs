//! `WARPDIFF_CUDA_REPORT`: what launches do wrong, as text or as JSON Lines.
//!
//! `-` writes text to the standard error; a path that ends in `.jsonl` gets one JSON object a line, any other path text. In a path
//! `%p` is the number of the process. Files are appended to.

use std::fmt::Write as _;
use std::fs::File;
use std::io::Write as _;

use warpdiff_model::finding::{Earlier, Finding, FindingKind, Findings, Place};
use warpdiff_model::{Launch, Thread};

use crate::remark::say;
use crate::result;

/// Environment variable that names where the report goes.
const VARIABLE: &str = "WARPDIFF_CUDA_REPORT";
/// Its value for the standard error.
const STANDARD_ERROR: &str = "-";

/// A report being written.
pub(crate) struct Report {
    /// `None` for the standard error.
    file: Option<File>,
    json: bool,
    launches: u64,
}

impl Report {
    /// The report that the environment asks for. A file that cannot be opened is named on the standard error, which gets the report
    /// instead: what was asked for is not left out silently.
    pub(crate) fn wanted() -> Option<Self> {
        let path = std::env::var(VARIABLE).ok().filter(|path| !path.is_empty())?;
        let process = std::process::id();
        let path = path.replace("%p", &process.to_string());
        let mut report = Self { file: None, json: false, launches: 0 };
        if path != STANDARD_ERROR {
            match File::options().create(true).append(true).open(&path) {
                Ok(file) => (report.file, report.json) = (Some(file), path.ends_with(".jsonl")),
                Err(error) => say(&format_args!("{VARIABLE}: `{path}` cannot be written: {error}")),
            }
        }
        let version = env!("CARGO_PKG_VERSION");
        report.write(&match report.json {
            true => format!(
                "{{\"report\":\"libwarpdiff_cuda\",\"version\":\"{version}\",\"process\":{process}}}\n"
            ),
            false => format!("libwarpdiff_cuda {version}: report of process {process}\n"),
        });
        Some(report)
    }

    /// Adds a launch, which ended with this result code.
    pub(crate) fn launch(&mut self, launch: &Launch, code: u32, findings: &Findings) {
        self.launches += 1;
        let text = match self.json {
            true => json(self.launches, launch, code, findings),
            false if findings.list.is_empty() && code == result::SUCCESS => return,
            false => text(self.launches, launch, code, findings),
        };
        self.write(&text);
    }

    fn write(&mut self, text: &str) {
        let written = match &mut self.file {
            Some(file) => file.write_all(text.as_bytes()),
            None => std::io::stderr().write_all(text.as_bytes()),
        };
        if let (Err(error), Some(_)) = (written, &self.file) {
            say(&format_args!("{VARIABLE}: the report cannot be written on: {error}"));
            self.file = None;
            self.json = false;
        }
    }
}

fn words(kind: FindingKind) -> String {
    match kind {
        FindingKind::Race(hazards) => format!("race ({})", hazards.name().replace('-', " ")),
        FindingKind::Fault { may: true, class } => format!("{} (a device may fault)", class.name()),
        kind => kind.name().replace('-', " "),
    }
}

fn text(number: u64, launch: &Launch, code: u32, findings: &Findings) -> String {
    let ([gx, gy, gz], [bx, by, bz]) = (launch.grid, launch.block);
    let count = findings.list.len();
    let noun = if count == 1 { "finding" } else { "findings" };
    let mut out = format!(
        "launch {number} of `{}`, grid {gx} x {gy} x {gz}, block {bx} x {by} x {bz}, code {code}: {count} {noun}\n",
        launch.entry
    );
    for finding in &findings.list {
        // Writing to a string cannot fail.
        let _ = paragraph(&mut out, finding);
    }
    if findings.more > 0 {
        let _ = writeln!(out, "  and {} more that are not listed", findings.more);
    }
    out
}

/// Why the earlier one of two accesses has no line.
const FORGOTTEN: &str = "its line is not known: instructions in several lines accessed these bytes, in more threads than are remembered";

fn paragraph(out: &mut String, finding: &Finding) -> std::fmt::Result {
    let Finding { kind, place, thread, piece, earlier, detail, times } = finding;
    writeln!(out, "  {}: line {}, `{}`{}", words(*kind), place.line, place.instruction, by(*thread))?;
    if let Some(piece) = piece {
        writeln!(out, "      {piece}")?;
    }
    if !detail.is_empty() {
        writeln!(out, "      {detail}")?;
    }
    if let Some(Earlier { wrote, thread, place }) = earlier {
        let access = if *wrote { "write" } else { "read" };
        match place {
            Some(Place { line, instruction }) => {
                writeln!(out, "      after the {access} in line {line}, `{instruction}`{}", by(*thread))?;
            }
            None => writeln!(out, "      after a {access}{}; {FORGOTTEN}", by(*thread))?,
        }
    }
    if *times > 1 {
        writeln!(out, "      {times} times")?;
    }
    Ok(())
}

fn by(thread: Option<Thread>) -> String {
    match thread {
        Some(Thread { block: [x, y, z], thread: [tx, ty, tz] }) => {
            format!(", thread ({tx}, {ty}, {tz}) of block ({x}, {y}, {z})")
        }
        None => String::new(),
    }
}

/// An object of JSON that is being written.
struct Object(String);

impl Object {
    fn new() -> Self {
        Self("{".into())
    }

    /// Adds a value that is JSON already.
    fn raw(mut self, key: &str, value: &str) -> Self {
        let comma = if self.0.len() > 1 { "," } else { "" };
        let _ = write!(self.0, "{comma}\"{key}\":{value}");
        self
    }

    fn number(self, key: &str, value: u64) -> Self {
        self.raw(key, &value.to_string())
    }

    fn text(self, key: &str, value: &str) -> Self {
        let mut quoted = String::from("\"");
        for character in value.chars() {
            match character {
                '"' => quoted.push_str("\\\""),
                '\\' => quoted.push_str("\\\\"),
                control if u32::from(control) < 0x20 => {
                    let _ = write!(quoted, "\\u{:04x}", u32::from(control));
                }
                other => quoted.push(other),
            }
        }
        quoted.push('"');
        self.raw(key, &quoted)
    }

    fn index(self, key: &str, [x, y, z]: [u32; 3]) -> Self {
        self.raw(key, &format!("[{x},{y},{z}]"))
    }

    fn thread(self, thread: Option<Thread>) -> Self {
        match thread {
            Some(Thread { block, thread }) => self.index("block", block).index("thread", thread),
            None => self,
        }
    }

    fn place(self, place: &Place) -> Self {
        self.number("line", place.line.into()).text("instruction", &place.instruction)
    }

    fn end(self) -> String {
        self.0 + "}"
    }
}

/// A line for the launch and one for each finding.
fn json(number: u64, launch: &Launch, code: u32, findings: &Findings) -> String {
    let of_launch = || Object::new().number("launch", number).text("kernel", &launch.entry);
    let head = of_launch()
        .index("grid", launch.grid)
        .index("block", launch.block)
        .number("code", code.into())
        .number("findings", findings.list.len() as u64 + findings.more)
        .end();
    let mut lines = head + "\n";
    for Finding { kind, place, thread, piece, earlier, detail, times } in &findings.list {
        let mut object = of_launch().text("finding", kind.name());
        match kind {
            FindingKind::Race(hazards) => object = object.text("hazard", hazards.name()),
            FindingKind::Fault { may: true, .. } => object = object.raw("may", "true"),
            _ => {}
        }
        object = object.place(place).thread(*thread).number("times", *times);
        if let Some(piece) = piece {
            object = object
                .text("space", piece.space)
                .number("address", piece.address)
                .number("size", piece.size.into());
            if let Some(name) = &piece.name {
                object = object.text("name", name);
            }
        }
        if let Some(Earlier { wrote, thread, place }) = earlier {
            let access = if *wrote { "write" } else { "read" };
            let mut earlier = Object::new().text("access", access).thread(*thread);
            earlier = match place {
                Some(place) => earlier.place(place),
                None => earlier.text("line-unknown", FORGOTTEN),
            };
            object = object.raw("earlier", &earlier.end());
        }
        if !detail.is_empty() {
            object = object.text("detail", detail);
        }
        lines += &(object.end() + "\n");
    }
    lines
}
