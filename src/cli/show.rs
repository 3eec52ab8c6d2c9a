//! `matchbook show`: one pair as text, at any level.

use std::path::PathBuf;

use anyhow::bail;
use clap::ValueEnum;

use super::{
    colour::Colours,
    level::LevelArguments,
    output::{Output, printable},
    painted::Painted,
    replace,
};
use crate::{
    base::task::CancelToken,
    corpus::{
        Article, Pair, PairId, Passage, Run, categories, readable,
        store::{Filter, Query, Store},
    },
    corpus::{open_corpus, origin},
    symbols::{Level, Replacement, Replacer, Symbol},
};

/// Print a pair as readable text, at any level
///
/// PAIR is the id of an article, # and the number of the pair in it, such as 0704.0001#3. Anything else is a full-text
/// search that lists the matching pairs.
#[derive(clap::Args)]
#[command(
    after_help = "Examples:\n  matchbook show demo demo.01#1\n  matchbook show demo demo.15#2 --level full+p\n  matchbook show my.corpus \"compact operator\""
)]
pub struct Arguments {
    /// Corpus file, or `demo`
    corpus: PathBuf,
    /// Pair, or words to search for
    pair: String,
    /// How formulas are written
    #[arg(long, value_enum, default_value = "readable")]
    form: Form,
    #[command(flatten)]
    level: LevelArguments,
    /// Print the pair as JSON
    #[arg(long)]
    json: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Form {
    /// Formulas on one line, in Unicode
    Readable,
    /// Tokens, as models read them
    Linear,
    /// TeX, where the article contains it
    Tex,
    /// The source of the article, to which no level applies
    Xhtml,
}

/// How many pairs a search lists.
const LISTED: usize = 20;

pub fn run(arguments: Arguments, output: &mut Output) -> anyhow::Result<()> {
    let store = open_corpus(&arguments.corpus)?;
    let Ok(id) = arguments.pair.parse::<PairId>() else {
        return search(&store, &arguments, output);
    };
    let Some((article, pair)) = store.pair(&id)? else {
        bail!("the corpus {} has no pair {id}", arguments.corpus.display());
    };
    if arguments.form == Form::Xhtml {
        let row = store.row_of(&id)?.unwrap_or_default();
        let origin = origin::read(&store, row, &CancelToken::new())?;
        return output.line(&format!("{}\n\n{}", origin.statement, origin.proof));
    }
    let replacer = arguments.level.replacer()?.in_corpus(&store)?;
    let pair = replacer.prepare(&pair).into_owned();
    let replacement = replacer.replace(&pair, &article.categories);
    if arguments.json {
        return output.json(&as_json(&article, &pair, &replacement));
    }
    print(&article, &pair, &replacement, arguments.form, output)?;
    if replacer.setting.level != Level::Conservation {
        print_mapping(&pair, &replacement, output)?;
    }
    Ok(())
}

/// Prints a pair at a level, in readable form, with the mapping of its symbols.
pub fn print_at(
    article: &Article,
    pair: &Pair,
    replacer: &Replacer,
    output: &mut Output,
) -> anyhow::Result<()> {
    let replacement = replacer.replace(pair, &article.categories);
    print(article, pair, &replacement, Form::Readable, output)?;
    match replacer.setting.level {
        Level::Conservation => Ok(()),
        _ => print_mapping(pair, &replacement, output),
    }
}

fn print(
    article: &Article,
    pair: &Pair,
    replacement: &Replacement,
    form: Form,
    output: &mut Output,
) -> anyhow::Result<()> {
    let category = article.primary();
    let named =
        categories::name(category).map_or_else(|| category.to_owned(), |name| format!("{category} {name}"));
    let head = format!("{}  {} {}  {}", pair.id, pair.kind, pair.label, pair.title);
    output.line(printable(&head).trim_end())?;
    output.line(printable(&format!("{}  {named}", article.title)).trim_end())?;
    let colours = (form == Form::Readable && output.has_colors()).then(|| Colours::of(pair));
    let [statement, proof] = match &colours {
        Some(colours) => [colours.statement(&pair.statement), colours.proof(replacement)],
        None => [&pair.statement, &replacement.proof]
            .map(|side| Painted::from(&*printable(&formatted(side, form)))),
    };
    for (name, passage, text) in
        [("statement", &pair.statement, statement), ("proof", &replacement.proof, proof)]
    {
        let counts = passage.counts();
        output.line(&format!("\n{name} ({} text, {} math)", counts.text, counts.math))?;
        output.painted(&text)?;
    }
    Ok(())
}

/// Prints the mapping of the symbols, and which were kept and why.
fn print_mapping(pair: &Pair, replacement: &Replacement, output: &mut Output) -> anyhow::Result<()> {
    let colours = output.has_colors().then(|| Colours::of(pair));
    let list = |start: &str, items: &[(Symbol, String)]| {
        let mut line = Painted::from(start);
        for (index, (symbol, text)) in items.iter().enumerate() {
            line.push(if index == 0 { "" } else { ", " });
            match &colours {
                Some(colours) => colours.push_symbol(&mut line, *symbol, false, text),
                None => drop(line.push(text)),
            }
        }
        line
    };
    let changes = replacement.mapping.iter();
    let changes: Vec<(Symbol, String)> =
        changes.map(|(from, to)| (from, format!("{} → {}", from.styled(), to.styled()))).collect();
    match changes.is_empty() {
        true => output.line("\nreplaced: nothing")?,
        false => output.painted(&list("\nreplaced: ", &changes))?,
    }
    let kept = replacement.kept.iter();
    let kept: Vec<(Symbol, String)> = kept
        .map(|kept| {
            (kept.symbol, format!("{} ({})", kept.symbol.styled(), replace::description(kept.reason)))
        })
        .collect();
    match kept.is_empty() {
        true => Ok(()),
        false => output.painted(&list("kept: ", &kept)),
    }
}

fn formatted(passage: &Passage, form: Form) -> String {
    let run = |run| match run {
        Run::Text(text) => text.to_owned(),
        Run::Math(formula) if form == Form::Tex && !formula.tex.is_empty() => format!("${}$", formula.tex),
        Run::Math(formula) => formula.linear.to_owned(),
    };
    match form {
        Form::Readable => readable(passage),
        Form::Linear | Form::Tex | Form::Xhtml => passage.runs().map(run).collect::<Vec<_>>().join(" "),
    }
}

fn as_json(article: &Article, pair: &Pair, replacement: &Replacement) -> serde_json::Value {
    let side = |passage: &Passage| {
        let counts = passage.counts();
        serde_json::json!({
            "readable": readable(passage),
            "linear": formatted(passage, Form::Linear),
            "text_tokens": counts.text,
            "math_tokens": counts.math,
        })
    };
    serde_json::json!({
        "id": pair.id.to_string(),
        "kind": pair.kind,
        "label": pair.label,
        "title": pair.title,
        "article": {
            "id": article.id, "title": article.title, "categories": article.categories, "source": article.source,
        },
        "statement": side(&pair.statement),
        "proof": side(&replacement.proof),
        "mapping": replacement.mapping,
        "kept": replacement.kept,
    })
}

fn search(store: &Store, arguments: &Arguments, output: &mut Output) -> anyhow::Result<()> {
    let (query, cancel) = (Query::parse(&arguments.pair), CancelToken::new());
    let page = store.search(&query, &Filter::default(), 0, LISTED, &cancel)?;
    let rows: Vec<u32> = page.hits.iter().map(|hit| hit.row).collect();
    let found = store.summaries(&rows)?;
    if arguments.json {
        let ids: Vec<String> = found.iter().map(|summary| summary.id.to_string()).collect();
        return output.json(&serde_json::json!({ "total": page.total, "pairs": ids }));
    }
    if found.is_empty() {
        bail!("no pair of {} contains these words: {}", arguments.corpus.display(), arguments.pair);
    }
    for summary in &found {
        let name = format!("{} {}", summary.kind, summary.label);
        let line = format!("{:<16} {:<18} {}", summary.id.to_string(), name.trim_end(), summary.first_words);
        output.line(&printable(&line))?;
    }
    if page.total > found.len() {
        output.line(&format!("... and {} more", page.total - found.len()))?;
    }
    Ok(())
}
