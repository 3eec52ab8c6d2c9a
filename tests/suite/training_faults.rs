//! `matchbook train` when things go wrong: fifty kills, damaged and foreign checkpoints, a full disk, NaN.

#![cfg(unix)]

use std::{
    fs,
    process::{Child, Command, Stdio},
    thread,
    time::{Duration, Instant},
};

use crate::support::{program, runs::TestWorkspace};
use matchbook::base::rng::Rng;

const KILLS: usize = 50;

/// Everything that has a state: both objectives in turns, fresh names, moments, events. 240 steps of milliseconds.
const RUN: [&str; 23] = [
    "small.corpus",
    "--encoder",
    "npt",
    "--preset",
    "tiny",
    "--split",
    "mixed",
    "--width",
    "16",
    "--longest",
    "40",
    "--batch",
    "8",
    "--epochs",
    "30",
    "--evaluate-every",
    "10",
    "--objective",
    "hybrid",
    "--level",
    "full",
    "--fresh-names",
    "--tensorboard",
];

#[test]
fn fifty_kills_at_any_moment_change_no_bit() {
    let workspace = Faults::new();
    workspace.train("whole", &[&RUN[..], &["--checkpoint-every", "600"]].concat());
    let begin = [&RUN[..], &["--checkpoint-every", "0"]].concat();
    let (mut moments, mut damages) = (Rng::new(7), 0);
    let mut child = workspace.start("torn", &begin);
    for kill in 0..KILLS {
        let newest = workspace.newest("torn");
        // a third of the kills hit the start of a process, the others its work, at no moment in particular
        let most = if kill % 3 == 0 { 60_000 } else { 9_000 };
        if kill % 3 != 0 {
            workspace.wait_for_a_step_after("torn", newest, &mut child);
        }
        thread::sleep(Duration::from_micros(moments.below(most as usize) as u64));
        child.kill().unwrap();
        assert!(!child.wait().unwrap().success(), "the run was over before kill {kill}");
        if kill % 10 == 9 && workspace.steps("torn").len() > 1 {
            workspace.damage("torn", damages);
            damages += 1;
        }
        child = match workspace.run("torn").exists() {
            true => workspace.start("torn", &["--resume", "--checkpoint-every", "0"]),
            false => workspace.start("torn", &begin),
        };
    }
    // the rest without a checkpoint at every step
    child.kill().unwrap();
    child.wait().unwrap();
    workspace.train("torn", &["--resume"]);
    assert!(damages >= 4, "{damages}");
    let log = fs::read_to_string(workspace.run("torn").join("log.txt")).unwrap();
    for words in ["bytes instead of", "has changed since it was saved", "is missing"] {
        assert!(log.contains(words), "{words}: {log}");
    }
    for folder in ["step-240", "best"] {
        assert!(
            workspace.checkpoint("torn", folder) == workspace.checkpoint("whole", folder),
            "another {folder}"
        );
    }
    assert_eq!(workspace.metrics("torn"), workspace.metrics("whole"));
}

#[test]
fn what_is_wrong_is_told_and_costs_nothing_that_was_saved() {
    let workspace = Faults::new();
    let short = [&RUN[..14], &["2", "--checkpoint-every", "0"]].concat();

    // numbers that are none
    let wild = [&short[..], &["--lr", "1e9", "--decay", "0"]].concat();
    workspace.fails("wild", &wild, &["at step ", "(epoch 0)", "The batch was ", "--lr"]);
    assert!(!workspace.steps("wild").is_empty() && workspace.status("wild")["state"] == "failed");
    workspace.fails("wild", &["--resume"], &["the weights are as they were before it"]);

    // full disk: the shell sets a limit on files, and has the write fail instead of killing the writer
    let script = "trap '' XFSZ; ulimit -f 16; exec \"$0\" \"$@\"";
    let mut shell = Command::new("sh");
    shell.args(["-c", script]).arg(program());
    workspace.arrange(&mut shell, &[&["train", "--run", "full"][..], &short].concat());
    workspace.fails_as(&mut shell, &["step-", "free some space and resume"]);
    workspace.train("full", &["--resume"]);
    workspace.train("roomy", &short);
    assert!(workspace.checkpoint("full", "best") == workspace.checkpoint("roomy", "best"));

    // a checkpoint of another run
    workspace.train("other", &[&short[..], &["--feed-forward", "32"]].concat());
    let last = format!("step-{}", workspace.newest("other").unwrap());
    let checkpoints = |run: &str| workspace.run(run).join("checkpoints");
    let mut half = workspace.start("half", &[&RUN[..], &["--checkpoint-every", "0"]].concat());
    workspace.wait_for_a_step_after("half", None, &mut half);
    half.kill().unwrap();
    half.wait().unwrap();
    fs::rename(checkpoints("other").join(&last), checkpoints("half").join("step-1000")).unwrap();
    let resumed = workspace.command(&["train", "--run", "half", "--resume"]).output().unwrap();
    let errors = String::from_utf8_lossy(&resumed.stderr).into_owned();
    assert!(resumed.status.success(), "it goes on from the checkpoint before: {errors}");
    assert!(errors.contains("belongs to a run with other settings or another corpus"), "{errors}");

    // no intact checkpoint: a new beginning would replace the best model
    let only = format!("step-{}", workspace.newest("roomy").unwrap());
    fs::remove_file(checkpoints("roomy").join(only).join("progress.json")).unwrap();
    let best = workspace.checkpoint("roomy", "best");
    workspace.fails("roomy", &["--resume"], &["is refused", "progress.json is missing"]);
    assert!(workspace.checkpoint("roomy", "best") == best);

    // another corpus under the same name
    workspace.corpus(9);
    workspace.fails("full", &["--resume"], &["is not the one that the run was started with"]);
}

