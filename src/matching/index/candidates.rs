//! From a row of scores to ranks: which candidates are the best, and how probable each is.

use super::ContainerError;
use crate::matching::ranking::Selector;

/// The candidates of a search among the columns of an index.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Selection {
    All,
    /// One flag per column.
    Some(Vec<bool>),
}

/// A candidate with its place in the ranking.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RankedCandidate {
    pub column: u32,
    /// The number of candidates that score at least as high, itself included: ties count as errors, as in evaluations.
    pub rank: u32,
    pub score: f32,
    /// The softmax of the standardized scores over all candidates, at the index's temperature.
    pub probability: f64,
}

/// The result of a search in one side of an index.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct BestMatch {
    pub best: Vec<RankedCandidate>,
    /// The candidate that was asked for, if it is one.
    pub gold: Option<RankedCandidate>,
    /// The number of candidates.
    pub candidates: usize,
}

/// How to rank a row of scores.
pub struct Candidates<'a> {
    pub selection: &'a Selection,
    pub keep: usize,
    /// In standard deviations of the scores, so that cosines and neural scores have temperatures of the same kind.
    pub temperature: f64,
    /// A column whose rank is wanted as well.
    pub gold: Option<u32>,
    /// What is known of candidates without a score, if the scores are those of a part.
    pub population: Option<&'a Population>,
}

/// All candidates of a search that scored only some of them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Population {
    /// The standard deviation of all scores.
    pub deviation: f64,
    pub unscored: Vec<Unscored>,
}

/// Candidates without a score, of which the distribution of the scores is known.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Unscored {
    pub count: u32,
    pub mean: f64,
    pub deviation: f64,
}

impl Unscored {
    /// The mean of exp((s - greatest) / scale) over the scores s, which are taken to be normally distributed and below the
    /// greatest that is known.
    fn weight(&self, greatest: f64, scale: f64) -> f64 {
        let distance = greatest - self.mean;
        if self.deviation <= f64::EPSILON * distance.abs().max(scale) {
            return (-distance / scale).exp();
        }
        let (far, wide) = (distance / self.deviation, self.deviation / scale);
        let end = (far - wide) / std::f64::consts::SQRT_2;
        if end < 0.0 {
            0.5 * (-far * far / 2.0).exp() * scaled_erfc(-end)
        } else {
            (wide * wide / 2.0 - far * wide).exp() * (1.0 - 0.5 * (-end * end).exp() * scaled_erfc(end))
        }
    }
}

/// exp(x²) erfc(x) for x >= 0, with a relative error below 1.2e-7 (Press et al., "Numerical Recipes", section 6.2).
fn scaled_erfc(x: f64) -> f64 {
    const COEFFICIENTS: [f64; 10] = [
        0.170_872_77,
        -0.822_152_23,
        1.488_515_87,
        -1.135_203_98,
        0.278_868_07,
        -0.186_288_06,
        0.096_784_18,
        0.374_091_96,
        1.000_023_68,
        -1.265_512_23,
    ];
    let t = 1.0 / (1.0 + 0.5 * x);
    t * COEFFICIENTS.iter().fold(0.0, |sum, coefficient| sum * t + coefficient).exp()
}

impl Selection {
    pub fn contains(&self, column: usize) -> bool {
        match self {
            Selection::All => true,
            Selection::Some(flags) => flags.get(column).copied().unwrap_or_default(),
        }
    }

    /// Appends the selection of another `columns` columns.
    pub fn followed_by(self, other: Selection, columns: usize) -> Selection {
        let flags = |selection| match selection {
            Selection::All => vec![true; columns],
            Selection::Some(flags) => flags,
        };
        match (self, other) {
            (Selection::All, Selection::All) => Selection::All,
            (one, other) => Selection::Some([flags(one), flags(other)].concat()),
        }
    }

    pub fn remove(&mut self, column: usize, columns: usize) {
        if *self == Selection::All {
            *self = Selection::Some(vec![true; columns]);
        }
        if let Selection::Some(flags) = self
            && let Some(flag) = flags.get_mut(column)
        {
            *flag = false;
        }
    }
}

