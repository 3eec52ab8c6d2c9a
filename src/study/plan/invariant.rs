//! A table that the paper does not have: does it help not to see the names of symbols?
//!
//! The paper's models that read literal names either keep conservation's score and collapse when names change, or are
//! trained on changed names and lose on unchanged ones. A model with canonical names reads the same text at every level,
//! so its row is the same number four times, by construction; what it loses is everything that names convey. The
//! question is whether a model that reads both keeps the first and loses nothing on the last.

use super::{Builder, PlanRow, builder::level_title};
use crate::{
    corpus::split::Scheme,
    model::tokenizer::SymbolNames,
    study::{Study, StudyEncoder, request::four_levels},
    symbols::{Level, Setting},
};

pub fn plan(builder: &mut Builder<'_>) {
    let levels = builder.request.levels_or(&four_levels());
    let split = builder.request.split.unwrap_or(Scheme::Mixed);
    let conservation = Setting::from(Level::Conservation);
    let several = [conservation, Setting::from(Level::PARTIAL), Setting::from(Level::FULL)];
    builder.corner = "names, trained at";
    builder.level_columns(&levels);
    builder.notes.push(format!(
        "Local training and decoding, {split} split; columns are test levels. Canonical: the symbols of each \
         text are numbered by first occurrence, so that no level changes what the model reads. Renamed: those of each \
         formula. Both: the literal name and the number."
    ));
    for encoder in builder.request.encoders_or(&[StudyEncoder::Npt, StudyEncoder::Windows]) {
        for &symbols in <SymbolNames as strum::VariantArray>::VARIANTS {
            if encoder == StudyEncoder::Windows && symbols == SymbolNames::Canonical {
                // windows number their own letters
                continue;
            }
            // the levels are the same training for a model that sees no names
            let trained_at = if symbols.has_literal() { &several[..] } else { &several[..1] };
            for &trained in trained_at {
                let runs = builder.runs(encoder, |settings| {
                    (settings.symbols, settings.level, settings.split) = (symbols, trained, split);
                });
                let mut cells = Vec::new();
                for &tested in &levels {
                    let literal = symbols == SymbolNames::Literal;
                    let (study, key) = match encoder {
                        StudyEncoder::ScratchBert if literal => (Study::Cross, format!("{split}/{trained}")),
                        StudyEncoder::Npt if literal && trained == tested && split == Scheme::Mixed => {
                            (Study::Main, "npt-local-local".to_owned())
                        }
                        _ => (Study::Invariant, String::new()),
                    };
                    cells.extend(builder.both_measures(&runs, tested, (study, &key)));
                }
                let at = if symbols.has_literal() { level_title(trained) } else { "any level".to_owned() };
                let name = format!("{symbols}, {at}");
                builder.rows.push(PlanRow { group: encoder.title().to_owned(), name, cells });
            }
        }
    }
}
