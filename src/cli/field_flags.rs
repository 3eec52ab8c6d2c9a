//! Command-line flags generated from a table of settings.

use std::marker::PhantomData;

use clap::{Arg, ArgAction, ArgMatches, Command, builder::PossibleValuesParser};

use crate::base::fields::{Field, FieldKind, Fields};

/// The flags given for a table of settings, in the order of the table.
pub struct FieldFlags<S> {
    given: Vec<(&'static str, String)>,
    table: PhantomData<S>,
}

impl<S: Fields> FieldFlags<S> {
    /// The value of a flag, if given.
    pub fn get(&self, flag: &str) -> Option<&str> {
        self.given.iter().find(|(given, _)| *given == flag).map(|(_, text)| text.as_str())
    }

    /// Applies the flags to settings. `after` is called for each field, given or not, once it has its value.
    pub fn change(
        &self,
        settings: &mut S,
        mut after: impl FnMut(&str, &mut S) -> anyhow::Result<()>,
    ) -> anyhow::Result<()> {
        for field in S::FIELDS {
            if let Some(text) = self.get(field.flag) {
                field
                    .set(settings, text)
                    .map_err(|problem| anyhow::anyhow!("--{}: {problem}", field.flag))?;
            }
            after(field.flag, settings)?;
        }
        Ok(())
    }

    /// The default settings with the flags applied.
    pub fn settings(&self) -> anyhow::Result<S>
    where
        S: Default,
    {
        let mut settings = S::default();
        self.change(&mut settings, |_, _| Ok(()))?;
        Ok(settings)
    }
}

impl<S: Fields> clap::Args for FieldFlags<S> {
    fn augment_args(command: Command) -> Command {
        S::FIELDS.iter().fold(command, |command, field| {
            let argument = argument(field);
            command.arg(match S::REQUIRES {
                Some(other) => argument.requires(other),
                None => argument,
            })
        })
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl<S: Fields> clap::FromArgMatches for FieldFlags<S> {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let text = |field: &'static Field<S>| -> Option<String> {
            match field.kind {
                FieldKind::Switch => matches.get_flag(field.flag).then(|| "yes".to_owned()),
                _ => matches.get_one::<String>(field.flag).cloned(),
            }
        };
        let given = S::FIELDS.iter().filter_map(|field| Some((field.flag, text(field)?))).collect();
        Ok(FieldFlags { given, table: PhantomData })
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

/// Other names of a flag: those of other programs, and former ones.
fn aliases(flag: &str) -> &'static [&'static str] {
    match flag {
        "batch" => &["batch-size"],
        "lr" => &["learning-rate"],
        "decay" => &["weight-decay"],
        "optimizer" => &["optimiser"],
        "width" => &["embedding-dimension"],
        "warm-up" => &["warmup", "warmup-steps"],
        "longest" => &["max-length"],
        "clip" => &["gradient-clipping"],
        "start" => &["score-start"],
        "neighbors" => &["neighbours"],
        _ => &[],
    }
}

fn argument<S>(field: &'static Field<S>) -> Arg {
    let argument = Arg::new(field.flag).long(field.flag).help(field.help).aliases(aliases(field.flag));
    let kind = field.kind;
    let argument = match kind {
        FieldKind::Switch => return argument.action(ArgAction::SetTrue),
        FieldKind::Choice(choices) => {
            return argument.value_name("WHICH").value_parser(PossibleValuesParser::new(choices));
        }
        FieldKind::Whole(_) | FieldKind::OptionalWhole(_) => argument.value_name("N"),
        FieldKind::Real(_) | FieldKind::OptionalReal(_) => argument.value_name("X"),
        FieldKind::Open { name, .. } | FieldKind::Text(name) => argument.value_name(name),
    };
    argument
        .value_parser(move |text: &str| kind.check(text).map(|()| text.to_owned()))
        .allow_negative_numbers(true)
}
