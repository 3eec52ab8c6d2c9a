//! Measuring this machine: the numbers that README quotes, made again by a command.
//!
//! Machines are noisy, so what is compared runs in turns within one command, and what is reported is
//! the shortest time and the median; ratios are between shortest times.

mod assign;
mod bert;
mod curves;
mod explain;
mod extract;
mod frame;
mod instances;
mod rank;
mod replace;
mod served;
mod timing;
mod train;

pub use assign::{AssignBench, AssignBenchError, AssignMeasurement, Instance, assign};
pub use bert::{BertMeasurement, BertSize, bert};
pub use curves::{CurvesBenchError, CurvesMeasurement, curves};
pub use explain::{ExplainBench, ExplainBenchError, ExplainMeasurement, ModelTimes, explain};
pub use extract::{ExtractBench, ExtractMeasurement, Peer, PeerError, extract};
pub use frame::{Alone, FrameBench, FrameError, FrameMeasurement, Percentiles, SIZE, alone, frame, multiply};
pub use rank::{RankBench, RankBenchError, RankMeasurement, rank};
pub use replace::{ReplaceMeasurement, replace};
pub use served::Served;
pub use timing::{Times, peak_memory};
pub use train::{EncodeMeasurement, TrainBenchError, TrainMeasurement, batches, encode, train};
