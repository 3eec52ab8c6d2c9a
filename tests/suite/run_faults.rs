//! A run survives processes killed at any moment and full disks.
//!
//! The tests start this same program again as the process that is to suffer.

#![cfg(unix)]

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    thread,
    time::{Duration, Instant},
};

use matchbook::{
    base::workspace::Workspace,
    corpus::CorpusReference,
    runs::{
        LatestCheckpoint, Liveness, MetricsRow, RunConfig, RunDirectory, RunError, Status, Tail, Timestamp,
    },
};

/// Set in the process that is to be killed: its workspace.
const HOME: &str = "MATCHBOOK_TEST_RUN_HOME";
const KILLS: usize = 60;

#[test]
fn killed_at_any_moment_a_run_goes_on_from_a_whole_checkpoint() {
    let home = tempfile::tempdir().unwrap();
    let run = RunDirectory::create(&workspace(home.path()), &name(), &config(), Timestamp::now()).unwrap();
    let (mut newest, mut mended) = (0, 0);
    for round in 0..KILLS {
        let mut child = start(home.path(), "the_process_that_is_killed");
        wait_until(&mut child, |pid| {
            run.status().is_ok_and(|status| status.process.is_some_and(|process| process.pid == pid))
        });
        // Every other process may save at least once, however slow the machine is.
        let saved = run.checkpoints().steps().unwrap().first().copied();
        if round % 2 == 0 {
            wait_until(&mut child, |_| run.checkpoints().steps().unwrap().first().copied() > saved);
        }
        // From before a save to after many, at no moment in particular.
        thread::sleep(Duration::from_micros(137 * (round as u64 * 97 % 211)));
        child.kill().unwrap();
        child.wait().unwrap();

        assert_eq!(run.status().unwrap().liveness(Timestamp::now()), Liveness::Dead);
        let LatestCheckpoint { checkpoint, refused } = run.checkpoints().latest_valid().unwrap();
        assert!(refused.is_empty(), "{refused:?}");
        let step = checkpoint.as_ref().map_or(0, |checkpoint| checkpoint.step());
        assert!(step >= newest, "step {newest} had been saved, and {step} is left");
        newest = step;
        for checkpoint in checkpoint.into_iter().chain(run.checkpoints().best().unwrap()) {
            assert_eq!(checkpoint.read("weights").unwrap(), weights(checkpoint.step()));
            assert_eq!(checkpoint.read("cursor").unwrap(), checkpoint.step().to_le_bytes());
        }
        // No step up to the checkpoint lacks its metrics, whatever else is there.
        let mut steps: Vec<u64> =
            Tail::read_all(&run.metrics_path()).unwrap().iter().map(|row| row.step).collect();
        steps.truncate(newest as usize);
        assert!(steps.into_iter().eq(1..=newest));
        let hidden = || hidden_in(&run.checkpoints_path());
        mended += usize::from(hidden() > 0);
        drop(run.lock().unwrap());
        assert_eq!(hidden(), 0);
    }
    eprintln!("{KILLS} kills, {newest} steps saved, {mended} times something unfinished was cleared away");
    assert!(newest > 0 && mended > 0, "the kills hit nothing worth testing");
}

/// Not a test of its own: the process that the test above kills.
#[test]
#[ignore = "the process that another test kills"]
fn the_process_that_is_killed() {
    let Some(home) = std::env::var_os(HOME).map(PathBuf::from) else { return };
    let run = RunDirectory::open(&workspace(&home), &name()).unwrap();
    let lock = run.lock().unwrap();
    let latest = run.checkpoints().latest_valid().unwrap();
    let done = latest.checkpoint.map(|checkpoint| checkpoint.step());
    let mut metrics = lock.metrics_after(done).unwrap();
    lock.write_status(&Status::running(Timestamp::now())).unwrap();
    for step in done.unwrap_or_default() + 1.. {
        metrics.append(&MetricsRow::step(step, 0.0, Timestamp::now()).with("loss", 1.0)).unwrap();
        metrics.sync().unwrap();
        let (weights, cursor) = (weights(step), step.to_le_bytes());
        let files = || [("weights", weights.as_slice()), ("cursor", cursor.as_slice())];
        lock.save_best(step, files()).unwrap();
        let saved = lock.save_checkpoint(step, files()).unwrap();
        lock.keep_last_checkpoints(2.try_into().unwrap(), &saved).unwrap();
    }
}

#[test]
fn a_limit_on_the_size_of_files_is_told_and_costs_nothing_that_was_saved() {
    let home = tempfile::tempdir().unwrap();
    let run = RunDirectory::create(&workspace(home.path()), &name(), &config(), Timestamp::now()).unwrap();
    // The shell sets the limit, 32 kilobytes, and has the write fail instead of killing the writer.
    let script = "trap '' XFSZ; ulimit -f 64; exec \"$0\" \"$@\"";
    let mut shell = Command::new("sh");
    shell.args(["-c", script]).arg(std::env::current_exe().unwrap());
    let output = run_until_full(shell, home.path());
    check_after_full(&run, &output);
}

