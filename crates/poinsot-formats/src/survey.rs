//! A scan of a document before it is parsed: what would overflow the parser's stack, or take it hours, is refused.

/// The parser compares every attribute of an element with every other, and keeps lists of all namespaces in scope.
const MOST_ATTRIBUTES: usize = 300;
const MOST_NAMESPACES: usize = 1000;

/// Why a document is not parsed.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Refusal {
    pub code: &'static str,
    pub message: String,
    pub byte: usize,
}

/// Memory for a file's contents may be this many times its size, or this many bytes if that is more.
const MOST_TIMES: usize = 10;
const MOST_BYTES: usize = 1 << 30;

/// An estimate of the memory for a document of this many bytes: its text twice, and its elements, attributes
/// and comments with everything made of them.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Cost {
    pub bytes: usize,
    pub memory: usize,
}

impl Cost {
    /// The cost of both documents together.
    pub fn and(self, other: Cost) -> Cost {
        Cost { bytes: self.bytes + other.bytes, memory: self.memory.saturating_add(other.memory) }
    }
    /// Why this is too much, if it is.
    pub fn refusal(self) -> Option<Refusal> {
        let allowed = MOST_BYTES.max(MOST_TIMES * self.bytes);
        let message = format!(
            "{:.0} MB of XML with so many elements would take about {:.1} GB of memory, more than {MOST_TIMES} times its size and \
             more than {:.1} GB; split the model, or put meshes and height fields into files of their own",
            self.bytes as f64 / 1e6,
            self.memory as f64 / 1e9,
            MOST_BYTES as f64 / 1e9,
        );
        let refusal = Refusal { code: "xml::too-many-elements", message, byte: 0 };
        (self.memory > allowed).then_some(refusal)
    }
}

/// Bytes for an element and what the readers make of it, fitted to files with one kind of element each: the true values are
/// between two thirds of this and twice this.
fn bytes_of_element(rest: &str) -> usize {
    let tag = rest.get(1..).unwrap_or("").split([' ', '\t', '\r', '\n', '/', '>']).next().unwrap_or("");
    match tag {
        "body" | "link" | "joint" | "freejoint" | "geom" | "visual" | "collision" => 1100,
        "general" | "motor" | "position" | "velocity" | "intvelocity" | "damper" | "cylinder" | "muscle"
        | "adhesion" => 1600,
        _ => 700,
    }
}
const BYTES_OF_ATTRIBUTE: usize = 130;
const BYTES_OF_COMMENT: usize = 100;

/// What is known of a document before it is parsed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Survey {
    /// An upper bound of the depth of nesting.
    pub depth: usize,
    /// The memory it takes.
    pub cost: Cost,
}

/// Scans a document. The depth found is never less than the parser's: text that is not well-formed ends the parser's work,
/// not this count.
pub(crate) fn survey(text: &str, deepest_allowed: usize) -> Result<Survey, Refusal> {
    let refuse = |code, message, byte| Err(Refusal { code, message, byte });
    if text.matches("xmlns:").nth(MOST_NAMESPACES).is_some() {
        let message = format!("there are more than {MOST_NAMESPACES} namespaces");
        return refuse("xml::too-many-namespaces", message, 0);
    }
    let bytes = text.as_bytes();
    let (mut at, mut level, mut deepest, mut memory) = (0, 0usize, 0, 2 * text.len());
    while let Some(open) = text[at..].find('<').map(|k| at + k) {
        let rest = &text[open..];
        // the end is searched for after the beginning: `<!-->` is not a whole comment
        let skip = |begin: &str, end: &str| {
            let found = rest[begin.len()..].find(end);
            found.map_or(text.len(), |k| open + begin.len() + k + end.len())
        };
        let begins = |begin: &str| rest.starts_with(begin);
        at = if begins("<!--") {
            memory += BYTES_OF_COMMENT;
            skip("<!--", "-->")
        } else if begins("<![CDATA[") {
            skip("<![CDATA[", "]]>")
        } else if begins("<?") {
            memory += BYTES_OF_COMMENT;
            skip("<?", "?>")
        } else if begins("</") {
            level = level.saturating_sub(1);
            skip("</", ">")
        } else {
            let (end, attributes) = end_of_tag(bytes, open);
            memory += bytes_of_element(rest) + attributes * BYTES_OF_ATTRIBUTE;
            if attributes > MOST_ATTRIBUTES {
                let message = format!("an element has more than {MOST_ATTRIBUTES} attributes");
                return refuse("xml::too-many-attributes", message, open);
            }
            if end < open + 2 || bytes[end - 2] != b'/' {
                level += 1;
                deepest = deepest.max(level);
            }
            end
        };
        if deepest > deepest_allowed {
            let message = format!("elements are nested deeper than {deepest_allowed} levels");
            return refuse("xml::too-deep", message, open);
        }
    }
    Ok(Survey { depth: deepest, cost: Cost { bytes: text.len(), memory } })
}

