//! `matchbook completions`: completion scripts for shells.
//!
//! The script calls the program back at every tab ([`complete`]), so that commands, flags and their values are always those
//! of the installed version, and names of runs, chapters and corpora are completed too.

use std::{ffi::OsStr, io::Write, path::Path};

use anyhow::bail;
use clap::{Command, CommandFactory};
use clap_complete::{
    ArgValueCandidates, ArgValueCompleter, CompleteEnv, CompletionCandidate, PathCompleter,
    engine::ValueCompleter,
    env::{Bash, Fish, Powershell, Shells, Zsh},
};

use super::{global, output::Output};
use crate::{base::guide::CHAPTERS, corpus::demo::DEMO, runs::trained};

/// The environment variable by which a script asks for completions.
const VARIABLE: &str = "MATCHBOOK_COMPLETE";
const SHELLS: Shells<'static> = Shells(&[&Bash, &Fish, &Powershell, &Zsh]);
const CORPUS_ENDING: &str = "corpus";

/// Print a completion script for a shell
///
/// Completes commands and flags, and the names of runs, corpora and chapters of the guide.
#[derive(clap::Args)]
#[command(
    after_help = "Examples:\n  bash:        echo 'source <(matchbook completions bash)' >> ~/.bashrc\n  zsh:         echo 'source <(matchbook completions zsh)' >> ~/.zshrc\n  fish:        matchbook completions fish > ~/.config/fish/completions/matchbook.fish\n  PowerShell:  matchbook completions powershell >> $PROFILE"
)]
pub struct Arguments {
    /// Shell
    #[arg(value_parser = ["bash", "fish", "powershell", "zsh"])]
    shell: String,
}

pub fn run(arguments: &Arguments, output: &mut Output) -> anyhow::Result<()> {
    let Some(shell) = SHELLS.completer(&arguments.shell) else {
        bail!("there is no completion script for {}", arguments.shell);
    };
    let mut script = Vec::new();
    shell.write_registration(VARIABLE, "matchbook", "matchbook", "matchbook", &mut script)?;
    Ok(output.data().write_all(&script)?)
}

/// Answers a completion script and exits, if the environment variable is set.
pub fn complete() {
    CompleteEnv::with_factory(|| with_values(super::Arguments::command()))
        .var(VARIABLE)
        .shells(SHELLS)
        .complete();
}

/// Attaches the completers that find values at run time to the arguments that take them.
fn with_values(command: Command) -> Command {
    let is_about_runs = command.get_name() == "runs";
    let command = command.mut_args(|argument| match argument.get_id().as_str() {
        "run" | "runs" | "against" => argument.add(ArgValueCandidates::new(run_names)),
        "corpus" => argument.add(ArgValueCompleter::new(corpora)),
        "chapter" => argument.add(ArgValueCandidates::new(chapters)),
        _ => argument,
    });
    let names: Vec<String> = command.get_subcommands().map(|inner| inner.get_name().to_owned()).collect();
    names.into_iter().fold(command, |command, name| {
        command.mut_subcommand(name, |inner| match is_about_runs {
            true => with_values(inner).mut_args(|argument| match argument.get_id().as_str() {
                "name" | "names" => argument.add(ArgValueCandidates::new(run_names)),
                _ => argument,
            }),
            false => with_values(inner),
        })
    })
}

fn run_names() -> Vec<CompletionCandidate> {
    let Ok(workspace) = global::workspace() else { return Vec::new() };
    trained::names(Some(&workspace)).unwrap_or_default().into_iter().map(CompletionCandidate::new).collect()
}

fn chapters() -> Vec<CompletionCandidate> {
    CHAPTERS.iter().map(|chapter| CompletionCandidate::new(chapter.name)).collect()
}

/// The demo, corpus files, and folders that may hold some.
fn corpora(current: &OsStr) -> Vec<CompletionCandidate> {
    let is_corpus = |path: &Path| path.extension().is_some_and(|ending| ending == CORPUS_ENDING);
    let mut found = PathCompleter::any().filter(is_corpus).complete(current);
    if current.to_str().is_some_and(|typed| DEMO.starts_with(typed)) {
        found.insert(0, CompletionCandidate::new(DEMO));
    }
    found
}
