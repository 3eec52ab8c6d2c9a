//! What each action does to the state of Compare.

use super::{Compare, column};
use crate::{
    base::{printable::Printable, shell},
    corpus::readable,
    symbols::{Level, Seed},
    workbench::app::{
        Effect,
        action::ActionId,
        browse::name,
        list_cursor::{is_movement, moved},
        pane_host::PaneHost,
        prompt::{Prompt, PromptEvent},
    },
};

impl Compare {
    pub(super) fn do_action(&mut self, action: ActionId, host: &mut PaneHost) {
        if self.act_on_typed_pair(action, host) {
            return;
        }
        if is_movement(action) {
            let height = self.area.height.into();
            self.scroll = moved(action, self.scroll, height, self.last_scroll() + 1);
            return;
        }
        if self.seed_line.as_mut().is_some_and(|prompt| prompt.act(action) == PromptEvent::Edited) {
            return;
        }
        let count = self.columns.len();
        let Some(column) = self.columns.get_mut(self.focus) else { return };
        match action {
            ActionId::NextLevel => column.cycle(1),
            ActionId::PreviousLevel => column.cycle(Level::ALL.len() - 1),
            ActionId::RollSeed => {
                column.seed.0 = column.seed.0.wrapping_add(1);
                self.explain_seed(host);
            }
            ActionId::UnrollSeed => {
                column.seed.0 = column.seed.0.wrapping_sub(1);
                self.explain_seed(host);
            }
            ActionId::TypeSeed => self.seed_line = Some(Prompt::default()),
            ActionId::SeedCancel => self.seed_line = None,
            ActionId::SeedAccept => self.accept_seed(host),
            ActionId::MoreShare | ActionId::LessShare => {
                let tenths = if action == ActionId::MoreShare { 1 } else { -1 };
                if !column.change_share(tenths) {
                    host.notify(
                        "the fraction applies only to partial replacement; space goes to the next level",
                    );
                }
            }
            ActionId::ToggleProtect => {
                column.protect = !column.protect;
                self.explain_protection(host);
            }
            ActionId::NextColumn => self.focus = (self.focus + 1) % count,
            ActionId::PreviousColumn => self.focus = (self.focus + count - 1) % count,
            ActionId::AddColumn => self.add_column(host),
            ActionId::RemoveColumn => self.remove_column(host),
            ActionId::CopyLevel => self.copy(self.as_text(), "copied the pair to the clipboard", host),
            ActionId::CopyLevelCommand if self.pair.is_some() && self.command().is_none() => {
                host.notify("a typed pair has no command; save it to a file and open that with o");
            }
            ActionId::CopyLevelCommand => {
                self.copy(self.command(), "copied the command to the clipboard", host)
            }
            _ => {}
        }
    }

    fn add_column(&mut self, host: &mut PaneHost) {
        if self.columns.len() == column::MOST {
            return host.notify(format!("there is room for {} columns at most", column::MOST));
        }
        let new = column::another(&self.columns, self.focus);
        self.focus += 1;
        self.columns.insert(self.focus, new);
    }

    fn remove_column(&mut self, host: &mut PaneHost) {
        if self.columns.len() == column::FEWEST {
            return host.notify("a comparison needs two columns");
        }
        self.columns.remove(self.focus);
        self.focus = self.focus.min(self.columns.len() - 1);
    }

    /// Takes the seed that was typed; nothing typed leaves it as it was.
    fn accept_seed(&mut self, host: &mut PaneHost) {
        let Some(prompt) = self.seed_line.take() else { return };
        let (typed, Some(column)) = (prompt.line.text(), self.columns.get_mut(self.focus)) else { return };
        match typed.parse() {
            Ok(seed) => {
                column.seed = Seed(seed);
                self.explain_seed(host);
            }
            Err(_) if typed.is_empty() => {}
            Err(_) => {
                host.report_error(format!("{typed} is not a seed; use a whole number up to {}", u64::MAX))
            }
        }
    }

    /// Notifies the user when the pressed key has no visible effect.
    fn explain_seed(&self, host: &mut PaneHost) {
        if self.columns.get(self.focus).is_some_and(|column| !column.has_seed()) {
            host.notify("conservation changes no names, so the seed has no effect");
        }
    }

    fn explain_protection(&self, host: &mut PaneHost) {
        let (Some(pair), Some(column)) = (self.pair(), self.columns.get(self.focus)) else { return };
        if column.protect && self.protected_letters().is_empty() {
            host.notify(format!("no symbol is protected in {}", pair.article.categories.join(" ")));
        }
    }

    fn copy(&self, text: Option<String>, said: &str, host: &mut PaneHost) {
        match text {
            Some(text) => {
                host.effect(Effect::Copy(Printable::lines(&text)));
                host.notify(said);
            }
            None => host.notify("there is nothing to copy"),
        }
    }

    /// The pair as the focused column shows it.
    fn as_text(&self) -> Option<String> {
        let (loaded, proof) = (self.pair()?, self.focused_proof()?);
        let column = self.columns.get(self.focus)?;
        let seed = if column.has_seed() { format!(", seed {}", column.seed) } else { String::new() };
        Some(format!(
            "{} ({}), {}{seed}\n{}\n\nProof.\n{}\n",
            name(loaded),
            loaded.pair.id,
            column.title(),
            readable(&loaded.pair.statement),
            readable(proof.passage()),
        ))
    }

    /// The command line that shows what the focused column shows.
    fn command(&self) -> Option<String> {
        let column = self.columns.get(self.focus)?;
        let mut options = column.options();
        if let Some(file) = self.protected_file.as_ref().filter(|_| column.protect) {
            options.push_str(&format!(" --protected {}", shell::quote(file)));
        }
        let loaded = self.pair()?;
        Some(match loaded.row {
            Some(_) => {
                let id = loaded.pair.id.to_string();
                format!("matchbook show {} {} {options}", shell::quote(&self.corpus), shell::quote(&id))
            }
            None => format!("matchbook compare {} {options}", shell::quote(self.file.as_ref()?)),
        })
    }
}
