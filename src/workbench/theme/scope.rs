//! The scopes: every part of the screen with a style of its own, by name and with a description.
//!
//! A theme assigns styles to scopes, and the panes ask for scopes, never for colors. Names are dotted; a
//! theme without `ui.text.dim` is asked for `ui.text` and then for `ui`.

use strum::{EnumMessage, VariantArray};

/// One row per scope: variant, name in theme files, description for authors of themes.
macro_rules! scopes {
    ($($scope:ident $name:literal $description:literal)*) => {
        /// A part of the screen with a style of its own.
        #[derive(
            Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash,
            strum::Display, strum::EnumMessage, strum::EnumString, strum::IntoStaticStr, strum::VariantArray,
        )]
        pub enum Scope {
            $(#[doc = $description] #[strum(serialize = $name, message = $description)] $scope,)*
        }
    };
}

scopes! {
    UiBackground "ui.background" "the background of the screen"
    UiText "ui.text" "text of lists, forms and tables"
    UiTextDim "ui.text.dim" "secondary text: counts, ids, units"
    UiBorder "ui.border" "lines between the parts of the screen"
    UiBorderFocused "ui.border.focused" "the border of the focused part"
    UiTitle "ui.title" "the title of a part of the screen"
    UiHeader "ui.header" "the header of a panel"
    UiHeaderFocused "ui.header.focused" "the header of the focused panel"
    UiSelection "ui.selection" "the selected row of the focused panel"
    UiSelectionInactive "ui.selection.inactive" "the selected row of any other panel"
    UiCursor "ui.cursor" "the text cursor"
    UiInput "ui.input" "an input line"
    UiTab "ui.tab" "a tab"
    UiTabActive "ui.tab.active" "the active tab"
    UiHintKey "ui.hint.key" "a key in the hint bar and in help"
    UiHintWords "ui.hint.words" "what the key does"
    UiNotice "ui.notice" "a notice"
    UiNoticeWarning "ui.notice.warning" "a warning"
    UiNoticeError "ui.notice.error" "an error"
    UiHelp "ui.help" "background and text of help and other overlays"
    UiPalette "ui.palette" "a line of the command palette"
    UiPaletteMatch "ui.palette.match" "the letters that match the input"
    UiScrollbar "ui.scrollbar" "the track of a scroll bar"
    UiScrollbarThumb "ui.scrollbar.thumb" "the thumb of a scroll bar"
    UiHistogram "ui.histogram" "the bars of a small histogram"
    UiHistogramChosen "ui.histogram.chosen" "the bars within the chosen range"
    UiGauge "ui.gauge" "the filled part of a progress bar"
    UiSpinner "ui.spinner" "the spinner during background work"
    UiTableHeader "ui.table.header" "a column heading"
    UiTableBest "ui.table.best" "the best number in a table"
    Text "text" "words of a statement or a proof"
    Math "math" "a formula"
    MathOperator "math.operator" "an operator or a bracket in a formula"
    MathNumber "math.number" "a number in a formula"
    MathName "math.name" "a name of several letters in a formula: sin, Hom"
    Hit "hit" "a search match"
    HitCurrent "hit.current" "the current search match"
    Mark "mark" "a marked pair"
    StatementTitle "statement.title" "the heading of a statement"
    ProofTitle "proof.title" "the heading of a proof"
    Category "category" "an arXiv category"
    Kind "kind" "the kind of a statement: lemma, theorem"
    Symbol1 "symbol.1" "a shared symbol, one color each"
    Symbol2 "symbol.2" "a shared symbol"
    Symbol3 "symbol.3" "a shared symbol"
    Symbol4 "symbol.4" "a shared symbol"
    Symbol5 "symbol.5" "a shared symbol"
    Symbol6 "symbol.6" "a shared symbol"
    Symbol7 "symbol.7" "a shared symbol"
    Symbol8 "symbol.8" "a shared symbol"
    Symbol9 "symbol.9" "a shared symbol"
    Symbol10 "symbol.10" "a shared symbol"
    Symbol11 "symbol.11" "a shared symbol"
    Symbol12 "symbol.12" "a shared symbol"
    SymbolChosen "symbol.chosen" "the background of every occurrence of the selected symbol"
    Changed "changed" "an occurrence renamed by a level; combined with the symbol's color"
    Kept "kept" "a symbol kept by a level, with the reason"
    LevelConservation "level.conservation" "the name of the level conservation"
    LevelPartial "level.partial" "the name of the level partial"
    LevelFull "level.full" "the name of the level full"
    LevelTransposition "level.transposition" "the name of the level transposition"
    ImportanceFor1 "importance.for.1" "a token that supports the match, weakly"
    ImportanceFor2 "importance.for.2" "a token that supports the match"
    ImportanceFor3 "importance.for.3" "a token that supports the match"
    ImportanceFor4 "importance.for.4" "a token that supports the match"
    ImportanceFor5 "importance.for.5" "a token that supports the match, strongly"
    ImportanceAgainst1 "importance.against.1" "a token that opposes the match, weakly"
    ImportanceAgainst2 "importance.against.2" "a token that opposes the match"
    ImportanceAgainst3 "importance.against.3" "a token that opposes the match"
    ImportanceAgainst4 "importance.against.4" "a token that opposes the match"
    ImportanceAgainst5 "importance.against.5" "a token that opposes the match, strongly"
    OverlapBoth "overlap.both" "a word of the statement that is in both the gold and the predicted proof"
    OverlapPredicted "overlap.predicted" "a word of the statement that is only in the predicted proof"
    OverlapGold "overlap.gold" "a word of the statement that is only in the gold proof"
    Axis "axis" "the axes of a chart and their numbers"
    Curve1 "curve.1" "a curve of a chart, one color each"
    Curve2 "curve.2" "a curve of a chart"
    Curve3 "curve.3" "a curve of a chart"
    Curve4 "curve.4" "a curve of a chart"
    Curve5 "curve.5" "a curve of a chart"
    Curve6 "curve.6" "a curve of a chart"
    Curve7 "curve.7" "a curve of a chart"
    Curve8 "curve.8" "a curve of a chart"
    RunRunning "run.running" "a run in progress"
    RunWaiting "run.waiting" "a run that is queued or stopped"
    Ok "ok" "success: a correct match, a finished run"
    Bad "bad" "failure: a wrong match, a failed run"
    SyntaxComment "syntax.comment" "source: a comment"
    SyntaxCommand "syntax.command" "source: a TeX command, the name of an element"
    SyntaxAttribute "syntax.attribute" "source: the name of an attribute"
    SyntaxString "syntax.string" "source: a quoted value"
    SyntaxNumber "syntax.number" "source: a number, an entity"
    SyntaxPunctuation "syntax.punctuation" "source: brackets, dollar signs, angle brackets"
}

