//! What binds a checkpoint to its run: a hash of everything in `run.toml` that the weights depend on.

use std::path::Path;

use serde::{Deserialize, Serialize};

use super::files;

/// A hash of the seed, the settings and the fingerprint of the corpus. Runs that differ in none of them have the same weights.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunSeal(String);

impl RunSeal {
    /// Reads a `run.toml` as it was written: a setting that gets another name or default in a later version must not
    /// separate a run from its checkpoints. `None` if there is no such file, or it is damaged.
    pub fn read(path: &Path) -> Option<RunSeal> {
        let table: toml::Table = files::read(path).ok()?.parse().ok()?;
        let fingerprint = table.get("corpus")?.get("fingerprint")?.as_str()?;
        let mut hasher = blake3::Hasher::new_derive_key("matchbook run of a checkpoint, format 1");
        // Tables are sorted by key, so the same settings give the same text.
        for part in [fingerprint, &table.get("seed")?.to_string(), &table.get("settings")?.to_string()] {
            hasher.update(&(part.len() as u64).to_le_bytes());
            hasher.update(part.as_bytes());
        }
        Some(RunSeal(hasher.finalize().to_hex().to_string()))
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn settings_seed_and_corpus_count_and_nothing_else() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("run.toml");
        let of = |text: &str| {
            fs::write(&path, text).unwrap();
            RunSeal::read(&path)
        };
        let text = "version = '1'\nseed = 1\n[corpus]\npath = 'a'\nfingerprint = 'f'\n[settings]\nlr = 0.1\nepochs = 3\n";
        let seal = of(text);
        assert!(seal.is_some());
        for same in [
            ("path = 'a'", "path = 'b'"),
            ("version = '1'", "version = '2'"),
            ("lr = 0.1\nepochs = 3", "epochs = 3\nlr = 0.1"),
        ] {
            assert_eq!(of(&text.replace(same.0, same.1)), seal, "{same:?}");
        }
        for other in [("'f'", "'g'"), ("seed = 1", "seed = 2"), ("epochs = 3", "epochs = 4")] {
            assert_ne!(of(&text.replace(other.0, other.1)), seal, "{other:?}");
        }
        assert_eq!(of("seed = 1"), None);
        fs::remove_file(&path).unwrap();
        assert_eq!(RunSeal::read(&path), None);
    }
}
