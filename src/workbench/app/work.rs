//! Work that is done elsewhere: questions to the corpus and their answers.
//!
//! There is one slot for each kind of work. A slot works on one question at a time, and the newest
//! replaces whatever waited; an answer to an older question is dropped by its number. So a user who
//! types fast never waits for the searches of the letters before.

use std::sync::Arc;

use super::{
    assignments::Inquiry,
    document::{Form, Prose},
    importance::{self, PairName, Telling},
    pane::PaneId,
    studies::StudyPicture,
    training::{Draft, Files},
};
use crate::{
    base::task::Progress,
    corpus::{
        Article, Pair,
        store::{
            ArticleLine, CategoryCount, CategoryFilter, Filter, Histograms, HitOrder, PairSummary, Query,
            Sort,
        },
    },
    explain::importance::{Edit, Finding, Standing},
    matching::{evaluation::Evaluation, explanation::Explanation},
    runs::curves::{Look, PlotRequest, Plotted},
    runs::jobs::{JobRow, Notes, RunOptions, SlurmOptions},
    runs::trained::InitialWeights,
    runs::{Anchor, CorpusReference},
    study::StudyRequest,
    symbols::{Setting, protected::ProtectedLists},
    train::{Estimate, Load},
};

/// The kinds of work.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Slot {
    /// Which categories there are.
    Categories,
    /// Which pairs the list has, and in which order.
    Listing,
    /// What stands in the lines of the list.
    Page,
    /// The pair being read.
    Pair,
    /// The pair being compared.
    Compared,
    /// The articles of a category.
    Articles,
    /// How long the pairs of the list are.
    Histograms,
    /// The source of the pair being read.
    Source,
    /// Writing the marked pairs to a file.
    Export,
    /// Matching the statements and proofs of a part.
    Evaluation,
    /// Why a statement has the proof it has.
    Explanation,
    /// The texts of a statement and of the proofs it might have.
    Matched,
    /// The statements that a search of Assignments finds.
    Found,
    /// How the statements in sight in Assignments begin.
    Beginnings,
    /// How far a study is.
    Study,
    /// Writing a study's table.
    StudyExport,
    /// Which runs there are, and what they do.
    Runs,
    /// Something that is done to a run.
    Job,
    /// The end of the log of a run that did not end well.
    LastWords,
    /// What a training would need.
    Estimate,
    /// What is in the files that a form names.
    Sources,
    /// The curves that are shown.
    Curves,
    /// Reading the lines of long runs.
    CurveLines,
    /// Writing curves to a file.
    CurveExport,
    /// The log of a run.
    Log,
    /// Why models match a pair.
    Importance,
    /// Where an edited pair stands.
    WhatIf,
    /// Which models there are.
    Models,
    /// Writing a heatmap to a file.
    Heatmap,
}

impl Slot {
    pub const ALL: [Slot; 29] = [
        Slot::Categories,
        Slot::Listing,
        Slot::Page,
        Slot::Pair,
        Slot::Compared,
        Slot::Articles,
        Slot::Histograms,
        Slot::Source,
        Slot::Export,
        Slot::Evaluation,
        Slot::Explanation,
        Slot::Matched,
        Slot::Found,
        Slot::Beginnings,
        Slot::Study,
        Slot::StudyExport,
        Slot::Runs,
        Slot::Job,
        Slot::LastWords,
        Slot::Estimate,
        Slot::Sources,
        Slot::Curves,
        Slot::CurveLines,
        Slot::CurveExport,
        Slot::Log,
        Slot::Importance,
        Slot::WhatIf,
        Slot::Models,
        Slot::Heatmap,
    ];

    /// Whether it looks now and then at what goes on anyway, so that nobody waits for it.
    pub fn is_quiet(self) -> bool {
        matches!(
            self,
            Slot::Runs
                | Slot::LastWords
                | Slot::Estimate
                | Slot::Sources
                | Slot::Curves
                | Slot::CurveLines
                | Slot::Log
        )
    }

