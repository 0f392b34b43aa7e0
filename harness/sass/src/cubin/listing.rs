//! The code of a cubin as text: line by line what `nvdisasm -c -ndf` of CUDA 12.8 prints for sm_50. Nothing documents that text; its
//! rules are read off the tool's output.

use std::collections::HashMap;
use std::fmt::Write;

use super::elf::{self, Elf, Section, Symbol};
use super::info;
use super::lines::{self, LineRow};
use super::reader::{BUNDLED, BankRelocation, INDEPENDENT, SAMPLER, SURFACE, TEXTURE, relocations};
use crate::bundle::{address, disassemble, statement_at};
use crate::control::Control;
use crate::instruction::{Instruction, Operand, Written};
use crate::mnemonic::Mnemonic;
use crate::symbol::{AddressPart, SymbolAddress};
use crate::word::Decoded;

/// What stands beside the instructions, as comments.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Beside<'l> {
    /// The control field: waits, signals, stall.
    pub control: bool,
    /// The line of the PTX text that each word was made of, where it changes.
    pub lines: bool,
    /// The lines of that text; of none the copy in the cubin.
    pub source: &'l [String],
}

/// Bits of `e_flags`.
const ADDRESSES_OF_64_BITS: u32 = 0x400;
/// Types of relocations of code: the 32 bits of an address at bit 20 of a word.
const LOWER_WORD: u32 = 43;
const UPPER_WORD: u32 = 44;
/// Symbol types.
const OBJECT: u8 = 1;
/// Of data in relocatable objects.
const ARCHITECTURE_OBJECT: u8 = 13;
const FUNCTION: u8 = 2;
const SECTION: u8 = 3;
/// Symbol bindings.
const GLOBAL: u8 = 1;
const WEAK: u8 = 2;
/// The bit of `st_other` of a kernel.
const ENTRY: u8 = 0x10;
/// What `st_other` of such an object says of its memory.
const MEMORIES: [(u8, &str); 3] = [(0x20, "GLOBAL"), (0x40, "SHARED"), (0x80, "CONSTANT")];
/// The column at which the text of an instruction begins, and that of what stands beside it.
const INSTRUCTION: usize = 35;
const COMMENT: usize = 90;

/// The text of the code of a cubin, and whether every word of it is an instruction.
///
/// # Errors
/// How the file is malformed, as a lowercase fragment; also for an architecture other than sm_50 to sm_62.
pub fn listing(file: &[u8], beside: Beside<'_>) -> Result<(String, bool), String> {
    let elf = Elf::read(file)?;
    if !BUNDLED.contains(&elf.architecture) {
        return Err(format!("unsupported: the instructions of sm_{}", elf.architecture));
    }
    let copy = lines::text(&elf);
    let beside = Beside { source: if beside.source.is_empty() { &copy } else { beside.source }, ..beside };
    let sequences = if beside.lines { lines::sequences(&elf)? } else { Vec::new() };
    let mut codes = Vec::new();
    for (index, section) in elf.sections.iter().enumerate() {
        if let Some(name) = section.name.strip_prefix(".text.") {
            let rows = sequences.iter().filter(|sequence| sequence.section == index);
            let rows = rows.flat_map(|sequence| sequence.rows.iter().copied()).collect();
            codes.push(Code::read(&elf, index, name, rows)?);
        }
    }
    let mut labels = Labels::default();
    for code in &codes {
        labels.of_branches(&elf, code);
    }
    for code in &codes {
        labels.of_jumps(&elf, code)?;
    }
    labels.of_ends(&elf, &codes)?;
    let mut out = head(elf.flags, file);
    let mut all = true;
    for code in &codes {
        all &= code.print(&mut out, &elf, &labels, beside);
    }
    out.push_str(&undefined(&elf));
    Ok((out, all))
}

