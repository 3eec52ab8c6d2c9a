//! Matching as a [`Task`]: batches of pairs, alternating objectives, evaluation on another part of the split.

use std::num::NonZeroUsize;

use super::{
    batch::{Side, TokenDropout, pack},
    checkpoint::TrainState,
    compute::{Compute, StepPlanSettings, memory_notice},
    error::TrainError,
    evaluation::{MatchScore, assign, match_score},
    observer::{StepObjective, StepReport},
    optimizer::LearningRates,
    settings::{Compat, ObjectiveKind, TrainSettings},
    trainer::encode_side,
    training_loop::Task,
};
use crate::{
    base::task::CancelToken,
    corpus::{
        split::{Part, Split},
        store::Store,
    },
    model::tokenizer::{BatchSampler, EpochOrder, PartView, TokenizedPairs, Tokenizer},
    model::{Gradients, Mode, Objective, Packed, Weights},
    symbols::{Protected, Replacer},
};

/// The state of training a matching model, except for the weights.
pub(super) struct Pairs<'a> {
    pub settings: TrainSettings,
    pub corpus: Corpus<'a>,
    pub compute: Compute,
    pub tokenizer: Tokenizer,
    pub training: TokenizedPairs,
    /// The epoch that the names in the training documents belong to.
    pub names_epoch: u64,
    /// `None` if nothing is ever evaluated.
    pub evaluated: Option<TokenizedPairs>,
    pub gradients: Gradients,
    /// The alternating objectives of the current epoch, each with its order of the pairs.
    pub round: Vec<(StepObjective, EpochOrder)>,
}

/// The source of the documents.
pub(super) struct Corpus<'a> {
    store: &'a Store,
    split: Split,
    protected: Protected,
    /// Reading fails once it is cancelled.
    cancel: CancelToken,
}

impl Task for Pairs<'_> {
    type Score = MatchScore;

    fn prepare_epoch(&mut self, epoch: u64) -> Result<u64, TrainError> {
        self.take_names_of(epoch)?;
        let batches = self.batches();
        let round = self.settings.objective.round(self.settings.compat == Compat::Reference);
        self.round = round.iter().map(|each| (*each, batches.epoch(each.name(), epoch))).collect();
        Ok((batches.count() * round.len()) as u64)
    }

    fn step(&mut self, state: &mut TrainState, total_steps: u64) -> Result<StepReport, TrainError> {
        let position = state.progress.position as usize;
        let (objective, order) = &self.round[position % self.round.len()];
        let (objective, pairs) = (*objective, order.batch(position / self.round.len()));
        let TrainSettings { seed, leave_out, .. } = self.settings;
        let dropout = TokenDropout { share: leave_out, seed, step: state.progress.step };
        let batch = pack(&self.training, &pairs, dropout);
        let minimised = match objective {
            StepObjective::Local | StepObjective::Masked => Objective::Local,
            StepObjective::Symmetric => Objective::Symmetric,
            StepObjective::Global => Objective::Global(&assign),
        };
        let step_seed = self.settings.seed.rotate_left(32) ^ state.progress.step;
        let mode = Mode::Train { step_seed };
        let lr = self.settings.lr_at(state.progress.epoch, state.progress.step);
        let rates = LearningRates { base: lr, words: self.settings.word_lr, score: self.settings.score_lr };
        let made = self.step_on_device(state, &batch, minimised, mode, rates)?;
        let made = match made {
            Some(made) => made,
            None => self.step_on_host(state, &batch, minimised, mode, rates)?,
        };
        let progress = &mut state.progress;
        if let Some((what, value)) = made.problem {
            let (step, epoch) = (progress.step + 1, progress.epoch);
            return Err(TrainError::NotFinite { step, epoch, what, value, batch: self.names(&pairs) });
        }
        progress.step += 1;
        Ok(StepReport {
            step: progress.step,
            epoch: progress.epoch,
            total_steps,
            objective,
            loss: made.loss,
            batch_accuracy: made.accuracy,
            lr,
            gradient_norm: made.norm,
            pairs: pairs.len(),
            tokens: batch.tokens().len(),
            skipped: made.skipped,
            notice: made.notice,
        })
    }

    fn synchronize(&mut self, state: &mut TrainState) -> Result<(), TrainError> {
        Ok(self.compute.synchronize(state)?)
    }

    fn evaluate(&mut self, weights: &Weights) -> Result<Option<MatchScore>, TrainError> {
        let Some(documents) = &self.evaluated else { return Ok(None) };
        let encoder = self.compute.encoder(weights)?;
        let statements = encode_side(&encoder, weights, documents, Side::Statements)?;
        let proofs = encode_side(&encoder, weights, documents, Side::Proofs)?;
        drop(encoder);
        let global = self.settings.objective == ObjectiveKind::Hybrid;
        let score = match_score(weights, &statements, &proofs, global);
        score.map(Some).map_err(TrainError::Evaluation)
    }

    fn tokenizer(&self) -> &Tokenizer {
        &self.tokenizer
    }
}

