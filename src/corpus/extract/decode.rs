//! Decoding bytes to text: byte-order marks, UTF-16, declared encodings; rejects binary files.

use std::borrow::Cow;

use encoding_rs::{Encoding, UTF_8, UTF_16BE, UTF_16LE};
use memchr::{memchr, memchr_iter, memmem};

use super::problem::Unreadable;

/// Only this many bytes are searched for a declared encoding.
const DECLARATION: usize = 1024;

/// Decodes an article, or returns why that is impossible.
pub fn decode(bytes: &[u8]) -> Result<Cow<'_, str>, Unreadable> {
    if bytes.iter().all(u8::is_ascii_whitespace) {
        return Err(Unreadable::Empty);
    }
    if let Some(what) = foreign(bytes) {
        return Err(Unreadable::Foreign { what: what.to_owned() });
    }
    let text = match encoding_of(bytes) {
        (encoding, marked) if encoding == UTF_8 => {
            let body = &bytes[marked..];
            let text = std::str::from_utf8(body)
                .map_err(|error| Unreadable::NotUtf8 { offset: marked + error.valid_up_to() })?;
            Cow::Borrowed(text)
        }
        (encoding, marked) => encoding
            .decode_without_bom_handling_and_without_replacement(&bytes[marked..])
            .ok_or(Unreadable::BadEncoding { encoding: encoding.name().to_owned() })?,
    };
    if let Some(at) = memchr(0, text.as_bytes()) {
        return Err(Unreadable::NulByte { line: memchr_iter(b'\n', &text.as_bytes()[..at]).count() + 1 });
    }
    Ok(text)
}

/// The encoding and the length of the byte-order mark.
fn encoding_of(bytes: &[u8]) -> (&'static Encoding, usize) {
    if let Some(found) = Encoding::for_bom(bytes) {
        return found;
    }
    // UTF-16 without a mark has a zero byte beside the first `<`.
    match bytes {
        [b'<', 0, ..] => return (UTF_16LE, 0),
        [0, b'<', ..] => return (UTF_16BE, 0),
        _ => {}
    }
    (declared(&bytes[..bytes.len().min(DECLARATION)]).unwrap_or(UTF_8), 0)
}

/// `<?xml encoding="..."?>` or `<meta charset=...>`.
fn declared(head: &[u8]) -> Option<&'static Encoding> {
    for key in [&b"encoding="[..], b"charset="] {
        let Some(at) = memmem::find(head, key) else { continue };
        let rest = head[at + key.len()..].trim_ascii_start();
        let rest = rest.strip_prefix(b"\"").or_else(|| rest.strip_prefix(b"'")).unwrap_or(rest);
        let length =
            rest.iter().take_while(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(byte)).count();
        if let Some(encoding) = Encoding::for_label(&rest[..length]) {
            // A declaration that was found byte by byte cannot be in UTF-16, whatever it says.
            return (encoding != UTF_16LE && encoding != UTF_16BE).then_some(encoding);
        }
    }
    None
}

/// File types that often occur under an article's name.
fn foreign(bytes: &[u8]) -> Option<&'static str> {
    const SIGNATURES: [(&[u8], &str); 7] = [
        (b"%PDF", "a PDF"),
        (b"%!PS", "PostScript"),
        (b"PK\x03\x04", "a zip archive"),
        (b"\x1f\x8b", "gzip data"),
        (b"\x28\xb5\x2f\xfd", "zstd data"),
        (b"\x89PNG", "an image"),
        (b"\x7fELF", "an executable"),
    ];
    SIGNATURES.iter().find(|(signature, _)| bytes.starts_with(signature)).map(|(_, what)| *what)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_found_in_any_encoding() {
        let utf16: Vec<u8> = "<p>é</p>".encode_utf16().flat_map(u16::to_le_bytes).collect();
        let marked: Vec<u8> = [&[0xff, 0xfe], &utf16[..]].concat();
        for bytes in ["<p>é</p>".as_bytes(), "\u{feff}<p>é</p>".as_bytes(), &utf16, &marked] {
            assert_eq!(decode(bytes).unwrap(), "<p>é</p>");
        }
        let latin = b"<?xml version='1.0' encoding='iso-8859-1'?><p>\xe9</p>";
        assert!(decode(latin).unwrap().ends_with("<p>é</p>"));
    }

    #[test]
    fn what_is_no_text_says_why() {
        assert_eq!(decode(b"").unwrap_err(), Unreadable::Empty);
        assert_eq!(decode(b" \n").unwrap_err(), Unreadable::Empty);
        assert_eq!(decode(b"<p>\xff</p>").unwrap_err(), Unreadable::NotUtf8 { offset: 3 });
        assert_eq!(decode(b"<p>\n\0</p>").unwrap_err(), Unreadable::NulByte { line: 2 });
        assert_eq!(decode(b"%PDF-1.4").unwrap_err(), Unreadable::Foreign { what: "a PDF".to_owned() });
    }
}
