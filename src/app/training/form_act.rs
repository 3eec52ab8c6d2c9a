//! What keys do to the form.

use super::{Form, FormRow, Training, copy};
use crate::{
    app::{
        action::ActionId,
        desk::Desk,
        line_editor::LineEditor,
        overlay::{is_moving, moved},
        work::{JobWish, PlaceWish},
    },
    train::Preset,
};

impl Training {
    pub(super) fn act_on_form(&mut self, action: ActionId, desk: &mut Desk) {
        let height = usize::from(self.form_parts().rows.height).max(1);
        let Some(form) = &mut self.form else { return };
        if form.is_typing() {
            return form.act_on_line(action, desk);
        }
        if is_moving(action) {
            let to = moved(action, form.row, height, Form::rows().len());
            return form.go_to(to, desk);
        }
        match action {
            ActionId::FormNext => form.change(1),
            ActionId::FormPrevious => form.change(-1),
            ActionId::FormEdit => form.edit(),
            ActionId::FormCopy => copy(form.command(), desk),
            ActionId::FormLeave => self.form = None,
            ActionId::FormLaunch => match form.problem(desk) {
                Some(problem) => desk.complain(problem),
                None => {
                    let wish = JobWish::Launch(Box::new(form.launch()));
                    self.wish(wish, desk);
                }
            },
            _ => {}
        }
    }
}

impl Form {
    pub(super) fn go_to(&mut self, row: usize, desk: &Desk) {
        if self.line.is_some() && self.problem_of_row(desk).is_none() {
            self.accept(desk);
        }
        self.line = None;
        self.row = row.min(Form::rows().len() - 1);
    }

    /// Text that is no key begins to change the row.
    pub(super) fn type_text(&mut self, text: &str, _desk: &Desk) {
        if self.line.is_none() && self.is_typed() {
            self.line = Some(LineEditor::default());
        }
        if let Some(line) = &mut self.line {
            line.insert(text);
        }
    }

    /// Whether the row can be typed, and not only gone through.
    fn is_typed(&self) -> bool {
        match self.row() {
            FormRow::Name => true,
            FormRow::Place | FormRow::Preset => false,
            FormRow::Setting(field) => {
                field.choices().is_empty() || field.kind == crate::train::fields::FieldKind::Level
            }
        }
    }

    fn edit(&mut self) {
        match self.is_typed() {
            true => self.line = Some(LineEditor::new(&self.value(self.row()))),
            false => self.change(1),
        }
    }

    fn act_on_line(&mut self, action: ActionId, desk: &mut Desk) {
        match action {
            ActionId::FieldAccept => match self.problem_of_row(desk) {
                Some(problem) => desk.complain(problem),
                None => {
                    self.accept(desk);
                    self.go_to(self.row + 1, desk);
                }
            },
            ActionId::FieldCancel => self.line = None,
            action => {
                if let Some(line) = &mut self.line {
                    line.edit(action);
                }
            }
        }
    }

    /// Takes what was typed, which has no problem.
    fn accept(&mut self, _desk: &Desk) {
        let (row, Some(line)) = (self.row(), self.line.take()) else { return };
        match row {
            FormRow::Name => self.name = line.text().trim().to_owned(),
            FormRow::Place | FormRow::Preset => {}
            FormRow::Setting(field) => {
                let _ = field.set(&mut self.settings, line.text());
            }
        }
    }

    /// The next or the previous of a few words; numbers are doubled and halved.
    fn change(&mut self, by: isize) {
        let around = |place: Option<usize>, count: usize| match place {
            Some(place) => (place as isize + by).rem_euclid(count as isize) as usize,
            None => 0,
        };
        match self.row() {
            FormRow::Name => {}
            FormRow::Place => {
                let place = PlaceWish::ALL.iter().position(|place| *place == self.place);
                self.place = PlaceWish::ALL[around(place, PlaceWish::ALL.len())];
            }
            FormRow::Preset => {
                let now = Preset::nearest(&self.settings);
                let place = Preset::ALL.iter().position(|preset| *preset == now);
                let seed = self.settings.seed;
                self.settings = Preset::ALL[around(place, Preset::ALL.len())].settings();
                self.settings.seed = seed;
            }
            FormRow::Setting(field) => {
                let (words, now) = (field.choices(), field.get(&self.settings));
                if words.is_empty() {
                    let number: Option<f64> = now.parse().ok();
                    let changed = number.map(|number| if by > 0 { number * 2.0 } else { number / 2.0 });
                    let written = changed.map(|number| match now.contains(['.', 'e']) {
                        true => format!("{number}"),
                        false => format!("{}", number.round().max(1.0)),
                    });
                    if let Some(written) = written {
                        let mut settings = self.settings.clone();
                        if field.set(&mut settings, &written).is_ok() && settings.check().is_ok() {
                            self.settings = settings;
                        }
                    }
                    return;
                }
                let place = words.iter().position(|word| *word == now);
                let _ = field.set(&mut self.settings, words[around(place, words.len())]);
            }
        }
    }
}
