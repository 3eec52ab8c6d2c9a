//! Extraction on a cluster: an array job with one task per shard, and a merge after it.

use std::{fs, path::PathBuf};

use anyhow::Context;
use serde_json::json;

use super::Arguments;
use crate::cli::global;
use crate::{
    cli::output::{Output, counted},
    runs::jobs::{
        JobSettings,
        slurm::batch::{self, Batch},
        this_program,
    },
};

const DEFAULT_SHARDS: u32 = 8;

pub fn run(arguments: &Arguments, output: &mut Output) -> anyhow::Result<()> {
    let workspace = global::workspace()?;
    let (settings, problems) = JobSettings::of(&workspace);
    problems.iter().for_each(|problem| output.warn(&format!("matchbook: {problem}")));
    let Some(options) = arguments.slurm.options(&settings)? else { return Ok(()) };
    // Unreadable inputs are reported now and not by a task.
    super::Inputs::open(&arguments.inputs)?;
    let absolute = |path: &PathBuf| std::path::absolute(path).unwrap_or_else(|_| path.clone());
    let corpus = absolute(&arguments.output);
    let mut folder = corpus.clone().into_os_string();
    folder.push(".parts");
    let folder = PathBuf::from(folder);
    fs::create_dir_all(&folder).with_context(|| format!("cannot create the folder {}", folder.display()))?;
    let count = arguments.shards.unwrap_or(DEFAULT_SHARDS);
    let word = |path: &PathBuf| path.to_string_lossy().into_owned();
    let program = word(&this_program());
    let part = |number: u32| word(&folder.join(format!("{number}.part")));
    // Inputs are not made absolute: a corpus stores them as given, and Slurm starts jobs in the current folder.
    let tasks: Vec<Vec<String>> = (1..=count)
        .map(|number| {
            let mut words = vec![program.clone(), "extract".to_owned()];
            words.extend(flags(arguments, options.cpus));
            words.extend(["--shard".to_owned(), format!("{number}/{count}"), "-o".to_owned(), part(number)]);
            words.push("--".to_owned());
            words.extend(arguments.inputs.iter().map(word));
            words
        })
        .collect();
    let mut then = vec![program, "extract".to_owned(), "--merge".to_owned(), "-o".to_owned(), word(&corpus)];
    for (flag, path) in [("--metadata", &arguments.metadata), ("--report", &arguments.report)] {
        if let Some(path) = path {
            then.extend([flag.to_owned(), word(&absolute(path))]);
        }
    }
    then.push("--".to_owned());
    then.extend((1..=count).map(part));
    let name = format!("extract-{}", corpus.file_name().unwrap_or_default().to_string_lossy());
    let parts: Vec<String> = (1..=count).map(part).collect();
    let batch =
        Batch { name: &name, folder: &folder, parts: &parts, tasks: &tasks, then: &then, options: &options };
    let submitted = batch::submit(&batch)?;
    if arguments.json {
        return output.json(&json!({ "parts": submitted.tasks, "merge": submitted.then, "folder": folder.display().to_string() }));
    }
    output.line(&format!(
        "submitted {} as job {} and the merge as job {}; their logs are in {} until the corpus is written",
        counted(count, "shard"),
        submitted.tasks,
        submitted.then,
        folder.display()
    ))
}

/// The flags that determine the pairs.
fn flags(arguments: &Arguments, cpus: Option<u32>) -> Vec<String> {
    let mut flags: Vec<String> = [
        ("--min", arguments.min.to_string()),
        ("--max", arguments.max.to_string()),
        ("--max-article", arguments.max_article.to_string()),
        ("--max-ratio", arguments.max_ratio.to_string()),
    ]
    .into_iter()
    .flat_map(|(flag, value)| [flag.to_owned(), value])
    .collect();
    if arguments.compat.is_some() {
        flags.extend(["--compat".to_owned(), "reference".to_owned()]);
    }
    if arguments.strict {
        flags.push("--strict".to_owned());
    }
    if arguments.any_language {
        flags.push("--any-language".to_owned());
    }
    if let Some(kinds) = &arguments.tokens {
        let names: Vec<String> = kinds
            .iter()
            .filter_map(|kind| Some(clap::ValueEnum::to_possible_value(kind)?.get_name().to_owned()))
            .collect();
        flags.extend(["--tokens".to_owned(), names.join(",")]);
    }
    let threads = arguments.threads.map(u32::from).or(cpus);
    if let Some(threads) = threads {
        flags.extend(["--threads".to_owned(), threads.to_string()]);
    }
    flags
}
