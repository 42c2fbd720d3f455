//! What a source file imports: a reader of Rust that knows comments, strings, inline modules and paths, and nothing else.

use std::iter::Peekable;
use std::vec::IntoIter;

/// The name of a module, or the path of an item, from the root of its crate: `["dynamics", "aba"]`.
pub type Path = Vec<String>;

/// A word, `::`, or any other sign.
fn tokens(text: &str) -> Vec<String> {
    let (mut out, mut rest) = (Vec::new(), text);
    while let Some(c) = rest.chars().next() {
        let skip = if rest.starts_with("//") {
            rest.find('\n').unwrap_or(rest.len())
        } else if rest.starts_with("/*") {
            rest.find("*/").map_or(rest.len(), |k| k + 2)
        } else if c == '"' {
            string(rest)
        } else if rest.starts_with("r\"") || rest.starts_with("r#") {
            raw_string(rest)
        } else if c == '\'' {
            character(rest)
        } else if c.is_alphabetic() || c == '_' {
            let end = rest.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(rest.len());
            out.push(rest[..end].to_string());
            end
        } else if rest.starts_with("::") {
            out.push("::".into());
            2
        } else {
            if !c.is_whitespace() {
                out.push(c.to_string());
            }
            c.len_utf8()
        };
        rest = &rest[skip..];
    }
    out
}

/// The length of the string literal at the beginning.
fn string(text: &str) -> usize {
    let mut escaped = false;
    for (k, c) in text.char_indices().skip(1) {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '"' => return k + 1,
            _ => {}
        }
    }
    text.len()
}

fn raw_string(text: &str) -> usize {
    let hashes = text[1..].chars().take_while(|c| *c == '#').count();
    if !text[1 + hashes..].starts_with('"') {
        return 1; // `r#type`
    }
    let end = format!("\"{}", "#".repeat(hashes));
    text[2 + hashes..].find(&end).map_or(text.len(), |k| 2 + hashes + k + end.len())
}

/// The length of a character literal, or 1 for the sign of a lifetime.
fn character(text: &str) -> usize {
    let mut inside = text.char_indices().skip(1);
    match (inside.next(), inside.next()) {
        (Some((_, '\\')), Some((k, _))) => text[k + 1..].find('\'').map_or(text.len(), |e| k + e + 2),
        (_, Some((k, '\''))) => k + 1,
        _ => 1,
    }
}

/// All paths in the file of `module` that begin with `crate`, `self` or `super`, from the root of the crate. Braces are followed
/// into, and `super` is counted from the inline module it stands in.
pub fn imports(module: &[String], text: &str) -> Vec<Path> {
    let (mut out, mut inline) = (Vec::new(), Vec::new());
    let (mut depth, mut before) = (0usize, String::new());
    let mut rest = tokens(text).into_iter().peekable();
    while let Some(token) = rest.next() {
        match token.as_str() {
            "{" => depth += 1,
            "}" => {
                depth = depth.saturating_sub(1);
                if inline.last().is_some_and(|(_, at)| *at == depth) {
                    inline.pop();
                }
            }
            "mod" => {
                let name = rest.next().unwrap_or_default();
                if rest.peek().is_some_and(|t| t == "{") {
                    inline.push((name, depth));
                }
            }
            "crate" | "self" | "super" if before != "::" && rest.peek().is_some_and(|t| t == "::") => {
                let own = module.iter().chain(inline.iter().map(|(name, _)| name)).cloned().collect();
                tree(own, Some(token.clone()), &mut rest, &mut out);
            }
            _ => {}
        }
        before = token;
    }
    out
}

/// The rest of a path, and of all paths in its braces. `at` is where it has led so far.
fn tree(mut at: Path, first: Option<String>, rest: &mut Peekable<IntoIter<String>>, out: &mut Vec<Path>) {
    let mut word = first;
    loop {
        match word.take().or_else(|| rest.next()).as_deref() {
            Some("crate") => at.clear(),
            Some("super") => drop(at.pop()),
            Some("self" | "*") => {}
            Some("{") => {
                while rest.peek().is_some_and(|t| t != "}") {
                    tree(at.clone(), None, rest, out);
                    if rest.peek().is_some_and(|t| t == ",") {
                        rest.next();
                    }
                }
                rest.next();
                return;
            }
            Some(name) => at.push(name.to_string()),
            None => return,
        }
        if rest.peek().is_none_or(|t| t != "::") {
            break;
        }
        rest.next();
    }
    if rest.peek().is_some_and(|t| t == "as") {
        rest.nth(1);
    }
    out.push(at);
}
