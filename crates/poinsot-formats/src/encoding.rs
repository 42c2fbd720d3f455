//! From the bytes of a file to its text: in the encoding that the file declares, or refused by its name.
//!
//! A byte order mark, or zeros between the first letters, identifies UTF-16. Otherwise `<?xml … encoding="…"?>` decides;
//! without a declaration the text is UTF-8.

/// The text of a file, and a remark on how it was read.
#[derive(Debug, PartialEq)]
pub(crate) struct Text {
    pub text: String,
    pub warning: Option<String>,
}

/// The text, or why there is none.
pub(crate) fn decode(bytes: Vec<u8>) -> Result<Text, String> {
    match bytes[..] {
        [0xff, 0xfe, 0, 0, ..] | [0, 0, 0xfe, 0xff, ..] => Err(refusal("UTF-32")),
        [0xff, 0xfe, ..] => utf16(&bytes[2..], u16::from_le_bytes),
        [0xfe, 0xff, ..] => utf16(&bytes[2..], u16::from_be_bytes),
        [b'<', 0, ..] => utf16(&bytes, u16::from_le_bytes),
        [0, b'<', ..] => utf16(&bytes, u16::from_be_bytes),
        _ => by_declaration(bytes),
    }
}

fn refusal(encoding: &str) -> String {
    format!("it is in the encoding {encoding}, which is not read; save it as UTF-8")
}

fn utf16(bytes: &[u8], unit: fn([u8; 2]) -> u16) -> Result<Text, String> {
    let (pairs, odd) = bytes.as_chunks::<2>();
    let text: Result<String, _> = char::decode_utf16(pairs.iter().map(|p| unit(*p))).collect();
    match text {
        Ok(text) if odd.is_empty() => Ok(Text { text, warning: None }),
        _ => Err("it is in the encoding UTF-16, and broken; save it as UTF-8".into()),
    }
}

fn by_declaration(bytes: Vec<u8>) -> Result<Text, String> {
    let declared = declared(&bytes).unwrap_or_default();
    match declared.to_lowercase().as_str() {
        "" | "utf-8" | "utf8" | "us-ascii" | "ascii" => Ok(utf8(bytes, None)),
        "iso-8859-1" | "iso8859-1" | "iso_8859-1" | "latin1" | "latin-1" | "l1" => Ok(single(&bytes, latin1)),
        "windows-1252" | "cp1252" => Ok(single(&bytes, windows_1252)),
        // the declaration itself was read as single bytes, so it is wrong
        "utf-16" | "utf16" | "utf-16le" | "utf-16be" => Ok(utf8(bytes, Some(declared))),
        _ => Err(refusal(&declared)),
    }
}

/// The encoding that `<?xml … encoding="…"?>` names.
fn declared(bytes: &[u8]) -> Option<String> {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let head = String::from_utf8_lossy(&bytes[..bytes.len().min(512)]).into_owned();
    let declaration = head.trim_start().strip_prefix("<?xml")?.split("?>").next()?;
    let value = declaration.split_once("encoding")?.1.trim_start().strip_prefix('=')?.trim_start();
    let quote = value.chars().next().filter(|q| ['"', '\''].contains(q))?;
    value[1..].split(quote).next().map(|name| name.trim().to_string())
}

fn utf8(bytes: Vec<u8>, but_declared: Option<String>) -> Text {
    let warning = but_declared.map(|name| format!("it declares the encoding {name}, and is read as UTF-8"));
    match String::from_utf8(bytes) {
        Ok(text) => Text { text, warning },
        Err(error) => Text {
            text: String::from_utf8_lossy(error.as_bytes()).into_owned(),
            warning: Some(
                "it is not UTF-8, and declares no other encoding: letters that are not are read as \u{fffd}"
                    .into(),
            ),
        },
    }
}

fn single(bytes: &[u8], letter: fn(u8) -> char) -> Text {
    Text { text: bytes.iter().map(|b| letter(*b)).collect(), warning: None }
}

fn latin1(byte: u8) -> char {
    char::from(byte)
}

/// Latin 1 except for 0x80 to 0x9f.
fn windows_1252(byte: u8) -> char {
    const OTHERS: [char; 32] = [
        '€', '\u{81}', '‚', 'ƒ', '„', '…', '†', '‡', 'ˆ', '‰', 'Š', '‹', 'Œ', '\u{8d}', 'Ž', '\u{8f}',
        '\u{90}', '‘', '’', '“', '”', '•', '–', '—', '˜', '™', 'š', '›', 'œ', '\u{9d}', 'ž', 'Ÿ',
    ];
    match byte {
        0x80..=0x9f => OTHERS[usize::from(byte - 0x80)],
        _ => char::from(byte),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(bytes: &[u8]) -> String {
        decode(bytes.to_vec()).expect("a text").text
    }

    #[test]
    fn encodings_are_read_as_declared() {
        let declared = |name: &str, letter: &[u8]| {
            [format!("<?xml version='1.0' encoding=\"{name}\"?><a b='").as_bytes(), letter, b"'/>"].concat()
        };
        assert!(read(&declared("ISO-8859-1", b"\xfc")).contains("b='ü'"));
        assert!(read(&declared("windows-1252", b"\x80\xe4")).contains("b='€ä'"));
        assert!(read(&declared("utf-8", "ü".as_bytes())).contains("b='ü'"));
        let text = "<?xml version='1.0' encoding='UTF-16'?><a b='ü𝄞'/>";
        let little: Vec<u8> = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
        let big: Vec<u8> = text.encode_utf16().flat_map(u16::to_be_bytes).collect();
        for bytes in [[b"\xff\xfe", &little[..]].concat(), [b"\xfe\xff", &big[..]].concat(), little, big] {
            assert_eq!(read(&bytes), text);
        }
    }

    #[test]
    fn what_cannot_be_read_is_named() {
        let refused = |bytes: &[u8]| decode(bytes.to_vec()).expect_err("no text");
        assert!(refused(b"<?xml version='1.0' encoding='Shift_JIS'?><a/>").contains("Shift_JIS"));
        assert!(refused(b"\xff\xfe\0\0<\0\0\0").contains("UTF-32"));
        assert!(refused(b"\xff\xfe<\0a").contains("UTF-16"));
        let garbled = decode(b"<a b='\xfc'/>".to_vec()).expect("a text");
        assert!(garbled.text.contains('\u{fffd}') && garbled.warning.is_some());
        let wrong = decode(b"<?xml encoding='utf-16'?><a/>".to_vec()).expect("a text");
        assert!(wrong.warning.is_some_and(|w| w.contains("utf-16")));
        assert_eq!(decode(Vec::new()).map(|t| t.text), Ok(String::new()));
    }
}
