//! Where `SYNC` and `BRK` go.

use warpdiff_sass::{NoSyncTarget, parse};

fn sync_targets(text: &str) -> Result<Vec<(usize, usize)>, NoSyncTarget> {
    let found = parse(text).unwrap().sync_targets()?;
    let mut found: Vec<(usize, usize)> = found.into_iter().collect();
    found.sort_unstable();
    Ok(found)
}

#[test]
fn what_was_pushed_last_is_taken_back_first() {
    let nested = "SSY a; SSY b; @P0 SYNC; SYNC; b: NOP; SYNC; a: EXIT;";
    assert_eq!(sync_targets(nested), Ok(vec![(2, 4), (3, 4), (5, 6)]));
    // A break goes to the target that was pushed in the loop.
    let broken = "PBK out; again: SSY join; @P0 BRK; SYNC; join: BRA again; out: EXIT;";
    assert_eq!(sync_targets(broken), Ok(vec![(2, 5), (3, 4)]));
}

#[test]
fn ways_that_cannot_be_told_are_said() {
    let why = "without the `SSY` or `PBK` that says where it goes";
    assert_eq!(sync_targets("NOP; SYNC; EXIT;"), Err(NoSyncTarget { statement: 1, why }));
    assert_eq!(sync_targets("SSY a; BRK; a: EXIT;"), Err(NoSyncTarget { statement: 1, why }));
    let why = "a place that is reached with different `SSY` or `PBK`";
    assert_eq!(sync_targets("@P0 BRA a; SSY b; a: NOP; b: EXIT;"), Err(NoSyncTarget { statement: 2, why }));
    // What is not reached goes nowhere.
    assert_eq!(sync_targets("EXIT; SYNC;"), Ok(Vec::new()));
}
