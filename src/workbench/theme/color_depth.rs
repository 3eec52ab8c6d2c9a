//! How many colors a terminal has, according to its environment.
//!
//! The terminal itself is never queried: an answer may never arrive, and over ssh or in a recording there is no terminal
//! to answer. The environment is passed in, so a test can be any terminal. When in doubt the
//! smaller number wins, because a wrong escape code is worse than a plainer screen.

/// How many colors can be shown.
#[derive(
    Clone,
    Copy,
    Debug,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    strum::Display,
    strum::EnumString,
    strum::VariantArray,
)]
#[strum(ascii_case_insensitive, parse_err_ty = ColorDepthError, parse_err_fn = ColorDepthError::new)]
pub enum ColorDepth {
    /// Bold, underlined and reversed only.
    #[strum(to_string = "none", serialize = "mono", serialize = "0")]
    None,
    #[strum(serialize = "16")]
    Sixteen,
    #[strum(serialize = "256")]
    Indexed256,
    /// All 16 million.
    #[strum(to_string = "true", serialize = "truecolor", serialize = "24bit")]
    True,
}

/// The text is not a color depth.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a color depth; use true, 256, 16 or none")]
pub struct ColorDepthError(String);

impl ColorDepthError {
    fn new(text: &str) -> ColorDepthError {
        ColorDepthError(text.to_owned())
    }
}

impl ColorDepth {
    /// Returns the requested depth, or the one that the environment indicates.
    pub fn detect(requested: Option<ColorDepth>, variable: impl Fn(&str) -> Option<String>) -> ColorDepth {
        requested.unwrap_or_else(|| {
            ColorDepth::from_environment(|name| variable(name).filter(|value| !value.is_empty()))
        })
    }

    fn from_environment(variable: impl Fn(&str) -> Option<String>) -> ColorDepth {
        let terminal = variable("TERM").unwrap_or_default().to_ascii_lowercase();
        if variable("NO_COLOR").is_some() || is_monochrome(&terminal) {
            return ColorDepth::None;
        }
        // GNU screen passes on the COLORTERM of the terminal around it but mangles true color.
        if variable("STY").is_some() {
            return if terminal.contains("256") { ColorDepth::Indexed256 } else { ColorDepth::Sixteen };
        }
        let color_term = variable("COLORTERM").unwrap_or_default().to_ascii_lowercase();
        let program = variable("TERM_PROGRAM").unwrap_or_default();
        if matches!(color_term.as_str(), "truecolor" | "24bit")
            || variable("WT_SESSION").is_some()
            || TRUE_COLOR_PROGRAMS.contains(&program.as_str())
            || TRUE_COLOR_TERMINALS.iter().any(|name| terminal.contains(name))
        {
            return ColorDepth::True;
        }
        // An explicit sixteen wins over what tmux could translate.
        if terminal.contains("16color") {
            return ColorDepth::Sixteen;
        }
        // tmux translates 256 colors for whatever terminal is around it.
        if terminal.contains("256") || variable("TMUX").is_some() {
            return ColorDepth::Indexed256;
        }
        ColorDepth::Sixteen
    }

    /// Returns the theme for users who have not chosen one.
    pub fn default_theme(self) -> &'static str {
        match self {
            ColorDepth::None => "mono",
            ColorDepth::Sixteen => "sixteen",
            ColorDepth::Indexed256 | ColorDepth::True => "dark",
        }
    }
}

/// Programs that name themselves and show true color. Apple's Terminal is not among them.
const TRUE_COLOR_PROGRAMS: [&str; 5] = ["iTerm.app", "WezTerm", "vscode", "ghostty", "rio"];

/// TERM survives ssh where COLORTERM does not, so these are recognized even there.
const TRUE_COLOR_TERMINALS: [&str; 8] =
    ["direct", "truecolor", "kitty", "alacritty", "wezterm", "ghostty", "foot", "contour"];

fn is_monochrome(terminal: &str) -> bool {
    let base = terminal.split('-').next().unwrap_or_default();
    base == "dumb" || terminal.ends_with("-m") || (base.starts_with("vt") && !terminal.contains("color"))
}

#[cfg(test)]
mod tests {
    use strum::VariantArray;

    use super::*;

    fn check(environment: &str, expected: ColorDepth) {
        let variable = |name: &str| {
            let pair = environment.split(' ').filter_map(|pair| pair.split_once('='));
            pair.into_iter().find(|(key, _)| *key == name).map(|(_, value)| value.to_owned())
        };
        assert_eq!(ColorDepth::detect(None, variable), expected, "{environment}");
        assert_eq!(ColorDepth::detect(Some(ColorDepth::Sixteen), variable), ColorDepth::Sixteen);
    }

    #[test]
    fn terminals_are_known_by_their_environment() {
        check("TERM=xterm-256color COLORTERM=truecolor", ColorDepth::True);
        check("TERM=xterm-256color", ColorDepth::Indexed256);
        check("TERM=xterm-kitty", ColorDepth::True);
        check("TERM=xterm", ColorDepth::Sixteen);
        check("TERM=linux", ColorDepth::Sixteen);
        check("TERM=vt100", ColorDepth::None);
        check("TERM=dumb COLORTERM=truecolor", ColorDepth::None);
        check("WT_SESSION=1", ColorDepth::True);
        check("TERM=xterm-256color TERM_PROGRAM=Apple_Terminal", ColorDepth::Indexed256);
        check("", ColorDepth::Sixteen);
    }

    #[test]
    fn multiplexers_are_believed_as_far_as_they_can_be() {
        check("TERM=screen TMUX=/tmp/tmux", ColorDepth::Indexed256);
        check("TERM=xterm-16color TMUX=/tmp/tmux", ColorDepth::Sixteen);
        check("TERM=tmux-256color TMUX=/tmp/tmux COLORTERM=truecolor", ColorDepth::True);
        check("TERM=screen.xterm-256color STY=1 COLORTERM=truecolor", ColorDepth::Indexed256);
    }

    #[test]
    fn no_color_counts_when_it_is_not_empty() {
        check("NO_COLOR=1 TERM=xterm-kitty", ColorDepth::None);
        check("NO_COLOR= TERM=xterm-kitty", ColorDepth::True);
    }

    #[test]
    fn depths_are_read_as_they_are_written() {
        for depth in ColorDepth::VARIANTS {
            assert_eq!(depth.to_string().parse().as_ref(), Ok(depth));
        }
        assert_eq!("TrueColor".parse(), Ok(ColorDepth::True));
        assert!("many".parse::<ColorDepth>().is_err());
    }
}
