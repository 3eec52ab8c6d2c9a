//! Runs that a small script pretends to train.

#![cfg(unix)]

use std::{
    fs,
    os::unix::fs::PermissionsExt,
    path::Path,
    thread,
    time::{Duration, Instant},
};

use super::*;
use crate::{base::process::ProcessIdentity, corpus::CorpusReference, runs::RunConfig};

/// Says that it began, waits until it may end or the folder is gone, and ends well; a signal stops it.
const PRETENDER: &str = r#"#!/bin/sh
run="$6/runs/$3"
say() { printf '{"format":1,"state":"%s","host":"","heartbeat":1.0}' "$1" > "$run/status.new"; mv "$run/status.new" "$run/status.json"; }
trap 'say stopped; exit 0' TERM
echo "$3" >> "$6/began"
echo "$@"
while [ ! -e "$6/go" ] && [ -d "$6" ]; do sleep 0.02; done
[ "$3" != bad ] || { echo 'this went wrong' >&2; exit 1; }
say finished
"#;

struct Fixture {
    home: tempfile::TempDir,
    jobs: Jobs,
}

impl Fixture {
    fn new() -> Fixture {
        let home = tempfile::tempdir().unwrap();
        let program = home.path().join("pretender");
        fs::write(&program, PRETENDER).unwrap();
        fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
        let workspace = Workspace::at(home.path(), home.path().join("config"));
        Fixture { jobs: Jobs::new(&workspace).with_program(program), home }
    }

    fn launch(&self, name: &str, place: &LaunchTarget) -> RunName {
        let config = RunConfig::new(7, CorpusReference::default(), toml::Table::new());
        let mut request = RunRequest::new(name.parse().unwrap(), &config).unwrap();
        request.notes.tags = vec!["test".to_owned()];
        request.options.device = "cpu".to_owned();
        self.jobs.launch(&request, place).unwrap()
    }

    fn state(&self, name: &str) -> JobState {
        self.jobs.row(&name.parse().unwrap()).unwrap().state
    }

    fn wait_for(&self, name: &str, state: JobState) {
        let until = Instant::now() + Duration::from_secs(20);
        while self.state(name) != state {
            assert!(Instant::now() < until, "{name} is {:?} and not {state:?}", self.state(name));
            thread::sleep(Duration::from_millis(10));
        }
    }

    fn let_them_end(&self) {
        fs::write(self.home.path().join("go"), "").unwrap();
    }

    /// The runs that began, in order.
    fn began(&self) -> Vec<String> {
        let text = fs::read_to_string(self.home.path().join("began")).unwrap_or_default();
        text.lines().map(str::to_owned).collect()
    }
}

#[test]
fn a_run_that_is_launched_begins_and_its_words_are_in_its_log() {
    let fixture = Fixture::new();
    let name = fixture.launch("first", &LaunchTarget::Here);
    fixture.wait_for("first", JobState::Starting);
    assert!(matches!(fixture.jobs.resume(&name, &LaunchTarget::Here), Err(JobError::AtWork { .. })));
    assert!(matches!(fixture.jobs.remove(&name), Err(JobError::AtWork { .. })));
    fixture.let_them_end();
    fixture.wait_for("first", JobState::Finished);
    let log = fixture.jobs.row(&name).unwrap().directory.unwrap().last_log_lines(1).unwrap();
    assert!(log[0].starts_with("train --run first --resume --workspace "), "{log:?}");
    assert!(log[0].ends_with(" --device cpu"), "{log:?}");
    assert!(matches!(fixture.jobs.resume(&name, &LaunchTarget::Here), Err(JobError::Finished { .. })));
    assert!(matches!(fixture.jobs.stop(&name), Err(JobError::Resting { .. })));
    fixture.jobs.remove(&name).unwrap();
    assert!(fixture.jobs.list().unwrap().is_empty());
}

