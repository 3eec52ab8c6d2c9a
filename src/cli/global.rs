//! Options that every command takes, before or after its name.

use std::{
    fmt,
    path::{Path, PathBuf},
    str::FromStr,
    sync::OnceLock,
};

use super::output::is_terminal;
use crate::{
    base::workspace::{Workspace, WorkspaceError},
    workbench::theme::ColorDepth,
};

/// Notices and progress are written from everywhere, so the options are those of the process.
static OPTIONS: OnceLock<GlobalOptions> = OnceLock::new();

#[derive(clap::Args, Clone, Debug, Default)]
#[command(next_help_heading = "Global options")]
pub struct GlobalOptions {
    /// Workspace: runs, studies, sessions, indexes [default: MATCHBOOK_WORKSPACE, else the platform's data directory]
    #[arg(long, value_name = "DIR", global = true)]
    workspace: Option<PathBuf>,
    /// Suppress progress and notices; warnings and errors are still printed
    #[arg(short, long, global = true, conflicts_with = "verbose")]
    quiet: bool,
    /// Also print the workspace, the elapsed time and the peak memory
    #[arg(long, global = true)]
    verbose: bool,
    /// Colors: auto, always or never; for the workbench also a color depth: true, 256, 16 or none
    #[arg(long, value_name = "WHEN", global = true, alias = "colour", default_value_t)]
    color: ColorChoice,
}

/// When to use colors, and how many.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ColorChoice {
    #[default]
    Auto,
    Always,
    Never,
    Depth(ColorDepth),
}

impl FromStr for ColorChoice {
    type Err = String;

    fn from_str(text: &str) -> Result<ColorChoice, String> {
        match text {
            "auto" => Ok(ColorChoice::Auto),
            "always" => Ok(ColorChoice::Always),
            "never" => Ok(ColorChoice::Never),
            depth => depth
                .parse()
                .map(ColorChoice::Depth)
                .map_err(|_| "use auto, always, never, or a color depth: true, 256, 16, none".to_owned()),
        }
    }
}

impl fmt::Display for ColorChoice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ColorChoice::Auto => f.write_str("auto"),
            ColorChoice::Always => f.write_str("always"),
            ColorChoice::Never => f.write_str("never"),
            ColorChoice::Depth(depth) => depth.fmt(f),
        }
    }
}

/// Sets the options of the process. Later calls have no effect.
pub fn set(options: GlobalOptions) {
    let _ = OPTIONS.set(options);
}

fn options() -> &'static GlobalOptions {
    OPTIONS.get_or_init(GlobalOptions::default)
}

/// The workspace that `--workspace` or the environment names.
pub fn workspace() -> Result<Workspace, WorkspaceError> {
    Workspace::find(given_workspace(), |name| std::env::var_os(name))
}

/// The folder of `--workspace`.
pub fn given_workspace() -> Option<&'static Path> {
    options().workspace.as_deref()
}

pub fn is_quiet() -> bool {
    options().quiet
}

pub fn is_verbose() -> bool {
    options().verbose
}

/// The color depth that was asked for, for the workbench.
pub fn color_depth() -> Option<ColorDepth> {
    match options().color {
        ColorChoice::Auto | ColorChoice::Always => None,
        ColorChoice::Never => Some(ColorDepth::None),
        ColorChoice::Depth(depth) => Some(depth),
    }
}

/// The color depth that was asked for by its name.
pub fn given_depth() -> Option<ColorDepth> {
    match options().color {
        ColorChoice::Depth(depth) => Some(depth),
        _ => None,
    }
}

/// Whether results on standard output are colored.
pub fn has_colors() -> bool {
    match options().color {
        ColorChoice::Auto => {
            is_terminal() && std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty())
        }
        ColorChoice::Always => true,
        ColorChoice::Never | ColorChoice::Depth(ColorDepth::None) => false,
        ColorChoice::Depth(_) => true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn color_choices_are_read_as_they_are_written() {
        for text in ["auto", "always", "never", "true", "256", "16", "none"] {
            assert_eq!(text.parse::<ColorChoice>().unwrap().to_string(), text);
        }
        assert!("pink".parse::<ColorChoice>().is_err());
    }
}
