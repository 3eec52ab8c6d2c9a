//! The actions of Importance.

use super::{Importance, Request, Slot, sheet};
use crate::{
    explain::importance::{PairTexts, file_stem, fresh_name},
    explain::{Grouping, Piece, PieceIndex, Side},
    workbench::app::{
        action::ActionId,
        chooser::{Chooser, ChooserItem},
        document::Form,
        list_cursor::is_movement,
        overlay::{Choice, Overlay},
        pane_host::PaneHost,
        prompt::{ExportPrompt, PromptEvent},
    },
};

impl Importance {
    pub(super) fn do_action(&mut self, action: ActionId, host: &mut PaneHost) {
        if self.prompt.is_some() {
            return self.act_on_prompt(action, host);
        }
        if is_movement(action) {
            return self.move_by(action);
        }
        if self.query.cycle(action) {
            return;
        }
        match action {
            ActionId::ImportanceModel => self.choose_model(false, host),
            ActionId::ImportanceAgainst => self.choose_model(true, host),
            ActionId::ImportanceAgain => self.requested = None,
            ActionId::NextToken => self.cursor = self.panels[self.focus].sheet().beside(self.cursor, true),
            ActionId::PreviousToken => {
                self.cursor = self.panels[self.focus].sheet().beside(self.cursor, false)
            }
            ActionId::StrongerToken => self.walk_weights(-1),
            ActionId::WeakerToken => self.walk_weights(1),
            ActionId::OtherModel if self.query.models().len() > 1 => self.focus = 1 - self.focus,
            ActionId::ImportanceForm => {
                self.form = if self.form == Form::Readable { Form::Linear } else { Form::Readable };
            }
            ActionId::DropToken => self.drop_token(host),
            ActionId::RenameSymbol => self.rename_symbol(host),
            ActionId::UndoEdit => self.forget_edit(),
            ActionId::ExportHeatmap => self.start_export(host),
            _ => {}
        }
    }

    fn move_by(&mut self, action: ActionId) {
        let height = isize::from(self.layout().panels[self.focus].texts.height as i16).max(2);
        let sheet = self.panels[self.focus].sheet();
        let edge = |spot: Option<&sheet::Spot>| spot.map_or(self.cursor, |spot| spot.piece);
        self.cursor = match action {
            ActionId::Down => sheet.below(self.cursor, 1),
            ActionId::Up => sheet.below(self.cursor, -1),
            ActionId::HalfDown => sheet.below(self.cursor, height / 2),
            ActionId::HalfUp => sheet.below(self.cursor, -(height / 2)),
            ActionId::PageDown => sheet.below(self.cursor, height - 1),
            ActionId::PageUp => sheet.below(self.cursor, 1 - height),
            ActionId::Top => edge(sheet.spots().first()),
            ActionId::Bottom => edge(sheet.spots().last()),
            _ => self.cursor,
        };
    }

    /// Moves along the list of weights: to the next weaker or the next stronger token.
    fn walk_weights(&mut self, step: isize) {
        let (Some(scene), panel) = (self.scene.as_ref(), &self.panels[self.focus]) else { return };
        let (Some(explanation), pair) = (panel.explanation(), panel.pair(scene)) else { return };
        let here = sheet::place(pair, self.cursor);
        let at =
            here.and_then(|here| explanation.weights.iter().position(|weight| weight.places.contains(&here)));
        let next = match at {
            Some(at) => at.saturating_add_signed(step).min(explanation.weights.len().saturating_sub(1)),
            None => 0,
        };
        if let Some(place) = explanation.weights.get(next).and_then(|weight| weight.places.first()) {
            self.cursor = sheet::number(pair, *place);
        }
    }

    fn choose_model(&self, beside: bool, host: &mut PaneHost) {
        let now = if beside { &self.query.against } else { &self.query.model };
        let mut names = self.offers.clone().unwrap_or_default();
        if names.is_empty() {
            // Before the list has arrived, the models that are shown can be chosen.
            names.extend(self.query.models().into_iter().map(str::to_owned));
        }
        if beside {
            names.insert(0, String::new());
        }
        let item = |name: &String| ChooserItem {
            label: if name.is_empty() { "no second model".to_owned() } else { name.clone() },
            detail: if name == now { "now" } else { "" }.to_owned(),
            choice: Choice::Model { name: name.clone(), beside },
        };
        let place = names.iter().position(|name| name == now).unwrap_or(0);
        let title = if beside { "second model" } else { "model" };
        let chooser = Chooser::new(title, names.iter().map(item).collect(), place);
        host.overlays.push(Overlay::Chooser(chooser));
    }

    /// The pieces that are edited together: all occurrences, or this one.
    fn places(&self, sides: &[Side]) -> Option<(Piece, Vec<PieceIndex>)> {
        let (pair, here) = self.under_cursor()?;
        let piece = pair.side(here.side).get(here.index)?;
        if self.query.grouping == Grouping::Occurrence {
            return Some((piece.clone(), vec![here]));
        }
        let places = sides.iter().flat_map(|&side| {
            let pieces = pair.side(side).iter().enumerate();
            pieces.filter(|(_, other)| *other == piece).map(move |(index, _)| PieceIndex { side, index })
        });
        Some((piece.clone(), places.collect()))
    }

    pub(super) fn drop_token(&mut self, host: &mut PaneHost) {
        if self.panels[self.focus].shows_rival() {
            return host.notify("what-if edits apply to the gold proof; o shows it");
        }
        if let Some((_, places)) = self.places(&Side::BOTH) {
            self.edit.toggle_dropped(&places);
        }
    }

    /// Renames the symbol under the cursor on its side, to the next name that does not occur in the pair.
    fn rename_symbol(&mut self, host: &mut PaneHost) {
        if self.panels[self.focus].shows_rival() {
            return host.notify("what-if edits apply to the gold proof; o shows it");
        }
        let Some((_, here)) = self.under_cursor() else { return };
        let Some((Piece::Symbol(written), places)) = self.places(&[here.side]) else {
            return host.notify("only symbols can be renamed; x drops a word");
        };
        let Some(scene) = &self.scene else { return };
        let now = self.edit.renamed.get(&here).map(String::as_str);
        let Some(name) = fresh_name(&scene.case.pair, &written, now) else {
            return host.notify("only single letters can be renamed, and only while unused letters remain");
        };
        for place in places {
            self.edit.renamed.insert(place, name.clone());
        }
    }

    fn start_export(&mut self, host: &mut PaneHost) {
        let Some(scene) = self.scene().filter(|_| self.panels.iter().any(|panel| panel.finding.is_some()))
        else {
            return host.notify("there is nothing to export yet");
        };
        let name = file_stem(&scene.case.pair.name);
        self.prompt = Some(ExportPrompt::suggest(&format!("{name}.html")));
    }

    fn act_on_prompt(&mut self, action: ActionId, host: &mut PaneHost) {
        let Some(prompt) = &mut self.prompt else { return };
        match prompt.act(action) {
            PromptEvent::Accepted if !host.slots.is_waiting(Slot::Export) => {
                let target = prompt.target("it must end in .html, .svg, .tex or .json", host);
                if let (Some(target), Some(scene)) = (target, &self.scene) {
                    let findings = self.panels.iter().filter_map(|panel| panel.finding.clone()).collect();
                    let texts = Box::new(PairTexts {
                        title: scene.title.clone(),
                        level: self.query.setting().to_string(),
                        statement: scene.statement.clone(),
                        proof: scene.proof.clone(),
                    });
                    host.request(Request::Export { findings, texts, target });
                }
            }
            PromptEvent::Cancelled => self.prompt = None,
            _ => {}
        }
    }
}
