//! What a loading plans, lists and reads: a filter saves the rest, and what is known to be sound is not read whole again.

use std::path::Path;

use warpdiff_corpus::filter::Filter;
use warpdiff_corpus::plan::{PlannedLaunch, Variant, Work};
use warpdiff_corpus::{Corpus, ListedVariant, Loading, Planned, SoundFiles, load_what_is_right};
use warpdiff_files::tree::FileTree;

use crate::cases;

/// The corpus in `root`, and what is to be kept of the files that were found to be sound on the way.
fn loaded(root: &Path, planned: Planned<'_>, known: &[String]) -> (Corpus, Vec<String>) {
    let sound = SoundFiles::of_lines(known.iter().map(String::as_str));
    let loading = Loading { planned, sound: Some(&sound) };
    let corpus = load_what_is_right(&[FileTree::on_disk(root)], loading).unwrap();
    let found = sound.into_parts().1.into_iter().map(|found| found.line).collect();
    (corpus, found)
}

/// Everything that a list shows of a variant, but the number of its rows.
fn names(listed: &ListedVariant) -> (String, String, Vec<String>, String, String) {
    let ListedVariant { id, title, covers, subject, location, rows: _, unjudged: _ } = listed;
    (id.clone(), title.to_string(), covers.to_vec(), subject.to_string(), location.to_string())
}

/// The names alone of a sound file are those of its variants when it is read whole, in every form that the shipped corpus has.
#[test]
fn the_names_alone_are_those_of_the_whole_corpus() {
    let (whole, sound) = cases::loaded();
    assert!(whole.listed.iter().all(|variant| variant.rows.is_some()));
    let (by_name, found) = loaded(&cases::folder(), Planned::Nothing, sound);
    assert!(by_name.broken.is_empty() && by_name.variants.is_empty());
    assert_eq!(found, [""; 0], "nothing was found anew");
    assert_eq!(
        by_name.listed.iter().map(names).collect::<Vec<_>>(),
        whole.listed.iter().map(names).collect::<Vec<_>>()
    );
    let unread = by_name.listed.iter().filter(|variant| variant.rows.is_none()).count();
    assert!(unread > by_name.listed.len() / 10 * 9, "{unread} of {}", by_name.listed.len());
}

/// What is planned of a sound file, whose tables are not compiled to learn which rows share a launch, is what was planned of it whole.
#[test]
fn a_sound_file_is_planned_as_it_was_when_it_was_read_whole() {
    let (whole, sound) = cases::loaded();
    let (again, found) = loaded(&cases::folder(), Planned::All, sound);
    assert_eq!((again.variants.len(), found.len()), (whole.variants.len(), 0));
    for (whole, again) in whole.variants.iter().zip(&again.variants) {
        assert_eq!(whole.id, again.id);
        let (whole, launches) = match (&whole.work, &again.work) {
            (Work::Launches(whole), Work::Launches(launches)) => (whole, launches),
            (Work::Legality(_), Work::Legality(_)) | (Work::Unsupported(_), Work::Unsupported(_)) => continue,
            _ => panic!("{}: another kind of work", again.id),
        };
        let planned = |launches: &[PlannedLaunch]| -> Vec<_> {
            launches.iter().map(|it| (it.rows.len(), it.splittable, it.apart)).collect()
        };
        assert_eq!(planned(whole), planned(launches), "{}", again.id);
        assert!(
            whole.iter().zip(launches).all(|(whole, again)| whole.launch == again.launch),
            "{}",
            again.id
        );
    }
}

/// Rows that store to a buffer can see each other, rows of a sum cannot: that is kept, and planned by. It stands at the place of its variant also
/// behind one of two variants and behind one that is excluded.
#[test]
fn whether_rows_can_see_each_other_is_kept() {
    let folder = tempfile::tempdir().unwrap();
    let declared =
        "- case: declared\n  why: bytes\n  declare: .global .u32 x = 7;\n  bytes: {x: \"07 00 00 00\"}\n";
    let stores = "- case: stores\n  why: rows\n  matrix: {v: [1, 2, 3]}\n  exclude: [{v: 2}]\n  buffers: {m: {type: u32, count: 1}}\n  outputs: {d: u32}\n  body: |\n    st.global.u32 [%m], ${v};\n    mov.u32 %d, 1;\n  rows: [{d: 1}, {d: 1}]\n";
    std::fs::write(folder.path().join("a.yaml"), declared.to_owned() + stores + &case("sum", 5)).unwrap();
    let launches = |known: &[String]| -> (Vec<usize>, Vec<String>) {
        let (corpus, found) = loaded(folder.path(), Planned::All, known);
        assert!(corpus.broken.is_empty(), "{}", corpus.errors().render(false));
        let launches = |variant: &Variant| match &variant.work {
            Work::Launches(launches) => launches.iter().map(|planned| planned.launches().len()).sum(),
            _ => 0,
        };
        (corpus.variants.iter().map(launches).collect(), found)
    };
    let (whole, sound) = launches(&[]);
    assert_eq!(whole.iter().rev().take(3).collect::<Vec<_>>(), [&1, &2, &2], "{whole:?}");
    assert!(sound[0].contains("\"-ssp\""), "{sound:?}");
    assert_eq!(launches(&sound), (whole, vec![]));
}

