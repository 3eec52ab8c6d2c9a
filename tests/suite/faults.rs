//! Faults at every change of a file: a command is killed or fails at its n-th write, sync or rename, for every n.
//!
//! `tests/faults/preload.c`, compiled here and preloaded into the program, counts the changes below a folder and injects
//! the fault. After each one, the commands that read what was there must work and find the state before or the state
//! after; the command itself, given again, must finish; and then no file may be left over.
//!
//! The suite tries a few points of each command. `MATCHBOOK_FAULTS=all cargo test --test suite faults -- --nocapture`
//! tries all of them and prints the counts; a number tries that many for each fault, and `150-304` all from the 150th to the
//! 304th. `MATCHBOOK_PROGRAM` names another build of the program, such as an optimized one, to test.

#![cfg(target_os = "linux")]

use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
    process::Command,
    sync::LazyLock,
};

use tempfile::TempDir;

use crate::support::{CommandOutput, finish, program};

/// What happens at the chosen point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// The process is killed before it.
    Kill,
    /// Half of a write reaches the file, then the process is killed.
    Torn,
    /// It fails, once.
    Fail,
    /// It and all later writes fail: the disk is full.
    Full,
}

pub const FAULTS: [Fault; 4] = [Fault::Kill, Fault::Torn, Fault::Fail, Fault::Full];

/// How many points of a command the suite tries for each fault.
const SAMPLE: u64 = 5;

const WORKSPACE: &str = "MATCHBOOK_WORKSPACE";
/// The first word of a command that is not the program.
const ITSELF: &str = "itself";

/// A command and what it keeps.
struct Scenario {
    name: &'static str,
    /// What is there before the command.
    folder: TempDir,
    command: Vec<&'static str>,
    /// The command that continues, where it is another one; None while there is nothing to continue.
    resume: fn(&Path) -> Option<Vec<&'static str>>,
    /// What is kept, read with the program's own commands.
    look: fn(&Path) -> String,
    /// Whether states between before and after are kept too, as in a training.
    is_gradual: bool,
    /// How many points the suite tries for each fault.
    sample: u64,
}

impl Scenario {
    fn new(name: &'static str, command: &[&'static str], look: fn(&Path) -> String) -> Scenario {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("in")).unwrap();
        let command = command.to_vec();
        Scenario { name, folder, command, resume: |_| None, look, is_gradual: false, sample: SAMPLE }
    }

    /// Prepares the folder with a command.
    fn with(self, arguments: &[&str]) -> Scenario {
        ok(self.folder.path(), arguments);
        self
    }

    /// Tries all faults at all points, or at a sample of them.
    fn try_all(&self) {
        let Some(shim) = &*SHIM else { return };
        let before = (self.look)(self.folder.path());
        let whole = self.copy();
        let (answer, count) = self.inject(shim, whole.path(), None);
        assert_eq!(answer.code, Some(0), "{answer:?}");
        assert!(count >= 3, "{}: only {count} changes were counted", self.name);
        let after = (self.look)(whole.path());
        let files = listing(whole.path());
        assert_ne!(before, after, "{}", self.name);
        let mut tried = 0;
        for (number, fault) in FAULTS.into_iter().enumerate() {
            // Different points for different faults.
            for point in wanted().unwrap_or(Points::Sample(self.sample)).of(count, number as u64) {
                let place = self.copy();
                let context = format!("{} with {fault:?} at {point} of {count}", self.name);
                let (answer, _) = self.inject(shim, place.path(), Some((fault, point)));
                let state = (self.look)(place.path());
                assert!(self.is_gradual || state == before || state == after, "{context}: {state}");
                match answer.code {
                    // A search without room for its index is answered from memory, and says so.
                    Some(0) if state == before && answer.error.contains("kept in memory only") => {}
                    Some(0) => assert_eq!(state, after, "{context} passed unnoticed: {}", answer.error),
                    Some(1) => assert!(answer.error.contains("matchbook: "), "{context}: {answer:?}"),
                    Some(code) => panic!("{context}: code {code}: {answer:?}"),
                    None => assert!(matches!(fault, Fault::Kill | Fault::Torn), "{context}: {answer:?}"),
                }
                let resume = (self.resume)(place.path());
                let again = resume.as_ref().unwrap_or(&self.command);
                let answer = finish(command(place.path(), again));
                assert_eq!(answer.code, Some(0), "{context}, again: {answer:?}");
                assert_eq!((self.look)(place.path()), after, "{context}, again");
                // A run that was resumed keeps what it dropped, so only temporary files are compared.
                let found = listing(place.path());
                let is_left = |path: &&PathBuf| match resume.is_some() {
                    true => path.file_name().is_some_and(|name| name.to_string_lossy().starts_with('.')),
                    false => !files.contains(*path),
                };
                let left: Vec<&PathBuf> = found.iter().filter(is_left).collect();
                assert!(left.is_empty(), "{context}, again: {left:?}");
                tried += 1;
            }
        }
        println!("{}: {count} changes, {tried} faults tried, nothing lost", self.name);
    }

    fn copy(&self) -> TempDir {
        let copy = tempfile::tempdir().unwrap();
        copy_folder(self.folder.path(), copy.path());
        copy
    }

    /// Runs the command with a fault. Returns the number of changes too.
    fn inject(&self, shim: &Shim, folder: &Path, fault: Option<(Fault, u64)>) -> (CommandOutput, u64) {
        let mut command = command(folder, &self.command);
        command.envs(shim.environment(folder, fault));
        (finish(command), shim.count(folder))
    }
}

