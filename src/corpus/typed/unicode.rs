//! Characters that stand for structure: `x²` is `x^{2}`, `x̄` is `\bar{x}`, `½` is a fraction.

use super::super::layout;

const RAISED: &str = "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁼⁽⁾ᵃᵇᶜᵈᵉᶠᵍʰⁱʲᵏˡᵐⁿᵒᵖʳˢᵗᵘᵛʷˣʸᶻᴬᴮꟲᴰᴱꟳᴳᴴᴵᴶᴷᴸᴹᴺᴼᴾꟴᴿᵀᵁⱽᵂᵅᵝᵞᵟᵋᶿᶥᵠᶲᵡ";
const RAISED_BASES: &str = "0123456789+-=()abcdefghijklmnoprstuvwxyzABCDEFGHIJKLMNOPQRTUVWαβγδεθιφϕχ";
const LOWERED: &str = "₀₁₂₃₄₅₆₇₈₉₊₋₌₍₎ₐₑₕᵢⱼₖₗₘₙₒₚᵣₛₜᵤᵥₓᵦᵧᵨᵩᵪ";
const LOWERED_BASES: &str = "0123456789+-=()aehijklmnoprstuvxβγρφχ";

/// Accents as combining characters, and what TeX's accents are in articles.
const COMBINING: [(char, &str); 13] = [
    ('\u{300}', "`"),
    ('\u{301}', "´"),
    ('\u{302}', "^"),
    ('\u{303}', "~"),
    ('\u{304}', "¯"),
    ('\u{305}', "¯"),
    ('\u{306}', "˘"),
    ('\u{307}', "˙"),
    ('\u{308}', "¨"),
    ('\u{30a}', "˚"),
    ('\u{30c}', "ˇ"),
    ('\u{332}', "¯"),
    ('\u{20d7}', "→"),
];

/// Letters with an accent that keyboards and normalization produce instead of a combining character. Acute and grave
/// letters are left out: they are in words, and no mathematical notation.
const ACCENTED: [(&str, &str, &str); 5] = [
    ("¯", "āēīōūȳḡĀĒĪŌŪȲḠ", "aeiouygAEIOUYG"),
    ("^", "âêîôûŷẑĉĝĥĵŝŵÂÊÎÔÛŶẐĈĜĤĴŜŴ", "aeiouyzcghjswAEIOUYZCGHJSW"),
    ("~", "ãẽĩõũỹñṽÃẼĨÕŨỸÑṼ", "aeiouynvAEIOUYNV"),
    ("˙", "ȧḃċḋėḟġḣṁṅȯṗṙṡṫẇẋẏżȦḂĊḊĖḞĠḢṀṄȮṖṘṠṪẆẊẎŻ", "abcdefghmnoprstwxyzABCDEFGHMNOPRSTWXYZ"),
    ("¨", "äëïöüÿẍẅḧÄËÏÖÜŸẌẄḦ", "aeiouyxwhAEIOUYXWH"),
];

const FRACTIONS: [(char, [&str; 2]); 15] = [
    ('½', ["1", "2"]),
    ('⅓', ["1", "3"]),
    ('⅔', ["2", "3"]),
    ('¼', ["1", "4"]),
    ('¾', ["3", "4"]),
    ('⅕', ["1", "5"]),
    ('⅖', ["2", "5"]),
    ('⅗', ["3", "5"]),
    ('⅘', ["4", "5"]),
    ('⅙', ["1", "6"]),
    ('⅚', ["5", "6"]),
    ('⅛', ["1", "8"]),
    ('⅜', ["3", "8"]),
    ('⅝', ["5", "8"]),
    ('⅞', ["7", "8"]),
];

/// Relations, each before its negation.
const NEGATIONS: &str = "=≠∈∉∋∌⊂⊄⊃⊅⊆⊈⊇⊉≡≢∼≁≃≄≅≇≈≉<≮>≯≤≰≥≱≲≴≳≵≍≭∣∤|∤∥∦‖∦⊢⊬⊧⊭⊨⊭∃∄→↛←↚⇒⇏⇐⇍⇔⇎↔↮≺⊀≻⊁⊲⋪⊳⋫⊴⋬⊵⋭";

