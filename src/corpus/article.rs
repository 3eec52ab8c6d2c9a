//! An article: the document that pairs come from.

use serde::{Deserialize, Serialize};

/// An article's metadata.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Article {
    /// The arXiv identifier, or the file's stem when there is none.
    pub id: String,
    pub title: String,
    /// arXiv categories; the first is the primary one. May be empty.
    pub categories: Vec<String>,
    /// The file's name, without its folder, so that a corpus does not depend on the location of its articles.
    pub file: String,
    /// Where the article can be read again: a path, or an archive's path, `!` and the entry.
    pub source: String,
    pub dialect: Dialect,
}

impl Article {
    /// The primary category, or an empty string.
    pub fn primary(&self) -> &str {
        self.categories.first().map_or("", String::as_str)
    }
}

/// The year of an arXiv identifier: 2007 for `0704.0001` and `2305.12345v2`, 2005 for `math/0511162`. `None` for other ids.
pub fn year_of(id: &str) -> Option<u16> {
    let digits = match id.rsplit_once('/') {
        Some((_, old)) => old,
        None => id.split_once('.').map(|(start, _)| start).filter(|start| start.len() == 4)?,
    };
    let number = |range: std::ops::Range<usize>| {
        digits.get(range).filter(|two| two.bytes().all(|byte| byte.is_ascii_digit()))?.parse::<u16>().ok()
    };
    let (year, month) = (number(0..2)?, number(2..4)?);
    // arXiv began in 1991.
    (1..=12).contains(&month).then_some(if year >= 91 { 1900 + year } else { 2000 + year })
}

/// The markup dialect of a LaTeXML article, or `Imported` for pairs from elsewhere.
#[derive(
    Clone,
    Copy,
    Debug,
    Default,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    Serialize,
    Deserialize,
    strum::Display,
    strum::EnumString,
    strum::IntoStaticStr,
)]
#[serde(rename_all = "lowercase")]
#[strum(serialize_all = "lowercase")]
pub enum Dialect {
    /// MREC / arXMLiv 2011: `m:`-prefixed MathML, `class="theorem"`.
    Mrec,
    /// Current LaTeXML XHTML.
    Xhtml,
    /// LaTeXML HTML5, as ar5iv and arXiv serve it.
    Html5,
    /// Read from a file of pairs, not from an article.
    #[default]
    Imported,
}

impl Dialect {
    pub fn name(self) -> &'static str {
        self.into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_identifier_has_a_year() {
        for (id, year) in [
            ("0704.0001", Some(2007)),
            ("2305.12345v2", Some(2023)),
            ("math/0511162", Some(2005)),
            ("hep-th/9901001", Some(1999)),
            ("demo.01", None),
            ("0799.0001", None),
            ("typed", None),
            ("é/é", None),
        ] {
            assert_eq!(year_of(id), year, "{id}");
        }
    }
}
