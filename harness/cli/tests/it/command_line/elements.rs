//! A wrong value of memory is named as its author named it: the element, its texel, the line of the file that states it, the number.

use super::workplace::Workplace;

const WRONG: &str = "emulator+sust.clamp-as-zero";

/// A corpus with a store that `.clamp` moves to the last texel of row 1: element 7 of 4 by 3. 0.1 as binary32 is 0x3dcccccd.
fn corpus() -> Workplace {
    let place = Workplace::new("cases");
    std::fs::remove_dir_all(place.path("cases")).unwrap();
    std::fs::create_dir_all(place.path("cases/a")).unwrap();
    std::fs::write(place.path("cases/requirements.yaml"), "[]\n").unwrap();
    let case = "
- case: stores
  why: x = 16 is one texel past row 1, whose last texel is element 1 * 4 + 3 = 7
  surfaces: {img: {geometry: 2d, extent: [4, 3], format: f32, texels: zero}}
  inputs: {v: f32}
  outputs: {}
  body: sust.b.2d.b32.clamp [img, {16, 1}], %v;
  rows:
    - {v: 0.1, image: {img: {numbers: after.txt}}}
";
    std::fs::write(place.path("cases/a/a.yaml"), case).unwrap();
    let after = "0.0 0.0 0.0 0.0\n0.0 0.0 0.0 0.1 # the last of row 1\n0.0 0.0 0.0 0.0\n";
    std::fs::write(place.path("cases/a/after.txt"), after).unwrap();
    place
}

#[test]
fn a_wrong_texel_is_named_in_every_report() {
    let place = corpus();
    place.run(&["run", "--no-golden"]).with(0);
    let run = ["run", "--no-golden", "--against", WRONG, "--junit", "junit.xml", "--html", "page.html"];
    let out = place.run(&run).with(1).out;
    for words in [
        "row 0: v = 0.1 (0x3dcccccd)",
        "surface `img`, byte 28..32: element 7 at x = 3, y = 1  (stated at cases/a/after.txt:2:13)",
        "expected cd cc cc 3d  = 0.1 (0x3dcccccd)",
        "observed 00 00 00 00  = 0.0 (0x00000000)",
    ] {
        assert!(out.contains(words), "{words}: {out}");
    }
    for report in ["junit.xml", "page.html"] {
        let text = std::fs::read_to_string(place.path(report)).unwrap();
        for words in ["element 7 at x = 3, y = 1", "stated at cases/a/after.txt:2:13", "0.1 (0x3dcccccd)"] {
            assert!(text.contains(words), "{report}: {words}");
        }
    }
    let results = place.run(&["run", "--no-golden", "--json", "--against", WRONG]).with(1).results();
    let difference = &results["variants"][0]["targets"][0]["findings"][0]["differences"][0];
    let element = &difference["element"];
    assert_eq!(element["index"], 7, "{difference}");
    assert_eq!(element["type"], "f32");
    assert_eq!(element["coordinates"], serde_json::json!([["x", 3], ["y", 1]]));
    assert_eq!(element["stated_at"], "cases/a/after.txt:2:13");
    assert_eq!(difference["expected_value"], "0.1 (0x3dcccccd)");
    assert_eq!(difference["observed_value"], "0.0 (0x00000000)");
}

/// 64 KiB of which every byte is wrong: what a person reads of it stays short.
#[test]
fn a_surface_that_is_wrong_everywhere_is_understood_from_a_page() {
    let place = corpus();
    let zeros = vec![0_u8; 65536];
    std::fs::write(place.path("cases/a/after.bin"), &zeros).unwrap();
    place.edit(
        "cases/a/a.yaml",
        "extent: [4, 3], format: f32, texels: zero",
        "extent: [128, 128], format: f32, texels: sequence",
    );
    place.edit("cases/a/a.yaml", "after.txt", "after.bin");
    let ended = place.run(&["run", "--no-golden"]).with(2);
    let words = ended.out + &ended.err;
    // Element 0 is 0.0 in both; x = 16 of bytes is texel 4 of row 1, which is element 132 and not clamped here.
    assert!(words.contains("the reference has another value in 16383 of 16384 elements"), "{words}");
    assert!(
        words.contains("element 1 at x = 1, y = 0 (cases/a/after.bin, byte 4): expected 0.0 (0x00000000), the reference has 1.0 (0x3f800000)"),
        "{words}"
    );
    assert!(words.lines().count() < 40, "{words}");
    assert!(words.len() < 4000, "{} bytes", words.len());
}

