//! Feature selection for the linear model, as lime's `auto`.

use super::{super::settings::FeatureSelection, linear::ridge, moments::Centred};

/// Up to this many features lime selects forward.
const FORWARD_UP_TO: usize = 6;
/// Lime's penalty when it selects the highest weights.
const SEARCH_PENALTY: f64 = 0.01;

pub fn select(sums: &Centred, selection: FeatureSelection) -> Vec<usize> {
    match selection {
        FeatureSelection::All => (0..sums.features).collect(),
        FeatureSelection::Auto(most) if most <= FORWARD_UP_TO => forward(sums, most),
        FeatureSelection::Auto(most) => highest(sums, most),
    }
}

/// Forward selection: adds, one by one, the feature that improves the least-squares fit most.
///
/// After each choice the remaining sums are orthogonalized against it, so that the gain of a feature is one division
/// instead of a fit.
fn forward(sums: &Centred, most: usize) -> Vec<usize> {
    let count = sums.features;
    let (mut gram, mut moment) = (sums.gram.clone(), sums.moment.clone());
    let mut chosen = Vec::new();
    while chosen.len() < most.min(count) {
        let gain = |feature: usize| {
            let left = gram[feature * count + feature];
            // Rounding error of a feature that depends linearly on others.
            if left > 1e-9 * sums.gram_at(feature, feature) { moment[feature].powi(2) / left } else { 0.0 }
        };
        let mut best: Option<(usize, f64)> = None;
        for feature in (0..count).filter(|feature| !chosen.contains(feature)) {
            let gain = gain(feature);
            if best.is_none_or(|(_, most)| gain > most) {
                best = Some((feature, gain));
            }
        }
        let Some((best, gain)) = best else { break };
        chosen.push(best);
        if gain > 0.0 {
            let row: Vec<f64> = gram[best * count..][..count].to_vec();
            let (pivot, value) = (row[best], moment[best]);
            for feature in 0..count {
                let share = row[feature] / pivot;
                moment[feature] -= share * value;
                gram[feature * count..][..count]
                    .iter_mut()
                    .zip(&row)
                    .for_each(|(sum, row)| *sum -= share * row);
            }
        }
    }
    chosen
}

/// The largest weights of a fit with all features.
fn highest(sums: &Centred, most: usize) -> Vec<usize> {
    let whole = ridge(sums, (0..sums.features).collect(), SEARCH_PENALTY);
    let mut order = whole.features;
    order.sort_by(|&left, &right| whole.weights[right].abs().total_cmp(&whole.weights[left].abs()));
    order.truncate(most);
    order
}

#[cfg(test)]
mod tests {
    use super::{
        super::{moments::Moments, sampling::Sampler},
        *,
    };

    fn sums(features: usize) -> Centred {
        let (mut sampler, mut sums) = (Sampler::new(9, features), Moments::new(features, 0.0));
        for number in 0..400 {
            let sample = sampler.sample(number);
            let value: f64 = sample.kept.iter().map(|&feature| ((feature * 7) % features) as f64).sum();
            sums.add(&sample, sample.proximity(features, 25.0), value.sin() + 0.3 * value);
        }
        sums.centred()
    }

    #[test]
    fn forward_selection_is_that_of_a_fit_for_every_candidate() {
        let sums = sums(12);
        let mut expected: Vec<usize> = Vec::new();
        while expected.len() < 6 {
            let fit = |feature: usize| {
                let candidate = expected.iter().copied().chain([feature]).collect();
                ridge(&sums, candidate, 0.0).r_squared.unwrap()
            };
            let best = (0..12).filter(|feature| !expected.contains(feature));
            expected.push(best.max_by(|&left, &right| fit(left).total_cmp(&fit(right))).unwrap());
        }
        assert_eq!(select(&sums, FeatureSelection::Auto(6)), expected);
    }

    #[test]
    fn no_more_features_are_selected_than_there_are() {
        assert_eq!(select(&sums(4), FeatureSelection::Auto(6)).len(), 4);
        assert_eq!(select(&sums(4), FeatureSelection::Auto(10)).len(), 4);
        assert_eq!(select(&sums(12), FeatureSelection::Auto(10)).len(), 10);
        assert_eq!(select(&sums(12), FeatureSelection::All).len(), 12);
    }
}
