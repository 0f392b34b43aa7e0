//! A worker for warpdiff around ptoxide, a virtual machine for PTX by others. docs/protocol.md describes the protocol; the same shape does for
//! any emulator that is a library.
//!
//! ptoxide's parser lacks two spellings that every kernel of the corpus has. The worker writes them otherwise, with the same meaning (see
//! [`respelt`]), so that the instructions behind them are judged.
//!
//! What ptoxide says that it cannot do is `unsupported`: what its parser and its compiler refuse, and every `todo!` it runs into. Any other
//! panic ends the process, and warpdiff reports a crash.

use std::io::{self, Write};
use std::panic::{self, AssertUnwindSafe};
use std::process;

use ptoxide::{Argument, Context, LaunchParams};
use serde_json::{Map, Value, json};

/// The byte that guard bands are made of.
const GUARD: u8 = 0xA5;
/// Buffers begin at multiples of this.
const ALIGNMENT: usize = 256;

/// Ends a launch that does not complete: its outcome.
struct Stop(Value);

fn unsupported(what: impl Into<String>) -> Stop {
    let what: String = what.into();
    Stop(json!({"kind": "unsupported", "what": what}))
}

/// Why a program is not run, in words that are alike for all programs that lack the same: without lines and columns, but with the character at
/// which the lexer gave up.
fn refused(program: &str, error: &impl std::fmt::Display) -> Stop {
    let words = error.to_string().replace(['\\', '"'], "");
    let Some((what, place)) = words.split_once(", SourceLocation") else { return unsupported(words) };
    let digits = place.split("byte: ").nth(1).unwrap_or_default();
    let byte = digits.split(|c: char| !c.is_ascii_digit()).next().and_then(|byte| byte.parse::<usize>().ok());
    match byte.and_then(|byte| program.get(byte..)?.chars().next()) {
        Some(at) if what.contains("LexError") => unsupported(format!("{what} at {at:?})")),
        _ => unsupported(format!("{what})")),
    }
}

/// A buffer of a launch in ptoxide's memory: its name, its address, its size and that of each guard band.
struct Placed {
    name: String,
    address: usize,
    size: usize,
    guard: usize,
}

/// Runs a launch; returns the state afterwards.
fn run(launch: &Value) -> Result<Value, Stop> {
    let list = |name: &str| launch[name].as_array().cloned().unwrap_or_default();
    let text = |name: &str| launch[name].as_str().unwrap_or_default();
    if !list("surfaces").is_empty() || !list("textures").is_empty() || !list("observed_variables").is_empty()
    {
        return Err(unsupported("surfaces, textures and variables of a module"));
    }
    let (grid, block) = (dimensions(&launch["grid"]), dimensions(&launch["block"]));
    if grid[2] != 1 || block[2] != 1 || launch["dynamic_shared"].as_u64().unwrap_or(0) > 0 {
        return Err(unsupported("three dimensions and dynamic shared memory cannot be asked for"));
    }
    let program = respelt(text("program"));
    let mut machine = Context::new_with_module(&program).map_err(|error| refused(&program, &error))?;
    // The memory of ptoxide is one block that grows: the first allocation is at address 0, which is no buffer's, and offsets from it are
    // addresses.
    let memory = machine.alloc_raw(ALIGNMENT, 1);
    let (mut end, mut placed) = (ALIGNMENT, Vec::new());
    for buffer in list("buffers") {
        let (data, guard) = (bytes(&buffer["bytes"]), buffer["guard"].as_u64().unwrap_or(0) as usize);
        let name = buffer["name"].as_str().unwrap_or_default().to_owned();
        let address = (end + guard).next_multiple_of(ALIGNMENT);
        let (size, band) = (data.len(), vec![GUARD; guard]);
        machine.alloc_raw(address + size + guard - end, 1);
        machine.write_raw(memory, address - guard, &[band.clone(), data, band].concat());
        end = address + size + guard;
        placed.push(Placed { name, address, size, guard });
    }
    let values: Vec<Vec<u8>> =
        list("arguments").iter().map(|argument| value(argument, &placed)).collect::<Result<_, _>>()?;
    let arguments: Vec<Argument<'_>> = values.iter().map(|bytes| Argument::Bytes(bytes)).collect();
    let launch = LaunchParams::func(text("entry")).grid2d(grid[0], grid[1]).block2d(block[0], block[1]);
    machine.run(launch, &arguments).map_err(|error| refused(&program, &error))?;
    let (mut buffers, mut guards) = (Map::new(), Map::new());
    for Placed { name, address, size, guard } in placed {
        let mut read = vec![0; size + 2 * guard];
        machine.read_raw(memory, address - guard, &mut read);
        buffers.insert(name.clone(), hex(&read[guard..guard + size]));
        guards.insert(name, hex(&[&read[..guard], &read[guard + size..]].concat()));
    }
    Ok(
        json!({"kind": "completed", "state": {"buffers": buffers, "guards": guards, "surfaces": {}, "variables": {}}}),
    )
}

