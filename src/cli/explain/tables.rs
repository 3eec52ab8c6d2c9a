//! Explanations as text: bars for one pair, a line for each of several, and a summary.

use crate::{
    cli::{
        output::{Output, counted, grouped, printable},
        painted::Painted,
    },
    explain::export::Palette,
    explain::importance::{ExplainRequest, ModelExplanation, PairRanking, ShareSummary},
    explain::{
        ExplainMethod, Explanation, FeatureWeight, Piece, PieceIndex, PiecePair, Side,
        share::{Interval, of_pair},
    },
};

/// Width of the longest bar.
const BAR: usize = 20;
/// Number of tokens shown in the line of a pair.
const NAMED: usize = 5;

/// Prints one pair in full.
pub fn print_pair(explanations: &[ModelExplanation], output: &mut Output) -> anyhow::Result<()> {
    for (number, found) in explanations.iter().enumerate() {
        if number > 0 {
            output.line("")?;
        }
        let explanation = &found.stability.first;
        output.line(&printable(&format!("{}  {}", found.model, found.pair.name)))?;
        output.line(&printable(&ranking(&found.ranking)))?;
        print_facts(explanation, output)?;
        if found.stability.seeds.len() > 1 {
            output.line(&format!(
                "over {} seeds: {:.0} % of the features in common; R² {}",
                found.stability.seeds.len(),
                100.0 * found.stability.agreement,
                range(&found.stability.r_squared),
            ))?;
        }
        let spread = |weight: &FeatureWeight| {
            let steady = found.stability.features.iter().find(|steady| steady.places == weight.places)?;
            (found.stability.seeds.len() > 1).then_some((steady.spread, steady.keeps_its_sign()))
        };
        print_weights(explanation, spread, output)?;
        print_texts(&found.pair, explanation, output)?;
        if let Some(rival) = &found.rival {
            output.line(&printable(&format!("\n{}  {}", found.model, rival.pair.name)))?;
            print_facts(&rival.explanation, output)?;
            print_weights(&rival.explanation, |_| None, output)?;
            print_texts(&rival.pair, &rival.explanation, output)?;
        }
    }
    Ok(())
}

fn ranking(ranking: &PairRanking) -> String {
    let own = format!(
        "rank {} of {}, score {:.3}",
        ranking.rank,
        grouped(ranking.candidates as u64),
        ranking.score
    );
    match &ranking.rival {
        Some(rival) if ranking.rank > 1 => {
            format!("{own}; prefers the proof of {} ({:+.3})", rival.pair, rival.score - ranking.score)
        }
        Some(rival) => {
            format!("{own}; next is the proof of {} ({:+.3})", rival.pair, rival.score - ranking.score)
        }
        None => own,
    }
}

fn print_facts(explanation: &Explanation, output: &mut Output) -> anyhow::Result<()> {
    let mut facts = format!(
        "P(match) {:.3}; {}, weights in {}, {}",
        explanation.probability,
        explanation.settings.method,
        explanation.target.description(),
        counted(explanation.variants as u64, "variant"),
    );
    if let ExplainMethod::Lime(lime) = explanation.settings.method {
        facts.push_str(&format!(", seed {}", lime.seed));
    }
    if let Some(r_squared) = explanation.fit.and_then(|fit| fit.r_squared) {
        facts.push_str(&format!(", R² {r_squared:.3}"));
    }
    if let Some(share) = of_pair(explanation) {
        facts.push_str(&format!("; {:.0} % of the importance on mathematics", 100.0 * share));
    }
    output.line(&facts)
}

/// Prints weights with bars; the sign replaces the color.
fn print_weights(
    explanation: &Explanation,
    spread: impl Fn(&FeatureWeight) -> Option<(f64, bool)>,
    output: &mut Output,
) -> anyhow::Result<()> {
    let strongest = explanation.strongest();
    for weight in &explanation.weights {
        let share = if strongest > 0.0 { weight.weight.abs() / strongest } else { 0.0 };
        let bar = if weight.weight < 0.0 { "░" } else { "█" }.repeat((share * BAR as f64).round() as usize);
        let (spread, doubt) = match spread(weight) {
            Some((spread, keeps_sign)) => {
                (format!("±{spread:.4}"), if keeps_sign { "" } else { "  sign uncertain" })
            }
            None => (String::new(), ""),
        };
        let kind = if weight.piece.is_math() { "math" } else { "text" };
        let line = format!(
            "  {:>+9.4} {spread:<8} {bar:<BAR$}  {kind}  {}{}{doubt}",
            weight.weight,
            printable(&weight.piece.shown()),
            times(weight.places.len()),
        );
        output.line(line.trim_end())?;
    }
    Ok(())
}

