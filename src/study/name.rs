//! A run's name says what it is: the same configuration has the same name, in every study.

use crate::{
    runs::{RunError, RunName},
    train::Settings,
};

/// How much of the hash the name holds.
const DIGITS: usize = 10;

/// The name of the run with these settings on the corpus with this fingerprint.
///
/// Everything that changes what is learnt is in the hash: settings, seed, fingerprint. The size of chunks is not:
/// it changes the time and the memory.
pub fn run_name(settings: &Settings, fingerprint: &str) -> Result<RunName, RunError> {
    let kept = Settings { chunk: None, ..settings.clone() };
    let written = toml::to_string(&kept).unwrap_or_else(|_| format!("{kept:?}"));
    let mut hasher = blake3::Hasher::new();
    for part in [fingerprint, "\n", &settings.seed.to_string(), "\n", &written] {
        hasher.update(part.as_bytes());
    }
    let hash = hasher.finalize().to_hex();
    let mut words =
        vec!["study".to_owned(), settings.encoder.name().to_owned(), settings.objective.name().to_owned()];
    words.push(settings.level.to_string().replace(':', "_"));
    if settings.input != crate::text::Input::Both {
        words.push(settings.input.name().to_owned());
    }
    if !settings.symbols.is_literal() {
        words.push(format!("{}-names", settings.symbols));
    }
    words.push(settings.split.name().to_owned());
    words.push(format!("seed{}", settings.seed));
    words.push(hash[..DIGITS].to_owned());
    words.join("-").parse()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::train::Preset;

    #[test]
    fn the_name_holds_what_matters_and_nothing_else() {
        let settings = Settings { level: "partial:0.3+p".parse().unwrap(), ..Preset::Tiny.settings() };
        let name = |settings: &Settings, corpus: &str| run_name(settings, corpus).unwrap().to_string();
        let first = name(&settings, "6f1e");
        assert!(first.starts_with("study-npt-local-partial_0.3+p-unmixed-seed1-"), "{first}");
        assert_eq!(first, name(&Settings { chunk: Some(8), ..settings.clone() }, "6f1e"));
        assert_ne!(first, name(&settings, "7f1e"));
        assert_ne!(first, name(&Settings { seed: 2, ..settings.clone() }, "6f1e"));
        assert_ne!(first, name(&Settings { epochs: 2, ..settings.clone() }, "6f1e"));
        assert_ne!(first, name(&Settings { rate: 0.1, ..settings }, "6f1e"));
    }
}
