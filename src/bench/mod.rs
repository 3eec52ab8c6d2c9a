//! Benchmarks: the measurements that the guide quotes.
//!
//! Machines are noisy, so programs that are compared run alternately within one command. The shortest time and the median
//! are reported; ratios compare the shortest times.

mod assign;
mod bert;
mod curves;
mod error;
mod explain;
mod extract;
mod find;
mod frame;
mod gpu;
mod growth;
mod instances;
mod peer;
mod rank;
mod replace;
mod timing;
mod train;
mod windows;

pub use assign::{AssignBench, AssignMeasurement, Instance, assign};
pub use bert::{BertMeasurement, BertSize, bert};
pub use curves::{CurvesMeasurement, curves};
pub use error::BenchError;
pub use explain::{ExplainBench, ExplainMeasurement, explain};
pub use extract::{ExtractBench, ExtractMeasurement, extract};
pub use find::{Agreement, BenchVectors, FindBench, FindMeasurement, find};
pub use frame::{ChildTask, FrameBench, FrameMeasurement, SIZE, frame, multiply, run_child_task};
pub use gpu::{GpuMeasurement, GpuModel, gpu};
pub use growth::{FACTORS, GrowthBench, GrowthMeasurement, GrowthWork, grow, growth};
pub use peer::{Peer, PeerServer};
pub use rank::{RankBench, RankMeasurement, rank};
pub use replace::{ReplaceMeasurement, replace};
pub use timing::{Times, peak_memory};
pub use train::{EncodeMeasurement, TrainMeasurement, batches, encode, train};
pub use windows::{WindowsMeasurement, windows};
