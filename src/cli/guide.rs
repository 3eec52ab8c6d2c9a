//! `matchbook guide`: prints a chapter of the guide, through a pager on a terminal.

use std::{
    io::Write,
    process::{Command, Stdio},
};

use anyhow::bail;
use clap::CommandFactory;

use super::output::Output;
use crate::{
    base::{
        guide::{CHAPTERS, Chapter, GuideLine, LineStyle, render},
        shell,
    },
    workbench::app::keymap::{Keymap, key_table},
};

/// Chapters that are generated, with their titles.
const GENERATED: [(&str, &str); 2] = [("keys", "Keys"), ("command-line", "Command line")];
const PLAIN_WIDTH: usize = 100;

/// Read the guide
///
/// Without a chapter, lists the chapters. The beginning of a name is enough.
#[derive(clap::Args)]
#[command(
    after_help = "Examples:\n  matchbook guide\n  matchbook guide tutorial\n  matchbook guide keys --markdown"
)]
pub struct Arguments {
    /// Chapter
    chapter: Option<String>,
    /// Print the Markdown source
    #[arg(long)]
    markdown: bool,
}

pub fn run(arguments: &Arguments, output: &mut Output) -> anyhow::Result<()> {
    let Some(name) = &arguments.chapter else { return list(output) };
    let text = match GENERATED.iter().find(|(generated, _)| generated.starts_with(name.as_str())) {
        _ if Chapter::find(name).is_some() => Chapter::find(name).map(|found| found.text.to_owned()),
        Some(("keys", title)) => {
            Some(format!("# {title}\n\n{}", key_table(&Keymap::new(&Default::default()).0)))
        }
        Some((_, title)) => Some(format!("# {title}\n\n{}", command_line())),
        None => None,
    };
    let Some(text) = text else {
        bail!("there is no chapter {name:?}; `matchbook guide` lists the chapters");
    };
    if arguments.markdown {
        return output.text(text.as_bytes());
    }
    if !output.is_terminal() {
        return render(&text, PLAIN_WIDTH).iter().try_for_each(|line| output.line(&line.text));
    }
    let width = std::env::var("COLUMNS").ok().and_then(|columns| columns.parse().ok()).unwrap_or(80);
    let painted: String = render(&text, width).iter().map(paint).collect();
    if page(&painted).is_none() {
        output.text(painted.as_bytes())?;
    }
    Ok(())
}

fn list(output: &mut Output) -> anyhow::Result<()> {
    let written = CHAPTERS.iter().map(|chapter| (chapter.name, chapter.title()));
    let chapters: Vec<(&str, &str)> = written.chain(GENERATED).collect();
    let widest = chapters.iter().map(|(name, _)| name.len()).max().unwrap_or(0);
    chapters.iter().try_for_each(|(name, title)| output.line(&format!("{name:widest$}  {title}")))
}

fn paint(line: &GuideLine) -> String {
    match line.style {
        LineStyle::Heading => format!("\x1b[1m{}\x1b[0m\n", line.text),
        LineStyle::Code => format!("\x1b[36m{}\x1b[0m\n", line.text),
        LineStyle::Text => format!("{}\n", line.text),
    }
}

/// Shows text in the user's pager. None when there is no pager.
fn page(text: &str) -> Option<()> {
    let pager =
        std::env::var("PAGER").ok().filter(|pager| !pager.is_empty()).unwrap_or("less -FRX".to_owned());
    let words = shell::split(&pager)?;
    let (program, arguments) = words.split_first()?;
    let mut child = Command::new(program).args(arguments).stdin(Stdio::piped()).spawn().ok()?;
    // the reader may quit before the end
    let _ = child.stdin.take()?.write_all(text.as_bytes());
    child.wait().ok().map(|_| ())
}

/// The help of every command, as Markdown.
fn command_line() -> String {
    let mut program = super::Arguments::command();
    program.build();
    let mut text = String::new();
    write_help(&mut program, "matchbook", &mut text);
    text
}

fn write_help(command: &mut clap::Command, path: &str, text: &mut String) {
    let help = command.clone().term_width(PLAIN_WIDTH).render_long_help();
    text.push_str(&format!("## {path}\n\n```text\n{}\n```\n\n", help.to_string().trim_end()));
    let names: Vec<String> = command
        .get_subcommands()
        .map(|inner| inner.get_name().to_owned())
        .filter(|name| name != "help")
        .collect();
    for name in names {
        if let Some(inner) = command.find_subcommand_mut(&name) {
            write_help(inner, &format!("{path} {name}"), text);
        }
    }
}
