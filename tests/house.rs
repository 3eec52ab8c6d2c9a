//! The plan of the house holds: each room uses only the rooms it may, and only the outermost speak to a terminal.

#![expect(clippy::unwrap_used, reason = "a test may stop")]

use std::{
    fs,
    path::{Path, PathBuf},
};

/// Each room with the rooms that it may use. `bench` lends its clock to `cli`.
const ROOMS: &[(&str, &[&str])] = &[
    ("corpus", &[]),
    ("fields", &[]),
    ("formats", &["corpus"]),
    ("extract", &["corpus"]),
    ("symbols", &["corpus"]),
    ("model", &[]),
    ("text", &["corpus", "symbols"]),
    ("train", &["corpus", "fields", "matching", "model", "symbols", "text"]),
    ("exchange", &["corpus", "formats"]),
    ("demo", &["corpus", "extract"]),
    ("origin", &["corpus", "demo", "extract"]),
    ("synth", &["corpus", "extract"]),
    ("matching", &["corpus", "formats", "symbols", "workspace"]),
    ("explain", &["corpus", "model"]),
    ("export", &["corpus", "explain"]),
    ("importance", &["corpus", "explain", "export", "model", "symbols", "text", "trained"]),
    (
        "bench",
        &["app", "corpus", "explain", "extract", "matching", "model", "runs", "symbols", "ui", "workspace"],
    ),
    ("workspace", &[]),
    ("runs", &["workspace"]),
    ("study", &["corpus", "export", "matching", "model", "runs", "symbols", "text", "train", "workspace"]),
    ("curves", &["export", "runs", "workspace"]),
    ("trained", &["corpus", "matching", "model", "runs", "symbols", "text", "train", "workspace"]),
    ("jobs", &["fields", "runs", "workspace"]),
    ("session", &["corpus", "symbols", "workspace"]),
    (
        "app",
        &[
            "corpus",
            "curves",
            "explain",
            "fields",
            "importance",
            "jobs",
            "matching",
            "runs",
            "session",
            "study",
            "symbols",
            "train",
            "trained",
        ],
    ),
    (
        "ui",
        &[
            "app",
            "corpus",
            "curves",
            "exchange",
            "explain",
            "export",
            "formats",
            "importance",
            "jobs",
            "matching",
            "origin",
            "runs",
            "session",
            "study",
            "symbols",
            "train",
            "trained",
            "workspace",
        ],
    ),
    (
        "cli",
        &[
            "app",
            "bench",
            "corpus",
            "curves",
            "demo",
            "exchange",
            "explain",
            "export",
            "extract",
            "fields",
            "formats",
            "importance",
            "jobs",
            "matching",
            "model",
            "origin",
            "runs",
            "session",
            "study",
            "symbols",
            "synth",
            "text",
            "train",
            "trained",
            "ui",
            "workspace",
        ],
    ),
];

/// What only some rooms may name.
const RESERVED: [(&str, &[&str]); 7] = [
    ("ratatui", &["cli", "ui"]),
    ("crossterm", &["ui"]),
    ("indicatif", &["cli"]),
    ("syntect", &["ui"]),
    ("clap::", &["cli"]),
    ("stdout()", &["cli", "ui"]),
    ("stderr()", &["cli", "ui"]),
];

#[test]
fn rooms_use_only_the_rooms_before_them() {
    let names: Vec<&str> = ROOMS.iter().map(|(name, _)| *name).collect();
    for &(room, allowed) in ROOMS {
        for file in files_of(room) {
            for used in rooms_used(&product_code(&file), &names) {
                assert!(used == room || allowed.contains(&used.as_str()), "{} uses {used}", file.display());
            }
        }
    }
}

#[test]
fn only_the_outermost_rooms_know_a_terminal() {
    for &(room, _) in ROOMS {
        for file in files_of(room) {
            let code = product_code(&file);
            for (word, allowed) in RESERVED.into_iter().filter(|(_, allowed)| !allowed.contains(&room)) {
                assert!(!code.contains(word), "{} names {word}, which only {allowed:?} may", file.display());
            }
        }
    }
}

#[test]
fn every_room_is_listed_here() {
    let library = fs::read_to_string(source().join("lib.rs")).unwrap();
    let mut listed: Vec<&str> = ROOMS.iter().map(|(name, _)| *name).collect();
    let mut found: Vec<&str> =
        library.lines().filter_map(|line| line.strip_prefix("pub mod ")?.strip_suffix(';')).collect();
    listed.sort_unstable();
    found.sort_unstable();
    assert_eq!(found, listed);
}

fn source() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("src")
}

/// Every file of a room that is not a file of tests.
fn files_of(room: &str) -> Vec<PathBuf> {
    let single = source().join(format!("{room}.rs"));
    if single.exists() {
        return vec![single];
    }
    let (mut files, mut waiting) = (Vec::new(), vec![source().join(room)]);
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
    assert!(!files.is_empty(), "the room {room} has no files");
    files
}

/// A file without its comments and without its tests, which stand at the end.
fn product_code(file: &Path) -> String {
    let text = fs::read_to_string(file).unwrap();
    let code = text.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default();
    code.lines().filter(|line| !line.trim_start().starts_with("//")).collect::<Vec<_>>().join("\n")
}

/// The rooms that `crate::room` and `crate::{..., room::...}` name.
fn rooms_used(code: &str, names: &[&str]) -> Vec<String> {
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
            if names.contains(&name.as_str()) {
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
