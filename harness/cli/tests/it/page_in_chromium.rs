//! The page of a run as a person sees it, in headless Chromium: of thousands of results it opens quickly, every mismatch unfolds with
//! its picture, links lead to variants, and nothing is asked of a network. Skipped where there is no Chromium.

pub(crate) mod browser;

use std::process::Command;
use std::sync::OnceLock;
use std::time::Instant;

use serde_json::{Value, json};

use self::browser::{program, show};

/// Two deviations, of which each case below shows one or none.
const TARGET: &str = "emulator+sust.clamp-as-zero,suld.clamp-as-zero";

/// A case with so many variants.
fn case(title: &str, count: usize, rest: &str) -> String {
    let matrix = (0..count).map(|n| n.to_string()).collect::<Vec<_>>().join(", ");
    format!("- case: {title}\n  covers: [t.{title}]\n  why: See 9.7.11.\n  matrix: {{n: [{matrix}]}}\n{rest}")
}

/// A store beyond a row, in a program with text that tries to be markup.
fn store(clamp: &str) -> String {
    format!(
        "  surfaces:
    image: {{geometry: 2d, extent: [4, 3], format: u32, texels: sequence}}
  inputs: {{x: s32, y: s32, v: u32}}
  outputs: {{}}
  body: |
    // ${{n}} </script><img src=x onerror=alert(1)>
    sust.b.2d.b32.{clamp} [image, {{%x, %y}}], %v;
  rows:
    - {{x: 16, y: 2, v: 4711}}
"
    )
}

/// A load beyond a line.
const LOAD: &str = "  surfaces:
    line: {geometry: 1d, extent: [4], format: u8x4, texels: sequence}
  inputs: {x: s32}
  outputs: {d: b32}
  body: |
    // ${n}
    suld.b.1d.b32.clamp %d, [line, {%x}];
  rows:
    - {x: -4, d: 0x03020100}
";

/// An addition.
const ADD: &str = "  inputs: {a: u32, b: u32}
  outputs: {d: u32}
  body: |
    // ${n}
    add.u32 %d, %a, %b;
  rows:
    - {a: 1, b: 2, d: 3}
";

/// 5,000 variants: 3,000 stores and 1,500 loads that the target gets wrong, 300 stores and 200 additions that it gets right.
fn corpus() -> String {
    [
        case("stores", 3000, &store("clamp")),
        case("kept", 300, &store("zero")),
        case("loads", 1500, LOAD),
        case("sums", 200, ADD),
    ]
    .concat()
}

/// The page of these results, written once.
fn page() -> &'static str {
    static PAGE: OnceLock<String> = OnceLock::new();
    PAGE.get_or_init(|| {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir_all(folder.path().join("cases/basic")).unwrap();
        let requirement = |id: &str| {
            format!("- {{id: t.{id}, section: 9.7.11, kind: must, text: Something about {id}.}}\n")
        };
        let requirements: String = ["stores", "kept", "loads", "sums"].map(requirement).concat();
        std::fs::write(folder.path().join("cases/requirements.yaml"), requirements).unwrap();
        std::fs::write(folder.path().join("cases/basic/many.yaml"), corpus()).unwrap();
        let mut command = Command::new(env!("CARGO_BIN_EXE_warpdiff"));
        command.current_dir(folder.path()).env_remove("CI");
        command.args(["run", "--against", TARGET, "--html", "page.html", "--show", "1"]);
        let began = Instant::now();
        let ended = command.output().unwrap();
        assert_eq!(ended.status.code(), Some(1), "{}", String::from_utf8_lossy(&ended.stderr));
        let page = std::fs::read_to_string(folder.path().join("page.html")).unwrap();
        println!("{} bytes, written in {:.1} s", page.len(), began.elapsed().as_secs_f64());
        page
    })
}

