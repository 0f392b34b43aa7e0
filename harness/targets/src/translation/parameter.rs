//! The words of constant bank 0: what a kernel is launched with, and how.

use warpdiff_model::Argument;

use super::writer::{Writer, Written};

/// Where the sizes of the block begin, three words.
const BLOCK_SIZE: i32 = 0x8;
/// Where the sizes of the grid begin, three words.
const GRID_SIZE: i32 = 0x14;
/// Where local memory ends.
const STACK: i32 = 0x20;
/// Where the parameters begin.
const PARAMETERS: i32 = 0x140;

/// One parameter of the kernel. They follow one another, each aligned to its size and at most to 8 bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Parameter {
    /// Bytes from the first one on.
    offset: u32,
    /// Bytes.
    size: u32,
}

impl Parameter {
    /// The parameters for these arguments.
    pub(super) fn of(arguments: &[Argument]) -> Vec<Self> {
        let mut end = 0u32;
        let place = |argument: &Argument| {
            let size = match argument {
                Argument::Value(bytes) => bytes.len() as u32,
                _ => 8,
            };
            let offset = end.next_multiple_of(align(size));
            end = offset + size;
            Self { offset, size }
        };
        arguments.iter().map(place).collect()
    }

    /// Its declaration under that number.
    pub(super) fn declaration(self, number: usize) -> String {
        match self.size {
            1 | 2 | 4 | 8 => format!(".param .b{} argument{number}", self.size * 8),
            size => format!(".param .align {} .b8 argument{number}[{size}]", align(size)),
        }
    }
}

fn align(size: u32) -> u32 {
    size.next_power_of_two().clamp(1, 8)
}

impl Writer<'_> {
    /// Puts the word of constant bank 0 at that offset into a register.
    pub(super) fn launch_constant(&mut self, offset: i32, into: &str) -> Written {
        let axis = |start: i32| ["x", "y", "z"][((offset - start) / 4) as usize % 3];
        let line = match offset {
            BLOCK_SIZE..GRID_SIZE => format!("mov.u32 {into}, %ntid.{};", axis(BLOCK_SIZE)),
            GRID_SIZE..STACK => format!("mov.u32 {into}, %nctaid.{};", axis(GRID_SIZE)),
            STACK => format!("mov.u32 {into}, {};", self.header().local),
            PARAMETERS.. => {
                let at = (offset - PARAMETERS) as u32;
                let holds = |p: &Parameter| p.offset <= at && at + 4 <= p.offset + p.size;
                let Some(number) = self.parameters.iter().position(holds) else {
                    return Err(self.untranslatable("a word of constant bank 0 that is not an argument"));
                };
                let within = at - self.parameters[number].offset;
                format!("ld.param.u32 {into}, [argument{number}+{within}];")
            }
            _ => return Err(self.untranslatable("this word of constant bank 0 has no name in PTX")),
        };
        self.prepare(line);
        Ok(())
    }
}
