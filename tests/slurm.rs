//! Runs and extraction on a real Slurm, which `tests/scripts/slurm.sh` starts on this machine with a configuration of its
//! own. Skipped, with the reason, where Slurm is not installed or may not be started.

#![cfg(unix)]
#![expect(
    clippy::unwrap_used,
    clippy::print_stderr,
    reason = "a test may stop, and may say what it passed over"
)]

use std::{
    fs,
    path::{Path, PathBuf},
    process::{Command, Output},
    thread,
    time::{Duration, Instant},
};

use matchbook::{
    jobs::{Jobs, RunRequest, Where},
    workspace::Workspace,
};
use serde_json::Value;

const SHORT: [&str; 13] = [
    "demo",
    "--preset",
    "tiny",
    "--split",
    "mixed",
    "--width",
    "16",
    "--longest",
    "40",
    "--batch",
    "60",
    "--evaluate-every",
    "5",
];
const PATIENCE: Duration = Duration::from_secs(180);

/// A cluster of one machine, which ends with this.
struct Cluster {
    folder: tempfile::TempDir,
}

impl Cluster {
    /// None, and a printed reason, where there can be none.
    fn start() -> Option<Cluster> {
        let cluster = Cluster { folder: tempfile::tempdir().unwrap() };
        let output = cluster.script("start");
        match output.status.code() {
            Some(0) => Some(cluster),
            Some(77) => {
                eprintln!(
                    "the tests on Slurm are passed over: {}",
                    String::from_utf8_lossy(&output.stderr).trim()
                );
                None
            }
            _ => panic!("Slurm does not start: {}", String::from_utf8_lossy(&output.stderr)),
        }
    }

    fn script(&self, what: &str) -> Output {
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/scripts/slurm.sh");
        Command::new("bash").arg(script).arg(what).arg(self.slurm()).output().unwrap()
    }

    fn slurm(&self) -> PathBuf {
        self.folder.path().join("slurm")
    }

    fn command(&self, program: &str, arguments: &[&str]) -> Command {
        let mut command = Command::new(program);
        command.args(arguments).current_dir(self.folder.path());
        command.env("SLURM_CONF", self.slurm().join("slurm.conf"));
        command
            .env("MATCHBOOK_WORKSPACE", self.work())
            .env("XDG_CONFIG_HOME", self.folder.path().join("config"));
        command
    }

    fn work(&self) -> PathBuf {
        self.folder.path().join("work")
    }

    fn ok(&self, program: &str, arguments: &[&str]) -> String {
        let output = self.command(program, arguments).output().unwrap();
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{program} {arguments:?}: {errors}");
        String::from_utf8(output.stdout).unwrap()
    }

    fn matchbook(&self, arguments: &[&str]) -> String {
        self.ok(env!("CARGO_BIN_EXE_matchbook"), arguments)
    }

    fn train(&self, run: &str, more: &[&str]) -> Output {
        let arguments = [&["train", "--run", run][..], &SHORT, more].concat();
        self.command(env!("CARGO_BIN_EXE_matchbook"), &arguments).output().unwrap()
    }

    fn submit(&self, run: &str, more: &[&str]) {
        let output = self.train(run, &[&["--on", "slurm", "--checkpoint-every", "1"][..], more].concat());
        let said = String::from_utf8_lossy(&output.stdout);
        assert!(said.contains("submitted as job"), "{said}{}", String::from_utf8_lossy(&output.stderr));
    }

    fn line(&self, run: &str) -> Value {
        let all: Value = serde_json::from_str(&self.matchbook(&["runs", "--json"])).unwrap();
        all.as_array().unwrap().iter().find(|line| line["name"] == run).unwrap().clone()
    }

