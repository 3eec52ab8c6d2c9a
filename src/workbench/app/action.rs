//! Every action of the workbench, in one table.
//!
//! The table makes dispatch, the help overlay, the hint bar, the palette, the output of
//! `matchbook keys` and, through it, the guide's list of keys, so that none of them can miss an action or
//! show another key. To add an action, add a row here and a match arm in the `actions.rs` of its pane.

use strum::IntoStaticStr;

use super::pane::PaneId;

/// Where an action is available. Keys are looked up in the innermost context first, then in those around it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, IntoStaticStr)]
pub enum Context {
    /// Whatever is open, even while text is typed.
    #[strum(serialize = "anywhere")]
    Anywhere,
    /// While a request takes noticeably long.
    #[strum(serialize = "waiting")]
    Waiting,
    /// Unless text is typed or an overlay is open.
    #[strum(serialize = "workbench")]
    Workbench,
    /// Where the workbench's keys are, and in forms.
    #[strum(serialize = "workbench and forms")]
    Commands,
    /// Wherever there is a list or a text to move through.
    #[strum(serialize = "moving")]
    Moving,
    Browse,
    #[strum(serialize = "Browse, categories")]
    BrowseTree,
    #[strum(serialize = "Browse, list")]
    BrowseList,
    #[strum(serialize = "Browse, pair")]
    BrowseReader,
    #[strum(serialize = "Browse, symbols")]
    BrowseSymbols,
    /// While ranges of length are changed in Browse.
    #[strum(serialize = "Browse, lengths")]
    Ranges,
    /// While the name of a file is typed in Browse.
    #[strum(serialize = "Browse, export")]
    Export,
    /// While a label and a note are typed in Browse.
    #[strum(serialize = "Browse, note")]
    Note,
    Compare,
    /// While a seed is typed in Compare.
    #[strum(serialize = "Compare, seed")]
    Seed,
    /// While the name of a file is typed in Compare.
    #[strum(serialize = "Compare, file")]
    OpenFile,
    /// While a pair is typed in Compare.
    #[strum(serialize = "Compare, own pair")]
    PairEditor,
    Train,
    /// While runs are compared.
    #[strum(serialize = "Train, comparison")]
    TrainComparison,
    /// While the form of Train is open.
    #[strum(serialize = "Train, form")]
    TrainForm,
    /// While a field of it is typed.
    #[strum(serialize = "Train, field")]
    TrainField,
    /// While a name, a note or tags of a run are typed.
    #[strum(serialize = "Train, prompt")]
    TrainTyping,
    Curves,
    /// While Curves shows the grid.
    #[strum(serialize = "Curves, grid")]
    CurveGrid,
    /// While the name of a file is typed in Curves.
    #[strum(serialize = "Curves, export")]
    CurveExport,
    Importance,
    /// While the name of a file is typed in Importance.
    #[strum(serialize = "Importance, export")]
    ImportanceExport,
    Studies,
    Log,
    /// While a log is searched.
    #[strum(serialize = "Log, search")]
    LogSearch,
    Find,
    /// While a statement is typed in Find.
    #[strum(serialize = "Find, statement")]
    FindTyping,
    Assignments,
    /// While statements are searched in Assignments.
    #[strum(serialize = "Assignments, search")]
    AssignmentSearch,
    /// While a line of text is typed.
    #[strum(serialize = "typing")]
    Typing,
    #[strum(serialize = "search line")]
    Search,
    #[strum(serialize = "palette and pickers")]
    Chooser,
    #[strum(serialize = "help")]
    Help,
    /// While the tour is shown.
    #[strum(serialize = "tour")]
    Tour,
    #[strum(serialize = "question")]
    Confirm,
}

impl Context {
    /// The label in help and in the table of keys.
    pub fn name(self) -> &'static str {
        self.into()
    }

    /// The pane it belongs to, if it belongs to one.
    pub fn pane(self) -> Option<PaneId> {
        match self {
            Context::Browse
            | Context::BrowseTree
            | Context::BrowseList
            | Context::BrowseReader
            | Context::BrowseSymbols
            | Context::Ranges
            | Context::Export
            | Context::Note => Some(PaneId::Browse),
            Context::Compare | Context::Seed | Context::OpenFile | Context::PairEditor => {
                Some(PaneId::Compare)
            }
            Context::Find | Context::FindTyping => Some(PaneId::Find),
            Context::Assignments | Context::AssignmentSearch => Some(PaneId::Assignments),
            Context::Train
            | Context::TrainComparison
            | Context::TrainForm
            | Context::TrainField
            | Context::TrainTyping => Some(PaneId::Train),
            Context::Curves | Context::CurveGrid | Context::CurveExport => Some(PaneId::Curves),
            Context::Importance | Context::ImportanceExport => Some(PaneId::Importance),
            Context::Studies => Some(PaneId::Studies),
            Context::Log | Context::LogSearch => Some(PaneId::Log),
            _ => None,
        }
    }
}

