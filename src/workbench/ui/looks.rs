//! The themes of this terminal: those built in and the user's, in as many colours as there are.

use super::theme::{Depth, Source, Theme, Themes};
use crate::{
    base::workspace::Workspace,
    workbench::app::{look::Look, message::Offer},
};

/// Where themes come from, and how many colours they have here.
#[derive(Clone, Debug)]
pub struct Looks {
    themes: Themes,
    depth: Depth,
}

impl Looks {
    pub fn new(workspace: Option<&Workspace>, depth: Depth) -> Looks {
        let folder = workspace.and_then(Workspace::themes);
        Looks { themes: folder.map_or_else(Themes::built_in, Themes::with_folder), depth }
    }

    /// What the workbench may choose from.
    pub fn offer(&self) -> Look {
        let offer = |listed: super::theme::Listed| Offer {
            about: match listed.source {
                Source::BuiltIn => "built in".to_owned(),
                Source::File(_) => "your own".to_owned(),
            },
            name: listed.name,
        };
        Look::new(self.themes.list().into_iter().map(offer).collect(), self.depth.default_theme())
    }

    /// A theme, and what is wrong with its file.
    pub fn load(&self, name: &str) -> (Theme, Vec<String>) {
        let (theme, warnings) = self.themes.load(name);
        (theme.at(self.depth), warnings.iter().map(ToString::to_string).collect())
    }
}