    /// The pane that asks, and has the answers.
    pub fn pane(self) -> PaneId {
        match self {
            Slot::Compared => PaneId::Compare,
            Slot::Study | Slot::StudyExport => PaneId::Studies,
            // All panes that show runs share what is told of them.
            Slot::Runs | Slot::Job | Slot::LastWords | Slot::Estimate | Slot::Sources => PaneId::Train,
            Slot::Curves | Slot::CurveLines | Slot::CurveExport => PaneId::Curves,
            Slot::Log => PaneId::Log,
            Slot::Evaluation | Slot::Explanation | Slot::Matched | Slot::Found | Slot::Beginnings => {
                PaneId::Assignments
            }
            Slot::Importance | Slot::WhatIf | Slot::Models | Slot::Heatmap => PaneId::Importance,
            Slot::Categories
            | Slot::Listing
            | Slot::Page
            | Slot::Pair
            | Slot::Articles
            | Slot::Histograms
            | Slot::Source
            | Slot::Export => PaneId::Browse,
        }
    }
}

/// Tells questions of one slot apart; the newest has the highest.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Generation(pub u64);

/// What a worker is asked.
#[derive(Clone, Debug, PartialEq)]
pub enum Question {
    Categories,
    /// The rows that a query finds, or all that fit the filter when the query is empty.
    Listing {
        query: Query,
        filter: Filter,
        sort: Sort,
    },
    /// The summaries of a page of the list that `listing` answered.
    Page {
        listing: Generation,
        page: usize,
        rows: Vec<u32>,
    },
    Pair {
        row: u32,
    },
    /// The pair before or after this one, if it is of the same article.
    Neighbour {
        row: u32,
        forward: bool,
    },
    Articles {
        category: String,
        filter: CategoryFilter,
    },
    /// The sizes of the pairs that a listing of the same query and filter would have.
    Histograms {
        query: Query,
        filter: Filter,
    },
    /// A pair as TeX or as the article has it, highlighted.
    Source {
        row: u32,
        form: Form,
    },
    /// Writes pairs to a file, whose name tells the format. One that is there is replaced only when told so.
    Export {
        rows: Vec<u32>,
        path: String,
        replace: bool,
    },
    /// A pair of the user's own, from a file.
    PairFile {
        path: String,
    },
    /// Matches a part, unless the answer is kept; with `only_kept`, nothing is worked out.
    Evaluate {
        inquiry: Inquiry,
        only_kept: bool,
    },
    /// The chain of swaps that would grant a statement's wish. A large matching is worked out again only when told so.
    Explain {
        inquiry: Inquiry,
        statement: u32,
        work_out: bool,
    },
    /// Pairs as a level has them.
    Matched {
        rows: Vec<u32>,
        setting: Setting,
    },
    /// How far a study is, with the categories of a cell.
    Study {
        request: Box<StudyRequest>,
        cell: (usize, usize),
    },
    /// Writes a study's table in every format into the workspace.
    ExportStudy {
        request: Box<StudyRequest>,
    },
    /// All runs of the workspace; those whose turn has come are started.
    Runs,
    Job(Box<JobWish>),
    /// What such a training would need on the open corpus, if that is the one with this fingerprint.
    Estimate {
        load: Box<Load>,
        corpus: Option<String>,
    },
    /// What is in files that a form names.
    Sources(Files),
    Plot {
        request: PlotRequest,
        look: Box<Look>,
    },
    /// Reads the lines of runs that were shown in outline.
    ReadCurves {
        runs: Vec<String>,
    },
    /// Writes curves to a file, whose name tells the format.
    ExportCurves {
        request: PlotRequest,
        path: String,
        replace: bool,
    },
    /// What a run's log has after a place.
    Log {
        run: String,
        anchor: Anchor,
    },
    /// Why models match a pair.
    Importance {
        pair: PairName,
        inquiry: Box<importance::Inquiry>,
    },
    /// Where the pair stands after an edit.
    WhatIf {
        pair: PairName,
        inquiry: Box<importance::Inquiry>,
        edit: Box<Edit>,
    },
    /// The names of the models that can be asked.
    Models,
    /// Writes findings to a file, whose name tells the form. One that is there is replaced only when told so.
    Heatmap {
        findings: Vec<Finding>,
        path: String,
        replace: bool,
    },
}

