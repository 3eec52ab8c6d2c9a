//! The numbers that the claims are about, as a grid.

use crate::{
    corpus::CorpusReference,
    corpus::split::{Part, Scheme},
    model::tokenizer::{Input, SymbolNames},
    study::{
        CellMeasure, CellSource, PlanCell, PlanRow, StudyEncoder, StudyRequest,
        plan::{Builder, PlanError},
        request::four_levels,
    },
    symbols::{Level, Naming, Setting},
};

/// The names of the rows that the claims look up.
pub const TEXT: &str = "text only";
pub const MATH: &str = "mathematics only";
pub const RENAMED: &str = "symbols renamed";

/// The row of a model that was trained at a level on the articles of the category.
pub fn category_row(level: Setting) -> String {
    format!("category, {level}")
}

/// The levels of the tests: the four, partial with protected symbols, and full with names on neither side.
pub fn tested() -> [Setting; 6] {
    let [conservation, partial, full, transposition] = four_levels();
    [conservation, partial, full, transposition, Setting { protect: true, ..partial }, avoiding()]
}

/// Full replacement by the rule that avoids the letters of the statement.
pub fn avoiding() -> Setting {
    Level::Full(Naming::Disjoint).into()
}

type CategoryCorpus<'a> = &'a mut dyn FnMut(&StudyRequest) -> Result<CorpusReference, PlanError>;

pub fn plan(builder: &mut Builder<'_>, category: CategoryCorpus<'_>) {
    let encoder = builder.request.encoders_or(&[StudyEncoder::Npt])[0];
    let split = builder.request.split.unwrap_or(Scheme::Mixed);
    let [conservation, ..] = four_levels();
    builder.corner = "trained at";
    builder.level_columns(&tested());
    builder.notes.push(format!(
        "{}, local training; {split} split, and the unmixed one for protected symbols. The bootstrap resamples pairs.",
        encoder.title()
    ));
    for level in four_levels() {
        let runs = builder.runs(encoder, |settings| (settings.level, settings.split) = (level, split));
        let row = row(builder, level.to_string(), &four_levels(), &runs);
        builder.rows.push(row);
    }
    let avoiding = avoiding();
    let runs = builder.runs(encoder, |settings| (settings.level, settings.split) = (avoiding, split));
    let levels = [Level::FULL.into(), avoiding];
    let row_of_avoiding = row(builder, avoiding.to_string(), &levels, &runs);
    builder.rows.push(row_of_avoiding);
    let runs = builder.runs(encoder, |settings| {
        (settings.symbols, settings.level, settings.split) = (SymbolNames::Renamed, conservation, split);
    });
    let row_of_renamed = row(builder, RENAMED.to_owned(), &four_levels(), &runs);
    builder.rows.push(row_of_renamed);
    for (name, input) in [(TEXT, Input::Text), (MATH, Input::Math)] {
        let runs = builder.runs(encoder, |settings| {
            (settings.input, settings.level, settings.split) = (input, conservation, split);
        });
        let row = row(builder, name.to_owned(), &[conservation], &runs);
        builder.rows.push(row);
    }
    let made = category(builder.request);
    let whole = builder.corpus.clone();
    for level in [Level::PARTIAL, Level::FULL].map(Setting::from) {
        for protect in [false, true] {
            let level = Setting { protect, ..level };
            let runs = match &made {
                Ok(corpus) => {
                    builder.corpus = corpus.clone();
                    builder.runs(encoder, |settings| {
                        (settings.level, settings.split) = (level, Scheme::Unmixed);
                    })
                }
                Err(error) => Err(error.to_string()),
            };
            let row = row(builder, category_row(level), &[tested()[4]], &runs);
            builder.rows.push(row);
        }
    }
    builder.corpus = whole;
}

fn row(
    builder: &Builder<'_>,
    name: String,
    levels: &[Setting],
    runs: &Result<Vec<usize>, String>,
) -> PlanRow {
    let mut cells = Vec::new();
    for level in tested() {
        for measure in [CellMeasure::Mrr, CellMeasure::Local] {
            cells.push(match levels.contains(&level) {
                true => builder.cell(runs, measure, level, Part::Test, None),
                false => PlanCell { measure, source: CellSource::Blank, paper: None },
            });
        }
    }
    PlanRow { group: String::new(), name, cells }
}
