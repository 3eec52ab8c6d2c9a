//! A model that has read the proofs it may choose from.

use std::sync::Arc;

use serde::Serialize;

use super::{case::Case, error::ImportanceError, field::Field, subject::Subject};
use crate::{
    explain::{ExplainProgress, ExplainTask, Explanation, Method, PiecePair, Settings, Stability, explain},
    model::{ModelError, Vectors},
};

/// A model and a field, whose proofs are encoded once.
pub struct Judge {
    pub subject: Arc<Subject>,
    pub field: Arc<Field>,
    vectors: Vectors,
}

/// What is asked of a judge.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Ask {
    pub settings: Settings,
    /// How many seeds an explanation with chance in it is repeated over, from its own seed on.
    pub seeds: usize,
    /// How many other proofs the probability of a match is taken against.
    pub references: usize,
    /// Explain the wrong proof that the model likes best, too.
    pub rival: bool,
}

/// The paper trains in batches of 60: one right proof and 59 others.
const REFERENCES: usize = 59;

impl Default for Ask {
    fn default() -> Ask {
        Ask { settings: Settings::default(), seeds: 1, references: REFERENCES, rival: false }
    }
}

impl Ask {
    /// The seeds, the explanation's own first; none when chance has no part.
    fn seeds(&self) -> Vec<u64> {
        match self.settings.method {
            Method::Lime(lime) => {
                (0..self.seeds.max(1) as u64).map(|number| lime.seed.wrapping_add(number)).collect()
            }
            _ => Vec::new(),
        }
    }
}

/// Explanations of the same size, one after another.
#[derive(Clone, Copy)]
struct Rounds {
    all: usize,
}

impl Rounds {
    fn after(self, before: usize, progress: ExplainProgress) -> ExplainProgress {
        let (done, total) = (before * progress.total + progress.done, self.all * progress.total);
        ExplainProgress { done, total, ..progress }
    }
}

/// Where a pair's own proof stands among the candidates.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Standing {
    /// The model's score. Only its distance to other scores of the same statement means something.
    pub score: f64,
    /// 1 is the first choice; others with the same score count against the pair.
    pub rank: usize,
    /// How many proofs there were to choose from, the own one included.
    pub among: usize,
    /// The wrong proof with the highest score.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rival: Option<Rival>,
}

impl Standing {
    /// How far the own proof is ahead of the best wrong one; behind it when negative.
    pub fn lead(&self) -> f64 {
        self.rival.as_ref().map_or(0.0, |rival| self.score - rival.score)
    }
}

/// A wrong proof.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Rival {
    /// The name of the pair whose proof it is.
    pub pair: String,
    pub row: u32,
    pub score: f64,
}

/// What a judge says of a case.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Finding {
    pub model: String,
    pub pair: PiecePair,
    pub standing: Standing,
    /// The explanation, and how steady it is.
    pub stability: Stability,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rival: Option<RivalFinding>,
}

/// Why the wrong proof was liked.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RivalFinding {
    pub pair: PiecePair,
    pub explanation: Explanation,
}

impl Judge {
    pub fn new(subject: Arc<Subject>, field: Arc<Field>) -> Result<Judge, ImportanceError> {
        let proofs: Vec<&[_]> = field.entries().iter().map(|entry| &entry.proof[..]).collect();
        let vectors = subject.scorer().vectors(&proofs).map_err(|source| named(&subject, source))?;
        Ok(Judge { subject, field, vectors })
    }

    /// Where a proof stands, as the case has it now: its texts may be edited.
    pub fn standing(&self, case: &Case) -> Result<Standing, ImportanceError> {
        let scorer = self.subject.scorer();
        let (own, others) = scorer
            .scores(&case.pair.statement, &case.pair.proof, &self.vectors)
            .map_err(|source| named(&self.subject, source))?;
        let entries = self.field.entries().iter().zip(others).filter(|(entry, _)| entry.row != case.row);
        let (mut rank, mut among, mut rival) = (1, 1, None::<Rival>);
        for (entry, score) in entries {
            among += 1;
            // a score that is no number is no argument for anything
            rank += usize::from(score >= own);
            if rival.as_ref().is_none_or(|rival| score > rival.score) {
                rival = Some(Rival { pair: entry.name.clone(), row: entry.row, score });
            }
        }
        Ok(Standing { score: own, rank, among, rival })
    }

