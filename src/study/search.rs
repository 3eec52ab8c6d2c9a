//! Hyperparameter search: grid or random, judged on dev by the best evaluation of each run.
//!
//! A search is a list of runs, like a study without cells: a run's name contains a hash of its settings, so a search that
//! was stopped continues, and a larger one uses the runs of a smaller one. Test is never read.

use super::{
    Plan, PlanError, PlannedRun, PlannedWork, StudyRequest,
    name::run_name,
    table::page::{self, Bar, document},
    version::version,
};
use crate::{
    base::{
        latex,
        markup::Markup,
        numbers::counted,
        rng::Rng,
        text_table::{TextFormat, TextTable},
    },
    corpus::CorpusReference,
    runs::{jobs::JobRow, metric},
    train::TrainSettings,
};

/// A setting and the values to try: `lr=0.001,0.003` or, for a random search, `lr=0.0001..0.1`.
#[derive(Clone, Debug, PartialEq)]
pub struct SearchAxis {
    /// The name of the flag.
    pub setting: String,
    pub values: AxisValues,
}

#[derive(Clone, Debug, PartialEq)]
pub enum AxisValues {
    List(Vec<String>),
    /// Whole numbers if both ends are; drawn by their logarithm if they span a factor of ten.
    Range {
        low: f64,
        high: f64,
        is_whole: bool,
    },
}

/// What is searched.
#[derive(Clone, Debug)]
pub struct SearchRequest {
    pub axes: Vec<SearchAxis>,
    /// The number of random combinations; every combination of the lists without it.
    pub random: Option<usize>,
    /// The seed of the random combinations.
    pub seed: u64,
    /// The settings of every run, except for those of the axes.
    pub base: TrainSettings,
}

/// More runs than this are a mistake.
const MOST: usize = 10_000;

impl std::str::FromStr for SearchAxis {
    type Err = String;

    fn from_str(written: &str) -> Result<SearchAxis, String> {
        let (setting, values) =
            written.split_once('=').ok_or_else(|| format!("`{written}` is not SETTING=VALUES"))?;
        let setting = setting.trim().trim_start_matches("--").replace('_', "-");
        let values = match values.split_once("..") {
            Some((low, high)) => {
                let number = |text: &str| {
                    text.trim().parse::<f64>().map_err(|_| format!("`{text}` in `{written}` is not a number"))
                };
                let is_whole = [low, high].iter().all(|text| text.trim().parse::<u64>().is_ok());
                let (low, high) = (number(low)?, number(high)?);
                if !(low.is_finite() && high.is_finite() && low < high) {
                    return Err(format!("`{written}` is not a range from a lower to a higher number"));
                }
                AxisValues::Range { low, high, is_whole }
            }
            None => AxisValues::List(values.split(',').map(|value| value.trim().to_owned()).collect()),
        };
        Ok(SearchAxis { setting, values })
    }
}

impl SearchAxis {
    fn draw(&self, rng: &mut Rng) -> String {
        match &self.values {
            AxisValues::List(values) => values[rng.below(values.len())].clone(),
            AxisValues::Range { low, high, is_whole } => {
                // 53 bits are those of a number between 0 and 1.
                let share = (rng.next_u64() >> 11) as f64 / (1u64 << 53) as f64;
                let value = match *low > 0.0 && high / low >= 10.0 {
                    true => (low.ln() + share * (high.ln() - low.ln())).exp(),
                    false => low + share * (high - low),
                };
                match is_whole {
                    true => format!("{}", value.round()),
                    // Three digits are enough to tell runs apart, and readable.
                    false => format!("{:?}", format!("{value:.2e}").parse::<f64>().unwrap_or(value)),
                }
            }
        }
    }
}

impl SearchRequest {
    /// The values of each combination, in the order of the axes.
    pub fn combinations(&self) -> Result<Vec<Vec<String>>, PlanError> {
        let wrong = |text: String| Err(PlanError::Request(text));
        if self.axes.is_empty() {
            return wrong("name at least one setting to search over, as in --over lr=0.001,0.01".to_owned());
        }
        if let Some(count) = self.random {
            let mut rng = Rng::new(self.seed);
            let mut drawn: Vec<Vec<String>> = Vec::new();
            // Lists may have fewer combinations than were asked for.
            for _ in 0..count.min(MOST) * 20 {
                let values: Vec<String> = self.axes.iter().map(|axis| axis.draw(&mut rng)).collect();
                if drawn.len() < count && !drawn.contains(&values) {
                    drawn.push(values);
                }
            }
            return Ok(drawn);
        }
        let mut all: Vec<Vec<String>> = vec![Vec::new()];
        for axis in &self.axes {
            let AxisValues::List(values) = &axis.values else {
                return wrong(format!("{} has a range, which needs --random N", axis.setting));
            };
            if all.len() * values.len() > MOST {
                return wrong(format!("there are more than {MOST} combinations; use --random N"));
            }
            let longer = |known: &Vec<String>| {
                let known = known.clone();
                values.iter().map(move |value| [known.clone(), vec![value.clone()]].concat())
            };
            all = all.iter().flat_map(longer).collect();
        }
        Ok(all)
    }

