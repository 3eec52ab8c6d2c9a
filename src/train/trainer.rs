//! Training of a matching model.

use super::{
    batch::{Side, pack_side},
    bert,
    checkpoint::{CheckpointError, TrainState},
    compute::Compute,
    error::TrainError,
    estimate::{Load, check_memory},
    observer::Observer,
    pairs::{Corpus, Pairs},
    progress::{TrainOutcome, TrainProgress},
    settings::{Compat, Encoder, TrainSettings},
    training_loop::{Schedule, run_epochs},
    weight_init, windows,
};
use crate::{
    base::{memory, task::CancelToken},
    corpus::{split::Part, store::Store},
    model::tokenizer::{Input, PartView, Tokenize, TokenizedPairs, Tokenizer},
    model::{self, Engine, Family, Gradients, ModelError, Vectors, Weights},
};

/// A training run in memory.
pub struct Trainer<'a> {
    pairs: Pairs<'a>,
    state: TrainState,
    /// Descriptions of weights that the initial folder of a BERT lacks.
    notes: Vec<String>,
}

impl<'a> Trainer<'a> {
    /// Creates a run that has not made a step.
    pub fn start(store: &'a Store, settings: TrainSettings) -> Result<Trainer<'a>, TrainError> {
        Trainer::start_until(store, settings, &CancelToken::new())
    }

    /// Like [`Trainer::start`]; reading texts and initial weights fails once the token is cancelled.
    pub fn start_until(
        store: &'a Store,
        settings: TrainSettings,
        cancel: &CancelToken,
    ) -> Result<Trainer<'a>, TrainError> {
        let corpus = Corpus::read(store, &settings, cancel)?;
        check_memory(&Load::from(&settings), store, memory::total())?;
        let mut notes = vec![];
        let (tokenizer, training, weights) = match settings.encoder {
            Encoder::Npt => {
                let tokenizer = corpus.words(&settings)?;
                let training = corpus.training(&settings, &tokenizer, 0)?;
                let weights = weight_init::weights(&settings, tokenizer.len(), &training, cancel)?;
                (tokenizer, training, weights)
            }
            Encoder::Windows => {
                let tokenizer = corpus.features(&settings)?;
                let training = corpus.training(&settings, &tokenizer, 0)?;
                let weights = windows::weights(&settings, &tokenizer, &training, cancel)?;
                (tokenizer, training, weights)
            }
            Encoder::Scratchbert | Encoder::Mathbert => {
                let (tokenizer, weights, found) = bert::start(&settings, cancel)?;
                notes = found;
                let training = corpus.training(&settings, &tokenizer, 0)?;
                (tokenizer, training, weights)
            }
        };
        let state = TrainState::fresh(&settings.optimizer, settings.lr, weights);
        let trainer = Trainer::assemble(settings, corpus, tokenizer, training, state)?;
        Ok(Trainer { notes, ..trainer })
    }