/// One past the `>` that ends the tag at `open`, and the number of values in quotes; quotes may contain `>`.
fn end_of_tag(bytes: &[u8], open: usize) -> (usize, usize) {
    let (mut quote, mut values) = (0, 0);
    for (k, b) in bytes.iter().enumerate().skip(open + 1) {
        match *b {
            b'"' | b'\'' if quote == 0 => (quote, values) = (*b, values + 1),
            b if b == quote => quote = 0,
            b'>' if quote == 0 => return (k + 1, values),
            _ => {}
        }
    }
    (bytes.len(), values)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn depth(text: &str) -> usize {
        survey(text, 1000).expect("a depth").depth
    }

    #[test]
    fn depth_is_never_less_than_the_parser_finds() {
        assert_eq!(depth("<a><b c='/>'/><!-- </a> --><![CDATA[</a>]]><?p </a>?><d></d></a>"), 2);
        // the comment ends at the second -->
        assert_eq!(depth(&"<a><!--></a>-->".repeat(50)), 50);
        assert_eq!((depth(""), depth("<"), depth("x<"), depth("<a"), depth("<a/>")), (0, 1, 1, 1, 0));
    }

    #[test]
    fn what_costs_the_parser_too_much_is_refused() {
        let many: String = (0..1001).map(|k| format!(" a{k}=''")).collect();
        assert!(survey(&format!("<a{many}/>"), 9).is_err_and(|r| r.code == "xml::too-many-attributes"));
        let spaces: String = (0..1001).map(|k| format!("<a xmlns:a{k}=''>")).collect();
        assert!(survey(&spaces, 9999).is_err_and(|r| r.code == "xml::too-many-namespaces"));
        assert!(survey("<a><b></b>", 1).is_err_and(|r| r.code == "xml::too-deep" && r.byte == 3));
    }

    /// A gigabyte is allowed to every file, and ten times its size.
    #[test]
    fn what_takes_too_much_memory_is_refused() {
        let cost = |text: &str, times: usize| {
            let Cost { bytes, memory } = survey(text, 9).expect("a survey").cost;
            Cost { bytes: bytes * times, memory: memory * times }.refusal()
        };
        for dense in ["<site/>", "<motor joint='a'/>", "<body><joint/><geom size='1'/></body>"] {
            assert!(cost(dense, 20_000).is_none(), "{dense}");
            let refusal = cost(dense, (100 << 20) / dense.len()).expect("a refusal");
            assert!(refusal.message.contains("105 MB of XML"), "{}", refusal.message);
        }
        let many: String = (0..300).map(|k| format!(" a{k}=''")).collect();
        assert!(cost(&format!("<a{many}/>"), 100_000).is_some());
        let numbers = format!("<mesh vertex='{}'/>", "0.1 0.2 0.3 ".repeat(1000));
        assert!(cost(&numbers, 10_000).is_none());
    }
}
