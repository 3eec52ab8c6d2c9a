//! The statistics as a plain table, and as LaTeX like the paper's.

use super::{Sizes, Spread, Statistics};
use crate::base::{latex, numbers::grouped};

impl Statistics {
    /// Both tables as text.
    pub fn to_plain(&self) -> String {
        let mut out = String::new();
        let longest = self.top_categories.iter().map(|row| row.name.chars().count()).max();
        let width = 10 + longest.unwrap_or_default().max(34);
        for (words, number) in self.overview() {
            line(&mut out, &format!("{words:<width$}{number:>12}"));
        }
        line(&mut out, "");
        let head = "Most represented primary categories";
        line(&mut out, &format!("{head:<width$}{:>12}{:>12}", "articles", "pairs"));
        for row in &self.top_categories {
            let words = format!("{:<10}{}", row.code, row.name);
            let (articles, pairs) = (grouped(row.articles), grouped(row.pairs));
            line(&mut out, &format!("{words:<width$}{articles:>12}{pairs:>12}"));
        }
        for (side, sizes) in self.sides() {
            line(&mut out, "");
            line(&mut out, &format!("{side:<20}{:>10}{:>10}{:>18}", "min", "max", "mean ± sd"));
            for (words, [min, max, mean]) in rows(sizes, " ± ", "%") {
                line(&mut out, &format!("{words:<20}{min:>10}{max:>10}{mean:>18}"));
            }
        }
        out
    }

    /// Both tables in LaTeX; they need the package booktabs.
    pub fn to_latex(&self) -> String {
        let mut out = String::new();
        line(&mut out, "\\begin{tabular}{lrr}");
        line(&mut out, "\\toprule");
        for (words, number) in self.overview() {
            line(&mut out, &format!("{words} & & {number} \\\\"));
        }
        line(&mut out, "\\midrule");
        line(&mut out, "Most represented primary categories & \\# articles & \\# pairs \\\\");
        line(&mut out, "\\midrule");
        for row in &self.top_categories {
            let words = latex::escape(format!("{} {}", row.code, row.name).trim_end());
            let (articles, pairs) = (grouped(row.articles), grouped(row.pairs));
            out.push_str(&latex::row([words, articles, pairs]));
        }
        line(&mut out, "\\bottomrule\n\\end{tabular}");
        line(&mut out, "");
        line(&mut out, "\\begin{tabular}{lrrr}");
        line(&mut out, "\\toprule");
        for (place, (side, sizes)) in self.sides().into_iter().enumerate() {
            let head = if place == 0 { "Min & Max & Mean$\\pm$SD" } else { "& &" };
            line(&mut out, &format!("{}{side} & {head} \\\\", if place == 0 { "" } else { "\\midrule\n" }));
            line(&mut out, "\\midrule");
            for (words, cells) in rows(sizes, "$\\pm$", "\\%") {
                out.push_str(&latex::row([words.to_owned()].into_iter().chain(cells)));
            }
        }
        line(&mut out, "\\bottomrule\n\\end{tabular}");
        out
    }

    fn overview(&self) -> Vec<(&'static str, String)> {
        let read = self.articles_read.map(|number| ("Articles read", grouped(number)));
        let rest = [
            ("Articles with statement-proof pairs", grouped(self.articles_with_pairs)),
            ("Statement-proof pairs", grouped(self.pairs)),
            (
                "Number of (primary) categories",
                format!("({}) {}", self.primary_categories, self.all_categories),
            ),
            ("Average number of categories per article", format!("{:.1}", self.mean_categories)),
            ("Average number of pairs per article", format!("{:.1}", self.mean_pairs)),
        ];
        read.into_iter().chain(rest).collect()
    }

    fn sides(&self) -> [(&'static str, &Sizes); 2] {
        [("Statements", &self.statements), ("Proofs", &self.proofs)]
    }
}

/// The four lines of one side: smallest, largest, mean and deviation.
fn rows(sizes: &Sizes, plus_minus: &str, percent: &str) -> [(&'static str, [String; 3]); 4] {
    let tokens = |spread: &Spread| {
        let Spread { min, max, mean, standard_deviation } = spread;
        [format!("{min:.0}"), format!("{max:.0}"), format!("{mean:.0}{plus_minus}{standard_deviation:.0}")]
    };
    let share = |spread: &Spread| {
        let [min, max, mean, deviation] =
            [spread.min, spread.max, spread.mean, spread.standard_deviation].map(|value| 100.0 * value);
        [
            format!("{min:.1}{percent}"),
            format!("{max:.1}{percent}"),
            format!("{mean:.0}{percent}{plus_minus}{deviation:.0}"),
        ]
    };
    [
        ("Text+math", tokens(&sizes.text_and_math)),
        ("Text only", tokens(&sizes.text)),
        ("Math only", tokens(&sizes.math)),
        ("Math proportion", share(&sizes.math_share)),
    ]
}

/// Removes trailing spaces.
fn line(out: &mut String, text: &str) {
    out.push_str(text.trim_end());
    out.push('\n');
}

#[cfg(test)]
mod tests {
    use super::super::tests::example;

    #[test]
    fn the_plain_table_reads_like_the_paper() {
        insta::assert_snapshot!(example().to_plain(), @r"
        Articles read                                     43,942
        Articles with statement-proof pairs                    3
        Statement-proof pairs                                  4
        Number of (primary) categories                     (2) 3
        Average number of categories per article             1.3
        Average number of pairs per article                  1.3

        Most represented primary categories             articles       pairs
        math.AG   Algebraic Geometry                           2           3
        cs.X_Y                                                 1           1

        Statements                 min       max         mean ± sd
        Text+math                   20        30            22 ± 4
        Text only                   10        20            12 ± 4
        Math only                   10        10            10 ± 0
        Math proportion          33.3%     50.0%           46% ± 7

        Proofs                     min       max         mean ± sd
        Text+math                   30        30            30 ± 0
        Text only                   30        30            30 ± 0
        Math only                    0         0             0 ± 0
        Math proportion           0.0%      0.0%            0% ± 0
        ");
    }

    #[test]
    fn the_latex_table_reads_like_the_paper() {
        insta::assert_snapshot!(example().to_latex(), @r"
        \begin{tabular}{lrr}
        \toprule
        Articles read & & 43,942 \\
        Articles with statement-proof pairs & & 3 \\
        Statement-proof pairs & & 4 \\
        Number of (primary) categories & & (2) 3 \\
        Average number of categories per article & & 1.3 \\
        Average number of pairs per article & & 1.3 \\
        \midrule
        Most represented primary categories & \# articles & \# pairs \\
        \midrule
        math.AG Algebraic Geometry & 2 & 3 \\
        cs.X\_Y & 1 & 1 \\
        \bottomrule
        \end{tabular}

        \begin{tabular}{lrrr}
        \toprule
        Statements & Min & Max & Mean$\pm$SD \\
        \midrule
        Text+math & 20 & 30 & 22$\pm$4 \\
        Text only & 10 & 20 & 12$\pm$4 \\
        Math only & 10 & 10 & 10$\pm$0 \\
        Math proportion & 33.3\% & 50.0\% & 46\%$\pm$7 \\
        \midrule
        Proofs & & & \\
        \midrule
        Text+math & 30 & 30 & 30$\pm$0 \\
        Text only & 30 & 30 & 30$\pm$0 \\
        Math only & 0 & 0 & 0$\pm$0 \\
        Math proportion & 0.0\% & 0.0\% & 0\%$\pm$0 \\
        \bottomrule
        \end{tabular}
        ");
    }
}
