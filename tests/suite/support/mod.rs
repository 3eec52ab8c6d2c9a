//! What the hostile suites share: a scratch directory, the real binary, and articles to corrupt.

#![allow(dead_code, reason = "every suite uses a part of this")]

pub mod packing;
pub mod python;
pub mod runs;

use std::{
    collections::BTreeMap,
    fs,
    io::Read,
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    sync::LazyLock,
    thread,
    time::{Duration, Instant},
};

use serde_json::Value;
use tempfile::TempDir;

/// No command of these suites takes this long unless it hangs.
const TIMEOUT: Duration = Duration::from_secs(60);

/// The program under test: the one that cargo has built, or the file that `MATCHBOOK_PROGRAM` names, such as an optimized
/// build or an earlier version.
pub fn program() -> &'static str {
    static PROGRAM: LazyLock<String> = LazyLock::new(|| {
        let named = std::env::var("MATCHBOOK_PROGRAM").ok();
        // Tests start it in folders of their own.
        let path = std::path::absolute(named.as_deref().unwrap_or(env!("CARGO_BIN_EXE_matchbook"))).unwrap();
        assert!(path.is_file(), "{} is not a program", path.display());
        path.into_os_string().into_string().unwrap()
    });
    &PROGRAM
}

/// A folder to work in, with one for inputs and one for temporary files, all gone in the end.
pub struct TestDir {
    folder: TempDir,
}

impl TestDir {
    pub fn new() -> TestDir {
        let dir = TestDir { folder: tempfile::tempdir().unwrap() };
        fs::create_dir(dir.path("articles")).unwrap();
        fs::create_dir(dir.path("temporary")).unwrap();
        dir
    }

    pub fn path(&self, name: impl AsRef<Path>) -> PathBuf {
        self.folder.path().join(name)
    }

    pub fn write(&self, name: impl AsRef<Path>, content: impl AsRef<[u8]>) -> PathBuf {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, content).unwrap();
        path
    }

    /// Puts the first demo articles among the inputs.
    pub fn write_demo(&self, count: usize) {
        for (name, content) in demo().iter().take(count) {
            self.write(Path::new("articles").join(name), content);
        }
    }

    /// Every file and folder, with its size and a hash of its content.
    pub fn listing(&self) -> BTreeMap<PathBuf, String> {
        let mut found = BTreeMap::new();
        let mut waiting = vec![self.folder.path().to_owned()];
        while let Some(folder) = waiting.pop() {
            for entry in fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                let data = fs::symlink_metadata(&path).unwrap();
                let relative = path.strip_prefix(self.folder.path()).unwrap().to_owned();
                let what = match data.is_file() {
                    true => blake3::hash(&fs::read(&path).unwrap()).to_string(),
                    false => format!("{:?}", data.file_type()),
                };
                found.insert(relative, what);
                if data.is_dir() {
                    waiting.push(path);
                }
            }
        }
        found
    }

    /// Files that have come, gone or changed since a listing was made.
    pub fn changes(&self, before: &BTreeMap<PathBuf, String>) -> Vec<String> {
        let after = self.listing();
        let names = before.keys().chain(after.keys());
        let mut changed: Vec<String> = names
            .filter(|name| before.get(*name) != after.get(*name))
            .map(|name| name.display().to_string())
            .collect();
        changed.sort();
        changed.dedup();
        changed
    }

    /// The program, to be run in this place.
    pub fn command<S: AsRef<std::ffi::OsStr>>(&self, arguments: &[S]) -> Command {
        let mut command = Command::new(program());
        command.args(arguments).current_dir(self.folder.path()).env("TMPDIR", self.path("temporary"));
        command
    }

    /// Runs the program to its end.
    pub fn run<S: AsRef<std::ffi::OsStr>>(&self, arguments: &[S]) -> CommandOutput {
        finish(self.command(arguments))
    }

    /// Extracts `inputs` to `out.corpus` with `--json` and a report, which must succeed unless there is nothing to read.
    pub fn extract(&self, inputs: &[&str], options: &[&str]) -> Extracted {
        let fixed = ["-o", "out.corpus", "--json", "--report", "report.tsv"];
        let arguments: Vec<&str> =
            ["extract"].iter().chain(inputs).chain(&fixed).chain(options).copied().collect();
        let answer = self.run(&arguments);
        let summary: Value = serde_json::from_str(&answer.out).unwrap_or_else(|_| panic!("{answer:?}"));
        let expected = if summary["articles_read"] == 0 { Some(1) } else { Some(0) };
        assert_eq!(answer.code, expected, "{answer:?}");
        Extracted { summary, report: fs::read_to_string(self.path("report.tsv")).unwrap() }
    }

    /// What a corpus holds.
    pub fn export(&self, corpus: &str) -> String {
        let answer = self.run(&["export", corpus, "--format", "jsonl", "-o", "-"]);
        assert_eq!(answer.code, Some(0), "{answer:?}");
        answer.out
    }
}

