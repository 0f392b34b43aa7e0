//! A worker for warpdiff in 130 lines of Rust: it runs kernels of one thread that store to buffers, and says of all else that it is
//! unsupported. docs/protocol.md describes the protocol, docs/emulator.md how to go on from here.

use std::collections::HashMap;
use std::io;

use serde_json::{Map, Value, json};

/// Ends a launch that does not complete: its outcome.
type Stop = Value;

fn unsupported(what: &str) -> Stop {
    json!({"kind": "unsupported", "what": what})
}

fn rejected(stage: &str, message: &str) -> Stop {
    json!({"kind": "rejected", "stage": stage, "message": message})
}

/// The names of a kernel's parameters, and its instructions.
fn kernel<'t>(program: &'t str, entry: &str) -> Result<(Vec<&'t str>, Vec<&'t str>), Stop> {
    let text = program.split_once(".version").ok_or(rejected("parse", "no .version"))?.1;
    let named = |rest: &&str| rest.trim_start().split(['(', ' ', '\n', '{']).next() == Some(entry);
    let rest = text.split(".entry").skip(1).find(named).ok_or(rejected("load", "no such entry"))?;
    let (head, body) = rest.split_once('{').ok_or(rejected("parse", "no body"))?;
    let (body, _) = body.split_once('}').ok_or(rejected("parse", "no end"))?;
    if let Some(what) = body.find(['{', '@', ':', '/']).or(text.find(".func")) {
        return Err(unsupported(&format!("byte {what}: vectors, predicates, labels, comments, functions")));
    }
    let names = head.split(['(', ',', ')']).skip(1).filter_map(|one| one.split_whitespace().last());
    let code = body.split(';').map(str::trim).filter(|one| !one.is_empty() && !one.starts_with(".reg"));
    Ok((names.collect(), code.collect()))
}

/// Runs a launch; returns the state afterwards.
fn run(launch: &Value) -> Result<Value, Stop> {
    let list = |name: &str| launch[name].as_array().cloned().unwrap_or_default();
    let (names, code) =
        kernel(launch["program"].as_str().unwrap_or(""), launch["entry"].as_str().unwrap_or(""))?;
    let threads = [list("grid"), list("block")].concat();
    if threads.iter().any(|n| *n != 1)
        || !list("surfaces").is_empty()
        || !list("observed_variables").is_empty()
    {
        return Err(unsupported("more than one thread, surfaces, variables"));
    }
    // Each buffer between its guard bands. Byte 0 of buffer `i`, the first of the band before it, is at address `(i + 1) << 32`.
    let guard = |buffer: &Value| buffer["guard"].as_u64().unwrap_or(0) as usize;
    let with_guards = |buffer: &Value| {
        let band = vec![0xA5; guard(buffer)];
        [band.clone(), bytes(&buffer["bytes"]), band].concat()
    };
    let buffers = list("buffers");
    let mut memory: Vec<Vec<u8>> = buffers.iter().map(with_guards).collect();
    let argument = |argument: &Value| match argument["index"].as_u64() {
        Some(index) => {
            let data = ((index + 1) << 32) + guard(&buffers[index as usize]) as u64;
            data.wrapping_add_signed(argument["offset"].as_i64().unwrap_or(0))
        }
        None => bytes(&argument["bytes"]).iter().rev().fold(0, |value, byte| value << 8 | u64::from(*byte)),
    };
    // Registers, and parameters in brackets.
    let arguments = list("arguments");
    let values = arguments.iter().map(argument);
    let mut values: HashMap<String, u64> = names.iter().map(|name| format!("[{name}]")).zip(values).collect();
    for instruction in code {
        let (opcode, operands) = instruction.split_once(' ').unwrap_or((instruction, ""));
        let operands: Vec<&str> = operands.split(',').map(str::trim).collect();
        let known = |at: usize| {
            let operand = *operands.get(at)?;
            values.get(operand).copied().or(operand.parse::<i64>().ok().map(|number| number as u64))
        };
        let value = |at: usize| known(at).ok_or(unsupported(instruction));
        let result = match opcode {
            "ret" => break,
            "trap" => return Err(json!({"kind": "faulted", "class": "trap"})),
            "ld.param.u32" | "ld.param.u64" | "mov.u32" | "mov.u64" | "cvta.to.global.u64" => value(1)?,
            "st.global.u32" => {
                let base = operands[0].trim_matches(['[', ']']);
                let address = *values.get(base).ok_or(unsupported(instruction))?;
                let (buffer, at) = ((address >> 32).wrapping_sub(1) as usize, address as u32 as usize);
                let place = memory.get_mut(buffer).and_then(|bytes| bytes.get_mut(at..at + 4));
                let place = place.ok_or(json!({"kind": "faulted", "class": "out-of-bounds"}))?;
                place.copy_from_slice(&(value(1)? as u32).to_le_bytes());
                continue;
            }
            _ => return Err(unsupported(opcode)),
        };
        values.insert(operands[0].to_owned(), result);
    }
    let (mut data, mut guards) = (Map::new(), Map::new());
    for (buffer, bytes) in buffers.iter().zip(memory) {
        let (name, guard) = (buffer["name"].as_str().unwrap_or(""), guard(buffer));
        let end = bytes.len() - guard;
        data.insert(name.to_owned(), hex(&bytes[guard..end]));
        guards.insert(name.to_owned(), hex(&[&bytes[..guard], &bytes[end..]].concat()));
    }
    Ok(json!({"kind": "completed", "state": {"buffers": data, "guards": guards}}))
}

fn bytes(hex: &Value) -> Vec<u8> {
    let digits = hex.as_str().unwrap_or("").as_bytes().chunks(2);
    digits.map(|two| u8::from_str_radix(&String::from_utf8_lossy(two), 16).unwrap_or(0)).collect()
}

fn hex(bytes: &[u8]) -> Value {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect::<String>().into()
}

fn main() -> io::Result<()> {
    for line in io::stdin().lines() {
        let message: Value = serde_json::from_str(&line?).unwrap_or_default();
        match (message["type"].as_str(), message["program"].as_str()) {
            (Some("hello"), _) => {
                println!(
                    "{}",
                    json!({"type": "hello", "protocol": 1, "name": "130 lines of Rust", "dialects": ["ptx"]})
                );
            }
            (Some("launch"), Some(_)) => {
                let id = &message["id"];
                println!("{}", json!({"type": "started", "id": id}));
                let outcome = run(&message).unwrap_or_else(|stop| stop);
                println!("{}", json!({"type": "observed", "id": id, "outcome": outcome}));
            }
            _ => println!("{}", json!({"type": "refused", "message": "not a request"})),
        }
    }
    Ok(())
}