    /// Explains a case. Progress counts the variants of everything that is asked, and carries the explanation so far.
    pub fn explain(
        &self,
        case: &Case,
        ask: &Ask,
        task: &ExplainTask<'_>,
    ) -> Result<Finding, ImportanceError> {
        let begun = self.begin(case, ask, task)?;
        self.go_on(case, ask, begun, task)
    }

    /// The first part of [`Judge::explain`]: one seed, and the rival. Whoever asks several models shows this of each
    /// before it goes on.
    pub fn begin(&self, case: &Case, ask: &Ask, task: &ExplainTask<'_>) -> Result<Finding, ImportanceError> {
        let standing = self.standing(case)?;
        let rival = standing.rival.as_ref().filter(|_| ask.rival);
        let rounds = Rounds { all: ask.seeds().len().max(1) + usize::from(rival.is_some()) };
        let scorer = self.subject.scorer().against_vectors(self.references(case.row, None, ask.references));
        let first = |progress| task.report(rounds.after(0, progress));
        let first = explain(&case.pair, &scorer, &ask.settings, &task.part(&first))?;
        let rival = match rival {
            Some(rival) => {
                let second =
                    |progress| task.report(ExplainProgress { partial: None, ..rounds.after(1, progress) });
                Some(self.explain_rival(case, rival.row, ask, &task.part(&second))?)
            }
            None => None,
        };
        let seeds = ask.seeds().into_iter().take(1).collect();
        let (model, pair) = (self.subject.name.clone(), case.pair.clone());
        Ok(Finding { model, pair, standing, stability: Stability::of(first, &[], seeds), rival })
    }

    /// The rest: the same explanation with the other seeds.
    pub fn go_on(
        &self,
        case: &Case,
        ask: &Ask,
        begun: Finding,
        task: &ExplainTask<'_>,
    ) -> Result<Finding, ImportanceError> {
        let seeds = ask.seeds();
        let before = 1 + usize::from(begun.rival.is_some());
        let rounds = Rounds { all: seeds.len().saturating_sub(1) + before };
        let scorer = self.subject.scorer().against_vectors(self.references(case.row, None, ask.references));
        let mut others = Vec::new();
        for settings in seeds.iter().skip(1).filter_map(|&seed| ask.settings.with_seed(seed)) {
            let done = before + others.len();
            let inner =
                |progress| task.report(ExplainProgress { partial: None, ..rounds.after(done, progress) });
            others.push(explain(&case.pair, &scorer, &settings, &task.part(&inner))?);
        }
        Ok(Finding { stability: Stability::of(begun.stability.first, &others, seeds), ..begun })
    }

    /// Explains the statement with the proof of another row, against the same references and the right proof.
    fn explain_rival(
        &self,
        case: &Case,
        row: u32,
        ask: &Ask,
        task: &ExplainTask<'_>,
    ) -> Result<RivalFinding, ImportanceError> {
        let entry = self.field.entries().iter().find(|entry| entry.row == row);
        let Some(entry) = entry else { return Err(ImportanceError::NoSuchPair(format!("of row {row}"))) };
        let own = self.subject.scorer().vectors(&[&case.pair.proof]);
        let own = own.map_err(|source| named(&self.subject, source))?;
        let references = self.references(row, Some((case.row, own)), ask.references);
        let scorer = self.subject.scorer().against_vectors(references);
        let pair = case
            .pair
            .with_proof(format!("{} with the proof of {}", case.pair.name, entry.name), entry.proof.clone());
        let explanation = explain(&pair, &scorer, &ask.settings, task)?;
        Ok(RivalFinding { pair, explanation })
    }

    /// The vectors of the first proofs of the field that are not the one of this row; one that must be among them
    /// comes first.
    fn references(&self, row: u32, surely: Option<(u32, Vectors)>, count: usize) -> Vectors {
        let mut references = Vectors::zeros(0, self.vectors.width);
        let mut left_out = vec![row];
        if let Some((row, vector)) = surely {
            references.values.extend(&vector.values);
            left_out.push(row);
        }
        for (place, entry) in self.field.entries().iter().enumerate() {
            if references.len() >= count.max(1) {
                break;
            }
            if !left_out.contains(&entry.row) {
                references.values.extend(self.vectors.row(place));
            }
        }
        references
    }
}

fn named(subject: &Subject, source: ModelError) -> ImportanceError {
    ImportanceError::Model { model: subject.name.clone(), source }
}
