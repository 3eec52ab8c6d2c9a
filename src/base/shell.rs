//! Shell quoting: commands as text that a POSIX shell splits into the same arguments.

use std::borrow::Cow;

/// An argument, quoted if the shell would change it.
pub fn quote(word: &str) -> Cow<'_, str> {
    // A zero byte, which no argument of a process can hold, is the only thing that could fail.
    shlex::Quoter::new().allow_nul(true).quote(word).unwrap_or(Cow::Borrowed(word))
}

/// A command line of these arguments.
pub fn join<Word: AsRef<str>>(words: impl IntoIterator<Item = Word>) -> String {
    words.into_iter().map(|word| quote(word.as_ref()).into_owned()).collect::<Vec<_>>().join(" ")
}

/// The arguments of a command line. None when a quotation does not end.
pub fn split(line: &str) -> Option<Vec<String>> {
    shlex::split(line)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_words_that_need_it_are_quoted() {
        for (word, quoted) in [
            ("demo", "demo"),
            ("runs/a.b_c-1", "runs/a.b_c-1"),
            ("partial:0.3+p", "partial:0.3+p"),
            ("demo.01#1", "'demo.01#1'"),
            ("a b", "'a b'"),
            ("it's", "\"it's\""),
            ("it's $HOME", "\"it's \"'$HOME'"),
            ("~/corpus", "'~/corpus'"),
            ("", "''"),
        ] {
            assert_eq!(quote(word), quoted);
        }
        assert_eq!(
            join(["matchbook", "show", "my corpus", "demo.01#1"]),
            "matchbook show 'my corpus' 'demo.01#1'"
        );
    }

    #[test]
    fn a_shell_reads_back_the_same_words() {
        let words = ["it's $HOME", "a\nb", "\\", "`x`", "#", "!^*?[]{}", "é", "--a=b"];
        assert_eq!(split(&join(words)).unwrap(), words);
    }
}
