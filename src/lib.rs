//! matchbook: which proof belongs to which statement, and does the model read the mathematics or match letters?
//!
//! A terminal workbench for the task of the paper "BERT is not The Count: Learning to Match Mathematical Statements with
//! Proofs". This page is the map of the source for a new developer; `CONTRIBUTING.md` has the recipes.
//!
//! # Modules
//!
//! Dependencies point to the left only; `tests/suite/architecture.rs` fails when one does not.
//!
//! ```text
//! base <- corpus <- symbols <- model <- matching <- train <- explain <- runs <- study <- workbench <- bench <- cli
//! ```
//!
//! | module | purpose |
//! |---|---|
//! | [`base`] | what every module may use: random streams, cancellation and progress, atomic files, the workspace, settings as tables, number formats, shell quoting, writers for HTML, SVG, LaTeX, Markdown and CSV |
//! | [`corpus`] | articles, pairs, passages and tokens; `extract/` reads LaTeXML articles, `store/` is the corpus file, `formats/` and `exchange/` import and export, `typed/` parses pairs that a user types, `leaks/` and `statistics/` describe a corpus, `synth/` and `demo` make articles |
//! | [`symbols`] | the paper's replacement levels, canonical names, and the audit of what a level still gives away |
//! | [`model`] | tokenizers, the encoders (NPT, [BERT](model::bert) and bags of formula windows), the bilinear score, losses and gradients: kernels for the CPU, an [engine](model::resident) that stays on its device for GPUs, candle's [autograd](model::graph) as their oracle |
//! | [`matching`] | from scores to answers: baselines, ranking, assignment solvers, decoders, metrics, evaluation; `index/` is exact search in vectors on disk, `confidence/` matching where a statement may have no proof |
//! | [`train`] | settings, training loop, optimizers, checkpoints, [pre-training](train::pretrain); reports to an observer and writes no file |
//! | [`explain`] | LIME, gradients and occlusion for one pair; `importance/` explains pairs of a corpus, `export/` writes heatmaps |
//! | [`runs`] | the run directory and the life of a run (`training/`), `jobs/` (local, queue, Slurm), `curves/`, `metrics/`, trained models by name (`trained/`), search by statement (`find/`), two collections (`collections/`) |
//! | [`study`] | the paper's tables as grids of runs: plans, the runner, tables, claims |
//! | [`workbench`] | `app/` state and update, `backend/` threads, files and jobs, `session/` files, `theme/`, `ui/` the terminal |
//! | [`bench`](mod@bench) | the measurements that the documentation quotes |
//! | [`cli`] | one small file per command: arguments in, text out |
//!
//! # Invariants
//!
//! - Only `workbench/ui` names ratatui and crossterm, and it computes nothing that a test would check: it draws `&App`.
//! - `workbench/app` does no I/O, reads no clock and starts no thread. [`update`](workbench::app::update) takes a message and returns
//!   effects; `workbench/backend` carries them out. A list of messages is therefore a recording that can be replayed.
//! - `cli` owns no logic that a pane would need too; only `cli` and `workbench/ui` print.
//! - Nothing to the left of `runs` knows that a run is a process or a directory.
//! - `corpus/extract` never panics and never stops at a bad article: each problem is a counted line of the summary.
//! - There is no global mutable state, except for the GPUs that a process has opened. Seeds and clocks are passed in; the same
//!   seed gives the same split, names, weights and explanations, with any number of threads.
//! - No `unwrap` on input from outside. A file that matters is written under a temporary name, synced and renamed.
//!
//! # Three data paths
//!
//! *From an article file to Browse:* `cli/extract` → `corpus/extract/pipeline.rs` (`source/` opens files and archives, `tree/` parses,
//! `pair_rule.rs` finds pairs, `mathml/` linearizes formulas, `filters.rs` discards) → `corpus/store/writer.rs`; then
//! `workbench/backend/corpus.rs` queries the store, `workbench/app/browse/` holds what was found, and `workbench/ui/panes/browse/` draws it.
//!
//! *From `matchbook train` to a curve:* `cli/train.rs` → `runs/training/mod.rs` (lock, heartbeat, checkpoints, final status) →
//! `train/trainer.rs` and `train/training_loop.rs` → `runs/training/recorder.rs` writes `metrics.jsonl`; then `runs/metrics/tail.rs`
//! follows that file, `workbench/backend/runs.rs` hands the curves of `runs/curves/` to `workbench/app/curves/`, and
//! `workbench/ui/panes/curves/chart.rs` draws them.
//!
//! *From a key press to a redrawn Compare:* `workbench/ui/input.rs` → `workbench/app/update.rs` (looked up in `keymap.rs`) →
//! `workbench/app/compare/actions.rs` changes the state and asks for a proof at a level (`request.rs`) → `workbench/backend/corpus.rs`
//! answers on a worker thread → `workbench/ui/panes/compare.rs` draws it.
//!
//! # Where to find things
//!
//! | what | where |
//! |---|---|
//! | the pair rule; the paper's filters | `corpus/extract/pair_rule.rs`; `corpus/extract/filters.rs` |
//! | replacement levels; those of the authors' program | `symbols/level.rs`, `symbols/replace.rs`; `symbols/compat/` |
//! | encoders; their settings | `model/npt/`, `model/bert/`; `train/settings/fields.rs` |
//! | LAP-JV, LAP-MOD | `matching/assignment/lapjv.rs`, `matching/assignment/lapmod.rs` |
//! | folders of Python's transformers | `model/bert/folder.rs` |
//! | the heartbeat of a run | `runs/training/heartbeat.rs` |
//! | columns, order and filters of the run table | `runs/table/`; drawn by `workbench/ui/panes/training/table.rs` |
//! | what draws the heatmap; what exports it | `workbench/ui/panes/importance/heatmap.rs`; `explain/export/` |
//! | keys, help, hints, palette | the table in `workbench/app/action.rs` |

pub mod base;
mod bench;
pub mod cli;
pub mod corpus;
pub mod explain;
pub mod matching;
pub mod model;
pub mod runs;
mod study;
pub mod symbols;
mod train;
pub mod workbench;

#[cfg(test)]
#[path = "../tests/fuzz/mod.rs"]
mod fuzz;
