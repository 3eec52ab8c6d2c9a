//! `matchbook guide`: prints a chapter of the guide, through a pager on a terminal.

use std::{
    io::Write,
    process::{Command, Stdio},
};

use anyhow::bail;

use super::{
    output::{Output, is_terminal},
    painted::Painted,
};
use crate::{
    base::{
        guide::{CHAPTERS, Chapter, GuideLine, LineStyle, render},
        shell,
    },
    workbench::ui,
};

/// The width without a terminal, and the largest with one: longer lines are hard to read.
const PLAIN_WIDTH: usize = 100;
/// The width if a terminal does not report its size.
const USUAL_WIDTH: usize = 80;

/// Read the guide
///
/// Without a chapter, lists the chapters. The beginning of a name is enough.
#[derive(clap::Args)]
#[command(
    after_help = "Examples:\n  matchbook guide\n  matchbook guide tutorial\n  matchbook guide formats --markdown"
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
    let Some(chapter) = Chapter::find(name) else { bail!(not_found(name)) };
    if arguments.markdown {
        return output.text(chapter.text);
    }
    if !is_terminal() {
        return render(chapter.text, PLAIN_WIDTH).iter().try_for_each(|line| output.line(&line.text));
    }
    let width = width(std::env::var("COLUMNS").ok().as_deref(), ui::columns());
    let mut painted = Painted::default();
    render(chapter.text, width).iter().for_each(|line| paint(line, &mut painted));
    match page(painted.as_str()) {
        Some(()) => Ok(()),
        None => output.painted(&painted),
    }
}

/// Why a name finds no chapter.
fn not_found(name: &str) -> String {
    let similar: Vec<&str> = Chapter::beginning_with(name).map(|chapter| chapter.name).collect();
    match similar.is_empty() {
        true => format!("there is no chapter {name:?}; `matchbook guide` lists the chapters"),
        false => format!("several chapters begin with {name:?}: {}", similar.join(", ")),
    }
}

/// The width to wrap text at: what the variable `COLUMNS` says, else what the terminal says.
fn width(variable: Option<&str>, terminal: Option<u16>) -> usize {
    let set = variable.and_then(|columns| columns.parse::<usize>().ok()).filter(|columns| *columns > 0);
    set.or(terminal.map(usize::from)).unwrap_or(USUAL_WIDTH).min(PLAIN_WIDTH)
}

fn list(output: &mut Output) -> anyhow::Result<()> {
    let widest = CHAPTERS.iter().map(|chapter| chapter.name.len()).max().unwrap_or(0);
    CHAPTERS
        .iter()
        .try_for_each(|chapter| output.line(&format!("{:widest$}  {}", chapter.name, chapter.title())))
}

fn paint(line: &GuideLine, painted: &mut Painted) {
    match line.style {
        LineStyle::Heading => painted.push_styled("1", &line.text),
        LineStyle::Code => painted.push_styled("36", &line.text),
        LineStyle::Text => painted.push(&line.text),
    };
    painted.push("\n");
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

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;
    use crate::workbench::app::keymap::{Keymap, key_table};

    #[test]
    fn text_is_as_wide_as_the_terminal_up_to_a_limit() {
        assert_eq!(width(None, Some(90)), 90);
        assert_eq!(width(None, Some(200)), PLAIN_WIDTH);
        assert_eq!(width(Some("70"), Some(90)), 70);
        assert_eq!(width(Some("wide"), Some(90)), 90);
        assert_eq!(width(Some("0"), None), USUAL_WIDTH);
    }

    #[test]
    fn a_name_that_several_chapters_begin_with_lists_them() {
        assert_eq!(
            not_found("r"),
            "several chapters begin with \"r\": replacement-levels, runs-and-files, robustness"
        );
        assert_eq!(not_found("x"), "there is no chapter \"x\"; `matchbook guide` lists the chapters");
    }

    /// Two chapters are generated. `UPDATE_GUIDE=1 cargo test --lib cli::guide` writes them again.
    #[test]
    fn generated_chapters_are_current() {
        let keys = key_table(&Keymap::new(&Default::default()).0, false);
        let mut program = super::super::Arguments::command();
        program.build();
        let mut help = String::new();
        write_help(&mut program, "matchbook", &mut help);
        for (name, text) in [
            (
                "keys",
                format!(
                    "# Keys\n\nEvery key can be changed in `config.toml`; `matchbook keys` prints the\nkeys in effect and the names of the actions.\n\n{}\n",
                    keys.trim()
                ),
            ),
            (
                "command-line",
                format!("# Command line\n\nWhat `matchbook COMMAND --help` prints.\n\n{}\n", help.trim()),
            ),
        ] {
            let path = format!("{}/assets/guide/{name}.md", env!("CARGO_MANIFEST_DIR"));
            if std::env::var_os("UPDATE_GUIDE").is_some() {
                std::fs::write(&path, &text).unwrap();
            }
            let found = std::fs::read_to_string(&path).unwrap();
            assert!(found == text, "{path} is out of date: UPDATE_GUIDE=1 cargo test --lib cli::guide");
        }
    }

    fn write_help(command: &mut clap::Command, path: &str, text: &mut String) {
        let help = command.clone().term_width(PLAIN_WIDTH).render_long_help().to_string();
        let lines: Vec<&str> = help.trim_end().lines().map(str::trim_end).collect();
        text.push_str(&format!("## {path}\n\n```text\n{}\n```\n\n", lines.join("\n")));
        let inner: Vec<String> = command.get_subcommands().map(|inner| inner.get_name().to_owned()).collect();
        for name in inner.iter().filter(|name| *name != "help") {
            if let Some(inner) = command.find_subcommand_mut(name) {
                write_help(inner, &format!("{path} {name}"), text);
            }
        }
    }
}
