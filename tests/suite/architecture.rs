//! The direction of dependencies holds: each module uses only those to its left, and only the outermost use a terminal.

use std::{
    fs,
    path::{Path, PathBuf},
};

/// The modules, leftmost first. A module may use itself and those to its left.
const ORDER: [&str; 12] = [
    "base",
    "corpus",
    "symbols",
    "model",
    "matching",
    "train",
    "explain",
    "runs",
    "study",
    "workbench",
    "bench",
    "cli",
];

/// Uses against the order that are still there, and are to go.
const EXCEPTIONS: &[(&str, &str)] = &[("explain", "runs")];

/// What only some rooms may name.
const RESERVED: [(&str, &[&str]); 7] = [
    ("ratatui", &["cli", "workbench"]),
    ("crossterm", &["workbench"]),
    ("indicatif", &["cli"]),
    ("syntect", &["workbench"]),
    ("clap::", &["cli"]),
    ("stdout()", &["cli", "workbench"]),
    ("stderr()", &["cli", "workbench"]),
];

#[test]
fn modules_use_only_the_modules_to_their_left() {
    for (position, module) in ORDER.into_iter().enumerate() {
        for file in files_of(module) {
            for used in modules_used(&product_code(&file)) {
                let is_left = ORDER[..=position].contains(&used.as_str());
                let is_excepted = EXCEPTIONS.contains(&(module, used.as_str()));
                assert!(is_left || is_excepted, "{} uses {used}", file.display());
            }
        }
    }
}

#[test]
fn only_the_outermost_modules_use_a_terminal() {
    for module in ORDER {
        for file in files_of(module) {
            let code = product_code(&file);
            for (word, allowed) in RESERVED.into_iter().filter(|(_, allowed)| !allowed.contains(&module)) {
                assert!(!code.contains(word), "{} names {word}, which only {allowed:?} may", file.display());
            }
        }
    }
}

#[test]
fn every_module_is_listed_here() {
    let library = fs::read_to_string(source().join("lib.rs")).unwrap();
    let mut listed = ORDER;
    let mut found: Vec<&str> =
        library.lines().filter_map(|line| line.strip_prefix("pub mod ")?.strip_suffix(';')).collect();
    listed.sort_unstable();
    found.sort_unstable();
    assert_eq!(found, listed);
}

fn source() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("src")
}

/// Every file of a module that is not a file of tests.
fn files_of(module: &str) -> Vec<PathBuf> {
    let single = source().join(format!("{module}.rs"));
    if single.exists() {
        return vec![single];
    }
    let (mut files, mut waiting) = (Vec::new(), vec![source().join(module)]);
    while let Some(folder) = waiting.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let name = path.file_stem().unwrap().to_string_lossy().into_owned();
            if matches!(name.as_str(), "tests" | "laws" | "samples") {
                continue;
            } else if path.is_dir() {
                waiting.push(path);
            } else {
                files.push(path);
            }
        }
    }
    assert!(!files.is_empty(), "the module {module} has no files");
    files
}

/// A file without its comments and without its tests, which stand at the end.
fn product_code(file: &Path) -> String {
    let text = fs::read_to_string(file).unwrap();
    let code = text.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default();
    code.lines().filter(|line| !line.trim_start().starts_with("//")).collect::<Vec<_>>().join("\n")
}

/// The modules that `crate::module` and `crate::{..., module::...}` name.
fn modules_used(code: &str) -> Vec<String> {
    let mut used = Vec::new();
    for (at, _) in code.match_indices("crate::") {
        let rest = &code[at + "crate::".len()..];
        let tree = if rest.starts_with('{') { outermost(rest) } else { vec![rest] };
        for path in tree {
            let name: String = path
                .trim_start()
                .chars()
                .take_while(|letter| letter.is_alphanumeric() || *letter == '_')
                .collect();
            if ORDER.contains(&name.as_str()) {
                used.push(name);
            }
        }
    }
    used
}

/// The items of a `{...}` list, at its first level.
fn outermost(list: &str) -> Vec<&str> {
    let (mut depth, mut start, mut items) = (0, 1, Vec::new());
    for (at, letter) in list.char_indices() {
        match letter {
            '{' => depth += 1,
            '}' => depth -= 1,
            _ => {}
        }
        if (letter == ',' && depth == 1) || depth == 0 {
            items.push(&list[start..at]);
            start = at + 1;
        }
        if depth == 0 {
            break;
        }
    }
    items
}
