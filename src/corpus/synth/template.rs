//! A demo article as a template: everything that a [mutation](super::mutation) changes is marked.

use std::collections::HashMap;

use super::Markup;
use crate::corpus::{
    Dialect, Font,
    extract::{article::ArticleReader, options::Options},
};

pub struct Template {
    pub title: String,
    pub pairs: Vec<PairTemplate>,
    /// The markup between the pairs: paragraphs and definitions.
    pub interludes: Vec<Vec<Piece>>,
    /// The longer words, which [`Piece::Word`] refers to.
    pub words: Vec<String>,
    /// One bit for each letter that TeX and MathML do not agree on, as the differential `d`: it is never renamed.
    pub fixed_letters: u64,
    pub source: String,
}

pub struct PairTemplate {
    pub statement: Division,
    pub proof: Division,
}

/// A statement or a proof.
pub struct Division {
    pub heading: Vec<Piece>,
    pub body: Vec<Piece>,
    pub tokens: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Piece {
    /// Bytes of the source, from and to.
    Copy(u32, u32),
    /// A variable, in TeX and presentation or, italic, in content: `A` to `Z`, then `a` to `z`, numbered from 0.
    Letter {
        number: u8,
        italic: bool,
    },
    Word(u32),
    /// The beginning of an id or of a reference to one.
    IdPrefix,
    /// The id of the pair's statement.
    Anchor,
    /// The number of a statement, in its heading.
    Label,
}

/// Commands whose argument is not made of variables.
const OPAQUE: [&str; 9] =
    ["mathbb", "mathbf", "mathcal", "mathfrak", "mathrm", "mathsf", "operatorname", "text", "begin"];

impl Template {
    /// Reads a demo article; `None` if it is not in LaTeXML's XHTML.
    pub fn read(article: Vec<u8>, markup: Markup) -> Option<Template> {
        let found = ArticleReader::default().read(&article, &Options::default()).ok()?;
        let source = String::from_utf8(article).ok().filter(|_| found.dialect == Dialect::Xhtml)?;
        let mut marker = Marker {
            source: &source,
            markup,
            pieces: Vec::new(),
            anchor: None,
            words: HashMap::new(),
            surplus: [0; 52],
            fixed_letters: 0,
        };
        let (mut pairs, mut spans) = (Vec::new(), Vec::new());
        for pair in &found.pairs {
            marker.anchor = Some(&pair.anchor);
            spans.extend([pair.statement_span, pair.proof_span]);
            pairs.push(PairTemplate {
                statement: marker.division(pair.statement_span, pair.statement.counts().total())?,
                proof: marker.division(pair.proof_span, pair.proof.counts().total())?,
            });
        }
        spans.sort_unstable();
        marker.anchor = None;
        let title_end = "</h1>";
        let mut at = (source.find(title_end)? + title_end.len()) as u32;
        let mut interludes = Vec::new();
        for (start, end) in spans {
            if !source[at as usize..start as usize].trim().is_empty() {
                interludes.push(marker.mark(at, start));
            }
            at = end;
        }
        let mut words = vec![String::new(); marker.words.len()];
        marker.words.into_iter().for_each(|(word, number)| words[number as usize] = word.to_owned());
        let fixed_letters = marker.fixed_letters;
        Some(Template { title: found.page_title, pairs, interludes, words, fixed_letters, source })
    }
}

/// Finds what may be changed.
struct Marker<'a> {
    source: &'a str,
    markup: Markup,
    pieces: Vec<Piece>,
    /// The id of the current statement, to which all links of its pair lead; between the pairs, links are dropped.
    anchor: Option<&'a str>,
    words: HashMap<&'a str, u32>,
    /// How much more often each letter occurs in the current formula's presentation than in its TeX.
    surplus: [i32; 52],
    fixed_letters: u64,
}

