//! The words that can be searched, folded so that a search need not know how they were written.
//!
//! A word is a stretch of letters and digits, lower case and without diacritics: "Hölder's" is `holder`.
//! Words of one letter do not count, in the text or in a query: there they are articles and the
//! names of symbols, which is what makes the phrase "let G be a group" find "Let *G* be a group".
//! Of a formula only the names count (`Spec`, `Hom`, `dim`).
//!
//! The folding is done here and not by SQLite because its Unicode tokenizer takes twice as long as all
//! the rest of writing a corpus; its ASCII tokenizer then only has to split at spaces.

use std::ops::Range;

use crate::corpus::{Font, Passage, Run};

/// Shorter words are not indexed and not searched.
const SHORTEST: usize = 2;

/// Appends the words of a passage to `out`, one space after each.
pub fn append_words(passage: &Passage, out: &mut Vec<u8>) {
    for run in passage.runs() {
        match run {
            Run::Text(text) => append_text(text, out),
            Run::Math(formula) => {
                for token in formula.linear.split_ascii_whitespace().filter(|token| may_be_name(token)) {
                    append_name(token, out);
                }
            }
        }
    }
}

/// Appends the words of a text to `out`, one space after each.
pub fn append_text(text: &str, out: &mut Vec<u8>) {
    let mut word = Vec::with_capacity(32);
    for_each_word(text, &mut word, |_, word| {
        out.extend_from_slice(word);
        out.push(b' ');
    });
}

/// The words of a text with where they stand in it.
pub fn words(text: &str) -> Vec<(Range<usize>, String)> {
    let mut found = Vec::new();
    for_each_word(text, &mut Vec::new(), |range, word| {
        found.push((range, String::from_utf8_lossy(word).into_owned()));
    });
    found
}

/// Calls `visit` with each word, folded, and its place in the text. `folded` is only working space.
fn for_each_word(text: &str, folded: &mut Vec<u8>, mut visit: impl FnMut(Range<usize>, &[u8])) {
    let bytes = text.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        let start = at;
        let mut letters = 0;
        folded.clear();
        // Nearly all of a corpus is ASCII, and this loop is where indexing spends its time.
        while let Some(&byte) = bytes.get(at) {
            if byte.is_ascii_alphanumeric() {
                folded.push(byte.to_ascii_lowercase());
                letters += 1;
                at += 1;
            } else if byte.is_ascii() {
                break;
            } else {
                let Some(letter) = text[at..].chars().next() else { break };
                let is_mark = is_combining(letter);
                if (is_mark && letters == 0) || (!is_mark && !letter.is_alphanumeric()) {
                    break;
                }
                if !is_mark {
                    letters += 1;
                    fold_letter(letter, folded);
                }
                at += letter.len_utf8();
            }
        }
        if letters >= SHORTEST {
            visit(start..at, folded);
        }
        // Past the character that ended the word, or that was none.
        at += text[at..].chars().next().map_or(0, char::len_utf8);
    }
}

/// A quick look that spares the tokens of one symbol, most of a formula.
fn may_be_name(token: &str) -> bool {
    match token.as_bytes() {
        [_] => false,
        [first, second, ..] if first.is_ascii() => {
            first.is_ascii_alphabetic() && (second.is_ascii_alphabetic() || !second.is_ascii())
        }
        _ => true,
    }
}

fn append_name(token: &str, out: &mut Vec<u8>) {
    let start = out.len();
    let mut letters = 0;
    for letter in token.chars().take_while(|letter| letter.is_alphabetic()) {
        letters += 1;
        fold_letter(letter, out);
    }
    if letters < SHORTEST {
        out.truncate(start);
    } else {
        out.push(b' ');
    }
}

