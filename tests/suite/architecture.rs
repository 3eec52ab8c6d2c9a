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
const EXCEPTIONS: &[(&str, &str)] = &[];

/// The parts of the workbench, and the parts that each may use beside itself.
const WORKBENCH: [(&str, &[&str]); 5] = [
    ("theme", &[]),
    ("session", &["app"]),
    ("app", &["session"]),
    ("backend", &["theme", "session", "app"]),
    ("ui", &["theme", "session", "app", "backend"]),
];

/// Names that only some files may use, by the beginnings of their paths.
const RESERVED: [(&str, &[&str]); 10] = [
    ("ratatui", &["workbench/ui/"]),
    ("crossterm", &["workbench/ui/"]),
    ("indicatif", &["cli/"]),
    ("syntect", &["workbench/backend/highlight.rs"]),
    ("clap::", &["cli/"]),
    ("stdout()", &["cli/output.rs", "workbench/ui/terminal.rs"]),
    ("stderr()", &["cli/output.rs", "workbench/ui/terminal.rs"]),
    ("\\x1b", &["cli/painted.rs"]),
    ("\\u{1b}", &[]),
    ("CopyToClipboard", &["workbench/ui/terminal.rs"]),
];

#[test]
fn modules_use_only_the_modules_to_their_left() {
    for (position, module) in ORDER.into_iter().enumerate() {
        for file in files_of(module) {
            for used in modules_used(&product_code(&file), "crate::", &ORDER) {
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
            let path = file.strip_prefix(source()).unwrap().to_string_lossy().replace('\\', "/");
            for (name, allowed) in RESERVED {
                let is_allowed = allowed.iter().any(|start| path.starts_with(start));
                assert!(
                    is_allowed || !code.contains(name),
                    "{path} names {name}, which only {allowed:?} may"
                );
            }
        }
    }
}

/// Files from outside are opened in one way, which refuses pipes, devices and what is too large; and temporary files have
/// names by which they are swept after a kill.
#[test]
fn files_are_read_and_appended_to_in_one_way() {
    // The benchmarks read what they have written themselves.
    const READING: &[&str] = &["base/outside.rs", "base/temporary.rs", "bench/"];
    // These ask the kernel, whose files are not regular ones.
    const KERNEL: &[&str] =
        &["base/memory.rs", "base/process.rs", "base/temporary.rs", "runs/training/system.rs", "bench/"];
    // A file without a name, to see whether a folder can be written to.
    const TEMPORARY: &[&str] = &["runs/find/place.rs", "bench/"];
    const RULES: [(&str, &[&str]); 5] = [
        ("File::open(", READING),
        (".append(true)", READING),
        ("fs::read(", KERNEL),
        ("fs::read_to_string(", KERNEL),
        ("tempfile", TEMPORARY),
    ];
    for file in ORDER.into_iter().flat_map(files_of) {
        let code = product_code(&file);
        let path = file.strip_prefix(source()).unwrap().to_string_lossy().replace('\\', "/");
        if path.contains("tests") {
            continue;
        }
        for (name, allowed) in RULES {
            let is_named = code
                .match_indices(name)
                .any(|(at, _)| !code[..at].ends_with(|before: char| before.is_alphanumeric()));
            let is_allowed = allowed.iter().any(|start| path.starts_with(start));
            assert!(is_allowed || !is_named, "{path} uses {name}; see base/outside.rs and base/temporary.rs");
        }
    }
}

/// The state does not know what carries out its effects or draws it, and nothing but the user interface draws.
#[test]
fn the_user_interface_is_the_outermost_part_of_the_workbench() {
    let parts = WORKBENCH.map(|(part, _)| part);
    for (part, allowed) in WORKBENCH {
        for file in files_of(&format!("workbench/{part}")) {
            let code = product_code(&file);
            let mut used = modules_used(&code, "workbench::", &parts);
            used.extend(modules_used(&code, "super::super::", &parts));
            for used in used {
                let is_allowed = used == part || allowed.contains(&used.as_str());
                assert!(is_allowed, "{} uses {used}", file.display());
            }
        }
    }
}

/// The state of the workbench is a function of its messages: it reads no file and no clock, and starts nothing.
#[test]
fn the_state_of_the_workbench_does_no_io_and_starts_no_thread() {
    const FORBIDDEN: [&str; 9] = [
        "fs::",
        "thread::",
        "process::",
        "net::",
        "env::",
        "Instant::now",
        "SystemTime::now",
        "crossbeam_channel",
        "Store",
    ];
    let is_letter = |letter: char| letter.is_alphanumeric() || letter == '_';
    for file in files_of("workbench/app") {
        let code = product_code(&file);
        for name in FORBIDDEN {
            let is_used = code.match_indices(name).any(|(at, _)| {
                let continues = !name.ends_with(':') && code[at + name.len()..].starts_with(is_letter);
                !code[..at].ends_with(is_letter) && !continues
            });
            assert!(!is_used, "{} names {name}", file.display());
        }
    }
}

#[test]
fn every_module_is_listed_here() {
    let library = fs::read_to_string(source().join("lib.rs")).unwrap();
    let mut listed = ORDER;
    let mut found: Vec<&str> = library
        .lines()
        .filter_map(|line| line.strip_prefix("pub ").unwrap_or(line).strip_prefix("mod ")?.strip_suffix(';'))
        // Compiled for tests only.
        .filter(|name| *name != "fuzz")
        .collect();
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

/// The modules that `prefix::module` and `prefix::{..., module::...}` name.
fn modules_used(code: &str, prefix: &str, modules: &[&str]) -> Vec<String> {
    let mut used = Vec::new();
    for (at, _) in code.match_indices(prefix) {
        let rest = &code[at + prefix.len()..];
        let tree = if rest.starts_with('{') { outermost(rest) } else { vec![rest] };
        for path in tree {
            let name: String = path
                .trim_start()
                .chars()
                .take_while(|letter| letter.is_alphanumeric() || *letter == '_')
                .collect();
            if modules.contains(&name.as_str()) {
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
