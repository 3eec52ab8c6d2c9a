//! What is done to runs.

use serde_json::json;

use crate::{
    cli::{output::Output, slurm_arguments::SlurmArguments},
    runs::jobs::{JobRow, Jobs, LaunchTarget, Notes, RunKind, StopOutcome},
    runs::{RunConfig, RunName},
    train::{RunSettings, TrainSettings, new_key, pretrain::PretrainSettings},
};

#[derive(clap::Subcommand)]
pub enum Action {
    /// Have a run write a checkpoint and stop; one that waits leaves its queue
    Stop { name: String },
    /// End a run at once, without a checkpoint
    Kill { name: String },
    /// Go on with a run after its last checkpoint, in a process of its own
    Resume {
        name: String,
        /// When the device is free
        #[arg(long)]
        queue: bool,
        #[command(flatten)]
        slurm: SlurmArguments,
    },
    /// Start a run like another one, with changes
    #[command(
        after_help = "Example:\n  matchbook runs duplicate first second --set epochs=10 --set level=full --queue"
    )]
    Duplicate {
        name: String,
        new_name: String,
        /// A setting and its value, named as its flag or its key in run.toml: epochs=10, width=64, seed=2
        #[arg(long = "set", value_name = "SETTING=VALUE")]
        changes: Vec<String>,
        /// When the device is free
        #[arg(long)]
        queue: bool,
        #[command(flatten)]
        slurm: SlurmArguments,
    },
    /// Give a run another name
    Rename { name: String, new_name: String },
    /// Say something of a run; nothing takes the note away
    Note { name: String, text: Vec<String> },
    /// Add tags to a run, or show them
    Tag {
        name: String,
        tags: Vec<String>,
        /// Take these tags away
        #[arg(long)]
        remove: bool,
    },
    /// The runs that wait, in their order; a name becomes the first
    Queue { first: Option<String> },
    /// Move a run to the workspace's trash
    Remove { name: String },
}

pub fn run(action: Action, jobs: &Jobs, json: bool, output: &mut Output) -> anyhow::Result<()> {
    let (name, what, text) = match action {
        Action::Stop { name } => {
            let text = match jobs.stop(&parsed(&name)?)? {
                StopOutcome::Dequeued => "is taken from the queue",
                StopOutcome::Signalled => "stops after its step",
                StopOutcome::Requested => "was asked to stop, and will read it within seconds",
            };
            (name, "stop", text.to_owned())
        }
        Action::Kill { name } => {
            jobs.kill(&parsed(&name)?)?;
            (name, "kill", "was ended".to_owned())
        }
        Action::Resume { name, queue, slurm } => {
            let place = place(queue, &slurm, jobs)?;
            jobs.resume(&parsed(&name)?, &place)?;
            (name, "resume", began(&place).to_owned())
        }
        Action::Duplicate { name, new_name, changes, queue, slurm } => {
            let place = place(queue, &slurm, jobs)?;
            let change = |config: &mut RunConfig| change(config, &changes);
            jobs.duplicate(&parsed(&name)?, parsed(&new_name)?, change, &place)?;
            let text = format!("is like {name} and {}", began(&place));
            (new_name, "duplicate", text)
        }
        Action::Rename { name, new_name } => {
            jobs.rename(&parsed(&name)?, &parsed(&new_name)?)?;
            (name, "rename", format!("is now called {new_name}"))
        }
        Action::Note { name, text } => {
            let run = parsed(&name)?;
            let notes = Notes { note: text.join(" "), ..jobs.notes(&run)? };
            jobs.annotate(&run, notes)?;
            (name, "note", "has the note".to_owned())
        }
        Action::Tag { name, tags, remove } => {
            let run = parsed(&name)?;
            let mut notes = jobs.notes(&run)?;
            match remove {
                true => notes.tags.retain(|tag| !tags.contains(tag)),
                false => notes.tags.extend(tags),
            }
            jobs.annotate(&run, notes)?;
            let tags = jobs.notes(&run)?.tags;
            let text = if tags.is_empty() { "no tags".to_owned() } else { tags.join(", ") };
            (name, "tag", format!("has {text}"))
        }
        Action::Queue { first } => return queue(jobs, first.as_deref(), json, output),
        Action::Remove { name } => {
            let trash = jobs.remove(&parsed(&name)?)?;
            if json {
                return output.json(&json!({ "removed": name, "trash": trash }));
            }
            (name, "remove", format!("is now {}", trash.display()))
        }
    };
    match json {
        true => output.json(&json!({ "run": name, "did": what, "text": text })),
        false => output.line(&format!("{name} {text}")),
    }
}

fn parsed(name: &str) -> anyhow::Result<RunName> {
    Ok(name.parse()?)
}

fn place(queue: bool, slurm: &SlurmArguments, jobs: &Jobs) -> anyhow::Result<LaunchTarget> {
    Ok(match slurm.options(jobs.settings())? {
        Some(options) => LaunchTarget::Slurm(options),
        None if queue => LaunchTarget::Queue,
        None => LaunchTarget::Here,
    })
}

fn began(place: &LaunchTarget) -> &'static str {
    match place {
        LaunchTarget::Here => "was started",
        LaunchTarget::Queue => "is queued",
        LaunchTarget::Slurm(_) => "was submitted to Slurm",
    }
}

