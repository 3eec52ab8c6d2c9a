//! Categories and how often they occur: the paper's Table 1 as far as it goes, then a tail.

use super::random::Random;

/// Articles of each primary category. The first thirteen numbers are the paper's; the others share
/// what the paper leaves, falling as these do.
const ARTICLES: [(&str, u32); 42] = [
    ("math.AG", 2848),
    ("math.DG", 2030),
    ("math.CO", 1705),
    ("math.GT", 1539),
    ("math.NT", 1454),
    ("math.PR", 1422),
    ("math.AP", 1386),
    ("math-ph", 1249),
    ("math.FA", 1143),
    ("math.GR", 970),
    ("math.DS", 961),
    ("math.QA", 944),
    ("math.OA", 923),
    ("math.RT", 880),
    ("math.AT", 850),
    ("math.RA", 790),
    ("math.CV", 760),
    ("math.AC", 720),
    ("math.CA", 660),
    ("math.LO", 520),
    ("math.OC", 480),
    ("math.MG", 430),
    ("math.SG", 400),
    ("math.CT", 360),
    ("math.NA", 320),
    ("math.GN", 260),
    ("math.ST", 240),
    ("cs.IT", 230),
    ("math.KT", 220),
    ("hep-th", 200),
    ("math.SP", 190),
    ("cs.DM", 150),
    ("quant-ph", 140),
    ("cs.LO", 110),
    ("cs.CC", 90),
    ("nlin.SI", 80),
    ("gr-qc", 60),
    ("cs.DS", 50),
    ("math.GM", 40),
    ("cond-mat.stat-mech", 30),
    ("math.HO", 20),
    ("q-fin.MF", 10),
];

/// Draws the categories of an article, the primary one first; 1.7 in the mean, as in the paper.
pub fn draw(random: &mut Random) -> Vec<&'static str> {
    let count = match random.below(100) {
        0..50 => 1,
        50..83 => 2,
        83..97 => 3,
        _ => 4,
    };
    let mut drawn: Vec<&'static str> = Vec::with_capacity(count);
    while drawn.len() < count {
        let code = draw_one(random);
        if !drawn.contains(&code) {
            drawn.push(code);
        }
    }
    drawn
}

/// A number for each category, by which its words are chosen.
pub fn rank(code: &str) -> usize {
    ARTICLES.iter().position(|(known, _)| *known == code).unwrap_or(0)
}

fn draw_one(random: &mut Random) -> &'static str {
    let total = ARTICLES.iter().map(|(_, articles)| articles).sum();
    let mut point = random.below(total);
    for (code, articles) in ARTICLES {
        if point < articles {
            return code;
        }
        point -= articles;
    }
    ARTICLES[0].0
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use super::*;
    use crate::corpus::categories;

    #[test]
    fn arxiv_knows_every_category() {
        assert!(ARTICLES.iter().all(|(code, _)| categories::name(code).is_some()));
    }

    #[test]
    fn algebraic_geometry_leads_and_every_category_occurs() {
        let mut random = Random::named(&[3]);
        let (mut first, mut all) = (HashMap::<_, u32>::new(), 0);
        for _ in 0..20_000 {
            let drawn = draw(&mut random);
            *first.entry(drawn[0]).or_default() += 1;
            all += drawn.len();
        }
        assert_eq!(first.len(), ARTICLES.len());
        assert!(first.values().all(|&count| count <= first["math.AG"]));
        assert!((33_000..35_000).contains(&all), "{all}");
    }
}
