//! How many colours a terminal has, as far as its environment tells.
//!
//! Nothing here asks the terminal itself: an answer may never come, and over ssh or in a recording there is
//! nobody to ask. The environment is passed in, so a test can be any terminal. When in doubt the
//! smaller number wins, because a wrong escape code is worse than a plainer picture.

use std::{fmt, str::FromStr};

/// How many colours can be shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Depth {
    /// None at all: bold, underlined and reversed only.
    None,
    Sixteen,
    Indexed256,
    /// All 16 million.
    True,
}

impl Depth {
    pub const ALL: [Depth; 4] = [Depth::None, Depth::Sixteen, Depth::Indexed256, Depth::True];

    /// What the user asked for, or what the environment tells.
    pub fn detect(asked: Option<Depth>, variable: impl Fn(&str) -> Option<String>) -> Depth {
        asked
            .unwrap_or_else(|| Depth::of_environment(|name| variable(name).filter(|value| !value.is_empty())))
    }

    fn of_environment(variable: impl Fn(&str) -> Option<String>) -> Depth {
        let terminal = variable("TERM").unwrap_or_default().to_ascii_lowercase();
        if variable("NO_COLOR").is_some() || is_without_colours(&terminal) {
            return Depth::None;
        }
        // GNU screen hands on the COLORTERM of the terminal around it but mangles what that stands for.
        if variable("STY").is_some() {
            return if terminal.contains("256") { Depth::Indexed256 } else { Depth::Sixteen };
        }
        let colour_term = variable("COLORTERM").unwrap_or_default().to_ascii_lowercase();
        let program = variable("TERM_PROGRAM").unwrap_or_default();
        if matches!(colour_term.as_str(), "truecolor" | "24bit")
            || variable("WT_SESSION").is_some()
            || TRUE_COLOUR_PROGRAMS.contains(&program.as_str())
            || TRUE_COLOUR_TERMINALS.iter().any(|name| terminal.contains(name))
        {
            return Depth::True;
        }
        // Whoever says sixteen by name means it.
        if terminal.contains("16color") {
            return Depth::Sixteen;
        }
        // tmux translates 256 colours for whatever terminal is around it.
        if terminal.contains("256") || variable("TMUX").is_some() {
            return Depth::Indexed256;
        }
        Depth::Sixteen
    }

    /// The theme for someone who has not chosen one.
    pub fn default_theme(self) -> &'static str {
        match self {
            Depth::None => "mono",
            Depth::Sixteen => "sixteen",
            Depth::Indexed256 | Depth::True => "dark",
        }
    }
}

/// Programs that name themselves and show true colour. Apple's Terminal is not among them.
const TRUE_COLOUR_PROGRAMS: [&str; 5] = ["iTerm.app", "WezTerm", "vscode", "ghostty", "rio"];

/// TERM survives ssh where COLORTERM does not, so these are known even there.
const TRUE_COLOUR_TERMINALS: [&str; 8] =
    ["direct", "truecolor", "kitty", "alacritty", "wezterm", "ghostty", "foot", "contour"];

fn is_without_colours(terminal: &str) -> bool {
    let base = terminal.split('-').next().unwrap_or_default();
    base == "dumb" || terminal.ends_with("-m") || (base.starts_with("vt") && !terminal.contains("color"))
}

/// A text is not a number of colours.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a number of colours; use true, 256, 16 or none")]
pub struct DepthError(String);

impl FromStr for Depth {
    type Err = DepthError;

    fn from_str(written: &str) -> Result<Depth, DepthError> {
        match written.trim().to_ascii_lowercase().as_str() {
            "true" | "truecolor" | "24bit" => Ok(Depth::True),
            "256" => Ok(Depth::Indexed256),
            "16" => Ok(Depth::Sixteen),
            "none" | "mono" | "0" => Ok(Depth::None),
            _ => Err(DepthError(written.to_owned())),
        }
    }
}

impl fmt::Display for Depth {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(match self {
            Depth::True => "true",
            Depth::Indexed256 => "256",
            Depth::Sixteen => "16",
            Depth::None => "none",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(environment: &str, expected: Depth) {
        let variable = |name: &str| {
            let pair = environment.split(' ').filter_map(|pair| pair.split_once('='));
            pair.into_iter().find(|(key, _)| *key == name).map(|(_, value)| value.to_owned())
        };
        assert_eq!(Depth::detect(None, variable), expected, "{environment}");
        assert_eq!(Depth::detect(Some(Depth::Sixteen), variable), Depth::Sixteen);
    }

    #[test]
    fn terminals_are_known_by_their_environment() {
        check("TERM=xterm-256color COLORTERM=truecolor", Depth::True);
        check("TERM=xterm-256color", Depth::Indexed256);
        check("TERM=xterm-kitty", Depth::True);
        check("TERM=xterm", Depth::Sixteen);
        check("TERM=linux", Depth::Sixteen);
        check("TERM=vt100", Depth::None);
        check("TERM=dumb COLORTERM=truecolor", Depth::None);
        check("WT_SESSION=1", Depth::True);
        check("TERM=xterm-256color TERM_PROGRAM=Apple_Terminal", Depth::Indexed256);
        check("", Depth::Sixteen);
    }

    #[test]
    fn multiplexers_are_believed_as_far_as_they_can_be() {
        check("TERM=screen TMUX=/tmp/tmux", Depth::Indexed256);
        check("TERM=xterm-16color TMUX=/tmp/tmux", Depth::Sixteen);
        check("TERM=tmux-256color TMUX=/tmp/tmux COLORTERM=truecolor", Depth::True);
        check("TERM=screen.xterm-256color STY=1 COLORTERM=truecolor", Depth::Indexed256);
    }

    #[test]
    fn no_color_counts_when_it_is_not_empty() {
        check("NO_COLOR=1 TERM=xterm-kitty", Depth::None);
        check("NO_COLOR= TERM=xterm-kitty", Depth::True);
    }

    #[test]
    fn depths_are_read_as_they_are_written() {
        for depth in Depth::ALL {
            assert_eq!(depth.to_string().parse(), Ok(depth));
        }
        assert!("many".parse::<Depth>().is_err());
    }
}