fn times(count: usize) -> String {
    if count == 1 { String::new() } else { format!(" ×{count}") }
}

/// Prints statement and proof. Weighted pieces are in color on a terminal, otherwise in brackets with their sign.
fn print_texts(pair: &PiecePair, explanation: &Explanation, output: &mut Output) -> anyhow::Result<()> {
    let in_colour = output.has_colors();
    for side in Side::BOTH {
        let mut line = Painted::from(format!("{side}: ").as_str());
        for (index, piece) in pair.side(side).iter().enumerate().filter(|(_, piece)| **piece != Piece::End) {
            let weight = explanation.weight_at(PieceIndex { side, index });
            let (text, strongest) = (printable(&piece.shown()).into_owned(), explanation.strongest());
            let shade = Palette::Paper.shade(if strongest > 0.0 { weight / strongest } else { 0.0 });
            match shade {
                None => line.push(&text),
                Some(shade) if in_colour => {
                    let (ground, ink) = (shade, shade.ink());
                    let style = format!(
                        "48;2;{};{};{};38;2;{};{};{}",
                        ground.0, ground.1, ground.2, ink.0, ink.1, ink.2
                    );
                    line.push_styled(&style, &format!("{}{text}", sign(weight)))
                }
                Some(_) => line.push(&format!("[{}{text}]", sign(weight))),
            };
            line.push(" ");
        }
        output.painted(&line)?;
    }
    Ok(())
}

fn sign(weight: f64) -> char {
    if weight < 0.0 { '-' } else { '+' }
}

/// Prints a line for each pair and model.
pub fn print_lines(pairs: &[Vec<ModelExplanation>], output: &mut Output) -> anyhow::Result<()> {
    output.line(&format!(
        "{:<20}{:<20}{:>9}{:>8}{:>8}  strongest",
        "pair", "model", "P(match)", "rank", "math %"
    ))?;
    for explained in pairs.iter().flatten() {
        let explanation = &explained.stability.first;
        let share = of_pair(explanation).map_or("-".to_owned(), |share| format!("{:.0}", 100.0 * share));
        let named: Vec<String> = explanation
            .weights
            .iter()
            .take(NAMED)
            .map(|weight| format!("{}{}", sign(weight.weight), weight.piece.shown()))
            .collect();
        let rank = format!("{}/{}", explained.ranking.rank, explained.ranking.candidates);
        let line = format!(
            "{:<20}{:<20}{:>9.3}{rank:>8}{share:>8}  {}",
            explained.pair.name,
            explained.model,
            explanation.probability,
            named.join(" "),
        );
        output.line(&printable(&line))?;
    }
    output.line("")
}

/// Prints the share of importance on mathematics.
pub fn print_summary(
    summary: &ShareSummary,
    request: &ExplainRequest,
    output: &mut Output,
) -> anyhow::Result<()> {
    output.line(&format!("percentage of absolute importance on mathematics, {}", request.settings.method))?;
    output.line(&format!(
        "{:<20}{:>7}{:>9}{:>9}  {:<16}{:>12}",
        "model", "pairs", "rank 1 %", "math %", "95 % interval", "of features"
    ))?;
    for model in &summary.models {
        let line = match &model.math {
            None => format!("{:<20}      - (all weights are 0)", model.model),
            Some(math) => format!(
                "{:<20}{:>7}{:>9.1}{:>9.1}  {:<16}{:>12.1}",
                model.model,
                math.pairs,
                100.0 * model.accuracy,
                100.0 * math.mean,
                interval(math.interval),
                100.0 * math.features,
            ),
        };
        output.line(&printable(&line))?;
    }
    if let Some(difference) = summary.difference {
        output.line(&format!(
            "{:<20}{:>7}{:>9}{:>+9.1}  {}",
            "difference",
            "",
            "",
            100.0 * difference.mean,
            interval(difference.interval)
        ))?;
    }
    Ok(())
}

fn interval(interval: Interval) -> String {
    format!("{:.1} to {:.1}", 100.0 * interval.low, 100.0 * interval.high)
}

fn range(values: &[f64]) -> String {
    let least = values.iter().copied().fold(f64::INFINITY, f64::min);
    let most = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    if values.is_empty() { "-".to_owned() } else { format!("{least:.3} to {most:.3}") }
}
