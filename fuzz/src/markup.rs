//! XML as a list of tags, so that it can be broken in the large and stay XML in the small.

use crate::odd::Text;
use std::borrow::Cow;

/// A piece of a document.
#[derive(Clone, Debug)]
pub enum Piece {
    /// `<name a="b" …>` or `<name a="b" …/>`.
    Open { name: Text, attributes: Vec<(Text, Text)>, empty: bool },
    /// `</name>`.
    Close(Text),
    /// Anything else, as it is.
    Raw(Text),
}

/// A document.
#[derive(Clone, Debug, Default)]
pub struct Markup(pub Vec<Piece>);

impl Markup {
    /// Takes a well-formed document apart.
    pub fn parse(text: &'static str) -> Markup {
        let mut pieces = Vec::new();
        let mut rest = text;
        while let Some(open) = rest.find('<') {
            if open > 0 {
                pieces.push(Piece::Raw(Cow::Borrowed(&rest[..open])));
            }
            let end = rest[open..].find('>').map_or(rest.len(), |k| open + k + 1);
            pieces.push(tag(&rest[open..end]));
            rest = &rest[end..];
        }
        Markup(pieces)
    }

    /// The numbers of all opening tags.
    pub fn opens(&self) -> Vec<usize> {
        let is_open = |(k, p): (usize, &Piece)| matches!(p, Piece::Open { .. }).then_some(k);
        self.0.iter().enumerate().filter_map(is_open).collect()
    }

    /// One past the last piece of the element that begins at `open`.
    pub fn end(&self, open: usize) -> usize {
        let mut level = 0usize;
        for (k, piece) in self.0.iter().enumerate().skip(open) {
            match piece {
                Piece::Open { empty: false, .. } => level += 1,
                Piece::Close(_) => level = level.saturating_sub(1),
                _ => {}
            }
            if level == 0 {
                return k + 1;
            }
        }
        self.0.len()
    }

    /// The document as text.
    pub fn text(&self) -> String {
        let mut text = String::with_capacity(4096);
        for piece in &self.0 {
            match piece {
                Piece::Raw(raw) => text.push_str(raw),
                Piece::Close(name) => text.extend(["</", name, ">"]),
                Piece::Open { name, attributes, empty } => {
                    text.extend(["<", name]);
                    for (name, value) in attributes {
                        text.extend([" ", name, "=\"", value, "\""]);
                    }
                    text.push_str(if *empty { "/>" } else { ">" });
                }
            }
        }
        text
    }
}

fn tag(text: &'static str) -> Piece {
    if let Some(name) = text.strip_prefix("</") {
        return Piece::Close(Cow::Borrowed(name.trim_end_matches('>')));
    }
    if text.starts_with("<?") || text.starts_with("<!") {
        return Piece::Raw(Cow::Borrowed(text));
    }
    let empty = text.ends_with("/>");
    let inside = text.trim_start_matches('<').trim_end_matches('>').trim_end_matches('/');
    let (name, mut rest) = inside.split_once(char::is_whitespace).unwrap_or((inside, ""));
    let mut attributes = Vec::new();
    while let Some((name, after)) = rest.split_once("=\"") {
        let (value, after) = after.split_once('"').unwrap_or((after, ""));
        attributes.push((Cow::Borrowed(name.trim()), Cow::Borrowed(value)));
        rest = after;
    }
    Piece::Open { name: Cow::Borrowed(name), attributes, empty }
}
