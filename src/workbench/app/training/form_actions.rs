//! What keys do to the form.

use strum::VariantArray;

use super::{Form, FormRow, JobRequest, TargetKind, Training, copy};
use crate::workbench::app::{
    action::ActionId,
    line_editor::LineEditor,
    list_cursor::{is_movement, moved},
    pane_host::PaneHost,
};

impl Training {
    pub(super) fn act_on_form(&mut self, action: ActionId, host: &mut PaneHost) {
        let height = usize::from(self.form_parts().rows.height).max(1);
        let Some(form) = &mut self.form else { return };
        if form.is_typing() {
            return form.act_on_line(action, host);
        }
        if is_movement(action) {
            let to = moved(action, form.row, height, form.rows().len());
            return form.go_to(to, host);
        }
        match action {
            ActionId::FormNext => form.change(1),
            ActionId::FormPrevious => form.change(-1),
            ActionId::FormEdit => form.edit(),
            ActionId::FormCopy => copy(form.command(), host),
            ActionId::FormLeave => self.form = None,
            ActionId::FormLaunch => match form.problem(host) {
                Some(problem) => host.report_error(problem),
                None => {
                    let launch = JobRequest::Launch(Box::new(form.launch()));
                    self.request_job(launch, host);
                }
            },
            _ => {}
        }
    }
}

impl Form {
    pub(super) fn go_to(&mut self, row: usize, host: &PaneHost) {
        if self.line.is_some() && self.problem_of_row(host).is_none() {
            self.accept();
        }
        self.line = None;
        self.row = row.min(self.rows().len() - 1);
    }

    /// Text that is no key begins to change the row.
    pub(super) fn type_text(&mut self, text: &str, _desk: &PaneHost) {
        if self.line.is_none() && self.is_typed() {
            self.line = Some(LineEditor::default());
        }
        if let Some(line) = &mut self.line {
            line.insert(text);
        }
    }

    /// Whether the row can be typed, and not only gone through.
    fn is_typed(&self) -> bool {
        self.about(self.row()).kind.is_typed()
    }

    fn edit(&mut self) {
        match self.is_typed() {
            true => self.line = Some(LineEditor::new(&self.value(self.row()))),
            false => self.change(1),
        }
    }

    fn act_on_line(&mut self, action: ActionId, host: &mut PaneHost) {
        match action {
            ActionId::FieldAccept => match self.problem_of_row(host) {
                Some(problem) => host.report_error(problem),
                None => {
                    self.accept();
                    self.go_to(self.row + 1, host);
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
    fn accept(&mut self) {
        let (row, Some(line)) = (self.row(), self.line.take()) else { return };
        let _ = self.set(row, line.text());
    }

    /// The next or the previous of a few words; numbers are doubled and halved.
    fn change(&mut self, by: isize) {
        let row = self.row();
        let around = |place: Option<usize>, count: usize| match place {
            Some(place) => (place as isize + by).rem_euclid(count as isize) as usize,
            None => 0,
        };
        match row {
            FormRow::Name | FormRow::Protected => {}
            FormRow::Work => self.draft = self.draft.other(),
            FormRow::Place => {
                let place = TargetKind::VARIANTS.iter().position(|place| *place == self.place);
                self.place = TargetKind::VARIANTS[around(place, TargetKind::VARIANTS.len())];
            }
            FormRow::Preset => self.draft.change_preset(by),
            FormRow::Setting(_) | FormRow::Slurm(_) | FormRow::Option(_) => {
                let (words, now) = (self.about(row).kind.choices(), self.value(row));
                if !words.is_empty() {
                    let place = words.iter().position(|word| *word == now);
                    let _ = self.set(row, words[around(place, words.len())]);
                } else if let Some(number) = scaled(&now, by)
                    && self.can_be(row, &number)
                {
                    let _ = self.set(row, &number);
                }
            }
        }
    }

    /// Whether nothing is wrong with a row of that value.
    fn can_be(&self, row: FormRow, text: &str) -> bool {
        match row {
            FormRow::Setting(row) => {
                let mut draft = self.draft.clone();
                draft.set(row, text).is_ok() && draft.problem().is_none()
            }
            _ => true,
        }
    }
}

/// A number twice or half as large, as it was written.
fn scaled(text: &str, by: isize) -> Option<String> {
    let number: f64 = text.parse().ok()?;
    let number = if by > 0 { number * 2.0 } else { number / 2.0 };
    Some(match text.contains(['.', 'e']) {
        true => format!("{number}"),
        false => format!("{}", number.round().max(1.0)),
    })
}
