//! The metadata in an article.

use serde::{Deserialize, Serialize};

use super::{
    heading::visible_text,
    tree::{NodeId, Tree},
};
use crate::corpus::categories;

/// Metadata from one source; missing fields are empty.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Metadata {
    pub id: String,
    pub categories: Vec<String>,
    pub title: String,
}

impl Metadata {
    /// Fills empty fields from another source.
    pub fn or(mut self, other: Metadata) -> Metadata {
        if self.id.is_empty() {
            self.id = other.id;
        }
        if self.categories.is_empty() {
            self.categories = other.categories;
        }
        if self.title.is_empty() {
            self.title = other.title;
        }
        self
    }
}

/// Reads an article's metadata: MREC's `meta`, the links of ar5iv, the watermark of arXiv's own HTML, the
/// document's title. A manifest takes precedence over the title of the page; see [`page_title`].
pub fn of_article(tree: &Tree<'_>) -> Metadata {
    let mrec = tree.elements("meta").find(|&node| tree.attribute(node, "arxivid").is_some());
    let mut found = mrec.map(|meta| from_mrec(tree, meta)).unwrap_or_default();
    if found.id.is_empty() {
        found = found.or(Metadata { id: canonical_id(tree).unwrap_or_default(), ..Metadata::default() });
        found = found.or(from_watermark(tree).unwrap_or_default());
    }
    if found.title.is_empty() {
        let title = tree.elements("h1").find(|&node| tree.class_contains(node, "title_document"));
        found.title = title.map(|node| visible_text(tree, node)).unwrap_or_default();
    }
    found
}

/// The title of the page, a fallback.
pub fn page_title(tree: &Tree<'_>) -> String {
    let title = tree.elements("title").next().map(|node| visible_text(tree, node)).unwrap_or_default();
    // ar5iv puts the id first: "[0704.0001] Title".
    match title.strip_prefix('[').and_then(|rest| rest.split_once("] ")) {
        Some((_, rest)) => rest.to_owned(),
        None => title,
    }
}

/// Splits a list of categories at spaces, commas or bars.
pub fn split_categories(list: &str) -> Vec<String> {
    list.split([' ', ',', '|', ';', '\t']).filter(|code| !code.is_empty()).map(str::to_owned).collect()
}

fn from_mrec(tree: &Tree<'_>, meta: NodeId) -> Metadata {
    let attribute = |name| tree.attribute(meta, name).unwrap_or_default().trim().to_owned();
    Metadata {
        id: attribute("arxivid"),
        categories: split_categories(&attribute("category")),
        title: attribute("title"),
    }
}

/// `<link rel="canonical" href="https://ar5iv.org/html/0704.0001">`
fn canonical_id(tree: &Tree<'_>) -> Option<String> {
    let link =
        tree.elements("link").find(|&node| tree.attribute(node, "rel").as_deref() == Some("canonical"))?;
    let href = tree.attribute(link, "href")?;
    let (_, id) = href.split_once("/html/").or_else(|| href.split_once("/abs/"))?;
    Some(without_version(id.trim_end_matches('/')).to_owned())
}

/// `arXiv:2401.00001v1 [math.NT] 01 Jan 2024`
fn from_watermark(tree: &Tree<'_>) -> Option<Metadata> {
    let node =
        tree.elements("div").find(|&node| tree.attribute(node, "id").as_deref() == Some("watermark-tr"))?;
    let text = visible_text(tree, node);
    let (id, rest) = text.strip_prefix("arXiv:")?.split_once(' ')?;
    let category = rest.split_once('[').and_then(|(_, rest)| rest.split_once(']')).map(|(code, _)| code);
    let known = category.filter(|code| categories::name(code).is_some());
    Some(Metadata {
        id: without_version(id).to_owned(),
        categories: known.map(str::to_owned).into_iter().collect(),
        title: String::new(),
    })
}

/// `2401.00001` of `2401.00001v3`.
pub fn without_version(id: &str) -> &str {
    match id.rsplit_once('v') {
        Some((bare, version))
            if !version.is_empty()
                && version.bytes().all(|byte| byte.is_ascii_digit())
                && bare.ends_with(|letter: char| letter.is_ascii_digit()) =>
        {
            bare
        }
        _ => id,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::corpus::extract::tree::Syntax;

    fn check(head: &str, id: &str, codes: &[&str], title: &str) {
        let article = format!("<html>{head}</html>");
        let tree = Tree::parse(&article, Syntax::Html).unwrap();
        let found = of_article(&tree);
        assert_eq!((found.id.as_str(), found.title.as_str()), (id, title));
        assert_eq!(found.categories, codes);
    }

    #[test]
    fn articles_of_every_origin_say_who_they_are() {
        check(
            "<meta arxivid='0704.0001' category='math.CO cs.CG' title='A title'>",
            "0704.0001",
            &["math.CO", "cs.CG"],
            "A title",
        );
        check(
            "<link rel='canonical' href='https://ar5iv.org/html/math/0511162v2'><h1 class='ltx_title ltx_title_document'>On <i>graphs</i></h1>",
            "math/0511162",
            &[],
            "On graphs",
        );
        check(
            "<div id='watermark-tr'>arXiv:2401.00001v1 [math.NT] 01 Jan 2024</div>",
            "2401.00001",
            &["math.NT"],
            "",
        );
        check("<title>x</title>", "", &[], "");
    }
}