#[test]
fn a_queue_runs_one_at_a_time_in_order_whoever_looks() {
    let fixture = Fixture::new();
    for name in ["c", "a", "b"] {
        fixture.launch(name, &LaunchTarget::Queue);
    }
    fixture.wait_for("c", JobState::Starting);
    // Concurrent ticks start nothing twice and nothing too early.
    thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| {
                let other = Jobs::new(fixture.jobs.workspace()).with_program(fixture.jobs.program.clone());
                other.tick().unwrap();
            });
        }
    });
    assert_eq!(
        fixture.jobs.list().unwrap().iter().map(|line| line.turn).collect::<Vec<_>>(),
        [Some(1), Some(2), None]
    );
    fixture.jobs.first_in_queue(&"b".parse().unwrap()).unwrap();
    assert_eq!(fixture.jobs.stop(&"c".parse().unwrap()).unwrap(), StopOutcome::Signalled);
    fixture.wait_for("c", JobState::Stopped);
    assert_eq!(fixture.jobs.start_next().unwrap(), ["b".parse().unwrap()]);
    assert_eq!(fixture.jobs.stop(&"a".parse().unwrap()).unwrap(), StopOutcome::Dequeued);
    assert_eq!(fixture.state("a"), JobState::Stopped);
    fixture.jobs.resume(&"a".parse().unwrap(), &LaunchTarget::Queue).unwrap();
    fixture.let_them_end();
    fixture.wait_for("b", JobState::Finished);
    fixture.jobs.start_next().unwrap();
    fixture.wait_for("a", JobState::Finished);
    assert_eq!(fixture.began(), ["c", "b", "a"]);
}

#[test]
fn ten_that_are_started_at_once_by_many_begin_once_each() {
    let fixture = Fixture::new();
    fs::create_dir_all(fixture.home.path().join("config")).unwrap();
    fs::write(fixture.home.path().join("config/config.toml"), "[queue]\ncpu = 3\n").unwrap();
    let jobs = || Jobs::new(fixture.jobs.workspace()).with_program(fixture.jobs.program.clone());
    fixture.let_them_end();
    for index in 0..10 {
        fixture.launch(&format!("run-{index}"), &LaunchTarget::Queue);
    }
    let until = Instant::now() + Duration::from_secs(30);
    thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                let jobs = jobs();
                while jobs.list().unwrap().iter().any(|line| line.state != JobState::Finished) {
                    jobs.tick().unwrap();
                    let alive = jobs.list().unwrap().iter().filter(|line| line.state.is_alive()).count();
                    assert!(alive <= 3, "{alive} at once");
                    assert!(Instant::now() < until, "{:?}", fixture.began());
                    thread::sleep(Duration::from_millis(5));
                }
            });
        }
    });
    let mut began = fixture.began();
    began.sort_unstable();
    assert_eq!(began.len(), 10);
    began.dedup();
    assert_eq!(began.len(), 10, "none began twice");
}

#[test]
fn a_run_that_dies_is_dead_and_a_killed_one_stopped_and_both_go_on() {
    let fixture = Fixture::new();
    let bad = fixture.launch("bad", &LaunchTarget::Here);
    let killed = fixture.launch("killed", &LaunchTarget::Here);
    fixture.wait_for("killed", JobState::Starting);
    fixture.jobs.kill(&killed).unwrap();
    let line = fixture.jobs.row(&killed).unwrap();
    assert_eq!((line.state, line.cause.as_deref()), (JobState::Stopped, Some("killed")));
    fixture.let_them_end();
    fixture.wait_for("bad", JobState::Dead);
    let words = fixture.jobs.row(&bad).unwrap().directory.unwrap().last_log_lines(1).unwrap();
    assert_eq!(words, ["this went wrong"]);
    fixture.jobs.resume(&killed, &LaunchTarget::Here).unwrap();
    fixture.wait_for("killed", JobState::Finished);
    fixture.jobs.rename(&bad, &"good".parse().unwrap()).unwrap();
    fixture.jobs.resume(&"good".parse().unwrap(), &LaunchTarget::Queue).unwrap();
    fixture.wait_for("good", JobState::Finished);
    assert_eq!(Record::read(line.directory.unwrap().path()).unwrap().unwrap().starts, 2);
}

#[test]
fn a_number_that_another_process_has_now_is_left_alone() {
    let fixture = Fixture::new();
    let name = fixture.launch("old", &LaunchTarget::Here);
    fixture.wait_for("old", JobState::Starting);
    let run = fixture.jobs.row(&name).unwrap().directory.unwrap();
    let mut record = Record::read(run.path()).unwrap().unwrap();
    let own = ProcessIdentity { pid: std::process::id(), started: Some("another time".to_owned()) };
    let real = record.process.replace(own).unwrap();
    record.write(run.path()).unwrap();
    assert_eq!(fixture.state("old"), JobState::Dead);
    assert!(matches!(fixture.jobs.stop(&name), Err(JobError::Resting { .. })));
    record.process = Some(real);
    record.write(run.path()).unwrap();
    fixture.jobs.kill(&name).unwrap();
}

