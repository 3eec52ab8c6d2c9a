//! `matchbook completions`: completion scripts for shells.
//!
//! The script calls the program back at every tab ([`complete`]), so that commands, flags and their values are always those
//! of the installed version, and names of runs, studies, corpora, levels, themes, sessions and chapters are completed too.

use std::{
    ffi::{OsStr, OsString},
    io::Write,
    path::Path,
};

use anyhow::bail;
use clap::{Command, CommandFactory};
use clap_complete::{
    ArgValueCandidates, ArgValueCompleter, CompleteEnv, CompletionCandidate, PathCompleter,
    engine::ValueCompleter,
    env::{Bash, Fish, Powershell, Shells, Zsh},
};
use strum::VariantArray;

use super::{global, output::Output};
use crate::{
    base::{guide::CHAPTERS, workspace},
    corpus::demo::DEMO,
    runs::{self, trained},
    study::Study,
    symbols::{Level, Setting},
    workbench::{session::Sessions, theme::Themes},
};

/// The environment variable by which a script asks for completions.
const VARIABLE: &str = "MATCHBOOK_COMPLETE";
const SHELLS: Shells<'static> = Shells(&[&Bash, &Fish, &Powershell, &Zsh]);
const CORPUS_ENDING: &str = "corpus";

/// Print a completion script for a shell
///
/// Completes commands and flags, and the names of runs, studies, corpora, levels, themes, sessions and chapters of the
/// guide.
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
    if arguments.shell == "zsh" {
        // A `.zshrc` that has not set up completion has no `compdef` yet. The first line must stay `#compdef`.
        let first = script.iter().position(|byte| *byte == b'\n').map_or(script.len(), |end| end + 1);
        script
            .splice(first..first, *b"(( $+functions[compdef] )) || { autoload -Uz compinit && compinit }\n");
    }
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
    let (is_about_runs, is_report) = (command.get_name() == "runs", command.get_name() == "report");
    let is_evaluation = command.get_name() == "evaluate";
    let command = command.mut_args(|argument| match argument.get_id().as_str() {
        "run" | "runs" | "against" => {
            argument.add(ArgValueCandidates::new(|| not_listed(trained_runs(), &typed_word())))
        }
        "config" | "init" => argument.add(ArgValueCompleter::new(runs_or_paths)),
        "corpus" => argument.add(ArgValueCompleter::new(corpora)),
        "level" if is_evaluation => argument.add(ArgValueCompleter::new(level_lists)),
        "level" | "levels" => argument.add(ArgValueCandidates::new(|| not_listed(levels(), &typed_word()))),
        "device" => argument.add(ArgValueCandidates::new(devices)),
        "theme" => argument.add(ArgValueCandidates::new(themes)),
        "session" => argument.add(ArgValueCandidates::new(sessions)),
        "chapter" => argument.add(ArgValueCandidates::new(chapters)),
        "name" if is_report => argument.add(ArgValueCandidates::new(runs_and_studies)),
        _ => argument,
    });
    let names: Vec<String> = command.get_subcommands().map(|inner| inner.get_name().to_owned()).collect();
    names.into_iter().fold(command, |command, name| {
        command.mut_subcommand(name, |inner| match is_about_runs {
            true => with_values(inner).mut_args(|argument| match argument.get_id().as_str() {
                "name" | "names" => argument.add(ArgValueCandidates::new(all_runs)),
                _ => argument,
            }),
            false => with_values(inner),
        })
    })
}

/// A value with its description, which zsh and fish show next to it.
fn described(value: impl Into<OsString>, about: &str) -> CompletionCandidate {
    CompletionCandidate::new(value).help(Some(about.to_owned().into()))
}

/// The word that is being completed, with the values before its last comma: clap hands completers only what is after it.
fn typed_word() -> String {
    let words: Vec<OsString> = std::env::args_os().skip_while(|word| word != "--").skip(1).collect();
    let index = std::env::var("_CLAP_COMPLETE_INDEX").ok().and_then(|index| index.parse::<usize>().ok());
    let word = words.get(index.unwrap_or_else(|| words.len().saturating_sub(1)));
    word.map(|word| word.to_string_lossy().into_owned()).unwrap_or_default()
}

/// The values that a list with commas between does not contain yet; its last value is still being typed.
fn not_listed(mut values: Vec<CompletionCandidate>, typed: &str) -> Vec<CompletionCandidate> {
    let list = typed.rsplit_once(',').map_or("", |(list, _)| list);
    // `--run=first,` is one word
    let list = list.split_once('=').filter(|_| list.starts_with('-')).map_or(list, |(_, list)| list);
    values.retain(|value| list.split(',').all(|listed| value.get_value() != listed));
    values
}