/// The points at which a fault is tried.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Points {
    /// At most this many, evenly spread.
    Sample(u64),
    /// From the first to the last of these.
    Range(u64, u64),
}

impl Points {
    /// Those of a command that makes `count` changes. Different faults have different samples.
    fn of(self, count: u64, fault: u64) -> BTreeSet<u64> {
        match self {
            Points::Sample(sample) => {
                let sample = sample.min(count);
                (0..sample).map(|index| 1 + (index * count / sample + fault) % count).collect()
            }
            Points::Range(first, last) => (first..=last.min(count)).collect(),
        }
    }
}

/// The points that the environment asks for.
pub fn wanted() -> Option<Points> {
    let text = std::env::var("MATCHBOOK_FAULTS").ok()?;
    let number = |text: &str| text.parse().expect("MATCHBOOK_FAULTS is `all`, a number or a range");
    Some(match text.split_once('-') {
        _ if text == "all" => Points::Sample(u64::MAX),
        Some((first, last)) => Points::Range(number(first), number(last)),
        None => Points::Sample(number(&text)),
    })
}

/// The compiled shim.
pub struct Shim {
    folder: TempDir,
    path: PathBuf,
}

impl Shim {
    /// The variables that inject a fault into changes below a folder.
    pub fn environment(&self, folder: &Path, fault: Option<(Fault, u64)>) -> [(&'static str, String); 5] {
        fs::write(self.counter(folder), [0; 8]).unwrap();
        let text = |path: &Path| path.display().to_string();
        [
            ("LD_PRELOAD", text(&self.path)),
            ("FAULT_ROOT", text(folder)),
            ("FAULT_COUNTER", text(&self.counter(folder))),
            (
                "FAULT_MODE",
                fault.map_or("count".to_owned(), |(fault, _)| format!("{fault:?}").to_lowercase()),
            ),
            ("FAULT_AT", fault.map_or(0, |(_, at)| at).to_string()),
        ]
    }

    /// The number of changes below a folder.
    pub fn count(&self, folder: &Path) -> u64 {
        u64::from_ne_bytes(fs::read(self.counter(folder)).unwrap().try_into().unwrap())
    }

    fn counter(&self, folder: &Path) -> PathBuf {
        self.folder.path().join(folder.file_name().unwrap())
    }
}

pub static SHIM: LazyLock<Option<Shim>> = LazyLock::new(|| {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("preload.so");
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/faults/preload.c");
    let compiled = Command::new("cc").args(["-shared", "-fPIC", "-O1", "-o"]).arg(&path).arg(source).status();
    match compiled {
        Ok(status) if status.success() => Some(Shim { folder, path }),
        other => {
            eprintln!("SKIPPED: the fault tests need a C compiler, `cc`: {other:?}");
            None
        }
    }
});

/// The program in a folder, with a workspace of its own; or, after [`ITSELF`], an ignored test of this file in a process of
/// its own, for what only the workbench does.
fn command(folder: &Path, arguments: &[&str]) -> Command {
    let mut command = match arguments {
        [ITSELF, test] => {
            let mut command = Command::new(std::env::current_exe().unwrap());
            command.args(["--exact", &format!("faults::{test}"), "--ignored", "--nocapture"]);
            command
        }
        _ => {
            let mut command = Command::new(program());
            command.args(arguments);
            command
        }
    };
    command.current_dir(folder).env(WORKSPACE, folder.join("work"));
    command.env("XDG_CONFIG_HOME", folder.join("config"));
    command
}

/// Runs a command that must succeed.
fn ok(folder: &Path, arguments: &[&str]) -> String {
    let answer = finish(command(folder, arguments));
    assert_eq!(answer.code, Some(0), "{arguments:?}: {answer:?}");
    answer.out
}

/// The names of all files.
fn listing(folder: &Path) -> BTreeSet<PathBuf> {
    let mut found = BTreeSet::new();
    let mut waiting = vec![folder.to_owned()];
    while let Some(next) = waiting.pop() {
        for entry in fs::read_dir(next).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                waiting.push(path.clone());
            }
            found.insert(path.strip_prefix(folder).unwrap().to_owned());
        }
    }
    found
}

