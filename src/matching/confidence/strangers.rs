//! How many statements of a problem have no proof in it.
//!
//! The share of statements whose best edge passes some bar lies between that of known statements with a proof and that of
//! known strangers; where it lies gives the share of strangers (the adjusted count of Forman, "Quantifying counts and
//! costs via classification", 2008). The median over all bars that separate the two well is the estimate.

/// The number of statements that an estimate from the problem must outweigh: one statement alone says little about others.
const PRIOR_STATEMENTS: f64 = 10.0;
/// The share that is assumed as long as nothing is known.
const PRIOR: f64 = 0.5;
/// Bars at which known statements with a proof and strangers differ less than this, relative to the best bar, are not used.
const SEPARATION: f64 = 0.5;
/// The difference at the best bar below which a model knows nothing.
const LEAST: f64 = 0.05;

/// The best log-odds of each statement that has a proof, of each stranger, and of each statement of the problem.
#[derive(Clone, Debug, Default)]
pub struct BestOdds {
    pub with_proof: Vec<f64>,
    pub strangers: Vec<f64>,
    pub unknown: Vec<f64>,
}

impl BestOdds {
    /// The estimated share of strangers among the unknown statements, never quite 0 or 1.
    pub fn share_of_strangers(&mut self) -> f64 {
        for odds in [&mut self.with_proof, &mut self.strangers, &mut self.unknown] {
            odds.sort_by(f64::total_cmp);
        }
        let shares = |bar: f64| {
            [&self.with_proof, &self.strangers, &self.unknown].map(|odds| {
                let passed = odds.len() - odds.partition_point(|&one| one < bar);
                passed as f64 / odds.len().max(1) as f64
            })
        };
        let bars: Vec<[f64; 3]> =
            self.with_proof.iter().chain(&self.strangers).map(|&bar| shares(bar)).collect();
        let best = bars.iter().map(|[right, wrong, _]| right - wrong).fold(0.0, f64::max);
        let mut estimates: Vec<f64> = bars
            .into_iter()
            .filter(|[right, wrong, _]| right - wrong >= (SEPARATION * best).max(LEAST))
            .map(|[right, wrong, passed]| ((right - passed) / (right - wrong)).clamp(0.0, 1.0))
            .collect();
        if estimates.is_empty() {
            return PRIOR;
        }
        let middle = estimates.len() / 2;
        let estimate = *estimates.select_nth_unstable_by(middle, f64::total_cmp).1;
        let count = self.unknown.len() as f64;
        (count * estimate + PRIOR_STATEMENTS * PRIOR) / (count + PRIOR_STATEMENTS)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::rng::Rng;

    fn problem(strangers: usize, with_proof: usize) -> BestOdds {
        let mut rng = Rng::new(3);
        let mut draw = |count: usize, shift: f64| -> Vec<f64> {
            (0..count).map(|_| shift + (0..6).map(|_| rng.uniform()).sum::<f64>()).collect()
        };
        let unknown = [draw(strangers, 0.0), draw(with_proof, 1.2)].concat();
        BestOdds { with_proof: draw(400, 1.2), strangers: draw(400, 0.0), unknown }
    }

    #[test]
    fn shares_are_recovered() {
        for (strangers, with_proof) in [(0, 1_000), (100, 900), (500, 500), (900, 100), (1_000, 0)] {
            let share = strangers as f64 / 1_000.0;
            let found = problem(strangers, with_proof).share_of_strangers();
            assert!((found - share).abs() < 0.08, "{share}: {found}");
            assert!(found > 0.0 && found < 1.0);
        }
    }

    #[test]
    fn little_evidence_gives_a_half() {
        assert_eq!(BestOdds::default().share_of_strangers(), 0.5);
        let one = BestOdds { unknown: vec![9.0], ..problem(10, 10) }.share_of_strangers();
        assert!((0.45..0.5).contains(&one), "{one}");
        let same = BestOdds { with_proof: vec![1.0; 9], strangers: vec![1.0; 9], unknown: vec![1.0; 9] };
        assert_eq!(same.clone().share_of_strangers(), 0.5);
    }
}
