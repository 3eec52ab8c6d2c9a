//! The audit of a whole corpus, on all cores.

use rayon::prelude::*;

use super::{Audit, Replacer};
use crate::corpus::{
    Pair,
    store::{Store, StoreError},
};

/// Pairs per batch; a batch is replaced in parallel and then dropped.
const BATCH: usize = 2_048;

/// Replaces the symbols of every pair and counts the results.
pub fn corpus_audit(store: &Store, replacer: &Replacer) -> Result<Audit, StoreError> {
    let mut audit = Audit::new(replacer.setting);
    let mut batch: Vec<(Vec<String>, Pair)> = Vec::with_capacity(BATCH);
    store.for_each_pair(None, |_, article, pair| {
        batch.push((article.categories.clone(), pair.clone()));
        if batch.len() == BATCH {
            audit.add(audit_batch(&batch, replacer));
            batch.clear();
        }
        Ok::<(), StoreError>(())
    })?;
    audit.add(audit_batch(&batch, replacer));
    Ok(audit)
}

fn audit_batch(batch: &[(Vec<String>, Pair)], replacer: &Replacer) -> Audit {
    batch
        .par_iter()
        .fold(
            || Audit::new(replacer.setting),
            |mut audit, (categories, pair)| {
                let prepared = replacer.prepare(pair);
                let replacement = replacer.replace(&prepared, categories);
                audit.observe(categories.first().map_or("", String::as_str), &prepared, &replacement);
                audit
            },
        )
        .reduce(|| Audit::new(replacer.setting), Audit::merge)
}
