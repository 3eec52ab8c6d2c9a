//! What a study trains and where: chosen in the pane before it is started.

use strum::VariantArray;

use super::{Request, Studies};
use crate::{
    base::numbers::counted,
    study::{StudyEncoder, runner::StudyTarget},
    symbols::{Level, Setting},
    train::device::Device,
    workbench::app::{
        chooser::{Chooser, ChooserItem},
        cycle::cycled,
        overlay::{Choice, Overlay},
        pane_host::PaneHost,
    },
};

/// The numbers of seeds that are offered.
const SEEDS: [u64; 5] = [1, 2, 3, 5, 10];

impl Studies {
    pub(super) fn next_seeds(&mut self) {
        let now = self.request().seeds;
        self.seeds = Some(cycled(&SEEDS, &now, 1));
        self.forget_estimate();
    }

    pub(super) fn next_device(&mut self) {
        let now = Device::CHOICES.into_iter().find(|name| *name == self.options.device).unwrap_or_default();
        self.options.device = cycled(&Device::CHOICES, &now, 1).to_owned();
        self.forget_estimate();
    }

    pub(super) fn next_target(&mut self) {
        self.options.target = cycled(StudyTarget::VARIANTS, &self.options.target, 1);
    }

    pub(super) fn forget_estimate(&mut self) {
        self.estimate = None;
    }

    pub(super) fn choose_encoders(&self, selected: usize, host: &mut PaneHost) {
        let item = |encoder: &StudyEncoder| ChooserItem {
            label: encoder.name().to_owned(),
            detail: shown(self.encoders.is_empty(), self.encoders.contains(encoder)).to_owned(),
            choice: Choice::StudyEncoder(encoder.name().to_owned()),
        };
        let items = usual_item(Choice::StudyEncoder(String::new()))
            .into_iter()
            .chain(StudyEncoder::VARIANTS.iter().map(item))
            .collect();
        host.overlays.push(Overlay::Chooser(Chooser::new("encoders", items, selected)));
    }

    pub(super) fn toggle_encoder(&mut self, name: &str, host: &mut PaneHost) {
        let Ok(encoder) = name.parse::<StudyEncoder>() else {
            self.encoders.clear();
            return self.forget_estimate();
        };
        toggle(&mut self.encoders, encoder);
        self.forget_estimate();
        let place = StudyEncoder::VARIANTS.iter().position(|each| *each == encoder).unwrap_or_default();
        self.choose_encoders(place + 1, host);
    }

    pub(super) fn choose_levels(&self, selected: usize, host: &mut PaneHost) {
        let item = |level: &Level| {
            let setting = Setting::from(*level);
            ChooserItem {
                label: setting.to_string(),
                detail: shown(self.levels.is_empty(), self.levels.contains(&setting)).to_owned(),
                choice: Choice::StudyLevel(setting.to_string()),
            }
        };
        let items = usual_item(Choice::StudyLevel(String::new()))
            .into_iter()
            .chain(Level::ALL.iter().map(item))
            .collect();
        host.overlays.push(Overlay::Chooser(Chooser::new("levels", items, selected)));
    }

    pub(super) fn toggle_level(&mut self, name: &str, host: &mut PaneHost) {
        let Ok(level) = name.parse::<Setting>() else {
            self.levels.clear();
            return self.forget_estimate();
        };
        toggle(&mut self.levels, level);
        self.forget_estimate();
        let place = Level::ALL.iter().position(|each| Setting::from(*each) == level);
        self.choose_levels(place.unwrap_or_default() + 1, host);
    }

    /// Asks whether to start what is missing.
    pub(super) fn ask_to_start(&self, host: &mut PaneHost) {
        let Some(picture) = self.picture() else { return host.notify("the runs have not been read yet") };
        if picture.is_running() {
            return host.notify("this study is running; . stops it");
        }
        if picture.standing.is_complete() {
            return host.notify("nothing is missing; e exports the table");
        }
        let runs = picture.standing.runs.len() - picture.standing.finished();
        let evaluations = picture.standing.unevaluated.len();
        let time = self.estimate().map(|seconds| format!(", about {}", time_text(seconds)));
        host.overlays.push(Overlay::Decide {
            question: format!(
                "Train {} and compute {} ({}{})?",
                counted(runs as u64, "run"),
                counted(evaluations as u64, "evaluation"),
                self.options.target.describe(),
                time.unwrap_or_default()
            ),
            then: Choice::StartStudy,
        });
    }

    pub(super) fn start_study(&self, host: &mut PaneHost) {
        let (request, options) = (Box::new(self.request()), self.options.clone());
        host.request(Request::Start { request, options });
    }

    pub(super) fn ask_for_estimate(&self, host: &mut PaneHost) {
        host.notify("timing the runs on this machine");
        host.request(Request::Estimate { request: Box::new(self.request()) });
    }

    /// `3 seeds · encoders npt · all levels · device auto · here`
    pub fn options_text(&self) -> String {
        let request = self.request();
        let list = |names: Vec<String>, what: &str| match names.is_empty() {
            true => format!("the study's {what}"),
            false => format!("{what} {}", names.join(", ")),
        };
        let encoders = request.encoders.iter().map(|encoder| encoder.name().to_owned()).collect();
        let levels = request.levels.iter().map(ToString::to_string).collect();
        format!(
            "{} · {} · {} · device {} · {}",
            counted(request.seeds, "seed"),
            list(encoders, "encoders"),
            list(levels, "levels"),
            self.options.device,
            self.options.target.describe()
        )
    }
}

fn usual_item(choice: Choice) -> Option<ChooserItem> {
    Some(ChooserItem { label: "the study's default".to_owned(), detail: String::new(), choice })
}

fn shown(is_usual: bool, is_chosen: bool) -> &'static str {
    match (is_usual, is_chosen) {
        (false, true) => "selected",
        _ => "",
    }
}

fn toggle<T: PartialEq>(chosen: &mut Vec<T>, item: T) {
    match chosen.iter().position(|each| *each == item) {
        Some(place) => drop(chosen.remove(place)),
        None => chosen.push(item),
    }
}

/// A duration in seconds for people.
pub fn time_text(seconds: f64) -> String {
    crate::base::numbers::duration(std::time::Duration::try_from_secs_f64(seconds).unwrap_or_default())
}
