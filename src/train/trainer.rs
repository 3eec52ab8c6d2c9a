//! The loop.

use std::num::NonZeroUsize;

use super::{
    batch::{Side, Thinning, pack, pack_side},
    bert,
    checkpoint::{Checkpoint, CheckpointError, Restored},
    error::TrainError,
    evaluation::Matcher,
    observer::{EvaluationReport, Observer, StepObjective, StepReport, Wish},
    optimiser::{Optimiser, Rate},
    progress::{Best, Ending, Progress},
    settings::{Compat, Encoder, ObjectiveKind, Settings},
    start,
};
use crate::{
    corpus::{
        split::{Part, Split},
        store::Store,
    },
    model::{Engine, Gradients, Mode, ModelError, Objective, Scores, Vectors, Weights},
    symbols::Protected,
    text::{Batches, Documents, Epoch, Input, Reader, Reading, Reads},
};

/// A training run in memory.
pub struct Trainer<'a> {
    settings: Settings,
    corpus: Corpus<'a>,
    matcher: &'a dyn Matcher,
    engine: Engine,
    reader: Reader,
    /// What the folder that a BERT began with lacks, in words.
    notes: Vec<String>,
    training: Documents,
    /// The epoch whose names the training documents have.
    names_of: u64,
    /// Absent when nothing is ever evaluated.
    evaluated: Option<Documents>,
    weights: Weights,
    optimiser: Optimiser,
    gradients: Gradients,
    progress: Progress,
}

/// What documents are read from.
struct Corpus<'a> {
    store: &'a Store,
    split: Split,
    protected: Protected,
}