/// The result of a step, on the host or on a device.
struct StepMade {
    loss: f32,
    accuracy: f32,
    norm: f32,
    skipped: bool,
    /// A value that is not finite. The weights are as they were.
    problem: Option<(&'static str, f32)>,
    notice: Option<String>,
}

impl Pairs<'_> {
    /// Makes a step where the weights are on a device.
    fn step_on_device(
        &mut self,
        state: &mut TrainState,
        batch: &Packed,
        objective: Objective,
        mode: Mode,
        rates: LearningRates,
    ) -> Result<Option<StepMade>, TrainError> {
        let settings = StepPlanSettings {
            frozen: self.settings.freeze,
            clip: self.settings.clip,
            skips_flat: self.settings.compat == Compat::None,
            chunk: self.settings.chunk,
        };
        let Some(resident) = self.compute.resident(state)? else { return Ok(None) };
        let plan = state.optimizer.step_plan(rates, settings);
        let report = resident.step(batch, objective, mode, &plan)?;
        let skipped = report.is_flat && settings.skips_flat;
        let broken = if report.broken > 0 { f32::NAN } else { 0.0 };
        let problem = not_finite(report.loss, broken, report.norm);
        if !skipped && problem.is_none() {
            self.compute.stepped(&mut state.optimizer, rates);
        }
        Ok(Some(StepMade {
            loss: report.loss,
            accuracy: report.accuracy,
            norm: report.norm,
            skipped,
            problem,
            notice: memory_notice(&report),
        }))
    }

    /// Makes a step where weights and optimizer are on the host.
    fn step_on_host(
        &mut self,
        state: &mut TrainState,
        batch: &Packed,
        objective: Objective,
        mode: Mode,
        rates: LearningRates,
    ) -> Result<StepMade, TrainError> {
        let TrainState { weights, optimizer, .. } = state;
        optimizer.prepare(weights, batch.tokens());
        self.gradients.clear();
        let chunk = self.settings.chunk.and_then(NonZeroUsize::new);
        let engine = &mut self.compute.engine;
        let loss = engine.step(weights, batch, objective, mode, chunk, &mut self.gradients)?;
        let norm = self.gradients.norm();
        let score = loss.scores.values.iter().copied().find(|score| !score.is_finite()).unwrap_or_default();
        let skipped = loss.flat && self.settings.compat == Compat::None;
        let problem = not_finite(loss.value, score, norm);
        if problem.is_none() {
            if let Some(clip) = self.settings.clip.filter(|clip| norm > *clip) {
                self.gradients.scale(clip / norm);
            }
            if !skipped {
                let Gradients { dense, words, .. } = &self.gradients;
                optimizer.apply(weights, dense, words.iter(), rates);
            }
        }
        let accuracy = loss.scores.accuracy();
        Ok(StepMade { loss: loss.value, accuracy, norm, skipped, problem, notice: None })
    }

    fn batches(&self) -> BatchSampler {
        BatchSampler {
            pairs: self.training.len(),
            size: self.settings.batch,
            seed: self.settings.seed,
            sampling: self.settings.sampling(),
            neighbors: self.settings.neighbors,
        }
    }

