//! A map of the score matrix by category: how close the statements of one category are to the proofs of another, and which
//! proofs were chosen there.
//!
//! The matrix itself is never held; a block is the mean of its scores, which were added up while they were ranked.

use std::collections::HashMap;

use crate::matching::evaluation::{Evaluation, part_size};

/// Scores and choices between groups of statements and groups of proofs.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CategoryMap {
    pub groups: Vec<MapGroup>,
    /// For each group of statements, the blocks of all groups of proofs.
    pub blocks: Vec<Vec<MapCell>>,
}

/// Statements that are shown together.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MapGroup {
    pub name: String,
    pub statements: usize,
    /// The statement that a part of a category is named after.
    pub first: Option<u32>,
}

/// What statements of one group found in another.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct MapCell {
    /// The mean score; none in evaluations that were kept without.
    pub mean: Option<f32>,
    pub local: usize,
    pub global: usize,
}

impl CategoryMap {
    /// All categories, the largest first.
    pub fn of(evaluation: &Evaluation) -> CategoryMap {
        let mut sizes: HashMap<&str, usize> = HashMap::new();
        for verdict in &evaluation.verdicts {
            *sizes.entry(verdict.category.as_str()).or_default() += 1;
        }
        let mut names: Vec<(&str, usize)> = sizes.into_iter().collect();
        names.sort_by(|one, other| other.1.cmp(&one.1).then(one.0.cmp(other.0)));
        let places: HashMap<&str, usize> =
            names.iter().enumerate().map(|(place, (name, _))| (*name, place)).collect();
        let groups = names.iter().map(|&(name, statements)| MapGroup {
            name: if name.is_empty() { "none".to_owned() } else { name.to_owned() },
            statements,
            first: None,
        });
        let place = |statement: u32| {
            places.get(evaluation.verdicts.get(statement as usize)?.category.as_str()).copied()
        };
        let mut map = CategoryMap::counted(evaluation, groups.collect(), place);
        let scores = evaluation.score_map.as_ref();
        map.set_means(|row, column| scores?.mean(names.get(row)?.0, names.get(column)?.0));
        map
    }

    /// One category, cut into parts in the order of the corpus. Choices outside it are left out.
    pub fn inside(evaluation: &Evaluation, category: &str) -> CategoryMap {
        let wanted = if category == "none" { "" } else { category };
        let members: Vec<u32> = (0..evaluation.verdicts.len() as u32)
            .filter(|statement| evaluation.verdicts[*statement as usize].category == wanted)
            .collect();
        let size = part_size(members.len());
        let name = |statement: Option<&u32>| {
            statement.map_or(String::new(), |&one| evaluation.verdicts[one as usize].pair.clone())
        };
        let groups = members
            .chunks(size)
            .map(|part| MapGroup {
                name: name(part.first()),
                statements: part.len(),
                first: part.first().copied(),
            })
            .collect();
        let place = |statement: u32| members.binary_search(&statement).ok().map(|place| place / size);
        let mut map = CategoryMap::counted(evaluation, groups, place);
        let scores = evaluation.score_map.as_ref();
        map.set_means(|row, column| scores?.mean_inside(wanted, row, column));
        map
    }

    fn set_means(&mut self, mean: impl Fn(usize, usize) -> Option<f32>) {
        for (row, blocks) in self.blocks.iter_mut().enumerate() {
            blocks.iter_mut().enumerate().for_each(|(column, block)| block.mean = mean(row, column));
        }
    }

    /// From which mean scores on a block is of the upper half, quarter, tenth and thirtieth; none when the evaluation has
    /// no scores. Equal steps between minimum and maximum would show one outlier on a gray field.
    pub fn steps(&self) -> Option<[f32; 4]> {
        let mut means: Vec<f32> = self.blocks.iter().flatten().filter_map(|block| block.mean).collect();
        means.sort_unstable_by(f32::total_cmp);
        let last = means.len().checked_sub(1)?;
        Some([2, 4, 10, 30].map(|part| means[last - last / part]))
    }

    fn counted(
        evaluation: &Evaluation,
        groups: Vec<MapGroup>,
        place: impl Fn(u32) -> Option<usize>,
    ) -> CategoryMap {
        let mut blocks = vec![vec![MapCell::default(); groups.len()]; groups.len()];
        for (statement, verdict) in (0..).zip(&evaluation.verdicts) {
            let Some(row) = place(statement) else { continue };
            // Proofs have the numbers of the statements they belong to.
            if let Some(column) = place(verdict.local) {
                blocks[row][column].local += 1;
            }
            if let Some(column) = verdict.global.and_then(&place) {
                blocks[row][column].global += 1;
            }
        }
        CategoryMap { groups, blocks }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::task::Task;
    use crate::matching::{
        evaluation::{EvaluationInfo, EvaluationOptions, evaluate_scores},
        scores::Matrix,
    };

    #[test]
    fn choices_are_counted_between_categories_and_inside_one() {
        let rows = [vec![0.9, 0.8, 0.1], vec![0.95, 0.9, 0.2], vec![0.7, 0.1, 0.6]];
        let options = EvaluationOptions { k: 3, ..EvaluationOptions::default() };
        let task = Task::unobserved();
        let mut evaluation =
            evaluate_scores(&Matrix::new(&rows), &[], EvaluationInfo::default(), &options, &task)
                .unwrap()
                .evaluation;
        for (verdict, category) in evaluation.verdicts.iter_mut().zip(["a", "b", "a"]) {
            verdict.category = category.to_owned();
        }
        let chosen = |local, global| MapCell { mean: None, local, global };
        let map = CategoryMap::of(&evaluation);
        assert_eq!(map.groups.iter().map(|group| group.statements).collect::<Vec<_>>(), [2, 1]);
        assert_eq!(map.blocks[0][0], chosen(2, 2));
        assert_eq!(map.blocks[1], [chosen(1, 0), chosen(0, 1)]);
        let inside = CategoryMap::inside(&evaluation, "a");
        assert_eq!(inside.groups.len(), 2);
        assert_eq!(inside.blocks[1], [chosen(1, 0), chosen(0, 1)]);
    }
}
