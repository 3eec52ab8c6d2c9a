//! From (seed, number) to an article.

use super::{
    Markup, categories,
    formula::FormulaWriter,
    lexicon::Lexicon,
    page::PageWriter,
    plan::Plan,
    random::Random,
    templates::Templates,
    voice::{Style, Subject, Voice},
};

/// Makes articles. It holds nothing that changes, so all threads share one.
pub struct Generator {
    pub seed: u64,
    pub markup: Markup,
    pub lexicon: Lexicon,
    pub templates: Templates,
}

/// What the manifest says of an article.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Metadata {
    /// `synth.0000001`
    pub id: String,
    /// The primary one first.
    pub categories: Vec<&'static str>,
    pub title: String,
}

/// Streams of chance: what is planned, what all of an article has in common, and then one for each
/// item, so that an article that is cut short is the same up to there.
const PLAN: u64 = 1;
const STYLE: u64 = 2;
const ITEMS: u64 = 1_000;

impl Generator {
    pub fn new(seed: u64, markup: Markup) -> Generator {
        Generator { seed, markup, lexicon: Lexicon::new(), templates: Templates::new() }
    }

    pub fn plan(&self, number: u64) -> Plan {
        Plan::draw(&mut self.stream(number, PLAN))
    }

    /// Writes the article of a plan.
    pub fn write(
        &self,
        number: u64,
        plan: &Plan,
        formulas: &mut FormulaWriter,
        out: &mut String,
    ) -> Metadata {
        let (metadata, style) = self.metadata(number);
        let mut page = PageWriter::new(self, number, &style, formulas, out);
        page.begin(&metadata);
        for (index, &item) in plan.items.iter().enumerate() {
            page.item(item, self.stream(number, ITEMS + index as u64));
        }
        page.end(self.stream(number, ITEMS - 1));
        metadata
    }

    fn metadata(&self, number: u64) -> (Metadata, Style) {
        let mut random = self.stream(number, STYLE);
        let categories = categories::draw(&mut random);
        let field = categories.first().map_or(0, |code| categories::rank(code));
        let style = Style::draw(&self.lexicon, field, &mut random);
        let subject = Subject::draw(&style, &mut random);
        let mut voice = Voice::new(&self.lexicon, &style, &subject, random);
        let title = format!(
            "Generated article {number}: {} {} and the {} {}",
            voice.adjective(),
            voice.noun(),
            voice.adjective(),
            voice.noun()
        );
        (Metadata { id: id(number), categories, title }, style)
    }

    fn stream(&self, number: u64, part: u64) -> Random {
        Random::named(&[self.seed, number, part])
    }
}

/// The id of an article, also its file's name without the extension.
pub fn id(number: u64) -> String {
    format!("synth.{number:07}")
}