impl<'a> Trainer<'a> {
    /// A run that has not made a step.
    pub fn start(
        store: &'a Store,
        settings: Settings,
        matcher: &'a dyn Matcher,
    ) -> Result<Trainer<'a>, TrainError> {
        let corpus = Corpus::read(store, &settings)?;
        let mut notes = vec![];
        let (reader, training, weights) = match settings.encoder {
            Encoder::Npt => {
                let reader = corpus.words(&settings)?;
                let training = corpus.training(&settings, &reader, 0)?;
                let weights = start::weights(&settings, reader.len(), &training)?;
                (reader, training, weights)
            }
            Encoder::Scratchbert | Encoder::Mathbert => {
                let (reader, weights, found) = bert::start(&settings)?;
                notes = found;
                let training = corpus.training(&settings, &reader, 0)?;
                (reader, training, weights)
            }
        };
        let restored = Restored::fresh(&settings.optimizer, settings.rate, weights);
        let trainer = Trainer::assemble(settings, corpus, matcher, reader, training, restored)?;
        Ok(Trainer { notes, ..trainer })
    }

    /// A run that goes on from a checkpoint, of which `file` gives the files.
    pub fn resume(
        store: &'a Store,
        settings: Settings,
        matcher: &'a dyn Matcher,
        file: impl Fn(&str) -> Option<Vec<u8>>,
    ) -> Result<Trainer<'a>, TrainError> {
        let corpus = Corpus::read(store, &settings)?;
        let reader = match settings.encoder {
            Encoder::Npt => corpus.words(&settings)?,
            Encoder::Scratchbert | Encoder::Mathbert => {
                Reader::of_files(&file).map_err(CheckpointError::Reader)?
            }
        };
        let restored = Restored::read(&settings, reader.len(), file)?;
        let training = corpus.training(&settings, &reader, restored.progress.epoch)?;
        Trainer::assemble(settings, corpus, matcher, reader, training, restored)
    }

    fn assemble(
        settings: Settings,
        corpus: Corpus<'a>,
        matcher: &'a dyn Matcher,
        reader: Reader,
        training: Documents,
        Restored { weights, mut optimiser, progress }: Restored,
    ) -> Result<Trainer<'a>, TrainError> {
        let names_of = progress.epoch;
        let too_few = |part, found, needed, advice| TrainError::TooFew {
            part,
            scheme: settings.split,
            found,
            needed,
            advice,
        };
        if training.len() < 2 {
            return Err(too_few(Part::Train, training.len(), 2, "Give it a larger corpus"));
        }
        let mut evaluated = None;
        if settings.evaluate_every > 0 {
            let documents = corpus.evaluated(&settings, &reader)?;
            if documents.is_empty() {
                let advice = "Evaluate on another part (--evaluate-on train) or never (--evaluate-every 0)";
                return Err(too_few(settings.evaluate_on, 0, 1, advice));
            }
            evaluated = Some(documents);
        }
        let frozen_layers = settings.frozen_layers;
        optimiser.freeze(weights.layout().frozen(frozen_layers));
        let mut gradients = Gradients::new(&weights);
        gradients.frozen_layers = frozen_layers;
        Ok(Trainer {
            settings,
            corpus,
            matcher,
            engine: Engine::Native,
            reader,
            notes: vec![],
            training,
            names_of,
            evaluated,
            weights,
            optimiser,
            gradients,
            progress,
        })
    }

    /// Steps and evaluations are computed by `engine` from now on.
    pub fn compute_with(&mut self, engine: Engine) {
        self.engine = engine;
    }

    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// What the folder that a BERT began with lacks, in words.
    pub fn notes(&self) -> &[String] {
        &self.notes
    }

    /// What turns texts into numbers.
    pub fn reader(&self) -> &Reader {
        &self.reader
    }

    pub fn progress(&self) -> &Progress {
        &self.progress
    }

    /// How many pairs are trained on.
    pub fn pairs(&self) -> usize {
        self.training.len()
    }

    /// The model as it is now, ready for use.
    pub fn weights(&self) -> Weights {
        self.optimiser.weights(&self.weights, self.settings.compat == Compat::None)
    }

    /// Trains until all epochs are done, evaluations get no better, or the observer wishes to stop.
    pub fn run(&mut self, observer: &mut dyn Observer) -> Result<Ending, TrainError> {
        while self.progress.ending.is_none() {
            let epoch = self.progress.epoch;
            self.take_names_of(epoch)?;
            let batches = self.batches();
            let round = self.settings.objective.round(self.settings.compat == Compat::Reference);
            let orders: Vec<Epoch> = round.iter().map(|each| batches.epoch(each.name(), epoch)).collect();
            let steps = (batches.count() * round.len()) as u64;
            while self.progress.epoch == epoch {
                let position = self.progress.position as usize;
                let which = position % round.len();
                let pairs = orders[which].batch(position / round.len());
                let report = self.step(round[which], &pairs, steps * self.settings.epochs)?;
                self.progress.position += 1;
                if self.progress.position == steps {
                    (self.progress.epoch, self.progress.position) = (epoch + 1, 0);
                }
                let wish = observer.step(&report).map_err(TrainError::Observer)?;
                if self.progress.epoch > epoch {
                    self.end_epoch(observer)?;
                }
                if wish != Wish::Continue || self.progress.ending.is_some() {
                    let checkpoint = Checkpoint {
                        weights: &self.weights,
                        progress: &self.progress,
                        optimiser: &self.optimiser,
                        reader: &self.reader,
                    };
                    observer.checkpoint(&checkpoint).map_err(TrainError::Observer)?;
                }
                if wish == Wish::Stop && self.progress.ending.is_none() {
                    return Ok(Ending::Stopped);
                }
            }
        }
        Ok(self.progress.ending.unwrap_or(Ending::Finished))
    }

    /// One step of the optimiser.
    fn step(
        &mut self,
        objective: StepObjective,
        pairs: &[u32],
        total_steps: u64,
    ) -> Result<StepReport, TrainError> {
        let Settings { seed, leave_out, .. } = self.settings;
        let thinning = Thinning { share: leave_out, seed, step: self.progress.step };
        let batch = pack(&self.training, pairs, thinning);
        self.optimiser.prepare(&mut self.weights, batch.tokens());
        self.gradients.clear();
        let assign = |scores: &Scores| self.matcher.assign(scores);
        let minimised = match objective {
            StepObjective::Local | StepObjective::Masked => Objective::Local,
            StepObjective::Global => Objective::Global(&assign),
        };
        let step_seed = self.settings.seed.rotate_left(32) ^ self.progress.step;
        let chunk = self.settings.chunk.and_then(NonZeroUsize::new);
        let mode = Mode::Train { step_seed };
        let loss = self.engine.step(&self.weights, &batch, minimised, mode, chunk, &mut self.gradients)?;
        let norm = self.gradients.norm();
        // an assignment of scores that are no numbers means nothing, so the loss alone would not tell
        let score = loss.scores.values.iter().copied().find(|score| !score.is_finite()).unwrap_or_default();
        for (what, value) in
            [("loss", loss.value), ("score of a pair", score), ("norm of the gradient", norm)]
        {
            if !value.is_finite() {
                let (step, epoch) = (self.progress.step + 1, self.progress.epoch);
                return Err(TrainError::NotFinite { step, epoch, what, value, batch: self.names(pairs) });
            }
        }
        if let Some(clip) = self.settings.clip.filter(|clip| norm > *clip) {
            self.gradients.scale(clip / norm);
        }
        let rate = self.settings.rate_at(self.progress.epoch, self.progress.step);
        let skipped = loss.flat && self.settings.compat == Compat::None;
        if !skipped {
            let Gradients { dense, words, .. } = &self.gradients;
            let Settings { word_rate, score_rate, .. } = self.settings;
            let rate = Rate { rate, words: word_rate, score: score_rate };
            self.optimiser.apply(&mut self.weights, dense, words.iter(), rate);
        }
        self.progress.step += 1;
        Ok(StepReport {
            step: self.progress.step,
            epoch: self.progress.epoch,
            total_steps,
            objective,
            loss: loss.value,
            batch_accuracy: accuracy(&loss.scores),
            rate,
            gradient_norm: norm,
            pairs: pairs.len(),
            tokens: batch.tokens().len(),
            skipped,
        })
    }

    /// What is due between two epochs.
    fn end_epoch(&mut self, observer: &mut dyn Observer) -> Result<(), TrainError> {
        let (epoch, every) = (self.progress.epoch, self.settings.evaluate_every);
        let is_last = epoch >= self.settings.epochs;
        if let Some(documents) = self.evaluated.as_ref().filter(|_| is_last || epoch.is_multiple_of(every)) {
            let weights = self.weights();
            let statements = encode_side(&mut self.engine, &weights, documents, Side::Statements)?;
            let proofs = encode_side(&mut self.engine, &weights, documents, Side::Proofs)?;
            let global = self.settings.objective == ObjectiveKind::Hybrid;
            let quality = self.matcher.evaluate(&weights, &statements, &proofs, global);
            let quality = quality.map_err(TrainError::Evaluation)?;
            let is_best =
                self.progress.best.as_ref().is_none_or(|best| quality.is_better_than(&best.quality));
            self.progress.stale = if is_best { 0 } else { self.progress.stale + 1 };
            let report =
                EvaluationReport { step: self.progress.step, epoch, quality: quality.clone(), is_best };
            observer.evaluated(&report).map_err(TrainError::Observer)?;
            if is_best {
                self.progress.best = Some(Best { step: self.progress.step, epoch, quality });
                observer.best(&weights, &self.progress).map_err(TrainError::Observer)?;
            }
        } else if is_last {
            observer.best(&self.weights(), &self.progress).map_err(TrainError::Observer)?;
        }
        let patience = self.settings.patience;
        if is_last {
            self.progress.ending = Some(Ending::Finished);
        } else if patience > 0 && self.progress.stale >= patience {
            self.progress.ending = Some(Ending::Early);
        }
        Ok(())
    }

    fn batches(&self) -> Batches {
        Batches {
            pairs: self.training.len(),
            size: self.settings.batch,
            seed: self.settings.seed,
            sampling: self.settings.sampling(),
            neighbours: self.settings.neighbours,
        }
    }

    fn take_names_of(&mut self, epoch: u64) -> Result<(), TrainError> {
        let changes = self.settings.fresh_names || self.settings.rename > 0.0;
        if changes && self.names_of != epoch {
            self.training = self.corpus.training(&self.settings, &self.reader, epoch)?;
            self.names_of = epoch;
        }
        Ok(())
    }

    /// The pairs of a batch for a message.
    fn names(&self, pairs: &[u32]) -> String {
        let names: Vec<String> =
            pairs.iter().map(|&pair| self.training.id(pair as usize).to_string()).collect();
        names.join(" ")
    }
}