fn head(flags: u32, file: &[u8]) -> String {
    let mut names = vec![match flags & INDEPENDENT {
        0 => "EF_CUDA_TEXMODE_UNIFIED".to_string(),
        _ => "EF_CUDA_TEXMODE_INDEPENDENT".to_string(),
    }];
    if flags & ADDRESSES_OF_64_BITS != 0 {
        names.push("EF_CUDA_64BIT_ADDRESS".into());
    }
    names.push(format!("EF_CUDA_SM{}", flags & 0xff));
    names.push(format!("EF_CUDA_VIRTUAL_SM(EF_CUDA_SM{})", flags >> 16 & 0xff));
    let kind = match elf::number(file, 0x10, 2) {
        Some(1) => "ET_REL",
        _ => "ET_EXEC",
    };
    format!("\t.headerflags\t@\"{}\"\n\t.elftype\t@\"{kind}\"\n", names.join(" "))
}

/// The name of a symbol type of opaque objects.
fn opaque(kind: u8) -> Option<&'static str> {
    Some(match kind {
        TEXTURE => "STT_CUDA_TEXTURE",
        SAMPLER => "STT_CUDA_SAMPLER",
        SURFACE => "STT_CUDA_SURFACE",
        _ => return None,
    })
}

/// The symbols that a loader has to find elsewhere.
fn undefined(elf: &Elf<'_>) -> String {
    let mut out = String::new();
    for symbol in elf.symbols.iter().filter(|symbol| symbol.section == 0 && !symbol.name.is_empty()) {
        let name = &symbol.name;
        let _ = match symbol.kind {
            OBJECT => writeln!(out, "\t.type\t\t{name},@object\n\t.size\t\t{name},{:#x}", symbol.size),
            FUNCTION => writeln!(out, "\t.type\t\t{name},@function"),
            ARCHITECTURE_OBJECT => {
                let memory = MEMORIES.iter().find(|(bit, _)| symbol.other & 0xe0 == *bit);
                let memory = memory.map_or("", |(_, name)| name);
                let _ = writeln!(out, "\t.type\t\t{name},@\"STT_CUDA_OBJECT\"");
                let _ = writeln!(out, "\t.other\t\t{name},@\"STO_CUDA_{memory} STV_DEFAULT\"");
                match symbol.size {
                    0 => Ok(()),
                    size => writeln!(out, "\t.size\t\t{name},{size:#x}"),
                }
            }
            kind => match opaque(kind) {
                Some(kind) => writeln!(out, "\t.type\t\t{name},@\"{kind}\""),
                None => continue,
            },
        };
    }
    match out.as_str() {
        "" => out,
        symbols => format!("\n\n//--------------------- SYMBOLS --------------------------\n\n{symbols}"),
    }
}

/// The address of the instruction that a control word stands in front of; of an instruction its own.
fn of_instruction(address: usize) -> usize {
    if address.is_multiple_of(32) { address + 8 } else { address }
}

/// The labels of a file. Their numbers count from the first section of code to the last: first the targets of branches in the order
/// in which the code names them, then jumps whose target does not stand in them, then the ends of functions in the order of symbols.
#[derive(Default)]
struct Labels {
    /// By section and address.
    names: HashMap<(usize, usize), String>,
    /// For each symbol of a function its end.
    ends: HashMap<usize, String>,
    count: usize,
}

impl Labels {
    /// The label at an address, which gets a number if it has none.
    fn at(&mut self, section: usize, address: usize) -> String {
        let Labels { names, count, .. } = self;
        let fresh = || {
            *count += 1;
            format!(".L_x_{}", *count - 1)
        };
        names.entry((section, address)).or_insert_with(fresh).clone()
    }

    fn of_branches(&mut self, elf: &Elf<'_>, code: &Code) {
        for index in 0..code.words.len() {
            if let Some(to) = code.target(index)
                && function_at(elf, code.section, to).is_none()
            {
                self.at(code.section, to);
            }
        }
    }