/// The reference cannot run it, whatever is known of its file: so it says each time, and its rows are launched apart.
#[test]
fn a_table_that_the_reference_cannot_run_stays_so_the_second_time() {
    let folder = tempfile::tempdir().unwrap();
    let unsupported = "- case: video\n  why: states a value\n  inputs: {a: b32}\n  outputs: {d: b32}\n  body: vadd4.u32.u32.u32 %d, %a, %a, %a;\n  rows: [{a: 1, d: 3}, {a: 2, d: 6}]\n";
    std::fs::write(folder.path().join("a.yaml"), unsupported.to_owned() + &case("sum", 5)).unwrap();
    let mut known = Vec::new();
    for _ in 0..2 {
        let (corpus, found) = loaded(folder.path(), Planned::All, &known);
        let Work::Unsupported(unsupported) = &corpus.variants[0].work else { panic!("it is planned") };
        assert_eq!(unsupported.launches.len(), 2);
        known.extend(found);
    }
    assert_eq!(known.len(), 1, "it states what a target could contradict: its file is sound");
}

/// A case that adds `by` to each of two rows.
fn case(title: &str, by: u32) -> String {
    let (one, two) = (1 + by, 2 + by);
    format!(
        "- case: {title}\n  why: sums\n  inputs: {{a: u32}}\n  outputs: {{d: u32}}\n  body: add.u32 %d, %a, {by};\n  rows: [{{a: 1, d: {one}}}, {{a: 2, d: {two}}}]\n"
    )
}

#[test]
fn a_filter_plans_what_it_selects_and_lists_the_rest() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
    write("a.yaml", &(case("first", 3) + &case("second", 4)));
    write("b.yaml", &case("third", 5));
    let filter = Filter::new(&["second".into()]);
    let ids = |corpus: &Corpus| corpus.variants.iter().map(|variant| variant.id.clone()).collect::<Vec<_>>();
    let rows = |corpus: &Corpus| corpus.listed.iter().map(|variant| variant.rows).collect::<Vec<_>>();
    let (corpus, sound) = loaded(folder.path(), Planned::Selected(&filter), &[]);
    assert_eq!(ids(&corpus), ["a/second"]);
    assert_eq!(rows(&corpus), [Some(2); 3], "all were read whole");
    assert_eq!(sound.len(), 2);
    let (corpus, _) = loaded(folder.path(), Planned::Selected(&filter), &sound);
    assert_eq!(ids(&corpus), ["a/second"]);
    assert_eq!(rows(&corpus), [None, Some(2), None]);
    assert_eq!(ids(&loaded(folder.path(), Planned::All, &sound).0), ["a/first", "a/second", "b/third"]);
    // A file that has changed, or moved, is read whole.
    write("a.yaml", &(case("first", 3) + &case("second", 4).replace("%a, 4", "%a, %c")));
    let (corpus, found) = loaded(folder.path(), Planned::Selected(&filter), &sound);
    assert_eq!((corpus.broken.len(), found.len()), (1, 0));
    assert_eq!(rows(&corpus), [Some(2), None], "and the other is not");
    write("c.yaml", &case("third", 5));
    let (corpus, found) = loaded(folder.path(), Planned::Nothing, &sound);
    assert_eq!((rows(&corpus), found.len()), (vec![Some(2), None, Some(2)], 1));
}

/// What a case that names a file means can change without its own file.
#[test]
fn a_file_that_names_others_is_read_anew_when_they_change() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
    write(
        "a.yaml",
        "
- case: copies
  why: it stores nothing
  buffers: {m: {type: u32, values: {numbers: m.txt}}}
  outputs: {d: u32}
  body: ld.global.u32 %d, [%m];
  rows: [{d: 7}]
",
    );
    write("b.yaml", &case("sum", 5));
    write("m.txt", "7 8\n");
    let (corpus, sound) = loaded(folder.path(), Planned::Nothing, &[]);
    assert!(corpus.broken.is_empty(), "{}", corpus.errors().render(false));
    assert_eq!(sound.len(), 2);
    let (corpus, found) = loaded(folder.path(), Planned::Nothing, &sound);
    assert!(found.is_empty() && corpus.listed.iter().all(|variant| variant.rows.is_none()));
    write("m.txt", "7 eight\n");
    let (corpus, _) = loaded(folder.path(), Planned::Nothing, &sound);
    assert_eq!(corpus.broken.len(), 1);
    assert!(corpus.errors().render(false).contains("cannot hold `eight`"));
}

/// Its names alone would not tell that nothing judges one of its variants, so that a requirement could look covered the second time.
#[test]
fn a_file_with_a_variant_that_nothing_judges_is_read_whole_each_time() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
    let requirement = "{id: r, kind: must, section: \"1\", text: t}";
    write("requirements.yaml", &format!("{{complete: true, requirements: [{requirement}]}}\n"));
    write(
        "a.yaml",
        "- case: video\n  covers: [r]\n  inputs: {a: b32}\n  outputs: {d: b32}\n  body: vadd4.u32.u32.u32 %d, %a, %a, %a;\n  rows: [{a: 1}]\n",
    );
    write("b.yaml", &case("sum", 5));
    let errors = |known: &[String]| {
        let (corpus, sound) = loaded(folder.path(), Planned::Nothing, known);
        assert!(corpus.errors().render(false).contains("no case covers requirement `r`"));
        sound
    };
    let sound = errors(&[]);
    assert_eq!(sound.len(), 1, "that of the sum");
    errors(&sound);
}