impl Marker<'_> {
    fn division(&mut self, (start, end): (u32, u32), tokens: usize) -> Option<Division> {
        let heading_end = "</h6>";
        let text = &self.source[start as usize..end as usize];
        let body = start + (text.find(heading_end)? + heading_end.len()) as u32;
        let close = start + text.rfind("</div>")? as u32;
        Some(Division { heading: self.mark(start, body), body: self.mark(body, close), tokens })
    }

    fn mark(&mut self, mut at: u32, end: u32) -> Vec<Piece> {
        let (mut in_math, mut tag) = (false, "");
        while at < end {
            let rest = &self.source[at as usize..end as usize];
            let through = |last: &str| rest.find(last).map_or(rest.len(), |start| start + last.len());
            if !rest.starts_with('<') {
                let text = &rest[..rest.find('<').unwrap_or(rest.len())];
                match tag.split([' ', '>']).next() {
                    Some("<mi") if !tag.contains("mathvariant") => self.identifier(at, text, false),
                    Some("<ci") => self.identifier(at, text, true),
                    Some("<annotation") => self.tex(at, text, 0),
                    _ if in_math => self.copy(at, text.len()),
                    _ => self.prose(at, text),
                }
                at += text.len() as u32;
                continue;
            }
            tag = &rest[..through(">")];
            let mut length = tag.len();
            in_math = in_math && tag != "</math>" || tag.starts_with("<math ");
            if !in_math {
                for (number, surplus) in std::mem::replace(&mut self.surplus, [0; 52]).into_iter().enumerate()
                {
                    self.fixed_letters |= u64::from(surplus != 0) << number;
                }
            }
            let is_lean = self.markup == Markup::Lean;
            match tag.split([' ', '>']).next() {
                Some("<semantics" | "</semantics") if is_lean => {}
                Some("<annotation" | "<annotation-xml") if is_lean => length = through("</semantics>"),
                Some("<a" | "</a") if self.anchor.is_none() => {}
                _ => self.tag(at, tag),
            }
            at += length as u32;
        }
        std::mem::take(&mut self.pieces)
    }

    /// Opens ids and references to a prefix, or drops them from lean markup.
    fn tag(&mut self, mut at: u32, tag: &str) {
        let mut rest = tag;
        while let Some((before, after)) = rest.split_once("=\"") {
            let (name, start) = (before.rsplit(' ').next().unwrap_or(""), before.len() + "=\"".len());
            let value = &after[..after.find('"').unwrap_or(0)];
            let value_at = at + start as u32;
            if name == "id" && Some(value) == self.anchor || name == "href" && tag.starts_with("<a ") {
                self.copy(at, start + usize::from(name == "href"));
                self.pieces.push(Piece::Anchor);
                self.copy(value_at + value.len() as u32, 1);
            } else if !matches!(name, "id" | "xref" | "href" | "alttext") {
                self.copy(at, start + value.len() + 1);
            } else if name == "alttext" {
                self.copy(at, start);
                self.tex(value_at, value, -1);
                self.copy(value_at + value.len() as u32, 1);
            } else if self.markup == Markup::Lean && tag.starts_with("<m") {
                self.copy(at, before.len() - name.len() - 1);
            } else {
                let hash = usize::from(name == "href");
                self.copy(at, start + hash);
                self.pieces.push(Piece::IdPrefix);
                self.copy(value_at + hash as u32, value.len() - hash + 1);
            }
            at = value_at + value.len() as u32 + 1;
            rest = &rest[start + value.len() + 1..];
        }
        self.copy(at, rest.len());
    }

    fn prose(&mut self, mut at: u32, text: &str) {
        let is_number = |text: &str| !text.is_empty() && text.bytes().all(|digit| digit.is_ascii_digit());
        if let Some((kind, _)) = text.split_once(' ').filter(|(_, number)| is_number(number)) {
            // "Lemma 3", the whole text of its element: a heading.
            self.copy(at, kind.len() + 1);
            return self.pieces.push(Piece::Label);
        }
        for part in text.split_inclusive(|letter: char| !letter.is_alphabetic()) {
            let length = part.trim_end_matches(|letter: char| !letter.is_alphabetic()).len();
            let mut rest = at;
            if length >= 5 && part[..length].bytes().all(|letter| letter.is_ascii_lowercase()) {
                rest += length as u32;
                let next = self.words.len() as u32;
                let number = self.words.entry(&self.source[at as usize..rest as usize]).or_insert(next);
                self.pieces.push(Piece::Word(*number));
            }
            at += part.len() as u32;
            self.copy(rest, (at - rest) as usize);
        }
    }

    /// The text of `mi` or, italic, of `ci`.
    fn identifier(&mut self, at: u32, text: &str, italic: bool) {
        let mut letters = text.chars();
        match (letters.next().map(Font::split), letters.next()) {
            (Some((letter, font)), None)
                if letter.is_ascii_alphabetic() && font == italic.then_some(Font::Italic) =>
            {
                self.letter(letter, italic, i32::from(!italic));
            }
            _ => self.copy(at, text.len()),
        }
    }

    /// TeX as it is escaped in the source. Its letters count with the given weight.
    fn tex(&mut self, mut at: u32, mut text: &str, weight: i32) {
        while let Some(first) = text.chars().next() {
            let length = match first {
                '\\' => {
                    let name =
                        text[1..].split(|letter: char| !letter.is_ascii_alphabetic()).next().unwrap_or("");
                    let argument = if OPAQUE.contains(&name) { text.find('}') } else { None };
                    argument.unwrap_or(name.len().max(1)) + 1
                }
                '&' => text.find(';').map_or(1, |end| end + 1),
                _ => first.len_utf8(),
            };
            match first.is_ascii_alphabetic() {
                true => self.letter(first, false, weight),
                false => self.copy(at, length),
            }
            at += length as u32;
            text = &text[length..];
        }
    }

    fn letter(&mut self, letter: char, italic: bool, weight: i32) {
        let number = letter as u8 - if letter.is_ascii_uppercase() { b'A' } else { b'a' - 26 };
        self.surplus[usize::from(number)] += weight;
        self.pieces.push(Piece::Letter { number, italic });
    }

    /// Bytes of the source as they are.
    fn copy(&mut self, from: u32, length: usize) {
        let to = from + length as u32;
        match self.pieces.last_mut() {
            _ if length == 0 => {}
            Some(Piece::Copy(_, end)) if *end == from => *end = to,
            _ => self.pieces.push(Piece::Copy(from, to)),
        }
    }
}
