//! Runs as a file store of MLflow: plain files that `mlflow ui` and Python's `MlflowClient` read.
//!
//! ```text
//! STORE/EXPERIMENT/meta.yaml
//! STORE/EXPERIMENT/RUN/meta.yaml, params/NAME, metrics/NAME, tags/NAME
//! ```
//!
//! A metric's file has a line `MILLISECONDS VALUE STEP` for each value. The id of a run is made from its path, so exporting it
//! again replaces it; tags and a note that a user gave it in MLflow are kept. MLflow calls this store frozen and offers `mlflow migrate-filestore` to move it into a database;
//! versions from 3.7 on open it with `MLFLOW_ALLOW_FILE_STORE=true`.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs, io,
    path::{Path, PathBuf},
};

use super::{RunError, RunState, Tail, Tailed, Timestamp, jobs::JobRow, layout, table::settings_of};
use crate::base::{atomic, outside};

/// The name of the experiment that the runs of a workspace belong to.
const EXPERIMENT: &str = "matchbook";

/// File systems limit names to 255 bytes, and a temporary name is longer than its target.
const LONGEST_NAME: usize = 180;

/// In the folder of a run, lists the tags that the last export wrote, one per line.
const EXPORTED_TAGS: &str = "exported-tags";

/// Writes runs into a store, which is created. Returns the folder of the experiment.
pub fn export(rows: &[&JobRow], store: &Path) -> Result<PathBuf, RunError> {
    let store = std::path::absolute(store).unwrap_or_else(|_| store.to_owned());
    let id = number_of(EXPERIMENT);
    let folder = store.join(&id);
    create(&folder)?;
    let meta = folder.join("meta.yaml");
    if !meta.exists() {
        let now = Timestamp::now().milliseconds();
        write(
            &meta,
            &format!(
                "artifact_location: {}\ncreation_time: {now}\nexperiment_id: '{id}'\nlast_update_time: {now}\nlifecycle_stage: active\nname: {EXPERIMENT}\n",
                quoted(&uri(&folder))
            ),
        )?;
    }
    rows.iter().try_for_each(|row| export_run(row, &folder, &id))?;
    Ok(folder)
}

fn export_run(row: &JobRow, experiment: &Path, experiment_id: &str) -> Result<(), RunError> {
    let id = id_of(&row.path.to_string_lossy());
    let folder = experiment.join(&id);
    for name in ["params", "metrics", "tags", "artifacts"] {
        create(&folder.join(name))?;
    }
    let mut written = BTreeSet::new();
    if let Some(config) = &row.config {
        let corpus = [
            ("corpus".to_owned(), config.corpus.path.display().to_string()),
            ("corpus_fingerprint".to_owned(), config.corpus.fingerprint.clone()),
        ];
        for (name, value) in settings_of(config).chain(corpus) {
            let path = folder.join("params").join(plain(&name));
            write(&path, &value)?;
            written.insert(path);
        }
    }
    let mut tags = vec![("mlflow.runName".to_owned(), row.name.clone())];
    if !row.notes.note.is_empty() {
        tags.push(("mlflow.note.content".to_owned(), row.notes.note.clone()));
    }
    tags.extend(row.notes.tags.iter().map(|tag| (plain(tag), "true".to_owned())));
    export_tags(&folder, &tags)?;
    let (start, end) = export_metrics(row, &folder.join("metrics"), &mut written)?;
    // An earlier export may have written values that the run no longer has.
    for name in ["params", "metrics"] {
        remove_others(&folder.join(name), &written)?;
    }
    let status = match row.status.as_ref().map(|status| status.state) {
        Some(RunState::Running) => 1,
        Some(RunState::Queued) | None => 2,
        Some(RunState::Finished) => 3,
        Some(RunState::Failed) => 4,
        Some(RunState::Stopped) => 5,
    };
    let end = if status >= 3 { end.to_string() } else { "null".to_owned() };
    let lines = [
        format!("artifact_uri: {}", quoted(&uri(&folder.join("artifacts")))),
        format!("end_time: {end}"),
        "entry_point_name: ''".to_owned(),
        format!("experiment_id: '{experiment_id}'"),
        "lifecycle_stage: active".to_owned(),
        format!("run_id: {id}"),
        format!("run_name: {}", quoted(&row.name)),
        format!("run_uuid: {id}"),
        "source_name: matchbook".to_owned(),
        "source_type: 4".to_owned(),
        "source_version: ''".to_owned(),
        format!("start_time: {start}"),
        format!("status: {status}"),
        "tags: []".to_owned(),
        "user_id: matchbook".to_owned(),
    ];
    write(&folder.join("meta.yaml"), &(lines.join("\n") + "\n"))
}

/// Writes tags, and removes those of the last export that the run no longer has. Others were added in MLflow.
fn export_tags(folder: &Path, tags: &[(String, String)]) -> Result<(), RunError> {
    let list = folder.join(EXPORTED_TAGS);
    let earlier = match outside::read_text(&list, outside::SETTINGS) {
        Ok(text) => text,
        Err(error) if error.kind() == io::ErrorKind::NotFound => String::new(),
        Err(error) => return Err(RunError::file("read", &list)(error)),
    };
    let tags_folder = folder.join("tags");
    let current: BTreeSet<&str> = tags.iter().map(|(name, _)| name.as_str()).collect();
    let both: BTreeSet<&str> = earlier.lines().chain(current.iter().copied()).collect();
    let lines = |names: &BTreeSet<&str>| names.iter().map(|name| format!("{name}\n")).collect::<String>();
    // A killed export leaves the names of both, so that the next one removes what is stale.
    write(&list, &lines(&both))?;
    for (name, value) in tags {
        write(&tags_folder.join(name), value)?;
    }
    for name in both.difference(&current).filter(|name| plain(name) == **name) {
        remove(&tags_folder.join(name))?;
    }
    write(&list, &lines(&current))
}

