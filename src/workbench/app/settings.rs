//! The settings of `config.toml` as a list to choose from; the chosen one is typed, checked and written.

use super::{
    App, Effect,
    chooser::{Chooser, ChooserItem},
    keymap::Keymap,
    line_editor::LineEditor,
    overlay::{Choice, InputPurpose, Overlay},
};

/// The setting that is chosen from a list.
pub(super) const THEME: &str = "theme";

/// A setting.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Setting {
    /// Section and name as in the file: `slurm.partition`; `theme` has no section.
    pub name: String,
    pub about: String,
    /// As in the file; empty if it is not set.
    pub value: String,
    /// What counts if it is not set.
    pub default: String,
}

/// The settings as they are now.
#[derive(Clone, Debug)]
pub struct SettingsList {
    /// The file that they are in.
    pub file: String,
    pub settings: Vec<Setting>,
    /// What was changed, in a sentence; none if they were only listed.
    pub change: Option<SettingsChange>,
}

/// A change that was written.
#[derive(Clone, Debug)]
pub struct SettingsChange {
    pub name: String,
    pub message: String,
    pub keymap: Keymap,
    /// The theme of sessions without one.
    pub theme: Option<String>,
}

impl App {
    /// Shows the settings, after applying what was changed.
    pub(super) fn take_settings(&mut self, list: SettingsList) {
        let item = |setting: &Setting| {
            let Setting { name, about, value, default } = setting;
            let detail = match value.is_empty() {
                false => value.clone(),
                true if default.is_empty() => "not set".to_owned(),
                true => format!("{default} (default)"),
            };
            let choice = Choice::Setting { name: name.clone(), value: value.clone() };
            ChooserItem { label: format!("{name}: {about}"), detail, choice }
        };
        let changed = list.change.as_ref().map(|change| change.name.clone());
        let place = list.settings.iter().position(|setting| Some(&setting.name) == changed.as_ref());
        let items = list.settings.iter().map(item).collect();
        let chooser = Chooser::new("settings · enter changes one", items, place.unwrap_or_default());
        let chooser = chooser.of_file(list.file);
        self.host.overlays.push(Overlay::Chooser(chooser));
        if let Some(change) = list.change {
            self.keymap = change.keymap;
            if change.name == "theme" {
                self.theme.set_default(change.theme);
            }
            self.host.notify(change.message);
        }
    }

    /// Asks for the theme of sessions without one.
    pub(super) fn choose_theme_setting(&mut self, now: &str) {
        let item = |label: &str, detail: &str, value: &str| ChooserItem {
            label: label.to_owned(),
            detail: detail.to_owned(),
            choice: Choice::SettingValue { name: THEME.to_owned(), value: value.to_owned() },
        };
        let themes = self.theme.offers.iter().map(|offer| item(&offer.name, &offer.about, &offer.name));
        let items: Vec<ChooserItem> = themes.chain([item("default", "no theme is set", "")]).collect();
        let place = self.theme.offers.iter().position(|offer| offer.name == now).unwrap_or(items.len() - 1);
        self.host.overlays.push(Overlay::Chooser(Chooser::new("theme of new sessions", items, place)));
    }

    /// Asks for the value of a setting.
    pub(super) fn type_setting(&mut self, name: String, value: &str) {
        let line = LineEditor::selected(value);
        self.host.overlays.push(Overlay::Input { line, purpose: InputPurpose::Setting(name) });
    }

    pub(super) fn write_setting(&mut self, name: String, value: &str) {
        self.host.effect(Effect::WriteSetting { name, value: value.trim().to_owned() });
    }
}