/// Exit code and output of a command.
#[derive(Debug)]
pub struct CommandOutput {
    pub code: Option<i32>,
    pub out: String,
    pub error: String,
}

impl CommandOutput {
    /// A failure reported in one line.
    pub fn fails_with(&self, message: &str) {
        assert_eq!(self.code, Some(1), "{self:?}");
        assert_eq!(self.error.lines().count(), 1, "{self:?}");
        assert!(self.error.starts_with("matchbook: ") && self.error.contains(message), "{message}: {self:?}");
        assert!(!self.error.contains("panicked"), "{self:?}");
    }
}

/// The summary and the report of an extraction.
pub struct Extracted {
    pub summary: Value,
    pub report: String,
}

impl Extracted {
    pub fn count(&self, name: &str) -> u64 {
        self.summary[name].as_u64().unwrap()
    }

    /// File and cause of everything unreadable.
    pub fn problems(&self) -> Vec<(String, String)> {
        let text = |value: &Value| value.as_str().unwrap().to_owned();
        let problems = self.summary["problems"].as_array().unwrap();
        problems.iter().map(|problem| (text(&problem["file"]), text(&problem["cause"]))).collect()
    }

    /// The problem of the file whose path ends so; empty when it has none.
    pub fn problem(&self, name: &str) -> String {
        let found = self.problems().into_iter().find(|(file, _)| file.ends_with(name));
        found.map(|(_, cause)| cause).unwrap_or_default()
    }

    /// Raw pairs, kept pairs and problem of a file, as the report has them.
    pub fn reported(&self, name: &str) -> Vec<(u64, u64, String)> {
        let row = |line: &str| {
            let fields: Vec<&str> = line.split('\t').collect();
            assert_eq!(fields.len(), 4, "{line}");
            (fields[0] == name)
                .then(|| (fields[1].parse().unwrap(), fields[2].parse().unwrap(), fields[3].to_owned()))
        };
        self.report.lines().skip(1).filter_map(row).collect()
    }

    /// The summary agrees with itself and with the report.
    pub fn is_consistent(&self) {
        let causes: u64 =
            self.summary["causes"].as_object().unwrap().values().map(|v| v.as_u64().unwrap()).sum();
        assert_eq!(causes, self.count("unreadable"));
        assert_eq!(self.problems().len() as u64, self.count("unreadable").min(1000));
        let lines = self.report.lines().count() as u64;
        assert_eq!(lines, 1 + self.count("articles_read") + self.count("unreadable"), "{}", self.report);
    }
}

/// Runs a command to its end, but not forever.
pub fn finish(mut command: Command) -> CommandOutput {
    let child = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    wait(child, TIMEOUT)
}

