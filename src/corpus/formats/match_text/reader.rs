//! Reading released MATcH text, liberally.
//!
//! Everything that can be read as a pair becomes a pair, and no word is dropped. A line is classified by its beginning;
//! where that is not enough (a name without a blank line before it), the next line decides.

use std::{collections::HashSet, io::BufRead};

use super::{
    MATH, NO_STATEMENT_ID, SEPARATOR, StatementIds, TEXT,
    header::{self, Block},
};
use crate::{
    corpus::formats::{
        Sink,
        error::{FormatError, ImportError},
        import::Import,
        lines::{Ending, Line, Lines},
        warning::{Report, Warning, Warnings},
    },
    corpus::{Article, Formula, Kind, Pair, Passage},
};

/// The article of pairs that have no name.
const UNKNOWN: &str = "unknown";

/// Reads a released file into a sink.
pub fn read<S: Sink>(
    input: impl BufRead,
    file: &str,
    import: &mut Import,
    sink: &mut S,
) -> Result<Report, ImportError<S::Error>> {
    let mut lines = Lines::new(input, file, import.limits.line);
    let mut warnings = Warnings::default();
    let (header, block) = header::read(&mut lines, import.limits.header, &mut warnings)?;
    if lines.had_mark() {
        warnings.note(Warning::ByteOrderMark, 1);
    }
    if block.count.is_none() && !block.has_pairs {
        let problem = format!(
            "this is not MATcH text: it has neither a number of articles on line 1 nor a line of {} underscores",
            SEPARATOR.len()
        );
        return Err(FormatError::Unreadable { file: file.to_owned(), problem }.into());
    }
    let statement_ids = header.statement_ids;
    let has_pairs = block.has_pairs;
    sink.header(header).map_err(ImportError::Sink)?;
    let mut reader = Reader {
        import,
        sink,
        block,
        warnings,
        statement_ids,
        unlisted: HashSet::new(),
        pairs: 0,
        draft: None,
    };
    if has_pairs {
        reader.read_pairs(&mut lines)?;
    }
    Ok(reader.finish())
}

struct Reader<'a, S> {
    import: &'a mut Import,
    sink: &'a mut S,
    block: Block,
    warnings: Warnings,
    statement_ids: StatementIds,
    /// Articles that are missing from the block.
    unlisted: HashSet<String>,
    pairs: u64,
    draft: Option<Draft>,
}

/// The current pair.
struct Draft {
    /// The line with its names; empty when the pair has none.
    name: String,
    line: u64,
    section: Section,
    statement: Passage,
    proof: Passage,
    /// Blank lines since the last line that was not blank.
    blanks: u32,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Section {
    Name,
    Statement,
    Proof,
}

/// The classification of a line by itself.
enum Content<'l> {
    Blank,
    Separator,
    Text(&'l str),
    Math(&'l str),
    Other,
}

fn classify(text: &str) -> Content<'_> {
    if let Some(run) = text.strip_prefix(TEXT) {
        Content::Text(run)
    } else if let Some(run) = text.strip_prefix(MATH) {
        Content::Math(run)
    } else {
        match text.trim_end() {
            "" => Content::Blank,
            SEPARATOR => Content::Separator,
            _ => Content::Other,
        }
    }
}

impl<S: Sink> Reader<'_, S> {
    /// Reads from the current line to the end.
    fn read_pairs(&mut self, lines: &mut Lines<impl BufRead>) -> Result<(), ImportError<S::Error>> {
        let mut last;
        loop {
            self.take_line(lines)?;
            last = (lines.line().number, lines.line().ending);
            if !lines.advance()? {
                break;
            }
        }
        if last.1 == Ending::EndOfFile {
            self.warnings.note(Warning::NoFinalNewline, last.0);
        }
        if self.draft.as_ref().is_some_and(|draft| draft.blanks == 0) {
            self.warnings.note(Warning::NoFinalBlank, last.0);
        }
        self.close()
    }

