//! What is out of date in the expectations and profiles.

use std::fmt::Write;

use warpdiff_session::notice::{Notice, NoticeKind};
use warpdiff_terminal::style::Style;

/// The notices. Of unexpected passes, of which one entry may have many, the first `show`.
pub fn lines(notices: &[Notice], show: usize, style: Style) -> String {
    let mut text = String::new();
    let (passes, others): (Vec<_>, Vec<_>) =
        notices.iter().partition(|notice| notice.kind == NoticeKind::UnexpectedPass);
    for notice in passes.iter().take(show).chain(&others) {
        let _ = writeln!(text, "{} {}", style.warn().paint(format!("{}:", notice.kind)), notice.words);
    }
    if passes.len() > show {
        let hidden = passes.len() - show;
        let _ = writeln!(text, "… and {hidden} more unexpected passes (--show N prints more)");
    }
    text
}
