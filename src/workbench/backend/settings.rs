//! Lists the settings of `config.toml`, and writes one of them. What else is in the file, comments too, stays as it is.

use std::{collections::BTreeSet, fs, io, path::Path};

use toml_edit::{Array, DocumentMut, Item, Table, value};

use super::Environment;
use crate::{
    base::{
        atomic,
        fields::Fields,
        lock::FolderLock,
        outside,
        temporary::folder_of,
        workspace::{Workspace, user_settings::UserSettings},
    },
    runs::jobs::{JobSettings, SlurmOptions},
    workbench::app::{
        action::ACTIONS,
        keymap::Keymap,
        settings::{Setting, SettingsChange, SettingsList},
    },
};

/// Why a setting is not written.
#[derive(Debug, thiserror::Error)]
pub enum SettingsError {
    #[error("there is no folder for settings on this system")]
    NoFile,
    #[error("cannot read {file}: {source}")]
    Read { file: String, source: io::Error },
    #[error("{file} is not TOML, so nothing was written: {cause}")]
    NotToml { file: String, cause: String },
    #[error("{0}; nothing was written")]
    Invalid(String),
    #[error("cannot write {file}: {source}")]
    Write { file: String, source: io::Error },
}

/// Settings with a fixed name: section, name, description, default.
const KNOWN: [(&str, &str, &str, &str); 6] = [
    ("", "theme", "theme for sessions that do not set one", "dark"),
    ("queue", "cpu", "concurrent runs on the CPU", "1"),
    ("queue", "cuda", "concurrent runs on each CUDA device", "1"),
    ("queue", "metal", "concurrent runs on the Metal device", "1"),
    ("programs", "cuda", "program for runs on CUDA, if this build does not support it", ""),
    ("programs", "metal", "program for runs on Metal, if this build does not support it", ""),
];

impl Environment<'_> {
    /// The settings of the user, set or not.
    pub fn list_settings(&self) -> Result<SettingsList, SettingsError> {
        let path = self.workspace.as_ref().and_then(Workspace::config_file).ok_or(SettingsError::NoFile)?;
        let document = read(&path)?;
        Ok(SettingsList { file: path.display().to_string(), settings: settings(&document), change: None })
    }

    /// Writes a setting; an empty value removes it.
    pub fn write_setting(
        &self,
        name: &str,
        text: &str,
        themes: &[String],
    ) -> Result<SettingsList, SettingsError> {
        let path = self.workspace.as_ref().and_then(Workspace::config_file).ok_or(SettingsError::NoFile)?;
        let file = path.display().to_string();
        let failed = |source| SettingsError::Write { file: file.clone(), source };
        fs::create_dir_all(folder_of(&path)).map_err(failed)?;
        let _lock = FolderLock::take(folder_of(&path)).map_err(failed)?;
        let mut document = read(&path)?;
        let before: BTreeSet<String> = problems(&document.to_string(), themes).into_iter().collect();
        set(&mut document, name, text)?;
        let written = document.to_string();
        if let Some(problem) =
            problems(&written, themes).into_iter().find(|problem| !before.contains(problem))
        {
            return Err(SettingsError::Invalid(problem));
        }
        let write = || {
            let path = atomic::behind_links(&path);
            fs::create_dir_all(folder_of(&path))?;
            outside::replace(&path, outside::SETTINGS, written.as_bytes())
        };
        write().map_err(failed)?;
        let (user, _) = UserSettings::parse(&written);
        let message = match text.is_empty() {
            true => format!("`{name}` is no longer set in {file}"),
            false => format!("wrote `{name}` to {file}"),
        };
        let change = SettingsChange {
            name: name.to_owned(),
            message,
            keymap: Keymap::new(&user.keys).0,
            theme: user.theme,
        };
        Ok(SettingsList { file, settings: settings(&document), change: Some(change) })
    }
}

fn read(path: &Path) -> Result<DocumentMut, SettingsError> {
    let file = path.display().to_string();
    let text = match outside::read_text(path, outside::SETTINGS) {
        Ok(text) => text,
        Err(error) if error.kind() == io::ErrorKind::NotFound => String::new(),
        Err(source) => return Err(SettingsError::Read { file, source }),
    };
    text.parse().map_err(|error: toml_edit::TomlError| SettingsError::NotToml {
        file,
        cause: error.message().to_owned(),
    })
}

fn settings(document: &DocumentMut) -> Vec<Setting> {
    let setting = |section: &str, name: &str, about: &str, default: &str| Setting {
        name: if section.is_empty() { name.to_owned() } else { format!("{section}.{name}") },
        about: about.to_owned(),
        value: current(document, section, name),
        default: default.to_owned(),
    };
    let known = KNOWN.iter().map(|(section, name, about, default)| setting(section, name, about, default));
    let slurm = SlurmOptions::FIELDS.iter().map(|field| setting("slurm", field.flag, field.help, ""));
    let keys =
        ACTIONS.iter().map(|action| setting("keys", action.name, action.words, &action.keys.join(", ")));
    known.chain(slurm).chain(keys).collect()
}

