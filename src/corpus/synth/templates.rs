//! Sentences with holes.
//!
//! A template is written as a line of text in which some signs stand for what will be filled in:
//!
//! | sign | filled with | tokens |
//! |---|---|---|
//! | `N` | a noun phrase | 1 or more, as many as asked for |
//! | `J` `V` `O` | an adjective, a verb, an opening such as "Hence" | 1 |
//! | `#` `@` | the letter of an object, of an element | 1 |
//! | `$` | a formula in the line that may be true | 3 or more |
//! | `%` | a displayed formula with its punctuation | 4 or more |
//! | `R` | a reference: "Lemma 2.1" | 2 |
//! | `C` | a citation: "\[3\]" | 1 |
//!
//! Punctuation behind a word is part of the word; behind a formula it is a token, as the extractor
//! counts it. So the shortest length of a template is known, and anything longer can be reached by
//! its elastic holes.

use super::formula::SHORTEST_CLAIM;

/// What a sentence is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Register {
    /// The first half of a statement.
    Assumption,
    /// The second half.
    Conclusion,
    /// A proof.
    Argument,
    /// Definitions, and text between statements.
    Discussion,
}

/// A piece of a template.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Piece {
    Word(&'static str),
    NounPhrase,
    Adjective,
    Verb,
    Opening,
    ObjectLetter,
    ElementLetter,
    Claim,
    Display(&'static str),
    Reference,
    Citation,
    /// Punctuation, or the rest of a word, without a space before it.
    Attached(&'static str),
}

/// A sentence with holes, and how many tokens it has before any hole is stretched.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Template {
    pub pieces: Vec<Piece>,
    /// Text tokens, a noun phrase counted as one.
    pub text: usize,
    /// Math tokens, each formula at its shortest.
    pub math: usize,
    pub noun_phrases: usize,
    pub claims: usize,
    pub displays: usize,
    /// Ends with punctuation that is a token of its own.
    pub ends_with_formula: bool,
}

/// The tokens of a displayed formula at its shortest: a claim and its punctuation.
pub const SHORTEST_DISPLAY: usize = SHORTEST_CLAIM + 1;

/// All templates by register.
pub struct Templates {
    assumptions: Vec<Template>,
    conclusions: Vec<Template>,
    arguments: Vec<Template>,
    discussions: Vec<Template>,
}

impl Templates {
    pub fn new() -> Templates {
        let all = |lines: &'static str| {
            lines.lines().map(str::trim).filter(|line| !line.is_empty()).map(Template::parse).collect()
        };
        Templates {
            assumptions: all(ASSUMPTIONS),
            conclusions: all(CONCLUSIONS),
            arguments: all(ARGUMENTS),
            discussions: all(DISCUSSIONS),
        }
    }

    /// The first template of every register has three tokens of text and one hole that stretches, so it
    /// fits any sentence.
    pub fn of(&self, register: Register) -> &[Template] {
        match register {
            Register::Assumption => &self.assumptions,
            Register::Conclusion => &self.conclusions,
            Register::Argument => &self.arguments,
            Register::Discussion => &self.discussions,
        }
    }
}

impl Template {
    pub fn shortest(&self) -> usize {
        self.text + self.math
    }

    fn parse(line: &'static str) -> Template {
        let mut template = Template {
            pieces: Vec::new(),
            text: 0,
            math: 0,
            noun_phrases: 0,
            claims: 0,
            displays: 0,
            ends_with_formula: false,
        };
        for word in line.split_whitespace() {
            template.push(word);
        }
        template
    }

    fn push(&mut self, word: &'static str) {
        let (hole, rest) = word.split_at(1);
        // "Now" begins with a sign, too; a hole is followed by nothing or by what is no letter.
        let is_hole = !rest.starts_with(|letter: char| letter.is_ascii_alphabetic());
        self.ends_with_formula = false;
        match hole {
            "N" if is_hole => self.text_hole(Piece::NounPhrase, rest),
            "J" if is_hole => self.text_hole(Piece::Adjective, rest),
            "V" if is_hole => self.text_hole(Piece::Verb, rest),
            "O" if is_hole => self.text_hole(Piece::Opening, rest),
            "C" if is_hole => self.text_hole(Piece::Citation, rest),
            "R" if is_hole => {
                self.text += 1;
                self.text_hole(Piece::Reference, rest);
            }
            "#" => self.formula(Piece::ObjectLetter, 1, rest),
            "@" => self.formula(Piece::ElementLetter, 1, rest),
            "$" => {
                self.claims += 1;
                self.formula(Piece::Claim, SHORTEST_CLAIM, rest);
            }
            "%" => {
                self.displays += 1;
                self.math += SHORTEST_DISPLAY;
                self.ends_with_formula = true;
                self.pieces.push(Piece::Display(rest));
            }
            _ => {
                self.text += 1;
                self.pieces.push(Piece::Word(word));
            }
        }
    }

