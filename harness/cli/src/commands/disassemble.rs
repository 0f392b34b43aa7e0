//! `warpdiff disassemble FILE`: machine words of sm_50 as text.

use std::fmt::Write;
use std::path::PathBuf;

use warpdiff_judge::exit_code::Exit;
use warpdiff_sass::bundle::address;
use warpdiff_sass::cubin::{Beside, Cubin};
use warpdiff_sass::{Decoded, Header, Program, decode, disassemble};

use crate::elf_machine::{MAGIC, is_cubin};
use crate::failure::Failure;
use crate::standard_output::emit;

/// Options of `disassemble`.
#[derive(Debug, clap::Args)]
pub(crate) struct Disassemble {
    /// Words in hexadecimal, separated by white space, or a cubin for sm_50; `-` reads the standard input
    file: PathBuf,
    /// Every word is an instruction; there are no control words
    #[arg(long)]
    single: bool,
    /// How the code of a cubin is printed
    #[arg(long = "as", value_name = "TOOL", conflicts_with = "single")]
    style: Option<Style>,
    /// Prints the control field beside each instruction, with `--as`
    #[arg(long, requires = "style")]
    control: bool,
    /// Prints the line of the PTX text that instructions were made of beside them, with `--as`; the cubin must have a line table
    /// (`ptxas -lineinfo`)
    #[arg(long, requires = "style")]
    lines: bool,
    /// The PTX text for `--lines`; without it the copy in the cubin is taken
    #[arg(long, value_name = "FILE", requires = "lines")]
    ptx: Option<PathBuf>,
}

/// A tool whose text is printed.
#[derive(Clone, Copy, Debug, clap::ValueEnum)]
enum Style {
    /// Line by line what `nvdisasm -c -ndf` of CUDA 12.8 prints
    Nvdisasm,
}

impl Disassemble {
    pub(crate) fn execute(&self) -> Result<Exit, Failure> {
        let origin = self.file.display().to_string();
        let unreadable = |e: &dyn std::fmt::Display| Failure::usage(format!("cannot read {origin}: {e}"));
        let bytes = if origin == "-" {
            let mut bytes = Vec::new();
            std::io::Read::read_to_end(&mut std::io::stdin(), &mut bytes).map(|_| bytes)
        } else {
            std::fs::read(&self.file)
        };
        let bytes = bytes.map_err(|e| unreadable(&e))?;
        if bytes.starts_with(MAGIC) && !is_cubin(&bytes) {
            return Err(unreadable(&"an ELF file for another machine, not a cubin"));
        }
        if let Some(Style::Nvdisasm) = self.style {
            let (text, all) = self.listing(&bytes).map_err(|e| unreadable(&e))?;
            emit(&text)?;
            return Ok(if all { Exit::Conforms } else { Exit::Violates });
        }
        let kernels = if bytes.starts_with(MAGIC) {
            let cubin = Cubin::read(&bytes).map_err(|e| unreadable(&e))?;
            cubin.kernels.into_iter().map(|kernel| (kernel.name, kernel.words, kernel.header)).collect()
        } else {
            let text = String::from_utf8(bytes).map_err(|_| unreadable(&"neither text nor a cubin"))?;
            let words = words(&text).map_err(|e| Failure::usage(format!("{origin}:{e}")))?;
            vec![(String::new(), words, Header::default())]
        };
        let (mut out, mut all) = (String::new(), true);
        for (name, words, header) in &kernels {
            if !name.is_empty() {
                let _ = writeln!(out, "# {name}");
            }
            all &= if self.single {
                let lines: Vec<bool> = words.iter().map(|word| line(&mut out, &decode(*word), "")).collect();
                lines.into_iter().all(|legal| legal)
            } else {
                bundles(&mut out, words, header).map_err(|e| unreadable(&e))?
            };
        }
        emit(&out)?;
        Ok(if all { Exit::Conforms } else { Exit::Violates })
    }

