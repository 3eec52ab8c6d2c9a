//! The paper's six claims, and two about what it leaves open.

use std::{collections::HashMap, sync::Arc};

use super::{
    Comparison, Expected, Finding, Verdict,
    plan::{MATH, RENAMED, TEXT, avoiding, category_row, tested},
};
use crate::{
    base::workspace::Workspace,
    study::{
        CellMeasure, CellSource, Plan, Results, Study, StudyEncoder, StudyEvaluation, bootstrap, paper,
        request::four_levels,
    },
    symbols::{Level, Setting},
};

/// Two scores are alike when they differ by less: the paper calls a drop of 4.2 points minor.
const ALIKE: f64 = 5.0;
/// A score collapses when less than this share of its margin above chance is left.
const LEFT: f64 = 0.5;

pub fn check(plan: &Plan, results: &mut Results, workspace: &Workspace, seed: u64) -> Vec<Finding> {
    let mut numbers = Numbers { plan, results, workspace, seed };
    let encoder = plan.request.encoders_or(&[StudyEncoder::Npt])[0];
    let [conservation, partial, full, transposition] = four_levels();
    let protected = |level| Setting { protect: true, ..level };
    let in_main = |level: Setting, decoding: &str, measure| {
        let key = format!("{}-local-{decoding}", encoder.name());
        paper::number(Study::Main, &key, &level.to_string(), measure)
    };
    let in_cross = |trained: Setting, tested: Setting| {
        paper::number(Study::Cross, &format!("mixed/{trained}"), &tested.to_string(), CellMeasure::Mrr)
    };
    let pair = |one: Option<f64>, other: Option<f64>| one.zip(other).map(|(one, other)| [one, other]);

    let mut findings = Vec::new();
    let mut add = |claim, means, comparisons: Vec<Result<Comparison, String>>| {
        let missing = comparisons.iter().find_map(|each| each.as_ref().err().cloned());
        let comparisons: Vec<Comparison> = comparisons.into_iter().flatten().collect();
        let deciding = comparisons.iter().filter(|each| each.decides).map(|each| each.verdict);
        let verdict = if missing.is_some() { Verdict::Undecided } else { Verdict::of(deciding) };
        findings.push(Finding { claim, means, verdict, comparisons, missing });
    };

    // global decoding
    let levels = four_levels();
    let at = |level: Setting, measure| Number { row: level.to_string(), level, measure };
    let mean = |values: Vec<Option<f64>>| -> Option<f64> {
        let known: Vec<f64> = values.iter().copied().collect::<Option<_>>()?;
        Some(known.iter().sum::<f64>() / known.len() as f64)
    };
    let mut decoding = vec![numbers.compare(Question {
        what: "accuracy, mean of the four levels".to_owned(),
        names: ["global decoding", "local decoding"],
        terms: [
            levels.map(|level| (at(level, CellMeasure::Global), 0.25)).to_vec(),
            levels.map(|level| (at(level, CellMeasure::Local), 0.25)).to_vec(),
        ],
        paper: pair(
            mean(levels.map(|level| in_main(level, "global", CellMeasure::Global)).to_vec()),
            mean(levels.map(|level| in_main(level, "local", CellMeasure::Local)).to_vec()),
        ),
        ..Question::default()
    })];
    for level in levels {
        decoding.push(numbers.compare(Question {
            what: format!("accuracy, {level}"),
            names: ["global decoding", "local decoding"],
            terms: [vec![(at(level, CellMeasure::Global), 1.0)], vec![(at(level, CellMeasure::Local), 1.0)]],
            paper: pair(
                in_main(level, "global", CellMeasure::Global),
                in_main(level, "local", CellMeasure::Local),
            ),
            is_detail: true,
            ..Question::default()
        }));
    }
    add("global decoding helps", "global decoding finds more proofs than local decoding", decoding);

    // conservation and transposition
    let tested_at = |trained: Setting, tested: Setting| Number {
        row: trained.to_string(),
        level: tested,
        measure: CellMeasure::Mrr,
    };
    let one = |number| vec![(number, 1.0)];
    let same = numbers.compare(Question {
        what: "MRR, trained and tested at the level".to_owned(),
        names: ["conservation", "transposition"],
        terms: [one(tested_at(conservation, conservation)), one(tested_at(transposition, transposition))],
        paper: pair(
            in_main(conservation, "local", CellMeasure::Mrr),
            in_main(transposition, "local", CellMeasure::Mrr),
        ),
        expected: Some(Expected::Within(ALIKE)),
        ..Question::default()
    });
    let crossed = numbers.compare(Question {
        what: "MRR, trained at conservation (paper: ScratchBERT)".to_owned(),
        names: ["tested at conservation", "tested at transposition"],
        terms: [one(tested_at(conservation, conservation)), one(tested_at(conservation, transposition))],
        paper: pair(in_cross(conservation, conservation), in_cross(conservation, transposition)),
        expected: Some(Expected::Within(ALIKE)),
        is_detail: true,
        ..Question::default()
    });
    add(
        "conservation \u{2248} transposition",
        "the two scores differ by less than 5 points",
        vec![same, crossed],
    );

    // the collapse
    let collapse = numbers.compare(Question {
        what: "MRR, trained at conservation (paper: ScratchBERT); the difference is from halfway to chance"
            .to_owned(),
        names: ["tested at conservation", "tested at full"],
        terms: [vec![(tested_at(conservation, conservation), 1.0)], one(tested_at(conservation, full))],
        weights: Some([LEFT, 1.0]),
        chance: 1.0 - LEFT,
        paper: pair(in_cross(conservation, conservation), in_cross(conservation, full)),
        ..Question::default()
    });
    add(
        "conservation-trained collapses on full",
        "at full, a model trained at conservation keeps less than half of its score above chance",
        vec![collapse],
    );

    // robustness
    let over_levels = |trained: Setting| levels.map(|tested| (tested_at(trained, tested), 0.25)).to_vec();
    let paper_mean = |trained: Setting| mean(levels.map(|tested| in_cross(trained, tested)).to_vec());
    let robust = [("conservation", conservation), ("full", full), ("transposition", transposition)];
    let robust = robust.map(|(name, other)| {
        numbers.compare(Question {
            what: "MRR, mean over the four test levels (paper: ScratchBERT)".to_owned(),
            names: ["trained at partial", name],
            terms: [over_levels(partial), over_levels(other)],
            paper: pair(paper_mean(partial), paper_mean(other)),
            ..Question::default()
        })
    });
    add(
        "partial-trained is the most robust",
        "the model trained at partial has the best mean over the four test levels",
        robust.into_iter().collect(),
    );

    // mathematics and text
    let input =
        |row: &str| one(Number { row: row.to_owned(), level: conservation, measure: CellMeasure::Mrr });
    let of_input = |input: &str| {
        let key = format!("{}/{input}", encoder.name());
        paper::number(Study::Input, &key, "conservation", CellMeasure::Mrr)
    };
    let matters = numbers.compare(Question {
        what: "MRR at conservation".to_owned(),
        names: ["mathematics only", "text only"],
        terms: [input(MATH), input(TEXT)],
        paper: pair(of_input("math"), of_input("text")),
        ..Question::default()
    });
    add(
        "math matters more than text",
        "a model that reads only mathematics beats a model that reads only text",
        vec![matters],
    );

    // protected symbols
    let target = tested()[4];
    let in_category =
        |level: Setting| Number { row: category_row(level), level: target, measure: CellMeasure::Mrr };
    let in_paper = |level: Setting| {
        paper::number(Study::Protected, &level.to_string(), &target.to_string(), CellMeasure::Mrr)
    };
    let kinds = [Setting::from(Level::PARTIAL), Setting::from(Level::FULL)];
    let mut helps = vec![numbers.compare(Question {
        what: "MRR at partial+P, mean of partial and full (paper: ScratchBERT)".to_owned(),
        names: ["trained with protected symbols", "without"],
        terms: [
            kinds.map(|level| (in_category(protected(level)), 0.5)).to_vec(),
            kinds.map(|level| (in_category(level), 0.5)).to_vec(),
        ],
        paper: pair(
            mean(kinds.map(|level| in_paper(protected(level))).to_vec()),
            mean(kinds.map(in_paper).to_vec()),
        ),
        ..Question::default()
    })];
    for level in kinds {
        helps.push(numbers.compare(Question {
            what: format!("MRR at partial+P, {level} (paper: ScratchBERT)"),
            names: ["trained with protected symbols", "without"],
            terms: [one(in_category(protected(level))), one(in_category(level))],
            paper: pair(in_paper(protected(level)), in_paper(level)),
            is_detail: true,
            ..Question::default()
        }));
    }
    add(
        "protected symbols help slightly",
        "a model trained with protected symbols kept is better when they are kept at test time",
        helps,
    );

    // invariance
    let renamed =
        |tested: Setting| one(Number { row: RENAMED.to_owned(), level: tested, measure: CellMeasure::Mrr });
    let unchanged = numbers.compare(Question {
        what: "MRR of the renaming-invariant model".to_owned(),
        names: ["tested at full", "tested at conservation"],
        terms: [renamed(full), renamed(conservation)],
        expected: Some(Expected::Within(ALIKE)),
        ..Question::default()
    });
    let against = [("trained at full", full), ("trained at conservation", conservation)];
    let against = against.map(|(name, trained)| {
        numbers.compare(Question {
            what: "MRR at full".to_owned(),
            names: ["symbols up to renaming", name],
            terms: [renamed(full), one(tested_at(trained, full))],
            is_detail: true,
            ..Question::default()
        })
    });
    add(
        "a renaming-invariant model loses nothing at full",
        "the two scores differ by less than 5 points; by construction they are equal",
        [unchanged].into_iter().chain(against).collect(),
    );

    // avoidance
    let avoided = numbers.compare(Question {
        what: "MRR, trained and tested at the level".to_owned(),
        names: ["full:disjoint, whose names avoid the statement", "full"],
        terms: [one(tested_at(avoiding(), avoiding())), one(tested_at(full, full))],
        expected: Some(Expected::Within(ALIKE)),
        ..Question::default()
    });
    let lost = numbers.compare(Question {
        what: "MRR, trained at full:disjoint".to_owned(),
        names: ["tested at full:disjoint", "tested at full"],
        terms: [one(tested_at(avoiding(), avoiding())), one(tested_at(avoiding(), full))],
        is_detail: true,
        ..Question::default()
    });
    add(
        "a model trained at full does not exploit avoidance",
        "names that avoid the statement change the score by less than 5 points",
        vec![avoided, lost],
    );
    findings
}

