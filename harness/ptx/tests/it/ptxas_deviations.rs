//! Where the assembler departs from the specification: the examples of the catalogue show it.

use warpdiff_model::Deviation;
use warpdiff_ptx::ptxas_deviation::warning;
use warpdiff_ptx::source::Span;
use warpdiff_ptx::{Dialect, Rules, compile};

/// The example of each shows that deviation, and no other, whichever dialect the program is checked by. It is the witness of
/// those that the emulator cannot be given.
#[test]
fn the_examples_show_what_they_are_examples_of() {
    let compiled = |dialect, text: &str| {
        let module = compile(text, &Rules { dialect, ..Rules::default() })?;
        Ok::<_, Vec<_>>(module.deviations.iter().map(|(deviation, _)| *deviation).collect::<Vec<_>>())
    };
    let (mut shown, mut legal) = (0, 0);
    for entry in Deviation::catalogue() {
        let Some(both) = entry.contrast else { continue };
        let text = format!(".version 8.8\n.target sm_90\n.address_size 64\n{}\n", both.example);
        assert_eq!(compiled(Dialect::Ptxas(12, 9), &text), Ok(vec![entry.deviation]));
        // Only the assembler's rules decide which variables it makes at all.
        let by_text = compiled(Dialect::Spec, &text).ok();
        if let Some(noted) = by_text.filter(|_| entry.deviation != Deviation::PtxasUnnamedVariable) {
            assert_eq!(noted, [entry.deviation]);
            legal += 1;
        }
        let note = warning(entry.deviation, Span::default()).note.unwrap_or_default();
        assert!(note.contains(both.specification) && note.contains(both.assembler), "{note}");
        shown += 1;
    }
    assert_eq!((shown, legal), (10, 5));
}
