//! `matchbook screens`: pictures of the workbench out of a recording.

use std::path::{Path, PathBuf};

use anyhow::Context;

use super::{corpus_argument, open::read_recording, output::Output};
use crate::{
    base::atomic,
    base::workspace::Workspace,
    workbench::app::{Msg, recording::What},
    workbench::ui::{Headless, Replay, Surroundings, Wishes, theme::Depth},
};

/// Pictures of the workbench (SVG), out of recordings
///
/// A recording is replayed without a terminal. A line {"at":1000,"screen":"search"} in it asks for the picture search.svg; a
/// recording without such lines gives one picture of its end. Your settings and sessions do not matter.
#[derive(clap::Args)]
#[command(after_help = "Example:\n  matchbook screens assets/screens/tour.jsonl -o assets/screens")]
pub struct Arguments {
    /// Files that --record wrote
    #[arg(required = true)]
    recordings: Vec<PathBuf>,
    /// The folder for the pictures
    #[arg(short, long, value_name = "DIR")]
    output: PathBuf,
    /// The workspace whose runs are shown; there are none otherwise
    #[arg(long, value_name = "DIR")]
    workspace: Option<PathBuf>,
    /// Draw them in this theme
    #[arg(long, value_name = "NAME")]
    theme: Option<String>,
}

pub fn run(arguments: Arguments, output: &mut Output) -> anyhow::Result<()> {
    std::fs::create_dir_all(&arguments.output)
        .with_context(|| format!("cannot make the folder {}", arguments.output.display()))?;
    let runs =
        arguments.workspace.as_deref().map(|folder| Workspace::find(Some(folder), |_| None)).transpose()?;
    for recording in &arguments.recordings {
        for (name, picture) in pictures(recording, arguments.theme.clone(), runs.clone())? {
            let path = arguments.output.join(format!("{name}.svg"));
            atomic::replace(&path, picture.as_bytes())
                .with_context(|| format!("cannot write the picture {}", path.display()))?;
            output.line(&path.display().to_string())?;
        }
    }
    Ok(())
}

fn pictures(
    path: &Path,
    theme: Option<String>,
    runs: Option<Workspace>,
) -> anyhow::Result<Vec<(String, String)>> {
    let recording = read_recording(path)?;
    let (size, events) = (recording.header.size, recording.events.clone());
    let replay = Replay { recording, speed: 1.0, then_quit: true };
    let wishes = Wishes { theme, depth: Some(Depth::True), replay: Some(replay), ..Wishes::default() };
    let open_corpus =
        |name: &str| corpus_argument::open(Path::new(name)).map_err(|error| super::told(&error));
    let around = Surroundings { workspace: None, open_corpus: &open_corpus };
    let mut workbench = Headless::open(&around, &wishes, size)?;
    if let Some(workspace) = runs {
        workbench = workbench.with_workspace(workspace);
    }
    workbench.start();
    let mut pictures = Vec::new();
    for event in events {
        workbench.send(Msg::Tick(event.at));
        match event.what {
            What::Screen(name) => {
                // The name comes from a file, and becomes the name of one.
                let is_plain = |letter: char| letter.is_alphanumeric() || matches!(letter, '-' | '_');
                anyhow::ensure!(
                    !name.is_empty() && name.chars().all(is_plain),
                    "{}: `{name}` cannot name a picture; use letters, digits, hyphens and underscores",
                    path.display()
                );
                pictures.push((name, workbench.picture()));
            }
            what => what.msg().into_iter().for_each(|msg| workbench.send(msg)),
        }
    }
    if pictures.is_empty() {
        let name = path.file_stem().map_or("screen".into(), |stem| stem.to_string_lossy());
        pictures.push((name.into_owned(), workbench.picture()));
    }
    Ok(pictures)
}
