//! Approximate search with crates, in vectors that `matchbook bench find --keep FOLDER` wrote.
//!
//! `nearest build CRATE FOLDER` builds an index and saves it; `nearest search CRATE FOLDER` opens it and searches. The best
//! product is found as the least distance: one more coordinate gives all proofs the same length (Bachrach et al., "Speeding
//! Up the Xbox Recommender System Using a Euclidean Transformation for Inner-Product Spaces", 2014).

use std::{
    fs,
    path::{Path, PathBuf},
    time::Instant,
};

use hnsw_rs::prelude::*;
use usearch::{IndexOptions, MetricKind, ScalarKind};

const LINKS: usize = 16;
const BUILD_EFFORT: usize = 128;
const EFFORTS: [usize; 6] = [16, 32, 64, 128, 256, 512];
const BEST: usize = 10;

struct Vectors {
    width: usize,
    proofs: Vec<f32>,
    queries: Vec<f32>,
    best: Vec<u32>,
}

impl Vectors {
    fn read(folder: &Path) -> Vectors {
        let floats = |name: &str| -> Vec<f32> {
            let bytes = fs::read(folder.join(name)).unwrap();
            bytes.chunks_exact(4).map(|word| f32::from_ne_bytes(word.try_into().unwrap())).collect()
        };
        let best: Vec<u32> = floats("dense.best").into_iter().map(f32::to_bits).collect();
        let pairs: usize = fs::read_to_string(folder.join("pairs")).unwrap().trim().parse().unwrap();
        let (proofs, queries) = (floats("dense.proofs"), floats("dense.queries"));
        Vectors { width: proofs.len() / pairs, proofs, queries, best }
    }

    /// The proofs with one more coordinate, after which all are equally long.
    fn lengthened(&self) -> Vec<Vec<f32>> {
        let square = |vector: &[f32]| vector.iter().map(|value| value * value).sum::<f32>();
        let most = self.proofs.chunks(self.width).map(square).fold(0.0, f32::max);
        let longer = |vector: &[f32]| [vector, &[(most - square(vector)).max(0.0).sqrt()]].concat();
        self.proofs.chunks(self.width).map(longer).collect()
    }

    fn score(&self, query: usize, proof: usize) -> f32 {
        let [one, other] = [(&self.queries, query), (&self.proofs, proof)]
            .map(|(vectors, at)| &vectors[at * self.width..][..self.width]);
        one.iter().zip(other).map(|(one, other)| one * other).sum()
    }

    /// The share of the ten best that were found; one that scores as high as the tenth is as good.
    fn recall(&self, found: &[Vec<usize>]) -> f64 {
        let mut good = 0;
        for (query, found) in found.iter().enumerate() {
            let least = self.score(query, self.best[query * BEST + BEST - 1] as usize);
            good += found.iter().filter(|&&one| self.score(query, one) >= least - 1e-5 * least.abs()).count();
        }
        good as f64 / (found.len() * BEST) as f64
    }

    /// Prints the time and the recall of a search for each effort.
    fn measure(&self, mut search: impl FnMut(&[f32], usize) -> Vec<usize>) {
        for effort in EFFORTS {
            let (mut times, mut found) = (Vec::new(), Vec::new());
            for query in self.queries.chunks(self.width) {
                let query = [query, &[0.0]].concat();
                let started = Instant::now();
                found.push(search(&query, effort));
                times.push(started.elapsed().as_secs_f64());
            }
            times.sort_by(f64::total_cmp);
            let [median, recall] = [1e3 * times[times.len() / 2], 100.0 * self.recall(&found)];
            println!("effort {effort:>3}: {median:.3} ms, recall {recall:.1} %");
        }
    }
}

fn usearch_index(width: usize) -> usearch::Index {
    let options = IndexOptions {
        dimensions: width + 1,
        metric: MetricKind::L2sq,
        quantization: ScalarKind::F32,
        connectivity: LINKS,
        expansion_add: BUILD_EFFORT,
        ..IndexOptions::default()
    };
    usearch::Index::new(&options).unwrap()
}

fn usearch_file(folder: &Path) -> PathBuf {
    folder.join("nearest.usearch")
}

