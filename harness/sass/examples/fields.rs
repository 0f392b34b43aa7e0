//! Holds single words against nvdisasm, field by field: `fields emit SEED COUNT` prints words of every form in the table, each with one
//! field after the other at every value (at most 64 of them) and everything else random, then COUNT words of the form with all
//! fields random. `fields check` reads lines of a word, its address, and what nvdisasm prints for it, or nothing where it prints no
//! instruction, with tabs between them. `ci/words.py --fields` calls this.

use std::collections::BTreeMap;
use std::io::BufRead;
use std::process::ExitCode;

use warpdiff_sass::table::FORMS;
use warpdiff_sass::{Decoded, Operand, decode, encode, parse};

/// The most values of one field.
const VALUES: u64 = 64;

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    match words.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["emit", seed, count] => {
            emit(seed.parse().expect("a seed"), count.parse().expect("a number of words"));
            ExitCode::SUCCESS
        }
        ["check"] => check(),
        _ => panic!("expected `emit SEED COUNT` or `check`"),
    }
}

/// SplitMix64.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ z >> 31
    }
}

fn emit(seed: u64, count: usize) {
    let mut random = Random(seed);
    for form in FORMS.iter() {
        let free = !form.mask & !form.ignored();
        // Legal words are rare where a form has many fields with reserved values.
        let any = |random: &mut Random| {
            let legal = |word: &u64| matches!(decode(*word), Decoded::Legal(_));
            let mut words = std::iter::repeat_with(|| form.bits | random.next() & free);
            let first = words.next().unwrap_or(form.bits);
            words.by_ref().take(500).find(legal).unwrap_or(first)
        };
        let mut fields: Vec<(u32, u32)> =
            form.modifiers.iter().map(|field| (u32::from(field.low), u32::from(field.width))).collect();
        fields.extend(form.marks.iter().map(|mark| (u32::from(mark.bit), 1)));
        // What the fields leave are operands: in pieces of at most six bits.
        let known = fields.iter().fold(0, |set, (low, width)| set | ((1_u64 << width) - 1) << low);
        let mut rest = free & !known;
        while rest != 0 {
            let low = rest.trailing_zeros();
            let width = (rest >> low).trailing_ones().min(6);
            fields.push((low, width));
            rest &= !(((1 << width) - 1) << low);
        }
        for (low, width) in fields {
            let mask = ((1_u64 << width) - 1) << low;
            for value in 0..(1_u64 << width).min(VALUES) {
                let word = any(&mut random) & !mask | value << low & !form.mask;
                println!("{:#018x}", form.bits | word);
            }
        }
        for _ in 0..count {
            println!("{:#018x}", any(&mut random));
        }
    }
}

fn check() -> ExitCode {
    let mut differences: BTreeMap<String, (usize, String)> = BTreeMap::new();
    let (mut legal, mut illegal) = (0, 0);
    for line in std::io::stdin().lock().lines() {
        let line = line.expect("a line");
        let mut columns = line.split('\t');
        let mut next = || columns.next().expect("a word, an address, a text");
        let (word, address, text) = (next(), next().parse::<i32>().expect("an address"), next());
        let word = u64::from_str_radix(word.trim_start_matches("0x"), 16).expect("a word in hexadecimal");
        let wrong = match decode(word) {
            Decoded::Legal(instruction) => {
                legal += 1;
                let ours = instruction.to_string().trim_end_matches(';').trim_end().replace("] [", "][");
                let theirs = text.trim_end_matches(';').trim_end().replace("] [", "][");
                let back = parse(&format!("{theirs};")).map(|mut program| {
                    let Some(mut instruction) = program.statements.pop().map(|it| it.instruction) else {
                        return 0;
                    };
                    // It is read as the instruction at 8.
                    for operand in &mut instruction.operands {
                        if let Operand::Target(offset) = operand {
                            *offset -= address - 8;
                        }
                    }
                    encode(&instruction)
                });
                // A word alone has no addresses of targets.
                let is_branch = ours.contains(" .+0x") || ours.contains(" .-0x");
                if text.is_empty() {
                    Some("nvdisasm prints none".to_owned())
                } else if theirs != ours && !is_branch {
                    Some("text".to_owned())
                } else if ours.contains("NAN") {
                    None
                } else {
                    match back {
                        Ok(back) if back == word & !instruction.form.ignored() => None,
                        Ok(back) => Some(format!("nvdisasm's text becomes {back:#018x}")),
                        Err(errors) => Some(format!("nvdisasm's text: {}", errors[0].message)),
                    }
                }
            }
            Decoded::Illegal(..) => {
                illegal += 1;
                let is_printed = !text.is_empty() && !text.contains("INVALID") && !text.contains("???");
                is_printed.then(|| "illegal here".to_owned())
            }
            Decoded::Undecodable(_) => {
                illegal += 1;
                (!text.is_empty()).then(|| "not decoded here".to_owned())
            }
        };
        if let Some(wrong) = wrong {
            let ours = decode(word).text().unwrap_or_default();
            let name = ours.trim_start_matches(['@', '!']);
            let mnemonic = name.split(['.', ' ']).find(|part| part.len() > 2).unwrap_or_default().to_owned();
            let entry = differences.entry(format!("{mnemonic}: {wrong}"));
            entry.or_insert_with(|| (0, format!("{word:#018x} ours `{ours}`, nvdisasm's `{text}`"))).0 += 1;
        }
    }
    for (what, (count, example)) in &differences {
        println!("{count}\t{what}\t{example}");
    }
    println!("{legal} words of instructions, {illegal} others, {} kinds of difference", differences.len());
    if differences.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