#[test]
fn copies_carry_settings_and_tags_and_notes_are_kept() {
    let fixture = Fixture::new();
    fixture.let_them_end();
    let first = fixture.launch("first", &LaunchTarget::Here);
    let set = |config: &mut RunConfig| {
        config.settings.insert("epochs".to_owned(), 3.into());
        Ok(())
    };
    let second = fixture.jobs.duplicate(&first, "second".parse().unwrap(), set, &LaunchTarget::Here).unwrap();
    let wrong = |_: &mut RunConfig| Err("no".to_owned());
    assert!(fixture.jobs.duplicate(&first, "third".parse().unwrap(), wrong, &LaunchTarget::Here).is_err());
    assert!(fixture.jobs.duplicate(&first, second.clone(), set, &LaunchTarget::Here).is_err(), "it is there");
    let notes = Notes { note: " better\n".to_owned(), tags: vec!["b".to_owned(), " a ".to_owned()] };
    fixture.jobs.annotate(&second, notes).unwrap();
    fixture.wait_for("second", JobState::Finished);
    let lines = fixture.jobs.list().unwrap();
    assert_eq!(lines.len(), 2);
    assert_eq!(lines[0].notes.tags, ["test"]);
    assert_eq!(lines[1].setting("epochs").as_deref(), Some("3"));
    assert_eq!((lines[1].notes.note.as_str(), lines[1].notes.tags.len()), ("better", 2));
}

#[test]
fn a_program_that_is_not_there_fails_the_run_and_says_so() {
    let fixture = Fixture::new();
    let jobs = Jobs::new(fixture.jobs.workspace()).with_program(Path::new("/no/such/program"));
    let config = RunConfig::new(7, CorpusReference::default(), toml::Table::new());
    let request = RunRequest::new("first".parse().unwrap(), &config).unwrap();
    assert!(jobs.launch(&request, &LaunchTarget::Here).unwrap_err().to_string().contains("/no/such/program"));
    let line = jobs.row(&request.name).unwrap();
    assert!(line.state == JobState::Failed && line.cause.unwrap().contains("/no/such/program"));
}

#[test]
fn of_several_runs_all_are_made_or_none() {
    let fixture = Fixture::new();
    let config = RunConfig::new(7, CorpusReference::default(), toml::Table::new());
    let request = |name: &str, device: &str| {
        let mut request = RunRequest::new(name.parse().unwrap(), &config).unwrap();
        request.options.device = device.to_owned();
        request
    };
    for place in [LaunchTarget::Here, LaunchTarget::Queue] {
        let wrong = [request("a", "cpu"), request("b", "no-device")];
        assert!(matches!(fixture.jobs.launch_all(&wrong, &place), Err(JobError::Device(_))));
        assert!(fixture.jobs.list().unwrap().is_empty() && fixture.began().is_empty());
    }
    let right = [request("a", "cpu"), request("b", "cpu")];
    fixture.jobs.launch_all(&right, &LaunchTarget::Queue).unwrap();
    fixture.let_them_end();
    fixture.wait_for("a", JobState::Finished);
    fixture.jobs.start_next().unwrap();
    fixture.wait_for("b", JobState::Finished);
    // Each of those that cannot be started has failed, and none waits for ever.
    let jobs = Jobs::new(fixture.jobs.workspace()).with_program(Path::new("/no/such/program"));
    let lost = [request("c", "cpu"), request("d", "cpu")];
    assert!(jobs.launch_all(&lost, &LaunchTarget::Here).is_err());
    assert_eq!((fixture.state("c"), fixture.state("d")), (JobState::Failed, JobState::Failed));
}

#[test]
fn a_run_is_resumed_with_the_options_that_are_given() {
    let fixture = Fixture::new();
    let busy = fixture.launch("busy", &LaunchTarget::Queue);
    fixture.wait_for("busy", JobState::Starting);
    let name = fixture.launch("waits", &LaunchTarget::Queue);
    fixture.jobs.stop(&name).unwrap();
    let resume = |change: &dyn Fn(&mut RunOptions)| {
        fixture.jobs.resume_with(&name, &LaunchTarget::Queue, |options| {
            change(options);
            Ok(())
        })
    };
    let options = || {
        let run = fixture.jobs.row(&name).unwrap().directory.unwrap();
        Record::read(run.path()).unwrap().unwrap().options
    };
    let before = options();
    let refused = resume(&|options| options.device = "cuda:1000".to_owned()).unwrap_err();
    assert!(matches!(refused, JobError::Device(_)), "{refused}");
    assert_eq!((fixture.state("waits"), options()), (JobState::Stopped, before.clone()), "nothing changed");
    resume(&|options| options.checkpoint_every = Some(7)).unwrap();
    assert_eq!(options(), RunOptions { checkpoint_every: Some(7), ..before.clone() });
    fixture.jobs.stop(&name).unwrap();
    resume(&|options| options.device = "auto".to_owned()).unwrap();
    assert_eq!(options().device, RunOptions::default().queue(), "as it is when a run is launched");
    for name in [&name, &busy] {
        fixture.jobs.stop(name).unwrap();
    }
    fixture.let_them_end();
}