    /// The runs of a search as a plan without cells.
    pub fn plan(&self, corpus: &CorpusReference) -> Result<Plan, PlanError> {
        let mut runs: Vec<PlannedRun> = Vec::new();
        for values in self.combinations()? {
            let mut settings = self.base.clone();
            for (axis, value) in self.axes.iter().zip(&values) {
                let wrong = |problem: String| PlanError::Request(format!("{}: {problem}", axis.setting));
                let field = <TrainSettings as crate::base::fields::Fields>::field(&axis.setting);
                let field = field.ok_or_else(|| wrong("`matchbook train` has no such flag".to_owned()))?;
                field.set(&mut settings, value).map_err(wrong)?;
            }
            settings.check()?;
            let name = run_name(&settings, &corpus.fingerprint, None)?;
            if runs.iter().all(|run| run.name != name) {
                let work = PlannedWork::Train(Box::new(settings));
                runs.push(PlannedRun { name, work, corpus: corpus.clone(), after: None });
            }
        }
        let request = StudyRequest::new(super::Study::Main, super::Preset::Tiny);
        let (columns, rows, notes) = (Vec::new(), Vec::new(), Vec::new());
        Ok(Plan { request, corner: "", columns, rows, runs, notes })
    }

    /// The runs from the best to the worst, with the values of the settings that were searched.
    pub fn table(&self, rows: &[&JobRow]) -> TextTable {
        let key = |row: &JobRow| row.scores.best.as_ref().map(|best| (best.accuracy, best.mrr));
        let mut rows = rows.to_vec();
        rows.sort_by(|one, other| key(other).partial_cmp(&key(one)).unwrap_or(std::cmp::Ordering::Equal));
        let settings: Vec<&str> = self.axes.iter().map(|axis| axis.setting.as_str()).collect();
        let header = settings.iter().copied().chain(["best accuracy", "best MRR", "run"]);
        let line = |row: &&JobRow| {
            let values = settings.iter().map(|name| row.setting(name).unwrap_or_default());
            let score = |name: &str| {
                let best = row.scores.best.as_ref();
                best.and_then(|best| best.shown_with_epoch(name)).unwrap_or_else(|| row.state_text())
            };
            values.chain([score(metric::ACCURACY), score(metric::MRR), row.name.clone()]).collect()
        };
        TextTable {
            title: "Hyperparameter search".to_owned(),
            header: header.map(str::to_owned).collect(),
            rows: rows.iter().map(line).collect(),
            notes: vec![
                "Scores on dev in percent, with their epoch after @; the test part is never read.".to_owned(),
            ],
            ..TextTable::default()
        }
    }

    /// A chart for each setting: the best accuracy and the mean for each of its values.
    pub fn charts(&self, rows: &[&JobRow]) -> Vec<SettingChart> {
        self.axes.iter().map(|axis| SettingChart::new(&axis.setting, rows)).collect()
    }

    /// The table and the charts as a document; CSV has the table alone.
    pub fn written(&self, rows: &[&JobRow], format: TextFormat) -> String {
        let (table, charts) = (self.table(rows), self.charts(rows));
        let texts = || charts.iter().map(SettingChart::text).collect::<Vec<_>>().join("\n");
        match format {
            TextFormat::Csv => table.csv(),
            TextFormat::Text => format!("{}\n{}", table.text(), texts()),
            TextFormat::Markdown => format!("{}\n```text\n{}```\n", table.markdown(), texts()),
            TextFormat::Latex => {
                let pictures = charts.iter().map(SettingChart::latex).collect::<Vec<_>>().join("\n");
                format!("{}\n{pictures}", table.latex())
            }
            TextFormat::Html => {
                let mut body = Markup::new();
                body.raw(&table.html());
                charts.iter().for_each(|chart| chart.html(&mut body));
                document(&table.title, &body.finish(), &[format!("Report generated by {}.", version())])
            }
        }
    }
}

/// The scores of the runs by the value of one setting.
#[derive(Clone, Debug, PartialEq)]
pub struct SettingChart {
    setting: String,
    values: Vec<SettingValue>,
}

/// The best and the mean accuracy on dev of the runs with a value, in percent.
#[derive(Clone, Debug, PartialEq)]
struct SettingValue {
    value: String,
    best: f64,
    mean: f64,
    runs: usize,
}

/// The width of the longest bar in characters.
const BAR: f64 = 40.0;

impl SettingChart {
    fn new(setting: &str, rows: &[&JobRow]) -> SettingChart {
        let mut values: Vec<(String, Vec<f64>)> = Vec::new();
        for row in rows {
            let accuracy = row.scores.best.as_ref().and_then(|best| best.accuracy);
            let (Some(value), Some(accuracy)) = (row.setting(setting), accuracy) else { continue };
            match values.iter_mut().find(|(known, _)| *known == value) {
                Some((_, found)) => found.push(100.0 * accuracy),
                None => values.push((value, vec![100.0 * accuracy])),
            }
        }
        let order = |value: &str| value.parse::<f64>().unwrap_or(f64::INFINITY);
        values
            .sort_by(|(one, _), (other, _)| order(one).total_cmp(&order(other)).then_with(|| one.cmp(other)));
        let summary = |(value, found): (String, Vec<f64>)| SettingValue {
            value,
            best: found.iter().copied().fold(f64::NEG_INFINITY, f64::max),
            mean: found.iter().sum::<f64>() / found.len() as f64,
            runs: found.len(),
        };
        SettingChart { setting: setting.to_owned(), values: values.into_iter().map(summary).collect() }
    }

