//! A program of SPA 5.0 as machine words, for workers that would rather have those than text.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use warpdiff_sass::{Header, Program, ShaderType};

/// A program of SPA 5.0 in machine words, with what its header states.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ShaderMessage {
    /// Bundles: a word of control fields and three of instructions, each as 16 hexadecimal digits behind `0x`.
    pub words: Vec<String>,
    /// Registers of a thread.
    pub registers: u16,
    /// Bytes of shared memory of a block.
    pub shared: u32,
    /// Bytes of local memory of a thread.
    pub local: u32,
    /// Whether it is a graphics shader rather than a compute shader.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub graphics: bool,
}

impl ShaderMessage {
    /// The words of a text; `None` where it is no program.
    pub fn of_text(text: &str) -> Option<Self> {
        let program = warpdiff_sass::compile(text, &Header::default()).ok()?;
        let Header { registers, shared, local, shader } = program.header;
        let words = program.words().iter().map(|word| format!("{word:#018x}")).collect();
        Some(Self { words, registers, shared, local, graphics: shader == ShaderType::Graphics })
    }

    /// The text of the words.
    ///
    /// # Errors
    /// What is no word, or no program.
    pub fn text(&self) -> Result<String, String> {
        let word = |text: &String| {
            let digits = text.strip_prefix("0x").unwrap_or(text);
            let is_hexadecimal = digits.len() <= 16 && digits.bytes().all(|b| b.is_ascii_hexdigit());
            let value = u64::from_str_radix(digits, 16).ok().filter(|_| is_hexadecimal);
            value.ok_or_else(|| format!("`{text}` is not a 64-bit word"))
        };
        let words: Vec<u64> = self.words.iter().map(word).collect::<Result<_, _>>()?;
        let mut program = Program::from_words(&words).map_err(|error| error.to_string())?;
        let shader = if self.graphics { ShaderType::Graphics } else { ShaderType::Compute };
        let Self { registers, shared, local, .. } = *self;
        program.header = Header { registers, shared, local, shader };
        Ok(program.to_string())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_the_program_of_the_text() {
        let text =
            ".spa 5.0\n.registers 16\n.shared 64\nLDS.64 R2, [R4+8] &wr=0;\nMOV R0, R2 &req={0};\nEXIT;\n";
        let message = ShaderMessage::of_text(text).unwrap();
        assert_eq!((message.words.len(), message.registers, message.shared), (4, 16, 64));
        // LDS.64 R2, [R4+0x8] by hand: opcode, size 5, offset, predicate 7, Ra, Rd.
        assert_eq!(message.words[1], "0xef4d000000870402");
        let again = ShaderMessage::of_text(&message.text().unwrap()).unwrap();
        assert_eq!(again, message);
    }

    #[test]
    fn what_is_no_program_is_said_to_be_none() {
        let message = |words: &[&str]| ShaderMessage {
            words: words.iter().map(|word| (*word).to_owned()).collect(),
            registers: 8,
            shared: 0,
            local: 0,
            graphics: false,
        };
        for (words, error) in [
            (&["0x0"][..], "1 words are no whole number of bundles of 4"),
            (&["0x+1", "0", "0", "0"], "`0x+1` is not a 64-bit word"),
            (&["0x00000000000000000"], "`0x00000000000000000` is not a 64-bit word"),
            (
                &["0", "0", "0", "0"],
                "unsupported: word 0x0000000000000000 at 0x0008 is of no form in the table",
            ),
        ] {
            assert_eq!(message(words).text(), Err(error.to_owned()));
        }
        assert_eq!(ShaderMessage::of_text("LDS R0 [R1];"), None);
    }
}
