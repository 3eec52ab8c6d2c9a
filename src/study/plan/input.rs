//! The paper's table 5: what an encoder reads.

use super::{Builder, PlanRow};
use crate::{
    corpus::split::Scheme,
    model::tokenizer::Input,
    study::{Study, StudyEncoder},
    symbols::{Level, Setting},
};

pub fn plan(builder: &mut Builder<'_>) {
    let levels = builder.request.levels_or(&[Level::Conservation, Level::FULL].map(Setting::from));
    let split = builder.request.split.unwrap_or(Scheme::Mixed);
    builder.corner = "input";
    builder.level_columns(&levels);
    builder
        .notes
        .push(format!("Local training and decoding, trained and tested at the same level, {split} split."));
    for encoder in builder.request.encoders_or(&[StudyEncoder::Npt, StudyEncoder::ScratchBert]) {
        for (input, name) in [(Input::Text, "Text"), (Input::Math, "Math"), (Input::Both, "Both")] {
            let mut cells = Vec::new();
            for &level in &levels {
                // no level renames words, so a model of text alone is the same one at every level
                let trained = if input == Input::Text { levels[0] } else { level };
                let runs = builder.runs(encoder, |settings| {
                    (settings.input, settings.level, settings.split) = (input, trained, split);
                });
                let key = format!("{}/{input}", encoder.name());
                cells.extend(builder.both_measures(&runs, level, (Study::Input, &key)));
            }
            builder.rows.push(PlanRow { group: encoder.title().to_owned(), name: name.to_owned(), cells });
        }
    }
}