#[test]
fn show_says_floating_point_numbers_with_their_bits() {
    let place = corpus();
    let out = place.run(&["show", "stores"]).with(0).out;
    assert!(out.contains("row 0: v = 0.1 (0x3dcccccd)"), "{out}");
    place.edit("cases/a/a.yaml", "{numbers: after.txt}", "{7: 0.1}");
    let out = place.run(&["show", "stores"]).with(0).out;
    assert!(out.contains("surface img byte 28: cd cc cc 3d = 0.1 (0x3dcccccd)"), "{out}");
}

/// 3 · 0.5 = 1.5, in binary32 `3fc00000` and in binary16 `3e00`; `0x40400000` is 3.
#[test]
fn floats_are_numbers_and_bits_wherever_they_are_shown() {
    let place = Workplace::new("cases");
    let case = "
- case: half of three
  buffers: {m: {type: f32, count: 6}}
  inputs: {a: f32}
  outputs: {d: f32, h: f16}
  body: |
    mul.f32 %d, %a, 0f3f000000;
    cvt.rn.f16.f32 %h, %d;
    st.global.f32 [%m+16], %d;
  why: 3 · 0.5 is 1.5
  rows: [{a: 0x40400000, d: 1.5, h: 0x3e00}]
";
    std::fs::write(place.path("cases/halves.yaml"), case).unwrap();
    let shown = place.run(&["show", "half of three"]).with(0).out;
    let zero = "0.0 (0x00000000)";
    for line in [
        "  row 0: a = 3.0 (0x40400000)\n".to_owned(),
        "buffer out byte 4: 00 3e = 1.5 (0x3e00)\n".into(),
        "            0 00 00 c0 3f 00 3e 00 00  d = 1.5 (0x3fc00000), h = 1.5 (0x3e00)\n".into(),
        format!("00 00 00 00 00 00 00 00  = {zero}, {zero}, {zero}, {zero}\n"),
        format!("           16 00 00 c0 3f 00 00 00 00  = 1.5 (0x3fc00000), {zero}\n"),
    ] {
        assert!(shown.contains(&line), "{line} in {shown}");
    }
    // Goldens have bytes alone, however `show` prints them.
    place.run(&["run", "--bless"]).with(0);
    let golden = std::fs::read_to_string(place.path("golden/emulator/halves.golden")).unwrap();
    assert!(golden.contains("00 00 c0 3f 00 3e 00 00\n") && !golden.contains("1.5"), "{golden}");
    let traced = place.run(&["trace", "half of three"]).with(0).out;
    for effect in [
        "%h = 1.5 (0x3e00)\n",
        "store buffer m+0x10: 1.5 (0x3fc00000)\n",
        // Stored as `.b16`, and made as `.f16`.
        "store buffer out+0x4: 1.5 (0x3e00)\n",
    ] {
        assert!(traced.contains(effect), "{effect} in {traced}");
    }
    let json: serde_json::Value =
        serde_json::from_str(&place.run(&["trace", "half of three", "--json"]).with(0).out).unwrap();
    let steps = json["reference"]["steps"].as_array().unwrap();
    let stores = steps.iter().flat_map(|step| step["accesses"].as_array().unwrap());
    let numbers: Vec<_> = stores.filter(|it| it["kind"] == "store").map(|it| it["number"].clone()).collect();
    assert_eq!(numbers, ["1.5", "1.5", "1.5"]);
}

/// What a message advises to state is what the loader accepts.
#[test]
fn too_many_rows_for_a_block_are_refused_with_what_has_a_grid() {
    let place = Workplace::new("cases");
    let case = "
- case: many
  why: nothing is stated
  buffers: {m: {type: u32, count: 1}}
  inputs: {a: u32}
  body: red.global.add.u32 [%m], %a;
  launch: together
  sweep: {a: {from: 0, to: 1024}}
";
    std::fs::write(place.path("cases/many.yaml"), case).unwrap();
    let ended = place.run(&["run", "--no-golden", "many"]).with(2);
    for words in
        ["1025 rows launched together, more than 1024", "cases/many.yaml:7:11", "may have a grid of blocks"]
    {
        assert!(ended.err.contains(words), "{words} in {}", ended.err);
    }
}
