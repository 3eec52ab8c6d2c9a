//! From (seed, number) to an article.

use super::{
    Markup,
    mutation::{Mutation, Vocabulary},
    template::{Division, PairTemplate, Piece, Template},
};
use crate::{
    base::{markup, rng::Rng},
    corpus::{
        demo::{self, DemoError},
        extract::options::Options,
    },
};

/// Makes articles. It never changes, so all threads share one.
pub struct Generator {
    seed: u64,
    templates: Vec<Template>,
    vocabulary: Vocabulary,
}

/// A part of an article.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Item {
    Interlude,
    /// A statement without a proof.
    Unproved,
    /// A pair that the paper's filter keeps.
    Pair,
    ShortProof,
    LongProof,
}

/// A line of the manifest.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Metadata {
    /// `synth.0000001`
    pub id: String,
    /// The primary one first.
    pub categories: Vec<&'static str>,
    pub title: String,
}

/// Pairs per article: 6.6 on average, as in the paper's Table 1. Zero makes an article without any.
const PAIRS: [usize; 12] = [0, 1, 2, 3, 3, 4, 5, 6, 7, 9, 12, 21];

/// How many pairs of the demo are merged into one; the lengths then have about the paper's means and deviations.
const MERGED: [usize; 8] = [1, 1, 1, 1, 1, 1, 2, 3];

/// No heading has more tokens.
const HEADING: usize = 12;

const SHORT_PROOF: &str = "<div class=\"ltx_proof\">\n\
    <h6 class=\"ltx_title ltx_runin ltx_font_italic ltx_title_proof\">Proof.</h6>\n\
    <div class=\"ltx_para\">\n<p class=\"ltx_p\">This is clear.\n∎</p>\n</div>\n</div>\n";

/// The categories of the paper's Table 1 in its order, then others.
pub const CATEGORIES: [&str; 40] = [
    "math.AG", "math.DG", "math.CO", "math.GT", "math.NT", "math.PR", "math.AP", "math-ph", "math.FA",
    "math.GR", "math.DS", "math.QA", "math.OA", "math.RT", "math.AT", "math.RA", "math.CV", "math.AC",
    "math.CA", "math.LO", "math.OC", "math.MG", "math.SG", "math.CT", "math.NA", "math.GN", "math.ST",
    "cs.IT", "math.KT", "hep-th", "math.SP", "cs.DM", "quant-ph", "cs.LO", "cs.CC", "nlin.SI", "gr-qc",
    "cs.DS", "math.GM", "math.HO",
];

impl Generator {
    pub fn new(seed: u64, markup: Markup) -> Result<Generator, DemoError> {
        let articles = demo::articles()?;
        let templates: Vec<Template> =
            articles.into_iter().filter_map(|(_, article)| Template::read(article, markup)).collect();
        let vocabulary = Vocabulary::new(&templates);
        Ok(Generator { seed, templates, vocabulary })
    }

    /// What an article will contain. Numbers begin with 1.
    pub fn plan(&self, number: u64) -> Vec<Item> {
        let mut rng = self.stream("synth plan", number, 0);
        let mut kept = PAIRS[rng.below(PAIRS.len())];
        let mut items = vec![Item::Interlude];
        while kept > 0 || items.len() < 3 {
            items.push(match rng.below(100) {
                0..65 if kept > 0 => Item::Pair,
                0..80 => Item::Interlude,
                80..92 => Item::Unproved,
                92..96 => Item::ShortProof,
                _ => Item::LongProof,
            });
            kept -= usize::from(items.last() == Some(&Item::Pair));
        }
        items
    }

    /// Writes an article.
    pub fn write(&self, number: u64, plan: &[Item], out: &mut String) -> Metadata {
        let mut rng = self.stream("synth style", number, 0);
        let template = &self.templates[rng.below(self.templates.len())];
        let mutation = Mutation::draw(template, &self.vocabulary, &mut rng);
        let title = format!("Generated article {number}: {}", template.title);
        let metadata = Metadata { id: id(number), categories: draw_categories(&mut rng), title };
        let mut page = Page { template, mutation, out, label: 0, prefix: String::new() };
        page.begin(&metadata);
        for (index, &item) in plan.iter().enumerate() {
            page.item(index, item, &mut self.stream("synth item", number, index as u64));
        }
        page.end();
        metadata
    }