fn copy_folder(from: &Path, to: &Path) {
    for entry in fs::read_dir(from).unwrap() {
        let path = entry.unwrap().path();
        let target = to.join(path.file_name().unwrap());
        if path.is_dir() {
            fs::create_dir(&target).unwrap();
            copy_folder(&path, &target);
        } else {
            fs::copy(path, target).unwrap();
        }
    }
}

/// The content of a file, if it is there.
fn content(path: &Path) -> String {
    fs::read(path).map_or_else(|_| "none".to_owned(), |bytes| blake3::hash(&bytes).to_string())
}

/// Pairs, splits and statistics of a corpus, through the commands that read one.
fn corpus_state(folder: &Path) -> String {
    let stats = ok(folder, &["stats", "my.corpus"]);
    let pairs = ok(folder, &["export", "my.corpus", "--format", "jsonl", "-o", "-"]);
    let splits = matchbook::corpus::store::Store::open(&folder.join("my.corpus")).unwrap();
    let splits: Vec<_> = splits.stored_splits().unwrap();
    format!("{stats}\n{}\n{splits:?}", blake3::hash(pairs.as_bytes()))
}

/// Articles and an older corpus of other articles.
fn old_corpus(scenario: Scenario) -> Scenario {
    scenario
        .with(&["synth", "in/old", "--pairs", "12", "--seed", "1", "--lean"])
        .with(&["synth", "in/new", "--pairs", "20", "--seed", "2", "--lean"])
        .with(&["extract", "in/old", "-o", "my.corpus"])
}

#[test]
fn extract() {
    let command = ["extract", "in/new", "-o", "my.corpus", "--report", "report.tsv"];
    let look = |folder: &Path| {
        let report = fs::read_to_string(folder.join("report.tsv")).unwrap_or_default();
        assert!(report.is_empty() || report.ends_with('\n'));
        corpus_state(folder)
    };
    old_corpus(Scenario::new("extract", &command, look)).try_all();
}

#[test]
fn split() {
    let command = ["split", "my.corpus", "--seed", "7", "--keep"];
    let mut scenario = old_corpus(Scenario::new("split", &command, corpus_state));
    // Two splits are kept, one after the other.
    scenario.is_gradual = true;
    scenario.try_all();
}

