//! XML with positions: a tree of elements in one arena, each with its byte range in the source.

use crate::diagnostic::{Place, Report};
use crate::survey::{Cost, survey};
use roxmltree::{Document, Node, ParsingOptions};

/// The advice for a xacro template.
pub(crate) const XACRO: &str =
    "this is a xacro template, not a robot yet: expand it with `xacro FILE > robot.urdf`";

/// Elements nested deeper than this are refused.
const DEEPEST: usize = 20_000;
/// A file with more nodes than this is refused.
pub(crate) const MOST_NODES: u32 = 20_000_000;
/// Documents nested less deeply than this are parsed on the caller's stack.
const SHALLOW: usize = 200;
/// A generous bound of the parser's stack for each level.
const STACK_PER_LEVEL: usize = 4096;

/// The number of an element in its [`Tree`].
pub(crate) type ElementId = usize;

/// `name="value"`.
#[derive(Clone, Debug)]
pub(crate) struct Attribute {
    pub name: String,
    pub value: String,
    /// The bytes of the name and the value.
    pub place: Place,
}

/// `<tag …>` and what is inside.
#[derive(Clone, Debug)]
pub(crate) struct Element {
    pub tag: String,
    pub attributes: Vec<Attribute>,
    pub children: Vec<ElementId>,
    /// The bytes of `<tag`.
    pub place: Place,
}

impl Element {
    /// The attribute of this name.
    pub fn get(&self, name: &str) -> Option<&Attribute> {
        self.attributes.iter().find(|a| a.name == name)
    }
    /// The value of the attribute of this name.
    pub fn text(&self, name: &str) -> Option<&str> {
        self.get(name).map(|a| a.value.as_str())
    }
}

/// All elements of one or more documents.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tree {
    elements: Vec<Element>,
    /// The cost of all documents.
    cost: Cost,
}

impl std::ops::Index<ElementId> for Tree {
    type Output = Element;
    fn index(&self, id: ElementId) -> &Element {
        &self.elements[id]
    }
}
impl std::ops::IndexMut<ElementId> for Tree {
    fn index_mut(&mut self, id: ElementId) -> &mut Element {
        &mut self.elements[id]
    }
}

impl Tree {
    /// The children of an element, with their numbers.
    pub fn children(&self, id: ElementId) -> impl Iterator<Item = (ElementId, &Element)> {
        self.elements[id].children.iter().map(|k| (*k, &self.elements[*k]))
    }

    /// Adds the document of a source; `None` (and an error in the report) when it is not XML.
    pub fn parse(&mut self, report: &mut Report, file: u32) -> Option<ElementId> {
        let text = without_declaration(&report.sources()[file as usize].text);
        let affordable = survey(&text, DEEPEST).and_then(|found| {
            let all = self.cost.and(found.cost);
            all.refusal().map_or(Ok((found.depth, all)), Err)
        });
        let deep = match affordable {
            Ok((deep, cost)) => {
                self.cost = cost;
                deep
            }
            Err(refusal) => {
                let start = refusal.byte as u32;
                report.error(refusal.code, refusal.message).at(Place { file, start, end: start + 1 });
                return None;
            }
        };
        // the parser calls itself for every level: give it the stack for that
        let outcome = if deep < SHALLOW {
            self.convert(&text, file)
        } else {
            std::thread::scope(|scope| {
                let builder = std::thread::Builder::new().stack_size((1 << 20) + deep * STACK_PER_LEVEL);
                let handle = builder.spawn_scoped(scope, || self.convert(&text, file));
                match handle.map(|h| h.join()) {
                    Ok(Ok(outcome)) => outcome,
                    Ok(Err(_)) => Err(("the parser failed on this document".into(), 0)),
                    Err(error) => Err((format!("no memory to parse {deep} levels: {error}"), 0)),
                }
            })
        };
        match outcome {
            Ok(root) => Some(root),
            Err((message, byte)) => {
                let start = byte as u32;
                let error = report.error("xml::syntax", message);
                error.at(Place { file, start, end: start + 1 });
                if error.message.contains("DTD") {
                    error.help("remove the document type declaration: models need no entities of their own");
                } else if error.message.contains("'xacro'") {
                    error.help(XACRO);
                }
                None
            }
        }
    }