/// What a worker found.
#[derive(Debug)]
pub enum Answer {
    Categories(Vec<CategoryCount>),
    Listing {
        rows: Arc<Vec<u32>>,
        order: HitOrder,
    },
    Page {
        listing: Generation,
        page: usize,
        summaries: Vec<PairSummary>,
    },
    /// `None` when there is no such pair.
    Pair(Option<Box<LoadedPair>>),
    Articles {
        category: String,
        lines: Vec<ArticleLine>,
    },
    Histograms(Histograms),
    Source {
        row: u32,
        form: Form,
        source: SourceText,
    },
    Exported(Exported),
    /// A pair that comes from no corpus.
    OwnPair(Box<LoadedPair>),
    /// How far a matching is; the answer itself comes later.
    Progress(Progress),
    /// `None` when it is not kept and was not to be worked out.
    Evaluated {
        inquiry: Inquiry,
        evaluation: Option<Arc<Evaluation>>,
    },
    /// `None` when it would have to be worked out again.
    Explained {
        inquiry: Inquiry,
        statement: u32,
        explanation: Option<Box<Explanation>>,
    },
    Matched(Vec<LoadedPair>),
    /// `None` when there is no workspace to look into.
    Study(Option<Arc<StudyPicture>>),
    /// Something was done, in words.
    Told(String),
    Runs(Arc<Vec<JobRow>>),
    /// What was done, in words; and the run that was launched or named.
    JobDone {
        words: String,
        run: Option<String>,
    },
    /// None when the corpus is not the open one.
    Estimated {
        load: Box<Load>,
        estimate: Option<Estimate>,
    },
    Sources(Box<SourcesTold>),
    Plotted(Box<Plotted>),
    /// Whether there is more to see now.
    CurvesRead(bool),
    Log(Box<LogTold>),
    /// What is known of a pair's importance; more comes until it is done.
    Importance {
        tellings: Vec<Telling>,
        is_done: bool,
    },
    WhatIf {
        edit: Edit,
        standings: Vec<Standing>,
    },
    Models(Vec<String>),
}

/// Something to be done to a run.
#[derive(Clone, Debug, PartialEq)]
pub enum JobWish {
    Launch(Box<LaunchWish>),
    Stop(String),
    Kill(String),
    Resume(String),
    Remove(String),
    /// Before all others that wait.
    First(String),
    Rename {
        run: String,
        to: String,
    },
    Annotate {
        run: String,
        notes: Notes,
    },
}

/// A run to be started.
#[derive(Clone, Debug, PartialEq)]
pub struct LaunchWish {
    pub name: String,
    pub place: PlaceWish,
    pub draft: Draft,
    pub options: RunOptions,
    /// What the cluster is asked for, beside what the user's settings say.
    pub slurm: SlurmOptions,
    /// None for the corpus that is open.
    pub corpus: Option<CorpusReference>,
    /// What it is called on the command line.
    pub corpus_name: String,
}

/// What is in files that a form names: what a BERT begins with, and protected symbols. None where none was named.
#[derive(Clone, Debug, PartialEq)]
pub struct SourcesTold {
    pub files: Files,
    pub beginning: Option<Result<InitialWeights, String>>,
    pub protected: Option<Result<ProtectedLists, String>>,
}

/// Where a run is to be started.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PlaceWish {
    #[default]
    Here,
    Queue,
    Slurm,
}

impl PlaceWish {
    pub const ALL: [PlaceWish; 3] = [PlaceWish::Here, PlaceWish::Queue, PlaceWish::Slurm];

    pub fn word(self) -> &'static str {
        match self {
            PlaceWish::Here => "here, now",
            PlaceWish::Queue => "here, in the queue",
            PlaceWish::Slurm => "on Slurm",
        }
    }
}

