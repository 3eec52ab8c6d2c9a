//! The user's settings, `config.toml` in the config directory.
//!
//! ```toml
//! theme = "light"
//!
//! [keys]
//! quit = "Q"
//! down = ["j", "down", "ctrl-n"]
//! ```
//!
//! Settings are conveniences, so no error in them is fatal: errors are reported, and the remaining settings apply.

use std::{collections::BTreeMap, io, path::Path};

use toml::{Table, Value};

use crate::base::outside;

/// The user's settings.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct UserSettings {
    /// The theme of sessions without one.
    pub theme: Option<String>,
    /// Keys of actions, by the action's name.
    pub keys: BTreeMap<String, Vec<String>>,
}

impl UserSettings {
    /// Reads the settings and the problems found in them. A missing file is not a problem.
    pub fn read(path: &Path) -> (UserSettings, Vec<String>) {
        match outside::read_text(path, outside::SETTINGS) {
            Ok(text) => {
                let (settings, problems) = UserSettings::parse(&text);
                let named = |problem| format!("{}: {problem}", path.display());
                (settings, problems.into_iter().map(named).collect())
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => Default::default(),
            Err(error) => (
                UserSettings::default(),
                vec![format!("cannot read the settings {}: {error}", path.display())],
            ),
        }
    }

    /// Reads the text of the file.
    pub fn parse(text: &str) -> (UserSettings, Vec<String>) {
        let mut problems = Vec::new();
        let table: Table = match toml::from_str(text) {
            Ok(table) => table,
            Err(error) => {
                let line = error.span().map_or(0, |span| text[..span.start].matches('\n').count()) + 1;
                let reason = error.message().lines().next().unwrap_or_default();
                problems.push(format!("line {line}: {reason}; all settings in the file are ignored"));
                Table::new()
            }
        };
        let mut settings = UserSettings::default();
        for (name, value) in table {
            match (name.as_str(), value) {
                ("theme", Value::String(theme)) => settings.theme = Some(theme),
                ("theme", _) => problems.push("`theme` should be the name of a theme".to_owned()),
                ("keys", Value::Table(keys)) => {
                    for (action, value) in keys {
                        match key_list(value) {
                            Some(keys) => drop(settings.keys.insert(action, keys)),
                            None => problems
                                .push(format!("the keys of `{action}` should be a key or a list of keys")),
                        }
                    }
                }
                ("keys", _) => problems.push("`keys` should be a section".to_owned()),
                // Settings of jobs, which `runs::jobs` reads and checks.
                ("queue" | "slurm" | "programs", _) => {}
                (name, _) => problems.push(format!(
                    "there is no setting `{name}`; the settings are theme, [keys], [queue], [slurm] and [programs]"
                )),
            }
        }
        (settings, problems)
    }
}

fn key_list(value: Value) -> Option<Vec<String>> {
    match value {
        Value::String(key) => Some(vec![key]),
        Value::Array(keys) => keys.into_iter().map(|key| key.as_str().map(str::to_owned)).collect(),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn problems_are_reported_and_the_rest_applies() {
        let (settings, problems) = UserSettings::parse(
            "theme = \"light\"\nfont = 3\n[keys]\nquit = \"Q\"\ndown = [\"j\", \"n\"]\nup = 5\nmark = []\n",
        );
        assert_eq!(settings.theme.as_deref(), Some("light"));
        assert_eq!(settings.keys["quit"], ["Q"]);
        assert_eq!(settings.keys["down"], ["j", "n"]);
        assert!(settings.keys["mark"].is_empty());
        assert_eq!(problems.len(), 2, "{problems:?}");
        let (settings, problems) = UserSettings::parse("theme = \"light\"\n[keys\n");
        assert_eq!((settings, problems.len()), (UserSettings::default(), 1));
        assert!(problems[0].starts_with("line 2: "), "{problems:?}");
    }

    #[test]
    fn no_file_is_no_problem() {
        assert_eq!(UserSettings::read(Path::new("no/such/config.toml")), Default::default());
    }
}
