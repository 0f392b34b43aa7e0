//! A witness of surface addressing: Kepler, on which `suld`, `sust` and `sured` became instructions that NVIDIA's assembler wrote out, against what
//! the reference allows.

mod departure;
mod draw;
mod judge;
mod kernel;
mod model;
mod table;

use std::time::Instant;

use warpdiff_model::Semantics;

use crate::draw::Random;
use crate::judge::{Tally, Witness};
use crate::table::forms;

#[test]
fn probe() {
    let forms = forms();
    let count: usize = std::env::var("COUNT").map_or(200, |n| n.parse().unwrap());
    let every: usize = std::env::var("EVERY").map_or(1, |n| n.parse().unwrap());
    let start = Instant::now();
    let mut all = Tally::default();
    for (number, form) in forms.iter().enumerate().step_by(every) {
        let begun = Instant::now();
        let tally = Witness::new(form, Semantics::default()).judge(&mut Random(number as u64), count);
        if std::env::var("VERBOSE").is_ok() || !tally.refused.is_empty() {
            println!("{} {} judged {} outside {} unsaid {} refused {} departing in {:?}", form.text, tally.judged, tally.outside, tally.unsaid, tally.refused.len(), tally.departing.len(), begun.elapsed());
            if let Some(first) = tally.refused.first() { println!("   {}", &first[..first.len().min(900)]); }
        }
        all.add(tally);
    }
    println!("{} judged, {} outside, {} unsaid, {} refused, {:?}", all.judged, all.outside, all.unsaid, all.refused.len(), start.elapsed());
}
