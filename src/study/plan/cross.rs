//! The paper's table 4: trained at one level, tested at another, for both splits.

use super::{Builder, PlanRow, builder::level_title};
use crate::{
    corpus::split::Scheme,
    study::{Study, StudyEncoder, request::four_levels},
};

pub fn plan(builder: &mut Builder<'_>) {
    let levels = builder.request.levels_or(&four_levels());
    let splits = builder.request.split.map_or_else(|| Scheme::ALL.to_vec(), |split| vec![split]);
    builder.corner = "trained at";
    builder.level_columns(&levels);
    builder.notes.push("Local training and decoding; columns are test levels.".to_owned());
    builder.notes.push("The paper's numbers are ScratchBERT's.".to_owned());
    for encoder in builder.request.encoders_or(&[StudyEncoder::Npt]) {
        for &split in &splits {
            for &trained in &levels {
                let runs =
                    builder.runs(encoder, |settings| (settings.level, settings.split) = (trained, split));
                let key = format!("{split}/{trained}");
                let cells = levels
                    .iter()
                    .flat_map(|&tested| builder.both_measures(&runs, tested, (Study::Cross, &key)))
                    .collect();
                let group = format!("{}, {split}", encoder.title());
                builder.rows.push(PlanRow { group, name: level_title(trained), cells });
            }
        }
    }
}
