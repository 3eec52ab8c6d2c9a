use super::*;
use crate::{
    base::{rng::Rng, task::Task},
    matching::{
        index::{DenseIndex, DenseVectors, Scratch, write_dense},
        scores::Bilinear,
    },
};

const WIDTH: usize = 12;

/// Vectors around a few points, and the key of their index.
fn clustered(count: usize, seed: u64) -> Vec<f32> {
    let mut rng = Rng::new(seed);
    let mut number = || (rng.next_u64() >> 40) as f32 / (1u64 << 24) as f32 - 0.5;
    let centers: Vec<f32> = (0..20 * WIDTH).map(|_| number()).collect();
    let around = |vector: usize| centers[(vector % 20) * WIDTH..][..WIDTH].to_vec();
    (0..count)
        .flat_map(|vector| around(vector).into_iter().map(|value| value + 0.3 * number()).collect::<Vec<_>>())
        .collect()
}

fn key() -> IndexKey {
    IndexKey { corpus: "c".into(), method: "m".into(), candidates: "all".into() }
}

fn dense(count: usize) -> DenseIndex {
    let vectors = DenseVectors {
        width: WIDTH,
        rows: (0..count as u32).collect(),
        proofs: clustered(count, 1),
        statements: clustered(count, 2),
    };
    let mut weight = vec![0.0; WIDTH * WIDTH];
    weight.iter_mut().step_by(WIDTH + 1).for_each(|value| *value = 1.0);
    let mut bytes = Vec::new();
    write_dense(&vectors, &Bilinear { weight, bias: 0.0 }, key(), &[1, 2, 3], &mut bytes).unwrap();
    DenseIndex::open(Blob::Memory(bytes)).unwrap()
}

fn queries(index: &DenseIndex, step: usize) -> [Vec<CalibrationQuery>; 2] {
    Side::ALL.map(|side| {
        let vectors = index.vectors(side).unwrap();
        let query = |vector: &[f32]| CalibrationQuery { vector: vector.to_vec(), without: None };
        vectors.chunks(WIDTH).step_by(step).map(query).collect()
    })
}

fn written(index: &DenseIndex) -> Vec<u8> {
    let mut bytes = Vec::new();
    write_cells(index, &queries(index, 31), key(), &Scratch::in_memory(), &Task::unobserved(), &mut bytes)
        .unwrap()
        .unwrap();
    bytes
}

#[test]
fn what_is_visited_has_the_scores_of_the_dense_index_and_nearly_all_best_are_visited() {
    let dense = dense(4_000);
    let cells = CellIndex::open(Blob::Memory(written(&dense))).unwrap();
    let (mut found, mut wanted, mut scored) = (0, 0, 0);
    let mut exact = Vec::new();
    for query in queries(&dense, 57)[0].iter().skip(1) {
        dense.scores(&query.vector, 0.5, Side::Proof, &mut exact).unwrap();
        let visited = cells.search(&query.vector, 0.5, Side::Proof, &Selection::All, None).unwrap();
        for (&column, score) in visited.columns.iter().zip(&visited.scores) {
            assert_eq!(exact[column as usize], *score);
        }
        scored += visited.columns.len();
        let rest: u32 = visited.rest.iter().map(|(count, _)| count).sum();
        assert_eq!(visited.columns.len() + rest as usize, 4_000);
        let best = best_first(&exact, BEST);
        found += best[..BEST].iter().filter(|column| visited.columns.contains(column)).count();
        wanted += BEST;
        let unvisited: Vec<f64> = (0u32..)
            .zip(&exact)
            .filter(|(column, _)| !visited.columns.contains(column))
            .map(|(_, &score)| f64::from(score))
            .collect();
        // Means and deviations of what was not visited are exact.
        let count = unvisited.len() as f64;
        let mean = unvisited.iter().sum::<f64>() / count;
        let estimate = |of: &dyn Fn(f64) -> f64| {
            visited.rest.iter().map(|&(count, score)| f64::from(count) * of(f64::from(score))).sum::<f64>()
                / count
        };
        assert!((estimate(&|score| score) - mean).abs() < 1e-4);
        let variance = unvisited.iter().map(|score| (score - mean).powi(2)).sum::<f64>() / count;
        let estimate = estimate(&|score| (score - mean).powi(2)) + visited.variance;
        assert!((estimate.sqrt() - variance.sqrt()).abs() < 1e-3, "{estimate} {variance}");
    }
    assert!(found as f64 >= 0.9 * wanted as f64, "{found} of {wanted}");
    assert!(cells.recall(Side::Proof) >= TARGET);
    assert!(scored < wanted / BEST * 2_000, "{scored} of {wanted} times 400 were scored");
}

#[test]
fn filters_are_searched_until_enough_candidates_are_scored() {
    let dense = dense(2_000);
    let cells = CellIndex::open(Blob::Memory(written(&dense))).unwrap();
    let query = &queries(&dense, 500)[0][1];
    let selection = Selection::Some((0..2_000).map(|column| column % 100 == 3).collect());
    let visited = cells.search(&query.vector, 0.0, Side::Proof, &selection, Some(103)).unwrap();
    let mut columns = visited.columns.clone();
    columns.sort_unstable();
    // Twenty candidates are fewer than a search scores, so every cell was visited.
    let expected: Vec<u32> = (0..20).map(|place| 100 * place + 3).filter(|&column| column != 103).collect();
    assert_eq!(columns, expected);
}

#[test]
fn the_same_vectors_give_the_same_cells_with_any_number_of_threads() {
    let dense = dense(1_500);
    let one = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    assert!(one.install(|| written(&dense)) == written(&dense));
}

#[test]
fn a_damaged_file_is_refused() {
    let mut bytes = written(&dense(300));
    assert_eq!(CellIndex::open(Blob::Memory(bytes.clone())).unwrap().key(), &key());
    bytes.truncate(bytes.len() - 64);
    assert!(CellIndex::open(Blob::Memory(bytes)).is_err());
}

#[test]
fn cells_of_equal_vectors_and_of_one_vector_are_searched() {
    for count in [1, 2, 50] {
        let vectors = DenseVectors {
            width: 2,
            rows: (0..count as u32).collect(),
            proofs: [1.0, 2.0].repeat(count),
            statements: [0.0, 1.0].repeat(count),
        };
        let mut bytes = Vec::new();
        let bilinear = Bilinear { weight: vec![1.0, 0.0, 0.0, 1.0], bias: 0.0 };
        write_dense(&vectors, &bilinear, key(), &[0], &mut bytes).unwrap();
        let dense = DenseIndex::open(Blob::Memory(bytes)).unwrap();
        let mut bytes = Vec::new();
        let none = [Vec::new(), Vec::new()];
        write_cells(&dense, &none, key(), &Scratch::in_memory(), &Task::unobserved(), &mut bytes)
            .unwrap()
            .unwrap();
        let cells = CellIndex::open(Blob::Memory(bytes)).unwrap();
        let visited = cells.search(&[1.0, 1.0], 0.0, Side::Proof, &Selection::All, None).unwrap();
        assert!(visited.scores.iter().all(|&score| score == 3.0) && !visited.scores.is_empty());
    }
}
