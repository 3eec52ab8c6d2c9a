//! The flags that say which runs a study consists of, for `study` and `report`.

use std::path::{Path, PathBuf};

use anyhow::Context;
use clap::builder::PossibleValuesParser;

use crate::{
    cli::choice::choice,
    study::{Study, StudyEncoder, StudyRequest},
    symbols::Setting,
    train::Preset,
};

#[derive(clap::Args)]
pub struct RequestArguments {
    /// Preset of the runs of a study
    #[arg(long, value_parser = choice::<Preset>(), default_value = "tiny")]
    pub preset: Preset,
    /// Encoders, separated by commas: npt, scratchbert, mathbert, windows [default: the study's]
    #[arg(long, value_delimiter = ',', value_parser = choice::<StudyEncoder>())]
    encoders: Vec<StudyEncoder>,
    /// Levels of symbol replacement, separated by commas [default: the study's]
    #[arg(long, value_delimiter = ',', value_name = "LEVEL")]
    levels: Vec<Setting>,
    /// Epochs of each run [default: the preset's]
    #[arg(long, value_name = "N")]
    epochs: Option<u64>,
    /// Pre-training epochs of ScratchBERT [default: the preset's]
    #[arg(long, value_name = "N")]
    pretraining_epochs: Option<u64>,
    /// Transformers folder with MathBERT's weights
    #[arg(long, value_name = "DIR")]
    mathbert: Option<PathBuf>,
    /// Split: by pair (mixed) or by article (unmixed) [default: the paper's]
    #[arg(long, value_parser = PossibleValuesParser::new(["mixed", "unmixed"]))]
    split: Option<String>,
    /// Category of the protected symbols
    #[arg(long, value_name = "CODE", default_value = "math.PR")]
    category: String,
}

impl RequestArguments {
    /// The request with this many seeds, or the default number.
    pub fn request(&self, study: Study, seeds: Option<u64>) -> anyhow::Result<StudyRequest> {
        let usual = StudyRequest::new(study, self.preset);
        Ok(StudyRequest {
            encoders: self.encoders.clone(),
            levels: self.levels.clone(),
            seeds: seeds.unwrap_or(usual.seeds),
            epochs: self.epochs,
            pretraining_epochs: self.pretraining_epochs,
            mathbert: self.mathbert.as_deref().map(folder_of_mathbert).transpose()?,
            split: self.split.as_deref().and_then(|name| name.parse().ok()),
            category: self.category.clone(),
            ..usual
        })
    }
}

fn folder_of_mathbert(path: &Path) -> anyhow::Result<PathBuf> {
    path.canonicalize()
        .with_context(|| format!("cannot open the folder {} given with --mathbert", path.display()))
}
