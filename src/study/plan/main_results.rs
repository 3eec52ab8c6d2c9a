//! The paper's table 3: encoders, objectives and decoders, trained and tested at the same level.

use super::{Builder, CellMeasure, CellSource, PlanCell, PlanRow};
use crate::{
    corpus::split::{Part, Scheme},
    study::{Study, StudyEncoder, paper, request::four_levels},
    train::ObjectiveKind,
};

pub fn plan(builder: &mut Builder<'_>) {
    let levels = builder.request.levels_or(&four_levels());
    let split = builder.request.split.unwrap_or(Scheme::Mixed);
    builder.corner = "encoder, training, decoding";
    builder.level_columns(&levels);
    builder.notes.push(format!("Trained and tested at the same level, {split} split."));
    for encoder in builder.request.encoders_or(&StudyEncoder::PAPER) {
        let kinds = [("Local", ObjectiveKind::Local), ("Global", ObjectiveKind::Hybrid)];
        let [local, hybrid] = kinds.map(|(_, objective)| {
            let runs = levels.iter().map(|&level| {
                builder.runs(encoder, |settings| {
                    (settings.objective, settings.level, settings.split) = (objective, level, split);
                })
            });
            runs.collect::<Vec<_>>()
        });
        for (training, decoding, runs) in
            [("Local", "Local", &local), ("Local", "Global", &local), ("Global", "Global", &hybrid)]
        {
            let key = format!("{}-{training}-{decoding}", encoder.name()).to_lowercase();
            let mut cells = Vec::new();
            for (&level, runs) in levels.iter().zip(runs) {
                let paper = |measure| paper::number(Study::Main, &key, &level.to_string(), measure);
                let cell = |measure| builder.cell(runs, measure, level, Part::Test, paper(measure));
                match decoding {
                    "Local" => cells.extend([cell(CellMeasure::Mrr), cell(CellMeasure::Local)]),
                    _ => {
                        cells.push(PlanCell {
                            measure: CellMeasure::Mrr,
                            source: CellSource::Blank,
                            paper: None,
                        });
                        cells.push(cell(CellMeasure::Global));
                    }
                }
            }
            let name = format!("{}-{training}-{decoding}", encoder.title());
            builder.rows.push(PlanRow { group: String::new(), name, cells });
        }
    }
}