    /// The code of a cubin as another tool prints it, and whether all of it are instructions.
    fn listing(&self, file: &[u8]) -> Result<(String, bool), String> {
        let source = match &self.ptx {
            Some(path) => std::fs::read_to_string(path).map_err(|e| format!("{}: {e}", path.display()))?,
            None => String::new(),
        };
        if self.lines && Cubin::read(file)?.kernels.iter().all(|kernel| kernel.lines.is_empty()) {
            return Err("the cubin has no line table: `ptxas -lineinfo` writes one".into());
        }
        let source: Vec<String> = source.lines().map(str::to_owned).collect();
        let beside = Beside { control: self.control, lines: self.lines, source: &source };
        warpdiff_sass::cubin::listing(file, beside)
    }
}

/// The words of a text; `#` begins a comment. The error begins with its line.
fn words(text: &str) -> Result<Vec<u64>, String> {
    let mut words = Vec::new();
    for (number, line) in text.lines().enumerate() {
        let line = line.split('#').next().unwrap_or_default();
        for word in line.split_ascii_whitespace() {
            let digits = word.trim_start_matches("0x");
            let value = u64::from_str_radix(digits, 16).ok().filter(|_| digits.len() <= 16);
            let wrong = || {
                format!(
                    "{}: `{word}` is not a machine word: expected up to 16 hexadecimal digits",
                    number + 1
                )
            };
            words.push(value.ok_or_else(wrong)?);
        }
    }
    Ok(words)
}

/// Prints a sequence of bundles: as a program if it is one, otherwise word by word. Returns whether all words are instructions.
fn bundles(out: &mut String, words: &[u64], header: &Header) -> Result<bool, String> {
    if let Ok(mut program) = Program::from_words(words) {
        program.header = *header;
        let _ = write!(out, "{program}");
        return Ok(true);
    }
    let Some(instructions) = disassemble(words) else {
        return Err(format!(
            "{} words do not make whole bundles of 4 (`--single` takes words without control words)",
            words.len()
        ));
    };
    let mut all = true;
    for (index, (control, decoded)) in instructions.iter().enumerate() {
        let _ = write!(out, "/*{:04x}*/ ", address(index));
        all &= line(out, decoded, &format!(" {control}"));
    }
    Ok(all)
}

/// Prints a word on a line; returns whether it is an instruction.
fn line(out: &mut String, decoded: &Decoded, annotations: &str) -> bool {
    let word = decoded.encode();
    let _ = match decoded {
        Decoded::Legal(instruction) => {
            let text = instruction.to_string();
            writeln!(out, "{}{annotations}; /* {word:#018x} */", text.trim_end_matches(';'))
        }
        Decoded::Illegal(instruction, field) => {
            writeln!(out, "# {instruction} illegal: {field} /* {word:#018x} */")
        }
        Decoded::Undecodable(_) => {
            writeln!(out, "# unsupported: not in the table of forms /* {word:#018x} */")
        }
    };
    matches!(decoded, Decoded::Legal(_))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_hexadecimal() {
        assert_eq!(
            words("0xef4c 10\n# no\nef4c100000070001 # yes"),
            Ok(vec![0xef4c, 0x10, 0xef4c_1000_0007_0001])
        );
        assert_eq!(
            words("0\n0xg").unwrap_err(),
            "2: `0xg` is not a machine word: expected up to 16 hexadecimal digits"
        );
        assert!(words("00000000000000001").is_err());
    }

    #[test]
    fn a_program_with_an_unknown_word_is_shown_word_by_word() {
        let mut out = String::new();
        let words = [0x7ff, 0xef4c_1000_0087_0102, 0, 0xef47_1000_0087_0102];
        assert_eq!(bundles(&mut out, &words, &Header::default()), Ok(false));
        assert_eq!(
            out,
            "/*0008*/ LDS.U.32 R2, [R1+0x8] ?WAIT15; /* 0xef4c100000870102 */\n\
             /*0010*/ # unsupported: not in the table of forms /* 0x0000000000000000 */\n\
             /*0018*/ # LDL.LU.INVALIDSIZE7 R2, [R1+0x8]; illegal: the size in bits 50:48 cannot be 7 /* 0xef47100000870102 */\n"
        );
        assert!(bundles(&mut out, &[0], &Header::default()).unwrap_err().contains("--single"));
    }
}
