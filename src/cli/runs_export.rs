//! `matchbook runs export`: a trained BERT as a folder that Python's `transformers` opens.

use std::{fmt::Write, fs, path::Path};

use anyhow::{Context, bail};

use super::output::Output;
use crate::{
    base::atomic,
    model::tokenizer::{Tokenizer, wordpiece::LineStyle},
    model::{Pooling, Weights, bert},
    runs::{RunConfig, RunDirectory, last_rows},
};

/// Writes the best model of a run: the encoder and its tokenizer, the score beside them, and a card that says what it is.
pub fn export(directory: &RunDirectory, target: &Path, output: &mut Output) -> anyhow::Result<()> {
    let name = directory.name();
    let Some(best) = directory.checkpoints().best()? else {
        bail!("the run {name} has no model yet: it keeps one at its first evaluation");
    };
    let mut files: Vec<(String, Vec<u8>)> = Vec::new();
    let style;
    let mut pooling = None;
    if best.names().any(|file| file == "config.json") {
        // a pre-training keeps such a folder already
        for file in best.names() {
            files.push((file.to_owned(), best.read(file)?));
        }
        style = reader_style(&best.read("tokenizer.json")?)?;
    } else {
        let path = best.file("weights.safetensors");
        let weights = Weights::from_safetensors(&path, &best.read("weights.safetensors")?)?;
        if weights.shape().bert().is_none() {
            bail!("the run {name} trained an npt, which transformers does not know; export a BERT");
        }
        let tokenizer = best.read("tokenizer.json")?;
        style = reader_style(&tokenizer)?;
        pooling = Some(weights.shape().pooling);
        let tokenizer = String::from_utf8(tokenizer).context("the tokenizer is not UTF-8")?;
        let all = bert::write(&weights)?.into_iter().chain(bert::tokenizer_files(tokenizer));
        files.extend(all.map(|(name, bytes)| (name.to_owned(), bytes)));
    }
    files.push(("README.md".to_owned(), card(directory, style, pooling)?.into_bytes()));
    if target.exists() && fs::read_dir(target).is_ok_and(|mut entries| entries.next().is_some()) {
        bail!("{} is not empty; export into a new folder", target.display());
    }
    fs::create_dir_all(target).with_context(|| format!("cannot make the folder {}", target.display()))?;
    for (file, bytes) in &files {
        let path = target.join(file);
        atomic::replace(&path, bytes).with_context(|| format!("cannot write {}", path.display()))?;
    }
    output.line(&format!("{name} is in {}: {} files", target.display(), files.len()))?;
    output.line("open it in Python with AutoModel.from_pretrained and AutoTokenizer.from_pretrained")
}

fn reader_style(tokenizer: &[u8]) -> anyhow::Result<LineStyle> {
    let tokenizer = Tokenizer::of_files(|name| (name == "tokenizer.json").then(|| tokenizer.to_vec()));
    match tokenizer.map_err(anyhow::Error::msg)? {
        Tokenizer::WordPiece(pieces) => Ok(pieces.style()),
        Tokenizer::Vocabulary(words) => bail!("a vocabulary of {} words is no tokenizer", words.len()),
    }
}

/// The model card.
fn card(directory: &RunDirectory, style: LineStyle, pooling: Option<Pooling>) -> anyhow::Result<String> {
    let config: RunConfig = directory.config()?;
    let mut card = format!(
        "---\nlibrary_name: transformers\ntags:\n- mathematics\n- statement-proof-matching\n---\n\n# {}\n\n",
        directory.name()
    );
    writeln!(
        card,
        "A BERT made by matchbook {}, which matches mathematical statements with their proofs.\n",
        config.version
    )?;
    card.push_str("## What it reads\n\n");
    card.push_str(match style {
        LineStyle::Marked => {
            "A line in which words are lower-cased and every symbol of a formula stands by itself in white curly \
             brackets, with its font: `let \u{2983}x____bold\u{2984} \u{2983}\u{2208}\u{2984} \u{2983}X\u{2984} be`. \
             Texts are cut at the length in config.json's run below.\n\n"
        }
        LineStyle::Plain { .. } => {
            "A line in which symbols of formulas are written like words, each by itself, a font after four \
             underscores: `let x____bold \u{2208} X be`.\n\n"
        }
    });
    card.push_str("## What it gives\n\n");
    card.push_str(match pooling {
        Some(Pooling::Cls) => {
            "`AutoModel` gives the text's vector as `pooler_output`. `score.safetensors` holds `score.weight` (W) and \
             `score.bias` (b): a statement s and a proof p match by `s @ W @ p + b`.\n\n"
        }
        Some(Pooling::Mean) => {
            "The text's vector is the mean of `last_hidden_state`, brought to length one (load it with \
             `add_pooling_layer=False`). `score.safetensors` holds `score.weight` (W) and `score.bias` (b): a statement s \
             and a proof p match by `s @ W @ p + b`.\n\n"
        }
        Some(Pooling::Max | Pooling::Padded) => {
            "The text's vector is the maximum of `last_hidden_state` over its tokens (load it with \
             `add_pooling_layer=False`). `score.safetensors` holds `score.weight` (W) and `score.bias` (b): a statement s \
             and a proof p match by `s @ W @ p + b`.\n\n"
        }
        None => "It guesses masked words: open it with `AutoModelForMaskedLM`.\n\n",
    });
    card.push_str("## Scores\n\n");
    let rows = last_rows(&directory.metrics_path(), 100_000).unwrap_or_default();
    let evaluations: Vec<_> = rows.iter().filter(|row| row.evaluation.is_some()).collect();
    match directory.checkpoints().best()?.map(|best| best.step()) {
        Some(step) => {
            let best = evaluations.iter().find(|row| row.step == step).or(evaluations.last());
            match best {
                Some(row) => {
                    let part = row.evaluation.as_deref().unwrap_or_default();
                    writeln!(card, "After step {} (epoch {}), on {part}:\n", row.step, row.epoch)?;
                    for (name, value) in &row.values {
                        writeln!(card, "- {name}: {value:.4}")?;
                    }
                }
                None => card.push_str("It was never evaluated.\n"),
            }
        }
        None => card.push_str("It was never evaluated.\n"),
    }
    writeln!(card, "\n## Settings\n\n```toml\n{}```", toml::to_string_pretty(&config)?)?;
    Ok(card)
}
