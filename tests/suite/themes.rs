//! `matchbook themes` as a user runs it.

use std::{fs, path::Path, process::Command};

use crate::support::program;

fn themes(config: &Path, arguments: &[&str]) -> String {
    let output = Command::new(program())
        .arg("themes")
        .args(arguments)
        .env("XDG_CONFIG_HOME", config)
        .env("HOME", config)
        .output()
        .expect("the program starts");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("the answer is UTF-8")
}

#[test]
#[cfg(target_os = "linux")]
fn own_themes_are_listed_with_what_is_wrong_with_them() {
    let config = tempfile::tempdir().unwrap();
    let folder = config.path().join("matchbook/themes");
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join("mine.toml"), "inherits = \"light\"\nnope = \"red\"\n").unwrap();
    let listed = themes(config.path(), &[]).replace(&folder.display().to_string(), "THEMES");
    assert!(listed.starts_with("dark             built in\nlight            built in\n"), "{listed}");
    assert!(
        listed.contains("THEMES/mine.toml\n  warning: THEMES/mine.toml:2: unknown scope `nope`; ignored\n"),
        "{listed}"
    );
    assert!(listed.ends_with("\nput your own themes in THEMES\n"));
    let document: serde_json::Value = serde_json::from_str(&themes(config.path(), &["--json"])).unwrap();
    assert_eq!(document.as_array().unwrap().len(), 7);
}

#[test]
fn samples_keep_to_the_colours_that_were_asked_for() {
    let config = tempfile::tempdir().unwrap();
    assert!(!themes(config.path(), &[]).contains('\x1b'));
    assert!(themes(config.path(), &["--color", "true"]).contains("38;2;"));
    let indexed = themes(config.path(), &["--color", "256"]);
    assert!(indexed.contains("38;5;") && !indexed.contains("38;2;"));
    let none = themes(config.path(), &["--color", "none"]);
    assert!(none.contains("\x1b[0;1;7mchosen") && !none.contains("38;"));
}
