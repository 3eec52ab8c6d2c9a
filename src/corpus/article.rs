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
