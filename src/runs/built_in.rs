//! The training runs of the embedded models, and the runs of one finished study, as runs that every workspace has: their
//! settings, metrics, logs and evaluations, without checkpoints. They are marked by a tag, and cannot be changed.
//!
//! [`install`] writes their files below the workspace, beside the folder of the user's own runs; from there on they are
//! read as any other run. `assets/demo/models/train.sh` makes them again together with the models. The study is
//! `matchbook study invariant demo --preset tiny --encoders windows --seeds 1`.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use super::layout;
use crate::base::{atomic, outside, workspace::Workspace};

/// The folder of the built-in runs in a workspace.
const FOLDER: &str = "built-in";

/// What the table of runs shows about them.
const NOTES: &str =
    "note = \"A model that comes with matchbook. It cannot be changed.\"\ntags = [\"built in\"]\n";

/// The same about the runs of the study.
const STUDY_NOTES: &str =
    "note = \"A run of the study that comes with matchbook. It cannot be changed.\"\ntags = [\"built in\"]\n";

/// The run directories of the study, packed.
const STUDY: &[u8] = include_bytes!("../../assets/demo/study.tar.zst");

/// Names the unpacked study; a hidden file is not a run.
const UNPACKED: &str = ".study";

/// A run and its files.
struct BuiltIn {
    name: &'static str,
    files: [(&'static str, &'static str); 4],
}

macro_rules! built_in {
    ($name:literal, $folder:literal) => {
        BuiltIn {
            name: $name,
            files: [
                (layout::CONFIG, include_str!(concat!("../../assets/demo/models/", $folder, "/run.toml"))),
                (layout::STATUS, include_str!(concat!("../../assets/demo/models/", $folder, "/status.json"))),
                (
                    layout::METRICS,
                    include_str!(concat!("../../assets/demo/models/", $folder, "/metrics.jsonl")),
                ),
                (layout::LOG, include_str!(concat!("../../assets/demo/models/", $folder, "/log.txt"))),
            ],
        }
    };
}

const RUNS: [BuiltIn; 2] = [built_in!("demo-conservation", "conservation"), built_in!("demo-full", "full")];

/// The folder of the built-in runs, whether it exists or not.
pub fn folder(workspace: &Workspace) -> PathBuf {
    workspace.root().join(FOLDER)
}

/// Whether the folder of a run is one of the built-in ones.
pub fn is_built_in(run: &Path) -> bool {
    run.parent().is_some_and(|parent| parent.ends_with(FOLDER))
}

/// Whether a built-in run of this name is a model of the demo, and not a run of the study.
pub fn is_model(name: &str) -> bool {
    RUNS.iter().any(|run| run.name == name)
}

/// Writes the built-in runs into a workspace, unless they are there.
pub fn install(workspace: &Workspace) -> io::Result<()> {
    for run in RUNS {
        let path = folder(workspace).join(run.name);
        let checkpoints = path.join(layout::CHECKPOINTS);
        if !checkpoints.is_dir() {
            fs::create_dir_all(checkpoints)?;
        }
        for (name, content) in run.files.into_iter().chain([(layout::NOTES, NOTES)]) {
            let file = path.join(name);
            if outside::read(&file, outside::SETTINGS).is_ok_and(|known| known == content.as_bytes()) {
                continue;
            }
            atomic::replace(&file, content.as_bytes())?;
        }
    }
    install_study(&folder(workspace))
}

fn install_study(folder: &Path) -> io::Result<()> {
    let (marker, digest) = (folder.join(UNPACKED), blake3::hash(STUDY).to_hex());
    if outside::read(&marker, outside::SETTINGS).is_ok_and(|known| known == digest.as_bytes()) {
        return Ok(());
    }
    let mut archive = tar::Archive::new(zstd::stream::read::Decoder::new(STUDY)?);
    archive.set_preserve_mtime(false);
    archive.unpack(folder)?;
    let is_study = |name: &str| name.starts_with("study-");
    for entry in
        fs::read_dir(folder)?.flatten().filter(|entry| entry.file_name().to_str().is_some_and(is_study))
    {
        fs::create_dir_all(entry.path().join(layout::CHECKPOINTS))?;
        atomic::replace(&entry.path().join(layout::NOTES), STUDY_NOTES.as_bytes())?;
    }
    atomic::replace(&marker, digest.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::runs::{RunDirectory, list, tests::workspace, trained};

    #[test]
    fn they_are_listed_read_and_not_changed() {
        let (_home, workspace) = workspace();
        assert!(list(&workspace).unwrap().is_empty(), "nothing is listed before they are installed");
        install(&workspace).unwrap();
        install(&workspace).unwrap();
        let listed = list(&workspace).unwrap();
        let (study, models): (Vec<_>, Vec<_>) =
            listed.into_iter().partition(|run| run.name.starts_with("study-"));
        assert_eq!(models.iter().map(|run| run.name.as_str()).collect::<Vec<_>>(), trained::embedded::NAMES);
        assert_eq!(study.len(), 7);
        for run in study {
            assert!(run.problems.is_empty(), "{:?}", run.problems);
            assert!(run.directory.unwrap().lock().is_err());
            assert!(trained::open(Some(&workspace), &run.name).is_err(), "it has no weights");
        }
        for run in models {
            assert!(run.problems.is_empty(), "{:?}", run.problems);
            let directory = run.directory.unwrap();
            let refused = directory.lock().unwrap_err().to_string();
            assert!(refused.contains("comes with matchbook"), "{refused}");
            assert!(fs::read_to_string(directory.metrics_path()).unwrap().lines().count() > 20);
            // the model itself is still the embedded one
            assert_eq!(trained::open(Some(&workspace), &run.name).unwrap().name, run.name);
        }
        let name = "demo-full".parse().unwrap();
        assert!(
            RunDirectory::open(&workspace, &name)
                .unwrap()
                .remove(&workspace, crate::runs::Timestamp::now())
                .is_err()
        );
        assert!(folder(&workspace).join("demo-full").is_dir());
    }
}