fn queue(jobs: &Jobs, first: Option<&str>, json: bool, output: &mut Output) -> anyhow::Result<()> {
    if let Some(first) = first {
        jobs.first_in_queue(&parsed(first)?)?;
    }
    let mut waiting: Vec<JobRow> = jobs.list()?.into_iter().filter(|line| line.turn.is_some()).collect();
    waiting.sort_by(|one, other| (&one.device, one.turn).cmp(&(&other.device, other.turn)));
    if json {
        return output.json(&waiting.iter().map(super::list::as_json).collect::<Vec<_>>());
    }
    if waiting.is_empty() {
        output.notice("matchbook: no run waits");
    }
    for line in waiting {
        let (turn, at_once) = (line.turn.unwrap_or_default(), jobs.settings().places(&line.device));
        output.line(&format!("{:<6} {turn:>3}  {}  ({at_once} at a time)", line.device, line.name))?;
    }
    Ok(())
}

/// Changes settings of a run as `a.b=value`, and checks that they are settings.
fn change(config: &mut RunConfig, changes: &[String]) -> Result<(), String> {
    for change in changes {
        let (key, text) = change.split_once('=').ok_or_else(|| format!("{change:?} is not SETTING=VALUE"))?;
        // a bare word is text
        let value =
            format!("value = {text}").parse::<toml::Table>().ok().and_then(|mut table| table.remove("value"));
        let value = value.unwrap_or_else(|| toml::Value::String(text.to_owned()));
        if key == "seed" {
            config.seed = value
                .as_integer()
                .and_then(|seed| u64::try_from(seed).ok())
                .or_else(|| text.parse().ok())
                .ok_or_else(|| format!("{text:?} is no seed"))?;
            continue;
        }
        let path = path_of(&config.settings, key);
        set(&mut config.settings, &path, key, value)?;
    }
    match RunKind::of(config) {
        RunKind::Train => check::<TrainSettings>(&config.settings),
        RunKind::Pretrain => check::<PretrainSettings>(&config.settings),
    }
}

/// Returns where a setting is in `run.toml`: a flag may be given without its section (`width` for `shape.width`), with
/// hyphens, or with the name that it had in earlier versions.
fn path_of(settings: &toml::Table, key: &str) -> String {
    let key = key.replace('-', "_");
    let (section, name) = key.split_once('.').unwrap_or(("", &key));
    let name = new_key(section, name).unwrap_or(name);
    let holds = |section: &str| settings.get(section).is_some_and(|table| table.get(name).is_some());
    match section {
        "" if settings.contains_key(name) => name.to_owned(),
        "" => match ["optimizer", "shape"].into_iter().find(|section| holds(section)) {
            Some(section) => format!("{section}.{name}"),
            None => name.to_owned(),
        },
        section => format!("{section}.{name}"),
    }
}

fn check<S: RunSettings>(settings: &toml::Table) -> Result<(), String> {
    let read: Result<S, toml::de::Error> = settings.clone().try_into();
    let settings = read.map_err(|error| error.message().replace('\n', " "))?;
    settings.check().map_err(|error| error.to_string())
}

fn set(table: &mut toml::Table, path: &str, key: &str, value: toml::Value) -> Result<(), String> {
    if let Some((section, rest)) = path.split_once('.') {
        return match table.get_mut(section) {
            Some(toml::Value::Table(inner)) => set(inner, rest, key, value),
            _ => Err(format!("there is no section {section} in {key}")),
        };
    }
    // a setting that is left out when it has no value is checked by whoever reads them all
    let value = match (table.get(path), value) {
        (Some(toml::Value::Float(_)), toml::Value::Integer(number)) => toml::Value::Float(number as f64),
        (_, value) => value,
    };
    table.insert(path.to_owned(), value);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{corpus::CorpusReference, train::Preset};

    #[test]
    fn settings_are_changed_by_name_and_checked() {
        let settings = toml::Table::try_from(Preset::Tiny.settings()).unwrap();
        let mut config = RunConfig::new(1, CorpusReference::default(), settings);
        let mut with = |text: &str| change(&mut config, &[text.to_owned()]);
        with("epochs=3").unwrap();
        with("shape.width=32").unwrap();
        with("lr=1").unwrap();
        with("rate-decay=1").unwrap();
        with("heads=4").unwrap();
        with("optimizer.first=0.8").unwrap();
        with("beta2=0.99").unwrap();
        with("level=full+p").unwrap();
        with("seed=18446744073709551615").unwrap();
        for wrong in ["epochs", "shape.wdith=3", "nothing.there=1", "epochs=x"] {
            assert!(change(&mut config.clone(), &[wrong.to_owned()]).is_err(), "{wrong}");
        }
        assert!(change(&mut config.clone(), &["epochs=0".to_owned()]).unwrap_err().contains("at least one"));
        assert_eq!(config.seed, u64::MAX);
        assert_eq!(config.settings["shape"]["width"].as_integer(), Some(32));
        assert_eq!(config.settings["shape"]["heads"].as_integer(), Some(4));
        assert_eq!(config.settings["lr"].as_float(), Some(1.0));
        assert_eq!(config.settings["lr_decay"].as_float(), Some(1.0));
        assert_eq!(config.settings["optimizer"]["beta1"].as_float(), Some(0.8));
        assert_eq!(config.settings["optimizer"]["beta2"].as_float(), Some(0.99));
        assert_eq!(config.settings["level"].as_str(), Some("full+p"));
    }
}
