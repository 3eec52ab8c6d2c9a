//! Running an evaluation: scores to ranks, decoders to predictions, predictions to metrics.

use strum::IntoEnumIterator;

use super::{Evaluation, EvaluationInfo, GlobalSummary, Outcome, VERSION, Verdict, score_map::Tally};
use crate::base::task::{Cancelled, Task};
use crate::{
    corpus::{
        split::{Part, Scheme, Split},
        store::{Store, StoreError},
    },
    matching::{
        assignment::{AssignmentError, certificate::CertificateError},
        baseline::{BaselineMethod, Document, DocumentError, Documents, Input},
        decoders::{
            DecodeError, Decoder, csls, global, global::Global, neighbors::ColumnNeighbors, sinkhorn,
        },
        metrics::{Contention, Distribution, LengthBucket, Metrics, measure_groups},
        ranking::{self, Ranking, RankingError},
        scores::ScoreSource,
    },
    symbols::{ReplaceMode, Replacer},
};

/// How scores are decoded.
#[derive(Clone, Debug)]
pub struct EvaluationOptions {
    /// Local decoding is always done.
    pub decoders: Vec<Decoder>,
    /// The number of proofs kept per statement, for rank files and for decoding under the constraint.
    pub k: usize,
    pub sinkhorn: sinkhorn::SinkhornSettings,
    /// The number of most contested proofs in the result.
    pub most_contested: usize,
}

impl Default for EvaluationOptions {
    fn default() -> EvaluationOptions {
        let decoders = Decoder::iter().collect();
        EvaluationOptions {
            decoders,
            k: 500,
            sinkhorn: sinkhorn::SinkhornSettings::default(),
            most_contested: 50,
        }
    }
}

/// A request to evaluate a baseline.
pub struct BaselineRequest<'a> {
    pub method: BaselineMethod,
    pub scheme: Scheme,
    /// None for the split that the corpus comes with.
    pub split_seed: Option<u64>,
    pub part: Part,
    pub replacer: &'a Replacer,
    pub input: Input,
    pub options: EvaluationOptions,
}

/// An evaluation and what it was made from, for rank files and explanations.
#[derive(Debug)]
pub struct Evaluated {
    pub evaluation: Evaluation,
    pub ranking: Ranking,
    pub global: Option<Global>,
}

/// Why an evaluation failed.
#[derive(Debug, thiserror::Error)]
pub enum EvaluationError {
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error("the reference program reads symbols literally; leave out --symbols or --compat reference")]
    ReferenceSymbols,
    #[error("the {part} part of the {scheme} split of {corpus} is empty; nothing can be evaluated")]
    Empty { part: Part, scheme: Scheme, corpus: String },
    #[error(
        "cannot match: the score of statement {statement} and proof {proof} is {value}, not a finite number"
    )]
    NotFinite { statement: String, proof: String, value: f64 },
    #[error(transparent)]
    Decode(DecodeError),
    #[error(transparent)]
    Cancelled(#[from] Cancelled),
}

/// Evaluates a baseline on a part of a corpus.
pub fn evaluate_baseline(
    store: &Store,
    request: &BaselineRequest<'_>,
    task: &Task<'_>,
) -> Result<Evaluated, EvaluationError> {
    let split = store.split(request.scheme, request.split_seed)?;
    let BaselineMethod { baseline, symbols } = request.method;
    let mode = request.replacer.mode;
    if mode == ReplaceMode::Reference && !symbols.is_literal() {
        return Err(EvaluationError::ReferenceSymbols);
    }
    let part = (&split, request.part);
    let reading = (baseline.tokens(mode), symbols);
    let documents =
        Documents::read(store, part, request.replacer, reading, request.input, task).map_err(|error| {
            match error {
                DocumentError::Store(error) => EvaluationError::Store(error),
                DocumentError::Cancelled(cancelled) => EvaluationError::Cancelled(cancelled),
            }
        })?;
    if documents.about.is_empty() {
        let corpus = store.name();
        return Err(EvaluationError::Empty { part: request.part, scheme: request.scheme, corpus });
    }
    let about = request.about(store, &split);
    let scores = baseline.scores(&documents);
    evaluate_scores(&scores, &documents.about, about, &request.options, task)
}

impl BaselineRequest<'_> {
    /// What will be evaluated, which identifies a saved evaluation. The split is the request's.
    pub fn about(&self, store: &Store, split: &Split) -> EvaluationInfo {
        EvaluationInfo {
            method: self.method.to_string(),
            corpus: store.name(),
            fingerprint: store.fingerprint().to_string(),
            split: self.scheme.name().to_owned(),
            split_seed: split.seed,
            part: self.part.name().to_owned(),
            level: self.replacer.setting.to_string(),
            seed: self.replacer.seed.0,
            input: self.input.name().to_owned(),
            symbols: self.method.symbols.to_string(),
            compat: (self.replacer.mode == ReplaceMode::Reference).then(|| "reference".to_owned()),
            k: self.options.k,
        }
    }
}

