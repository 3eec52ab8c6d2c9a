//! What users expect of any command line: global options, a corpus as an argument, standard input, `--version`.

use std::{
    io::Write,
    path::Path,
    process::{Command, Output, Stdio},
};

use crate::support::program;

fn run(folder: &Path, arguments: &[&str], input: &str) -> Output {
    let mut child = Command::new(program())
        .current_dir(folder)
        .env("XDG_CONFIG_HOME", folder)
        .env_remove("MATCHBOOK_WORKSPACE")
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
    child.wait_with_output().unwrap()
}

fn ok(folder: &Path, arguments: &[&str], input: &str) -> (String, String) {
    let output = run(folder, arguments, input);
    let [printed, errors] = [output.stdout, output.stderr].map(|bytes| String::from_utf8(bytes).unwrap());
    assert_eq!(output.status.code(), Some(0), "{arguments:?}: {errors}");
    (printed, errors)
}

#[test]
fn global_options_stand_before_or_after_the_command() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    let train =
        ["train", "demo", "--run", "first", "--encoder", "windows", "--epochs", "1", "--batch-size", "8"];
    let (_, errors) = ok(here, &[&["--workspace", "w", "--quiet"], &train[..]].concat(), "");
    assert_eq!(errors, "", "a quiet command prints no notices");
    let [before, after] = [&["--workspace", "w", "runs", "list"][..], &["runs", "list", "--workspace", "w"]]
        .map(|arguments| ok(here, arguments, "").0);
    assert_eq!(before, after);
    assert!(before.contains("first"), "{before}");
    let (_, verbose) = ok(here, &["--verbose", "--workspace", "w", "runs", "list"], "");
    assert!(verbose.contains("workspace w\n") && verbose.contains(" s, peak memory "), "{verbose}");

    let (values, _) = ok(here, &["curves", "first", "--json", "--workspace", "w"], "");
    let values: serde_json::Value = serde_json::from_str(&values).unwrap();
    assert_eq!(values[0]["run"], "first");
    assert!(values[0]["values"][0]["value"].as_f64().unwrap() > 0.0, "{values}");
}

#[test]
fn options_of_the_workbench_are_refused_before_other_commands() {
    let folder = tempfile::tempdir().unwrap();
    let output = run(folder.path(), &["--theme", "dark", "stats", "demo"], "");
    assert_eq!(output.status.code(), Some(2));
    let errors = String::from_utf8(output.stderr).unwrap();
    assert!(errors.contains("--theme is an option of the workbench"), "{errors}");
}

#[test]
fn colors_are_as_the_user_says() {
    let folder = tempfile::tempdir().unwrap();
    let shown = |color: &str| ok(folder.path(), &["show", "demo", "demo.15#2", "--color", color], "").0;
    assert!(shown("always").contains("\x1b["));
    assert!(!shown("never").contains("\x1b["));
    assert_eq!(shown("auto"), shown("never"), "a pipe takes no colors");
    let former = ok(folder.path(), &["--colour", "always", "show", "demo", "demo.15#2"], "").0;
    assert_eq!(former, shown("always"));
    for palette in ["color-blind", "colour-blind"] {
        let explain = ["explain", "--run", "demo-full", "--pair", "demo.01#3", "--method", "gradients"];
        ok(folder.path(), &[&explain[..], &["--palette", palette, "--workspace", "w"]].concat(), "");
    }
}

#[test]
fn a_corpus_is_an_argument_or_an_option() {
    let folder = tempfile::tempdir().unwrap();
    let [argument, option] = [
        &["evaluate", "demo", "--baseline", "dice", "--json"][..],
        &["evaluate", "--baseline", "dice", "--corpus", "demo", "--json"],
    ]
    .map(|arguments| ok(folder.path(), arguments, "").0);
    assert_eq!(argument, option);
    let output = run(folder.path(), &["evaluate", "--baseline", "dice"], "");
    assert_eq!(output.status.code(), Some(1));
    assert!(String::from_utf8(output.stderr).unwrap().contains("no corpus given"));
}

#[test]
fn a_pair_is_compared_from_standard_input() {
    let folder = tempfile::tempdir().unwrap();
    let typed = "Let $x>0$.\n---\nThen $x^2>0$.\n";
    let (shown, _) = ok(folder.path(), &["compare", "-", "--level", "full"], typed);
    assert!(shown.contains("replaced: x → "), "{shown}");
    let output = run(folder.path(), &["compare", "-"], "no line of dashes");
    assert_eq!(output.status.code(), Some(1));
    assert!(String::from_utf8(output.stderr).unwrap().contains("standard input"));
}

#[test]
fn the_version_names_the_features_and_keys_name_the_actions() {
    let folder = tempfile::tempdir().unwrap();
    let (version, _) = ok(folder.path(), &["--version"], "");
    assert!(
        version.starts_with(concat!("matchbook ", env!("CARGO_PKG_VERSION"))) && version.contains('['),
        "{version}"
    );
    let (keys, _) = ok(folder.path(), &["keys"], "");
    assert!(keys.contains("`show-browse`"), "{keys}");
}

#[test]
fn shells_complete_names_and_get_manual_pages() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    ok(
        here,
        &["--workspace", "w", "train", "demo", "--run", "first", "--encoder", "windows", "--epochs", "1"],
        "",
    );
    let completed = |words: &[&str]| {
        let output = Command::new(program())
            .current_dir(here)
            .env("XDG_CONFIG_HOME", here)
            .env("MATCHBOOK_WORKSPACE", here.join("w"))
            .env("MATCHBOOK_COMPLETE", "bash")
            .env("_CLAP_IFS", "\n")
            .env("_CLAP_COMPLETE_INDEX", (words.len() - 1).to_string())
            .arg("--")
            .args(words)
            .output()
            .unwrap();
        String::from_utf8(output.stdout)
            .unwrap()
            .lines()
            .map(|line| line.trim().to_owned())
            .collect::<Vec<_>>()
    };
    for (words, expected) in [
        (&["matchbook", "runs", "show", "f"][..], "first"),
        (&["matchbook", "evaluate", "--run", "first,demo-f"], "first,demo-full"),
        (&["matchbook", "train", "--config", "fi"], "first"),
        (&["matchbook", "stats", "de"], "demo"),
        (&["matchbook", "show", "demo", "--level", "tr"], "transposition"),
        (&["matchbook", "evaluate", "--level", "a"], "all"),
        (&["matchbook", "report", "cr"], "cross"),
        (&["matchbook", "--theme", "color"], "color-blind"),
        (&["matchbook", "guide", "tut"], "tutorial"),
    ] {
        let found = completed(words);
        assert!(found.iter().any(|name| name == expected), "{words:?}: {found:?}");
    }
    let found = completed(&["matchbook", "evaluate", "--run", "first,"]);
    assert!(!found.is_empty() && !found.contains(&"first,first".to_owned()), "{found:?}");
    let (script, _) = ok(here, &["completions", "zsh"], "");
    assert!(script.starts_with("#compdef matchbook\n") && script.contains("compinit"), "{script}");
    let (printed, _) = ok(here, &["man", "pages"], "");
    assert!(printed.contains("manual pages in pages"), "{printed}");
    assert!(here.join("pages/matchbook-runs-table.1").is_file());
}