/// What a log has after a place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LogTold {
    pub run: String,
    /// The log was replaced, and these are its lines from the beginning.
    pub is_restarted: bool,
    /// Lines before these that were passed over.
    pub left_out: usize,
    pub lines: Vec<String>,
    /// The place after them.
    pub anchor: Anchor,
}

/// Statement and proof as their source, or why there is none to show.
pub type SourceText = Result<[Prose; 2], String>;

/// What became of an export.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Exported {
    /// What was written, in words.
    Written(String),
    /// The file is there already, and nobody said that it may be replaced.
    Exists,
}

/// A pair with all that is shown of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoadedPair {
    /// Its place in the corpus, if it comes from there.
    pub row: Option<u32>,
    pub article: Article,
    pub pair: Pair,
}

/// An answer on its way back.
#[derive(Debug)]
pub struct Reply {
    pub slot: Slot,
    pub generation: Generation,
    /// An error is told as a message.
    pub answer: Result<Answer, String>,
}

/// What each slot is doing.
#[derive(Debug, Default)]
pub struct Slots {
    states: [SlotState; Slot::ALL.len()],
}

#[derive(Clone, Copy, Debug, Default)]
struct SlotState {
    newest: Generation,
    /// When the newest question was asked, if it is still open.
    waiting_since: Option<u64>,
}

impl SlotState {
    fn is_slow(&self, now: u64) -> bool {
        self.waiting_since.is_some_and(|since| now.saturating_sub(since) >= SLOW)
    }
}

impl Slots {
    /// Takes a number for a new question; all older ones of the slot become stale.
    pub fn open(&mut self, slot: Slot, now: u64) -> Generation {
        let state = &mut self.states[slot as usize];
        state.newest.0 += 1;
        state.waiting_since = Some(now);
        state.newest
    }

    /// Whether the answer is to the newest question; if so, the slot rests.
    pub fn close(&mut self, slot: Slot, generation: Generation) -> bool {
        let state = &mut self.states[slot as usize];
        let is_newest = state.newest == generation && state.waiting_since.is_some();
        if is_newest {
            state.waiting_since = None;
        }
        is_newest
    }

    /// Gives up on the open question, if there is one.
    pub fn cancel(&mut self, slot: Slot) -> bool {
        self.states[slot as usize].waiting_since.take().is_some()
    }

    /// Gives up on everything that takes too long, and tells what that is.
    pub fn cancel_slow(&mut self, now: u64) -> Vec<Slot> {
        let is_slow = |slot: &Slot| !slot.is_quiet() && self.states[*slot as usize].is_slow(now);
        let slow: Vec<Slot> = Slot::ALL.into_iter().filter(is_slow).collect();
        slow.iter().for_each(|slot| self.states[*slot as usize].waiting_since = None);
        slow
    }

    /// Whether every question is answered.
    pub fn is_idle(&self) -> bool {
        self.states.iter().all(|state| state.waiting_since.is_none())
    }

    pub fn is_waiting(&self, slot: Slot) -> bool {
        self.states[slot as usize].waiting_since.is_some()
    }

    /// Whether something takes so long that the user should be told.
    pub fn is_slow(&self, now: u64) -> bool {
        Slot::ALL.iter().any(|slot| !slot.is_quiet() && self.states[*slot as usize].is_slow(now))
    }

    pub fn newest(&self, slot: Slot) -> Generation {
        self.states[slot as usize].newest
    }
}

/// Milliseconds after which waiting is shown.
const SLOW: u64 = 200;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_newest_question_of_a_slot_is_answered() {
        let mut slots = Slots::default();
        let first = slots.open(Slot::Listing, 0);
        let second = slots.open(Slot::Listing, 10);
        assert!(!slots.close(Slot::Listing, first));
        assert!(slots.is_waiting(Slot::Listing) && slots.is_slow(210) && !slots.is_slow(209));
        assert!(slots.close(Slot::Listing, second));
        assert!(!slots.is_waiting(Slot::Listing));
        let third = slots.open(Slot::Listing, 300);
        assert!(slots.cancel(Slot::Listing));
        assert!(!slots.close(Slot::Listing, third), "a cancelled question has no answer");
    }
}
