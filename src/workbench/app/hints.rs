//! The hints of the bottom line, and where they are, so that they can be clicked.

use std::borrow::Cow;

use unicode_width::UnicodeWidthStr;

use super::{
    App,
    action::{ACTIONS, ActionId, Context},
    overlay::Overlay,
};

/// A key, or two for opposite actions, and a word for what it does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hint<'a> {
    pub action: ActionId,
    pub key: Cow<'a, str>,
    pub label: &'static str,
    /// The column of its key, and its width.
    pub x: u16,
    pub width: u16,
}

/// Columns before the first hint, and between two of them.
const MARGIN: u16 = 1;
const GAP: u16 = 2;
/// Hints of the pane that a presentation shows.
const PRESENTED: usize = 3;
/// Shown at the right end of the bottom line while the pane is pinned.
pub const PIN_SIGN: &str = " pinned ";
/// What leads to everything else is always in sight.
const FIRST: [ActionId; 2] = [ActionId::Help, ActionId::Palette];

impl App {
    /// The columns at the right end of the bottom line that show that the pane is pinned.
    pub fn pin_width(&self) -> u16 {
        if self.is_pinned() { PIN_SIGN.width() as u16 } else { 0 }
    }

    /// The hints that fit a width: those that lead to all others first, then the innermost context. A hint is shown whole
    /// or not at all; a shorter one after it may still fit. A notice leaves room for the first keys only, without their labels.
    pub fn hints(&self, width: u16) -> Vec<Hint<'_>> {
        let contexts = self.contexts();
        let has_notice = self.host.notice().is_some();
        let of_context = |context: Context| ACTIONS.iter().filter(move |action| action.context == context);
        let first =
            FIRST.map(ActionId::action).into_iter().filter(|action| contexts.contains(&action.context));
        let rest = contexts
            .iter()
            .copied()
            .flat_map(of_context)
            .filter(|action| !FIRST.contains(&action.id) && !action.hint.is_empty());
        let rest = rest.take(match self.is_presenting() {
            _ if has_notice => 0,
            true => PRESENTED,
            false => usize::MAX,
        });
        let table = first.chain(rest).filter(|action| !action.hint.is_empty());
        let table = table.map(|action| (action.id, None, action.hint));
        let mut hints = Vec::new();
        let mut x = MARGIN;
        let page = if has_notice { Vec::new() } else { self.page_hints() };
        for (action, opposite, label) in table.chain(page) {
            let label = if has_notice { "" } else { label };
            // A key that an inner context takes for itself is not offered for the outer action.
            let key_of = |id: ActionId| {
                let is_reached = |key: &&String| self.keymap.means(&contexts, key) == Some(id);
                self.keymap.keys(id).iter().find(is_reached)
            };
            let Some(key) = key_of(action) else { continue };
            let key = match opposite.and_then(key_of) {
                Some(other) => Cow::Owned(format!("{key} {other}")),
                None => Cow::Borrowed(key.as_str()),
            };
            let taken = (key.width() + usize::from(!has_notice) + label.width()) as u16;
            if x + taken <= width {
                hints.push(Hint { action, key, label, x, width: taken });
                x += taken + if has_notice { 1 } else { GAP };
            }
        }
        hints
    }

    /// How to move in a page of text, if one is open: pairs of opposite actions, and words for them.
    fn page_hints(&self) -> Vec<(ActionId, Option<ActionId>, &'static str)> {
        let mut hints = Vec::new();
        let Some(overlay) = self.host.overlays.last() else { return hints };
        let Overlay::Help(page) = overlay else { return hints };
        if page.lines.len() > usize::from(overlay.area(self.size).inside_border().height) {
            hints.push((ActionId::Down, Some(ActionId::Up), "scroll"));
        }
        if page.is_chapter() {
            hints.push((ActionId::PreviousChapter, Some(ActionId::NextChapter), "chapter"));
        }
        hints
    }
}

#[cfg(test)]
mod tests {
    use crate::workbench::app::{
        App, CorpusInfo,
        area::Size,
        keymap::Keymap,
        overlay::{HelpPage, Overlay},
        pane::PaneId,
    };

    #[test]
    fn a_page_shows_the_keys_that_scroll_it_and_turn_chapters() {
        let mut app = App::new(CorpusInfo::default(), Keymap::default(), Size { width: 80, height: 24 });
        let shown = |app: &App| -> Vec<String> {
            app.hints(80).iter().map(|hint| format!("{} {}", hint.key, hint.label)).collect()
        };
        app.host.overlays.push(Overlay::Help(HelpPage::guide("tutorial", app.size)));
        assert_eq!(shown(&app), ["esc close", "j k scroll", "h l chapter"]);
        app.host.overlays.push(Overlay::Help(HelpPage::text("short", ["one line".to_owned()].into_iter())));
        assert_eq!(shown(&app), ["esc close"]);
    }

    #[test]
    fn a_notice_leaves_the_keys_for_help_and_palette() {
        let mut app = App::new(CorpusInfo::default(), Keymap::default(), Size { width: 80, height: 24 });
        app.host.notify("done");
        let hints = app.hints(80);
        let shown: Vec<_> = hints.iter().map(|hint| (&*hint.key, hint.label, hint.x, hint.width)).collect();
        assert_eq!(shown, [("?", "", 1, 1), (":", "", 3, 1)]);
    }

    #[test]
    fn no_key_is_shown_twice() {
        let mut app = App::new(CorpusInfo::default(), Keymap::default(), Size { width: 200, height: 24 });
        for pane in <PaneId as strum::IntoEnumIterator>::iter() {
            app.pane = pane;
            let hints = app.hints(400);
            let mut keys: Vec<&str> = hints.iter().map(|hint| &*hint.key).collect();
            let shown = keys.len();
            keys.sort_unstable();
            keys.dedup();
            assert_eq!(keys.len(), shown, "{pane:?}: {keys:?}");
        }
    }

    #[test]
    fn help_and_palette_come_first_and_no_hint_is_cut() {
        let app = App::new(CorpusInfo::default(), Keymap::default(), Size { width: 80, height: 24 });
        for width in 0..200 {
            let hints = app.hints(width);
            assert!(hints.iter().all(|hint| hint.x + hint.width <= width));
            assert!(hints.windows(2).all(|two| two[0].x + two[0].width < two[1].x));
            if width >= 20 {
                assert_eq!(hints[..2].iter().map(|hint| &*hint.key).collect::<Vec<_>>(), ["?", ":"]);
            }
        }
    }
}
