//! Machine words against what nvdisasm prints, and both ways without loss.

use proptest::prelude::*;
use warpdiff_sass::table::FORMS;
use warpdiff_sass::table::form_of;
use warpdiff_sass::{Control, ControlWord, Decoded, decode, encode, parse};

/// A row of a table of words: encoding, text, class.
fn rows(table: &str) -> impl Iterator<Item = (u64, &str, &str)> {
    table.lines().skip(1).map(|line| {
        let cells: Vec<&str> = line.split('\t').collect();
        let word = u64::from_str_radix(cells[2].trim_start_matches("0x"), 16).expect("a word in hex");
        (word, cells[3], cells[4])
    })
}

fn assert_agrees(table: &str, expected_rows: usize) {
    let mut wrong = Vec::new();
    let mut count = 0;
    for (word, text, class) in rows(table) {
        count += 1;
        let decoded = decode(word);
        let ours = match &decoded {
            Decoded::Legal(_) => "printed",
            Decoded::Illegal(..) => "illegal",
            Decoded::Undecodable(_) => "undecodable",
        };
        let our_text = decoded.text().unwrap_or_default();
        // Some instructions have a space within a constant (`c[0x0] [0x8]`).
        let text = text.replace("] [", "][");
        if ours != class || our_text != text || decoded.encode() != word {
            wrong.push(format!(
                "{word:#018x}: {class} `{text}`, here {ours} `{our_text}`, back {:#018x}",
                decoded.encode()
            ));
        }
    }
    assert!(wrong.is_empty(), "{} of {count} rows differ:\n{}", wrong.len(), wrong.join("\n"));
    assert_eq!(count, expected_rows, "the table was cut");
}

#[test]
fn fields_print_as_nvdisasm_prints_them() {
    assert_agrees(include_str!("../nvdisasm/decode.tsv"), 605);
}

#[test]
fn flipped_bits_print_as_nvdisasm_prints_them() {
    assert_agrees(include_str!("../nvdisasm/bitflips.tsv"), 137);
}

#[test]
fn random_words_print_as_nvdisasm_prints_them() {
    assert_agrees(include_str!("../nvdisasm/random.tsv"), 1666);
}

#[test]
fn fields_of_the_other_instructions_print_as_nvdisasm_prints_them() {
    assert_agrees(include_str!("../nvdisasm/instructions.tsv"), 599);
}

#[test]
fn random_words_of_every_other_form_print_as_nvdisasm_prints_them() {
    assert_agrees(include_str!("../nvdisasm/forms.tsv"), 879);
}

#[test]
fn random_fields_of_arithmetic_and_conversions_print_as_nvdisasm_prints_them() {
    assert_agrees(include_str!("../nvdisasm/arithmetic.tsv"), 1527);
}

#[test]
fn products_print_as_nvdisasm_prints_them() {
    assert_agrees(include_str!("../nvdisasm/products.tsv"), 409);
}

#[test]
fn moves_of_some_threads_of_quads_print_as_nvdisasm_prints_them() {
    assert_agrees(include_str!("../nvdisasm/quad_lanes.tsv"), 64);
}

#[test]
fn products_with_a_number_of_32_bits_and_a_sum_print_as_nvdisasm_prints_them() {
    assert_agrees(include_str!("../nvdisasm/imad32i.tsv"), 94);
}

#[test]
fn integer_and_video_instructions_print_as_nvdisasm_prints_them() {
    assert_agrees(include_str!("../nvdisasm/integers.tsv"), 2567);
}

#[test]
fn text_of_integer_and_video_instructions_becomes_their_words() {
    for (word, text, _) in rows(include_str!("../nvdisasm/integers.tsv")) {
        let program = parse(text).unwrap_or_else(|errors| panic!("{text}: {errors:?}"));
        assert_eq!(encode(&program.statements[0].instruction), word, "{text}");
    }
}

#[test]
fn the_rest_of_floating_point_prints_as_nvdisasm_prints_it() {
    assert_agrees(include_str!("../nvdisasm/float_sets.tsv"), 1499);
}

#[test]
fn pairs_of_halves_print_as_nvdisasm_prints_them() {
    assert_agrees(include_str!("../nvdisasm/half.tsv"), 1440);
}

#[test]
fn halves_as_numbers_of_conversions_print_as_nvdisasm_prints_them() {
    assert_agrees(include_str!("../nvdisasm/half_numbers.tsv"), 60);
}

