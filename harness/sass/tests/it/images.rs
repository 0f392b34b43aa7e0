//! Words of surfaces and textures against what nvdisasm prints, and both ways without loss.

use warpdiff_sass::{
    Authority, Control, ControlWord, Decoded, Header, Program, check, decode, encode, parse,
};

/// A row of the table: word, text, class.
fn rows(table: &str) -> impl Iterator<Item = (u64, &str, &str)> {
    table.lines().skip(1).map(|line| {
        let cells: Vec<&str> = line.split('\t').collect();
        let word = u64::from_str_radix(cells[2].trim_start_matches("0x"), 16).expect("a word in hex");
        (word, cells[3], cells[4])
    })
}

/// What is wrong with a word: its class, its text, or that its text does not lead back to it.
fn complaint(word: u64, text: &str, class: &str) -> Option<String> {
    let decoded = decode(word);
    let ours = match &decoded {
        Decoded::Legal(_) => "printed",
        Decoded::Illegal(..) => "illegal",
        Decoded::Undecodable(_) => "undecodable",
    };
    let our_text = decoded.text().unwrap_or_default();
    if ours != class || our_text != text || decoded.encode() != word {
        return Some(format!("{word:#018x}: {class} `{text}`, here {ours} `{our_text}`"));
    }
    let Decoded::Legal(instruction) = &decoded else { return None };
    // What the assembler writes has nothing in the bits that mean nothing.
    let written = encode(instruction) & !instruction.ignored;
    match parse(text).map(|program| encode(&program.statements[0].instruction)) {
        Ok(again) if again == written => None,
        again => Some(format!("`{text}`: {written:#018x} is read as {again:x?}")),
    }
}

#[test]
fn random_words_print_as_nvdisasm_prints_them_and_are_read_back() {
    let rows: Vec<_> = rows(include_str!("../nvdisasm/images.tsv")).collect();
    let complaints: Vec<String> =
        rows.iter().filter_map(|(word, text, class)| complaint(*word, text, class)).collect();
    assert!(complaints.is_empty(), "{} of {} rows:\n{}", complaints.len(), rows.len(), complaints.join("\n"));
    assert_eq!(rows.len(), 1400, "the table was cut");
}

/// One bundle whose first instruction runs under a field with a phase.
fn bundle(word: u64, phase: u8) -> [u64; 4] {
    const NOP: u64 = 0x50b0_0000_0007_0f00;
    let first = Control { stall: 15, stay: true, reuse: phase, ..Control::default() };
    let slots = [first, Control::default(), Control::default()];
    [ControlWord { slots, top: false }.encode(), word, NOP, NOP]
}

/// Every form of these instructions that ptxas 12.9 was seen to emit for sm_50 and sm_53, of PTX with each geometry, size, cache
/// operator, clamp and handle, and of each kind of lookup: one word of each set of modifiers, as nvdisasm 12.8 prints it.
#[test]
fn words_of_ptxas_print_as_nvdisasm_prints_them_and_are_read_back() {
    let mut complaints = Vec::new();
    let mut count = 0;
    for row in include_str!("../nvdisasm/images_compiled.tsv").lines().skip(1) {
        count += 1;
        let cells: Vec<&str> = row.split('\t').collect();
        let word = u64::from_str_radix(cells[0].trim_start_matches("0x"), 16).expect("a word in hex");
        let phase = cells[1].parse().expect("a number");
        let words = bundle(word, phase);
        let program = match Program::from_words(&words) {
            Ok(program) => program,
            Err(error) => {
                complaints.push(format!("{row}: {error}"));
                continue;
            }
        };
        let text = program.to_string();
        let statement = text.lines().find(|line| line.contains('?')).unwrap_or_default();
        let ours = statement[..statement.find(['&', '?']).unwrap_or_default()].trim();
        let again = parse(&text).map(|program| program.words());
        let header = Header { registers: 255, ..Header::default() };
        for mistake in check(&program, &header, Authority::Encoder) {
            complaints.push(format!("{row}: {}", mistake.message));
        }
        if format!("{ours};") != cells[2] || again.as_deref() != Ok(&words[..]) {
            complaints.push(format!("{row}: here `{ours}`, {again:x?}"));
        }
    }
    assert!(complaints.is_empty(), "{} of {count} rows:\n{}", complaints.len(), complaints.join("\n"));
    assert_eq!(count, COMPILED, "the table was cut");
}

/// Rows of the table.
const COMPILED: usize = 1458;
