//! The themes in the colors of this terminal.

use crate::{
    base::workspace::Workspace,
    workbench::app::{message::Offer, theme_choice::ThemeChoice},
    workbench::theme::{ColorDepth, Theme, ThemeEntry, ThemeSource, Themes},
};

/// The available themes, and how many colors they have here.
#[derive(Clone, Debug)]
pub struct TerminalThemes {
    themes: Themes,
    depth: ColorDepth,
}

impl TerminalThemes {
    pub fn new(workspace: Option<&Workspace>, depth: ColorDepth) -> TerminalThemes {
        let folder = workspace.and_then(Workspace::themes);
        TerminalThemes { themes: folder.map_or_else(Themes::built_in, Themes::with_folder), depth }
    }

    /// Lists the themes to choose from.
    pub fn choices(&self) -> ThemeChoice {
        let choice = |entry: ThemeEntry| Offer {
            about: match entry.source {
                ThemeSource::BuiltIn => "built in".to_owned(),
                ThemeSource::File(_) => "your own".to_owned(),
            },
            name: entry.name,
        };
        ThemeChoice::new(self.themes.list().into_iter().map(choice).collect(), self.depth.default_theme())
    }

    /// Loads a theme, with the warnings about its file.
    pub fn load(&self, name: &str) -> (Theme, Vec<String>) {
        let (theme, warnings) = self.themes.load(name);
        (theme.at(self.depth), warnings.iter().map(ToString::to_string).collect())
    }
}