#[test]
fn import_and_export() {
    let exported = |folder: &Path| format!("{}{}", corpus_state(folder), content(&folder.join("out.jsonl")));
    let export = Scenario::new("export", &["export", "my.corpus", "-o", "out.jsonl"], exported);
    let export = old_corpus(export).with(&["export", "my.corpus", "-o", "in/old.jsonl", "--part", "dev"]);
    fs::copy(export.folder.path().join("in/old.jsonl"), export.folder.path().join("out.jsonl")).unwrap();
    export.try_all();
    let import = Scenario::new("import", &["import", "in/new.jsonl", "-o", "my.corpus"], corpus_state);
    old_corpus(import)
        .with(&["extract", "in/new", "-o", "in/new.corpus"])
        .with(&["export", "in/new.corpus", "-o", "in/new.jsonl"])
        .try_all();
}

/// What searching finds, and the indexes of the corpus, which lie beside it or, if that fails, in the workspace. Those of the
/// corpus that was there before do not count. Searching builds an index, so a copy is searched.
fn index_state(folder: &Path, arguments: &[&str]) -> String {
    let copy = tempfile::tempdir().unwrap();
    copy_folder(folder, copy.path());
    let mut found: serde_json::Value = serde_json::from_str(&ok(copy.path(), arguments)).unwrap();
    found.as_object_mut().unwrap().remove("index");
    let old: BTreeSet<String> = indexes(&folder.join("in/old.index")).map(|(_, index)| index).collect();
    let places = [folder.join("my.corpus.index"), folder.join("work")];
    let new = places.iter().flat_map(|place| indexes(place)).filter(|(_, index)| !old.contains(index));
    format!("{} {:?}", blake3::hash(found.to_string().as_bytes()), new.collect::<BTreeSet<_>>())
}

/// The names and contents of the indexes in a folder.
fn indexes(folder: &Path) -> impl Iterator<Item = (String, String)> {
    let files = if folder.is_dir() { listing(folder) } else { BTreeSet::new() };
    let indexes = files.into_iter().filter(|path| path.extension().is_some_and(|end| end == "idx"));
    indexes.map(|path| (path.file_name().unwrap().display().to_string(), content(&folder.join(&path))))
}

/// An index is built over that of the corpus that was there before.
fn index_scenario(name: &'static str, find: &[&'static str], look: fn(&Path) -> String) -> Scenario {
    let scenario = old_corpus(Scenario::new(name, find, look)).with(find);
    let folder = scenario.folder.path();
    fs::create_dir(folder.join("in/old.index")).unwrap();
    copy_folder(&folder.join("my.corpus.index"), &folder.join("in/old.index"));
    scenario.with(&["extract", "in/new", "-o", "my.corpus"])
}