/// A number of the grid.
#[derive(Clone)]
struct Number {
    row: String,
    level: Setting,
    measure: CellMeasure,
}

/// A comparison of two weighted sums of numbers.
#[derive(Default)]
struct Question {
    what: String,
    names: [&'static str; 2],
    terms: [Vec<(Number, f64)>; 2],
    /// The factor of the two sums before they are compared.
    weights: Option<[f64; 2]>,
    /// The multiple of the score by chance that is added to the first.
    chance: f64,
    paper: Option<[f64; 2]>,
    expected: Option<Expected>,
    is_detail: bool,
}

struct Numbers<'a> {
    plan: &'a Plan,
    results: &'a mut Results,
    workspace: &'a Workspace,
    seed: u64,
}

/// The mean reciprocal rank of random guesses among this many proofs, in percent.
fn chance_mrr(proofs: usize) -> f64 {
    100.0 * (1..=proofs).map(|rank| 1.0 / rank as f64).sum::<f64>() / proofs.max(1) as f64
}

/// What pairs contribute to a number, by seed.
type BySeed = Vec<HashMap<u64, f64>>;

impl Numbers<'_> {
    fn compare(&mut self, question: Question) -> Result<Comparison, String> {
        let sums: Vec<BySeed> =
            question.terms.iter().map(|terms| self.sum(terms)).collect::<Result<_, String>>()?;
        let [first, second] = &sums[..] else { return Err("both numbers are needed".to_owned()) };
        let seeds = first.len().min(second.len());
        let mut pairs: Vec<u64> =
            first.first().map(|pairs| pairs.keys().copied().collect()).unwrap_or_default();
        pairs.sort_unstable();
        if seeds == 0 || second.first().is_none_or(|other| !pairs.iter().all(|pair| other.contains_key(pair)))
        {
            return Err("the two evaluations are not on the same pairs".to_owned());
        }
        let [left, right] = question.weights.unwrap_or([1.0, 1.0]);
        let mean = |by_seed: &BySeed, pair: &u64| -> f64 {
            let values = by_seed[..seeds].iter().map(|values| values.get(pair).copied().unwrap_or_default());
            values.sum::<f64>() / seeds as f64
        };
        let offset = question.chance * chance_mrr(pairs.len());
        let differences: Vec<f64> =
            pairs.iter().map(|pair| offset + left * mean(first, pair) - right * mean(second, pair)).collect();
        let difference = bootstrap::bootstrap(&differences, bootstrap::DRAWS, self.seed)
            .ok_or_else(|| "there are no pairs to compare".to_owned())?;
        let of_seed = |seed: usize| {
            let value = |by_seed: &BySeed, pair: &u64| by_seed[seed].get(pair).copied().unwrap_or_default();
            pairs
                .iter()
                .map(|pair| offset + left * value(first, pair) - right * value(second, pair))
                .sum::<f64>()
        };
        let agree = (0..seeds).filter(|&seed| of_seed(seed).signum() == difference.mean.signum()).count();
        let over_pairs =
            |by_seed| pairs.iter().map(|pair| mean(by_seed, pair)).sum::<f64>() / pairs.len() as f64;
        let expected = question.expected.unwrap_or(Expected::AboveZero);
        Ok(Comparison {
            what: question.what,
            names: question.names.map(str::to_owned),
            ours: [over_pairs(first), over_pairs(second)],
            paper: question.paper,
            difference,
            expected,
            seeds_agree: agree,
            seeds,
            decides: !question.is_detail,
            verdict: expected.verdict(&difference),
        })
    }

    fn sum(&mut self, terms: &[(Number, f64)]) -> Result<BySeed, String> {
        let mut sum: BySeed = Vec::new();
        for (number, weight) in terms {
            let found = self.evaluations(number)?;
            for (seed, verdicts) in found.iter().enumerate() {
                let values = verdicts.by_pair(number.measure).ok_or("global decoding was not requested")?;
                if sum.len() == seed {
                    sum.push(HashMap::new());
                }
                for (pair, value) in verdicts.pairs.iter().zip(values) {
                    *sum[seed].entry(*pair).or_default() += weight * value;
                }
            }
        }
        Ok(sum)
    }

    /// The evaluations of a number, by seed; none unless all exist.
    fn evaluations(&mut self, number: &Number) -> Result<Vec<Arc<StudyEvaluation>>, String> {
        let row = self.plan.rows.iter().find(|row| row.name == number.row);
        let wanted = row.and_then(|row| {
            row.cells.iter().find_map(|cell| match &cell.source {
                CellSource::Evaluations(wanted)
                    if wanted.first().is_some_and(|each| each.level == number.level) =>
                {
                    Some(Ok(wanted))
                }
                CellSource::Missing(why) => Some(Err(why.clone())),
                _ => None,
            })
        });
        let wanted = wanted.ok_or_else(|| format!("{} at {} is not planned", number.row, number.level))??;
        let found: Vec<Arc<StudyEvaluation>> =
            wanted.iter().filter_map(|each| self.results.get(self.plan, each, self.workspace)).collect();
        match found.len() == wanted.len() {
            true => Ok(found),
            false => Err(format!(
                "{} of {} seeds of the model `{}` have been trained and tested at {}",
                found.len(),
                wanted.len(),
                number.row,
                number.level
            )),
        }
    }
}
