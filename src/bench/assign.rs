//! Speed of the assignment solvers, compared with another program's on the same instances.
//!
//! The other program writes the instance it measures, so that both solve the same problem and their optimal costs can be
//! compared. Without it, instances of the same kinds are generated here.

use std::{
    collections::BTreeMap,
    ffi::OsString,
    fs,
    path::{Path, PathBuf},
};

use serde::{Deserialize, Serialize};

use super::{
    error::BenchError,
    instances::{self, SIZE, WIDTH},
    peer::Peer,
    timing::Times,
};
use crate::{
    base::{rng::Rng, task::Task},
    corpus::formats::ranks::RankRow,
    matching::assignment::{
        Assignment, AssignmentError, Dense, Graph, Objective, lapjv, lapmod,
        prune::{Keep, prune_until_feasible},
    },
};

/// What to measure.
pub struct AssignBench {
    pub rounds: usize,
    pub instances: Vec<Instance>,
    /// The scores of a model, from a rank file, as one more instance.
    pub ranks: Option<Vec<RankRow>>,
    /// A command that takes `dense N KIND` or `sparse KIND`, and `--dump FILE`, or `given N FILE`, and prints JSON with
    /// `seconds` and `cost` for each of its solvers.
    pub peer: Option<Peer>,
    /// Folder for instances.
    pub scratch: PathBuf,
}

/// One problem.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Instance {
    /// Uniform costs; the number of rows and columns.
    Random(usize),
    /// Normal costs with a better diagonal; the number of rows and columns.
    Diagonal(usize),
    /// Integer costs from 0 to 99; the number of rows and columns.
    Integer(usize),
    /// Integer costs from 0 to 4, which are mostly ties; the number of rows and columns.
    Ties(usize),
    /// Distances between points of a square; the number of rows and columns.
    Geometric(usize),
    /// Products of a number per row and a number per column; the number of rows and columns.
    Product(usize),
    /// The 500 best of 18,408 columns per row, where each row has its own best column.
    SparseDiagonal,
    /// The same with hubs (columns that score high with every row), from scores to an assignment.
    SparseHubby,
    /// The scores of a rank file; the number of rows and columns.
    Ranks(usize),
}

impl Instance {
    pub const ALL: [Self; 31] = [
        Self::Random(60),
        Self::Random(200),
        Self::Random(500),
        Self::Random(2_000),
        Self::Random(5_000),
        Self::Diagonal(60),
        Self::Diagonal(200),
        Self::Diagonal(500),
        Self::Diagonal(2_000),
        Self::Diagonal(5_000),
        Self::Integer(60),
        Self::Integer(200),
        Self::Integer(500),
        Self::Integer(2_000),
        Self::Integer(5_000),
        Self::Ties(60),
        Self::Ties(200),
        Self::Ties(500),
        Self::Ties(2_000),
        Self::Ties(5_000),
        Self::Geometric(60),
        Self::Geometric(200),
        Self::Geometric(500),
        Self::Geometric(2_000),
        Self::Geometric(5_000),
        Self::Product(60),
        Self::Product(200),
        Self::Product(500),
        Self::Product(2_000),
        Self::SparseDiagonal,
        Self::SparseHubby,
    ];

    /// The size and the kind of a dense problem.
    fn dense(self) -> Option<(usize, &'static str)> {
        match self {
            Self::Random(size) => Some((size, "random")),
            Self::Diagonal(size) => Some((size, "diagonal")),
            Self::Integer(size) => Some((size, "integer")),
            Self::Ties(size) => Some((size, "ties")),
            Self::Geometric(size) => Some((size, "geometric")),
            Self::Product(size) => Some((size, "product")),
            Self::SparseDiagonal | Self::SparseHubby | Self::Ranks(_) => None,
        }
    }

    pub fn name(self) -> String {
        match (self, self.dense()) {
            (_, Some((size, kind))) => format!("{kind}-{size}"),
            (Self::SparseHubby, None) => "sparse-hubby".to_owned(),
            (Self::Ranks(size), None) => format!("ranks-{size}"),
            (_, None) => "sparse-diagonal".to_owned(),
        }
    }

    fn peer_arguments(self, file: &Path) -> Vec<OsString> {
        let arguments = match (self, self.dense()) {
            (_, Some((size, kind))) => format!("dense {size} {kind} --dump"),
            (Self::SparseHubby, None) => "sparse hubby --dump".to_owned(),
            (Self::Ranks(size), None) => format!("given {size}"),
            (_, None) => "sparse diagonal --dump".to_owned(),
        };
        arguments.split(' ').map(OsString::from).chain([file.into()]).collect()
    }
}

/// Measurements on one instance.
#[derive(Debug, Serialize)]
pub struct AssignMeasurement {
    pub instance: String,
    pub own: Times,
    /// The optimal cost, or the solver's error.
    pub own_cost: Result<f64, String>,
    /// Edges kept per row and column, if pruning had to keep more.
    pub kept: Option<Keep>,
    pub peers: BTreeMap<String, PeerMeasurement>,
}

/// One of the other program's solvers.
#[derive(Debug, Default, Serialize)]
pub struct PeerMeasurement {
    pub times: Times,
    /// The optimal cost, if the solver found one.
    pub cost: Option<f64>,
}