/// The value in the file as it is typed; keys are separated by commas.
fn current(document: &DocumentMut, section: &str, name: &str) -> String {
    let table = match section {
        "" => Some(document.as_table()),
        section => document.get(section).and_then(Item::as_table),
    };
    let words = |value: &toml_edit::Value| match value {
        toml_edit::Value::String(text) => text.value().clone(),
        other => other.clone().decorated("", "").to_string(),
    };
    match table.and_then(|table| table.get(name)).and_then(Item::as_value) {
        Some(toml_edit::Value::Array(keys)) => keys.iter().map(words).collect::<Vec<_>>().join(", "),
        Some(value) => words(value),
        None => String::new(),
    }
}

fn set(document: &mut DocumentMut, name: &str, text: &str) -> Result<(), SettingsError> {
    let (section, name) = name.split_once('.').unwrap_or(("", name));
    let table = match section {
        "" => document.as_table_mut(),
        section => {
            let entry = document.entry(section).or_insert_with(|| Item::Table(Table::new()));
            entry
                .as_table_mut()
                .ok_or_else(|| SettingsError::Invalid(format!("`{section}` is not a section in the file")))?
        }
    };
    if text.is_empty() {
        table.remove(name);
        return Ok(());
    }
    table[name] = match section {
        "keys" => {
            let keys = text.split(',').map(str::trim).filter(|key| !key.is_empty());
            value(keys.collect::<Array>())
        }
        "queue" => value(whole(section, name, text)?),
        "slurm" if name == "cpus" => value(whole(section, name, text)?),
        _ => value(text),
    };
    Ok(())
}

fn whole(section: &str, name: &str, text: &str) -> Result<i64, SettingsError> {
    text.parse().map_err(|_| SettingsError::Invalid(format!("`{section}.{name}` should be a whole number")))
}

/// What every reader of the file finds wrong with it.
fn problems(text: &str, themes: &[String]) -> Vec<String> {
    let (user, mut problems) = UserSettings::parse(text);
    problems.extend(JobSettings::parse(text).1);
    problems.extend(Keymap::new(&user.keys).1);
    if let Some(theme) = user.theme.filter(|theme| !themes.contains(theme)) {
        problems.push(format!("there is no theme `{theme}`; the themes are {}", themes.join(", ")));
    }
    problems
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_setting_is_written_and_the_rest_of_the_file_stays() {
        let home = tempfile::tempdir().unwrap();
        let workspace = Workspace::at(home.path().join("work"), home.path().join("config"));
        let environment =
            Environment { workspace: Some(workspace), open_corpus: &|_| Err("not here".to_owned()) };
        let themes = ["dark".to_owned(), "light".to_owned()];
        let write = |name: &str, text: &str| environment.write_setting(name, text, &themes);
        let value = |list: &SettingsList, name: &str| {
            list.settings.iter().find(|setting| setting.name == name).unwrap().value.clone()
        };
        assert_eq!(value(&environment.list_settings().unwrap(), "theme"), "");
        write("theme", "light").unwrap();
        let file = home.path().join("config/config.toml");
        let text = format!("# mine\n{}", fs::read_to_string(&file).unwrap());
        fs::write(&file, &text).unwrap();
        write("queue.cpu", "2").unwrap();
        let list = write("keys.quit", "Q, ctrl-q").unwrap();
        assert_eq!(value(&list, "keys.quit"), "Q, ctrl-q");
        let keymap = list.change.unwrap().keymap;
        assert_eq!(keymap.keys(crate::workbench::app::action::ActionId::Quit), ["Q", "ctrl-q"]);
        let text = fs::read_to_string(&file).unwrap();
        assert!(text.starts_with("# mine\ntheme = \"light\"\n") && text.contains("cpu = 2"), "{text}");
        // What no reader would accept is not written.
        for (name, wrong) in [
            ("theme", "mauve"),
            ("queue.cpu", "0"),
            ("queue.cuda", "many"),
            ("slurm.time", "soon"),
            ("keys.quit", "no key"),
            ("keys.quit", "j"),
        ] {
            let error = write(name, wrong).unwrap_err().to_string();
            assert!(error.ends_with("nothing was written"), "{error}");
        }
        assert_eq!(fs::read_to_string(&file).unwrap(), text);
        assert_eq!(value(&write("theme", "").unwrap(), "theme"), "");
        fs::write(&file, "theme = [").unwrap();
        assert!(environment.list_settings().unwrap_err().to_string().contains("not TOML"));
    }
}
