//! The name of a run, which is also the name of its folder.

use std::{fmt, str::FromStr};

use super::{RunError, files};

/// A name that is a single path component on every system.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RunName(String);

impl RunName {
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for RunName {
    type Err = RunError;

    fn from_str(name: &str) -> Result<RunName, RunError> {
        match files::check_name(name) {
            Ok(()) => Ok(RunName(name.to_owned())),
            Err(problem) => Err(RunError::Name { name: name.to_owned(), problem }),
        }
    }
}

impl fmt::Display for RunName {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use proptest::prelude::*;

    use super::*;

    #[test]
    fn names_that_leave_the_folder_or_hide_are_refused() {
        for name in ["first", "npt-full 2", "été_3", "a..b", "console"] {
            assert_eq!(name.parse::<RunName>().unwrap().as_str(), name);
        }
        let long = "x".repeat(101);
        let wrong = [
            "",
            ".",
            "..",
            "../a",
            "a/b",
            "a\\b",
            "a\nb",
            "\u{1b}[31m",
            "-f",
            ".hidden",
            "a.",
            " a",
            "a ",
            "con",
            "NUL.txt",
            "com1",
            "a:b",
            "a\u{202e}b",
            &long,
        ];
        for name in wrong {
            let error = name.parse::<RunName>().unwrap_err().to_string();
            assert!(!error.contains(char::is_control), "{error}");
        }
    }

    proptest! {
        #[test]
        fn a_name_is_one_step_down_from_its_folder(name in "\\PC{1,12}|[./\\\\a]{1,6}") {
            if let Ok(name) = name.parse::<RunName>() {
                let path = Path::new("runs").join(name.as_str());
                prop_assert_eq!(path.components().count(), 2);
                prop_assert_eq!(path.parent(), Some(Path::new("runs")));
            }
        }
    }
}
