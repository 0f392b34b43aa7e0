//! Translates an SPA 5.0 program to a PTX module.

use std::collections::BTreeSet;
use std::fmt::Write;
use std::sync::Arc;

use warpdiff_model::Launch;
use warpdiff_sass::mnemonic::Subject;
use warpdiff_sass::{NoSyncTarget, Program};

use super::control::label;
use super::equivalent::{Equivalent, Unlike};
use super::parameter::Parameter;
use super::writer::{Writer, Written};

/// Limit of shared memory that a PTX kernel may declare, in bytes.
const MOST_SHARED: u32 = 48 << 10;
/// Limit of local memory of a thread in PTX, in bytes.
const MOST_LOCAL: u32 = 512 << 10;

/// The PTX translation of a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Translation {
    /// The module.
    pub text: Arc<str>,
    /// Differences that may affect the result, apart from addresses, each once.
    pub unlike: BTreeSet<Unlike>,
}

/// Why a program has no PTX translation.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("no PTX for {}: {why}", named(.instruction))]
pub struct Untranslatable {
    /// The instruction; empty for the program as a whole.
    pub instruction: String,
    /// The reason: a lowercase fragment.
    pub why: String,
}

fn named(instruction: &str) -> String {
    match instruction {
        "" => "this program".to_owned(),
        text => format!("`{text}`"),
    }
}

/// Translates a program for a launch, which determines its parameters.
///
/// # Errors
/// The first instruction or property without a PTX equivalent.
pub fn translate(program: &Program, launch: &Launch) -> Result<Translation, Untranslatable> {
    let whole = |why: String| Untranslatable { instruction: String::new(), why };
    let header = &program.header;
    for (window, bytes, most) in [("shared", header.shared, MOST_SHARED), ("local", header.local, MOST_LOCAL)]
    {
        if bytes > most {
            return Err(whole(format!("{bytes} bytes of {window} memory, PTX allows at most {most}")));
        }
    }
    if launch.dynamic_shared > 0 {
        return Err(whole("the launch adds dynamic shared memory".into()));
    }
    let Some(statement) = program.statements.first() else {
        return Err(whole("it has no instructions".into()));
    };
    let sync_targets = program.sync_targets().map_err(|NoSyncTarget { statement, why }| Untranslatable {
        instruction: program.statements[statement].instruction.to_string(),
        why: why.to_owned(),
    })?;
    let mut writer = Writer {
        program,
        sync_targets,
        parameters: Parameter::of(&launch.arguments),
        statement,
        number: 0,
        guard: String::new(),
        text: String::new(),
    };
    writer.head(&launch.entry);
    let targets = (0..program.statements.len()).filter_map(|n| program.target(n));
    let targets: BTreeSet<usize> = targets.chain(writer.sync_targets.values().copied()).collect();
    for (number, statement) in program.statements.iter().enumerate() {
        (writer.number, writer.statement) = (number, statement);
        if targets.contains(&number) {
            let _ = writeln!(writer.text, "{}:", label(number));
        }
        writer.statement()?;
    }
    writer.text.push_str("}\n");
    let equivalents = program.statements.iter().filter_map(|s| Equivalent::of(&s.instruction));
    let unlike = equivalents.filter_map(|equivalent| equivalent.unlike).collect();
    Ok(Translation { text: writer.text.into(), unlike })
}

impl Writer<'_> {
    /// Everything up to the first statement.
    fn head(&mut self, entry: &str) {
        let parameters: Vec<String> =
            self.parameters.iter().enumerate().map(|(n, p)| format!("\n    {}", p.declaration(n))).collect();
        let header = self.header();
        let _ = write!(
            self.text,
            ".version 8.0\n.target sm_50\n.address_size 64\n\n.visible .entry {entry}({}\n)\n{{\n",
            parameters.join(",")
        );
        for (space, bytes) in [("shared", header.shared), ("local", header.local)] {
            if bytes > 0 {
                self.prepare(format!(".{space} .align 16 .b8 {space}_window[{bytes}];"));
            }
        }
        self.prepare(format!(".reg .b32 %R<{}>;", header.registers.clamp(1, 255)));
        self.prepare(".reg .pred %P<7>;");
        self.prepare(".reg .b32 %zero, %shared, %local, %address, %value, %source<4>, %unread<4>;");
        self.prepare(".reg .b64 %wide<3>;");
        self.prepare(".reg .pred %true, %first, %second, %third, %fourth, %held;");
        self.prepare("mov.b32 %zero, 0;");
        self.prepare("setp.eq.u32 %true, %zero, 0;");
        for (space, bytes) in [("shared", header.shared), ("local", header.local)] {
            let window = if bytes > 0 { format!("{space}_window") } else { "0".to_owned() };
            self.prepare(format!("mov.u32 %{space}, {window};"));
        }
    }

    /// One statement, below a comment with the SPA 5.0 instruction.
    fn statement(&mut self) -> Written {
        let instruction = self.instruction();
        self.prepare(format!("// {instruction}"));
        let Some(guard) = Self::guard_of(instruction.guard) else {
            return Ok(());
        };
        self.guard = guard;
        match instruction.form.traits.subject {
            Subject::Arithmetic => self.arithmetic(),
            Subject::Memory => self.memory(),
            Subject::Atomic => self.atomic(),
            Subject::Warp | Subject::Control => self.control(),
            Subject::Special => self.special(),
            Subject::Bits
            | Subject::Predicates
            | Subject::Video
            | Subject::Float
            | Subject::Half
            | Subject::Conversion
            | Subject::Surface
            | Subject::Texture => Err(self.no_translation()),
        }
    }
}
