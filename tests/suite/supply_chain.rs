//! The dependencies obey `deny.toml`, as far as that can be checked without a network: licenses, sources, duplicate versions.
//! `cargo deny check` checks the same and known vulnerabilities.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::Path,
    process::Command,
};

use serde_json::Value;

const CRATES_IO: &str = "registry+https://github.com/rust-lang/crates.io-index";

#[test]
fn dependencies_have_accepted_licenses_sources_and_versions() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let rules: toml::Table = std::fs::read_to_string(root.join("deny.toml")).unwrap().parse().unwrap();
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let output = Command::new(cargo)
        .args(["metadata", "--format-version", "1", "--locked", "--offline"])
        .current_dir(root)
        .output();
    let Some(output) = output.ok().filter(|output| output.status.success()) else {
        eprintln!("skipped: cargo cannot read the dependencies without a network here");
        return;
    };
    let metadata: Value = serde_json::from_slice(&output.stdout).unwrap();
    let packages = metadata["packages"].as_array().unwrap();
    assert!(packages.len() > 100, "{} packages", packages.len());

    let words = |list: &toml::Value| -> BTreeSet<String> {
        list.as_array().unwrap().iter().map(|word| word.as_str().unwrap().to_owned()).collect()
    };
    let allowed = words(&rules["licenses"]["allow"]);
    let exceptions: BTreeMap<&str, BTreeSet<String>> = rules["licenses"]["exceptions"]
        .as_array()
        .unwrap()
        .iter()
        .map(|row| (row["crate"].as_str().unwrap(), words(&row["allow"])))
        .collect();
    let skipped: BTreeSet<&str> =
        rules["bans"]["skip"].as_array().unwrap().iter().map(|row| row["crate"].as_str().unwrap()).collect();

    let mut versions: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    let mut problems = Vec::new();
    for package in packages {
        let name = package["name"].as_str().unwrap();
        versions.entry(name).or_default().push(package["version"].as_str().unwrap());
        match package["license"].as_str() {
            Some(license) => {
                let accepts = |word: &str| {
                    allowed.contains(word) || exceptions.get(name).is_some_and(|more| more.contains(word))
                };
                if !satisfies(license, &accepts) {
                    problems.push(format!("{name} has the license {license}"));
                }
            }
            None => problems.push(format!("{name} has no license")),
        }
        // Our own package has no source.
        if package["source"].as_str().is_some_and(|source| source != CRATES_IO) {
            problems.push(format!("{name} is from {}", package["source"]));
        }
    }
    for (name, found) in versions.iter().filter(|(_, found)| found.len() > 1) {
        if !skipped.contains(name) {
            problems.push(format!("{name} is there in versions {}", found.join(" and ")));
        }
    }
    for name in skipped.iter().filter(|name| versions.get(*name).is_none_or(|found| found.len() < 2)) {
        problems.push(format!("{name} need not be skipped any more"));
    }
    for name in exceptions.keys().filter(|name| !versions.contains_key(*name)) {
        problems.push(format!("{name} needs no exception any more"));
    }
    assert!(problems.is_empty(), "deny.toml: {}", problems.join("; "));
}

/// Whether a license expression is satisfied: `OR` and the older `/` between alternatives, `AND` between obligations.
fn satisfies(expression: &str, accepts: &dyn Fn(&str) -> bool) -> bool {
    let text = expression.replace('/', " OR ").replace('(', " ( ").replace(')', " ) ");
    let words: Vec<&str> = text.split_whitespace().collect();
    let (value, rest) = alternatives(&words, accepts);
    assert!(rest.is_empty(), "{expression}");
    value
}

fn alternatives<'a>(mut words: &'a [&'a str], accepts: &dyn Fn(&str) -> bool) -> (bool, &'a [&'a str]) {
    let mut value = false;
    loop {
        let (all, rest) = obligations(words, accepts);
        value |= all;
        match rest {
            ["OR", rest @ ..] => words = rest,
            _ => return (value, rest),
        }
    }
}

fn obligations<'a>(mut words: &'a [&'a str], accepts: &dyn Fn(&str) -> bool) -> (bool, &'a [&'a str]) {
    let mut value = true;
    loop {
        let rest = match words {
            ["(", rest @ ..] => {
                let (inner, rest) = alternatives(rest, accepts);
                value &= inner;
                rest.strip_prefix(&[")"]).expect("a closing parenthesis")
            }
            [license, "WITH", exception, rest @ ..] => {
                value &= accepts(&format!("{license} WITH {exception}"));
                rest
            }
            [license, rest @ ..] => {
                value &= accepts(license);
                rest
            }
            [] => panic!("a license is missing"),
        };
        match rest {
            ["AND", rest @ ..] => words = rest,
            _ => return (value, rest),
        }
    }
}

#[test]
fn license_expressions_are_understood() {
    let accepts = |word: &str| matches!(word, "MIT" | "Zlib" | "Apache-2.0 WITH LLVM-exception");
    for (expression, expected) in [
        ("MIT", true),
        ("GPL-3.0", false),
        ("GPL-3.0 OR MIT", true),
        ("GPL-3.0/MIT", true),
        ("GPL-3.0 AND MIT", false),
        ("(MIT OR GPL-3.0) AND Zlib", true),
        ("MIT AND (GPL-3.0 OR BSD-2-Clause)", false),
        ("Apache-2.0 WITH LLVM-exception OR GPL-3.0", true),
    ] {
        assert_eq!(satisfies(expression, &accepts), expected, "{expression}");
    }
}