impl Candidates<'_> {
    /// Ranks the scores of all columns. Scores of columns that are no candidates are overwritten.
    pub fn rank(&self, scores: &mut [f32]) -> Result<BestMatch, ContainerError> {
        let mut candidates = scores.len();
        if let Selection::Some(flags) = self.selection {
            candidates = 0;
            for (score, &is_candidate) in scores.iter_mut().zip(flags) {
                if is_candidate {
                    candidates += 1;
                } else {
                    *score = f32::NEG_INFINITY;
                }
            }
        }
        let (mut greatest, mut sum, mut squares) = (f32::NEG_INFINITY, 0.0, 0.0);
        for (column, &score) in scores.iter().enumerate() {
            if score == f32::NEG_INFINITY && !self.selection.contains(column) {
                continue;
            }
            if !score.is_finite() {
                return Err(ContainerError::Damaged("a score is not a finite number"));
            }
            greatest = greatest.max(score);
            sum += f64::from(score);
            squares += f64::from(score) * f64::from(score);
        }
        let count = candidates.max(1) as f64;
        let mean = sum / count;
        let deviation = match self.population {
            Some(population) => population.deviation,
            None => (squares / count - mean * mean).max(0.0).sqrt(),
        };
        let scale = self.temperature * deviation.max(f64::EPSILON);
        let weight = |score: f32| (f64::from(score - greatest) / scale).exp();
        let unscored = self.population.map_or(&[][..], |population| &population.unscored);
        let unscored =
            unscored.iter().map(|some| f64::from(some.count) * some.weight(f64::from(greatest), scale));
        let mass: f64 = scores.iter().map(|&score| weight(score)).sum::<f64>() + unscored.sum::<f64>();
        let placed = |column: u32, score: f32| RankedCandidate {
            column,
            rank: scores.iter().filter(|&&other| other >= score).count() as u32,
            score,
            probability: weight(score) / mass,
        };
        let mut found = Vec::with_capacity(self.keep.min(candidates));
        Selector::new(self.keep.min(scores.len())).select(scores, |column, score| {
            if self.selection.contains(column as usize) {
                found.push((column, score));
            }
        });
        // All that score higher than the last one kept are kept too, so only its own rank needs a count.
        let last = found.last().map(|&(column, score)| placed(column, score));
        let mut best: Vec<RankedCandidate> = Vec::with_capacity(found.len());
        for tied in found.chunk_by(|(_, score), (_, other)| score == other) {
            let rank = (best.len() + tied.len()) as u32;
            best.extend(tied.iter().map(|&(column, score)| RankedCandidate {
                column,
                rank: last.filter(|last| last.score == score).map_or(rank, |last| last.rank),
                score,
                probability: weight(score) / mass,
            }));
        }
        let gold = self
            .gold
            .filter(|&column| (column as usize) < scores.len() && self.selection.contains(column as usize));
        let gold = gold.map(|column| placed(column, scores[column as usize]));
        Ok(BestMatch { best, gold, candidates })
    }
}

/// The temperature of a softmax under which gold candidates are most likely, in standard deviations of a row's scores.
///
/// Each row holds the scores of all candidates and the gold column. A golden-section search over the logarithm; the
/// likelihood has one maximum, since the log-likelihood of a softmax is concave in the inverse temperature.
pub fn temperature(rows: &[(Vec<f32>, usize)]) -> f64 {
    let rows: Vec<(&[f32], usize, f64)> =
        rows.iter().map(|(scores, gold)| (scores.as_slice(), *gold, deviation(scores))).collect();
    let loss = |logarithm: f64| -> f64 {
        let temperature = logarithm.exp();
        rows.iter()
            .map(|(scores, gold, deviation)| {
                let greatest = scores.iter().copied().fold(f32::NEG_INFINITY, f32::max);
                let scaled = |score: f32| f64::from(score - greatest) / (temperature * deviation);
                let mass: f64 = scores.iter().map(|&score| scaled(score).exp()).sum();
                mass.ln() - scaled(scores[*gold])
            })
            .sum()
    };
    const RATIO: f64 = 0.618_033_988_749_894_8;
    let (mut low, mut high) = (1e-3f64.ln(), 1e2f64.ln());
    let mut inner = [high - RATIO * (high - low), low + RATIO * (high - low)];
    let mut losses = inner.map(loss);
    for _ in 0..40 {
        if losses[0] < losses[1] {
            high = inner[1];
            inner = [high - RATIO * (high - low), inner[0]];
            losses = [loss(inner[0]), losses[0]];
        } else {
            low = inner[0];
            inner = [inner[1], low + RATIO * (high - low)];
            losses = [losses[1], loss(inner[1])];
        }
    }
    ((low + high) / 2.0).exp()
}