/// Waits for a child whose outputs are pipes.
pub fn wait(mut child: Child, timeout: Duration) -> CommandOutput {
    let drain = |pipe: Option<Box<dyn Read + Send>>| {
        thread::spawn(move || {
            let mut bytes = Vec::new();
            pipe.map(|mut pipe| pipe.read_to_end(&mut bytes));
            String::from_utf8_lossy(&bytes).into_owned()
        })
    };
    let out = drain(child.stdout.take().map(|pipe| Box::new(pipe) as _));
    let error = drain(child.stderr.take().map(|pipe| Box::new(pipe) as _));
    let start = Instant::now();
    let status = loop {
        if let Some(status) = child.try_wait().unwrap() {
            break status;
        }
        if start.elapsed() > timeout {
            child.kill().unwrap();
            panic!("it hangs: {:?}", error.join());
        }
        thread::sleep(Duration::from_millis(2));
    };
    CommandOutput { code: status.code(), out: out.join().unwrap(), error: error.join().unwrap() }
}

/// Runs a command to its end and returns its peak memory in bytes, where the system reports it.
pub fn peak_memory(mut command: Command) -> Option<(CommandOutput, u64)> {
    let child = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let status = format!("/proc/{}/status", child.id());
    let watcher = thread::spawn(move || {
        let mut peak = None;
        // A process that has ended but was not waited for has a status without this line.
        while let Some(found) = fs::read_to_string(&status).ok().as_deref().and_then(high_water_mark) {
            peak = Some(found);
            thread::sleep(Duration::from_millis(1));
        }
        peak
    });
    let answer = wait(child, TIMEOUT);
    Some((answer, watcher.join().unwrap()?))
}

fn high_water_mark(status: &str) -> Option<u64> {
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    Some(line.trim().strip_suffix(" kB")?.trim().parse::<u64>().ok()? << 10)
}

/// The demo articles: file name and content, in the order of the names.
pub fn demo() -> &'static [(String, Vec<u8>)] {
    static DEMO: LazyLock<Vec<(String, Vec<u8>)>> = LazyLock::new(|| {
        let folder = tempfile::tempdir().unwrap();
        matchbook::corpus::demo::write(folder.path()).unwrap();
        let mut articles: Vec<(String, Vec<u8>)> = fs::read_dir(folder.path())
            .unwrap()
            .map(|entry| entry.unwrap().path())
            .filter(|path| path.extension().is_some_and(|extension| extension != "tsv"))
            .map(|path| (path.file_name().unwrap().to_str().unwrap().to_owned(), fs::read(&path).unwrap()))
            .collect();
        articles.sort();
        articles
    });
    &DEMO
}

/// Demo articles under other names and ids, as many as wanted.
pub fn many(count: usize) -> impl Iterator<Item = (String, Vec<u8>)> {
    (0..count).map(|index| {
        let (name, content) = &demo()[index % demo().len()];
        let (_, ending) = name.rsplit_once('.').unwrap();
        // An article's own id would make it a duplicate of the first with the same content.
        let content =
            String::from_utf8_lossy(content).replace("arxivid=\"demo", &format!("arxivid=\"many{index}"));
        let content = content.replace("/html/demo", &format!("/html/many{index}"));
        (format!("many.{index:05}.{ending}"), content.into_bytes())
    })
}

/// A pair long enough to be kept, whose proof holds `inside`.
pub fn pair(inside: &str) -> String {
    let words = "Let the group act on the compact space such that every orbit of the action is closed and \
                 the quotient is a space which is separated";
    format!(
        "<div class=\"ltx_theorem ltx_theorem_lemma\"><h6>Lemma 1.</h6><p>{words}.</p></div>\n\
         <div class=\"ltx_proof\"><h6>Proof.</h6><p>{words}. {inside}</p></div>\n"
    )
}

/// An article in XML syntax.
pub fn xhtml(body: &str) -> String {
    format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<html xmlns=\"http://www.w3.org/1999/xhtml\"><head><title>On a \
         thing</title></head>\n<body>{body}</body></html>\n"
    )
}

/// An article in HTML syntax.
pub fn html(body: &str) -> String {
    format!(
        "<!DOCTYPE html><html><head><meta charset=\"utf-8\"><title>On a thing</title></head>\n<body>{body}</body></html>\n"
    )
}