/// A row of the table.
#[derive(Clone, Copy, Debug)]
pub struct Action {
    pub id: ActionId,
    /// The name in settings: `next-in-article`.
    pub name: &'static str,
    pub context: Context,
    /// The default keys, each written as [`super::key::parse_sequence`] reads it.
    pub keys: &'static [&'static str],
    /// The description in help and palette.
    pub words: &'static str,
    /// The label in the hint bar; empty for actions that it does not show.
    pub hint: &'static str,
}

macro_rules! actions {
    ($($context:ident { $($id:ident $name:literal [$($key:literal)*] $words:literal $(hint $hint:literal)?;)* })*) => {
        /// The name of an action.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum ActionId {
            $($($id,)*)*
        }

        /// The table.
        pub const ACTIONS: &[Action] = &[
            $($(Action {
                id: ActionId::$id,
                name: $name,
                context: Context::$context,
                keys: &[$($key),*],
                words: $words,
                hint: concat!($($hint)?),
            },)*)*
        ];
    };
}

actions! {
    BrowseTree {
        TreeOpen "open-category" ["l" "right"] "expand the archive or category, or go to the list" hint "open";
        TreeClose "close-category" ["h" "left"] "collapse it, or go to its parent" hint "close";
        TreeToggle "toggle-category" ["space"] "expand or collapse the archive or category";
        TreeAccept "choose-category" ["enter"] "go to the pairs of the category or article" hint "pairs";
    }
    BrowseList {
        ListOpen "read-pair" ["l" "right"] "go to the pair's text" hint "read";
        ListBack "back-to-categories" ["h" "left"] "go to the categories";
    }
    BrowseReader {
        ReaderBack "back-to-list" ["h" "left"] "go back to the list" hint "back";
    }
    BrowseSymbols {
        SymbolsBack "back-to-text" ["h" "left"] "go back to the pair's text" hint "text";
        SymbolsClose "close-symbols" ["esc"] "close the symbols" hint "close";
    }
    Browse {
        OpenInCompare "compare" ["enter" "c"] "compare the pair at several levels" hint "compare";
        Search "search" ["/"] "search statements and proofs" hint "search";
        ChooseKind "kind" ["f"] "show one kind only: theorems, lemmas, ..." hint "kind";
        ChooseRanges "lengths" ["r"] "choose lengths and the share of mathematics" hint "lengths";
        ChooseSort "sort" ["s"] "choose the order of the list" hint "sort";
        ReverseSort "reverse-sort" ["S"] "reverse the order";
        Mark "mark" ["space"] "mark or unmark the pair" hint "mark";
        OnlyMarked "only-marked" ["'"] "show marked pairs only, or all again";
        ExportMarks "export-marks" ["e"] "write the marked pairs to a file" hint "export";
        ClearMarks "clear-marks" ["U"] "clear all marks";
        Annotate "annotate" [";"] "give the pair a label and a note: #label note" hint "note";
        OnlyAnnotated "only-annotated" ["\""] "filter by label: pairs with one label, with any label or note, or all pairs";
        OpenArticle "open-article" ["o"] "open the article in the browser: its arXiv page, or its file";
        NextInArticle "next-in-article" ["]"] "go to the next pair in the article" hint "next";
        PreviousInArticle "previous-in-article" ["["] "go to the previous pair in the article";
        OnlyArticle "only-article" ["a"] "show this article's pairs only, or all again" hint "article";
        NextForm "next-form" ["t"] "show the pair as readable text, tokens, TeX or XHTML" hint "form";
        PreviousForm "previous-form" ["T"] "show the previous form";
        ShowSymbols "symbols" ["m"] "list the symbols of the pair and highlight the selected one" hint "symbols";
        NextHit "next-hit" ["n"] "go to the next match, or the next occurrence of the selected symbol";
        PreviousHit "previous-hit" ["N"] "go to the previous match";
        ReadDown "read-down" ["J" "ctrl-e"] "scroll the text down";
        ReadUp "read-up" ["K" "ctrl-y"] "scroll the text up";
        ExplainPair "explain-pair" ["i"] "explain the match: which words and symbols mattered" hint "importance";
        FindSelected "find-selected" ["F"] "find proofs and statements similar to the pair's statement";
        CopyPair "copy-pair" ["y"] "copy the pair as text" hint "copy";
        CopyCommand "copy-command" ["Y"] "copy the command that prints this pair";
        CopyMarks "copy-marks" ["ctrl-k"] "copy the rows of the marked pairs";
        FocusNext "focus-next" ["tab"] "go to the next panel" hint "panel";
        FocusPrevious "focus-previous" ["shift-tab"] "go to the previous panel";
        Widen "widen" [">"] "make the panel on the left wider";
        Narrow "narrow" ["<"] "make the panel on the left narrower";
        Back "back" ["esc"] "cancel, then clear the search, then the filters";
    }
    Compare {
        NextLevel "next-level" ["space" "enter" "v"] "show the column at the next level" hint "level";
        PreviousLevel "previous-level" ["V"] "show the column at the previous level";
        ToggleProtect "toggle-protect" ["p"] "keep or replace the category's protected symbols (+P)" hint "+P";
        RollSeed "roll-seed" ["r"] "draw new names with the next seed" hint "re-roll";
        UnrollSeed "unroll-seed" ["R"] "return to the previous seed";
        TypeSeed "type-seed" ["#"] "type a seed" hint "seed";
        MoreShare "more-share" ["+" "="] "replace a larger fraction of the symbols (partial)" hint "share";
        LessShare "less-share" ["-"] "replace a smaller fraction of the symbols (partial)";
        NextColumn "next-column" ["tab" "l" "right"] "go to the next column" hint "column";
        PreviousColumn "previous-column" ["shift-tab" "h" "left"] "go to the previous column";
        AddColumn "add-column" ["a"] "add a column" hint "add";
        RemoveColumn "remove-column" ["x"] "remove the column" hint "remove";
        NextPair "next-pair" ["n" "]"] "compare the next pair in the list" hint "next pair";
        PreviousPair "previous-pair" ["N" "["] "compare the previous pair";
        EditPair "edit-pair" ["E"] "type or paste a pair of your own" hint "own pair";
        OpenPairFile "open-pair-file" ["o"] "open a file as a pair: statement, a line of dashes, proof" hint "file";
        CopyLevel "copy-level" ["y"] "copy the pair as shown in the column" hint "copy";
        CopyLevelCommand "copy-level-command" ["Y"] "copy the command that prints the column";
        ExplainCompared "explain-compared" ["i"] "explain the match: which words and symbols mattered" hint "importance";
        LeaveCompare "leave-compare" ["esc"] "go back to Browse" hint "back";
    }
    Assignments {
        MatchOrOpen "match-or-open" ["enter"] "match, open the statements, or open the selected pair in Browse" hint "open";
        MatchBaseline "match-baseline" ["m" "b"] "match with the next baseline or trained model" hint "model";
        ChooseModel "choose-model" ["B"] "choose a baseline or a trained model";
        MatchPart "match-part" ["p"] "go to the next part: test, train, dev" hint "part";
        MatchSplit "match-split" ["u"] "switch between the mixed and the unmixed split" hint "split";
        MatchLevel "match-level" ["v" "l" "right"] "go to the next level of symbol replacement" hint "level";
        MatchLevelBack "match-level-back" ["V" "h" "left"] "go to the previous level";
        MatchAll "match-all" ["A"] "match with every model at every level";
        MatchDecoder "match-decoder" ["d"] "go to the next decoder: global, sinkhorn, csls, local" hint "decoder";
        NextVerdicts "next-verdicts" ["f"] "filter: all, fixed or broken by global decoding, both wrong, contested" hint "filter";
        PreviousVerdicts "previous-verdicts" ["F"] "go to the previous filter";
        SortVerdicts "sort-verdicts" ["s"] "sort by corpus order, rank, margin or score" hint "sort";
        ReverseVerdicts "reverse-verdicts" ["S"] "reverse the order";
        SearchVerdicts "search-verdicts" ["/"] "search by id, or by words in statement and proof" hint "search";
        NextView "next-view" ["t"] "go to the next view: levels, statements, contention, category map" hint "view";
        PreviousView "previous-view" ["T"] "go to the previous view";
        CompareMatched "compare-matched" ["c"] "compare the selected pair at several levels" hint "compare";
        ExplainSwaps "explain-swaps" ["w"] "explain why the statement was not assigned its preferred proof" hint "why";
        MatchedFocus "matched-focus" ["tab" "shift-tab"] "go to the texts, or back to the list" hint "panel";
        MatchedDown "matched-down" ["J" "ctrl-e"] "scroll the texts down";
        MatchedUp "matched-up" ["K" "ctrl-y"] "scroll the texts up";
        ExplainMatched "explain-matched" ["i"] "explain the match: which words and symbols mattered" hint "importance";
        LeaveVerdicts "leave-verdicts" ["esc"] "clear the search, then the filter";
    }
    Find {
        TypeStatement "type-statement" ["/"] "type or paste a statement to find" hint "type";
        OpenFound "open-found" ["enter"] "open the selected pair in Browse" hint "open";
        CompareFound "compare-found" ["c"] "compare the selected pair at several levels" hint "compare";
        ExplainFound "explain-found" ["i"] "explain why models match the statement with the selected proof" hint "importance";
        FindSide "find-side" ["d"] "search pairs, proofs, statements, or both sides" hint "in";
        FindModel "find-model" ["m" "b"] "search with the next baseline or trained model" hint "model";
        ChooseFindModel "choose-find-model" ["B"] "choose a baseline or a trained model";
        FindLike "find-like" ["l"] "find texts similar to the selected pair's statement" hint "like this";
        FindDuplicates "find-duplicates" ["D"] "list near-duplicate texts, up to renaming" hint "duplicates";
        FoundDown "found-down" ["J" "ctrl-e"] "scroll the texts down";
        FoundUp "found-up" ["K" "ctrl-y"] "scroll the texts up";
        LeaveFind "leave-find" ["esc"] "clear the search";
    }
    FindTyping {
        FindAccept "find-accept" ["enter"] "search, and go to the results" hint "search";
        FindCancel "find-cancel" ["esc"] "return to the previous search" hint "cancel";
    }
    Train {
        NewRun "new-run" ["n"] "start a new run" hint "new";
        RunCurves "run-curves" ["enter"] "show the curves of the run" hint "curves";
        MarkRun "mark-run" ["space"] "show or hide the run in Curves" hint "mark";
        RunLog "run-log" ["v"] "read the run's log" hint "log";
        RunEvaluate "run-evaluate" ["a"] "match with the run's model in Assignments" hint "evaluate";
        StopRun "stop-run" ["."] "stop the run after writing a checkpoint" hint "stop";
        ResumeRun "resume-run" ["r"] "resume the run" hint "resume";
        DuplicateRun "duplicate-run" ["d"] "duplicate the run, with changes" hint "duplicate";
        RemoveRun "remove-run" ["x"] "move the run to the trash" hint "remove";
        KillRun "kill-run" ["X"] "kill the run without a checkpoint";
        FirstRun "first-run" ["f"] "move the run to the front of the queue";
        RenameRun "rename-run" ["R"] "rename the run";
        NoteRun "note-run" ["N"] "edit the note of the run";
        TagRun "tag-run" ["#"] "edit the tags of the run";
        CompareRuns "compare-runs" ["="] "compare the marked runs: settings, scores, paired bootstrap" hint "compare";
        TableOfRuns "table-of-runs" ["t"] "make a table of the listed runs, by any settings and metric" hint "table";
        FilterRuns "filter-runs" ["/"] "filter the runs: level:full state:finished best-mrr>50 words" hint "filter";
        OrderRuns "order-runs" ["s"] "sort the runs by a column or a setting" hint "sort";
        ReverseRuns "reverse-runs" ["S"] "reverse the order";
        RunColumns "run-columns" ["c"] "choose the columns" hint "columns";
        ColumnsRight "columns-right" ["l" "right"] "show the columns further to the right";
        ColumnsLeft "columns-left" ["h" "left"] "show the columns further to the left";
        SavedFilters "saved-filters" ["F"] "apply a saved filter";
        SaveFilter "save-filter" ["W"] "save the filter under a name";
        ClearFilter "clear-filter" ["esc"] "clear the filter";
        CopyRunCommand "copy-run-command" ["y" "Y"] "copy the command that trains this run";
    }
    TrainComparison {
        ExportComparison "export-comparison" ["e"] "write the table to a file: .md, .tex, .csv, .html" hint "export";
        LeaveComparison "leave-comparison" ["esc" "=" "t"] "go back to the list of runs" hint "back";
    }
    TrainForm {
        FormLaunch "launch" ["ctrl-s"] "start the run" hint "start";
        FormEdit "edit-field" ["enter"] "edit the value, or select the next choice" hint "edit";
        FormNext "next-value" ["l" "right" "space" "+"] "select the next value, or double a number" hint "change";
        FormPrevious "previous-value" ["h" "left" "-"] "select the previous value, or halve a number";
        FormFold "fold-section" ["z"] "expand or collapse the section" hint "section";
        FormFoldAll "fold-sections" ["Z"] "expand or collapse all sections";
        FormCopy "copy-form-command" ["y" "Y"] "copy the equivalent command" hint "copy";
        FormLeave "leave-form" ["esc"] "discard the form" hint "discard";
    }
    CurveGrid {
        EnlargeChart "enlarge-chart" ["enter"] "enlarge the selected chart" hint "enlarge";
    }
    Curves {
        ToggleCurve "toggle-curve" ["space"] "show or hide the selected run" hint "draw";
        OnlyCurve "only-curve" ["enter"] "draw this run only" hint "only";
        AllCurves "all-curves" ["a"] "draw all runs, or none" hint "all";
        PinCurve "pin-curve" ["p"] "pin the run as the baseline, or unpin it" hint "pin";
        ToggleGrid "chart-grid" ["tab"] "show all metrics side by side, or one chart" hint "grid";
        GroupCurves "group-curves" ["r"] "group runs that differ only in their seed, or by any setting" hint "group";
        ChartEarlier "chart-earlier" ["{"] "swap the chart with the previous one";
        ChartLater "chart-later" ["}"] "swap the chart with the next one";
        NextMetric "next-metric" ["t"] "go to the next metric: loss, MRR, accuracy, learning rate, ..." hint "metric";
        PreviousMetric "previous-metric" ["T"] "go to the previous metric";
        ChooseMetric "choose-metric" ["m"] "choose a metric, or the charts of the grid";
        NextAxis "next-axis" ["u"] "change the horizontal axis: step, epoch, time" hint "axis";
        MoreSmoothing "more-smoothing" ["w"] "smooth more" hint "smooth";
        LessSmoothing "less-smoothing" ["W"] "smooth less";
        LogX "log-x" ["X"] "switch between a logarithmic and a linear x axis";
        LogY "log-y" ["Y"] "switch between a logarithmic and a linear y axis" hint "log y";
        CursorLeft "cursor-left" ["h" "left"] "move the cursor left; the legend shows its values" hint "cursor";
        CursorRight "cursor-right" ["l" "right"] "move the cursor right";
        CursorFarLeft "cursor-far-left" ["H"] "move the cursor far left";
        CursorFarRight "cursor-far-right" ["L"] "move the cursor far right";
        CursorToBest "cursor-to-best" ["B"] "move the cursor to the best evaluation of the run" hint "best";
        ZoomIn "zoom-in" ["+" "="] "zoom in around the cursor" hint "zoom";
        ZoomOut "zoom-out" ["-"] "zoom out";
        PanLeft "pan-left" ["<"] "pan left";
        PanRight "pan-right" [">"] "pan right";
        ZoomInHeight "zoom-in-height" [")"] "zoom in vertically";
        ZoomOutHeight "zoom-out-height" ["("] "zoom out vertically";
        PanUp "pan-up" ["K"] "pan up";
        PanDown "pan-down" ["J"] "pan down";
        WholeCurve "whole-curve" ["0"] "reset the zoom";
        NextMarker "next-marker" ["b"] "plot with braille, blocks, dots or letters";
        ExportCurves "export-curves" ["e"] "write the curves to a file: .svg or .csv" hint "export";
        CurveLog "curve-log" ["v"] "read the selected run's log" hint "log";
        LeaveCurves "leave-curves" ["esc"] "remove the cursor, then the zoom, then go back to the grid";
    }
    Log {
        LogRun "log-run" ["o" "enter"] "choose a run" hint "run";
        LogNextRun "log-next-run" ["]"] "show the log of the next run";
        LogPreviousRun "log-previous-run" ["["] "show the log of the previous run";
        LogLevel "log-level" ["f"] "show all levels, warnings and errors, or only errors" hint "level";
        SearchLog "search-log" ["/"] "search the log" hint "search";
        NextLogHit "next-log-hit" ["n"] "go to the next match";
        PreviousLogHit "previous-log-hit" ["N"] "go to the previous match";
        LogFollow "log-follow" ["F"] "follow the end of the log, or stop following" hint "follow";
        LogRight "log-right" ["l" "right"] "scroll right";
        LogLeft "log-left" ["h" "left"] "scroll left";
        CopyLogLine "copy-log-line" ["y"] "copy the line" hint "copy";
        LeaveLog "leave-log" ["esc"] "clear the search";
    }
    Studies {
        NextStudy "next-study" ["]"] "show the next study" hint "study";
        PreviousStudy "previous-study" ["["] "show the previous study";
        StudyPreset "study-preset" ["p"] "change the preset of the runs: tiny, small, paper" hint "preset";
        StartStudy "start-study" ["r"] "start or resume the study: train and evaluate what is missing" hint "start";
        StopStudy "stop-study" ["."] "stop the study; its runs write checkpoints first" hint "stop";
        StudySeeds "study-seeds" ["n"] "change the number of seeds" hint "seeds";
        StudyEncoders "study-encoders" ["c"] "choose the encoders";
        StudyLevels "study-levels" ["v"] "choose the levels";
        StudyDevice "study-device" ["d"] "change the device: auto, cpu, cuda, metal";
        StudyTarget "study-target" ["w"] "train on this machine, in its queue, or on Slurm" hint "where";
        StudyEstimate "study-estimate" ["T"] "estimate how long the remaining runs will take on this machine" hint "time";
        StudyDifferences "study-differences" ["t"] "show values, or differences from the paper" hint "paper";
        StudyCurves "study-curves" ["enter"] "show the curves of the cell's runs" hint "curves";
        CellLeft "cell-left" ["h" "left"] "move one cell left";
        CellRight "cell-right" ["l" "right"] "move one cell right";
        FactsDown "facts-down" ["J" "ctrl-e"] "scroll the details of the cell down";
        FactsUp "facts-up" ["K" "ctrl-y"] "scroll the details of the cell up";
        StudyExport "study-export" ["e"] "write the table as Markdown, LaTeX, CSV, JSON and HTML" hint "export";
    }
    Importance {
        ImportanceModel "importance-model" ["m"] "choose the model" hint "model";
        ImportanceAgainst "importance-against" ["a"] "choose a second model, or none" hint "against";
        ImportanceMethod "importance-method" ["f"] "go to the next method: LIME, gradients, integrated gradients, occlusion" hint "method";
        ImportanceSamples "importance-samples" ["+"] "change the number of LIME samples" hint "samples";
        ImportanceSeed "importance-seed" ["r"] "use the next LIME seed" hint "seed";
        ImportanceSeedBack "importance-seed-back" ["R"] "use the previous LIME seed";
        ImportanceSeeds "importance-seeds" ["S"] "change the number of LIME seeds, to measure stability" hint "stability";
        ImportanceBy "importance-by" ["b"] "explain words, or single occurrences" hint "by";
        ImportanceSide "importance-side" ["d"] "explain both sides, the statement, or the proof" hint "side";
        ImportanceLevel "importance-level" ["v"] "go to the next level of symbol replacement" hint "level";
        ImportanceRival "importance-rival" ["o"] "show each model's best-scoring wrong proof, or the gold proof" hint "rival";
        DropToken "drop-token" ["x" "delete"] "what if: drop or restore the token under the cursor" hint "drop";
        RenameSymbol "rename-symbol" ["z"] "what if: rename the symbol under the cursor on its side" hint "rename";
        UndoEdit "undo-edit" ["u"] "undo all what-if edits" hint "undo";
        NextToken "next-token" ["l" "right"] "go to the next token";
        PreviousToken "previous-token" ["h" "left"] "go to the previous token";
        WeakerToken "weaker-token" ["n"] "go to the next weaker token" hint "next";
        StrongerToken "stronger-token" ["N"] "go to the next stronger token";
        OtherModel "other-model" ["tab" "shift-tab"] "go to the other model" hint "other model";
        ImportanceForm "importance-form" ["t"] "show readable text, or the model's tokens" hint "form";
        ExportHeatmap "export-heatmap" ["e"] "export the heatmap as HTML, SVG, LaTeX or JSON" hint "export";
        NextExplained "next-explained" ["]"] "explain the next pair in Browse's list" hint "next pair";
        PreviousExplained "previous-explained" ["["] "explain the previous pair";
        ImportanceAgain "importance-again" ["enter"] "explain again after cancelling";
    }
    ImportanceExport {
        HeatmapAccept "heatmap-accept" ["enter"] "write the file" hint "write";
        HeatmapCancel "heatmap-cancel" ["esc"] "cancel" hint "cancel";
    }
    Moving {
        Down "down" ["j" "down"] "move down";
        Up "up" ["k" "up"] "move up";
        HalfDown "half-page-down" ["ctrl-d"] "move half a page down";
        HalfUp "half-page-up" ["ctrl-u"] "move half a page up";
        PageDown "page-down" ["pagedown" "ctrl-f"] "move a page down";
        PageUp "page-up" ["pageup" "ctrl-b"] "move a page up";
        Top "top" ["g g" "home"] "go to the top";
        Bottom "bottom" ["G" "end"] "go to the end";
    }
    Commands {
        Help "help" ["?"] "show the keys" hint "help";
        ShowGuide "guide" ["f1"] "read the chapter of the guide about this pane";
        Palette "palette" [":"] "command palette" hint "palette";
    }
    Workbench {
        ShowBrowse "show-browse" ["1"] "show the Browse pane";
        ShowCompare "show-compare" ["2"] "show the Compare pane";
        ShowTrain "show-train" ["3"] "show the Train pane";
        ShowCurves "show-curves" ["4"] "show the Curves pane";
        ShowAssignments "show-assignments" ["5"] "show the Assignments pane";
        ShowImportance "show-importance" ["6"] "show the Importance pane";
        ShowStudies "show-studies" ["7"] "show the Studies pane";
        ShowLog "show-log" ["8"] "show the Log pane";
        ShowFind "show-find" ["9"] "show the Find pane";
        GoBack "go-back" ["backspace"] "return to where you came from" hint "back";
        TogglePin "pin" ["P"] "pin this pane's pair, model and level, or follow the selection again";
        ToggleMouse "toggle-mouse" ["M"] "release the mouse to the terminal for selecting text, or capture it";
        ChooseTheme "theme" ["ctrl-t"] "choose a theme with live preview";
        OpenCorpus "open-corpus" ["ctrl-g"] "open another corpus: a recent one, a file nearby, or a path";
        ExtractArticles "extract" [] "extract a corpus from articles, in the background";
        ImportPairs "import" [] "import a corpus from a file of pairs, in the background";
        ShowBuild "background-work" [] "show the progress or summary of the extraction or import";
        OpenWorkspace "open-workspace" [] "open another workspace";
        ShowSettings "settings" [","] "show and change the settings of config.toml";
        OpenSession "open-session" ["ctrl-o"] "open another session";
        SaveSession "save-session" ["ctrl-s"] "save this session under a name";
        TogglePresentation "presentation" [] "turn presentation mode on or off: margins, fewer hints, pressed keys";
        StartTour "tour" [] "take the tour: a few steps through the panes, up to the main finding";
        Messages "messages" ["!"] "show all messages";
        Quit "quit" ["q"] "quit; the session is saved" hint "quit";
    }
    Waiting {
        StopWork "stop-work" ["esc"] "cancel";
    }
    Anywhere {
        Redraw "redraw" ["ctrl-l"] "redraw the screen";
        Suspend "suspend" ["ctrl-z"] "suspend; `fg` returns";
        QuitAnyway "quit-anyway" ["ctrl-c"] "quit from anywhere";
    }
    Search {
        SearchAccept "search-accept" ["enter"] "keep the search and go to the list" hint "keep";
        SearchCancel "search-cancel" ["esc"] "restore the previous search" hint "undo";
        SearchDown "search-down" ["down" "ctrl-n"] "move down in the list";
        SearchUp "search-up" ["up" "ctrl-p"] "move up in the list";
    }
    TrainField {
        FieldAccept "field-accept" ["enter" "tab" "down"] "accept the value and go to the next one" hint "accept";
        FieldBack "field-back" ["up" "shift-tab"] "accept the value and go to the previous one" hint "back";
        FieldLaunch "field-launch" ["ctrl-s"] "accept the value and start the run" hint "start";
        FieldCancel "field-cancel" ["esc"] "restore the previous value; then discard the form" hint "undo";
    }
    TrainTyping {
        TrainTypingAccept "train-typing-accept" ["enter"] "accept" hint "accept";
        TrainTypingCancel "train-typing-cancel" ["esc"] "cancel" hint "cancel";
    }
    CurveExport {
        CurveExportAccept "curve-export-accept" ["enter"] "write the file; press again to replace an existing one" hint "write";
        CurveExportCancel "curve-export-cancel" ["esc"] "cancel" hint "cancel";
    }
    LogSearch {
        LogSearchAccept "log-search-accept" ["enter"] "keep the search" hint "keep";
        LogSearchCancel "log-search-cancel" ["esc"] "restore the previous search" hint "undo";
    }
    AssignmentSearch {
        VerdictSearchAccept "verdict-search-accept" ["enter"] "keep the search" hint "keep";
        VerdictSearchCancel "verdict-search-cancel" ["esc"] "restore the previous search" hint "undo";
    }
    Ranges {
        RangeMore "range-more" ["l" "right"] "increase this bound" hint "move";
        RangeLess "range-less" ["h" "left"] "decrease this bound";
        RangeMuchMore "range-much-more" ["L"] "increase this bound by five steps";
        RangeMuchLess "range-much-less" ["H"] "decrease this bound by five steps";
        RangeNext "range-next" ["j" "down" "tab"] "go to the next bound" hint "next";
        RangePrevious "range-previous" ["k" "up" "shift-tab"] "go to the previous bound";
        RangeClear "range-clear" ["x"] "clear this filter" hint "any";
        RangeClearAll "range-clear-all" ["X"] "clear all filters" hint "clear";
        RangeDone "range-done" ["enter" "esc" "q" "r"] "close and keep the filters" hint "done";
    }
    Note {
        NoteAccept "note-accept" ["enter"] "save the label and the note; empty input removes them" hint "keep";
        NoteCancel "note-cancel" ["esc"] "cancel" hint "cancel";
    }
    Export {
        ExportAccept "export-accept" ["enter"] "write the file; press again to replace an existing one" hint "write";
        ExportCancel "export-cancel" ["esc"] "cancel" hint "cancel";
    }
    Seed {
        SeedAccept "seed-accept" ["enter"] "use this seed" hint "accept";
        SeedCancel "seed-cancel" ["esc"] "restore the previous seed" hint "undo";
    }
    OpenFile {
        OpenFileAccept "open-file-accept" ["enter"] "open the file" hint "open";
        OpenFileCancel "open-file-cancel" ["esc"] "cancel" hint "cancel";
    }
    PairEditor {
        EditorAccept "editor-accept" ["ctrl-s" "ctrl-d"] "compare the typed pair" hint "compare";
        EditorCancel "editor-cancel" ["esc"] "discard the typed pair" hint "discard";
        EditorOther "editor-other" ["tab" "shift-tab"] "go to the proof, or back to the statement" hint "other side";
        EditorNewLine "editor-new-line" ["enter"] "insert a line break";
        EditorUp "editor-up" ["up" "ctrl-p"] "move one line up";
        EditorDown "editor-down" ["down" "ctrl-n"] "move one line down";
    }
    Chooser {
        ChooserAccept "choose" ["enter"] "accept the selection" hint "accept";
        ChooserCancel "choose-nothing" ["esc"] "close" hint "close";
        ChooserDown "chooser-down" ["down" "ctrl-n"] "move down";
        ChooserComplete "chooser-complete" ["tab"] "complete the path, or move down";
        ChooserUp "chooser-up" ["up" "ctrl-p" "shift-tab"] "move up";
        ChooserPageDown "chooser-page-down" ["pagedown"] "move a page down";
        ChooserPageUp "chooser-page-up" ["pageup"] "move a page up";
    }
    Typing {
        DeleteBackward "delete-backward" ["backspace" "ctrl-h"] "delete the previous character";
        DeleteForward "delete-forward" ["delete"] "delete the next character";
        DeleteWord "delete-word" ["ctrl-w"] "delete the previous word";
        DeleteLine "delete-line" ["ctrl-u"] "delete to the start of the line";
        TypingLeft "typing-left" ["left"] "move one character left";
        TypingRight "typing-right" ["right"] "move one character right";
        TypingStart "typing-start" ["home" "ctrl-a"] "go to the start of the line";
        TypingEnd "typing-end" ["end" "ctrl-e"] "go to the end of the line";
    }
    Help {
        HelpClose "close-help" ["esc" "q" "?" "f1"] "close the help" hint "close";
        NextChapter "next-chapter" ["l" "right"] "go to the next chapter of the guide";
        PreviousChapter "previous-chapter" ["h" "left"] "go to the previous chapter of the guide";
    }
    Tour {
        TourNext "tour-next" ["enter" "space" "right"] "go to the next step" hint "next";
        TourBack "tour-back" ["left" "backspace"] "go to the previous step" hint "back";
        TourEnd "tour-end" ["esc" "q"] "leave the tour" hint "leave the tour";
    }
    Confirm {
        ConfirmYes "yes" ["y" "enter"] "yes" hint "yes";
        ConfirmNo "no" ["n" "esc" "q"] "no" hint "no";
    }
}