    fn text_hole(&mut self, piece: Piece, rest: &'static str) {
        self.noun_phrases += usize::from(piece == Piece::NounPhrase);
        self.text += 1;
        self.pieces.push(piece);
        if !rest.is_empty() {
            self.pieces.push(Piece::Attached(rest));
        }
    }

    fn formula(&mut self, piece: Piece, tokens: usize, rest: &'static str) {
        self.math += tokens;
        self.pieces.push(piece);
        if !rest.is_empty() {
            self.text += 1;
            self.ends_with_formula = true;
            self.pieces.push(Piece::Attached(rest));
        }
    }
}

const ASSUMPTIONS: &str = "
    Fix a N.
    Let # be a N.
    Let # be a N over # and let @ be a N in #.
    Let $ be a N.
    Let $ and $ be given.
    Suppose that $ for every N @ of #.
    Suppose that # is a J N with $.
    Assume that $ and that the N of # is J.
    Assume $.
    Assume that %.
    Suppose %.
    Let %.
    Let $, where $.
    Let # be the N of a J N with N @ such that %.
    Let # and # be J N and suppose that $, where @ is a N.
    Let #-linear N be given such that $.
    Fix a N of # with values in a J N.
    Consider a N $ with $.
    Denote by # the N of #, so that $.
    Let $, let $, and let # be the associated N.
    Let # be a N and let $ be the N of its J N.
";

const CONCLUSIONS: &str = "
    The N V.
    Then $.
    Then # is a J N.
    Then $ if and only if $.
    Then there is a J N @ in # such that $.
    Then there exists a N # of N such that %.
    Then the N of # V and $.
    Then for every N @ we have $.
    Moreover, the N of # is J whenever $.
    Moreover, $.
    Then we have %.
    Moreover, %.
    Hence $, and $.
    Every J N of the N is a N.
    In particular, # is a N of the J N.
    In particular, $ and $.
    If $, then $.
    If # is J, then the N of @ is a N with $.
    Then $, and the N # is J.
    Then the N extends to a J N of #, and %.
    Furthermore, every J N of # is a N.
";

const ARGUMENTS: &str = "
    The N V.
    O $.
    O we have $.
    O we obtain %.
    Since $, it follows that $.
    Since # is J, we have $.
    By R, we have $.
    By R and the N of #, there is a J N @ with $.
    By C, the N of # is J.
    It suffices to show that $.
    It suffices to prove that the N of # V.
    We claim that $.
    Let @ be a N of #.
    Let $ be a J N.
    Consider the N $ and the N $.
    Consider the N of #, which is J by R.
    Note that the N @ is J, since $.
    To see this, choose a N @ such that $.
    Applying R to the N of #, we get %.
    Putting these together, we find that %.
    This shows that $, and the N V.
    If $, then the N of # is J, and we are done.
    Suppose, for a contradiction, that $.
    This contradicts the fact that the N of # is J.
    Therefore the N is a N, and hence $.
    For every @ there is a N # with $, where $.
    The N on the right is J because # is the N of a J N.
    We compute %.
    This gives %.
    Hence $ and $.
    If $, then $.
    The N of a J N is a N.
    But %.
    O the composition with the N gives $.
    Combining this with $, we conclude that $.
    Replacing # by a N if necessary, we may assume that $.
    Here # denotes the N of the J N.
    As in R, the N $ is J.
";

const DISCUSSIONS: &str = "
    Every N V.
    We say that # is J if $.
    We write # for the N of #.
    In this section we study the N of a J N.
    Recall that a N is J if the N of its N V.
    The following result on the N is due to C.
    The N $ plays the same part as in C.
    We now turn to the N of #, where $.
    This notion was introduced in C for the N of a J N.
    For a N # we denote by # the set of N with $.
    It is well known that $ for a J N #.
    Our aim is to extend R to the case of a J N.
    Consider the example of %.
    A J N # is called a N if $ for every N @.
    We keep the notation of R and assume that the N # is J.
";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_are_counted_as_the_extractor_counts_them() {
        let check = |line, text, math| {
            let template = Template::parse(line);
            assert_eq!((template.text, template.math), (text, math), "{line}");
        };
        check("The N V.", 3, 0);
        check("Since $, it follows that $.", 6, 6);
        check("By R, we have %.", 5, 4);
        check("Let #-linear N be given.", 5, 1);
        check("Now we are done.", 4, 0);
    }

    #[test]
    fn templates_stretch_and_the_first_fits_anything() {
        let templates = Templates::new();
        for register in [Register::Assumption, Register::Conclusion, Register::Argument, Register::Discussion]
        {
            let first = &templates.of(register)[0];
            assert_eq!((first.text, first.math, first.noun_phrases), (3, 0, 1), "{register:?}");
            assert!(!first.ends_with_formula);
            for template in templates.of(register) {
                let elastic = template.noun_phrases + template.claims + template.displays;
                assert!(elastic > 0, "nothing stretches in {template:?}");
            }
        }
    }
}
