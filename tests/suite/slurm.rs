//! Runs and extraction on a real Slurm, which `tests/scripts/slurm.sh` starts on this machine with a configuration of its
//! own. Skipped, with the reason, where Slurm is not installed or may not be started.

#![cfg(unix)]

use std::{
    fs,
    path::{Path, PathBuf},
    process::{Command, Output},
    thread,
    time::{Duration, Instant},
};

use crate::support::{program, runs::metrics_until};
use matchbook::{
    base::workspace::Workspace,
    runs::jobs::{Jobs, LaunchTarget, RunRequest},
};
use serde_json::Value;

/// A model so small that a step takes milliseconds; how long it trains is for each test to say.
const SMALL: &str = "demo --encoder npt --preset tiny --split mixed --width 8 --heads 1 --key 8 --value 8 --feed-forward 8 --layers 1 \
                     --longest 12 --batch 100 --checkpoint-every 1";
/// For a run that trains until it is stopped.
const ENDLESS: [&str; 4] = ["--epochs", "1000000", "--evaluate-every", "100"];
const PATIENCE: Duration = Duration::from_secs(180);
/// What Slurm needs between a job's end and its next start.
const SETTLING: Duration = Duration::from_secs(4);

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
                    "the tests on Slurm are skipped: {}",
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
        self.ok(program(), arguments)
    }

    fn train(&self, run: &str, more: &[&str]) -> Output {
        let small: Vec<&str> = SMALL.split_whitespace().collect();
        let arguments = [&["train", "--run", run][..], &small, more].concat();
        self.command(program(), &arguments).output().unwrap()
    }

    fn submit(&self, run: &str, more: &[&str]) {
        let output = self.train(run, &[&["--on", "slurm"][..], more].concat());
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
            assert!(
                Instant::now() < until,
                "{run}: {line:#}\n{}\n{}",
                self.ok("squeue", &["--states=all"]),
                self.log(run)
            );
            thread::sleep(Duration::from_millis(200));
        }
    }

    fn log(&self, run: &str) -> String {
        fs::read_to_string(self.work().join("runs").join(run).join("log.txt")).unwrap_or_default()
    }

    fn wait_for(&self, run: &str, state: &str) -> Value {
        self.wait_until(run, |line| line["state"] == state)
    }

    /// What was measured up to a step.
    fn measured(&self, run: &str, last: u64) -> Vec<Value> {
        metrics_until(&self.work().join("runs").join(run), last)
    }

    /// Slurm lets a job that goes back to the queue wait for two minutes. A few seconds are enough, but they are needed:
    /// permissions to run are distinguished by the second, and one that follows too soon counts as revoked.
    fn start_again(&self, run: &str, job: &str) {
        let until = Instant::now() + PATIENCE;
        while !self.ok("squeue", &["--noheader", "--format=%T", "--jobs", job]).contains("PENDING") {
            let shown = || self.ok("scontrol", &["show", "job", job]);
            assert!(Instant::now() < until, "{}\n{}", shown(), self.log(run));
            thread::sleep(Duration::from_millis(200));
        }
        thread::sleep(SETTLING);
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

    // Back in the queue three times: by the signal before a limit, for a more urgent job, and by a node that fails. The
    // controller dies meanwhile.
    cluster.submit("moved", &ENDLESS);
    let has_begun = |line: &Value| line["state"] == "running" && line["step"].as_u64() > Some(0);
    let line = cluster.wait_until("moved", has_begun);
    let job = text(&line["job"]);
    let pid = fs::read_to_string(cluster.slurm().join("slurmctld.pid")).unwrap();
    assert!(Command::new("kill").args(["-9", pid.trim()]).status().unwrap().success());
    let refused = cluster.train("lost", &["--epochs", "1", "--on", "slurm"]);
    let said = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert!(!refused.status.success() && said.contains("does not respond"), "{said}");
    assert_eq!(cluster.line("lost")["state"], "unknown");
    assert_eq!(cluster.line("moved")["state"], "running");
    assert!(cluster.script("controller").status.success());
    cluster.wait_until("lost", |line| line["state"] != "unknown");

    let step = |line: &Value| line["step"].as_u64();
    // The controller that was killed may have started the job again.
    thread::sleep(SETTLING);
    let first = step(&cluster.wait_until("moved", has_begun));
    cluster.ok("scancel", &["--batch", "--signal=USR1", &job]);
    cluster.start_again("moved", &job);
    let line = cluster.wait_until("moved", |line| has_begun(line) && step(line) > first);
    // The other takes both processors, so this one has to go.
    cluster
        .ok("sbatch", &["--partition=urgent", "--cpus-per-task=2", "--output=/dev/null", "--wrap=sleep 1"]);
    cluster.wait_for("moved", "queued");
    cluster.start_again("moved", &job);
    let line = cluster.wait_until("moved", |now| has_begun(now) && step(now) > step(&line));
    let node = cluster.ok("sinfo", &["--noheader", "--format=%n"]);
    let node = format!("NodeName={}", node.lines().next().unwrap().trim());
    cluster.ok("scontrol", &["update", &node, "State=DOWN", "Reason=test"]);
    cluster.wait_for("moved", "queued");
    // Slurm may have it back by itself, and then refuses this.
    cluster.command("scontrol", &["update", &node, "State=RESUME"]).output().unwrap();
    cluster.start_again("moved", &job);
    // A killed run resumes after its last checkpoint, which may be some steps back.
    cluster.wait_until("moved", |now| has_begun(now) && step(now) > step(&line));
    assert_eq!(text(&cluster.line("moved")["job"]), job, "one job from the first to the last");
    cluster.matchbook(&["runs", "stop", "moved"]);
    let last = step(&cluster.wait_for("moved", "stopped")).unwrap();
    let local = cluster.train("local", &[&ENDLESS[..], &["--detach"]].concat());
    assert!(local.status.success(), "{}", String::from_utf8_lossy(&local.stderr));
    cluster.wait_until("local", |line| step(line) >= Some(last));
    cluster.matchbook(&["runs", "stop", "local"]);
    assert!(cluster.measured("moved", last).len() as u64 >= last);
    assert!(cluster.measured("moved", last) == cluster.measured("local", last), "to the same bits");

    // The lost submission was made up for, once.
    cluster.wait_for("lost", "finished");
    let names = cluster.ok("squeue", &["--states=all", "--noheader", "--format=%j"]);
    assert_eq!(names.lines().filter(|name| *name == "lost").count(), 1, "{names}");

    // Stopped with a checkpoint, resumed, cancelled; and a job that ends without a word.
    cluster.submit("stopped", &ENDLESS);
    cluster.wait_until("stopped", has_begun);
    cluster.matchbook(&["runs", "stop", "stopped"]);
    let line = cluster.wait_for("stopped", "stopped");
    assert!(line["step"].as_u64() > Some(0));
    // Its job is about to end, which is waited for.
    cluster.matchbook(&["runs", "resume", "stopped", "--on", "slurm"]);
    cluster.wait_until("stopped", has_begun);
    cluster.matchbook(&["runs", "kill", "stopped"]);
    cluster.wait_for("stopped", "stopped");

    let small: Vec<&str> = SMALL.split_whitespace().collect();
    let arguments = [&["train", "--run", "failing"][..], &small, &["--on", "slurm"]].concat();
    let failing = cluster.command(program(), &arguments).env("FAIL", "1").output().unwrap();
    assert!(failing.status.success(), "{}", String::from_utf8_lossy(&failing.stderr));
    let line = cluster.wait_for("failing", "failed");
    assert_eq!(line["cause"], "Slurm reports FAILED, exit code 3:0");

    a_missing_gpu_is_no_reason_to_train_on_the_cpu(&cluster);

    // An array of runs, from a program that is not the command line.
    let inside = cluster
        .command(
            std::env::current_exe().unwrap().to_str().unwrap(),
            &["--exact", "slurm::an_array_of_runs", "--ignored"],
        )
        .output()
        .unwrap();
    assert!(inside.status.success(), "{}", String::from_utf8_lossy(&inside.stdout));
    for run in ["array-0", "array-1"] {
        cluster.wait_for(run, "finished");
    }
    assert!(text(&cluster.line("array-1")["job"]).ends_with("_1"));

    // A study: what is missing goes as one array, and is evaluated here.
    let study =
        "study assignment --levels conservation,full --split mixed --seeds 1 --epochs 1 --on slurm --json";
    let study: Vec<&str> = study.split_whitespace().collect();
    let table: Value = serde_json::from_str(&cluster.matchbook(&study)).unwrap();
    let mut jobs = Vec::new();
    for cell in table["rows"][0]["cells"].as_array().unwrap() {
        assert_eq!(cell["ours"]["is"], "value", "{cell}");
        jobs.push(text(&cluster.line(cell["runs"][0].as_str().unwrap())["job"]));
    }
    let array = jobs[0].strip_suffix("_0").unwrap();
    assert_eq!(jobs[1], format!("{array}_1"));
    let again: Value = serde_json::from_str(&cluster.matchbook(&study)).unwrap();
    assert_eq!(again["rows"], table["rows"], "and nothing of it twice");

    // Parts of an extraction, merged, are what one extraction makes.
    cluster.matchbook(&["demo", "articles"]);
    let metadata = ["--metadata", "articles/manifest.tsv"];
    let local =
        [&["extract", "articles", "-o", "local.corpus", "--report", "local.tsv"][..], &metadata].concat();
    cluster.matchbook(&local);
    let flags = [&["--on", "slurm", "--shards", "3", "--report", "merged.tsv"][..], &metadata].concat();
    cluster.matchbook(&[&["extract", "articles", "-o", "merged.corpus"][..], &flags].concat());
    let parts = cluster.folder.path().join("merged.corpus.parts");
    let until = Instant::now() + PATIENCE;
    // It goes when the corpus is there.
    while parts.exists() {
        let said = fs::read_to_string(parts.join("then.txt")).unwrap_or_default();
        assert!(Instant::now() < until, "{}\n{said}", cluster.ok("squeue", &["--states=all"]));
        thread::sleep(Duration::from_millis(200));
    }
    let exported = |corpus: &str| cluster.matchbook(&["export", corpus, "--format", "jsonl", "-o", "-"]);
    assert!(exported("local.corpus") == exported("merged.corpus"));
    let report = |name: &str| fs::read(cluster.folder.path().join(name)).unwrap();
    assert!(report("local.tsv") == report("merged.tsv"));
}

