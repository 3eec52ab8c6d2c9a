//! Findings of hostile tests, each with the test that failed before it was fixed:
//!
//! | finding | tests |
//! |---|---|
//! | a kill leaves a corpus unreadable | here, `faults::split`, `store::tests_kills` (library) |
//! | outputs overwrite inputs | `outputs::outputs_are_never_inputs` |
//! | a closed terminal loses the session | `terminal::a_closed_terminal_keeps_the_session` |
//! | files that never end exhaust memory or hang | `foreign_files` |
//! | a checkpoint of another run is accepted | here |
//! | bombs | here, `formats::parquet::reader`, `formats::input` (library) |
//! | settings of 2^63 cannot be read; absurd numbers | here |
//! | escapes reach the terminal | here, `architecture` |
//! | a run that dies early is queued for ever | here, `runs::jobs::row` (library) |
//! | Slurm refuses a run | here |
//! | kills leave temporary files | `faults`, `base::temporary` (library) |
//! | an extraction that read nothing replaces a corpus | `outputs`, `extract_archives::inner_archives_and_entries_that_climb_have_a_line` |
//! | weights that are not finite, tokens that share an id | here, `model::tokenizer::wordpiece` (library) |
//! | a cut CSV, a failed study, a path that is not UTF-8, NaN, a flipped byte | here |

use std::{
    fs,
    path::Path,
    process::{Command, Output},
};

use crate::support::{TestDir, program, runs::TestWorkspace};

/// A model so small that it trains within a second.
const SMALL: [&str; 21] = [
    "demo",
    "--encoder",
    "npt",
    "--preset",
    "tiny",
    "--split",
    "mixed",
    "--width",
    "8",
    "--heads",
    "1",
    "--key",
    "8",
    "--value",
    "8",
    "--feed-forward",
    "8",
    "--layers",
    "1",
    "--longest",
    "12",
];

fn small(more: &[&str]) -> Vec<String> {
    SMALL.iter().chain(more).map(|word| (*word).to_owned()).collect()
}

fn train(workspace: &TestWorkspace, run: &str, more: &[&str]) -> Output {
    let words = small(more);
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    workspace.command(&[&["train", "--run", run], words.as_slice()].concat()).output().unwrap()
}