fn build(kind: &str, folder: &Path) {
    let vectors = Vectors::read(folder);
    let proofs = vectors.lengthened();
    let threads = std::thread::available_parallelism().unwrap().get();
    let started = (Instant::now(), processor_seconds());
    match kind {
        "usearch" => {
            let index = usearch_index(vectors.width);
            index.reserve_capacity_and_threads(proofs.len(), threads).unwrap();
            std::thread::scope(|scope| {
                for thread in 0..threads {
                    let (index, proofs) = (&index, &proofs);
                    scope.spawn(move || {
                        for at in (thread..proofs.len()).step_by(threads) {
                            index.add(at as u64, &proofs[at]).unwrap();
                            if at % 100_000 == 0 {
                                eprintln!("{at} added after {:.0} s", started.0.elapsed().as_secs_f64());
                            }
                        }
                    });
                }
            });
            index.save(&usearch_file(folder).display().to_string()).unwrap();
        }
        "hnsw_rs" => {
            let index: Hnsw<f32, DistL2> = Hnsw::new(LINKS, proofs.len(), 16, BUILD_EFFORT, DistL2 {});
            let numbered: Vec<(&Vec<f32>, usize)> = proofs.iter().zip(0..).collect();
            index.parallel_insert(&numbered);
            index.file_dump(folder, "nearest").unwrap();
        }
        _ => panic!("no crate {kind}"),
    }
    let (wall, processor) = (started.0.elapsed().as_secs_f64(), processor_seconds() - started.1);
    println!("{kind}: built and saved in {wall:.0} s, {processor:.0} s of processor time, on {threads} cores");
    println!("memory at most {} MB", memory("VmHWM:"));
}

fn search(kind: &str, folder: &Path) {
    let vectors = Vectors::read(folder);
    let before = memory("VmRSS:");
    let started = Instant::now();
    let opened = |started: Instant| {
        println!("{kind}: opened in {:.0} ms, {} MB of memory", 1e3 * started.elapsed().as_secs_f64(), memory("VmRSS:") - before);
    };
    match kind {
        "usearch" => {
            let index = usearch_index(vectors.width);
            index.load(&usearch_file(folder).display().to_string()).unwrap();
            opened(started);
            vectors.measure(|query, effort| {
                index.change_expansion_search(effort);
                index.search(query, BEST).unwrap().keys.into_iter().map(|key| key as usize).collect()
            });
        }
        "usearch-mapped" => {
            let index = usearch_index(vectors.width);
            index.view(&usearch_file(folder).display().to_string()).unwrap();
            opened(started);
            vectors.measure(|query, effort| {
                index.change_expansion_search(effort);
                index.search(query, BEST).unwrap().keys.into_iter().map(|key| key as usize).collect()
            });
        }
        "hnsw_rs" => {
            let mut file = HnswIo::new(folder, "nearest");
            let index: Hnsw<f32, DistL2> = file.load_hnsw().unwrap();
            opened(started);
            vectors.measure(|query, effort| {
                index.search(query, BEST, effort).into_iter().map(|found| found.d_id).collect()
            });
        }
        _ => panic!("no crate {kind}"),
    }
    println!("{} MB of memory after searching", memory("VmRSS:") - before);
}

/// Megabytes of this process.
fn memory(field: &str) -> i64 {
    let status = fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix(field)).unwrap();
    line.trim().trim_end_matches(" kB").trim().parse::<i64>().unwrap() / 1000
}

/// Seconds that all threads of this process have computed.
fn processor_seconds() -> f64 {
    let stat = fs::read_to_string("/proc/self/stat").unwrap();
    let fields: Vec<&str> = stat.rsplit(')').next().unwrap().split_whitespace().collect();
    fields[11..13].iter().map(|ticks| ticks.parse::<f64>().unwrap()).sum::<f64>() / 100.0
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["build", kind, folder] => build(kind, Path::new(folder)),
        ["search", kind, folder] => search(kind, Path::new(folder)),
        _ => panic!("usage: nearest build|search usearch|usearch-mapped|hnsw_rs FOLDER"),
    }
}