    /// Jumps whose targets an attribute states: `SYNC`, `BRK` and `BRX`. There is a label before the jump, and the instruction that is
    /// issued together with it, and one at each target. A number is used up even where another label stands already.
    fn of_jumps(&mut self, elf: &Elf<'_>, code: &Code) -> Result<(), String> {
        let attributes = info::attributes(elf, &format!(".nv.info.{}", code.name))?;
        let cut = || format!("the jumps of {} end in the middle of one", code.name);
        for attribute in attributes.iter().filter(|attribute| attribute.kind == info::JUMP_TARGETS) {
            let mut rest = attribute.bytes;
            // The jump, two flags, the number of targets, the targets.
            while let (Some(jump), Some(count)) = (elf::number(rest, 0, 4), elf::number(rest, 8, 4)) {
                let end = count.checked_mul(4).and_then(|size| size.checked_add(12)).ok_or_else(cut)?;
                let entry = rest.get(..end).ok_or_else(cut)?;
                self.spend(code.section, code.start_of_pair(of_instruction(jump)));
                for target in entry[12..].as_chunks().0 {
                    self.spend(code.section, of_instruction(u32::from_le_bytes(*target) as usize));
                }
                rest = &rest[end..];
            }
        }
        Ok(())
    }

    /// A label at an address; its number is used up even if there is one already.
    fn spend(&mut self, section: usize, address: usize) -> String {
        let before = self.count;
        let label = self.at(section, address);
        self.count = before + 1;
        label
    }

    fn of_ends(&mut self, elf: &Elf<'_>, codes: &[Code]) -> Result<(), String> {
        for (index, symbol) in elf.symbols.iter().enumerate() {
            if symbol.kind != FUNCTION || codes.iter().all(|code| code.section != symbol.section) {
                continue;
            }
            let end = symbol.value.checked_add(symbol.size);
            let end = end.filter(|end| *end <= elf.sections[symbol.section].size);
            let end = end.ok_or_else(|| format!("the function {} ends behind its section", symbol.name))?;
            // The number is used up even if the name of a function takes the place of the label, or a label stands there already.
            let mut name = self.spend(symbol.section, end);
            if let Some(next) = function_at(elf, symbol.section, end).filter(|_| !end.is_multiple_of(32)) {
                self.names.remove(&(symbol.section, end));
                name = next.to_owned();
            }
            self.ends.insert(index, name);
        }
        Ok(())
    }
}

/// What stands in the place of a number that a relocation fills in.
fn place(relocation: &BankRelocation) -> SymbolAddress {
    let part = match relocation.kind {
        LOWER_WORD => AddressPart::Lower,
        UPPER_WORD => AddressPart::Upper,
        _ => AddressPart::Whole,
    };
    SymbolAddress { part, name: relocation.symbol.clone(), addend: relocation.addend }
}

/// The function that begins with the instruction at an address.
fn function_at<'e>(elf: &'e Elf<'_>, section: usize, address: usize) -> Option<&'e str> {
    let is_it = |symbol: &&Symbol| {
        symbol.kind == FUNCTION && symbol.section == section && of_instruction(symbol.value) == address
    };
    elf.symbols.iter().find(is_it).map(|symbol| symbol.name.as_str())
}

/// A section of code.
struct Code {
    section: usize,
    name: String,
    words: Vec<(Control, Decoded)>,
    /// By byte offset what stands in the place of a relocated number.
    relocated: HashMap<usize, SymbolAddress>,
    rows: Vec<LineRow>,
}

impl Code {
    fn read(elf: &Elf<'_>, section: usize, name: &str, rows: Vec<LineRow>) -> Result<Code, String> {
        let (words, rest) = elf.contents(&elf.sections[section]).as_chunks::<8>();
        let words: Vec<u64> = words.iter().map(|word| u64::from_le_bytes(*word)).collect();
        let words = disassemble(&words).filter(|_| rest.is_empty());
        let words = words.ok_or_else(|| {
            format!("the size of section {} is not a multiple of 32 bytes", elf.sections[section].name)
        })?;
        let relocated = relocations(elf, section)?;
        let relocated = relocated.into_iter().map(|it| (it.offset as usize, place(&it))).collect();
        Ok(Code { section, name: name.to_owned(), words, relocated, rows })
    }

