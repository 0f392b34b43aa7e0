//! What an assembler made of a program, as a recording keeps it.

use std::collections::BTreeMap;

use warpdiff_judge::assembled::Assembled;

use super::folder::AssemblerAnswer;

/// The answer as it is kept; `None` where there was none.
pub fn keep(dialect: &str, assembled: &Assembled) -> Option<AssemblerAnswer> {
    let answer = |accepts| AssemblerAnswer { dialect: dialect.into(), accepts, ..AssemblerAnswer::default() };
    match assembled {
        Assembled::Accepted { bytes } => {
            let bytes = bytes.iter().map(|(name, bytes)| (name.clone(), pattern(bytes))).collect();
            Some(AssemblerAnswer { bytes, ..answer(true) })
        }
        Assembled::Rejected { message } => {
            Some(AssemblerAnswer { words: Some(message.clone()), ..answer(false) })
        }
        Assembled::Crashed { .. } | Assembled::NoVerdict { .. } => None,
    }
}

/// The answer that was kept.
pub fn restore(answer: &AssemblerAnswer) -> Assembled {
    if !answer.accepts {
        return Assembled::Rejected { message: answer.words.clone().unwrap_or_default() };
    }
    let bytes: Option<BTreeMap<_, _>> =
        answer.bytes.iter().map(|(name, text)| Some((name.clone(), bytes(text)?))).collect();
    match bytes {
        Some(bytes) => Assembled::Accepted { bytes },
        None => Assembled::NoVerdict { why: "the recorded bytes of a variable are malformed".into() },
    }
}

/// What differs between two answers; `None` if no more than the words.
pub fn difference(then: &AssemblerAnswer, now: &AssemblerAnswer) -> Option<String> {
    let verb = |answer: &AssemblerAnswer| if answer.accepts { "accepts" } else { "rejects" };
    if then.dialect != now.dialect || then.accepts != now.accepts {
        return Some(format!("{} {} -> {} {}", then.dialect, verb(then), now.dialect, verb(now)));
    }
    let names = then.bytes.keys().chain(now.bytes.keys());
    let name = names.into_iter().find(|name| then.bytes.get(*name) != now.bytes.get(*name))?;
    let shown =
        |answer: &AssemblerAnswer| answer.bytes.get(name).cloned().unwrap_or_else(|| "missing".into());
    Some(format!("variable {name}: {} -> {}", shown(then), shown(now)))
}

/// `05 00 ?? ??`
fn pattern(bytes: &[Option<u8>]) -> String {
    let words = bytes.iter().map(|byte| byte.map_or_else(|| "??".into(), |byte| format!("{byte:02x}")));
    words.collect::<Vec<String>>().join(" ")
}

fn bytes(text: &str) -> Option<Vec<Option<u8>>> {
    let byte = |word: &str| match word {
        "??" => Some(None),
        word => u8::from_str_radix(word, 16).ok().map(Some),
    };
    text.split_whitespace().map(byte).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn accepted(bytes: &[Option<u8>]) -> Assembled {
        Assembled::Accepted { bytes: BTreeMap::from([("x".to_owned(), bytes.to_vec())]) }
    }

    #[test]
    fn answers_come_back_as_they_were() {
        let rejected = Assembled::Rejected { message: "no: \"x\"".into() };
        for assembled in [accepted(&[Some(5), Some(0xFF), None]), accepted(&[]), rejected] {
            assert_eq!(restore(&keep("ptxas-12.9", &assembled).unwrap()), assembled);
        }
        assert_eq!(keep("ptxas-12.9", &Assembled::NoVerdict { why: "hung".into() }), None);
        assert_eq!(keep("ptxas-12.9", &Assembled::Crashed { why: "crashed".into() }), None);
    }

    #[test]
    fn verdict_and_bytes_count_and_words_do_not() {
        let keep = |assembled: &Assembled| keep("ptxas-12.9", assembled).unwrap();
        let rejected = |words: &str| keep(&Assembled::Rejected { message: words.into() });
        let (five, six) = (keep(&accepted(&[Some(5)])), keep(&accepted(&[Some(6)])));
        assert_eq!(difference(&rejected("a"), &rejected("b")), None);
        assert_eq!(difference(&five, &six).unwrap(), "variable x: 05 -> 06");
        assert!(difference(&five, &rejected("a")).unwrap().ends_with("accepts -> ptxas-12.9 rejects"));
    }
}
