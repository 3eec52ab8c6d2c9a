//! The two small models that are part of the program, so that every pane has something real to show. Both are bags of formula
//! windows, trained on the train part of the demo: one reads symbols as they are written, the other formulas up to renaming.
//! `assets/demo/models/train.sh` trains them again.

use std::path::PathBuf;

use super::{OpenModelError, assemble};
use crate::{
    model::tokenizer::features::FEATURES_FILE,
    runs::{RunConfig, layout},
    train::trained::{ModelFiles, TrainedModel},
};

/// The names of the embedded models.
pub const NAMES: [&str; 2] = ["demo-conservation", "demo-full"];

macro_rules! kept {
    ($folder:literal) => {
        Kept {
            config: include_str!(concat!("../../../assets/demo/models/", $folder, "/run.toml")),
            weights: include_bytes!(concat!("../../../assets/demo/models/", $folder, "/weights.safetensors")),
            features: include_bytes!(concat!("../../../assets/demo/models/", $folder, "/features.txt")),
        }
    };
}

struct Kept {
    config: &'static str,
    weights: &'static [u8],
    features: &'static [u8],
}

/// The embedded model of a name, if there is one.
pub fn model(name: &str) -> Option<Result<TrainedModel, OpenModelError>> {
    let kept = match name {
        "demo-conservation" => kept!("conservation"),
        "demo-full" => kept!("full"),
        _ => return None,
    };
    Some(kept.open(name))
}

impl Kept {
    fn open(&self, name: &str) -> Result<TrainedModel, OpenModelError> {
        let folder = PathBuf::from(format!("embedded {name}"));
        let config = RunConfig::parse(self.config, &folder.join(layout::CONFIG))?;
        let files = ModelFiles {
            folder: &folder,
            weights: self.weights,
            tokenizer: &|name| (name == FEATURES_FILE).then(|| self.features.to_vec()),
        };
        assemble(name.to_owned(), config, &files)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        corpus::demo,
        corpus::{split::Part, store::Store},
        model::Engine,
        symbols::{Level, Protected, Setting},
        train::{TrainSettings, encode_part, local_score},
    };

    fn accuracy(store: &Store, name: &str, part: Part, level: Level) -> f64 {
        let model = model(name).unwrap().unwrap();
        let at_level = TrainSettings { level: Setting::from(level), ..model.settings.clone() };
        let replacer = at_level.replacer(&Protected::built_in().unwrap(), 0).in_corpus(store).unwrap();
        let split = store.split(at_level.split, at_level.split_seed).unwrap();
        let reading = crate::model::tokenizer::PartView {
            store,
            split: &split,
            part,
            replacer: &replacer,
            symbols: at_level.symbols,
            cancel: &crate::base::task::CancelToken::new(),
        };
        let vectors =
            encode_part(&mut Engine::default(), &model.weights, &model.tokenizer, reading, at_level.input)
                .unwrap();
        let (statements, proofs) = (&vectors.statements, &vectors.proofs);
        local_score(&model.weights, statements, proofs).unwrap().accuracy
    }

    #[test]
    fn the_papers_finding_in_small() {
        let store = demo::corpus().unwrap();
        let at = |name, part, level| accuracy(&store, name, part, level);
        let plain = NAMES.map(|name| at(name, Part::Test, Level::Conservation));
        let full = NAMES.map(|name| at(name, Part::Test, Level::FULL));
        eprintln!("test: at conservation {plain:.3?}, at full {full:.3?} ({NAMES:?})");
        assert!(full[0] < plain[0] * 2.0 / 3.0, "what reads letters collapses when they change");
        assert_eq!(full[1], plain[1], "what reads formulas up to renaming does not notice");
        assert!(full[1] > 1.2 * full[0]);
        // the pairs that a newcomer sees first are of the train part
        assert!(at(NAMES[0], Part::Train, Level::Conservation) > 0.95);
        assert!(at(NAMES[1], Part::Train, Level::FULL) > 0.95);
    }

    #[test]
    fn the_embedded_models_are_small_and_of_todays_demo() {
        let fingerprint = demo::corpus().unwrap().fingerprint().to_string();
        for (name, folder) in NAMES.into_iter().zip([kept!("conservation"), kept!("full")]) {
            assert!(folder.weights.len() + folder.features.len() < 2_000_000);
            let model = model(name).unwrap().unwrap();
            assert_eq!(
                (model.corpus.path.to_str(), model.corpus.fingerprint),
                (Some("demo"), fingerprint.clone())
            );
        }
        assert!(model("first").is_none());
    }
}