/// Whether there is a browser; says so if not.
fn has_browser() -> bool {
    match program() {
        Ok(_) => true,
        Err(why) => {
            eprintln!("skipped: {why}");
            false
        }
    }
}

/// The cell of the matrix for these words, as its text and its link.
const CELL: &str = r#"
const cell = (words) => {
  const link = all("main td.cell a, main li.cell a").find((link) => link.getAttribute("aria-label").startsWith(words + ": "));
  if (!link) throw new Error("no cell for " + words);
  return link;
};
"#;

#[test]
fn five_thousand_results_open_at_once_and_the_matrix_leads_to_them() {
    if !has_browser() {
        return;
    }
    let script = format!(
        r##"{CELL}
        const began = performance.now();
        await load();
        const loaded = performance.now() - began;
        await until(() => shown().documentElement.dataset.listed, "the list");
        const listed = performance.now() - began;
        const nodes = all("*").length;
        const counts = ["sust.b .2d .clamp", "sust.b .2d .zero", "suld.b .1d .clamp", "add"].map((words) => cell(words).textContent);
        cell("suld.b .1d .clamp").click();
        await until(() => one("#shown").textContent.startsWith("1500 "), "the loads");
        const first = one("#list li .id").textContent;
        const items = all("#list > li").length;
        one("#more").click();
        const more = all("#list > li").length;
        const widths = [wide()];
        one("#narrowed").click();
        const wider = one("#shown").textContent;
        one("#status").value = "all";
        one("#status").dispatchEvent(new Event("change"));
        one("#filter").value = "sums[n=19 ";
        one("#filter").dispatchEvent(new Event("input"));
        const none = one("#shown").textContent;
        one("#filter").value = "sums[n=19";
        one("#filter").dispatchEvent(new Event("input"));
        const sums = one("#shown").textContent;
        const sum = one("#list li").textContent;
        shown().querySelector("#requirement-2 a").click();
        await until(() => one("#shown").textContent.startsWith("1500 "), "the requirement");
        widths.push(wide());
        return {{ loaded, listed, nodes, counts, first, items, more, wider, none, sums, sum, widths }};
        "##
    );
    let seen = show(&[("page.html", page())], 1280, true, &script);
    let said = &seen.said;
    println!("loaded in {} ms, listed in {} ms, {} elements", said["loaded"], said["listed"], said["nodes"]);
    assert_eq!(said["counts"], json!(["✗ 3000", "✓ 300", "✗ 1500", "✓ 200"]));
    assert_eq!(said["first"], "basic/many/loads[n=0]");
    assert_eq!((&said["items"], &said["more"]), (&json!(100), &json!(200)));
    assert_eq!(said["wider"], "5000 of 5000");
    // Words are sought one by one: `sums[n=19` is that of n=19, and of n=190 to n=199.
    assert_eq!((&said["none"], &said["sums"]), (&json!("11 of 5000"), &json!("11 of 5000")));
    assert!(said["sum"].as_str().unwrap().contains("✓ conforms basic/many/sums[n=19"), "{said}");
    assert!(said["nodes"].as_u64().unwrap() < 5_000, "{said}");
    is_quiet(&seen, said);
}

