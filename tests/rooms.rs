//! Who may know whom. The rules are absences, so a test has to look.

#![expect(clippy::unwrap_used, reason = "a test may stop")]

use std::{fs, path::Path};

/// Names of the terminal's libraries, which only `ui` may speak.
const TERMINAL: [&str; 2] = ["ratatui", "crossterm"];

#[test]
fn only_ui_names_the_terminal() {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut offenders = Vec::new();
    visit(&source, &mut |path, text| {
        let room = path.strip_prefix(&source).unwrap();
        if room.starts_with("ui") {
            return;
        }
        for (number, line) in text.lines().enumerate() {
            let line = line.trim();
            // Prose may mention them; code may not, be it in a `use` or in a path.
            let is_code = !line.starts_with("//");
            if is_code && TERMINAL.iter().any(|name| line.contains(&format!("{name}::"))) {
                offenders.push(format!("{}:{}: {line}", path.display(), number + 1));
            }
        }
    });
    assert!(offenders.is_empty(), "only src/ui may name the terminal's libraries:\n{}", offenders.join("\n"));
}

#[test]
fn app_knows_nothing_of_ui_and_the_rooms_below_know_neither() {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut offenders = Vec::new();
    visit(&source, &mut |path, text| {
        let room = path.strip_prefix(&source).unwrap();
        let top = room.components().next().unwrap().as_os_str().to_string_lossy().into_owned();
        let forbidden: &[&str] = match top.as_str() {
            "ui" | "cli" | "main.rs" | "lib.rs" => &[],
            "app" => &["ui"],
            _ => &["ui", "app"],
        };
        for name in forbidden {
            if text.lines().any(|line| !line.trim().starts_with("//") && names(line, name)) {
                offenders.push(format!("{} names {name}", path.display()));
            }
        }
    });
    assert!(offenders.is_empty(), "{}", offenders.join("\n"));
}

/// Whether the line leads into a room of this name.
fn names(line: &str, room: &str) -> bool {
    line.contains(&format!("crate::{room}")) || line.trim().starts_with(&format!("{room}::"))
}

fn visit(folder: &Path, look: &mut dyn FnMut(&Path, &str)) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            visit(&path, look);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            look(&path, &fs::read_to_string(&path).unwrap());
        }
    }
}
