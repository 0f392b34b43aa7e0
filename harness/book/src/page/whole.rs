//! All pages of the book.

use rayon::prelude::*;

use super::{case_file, cases, chapter, choices, contents, deviations, errata, file_names};
use crate::contents::Contents;
use crate::folder::Page;

/// Every page, the first one first.
pub fn pages(book: &Contents<'_>) -> Vec<Page> {
    let page = |name: &str, text: String| Page { name: name.to_owned(), text };
    let mut all = vec![
        page(file_names::CONTENTS, contents::page(book)),
        page(file_names::CHOICES, choices::page(book)),
        page(file_names::DEVIATIONS, deviations::page(book)),
        page(file_names::ERRATA, errata::page(book)),
        page(file_names::CASES, cases::page(book)),
    ];
    all.extend(book.chapters.iter().map(|one| page(&one.page, chapter::page(book, one))));
    let of_cases: Vec<Page> =
        book.files.par_iter().map(|file| page(&file.page, case_file::page(book, file))).collect();
    all.extend(of_cases);
    all
}
