//! As much of Rust's grammar as it takes to find the paths in a file: tokens, attributes, `use` trees.

/// A token that paths are made of, or that bounds them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Token {
    /// An identifier or keyword.
    Word(String),
    /// `::`
    Separator,
    /// Any other character outside of comments and literals.
    Other(char),
}

/// The tokens of a file, without comments and literals.
pub(super) fn tokens(text: &str) -> Vec<Token> {
    let mut rest = text;
    let mut found = Vec::new();
    while let Some(first) = rest.chars().next() {
        let length = if rest.starts_with("//") {
            rest.find('\n').unwrap_or(rest.len())
        } else if rest.starts_with("/*") {
            block_comment(rest)
        } else if let Some(length) = literal(rest) {
            length
        } else if first.is_alphabetic() || first == '_' {
            let length = rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len());
            found.push(Token::Word(rest[..length].to_owned()));
            length
        } else if rest.starts_with("::") {
            found.push(Token::Separator);
            2
        } else {
            if !first.is_whitespace() {
                found.push(Token::Other(first));
            }
            first.len_utf8()
        };
        rest = &rest[length..];
    }
    found
}

/// Length of a comment that may hold others.
fn block_comment(text: &str) -> usize {
    let (mut depth, mut at) = (0, 0);
    while at < text.len() {
        let rest = &text[at..];
        let length = match () {
            () if rest.starts_with("/*") => {
                depth += 1;
                2
            }
            () if rest.starts_with("*/") => {
                depth -= 1;
                2
            }
            () => rest.chars().next().map_or(1, char::len_utf8),
        };
        at += length;
        if depth == 0 {
            break;
        }
    }
    at
}

/// Length of a string, a character or a lifetime, if the text begins with one.
fn literal(text: &str) -> Option<usize> {
    let body = text.trim_start_matches(['b', 'c']);
    let prefix = text.len() - body.len();
    if prefix > 1 {
        return None;
    }
    if let Some(raw) = body.strip_prefix('r') {
        let hashes = raw.len() - raw.trim_start_matches('#').len();
        let inside = raw[hashes..].strip_prefix('"')?;
        let end = format!("\"{}", "#".repeat(hashes));
        return Some(prefix + 2 + hashes + inside.find(&end)? + end.len());
    }
    if let Some(inside) = body.strip_prefix('"') {
        return Some(prefix + 1 + closing(inside, '"')?);
    }
    let inside = body.strip_prefix('\'')?;
    let mut characters = inside.chars();
    let first = characters.next()?;
    if first == '\\' || characters.next() == Some('\'') {
        return Some(prefix + 1 + closing(inside, '\'')?);
    }
    // A lifetime or a label: the quote alone; its name is a word that no path begins with.
    Some(prefix + 1 + inside.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(inside.len()))
}

/// The place behind the character that ends a literal, which a backslash may protect.
fn closing(text: &str, end: char) -> Option<usize> {
    let mut protected = false;
    for (at, c) in text.char_indices() {
        match c {
            _ if protected => protected = false,
            '\\' => protected = true,
            _ if c == end => return Some(at + c.len_utf8()),
            _ => {}
        }
    }
    None
}

/// The tokens without items that only tests have.
pub(super) fn without_tests(tokens: &[Token]) -> Vec<Token> {
    let test: Vec<Token> = self::tokens("#[cfg(test)]");
    let mut kept = Vec::new();
    let mut at = 0;
    while at < tokens.len() {
        if tokens[at..].starts_with(&test) {
            at = end_of_item(tokens, at + test.len());
        } else {
            kept.push(tokens[at].clone());
            at += 1;
        }
    }
    kept
}

/// The place behind an item: behind its `;`, or behind the braces that close it.
fn end_of_item(tokens: &[Token], from: usize) -> usize {
    let mut depth = 0;
    for (at, token) in tokens.iter().enumerate().skip(from) {
        match token {
            Token::Other('{' | '(' | '[') => depth += 1,
            Token::Other(close @ ('}' | ')' | ']')) => {
                depth -= 1;
                if depth == 0 && *close == '}' {
                    return at + 1;
                }
            }
            Token::Other(';') if depth == 0 => return at + 1,
            _ => {}
        }
    }
    tokens.len()
}