/// The command to give again, if the index was written to the workspace and so leaves a file more than otherwise.
fn again(folder: &Path, find: &[&'static str]) -> Option<Vec<&'static str>> {
    folder.join("work/indexes").is_dir().then(|| find.to_vec())
}

#[test]
fn index() {
    const FIND: [&str; 4] = ["find", "my.corpus", "every compact group", "--json"];
    let mut scenario = index_scenario("index of features", &FIND, |folder| index_state(folder, &FIND));
    scenario.resume = |folder| again(folder, &FIND);
    scenario.try_all();
}

#[test]
fn index_of_vectors() {
    const FIND: [&str; 6] =
        ["find", "my.corpus", "every compact group", "--json", "--run", "demo-conservation"];
    let mut scenario = index_scenario("index of vectors", &FIND, |folder| index_state(folder, &FIND));
    scenario.resume = |folder| again(folder, &FIND);
    scenario.sample = 2;
    scenario.try_all();
}

/// The cells of an index of vectors.
#[test]
fn index_of_cells() {
    const FIND: [&str; 7] =
        ["find", "my.corpus", "every compact group", "--json", "--run", "demo-conservation", "--approximate"];
    let scenario = index_scenario("index of cells", &FIND, |folder| index_state(folder, &FIND));
    let mut scenario = scenario.with(&FIND[..6]);
    scenario.resume = |folder| again(folder, &FIND);
    scenario.sample = 2;
    scenario.try_all();
}

#[test]
fn matching() {
    let command = ["match", "my.corpus", "my.corpus", "-o", "matched.tsv", "--unmatched", "rest.tsv"];
    let look = |folder: &Path| {
        format!(
            "{}{}{}",
            corpus_state(folder),
            content(&folder.join("matched.tsv")),
            content(&folder.join("rest.tsv"))
        )
    };
    let mut scenario = old_corpus(Scenario::new("match", &command, look));
    // Two files are written, one after the other.
    scenario.is_gradual = true;
    scenario.try_all();
}

/// Settings, tags and a model of a run that has been trained.
#[test]
fn runs() {
    const TRAIN: [&str; 14] = [
        "train",
        "my.corpus",
        "--run",
        "first",
        "--encoder",
        "windows",
        "--preset",
        "tiny",
        "--split",
        "mixed",
        "--epochs",
        "1",
        "--width",
        "8",
    ];
    let tags = |folder: &Path| {
        ok(folder, &["runs", "show", "first", "--json"]);
        content(&folder.join("work/runs/first/notes.toml"))
    };
    let tag = Scenario::new("runs tag", &["runs", "tag", "first", "good"], tags);
    old_corpus(tag).with(&TRAIN).with(&["runs", "tag", "first", "old"]).try_all();
    let exported = |folder: &Path| {
        ok(folder, &["runs", "show", "first"]);
        let folder = folder.join("exported");
        match folder.is_dir() {
            true => listing(&folder).iter().map(|file| content(&folder.join(file))).collect(),
            false => "none".to_owned(),
        }
    };
    let export = Scenario::new("runs export", &["runs", "export", "first", "exported"], exported);
    let mut export = old_corpus(export).with(&TRAIN);
    // A fault after the folder has appeared: it is whole, and never written to again.
    export.resume = |folder| folder.join("exported").is_dir().then(|| vec!["runs"]);
    export.try_all();
    let removed = |folder: &Path| {
        ok(folder, &["runs", "--json"]);
        folder.join("work/runs/first/run.toml").exists().to_string()
    };
    let remove = Scenario::new("runs remove", &["runs", "remove", "first"], removed);
    let mut remove = old_corpus(remove).with(&TRAIN);
    // A run that is gone cannot be removed again; in the trash, names have the time in them.
    remove.resume = |folder| match folder.join("work/runs/first").is_dir() {
        true => Some(vec!["runs", "remove", "first"]),
        false => Some(vec!["runs"]),
    };
    remove.try_all();
}

#[test]
fn annotations_and_settings() {
    let look = |folder: &Path| {
        let notes = ok(folder, &["notes", "demo", "--json"]);
        ok(folder, &["keys"]);
        format!("{notes} {}", content(&folder.join("config/matchbook/config.toml")))
    };
    let command = [ITSELF, "a_process_that_annotates_and_sets"];
    let mut scenario = Scenario::new("annotations and settings", &command, look);
    annotate(scenario.folder.path(), "#old note", "dark").unwrap();
    // Two files are written, one after the other.
    scenario.is_gradual = true;
    scenario.try_all();
}

/// Not a test of its own: what a user does in the workbench.
#[test]
#[ignore = "the process into which another test injects faults"]
fn a_process_that_annotates_and_sets() {
    let Some(workspace) = std::env::var_os(WORKSPACE).map(PathBuf::from) else { return };
    if let Err(problem) = annotate(workspace.parent().unwrap(), "#new other note", "light") {
        eprintln!("matchbook: {problem}");
        std::process::exit(1);
    }
}

fn annotate(folder: &Path, note: &str, theme: &str) -> Result<(), String> {
    use matchbook::{
        base::workspace::Workspace,
        corpus::{
            annotations::{Annotation, Annotations},
            demo,
        },
        workbench::backend::Environment,
    };
    let workspace = Workspace::at(folder.join("work"), folder.join("config/matchbook"));
    let path = Annotations::path(&workspace, &demo::corpus().unwrap().fingerprint());
    Annotations::set(&path, "demo.01#1", Annotation::parse(note)).map_err(|error| error.to_string())?;
    let environment =
        Environment { workspace: Some(workspace), open_corpus: &|_| Err("not needed".to_owned()) };
    let themes = ["dark".to_owned(), "light".to_owned()];
    let written = environment.write_setting("theme", theme, &themes);
    written.map(drop).map_err(|error| error.to_string())
}

#[test]
fn evaluate() {
    let command = [
        "evaluate",
        "--baseline",
        "tfidf",
        "--corpus",
        "my.corpus",
        "--ranks",
        "ranks.tsv",
        "--save",
        "new.json",
        "--keep",
    ];
    let look = |folder: &Path| {
        let kept = fs::read_dir(folder.join("work/evaluations")).map_or(0, Iterator::count);
        format!("{} {kept} {}", content(&folder.join("ranks.tsv")), folder.join("new.json").exists())
    };
    let mut scenario = old_corpus(Scenario::new("evaluate", &command, look));
    // Three files are written, one after the other.
    scenario.is_gradual = true;
    scenario.try_all();
}

#[test]
fn train() {
    let command = [
        "train",
        "my.corpus",
        "--run",
        "first",
        "--encoder",
        "npt",
        "--preset",
        "tiny",
        "--split",
        "mixed",
        "--width",
        "8",
        "--longest",
        "20",
        "--batch",
        "8",
        "--epochs",
        "2",
        "--checkpoint-every",
        "0",
        "--level",
        "conservation",
    ];
    let look = |folder: &Path| {
        ok(folder, &["runs"]);
        let best = folder.join("work/runs/first/checkpoints/best");
        match best.is_dir() {
            true => {
                ok(folder, &["evaluate", "--run", "first"]);
                listing(&best).iter().map(|file| content(&best.join(file))).collect()
            }
            false => "none".to_owned(),
        }
    };
    let mut scenario = old_corpus(Scenario::new("train", &command, look));
    scenario.resume =
        |folder| folder.join("work/runs/first").is_dir().then(|| vec!["train", "--run", "first", "--resume"]);
    scenario.is_gradual = true;
    scenario.sample = 3;
    scenario.try_all();
}

#[test]
fn study() {
    const STUDY: [&str; 15] = [
        "study",
        "input",
        "my.corpus",
        "--encoders",
        "npt",
        "--levels",
        "conservation",
        "--seeds",
        "1",
        "--epochs",
        "1",
        "--at-once",
        "1",
        "--output",
        "tables",
    ];
    let look = |folder: &Path| {
        ok(folder, &["runs"]);
        let table = ok(
            folder,
            &[
                "study",
                "input",
                "my.corpus",
                "--encoders",
                "npt",
                "--levels",
                "conservation",
                "--seeds",
                "1",
                "--epochs",
                "1",
                "--show",
                "--format",
                "csv",
            ],
        );
        format!("{table}{}", folder.join("tables").is_dir())
    };
    let mut scenario = old_corpus(Scenario::new("study", &STUDY, look));
    // The same command continues it, and the runs that it resumes keep what they dropped.
    scenario.resume = |folder| folder.join("work/runs").is_dir().then(|| STUDY.to_vec());
    scenario.is_gradual = true;
    scenario.sample = 1;
    scenario.try_all();
}

/// The report is an output like any other: an older one is there until the new one is complete.
#[test]
fn report_of_an_extraction() {
    let command = ["extract", "in/new", "-o", "my.corpus", "--report", "report.tsv"];
    let scenario =
        old_corpus(Scenario::new("report", &command, |folder| content(&folder.join("report.tsv"))));
    fs::write(scenario.folder.path().join("report.tsv"), "an older report\n").unwrap();
    scenario.try_all();
}
