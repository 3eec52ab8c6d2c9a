//! A fast path for simple markup, which bypasses quick-xml's events.
//!
//! Nearly all of an article is text without references, tags with attributes in double quotes, and end tags of the
//! innermost open element. They are machine-written and uniform, so a few bytes identify them, which makes parsing an
//! article a third faster than one event for each. Anything else (references, comments, declarations, single quotes,
//! mismatched end tags, `>` in a value) is left to quick-xml.

use memchr::{memchr, memchr2};

use super::{NodeKind, builder::Builder};
use crate::corpus::extract::problem::Unreadable;

impl<'a> Builder<'a> {
    /// Reads as long as the markup is simple.
    pub(super) fn read_plain(&mut self) -> Result<(), Unreadable> {
        while self.plain_text()? && (self.plain_end() || self.plain_start()?) {}
        Ok(())
    }

    /// Reads text up to the next tag; returns false if there is a reference before it, or no tag.
    fn plain_text(&mut self) -> Result<bool, Unreadable> {
        let from = self.position();
        let rest = &self.source.as_bytes()[from..];
        let Some(length) = memchr2(b'<', b'&', rest) else { return Ok(false) };
        if length > 0 {
            self.text(NodeKind::Text, from, from + length)?;
            *self.reader.get_mut() = &rest[length..];
        }
        Ok(rest[length] == b'<')
    }

    /// Closes the innermost open element if its end tag is next.
    fn plain_end(&mut self) -> bool {
        let Some(open) = self.open.last() else { return false };
        let rest = &self.source.as_bytes()[self.position()..];
        let end = rest
            .strip_prefix(b"</")
            .and_then(|end| end.strip_prefix(open.name.as_bytes()))
            .and_then(|end| end.strip_prefix(b">"));
        let Some(after) = end else { return false };
        *self.reader.get_mut() = after;
        self.close(self.position());
        true
    }

    /// Opens the element whose tag is next, if the tag is simple.
    fn plain_start(&mut self) -> Result<bool, Unreadable> {
        let before = self.position();
        let rest = &self.source.as_bytes()[before..];
        let Some(tag) = plain_tag(rest) else { return Ok(false) };
        let after = before + tag.length;
        let raw = &self.source[before + 1..before + 1 + tag.inner];
        *self.reader.get_mut() = &rest[tag.length..];
        if tag.is_empty {
            self.element(raw, tag.name, before, after)?;
        } else {
            self.start(raw, tag.name, before, after)?;
        }
        Ok(true)
    }
}

/// The lengths of a tag and its parts.
#[derive(Debug, PartialEq, Eq)]
struct PlainTag {
    /// From `<` to `>`.
    length: usize,
    /// Name and attributes.
    inner: usize,
    name: usize,
    is_empty: bool,
}

/// The tag at the beginning of `rest`, if it is certain where it ends.
fn plain_tag(rest: &[u8]) -> Option<PlainTag> {
    if !rest.get(1)?.is_ascii_alphabetic() {
        return None;
    }
    let closing = memchr(b'>', rest)?;
    let is_empty = rest[closing - 1] == b'/';
    let inner = &rest[1..closing - usize::from(is_empty)];
    let is_name_end = |byte: &u8| matches!(byte, b' ' | b'\n' | b'\t' | b'\r' | b'/' | b'"' | b'\'' | b'=');
    let name = inner.iter().position(is_name_end).unwrap_or(inner.len());
    // With attributes, this `>` ends the tag only if it directly follows the quote that ends a value. Such a
    // quote follows neither `=` nor white space, as one that begins a value does.
    let is_certain = name == inner.len()
        || matches!(inner, [.., before, b'"'] if *before != b'=' && !before.is_ascii_whitespace())
            && memchr(b'\'', inner).is_none();
    is_certain.then_some(PlainTag { length: closing + 1, inner: inner.len(), name, is_empty })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn inner(source: &str) -> Option<(&str, bool)> {
        plain_tag(source.as_bytes()).map(|tag| (&source[1..=tag.inner], tag.is_empty))
    }

    #[test]
    fn tags_of_latexml_are_plain() {
        assert_eq!(inner("<mi>x</mi>"), Some(("mi", false)));
        assert_eq!(inner("<br/>"), Some(("br", true)));
        assert_eq!(inner("<mo id=\"a\" x=\"b\">"), Some(("mo id=\"a\" x=\"b\"", false)));
        assert_eq!(inner("<m:mo id=\"a\"/>"), Some(("m:mo id=\"a\"", true)));
        assert_eq!(plain_tag(b"<m:mo id=\"a\">").unwrap().name, 4);
    }

    #[test]
    fn unusual_markup_is_left_to_the_parser() {
        for source in [
            "<a t=\">\">",
            "<a t=\"b>c\">",
            "<a t='\">' u>",
            "<a t=\"b\" >",
            "<a t=b>",
            "<a \">\">",
            "<!-- -->",
            "</a>",
            "<a t=\"b\" / >",
            "<a",
            "<",
            "<?x?>",
        ] {
            assert_eq!(inner(source), None, "{source}");
        }
    }
}