/// Every path in the tokens, `use` trees written out: `use a::{b, c::d}` is `a::b` and `a::c::d`.
pub(super) fn paths(tokens: &[Token]) -> Vec<Vec<String>> {
    let mut found = Vec::new();
    let mut at = 0;
    while at < tokens.len() {
        match &tokens[at] {
            // Who may see a thing is no import: `pub(in crate::check)`.
            Token::Word(word) if word == "pub" && tokens.get(at + 1) == Some(&Token::Other('(')) => {
                at += tokens[at..].iter().position(|token| *token == Token::Other(')')).unwrap_or(1);
            }
            Token::Word(_) => at = tree(tokens, at, &[], &mut found),
            _ => at += 1,
        }
    }
    found
}

/// The tokens without `pub use …;` and the like, and the paths that these export.
pub(super) fn exports(tokens: &[Token]) -> (Vec<Token>, Vec<Vec<String>>) {
    let word =
        |at: usize, expected: &str| matches!(tokens.get(at), Some(Token::Word(word)) if word == expected);
    let (mut kept, mut exported) = (Vec::new(), Vec::new());
    let mut at = 0;
    while at < tokens.len() {
        let mut after = at + 1;
        if word(at, "pub") && tokens.get(after) == Some(&Token::Other('(')) {
            after +=
                tokens[after..].iter().position(|token| *token == Token::Other(')')).map_or(0, |end| end + 1);
        }
        if word(at, "pub") && word(after, "use") {
            at = tree(tokens, after + 1, &[], &mut exported);
        } else {
            kept.push(tokens[at].clone());
            at += 1;
        }
    }
    (kept, exported)
}

/// Reads a path, or a tree of them, behind `prefix`; the place behind it.
fn tree(tokens: &[Token], mut at: usize, prefix: &[String], found: &mut Vec<Vec<String>>) -> usize {
    let mut path = prefix.to_vec();
    loop {
        match tokens.get(at) {
            Some(Token::Word(word)) => path.push(word.clone()),
            Some(Token::Other('{')) if path.len() > prefix.len() => {
                at += 1;
                while !matches!(tokens.get(at), None | Some(Token::Other('}'))) {
                    at = match tokens[at] {
                        Token::Word(_) => tree(tokens, at, &path, found),
                        _ => at + 1,
                    };
                }
                return at + 1;
            }
            _ => break,
        }
        at += 1;
        if tokens.get(at) != Some(&Token::Separator) {
            break;
        }
        at += 1;
    }
    found.push(path);
    at
}

/// The modules that a file declares: `mod name;`.
pub(super) fn modules(tokens: &[Token]) -> Vec<String> {
    let module = |window: &[Token]| match window {
        [Token::Word(word), Token::Word(name), Token::Other(';')] if word == "mod" => Some(name.clone()),
        _ => None,
    };
    tokens.windows(3).filter_map(module).collect()
}

#[test]
fn paths_are_found_outside_of_comments_literals_and_tests() {
    let text = r##"
        // crate::comment
        /* crate::a /* crate::b */ crate::c */
        use crate::one::{two, three::{self, Four}};
        fn f<'a>(x: &'a str) { super::five::six("crate::text", 'x', '\'', r#"crate::raw " "#) }
        #[cfg(test)]
        mod tests { use crate::test; }
        mod child;
    "##;
    let tokens = without_tests(&tokens(text));
    let paths: Vec<_> =
        paths(&tokens).into_iter().filter(|path| path.len() > 1).map(|path| path.join("::")).collect();
    assert_eq!(
        paths,
        ["crate::one::two", "crate::one::three::self", "crate::one::three::Four", "super::five::six"]
    );
    assert_eq!(modules(&tokens), ["child"]);
}
