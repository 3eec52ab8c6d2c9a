//! A summary of the score matrix: the mean scores between categories, and between the parts of each.
//!
//! The matrix itself is never in memory. During ranking every row is visited once and summed by the categories of its
//! columns; row sums are added in order, so that the means do not depend on the number of threads.

use std::{collections::HashMap, sync::OnceLock};

use serde::{Deserialize, Serialize};

/// The maximal number of parts of a category, in the order of the corpus.
pub const PARTS: usize = 24;

/// Mean scores by category.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ScoreMap {
    /// The categories, the largest first; the empty name is that of pairs without one.
    pub categories: Vec<String>,
    /// For each category of statements, the mean scores with the proofs of every category.
    means: Vec<Vec<f32>>,
    /// For each category, the same between its parts.
    inside: Vec<Vec<Vec<f32>>>,
}

/// The number of members of a category in one part.
pub fn part_size(members: usize) -> usize {
    members.div_ceil(PARTS).max(1)
}

impl ScoreMap {
    /// The mean score of one category's statements with another's proofs.
    pub fn mean(&self, statements: &str, proofs: &str) -> Option<f32> {
        self.means.get(self.place(statements)?)?.get(self.place(proofs)?).copied()
    }

    /// The mean score between two parts of a category.
    pub fn mean_inside(&self, category: &str, statements: usize, proofs: usize) -> Option<f32> {
        self.inside.get(self.place(category)?)?.get(statements)?.get(proofs).copied()
    }

    fn place(&self, category: &str) -> Option<usize> {
        self.categories.iter().position(|other| other == category)
    }
}

/// A map under construction. Statements and proofs of the same index belong to one pair.
pub(super) struct Tally<'a> {
    names: Vec<&'a str>,
    /// The index of each pair's category among the names.
    category: Vec<usize>,
    /// The part of its category that each pair is in.
    part: Vec<usize>,
    members: Vec<Vec<usize>>,
    /// For each statement, the sums by category and then by part of its own category.
    sums: Vec<OnceLock<Box<[f32]>>>,
}

impl<'a> Tally<'a> {
    /// Starts from the category of each pair.
    pub fn new(categories: &[&'a str]) -> Tally<'a> {
        let mut members: HashMap<&str, Vec<usize>> = HashMap::new();
        for (pair, &category) in categories.iter().enumerate() {
            members.entry(category).or_default().push(pair);
        }
        let mut sorted: Vec<(&str, Vec<usize>)> = members.into_iter().collect();
        sorted.sort_by(|one, other| other.1.len().cmp(&one.1.len()).then(one.0.cmp(other.0)));
        let (mut category, mut part) = (vec![0; categories.len()], vec![0; categories.len()]);
        for (place, (_, members)) in sorted.iter().enumerate() {
            for (order, &pair) in members.iter().enumerate() {
                (category[pair], part[pair]) = (place, order / part_size(members.len()));
            }
        }
        let (names, members) = sorted.into_iter().unzip();
        let sums = categories.iter().map(|_| OnceLock::new()).collect();
        Tally { names, category, part, members, sums }
    }

    /// Adds the scores of a statement with all proofs; from any thread.
    pub fn add(&self, statement: usize, scores: &[f32]) {
        let Some(&own) = self.category.get(statement) else { return };
        let mut sums = vec![0.0; self.names.len() + PARTS];
        for (&score, &category) in scores.iter().zip(&self.category) {
            sums[category] += score;
        }
        for &proof in self.members[own].iter().filter(|proof| **proof < scores.len()) {
            sums[self.names.len() + self.part[proof]] += scores[proof];
        }
        // Each statement is added once.
        let _ = self.sums[statement].set(sums.into());
    }

    pub fn finish(self) -> ScoreMap {
        let count = self.names.len();
        let mut means = vec![vec![0.0; count]; count];
        let parts =
            |category: usize| self.members[category].len().div_ceil(part_size(self.members[category].len()));
        let mut inside: Vec<Vec<Vec<f64>>> =
            (0..count).map(|category| vec![vec![0.0; parts(category)]; parts(category)]).collect();
        for (statement, sums) in self.sums.iter().enumerate() {
            let (Some(sums), own) = (sums.get(), self.category[statement]) else { continue };
            add(&mut means[own], &sums[..count]);
            add(&mut inside[own][self.part[statement]], &sums[count..]);
        }
        let size = |category: usize| self.members[category].len();
        let size_of_part = |category: usize, part: usize| {
            let each = part_size(size(category));
            each.min(size(category) - part * each)
        };
        let inside = inside.into_iter().enumerate().map(|(category, sums)| {
            divided(sums, |row, column| size_of_part(category, row) * size_of_part(category, column))
        });
        ScoreMap {
            means: divided(means, |row, column| size(row) * size(column)),
            inside: inside.collect(),
            categories: self.names.into_iter().map(str::to_owned).collect(),
        }
    }
}

fn add(sums: &mut [f64], more: &[f32]) {
    sums.iter_mut().zip(more).for_each(|(sum, &more)| *sum += f64::from(more));
}

fn divided(sums: Vec<Vec<f64>>, pairs: impl Fn(usize, usize) -> usize) -> Vec<Vec<f32>> {
    let mean = |row: usize, column: usize, sum: f64| (sum / pairs(row, column).max(1) as f64) as f32;
    let row = |(row, sums): (usize, Vec<f64>)| {
        sums.into_iter().enumerate().map(|(column, sum)| mean(row, column, sum)).collect()
    };
    sums.into_iter().enumerate().map(row).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn means_are_of_categories_and_of_their_parts() {
        let tally = Tally::new(&["b", "a", "a"]);
        for (statement, scores) in [[0.5, 0.1, 0.3], [0.2, 0.8, 0.4], [0.0, 0.6, 1.0]].iter().enumerate() {
            tally.add(statement, scores);
        }
        let map = tally.finish();
        assert_eq!(map.categories, ["a", "b"]);
        let near =
            |found: Option<f32>, wanted: f32| assert!((found.unwrap() - wanted).abs() < 1e-6, "{found:?}");
        near(map.mean("a", "a"), 0.7);
        near(map.mean("a", "b"), 0.1);
        near(map.mean("b", "a"), 0.2);
        near(map.mean_inside("a", 0, 1), 0.4);
        near(map.mean_inside("b", 0, 0), 0.5);
        assert_eq!((map.mean("c", "a"), map.mean_inside("a", 2, 0)), (None, None));
    }
}