impl<'a> Corpus<'a> {
    fn read(store: &'a Store, settings: &Settings) -> Result<Corpus<'a>, TrainError> {
        settings.check()?;
        let split = store.split(settings.split, settings.split_seed)?;
        Ok(Corpus { store, split, protected: settings.protected()? })
    }

    /// The closed vocabulary of the training part.
    fn words(&self, settings: &Settings) -> Result<Reader, TrainError> {
        let replacer = settings.replacer(&self.protected, 0);
        let (store, split) = (self.store, &self.split);
        let reading =
            Reading { store, split, part: Part::Train, replacer: &replacer, symbols: settings.symbols };
        Ok(Reader::Words(reading.vocabulary()?))
    }

    /// The training part under the names of an epoch.
    fn training(&self, settings: &Settings, reader: &Reader, epoch: u64) -> Result<Documents, TrainError> {
        let replacer = &settings.replacer(&self.protected, epoch);
        let reading = Reading {
            store: self.store,
            split: &self.split,
            part: Part::Train,
            replacer,
            symbols: settings.symbols,
        };
        let (input, longest) = (settings.input, settings.shape.longest);
        Ok(reading.changed_documents(reader, input, longest, |pair| settings.renamed(pair, epoch))?)
    }

    /// The part that evaluations use.
    fn evaluated(&self, settings: &Settings, reader: &Reader) -> Result<Documents, TrainError> {
        let (part, replacer) = (settings.evaluate_on, &settings.replacer(&self.protected, 0));
        let reading =
            Reading { store: self.store, split: &self.split, part, replacer, symbols: settings.symbols };
        Ok(reading.documents(reader, settings.input, settings.shape.longest)?)
    }
}

/// A part of a corpus as a model sees it: what evaluation and explanation start from.
pub struct PartVectors {
    pub documents: Documents,
    pub statements: Vectors,
    pub proofs: Vectors,
}

/// Encodes both sides of a part.
pub fn encode_part(
    weights: &Weights,
    reader: &dyn Reads,
    reading: Reading<'_>,
    input: Input,
) -> Result<PartVectors, TrainError> {
    let longest = weights.shape().positions / reading.symbols.numbers_of_a_token();
    let documents = reading.documents(reader, input, longest)?;
    let statements = encode_side(&mut Engine::Native, weights, &documents, Side::Statements)?;
    let proofs = encode_side(&mut Engine::Native, weights, &documents, Side::Proofs)?;
    Ok(PartVectors { documents, statements, proofs })
}

/// Documents that are laid end to end at a time. With more of them the table of their words outgrows the cache.
const ENCODED: usize = 512;

fn encode_side(
    engine: &mut Engine,
    weights: &Weights,
    documents: &Documents,
    side: Side,
) -> Result<Vectors, ModelError> {
    let mut vectors = Vectors::zeros(0, weights.shape().width);
    for start in (0..documents.len()).step_by(ENCODED) {
        let packed = pack_side(documents, side, start, ENCODED);
        vectors.values.extend(engine.encode(weights, &packed)?.values);
    }
    Ok(vectors)
}

/// The share of rows whose largest score is on the diagonal, and there alone.
fn accuracy(scores: &Scores) -> f32 {
    let is_found = |row: &usize| {
        let gold = scores.at(*row, *row);
        scores.row(*row).iter().filter(|&&score| score >= gold).count() == 1
    };
    (0..scores.rows()).filter(is_found).count() as f32 / scores.rows().max(1) as f32
}