fn deviation(scores: &[f32]) -> f64 {
    let count = scores.len().max(1) as f64;
    let mean = scores.iter().map(|&score| f64::from(score)).sum::<f64>() / count;
    let squares: f64 = scores.iter().map(|&score| (f64::from(score) - mean).powi(2)).sum();
    (squares / count).sqrt().max(f64::EPSILON)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ranked(selection: &Selection, scores: &[f32], gold: Option<u32>) -> BestMatch {
        let candidates = Candidates { selection, keep: 3, temperature: 1.0, gold, population: None };
        candidates.rank(&mut scores.to_vec()).unwrap()
    }

    #[test]
    fn ties_share_the_worse_rank() {
        let found = ranked(&Selection::All, &[0.5, 1.0, 0.5, 0.0], Some(0));
        let places: Vec<(u32, u32)> = found.best.iter().map(|one| (one.column, one.rank)).collect();
        assert_eq!(places, [(1, 1), (0, 3), (2, 3)]);
        assert_eq!(found.gold.map(|gold| gold.rank), Some(3));
        let total: f64 =
            ranked(&Selection::All, &[0.5, 1.0, 0.5], None).best.iter().map(|one| one.probability).sum();
        assert!((total - 1.0).abs() < 1e-9);
    }

    #[test]
    fn only_candidates_are_ranked() {
        let selection = Selection::Some(vec![true, false, true, true]);
        let found = ranked(&selection, &[0.5, 9.0, -3.0, 0.7], Some(1));
        assert_eq!(found.best.iter().map(|one| one.column).collect::<Vec<_>>(), [3, 0, 2]);
        assert_eq!((found.gold, found.candidates), (None, 3));
        assert!(
            Candidates {
                selection: &Selection::All,
                keep: 1,
                temperature: 1.0,
                gold: None,
                population: None
            }
            .rank(&mut [f32::NAN])
            .is_err()
        );
    }

    #[test]
    fn weights_of_unscored_candidates_are_those_of_a_normal_distribution_below_the_best() {
        for (mean, deviation, scale) in
            [(-1.0, 0.5, 1.0), (-0.2, 0.5, 0.1), (0.3, 0.2, 0.1), (-9.0, 1.0, 0.3), (-1.0, 0.0, 0.5)]
        {
            let steps = 400_000;
            let sum: f64 = (0..steps)
                .map(|step| (f64::from(step) + 0.5) / f64::from(steps) * -24.0 * f64::max(deviation, 0.5))
                .map(|score| {
                    let far = (score - mean) / deviation;
                    let density =
                        (-far * far / 2.0).exp() / (deviation * (2.0 * std::f64::consts::PI).sqrt());
                    density * (score / scale).exp()
                })
                .sum();
            let expected = match deviation {
                0.0 => f64::exp(mean / scale),
                _ => sum * 24.0 * f64::max(deviation, 0.5) / f64::from(steps),
            };
            let found = Unscored { count: 1, mean, deviation }.weight(0.0, scale);
            assert!((found / expected - 1.0).abs() < 1e-4, "{mean} {deviation} {scale}: {found} {expected}");
        }
    }

    #[test]
    fn the_temperature_makes_probabilities_true() {
        // Gold leads by 1, which is two deviations, in nine of ten rows: a softmax of two is right when exp(2 / T) = 9.
        let row = |gold| (vec![1.0, 0.0], gold);
        let rows: Vec<(Vec<f32>, usize)> = (0..10).map(|index| row(usize::from(index == 0))).collect();
        let expected = 2.0 / 9.0f64.ln();
        assert!((temperature(&rows) - expected).abs() < 1e-3, "{}", temperature(&rows));
    }
}