    fn take_line(&mut self, lines: &mut Lines<impl BufRead>) -> Result<(), ImportError<S::Error>> {
        let line = lines.line();
        let number = line.number;
        note_oddities(line, &mut self.warnings);
        match classify(&line.text) {
            Content::Blank => {
                if let Some(draft) = &mut self.draft {
                    draft.blanks += 1;
                    if draft.blanks > 1 {
                        self.warnings.note(Warning::BlankLine, number);
                    }
                }
            }
            Content::Separator => self.separator(number)?,
            Content::Text(text) => self.run(number, |passage| passage.push_text(text)),
            Content::Math(linear) => {
                self.run(number, |passage| passage.push_formula(Formula { linear, ..Formula::default() }));
            }
            Content::Other => {
                let begins_pair = self.begins_pair(lines)?;
                let text = &lines.line().text;
                if begins_pair {
                    self.close()?;
                    self.draft = Some(Draft::new(text, number));
                } else {
                    self.warnings.note(Warning::StrayLine, number);
                    self.run(number, |passage| passage.push_text(text));
                }
            }
        }
        let limit = self.import.limits.pair;
        if self.draft.as_ref().is_some_and(|draft| draft.size() > limit) {
            return Err(FormatError::TooLong { file: lines.file().to_owned(), line: number, limit }.into());
        }
        Ok(())
    }

    /// Whether a line that is neither a run nor a separator is the name of the next pair.
    fn begins_pair(&mut self, lines: &mut Lines<impl BufRead>) -> Result<bool, FormatError> {
        let number = lines.line().number;
        let Some(draft) = &self.draft else { return Ok(true) };
        if draft.blanks > 0 || draft.section == Section::Name {
            return Ok(true);
        }
        // Without a blank line it is a broken run, unless an unexpected separator follows.
        let is_name = draft.section == Section::Proof
            && lines.peek()?.is_some_and(|next| matches!(classify(&next.text), Content::Separator));
        if is_name {
            self.warnings.note(Warning::NoBlankLine, number);
        }
        Ok(is_name)
    }

    fn separator(&mut self, number: u64) -> Result<(), ImportError<S::Error>> {
        if let Some(draft) = &mut self.draft
            && draft.section != Section::Proof
        {
            if draft.blanks > 0 {
                self.warnings.note(Warning::BlankLine, number);
                draft.blanks = 0;
            }
            draft.section = if draft.section == Section::Name { Section::Statement } else { Section::Proof };
            return Ok(());
        }
        self.close()?;
        let mut draft = Draft::new("", number);
        draft.section = Section::Statement;
        self.draft = Some(draft);
        Ok(())
    }

    /// Adds a run to the current passage.
    fn run(&mut self, number: u64, push: impl FnOnce(&mut Passage)) {
        let draft = self.draft.get_or_insert_with(|| Draft::new("", number));
        if draft.blanks > 0 {
            self.warnings.note(Warning::BlankLine, number);
            draft.blanks = 0;
        }
        if draft.section == Section::Name {
            self.warnings.note(Warning::NoSeparator, number);
            draft.section = Section::Statement;
        }
        push(if draft.section == Section::Proof { &mut draft.proof } else { &mut draft.statement });
    }

    /// Passes the current pair to the sink.
    fn close(&mut self) -> Result<(), ImportError<S::Error>> {
        let Some(draft) = self.draft.take() else { return Ok(()) };
        match draft.section {
            Section::Name => {
                self.warnings.note(Warning::LineOutside, draft.line);
                return Ok(());
            }
            Section::Statement => self.warnings.note(Warning::NoProof, draft.line),
            Section::Proof => {}
        }
        let (article, anchor) = self.split_name(&draft);
        self.announce(&article, draft.line)?;
        let pair = Pair {
            id: self.import.next_name(&article),
            kind: kind_of(&anchor),
            label: String::new(),
            title: String::new(),
            anchor,
            statement: draft.statement,
            proof: draft.proof,
        };
        self.pairs += 1;
        self.sink.pair(pair).map_err(ImportError::Sink)
    }

