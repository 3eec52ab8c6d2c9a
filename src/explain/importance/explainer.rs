//! A model with encoded candidates: ranks a pair's proof among them, and explains the score.

use std::sync::Arc;

use serde::Serialize;

use super::{
    candidates::CandidateSet, corpus_pair::CorpusPair, error::ImportanceError, word_model::WordModel,
};
use crate::{
    corpus::{
        split::{Part, Split},
        store::Store,
    },
    explain::{
        ExplainMethod, ExplainProgress, ExplainSettings, ExplainTask, Explanation, PiecePair, Stability,
        explain,
    },
    model::{ModelError, Vectors},
};

/// A model and a candidate set, whose proofs are encoded once.
pub struct Explainer {
    model: Arc<WordModel>,
    pub(super) candidates: Arc<CandidateSet>,
    vectors: Vectors,
    /// The split of the corpus that the model was trained on.
    trained: Option<Split>,
}

/// What to explain about a pair.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct ExplainRequest {
    pub settings: ExplainSettings,
    /// Number of seeds that a random explanation is repeated over, starting with its own.
    pub seeds: usize,
    /// Number of other proofs in the softmax that defines the probability of a match.
    pub references: usize,
    /// Also explain the wrong proof with the highest score.
    pub rival: bool,
}

/// The paper trains in batches of 60: one right proof and 59 others.
const REFERENCES: usize = 59;

impl Default for ExplainRequest {
    fn default() -> ExplainRequest {
        ExplainRequest {
            settings: ExplainSettings::default(),
            seeds: 1,
            references: REFERENCES,
            rival: false,
        }
    }
}

impl ExplainRequest {
    /// The seeds, that of the settings first; empty for a deterministic method.
    fn seeds(&self) -> Vec<u64> {
        match self.settings.method {
            ExplainMethod::Lime(lime) => {
                (0..self.seeds.max(1) as u64).map(|number| lime.seed.wrapping_add(number)).collect()
            }
            _ => Vec::new(),
        }
    }
}

/// The score of a pair's own proof and its rank among the candidates.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PairRanking {
    /// The model's score. Only differences between scores of the same statement are meaningful.
    pub score: f64,
    /// 1 is the model's first choice; ties count against the pair.
    pub rank: usize,
    /// Number of proofs to choose from, including the own one.
    #[serde(rename = "among")]
    pub candidates: usize,
    /// The wrong proof with the highest score.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rival: Option<Rival>,
}

impl PairRanking {
    /// Score difference to the best wrong proof; negative if that one is preferred.
    pub fn lead(&self) -> f64 {
        self.rival.as_ref().map_or(0.0, |rival| self.score - rival.score)
    }
}

/// A wrong proof.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Rival {
    /// The name of the pair that the proof belongs to.
    pub pair: String,
    pub row: u32,
    pub score: f64,
}

/// How one model ranks a pair, and why.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ModelExplanation {
    pub model: String,
    pub pair: PiecePair,
    /// Whether the model was trained on the pair, as far as that is known from the corpus.
    pub trained_on_pair: bool,
    #[serde(rename = "standing")]
    pub ranking: PairRanking,
    /// The explanation, with its variation over seeds.
    pub stability: Stability,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rival: Option<RivalExplanation>,
}

/// Explanation of the score of a wrong proof.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RivalExplanation {
    pub pair: PiecePair,
    pub explanation: Explanation,
}

impl Explainer {
    /// Encodes the candidates.
    pub fn new(model: Arc<WordModel>, candidates: Arc<CandidateSet>) -> Result<Explainer, ImportanceError> {
        let proofs: Vec<&[_]> =
            candidates.candidates().iter().map(|candidate| &candidate.proof[..]).collect();
        let vectors = model.scorer().vectors(&proofs).map_err(|source| model_error(&model, source))?;
        Ok(Explainer { model, candidates, vectors, trained: None })
    }

    /// Recognizes the pairs of a corpus that the model was trained on.
    pub fn aware_of(self, store: &Store) -> Result<Explainer, ImportanceError> {
        Ok(Explainer { trained: self.model.own_split(store)?, ..self })
    }

    /// Ranks the proof of a pair, whose texts may have been edited.
    pub fn rank(&self, pair: &CorpusPair) -> Result<PairRanking, ImportanceError> {
        let (own, others) = self
            .model
            .scorer()
            .scores(&pair.pair.statement, &pair.pair.proof, &self.vectors)
            .map_err(|source| model_error(&self.model, source))?;
        let others = self.candidates.candidates().iter().zip(others);
        let (mut rank, mut candidates, mut rival) = (1, 1, None::<Rival>);
        for (candidate, score) in others.filter(|(candidate, _)| candidate.row != pair.row) {
            candidates += 1;
            // False when a score is not a number.
            rank += usize::from(score >= own);
            if rival.as_ref().is_none_or(|rival| score > rival.score) {
                rival = Some(Rival { pair: candidate.name.clone(), row: candidate.row, score });
            }
        }
        Ok(PairRanking { score: own, rank, candidates, rival })
    }

