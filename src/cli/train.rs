//! `matchbook train`: starts or resumes a run.

use std::path::PathBuf;

use super::{
    choice::choice,
    field_flags::FieldFlags,
    output::{Output, counted},
    training::{RunArguments, SETTINGS_HEADING, TrainCommand},
};
use crate::{
    base::{numbers::percent, workspace::Workspace},
    runs::{RunConfig, RunName, trained::InitialWeights, training::RunOutcome},
    symbols::Protected,
    train::{BestEvaluation, Encoder, MatchScore, Preset, TrainSettings},
};

/// Train a matching model
///
/// The run directory in the workspace holds settings (run.toml), metrics, checkpoints and the best model. Ctrl-C finishes
/// the step and writes a checkpoint; a resumed run is bit-identical to an uninterrupted one. --config with the
/// name of a run repeats it exactly.
#[derive(clap::Args)]
#[command(
    after_help = "Examples:\n  matchbook train demo --run first --preset tiny\n  matchbook train my.corpus --run full --level full --objective hybrid\n  matchbook train my.corpus --run bert --encoder scratchbert --init words\n  matchbook train --run first --resume\n  matchbook train my.corpus --run second --queue\n  matchbook train my.corpus --run third --on slurm --time 12:00:00 --gres gpu:1\n  matchbook train --config first --run again"
)]
pub struct Arguments {
    #[command(flatten)]
    run: RunArguments,
    /// Preset [default: small]
    #[arg(long, value_parser = choice::<Preset>(), help_heading = SETTINGS_HEADING)]
    preset: Option<Preset>,
    /// Keep protected symbols, which have a fixed meaning in the article's category; the same as +p
    #[arg(long, help_heading = SETTINGS_HEADING)]
    protect: bool,
    /// Additional protected symbols by category, stored with the run; format: assets/symbols/protected.toml
    #[arg(long, value_name = "FILE", help_heading = SETTINGS_HEADING)]
    protected: Option<PathBuf>,
    #[command(flatten, next_help_heading = SETTINGS_HEADING)]
    settings: FieldFlags<TrainSettings>,
}

pub fn run(arguments: &Arguments, output: &mut Output) -> anyhow::Result<()> {
    let command = TrainCommand::open(&arguments.run)?;
    let settings = |given| arguments.settings(given, &command.workspace);
    let run = match arguments.run.resume {
        true => command.existing_run(|stored| settings(Some(stored)))?,
        false => {
            let template = command.template::<TrainSettings>()?;
            let settings = settings(template.as_ref().map(RunConfig::seeded_settings))?;
            command.new_run(settings, template.as_ref().map(|template| &template.corpus))?
        }
    };
    command.start(run, describe_best, output)
}

impl Arguments {
    /// The settings of a preset or of another run, changed by the flags.
    fn settings(&self, given: Option<TrainSettings>, workspace: &Workspace) -> anyhow::Result<TrainSettings> {
        let mut settings =
            given.unwrap_or_else(|| self.preset.unwrap_or_default().settings_for(Encoder::default()));
        self.settings.change(&mut settings, |flag, settings| match flag {
            // the flags after it may change the sizes that the folder brings
            "init" => initialize(settings, workspace),
            _ => Ok(()),
        })?;
        settings.level.protect |= self.protect;
        if let Some(path) = &self.protected {
            settings.protected = Protected::read_lists(path)?;
        }
        Ok(settings)
    }
}

fn describe_best(outcome: &RunOutcome<MatchScore>, _: &RunName) -> Vec<String> {
    let describe = |best: &BestEvaluation| {
        let (score, part) = (&best.score, outcome.evaluated_on);
        let global = score.global_accuracy.map(|share| format!(", global accuracy {}", percent(share)));
        format!(
            "best after epoch {}: MRR {}, accuracy {}{} on {} of {part}",
            best.epoch,
            percent(score.mrr),
            percent(score.accuracy),
            global.unwrap_or_default(),
            counted(score.pairs as u64, "pair")
        )
    };
    outcome.best.iter().map(describe).collect()
}

/// Sets the sizes of a BERT to those of its initial weights, and makes the path to them absolute.
fn initialize(settings: &mut TrainSettings, workspace: &Workspace) -> anyhow::Result<()> {
    // a resumed run keeps what it has
    let Some(init) = settings.init.clone().filter(|_| settings.is_unseen()) else { return Ok(()) };
    let found = InitialWeights::find(&init, settings.shape.longest, Some(workspace))?;
    settings.begin_with(found.shape);
    settings.init = Some(found.folder);
    Ok(())
}