/// The slash that negates the character before it.
pub const NEGATING: char = '\u{338}';

/// The mark of a raised or lowered character, and the character on the line.
pub fn script(letter: char) -> Option<(char, char)> {
    if letter.is_ascii() {
        return None;
    }
    translated(letter, RAISED, RAISED_BASES)
        .map(|base| (layout::SUPERSCRIPT, base))
        .or_else(|| translated(letter, LOWERED, LOWERED_BASES).map(|base| (layout::SUBSCRIPT, base)))
}

/// The number of primes that a character is.
pub fn primes(letter: char) -> Option<usize> {
    Some(match letter {
        '\'' | '′' | '’' => 1,
        '″' => 2,
        '‴' => 3,
        '⁗' => 4,
        _ => return None,
    })
}

/// The accent of a combining character, and the mark of its place.
pub fn combining(letter: char) -> Option<(&'static str, char)> {
    let (_, accent) = COMBINING.iter().find(|(known, _)| *known == letter)?;
    Some((accent, if letter == '\u{332}' { layout::ACCENT_BELOW } else { layout::ACCENT }))
}

/// The letter under an accent, and the accent.
pub fn accented(letter: char) -> Option<(char, &'static str)> {
    if letter.is_ascii() {
        return None;
    }
    ACCENTED.iter().find_map(|(accent, from, to)| translated(letter, from, to).map(|base| (base, *accent)))
}

/// Numerator and denominator.
pub fn fraction(letter: char) -> Option<[&'static str; 2]> {
    FRACTIONS.iter().find(|(known, _)| *known == letter).map(|(_, parts)| *parts)
}

/// The character that articles have for one that looks like it.
pub fn usual(letter: char) -> char {
    match letter {
        '-' => '−',
        // Both are in articles for `\|`, `‖` more often. `\lVert` is `∥` in all of them.
        '∥' => '‖',
        '·' => '⋅',
        '\u{b5}' => 'μ',
        '\u{2126}' => 'Ω',
        '\u{2206}' => 'Δ',
        '\u{2215}' => '/',
        '\u{2329}' | '\u{3008}' => '⟨',
        '\u{232a}' | '\u{3009}' => '⟩',
        other => other,
    }
}

/// The negation of a relation: one character if Unicode has it, else the relation with a slash over it.
pub fn negated(relation: &str) -> String {
    let mut rest = NEGATIONS.chars();
    while let (Some(known), Some(negation)) = (rest.next(), rest.next()) {
        if relation.strip_prefix(known) == Some("") {
            return negation.to_string();
        }
    }
    format!("{relation}{NEGATING}")
}

fn translated(letter: char, from: &str, to: &str) -> Option<char> {
    from.chars().zip(to.chars()).find(|(source, _)| *source == letter).map(|(_, target)| target)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_letter_has_its_base() {
        for (from, to) in [(RAISED, RAISED_BASES), (LOWERED, LOWERED_BASES)] {
            assert_eq!(from.chars().count(), to.chars().count());
        }
        for (accent, from, to) in ACCENTED {
            assert_eq!(from.chars().count(), to.chars().count(), "{accent}");
        }
        assert_eq!(NEGATIONS.chars().count() % 2, 0);
        assert_eq!(script('ₙ'), Some((layout::SUBSCRIPT, 'n')));
        assert_eq!(script('⁻'), Some((layout::SUPERSCRIPT, '-')));
    }

    #[test]
    fn a_relation_is_negated_by_one_character_if_there_is_one() {
        for (relation, negation) in [("∈", "∉"), ("=", "≠"), ("≡", "≢"), ("⪯", "⪯\u{338}")] {
            assert_eq!(negated(relation), negation);
        }
    }
}
