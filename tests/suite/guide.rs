//! The commands that README and guide show do what they say: every fenced `sh` block is run on the demo, in order, in a
//! workspace of its own. A fenced `output` block after it shows what it prints: each of its lines is a part of a printed line,
//! in this order; `...` stands for lines that are left out. Blocks marked with a reason after `sh` (`needs-gpu`, `needs-slurm`, `needs-articles`, `minutes`,
//! `interactive`, `install`) are listed instead of run.

use std::{env, fs, path::Path, process::Command};

use crate::support::program;

const REASONS: [&str; 6] =
    ["needs-gpu", "needs-slurm", "needs-articles", "minutes", "interactive", "install"];

#[test]
fn commands_of_readme_and_guide_succeed() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut pages = vec![root.join("README.md")];
    pages.extend(fs::read_dir(root.join("assets/guide")).unwrap().map(|entry| entry.unwrap().path()));
    pages.sort();
    let (mut ran, mut shown, mut skipped) = (0, 0, Vec::new());
    for page in &pages {
        let name = page.file_name().unwrap().to_string_lossy().into_owned();
        let text = fs::read_to_string(page).unwrap();
        let place = tempfile::tempdir().unwrap();
        let mut printed = None;
        for (reason, block) in blocks(&text) {
            match reason {
                "" => {
                    printed = Some(run(&name, place.path(), &block));
                    ran += block.lines().filter(|line| line.trim_start().starts_with("matchbook ")).count();
                }
                "output" => {
                    let printed = printed.take().expect("an output block follows the commands that print it");
                    compare(&name, &block, &printed);
                    shown += 1;
                }
                reason => {
                    assert!(REASONS.contains(&reason), "{name}: a block is marked {reason}");
                    skipped.push(format!("{name} ({reason}): {}", block.lines().next().unwrap_or_default()));
                }
            }
        }
    }
    println!("{ran} commands ran, {shown} outputs compared; not run:\n{}", skipped.join("\n"));
    assert!(ran > 0 && shown > 0, "{ran} commands, {shown} outputs");
}

/// Whether each shown line is a part of a printed line, in the order of both.
fn compare(page: &str, shown: &str, printed: &str) {
    let mut rest = printed.lines();
    for line in shown.lines().map(str::trim).filter(|line| !line.is_empty() && *line != "...") {
        assert!(
            rest.any(|found| found.contains(line)),
            "{page} shows `{line}`, but this is printed:\n{printed}"
        );
    }
}

/// The blocks of shell commands, each with why it cannot be run here, and the blocks of their output.
fn blocks(text: &str) -> Vec<(&str, String)> {
    let mut found = Vec::new();
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        let Some(info) = line.strip_prefix("```") else { continue };
        let block: Vec<&str> = lines.by_ref().take_while(|line| !line.starts_with("```")).collect();
        match info.strip_prefix("sh") {
            Some(reason) => found.push((reason.trim(), block.join("\n"))),
            None if info == "output" => found.push((info, block.join("\n"))),
            None => (),
        }
    }
    found
}

/// Runs a block with `sh -e` where `matchbook` is the program under test. Returns what it prints.
fn run(page: &str, place: &Path, block: &str) -> String {
    let program = Path::new(program()).parent().unwrap().to_owned();
    let mut path = vec![program];
    path.extend(env::split_paths(&env::var_os("PATH").unwrap()));
    let output = Command::new("sh")
        .args(["-e", "-c", block])
        .current_dir(place)
        .env("PATH", env::join_paths(path).unwrap())
        .env("MATCHBOOK_WORKSPACE", place.join("workspace"))
        .output()
        .unwrap();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{page}: this block failed with {}\n{block}\n{errors}", output.status);
    String::from_utf8_lossy(&output.stdout).into_owned()
}
