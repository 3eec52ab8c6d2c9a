//! TeX among the words of a typed text: what a statement that is copied from an article has around its formulas.

/// Commands whose argument is text: they are left out, and their argument stays.
const STYLES: [&str; 11] = [
    "emph",
    "textit",
    "textbf",
    "textrm",
    "textsf",
    "texttt",
    "textsc",
    "textup",
    "textnormal",
    "text",
    "mbox",
];
/// Commands that are left out with their arguments.
const DROPPED: [&str; 12] =
    ["label", "cite", "citep", "citet", "ref", "eqref", "cref", "Cref", "autoref", "index", "begin", "end"];
/// Commands without an argument that are left out.
const BARE: [&str; 6] = ["item", "noindent", "par", "medskip", "smallskip", "bigskip"];

/// Which open braces belong to commands. Other braces are text.
#[derive(Debug, Default)]
pub struct TextCommands {
    open: Vec<bool>,
}

impl TextCommands {
    /// A brace as text: empty if it is that of a command.
    pub fn brace<'a>(&mut self, brace: &'a str) -> &'a str {
        if brace == "{" {
            self.open.push(false);
            return brace;
        }
        match self.open.pop() {
            Some(true) => "",
            Some(false) | None => brace,
        }
    }

    /// The length of the command at the beginning of a text, with what is left out with it, and what remains of it: a space
    /// unless it is a style. None if it is another command.
    pub fn read(&mut self, text: &str) -> Option<(usize, &'static str)> {
        let name = text.strip_prefix('\\')?;
        let name = &name[..name.find(|letter: char| !letter.is_ascii_alphabetic()).unwrap_or(name.len())];
        let after = 1 + name.len();
        if BARE.contains(&name) {
            return Some((after, " "));
        }
        if STYLES.contains(&name) {
            text[after..].starts_with('{').then(|| self.open.push(true))?;
            return Some((after + 1, ""));
        }
        if !DROPPED.contains(&name) {
            return None;
        }
        // `\cite[p. 3]{name}`, `\begin{theorem}[Hilbert]`: the option after an argument is text.
        let option = option_length(&text[after..]);
        let argument = text[after + option..].strip_prefix('{')?;
        let end =
            argument.char_indices().take(LONGEST_ARGUMENT).find(|(_, letter)| "{}".contains(*letter))?;
        (end.1 == '}').then_some((after + option + end.0 + 2, " "))
    }
}

/// The longest name of a label or of an environment, in characters.
const LONGEST_ARGUMENT: usize = 200;

fn option_length(text: &str) -> usize {
    let Some(inside) = text.strip_prefix('[') else { return 0 };
    let end = inside.char_indices().take(LONGEST_ARGUMENT).find(|(_, letter)| *letter == ']');
    end.map_or(0, |(at, _)| at + 2)
}

#[cfg(test)]
mod tests {
    use crate::corpus::{readable, typed::passage};

    #[test]
    fn commands_of_text_are_left_out() {
        for (typed, expected) in [
            (r"A \emph{flat map} is \textbf{open}.", "A flat map is open."),
            (r"\emph{Let $x^{2} > 0$, then {so}.}", "Let x² > 0, then {so}."),
            (r"\begin{theorem}\label{a-b} Let $x$ be \end{theorem}", "Let x be"),
            (r"non-\emph{Archimedean}", "non-Archimedean"),
            (r"by \cite[Theorem {2}]{x} and \ref{thm:a}", "by and"),
            (r"\begin{equation*} x = y \end{equation*} holds", "x = y holds"),
            (r"\begin{equation}x", "x"),
            (r"the set {1, 2} and \foo{bar} and 50\% }", r"the set {1, 2} and \foo{bar} and 50\% }"),
            (r"\begin{", r"\begin{"),
            (r"\emph{", ""),
        ] {
            assert_eq!(readable(&passage(typed)).trim(), expected, "{typed}");
        }
    }

    /// One search for each opener would take minutes.
    #[test]
    fn many_openers_are_read_in_linear_time() {
        for opener in [r"\begin{", r"\begin{equation}", r"\emph{", r"\cite[", r"\label{x", "{"] {
            let _ = passage(&opener.repeat(100_000));
        }
    }
}