#[test]
fn a_full_disk_is_told_and_costs_nothing_that_was_saved() {
    let mount = tempfile::tempdir().unwrap();
    let mounted = Command::new("mount")
        .args(["-t", "tmpfs", "-o", "size=256k", "matchbook-test"])
        .arg(mount.path())
        .stderr(Stdio::null())
        .status()
        .is_ok_and(|status| status.success());
    if !mounted {
        eprintln!("the full disk is skipped: no small file system can be mounted here");
        return;
    }
    let _unmounted = Unmount(mount.path().to_owned());
    let run = RunDirectory::create(&workspace(mount.path()), &name(), &config(), Timestamp::now()).unwrap();
    let output = run_until_full(Command::new(std::env::current_exe().unwrap()), mount.path());
    check_after_full(&run, &output);
}

/// Not a test of its own: the process whose disk is full at its third checkpoint.
#[test]
#[ignore = "the process with the full disk in another test"]
fn the_process_without_room() {
    let Some(home) = std::env::var_os(HOME).map(PathBuf::from) else { return };
    let run = RunDirectory::open(&workspace(&home), &name()).unwrap();
    let lock = run.lock().unwrap();
    let mut metrics = lock.metrics_after(None).unwrap();
    for step in 1..=2 {
        metrics.append(&MetricsRow::step(step, 0.0, Timestamp::now()).with("loss", 1.0)).unwrap();
        metrics.sync().unwrap();
        lock.save_checkpoint(step, [("weights", weights(step).as_slice())]).unwrap();
    }
    let error = lock.save_checkpoint(3, [("weights", vec![7; 1 << 20].as_slice())]).unwrap_err();
    assert!(error.is_disk_full(), "{error}");
    eprintln!("reported: {error}");
    // Fills what is left, byte by byte in the end, so that lines of metrics do not fit either.
    let error = (3..).find_map(|step| {
        let row = MetricsRow::step(step, 0.0, Timestamp::now()).with("loss", 1.0);
        (0..100).find_map(|_| metrics.append(&row).err()).or_else(|| metrics.flush().err())
    });
    assert!(matches!(&error, Some(RunError::File { .. })) && error.unwrap().is_disk_full());
}

fn run_until_full(mut command: Command, home: &Path) -> String {
    command.args(["--exact", "run_faults::the_process_without_room", "--ignored", "--nocapture"]);
    let output = command.env(HOME, home).output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{said} {}", String::from_utf8_lossy(&output.stdout));
    said
}

fn check_after_full(run: &RunDirectory, said: &str) {
    let reported = said.lines().find_map(|line| line.strip_prefix("reported: ")).unwrap();
    assert!(
        reported.contains("step-3") && reported.contains("weights") && reported.contains("free some space"),
        "{reported}"
    );
    let latest = run.checkpoints().latest_valid().unwrap();
    assert_eq!(latest.checkpoint.unwrap().read("weights").unwrap(), weights(2));
    assert!(latest.refused.is_empty() && hidden_in(&run.checkpoints_path()) == 0);
    // Every line is whole, including the last one that fitted.
    let text = fs::read_to_string(run.metrics_path()).unwrap();
    assert!(text.ends_with('\n') && text.lines().count() > 2);
    assert_eq!(Tail::read_all(&run.metrics_path()).unwrap().len(), text.lines().count());
}

struct Unmount(PathBuf);

impl Drop for Unmount {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg(&self.0).status();
    }
}

fn start(home: &Path, test: &str) -> Child {
    Command::new(std::env::current_exe().unwrap())
        .args(["--exact", &format!("run_faults::{test}"), "--ignored"])
        .env(HOME, home)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap()
}

fn wait_until(child: &mut Child, ready: impl Fn(u32) -> bool) {
    let begin = Instant::now();
    while !ready(child.id()) {
        assert!(child.try_wait().unwrap().is_none(), "the process ended by itself");
        assert!(begin.elapsed() < Duration::from_secs(30), "the process does not begin");
        thread::sleep(Duration::from_micros(200));
    }
}

fn hidden_in(folder: &Path) -> usize {
    let names = fs::read_dir(folder).unwrap().flatten();
    names.filter(|entry| entry.file_name().to_string_lossy().starts_with('.')).count()
}

fn weights(step: u64) -> Vec<u8> {
    (0..20_000u64).map(|index| (index * (step + 7) % 251) as u8).collect()
}

fn name() -> matchbook::runs::RunName {
    "suffering".parse().unwrap()
}

fn config() -> RunConfig<BTreeMap<String, String>> {
    RunConfig::new(1, CorpusReference::default(), BTreeMap::new())
}

fn workspace(home: &Path) -> Workspace {
    Workspace::at(home, home.join("config"))
}