/// Evaluates any scores whose gold proofs are on the diagonal: statement i belongs to proof i.
pub fn evaluate_scores(
    source: &dyn ScoreSource,
    documents: &[Document],
    about: EvaluationInfo,
    options: &EvaluationOptions,
    task: &Task<'_>,
) -> Result<Evaluated, EvaluationError> {
    let named = |error: DecodeError| named(error, documents);
    let gold: Vec<u32> = (0..source.rows() as u32).collect();
    let wants = |decoder| options.decoders.contains(&decoder);
    let categories: Vec<&str> = documents.iter().map(|document| document.category.as_str()).collect();
    let tally = Tally::new(&categories);
    let neighbors = wants(Decoder::Csls).then(|| ColumnNeighbors::new(source.columns()));
    let see = |statement: usize, scores: &[f32]| {
        tally.add(statement, scores);
        neighbors.iter().for_each(|neighbors| neighbors.add(statement, scores));
    };
    let ranking = ranking::rank_with(source, &gold, options.k, task, "ranking", &see)
        .map_err(|error| named(error.into()))?;
    let score_map = (!documents.is_empty()).then(|| tally.finish());
    let global = match wants(Decoder::Global) {
        true => Some(global::solve(source, options.k, task).map_err(named)?),
        false => None,
    };
    let ranks =
        |ranking: Ranking| ranking.gold_ranks.iter().map(|gold_rank| gold_rank.rank).collect::<Vec<u32>>();
    let lists = &ranking.shortlists;
    let pruned = global.as_ref().filter(|global| global.kept == lists.keep).map(|global| &global.graph);
    let balanced = match wants(Decoder::Sinkhorn) {
        true => Some(
            sinkhorn::rank(source, &gold, lists, pruned, 0, &options.sinkhorn, task)
                .map(ranks)
                .map_err(named)?,
        ),
        false => None,
    };
    let scaled = match neighbors {
        Some(neighbors) => {
            let ranking = csls::rank(source, &gold, lists, neighbors, 0, task);
            Some(ranking.map(ranks).map_err(|error| named(error.into()))?)
        }
        None => None,
    };
    let answers = Answers { ranking: &ranking, global: global.as_ref(), balanced, scaled };
    let mut evaluation = answers.evaluation(source.columns(), documents, about, options);
    evaluation.score_map = score_map;
    Ok(Evaluated { evaluation, ranking, global })
}

struct Answers<'a> {
    ranking: &'a Ranking,
    global: Option<&'a Global>,
    balanced: Option<Vec<u32>>,
    scaled: Option<Vec<u32>>,
}

impl Answers<'_> {
    fn evaluation(
        &self,
        proofs: usize,
        documents: &[Document],
        about: EvaluationInfo,
        options: &EvaluationOptions,
    ) -> Evaluation {
        let gold_ranks = &self.ranking.gold_ranks;
        let choices = || gold_ranks.iter().map(|gold_rank| gold_rank.choice);
        let of_ranks = |ranks: Vec<u32>| Metrics::of_ranks(ranks).among(proofs);
        let mut decoders = vec![];
        let local: Vec<u32> = gold_ranks.iter().map(|gold_rank| gold_rank.rank).collect();
        decoders.push(outcome(Decoder::Local, &local, documents, of_ranks));
        if let Some(global) = self.global {
            let assigned = &global.assignment.column_of_row;
            let is_right: Vec<bool> = gold_ranks
                .iter()
                .zip(assigned)
                .map(|(one, given)| *given == Some(one.gold as usize))
                .collect();
            decoders.push(outcome(Decoder::Global, &is_right, documents, Metrics::of_answers));
        }
        for (decoder, ranks) in [(Decoder::Sinkhorn, &self.balanced), (Decoder::Csls, &self.scaled)] {
            if let Some(ranks) = ranks {
                decoders.push(outcome(decoder, ranks, documents, of_ranks));
            }
        }
        Evaluation {
            version: VERSION,
            about,
            decoders,
            distribution: Distribution::of(proofs, choices()),
            most_contested: Contention::of(proofs, choices()).most_contested(options.most_contested),
            global: self.global.map(|global| GlobalSummary {
                value: global.assignment.value,
                kept: global.kept,
                widened: global.widened,
                gap: global.gap,
            }),
            score_map: None,
            contamination: None,
            verdicts: (0..gold_ranks.len()).map(|statement| self.verdict(statement, documents)).collect(),
        }
    }

    fn verdict(&self, statement: usize, documents: &[Document]) -> Verdict {
        let gold_rank = self.ranking.gold_ranks[statement];
        let document = documents.get(statement);
        let given = self.global.and_then(|global| {
            let column = global.assignment.column_of_row[statement]?;
            Some((column as u32, global.graph.at(statement, column)? as f32))
        });
        Verdict {
            pair: document.map(|document| document.id.to_string()).unwrap_or_default(),
            row: document.map_or(statement as u32, |document| document.row),
            category: document.map(|document| document.category.clone()).unwrap_or_default(),
            gold: gold_rank.gold,
            gold_score: gold_rank.gold_score,
            rank: gold_rank.rank,
            local: gold_rank.choice,
            local_score: gold_rank.choice_score,
            margin: gold_rank.margin,
            global: given.map(|(column, _)| column),
            global_score: given.map(|(_, score)| score),
            sinkhorn_rank: self.balanced.as_ref().map(|ranks| ranks[statement]),
            csls_rank: self.scaled.as_ref().map(|ranks| ranks[statement]),
        }
    }
}