#[test]
fn every_mismatch_unfolds_with_its_picture_and_hostile_text_stays_text() {
    if !has_browser() {
        return;
    }
    let script = r##"
        await load();
        await until(() => shown().documentElement.dataset.listed, "the list");
        const seen = [];
        for (let number = 1; number <= 4500; number += number < 4480 ? 97 : 4) {
          go("m" + number);
          const body = await until(() => one("#m" + number + "[open] .body > div"), "mismatch " + number);
          seen.push({
            number, alone: all("#list > li").length, id: one("#m" + number + " .id").textContent,
            panels: body.parentElement.querySelectorAll("figure.panel").length,
            program: body.parentElement.querySelector(".program pre").textContent,
            text: body.parentElement.textContent,
            // The headings of the table: a line each.
            lines: Math.max(0, ...[...body.parentElement.querySelectorAll(".differences th")].map((heading) => heading.getClientRects().length && heading.clientHeight)),
          });
        }
        const foreign = shown().querySelectorAll("img, main script").length;
        one("#narrowed").click();
        one("#expand").click();
        await until(() => all("#list .body > div").length === 100 && !one("#list [aria-busy]"), "a hundred mismatches");
        const widths = [wide()];
        return { seen, foreign, widths };
    "##;
    let seen = show(&[("page.html", page())], 360, true, script);
    let said = &seen.said;
    let all = said["seen"].as_array().unwrap();
    assert!(all.len() > 45, "{}", all.len());
    let mut loads = 0;
    for one in all {
        let number = one["number"].as_u64().unwrap();
        let (id, text, program) =
            (one["id"].as_str().unwrap(), one["text"].as_str().unwrap(), one["program"].as_str().unwrap());
        // Headings are not cut, however narrow the screen: a line has some 21 pixels, and its padding 10.
        assert!(one["lines"].as_u64() <= Some(40), "{number}: {}", one["lines"]);
        // In the order of the corpus.
        let expected = match number {
            ..=3000 => format!("basic/many/stores[n={}]", number - 1),
            _ => format!("basic/many/loads[n={}]", number - 3001),
        };
        assert_eq!((id, &one["alone"]), (expected.as_str(), &json!(1)), "{number}");
        assert!(
            program.contains(&format!("// {}", id.split(['=', ']']).nth(1).unwrap())),
            "{number}: {program}"
        );
        if number <= 3000 {
            // A store that went elsewhere is drawn as expected, observed and difference.
            assert_eq!(one["panels"], 3, "{number}");
            assert!(
                text.contains("4711") && program.contains("</script><img src=x onerror=alert(1)>"),
                "{number}: {text}"
            );
        } else {
            loads += 1;
            assert!(one["panels"].as_u64() >= Some(1) && text.contains("x = -4"), "{number}: {text}");
        }
    }
    assert!(loads > 10, "{loads}");
    assert_eq!(said["foreign"], 0);
    is_quiet(&seen, said);
}

#[test]
fn the_keyboard_reaches_everything() {
    if !has_browser() {
        return;
    }
    let script = format!(
        r##"{CELL}
        await load();
        await until(() => shown().documentElement.dataset.listed, "the list");
        const key = (name) => (shown().activeElement || shown().body).dispatchEvent(new KeyboardEvent("keydown", {{ key: name, bubbles: true, cancelable: true }}));
        key("/");
        const field = shown().activeElement.id;
        const focusable = all("a[href], button, input, select, summary");
        const unreachable = focusable.filter((one) => one.tabIndex < 0).map((one) => one.outerHTML);
        cell("suld.b .1d .clamp").focus();
        const focused = shown().activeElement.getAttribute("aria-label");
        shown().activeElement.click();
        await until(() => one("#shown").textContent.startsWith("1500 "), "the loads");
        const heading = shown().activeElement.id;
        one("#list summary").focus();
        one("#list summary").click();
        await until(() => one("#list .body > div"), "the mismatch");
        // What scrolls can be scrolled with the keyboard, and has a name.
        await until(() => all(".scroll").filter((r) => r.scrollWidth > r.clientWidth && !r.closest("details:not([open])")).every((r) => r.tabIndex === 0 && r.getAttribute("aria-label")), "regions with names");
        const scrolling = all(".scroll[tabindex]").length;
        return {{ field, unreachable, focused, heading, scrolling, widths: [wide()] }};
        "##
    );
    let seen = show(&[("page.html", page())], 360, true, &script);
    let said = &seen.said;
    assert_eq!((&said["field"], &said["unreachable"]), (&json!("filter"), &json!([])));
    assert_eq!(said["focused"], "suld.b .1d .clamp: 1500 violate");
    assert_eq!(said["heading"], "variants");
    assert!(said["scrolling"].as_u64() > Some(0), "{said}");
    is_quiet(&seen, said);
}

