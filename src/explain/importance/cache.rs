//! Explainers kept in memory, so that only the first question about a part reads and encodes its proofs.

use std::sync::{Arc, Mutex};

use super::{candidates::CandidateSet, error::ImportanceError, explainer::Explainer, word_model::WordModel};
use crate::{
    corpus::{
        split::{Part, Scheme},
        store::Store,
    },
    symbols::{Replacer, Seed, Setting},
};

/// Number of proofs that a pair is ranked among, unless the user chooses another.
pub const DEFAULT_CANDIDATES: usize = 1_000;
/// Number of explainers kept.
const CAPACITY: usize = 8;

/// Which proofs of a corpus are candidates.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CandidateRequest {
    pub scheme: Scheme,
    pub split_seed: Option<u64>,
    pub part: Part,
    pub limit: usize,
}

/// Explainers of one corpus, the most recently made first.
#[derive(Default)]
pub struct ExplainerCache {
    explainers: Mutex<Vec<(Key, Arc<Explainer>)>>,
}

#[derive(Clone, PartialEq)]
struct Key {
    model: String,
    digest: String,
    candidates: CandidateKey,
}

#[derive(Clone, PartialEq)]
struct CandidateKey(CandidateRequest, Setting, Seed);

impl ExplainerCache {
    /// Returns the explainer for a model and candidates, with its candidates encoded.
    pub fn get(
        &self,
        store: &Store,
        model: &Arc<WordModel>,
        replacer: &Replacer,
        request: CandidateRequest,
    ) -> Result<Arc<Explainer>, ImportanceError> {
        let candidates = CandidateKey(request, replacer.setting, replacer.seed);
        let key = Key { model: model.name.clone(), digest: model.digest.clone(), candidates };
        let (known, candidates) = match self.explainers.lock() {
            Ok(all) => {
                let known = all.iter().find(|(of, _)| *of == key).map(|(_, known)| Arc::clone(known));
                // Another model may have read the same proofs.
                let alike = all.iter().find(|(of, _)| of.candidates == key.candidates);
                (known, alike.map(|(_, alike)| Arc::clone(&alike.candidates)))
            }
            Err(_) => (None, None),
        };
        if let Some(known) = known {
            return Ok(known);
        }
        let candidates = match candidates {
            Some(candidates) => candidates,
            None => {
                let split = store.split(request.scheme, request.split_seed)?;
                Arc::new(CandidateSet::read(store, &split, request.part, replacer, request.limit)?)
            }
        };
        let explainer = Arc::new(Explainer::new(Arc::clone(model), candidates)?.aware_of(store)?);
        if let Ok(mut all) = self.explainers.lock() {
            // The weights that a run had earlier are not asked for again.
            all.retain(|(of, _)| of.model != key.model || of.digest == key.digest);
            all.insert(0, (key, Arc::clone(&explainer)));
            all.truncate(CAPACITY);
        }
        Ok(explainer)
    }
}