    /// Explains a pair. Progress counts the variants of all seeds and of the rival.
    pub fn explain(
        &self,
        pair: &CorpusPair,
        request: &ExplainRequest,
        task: &ExplainTask<'_>,
    ) -> Result<ModelExplanation, ImportanceError> {
        let first = self.explain_first_seed(pair, request, task)?;
        self.add_other_seeds(pair, request, first, task)
    }

    /// The first part of [`Explainer::explain`]: one seed and the rival. With several models, this of each model can be
    /// shown before the other seeds are computed.
    pub fn explain_first_seed(
        &self,
        pair: &CorpusPair,
        request: &ExplainRequest,
        task: &ExplainTask<'_>,
    ) -> Result<ModelExplanation, ImportanceError> {
        let ranking = self.rank(pair)?;
        let rival = ranking.rival.as_ref().filter(|_| request.rival);
        let rounds = Rounds { total: request.seeds().len().max(1) + usize::from(rival.is_some()) };
        let references = self.references(pair.row, None, request.references);
        let scorer = self.model.scorer().against_vectors(references);
        let first = |progress| task.report(rounds.overall(0, progress));
        let first = explain(&pair.pair, &scorer, &request.settings, &task.part(&first))?;
        let rival = match rival {
            Some(rival) => {
                let second =
                    |progress| task.report(ExplainProgress { partial: None, ..rounds.overall(1, progress) });
                Some(self.explain_rival(pair, rival.row, request, &task.part(&second))?)
            }
            None => None,
        };
        let seeds = request.seeds().into_iter().take(1).collect();
        let part = self.trained.as_ref().and_then(|split| split.part(pair.row));
        let trained_on_pair = pair.has_own_statement && part == Some(Part::Train);
        let (model, pair) = (self.model.name.clone(), pair.pair.clone());
        let stability = Stability::of(first, &[], seeds);
        Ok(ModelExplanation { model, pair, trained_on_pair, ranking, stability, rival })
    }

    /// The second part of [`Explainer::explain`]: the same explanation with the other seeds.
    pub fn add_other_seeds(
        &self,
        pair: &CorpusPair,
        request: &ExplainRequest,
        first: ModelExplanation,
        task: &ExplainTask<'_>,
    ) -> Result<ModelExplanation, ImportanceError> {
        let seeds = request.seeds();
        let before = 1 + usize::from(first.rival.is_some());
        let rounds = Rounds { total: seeds.len().saturating_sub(1) + before };
        let references = self.references(pair.row, None, request.references);
        let scorer = self.model.scorer().against_vectors(references);
        let mut others = Vec::new();
        for settings in seeds.iter().skip(1).filter_map(|&seed| request.settings.with_seed(seed)) {
            let done = before + others.len();
            let inner =
                |progress| task.report(ExplainProgress { partial: None, ..rounds.overall(done, progress) });
            others.push(explain(&pair.pair, &scorer, &settings, &task.part(&inner))?);
        }
        Ok(ModelExplanation { stability: Stability::of(first.stability.first, &others, seeds), ..first })
    }

    /// Explains the statement with the proof of another row, against the same references and the right proof.
    fn explain_rival(
        &self,
        pair: &CorpusPair,
        row: u32,
        request: &ExplainRequest,
        task: &ExplainTask<'_>,
    ) -> Result<RivalExplanation, ImportanceError> {
        let rival = self.candidates.candidates().iter().find(|candidate| candidate.row == row);
        let Some(rival) = rival else { return Err(ImportanceError::NoSuchPair(format!("of row {row}"))) };
        let own = self.model.scorer().vectors(&[&pair.pair.proof]);
        let own = own.map_err(|source| model_error(&self.model, source))?;
        let references = self.references(row, Some((pair.row, own)), request.references);
        let scorer = self.model.scorer().against_vectors(references);
        let name = format!("{} with the proof of {}", pair.pair.name, rival.name);
        let pair = pair.pair.with_proof(name, rival.proof.clone());
        let explanation = explain(&pair, &scorer, &request.settings, task)?;
        Ok(RivalExplanation { pair, explanation })
    }

    /// The vectors of the first `count` candidates that do not belong to `row`; `required` comes first if given.
    fn references(&self, row: u32, required: Option<(u32, Vectors)>, count: usize) -> Vectors {
        let mut references = Vectors::zeros(0, self.vectors.width);
        let mut left_out = vec![row];
        if let Some((row, vector)) = required {
            references.values.extend(&vector.values);
            left_out.push(row);
        }
        for (index, candidate) in self.candidates.candidates().iter().enumerate() {
            if references.len() >= count.max(1) {
                break;
            }
            if !left_out.contains(&candidate.row) {
                references.values.extend(self.vectors.row(index));
            }
        }
        references
    }
}

/// Several explanations of the same size, one after another.
#[derive(Clone, Copy)]
struct Rounds {
    total: usize,
}

impl Rounds {
    /// Progress over all rounds, from the progress of one after `before` others.
    fn overall(self, before: usize, progress: ExplainProgress) -> ExplainProgress {
        let (done, total) = (before * progress.total + progress.done, self.total * progress.total);
        ExplainProgress { done, total, ..progress }
    }
}

fn model_error(model: &WordModel, source: ModelError) -> ImportanceError {
    ImportanceError::Model { model: model.name.clone(), source }
}