impl AssignMeasurement {
    /// Time of the fastest other solver, relative to ours.
    pub fn ratio(&self) -> Option<f64> {
        let quickest = self.peers.values().map(|peer| peer.times.best()).min_by(f64::total_cmp)?;
        Some(quickest / self.own.best())
    }
}

#[derive(Deserialize)]
struct PeerAnswer {
    seconds: f64,
    cost: Option<f64>,
}

/// Measures each instance, alternating with the other program.
pub fn assign(
    bench: &AssignBench,
    observe: &mut dyn FnMut(Instance, usize),
) -> Result<Vec<AssignMeasurement>, BenchError> {
    let given = bench.ranks.as_deref().map(instances::ranked).transpose()?;
    let ranks = given.as_ref().map(|graph| Instance::Ranks(graph.rows()));
    let instances = bench.instances.iter().copied().chain(ranks);
    instances.map(|instance| measure(bench, instance, given.as_ref(), observe)).collect()
}

fn measure(
    bench: &AssignBench,
    instance: Instance,
    given: Option<&Graph<f64>>,
    observe: &mut dyn FnMut(Instance, usize),
) -> Result<AssignMeasurement, BenchError> {
    let mut measured = AssignMeasurement {
        instance: instance.name(),
        own: Times::default(),
        own_cost: Err("not measured".to_owned()),
        kept: None,
        peers: BTreeMap::new(),
    };
    let dump = bench.scratch.join(instance.name());
    let mut problem = None;
    if let (Instance::Ranks(_), Some(given)) = (instance, given) {
        let written = fs::write(&dump, instances::bytes(given));
        written.map_err(|cause| BenchError::Instance { path: dump.clone(), cause })?;
        problem = Some(Problem::given(given));
    }
    for round in 0..bench.rounds {
        observe(instance, round);
        if let Some(peer) = &bench.peer {
            let answers: BTreeMap<String, PeerAnswer> = peer.run(instance.peer_arguments(&dump))?;
            for (name, answer) in answers {
                let peer = measured.peers.entry(name).or_default();
                peer.times.add(answer.seconds);
                peer.cost = answer.cost;
            }
        }
        let problem = match &mut problem {
            Some(problem) => problem,
            none => none.insert(Problem::load(instance, bench.peer.is_some().then_some(&dump))?),
        };
        problem.touch();
        let (answer, kept) = measured.own.measure_repeatedly(|| problem.solve());
        measured.own_cost = answer.map(|answer| answer.value).map_err(|error| error.to_string());
        measured.kept = kept;
    }
    Ok(measured)
}

/// A problem in memory.
enum Problem {
    Dense { size: usize, costs: Vec<f64> },
    Sparse(Graph<f64>),
    Scores(instances::HubScores),
}

impl Problem {
    fn load(instance: Instance, dump: Option<&PathBuf>) -> Result<Self, BenchError> {
        let read = |path: &PathBuf| {
            fs::read(path).map_err(|cause| BenchError::Instance { path: path.clone(), cause })
        };
        if let Some((size, _)) = instance.dense() {
            let costs = match dump {
                Some(dump) => instances::floats(&read(dump)?),
                None => instances::dense(instance, size),
            };
            return Ok(Self::Dense { size, costs });
        }
        Ok(match (instance, dump) {
            (Instance::SparseDiagonal, Some(dump)) => Self::Sparse(instances::sparse(&read(dump)?)?),
            (Instance::SparseDiagonal, None) => Self::Sparse(instances::own_sparse()?),
            // The other program writes only the edges it kept; keeping more needs all scores.
            _ => Self::Scores(instances::HubScores::new(SIZE, WIDTH, 1.0, Rng::new(1))),
        })
    }

    /// A dense problem if all edges are there.
    fn given(graph: &Graph<f64>) -> Self {
        let size = graph.rows();
        let is_dense = graph.columns() == size && (0..size).all(|row| graph.values(row).len() == size);
        match is_dense {
            true => {
                Self::Dense { size, costs: (0..size).flat_map(|row| graph.values(row).to_vec()).collect() }
            }
            false => Self::Sparse(graph.clone()),
        }
    }

    /// Reads a dense problem once, to warm the cache: the other program has just generated it when its solvers start.
    fn touch(&self) {
        if let Self::Dense { costs, .. } = self {
            std::hint::black_box(costs.iter().sum::<f64>());
        }
    }

    fn solve(&self) -> (Result<Assignment, AssignmentError>, Option<Keep>) {
        match self {
            Self::Dense { size, costs } => (Dense::new(costs, *size, *size).and_then(lapjv::minimize), None),
            Self::Sparse(graph) => (lapmod::solve(graph, Objective::Minimize, None), None),
            Self::Scores(scores) => {
                match prune_until_feasible(
                    scores,
                    Keep::both(instances::BEST),
                    Objective::Maximize,
                    &Task::unobserved(),
                ) {
                    Ok(widened) => {
                        (lapmod::solve(&widened.graph, Objective::Maximize, None), Some(widened.keep))
                    }
                    Err(error) => (Err(error), None),
                }
            }
        }
    }
}
