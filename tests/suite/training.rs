//! `matchbook train` as users run it: repeated, interrupted, killed, resumed.

use std::{fs, process::Command, thread, time::Duration};

use crate::support::runs::TestWorkspace;

/// A run of a second or two.
const SHORT: [&str; 17] = [
    "demo",
    "--encoder",
    "npt",
    "--preset",
    "tiny",
    "--split",
    "mixed",
    "--epochs",
    "6",
    "--width",
    "16",
    "--longest",
    "40",
    "--batch",
    "60",
    "--evaluate-every",
    "2",
];

#[test]
fn a_run_is_repeated_by_its_file_and_resumed_only_with_its_own_settings() {
    let workspace = TestWorkspace::new();
    let said =
        workspace.train("first", &[&SHORT[..], &["--seed", "9", "--threads", "1", "--tensorboard"]].concat());
    assert!(said.contains("first: 30 steps in") && said.contains("best after epoch"), "{said}");
    let config = workspace.run("first").join("run.toml");
    workspace.train("again", &["--config", config.to_str().unwrap(), "--threads", "3"]);
    assert!(workspace.checkpoint("first", "best") == workspace.checkpoint("again", "best"));
    assert_eq!(workspace.metrics("first"), workspace.metrics("again"));
    assert_eq!(workspace.status("again")["state"], "finished");
    assert!(workspace.run("first").join("tensorboard").read_dir().unwrap().next().is_some());

    workspace.fails("first", &SHORT, &["first"]);
    workspace.fails("none", &["--resume"], &["none"]);
    workspace.fails("first", &["--resume", "--lr", "0.5"], &["was started with other settings"]);
    let wrong = workspace
        .command(&["train", "--run", "other", "demo", "--preset", "tiny", "--batch", "1"])
        .output()
        .unwrap();
    assert_eq!(wrong.status.code(), Some(2), "a value outside of its range is wrong usage");
    assert!(String::from_utf8_lossy(&wrong.stderr).contains("a whole number from 2"));
    workspace.fails("other", &["demo", "--device", "metal"], &["--device cpu"]);
    assert!(!workspace.run("other").exists());
    let done = workspace.train("first", &["--resume"]);
    assert!(done.contains("first: 30 steps"), "{done}");

    let text = fs::read_to_string(&config).unwrap();
    let at = text.find("fingerprint = \"").unwrap() + "fingerprint = \"".len();
    fs::write(&config, format!("{}{}{}", &text[..at], "0".repeat(64), &text[at + 64..])).unwrap();
    workspace.fails("first", &["--resume"], &["is not the one that the run was started with"]);
}

#[test]
#[cfg(unix)]
fn a_run_that_is_interrupted_and_killed_ends_with_the_same_bits() {
    let workspace = TestWorkspace::new();
    let whole = [&SHORT[..], &["--epochs", "12", "--checkpoint-every", "0"]].concat();
    let whole: Vec<&str> =
        whole.iter().enumerate().filter(|(at, _)| !(7..9).contains(at)).map(|(_, word)| *word).collect();
    workspace.train("whole", &whole);
    let mut child = workspace.start("torn", &whole);
    for (round, pause) in [700u64, 350, 500, 420, 610, 300].into_iter().enumerate() {
        thread::sleep(Duration::from_millis(pause));
        let signal = if round % 2 == 0 { "-KILL" } else { "-INT" };
        let _ = Command::new("kill").args([signal, &child.id().to_string()]).status();
        child.wait().unwrap();
        assert!(workspace.run("torn").exists() || round == 0);
        if !workspace.run("torn").exists() {
            child = workspace.start("torn", &whole);
            continue;
        }
        child = workspace.start("torn", &["--resume", "--checkpoint-every", "0"]);
    }
    child.wait().unwrap();
    workspace.train("torn", &["--resume"]);
    assert!(workspace.checkpoint("torn", "best") == workspace.checkpoint("whole", "best"), "another model");
    assert_eq!(workspace.metrics("torn"), workspace.metrics("whole"));
    let last = |run: &str| workspace.checkpoint(run, "step-60");
    assert!(last("torn") == last("whole"), "another last checkpoint");
}
