//! The book in headless Chromium: it fits a phone, the keyboard reaches everything, the box finds requirements, links unfold what they
//! lead to, and nothing is asked of a network. Skipped where there is no Chromium.

use serde_json::{Value, json};

use super::small_corpus::book;
use crate::page_in_chromium::browser::{self, Seen, program, show};

/// Whether there is a browser; says so if not.
fn has_browser() -> bool {
    program().inspect_err(|why| eprintln!("skipped: {why}")).is_ok()
}

/// Shows the book, that page first.
#[track_caller]
fn open(first: &str, width: u32, scripts: bool, script: &str) -> Seen {
    let others = book().iter().filter(|(name, _)| *name != first && name.ends_with(".html"));
    let first = book().get_key_value(first).into_iter();
    let pages: Vec<(&str, &str)> =
        first.chain(others).map(|(name, page)| (name.as_str(), page.as_str())).collect();
    let pages: &browser::Pages<'_> = &pages;
    let seen = show(pages, width, scripts, script);
    assert!(seen.asked.is_empty(), "{:?}", seen.asked);
    // That it may not run the script is in the console.
    assert!(!scripts || seen.console.is_empty(), "{:?}", seen.console);
    seen
}

#[track_caller]
fn fits(said: &Value) {
    let widths = said["widths"].as_array().unwrap();
    assert!(!widths.is_empty() && widths.iter().all(|pair| pair[0].as_u64() <= pair[1].as_u64()), "{said}");
}

#[test]
fn the_box_finds_requirements_and_a_link_leads_to_one() {
    if !has_browser() {
        return;
    }
    let script = r##"
        await load();
        const key = (name) => shown().activeElement.dispatchEvent(new KeyboardEvent("keydown", { key: name, bubbles: true, cancelable: true }));
        const all_of_them = one("#found").textContent;
        key("/");
        const field = shown().activeElement.id;
        const find = (words) => { one("#filter").value = words; one("#filter").dispatchEvent(new Event("input")); return one("#found").textContent; };
        const visible = () => all("ul.entries li").filter((item) => item.checkVisibility()).map((item) => item.querySelector("code").textContent);
        const lacking = [find("no hand row"), visible()];
        const two_words = [find("MASKED fault"), visible()];
        const sections = all("section.listed-chapter").filter((section) => section.checkVisibility()).length;
        const nothing = find("no such thing");
        find("");
        const widths = [wide()];
        const link = all("ul.entries a").find((link) => link.textContent === "t.contradicted");
        frame.addEventListener("load", () => {}, { once: true });
        const before = frame.contentWindow.location.pathname;
        link.click();
        await until(() => frame.contentWindow.location.pathname !== before && one("article:target"), "the requirement");
        widths.push(wide());
        const target = one("article:target").id;
        return { all_of_them, field, lacking, two_words, sections, nothing, widths, target };
    "##;
    let seen = open("index.html", 1280, true, script);
    let said = &seen.said;
    assert_eq!((&said["all_of_them"], &said["field"]), (&json!("9 of 9"), &json!("filter")));
    assert_eq!(said["lacking"], json!(["1 of 9", ["t.swept"]]));
    assert_eq!(said["two_words"], json!(["1 of 9", ["surface.misaligned"]]));
    assert_eq!((&said["sections"], &said["nothing"]), (&json!(1), &json!("0 of 9")));
    assert_eq!(said["target"], "t.contradicted");
    fits(said);
}

#[test]
fn every_page_fits_a_phone_and_the_keyboard_reaches_what_scrolls() {
    if !has_browser() {
        return;
    }
    for page in book().keys().filter(|name| name.ends_with(".html")) {
        let script = r##"
            await load();
            const widths = [wide()];
            all("details").forEach((details) => { details.open = true; });
            const scrolling = () => all(".scroll").filter((region) => region.scrollWidth > region.clientWidth);
            await until(() => scrolling().every((region) => region.tabIndex === 0 && region.getAttribute("aria-label")), "regions with names");
            widths.push(wide());
            const unreachable = all("a[href], button, input, select, summary").filter((one) => one.tabIndex < 0).length;
            const headings = all("h1").length, language = shown().documentElement.lang, here = all("nav [aria-current=page]").length;
            return { widths, unreachable, headings, language, here, scrolling: scrolling().length };
        "##;
        let seen = open(page, 390, true, script);
        let said = &seen.said;
        assert_eq!((&said["unreachable"], &said["headings"]), (&json!(0), &json!(1)), "{page}");
        assert_eq!(said["language"], "en");
        let in_the_menu = !page.starts_with("chapter-") && !page.starts_with("cases-");
        assert_eq!(said["here"], json!(u8::from(in_the_menu)), "{page}");
        // The programs of cases are wider than a phone.
        assert!(!page.starts_with("cases-") || said["scrolling"].as_u64() > Some(0), "{page}: {said}");
        fits(said);
    }
}

#[test]
fn a_link_to_a_variant_unfolds_it() {
    if !has_browser() {
        return;
    }
    let script = r##"
        await load();
        const folded = all(".variants details[open]").length;
        const variant = all(".variants li")[1];
        go(variant.id);
        const opened = await until(() => one(".variants details[open]"), "the variant");
        return { folded, same: opened.parentElement.id === variant.id, text: opened.querySelector("pre").textContent, widths: [wide()] };
    "##;
    let seen = open("cases-basic-all-of-it.html", 1280, true, script);
    let said = &seen.said;
    assert_eq!((&said["folded"], &said["same"]), (&json!(0), &json!(true)));
    assert!(said["text"].as_str().unwrap().contains("completes"), "{said}");
    fits(said);
}

#[test]
fn without_scripts_everything_is_there_but_the_box() {
    if !has_browser() {
        return;
    }
    let script = r##"
        await load();
        const lines = all("ul.entries li").filter((item) => item.checkVisibility()).length;
        return { lines, box: one(".filter").checkVisibility(), widths: [wide()] };
    "##;
    let seen = open("index.html", 390, false, script);
    assert_eq!((&seen.said["lines"], &seen.said["box"]), (&json!(9), &json!(false)));
    fits(&seen.said);
}