    fn wait_until(&self, run: &str, done: impl Fn(&Value) -> bool) -> Value {
        let until = Instant::now() + PATIENCE;
        loop {
            let line = self.line(run);
            if done(&line) {
                return line;
            }
            let log =
                || fs::read_to_string(self.work().join("runs").join(run).join("log.txt")).unwrap_or_default();
            assert!(
                Instant::now() < until,
                "{run}: {line:#}\n{}\n{}",
                self.ok("squeue", &["--states=all"]),
                log()
            );
            thread::sleep(Duration::from_millis(200));
        }
    }

    fn wait_for(&self, run: &str, state: &str) -> Value {
        self.wait_until(run, |line| line["state"] == state)
    }

    fn best(&self, run: &str) -> Vec<u8> {
        fs::read(self.work().join("runs").join(run).join("checkpoints/best/weights.safetensors")).unwrap()
    }

    /// Slurm lets a job that goes back to the queue wait for two minutes.
    fn start_again(&self, job: &str) {
        let until = Instant::now() + PATIENCE;
        while !self.ok("squeue", &["--noheader", "--format=%T", "--jobs", job]).contains("PENDING") {
            assert!(Instant::now() < until, "{}", self.ok("scontrol", &["show", "job", job]));
            thread::sleep(Duration::from_millis(200));
        }
        self.ok("scontrol", &["update", &format!("JobId={job}"), "StartTime=now"]);
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        self.script("stop");
    }
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

#[test]
fn runs_and_extraction_on_a_real_slurm() {
    let Some(cluster) = Cluster::start() else { return };
    let config = cluster.folder.path().join("config/matchbook");
    fs::create_dir_all(&config).unwrap();
    let settings = "[slurm]\npartition = \"main\"\ntime = \"10:00\"\ncpus = 1\nenvironment = ['[ -z \"$FAIL\" ] || exit 3']\n";
    fs::write(config.join("config.toml"), settings).unwrap();
    let local = cluster.train("local", &["--epochs", "16"]);
    assert!(local.status.success(), "{}", String::from_utf8_lossy(&local.stderr));

    // Requeued twice, by the signal before a limit and by an administrator; the controller dies meanwhile.
    cluster.submit("moved", &["--epochs", "16"]);
    let has_begun = |line: &Value| line["state"] == "running" && line["step"].as_u64() > Some(0);
    let line = cluster.wait_until("moved", has_begun);
    let job = text(&line["job"]);
    let pid = fs::read_to_string(cluster.slurm().join("slurmctld.pid")).unwrap();
    assert!(Command::new("kill").args(["-9", pid.trim()]).status().unwrap().success());
    let refused = cluster.train("lost", &["--epochs", "1", "--on", "slurm"]);
    let said = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert!(!refused.status.success() && said.contains("does not answer"), "{said}");
    assert_eq!(cluster.line("lost")["state"], "unknown");
    let state = text(&cluster.line("moved")["state"]);
    assert!(["running", "finished"].contains(&state.as_str()), "{state}");
    assert!(cluster.script("controller").status.success());
    cluster.wait_until("lost", |line| line["state"] != "unknown");

    let begun = cluster.line("moved")["step"].as_u64();
    if text(&cluster.line("moved")["state"]) == "running" {
        cluster.ok("scancel", &["--batch", "--signal=USR1", &job]);
        cluster.start_again(&job);
        cluster.wait_until("moved", |line| has_begun(line) && line["step"].as_u64() > begun);
        cluster.ok("scontrol", &["requeue", &job]);
        cluster.start_again(&job);
    }
    cluster.wait_for("moved", "finished");
    assert_eq!(text(&cluster.line("moved")["job"]), job, "one job from the first to the last");
    assert!(cluster.best("moved") == cluster.best("local"), "to the same bits");

    // The lost submission was made up for, once.
    cluster.wait_for("lost", "finished");
    let names = cluster.ok("squeue", &["--states=all", "--noheader", "--format=%j"]);
    assert_eq!(names.lines().filter(|name| *name == "lost").count(), 1, "{names}");

    // Stopped with a checkpoint, resumed, cancelled; and a job that ends without a word.
    cluster.submit("stopped", &["--epochs", "400"]);
    cluster.wait_until("stopped", has_begun);
    cluster.matchbook(&["runs", "stop", "stopped"]);
    let line = cluster.wait_for("stopped", "stopped");
    assert!(line["step"].as_u64() > Some(0));
    let until = Instant::now() + PATIENCE;
    let resume = || {
        let arguments = ["runs", "resume", "stopped", "--on", "slurm"];
        cluster.command(env!("CARGO_BIN_EXE_matchbook"), &arguments).output().unwrap().status.success()
    };
    while !resume() {
        assert!(Instant::now() < until, "the job does not end");
        thread::sleep(Duration::from_millis(300));
    }
    cluster.wait_until("stopped", has_begun);
    cluster.matchbook(&["runs", "kill", "stopped"]);
    cluster.wait_for("stopped", "stopped");

    let arguments = [&["train", "--run", "failing"][..], &SHORT, &["--on", "slurm"]].concat();
    let failing =
        cluster.command(env!("CARGO_BIN_EXE_matchbook"), &arguments).env("FAIL", "1").output().unwrap();
    assert!(failing.status.success(), "{}", String::from_utf8_lossy(&failing.stderr));
    let line = cluster.wait_for("failing", "failed");
    assert_eq!(line["cause"], "Slurm says FAILED, exit code 3:0");

    // An array of runs, from a program that is not the command line.
    let inside = cluster
        .command(
            std::env::current_exe().unwrap().to_str().unwrap(),
            &["--exact", "an_array_of_runs", "--ignored"],
        )
        .output()
        .unwrap();
    assert!(inside.status.success(), "{}", String::from_utf8_lossy(&inside.stdout));
    for run in ["array-0", "array-1"] {
        cluster.wait_for(run, "finished");
    }
    assert!(text(&cluster.line("array-1")["job"]).ends_with("_1"));

    // Parts of an extraction, merged, are what one extraction makes.
    cluster.matchbook(&["demo", "articles"]);
    let metadata = ["--metadata", "articles/manifest.tsv"];
    let local =
        [&["extract", "articles", "-o", "local.corpus", "--report", "local.tsv"][..], &metadata].concat();
    let fingerprint = cluster.matchbook(&local).split_whitespace().last().unwrap().to_owned();
    let flags = [&["--on", "slurm", "--shards", "3", "--report", "merged.tsv"][..], &metadata].concat();
    cluster.matchbook(&[&["extract", "articles", "-o", "merged.corpus"][..], &flags].concat());
    let said =
        || fs::read_to_string(cluster.folder.path().join("merged.corpus.parts/then.txt")).unwrap_or_default();
    let until = Instant::now() + PATIENCE;
    while !said().contains("written, fingerprint") {
        assert!(Instant::now() < until, "{}\n{}", cluster.ok("squeue", &["--states=all"]), said());
        thread::sleep(Duration::from_millis(200));
    }
    assert!(said().trim_end().ends_with(&fingerprint), "{}", said());
    let exported = |corpus: &str| cluster.matchbook(&["export", corpus, "--format", "jsonl", "-o", "-"]);
    assert!(exported("local.corpus") == exported("merged.corpus"));
    let report = |name: &str| fs::read(cluster.folder.path().join(name)).unwrap();
    assert!(report("local.tsv") == report("merged.tsv"));
}

#[test]
#[ignore = "a part of the test above, which gives it a cluster"]
fn an_array_of_runs() {
    let workspace = Workspace::find(None, |name| std::env::var_os(name)).unwrap();
    let jobs = Jobs::new(&workspace).with_program(env!("CARGO_BIN_EXE_matchbook"));
    let lost = "lost".parse().unwrap();
    let requests: Vec<RunRequest> = (0..2)
        .map(|index| jobs.request_of(&lost, format!("array-{index}").parse().unwrap()).unwrap())
        .collect();
    let options = jobs.settings().slurm.clone();
    jobs.launch_all(&requests, &Where::Slurm(options)).unwrap();
}