#[test]
fn candle_trains_the_same_model_to_rounding_and_a_run_keeps_its_protected_symbols() {
    let workspace = Faults::new();
    fs::write(workspace.path("mine.toml"), "\"*\" = [\"x\", \"n\"]\n").unwrap();
    let short =
        [&RUN[..14], &["2", "--level", "full+p", "--protected", "mine.toml", "--dropout", "0"]].concat();
    workspace.train("native", &short);
    let candle = [&short[..], &["--device", "cpu", "--engine", "candle"]].concat();
    workspace.train("candle", &candle);
    workspace.train("cached", &[&candle[..], &["--chunk", "5"]].concat());
    let losses = |run: &str| -> Vec<f64> {
        workspace.metrics(run).iter().filter_map(|row| row.get("loss")?.as_f64()).collect()
    };
    let native = losses("native");
    assert!(native.len() == 8, "{native:?}");
    for run in ["candle", "cached"] {
        let other = losses(run);
        assert!(
            native.iter().zip(&other).all(|(left, right)| (left - right).abs() < 5e-3),
            "{native:?} {other:?}"
        );
    }
    // the file may go: the run has a copy
    fs::remove_file(workspace.path("mine.toml")).unwrap();
    let config = workspace.run("native").join("run.toml");
    assert!(fs::read_to_string(&config).unwrap().contains("[settings.protected]"));
    workspace.train("again", &["--config", config.to_str().unwrap()]);
    assert!(workspace.checkpoint("again", "best") == workspace.checkpoint("native", "best"));
    let without = [&RUN[..14], &["2", "--level", "full", "--dropout", "0"]].concat();
    workspace.train("without", &without);
    assert!(losses("without") != native);
}

/// A workspace with a small corpus, whose runs are damaged.
struct Faults {
    workspace: TestWorkspace,
}

impl std::ops::Deref for Faults {
    type Target = TestWorkspace;

    fn deref(&self) -> &TestWorkspace {
        &self.workspace
    }
}

impl Faults {
    fn new() -> Faults {
        let workspace = Faults { workspace: TestWorkspace::new() };
        workspace.corpus(3);
        workspace
    }

    /// Forty generated pairs.
    fn corpus(&self, seed: u64) {
        let run = |arguments: &[&str]| {
            let status = Command::new(program())
                .current_dir(self.folder.path())
                .args(arguments)
                .stdout(Stdio::null())
                .stderr(Stdio::null())
                .status();
            assert!(status.unwrap().success(), "{arguments:?}");
        };
        let _ = fs::remove_file(self.path("small.corpus"));
        let articles = format!("articles-{seed}");
        run(&["synth", &articles, "--pairs", "40", "--seed", &seed.to_string(), "--lean"]);
        run(&["extract", &articles, "-o", "small.corpus"]);
    }

    /// The steps that have a checkpoint, the newest last.
    fn steps(&self, run: &str) -> Vec<u64> {
        let Ok(entries) = self.run(run).join("checkpoints").read_dir() else { return Vec::new() };
        let names = entries.flatten().filter_map(|entry| entry.file_name().into_string().ok());
        let mut steps: Vec<u64> = names.filter_map(|name| name.strip_prefix("step-")?.parse().ok()).collect();
        steps.sort_unstable();
        steps
    }

    fn newest(&self, run: &str) -> Option<u64> {
        self.steps(run).last().copied()
    }

    fn wait_for_a_step_after(&self, run: &str, step: Option<u64>, child: &mut Child) {
        let begin = Instant::now();
        while self.newest(run) <= step {
            assert!(child.try_wait().unwrap().is_none(), "the process ended by itself");
            assert!(begin.elapsed() < Duration::from_secs(60), "no step is made");
            thread::sleep(Duration::from_micros(300));
        }
    }

    /// Spoils the newest checkpoint, each time in another way.
    fn damage(&self, run: &str, kind: usize) {
        let newest = format!("step-{}", self.newest(run).unwrap());
        let folder = self.run(run).join("checkpoints").join(newest);
        let flip = |name: &str| {
            let mut bytes = fs::read(folder.join(name)).unwrap();
            let middle = bytes.len() / 2;
            bytes[middle] ^= 0x10;
            fs::write(folder.join(name), bytes).unwrap();
        };
        match kind {
            0 => {
                let bytes = fs::read(folder.join("weights.safetensors")).unwrap();
                fs::write(folder.join("weights.safetensors"), &bytes[..bytes.len() / 3]).unwrap();
            }
            1 => flip("optimizer.safetensors"),
            2 => fs::remove_file(folder.join("progress.json")).unwrap(),
            _ => flip("manifest.json"),
        }
    }
}
