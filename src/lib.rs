//! matchbook: which proof belongs to which statement.
//!
//! Given mathematical statements and proofs, find which proof belongs to which statement, and find out
//! whether a model does it by understanding or by matching symbols: the task of "BERT is not The Count:
//! Learning to Match Mathematical Statements with Proofs". This page explains the house to a newcomer.
//!
//! # The rooms
//!
//! Data goes through the rooms in one direction; a room knows those before it and none after it.
//!
//! ```text
//! files -> extract -> corpus -> symbols -> text -> model -> train -> runs -> jobs
//!                       |          |                  |       ^
//!            formats <- exchange   |               matching --+----> app -> ui
//!                       origin     +-> session ----------------------------^-- cli
//! ```
//!
//! - [`extract`] makes pairs out of LaTeXML articles, wherever they lie. It is the room that meets the
//!   world, so it trusts nothing: whatever is wrong with an article is a counted line of the summary.
//! - [`corpus`] holds the words everyone speaks (article, pair, passage, token, font, kind) and the file that
//!   keeps a corpus, with its search, filters, splits, statistics and leak check. A passage is one string in
//!   a line format that is stored as it is, so that loading a pair parses nothing. A formula keeps its names
//!   (the linear form, which models read) apart from its [layout](corpus::layout) (which people read), so the
//!   same layout shows a proof before and after its symbols are replaced. A [typed](corpus::typed) pair becomes the
//!   same thing, so whatever reads a corpus reads what somebody pastes.
//! - [`symbols`] replaces the symbols of a proof at the paper's four levels, exactly, and audits what still leaks.
//! - [`model`] is the encoders (NPT and [BERT](model::bert)), the score, the losses and their gradients: by hand for the
//!   processor, in candle for a GPU. It knows numbers and tokens, not texts, runs or files other than weights.
//! - [`matching`] is everything between a score for each pair and an answer: baselines, ranks, assignments,
//!   corrected rankings, measures, explanations. It never holds the whole matrix of scores, and it does not care
//!   where scores come from.
//! - [`text`] makes numbers of texts: NPT's vocabulary and BERT's [pieces of words](text::wordpiece), what an encoder reads
//!   of a passage, and the order of batches.
//! - [`train`] is the loop: settings, optimisers, objectives in turns, [pre-training](train::pretrain), evaluation, checkpoints. It tells an observer and
//!   writes nothing; the same settings give the same bits, interrupted or not.
//! - [`origin`] goes back from a pair to its article and shows the pair as it stands there.
//! - [`explain`] says which words and symbols made a model match a pair: LIME, gradients and occlusion behind one
//!   interface, over anything that scores variants of a pair. [`importance`] asks trained models about pairs of a corpus
//!   with it, and [`export`] writes what was said as HTML, SVG, LaTeX and JSON.
//! - [`formats`] reads and writes files of pairs and knows nothing of stores; [`exchange`] joins the two.
//! - [`synth`] generates articles for load tests; [`demo`] embeds forty articles of our own.
//! - [`fields`] is settings as tables, one row a setting; the flags of a command, the form of the Train pane and the command
//!   that a form stands for are all made from them.
//! - [`app`] is the workbench without a terminal: state, messages, `update`, effects. What came from outside is a
//!   [recording](app::recording) that can be replayed, and everything the workbench does is tested without a screen. One
//!   table of actions makes keys, help, hints, palette, overrides and README's key table. Long work goes to a worker, tells its
//!   progress and can be stopped; matchings are asked for in `app/assignments/` and kept or reopened in `ui/evaluations.rs`. [`ui`] is the event loop and the
//!   views; it decides nothing. Every colour comes from a [theme](workbench::theme), which is a file.
//! - [`session`] is what the workbench remembers, as files; `app/remembered.rs` turns the workbench into a session and back, a
//!   thread in `ui/keeper.rs` writes it. [`workspace`] is where a user's files and settings lie.
//! - [`runs`] is the directory of a training: settings, status, metrics, log, checkpoints. Everything a trainer and
//!   whoever watches it tell each other goes through these files, which are right at every moment, also the moment
//!   of a crash.
//! - [`trained`] gives a trained model by its name: the best of a run, or one of the two that the program comes with.
//! - [`jobs`] starts, finds and stops runs: processes of this machine, a queue for each device, a Slurm cluster. There is no
//!   daemon: what is to be done stands in the runs' folders, and whoever looks does it.
//! - [`study`] is the paper's tables as grids of runs: a plan names the runs and evaluations that each cell needs, the run
//!   directories say what is there, and the rest is arithmetic and formats. It starts nothing.
//! - [`curves`] makes charts of what runs have measured: lines as columns of numbers, smoothed, in as many columns as a chart
//!   has, each with its lowest and highest value, so that no spike is lost.
//! - [`bench`] measures, and [`cli`] is the command line: one small file a command, which turns arguments
//!   into a request, calls a room, and shows the answer.
//!
//! # What is absent, on purpose
//!
//! - Nothing outside [`cli`] parses arguments; nothing outside [`ui`] names ratatui or crossterm; only these two
//!   print.
//! - [`corpus`] does not know XML, and [`extract`] does not know how a corpus is stored, but for the writer.
//! - There is no global mutable state. Seeds are passed in; the same seed gives the same split, the same names and the
//!   same generated articles on any machine, in any order, with any number of threads.
//! - No `unwrap` on what comes from outside. A file that matters is written under a temporary name, synced
//!   and renamed, so it is there whole or not at all.
//!
//! # Where to find things
//!
//! The pair rule is `extract/pair_rule.rs`; the paper's filters are `extract/filters.rs`; content MathML is
//! `extract/mathml/content.rs`; the corpus file is `corpus/store/`; the levels are `symbols/level.rs` and
//! `symbols/replace.rs`; the k best of a row are `matching/ranking/select.rs`, the product behind neural scores
//! `matching/scores/product.rs`, LAP-JV and LAP-MOD `matching/assignment/`; what a BERT has that an NPT has not is
//! `model/bert/`, the folders of Python's transformers `model/bert/folder.rs`; LIME is `explain/lime/`, and what a
//! model's probability of a match means is said in `explain/model_scorer/mod.rs`; the reference program's own choices are
//! `symbols/compat/` and [`extract::options`]. A test in `tests/house.rs` keeps the direction of the rooms.

pub mod base;
pub mod bench;
pub mod cli;
pub mod corpus;
pub mod explain;
pub mod matching;
pub mod model;
pub mod runs;
pub mod study;
pub mod symbols;
pub mod train;
pub mod workbench;

#[cfg(test)]
#[path = "../tests/fuzz/mod.rs"]
mod fuzz;