#[test]
fn the_first_of_a_queue_is_before_those_of_the_same_millisecond() {
    let fixture = Fixture::new();
    fixture.launch("now", &LaunchTarget::Queue);
    fixture.wait_for("now", JobState::Starting);
    let queued = Timestamp::now();
    for name in ["a", "b"] {
        let name = fixture.launch(name, &LaunchTarget::Queue);
        let run = fixture.jobs.row(&name).unwrap().directory.unwrap();
        let record = Record::read(run.path()).unwrap().unwrap();
        Record { queued, ..record }.write(run.path()).unwrap();
    }
    fixture.jobs.first_in_queue(&"b".parse().unwrap()).unwrap();
    let turns = || fixture.jobs.list().unwrap().iter().map(|row| row.turn).collect::<Vec<_>>();
    assert_eq!(turns(), [Some(2), Some(1), None]);
    fixture.jobs.first_in_queue(&"b".parse().unwrap()).unwrap();
    assert_eq!(turns(), [Some(2), Some(1), None]);
    for name in ["a", "b"] {
        fixture.jobs.stop(&name.parse().unwrap()).unwrap();
    }
    fixture.let_them_end();
    fixture.wait_for("now", JobState::Finished);
}

#[test]
fn two_hundred_long_runs_are_listed_quickly() {
    let fixture = Fixture::new();
    let config = RunConfig::new(7, CorpusReference::default(), toml::Table::new());
    let line =
        "{\"step\":1,\"epoch\":0.1,\"time\":1.5,\"loss\":0.25,\"tokens_per_second\":9}\n".repeat(2_000);
    let name: RunName = "run-000".parse().unwrap();
    let first = RunDirectory::create(fixture.jobs.workspace(), &name, &config, Timestamp::now()).unwrap();
    fs::write(first.metrics_path(), &line).unwrap();
    for index in 1..200 {
        let folder = first.path().with_file_name(format!("run-{index:03}"));
        fs::create_dir(&folder).unwrap();
        for file in [first.config_path(), first.status_path(), first.metrics_path()] {
            fs::copy(&file, folder.join(file.file_name().unwrap())).unwrap();
        }
    }
    fixture.jobs.list().unwrap();
    let start = Instant::now();
    let lines = fixture.jobs.list().unwrap();
    let again = start.elapsed();
    assert_eq!((lines.len(), lines[7].latest.loss), (200, Some(0.25)));
    // A hundred times what it takes on a quiet machine.
    assert!(again < Duration::from_millis(500), "{again:?}");
}

#[test]
fn a_pre_training_is_started_resumed_and_copied_by_its_own_command() {
    let fixture = Fixture::new();
    let settings = toml::toml! { task = "pretrain" };
    let config = RunConfig::new(7, CorpusReference::default(), settings);
    let request = RunRequest::new("words".parse().unwrap(), &config).unwrap();
    fixture.jobs.launch(&request, &LaunchTarget::Queue).unwrap();
    let copy = fixture
        .jobs
        .duplicate(&request.name, "copy".parse().unwrap(), |_| Ok(()), &LaunchTarget::Queue)
        .unwrap();
    // A run that was trained in the foreground, so that no launch record exists.
    let foreground: RunName = "foreground".parse().unwrap();
    let run = RunDirectory::create(fixture.jobs.workspace(), &foreground, &config, Timestamp::now()).unwrap();
    let stopped = Status { state: RunState::Stopped, ..Status::queued(Timestamp::now()) };
    run.lock().unwrap().write_status(&stopped).unwrap();
    assert_eq!(fixture.jobs.last_place(&foreground).unwrap(), LaunchTarget::Here);
    fixture.jobs.resume(&foreground, &LaunchTarget::Queue).unwrap();
    assert_eq!(fixture.jobs.last_place(&foreground).unwrap(), LaunchTarget::Queue);
    fixture.let_them_end();
    for name in [request.name, copy, foreground] {
        fixture.jobs.tick().unwrap();
        fixture.wait_for(name.as_str(), JobState::Finished);
        let log = fixture.jobs.row(&name).unwrap().directory.unwrap().last_log_lines(1).unwrap();
        assert!(log[0].starts_with(&format!("pretrain --run {name} --resume ")), "{log:?}");
    }
}