    fn title(&self) -> String {
        format!("{}: best dev accuracy, and the mean of its runs", self.setting)
    }

    pub fn text(&self) -> String {
        let width = self.values.iter().map(|value| value.value.chars().count()).max().unwrap_or_default();
        let mut out = format!("{}\n", self.title());
        for SettingValue { value, best, mean, runs } in &self.values {
            let bar = "█".repeat((BAR * best / 100.0).round().max(0.0) as usize);
            let runs = counted(*runs, "run");
            out.push_str(&format!("  {value:>width$}  {best:>6.2}  {bar}  (mean {mean:.2} of {runs})\n"));
        }
        out
    }

    fn html(&self, out: &mut Markup) {
        let bars: Vec<Bar> = self.values.iter().map(Bar::of).collect();
        out.open("figure", &[]).element("figcaption", &[], &self.title()).line();
        page::bar_plot(out, &bars, "mean of its runs");
        out.raw("</figure>\n");
    }

    /// A picture of LaTeX itself, so that it needs no package.
    fn latex(&self) -> String {
        let height = 5 * self.values.len() + 2;
        let mut out = format!(
            "\\begin{{figure}}\n\\centering\n\\setlength{{\\unitlength}}{{1mm}}\n\\begin{{picture}}(130,{height})\n"
        );
        for (place, SettingValue { value, best, mean, .. }) in self.values.iter().enumerate() {
            let y = height - 5 * (place + 1);
            out.push_str(&format!("\\put(23,{y}){{\\makebox(0,3)[r]{{{}}}}}\n", latex::escape(value)));
            out.push_str(&format!("\\put(25,{y}){{\\rule{{{:.1}mm}}{{3mm}}}}\n", 0.8 * best));
            out.push_str(&format!(
                "\\put({:.1},{y}){{\\makebox(0,3)[l]{{{best:.2} (mean {mean:.2})}}}}\n",
                27.0 + 0.8 * best
            ));
        }
        let caption = latex::escape(&self.title());
        out.push_str(&format!("\\end{{picture}}\n\\caption{{{caption}}}\n\\end{{figure}}\n"));
        out
    }
}

impl Bar {
    fn of(value: &SettingValue) -> Bar {
        Bar {
            name: value.value.clone(),
            value: Some(value.best),
            interval: None,
            mark: Some(value.mean).filter(|_| value.runs > 1),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::train::Preset;

    fn request(axes: &[&str], random: Option<usize>) -> SearchRequest {
        let axes = axes.iter().map(|axis| axis.parse().unwrap()).collect();
        SearchRequest { axes, random, seed: 1, base: Preset::Tiny.settings() }
    }

    #[test]
    fn a_grid_has_every_combination_and_a_random_search_as_many_as_asked() {
        let grid = request(&["lr=0.001,0.01", "batch=8,16,32"], None);
        let corpus = CorpusReference { path: "demo".into(), fingerprint: "6f1e".to_owned() };
        assert_eq!(grid.plan(&corpus).unwrap().runs.len(), 6);
        let random = request(&["lr=0.0001..0.1", "batch=8..64", "level=full,conservation"], Some(20));
        let drawn = random.combinations().unwrap();
        assert_eq!((drawn.len(), &drawn), (20, &random.combinations().unwrap()));
        for values in &drawn {
            let (lr, batch): (f64, u64) = (values[0].parse().unwrap(), values[1].parse().unwrap());
            assert!((0.0001..=0.1).contains(&lr) && (8..=64).contains(&batch), "{values:?}");
        }
        // By its logarithm: about half of the values are below the geometric mean.
        let low = drawn.iter().filter(|values| values[0].parse::<f64>().unwrap() < 0.003_162).count();
        assert!((4..=16).contains(&low), "{low}");
        assert_eq!(request(&["batch=8,16"], Some(9)).combinations().unwrap().len(), 2);
    }

    #[test]
    fn wrong_axes_are_refused() {
        for wrong in ["lr", "lr=1..", "lr=2..1"] {
            assert!(wrong.parse::<SearchAxis>().is_err(), "{wrong}");
        }
        let corpus = CorpusReference::default();
        for (axes, problem) in [
            (&["lr=0.1..0.2"][..], "needs --random"),
            (&["epochs=0"][..], "a whole number from 1"),
            (&["nothing=1"][..], "no such flag"),
            (&["lr=fast"][..], "should be a number"),
            (&[][..], "at least one setting"),
        ] {
            let error = request(axes, None).plan(&corpus).unwrap_err().to_string();
            assert!(error.contains(problem), "{error}");
        }
    }
}
