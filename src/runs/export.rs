//! Export of a trained model: a BERT as a folder that Python's `transformers` opens, a bag of windows as tables for numpy.

use std::{
    fmt::Write,
    fs, io,
    path::{Path, PathBuf},
};

use super::{RunConfig, RunDirectory, RunError, RunScores, metric};
use crate::{
    base::{
        atomic,
        temporary::{TemporaryFolder, folder_of},
    },
    model::tokenizer::{
        Tokenize, Tokenizer,
        features::FEATURES_FILE,
        wordpiece::{LineStyle, TOKENIZER},
    },
    model::{
        Family, ModelError, Pooling, Weights,
        bert::{self, CONFIG},
    },
    train::trained::WEIGHTS,
};

/// Why a model was not exported.
#[derive(Debug, thiserror::Error)]
pub enum ModelExportError {
    #[error(transparent)]
    Run(#[from] RunError),
    #[error("the run {0} trained an NPT, which transformers cannot load; export a BERT")]
    NotBert(String),
    #[error(transparent)]
    Weights(#[from] ModelError),
    #[error("{0}")]
    Tokenizer(String),
    #[error("{} is not empty; export into a new folder", .0.display())]
    NotEmpty(PathBuf),
    #[error("cannot create the folder {}: {cause}", path.display())]
    Folder { path: PathBuf, cause: io::Error },
    #[error("cannot write {}: {cause}", path.display())]
    Write { path: PathBuf, cause: io::Error },
    #[error("cannot write the settings as text: {0}")]
    Settings(#[from] toml::ser::Error),
    #[error(transparent)]
    Format(#[from] std::fmt::Error),
}

/// Writes the best model of a run: the encoder, its tokenizer, the score, and a model card. Returns the number of files.
pub fn export_model(directory: &RunDirectory, target: &Path) -> Result<usize, ModelExportError> {
    let name = directory.name();
    let Some(best) = directory.checkpoints().best()? else {
        return Err(directory.no_model().into());
    };
    let mut files: Vec<(String, Vec<u8>)> = Vec::new();
    let tokenizer = best.read(TOKENIZER);
    let (style, pooling) = if best.names().any(|file| file == CONFIG) {
        // Pre-training keeps such a folder already.
        for file in best.names() {
            files.push((file.to_owned(), best.read(file)?));
        }
        (line_style(&tokenizer?)?, None)
    } else {
        let weights = Weights::from_safetensors(&best.file(WEIGHTS), &best.read(WEIGHTS)?)?;
        if weights.shape().family == Family::Windows {
            let mut files = Vec::new();
            for file in [WEIGHTS, FEATURES_FILE] {
                files.push((file.to_owned(), best.read(file)?));
            }
            let mut card = introduction(directory, "A bag of formula windows", "numpy")?;
            card.push_str(WINDOWS_CARD);
            scores_and_settings(directory, &mut card)?;
            files.push(("README.md".to_owned(), card.into_bytes()));
            return write(target, &files);
        }
        if weights.shape().bert().is_none() {
            return Err(ModelExportError::NotBert(name.to_string()));
        }
        let tokenizer = tokenizer?;
        let style = line_style(&tokenizer)?;
        let tokenizer = String::from_utf8(tokenizer)
            .map_err(|_| ModelExportError::Tokenizer("the tokenizer is not UTF-8".to_owned()))?;
        let all = bert::write(&weights)?.into_iter().chain(bert::tokenizer_files(tokenizer));
        files.extend(all.map(|(name, bytes)| (name.to_owned(), bytes)));
        (style, Some(weights.shape().pooling))
    };
    files.push(("README.md".to_owned(), card(directory, style, pooling)?.into_bytes()));
    write(target, &files)
}

/// Writes files into a new folder, which appears when all of them are written, or into an empty one. Returns their number.
fn write(target: &Path, files: &[(String, Vec<u8>)]) -> Result<usize, ModelExportError> {
    if target.exists() && fs::read_dir(target).is_ok_and(|mut entries| entries.next().is_some()) {
        return Err(ModelExportError::NotEmpty(target.to_owned()));
    }
    let failed = |cause| ModelExportError::Folder { path: target.to_owned(), cause };
    fs::create_dir_all(folder_of(target)).map_err(failed)?;
    // An empty folder that is there already is filled: it may be the current one, and a shell would lose it.
    let fresh = if target.exists() { None } else { Some(TemporaryFolder::beside(target).map_err(failed)?) };
    let folder = fresh.as_ref().map_or(target, TemporaryFolder::path);
    for (file, bytes) in files {
        let path = folder.join(file);
        atomic::replace(&path, bytes).map_err(|cause| ModelExportError::Write { path, cause })?;
    }
    fresh.map_or(Ok(()), |folder| folder.persist(target)).map_err(failed)?;
    Ok(files.len())
}

/// The form of text that the tokenizer expects.
fn line_style(tokenizer: &[u8]) -> Result<LineStyle, ModelExportError> {
    let tokenizer = Tokenizer::of_files(|name| (name == TOKENIZER).then(|| tokenizer.to_vec()));
    match tokenizer.map_err(ModelExportError::Tokenizer)? {
        Tokenizer::WordPiece(pieces) => Ok(pieces.style()),
        other @ (Tokenizer::Vocabulary(_) | Tokenizer::Features(_)) => {
            let words = other.len();
            Err(ModelExportError::Tokenizer(format!(
                "it is a list of {words} words, not a WordPiece tokenizer"
            )))
        }
    }
}

/// The model card.
fn card(
    directory: &RunDirectory,
    style: LineStyle,
    pooling: Option<Pooling>,
) -> Result<String, ModelExportError> {
    let mut card = introduction(directory, "A BERT", "transformers")?;
    card.push_str("## Input\n\n");
    card.push_str(match style {
        LineStyle::Marked => {
            "One line in which words are lower-cased and every symbol of a formula is a separate token in white curly brackets, with its font: `let \u{2983}x____bold\u{2984} \u{2983}\u{2208}\u{2984} \u{2983}X\u{2984} be`. \
             Texts are truncated at the maximum length in the settings below.\n\n"
        }
        LineStyle::Plain { .. } => {
            "One line in which each symbol of a formula is written as a separate word, with its font after four underscores: `let x____bold \u{2208} X be`.\n\n"
        }
    });
    card.push_str("## Output\n\n");
    card.push_str(match pooling {
        Some(Pooling::Cls) => {
            "`AutoModel` gives the text's vector as `pooler_output`. `score.safetensors` holds `score.weight` (W) and \
             `score.bias` (b): the score of a statement s and a proof p is `s @ W @ p + b`.\n\n"
        }
        Some(Pooling::Mean) => {
            "The text's vector is the mean of `last_hidden_state`, normalized to length one (load it with \
             `add_pooling_layer=False`). `score.safetensors` holds `score.weight` (W) and `score.bias` (b): the score of a statement s and a proof p is `s @ W @ p + b`.\n\n"
        }
        Some(Pooling::Max | Pooling::Padded) => {
            "The text's vector is the maximum of `last_hidden_state` over its tokens (load it with \
             `add_pooling_layer=False`). `score.safetensors` holds `score.weight` (W) and `score.bias` (b): the score of a statement s and a proof p is `s @ W @ p + b`.\n\n"
        }
        None => "A masked language model: load it with `AutoModelForMaskedLM`.\n\n",
    });
    scores_and_settings(directory, &mut card)?;
    Ok(card)
}

fn introduction(directory: &RunDirectory, what: &str, library: &str) -> Result<String, ModelExportError> {
    let config: RunConfig = directory.config()?;
    Ok(format!(
        "---\nlibrary_name: {library}\ntags:\n- mathematics\n- statement-proof-matching\n---\n\n# {}\n\n{what} trained with \
         matchbook {}, which matches mathematical statements with their proofs.\n\n",
        directory.name(),
        config.version
    ))
}

/// What a bag of windows is, for those who compute with it in Python.
const WINDOWS_CARD: &str = "## Input\n\nA bag of features. Line i (from 0) of features.txt after its first line is the \
feature with row i + 2 of the tables; the first character is the kind: `W` words by their first five letters, and pairs of them; `L` literal n-grams, `T` before a word and `M` before a symbol; `G` whole formulas; `R` windows and `F` \
whole formulas in which letters are numbered by first occurrence, `V#1` for an upper-case and `v#1` for a lower-case letter.\n\n\
## Output\n\n```python\nfrom safetensors.numpy import load_file\nimport numpy as np\n\n\
w = load_file(\"weights.safetensors\")\n\n\
def vector(counts):  # {row of a feature: how often it occurs}\n    \
x = sum(c / (c + 1) * w[\"features.weight\"][f] * w[\"words.weight\"][f] for f, c in counts.items())\n    \
return x / np.linalg.norm(x)\n\n\
def score(statement, proof):\n    \
return vector(statement) @ w[\"score.weight\"] @ vector(proof) + w[\"score.bias\"][0]\n```\n\n\
If the first line of features.txt ends with `hashed`, features that the file lacks count too. Their kind is 0 for a word, 1 for \
a pair of words, 2 for a single `L`, 3 for a longer one, 4 for `G`, 5 for `R` of two tokens, 6 for a longer one, 7 for `F`; \
the weight of a kind is `w[\"features.weight\"][kind - 8]`, and the vector of such a feature follows from its name:\n\n\
```python\nM = (1 << 64) - 1\n\n\
def mix(x):\n    \
x = (x + 0x9E3779B97F4A7C15) & M\n    \
x = ((x ^ x >> 30) * 0xBF58476D1CE4E5B9) & M\n    \
x = ((x ^ x >> 27) * 0x94D049BB133111EB) & M\n    \
return x ^ x >> 31\n\n\
def unseen(name, kind, width):\n    \
data = name.encode()\n    h = len(data)\n    \
for i in range(0, len(data), 8):\n        \
h = mix(h ^ int.from_bytes(data[i:i + 8].ljust(8, bytes(1)), \"little\"))\n    \
x = np.zeros(width)\n    \
for block in range(4):\n        \
bits = mix((1 << 31 | kind << 28 | h >> 36) << 8 | block)\n        \
for part in range(4):\n            \
b = bits >> 16 * part & 0xFFFF\n            \
x[(b >> 1) * width >> 15] += -0.25 if b & 1 else 0.25\n    \
return x\n```\n\n";

fn scores_and_settings(directory: &RunDirectory, card: &mut String) -> Result<(), ModelExportError> {
    let config: RunConfig = directory.config()?;
    card.push_str("## Scores\n\n");
    let scores = RunScores::read(&directory.metrics_path())?;
    match (directory.checkpoints().best()?, scores.best) {
        (Some(_), Some(best)) => {
            writeln!(card, "After step {} (epoch {}), on {}:\n", best.step, best.epoch, scores.on)?;
            for name in [metric::MRR, metric::ACCURACY, metric::GLOBAL_ACCURACY, metric::LOSS] {
                if let Some(value) = best.get(name) {
                    writeln!(card, "- {name}: {value:.4}")?;
                }
            }
        }
        _ => card.push_str("It was never evaluated.\n"),
    }
    writeln!(card, "\n## Settings\n\n```toml\n{}```", toml::to_string_pretty(&config)?)?;
    Ok(())
}
