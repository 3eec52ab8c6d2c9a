//! `matchbook pretrain`: pre-trains a BERT from scratch, including its vocabulary.

use super::{
    choice::choice,
    field_flags::FieldFlags,
    output::{Output, counted},
    training::{RunArguments, SETTINGS_HEADING, TrainCommand},
};
use crate::{
    runs::{RunConfig, RunName, training::RunOutcome},
    train::pretrain::{MaskedScore, PretrainPreset, PretrainSettings},
};

/// Pre-train a BERT on a corpus: WordPiece vocabulary and masked language modeling
///
/// Reads only the training part and holds out a fraction of it for evaluation. The best model is a folder that Python's
/// transformers can open. Fine-tune it with matchbook train CORPUS --encoder scratchbert --init NAME.
#[derive(clap::Args)]
#[command(
    after_help = "Examples:\n  matchbook pretrain demo --run words --preset tiny\n  matchbook pretrain my.corpus --run words --preset base --vocabulary 30522\n  matchbook pretrain --run words --resume"
)]
pub struct Arguments {
    #[command(flatten)]
    run: RunArguments,
    /// Preset: 2 layers of width 128, 4 of width 256, or BERT base with the paper's schedule [default: tiny]
    #[arg(long, value_parser = choice::<PretrainPreset>(), help_heading = SETTINGS_HEADING)]
    preset: Option<PretrainPreset>,
    #[command(flatten, next_help_heading = SETTINGS_HEADING)]
    settings: FieldFlags<PretrainSettings>,
}

pub fn run(arguments: &Arguments, output: &mut Output) -> anyhow::Result<()> {
    let command = TrainCommand::open(&arguments.run)?;
    let run = match arguments.run.resume {
        true => command.existing_run(|stored| arguments.settings(Some(stored)))?,
        false => {
            let template = command.template::<PretrainSettings>()?;
            let settings = arguments.settings(template.as_ref().map(RunConfig::seeded_settings))?;
            command.new_run(settings, template.as_ref().map(|template| &template.corpus))?
        }
    };
    command.start(run, describe_best, output)
}

impl Arguments {
    /// The settings of a preset or of another run, changed by the flags.
    fn settings(&self, given: Option<PretrainSettings>) -> anyhow::Result<PretrainSettings> {
        let mut settings = given.unwrap_or_else(|| self.preset.unwrap_or_default().settings());
        self.settings.change(&mut settings, |_, _| Ok(()))?;
        Ok(settings)
    }
}

fn describe_best(outcome: &RunOutcome<MaskedScore>, name: &RunName) -> Vec<String> {
    let Some(best) = &outcome.best else { return Vec::new() };
    vec![
        format!(
            "best after epoch {}: loss {:.4}, {:.1} % of {} predicted correctly in {}",
            best.epoch,
            best.score.loss,
            100.0 * best.score.accuracy,
            counted(best.score.places as u64, "masked word"),
            counted(best.score.texts as u64, "held-out text")
        ),
        format!("fine-tune it with: matchbook train CORPUS --run NEW --encoder scratchbert --init {name}"),
    ]
}