    /// Every item has its own stream, so that a truncated article is unchanged up to the cut.
    fn stream(&self, purpose: &str, number: u64, index: u64) -> Rng {
        Rng::named(self.seed, purpose, number, index)
    }
}

/// The id of an article, which is also its file name without the extension.
pub fn id(number: u64) -> String {
    format!("synth.{number:07}")
}

/// Draws 1.7 categories on average, as in the paper, the first ones of the table most often.
pub fn draw_categories(rng: &mut Rng) -> Vec<&'static str> {
    let count = [1, 1, 1, 1, 1, 2, 2, 2, 3, 3][rng.below(10)];
    let mut drawn = Vec::with_capacity(count);
    while drawn.len() < count {
        let code = CATEGORIES[rng.below(CATEGORIES.len()).min(rng.below(CATEGORIES.len()))];
        if !drawn.contains(&code) {
            drawn.push(code);
        }
    }
    drawn
}

/// Writes one article.
struct Page<'a> {
    template: &'a Template,
    mutation: Mutation,
    out: &'a mut String,
    /// The number of the last statement.
    label: u32,
    /// For the ids of the current item.
    prefix: String,
}

impl Page<'_> {
    fn begin(&mut self, metadata: &Metadata) {
        let (title, categories) = (markup::escape(&metadata.title), metadata.categories.join(" "));
        self.out.push_str(&format!(
            r##"<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.1 plus MathML 2.0//EN" "http://www.w3.org/Math/DTD/mathml2/xhtml-math11-f.dtd">
<html xmlns="http://www.w3.org/1999/xhtml" lang="en">
<head>
<meta http-equiv="content-type" content="application/xhtml+xml; charset=UTF-8"/>
<title>{title}</title>
<meta name="generator" content="matchbook synth"/>
<meta name="keywords" content="{categories}"/>
</head>
<body>
<div class="ltx_page_main">
<div class="ltx_page_content">
<div class="ltx_document ltx_authors_1line">
<h1 class="ltx_title ltx_title_document">{title}</h1>
"##
        ));
    }

    fn end(&mut self) {
        self.out.push_str(
            "</div>\n</div>\n<div class=\"ltx_page_footer\">\n\
             <div class=\"ltx_page_logo\">Generated by matchbook synth; nothing in it is meant or true</div></div>\n\
             </div>\n</body>\n</html>\n",
        );
    }

    fn item(&mut self, index: usize, item: Item, rng: &mut Rng) {
        self.prefix = format!("I{index}.");
        let Template { pairs, interludes, .. } = self.template;
        if item == Item::Interlude {
            return self.pieces(&interludes[rng.below(interludes.len())]);
        }
        let mut drawn: Vec<&PairTemplate> = pairs.iter().collect();
        rng.shuffle(&mut drawn);
        let longest = Options::default().longest;
        // All headings are counted, although a merged passage has only one.
        let tokens = |count: usize, side: fn(&PairTemplate) -> usize| {
            drawn[..count].iter().map(|pair| side(pair)).sum::<usize>()
        };
        let proof_tokens = |count| tokens(count, |pair| pair.proof.tokens);
        let statement_tokens = |count| tokens(count, |pair| pair.statement.tokens);
        let mut merged = if item == Item::Pair { MERGED[rng.below(MERGED.len())] } else { 1 };
        while merged > 1 && statement_tokens(merged).max(proof_tokens(merged)) > longest {
            merged -= 1;
        }
        self.division(drawn[..merged].iter().map(|pair| &pair.statement));
        match item {
            Item::Interlude | Item::Unproved => {}
            Item::ShortProof => self.out.push_str(SHORT_PROOF),
            Item::Pair => self.division(drawn[..merged].iter().map(|pair| &pair.proof)),
            Item::LongProof => {
                while merged < drawn.len() && proof_tokens(merged) <= longest + HEADING * merged {
                    merged += 1;
                }
                self.division(drawn[..merged].iter().map(|pair| &pair.proof));
            }
        }
    }

    /// Writes a statement or a proof, made of several.
    fn division<'a>(&mut self, parts: impl Iterator<Item = &'a Division>) {
        for (index, part) in parts.enumerate() {
            if index == 0 {
                self.pieces(&part.heading);
            }
            self.pieces(&part.body);
        }
        self.out.push_str("</div>\n");
    }

    fn pieces(&mut self, pieces: &[Piece]) {
        let Page { template, mutation, out, label, prefix } = self;
        mutation.write(&template.source, pieces, prefix, label, out);
    }
}