/// What the letters from U+00C0, U+0180 and U+1E00 on are without their diacritics; a full stop where
/// there is no such letter.
const FROM_C0: &[u8; 192] = b"aaaaaa.ceeeeiiiidnooooo.ouuuuy..aaaaaa.ceeeeiiiidnooooo.ouuuuy.y\
aaaaaaccccccccddddeeeeeeeeeegggggggghhhhiiiiiiiiii..jjkkklllllll\
lllnnnnnn.nnoooooo..rrrrrrssssssssttttttuuuuuuuuuuuuwwyyyzzzzzzs";
const FROM_180: &[u8; 192] = b"................................oo.............uu...............\
.............aaiioouuuuuuuuuu.aaaa....ggkkoooo..j...gg..nnaa....\
aaaaeeeeiiiioooorrrruuuusstt..hh......aaeeooooooooyy............";
const FROM_1E00: &[u8; 256] = b"aabbbbbbccddddddddddeeeeeeeeeeffgghhhhhhhhhhiiiikkkkkkllllllllmm\
mmmmnnnnnnnnoooooooopppprrrrrrrrssssssssssttttttttuuuuuuuuuuvvvv\
wwwwwwwwwwxxxxyyzzzzzzhtwy.s....aaaaaaaaaaaaaaaaaaaaaaaaeeeeeeee\
eeeeeeeeiiiioooooooooooooooooooooooouuuuuuuuuuuuuuyyyyyyyy......";

fn fold_letter(letter: char, out: &mut Vec<u8>) {
    let code = letter as usize;
    let base = match code {
        0..0x80 => letter.to_ascii_lowercase() as u8,
        0xC0..0x180 => FROM_C0[code - 0xC0],
        0x180..0x240 => FROM_180[code - 0x180],
        0x1E00..0x1F00 => FROM_1E00[code - 0x1E00],
        _ => b'.',
    };
    if base != b'.' {
        out.push(base);
        return;
    }
    match letter {
        'Æ' | 'æ' => out.extend_from_slice(b"ae"),
        'Œ' | 'œ' => out.extend_from_slice(b"oe"),
        'Þ' | 'þ' => out.extend_from_slice(b"th"),
        'Ĳ' | 'ĳ' => out.extend_from_slice(b"ij"),
        'ß' => out.extend_from_slice(b"ss"),
        _ => {
            let (plain, _) = Font::split(letter);
            for lower in plain.to_lowercase().filter(|&lower| !is_combining(lower)) {
                out.extend_from_slice(lower.encode_utf8(&mut [0; 4]).as_bytes());
            }
        }
    }
}

fn is_combining(letter: char) -> bool {
    ('\u{300}'..='\u{36f}').contains(&letter)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::corpus::Formula;

    fn folded(text: &str) -> String {
        let mut out = Vec::new();
        append_text(text, &mut out);
        String::from_utf8(out).unwrap().trim_end().to_owned()
    }

    #[test]
    fn words_are_folded() {
        let check = |text, expected| assert_eq!(folded(text), expected, "{text}");
        check("Hölder's inequality", "holder inequality");
        check("a Cohen–Macaulay ring", "cohen macaulay ring");
        check("Erdős, Łojasiewicz; Poincaré", "erdos lojasiewicz poincare");
        check("Ho\u{308}lder e\u{301}tale", "holder etale");
        check("Weierstraß, Hœcke", "weierstrass hoecke");
        check("since 1991 (see [12])", "since 1991 see 12");
        check("𝐒𝐩𝐞𝐜 and ΣΧΗΜΑ", "spec and σχημα");
        check("x, y → z", "");
    }

    #[test]
    fn only_names_count_in_formulas() {
        let mut passage = Passage::new();
        passage.push_text("Let");
        passage.push_formula(Formula {
            linear: "Hom____bold ( A____fraktur , x_1 ) ≤ dim V′ 12 x____bold ____________ SL αβ",
            ..Formula::default()
        });
        let mut out = Vec::new();
        append_words(&passage, &mut out);
        assert_eq!(String::from_utf8(out).unwrap(), "let hom dim sl αβ ");
    }

    #[test]
    fn words_know_their_place() {
        assert_eq!(words("a Hölder map"), [(2..9, "holder".to_owned()), (10..13, "map".to_owned())]);
    }

    proptest! {
        /// What comes out of folding is words already: folding it again changes nothing.
        #[test]
        fn folding_twice_is_folding_once(text in "\\PC*") {
            let once = folded(&text);
            prop_assert!(once.split(' ').all(|word| word.is_empty() || word.len() >= 2));
            prop_assert_eq!(folded(&once), once);
        }
    }
}