/// A program without two spellings that ptoxide cannot read: a list of registers after one type becomes a declaration for each, and `exit`
/// becomes `ret`, which ends a thread of a kernel as well. Where there are functions the latter would be another program, and stays.
fn respelt(program: &str) -> String {
    let has_functions = program.contains(".func");
    let line = |line: &str| {
        let (code, comment) = line.split_once("//").unwrap_or((line, ""));
        let words: Vec<&str> = code.trim().trim_end_matches(';').split_whitespace().collect();
        let respelt = match words.as_slice() {
            [".reg", ty, names @ ..]
                if code.matches(';').count() == 1 && code.contains(',') && ty.starts_with('.') =>
            {
                let names = names.concat();
                names.split(',').map(|name| format!(".reg {ty} {name}; ")).collect()
            }
            _ if !has_functions && (code.trim() == "exit;" || code.trim_end().ends_with(" exit;")) => {
                code.replace("exit;", "ret;")
            }
            _ => code.to_owned(),
        };
        if comment.is_empty() { respelt + "\n" } else { format!("{respelt}//{comment}\n") }
    };
    program.lines().map(line).collect()
}

/// The bytes of an argument.
fn value(argument: &Value, placed: &[Placed]) -> Result<Vec<u8>, Stop> {
    match argument["kind"].as_str() {
        Some("value") => Ok(bytes(&argument["bytes"])),
        Some("buffer") => {
            let buffer = argument["index"].as_u64().and_then(|index| placed.get(index as usize));
            let buffer = buffer.ok_or_else(|| unsupported("an argument without a buffer"))?;
            let address = buffer.address as u64;
            Ok(address.wrapping_add_signed(argument["offset"].as_i64().unwrap_or(0)).to_le_bytes().to_vec())
        }
        _ => Err(unsupported("arguments that are neither values nor buffers")),
    }
}

fn dimensions(of: &Value) -> [u32; 3] {
    [0, 1, 2].map(|axis| of[axis].as_u64().and_then(|size| u32::try_from(size).ok()).unwrap_or(1))
}

fn bytes(hex: &Value) -> Vec<u8> {
    let digits = hex.as_str().unwrap_or_default().as_bytes().chunks(2);
    digits.map(|two| u8::from_str_radix(&String::from_utf8_lossy(two), 16).unwrap_or(0)).collect()
}

fn hex(bytes: &[u8]) -> Value {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect::<String>().into()
}

/// Runs a launch; a `todo!` of ptoxide is an answer, any other panic ends the process.
fn observed(launch: &Value) -> Value {
    let caught = panic::catch_unwind(AssertUnwindSafe(|| run(launch)));
    match caught {
        Ok(outcome) => outcome.unwrap_or_else(|Stop(outcome)| outcome),
        Err(why) => {
            let words =
                why.downcast_ref::<String>().map(String::as_str).or(why.downcast_ref::<&str>().copied());
            match words.unwrap_or_default() {
                words if words.starts_with("not yet implemented") => unsupported("todo!() in ptoxide").0,
                // The message is on the standard error; the end of a process is what crashes look like to warpdiff.
                _ => process::abort(),
            }
        }
    }
}

fn main() -> io::Result<()> {
    let mut out = io::stdout().lock();
    for line in io::stdin().lines() {
        let message: Value = serde_json::from_str(&line?).unwrap_or_default();
        match (message["type"].as_str(), message["program"].as_str()) {
            (Some("hello"), _) => {
                writeln!(
                    out,
                    "{}",
                    json!({"type": "hello", "protocol": 1, "name": "ptoxide 0.1.0", "dialects": ["ptx"]})
                )?;
            }
            (Some("launch"), Some(_)) => {
                let id = &message["id"];
                writeln!(out, "{}", json!({"type": "started", "id": id}))?;
                out.flush()?;
                writeln!(out, "{}", json!({"type": "observed", "id": id, "outcome": observed(&message)}))?;
            }
            _ => writeln!(out, "{}", json!({"type": "refused", "message": "not a request"}))?,
        }
        out.flush()?;
    }
    Ok(())
}