#[test]
fn runs_that_need_a_gpu_find_the_build_that_has_one_or_leave_nothing_behind() {
    if cfg!(feature = "cuda") {
        return;
    }
    let fixture = Fixture::new();
    let config = RunConfig::new(7, CorpusReference::default(), toml::Table::new());
    let request = |name: &str| RunRequest::new(name.parse().unwrap(), &config).unwrap();
    let cluster = SlurmOptions { gres: Some("gpu:2".to_owned()), ..SlurmOptions::default() };
    let on_cluster = LaunchTarget::Slurm(cluster);
    let error = fixture.jobs.launch(&request("lost"), &on_cluster).unwrap_err().to_string();
    assert!(error.contains("matchbook-cuda"), "{error}");
    assert!(fixture.jobs.list().unwrap().is_empty());

    // a build with CUDA beside this one is started, with the devices that were asked for
    let other = fixture.home.path().join("matchbook-cuda");
    fs::copy(fixture.home.path().join("pretender"), &other).unwrap();
    let mut found = request("found");
    found.options.device = "cuda:1".to_owned();
    fixture.jobs.launch(&found, &LaunchTarget::Queue).unwrap();
    let mut waiting = request("waiting");
    waiting.options.device = "cuda:0,1".to_owned();
    fixture.jobs.launch(&waiting, &LaunchTarget::Queue).unwrap();
    fixture.wait_for("found", JobState::Starting);
    let row = |name: &str| fixture.jobs.row(&name.parse().unwrap()).unwrap();
    assert_eq!((row("found").device.as_str(), row("waiting").device.as_str()), ("cuda:1", "cuda:0,1"));
    // the second GPU is taken, so a run on both waits, and one on the CPU does not
    assert_eq!(row("waiting").state, JobState::Queued);
    let mut behind = request("behind");
    behind.options.device = "cuda:0".to_owned();
    fixture.jobs.launch(&behind, &LaunchTarget::Queue).unwrap();
    let turn = |name: &str| {
        fixture.jobs.list().unwrap().into_iter().find(|row| row.name == name).and_then(|row| row.turn)
    };
    assert_eq!((turn("waiting"), turn("behind")), (Some(1), Some(2)));
    fixture.launch("other", &LaunchTarget::Queue);
    fixture.wait_for("other", JobState::Starting);
    fixture.let_them_end();
    fixture.wait_for("found", JobState::Finished);
}

#[test]
fn a_run_in_the_foreground_takes_a_place_on_its_gpu_and_resumes_there() {
    let fixture = Fixture::new();
    let pretender = fixture.home.path().join("pretender");
    fs::copy(pretender, fixture.home.path().join("matchbook-cuda")).unwrap();
    let config = RunConfig::new(7, CorpusReference::default(), toml::Table::new());
    let foreground: RunName = "foreground".parse().unwrap();
    let run = RunDirectory::create(fixture.jobs.workspace(), &foreground, &config, Timestamp::now()).unwrap();
    let lock = run.lock().unwrap();
    let running = Status { device: Some("cuda:1".to_owned()), ..Status::running(Timestamp::now()) };
    lock.write_status(&running).unwrap();
    let row = |name: &RunName| fixture.jobs.row(name).unwrap();
    assert_eq!((row(&foreground).device.as_str(), row(&foreground).state), ("cuda:1", JobState::Running));

    let mut waiting = RunRequest::new("waiting".parse().unwrap(), &config).unwrap();
    waiting.options.device = "cuda:1".to_owned();
    fixture.jobs.launch(&waiting, &LaunchTarget::Queue).unwrap();
    assert_eq!(row(&waiting.name).state, JobState::Queued);
    let stopped = Status { state: RunState::Stopped, process: None, ..running };
    lock.write_status(&stopped).unwrap();
    drop(lock);
    assert_eq!(fixture.jobs.tick().unwrap(), [waiting.name]);
    fixture.jobs.resume(&foreground, &LaunchTarget::Queue).unwrap();
    assert_eq!((row(&foreground).device.as_str(), row(&foreground).state), ("cuda:1", JobState::Queued));
    fixture.let_them_end();
    fixture.wait_for("waiting", JobState::Finished);
    fixture.jobs.tick().unwrap();
    fixture.wait_for("foreground", JobState::Finished);
    let log = row(&foreground).directory.unwrap().last_log_lines(1).unwrap();
    assert!(log[0].ends_with(" --device cuda:1"), "{log:?}");
}