    /// The document as elements of the arena, or what is wrong and at which byte.
    fn convert(&mut self, text: &str, file: u32) -> Result<ElementId, (String, usize)> {
        let options = ParsingOptions { allow_dtd: false, nodes_limit: MOST_NODES };
        let document = Document::parse_with_options(text, options).map_err(|error| {
            let at = error.pos();
            let ended =
                matches!(error, roxmltree::Error::UnexpectedEndOfStream | roxmltree::Error::UnclosedRootNode);
            let byte =
                if ended { text.trim_end().len() } else { byte_of(text, at.row as usize, at.col as usize) };
            (plain(&error.to_string()), byte)
        })?;
        let root = self.push(document.root_element(), file);
        // (element of the document, its number here): children are added when their parent is taken off the list
        let mut open = vec![(document.root_element(), root)];
        while let Some((node, id)) = open.pop() {
            let first = self.elements.len();
            for child in node.children().filter(Node::is_element) {
                let number = self.push(child, file);
                open.push((child, number));
            }
            self.elements[id].children = (first..self.elements.len()).collect();
        }
        Ok(root)
    }

    fn push(&mut self, node: Node, file: u32) -> ElementId {
        let place =
            |range: std::ops::Range<usize>| Place { file, start: range.start as u32, end: range.end as u32 };
        let attributes = node.attributes().map(|a| Attribute {
            name: a.name().to_string(),
            value: a.value().to_string(),
            place: place(a.range()),
        });
        let start = node.range().start;
        self.elements.push(Element {
            tag: node.tag_name().name().to_string(),
            attributes: attributes.collect(),
            children: Vec::new(),
            place: place(start..start + 1 + node.tag_name().name().len()),
        });
        self.elements.len() - 1
    }
}

/// The parser's message without the position at its end: the report shows it.
fn plain(message: &str) -> String {
    match message.rfind(" at ") {
        Some(k) if message[k + 4..].chars().all(|c| c.is_ascii_digit() || c == ':') => {
            message[..k].to_string()
        }
        _ => message.to_string(),
    }
}

/// The byte at a 1-based row and column (in characters).
fn byte_of(text: &str, row: usize, column: usize) -> usize {
    let line = text.split_inclusive('\n').take(row.saturating_sub(1)).map(str::len).sum::<usize>();
    let rest = &text[line.min(text.len())..];
    line + rest.char_indices().nth(column.saturating_sub(1)).map_or(rest.len(), |(k, _)| k)
}

/// Blanks out byte order marks and `<?xml …?>` declarations, wherever they stand: real files have them after the first
/// line, twice, or with a version that does not exist. Every byte keeps its place.
pub(crate) fn without_declaration(text: &str) -> String {
    let mut bytes = text.as_bytes().to_vec();
    if text.starts_with('\u{feff}') {
        bytes[..3].fill(b' ');
    }
    let mut from = 0;
    while let Some(start) = text[from..].find("<?xml ").map(|k| from + k) {
        let Some(end) = text[start..].find("?>").map(|k| start + k + 2) else { break };
        bytes[start..end].iter_mut().filter(|b| **b != b'\n').for_each(|b| *b = b' ');
        from = end;
    }
    // only whole characters were replaced by blanks
    String::from_utf8(bytes).unwrap_or_else(|_| text.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> (Option<Tree>, Report) {
        let (mut report, mut tree) = (Report::default(), Tree::default());
        let file = report.add_source("x.xml", text);
        let root = tree.parse(&mut report, file);
        (root.map(|_| tree), report)
    }

    #[test]
    fn places_survive_a_bad_declaration() {
        let (tree, _) = parse("\u{feff}\n<?xml version=\"0.0\"?>\n<a b='1'><c/></a>");
        let tree = tree.expect("a tree");
        assert_eq!((tree[0].tag.as_str(), tree[1].tag.as_str(), tree.elements.len()), ("a", "c", 2));
        assert_eq!(tree[0].get("b").map(|a| (a.place.start, a.value.as_str())), Some((29, "1")));
    }

    #[test]
    fn deep_nesting_is_parsed_and_too_deep_is_refused() {
        let nested = |n: usize| "<a>".repeat(n) + &"</a>".repeat(n);
        assert_eq!(parse(&nested(15_000)).0.map(|t| t.elements.len()), Some(15_000));
        let (tree, report) = parse(&nested(1_000_000));
        assert!(tree.is_none() && report.to_string().contains("xml::too-deep"));
        // what the count must not take for closing tags
        assert!(parse(&"<a b='/>'><!-- </a> --><![CDATA[</a>]]>".repeat(100_000)).0.is_none());
    }

    #[test]
    fn errors_have_places() {
        let (_, report) = parse("<a>\n  <b></c>\n</a>");
        assert!(report.to_string().contains("x.xml:2:"), "{report}");
        let (_, report) = parse("<!DOCTYPE a [<!ENTITY b \"bbbbbb\">]><a>&b;</a>");
        assert!(report.to_string().contains("help: remove the document type"), "{report}");
        assert!(parse("").1.has_errors() && parse("<").1.has_errors());
    }
}
