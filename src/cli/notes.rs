//! `matchbook notes`: the labels and notes that were given to pairs in the workbench.

use std::path::PathBuf;

use super::{
    global,
    output::{Output, printable},
};
use crate::corpus::{
    annotations::{Annotation, Annotations},
    open_corpus,
};

/// List the labels and notes given to pairs in Browse
///
/// Prints pair, label and note, separated by tabs.
#[derive(clap::Args)]
#[command(after_help = "Examples:\n  matchbook notes demo\n  matchbook notes my.corpus --label wrong --json")]
pub struct Arguments {
    /// Corpus file, or `demo`
    corpus: PathBuf,
    /// List only pairs with this label
    #[arg(long, value_name = "LABEL")]
    label: Option<String>,
    /// Print them as JSON
    #[arg(long)]
    json: bool,
}

pub fn run(arguments: Arguments, output: &mut Output) -> anyhow::Result<()> {
    let workspace = global::workspace()?;
    let store = open_corpus(&arguments.corpus)?;
    let mut annotations = Annotations::of(&store, &workspace)?;
    if let Some(label) = &arguments.label {
        annotations.pairs.retain(|_, annotation| annotation.label == *label);
    }
    if arguments.json {
        return output.json(&annotations.pairs);
    }
    for (pair, Annotation { label, note }) in &annotations.pairs {
        output.line(&format!("{}\t{}\t{}", printable(pair), printable(label), printable(note)))?;
    }
    Ok(())
}