#[test]
fn registers_of_pairs_print_as_nvdisasm_prints_them() {
    assert_agrees(include_str!("../nvdisasm/pairs.tsv"), 216);
}

#[test]
fn memory_barriers_and_control_print_as_nvdisasm_prints_them() {
    assert_agrees(include_str!("../nvdisasm/memory_and_control.tsv"), 683);
}

#[test]
fn an_illegal_word_names_its_field() {
    let error = |word| match decode(word) {
        Decoded::Illegal(_, field) => field.to_string(),
        other => panic!("{word:#x}: {other:?}"),
    };
    assert_eq!(error(0xef47_1000_0087_0102), "the size in bits 50:48 cannot be 7");
    assert_eq!(error(0xec90_0000_b047_0102), "the operation in bits 55:52 cannot be 9");
    assert_eq!(
        error(0xee40_0000_8fe7_0102),
        "the register Rb, which Rc follows, in bits 27:20 cannot be 254"
    );
    assert_eq!(error(0xee00_0000_aff7_0105), "the register Rc in bits 27:20 cannot be 255");
    assert_eq!(error(0xf0f0_0000_3987_0000), "the scoreboard barrier in bits 28:26 cannot be 6");
}

#[test]
fn no_word_belongs_to_two_forms() {
    for (index, form) in FORMS.iter().enumerate() {
        assert_eq!(form.bits & !form.mask, 0, "{} selects by bits it does not look at", form.mnemonic);
        assert_eq!(form.bits & form.ignored(), 0);
        for other in &FORMS[index + 1..] {
            let common = form.mask & other.mask;
            assert_ne!(form.bits & common, other.bits & common, "{} and {}", form.mnemonic, other.mnemonic);
        }
    }
}

#[test]
fn ignored_bits_are_those_the_disassembler_ignores() {
    // Flipping them changes no text: LDL 47:46, LDS 47:45, STL 47:46, STS 47:44; ATOMS leaves none.
    let ignored = |word| form_of(word).expect("a form").ignored();
    assert_eq!(ignored(0xef40_0000_0087_0102), 0x0000_c000_0000_0000);
    assert_eq!(ignored(0xef48_0000_0087_0102), 0x0000_e000_0000_0000);
    assert_eq!(ignored(0xef50_0000_0087_0102), 0x0000_c000_0000_0000);
    assert_eq!(ignored(0xef58_0000_0087_0102), 0x0000_f000_0000_0000);
    assert_eq!(ignored(0xec00_0000_8047_0102), 0);
    assert_eq!(ignored(0xee00_0000_8047_0102), 0);
}

#[test]
fn a_control_word_holds_three_fields() {
    // Slot 1 alone: stall 4, flag set, write barrier 0, no read barrier, waits for 0 and 1, no reuse.
    let slot = 4 | 1 << 4 | 7 << 8 | 0b11 << 11;
    let word = ControlWord::decode(slot << 21);
    let expected = Control { stall: 4, stay: true, write_barrier: 0, read_barrier: 7, wait: 3, reuse: 0 };
    assert_eq!(word.slots[1], expected);
    assert_eq!(word.encode(), slot << 21);
}

/// Words of the forms in the table, with everything else random, and words of none.
fn any_word() -> impl Strategy<Value = u64> {
    prop_oneof![
        4 => (0..FORMS.len(), any::<u64>()).prop_map(|(form, bits)| FORMS[form].bits | bits & !FORMS[form].mask),
        1 => any::<u64>(),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4096))]

    #[test]
    fn decoding_loses_no_bit(word in any_word()) {
        prop_assert_eq!(decode(word).encode(), word);
    }

    #[test]
    fn instructions_come_back_from_their_words(word in any_word()) {
        if let Decoded::Legal(mut instruction) = decode(word) {
            instruction.ignored = 0;
            prop_assert_eq!(decode(encode(&instruction)), Decoded::Legal(instruction));
        }
    }

    #[test]
    fn ignored_bits_change_no_text(word in any_word()) {
        if let Some(form) = form_of(word) {
            prop_assert_eq!(decode(word).text(), decode(word ^ form.ignored()).text());
        }
    }

    #[test]
    fn control_words_lose_no_bit(word in any::<u64>()) {
        prop_assert_eq!(ControlWord::decode(word).encode(), word);
    }
}
