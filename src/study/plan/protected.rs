//! The paper's table 6: does it help not to replace the symbols that carry a meaning in their field?

use super::{Builder, PlanRow, builder::level_title};
use crate::{
    corpus::split::Scheme,
    study::{Study, StudyEncoder},
    symbols::{Level, Setting},
};

/// The levels that the models are trained at.
pub(in crate::study) fn trained_levels() -> [Setting; 5] {
    let (partial, full) = (Setting::from(Level::PARTIAL), Setting::from(Level::FULL));
    let protected = |level| Setting { protect: true, ..level };
    [Setting::from(Level::Conservation), partial, protected(partial), full, protected(full)]
}

pub fn plan(builder: &mut Builder<'_>) {
    let trained = builder.request.levels_or(&trained_levels());
    let tested = [trained_levels()[0], trained_levels()[2]];
    let split = builder.request.split.unwrap_or(Scheme::Unmixed);
    builder.corner = "trained at";
    builder.level_columns(&tested);
    builder.notes.push(format!(
        "Local training and decoding on the articles of {}, {split} split; +P keeps its protected symbols.",
        builder.request.category
    ));
    builder.notes.push("The paper's numbers are ScratchBERT's.".to_owned());
    for encoder in builder.request.encoders_or(&[StudyEncoder::Npt]) {
        for &trained in &trained {
            let runs = builder.runs(encoder, |settings| (settings.level, settings.split) = (trained, split));
            let key = trained.to_string();
            let cells = tested
                .iter()
                .flat_map(|&tested| builder.both_measures(&runs, tested, (Study::Protected, &key)))
                .collect();
            builder.rows.push(PlanRow {
                group: encoder.title().to_owned(),
                name: level_title(trained),
                cells,
            });
        }
    }
}