/// How many symbols have colors of their own; further ones start again at the first.
pub const SYMBOL_COLORS: usize = 12;
/// How many curves have colors of their own.
pub const CURVE_COLORS: usize = 8;
/// How many degrees of importance differ in style.
pub const IMPORTANCE_STEPS: usize = 5;

/// Whether a token is evidence for or against the match.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Direction {
    For,
    Against,
}

impl Scope {
    /// Returns the scope of a symbol, counted from 0.
    pub fn symbol(index: usize) -> Scope {
        Scope::Symbol1.offset(index % SYMBOL_COLORS)
    }

    /// Returns the scope of a curve, counted from 0.
    pub fn curve(index: usize) -> Scope {
        Scope::Curve1.offset(index % CURVE_COLORS)
    }

    /// Returns the scope for a strength from 0 to 1; anything below a tenth of a step has none.
    pub fn importance(direction: Direction, strength: f64) -> Option<Scope> {
        let step = strength.clamp(0.0, 1.0) * IMPORTANCE_STEPS as f64;
        if step.is_nan() || step < 0.1 {
            return None;
        }
        let first = match direction {
            Direction::For => Scope::ImportanceFor1,
            Direction::Against => Scope::ImportanceAgainst1,
        };
        Some(first.offset((step.ceil() as usize - 1).min(IMPORTANCE_STEPS - 1)))
    }

    /// Describes the scope to authors of themes.
    pub fn description(self) -> &'static str {
        self.get_message().unwrap_or_default()
    }

    /// Whether a theme may style this name: a scope, or a prefix that scopes fall back to.
    pub fn is_known(name: &str) -> bool {
        Scope::VARIANTS.iter().any(|scope| scope.fallbacks().any(|fallback| fallback == name))
    }

    /// The name, then ever shorter prefixes of it: `ui.text.dim`, `ui.text`, `ui`.
    pub fn fallbacks(self) -> impl Iterator<Item = &'static str> {
        std::iter::successors(Some(self.into()), |name: &&'static str| {
            name.rsplit_once('.').map(|(prefix, _)| prefix)
        })
    }

    fn offset(self, offset: usize) -> Scope {
        Scope::VARIANTS[self as usize + offset]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_fall_back_by_prefix() {
        let fallbacks = |scope: Scope| scope.fallbacks().collect::<Vec<_>>();
        assert_eq!(fallbacks(Scope::UiTextDim), ["ui.text.dim", "ui.text", "ui"]);
        assert_eq!(fallbacks(Scope::Hit), ["hit"]);
        assert!(Scope::is_known("ui") && Scope::is_known("importance.for") && Scope::is_known("symbol.12"));
        assert!(!Scope::is_known("ui.te") && !Scope::is_known("") && !Scope::is_known("symbol.13"));
    }

    #[test]
    fn every_name_occurs_once() {
        for (index, scope) in Scope::VARIANTS.iter().enumerate() {
            assert_eq!((scope.to_string().parse(), *scope as usize), (Ok(*scope), index));
        }
    }

    #[test]
    fn numbers_wrap_around_and_strengths_are_steps() {
        assert_eq!([0, 11, 12].map(Scope::symbol), [Scope::Symbol1, Scope::Symbol12, Scope::Symbol1]);
        assert_eq!([0, 7, 8].map(Scope::curve), [Scope::Curve1, Scope::Curve8, Scope::Curve1]);
        let importance = |strength| Scope::importance(Direction::For, strength);
        assert_eq!([0.0, 0.01, f64::NAN, -1.0].map(importance), [None; 4]);
        assert_eq!(importance(0.1), Some(Scope::ImportanceFor1));
        assert_eq!(importance(0.9), Some(Scope::ImportanceFor5));
        assert_eq!(Scope::importance(Direction::Against, 7.0), Some(Scope::ImportanceAgainst5));
    }
}