#[test]
fn without_scripts_the_summary_the_matrix_and_an_example_of_each_cause_are_there() {
    if !has_browser() {
        return;
    }
    let script = format!(
        r##"{CELL}
        await load();
        const visible = (selector) => all(selector).filter((one) => one.checkVisibility()).length;
        const causes = all("details.cause").map((cause) => cause.querySelector("summary").textContent.trim());
        const panels = all("details.cause").map((cause) => cause.querySelectorAll("figure.panel").length);
        return {{
          causes, panels, filters: visible("search"), note: one("#unlisted").checkVisibility(), counts: visible("#counts ~ .scroll table"),
          cells: ["sust.b .2d .clamp", "add"].map((words) => cell(words).textContent), items: all("#list > li").length, widths: [wide()],
        }};
        "##
    );
    let seen = show(&[("page.html", page())], 360, false, &script);
    let said = &seen.said;
    assert_eq!(
        said["causes"],
        // One cause for both families; nothing in this run tells it from two.
        json!(["✗ 4500 clamp behaviour, reproduced by surface.mode-ignored"])
    );
    assert_eq!(said["panels"][0], 3);
    assert_eq!((&said["filters"], &said["items"], &said["note"]), (&json!(0), &json!(0), &json!(true)));
    assert_eq!((&said["counts"], &said["cells"]), (&json!(1), &json!(["✗ 3000", "✓ 200"])));
    assert!(seen.asked.is_empty() && fits(said), "{:?} {said}", seen.asked);
}

/// A few variants on two targets with long names, one of them compared with its recording, from which it drifted.
fn page_of_two() -> String {
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir_all(folder.path().join("cases/basic")).unwrap();
    let requirements = "- {id: t.stores, section: 9.7.11, kind: must, text: Something.}\n";
    std::fs::write(folder.path().join("cases/requirements.yaml"), requirements).unwrap();
    let cases = case("stores", 3, &store("clamp"));
    std::fs::write(folder.path().join("cases/basic/few.yaml"), cases).unwrap();
    let run = |arguments: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_warpdiff"));
        let ended = command.current_dir(folder.path()).env_remove("CI").args(arguments).output().unwrap();
        (ended.status.code(), String::from_utf8_lossy(&ended.stderr).into_owned())
    };
    let (code, said) = run(&["record", "--against", "emulator", "--output", "recorded"]);
    assert_eq!(code, Some(0), "{said}");
    let against = ["--against", TARGET, "--against", "emulator+sust.clamp-as-zero,surface.x-as-texel"];
    let (code, said) =
        run(&[&["run", "--html", "page.html", "--recorded", "recorded"], &against[..]].concat());
    assert_eq!(code, Some(1), "{said}");
    std::fs::read_to_string(folder.path().join("page.html")).unwrap()
}

#[test]
fn several_targets_fit_a_phone_and_what_drifted_is_shown() {
    if !has_browser() {
        return;
    }
    let script = r##"
        await load();
        await until(() => shown().documentElement.dataset.listed, "the list");
        const widths = [wide()];
        const all_of_them = one("#shown").textContent;
        one("#judged").value = "1";
        one("#judged").dispatchEvent(new Event("change"));
        const of_one = one("#shown").textContent;
        all("details").forEach((details) => { details.open = true; });
        await until(() => !one("#list [aria-busy]") && all("#list .body > div").length === 3, "the mismatches");
        widths.push(wide());
        const recorded = all("#recordings ~ .scroll table tbody tr").map((row) => row.textContent);
        const drifted = all("#recordings ~ details > summary").map((summary) => summary.textContent);
        return { widths, all_of_them, of_one, recorded, drifted };
    "##;
    let seen = show(&[("page.html", &page_of_two())], 360, true, script);
    let said = &seen.said;
    assert_eq!((&said["all_of_them"], &said["of_one"]), (&json!("6 of 6"), &json!("3 of 6")));
    assert_eq!(said["recorded"], json!(["violates3", "violates3"]));
    assert_eq!(said["drifted"], json!(["3 launches drifted", "3 launches drifted"]));
    is_quiet(&seen, said);
}