/// GPUs were asked for with --gres, so a run without them fails with the reason.
fn a_missing_gpu_is_no_reason_to_train_on_the_cpu(cluster: &Cluster) {
    let gpu = ["--epochs", "1", "--on", "slurm", "--gres", "gpu:1"];
    if !cfg!(feature = "cuda") {
        // No program here supports it, and no run is left behind.
        let refused = cluster.train("no-program", &gpu);
        let said = String::from_utf8_lossy(&refused.stderr).into_owned();
        assert!(!refused.status.success() && said.contains("matchbook-cuda"), "{said}");
        assert!(!cluster.work().join("runs/no-program").exists());
    }
    // What was installed as matchbook-cuda does not find a GPU on the node.
    let config = cluster.folder.path().join("config/matchbook/config.toml");
    let before = fs::read_to_string(&config).unwrap();
    let program = program();
    fs::write(&config, format!("{before}[programs]\ncuda = {program:?}\n")).unwrap();
    cluster.submit("no-gpu", &["--epochs", "1", "--gres", "gpu:1"]);
    let line = cluster.wait_for("no-gpu", "failed");
    let (cause, job) = (text(&line["cause"]), text(&line["job"]));
    let reason = if cfg!(feature = "cuda") { "cuda:0" } else { "built without cuda" };
    assert!(cause.contains(reason), "{line:#}");
    assert_eq!(line["step"].as_u64().unwrap_or_default(), 0, "nothing was trained");
    let asked = cluster.ok("scontrol", &["show", "job", &job]);
    assert!(asked.contains("gres") && asked.contains("gpu"), "{asked}");
    // With --device cpu the GPU is not used, and the run is trained.
    cluster.submit("on-cpu", &["--epochs", "1", "--gres", "gpu:1", "--device", "cpu"]);
    cluster.wait_for("on-cpu", "finished");
    // Slurm itself refuses what no node has.
    let refused =
        cluster.train("many", &["--epochs", "1", "--on", "slurm", "--gres", "gpu:7", "--device", "cpu"]);
    assert!(!refused.status.success(), "{}", String::from_utf8_lossy(&refused.stdout));
    fs::write(&config, before).unwrap();
}

#[test]
#[ignore = "a part of the test above, which gives it a cluster"]
fn an_array_of_runs() {
    let workspace = Workspace::find(None, |name| std::env::var_os(name)).unwrap();
    let jobs = Jobs::new(&workspace).with_program(program());
    let lost = "lost".parse().unwrap();
    let requests: Vec<RunRequest> = (0..2)
        .map(|index| jobs.request_of(&lost, format!("array-{index}").parse().unwrap()).unwrap())
        .collect();
    let options = jobs.settings().slurm.clone();
    jobs.launch_all(&requests, &LaunchTarget::Slurm(options)).unwrap();
}