/// Writes all values of a run and notes the files. Returns the times of its first and last line, in milliseconds.
fn export_metrics(
    row: &JobRow,
    folder: &Path,
    written: &mut BTreeSet<PathBuf>,
) -> Result<(u64, u64), RunError> {
    let created = row.created.unwrap_or_default().milliseconds();
    let (mut start, mut end) = (None, created);
    let mut files: BTreeMap<PathBuf, String> = BTreeMap::new();
    Tail::new(&row.path.join(layout::METRICS)).read(|tailed| match tailed {
        Tailed::Restarted => files.clear(),
        Tailed::Row(row) => {
            let time = row.time.milliseconds();
            start.get_or_insert(time);
            end = time;
            for (name, value) in &row.values {
                let path = match &row.evaluation {
                    Some(evaluation) => folder.join(plain(evaluation)).join(plain(name)),
                    None => folder.join(plain(name)),
                };
                let lines = files.entry(path).or_default();
                lines.push_str(&format!("{time} {} {}\n", number(*value), row.step));
            }
        }
        Tailed::Unreadable(_) => {}
    })?;
    for (path, lines) in files {
        if let Some(parent) = path.parent() {
            create(parent)?;
        }
        write(&path, &lines)?;
        written.insert(path);
    }
    Ok((start.unwrap_or(created), end))
}

/// A number as Python's `float` reads it.
fn number(value: f64) -> String {
    match value {
        _ if value.is_nan() => "nan".to_owned(),
        _ if value.is_infinite() => if value > 0.0 { "inf" } else { "-inf" }.to_owned(),
        _ => format!("{value:?}"),
    }
}

/// Only the characters that MLflow allows in names; a name can not leave its folder.
fn plain(name: &str) -> String {
    let is_plain = |letter: char| letter.is_ascii_alphanumeric() || "_-. ".contains(letter);
    let plain = name.chars().map(|letter| if is_plain(letter) { letter } else { '_' });
    let plain: String = plain.take(LONGEST_NAME).collect();
    if plain.trim_matches('.').is_empty() { format!("_{plain}") } else { plain }
}

fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', "''").replace(['\n', '\r'], " "))
}

fn uri(path: &Path) -> String {
    format!("file://{}", path.display())
}

fn id_of(text: &str) -> String {
    blake3::hash(text.as_bytes()).to_hex()[..32].to_owned()
}

/// An experiment's id is a number.
fn number_of(text: &str) -> String {
    let mut first = [0; 8];
    first.copy_from_slice(&blake3::hash(text.as_bytes()).as_bytes()[..8]);
    (u64::from_le_bytes(first) % 1_000_000_000_000_000_000).to_string()
}

fn create(path: &Path) -> Result<(), RunError> {
    fs::create_dir_all(path).map_err(RunError::file("create the folder", path))
}

/// Removes the files below a folder that are not among `written`. A link is removed and not followed.
fn remove_others(folder: &Path, written: &BTreeSet<PathBuf>) -> Result<(), RunError> {
    let failed = || RunError::file("list the folder", folder);
    for entry in fs::read_dir(folder).map_err(failed())? {
        let entry = entry.map_err(failed())?;
        let path = entry.path();
        match entry.file_type().map_err(failed())?.is_dir() {
            true => remove_others(&path, written)?,
            false if written.contains(&path) => {}
            false => remove(&path)?,
        }
    }
    Ok(())
}

/// Removes a file, if it exists.
fn remove(path: &Path) -> Result<(), RunError> {
    match fs::remove_file(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        outcome => outcome.map_err(RunError::file("remove", path)),
    }
}

fn write(path: &Path, text: &str) -> Result<(), RunError> {
    atomic::replace(path, text.as_bytes()).map_err(RunError::file("write", path))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        base::workspace::Workspace,
        corpus::CorpusReference,
        runs::{
            RunConfig, RunDirectory, RunName,
            jobs::{Jobs, Notes},
        },
    };

    #[test]
    fn a_second_export_replaces_the_first() {
        let home = tempfile::tempdir().unwrap();
        let workspace = Workspace::at(home.path(), home.path().join("config"));
        let name: RunName = "one".parse().unwrap();
        let config = RunConfig::new(7, CorpusReference::default(), toml::Table::new());
        RunDirectory::create(&workspace, &name, &config, Timestamp::now()).unwrap();
        let jobs = Jobs::new(&workspace);
        let export_with = |tag: &str| {
            let notes = Notes { note: String::new(), tags: vec![tag.to_owned()] };
            jobs.annotate(&name, notes).unwrap();
            let row = jobs.row(&name).unwrap();
            let folder = export(&[&row], &home.path().join("store")).unwrap();
            folder.join(id_of(&row.path.to_string_lossy()))
        };
        let run = export_with("old");
        fs::create_dir(run.join("metrics/test")).unwrap();
        for name in ["metrics/gone", "metrics/test/gone", "params/gone", "artifacts/kept", "tags/from MLflow"]
        {
            fs::write(run.join(name), "1").unwrap();
        }
        assert!(run.join("tags/old").exists());
        assert_eq!(export_with("new"), run);
        assert!(run.join("tags/new").exists() && !run.join("tags/old").exists());
        for gone in ["metrics/gone", "metrics/test/gone", "params/gone"] {
            assert!(!run.join(gone).exists(), "{gone}");
        }
        for kept in ["params/seed", "artifacts/kept", "tags/from MLflow"] {
            assert!(run.join(kept).exists(), "{kept}");
        }
    }
}
