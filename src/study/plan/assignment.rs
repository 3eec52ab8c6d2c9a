//! The paper's table 8: how many statements choose the same proof when each chooses alone.

use super::{Builder, CellMeasure, PlanColumn, PlanRow, builder::level_title};
use crate::{
    corpus::split::{Part, Scheme},
    matching::metrics::Bucket,
    study::{Study, StudyEncoder, paper},
    symbols::{Level, Setting},
};

pub fn plan(builder: &mut Builder<'_>) {
    let levels = builder.request.levels_or(&[Setting::from(Level::Conservation)]);
    let split = builder.request.split.unwrap_or(Scheme::Mixed);
    builder.corner = "statements that choose a proof";
    builder.notes.push(format!(
        "Percentage of dev proofs by the number of statements that choose them with local decoding; local training, \
         {split} split. The first four rows are cumulative."
    ));
    let mut runs = Vec::new();
    for encoder in builder.request.encoders_or(&[StudyEncoder::Npt]) {
        for &level in &levels {
            let group = format!("{}, {}", encoder.title(), level_title(level));
            builder.columns.push(PlanColumn { group, measure: CellMeasure::Share(Bucket::One).short() });
            let found = builder.runs(encoder, |settings| (settings.level, settings.split) = (level, split));
            runs.push((encoder, level, found));
        }
    }
    for bucket in Bucket::ALL {
        let cells = runs.iter().map(|(encoder, level, runs)| {
            let measure = CellMeasure::Share(bucket);
            // the paper counted with NPT
            let paper = (*encoder == StudyEncoder::Npt)
                .then(|| paper::number(Study::Assignment, bucket.name(), &level.to_string(), measure));
            builder.cell(runs, measure, *level, Part::Dev, paper.flatten())
        });
        let row = PlanRow { group: String::new(), name: bucket.name().to_owned(), cells: cells.collect() };
        builder.rows.push(row);
    }
}
