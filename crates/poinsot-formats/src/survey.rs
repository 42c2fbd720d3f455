//! A look at a document before it is parsed: what would cost the parser its stack, or hours, is refused.

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

/// A large document of very many elements takes many times its size of memory: it is refused when it would take more than
/// so many times, at so many bytes for an element with what is made of it.
const LARGE: usize = 64 << 20;
const MOST_TIMES: usize = 10;
const BYTES_OF_ELEMENT: usize = 1600;

/// How deep the elements are nested, at most. Never less than what the parser will find: what is not well-formed ends
/// the parser's work, not this count.
pub(crate) fn survey(text: &str, deepest_allowed: usize) -> Result<usize, Refusal> {
    let refuse = |code, message, byte| Err(Refusal { code, message, byte });
    if text.matches("xmlns:").nth(MOST_NAMESPACES).is_some() {
        let message = format!("there are more than {MOST_NAMESPACES} namespaces");
        return refuse("xml::too-many-namespaces", message, 0);
    }
    let bytes = text.as_bytes();
    let (mut at, mut level, mut deepest, mut elements) = (0, 0usize, 0, 0usize);
    while let Some(open) = text[at..].find('<').map(|k| at + k) {
        let rest = &text[open..];
        // the end is looked for behind the beginning: `<!-->` is no whole comment
        let skip = |begin: &str, end: &str| {
            let found = rest[begin.len()..].find(end);
            found.map_or(text.len(), |k| open + begin.len() + k + end.len())
        };
        let begins = |begin: &str| rest.starts_with(begin);
        at = if begins("<!--") {
            skip("<!--", "-->")
        } else if begins("<![CDATA[") {
            skip("<![CDATA[", "]]>")
        } else if begins("<?") {
            skip("<?", "?>")
        } else if begins("</") {
            level = level.saturating_sub(1);
            skip("</", ">")
        } else {
            elements += 1;
            let (end, attributes) = end_of_tag(bytes, open);
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
    if text.len() > LARGE && elements * BYTES_OF_ELEMENT > MOST_TIMES * text.len() {
        let (megabytes, gigabytes) = (text.len() >> 20, (elements * BYTES_OF_ELEMENT) as f64 / 1e9);
        let message = format!(
            "{elements} elements in {megabytes} MB would take about {gigabytes:.1} GB of memory, more than {MOST_TIMES} times \
             the size of the file; split the model, or put meshes into files of their own"
        );
        return refuse("xml::too-many-elements", message, 0);
    }
    Ok(deepest)
}

/// One past the `>` that ends the tag at `open`, and the number of values in quotes; quotes may hold other `>`.
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
        survey(text, 1000).expect("a depth")
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
}
