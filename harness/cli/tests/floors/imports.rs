//! Which file of a crate imports which, and where they do so in circles.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use super::rust;

/// The files that each file imports.
pub(super) type Imports = BTreeMap<PathBuf, BTreeSet<PathBuf>>;

/// A path inside its crate, of a module or of something in it: `["machine", "warp"]`.
type Module = Vec<String>;

/// A file, read.
struct Read {
    /// The paths that it needs itself.
    needed: Vec<Module>,
    /// The names that it exports from elsewhere, each with the path of the thing.
    exported: BTreeMap<String, Module>,
}

/// Reads what each file imports outside of its tests. Files by path below `src`.
pub(super) fn of_files(files: &BTreeMap<PathBuf, String>) -> Imports {
    let tests: BTreeSet<Module> = files.iter().flat_map(|(file, text)| only_tests(file, text)).collect();
    let files = files.iter().map(|(file, text)| (module(file), file, text));
    let files: Vec<_> = files.filter(|(module, ..)| !tests.contains(module)).collect();
    let read: BTreeMap<_, _> =
        files.iter().map(|(module, file, text)| (module.clone(), (*file, read(module, text)))).collect();
    let of = |(file, read_file): &(&PathBuf, Read)| {
        let named = read_file.needed.iter().filter_map(|path| home(&read, path.clone()));
        ((*file).clone(), named.filter(|other| other != file).cloned().collect())
    };
    read.values().map(of).collect()
}

fn read(here: &Module, text: &str) -> Read {
    let tokens = rust::without_tests(&rust::tokens(text));
    let children = rust::modules(&tokens);
    let (own, exports) = rust::exports(&tokens);
    let needed = rust::paths(&own);
    let needed = needed.iter().filter_map(|path| absolute(here, &children, path)).collect();
    let exported =
        exports.iter().filter_map(|path| Some((path.last()?.clone(), absolute(here, &children, path)?)));
    Read { needed, exported: exported.collect() }
}

/// The file of the thing that a path names: that of the innermost module that the path goes through, or that from which this module
/// exports it.
fn home<'f>(read: &BTreeMap<Module, (&'f PathBuf, Read)>, mut path: Module) -> Option<&'f PathBuf> {
    // An export may lead to another; none leads so far.
    for _ in 0..8 {
        let length = (0..=path.len()).rev().find(|length| read.contains_key(&path[..*length]))?;
        let (file, module) = &read[&path[..length]];
        match path.get(length).and_then(|name| module.exported.get(name)) {
            Some(elsewhere) => path = [elsewhere, &path[length + 1..]].concat(),
            None => return (length > 0).then_some(*file),
        }
    }
    None
}

/// The module that a file is.
pub(super) fn module(file: &Path) -> Module {
    let mut parts: Module =
        file.with_extension("").iter().map(|part| part.to_str().unwrap().to_owned()).collect();
    if parts.last().is_some_and(|last| last == "mod" || (last == "lib" && parts.len() == 1)) {
        parts.pop();
    }
    parts
}

/// The modules of files that only tests have: `#[cfg(test)] mod rounding_tests;`.
pub(super) fn only_tests(file: &Path, text: &str) -> Vec<Module> {
    let all = rust::tokens(text);
    let kept = rust::modules(&rust::without_tests(&all));
    let here = module(file);
    let gone = rust::modules(&all).into_iter().filter(|name| !kept.contains(name));
    gone.map(|name| [here.clone(), vec![name]].concat()).collect()
}

/// A path from the root of the crate, if it is one into this crate.
fn absolute(here: &[String], children: &[String], path: &[String]) -> Option<Module> {
    let first = path.first()?;
    let up = path.iter().take_while(|word| *word == "super").count();
    match first.as_str() {
        "crate" => Some(path[1..].to_vec()),
        "self" => Some([here, &path[1..]].concat()),
        "super" => Some([&here[..here.len().checked_sub(up)?], &path[up..]].concat()),
        _ if path.len() > 1 && children.contains(first) => Some([here, path].concat()),
        _ => None,
    }
}

/// The sets of files that import each other, directly or through others.
pub(super) fn circles(imports: &Imports) -> Vec<BTreeSet<PathBuf>> {
    let reach: BTreeMap<&PathBuf, BTreeSet<&PathBuf>> =
        imports.keys().map(|file| (file, reachable(imports, file))).collect();
    let mut circles: BTreeSet<BTreeSet<PathBuf>> = BTreeSet::new();
    for (file, others) in &reach {
        let back = |other: &&&PathBuf| reach.get(**other).is_some_and(|there| there.contains(file));
        let circle: BTreeSet<PathBuf> = others.iter().filter(back).map(|other| (*other).clone()).collect();
        if circle.len() > 1 {
            circles.insert(circle);
        }
    }
    circles.into_iter().collect()
}

fn reachable<'i>(imports: &'i Imports, from: &'i PathBuf) -> BTreeSet<&'i PathBuf> {
    let mut found = BTreeSet::new();
    let mut next = vec![from];
    while let Some(file) = next.pop() {
        let new = imports.get(file).into_iter().flatten().filter(|other| found.insert(*other));
        next.extend(new.collect::<Vec<_>>());
    }
    found
}

/// The lines of a file without its tests.
pub(super) fn lines(text: &str) -> usize {
    text.split("\n#[cfg(test)]\nmod tests {").next().unwrap_or_default().lines().count()
}

#[test]
fn circles_are_found_through_any_kind_of_path() {
    let text = |text: &str| text.to_owned();
    let files = BTreeMap::from([
        (PathBuf::from("lib.rs"), text("mod a; mod b; mod c;")),
        (PathBuf::from("a.rs"), text("use super::b::B; use crate::c::D;")),
        (PathBuf::from("b.rs"), text("fn f() { crate::a::g() } #[cfg(test)] mod tests { use crate::c::C; }")),
        (PathBuf::from("c/mod.rs"), text("pub mod d; mod e; pub(crate) use d::{D};")),
        (PathBuf::from("c/d.rs"), text("use super::e::E; pub(in crate::a) struct S;")),
        (PathBuf::from("c/e.rs"), text("use super::D;")),
    ]);
    let set = |files: &[&str]| files.iter().map(PathBuf::from).collect::<BTreeSet<_>>();
    assert_eq!(circles(&of_files(&files)), [set(&["a.rs", "b.rs"]), set(&["c/d.rs", "c/e.rs"])]);
}
