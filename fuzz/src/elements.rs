//! Broken documents: elements and attributes of the right words in the wrong places.

use crate::markup::{Markup, Piece};
use crate::odd;
use crate::random::Random;
use crate::words::Words;
use std::borrow::Cow;

/// A few changes of a document; `others` are documents to take elements from.
pub fn break_elements(r: &mut Random, document: &mut Markup, others: &[Markup], words: &Words) {
    for _ in 0..1 + r.below(5) {
        let opens = document.opens();
        if opens.is_empty() || document.0.len() > 5000 {
            return;
        }
        let at = *r.pick(&opens);
        match r.below(16) {
            0..8 => break_attribute(r, document, at, words),
            8 => drop(document.0.drain(at..document.end(at))),
            9 => copy(r, document, at, None),
            10 => {
                let other = r.pick(others);
                copy(r, document, at, Some(other));
            }
            11 => {
                let other = *r.pick(&opens);
                swap(r, document, at, other);
            }
            12 => rename(document, at, Cow::Borrowed(*r.pick(&words.tags))),
            13 => wrap(r, document, at, words),
            14 => same_value(r, document, &opens),
            _ => raw(r, document, at),
        }
    }
}

fn break_attribute(r: &mut Random, document: &mut Markup, at: usize, words: &Words) {
    let Piece::Open { name, attributes, .. } = &mut document.0[at] else { return };
    let k = r.below(attributes.len());
    match r.below(8) {
        // one that the element may have
        0 | 1 => {
            let known = words.attributes(name);
            if !known.is_empty() {
                let new = *r.pick(known);
                attributes.retain(|(n, _)| n != new);
                attributes.push((Cow::Borrowed(new), odd::value(r)));
            }
        }
        2 if !attributes.is_empty() => drop(attributes.remove(k)),
        3 if !attributes.is_empty() => {
            let tag = *r.pick(&words.tags);
            attributes[k].0 = Cow::Borrowed(*r.pick(words.attributes(tag)));
        }
        4 if r.one_in(100) => {
            let many = r.below(2000);
            attributes.extend((0..many).map(|i| (Cow::Owned(format!("a{i}")), Cow::Borrowed("1"))));
        }
        5 if !attributes.is_empty() => attributes[k].1 = odd::value(r),
        _ if !attributes.is_empty() => attributes[k].1 = odd::change_one(r, &attributes[k].1.clone()),
        _ => {}
    }
}

/// Puts a copy of an element, or one of another document, before another element or inside it.
fn copy(r: &mut Random, document: &mut Markup, at: usize, other: Option<&Markup>) {
    let element = match other {
        Some(other) => {
            let from = *r.pick(&other.opens());
            other.0[from..other.end(from)].to_vec()
        }
        None => document.0[at..document.end(at)].to_vec(),
    };
    let copies = if r.one_in(40) { 1 + 2000 / element.len().max(1) } else { 1 };
    let inside = matches!(document.0[at], Piece::Open { empty: false, .. }) && r.one_in(2);
    let to = if inside { at + 1 } else { at };
    let all: Vec<Piece> = std::iter::repeat_n(element, copies).flatten().collect();
    document.0.splice(to..to, all);
}

fn swap(r: &mut Random, document: &mut Markup, one: usize, two: usize) {
    let (one, two) = (one.min(two), one.max(two));
    let (end_one, end_two) = (document.end(one), document.end(two));
    if end_one <= two {
        let second = document.0[two..end_two].to_vec();
        let first: Vec<Piece> = document.0.splice(one..end_one, second.clone()).collect();
        let moved = one + second.len() + (two - end_one);
        document.0.splice(moved..moved + second.len(), first);
    } else if r.one_in(2) {
        // one within the other: only the opening tags change places
        document.0.swap(one, two);
    }
}

fn rename(document: &mut Markup, at: usize, to: odd::Text) {
    let end = document.end(at) - 1;
    if let Piece::Close(name) = &mut document.0[end] {
        *name = to.clone();
    }
    if let Piece::Open { name, .. } = &mut document.0[at] {
        *name = to;
    }
}

/// Puts an element into others of one tag, sometimes hundreds deep.
fn wrap(r: &mut Random, document: &mut Markup, at: usize, words: &Words) {
    let deep = if r.one_in(50) { r.below(700) } else { 1 };
    let name = if r.one_in(2) { *r.pick(&words.nesting) } else { *r.pick(&words.tags) };
    let end = document.end(at);
    let open = Piece::Open { name: Cow::Borrowed(name), attributes: Vec::new(), empty: false };
    document.0.splice(end..end, std::iter::repeat_n(Piece::Close(Cow::Borrowed(name)), deep));
    document.0.splice(at..at, std::iter::repeat_n(open, deep));
}

/// Gives one attribute the value of another: names are repeated, references go round in circles.
fn same_value(r: &mut Random, document: &mut Markup, opens: &[usize]) {
    let from = *r.pick(opens);
    let Piece::Open { attributes, .. } = &document.0[from] else { return };
    if attributes.is_empty() {
        return;
    }
    let value = r.pick(attributes).1.clone();
    let to = *r.pick(opens);
    let Piece::Open { attributes, .. } = &mut document.0[to] else { return };
    if !attributes.is_empty() {
        let k = r.below(attributes.len());
        attributes[k].1 = value;
    }
}

/// Text, a comment, a declaration where there was none; a tag that does not end.
fn raw(r: &mut Random, document: &mut Markup, at: usize) {
    let raw = *r.pick(&[
        "<!-- <a> -->",
        "<!--></a>-->",
        "<![CDATA[<a>]]>",
        "<?xml version=\"1.0\"?>",
        "<!DOCTYPE a [<!ENTITY b \"bb\"><!ENTITY c \"&b;&b;\">]>",
        "&b;",
        "&#38;",
        "text",
        "<include file=\"input.xml\"/>",
        "<include file=\"/dev/zero\"/>",
        "\u{feff}",
        "<a>",
        "</a>",
    ]);
    let at = if raw.starts_with("<!DOCTYPE") { 0 } else { at };
    document.0.insert(at, Piece::Raw(Cow::Borrowed(raw)));
}