/// Runs whose models can be used, and the models that come with the program.
fn trained_runs() -> Vec<CompletionCandidate> {
    let Ok(workspace) = global::workspace() else { return Vec::new() };
    let names = trained::names(Some(&workspace)).unwrap_or_default();
    names.into_iter().map(|name| described(name, "trained model")).collect()
}

/// Every run of the workspace, whatever its state, and those that come with the program.
fn all_runs() -> Vec<CompletionCandidate> {
    let Ok(workspace) = global::workspace() else { return Vec::new() };
    let mut found = trained_runs();
    for run in runs::list(&workspace).unwrap_or_default() {
        if !found.iter().any(|known| known.get_value() == run.name.as_str()) {
            found.push(described(run.name, "without a trained model"));
        }
    }
    found
}

fn runs_and_studies() -> Vec<CompletionCandidate> {
    let studies = Study::VARIANTS.iter().map(|study| described(study.name(), study.title()));
    all_runs().into_iter().chain(studies).collect()
}

/// A run, or a file or folder.
fn runs_or_paths(current: &OsStr) -> Vec<CompletionCandidate> {
    let typed = current.to_string_lossy();
    let mut found = all_runs();
    found.retain(|run| run.get_value().to_string_lossy().starts_with(&*typed));
    found.extend(PathCompleter::any().complete(current));
    found
}

fn levels() -> Vec<CompletionCandidate> {
    let protected = |level| Setting { level, protect: true };
    let plain = Level::ALL.map(|level| described(level.to_string(), "level of symbol replacement"));
    let kept = Level::ALL[1..]
        .iter()
        .map(|level| described(protected(*level).to_string(), "with protected symbols"));
    plain.into_iter().chain(kept).collect()
}

/// All levels, or a list of some with commas between.
fn level_lists(current: &OsStr) -> Vec<CompletionCandidate> {
    let typed = current.to_string_lossy();
    let (list, last) = typed.split_at(typed.rfind(',').map_or(0, |comma| comma + 1));
    let mut found = not_listed(levels(), &typed);
    if list.is_empty() {
        found.insert(0, described("all", "every level of symbol replacement"));
    }
    found.retain(|level| level.get_value().to_string_lossy().starts_with(last));
    found.into_iter().map(|level| level.add_prefix(list)).collect()
}

fn devices() -> Vec<CompletionCandidate> {
    [
        ("auto", "a GPU if there is one, otherwise the CPU"),
        ("cpu", "the CPU"),
        ("cuda", "the first NVIDIA GPU"),
        ("cuda:0,1", "two NVIDIA GPUs"),
        ("metal", "an Apple GPU"),
    ]
    .map(|(name, about)| described(name, about))
    .into()
}

fn themes() -> Vec<CompletionCandidate> {
    let themes = workspace::user_themes().map_or_else(Themes::built_in, Themes::with_folder);
    themes.list().into_iter().map(|theme| described(theme.name, &theme.source.to_string())).collect()
}

fn sessions() -> Vec<CompletionCandidate> {
    let Ok(workspace) = global::workspace() else { return Vec::new() };
    Sessions::of(&workspace).list().into_iter().map(|session| described(session.name, "session")).collect()
}

fn chapters() -> Vec<CompletionCandidate> {
    CHAPTERS.iter().map(|chapter| described(chapter.name, chapter.title())).collect()
}

/// The demo, corpus files, and folders that may hold some.
fn corpora(current: &OsStr) -> Vec<CompletionCandidate> {
    let is_corpus = |path: &Path| path.extension().is_some_and(|ending| ending == CORPUS_ENDING);
    let mut found = PathCompleter::any().filter(is_corpus).complete(current);
    if current.to_str().is_some_and(|typed| DEMO.starts_with(typed)) {
        found.insert(0, described(DEMO, "the embedded demo"));
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn values(candidates: Vec<CompletionCandidate>) -> Vec<String> {
        candidates.iter().map(|candidate| candidate.get_value().to_string_lossy().into_owned()).collect()
    }

    #[test]
    fn evaluations_take_all_levels_or_a_list() {
        let complete = |typed: &str| values(level_lists(OsStr::new(typed)));
        assert_eq!(complete("a"), ["all"]);
        assert!(complete("").contains(&"all".to_owned()));
        assert_eq!(complete("full,tr"), ["full,transposition", "full,transposition+p"]);
        assert_eq!(complete("full,fu"), ["full,full+p"]);
    }

    #[test]
    fn a_value_is_not_offered_twice_for_a_list() {
        let offered = |typed: &str| {
            let runs = ["first", "second"].map(|run| described(run, "trained model")).into();
            values(not_listed(runs, typed))
        };
        assert_eq!(offered(""), ["first", "second"]);
        assert_eq!(offered("first"), ["first", "second"]);
        assert_eq!(offered("first,"), ["second"]);
        assert_eq!(offered("--run=second,f"), ["first"]);
        assert_eq!(offered("second,first,"), [""; 0]);
    }
}
