//! Files of values become expectations and contents: one expectation for all single values, one for each other element.

use std::path::Path;

use warpdiff_corpus::plan::{Expected, PlannedLaunch, Work};
use warpdiff_corpus::value_file::ValueFile;

use super::bytes;

/// The only launch of a case, beside files with these contents.
fn launch(case: &str, files: &[(&str, &[u8])]) -> PlannedLaunch {
    let root = tempfile::tempdir().expect("a temporary folder");
    for (name, contents) in files {
        std::fs::write(root.path().join(name), contents).expect("written");
    }
    let variants = warpdiff_corpus::load_text_as(Path::new("test.yaml"), case.to_owned(), root.path())
        .unwrap_or_else(|errors| panic!("{}", errors.render(false)));
    match variants.into_iter().next().map(|variant| variant.work) {
        Some(Work::Launches(mut launches)) => launches.remove(0),
        _ => panic!("a launch expected"),
    }
}

/// A launch whose buffer of `f32` holds `memory` afterwards.
fn stating(count: usize, memory: &str, files: &[(&str, &[u8])]) -> PlannedLaunch {
    let case = format!(
        "- case: stores\n  buffers: {{m: {{type: f32, count: {count}}}}}\n  body: ret;\n  rows:\n    - {{memory: {{m: {memory}}}}}\n"
    );
    launch(&case, files)
}

/// 1.0 is 0x3f800000, 2.0 is 0x40000000.
const ONE: [u8; 4] = [0, 0, 0x80, 0x3f];
const TWO: [u8; 4] = [0, 0, 0, 0x40];

#[test]
fn what_is_no_single_value_is_stated_by_itself() {
    let text = "1.0 undefined\n~ {any: [1.0, 2.0, undefined]} # a comment\nany-nan 2.0\n";
    let planned = stating(6, "{numbers: m.txt}", &[("m.txt", text.as_bytes())]);
    let stated = planned.expectations.to_vec();
    let [whole, undefined, any, nan] = stated.as_slice() else { panic!("four: {planned:#?}") };
    let none = [0; 4];
    let mask = [[0xff; 4], none, none, none, none, [0xff; 4]].concat();
    assert_eq!(
        bytes(&whole.what),
        (0, [ONE, none, none, none, none, TWO].concat().as_slice(), mask.as_slice())
    );
    assert!(matches!(whole.file.as_deref(), Some(ValueFile::Text(_))));
    assert!(matches!(&undefined.what, Expected::Undefined { range, .. } if *range == (4..8)));
    assert_eq!(undefined.location.to_string().rsplit('/').next(), Some("m.txt:1:5"));
    let Expected::Bytes { offset: 12, alternatives, or_undefined: true, .. } = &any.what else {
        panic!("{any:?}")
    };
    let [one, two]: [warpdiff_corpus::byte_strings::EcoBytes; 2] = [ONE.to_vec().into(), TWO.to_vec().into()];
    assert_eq!(**alternatives, [one, two]);
    assert_eq!(any.subject.to_string(), "element 3 of buffer `m`");
    assert!(matches!(&nan.what, Expected::Nan { range, .. } if *range == (16..20)));
}

#[test]
fn elements_beside_a_file_count_in_place_of_its_own() {
    let file = [ONE, ONE, ONE].concat();
    let planned = stating(3, "{numbers: m.bin, 1: undefined, 2: 2.0}", &[("m.bin", &file)]);
    let stated = planned.expectations.to_vec();
    let [whole, undefined, two] = stated.as_slice() else { panic!("three: {planned:#?}") };
    assert_eq!(bytes(&whole.what).2, [0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0, 0, 0, 0, 0]);
    assert!(matches!(&undefined.what, Expected::Undefined { range, .. } if *range == (4..8)));
    assert_eq!(bytes(&two.what), (8, &TWO[..], &[0xff; 4][..]));
    // An element of the file that is replaced is not stated twice, and `~` leaves it out.
    let planned = stating(3, "{numbers: m.txt, 0: ~, 1: 2.0}", &[("m.txt", b"1.0 undefined undefined")]);
    let stated = planned.expectations.to_vec();
    let [two, undefined] = stated.as_slice() else { panic!("two: {planned:#?}") };
    assert_eq!(bytes(&two.what).0, 4);
    assert!(matches!(&undefined.what, Expected::Undefined { range, .. } if *range == (8..12)));
}

#[test]
fn a_buffer_begins_with_raw_bytes_and_undefined_elements() {
    let buffer = |values: &str, files: &[(&str, &[u8])]| {
        let case = format!(
            "- case: reads\n  buffers: {{m: {{type: u16, values: {values}}}}}\n  body: ret;\n  rows: [{{}}]\n"
        );
        launch(&case, files).launch.buffers.into_iter().find(|buffer| buffer.name == "m").expect("`m`")
    };
    let raw = buffer("{numbers: m.bin, 1: 0x0201}", &[("m.bin", &[0xfe, 0xff, 7, 8])]);
    assert_eq!((raw.bytes, raw.defined), (vec![0xfe, 0xff, 1, 2], vec![]));
    let listed = buffer("[1, undefined]", &[]);
    assert_eq!((listed.bytes, listed.defined), (vec![1, 0, 0, 0], vec![0xff, 0xff, 0, 0]));
    let text = buffer("{numbers: m.txt, 0: 5}", &[("m.txt", b"undefined undefined 3")]);
    assert_eq!(text.bytes, [5, 0, 0, 0, 3, 0]);
    assert_eq!(text.defined, [0xff, 0xff, 0, 0, 0xff, 0xff]);
}

/// Values as a program prints them, in numbers for which a quadratic reader would take many minutes in a build without optimisation.
#[test]
fn very_many_values_are_read_and_have_their_places() {
    let count = 200_000_u32;
    let value = |i: u32| f32::from_bits(0x3e00_0000 + 97 * i);
    let text: String = (0..count).map(|i| format!("{:?}\n", value(i))).collect();
    let planned = stating(count as usize, "{numbers: m.txt, 5: undefined}", &[("m.txt", text.as_bytes())]);
    assert_eq!(planned.expectations.len(), 2);
    let stated = planned.expectations.to_vec();
    let (_, read, mask) = bytes(&stated[0].what);
    let last = read.len() - 4;
    assert_eq!(read[last..], value(count - 1).to_le_bytes());
    assert_eq!((&mask[20..24], &mask[24..28]), (&[0; 4][..], &[0xff; 4][..]));
    let file = stated[0].file.as_ref().expect("a file");
    assert!(file.place(199_999, 4).ends_with("m.txt:200000:1"), "{}", file.place(199_999, 4));
}
