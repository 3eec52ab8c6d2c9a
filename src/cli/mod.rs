//! The command line: one small file per command.
//!
//! A command validates its arguments, calls the library and prints the result. Logic that a pane of the workbench needs
//! too belongs to the library. Results go to standard output, everything else (progress, notices, errors) to standard
//! error, so that output can be piped. Exit codes: 0 success, 1 failure, 2 wrong usage; a closed pipe is not an error.

mod assign;
mod baseline;
mod bench;
mod choice;
mod colour;
mod compare;
mod completions;
mod corpus_argument;
mod curves;
mod demo;
mod device;
mod duplicates;
mod evaluate;
mod evaluation_tables;
mod explain;
mod export;
mod extract;
mod field_flags;
mod find;
mod global;
mod guide;
mod import;
mod interrupt;
mod keys;
mod level;
mod man;
mod match_collections;
mod models;
mod notes;
mod open;
mod output;
mod overview;
mod painted;
mod pretrain;
mod progress;
mod range;
mod replace;
mod report;
mod runs;
mod screens;
mod show;
mod slurm_arguments;
mod split;
mod stats;
mod study;
mod swatch;
mod synth;
mod themes;
mod train;
mod training;
mod version;

use std::{io, process::ExitCode, time::Instant};

use clap::{Args, CommandFactory, FromArgMatches, Parser, Subcommand, error::ErrorKind, parser::ValueSource};

use crate::{base::printable, bench::peak_memory};
use output::Output;

/// A workbench for matching mathematical statements with their proofs.
#[derive(Parser)]
#[command(
    name = "matchbook",
    version = version::text(),
    about,
    max_term_width = 100,
    after_help = "Without a command, matchbook opens the workbench with the last session, or else with the demo."
)]
struct Arguments {
    #[command(flatten)]
    options: open::Options,
    #[command(flatten)]
    global: global::GlobalOptions,
    #[command(subcommand)]
    command: Option<Command>,
}

#[derive(Subcommand)]
enum Command {
    Open(open::Arguments),
    Extract(extract::Arguments),
    Import(import::Arguments),
    Export(export::Arguments),
    Stats(stats::Arguments),
    Show(show::Arguments),
    Compare(compare::Arguments),
    Split(split::Arguments),
    Duplicates(duplicates::Arguments),
    Replace(replace::Arguments),
    Evaluate(evaluate::Arguments),
    Find(Box<find::Arguments>),
    Match(Box<match_collections::Arguments>),
    Explain(Box<explain::Arguments>),
    Assign(assign::Arguments),
    Runs(runs::Arguments),
    Report(report::Arguments),
    Curves(curves::Arguments),
    Demo(demo::Arguments),
    Synth(synth::Arguments),
    Pretrain(Box<pretrain::Arguments>),
    Train(Box<train::Arguments>),
    Study(Box<study::Arguments>),
    Bench(bench::Arguments),
    Themes(themes::Arguments),
    Keys(keys::Arguments),
    Notes(notes::Arguments),
    Screens(screens::Arguments),
    Guide(guide::Arguments),
    Completions(completions::Arguments),
    Man(man::Arguments),
}

/// Runs the program.
pub fn main() -> ExitCode {
    completions::complete();
    let arguments = parse();
    let started = Instant::now();
    global::set(arguments.global);
    let mut output = Output::new();
    let outcome = match arguments.command {
        None => open::run_last(arguments.options, &mut output),
        Some(Command::Open(arguments)) => open::run(arguments, &mut output),
        Some(Command::Extract(arguments)) => extract::run(arguments, &mut output),
        Some(Command::Import(arguments)) => import::run(arguments, &mut output),
        Some(Command::Export(arguments)) => export::run(arguments, &mut output),
        Some(Command::Stats(arguments)) => stats::run(arguments, &mut output),
        Some(Command::Show(arguments)) => show::run(arguments, &mut output),
        Some(Command::Compare(arguments)) => compare::run(arguments, &mut output),
        Some(Command::Split(arguments)) => split::run(arguments, &mut output),
        Some(Command::Duplicates(arguments)) => duplicates::run(arguments, &mut output),
        Some(Command::Replace(arguments)) => replace::run(arguments, &mut output),
        Some(Command::Evaluate(arguments)) => evaluate::run(arguments, &mut output),
        Some(Command::Find(arguments)) => find::run(*arguments, &mut output),
        Some(Command::Match(arguments)) => match_collections::run(*arguments, &mut output),
        Some(Command::Explain(arguments)) => explain::run(&arguments, &mut output),
        Some(Command::Assign(arguments)) => assign::run(arguments, &mut output),
        Some(Command::Report(arguments)) => report::run(&arguments, &mut output),
        Some(Command::Runs(arguments)) => runs::run(arguments, &mut output),
        Some(Command::Curves(arguments)) => curves::run(arguments, &mut output),
        Some(Command::Demo(arguments)) => demo::run(arguments, &mut output),
        Some(Command::Synth(arguments)) => synth::run(arguments, &mut output),
        Some(Command::Pretrain(arguments)) => pretrain::run(&arguments, &mut output),
        Some(Command::Train(arguments)) => train::run(&arguments, &mut output),
        Some(Command::Study(arguments)) => study::run(&arguments, &mut output),
        Some(Command::Bench(arguments)) => bench::run(arguments, &mut output),
        Some(Command::Themes(arguments)) => themes::run(arguments, &mut output),
        Some(Command::Keys(arguments)) => keys::run(&arguments, &mut output),
        Some(Command::Notes(arguments)) => notes::run(arguments, &mut output),
        Some(Command::Screens(arguments)) => screens::run(arguments, &mut output),
        Some(Command::Guide(arguments)) => guide::run(&arguments, &mut output),
        Some(Command::Completions(arguments)) => completions::run(&arguments, &mut output),
        Some(Command::Man(arguments)) => man::run(&arguments, &mut output),
    };
    let outcome = outcome.and_then(|()| output.finish());
    if global::is_verbose() {
        describe_process(started, &output);
    }
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) if is_closed_pipe(&error) => ExitCode::SUCCESS,
        Err(error) => {
            output.warn(&format!("matchbook: {}", describe(&error)));
            ExitCode::FAILURE
        }
    }
}

