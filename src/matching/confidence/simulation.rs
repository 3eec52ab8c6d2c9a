//! Problems with known answers that resemble the problem to be matched.
//!
//! A confidence that is learned from 300 candidates is too high for 100,000: the best of many wrong proofs is better, and the
//! margins are smaller. Known pairs are therefore put among the statements and proofs of the problem itself, as many of
//! each as it has. Half of the known statements keep their proofs, the other half are strangers.

use crate::base::rng::Rng;

/// What simulations are made of. Positions are those in one list of statements and one of proofs.
#[derive(Clone, Debug)]
pub struct Pools {
    /// Statements and proofs that belong together.
    pub known: Vec<(u32, u32)>,
    /// The statements and proofs of the problem, without those that are known too.
    pub statements: Vec<u32>,
    pub proofs: Vec<u32>,
}

/// A problem with known answers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Simulation {
    /// The known statements come first.
    pub statements: Vec<u32>,
    pub proofs: Vec<u32>,
    /// The position of each known statement's proof among `proofs`; `None` for a stranger.
    pub gold: Vec<Option<u32>>,
}

/// Maximum cost of all simulations in scores, unless that leaves fewer than [`FEWEST`] known statements.
const BUDGET: usize = 100_000_000;
/// What a text costs in addition to its scores.
const TEXT_COST: usize = 100;
/// Known statements that are used even if that exceeds the budget.
const FEWEST: usize = 100;
/// How often each known statement is used, at most.
const ROUNDS: usize = 8;

/// Makes simulations with as many statements and proofs as the problem has, or as there are.
pub fn simulations(pools: &Pools, statements: usize, proofs: usize, seed: u64) -> Vec<Simulation> {
    // Every second known statement needs a place for its proof.
    let group = pools.known.len().min(statements).min(2 * proofs).max(1);
    let per_round = pools.known.len().div_ceil(group);
    let affordable = BUDGET / (statements * proofs + TEXT_COST * (statements + proofs)).max(1);
    let wanted = affordable.max(FEWEST.div_ceil(group)).min(ROUNDS * per_round);
    let mut found = Vec::with_capacity(wanted);
    for round in 0..ROUNDS as u64 {
        let mut rng = Rng::named(seed, "simulated matching", round, 0);
        let mut known = pools.known.clone();
        rng.shuffle(&mut known);
        for start in (0..known.len()).step_by(group) {
            if found.len() == wanted {
                return found;
            }
            let end = (start + group).min(known.len());
            let others = [&known[..start], &known[end..]].concat();
            // Of an odd number, one more is a stranger in every other round.
            let is_stranger: Vec<bool> = (start..end).map(|place| (place as u64 + round) % 2 == 1).collect();
            let group = (&known[start..end], &is_stranger[..]);
            found.push(simulation(group, &others, pools, (statements, proofs), &mut rng));
        }
    }
    found
}

/// A problem with the statements of a group of known pairs, and the proofs of those that are no strangers. The problem's own texts
/// fill the remaining places. If there are too few, because they are known themselves, the known pairs of other groups help.
fn simulation(
    (group, is_stranger): (&[(u32, u32)], &[bool]),
    others: &[(u32, u32)],
    pools: &Pools,
    (statements, proofs): (usize, usize),
    rng: &mut Rng,
) -> Simulation {
    let kept: Vec<usize> = (0..group.len()).filter(|&place| !is_stranger[place]).collect();
    let other_statements = others.iter().map(|pair| pair.0).collect();
    let other_proofs = others.iter().map(|pair| pair.1).collect();
    let mut chosen: Vec<u32> = group.iter().map(|pair| pair.0).collect();
    chosen.extend(fill(&pools.statements, other_statements, statements.saturating_sub(group.len()), rng));
    // Among equal scores the first proof is the best, so gold proofs are last.
    let mut candidates = fill(&pools.proofs, other_proofs, proofs.saturating_sub(kept.len()), rng);
    let mut gold = vec![None; group.len()];
    for place in kept {
        gold[place] = Some(candidates.len() as u32);
        candidates.push(group[place].1);
    }
    Simulation { statements: chosen, proofs: candidates, gold }
}