    fn take_names_of(&mut self, epoch: u64) -> Result<(), TrainError> {
        let changes = self.settings.fresh_names || self.settings.rename > 0.0;
        if changes && self.names_epoch != epoch {
            self.training = self.corpus.training(&self.settings, &self.tokenizer, epoch)?;
            self.names_epoch = epoch;
        }
        Ok(())
    }

    /// Lists the pairs of a batch for an error message.
    fn names(&self, pairs: &[u32]) -> String {
        let names: Vec<String> =
            pairs.iter().map(|&pair| self.training.id(pair as usize).to_string()).collect();
        names.join(" ")
    }
}

impl<'a> Corpus<'a> {
    pub fn read(
        store: &'a Store,
        settings: &TrainSettings,
        cancel: &CancelToken,
    ) -> Result<Corpus<'a>, TrainError> {
        settings.check()?;
        let split = store.split(settings.split, settings.split_seed)?;
        Ok(Corpus { store, split, protected: settings.protected()?, cancel: cancel.clone() })
    }

    pub fn ignore_cancellation(&mut self) {
        self.cancel = CancelToken::new();
    }

    fn replacer(&self, settings: &TrainSettings, epoch: u64) -> Result<Replacer, TrainError> {
        Ok(settings.replacer(&self.protected, epoch).in_corpus(self.store)?)
    }

    /// Returns the closed vocabulary of the training part.
    pub fn words(&self, settings: &TrainSettings) -> Result<Tokenizer, TrainError> {
        let replacer = self.replacer(settings, 0)?;
        let (store, split) = (self.store, &self.split);
        let reading = PartView {
            store,
            split,
            part: Part::Train,
            replacer: &replacer,
            symbols: settings.symbols,
            cancel: &self.cancel,
        };
        Ok(Tokenizer::Vocabulary(reading.vocabulary()?))
    }

    /// Returns the features of the training part.
    pub fn features(&self, settings: &TrainSettings) -> Result<Tokenizer, TrainError> {
        let replacer = self.replacer(settings, 0)?;
        let (store, split, symbols) = (self.store, &self.split, settings.symbols);
        let cancel = &self.cancel;
        let reading = PartView { store, split, part: Part::Train, replacer: &replacer, symbols, cancel };
        let set = settings.shape.feature_set(symbols);
        Ok(Tokenizer::Features(reading.features(set, settings.shape.unseen, settings.shape.features)?))
    }

    /// Tokenizes the training part with the names of an epoch.
    pub fn training(
        &self,
        settings: &TrainSettings,
        tokenizer: &Tokenizer,
        epoch: u64,
    ) -> Result<TokenizedPairs, TrainError> {
        let replacer = &self.replacer(settings, epoch)?;
        let reading = PartView {
            store: self.store,
            split: &self.split,
            part: Part::Train,
            replacer,
            symbols: settings.symbols,
            cancel: &self.cancel,
        };
        let (input, longest) = (settings.input, settings.shape.longest);
        Ok(reading.changed_documents(tokenizer, input, longest, |pair| settings.renamed(pair, epoch))?)
    }

    /// Tokenizes the part that is evaluated on.
    pub fn evaluated(
        &self,
        settings: &TrainSettings,
        tokenizer: &Tokenizer,
    ) -> Result<TokenizedPairs, TrainError> {
        let (part, replacer) = (settings.evaluate_on, &self.replacer(settings, 0)?);
        let reading = PartView {
            store: self.store,
            split: &self.split,
            part,
            replacer,
            symbols: settings.symbols,
            cancel: &self.cancel,
        };
        Ok(reading.documents(tokenizer, settings.input, settings.shape.longest)?)
    }
}

/// The first of these values that is not finite. The assignment of scores that are not finite is arbitrary, so the loss
/// alone could look fine.
fn not_finite(loss: f32, score: f32, norm: f32) -> Option<(&'static str, f32)> {
    let values = [("loss", loss), ("score of a pair", score), ("norm of the gradient", norm)];
    values.into_iter().find(|(_, value)| !value.is_finite())
}