impl ActionId {
    /// The row of the table.
    pub fn action(self) -> &'static Action {
        // Rows and names come from the same list, in the same order.
        &ACTIONS[self as usize]
    }

    pub fn from_name(name: &str) -> Option<ActionId> {
        ACTIONS.iter().find(|action| action.name == name).map(|action| action.id)
    }
}

impl Action {
    /// Whether the palette offers it: not for keys of a line editor or of the palette itself.
    pub fn is_in_palette(&self) -> bool {
        !matches!(
            self.context,
            Context::Typing
                | Context::Waiting
                | Context::Search
                | Context::Ranges
                | Context::Export
                | Context::Note
                | Context::ImportanceExport
                | Context::Seed
                | Context::OpenFile
                | Context::PairEditor
                | Context::AssignmentSearch
                | Context::TrainComparison
                | Context::FindTyping
                | Context::TrainForm
                | Context::TrainField
                | Context::TrainTyping
                | Context::CurveExport
                | Context::LogSearch
                | Context::Chooser
                | Context::Help
                | Context::Tour
                | Context::Confirm
        ) && self.id != ActionId::Palette
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn names_are_unique_and_found_again() {
        let names: HashSet<&str> = ACTIONS.iter().map(|action| action.name).collect();
        assert_eq!(names.len(), ACTIONS.len());
        for action in ACTIONS {
            assert_eq!(action.id.action().name, action.name);
            assert_eq!(ActionId::from_name(action.name), Some(action.id));
        }
    }
}
