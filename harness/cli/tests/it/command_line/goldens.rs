//! Goldens: written, compared, kept.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use super::workplace::{Ended, Workplace};
use crate::copied_folder::copy;

#[test]
fn goldens_are_blessed_compared_and_orphaned() {
    let place = Workplace::new("cases");
    place.run(&["run", "--bless"]).with(0);
    let golden = place.path("golden/emulator/basic/add.golden");
    assert!(std::fs::read_to_string(&golden).unwrap().contains("8 ?? ") || golden.is_file());
    let ended = place.run(&["run"]).with(0);
    assert!(ended.out.contains("goldens: 15 as recorded"), "{}", ended.out);

    // The reference decides what is left out: another input shows as a difference of the golden alone.
    place.edit("cases/basic/add.yaml", "{a: 7, b: 8}", "{a: 7, b: 9}");
    let ended = place.run(&["run"]).with(6);
    assert!(ended.out.contains("golden differs: basic/add/add wraps"), "{}", ended.out);
    assert!(ended.out.contains("-            8 0f 00 00 00"), "{}", ended.out);
    assert!(ended.out.contains("+            8 10 00 00 00"), "{}", ended.out);
    place.run(&["run", "--no-golden"]).with(0);
    place.run(&["run", "--bless"]).with(0);

    place.edit("cases/basic/add.yaml", "case: add wraps", "case: add wraps around");
    let ended = place.run(&["run"]).with(6);
    assert!(
        ended.out.contains("golden without a case: basic/add.golden: basic/add/add wraps"),
        "{}",
        ended.out
    );
    assert!(ended.out.contains("1 not recorded, 1 without a case"), "{}", ended.out);
    place.run(&["run", "--bless"]).with(0);
    place.run(&["run"]).with(0);

    let text = std::fs::read_to_string(&golden).unwrap();
    std::fs::write(&golden, text.replace("completes", "faults")).unwrap();
    let ended = place.run(&["run"]).with(6);
    assert!(ended.out.contains("the content hash does not match"), "{}", ended.out);
}

/// The files below a folder, with their contents.
fn contents(folder: &Path) -> std::collections::BTreeMap<PathBuf, Vec<u8>> {
    let mut found = std::collections::BTreeMap::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(contents(&path));
        } else {
            found.insert(path.clone(), std::fs::read(&path).unwrap());
        }
    }
    found
}

#[test]
fn a_bless_of_a_part_or_of_another_corpus_removes_nothing() {
    let place = Workplace::new("cases");
    place.run(&["run", "--bless"]).with(0);
    let goldens = place.path("golden/emulator");
    // Entries of no case, a file of no corpus file, and one that cannot be used: nothing that a partial run may judge.
    place.edit("cases/basic/add.yaml", "case: add wraps", "case: add wraps around");
    std::fs::copy(goldens.join("basic/suld.golden"), goldens.join("elsewhere.golden")).unwrap();
    std::fs::write(goldens.join("basic/suld.golden"), "<<<<<<< conflict").unwrap();
    let before = contents(&goldens);
    let ended = place.run(&["run", "--bless", "mock-hang"]).with(6);
    assert!(!ended.out.contains("golden removed"), "{}", ended.out);
    assert_eq!(contents(&goldens), before);

    // A corpus of another name, which has one of the files. It is blessed into this folder because the command names it.
    copy(&place.path("cases"), &place.path("others"));
    std::fs::remove_dir_all(place.path("others/mock")).unwrap();
    let named = ["run", "--bless", "--corpus", "others", "--golden", "golden/emulator"];
    let ended = place.run(&named).with(6);
    assert!(!ended.out.contains("no case has"), "{}", ended.out);
    let after = contents(&goldens);
    assert!(before.keys().all(|path| after.contains_key(path)));
    assert_eq!(after[&goldens.join("elsewhere.golden")], before[&goldens.join("elsewhere.golden")]);

    // All of the corpus they belong to: what is in excess goes, and is named.
    let ended = place.run(&["run", "--bless"]).with(0);
    for words in [
        "golden removed: basic/add.golden: basic/add/add wraps, which no case has",
        "golden removed: elsewhere.golden: basic/suld/suld clamps[cop=.ca], which belongs to basic/suld.golden",
    ] {
        assert!(ended.out.contains(words), "{words} is missing:\n{}", ended.out);
    }
    assert!(!goldens.join("elsewhere.golden").exists());
}

#[test]
fn goldens_that_were_named_or_whose_files_are_lost_have_to_be_there() {
    let place = Workplace::new("cases");
    place.run(&["run"]).with(0);
    place.run(&["run", "--golden", "nowhere"]).with(6);
    std::fs::create_dir_all(place.path("golden/emulator")).unwrap();
    place.run(&["run"]).with(6);
    place.run(&["run", "--no-golden"]).with(0);
}

#[test]
fn goldens_mark_undefined_bits() {
    let place = Workplace::new("cases");
    place.run(&["run", "--bless", "an unwritten register"]).with(0);
    let golden = std::fs::read_to_string(place.path("golden/emulator/basic/add.golden")).unwrap();
    // 0xff & 0xf0 = 0xf0; the low nibble comes from a register that was never written.
    assert!(golden.contains("0 f? 00 00 00"), "{golden}");
}

#[test]
fn ci_never_blesses() {
    let place = Workplace::new("cases");
    for value in ["true", "yes"] {
        let ended = Ended::of(place.command(&["run", "--bless"]).env("CI", value).output().unwrap()).with(2);
        assert!(ended.err.contains("never by CI"), "{}", ended.err);
    }
    assert!(!place.path("golden").exists());
}

#[test]
fn what_cannot_be_written_ends_with_4() {
    let place = Workplace::new("cases");
    std::fs::write(place.path("occupied"), "a file, not a folder").unwrap();
    place.run(&["run", "--bless", "--golden", "occupied/emulator"]).with(4);
}

/// Killed with half of a golden written, the writer leaves the old golden as it was, and nothing that a later run takes for
/// one.
#[test]
fn a_killed_bless_leaves_the_old_golden_intact() {
    let place = Workplace::new("cases");
    place.run(&["run", "--bless"]).with(0);
    let golden = place.path("golden/emulator/basic/add.golden");
    let old = std::fs::read(&golden).unwrap();
    place.edit("cases/basic/add.yaml", "{a: 7, b: 8}", "{a: 7, b: 9}");

    let marker = place.path("half-written");
    let mut child =
        place.command(&["run", "--bless"]).env("WARPDIFF_TEST_PAUSE_IN_BLESS", &marker).spawn().unwrap();
    let begun = Instant::now();
    while !marker.exists() {
        assert!(begun.elapsed() < Duration::from_secs(60), "the writer never got half-way");
        std::thread::sleep(Duration::from_millis(10));
    }
    child.kill().unwrap();
    child.wait().unwrap();

    assert_eq!(std::fs::read(&golden).unwrap(), old);
    let left = || std::fs::read_dir(golden.parent().unwrap()).unwrap().count();
    assert_eq!(left(), 3, "two goldens and the unfinished one");
    place.run(&["run"]).with(6);
    place.run(&["run", "--bless"]).with(0);
    assert_eq!(left(), 2, "a later bless tidies up");
    place.run(&["run"]).with(0);
}
