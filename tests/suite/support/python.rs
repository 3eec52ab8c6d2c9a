//! The scripts under tests/scripts, run by `MATCHBOOK_PYTHON` or `python3`.

use std::{
    ffi::{OsStr, OsString},
    path::{Path, PathBuf},
    process::Command,
};

pub fn script(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/scripts").join(name)
}

/// A Python interpreter that can import these modules, or `None` after printing that `what` is skipped.
pub fn with(what: &str, modules: &[&str]) -> Option<OsString> {
    let python = std::env::var_os("MATCHBOOK_PYTHON").unwrap_or_else(|| "python3".into());
    let import = format!("import {}", modules.join(", "));
    let can_import =
        Command::new(&python).args(["-c", &import]).output().is_ok_and(|output| output.status.success());
    if !can_import {
        eprintln!(
            "{what} is skipped: {} cannot {import}; set MATCHBOOK_PYTHON to one that can",
            python.display()
        );
    }
    can_import.then_some(python)
}

/// What a script prints, or `None` where Python or one of the modules is missing.
pub fn run(name: &str, modules: &[&str], arguments: &[&(impl AsRef<OsStr> + ?Sized)]) -> Option<String> {
    let python = with(name, modules)?;
    let output = Command::new(python).arg(script(name)).args(arguments).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    Some(String::from_utf8(output.stdout).unwrap())
}