    /// The article and the statement id of a pair's name.
    fn split_name(&mut self, draft: &Draft) -> (String, String) {
        let (article, anchor) = match draft.name.split_once('|') {
            Some((article, anchor)) => (article, Some(anchor)),
            None => (draft.name.as_str(), None),
        };
        let is_expected = match self.statement_ids {
            StatementIds::Written => anchor.is_some_and(|anchor| !anchor.is_empty()),
            StatementIds::Absent => anchor.is_none(),
        };
        if !is_expected && !draft.name.is_empty() {
            self.warnings.note(Warning::NoStatementId, draft.line);
        }
        let anchor = anchor.filter(|&anchor| anchor != NO_STATEMENT_ID).unwrap_or_default();
        let article = match article.trim() {
            "" => {
                self.warnings.note(Warning::NoName, draft.line);
                UNKNOWN
            }
            article => article,
        };
        (article.to_owned(), anchor.to_owned())
    }

    /// Passes an article to the sink before its first pair in this file.
    fn announce(&mut self, id: &str, line: u64) -> Result<(), ImportError<S::Error>> {
        let article = match self.block.articles.get_mut(id) {
            Some(listed) if listed.has_pair => return Ok(()),
            Some(listed) => {
                listed.has_pair = true;
                listed.article.clone()
            }
            None if self.unlisted.contains(id) => return Ok(()),
            None => {
                self.unlisted.insert(id.to_owned());
                if !self.block.articles.is_empty() {
                    self.warnings.note(Warning::ArticleNotListed, line);
                }
                Article { id: id.to_owned(), ..Article::default() }
            }
        };
        if self.import.is_news(&article) {
            self.sink.article(article).map_err(ImportError::Sink)?;
        }
        Ok(())
    }

    fn finish(mut self) -> Report {
        let mut without: Vec<u64> = self
            .block
            .articles
            .values()
            .filter(|listed| !listed.has_pair)
            .map(|listed| listed.line)
            .collect();
        without.sort_unstable();
        for line in without {
            self.warnings.note(Warning::ArticleWithoutPair, line);
        }
        // With an empty block the reference writes either 0 or the number of articles.
        let found = self.unlisted.len() as u64;
        if self.block.articles.is_empty()
            && self.block.count.is_some_and(|count| count != 0 && count != found)
        {
            self.warnings.note(Warning::WrongCount, 1);
        }
        Report { pairs: self.pairs, warnings: self.warnings }
    }
}

impl Draft {
    fn new(name: &str, line: u64) -> Draft {
        Draft {
            name: name.to_owned(),
            line,
            section: Section::Name,
            statement: Passage::new(),
            proof: Passage::new(),
            blanks: 0,
        }
    }

    fn size(&self) -> usize {
        self.statement.encoded().len() + self.proof.encoded().len()
    }
}

fn note_oddities(line: &Line, warnings: &mut Warnings) {
    if line.ending == Ending::CarriageReturn {
        warnings.note(Warning::CarriageReturn, line.number);
    }
    let bytes = line.text.as_bytes();
    if memchr::memchr2(b'\r', 0x1f, bytes).is_some() {
        warnings.note(Warning::ControlCharacter, line.number);
    }
    let is_run = line.text.starts_with(TEXT) || line.text.starts_with(MATH);
    let content = if is_run { &bytes[TEXT.len()..] } else { bytes };
    let is_odd = content.first().is_some_and(u8::is_ascii_whitespace)
        || content.last().is_some_and(u8::is_ascii_whitespace)
        || memchr::memchr(b'\t', content).is_some()
        || memchr::memmem::find(content, b"  ").is_some();
    if is_odd {
        warnings.note(Warning::IrregularSpace, line.number);
    }
}

/// LaTeXML names its statements after the author's environment: `S1.Thmlemma2` is a lemma.
fn kind_of(anchor: &str) -> Kind {
    anchor.rsplit_once("Thm").map_or(Kind::Other, |(_, environment)| Kind::of("", environment))
}
