//! The markup of a statement, a proof or a paragraph, counted token by token.

use super::{
    Markup,
    formula::{Display, FormulaWriter, Frame, Sort},
    number::push_number,
    voice::Voice,
};
use crate::corpus::passage::Counts;

/// Writes words and formulas into paragraphs as LaTeXML does, and counts them as the extractor does.
pub struct PassageWriter<'a> {
    out: &'a mut String,
    formulas: &'a mut FormulaWriter,
    markup: Markup,
    /// Ids in this passage begin with it: `S2.Thmtheorem3`.
    prefix: String,
    /// The id of the next formula.
    formula_id: String,
    paragraphs: u64,
    formulas_in_paragraph: u64,
    displays: u64,
    /// Statements are set in italics.
    italic: bool,
    counts: Counts,
    after_formula: bool,
    /// A `p` is open. It is opened by the first thing that stands in it, so none is empty.
    in_line: bool,
    pending_article: bool,
}

impl<'a> PassageWriter<'a> {
    pub fn new(
        out: &'a mut String,
        formulas: &'a mut FormulaWriter,
        markup: Markup,
        prefix: &str,
        italic: bool,
    ) -> PassageWriter<'a> {
        PassageWriter {
            out,
            formulas,
            markup,
            prefix: prefix.to_owned(),
            formula_id: String::with_capacity(prefix.len() + 16),
            paragraphs: 0,
            formulas_in_paragraph: 0,
            displays: 0,
            italic,
            counts: Counts::default(),
            after_formula: false,
            in_line: false,
            pending_article: false,
        }
    }

    pub fn counts(&self) -> Counts {
        self.counts
    }

    pub fn begin_paragraph(&mut self) {
        self.paragraphs += 1;
        self.formulas_in_paragraph = 0;
        self.out.push_str("<div id=\"");
        self.push_paragraph_id();
        self.out.push_str("\" class=\"ltx_para\">\n");
    }

    pub fn end_paragraph(&mut self) {
        self.end_line();
        self.out.push_str("</div>\n");
    }

    /// A word after a space. "a" becomes "an" before a vowel.
    pub fn word(&mut self, word: &str) {
        if word == "a" {
            self.pending_article = true;
            return;
        }
        self.article(begins_with_vowel(word));
        self.space();
        self.out.push_str(word);
        self.counts.text += 1;
        self.after_formula = false;
    }

    /// Something without a space before it; after a formula it is a token.
    pub fn attached(&mut self, text: &str) {
        self.out.push_str(text);
        self.counts.text += usize::from(self.after_formula);
        self.after_formula = false;
    }

    /// A link to a place in the article: "Lemma 2.1" is two words.
    pub fn reference(&mut self, kind: &str, anchor: &str, label: &str) {
        self.word(kind);
        self.space();
        self.link(anchor, label);
        self.counts.text += 1;
    }

    /// A link to the bibliography: `[3]`.
    pub fn citation(&mut self, number: u32) {
        self.article(false);
        self.space();
        self.out.push_str("<cite class=\"ltx_cite ltx_citemacro_cite\">[");
        let label = number.to_string();
        self.link(&format!("bib.bib{label}"), &label);
        self.out.push_str("]</cite>");
        self.counts.text += 1;
        self.after_formula = false;
    }

    pub fn formula(&mut self, voice: &mut Voice<'_>, sort: Sort, tokens: usize) {
        self.article(false);
        self.space();
        self.next_formula_id();
        let frame =
            Frame { id: &self.formula_id, display: Display::Inline, punctuation: "", markup: self.markup };
        self.formulas.write(voice, sort, tokens, frame, self.out);
        self.counts.math += tokens;
        self.after_formula = true;
    }

    /// A displayed claim, or several in aligned rows; `rows` holds the tokens of each, its punctuation
    /// included. The last row ends with `punctuation`.
    pub fn display(&mut self, voice: &mut Voice<'_>, rows: &[usize], punctuation: &str) {
        self.article(false);
        self.end_line();
        self.displays += 1;
        let is_group = rows.len() > 1;
        self.out.push_str("<table id=\"");
        self.out.push_str(&self.prefix);
        self.out.push_str(if is_group { ".EGx" } else { ".Ex" });
        push_number(self.out, self.displays);
        self.out.push_str(if is_group {
            "\" class=\"ltx_equationgroup ltx_eqn_align ltx_eqn_table\">\n\n<tbody>"
        } else {
            "\" class=\"ltx_equation ltx_eqn_table\">\n\n<tbody>"
        });
        for (index, &tokens) in rows.iter().enumerate() {
            let is_last = index + 1 == rows.len();
            self.row(voice, tokens, if is_last { punctuation } else { "," }, is_group);
        }
        self.out.push_str("</tbody>\n</table>\n");
    }

    /// The sign at the end of a proof.
    pub fn end_of_proof(&mut self) {
        self.word("∎");
    }

    fn row(&mut self, voice: &mut Voice<'_>, tokens: usize, punctuation: &str, is_group: bool) {
        self.out.push_str(
            "<tr class=\"ltx_equation ltx_eqn_row ltx_align_baseline\">\n\
             <td class=\"ltx_eqn_cell ltx_eqn_center_padleft\"/>\n",
        );
        self.out.push_str(if is_group {
            "<td class=\"ltx_td ltx_align_right ltx_eqn_cell\">"
        } else {
            "<td class=\"ltx_eqn_cell ltx_align_center\">"
        });
        self.next_formula_id();
        let display = if is_group { Display::Inline } else { Display::Block };
        let frame = Frame { id: &self.formula_id, display, punctuation, markup: self.markup };
        self.formulas.write(voice, Sort::Claim, tokens - 1, frame, self.out);
        self.counts.math += tokens;
        self.out.push_str("</td>\n<td class=\"ltx_eqn_cell ltx_eqn_center_padright\"/></tr>\n");
    }

    fn end_line(&mut self) {
        if std::mem::take(&mut self.in_line) {
            self.out.push_str(if self.italic { "</span></p>\n" } else { "</p>\n" });
        }
    }

    fn article(&mut self, is_before_vowel: bool) {
        if std::mem::take(&mut self.pending_article) {
            self.space();
            self.out.push_str(if is_before_vowel { "an" } else { "a" });
            self.counts.text += 1;
            self.after_formula = false;
        }
    }

    /// What stands between this and the thing before it: a space, or the beginning of a line.
    fn space(&mut self) {
        if std::mem::replace(&mut self.in_line, true) {
            self.out.push(' ');
        } else {
            self.out.push_str("<p class=\"ltx_p\">");
            if self.italic {
                self.out.push_str("<span class=\"ltx_text ltx_font_italic\">");
            }
        }
    }

    fn link(&mut self, anchor: &str, label: &str) {
        for part in
            ["<a href=\"#", anchor, "\" class=\"ltx_ref\"><span class=\"ltx_text ltx_ref_tag\">", label]
        {
            self.out.push_str(part);
        }
        self.out.push_str("</span></a>");
        self.after_formula = false;
    }

    fn next_formula_id(&mut self) {
        self.formulas_in_paragraph += 1;
        self.formula_id.clear();
        self.formula_id.push_str(&self.prefix);
        self.formula_id.push_str(".p");
        push_number(&mut self.formula_id, self.paragraphs);
        self.formula_id.push_str(".m");
        push_number(&mut self.formula_id, self.formulas_in_paragraph);
    }

    fn push_paragraph_id(&mut self) {
        self.out.push_str(&self.prefix);
        self.out.push_str(".p");
        push_number(self.out, self.paragraphs);
    }
}

/// "unitary" and "uniform" begin with a vowel only in writing.
fn begins_with_vowel(word: &str) -> bool {
    word.starts_with(['a', 'e', 'i', 'o', 'A', 'E', 'I', 'O'])
        || (word.starts_with(['u', 'U']) && !word.starts_with("uni"))
}
