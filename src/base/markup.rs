//! HTML and SVG, written tag by tag. Text and attribute values are escaped here, so that no export has to remember it.
//!
//! Three things could go wrong with a token from an article: it could be read as markup; it could hold a character
//! that the format forbids; it could change the reading direction of everything after it. The first is escaped, the
//! other two become U+FFFD.

use std::fmt::{self, Display};

/// An attribute's name and value.
pub type Attribute<'a> = (&'a str, &'a dyn Display);

/// A document, or a part of one, that is being written.
#[derive(Clone, Debug, Default)]
pub struct Markup(String);

impl Markup {
    pub fn new() -> Markup {
        Markup::default()
    }

    /// A standalone SVG document of this size, whose root element is left open.
    pub fn svg(width: f64, height: f64, font_family: &str, font_size: u32) -> Markup {
        let mut svg = Markup::new();
        svg.open(
            "svg",
            &[
                ("xmlns", &"http://www.w3.org/2000/svg"),
                ("width", &width),
                ("height", &height),
                ("viewBox", &format_args!("0 0 {width} {height}")),
                ("font-family", &font_family),
                ("font-size", &font_size),
            ],
        );
        svg.line();
        svg
    }

    /// `<name attributes>`
    pub fn open(&mut self, name: &str, attributes: &[Attribute<'_>]) -> &mut Markup {
        self.tag(name, attributes, ">")
    }

    /// `</name>`
    pub fn close(&mut self, name: &str) -> &mut Markup {
        self.0.push_str("</");
        self.0.push_str(name);
        self.0.push('>');
        self
    }

    /// `<name attributes/>`
    pub fn empty(&mut self, name: &str, attributes: &[Attribute<'_>]) -> &mut Markup {
        self.tag(name, attributes, "/>")
    }

    /// `<name attributes>text</name>`
    pub fn element(&mut self, name: &str, attributes: &[Attribute<'_>], text: &str) -> &mut Markup {
        self.open(name, attributes).text(text).close(name)
    }

    pub fn text(&mut self, text: &str) -> &mut Markup {
        self.0.push_str(&escape(text));
        self
    }

    /// Markup that is already written, such as a constant or the content of another [`Markup`].
    pub fn raw(&mut self, markup: &str) -> &mut Markup {
        self.0.push_str(markup);
        self
    }

    /// Ends a line.
    pub fn line(&mut self) -> &mut Markup {
        self.raw("\n")
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub fn finish(self) -> String {
        self.0
    }

    fn tag(&mut self, name: &str, attributes: &[Attribute<'_>], end: &str) -> &mut Markup {
        self.0.push('<');
        self.0.push_str(name);
        for (attribute, value) in attributes {
            self.0.push(' ');
            self.0.push_str(attribute);
            self.0.push_str("=\"");
            self.0.push_str(&escape(&value.to_string()));
            self.0.push('"');
        }
        self.0.push_str(end);
        self
    }
}

/// A coordinate with one decimal, which is as fine as a picture needs.
#[derive(Clone, Copy, Debug)]
pub struct Tenths(pub f64);

impl Display for Tenths {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{:.1}", self.0)
    }
}

/// Text for an element or a quoted attribute.
pub fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            letter if is_unsafe(letter) => out.push('\u{fffd}'),
            letter => out.push(letter),
        }
    }
    out
}

/// Control characters, characters that XML forbids, and those that change the reading direction.
fn is_unsafe(letter: char) -> bool {
    letter.is_control()
        || matches!(letter, '\u{200e}' | '\u{200f}' | '\u{61c}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
        || matches!(letter as u32 & 0xffff, 0xfffe | 0xffff)
        || matches!(letter, '\u{fdd0}'..='\u{fdef}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_and_values_are_escaped() {
        let mut page = Markup::new();
        page.open("p", &[("title", &"a \"b\""), ("x", &Tenths(1.25))])
            .text("1 < 2 & 'x'\u{202e}")
            .close("p")
            .line();
        page.empty("br", &[]).element("b", &[], "<>");
        assert_eq!(
            page.finish(),
            "<p title=\"a &quot;b&quot;\" x=\"1.2\">1 &lt; 2 &amp; &#39;x&#39;\u{fffd}</p>\n<br/><b>&lt;&gt;</b>"
        );
    }

    #[test]
    fn a_picture_has_its_size() {
        let mut svg = Markup::svg(900.0, 40.5, "sans-serif", 12);
        svg.close("svg");
        assert_eq!(
            svg.finish(),
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"900\" height=\"40.5\" viewBox=\"0 0 900 40.5\" \
             font-family=\"sans-serif\" font-size=\"12\">\n</svg>"
        );
    }
}
