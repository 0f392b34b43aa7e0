//! Tables of machine words of sm_50 and what `nvdisasm` prints for them.
//!
//! Columns: family, anything, `encoding`, `text`, `class`. A word is `printed`; or `illegal`, where the text holds `INVALID…` or `???`;
//! or `undecodable`, where there is none.

use warpdiff_sass::{Decoded, decode, encode, parse};

use super::comparison::{Comparison, Disagreement};
use super::read::Malformed;

/// Whether a text is such a table.
pub fn is_words(text: &str) -> bool {
    columns(text).is_some_and(|cells| cells.len() == 5 && cells[2..] == ["encoding", "text", "class"])
}

/// The cells of the first line that is no comment.
pub(super) fn columns(text: &str) -> Option<Vec<&str>> {
    let line = text.lines().find(|line| !line.is_empty() && !line.starts_with('#'))?;
    Some(line.split('\t').collect())
}

/// The table against the decoder, and the texts of instructions against the assembler.
///
/// # Errors
/// The first line that is malformed.
pub fn compare(text: &str) -> Result<Comparison, Malformed> {
    let mut comparison = Comparison::default();
    let mut rows = text.lines().enumerate().filter(|(_, line)| !line.is_empty() && !line.starts_with('#'));
    rows.next();
    for (index, line) in rows {
        let malformed = |message: String| Malformed { line: index + 1, message };
        let cells: Vec<&str> = line.split('\t').collect();
        let [family, _, encoding, text, class] = cells[..] else {
            return Err(malformed(format!("{} cells, not 5", cells.len())));
        };
        let digits = encoding.strip_prefix("0x").unwrap_or(encoding);
        let word =
            u64::from_str_radix(digits, 16).map_err(|_| malformed(format!("`{encoding}` is not a word")))?;
        if !["printed", "illegal", "undecodable"].contains(&class) {
            return Err(malformed(format!(
                "`{class}` is not a class: expected `printed`, `illegal` or `undecodable`"
            )));
        }
        let (table, now) = (in_words(class, &folded(text)), of_word(word));
        let message = (table == now).then(|| reassembled(word, text)).flatten();
        let disagrees = table != now || message.is_some();
        comparison.count(disagrees.then(|| Disagreement {
            id: format!("{family} {encoding}"),
            line: index + 1,
            circumstance: "sm_50".into(),
            table,
            now,
            message,
        }));
    }
    Ok(comparison)
}

/// Text with white space folded, and none within constants, which some instructions are printed with.
fn folded(text: &str) -> String {
    text.split_ascii_whitespace().collect::<Vec<_>>().join(" ").replace(" ;", ";").replace("] [", "][")
}

fn in_words(class: &str, text: &str) -> String {
    if text.is_empty() { class.to_owned() } else { format!("{class} `{text}`") }
}

fn of_word(word: u64) -> String {
    let decoded = decode(word);
    let class = match &decoded {
        Decoded::Legal(_) => "printed",
        Decoded::Illegal(..) => "illegal",
        Decoded::Undecodable(_) => "undecodable",
    };
    in_words(class, &decoded.text().unwrap_or_default())
}

/// What is wrong with the way back, if anything: text of an instruction is that of its word, up to the bits that nobody looks at, text
/// of anything else is none.
fn reassembled(word: u64, text: &str) -> Option<String> {
    if text.is_empty() {
        return None;
    }
    let assembled = parse(text).ok().map(|program| program.words().get(1).copied());
    match (decode(word), assembled) {
        (decoded, _) if decoded.encode() != word => {
            Some(format!("warpdiff encodes it as {:#018x}", decoded.encode()))
        }
        (Decoded::Legal(mut instruction), Some(again)) => {
            instruction.ignored = 0;
            (again != Some(encode(&instruction)))
                .then(|| format!("the text assembles to {:#018x}", again.unwrap_or_default()))
        }
        (Decoded::Legal(_), None) => Some("warpdiff rejects the text".into()),
        (_, Some(_)) => Some("warpdiff accepts the text".into()),
        (_, None) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TABLE: &str = "family\tkind\tencoding\ttext\tclass\n\
                         LDS\tx\t0xef4c100000870102\tLDS.U.32  R2, [R1+0x8] ;\tprinted\n\
                         LDL\tx\t0xef47100000870102\tLDL.LU.INVALIDSIZE7 R2, [R1+0x8];\tillegal\n\
                         LDL\tx\t0x0000000000000000\t\tundecodable\n";

    #[test]
    fn a_wrong_cell_is_a_disagreement() {
        assert!(is_words(TABLE) && !is_words("id\tsource\t12.9:8.8:sm_50\n"));
        let right = compare(TABLE).unwrap();
        assert_eq!((right.compared, right.same()), (3, 3));
        for (cell, wrong) in [
            ("R2, [R1+0x8] ;", "R3, [R1+0x8] ;"),
            ("\tundecodable", "\tillegal"),
            ("0xef4c1", "0xef4c0"),
            ("\tillegal", "\tprinted"),
        ] {
            let disagreements = compare(&TABLE.replace(cell, wrong)).unwrap().disagreements;
            assert_eq!(disagreements.len(), 1, "{cell}: {disagreements:?}");
        }
        let line = |text: String| compare(&text).unwrap_err().line;
        assert_eq!(line(TABLE.replace("\tillegal", "")), 3);
        assert_eq!(line(TABLE.replace("0xef4c1", "0xef4cx")), 2);
        assert_eq!(line(TABLE.replace("undecodable", "unknown")), 4);
    }
}