#[cfg(test)]
mod tests {
    use clap::{CommandFactory, Parser};

    use super::*;
    use crate::{
        base::fields::Fields,
        runs::jobs::{RunOptions, SlurmOptions},
        train::RunSettings,
    };

    #[derive(Parser)]
    struct Whole {
        #[command(flatten)]
        arguments: Arguments,
    }

    /// Flags that say which run, where and from what. All others are settings.
    const NO_SETTINGS: [&str; 13] = [
        "run",
        "resume",
        "config",
        "preset",
        "detach",
        "queue",
        "workspace",
        "on",
        "sbatch",
        "protect",
        "protected",
        "help",
        "version",
    ];

    #[test]
    fn every_flag_is_a_row_of_a_table_with_the_same_words() {
        let command = Whole::command();
        let tables = [
            TrainSettings::FIELDS.iter().map(|field| field.info()).collect::<Vec<_>>(),
            RunOptions::FIELDS.iter().map(|field| field.info()).collect(),
            SlurmOptions::FIELDS.iter().map(|field| field.info()).collect(),
        ]
        .concat();
        let mut settings = 0;
        for argument in command.get_arguments() {
            let Some(flag) = argument.get_long().filter(|flag| !NO_SETTINGS.contains(flag)) else { continue };
            let row = tables.iter().find(|row| row.flag == flag);
            let row = row.unwrap_or_else(|| panic!("--{flag} is in no table, so no form has it"));
            assert_eq!(argument.get_help().map(ToString::to_string).as_deref(), Some(row.help), "--{flag}");
            settings += 1;
        }
        assert_eq!(settings, tables.len(), "and every row is a flag");
    }

    #[test]
    fn the_flags_of_a_form_give_its_settings() {
        let workspace = Workspace::at("nowhere", "nowhere");
        let check = |settings: &TrainSettings| {
            for &preset in TrainSettings::PRESETS {
                let flags = settings.flags_from(preset);
                let start = ["train", "demo", "--run", "x", "--preset", preset.name()].map(str::to_owned);
                let parsed = Whole::try_parse_from(start.into_iter().chain(flags.clone())).unwrap();
                assert_eq!(parsed.arguments.settings(None, &workspace).unwrap(), *settings, "{flags:?}");
            }
        };
        for preset in TrainSettings::PRESETS {
            check(&preset.settings());
            check(&preset.settings_for(Encoder::Windows));
        }
        let mut settings = Preset::Small.settings();
        for (flag, value) in [
            ("level", "partial:0.3+p"),
            ("fresh-names", "yes"),
            ("optimizer", "asgd"),
            ("average-from", "50"),
            ("clip", ""),
            ("compat", "reference"),
            ("engine", "candle"),
        ] {
            TrainSettings::field(flag).unwrap().set(&mut settings, value).unwrap();
        }
        check(&settings);
        TrainSettings::field("pooling").unwrap().set(&mut settings, "mean").unwrap();
        check(&settings);
    }

    #[test]
    fn wrong_values_are_wrong_usage() {
        let parse = |more: &[&str]| Whole::try_parse_from([&["train", "demo", "--run", "x"], more].concat());
        for wrong in [
            ["--epochs", "ten"],
            ["--level", "fll"],
            ["--encoder", "gpt"],
            ["--lr", "fast"],
            ["--partition", "gpu"],
        ] {
            assert!(parse(&wrong).is_err(), "{wrong:?}");
        }
        let nowhere = Workspace::at("nowhere", "nowhere");
        let said = |more: &[&str]| parse(more).ok().unwrap().arguments.settings(None, &nowhere).unwrap_err();
        assert!(
            said(&["--encoder", "npt", "--layers", "2", "--window", "3"])
                .to_string()
                .contains("npt has no windows")
        );
        assert!(said(&["--layers", "2"]).to_string().contains("a bag of windows has no layers"));
        assert!(said(&["--power", "0.5"]).to_string().contains("adamw has no such hyperparameter"));
        assert!(said(&["--init", "words"]).to_string().contains("windows takes no initial weights"));
        assert!(
            said(&["--encoder", "mathbert", "--init", "words"])
                .to_string()
                .contains("neither a folder nor a run")
        );
    }
}