fn is_hostile(letter: char) -> bool {
    (letter.is_control() && letter != '\n' && letter != '\t')
        || matches!(letter, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// Exit codes of a panic and of a signal are neither success, failure nor wrong usage.
fn ends_well(output: &Output, arguments: &str) {
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(matches!(output.status.code(), Some(0..=2)), "{arguments}: {:?} {errors}", output.status);
    assert!(!errors.contains("panicked"), "{arguments}: {errors}");
}

#[test]
fn a_checkpoint_of_another_run_is_refused() {
    let workspace = TestWorkspace::new();
    for (run, seed) in [("one", "1"), ("other", "2")] {
        let output = train(&workspace, run, &["--epochs", "2", "--seed", seed]);
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    }
    let [one, other] = ["one", "other"].map(|run| workspace.run(run).join("checkpoints"));
    // Both have the same shape, so that only the seal tells them apart.
    fs::rename(&one, workspace.path("aside")).unwrap();
    fs::rename(&other, &one).unwrap();
    fs::rename(workspace.path("aside"), &other).unwrap();
    let output = workspace.command(&["evaluate", "--run", "one", "--corpus", "demo"]).output().unwrap();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{errors}");
    assert!(errors.contains("it belongs to a run with other settings or another corpus"), "{errors}");
    let output = workspace.command(&["train", "--run", "one", "--resume"]).output().unwrap();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(errors.contains("it belongs to a run with other settings or another corpus"), "{errors}");
}

#[test]
fn settings_of_2_to_the_63_and_more_are_read_again() {
    let workspace = TestWorkspace::new();
    let largest = u64::MAX.to_string();
    let seeds = ["--seed", &largest, "--level-seed", &largest, "--split-seed", &largest, "--epochs", "1"];
    let output = train(&workspace, "seeds", &seeds);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let shown = workspace.ok(&["runs", "show", "seeds"]);
    assert!(shown.contains(&format!("level_seed = \"{largest}\"")), "{shown}");
    workspace.ok(&["train", "--run", "seeds", "--resume"]);
    workspace.ok(&["evaluate", "--run", "seeds", "--corpus", "demo"]);
}

#[test]
fn absurd_numbers_get_a_message() {
    let workspace = TestWorkspace::new();
    let flags = [
        "--width",
        "--layers",
        "--heads",
        "--key",
        "--value",
        "--feed-forward",
        "--longest",
        "--batch",
        "--epochs",
        "--neighbors",
        "--chunk",
        "--warm-up",
        "--patience",
        "--evaluate-every",
        "--lr",
        "--dropout",
        "--clip",
        "--threads",
        "--checkpoint-every",
        "--word-lr",
        "--rename",
        "--decay",
    ];
    for flag in flags {
        for value in ["18446744073709551615", "9223372036854775808", "-1", "NaN", "inf", "1e999"] {
            let arguments =
                ["train", "--run", "absurd", "demo", "--encoder", "npt", "--preset", "tiny", flag, value];
            let output = workspace.command(&arguments).output().unwrap();
            ends_well(&output, &format!("{flag} {value}"));
            assert_ne!(output.status.code(), Some(0), "{flag} {value}");
            let errors = String::from_utf8_lossy(&output.stderr);
            assert!(errors.contains(value) || errors.contains("too"), "{flag} {value}: {errors}");
        }
    }
    assert!(!workspace.run("absurd").exists(), "nothing is made for settings that cannot be used");
    // Within the ranges, but far more than any machine has.
    let sizes = [
        "--width",
        "16384",
        "--layers",
        "256",
        "--heads",
        "256",
        "--key",
        "16384",
        "--value",
        "16384",
        "--feed-forward",
        "65536",
    ];
    let output = workspace
        .command(
            &[&["train", "--run", "huge", "demo", "--encoder", "npt", "--preset", "tiny"], sizes.as_slice()]
                .concat(),
        )
        .output()
        .unwrap();
    ends_well(&output, "huge sizes");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(cfg!(not(target_os = "linux")) || errors.contains("of memory, but this machine has"), "{errors}");
    let largest = u64::MAX.to_string();
    for arguments in [
        ["study", "main", "--seeds", &largest],
        ["study", "main", "--epochs", &largest],
        ["synth", "articles", "--pairs", &largest],
        ["evaluate", "--baseline=tfidf", "--corpus=demo", "--temperature=NaN"],
    ] {
        let output = Command::new(program())
            .args(arguments)
            .current_dir(workspace.folder.path())
            .env("MATCHBOOK_WORKSPACE", workspace.path("work"))
            .output()
            .unwrap();
        ends_well(&output, &arguments.join(" "));
        assert_ne!(output.status.code(), Some(0), "{arguments:?}");
    }
}

#[test]
fn a_run_toml_with_absurd_numbers_is_refused_when_it_is_resumed() {
    let workspace = TestWorkspace::new();
    assert!(train(&workspace, "old", &["--epochs", "1"]).status.success());
    let path = workspace.run("old").join("run.toml");
    let text = fs::read_to_string(&path).unwrap();
    fs::write(&path, text.replace("width = 8", "width = 9223372036854775807")).unwrap();
    workspace.fails("old", &["--resume"], &["width is 9223372036854775807"]);
}

#[test]
fn a_recording_of_a_huge_screen_is_refused() {
    let folder = TestDir::new();
    folder.write("huge.jsonl", "{\"matchbook-recording\":1,\"size\":{\"width\":65535,\"height\":65535}}\n");
    folder.run(&["screens", "huge.jsonl", "-o", "out"]).fails_with("65535 by 65535 cells");
}

/// Pairs with escapes and changes of direction in every text.
fn hostile_pairs() -> String {
    let words = "Let the group act on the compact space such that every orbit is closed and the quotient is separated";
    let hostile = "\\u001b]0;owned\\u0007\\u009b31m\\u202e";
    (1..=40)
        .map(|number| {
            format!(
                "{{\"id\":\"a{hostile}{}#{number}\",\"article\":{{\"title\":\"T {hostile}\",\"categories\":[\"math.{hostile}\"],\
                 \"file\":\"f{hostile}\"}},\"kind\":\"lemma\",\"label\":\"{hostile}\",\"title\":\"{hostile}\",\
                 \"anchor\":\"{hostile}\",\"statement\":\"{words} {hostile} {number}\",\
                 \"proof\":\"{words} {hostile} {number}\"}}\n",
                number % 5
            )
        })
        .collect()
}

#[test]
fn escapes_of_data_never_reach_the_terminal() {
    let folder = TestDir::new();
    folder.write("pairs.jsonl", hostile_pairs());
    let imported = folder.run(&["import", "pairs.jsonl", "-o", "x.corpus"]);
    assert_eq!(imported.code, Some(0), "{imported:?}");
    let ids = folder.run(&["show", "x.corpus", "compact", "--json"]).out;
    let ids: serde_json::Value = serde_json::from_str(&ids).unwrap();
    let id = ids["pairs"][0].as_str().unwrap().to_owned();
    assert!(folder.export("x.corpus").contains('\u{202e}'), "a file of data keeps what it was given");
    let mut seen = 0;
    for arguments in [
        vec!["stats", "x.corpus"],
        vec!["stats", "x.corpus", "--format", "latex"],
        vec!["stats", "x.corpus", "--json"],
        vec!["stats", "x.corpus", "--check"],
        vec!["show", "x.corpus", &id],
        vec!["show", "x.corpus", &id, "--json"],
        vec!["show", "x.corpus", &id, "--form", "tex"],
        vec!["show", "x.corpus", "compact"],
        vec!["show", "x.corpus", "no\u{1b}such"],
        vec!["replace", "x.corpus", "--level", "full", "--audit", "--categories"],
        vec!["split", "x.corpus", "--leaks"],
        vec!["evaluate", "--baseline", "tfidf", "--corpus", "x.corpus"],
        vec!["evaluate", "--baseline", "tfidf", "--corpus", "x.corpus", "--json"],
        vec!["import", "missing\u{202e}.jsonl", "-o", "y.corpus"],
        vec!["stats", "x.corpus", "other\u{9b}\u{202e}.corpus"],
        vec!["export", "x.corpus", "-o", "-", "--format", "\u{9b}31m\u{202e}"],
        vec!["\u{1b}[31m\u{202e}"],
    ] {
        let output = folder.run(&arguments);
        for text in [&output.out, &output.error] {
            assert!(!text.contains(is_hostile), "{arguments:?}: {text:?}");
            seen += text.len();
        }
    }
    assert!(seen > 2000, "the commands print something: {seen}");
}

#[test]
fn escapes_in_notes_and_themes_never_reach_the_terminal() {
    let workspace = TestWorkspace::new();
    assert!(train(&workspace, "noted", &["--epochs", "1"]).status.success());
    let tagged = workspace.ok(&["runs", "tag", "noted", "a\u{1b}[31mb\u{202e}"]);
    assert!(!tagged.contains(is_hostile), "{tagged:?}");
    fs::write(workspace.run("noted").join("log.txt"), "x\u{1b}]0;y\u{7}\u{202e}\n").unwrap();
    for arguments in
        [&["runs"][..], &["runs", "show", "noted"], &["runs", "log", "noted"], &["runs", "--json"]]
    {
        let shown = workspace.ok(arguments);
        assert!(!shown.contains(is_hostile), "{arguments:?}: {shown:?}");
    }
    let themes = workspace.path("config/matchbook/themes");
    fs::create_dir_all(&themes).unwrap();
    fs::write(themes.join("own.toml"), "\"ui.text\u{1b}[2J\" = { fg = \"#\u{202e}\" }\n").unwrap();
    let output = Command::new(program())
        .arg("themes")
        .env("XDG_CONFIG_HOME", workspace.path("config"))
        .output()
        .unwrap();
    let shown = String::from_utf8_lossy(&output.stdout);
    assert!(!shown.contains(is_hostile), "{shown:?}");
}

#[test]
fn a_flipped_byte_of_a_corpus_is_found_by_reading_and_by_a_check() {
    let folder = TestDir::new();
    folder.write_demo(40);
    folder.extract(&["articles"], &[]);
    let intact = folder.run(&["stats", "out.corpus", "--check"]);
    assert_eq!(intact.code, Some(0), "{intact:?}");
    assert!(intact.out.contains("is intact"), "{intact:?}");
    let bytes = fs::read(folder.path("out.corpus")).unwrap();
    // A letter in the middle of a text: SQLite finds nothing wrong with it.
    let word = b"compact";
    let places: Vec<usize> = bytes
        .windows(word.len())
        .enumerate()
        .filter(|(_, window)| window == word)
        .map(|(at, _)| at)
        .collect();
    let mut found = 0;
    for &at in places.iter().step_by(places.len().div_ceil(12)) {
        let mut changed = bytes.clone();
        changed[at] ^= 1;
        folder.write("flipped.corpus", &changed);
        let check = folder.run(&["stats", "flipped.corpus", "--check"]);
        assert_eq!(check.code, Some(1), "byte {at}: {check:?}");
        assert!(check.error.contains("is damaged"), "{check:?}");
        let export = folder.run(&["export", "flipped.corpus", "--format", "jsonl", "-o", "-"]);
        found += usize::from(export.code == Some(1) && export.error.contains("changed since"));
    }
    assert!(found > 0, "reading the pairs notices it too, unless the byte is in the index");
}

#[test]
fn a_table_that_is_cut_off_is_not_imported_silently() {
    let folder = TestDir::new();
    folder.write_demo(3);
    folder.extract(&["articles"], &[]);
    assert_eq!(folder.run(&["export", "out.corpus", "-o", "all.csv"]).code, Some(0));
    let bytes = fs::read(folder.path("all.csv")).unwrap();
    for cut in [bytes.len() / 3, bytes.len() / 2, bytes.len() - 3] {
        folder.write("cut.csv", &bytes[..cut]);
        let import = folder.run(&["import", "cut.csv", "-o", "cut.corpus"]);
        assert!(import.error.contains("may be truncated"), "{import:?}");
    }
}

#[test]
fn a_share_that_is_no_number_is_wrong_usage() {
    let folder = TestDir::new();
    for value in ["NaN", "inf", "-1", "1.5"] {
        let output = folder.run(&["curves", "first", "--smooth", value]);
        assert_eq!(output.code, Some(2), "{output:?}");
    }
}

#[test]
#[cfg(unix)]
fn a_workspace_whose_path_is_not_utf_8_trains_runs() {
    use std::os::unix::ffi::OsStrExt;
    let folder = tempfile::tempdir().unwrap();
    let work = folder.path().join(std::ffi::OsStr::from_bytes(b"work\xff"));
    let run = |arguments: &[&str]| {
        let mut command = Command::new(program());
        command.args(arguments).arg("--workspace").arg(&work).current_dir(folder.path());
        command.output().unwrap()
    };
    let words = small(&["--epochs", "1", "--detach"]);
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let started = run(&[&["train", "--run", "one"], words.as_slice()].concat());
    assert!(started.status.success(), "{}", String::from_utf8_lossy(&started.stderr));
    let finished = || {
        let output = run(&["runs", "--json"]);
        let rows: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        let state = rows[0]["state"].as_str().unwrap().to_owned();
        assert!(!matches!(state.as_str(), "failed" | "dead"), "{rows}");
        state == "finished"
    };
    let until = std::time::Instant::now() + std::time::Duration::from_secs(60);
    while !finished() {
        assert!(std::time::Instant::now() < until, "it does not finish");
        std::thread::sleep(std::time::Duration::from_millis(100));
    }
}

#[test]
#[cfg(unix)]
fn a_corpus_whose_path_is_not_utf_8_is_read_but_not_trained_on() {
    use std::os::unix::ffi::OsStrExt;
    let folder = TestDir::new();
    folder.write_demo(6);
    folder.extract(&["articles"], &[]);
    let name = std::ffi::OsStr::from_bytes(b"c\xff.corpus");
    fs::rename(folder.path("out.corpus"), folder.path("").join(name)).unwrap();
    let run = |before: &[&str], after: &[&std::ffi::OsStr]| {
        let mut command = Command::new(program());
        command.args(before).arg(name).args(after).current_dir(folder.path(""));
        command.env("MATCHBOOK_WORKSPACE", folder.path("work")).output().unwrap()
    };
    let output = run(&["export"], &["-o".as_ref(), std::ffi::OsStr::from_bytes(b"o\xff.jsonl")]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let output = run(&["train", "--run", "one", "--preset", "tiny"], &[]);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{errors}");
    assert!(errors.contains("is not UTF-8, so a run cannot record it"), "{errors}");
}

#[test]
fn a_corpus_that_lacks_pairs_is_damaged() {
    let folder = TestDir::new();
    folder.write_demo(6);
    for change in [
        "DELETE FROM pair WHERE row = 3",
        "DELETE FROM pair",
        "UPDATE pair SET row = 4294967290 WHERE row = 3",
    ] {
        folder.extract(&["articles"], &[]);
        let corpus = rusqlite::Connection::open(folder.path("out.corpus")).unwrap();
        corpus.execute_batch(change).unwrap();
        drop(corpus);
        for arguments in [
            &["find", "out.corpus", "compact group"][..],
            &["find", "out.corpus", "compact group", "--run", "demo-full"],
            &["duplicates", "out.corpus"],
            &["match", "out.corpus", "out.corpus", "-o", "matched.tsv"],
            &["evaluate", "--baseline", "tfidf", "--corpus", "out.corpus"],
            &["export", "out.corpus", "-o", "out.jsonl"],
        ] {
            let answer = folder.run(arguments);
            answer.fails_with("is missing; copy it again or rebuild it");
        }
    }
}

#[test]
fn tags_of_two_processes_at_once_are_all_kept() {
    let workspace = TestWorkspace::new();
    assert!(train(&workspace, "tagged", &["--epochs", "1"]).status.success());
    std::thread::scope(|scope| {
        for user in ["a", "b"] {
            let workspace = &workspace;
            scope.spawn(move || {
                for number in 0..8 {
                    workspace.ok(&["runs", "tag", "tagged", &format!("{user}{number}")]);
                }
            });
        }
    });
    let notes = fs::read_to_string(workspace.run("tagged").join("notes.toml")).unwrap();
    assert_eq!(notes.matches('"').count(), 2 * 16, "{notes}");
}

/// Settings, tags and labels have a limit when they are read, so they have it when they are written.
#[test]
fn what_a_run_could_not_read_again_is_not_written() {
    let workspace = TestWorkspace::new();
    let list: String = (0..160_000).map(|number| format!("\"c{number}\" = [\"P\", \"Q\"]\n")).collect();
    fs::write(workspace.path("protected.toml"), list).unwrap();
    let words = small(&["--epochs", "1", "--level", "full+p", "--protected", "protected.toml"]);
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    workspace.fails("listed", &words, &["run.toml", "a settings file can have at most 4,194,304"]);
    assert!(!workspace.run("listed").exists());
    assert!(train(&workspace, "tagged", &["--epochs", "1"]).status.success());
    let tag = |name: &str| workspace.command(&["runs", "tag", "tagged", name]).output().unwrap();
    let refused = (0..60).map(|number| tag(&format!("{number}{}", "x".repeat(100_000))));
    let refused = refused.into_iter().find(|output| !output.status.success()).unwrap();
    let errors = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert!(errors.contains("a settings file can have"), "{errors}");
    assert!(tag("small").status.success());
}

/// A `sbatch` that refuses everything.
#[cfg(unix)]
fn refusing_slurm(folder: &Path) -> String {
    use std::os::unix::fs::PermissionsExt;
    let programs = folder.join("programs");
    fs::create_dir_all(&programs).unwrap();
    for name in ["sbatch", "squeue", "sacct", "scancel"] {
        let path = programs.join(name);
        fs::write(&path, "#!/bin/sh\necho 'error: invalid option' >&2\nexit 1\n").unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    }
    format!("{}:{}", programs.display(), std::env::var("PATH").unwrap_or_default())
}

#[test]
#[cfg(unix)]
fn a_run_that_slurm_refused_can_be_removed() {
    let workspace = TestWorkspace::new();
    let path = refusing_slurm(workspace.folder.path());
    let run = |arguments: &[&str]| workspace.command(arguments).env("PATH", &path).output().unwrap();
    let words = small(&["--epochs", "1", "--on", "slurm", "--sbatch=--nonsense={{work}}"]);
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let refused = run(&[&["train", "--run", "refused"], words.as_slice()].concat());
    assert_eq!(refused.status.code(), Some(1), "{}", String::from_utf8_lossy(&refused.stderr));
    let script = fs::read_to_string(workspace.run("refused").join("job.sh")).unwrap();
    assert!(script.contains("#SBATCH --nonsense={{work}}\n"), "{script}");
    let removed = run(&["runs", "remove", "refused"]);
    assert!(removed.status.success(), "{}", String::from_utf8_lossy(&removed.stderr));
    // An option that no script can express is refused before anything is made.
    let words = small(&["--epochs", "1", "--on", "slurm", "--account", "a b"]);
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let refused = run(&[&["train", "--run", "never"], words.as_slice()].concat());
    assert_eq!(refused.status.code(), Some(1), "{}", String::from_utf8_lossy(&refused.stderr));
    assert!(!workspace.run("never").exists());
}

#[test]
fn a_study_whose_runs_fail_does_not_exit_with_success() {
    let workspace = TestWorkspace::new();
    // No file may have more than 50 KB, so that no run can save its weights.
    let mut command = Command::new("sh");
    command.args(["-c", "trap '' XFSZ; ulimit -f 100; exec \"$0\" \"$@\""]).arg(program());
    let study = ["study", "cross", "demo", "--encoders", "npt", "--preset", "tiny", "--levels", "full"];
    workspace.arrange(&mut command, &[&study[..], &["--seeds", "1", "--epochs", "1"]].concat());
    let output = command.output().unwrap();
    ends_well(&output, "study");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{errors}");
    assert!(errors.contains("parts of the study failed"), "{errors}");
}

#[test]
fn an_export_for_mlflow_stays_in_its_folder() {
    let workspace = TestWorkspace::new();
    assert!(train(&workspace, "strange", &["--epochs", "1"]).status.success());
    // A run that comes from elsewhere may have any settings.
    let path = workspace.run("strange").join("run.toml");
    let text = fs::read_to_string(&path).unwrap();
    let outside = workspace.path("absolute");
    let strange = format!(
        "[settings]\n\"../../../../escaped\" = 'x'\n\"{}\" = 'x'\n\"{}\" = 'x'\n",
        outside.display(),
        "long".repeat(100)
    );
    assert!(text.contains("[settings]\n"), "{text}");
    fs::write(&path, text.replacen("[settings]\n", &strange, 1)).unwrap();
    let before = fs::read_dir(workspace.folder.path()).unwrap().count();
    workspace.ok(&["runs", "mlflow", "strange", "-o", &workspace.path("store").display().to_string()]);
    assert!(!outside.exists());
    let found: Vec<_> = fs::read_dir(workspace.folder.path()).unwrap().flatten().collect();
    assert_eq!(found.len(), before + 1, "{found:?}");
    let store: Vec<_> = fs::read_dir(workspace.path("store")).unwrap().flatten().collect();
    assert_eq!(store.len(), 1, "{store:?}");
}

/// `show --form xhtml` prints the markup of the article itself, and an audit names its categories.
#[test]
fn escapes_of_an_article_never_reach_the_terminal() {
    let folder = TestDir::new();
    let article = crate::support::pair("\u{1b}[31m &#27;]0;owned&#7; \u{9b}2J \u{202e}");
    folder.write("articles/a.xhtml", crate::support::xhtml(&article));
    folder.write("meta.tsv", "file\tcategories\ttitle\na.xhtml\tmath.\u{1b}[31m\u{202e}\tT\u{9b}\n");
    folder.extract(&["articles"], &["--metadata", "meta.tsv"]);
    for arguments in [
        &["show", "out.corpus", "a#1", "--form", "xhtml"][..],
        &["replace", "out.corpus", "--level", "full", "--audit", "--categories"],
    ] {
        let output = folder.run(arguments);
        assert_eq!(output.code, Some(0), "{arguments:?}: {output:?}");
        assert!(!output.out.contains(is_hostile), "{arguments:?}: {:?}", output.out);
    }
}

#[test]
fn escapes_that_an_error_quotes_never_reach_the_terminal() {
    let folder = TestDir::new();
    folder.write("ranks.tsv", "a\u{1b}[31m\u{202e}\tx\ty\n");
    folder.write("pairs.csv", "theory\u{1b}[2J,proof\u{9b}31m,\u{202e}\n1,2,3\n");
    for arguments in [["assign", "ranks.tsv", "-o", "x.tsv"], ["import", "pairs.csv", "-o", "x.corpus"]] {
        let output = folder.run(&arguments);
        assert_eq!(output.code, Some(1), "{output:?}");
        assert!(!output.error.contains(is_hostile), "{arguments:?}: {:?}", output.error);
    }
}

/// Sizes of a file, of `--set`, of a vocabulary, and such as no machine has.
#[test]
fn absurd_sizes_are_refused_wherever_they_come_from() {
    let workspace = TestWorkspace::new();
    assert!(train(&workspace, "old", &["--epochs", "1"]).status.success());
    let text = fs::read_to_string(workspace.run("old").join("run.toml")).unwrap();
    for key in ["width", "layers", "heads", "key", "value", "feed_forward", "longest"] {
        let line = |line: &str| match line.starts_with(&format!("{key} = ")) {
            true => format!("{key} = 9223372036854775807\n"),
            false => format!("{line}\n"),
        };
        let changed: String = text.lines().map(line).collect();
        assert_ne!(changed, text, "{key}");
        fs::write(workspace.path("changed.toml"), changed).unwrap();
        let output =
            workspace.command(&["train", "--run", "x", "--config", "changed.toml"]).output().unwrap();
        ends_well(&output, key);
        assert_ne!(output.status.code(), Some(0), "{key}");
    }
    for flag in ["--width", "--layers", "--heads", "--key", "--value", "--feed-forward", "--longest"] {
        let output = train(&workspace, "x", &["--epochs", "1", flag, "1000000000"]);
        ends_well(&output, flag);
    }
    let largest = u64::MAX.to_string();
    let pretrain = ["pretrain", "demo", "--run", "x", "--epochs", "1", "--vocabulary", &largest];
    let set = ["runs", "duplicate", "old", "x", "--set", "shape.layers=9223372036854775807"];
    for arguments in [&pretrain[..], &set] {
        let output = workspace.command(arguments).output().unwrap();
        ends_well(&output, &arguments.join(" "));
        assert_ne!(output.status.code(), Some(0), "{arguments:?}");
    }
    assert!(!workspace.run("x").exists());
}

/// As a foreground run leaves it that is killed before it says that it runs.
#[test]
fn a_run_that_died_before_its_first_status_is_dead() {
    let workspace = TestWorkspace::new();
    assert!(train(&workspace, "early", &["--epochs", "1"]).status.success());
    let mut status = workspace.status("early");
    let fields = status.as_object_mut().unwrap();
    fields.insert("state".to_owned(), "queued".into());
    for time in ["created", "started", "heartbeat", "ended"] {
        if let Some(time) = fields.get_mut(time) {
            *time = 1_000_000.into();
        }
    }
    fields.insert("process".to_owned(), serde_json::Value::Null);
    fs::write(workspace.run("early").join("status.json"), status.to_string()).unwrap();
    let listed: serde_json::Value = serde_json::from_str(&workspace.ok(&["runs", "--json"])).unwrap();
    assert_eq!(listed[0]["state"], "dead", "{listed}");
    workspace.ok(&["runs", "remove", "early"]);
}

#[test]
fn a_compressed_file_of_pairs_that_unpacks_to_too_much_is_stopped() {
    let folder = TestDir::new();
    let blank = vec![b'\n'; 200 << 20];
    folder.write("blank.jsonl.zst", crate::support::packing::zstd(&blank));
    let answer = folder.run(&["import", "blank.jsonl.zst", "-o", "x.corpus"]);
    answer.fails_with("it unpacks to too much data");
}

/// The folder of a pre-training, with a value that is no number, and with tokens that share an id.
#[test]
fn a_model_folder_with_unusable_weights_or_tokens_is_refused() {
    let workspace = TestWorkspace::new();
    let words = ["--split", "mixed", "--vocabulary", "300", "--longest", "8", "--batch", "100"];
    workspace.ok(&[&["pretrain", "demo", "--run", "words", "--epochs", "1"], &words[..]].concat());
    let best = workspace.run("words").join("checkpoints/best");
    let folder = workspace.path("folder");
    let copy = || {
        fs::create_dir_all(&folder).unwrap();
        for name in ["config.json", "model.safetensors", "tokenizer.json"] {
            fs::copy(best.join(name), folder.join(name)).unwrap();
        }
    };
    let begin = |words: &str| {
        let train = ["demo", "--encoder", "mathbert", "--init", "folder", "--split", "mixed"];
        let train = [&train[..], &["--longest", "8", "--preset", "tiny", "--epochs", "1"]].concat();
        workspace.fails("x", &train, &[words]);
    };
    copy();
    let mut weights = fs::read(folder.join("model.safetensors")).unwrap();
    let header = u64::from_le_bytes(weights[..8].try_into().unwrap()) as usize;
    // Every value, so that it does not matter which tensors are read.
    weights[8 + header..].as_chunks_mut().0.iter_mut().for_each(|value| *value = f32::NAN.to_le_bytes());
    fs::write(folder.join("model.safetensors"), weights).unwrap();
    begin("has values that are not finite, such as NaN");
    copy();
    let tokenizer = fs::read(folder.join("tokenizer.json")).unwrap();
    let mut tokenizer: serde_json::Value = serde_json::from_slice(&tokenizer).unwrap();
    let ids = tokenizer["model"]["vocab"].as_object_mut().unwrap();
    ids.values_mut().for_each(|id| *id = 0.into());
    tokenizer["added_tokens"] = serde_json::json!([]);
    fs::write(folder.join("tokenizer.json"), tokenizer.to_string()).unwrap();
    begin("only 1 distinct ids");
}

/// Without `--check`: reading is enough.
#[test]
fn a_flipped_byte_of_a_text_is_not_exported() {
    let folder = TestDir::new();
    folder.write_demo(40);
    folder.extract(&["articles"], &[]);
    let intact = folder.export("out.corpus");
    let bytes = fs::read(folder.path("out.corpus")).unwrap();
    let word = b"compact";
    let places = bytes.windows(word.len()).enumerate().filter(|(_, window)| window == word);
    for (at, _) in places.step_by(7) {
        let mut changed = bytes.clone();
        changed[at] ^= 1;
        folder.write("flipped.corpus", &changed);
        let export = folder.run(&["export", "flipped.corpus", "--format", "jsonl", "-o", "-"]);
        assert!(export.code != Some(0) || export.out == intact, "byte {at} changed the text unnoticed");
    }
}

#[test]
fn a_smoothing_that_is_no_number_is_refused_for_a_run_that_exists() {
    let workspace = TestWorkspace::new();
    assert!(train(&workspace, "first", &["--epochs", "1"]).status.success());
    let output = workspace.command(&["curves", "first", "--smooth", "NaN"]).output().unwrap();
    assert_eq!(output.status.code(), Some(2), "{}", String::from_utf8_lossy(&output.stdout));
}

#[test]
#[cfg(unix)]
fn a_refused_run_is_removed_whatever_its_script() {
    let workspace = TestWorkspace::new();
    let path = refusing_slurm(workspace.folder.path());
    let run = |arguments: &[&str]| workspace.command(arguments).env("PATH", &path).output().unwrap();
    let words = small(&["--epochs", "1", "--on", "slurm"]);
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    assert_eq!(run(&[&["train", "--run", "refused"], words.as_slice()].concat()).status.code(), Some(1));
    let removed = run(&["runs", "remove", "refused"]);
    assert!(removed.status.success(), "{}", String::from_utf8_lossy(&removed.stderr));
}

/// A corpus with a journal to roll back, as a killed `split --keep` of an earlier version left it.
#[cfg(unix)]
fn interrupted() -> TestDir {
    let folder = TestDir::new();
    folder.write_demo(6);
    folder.extract(&["articles"], &[]);
    let corpus = rusqlite::Connection::open(folder.path("out.corpus")).unwrap();
    // A cache of no pages spills the change to the file before it is committed.
    let change = "PRAGMA cache_size = 0; BEGIN; UPDATE split SET parts = zeroblob(100000)";
    corpus.execute_batch(change).unwrap();
    for name in ["out.corpus", "out.corpus-journal"] {
        fs::copy(folder.path(name), folder.path(format!("copy.{name}"))).unwrap();
    }
    drop(corpus);
    for name in ["out.corpus", "out.corpus-journal"] {
        fs::rename(folder.path(format!("copy.{name}")), folder.path(name)).unwrap();
    }
    folder
}

#[test]
#[cfg(unix)]
fn a_corpus_with_a_journal_is_read_replaced_and_read_again() {
    let folder = interrupted();
    let read = folder.run(&["stats", "out.corpus"]);
    assert_eq!(read.code, Some(0), "{read:?}");
    let folder = interrupted();
    folder.write_demo(12);
    folder.extract(&["articles"], &[]);
    assert!(!folder.path("out.corpus-journal").exists());
    let read = folder.run(&["stats", "out.corpus"]);
    assert_eq!(read.code, Some(0), "{read:?}");
}

/// The superuser can write anywhere, so another user reads.
#[test]
#[cfg(unix)]
fn a_corpus_with_a_journal_is_read_where_nothing_can_be_written() {
    use std::os::unix::fs::{MetadataExt, PermissionsExt};
    let folder = interrupted();
    let (media, corpus) = (folder.path("media"), folder.path("media/out.corpus"));
    fs::create_dir(&media).unwrap();
    let set = |path: &Path, mode| fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    for name in ["out.corpus", "out.corpus-journal"] {
        fs::rename(folder.path(name), media.join(name)).unwrap();
        set(&media.join(name), 0o444);
    }
    set(&media, 0o555);
    set(&folder.path(""), 0o755);
    set(&folder.path("temporary"), 0o777);
    let is_root = fs::metadata(&corpus).unwrap().uid() == 0;
    let mut command = Command::new(if is_root { "setpriv" } else { program() });
    if is_root {
        command.args(["--reuid=65534", "--regid=65534", "--clear-groups", program()]);
    }
    command.arg("stats").arg(&corpus).env("TMPDIR", folder.path("temporary"));
    let output = command.current_dir(folder.path("temporary")).output();
    set(&media, 0o755);
    let Ok(output) = output else {
        return eprintln!("SKIPPED: there is no `setpriv` to become another user");
    };
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

/// Reading stops, also where nothing can be read out of what is read.
#[test]
#[cfg(unix)]
fn an_import_is_stopped_by_a_signal() {
    let folder = TestDir::new();
    folder.write("blank.jsonl", vec![b'\n'; 1 << 30]);
    let mut command = folder.command(&["import", "blank.jsonl", "-o", "x.corpus"]);
    command.stdout(std::process::Stdio::piped()).stderr(std::process::Stdio::piped());
    let child = command.spawn().unwrap();
    std::thread::sleep(std::time::Duration::from_millis(300));
    assert!(Command::new("kill").args(["-TERM", &child.id().to_string()]).status().unwrap().success());
    let answer = crate::support::wait(child, std::time::Duration::from_secs(20));
    answer.fails_with("stopped before it finished; nothing was written");
}
