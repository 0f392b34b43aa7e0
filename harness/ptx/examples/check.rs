//! Checks a PTX file and prints what is wrong with it: `cargo run --example check -- FILE [spec]`.

use warpdiff_ptx::{Dialect, Rules, compile, parse, print, render};

fn main() {
    for path in std::env::args().skip(1).filter(|a| a != "spec") {
        let text = std::fs::read_to_string(&path).unwrap_or_default();
        let dialect =
            if std::env::args().any(|a| a == "spec") { Dialect::Spec } else { Dialect::Ptxas(12, 9) };
        match compile(&text, &Rules { dialect, ..Rules::default() }) {
            Ok(module) => println!("{path}: {} functions", module.functions.len()),
            Err(diagnostics) => println!("{}", render(&diagnostics, &path, &text, false)),
        }
        if let Ok(module) = parse(&text) {
            let printed = print(&module);
            match parse(&printed) {
                Ok(again) if again == module && print(&again) == printed => {}
                Ok(_) => println!("{path}: differs\n{printed}"),
                Err(diagnostics) => println!("{}", render(&diagnostics, "printed", &printed, false)),
            }
        }
    }
}
