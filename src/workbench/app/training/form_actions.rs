//! The actions of the form.

use strum::VariantArray;

use super::{Form, FormRow, JobRequest, TargetKind, Training, copy};
use crate::base::fields::FieldKind;
use crate::workbench::app::{
    action::ActionId,
    cycle::cycled,
    line_editor::{LineEditor, TextTooLong},
    list_cursor::{is_movement, moved},
    overlay::{Choice, Overlay},
    pane_host::PaneHost,
};

impl Training {
    pub(super) fn act_on_form(&mut self, action: ActionId, host: &mut PaneHost) {
        let height = usize::from(self.form_parts().rows.height).max(1);
        let Some(form) = &mut self.form else { return };
        if form.is_typing() {
            match action {
                ActionId::FieldLaunch => self.launch_form(host),
                ActionId::FieldCancel if form.is_untouched_text() => self.leave_form(host),
                action => form.act_on_line(action, host),
            }
            return;
        }
        if is_movement(action) {
            let to = moved(action, form.row, height, form.rows().len());
            return form.go_to(to, host);
        }
        match action {
            ActionId::FormNext => form.change(1),
            ActionId::FormPrevious => form.change(-1),
            ActionId::FormEdit => form.edit(),
            ActionId::FormFold => form.toggle_section(),
            ActionId::FormFoldAll => form.toggle_sections(),
            ActionId::FormCopy => copy(&form.command(), host),
            ActionId::FormLeave => self.leave_form(host),
            ActionId::FormLaunch => self.launch_form(host),
            _ => {}
        }
    }

    fn launch_form(&mut self, host: &mut PaneHost) {
        let Some(form) = &mut self.form else { return };
        match form.problem(host) {
            Some(problem) => host.report_error(problem),
            None => {
                form.accept();
                let launch = JobRequest::Launch(Box::new(form.launch()));
                self.request_job(launch, host);
            }
        }
    }

    /// Closes the form, after a confirmation if values would be lost.
    fn leave_form(&mut self, host: &mut PaneHost) {
        match self.form.as_ref().is_some_and(|form| form.has_changes()) {
            true => host.overlays.push(Overlay::Decide {
                question: "The values of this form will be lost. Discard it?".to_owned(),
                then: Choice::LeaveForm,
            }),
            false => self.form = None,
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

    /// Text that is not a key starts to edit the row.
    pub(super) fn type_text(&mut self, text: &str) -> Result<(), TextTooLong> {
        if self.line.is_none() && self.is_typed() {
            self.line = Some(LineEditor::default());
        }
        self.line.as_mut().map_or(Ok(()), |line| line.insert(text))
    }

    /// Whether the row is edited as text, and not only cycled.
    fn is_typed(&self) -> bool {
        self.about(self.row()).kind.is_typed()
    }

    /// Whether the row is free text, in which every letter is input and none is a command.
    pub(super) fn is_text(&self) -> bool {
        matches!(self.about(self.row()).kind, FieldKind::Text(_))
    }

    /// Whether the row is free text with its value as it was.
    fn is_untouched_text(&self) -> bool {
        let value = self.value(self.row());
        self.is_text() && self.line.as_ref().is_none_or(|line| line.text() == value)
    }

    fn edit(&mut self) {
        match self.is_typed() {
            true => self.line = Some(LineEditor::selected(&self.value(self.row()))),
            false => self.change(1),
        }
    }

    fn act_on_line(&mut self, action: ActionId, host: &mut PaneHost) {
        match action {
            ActionId::FieldAccept | ActionId::FieldBack => match self.problem_of_row(host) {
                Some(problem) => host.report_error(problem),
                None if action == ActionId::FieldAccept => self.go_to(self.row + 1, host),
                None => self.go_to(self.row.saturating_sub(1), host),
            },
            ActionId::FieldCancel => self.line = None,
            action => {
                if let Some(line) = &mut self.line {
                    line.edit(action);
                }
            }
        }
    }

    /// Accepts the valid input.
    fn accept(&mut self) {
        let (row, Some(line)) = (self.row(), self.line.take()) else { return };
        let _ = self.set(row, line.text());
    }

    /// Changes to the next or the previous choice; doubles or halves a number.
    fn change(&mut self, by: isize) {
        let row = self.row();
        match row {
            FormRow::Section(_) => self.toggle_section(),
            FormRow::Name | FormRow::Protected => {}
            FormRow::Work => self.draft = self.draft.other(),
            FormRow::Place => self.place = cycled(TargetKind::VARIANTS, &self.place, by),
            FormRow::Preset => self.draft.change_preset(by),
            FormRow::Option(_) if self.about(row).flag == "device" => {
                let (choices, now) = (self.device_choices(), self.value(row));
                let _ = self.set(row, &cycled(&choices, &now, by));
            }
            FormRow::Setting(_) | FormRow::Slurm(_) | FormRow::Option(_) => {
                let (words, now) = (self.about(row).kind.choices(), self.value(row));
                if !words.is_empty() {
                    let _ = self.set(row, cycled(words, &now.as_str(), by));
                } else if let Some(number) = scaled(&now, by)
                    && self.can_be(row, &number)
                {
                    let _ = self.set(row, &number);
                }
            }
        }
    }

    /// Whether the value is valid for the row.
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

/// A number doubled or halved, in the same notation.
fn scaled(text: &str, by: isize) -> Option<String> {
    let number: f64 = text.parse().ok()?;
    let number = if by > 0 { number * 2.0 } else { number / 2.0 };
    Some(match text.contains(['.', 'e']) {
        true => format!("{number}"),
        false => format!("{}", number.round().max(1.0)),
    })
}