    /// The address of the instruction that the one with that index branches to.
    fn target(&self, index: usize) -> Option<usize> {
        let Decoded::Legal(instruction) = &self.words[index].1 else { return None };
        let from = address(index) as usize;
        if self.relocated.contains_key(&from) {
            return None;
        }
        let offset = instruction.operands.iter().find_map(|operand| match operand {
            Operand::Target(offset) => Some(*offset),
            _ => None,
        })?;
        let to = from.checked_add(8)?.checked_add_signed(offset as isize)?;
        Some(of_instruction(to))
    }

    /// Whether this instruction is issued together with the next.
    fn is_paired(&self, index: usize) -> bool {
        let (control, _) = self.words[index];
        control.stall == 0 && control.stay && index + 1 < self.words.len()
    }

    /// The address of the instruction that one is issued together with, if it is the second of two; otherwise its own.
    fn start_of_pair(&self, at: usize) -> usize {
        let index = statement_at(at as i64);
        let first = index.and_then(|index| index.checked_sub(1));
        match first.filter(|first| first + 1 < self.words.len() && self.is_paired(*first)) {
            Some(first) => address(first) as usize,
            None => at,
        }
    }

    /// The number of instructions without those that fill up the section.
    fn filled(&self) -> usize {
        let is_filling = |decoded: &Decoded| match decoded {
            Decoded::Legal(instruction) => {
                instruction.form.mnemonic == Mnemonic::NOP
                    && instruction.guard == crate::instruction::Guard::ALWAYS
            }
            _ => false,
        };
        self.words.iter().rposition(|(_, decoded)| !is_filling(decoded)).map_or(0, |last| last + 1)
    }

    fn print(&self, out: &mut String, elf: &Elf<'_>, labels: &Labels, beside: Beside<'_>) -> bool {
        section_head(out, &elf.sections[self.section]);
        let mut all = true;
        let filled = self.filled();
        let mut shown = None;
        for (index, (control, decoded)) in self.words.iter().enumerate() {
            let at = address(index) as usize;
            if at % 32 == 8 {
                self.print_label(out, labels, at - 8);
            }
            self.print_symbols(out, elf, labels, at);
            self.print_label(out, labels, at);
            let second = index > 0 && self.is_paired(index - 1);
            let Decoded::Legal(instruction) = decoded else {
                all = false;
                let _ = writeln!(
                    out,
                    "        /*{at:04x}*/ # {} /* {:#018x} */",
                    not_legal(decoded),
                    decoded.encode()
                );
                continue;
            };
            let target = self.target(index);
            let target = target.map(|to| match function_at(elf, self.section, to) {
                Some(function) => format!("`({function})"),
                None => format!("`({})", labels.names.get(&(self.section, to)).cloned().unwrap_or_default()),
            });
            let text = self.instruction(instruction, *control, target.as_deref(), at);
            let (guard, text) = match text.split_once(' ') {
                Some((guard, rest)) if guard.starts_with('@') => (guard, rest),
                _ => ("", text.as_str()),
            };
            let brace = if self.is_paired(index) { "{" } else { "" };
            let end = match (second, index < filled) {
                (true, _) => "         }",
                (false, true) => " ;",
                (false, false) => ";",
            };
            let line = format!("        /*{at:04x}*/{:9}{brace:1}{guard:>8} {text}{end}", "");
            debug_assert!(at > 0xffff || line.find(text).is_some_and(|column| column >= INSTRUCTION));
            let comment = self.comment(control, at as u32, &mut shown, beside);
            let _ = match comment.as_str() {
                "" => writeln!(out, "{line}"),
                comment => writeln!(out, "{line:COMMENT$} // {comment}"),
            };
        }
        self.print_label(out, labels, self.words.len() / 3 * 32);
        all
    }

    /// The text of an instruction, with what a relocation fills in in the place of a number.
    fn instruction(
        &self,
        instruction: &Instruction,
        control: Control,
        target: Option<&str>,
        at: usize,
    ) -> String {
        let symbol = self.relocated.get(&at);
        let text = Written { instruction, reuse: control.reuse, target, exact: false, symbol }.to_string();
        spaced(text, instruction)
    }

