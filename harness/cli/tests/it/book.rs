//! The book: every requirement is in it once, with links to its cases; marks are right; the same corpus gives the same bytes; what is no
//! book is not overwritten; and a browser shows it, without a network.

mod in_chromium;
mod small_corpus;
mod whole_corpus;

use std::collections::BTreeMap;
use std::path::Path;

/// The files of a folder, by name.
fn files(folder: &Path) -> BTreeMap<String, String> {
    let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let named = entries.map(|path| {
        let name = path.file_name().unwrap().to_str().unwrap().to_owned();
        (name, std::fs::read_to_string(path).unwrap())
    });
    named.collect()
}

/// The values of an attribute in a page.
fn attributes<'p>(page: &'p str, name: &str) -> Vec<&'p str> {
    let opening = format!(" {name}=\"");
    let body = page.split_once("</style>").map_or(page, |(_, body)| body);
    let markup = body.split_once("<script>").map_or(body, |(markup, _)| markup);
    markup.split(opening.as_str()).skip(1).map(|rest| rest.split('"').next().unwrap()).collect()
}

/// The article with that id in a page.
fn article<'p>(page: &'p str, id: &str) -> &'p str {
    let (_, rest) = page.split_once(&format!(" id=\"{id}\"")).unwrap_or_else(|| panic!("no {id}"));
    rest.split("</article>").next().unwrap()
}
