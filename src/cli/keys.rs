//! `matchbook keys`: the keys of the workbench.

use super::output::Output;
use crate::app::keymap::{Keymap, key_table};

/// The keys of the workbench, as a Markdown table
#[derive(clap::Args)]
#[command(after_help = "Example:\n  matchbook keys")]
pub struct Arguments {}

pub fn run(_: &Arguments, output: &mut Output) -> anyhow::Result<()> {
    output.line(key_table(&Keymap::default()).trim_end())
}