    #[cfg(test)]
    pub fn resume(
        store: &'a Store,
        settings: TrainSettings,
        file: impl Fn(&str) -> Option<Vec<u8>>,
    ) -> Result<Trainer<'a>, TrainError> {
        Trainer::resume_until(store, settings, file, &CancelToken::new())
    }

    /// Resumes a run from a checkpoint; `file` returns the content of one of its files. Reading texts fails once the token is
    /// cancelled.
    pub fn resume_until(
        store: &'a Store,
        settings: TrainSettings,
        file: impl Fn(&str) -> Option<Vec<u8>>,
        cancel: &CancelToken,
    ) -> Result<Trainer<'a>, TrainError> {
        let corpus = Corpus::read(store, &settings, cancel)?;
        check_memory(&Load::from(&settings), store, memory::total())?;
        let tokenizer = match settings.encoder {
            Encoder::Npt => corpus.words(&settings)?,
            Encoder::Windows => corpus.features(&settings)?,
            Encoder::Scratchbert | Encoder::Mathbert => {
                Tokenizer::of_files(&file).map_err(CheckpointError::Tokenizer)?
            }
        };
        let state = TrainState::read(&settings, tokenizer.len(), file)?;
        let training = corpus.training(&settings, &tokenizer, state.progress.epoch)?;
        Trainer::assemble(settings, corpus, tokenizer, training, state)
    }

    fn assemble(
        settings: TrainSettings,
        mut corpus: Corpus<'a>,
        tokenizer: Tokenizer,
        training: TokenizedPairs,
        mut state: TrainState,
    ) -> Result<Trainer<'a>, TrainError> {
        let names_epoch = state.progress.epoch;
        let too_few = |part, found, needed, advice| TrainError::TooFew {
            part,
            scheme: settings.split,
            found,
            needed,
            advice,
        };
        if training.len() < 2 {
            return Err(too_few(Part::Train, training.len(), 2, "Use a larger corpus"));
        }
        let mut evaluated = None;
        if settings.evaluate_every > 0 {
            let documents = corpus.evaluated(&settings, &tokenizer)?;
            if documents.is_empty() {
                let advice = "Evaluate on another part (--evaluate-on train) or never (--evaluate-every 0)";
                return Err(too_few(settings.evaluate_on, 0, 1, advice));
            }
            evaluated = Some(documents);
        }
        // From now on, stopping saves a checkpoint.
        corpus.ignore_cancellation();
        let engine = Engine::native(settings.precision);
        state.weights.set_precision(engine.cpu_precision());
        let frozen_layers = settings.freeze;
        state.optimizer.freeze(state.weights.layout().frozen(frozen_layers));
        let mut gradients = Gradients::new(&state.weights);
        gradients.frozen_layers = frozen_layers;
        let pairs = Pairs {
            settings,
            corpus,
            compute: Compute::new(engine),
            tokenizer,
            training,
            names_epoch,
            evaluated,
            gradients,
            round: vec![],
        };
        Ok(Trainer { pairs, state, notes: vec![] })
    }

    /// Computes steps and evaluations with `engine` from now on.
    pub fn compute_with(&mut self, engine: Engine) {
        self.state.weights.set_precision(engine.cpu_precision());
        self.pairs.compute = Compute::new(engine);
    }

    pub fn settings(&self) -> &TrainSettings {
        &self.pairs.settings
    }

    /// Returns descriptions of weights that the initial folder of a BERT lacks.
    pub fn notes(&self) -> &[String] {
        &self.notes
    }

    pub fn tokenizer(&self) -> &Tokenizer {
        &self.pairs.tokenizer
    }

    pub fn progress(&self) -> &TrainProgress {
        &self.state.progress
    }

    /// Returns the number of training pairs.
    pub fn pairs(&self) -> usize {
        self.pairs.training.len()
    }

    /// Returns the current model, ready for inference.
    #[cfg(test)]
    pub fn weights(&self) -> Weights {
        self.state.optimizer.weights(&self.state.weights, self.is_averaged())
    }

    /// Whether the average of the weights is evaluated and stored, once there is one.
    fn is_averaged(&self) -> bool {
        self.pairs.settings.compat == Compat::None
    }

    /// Trains until all epochs are complete, evaluations stop improving, or the observer requests a stop.
    pub fn train(&mut self, observer: &mut dyn Observer) -> Result<TrainOutcome, TrainError> {
        let settings = &self.pairs.settings;
        let schedule = Schedule {
            epochs: settings.epochs,
            evaluate_every: settings.evaluate_every,
            patience: settings.patience,
            averaged: self.is_averaged(),
        };
        run_epochs(&mut self.pairs, &mut self.state, schedule, observer)
    }
}

/// The encoded part of a corpus: the input of evaluation and explanation.
pub struct PartVectors {
    #[cfg(test)]
    pub documents: TokenizedPairs,
    pub statements: Vectors,
    pub proofs: Vectors,
}

/// Encodes both sides of a part.
pub fn encode_part(
    engine: &mut Engine,
    weights: &Weights,
    tokenizer: &dyn Tokenize,
    view: PartView<'_>,
    input: Input,
) -> Result<PartVectors, TrainError> {
    // a bag has no positions, only a bound
    let ids = if weights.shape().family == Family::Windows { 1 } else { view.symbols.max_ids_per_token() };
    let longest = weights.shape().positions / ids;
    let documents = view.documents(tokenizer, input, longest)?;
    let encoder = engine.encoder(weights)?;
    let statements = encode_side(&encoder, weights, &documents, Side::Statements)?;
    let proofs = encode_side(&encoder, weights, &documents, Side::Proofs)?;
    drop(encoder);
    Ok(PartVectors {
        #[cfg(test)]
        documents,
        statements,
        proofs,
    })
}

/// The number of documents that are packed at a time. The embeddings of more of them do not fit into the cache.
const ENCODE_CHUNK: usize = 512;

pub(super) fn encode_side(
    encoder: &model::Encoder<'_>,
    weights: &Weights,
    documents: &TokenizedPairs,
    side: Side,
) -> Result<Vectors, ModelError> {
    let mut vectors = Vectors::zeros(0, weights.shape().width);
    for start in (0..documents.len()).step_by(ENCODE_CHUNK) {
        let packed = pack_side(documents, side, start, ENCODE_CHUNK);
        vectors.values.extend(encoder.encode(&packed)?.values);
    }
    Ok(vectors)
}
