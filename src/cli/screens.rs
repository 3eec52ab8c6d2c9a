//! `matchbook screens`: screenshots of the workbench, from a recording.

use std::path::{Path, PathBuf};

use anyhow::Context;

use super::{global, open::read_recording, output::Output};
use crate::{
    base::{atomic, output_guard::OutputGuard, workspace::Workspace},
    runs::built_in,
    workbench::app::{Msg, recording::What},
    workbench::backend::{Environment, OpenOptions, Replay},
    workbench::theme::ColorDepth,
    workbench::ui::Headless,
};

/// Milliseconds for which an animated picture shows its last screen.
const LAST_FRAME: u64 = 6000;

/// Render screenshots (SVG) of the workbench from recordings
///
/// A recording is replayed without a terminal. A line {"at":1000,"screen":"search"} in it draws search.svg; a
/// recording without such lines gives one picture of its last screen. With --animate the screens of a recording become
/// one picture that shows them in turn. Your settings and sessions are not used, and your runs only with --workspace.
#[derive(clap::Args)]
#[command(after_help = "Example:\n  matchbook screens assets/screens/panes.jsonl -o pictures")]
pub struct Arguments {
    /// Recordings written by --record
    #[arg(required = true)]
    recordings: Vec<PathBuf>,
    /// Folder for the pictures
    #[arg(short, long, value_name = "DIR")]
    output: PathBuf,
    /// Draw one animated picture for each recording, with its name
    #[arg(long)]
    animate: bool,
    /// Draw in presentation mode: margins, fewer hints, and the pressed key
    #[arg(long)]
    present: bool,
    /// Theme [default: dark]
    #[arg(long, value_name = "NAME")]
    theme: Option<String>,
}

pub fn run(arguments: Arguments, output: &mut Output) -> anyhow::Result<()> {
    let mut guard = OutputGuard::new();
    guard.reads_all("a recording", &arguments.recordings);
    std::fs::create_dir_all(&arguments.output)
        .with_context(|| format!("cannot create the folder {}", arguments.output.display()))?;
    let runs = global::given_workspace().map(|folder| Workspace::find(Some(folder), |_| None)).transpose()?;
    for recording in &arguments.recordings {
        for (name, svg) in render(recording, &arguments, runs.clone())? {
            let path = arguments.output.join(format!("{name}.svg"));
            guard.writes("the picture", &path)?;
            atomic::replace(&path, svg.as_bytes())
                .with_context(|| format!("cannot write the picture {}", path.display()))?;
            output.line(&path.display().to_string())?;
        }
    }
    Ok(())
}

fn render(
    path: &Path,
    arguments: &Arguments,
    runs: Option<Workspace>,
) -> anyhow::Result<Vec<(String, String)>> {
    let recording = read_recording(path)?;
    let (size, events) = (recording.header.size, recording.events.clone());
    let replay = Replay { recording, speed: 1.0, then_quit: true };
    let options = OpenOptions {
        theme: arguments.theme.clone(),
        present: arguments.present,
        depth: Some(ColorDepth::True),
        replay: Some(replay),
        ..OpenOptions::default()
    };
    let open_corpus = |name: &str| {
        crate::corpus::open_corpus(Path::new(name)).map_err(|error| super::describe(&error.into()))
    };
    let environment = Environment { workspace: None, open_corpus: &open_corpus };
    let mut workbench = Headless::open(&environment, &options, size)?;
    if let Some(workspace) = runs {
        built_in::install(&workspace)
            .with_context(|| format!("cannot write the built-in runs to {}", workspace.root().display()))?;
        workbench = workbench.with_workspace(workspace);
    }
    workbench.start();
    let is_marked = events.iter().any(|event| matches!(event.what, What::Screen(_)));
    let ends = events.iter().map(|event| event.at).skip(1).collect::<Vec<u64>>();
    let (mut images, mut frames) = (Vec::new(), Vec::new());
    for (event, end) in events.into_iter().zip(ends.into_iter().map(Some).chain([None])) {
        let time = end.map_or(LAST_FRAME, |end| end.saturating_sub(event.at));
        workbench.send(Msg::Tick(event.at));
        let is_screen = match event.what {
            What::Screen(name) => {
                // The name is read from a recording and becomes a file name.
                let is_plain = |letter: char| letter.is_alphanumeric() || matches!(letter, '-' | '_');
                anyhow::ensure!(
                    !name.is_empty() && name.chars().all(is_plain),
                    "{}: `{name}` is not a valid picture name; use letters, digits, hyphens and underscores",
                    path.display()
                );
                if !arguments.animate {
                    images.push((name, workbench.svg()));
                }
                true
            }
            what => {
                what.msg().into_iter().for_each(|msg| workbench.send(msg));
                false
            }
        };
        if arguments.animate && is_screen == is_marked {
            frames.push(workbench.frame(time));
        }
    }
    let name = || path.file_stem().map_or("screen".into(), |stem| stem.to_string_lossy().into_owned());
    if arguments.animate {
        images.push((name(), workbench.animate(&frames)));
    } else if images.is_empty() {
        images.push((name(), workbench.svg()));
    }
    Ok(images)
}