fn outcome<T: Copy>(
    decoder: Decoder,
    answers: &[T],
    documents: &[Document],
    measure: impl Fn(Vec<T>) -> Metrics,
) -> Outcome {
    let described = || documents.iter().zip(answers.iter().copied());
    let categories =
        measure_groups(described().map(|(document, answer)| (document.category.clone(), answer)), &measure);
    let lengths = measure_groups(
        described().map(|(document, answer)| (LengthBucket::of(document.proof_tokens), answer)),
        &measure,
    );
    Outcome {
        decoder,
        metrics: measure(answers.to_vec()),
        categories,
        lengths: lengths.into_iter().map(|(bucket, metrics)| (bucket.name(), metrics)).collect(),
    }
}

/// Adds the names of statement and proof to the error about a score.
fn named(error: DecodeError, documents: &[Document]) -> EvaluationError {
    let name = |index: usize| {
        documents.get(index).map_or_else(|| index.to_string(), |document| document.id.to_string())
    };
    match error {
        DecodeError::Ranking(RankingError::NotFinite { row, column, value }) => {
            EvaluationError::NotFinite { statement: name(row), proof: name(column), value: value.into() }
        }
        DecodeError::Assignment(AssignmentError::NotFinite { row, column, value }) => {
            EvaluationError::NotFinite { statement: name(row), proof: name(column), value }
        }
        DecodeError::Ranking(RankingError::Cancelled(cancelled))
        | DecodeError::Assignment(AssignmentError::Cancelled(cancelled))
        | DecodeError::Certificate(CertificateError::Scores(AssignmentError::Cancelled(cancelled))) => {
            EvaluationError::Cancelled(cancelled)
        }
        other => EvaluationError::Decode(other),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::matching::scores::Matrix;

    fn evaluate(rows: &[Vec<f32>]) -> Result<Evaluated, EvaluationError> {
        let options = EvaluationOptions { k: 3, ..EvaluationOptions::default() };
        evaluate_scores(&Matrix::new(rows), &[], EvaluationInfo::default(), &options, &Task::unobserved())
    }

    #[test]
    fn what_local_decoding_breaks_global_decoding_mends() {
        let evaluation = evaluate(&[vec![0.9, 0.8], vec![0.95, 0.9]]).unwrap().evaluation;
        let accuracy =
            |decoder| evaluation.outcome(decoder).map(|outcome: &Outcome| outcome.metrics.accuracy).unwrap();
        assert_eq!((accuracy(Decoder::Local), accuracy(Decoder::Global)), (0.5, 1.0));
        assert_eq!(evaluation.most_contested[0].statements, [0, 1]);
        let verdict = &evaluation.verdicts[1];
        assert!(verdict.is_found_globally() && !verdict.is_found_locally());
        assert!((verdict.regret().unwrap() - 0.05).abs() < 1e-6 && verdict.margin < 0.0);
        assert_eq!(evaluation.global.map(|note| (note.widened, note.gap)), Some((0, 0.0)));
    }

    #[test]
    fn a_score_that_is_no_number_is_an_error_that_names_the_pair() {
        let error = evaluate(&[vec![0.9, 0.8], vec![0.95, f32::NAN]]).unwrap_err();
        assert_eq!(
            error.to_string(),
            "cannot match: the score of statement 1 and proof 1 is NaN, not a finite number"
        );
    }
}