/// A random choice from a pool, and from others as well if it is too small.
fn fill(pool: &[u32], others: Vec<u32>, count: usize, rng: &mut Rng) -> Vec<u32> {
    let sample = |mut items: Vec<u32>, count: usize, rng: &mut Rng| {
        rng.shuffle_first(&mut items, count);
        items.truncate(count);
        items
    };
    let mut chosen = sample(pool.to_vec(), count, rng);
    chosen.extend(sample(others, count - chosen.len(), rng));
    chosen.sort_unstable();
    chosen
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn simulations_have_the_size_of_the_problem(
            known in 1usize..60,
            statements in 1usize..90,
            proofs in 1usize..90,
            missing in 0usize..60,
            seed: u64,
        ) {
            let pools = Pools {
                known: (0..known as u32).map(|place| (1_000 + place, 2_000 + place)).collect(),
                statements: (0..statements.saturating_sub(missing) as u32).collect(),
                proofs: (0..proofs.saturating_sub(missing) as u32).collect(),
            };
            let found = simulations(&pools, statements, proofs, seed);
            prop_assert!(!found.is_empty());
            let (mut strangers, mut with_proof) = (vec![0usize; known], vec![0usize; known]);
            for one in &found {
                prop_assert!(one.gold.len() <= one.statements.len());
                let removed = one.gold.iter().filter(|gold| gold.is_none()).count();
                prop_assert_eq!(one.statements.len(), statements.min(pools.statements.len() + known));
                prop_assert_eq!(one.proofs.len(), proofs.min(pools.proofs.len() + known - removed));
                let distinct = |values: &[u32]| values.iter().collect::<std::collections::HashSet<_>>().len();
                prop_assert_eq!(distinct(&one.statements), one.statements.len());
                prop_assert_eq!(distinct(&one.proofs), one.proofs.len());
                for (statement, gold) in one.statements.iter().zip(&one.gold) {
                    let pair = *statement as usize - 1_000;
                    match gold {
                        Some(gold) => {
                            prop_assert_eq!(one.proofs[*gold as usize] as usize, 2_000 + pair);
                            with_proof[pair] += 1;
                        }
                        None => {
                            // A stranger's proof is not among the candidates.
                            prop_assert!(!one.proofs.contains(&(2_000 + pair as u32)));
                            strangers[pair] += 1;
                        }
                    }
                }
            }
            for (strangers, with_proof) in strangers.iter().zip(&with_proof) {
                prop_assert_eq!(strangers + with_proof, ROUNDS);
            }
            let total: usize = strangers.iter().sum();
            prop_assert!(total.abs_diff(ROUNDS * known / 2) <= found.len(), "{}", total);
        }
    }

    /// Even if there is one statement in each simulation, and not all of them can be afforded.
    #[test]
    fn half_of_the_known_statements_are_strangers() {
        for statements in [1, 2, 3, 7] {
            let pools = Pools {
                known: (0..300).map(|place| (place, place)).collect(),
                statements: (300..310).collect(),
                proofs: (300..20_300).collect(),
            };
            let found = simulations(&pools, statements, 20_000, 1);
            let gold: Vec<_> = found.iter().flat_map(|one| &one.gold).collect();
            let strangers = gold.iter().filter(|gold| gold.is_none()).count();
            assert!(gold.len() >= FEWEST && gold.len().abs_diff(2 * strangers) <= 1, "{statements}");
        }
    }

    #[test]
    fn large_problems_are_simulated_once() {
        let pools = Pools {
            known: (0..300).map(|place| (place, place)).collect(),
            statements: (300..40_300).collect(),
            proofs: (300..40_300).collect(),
        };
        let found = simulations(&pools, 40_000, 40_000, 1);
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].gold.iter().flatten().count(), 150);
    }
}
