//! A fuzzer for the stable toolchain: everything that reads files or input from outside, with mutated examples.
//!
//! `cargo test` replays the findings and runs each target for a moment. To run a target for longer:
//!
//! ```sh
//! tests/fuzz/run.sh 600            # every target for ten minutes
//! tests/fuzz/run.sh 3600 article   # one target for an hour
//! ```
//!
//! There is no coverage feedback. Instead, a target returns a description of what happened (an error message, the number of
//! pairs), and an input whose description is new is kept and mutated further. A panic, a failed assertion or an input that
//! takes too long is a finding: the input is written to `findings/TARGET/` under a temporary folder, and is moved to
//! `tests/fuzz/findings/TARGET/` with the fix, where it is replayed by every later test.

mod files;
mod indexes;
mod models;
mod mutation;
mod settings;
mod texts;
mod workbench;

use std::{
    collections::HashSet,
    env, fs,
    panic::{AssertUnwindSafe, catch_unwind},
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

use crate::base::rng::Rng;

/// How long each target runs in the test suite.
const MOMENT: Duration = Duration::from_millis(1500);
/// No input of these sizes takes this long, unless something is quadratic or hangs.
const TOO_LONG: Duration = Duration::from_secs(20);
/// Inputs that are kept for further mutations.
const KEPT: usize = 2000;
/// The longest input.
const LONGEST: usize = 1 << 17;

/// Something that reads input from outside.
struct Target {
    name: &'static str,
    /// Valid examples.
    examples: Vec<Vec<u8>>,
    /// Words of the format, which mutations insert.
    words: &'static [&'static str],
}

impl Target {
    /// Runs `read` with mutated examples. It gets an input and a folder to work in, and returns what happened.
    fn fuzz(self, read: impl Fn(&[u8], &Path) -> String) {
        let (seconds, seed) =
            (variable("MATCHBOOK_FUZZ_SECONDS"), variable("MATCHBOOK_FUZZ_SEED").unwrap_or(1));
        let budget = seconds.map_or(MOMENT, Duration::from_secs);
        let folder = tempfile::tempdir().unwrap();
        let started = Instant::now();
        for (name, finding) in findings(self.name) {
            self.run(&finding, folder.path(), &read, &name);
        }
        assert!(!self.examples.is_empty(), "{} has no examples", self.name);
        let (mut kept, mut seen) = (self.examples.clone(), HashSet::new());
        for example in &self.examples {
            seen.insert(self.run(example, folder.path(), &read, "an example"));
        }
        let mut rng = Rng::new(seed);
        let mut count = 0u64;
        while started.elapsed() < budget {
            let mut input = mutation::mutate(&kept, self.words, &mut rng);
            input.truncate(LONGEST);
            if seconds.is_some() {
                // An abort cannot be caught; its input can be found here.
                let _ = fs::write(env::temp_dir().join(format!("matchbook-fuzz-{}", self.name)), &input);
            }
            let happened = self.run(&input, folder.path(), &read, "a mutation");
            if kept.len() < KEPT && seen.insert(happened) {
                kept.push(input);
            }
            count += 1;
        }
        println!("{}: {count} executions, {} different outcomes, nothing found", self.name, seen.len());
    }

    /// Runs one input. Returns a description of what happened, without its numbers.
    fn run(&self, input: &[u8], folder: &Path, read: &impl Fn(&[u8], &Path) -> String, what: &str) -> String {
        let (started, before) = (Instant::now(), processor_time());
        let happened = catch_unwind(AssertUnwindSafe(|| read(input, folder)));
        // A process in the background may be paused, so waiting counts less than computing.
        let took = match (before, processor_time()) {
            (Some(before), Some(after)) => (after - before).max(started.elapsed() / 20),
            _ => started.elapsed(),
        };
        match happened {
            Ok(happened) if took < TOO_LONG => {
                happened.chars().filter(|letter| !letter.is_ascii_digit()).take(200).collect()
            }
            outcome => {
                let path = keep(self.name, input);
                let problem = if outcome.is_ok() { format!("takes {took:?}") } else { "panics".to_owned() };
                panic!("{}: {what} {problem}; the input is {}", self.name, path.display());
            }
        }
    }
}

/// The processor time of this thread, where the system tells it.
fn processor_time() -> Option<Duration> {
    let text = fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    text.split_whitespace().next()?.parse().ok().map(Duration::from_nanos)
}

fn variable(name: &str) -> Option<u64> {
    env::var(name).ok()?.parse().ok()
}

/// The inputs that found something in the past.
fn findings(target: &str) -> Vec<(String, Vec<u8>)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fuzz/findings").join(target);
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut found: Vec<(String, Vec<u8>)> = entries
        .map(|entry| (format!("the finding {}", entry.path().display()), fs::read(entry.path()).unwrap()))
        .collect();
    found.sort();
    found
}

fn keep(target: &str, input: &[u8]) -> PathBuf {
    let folder = env::temp_dir().join("matchbook-findings").join(target);
    fs::create_dir_all(&folder).unwrap();
    let path = folder.join(&blake3::hash(input).to_hex()[..16]);
    fs::write(&path, input).unwrap();
    path
}

/// Writes an input to a file of the folder.
fn file(folder: &Path, name: &str, input: &[u8]) -> PathBuf {
    let path = folder.join(name);
    fs::write(&path, input).unwrap();
    path
}

/// Describes a result by its error or by what `describe` says.
fn outcome<T, E: std::fmt::Display>(result: Result<T, E>, describe: impl FnOnce(T) -> String) -> String {
    result.map_or_else(|error| error.to_string(), describe)
}
