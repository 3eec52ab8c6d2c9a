//! An extraction in parts makes what one extraction makes: the corpus, the summary, the report.

use std::{fs, path::Path, process::Command};

use serde_json::Value;

use crate::support::program;

fn matchbook(folder: &Path, arguments: &[&str]) -> Result<String, String> {
    let mut command = Command::new(program());
    let output = command.args(arguments).current_dir(folder).output().unwrap();
    match output.status.success() {
        true => Ok(String::from_utf8(output.stdout).unwrap()),
        false => Err(String::from_utf8_lossy(&output.stderr).into_owned()),
    }
}

#[test]
fn merged_parts_equal_one_extraction() {
    let folder = tempfile::tempdir().unwrap();
    let ok = |arguments: &[&str]| matchbook(folder.path(), arguments).unwrap();
    ok(&["demo", "articles"]);
    fs::write(folder.path().join("articles/broken.xhtml"), "<html><p>").unwrap();
    fs::create_dir(folder.path().join("articles/deeper")).unwrap();
    fs::write(folder.path().join("articles/deeper/empty.xml"), "").unwrap();
    // The same folder twice: every article of the second is a duplicate of one of the first.
    let inputs = ["articles", "articles"];
    let beside = |report| ["--metadata", "articles/manifest.tsv", "--report", report, "--json"];
    let mut whole: Value = serde_json::from_str(&ok(&[
        &["extract"][..],
        &inputs,
        &["-o", "whole.corpus", "--min", "10"],
        &beside("whole.tsv"),
    ]
    .concat()))
    .unwrap();
    let exported = |corpus: &str| ok(&["export", corpus, "--format", "jsonl", "-o", "-"]);
    let whole_pairs = exported("whole.corpus");
    assert!(whole["unreadable"].as_u64() > Some(40) && whole_pairs.lines().count() > 200);

    for count in [1, 4] {
        let mut parts = Vec::new();
        for number in (1..=count).rev() {
            let (part, shard) = (format!("{number}-{count}.part"), format!("{number}/{count}"));
            ok(&[&["extract"][..], &inputs, &["-o", &part, "--min", "10", "--shard", &shard]].concat());
            parts.push(part);
        }
        let parts: Vec<&str> = parts.iter().map(String::as_str).collect();
        let merge = |parts: &[&str]| {
            let arguments =
                [&["extract", "--merge", "-o", "merged.corpus"][..], &beside("merged.tsv"), parts].concat();
            matchbook(folder.path(), &arguments)
        };
        let mut merged: Value = serde_json::from_str(&merge(&parts).unwrap()).unwrap();
        for summary in [&mut whole, &mut merged] {
            summary.as_object_mut().unwrap().retain(|name, _| name != "seconds" && name != "peak_memory");
        }
        assert_eq!(merged, whole, "the fingerprint too");
        assert!(exported("merged.corpus") == whole_pairs);
        let report = |name: &str| fs::read(folder.path().join(name)).unwrap();
        assert!(report("merged.tsv") == report("whole.tsv"));
        if count > 1 {
            assert!(merge(&parts[1..]).unwrap_err().contains("these are missing: 4"));
            assert!(merge(&[&parts[..], &parts[..1]].concat()).unwrap_err().contains("is given twice"));
            assert!(merge(&["1-1.part", parts[1]]).unwrap_err().contains("a different extraction"));
            assert!(merge(&["whole.tsv"]).unwrap_err().contains("cannot be used"));
        }
    }
    let wrong =
        matchbook(folder.path(), &["extract", "articles", "-o", "x.part", "--shard", "0/3"]).unwrap_err();
    assert!(wrong.contains("the second of eight"), "{wrong}");
}
