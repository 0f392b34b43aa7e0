//! The machine words that a compiler made of a line of PTX: a report shows them below the line.

use warpdiff_sass::cubin::Kernel;
use warpdiff_sass::{bundle, disassemble};

/// The machine words that a compiler made of a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MachineCode {
    /// The compiler and its level: `ptxas V12.9.86 at -O3`.
    pub compiler: String,
    /// In the order of their addresses; none if the compiler left the line out, or holds another line responsible for its words.
    pub words: Vec<MachineWord>,
}

/// A machine word.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MachineWord {
    /// Its address in bytes from the beginning of the kernel's code.
    pub address: u32,
    /// Its bits.
    pub word: u64,
    /// Its text.
    pub text: String,
}

impl MachineCode {
    /// The words that a kernel has of a line, by its line table; `None` if it has no table.
    pub fn of_line(kernel: &Kernel, line: u32, compiler: String) -> Option<Self> {
        if kernel.lines.is_empty() {
            return None;
        }
        let mut words = Vec::new();
        for (index, (_, decoded)) in disassemble(&kernel.words)?.into_iter().enumerate() {
            let address = bundle::address(index);
            if kernel.line(address) == Some(line) {
                let text = decoded.text().unwrap_or_else(|| "not an instruction".into());
                words.push(MachineWord { address, word: decoded.encode(), text });
            }
        }
        Some(Self { compiler, words })
    }
}

#[cfg(test)]
mod tests {
    use warpdiff_sass::cubin::Cubin;

    use super::*;

    /// `add.u32 x, x, 77;` stands on line 16 of the program; nvdisasm 12.8 shows the lines in `lines.sass` with `-gp`.
    #[test]
    fn a_line_has_the_words_between_its_row_and_the_next() {
        let file = include_bytes!("../../sass/tests/nvdisasm/cubins/lines.cubin");
        let cubin = Cubin::read(file).unwrap();
        let kernel = cubin.kernel("k1").unwrap();
        let of = |line| MachineCode::of_line(kernel, line, "ptxas".into()).unwrap();
        let words = of(16).words;
        assert_eq!(words.len(), 1, "{words:?}");
        assert_eq!((words[0].address, words[0].text.split(' ').next()), (0x68, Some("IADD32I")));
        assert!(of(14).words.len() > 1);
        assert_eq!(of(1).words, []);
        let plain = Cubin::read(include_bytes!("../../sass/tests/nvdisasm/cubins/meetings.cubin")).unwrap();
        assert_eq!(MachineCode::of_line(&plain.kernels[0], 1, "ptxas".into()), None);
    }
}
