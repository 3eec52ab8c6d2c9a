//! Names of runs: the same configuration has the same name in every study.

use std::{fmt::Debug, path::PathBuf};

use serde::Serialize;

use crate::{
    runs::{RunError, RunName},
    symbols::level::in_file,
    train::{TrainSettings, old_form, pretrain::PretrainSettings},
};

/// How many digits of the hash the name has.
const DIGITS: usize = 10;

/// The name of the run with these settings on the corpus with this fingerprint. `after` is the run that it starts from, if
/// it is a ScratchBERT.
///
/// Everything that changes the result is in the hash: settings, seed, fingerprint. The chunk size is not:
/// it changes time and memory only. Neither is the path of the workspace.
pub fn run_name(
    settings: &TrainSettings,
    fingerprint: &str,
    after: Option<&RunName>,
) -> Result<RunName, RunError> {
    let init = after.map(|run| PathBuf::from(run.as_str())).or_else(|| settings.init.clone());
    let kept = TrainSettings { chunk: None, init, ..settings.clone() };
    let mut words = vec![settings.encoder.name().to_owned(), settings.objective.name().to_owned()];
    // Versions with one rule for new names did not name it.
    words.push(in_file::write(settings.level).replace(":disjoint", "").replace(':', "_"));
    if settings.input != crate::model::tokenizer::Input::Both {
        words.push(settings.input.name().to_owned());
    }
    if !settings.symbols.is_literal() {
        words.push(format!("{}-names", settings.symbols));
    }
    words.push(settings.split.name().to_owned());
    named(words, &kept, settings.seed, fingerprint)
}

/// The name of a pre-training run.
pub fn pretraining_name(settings: &PretrainSettings, fingerprint: &str) -> Result<RunName, RunError> {
    let words = [settings.encoder.name(), "pretraining", settings.split.name()].map(str::to_owned);
    named(words.to_vec(), settings, settings.seed, fingerprint)
}

fn named(
    words: Vec<String>,
    settings: &(impl Serialize + Debug),
    seed: u64,
    fingerprint: &str,
) -> Result<RunName, RunError> {
    // The keys of the first version, so that runs of earlier versions have the same name.
    let written = old_form(settings).unwrap_or_else(|_| format!("{settings:?}"));
    let mut hasher = blake3::Hasher::new();
    for part in [fingerprint, "\n", &seed.to_string(), "\n", &written] {
        hasher.update(part.as_bytes());
    }
    let hash = hasher.finalize().to_hex();
    format!("study-{}-seed{seed}-{}", words.join("-"), &hash[..DIGITS]).parse()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        corpus::split::Scheme,
        train::{Preset, pretrain::PretrainPreset},
    };

    #[test]
    fn the_name_holds_what_matters_and_nothing_else() {
        let settings = TrainSettings { level: "partial:0.3+p".parse().unwrap(), ..Preset::Tiny.settings() };
        let name =
            |settings: &TrainSettings, corpus: &str| run_name(settings, corpus, None).unwrap().to_string();
        let first = name(&settings, "6f1e");
        assert!(first.starts_with("study-npt-local-partial_0.3_stranger+p-unmixed-seed1-"), "{first}");
        assert_eq!(first, name(&TrainSettings { chunk: Some(8), ..settings.clone() }, "6f1e"));
        assert_ne!(first, name(&settings, "7f1e"));
        assert_ne!(first, name(&TrainSettings { seed: 2, ..settings.clone() }, "6f1e"));
        assert_ne!(first, name(&TrainSettings { epochs: 2, ..settings.clone() }, "6f1e"));
        assert_ne!(first, name(&TrainSettings { lr: 0.1, ..settings.clone() }, "6f1e"));

        // the model that it starts from counts, not its path
        let words = |epochs| {
            let settings = PretrainSettings { epochs, ..PretrainPreset::Tiny.settings() };
            pretraining_name(&settings, "6f1e").unwrap()
        };
        assert!(words(3).as_str().starts_with("study-scratchbert-pretraining-unmixed-seed1-"));
        let tuned = |folder: &str, epochs| {
            let settings = TrainSettings { init: Some(folder.into()), ..settings.clone() };
            run_name(&settings, "6f1e", Some(&words(epochs))).unwrap()
        };
        assert_eq!(tuned("/one", 3), tuned("/other", 3));
        assert_ne!(tuned("/one", 3), tuned("/one", 4));
    }

    /// The names that version 0.1.0 gave to runs of `study main demo --preset tiny`.
    #[test]
    fn runs_of_earlier_versions_are_found() {
        let fingerprint = "a2f6de8977f301638ef54c615bc2ed1e0f0dcef5e3895809332fbdadfa754d87";
        let npt = TrainSettings { split: Scheme::Mixed, ..Preset::Tiny.settings() };
        let name = run_name(&npt, fingerprint, None).unwrap();
        assert_eq!(name.as_str(), "study-npt-local-conservation-mixed-seed1-bb06db8080");
        let words = PretrainSettings { split: Scheme::Mixed, epochs: 10, ..PretrainPreset::Tiny.settings() };
        let words_name = pretraining_name(&words, fingerprint).unwrap();
        assert_eq!(words_name.as_str(), "study-scratchbert-pretraining-mixed-seed1-c907ef6861");
    }
}
