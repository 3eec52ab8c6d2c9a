//! Scripts: `^` and `_`, primes, and raised or lowered characters.

use super::{
    super::{
        super::{Font, layout},
        unicode,
    },
    DEEPEST, Reader, read,
};

impl Reader<'_> {
    /// The scripts of what precedes. Articles have the subscript first, in whichever order they are typed.
    pub(super) fn scripts(&mut self) {
        let start = self.place();
        if self.script() == Some(layout::SUPERSCRIPT) && self.next_script() == Some(layout::SUBSCRIPT) {
            let middle = self.place();
            self.script();
            self.swap(start, middle);
        }
    }

    /// The mark of the script that follows.
    pub(super) fn next_script(&self) -> Option<char> {
        self.rest.trim_start().chars().next().and_then(script_mark)
    }

    fn script(&mut self) -> Option<char> {
        self.rest = self.rest.trim_start();
        let first = self.rest.chars().next()?;
        let mark = script_mark(first)?;
        self.mark(mark);
        match first {
            '^' | '_' => {
                self.skip(first);
                let before = std::mem::replace(&mut self.is_raised, first == '^');
                if !self.in_parentheses() {
                    self.argument();
                }
                self.is_raised = before;
            }
            _ if unicode::primes(first).is_some() => self.primes(),
            _ => self.unicode_script(mark),
        }
        self.mark(layout::CLOSE);
        Some(mark)
    }

    /// Without TeX, `a^(n+1)` is what formulas on one line look like: `a^{n+1}`.
    fn in_parentheses(&mut self) -> bool {
        let inside = self.rest.strip_prefix('(').filter(|_| !self.is_tex && self.depth < DEEPEST);
        let Some((inside, end)) = inside.and_then(|inside| Some((inside, closing_parenthesis(inside)?)))
        else {
            return false;
        };
        self.rest = &inside[..end];
        self.depth += 1;
        while !self.rest.is_empty() {
            self.item();
        }
        self.depth -= 1;
        self.rest = &inside[end + 1..];
        true
    }

    /// Primes, which are one token, and what is raised after them: `x'^2` is `x^{\prime 2}`.
    fn primes(&mut self) {
        self.prime_token();
        if let Some(rest) = self.rest.strip_prefix('^') {
            self.rest = rest;
            self.argument();
        }
    }

    pub(super) fn prime_token(&mut self) {
        let mut count = 0;
        while let Some(letter) = self.rest.chars().next()
            && let Some(primes) = unicode::primes(letter)
        {
            self.skip(letter);
            count += primes;
        }
        self.token(&"′".repeat(count), Font::Plain, layout::TOKEN);
    }

    /// `⁻¹` of `T⁻¹`.
    fn unicode_script(&mut self, mark: char) {
        let mut inside = String::new();
        while let Some(letter) = self.rest.chars().next()
            && let Some((_, base)) = unicode::script(letter).filter(|(own, _)| *own == mark)
        {
            self.skip(letter);
            inside.push(base);
        }
        self.append(&read(&inside));
    }
}

/// The longest script in parentheses, in characters. It bounds the search in a text that never closes one.
const LONGEST: usize = 200;

fn closing_parenthesis(inside: &str) -> Option<usize> {
    let mut depth = 0usize;
    for (at, letter) in inside.char_indices().take(LONGEST) {
        match letter {
            '(' => depth += 1,
            ')' if depth == 0 => return Some(at),
            ')' => depth -= 1,
            _ => {}
        }
    }
    None
}

/// The mark of the script that a character begins.
pub fn script_mark(letter: char) -> Option<char> {
    match letter {
        '^' => Some(layout::SUPERSCRIPT),
        '_' => Some(layout::SUBSCRIPT),
        _ if unicode::primes(letter).is_some() => Some(layout::SUPERSCRIPT),
        _ => unicode::script(letter).map(|(mark, _)| mark),
    }
}
