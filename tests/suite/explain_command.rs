//! `matchbook explain` as users run it, with the demo's two models.

use std::{
    fs,
    io::Write,
    path::Path,
    process::{Command, Output, Stdio},
};

use serde_json::Value;

use crate::support::program;

const MODELS: [&str; 4] = ["--run", "demo-conservation", "--against", "demo-full"];

fn run(folder: &Path, arguments: &[&str], input: &str) -> Output {
    let mut child = Command::new(program())
        .current_dir(folder)
        .env("XDG_CONFIG_HOME", folder)
        .env("MATCHBOOK_WORKSPACE", folder.join("work"))
        .arg("explain")
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // who needs no input may be gone before it comes
    let _ = child.stdin.take().unwrap().write_all(input.as_bytes());
    child.wait_with_output().unwrap()
}

fn ok(folder: &Path, arguments: &[&str], input: &str) -> String {
    let arguments: Vec<&str> = MODELS.iter().chain(arguments).copied().collect();
    let output = run(folder, &arguments, input);
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn one_pair_is_explained_for_both_models_and_exported_in_every_form() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    let options = ["--pair", "demo.01#1", "--samples", "80", "--seeds", "2", "--rival"];
    let export = ["--export", "html,svg,latex,json", "-o", "figure"];
    let text = ok(here, &[&options[..], &export[..]].concat(), "");
    for words in
        ["demo-conservation  demo.01#1", "demo-full  demo.01#1", "over 2 seeds", "with the proof of demo."]
    {
        assert!(text.contains(words), "{words}: {text}");
    }
    assert!(text.contains("statement: ") && text.contains("[+"), "{text}");
    let file = |name: &str| fs::read_to_string(here.join(name)).unwrap();
    assert!(file("figure.html").starts_with("<!DOCTYPE html>") && file("figure.svg").contains("<svg"));
    assert!(file("figure.tex").contains("\\colorbox[HTML]"));
    let data: Value = serde_json::from_str(&file("figure.json")).unwrap();
    assert_eq!(data["panels"].as_array().unwrap().len(), 4);
    // the same question has the same answer
    let json = |more: &[&str]| -> Value {
        serde_json::from_str(&ok(here, &[&options[..], &["--json"], more].concat(), "")).unwrap()
    };
    let first = json(&[]);
    assert_eq!(first, json(&[]));
    assert_ne!(first["pairs"], json(&["--seed", "5"])["pairs"]);
    let finding = &first["pairs"][0][0];
    assert_eq!(finding["model"], "demo-conservation");
    assert_eq!(finding["trained_on_pair"], false);
    let warned = run(here, &["--run", "demo-full", "--pair", "demo.01#2", "--samples", "10"], "");
    assert!(
        String::from_utf8_lossy(&warned.stderr).contains("demo-full was trained on 1 of 1 pair"),
        "{warned:?}"
    );
    assert!(finding["standing"]["rank"].as_u64().unwrap() >= 1);
    assert!(!finding["stability"]["first"]["weights"].as_array().unwrap().is_empty());
}

#[test]
fn a_list_is_explained_pair_by_pair_and_summed_up() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    let quick = ["--method", "gradients"];
    let list = "demo.01#1\n% a note\ndemo.02#1\tmore words\nnobody#7\n";
    let text = ok(here, &[&quick[..], &["--pairs", "-"]].concat(), list);
    assert_eq!(text.lines().filter(|line| line.starts_with("demo.0")).count(), 4, "{text}");
    let share = |text: &str, model: &str| -> f64 {
        let sum = &text[text.find("percentage of absolute importance").unwrap()..];
        let line = sum.lines().find(|line| line.starts_with(model)).unwrap();
        line.split_whitespace().nth(3).unwrap().parse().unwrap()
    };
    assert!((0.0..=100.0).contains(&share(&text, "demo-full")));
    let options = ["--part", "test", "--limit", "8", "--summary", "--json"];
    let sum: Value = serde_json::from_str(&ok(here, &[&quick[..], &options].concat(), "")).unwrap();
    assert!(sum["pairs"].is_null());
    let models = sum["summary"]["models"].as_array().unwrap();
    assert_eq!(models.len(), 2);
    for model in models {
        let (mean, interval) = (model["math"]["mean"].as_f64().unwrap(), &model["math"]["interval"]);
        assert!(interval["low"].as_f64().unwrap() <= mean && mean <= interval["high"].as_f64().unwrap());
        assert_eq!(model["math"]["pairs"], 8);
    }
    assert!(sum["summary"]["difference"]["mean"].is_number());
}

#[test]
fn what_is_wrong_is_told_in_one_line() {
    let folder = tempfile::tempdir().unwrap();
    let check = |arguments: &[&str], code: i32, words: &str| {
        let output = run(folder.path(), arguments, "x\n");
        let errors = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(code), "{errors}");
        assert!(errors.contains(words) && (code == 2 || errors.lines().count() == 1), "{errors}");
        assert!(output.stdout.is_empty());
    };
    check(&["--run", "demo-full", "--pair", "demo.99#1"], 1, "there is no pair demo.99#1");
    check(&["--run", "demo-full", "--pair", "demo.01"], 1, "is not a pair id");
    check(&["--run", "nobody", "--pair", "demo.01#1"], 1, "nobody");
    check(&["--run", "demo-full", "--pairs", "-"], 1, "line 1: `x` is not a pair id");
    check(&["--run", "demo-full", "--pairs", "missing.txt"], 1, "cannot read missing.txt");
    check(&["--run", "demo-full"], 2, "--pair");
    check(&["--run", "demo-full", "--pair", "demo.01#1", "--method", "magic"], 2, "magic");
}
