//! The book of the corpus that is shipped.

use crate::cases::corpus;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::Command;

use warpdiff_corpus::plan::Work;
use warpdiff_model::Deviation;

use super::{article, attributes, files};

/// Bytes that a page may have.
const LARGEST: usize = 1_500_000;

/// The book with the answers of NVIDIA's assembler that are kept.
fn book() -> BTreeMap<String, String> {
    let place = tempfile::tempdir().unwrap();
    let folder = place.path().join("book");
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let ended = Command::new(env!("CARGO_BIN_EXE_warpdiff"))
        .arg("book")
        .arg(&folder)
        .arg("--against")
        .arg(format!("recording:{}", root.join("golden/ptxas/answers").display()))
        .arg("--corpus")
        .arg(root.join("cases"))
        .output()
        .unwrap();
    assert!(ended.status.success(), "{}", String::from_utf8_lossy(&ended.stderr));
    files(&folder)
}

#[test]
fn every_requirement_is_there_once_every_variant_is_linked_and_no_link_is_dead() {
    let book = book();
    let corpus = corpus();
    let ids: BTreeMap<&str, BTreeSet<&str>> = book
        .iter()
        .map(|(name, page)| (name.as_str(), attributes(page, "id").into_iter().collect()))
        .collect();
    for (name, page) in book.iter().filter(|(name, _)| name.ends_with(".html")) {
        assert!(page.len() < LARGEST, "{name}: {} bytes", page.len());
        let named = attributes(page, "id");
        assert_eq!(named.len(), ids[name.as_str()].len(), "{name} has an id twice");
        assert!(attributes(page, "src").is_empty(), "{name}");
        for link in attributes(page, "href") {
            let (to, place) = link.split_once('#').unwrap_or((link, ""));
            let to = if to.is_empty() { name.as_str() } else { to };
            let places = ids.get(to).unwrap_or_else(|| panic!("{name}: {link} leads nowhere"));
            assert!(place.is_empty() || places.contains(place), "{name}: {link} leads nowhere");
        }
    }
    let chapters: Vec<(&str, &str)> = book
        .iter()
        .filter(|(name, _)| name.starts_with("chapter-"))
        .map(|(name, page)| (name.as_str(), page.as_str()))
        .collect();
    let mut of_requirement: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for requirement in &corpus.requirements {
        assert!(!requirement.chapter.is_empty(), "{} stands in no chapter", requirement.id);
        let id = requirement.id.as_str();
        let pages: Vec<_> = chapters.iter().filter(|(name, _)| ids[name].contains(id)).collect();
        assert_eq!(pages.len(), 1, "{id}");
        of_requirement.insert(id, attributes(article(pages[0].1, id), "href").into_iter().collect());
    }
    // A variant stands in the case that each of its requirements links.
    let mut variants = 0;
    let mut linked: BTreeMap<&str, usize> = BTreeMap::new();
    for (name, page) in book.iter().filter(|(name, _)| name.starts_with("cases-")) {
        for case in page.split("<article class=\"case\"").skip(1) {
            let case = case.split("</article>").next().unwrap();
            let place = attributes(case, "id")[0];
            let count = case.matches("<bdi>").count();
            variants += count;
            let link = format!("{name}#{place}");
            for covered in attributes(case.split("</p>").next().unwrap(), "href") {
                let Some((_, id)) = covered.split_once('#').filter(|(page, _)| !page.is_empty()) else {
                    continue;
                };
                assert!(of_requirement[id].contains(link.as_str()), "{id} does not link {link}");
                *linked
                    .entry(corpus.requirements.iter().find(|it| it.id == id).map_or("", |it| &it.id))
                    .or_default() += count;
            }
        }
    }
    assert_eq!(variants, corpus.variants.len());
    for requirement in &corpus.requirements {
        let covering =
            corpus.variants.iter().filter(|variant| variant.covers.contains(&requirement.id)).count();
        assert_eq!(linked.get(requirement.id.as_str()).copied().unwrap_or(0), covering, "{}", requirement.id);
    }
    // The kept answers are of this corpus: most programs are in them, and none is answered otherwise than its case says.
    let badges = |mark: &str| {
        book.values().map(|page| page.matches(&format!("{mark} ptxas</span>")).count()).sum::<usize>()
    };
    let asked = corpus.variants.iter().filter(|variant| matches!(variant.work, Work::Legality(_))).count();
    assert_eq!(badges("✗"), 0);
    assert!(badges("✓") * 10 >= asked * 8, "{} of {asked}: record them again (docs/book.md)", badges("✓"));
    let errata = &book["errata.html"];
    for deviation in Deviation::catalogue().iter().filter(|entry| entry.is_of_a_compiler()) {
        assert!(ids["errata.html"].contains(deviation.name), "{}", deviation.name);
    }
    assert!(errata.matches("the reference takes this").count() > 40);
}