/// Parses the arguments. Options of the workbench are accepted before a command only if that command opens the workbench.
fn parse() -> Arguments {
    let mut command = Arguments::command();
    let matches = command.try_get_matches_from_mut(std::env::args_os()).unwrap_or_else(|error| leave(&error));
    if let Some(name) = matches.subcommand_name() {
        let given = open::Options::augment_args(clap::Command::new("")).get_arguments().find_map(|option| {
            let source = matches.value_source(option.get_id().as_str())?;
            (source == ValueSource::CommandLine).then(|| option.get_long().unwrap_or_default().to_owned())
        });
        if let Some(option) = given {
            let message = format!(
                "--{option} is an option of the workbench: `matchbook open CORPUS --{option}`; `{name}` does not have it"
            );
            leave(&command.error(ErrorKind::ArgumentConflict, message));
        }
    }
    Arguments::from_arg_matches(&matches).unwrap_or_else(|error| leave(&error))
}

/// Ends the program with clap's message. It quotes the arguments, which may be names of files from anywhere.
fn leave(error: &clap::Error) -> ! {
    let text = error.render().to_string();
    // Help and the version are our own text.
    if error.exit_code() == 0 || printable::lines(&text) == text {
        error.exit();
    }
    output::warn(text.trim_end());
    std::process::exit(error.exit_code())
}

/// Prints what `--verbose` asks for.
fn describe_process(started: Instant, output: &Output) {
    if let Ok(workspace) = global::workspace() {
        output.notice(&format!("workspace {}", workspace.root().display()));
    }
    let memory =
        peak_memory().map_or_else(String::new, |bytes| format!(", peak memory {}", output::bytes(bytes)));
    output.notice(&format!("{:.2} s{memory}", started.elapsed().as_secs_f64()));
}

/// Whether the error is a closed pipe, as with `head`.
fn is_closed_pipe(error: &anyhow::Error) -> bool {
    error
        .chain()
        .filter_map(|cause| cause.downcast_ref::<io::Error>())
        .any(|cause| cause.kind() == io::ErrorKind::BrokenPipe)
}

/// An error with its causes. A cause that the message already includes is not repeated.
fn describe(error: &anyhow::Error) -> String {
    let mut text = String::new();
    for cause in error.chain().map(ToString::to_string) {
        // SQLite prefixes messages with its error code.
        let message = cause
            .split_once(": ")
            .filter(|(code, _)| code.starts_with("Error code "))
            .map_or(cause.as_str(), |(_, message)| message);
        if text.is_empty() {
            text.push_str(&cause);
        } else if !text.contains(message) {
            text.push_str(": ");
            text.push_str(&cause);
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use anyhow::Context;

    use super::*;

    #[test]
    fn a_cause_is_shown_once() {
        let full = || {
            rusqlite::Error::SqliteFailure(
                rusqlite::ffi::Error::new(13),
                Some("database or disk is full".to_owned()),
            )
        };
        let said = format!("while writing a.corpus: {}", full());
        assert_eq!(
            describe(&anyhow::Error::new(full()).context(said)),
            "while writing a.corpus: database or disk is full"
        );
        let other =
            Err::<(), _>(std::io::Error::other("the door is shut")).context("cannot go in").unwrap_err();
        assert_eq!(describe(&other), "cannot go in: the door is shut");
    }
}
