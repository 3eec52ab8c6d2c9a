//! `matchbook keys`: prints the key bindings of the workbench.

use super::{global, output::Output};
use crate::{
    base::workspace::user_settings::UserSettings,
    workbench::app::keymap::{Keymap, key_table},
};

/// Print the keys of the workbench as a Markdown table
///
/// To change keys, edit config.toml in the platform's configuration folder: under [keys], assign a key or a list of keys to
/// the name of an action.
#[derive(clap::Args)]
#[command(after_help = "Example:\n  matchbook keys")]
pub struct Arguments {}

pub fn run(_: &Arguments, output: &mut Output) -> anyhow::Result<()> {
    let file = global::workspace().ok().and_then(|found| found.config_file());
    let (settings, mut problems) = file.map(|file| UserSettings::read(&file)).unwrap_or_default();
    let (keymap, clashes) = Keymap::new(&settings.keys);
    problems.extend(clashes);
    for problem in problems {
        output.warn(&format!("matchbook: {problem}"));
    }
    output.line(key_table(&keymap, true).trim_end())
}