/// The page of forty nights, made of one: every tenth has known failures, and the driver is another from the twentieth on.
fn page_of_nights() -> String {
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir_all(folder.path().join("cases/basic")).unwrap();
    std::fs::create_dir_all(folder.path().join("nights")).unwrap();
    let requirements = "- {id: t.stores, section: 9.7.11, kind: must, text: Something.}\n";
    std::fs::write(folder.path().join("cases/requirements.yaml"), requirements).unwrap();
    std::fs::write(folder.path().join("cases/basic/few.yaml"), case("stores", 3, &store("clamp"))).unwrap();
    let run = |arguments: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_warpdiff"));
        command.current_dir(folder.path()).env_remove("CI").args(arguments).output().unwrap().status.code()
    };
    let today = ["--today", "2026-10-01", "--results", "one.jsonl"];
    assert_eq!(run(&[&["run", "--against", "emulator+sust.clamp-as-zero"], &today[..]].concat()), Some(1));
    let one = std::fs::read_to_string(folder.path().join("one.jsonl")).unwrap();
    for night in 0..40 {
        let day = format!("2026-{:02}-{:02}", 10 + night / 28, 1 + night % 28);
        let mut text = one.replace("2026-10-01", &day);
        if night % 10 == 0 {
            text = text.replace("\"settled\":\"fail\"", "\"settled\":\"known-failure\"");
        }
        if night >= 20 {
            text = text.replace("\"device\":{", "\"device\":{\"driver\":\"575.57\"");
        }
        std::fs::write(folder.path().join(format!("nights/{day}.jsonl")), text).unwrap();
    }
    assert_eq!(run(&["history", "nights", "--html", "history.html"]), Some(0));
    std::fs::read_to_string(folder.path().join("history.html")).unwrap()
}

#[test]
fn forty_nights_fit_a_phone() {
    if !has_browser() {
        return;
    }
    let script = r##"
        await load();
        const widths = [wide()];
        const bars = all("svg.chart rect.wrong").length, known = all("svg.chart rect.known").length;
        const titles = all("svg.chart title").map((title) => title.textContent);
        all("details").forEach((details) => { details.open = true; });
        widths.push(wide());
        const last = one("table.matrix tbody tr td:last-child");
        await until(() => last.closest(".scroll").tabIndex === 0, "a region for the keyboard");
        const right = last.getBoundingClientRect().right;
        return { widths, right, bars, known, title: titles[20], ids: all("details .id").length };
    "##;
    let seen = show(&[("page.html", &page_of_nights())], 360, true, script);
    let said = &seen.said;
    assert_eq!((&said["bars"], &said["known"], &said["ids"]), (&json!(36), &json!(4), &json!(3)));
    // The last night is in sight.
    assert!(said["right"].as_f64() <= Some(360.0), "{said}");
    assert_eq!(said["title"], "2026-10-21: 3 fail as expected; driver not stated → 575.57");
    is_quiet(&seen, said);
}

/// Nothing was asked of the network, nothing is in the console, and the page did not have to be scrolled sideways.
#[track_caller]
fn is_quiet(seen: &browser::Seen, said: &Value) {
    assert!(seen.asked.is_empty(), "{:?}", seen.asked);
    assert!(seen.console.is_empty(), "{:?}", seen.console);
    assert!(fits(said), "{said}");
}

fn fits(said: &Value) -> bool {
    said["widths"].as_array().unwrap().iter().all(|pair| pair[0].as_u64() <= pair[1].as_u64())
}
