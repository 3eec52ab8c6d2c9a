//! The words of the full-text index, folded so that spelling variants match.
//!
//! A word is a sequence of letters and digits, lower case and without diacritics: "Hölder's" is `holder`.
//! Words of one letter are ignored, in the text and in a query: they are articles and symbols. Therefore the phrase
//! "let G be a group" finds "Let *G* be a group". Of a formula only the names are indexed (`Spec`, `Hom`, `dim`).
//!
//! The folding is done here and not by SQLite because its Unicode tokenizer takes twice as long as all
//! the rest of writing a corpus; its ASCII tokenizer then only has to split at spaces.

use std::ops::Range;

use crate::corpus::{Font, Passage, Run, passage::Counts};

/// Shorter words are not indexed and not searched.
const SHORTEST: usize = 2;

/// Appends the words of a passage to `out`, one space after each, and counts the passage's tokens: one pass instead of
/// two saves a fifth of the time of adding a pair.
pub fn append_words(passage: &Passage, out: &mut Vec<u8>) -> Counts {
    let mut counts = Counts::default();
    for run in passage.runs() {
        match run {
            Run::Text(text) => counts.text += append_text(text, out),
            Run::Math(formula) => counts.math += append_names(formula.linear, out),
        }
    }
    counts
}

/// Appends the words of a text to `out`, one space after each; returns the number of tokens.
pub fn append_text(text: &str, out: &mut Vec<u8>) -> usize {
    for_each_word(text, out, |_, _| {})
}

/// The words of a text with their byte ranges.
pub fn words(text: &str) -> Vec<(Range<usize>, String)> {
    let mut found = Vec::new();
    for_each_word(text, &mut Vec::new(), |range, word| {
        found.push((range, String::from_utf8_lossy(word).into_owned()));
    });
    found
}

/// Appends each word to `out` and passes it to `visit`, with its byte range in the text. Returns the number of tokens.
///
/// Tokens are separated by white space; a token may contain several words or none.
fn for_each_word(text: &str, out: &mut Vec<u8>, mut visit: impl FnMut(Range<usize>, &[u8])) -> usize {
    let bytes = text.as_bytes();
    let mut at = 0;
    let mut tokens = 0;
    let mut in_token = false;
    while at < bytes.len() {
        let (start, start_out) = (at, out.len());
        let letters = take_word(text, &mut at, out);
        if letters > 0 {
            tokens += usize::from(!in_token);
            in_token = true;
        }
        if letters >= SHORTEST {
            visit(start..at, &out[start_out..]);
            out.push(b' ');
        } else {
            out.truncate(start_out);
        }
        // The character that ended the word, or did not start one.
        if let Some(other) = character(text, at) {
            at += other.len_utf8();
            let is_space = other.is_whitespace();
            tokens += usize::from(!is_space && !in_token);
            in_token = !is_space;
        }
    }
    tokens
}

/// Folds the word that starts here, if any, and advances to its end; returns the number of its letters.
fn take_word(text: &str, at: &mut usize, out: &mut Vec<u8>) -> usize {
    let bytes = text.as_bytes();
    let mut letters = 0;
    while let Some(&byte) = bytes.get(*at) {
        // Nearly all of a corpus is ASCII.
        let folded = FOLDED[usize::from(byte)];
        if folded != 0 {
            out.push(folded);
            letters += 1;
            *at += 1;
            continue;
        }
        if byte.is_ascii() {
            break;
        }
        let Some(letter) = character(text, *at) else { break };
        if is_combining(letter) {
            if letters == 0 {
                break;
            }
        } else if letter.is_alphanumeric() {
            letters += 1;
            fold_letter(letter, out);
        } else {
            break;
        }
        *at += letter.len_utf8();
    }
    letters
}

/// Appends the names in the linear form of a formula to `out`; returns the number of tokens.
fn append_names(linear: &str, out: &mut Vec<u8>) -> usize {
    let bytes = linear.as_bytes();
    let mut tokens = 0;
    let mut at = 0;
    while at < bytes.len() {
        let start = at;
        let space = skip_token(linear, &mut at);
        if start < at {
            tokens += 1;
            append_name(&linear[start..at], out);
        }
        at += space;
    }
    tokens
}

/// Advances to the end of a token; returns the length of the white space character that ends it.
fn skip_token(linear: &str, at: &mut usize) -> usize {
    while let Some(&byte) = linear.as_bytes().get(*at) {
        if byte.is_ascii_graphic() {
            *at += 1;
            continue;
        }
        let Some(letter) = character(linear, *at) else { break };
        if letter.is_whitespace() {
            return letter.len_utf8();
        }
        *at += letter.len_utf8();
    }
    0
}

fn append_name(token: &str, out: &mut Vec<u8>) {
    // Most tokens are one symbol, perhaps with a font, which two bytes reveal.
    let may_begin = |byte: u8| byte.is_ascii_alphabetic() || !byte.is_ascii();
    if token.len() < SHORTEST || !token.bytes().take(SHORTEST).all(may_begin) {
        return;
    }
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

fn character(text: &str, at: usize) -> Option<char> {
    text.get(at..).and_then(|rest| rest.chars().next())
}

/// ASCII letters and digits in lower case, and 0 for every other byte.
const FOLDED: [u8; 256] = {
    let mut table = [0; 256];
    let mut byte = 0u8;
    while byte < 128 {
        if byte.is_ascii_alphanumeric() {
            table[byte as usize] = byte.to_ascii_lowercase();
        }
        byte += 1;
    }
    table
};

/// The letters from U+00C0, U+0180 and U+1E00 on without their diacritics; a full stop where there is no such letter.
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
                // The small letter of the ångström sign has a ring.
                match lower == letter {
                    true => out.extend_from_slice(lower.encode_utf8(&mut [0; 4]).as_bytes()),
                    false => fold_letter(lower, out),
                }
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
        check("\u{212b}ngstr\u{f6}m", "angstrom");
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
        /// The count equals the passage's own.
        #[test]
        fn tokens_are_counted_as_the_passage_counts_them(text in "\\PC*", linear in "[a-zαβ≤ \u{a0}\u{2003}\u{b}_.]*") {
            let mut passage = Passage::new();
            passage.push_text(&text);
            passage.push_formula(Formula { linear: &linear, ..Formula::default() });
            passage.push_formula(Formula { linear: &text, ..Formula::default() });
            prop_assert_eq!(append_words(&passage, &mut Vec::new()), passage.counts());
        }

        /// Folding is idempotent.
        #[test]
        fn folding_twice_is_folding_once(text in "\\PC*") {
            let once = folded(&text);
            prop_assert!(once.split(' ').all(|word| word.is_empty() || word.len() >= 2));
            prop_assert_eq!(folded(&once), once);
        }
    }
}