    /// What stands beside an instruction.
    fn comment(&self, control: &Control, at: u32, shown: &mut Option<u32>, beside: Beside<'_>) -> String {
        let mut comment = String::new();
        if beside.control {
            let _ = write!(comment, "{control}");
        }
        let after = self.rows.partition_point(|row| row.address <= at);
        let line = after.checked_sub(1).map(|row| self.rows[row].line);
        if let Some(line) = line.filter(|_| beside.lines && *shown != line) {
            let text = (line as usize).checked_sub(1).and_then(|index| beside.source.get(index));
            let (space, text) = (if beside.control { "  " } else { "" }, text.map_or("", |text| text.trim()));
            let _ = write!(comment, "{space}line {line}: {text}");
        }
        *shown = line;
        comment.trim_end_matches([':', ' ']).to_owned()
    }

    fn print_label(&self, out: &mut String, labels: &Labels, at: usize) {
        if let Some(label) = labels.names.get(&(self.section, at)) {
            let _ = writeln!(out, "{label}:");
        }
    }

    /// The directives and the name of each symbol at the instruction at that address, the last one first: of functions, of objects of
    /// opaque type that a kernel declares, and of the section itself.
    fn print_symbols(&self, out: &mut String, elf: &Elf<'_>, labels: &Labels, at: usize) {
        for (index, symbol) in elf.symbols.iter().enumerate().rev() {
            if symbol.section != self.section || of_instruction(symbol.value) != at {
                continue;
            }
            let name = &symbol.name;
            if let Some(kind) = opaque(symbol.kind) {
                let _ = writeln!(out, "        .type           {name},@\"{kind}\"\n{name}:");
            }
            if symbol.kind == SECTION {
                let _ = writeln!(out, ".text.{}:", self.name);
            }
            if symbol.kind != FUNCTION {
                continue;
            }
            let end = labels.ends.get(&index).map_or("", String::as_str);
            let _ = match symbol.binding {
                GLOBAL => writeln!(out, "        .global         {name}"),
                WEAK => writeln!(out, "        .weak           {name}"),
                _ => Ok(()),
            };
            let _ = writeln!(out, "        .type           {name},@function");
            let _ = writeln!(out, "        .size           {name},({end} - {name})");
            if symbol.other & ENTRY != 0 {
                let _ = writeln!(out, "        .other          {name},@\"STO_CUDA_ENTRY STV_DEFAULT\"");
            }
            let _ = writeln!(out, "{name}:");
        }
    }
}

fn section_head(out: &mut String, section: &Section) {
    let name = &section.name;
    let _ = writeln!(out, "\n\n//--------------------- {name:<25} --------------------------");
    let _ = writeln!(out, "\t.section\t{name},\"ax\",@progbits");
    let barriers = section.flags >> 20 & 0x7f;
    if barriers != 0 {
        let _ = writeln!(out, "\t.sectionflags\t@\"SHF_BARRIERS={barriers}\"");
    }
    let _ = writeln!(out, "\t.sectioninfo\t@\"SHI_REGISTERS={}\"", section.info >> 24 & 0xff);
    let _ = writeln!(out, "\t.align\t{}", section.align);
}

/// In these instructions the tool puts a space into a constant of which a part may be selected.
fn spaced(mut text: String, instruction: &Instruction) -> String {
    // Behind an infinity, a NaN and a negative zero it puts a space, before the one of every end.
    if instruction.ends_spaced() {
        text.push(' ');
    }
    let is_last = |constant: usize| !text[constant..].contains(',');
    match (instruction.form.mnemonic, text.find("][")) {
        (Mnemonic::I2F | Mnemonic::I2I | Mnemonic::F2I, Some(_)) => text.replace("][", "] ["),
        (Mnemonic::F2F, Some(_)) if instruction.modifier_name("source type") == Some("F16") => {
            text.replace("][", "] [")
        }
        (Mnemonic::XMAD, Some(constant)) if !is_last(constant) => text.replace("][", "] ["),
        _ => text,
    }
}

fn not_legal(decoded: &Decoded) -> String {
    match decoded {
        Decoded::Illegal(instruction, field) => format!("{instruction} illegal: {field}"),
        _ => "unsupported: not in the table of forms".into(),
    }
}
