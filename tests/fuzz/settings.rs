//! Settings of the user, runs, sessions, themes and recordings.

use std::fs;

use super::{Target, file, outcome};
use crate::{
    base::{fields::Fields, workspace::Workspace, workspace::user_settings::UserSettings},
    corpus::CorpusReference,
    runs::{RunConfig, Status, Timestamp, jobs::Jobs},
    symbols::Protected,
    train::{
        Preset, RunSettings, TrainSettings,
        pretrain::{PretrainPreset, PretrainSettings},
    },
    workbench::{
        app::{keymap::Keymap, recording::Recording},
        session::Session,
        theme::Themes,
    },
};

fn configs() -> Vec<String> {
    let corpus = || CorpusReference { path: "a.corpus".into(), fingerprint: "0".repeat(64) };
    let train = |preset: Preset| toml::to_string(&RunConfig::new(1, corpus(), preset.settings())).unwrap();
    let pretrain = toml::to_string(&RunConfig::new(2, corpus(), PretrainPreset::Tiny.settings())).unwrap();
    vec![train(Preset::Tiny), train(Preset::Small), train(Preset::Paper), pretrain]
}

fn checked<S: RunSettings>(text: &str) -> String {
    let config = RunConfig::<S>::parse(text, "run.toml".as_ref()).map_err(|error| error.to_string());
    let checked = config.and_then(|config| {
        config.seeded_settings().check().map_err(|error| error.to_string())?;
        Ok(config)
    });
    outcome(checked, |config| {
        // Settings that can be used are written and read as they are.
        let written = toml::to_string(&config).unwrap();
        assert_eq!(RunConfig::<S>::parse(&written, "run.toml".as_ref()).unwrap(), config);
        let settings = config.seeded_settings();
        settings.command("demo", "x", settings.nearest(), &[]);
        String::new()
    })
}

#[test]
fn run_toml() {
    let examples = configs().into_iter().map(String::into_bytes).collect();
    let words = &[
        "[settings]\n",
        "[settings.shape]\n",
        "epochs = ",
        "level_seed = ",
        "\"",
        "inf",
        "[[",
        "optimizer = {",
    ];
    Target { name: "run_toml", examples, words }.fuzz(|input, _| {
        let text = String::from_utf8_lossy(input);
        checked::<TrainSettings>(&text) + &checked::<PretrainSettings>(&text)
    });
}

/// The files of a run, each mutated in turn; the list of runs always works.
#[test]
fn run_directory() {
    let home = tempfile::tempdir().unwrap();
    let workspace = Workspace::at(home.path(), home.path().join("config"));
    let run = home.path().join("runs/one");
    fs::create_dir_all(&run).unwrap();
    let status = serde_json::to_vec(&Status::running(Timestamp::now())).unwrap();
    let job = br#"{"format":1,"place":"slurm","host":"h","queued":5,"slurm":{"comment":"c","id":"12_3","submitted":5}}"#;
    let metrics = br#"{"step":1,"epoch":0.5,"time":5,"loss":1.5}
{"evaluation":"dev","step":1,"epoch":1,"time":6,"mrr":0.5}
"#;
    let examples = vec![
        [b"0", configs()[0].as_bytes()].concat(),
        [b"1", status.as_slice()].concat(),
        [b"2", job.as_slice()].concat(),
        [b"3", metrics.as_slice()].concat(),
        b"4note = 'x'\ntags = ['a', 'b']\n".to_vec(),
        b"5format: none".to_vec(),
    ];
    let words = &[
        "\"format\":1",
        "\"state\":\"running\"",
        "\"process\":{\"pid\":1}",
        "null",
        "\n",
        "{",
        "\"latest\":{",
    ];
    Target { name: "run_directory", examples, words }.fuzz(move |input, _| {
        const FILES: [&str; 6] =
            ["run.toml", "status.json", "job.json", "metrics.jsonl", "notes.toml", "log.txt"];
        fs::write(run.join("run.toml"), &configs()[0]).unwrap();
        let (which, content) = input.split_first().unwrap_or((&b'0', b""));
        let name = FILES[usize::from(*which) % FILES.len()];
        fs::write(run.join(name), content).unwrap();
        let jobs = Jobs::new(&workspace);
        let rows = jobs.list().unwrap();
        assert_eq!(rows.len(), 1);
        let summary = crate::runs::Summary::open(&run.join("metrics.jsonl")).map(|summary| summary.lines());
        fs::remove_file(run.join(name)).unwrap();
        let _ = fs::remove_dir_all(run.join("cache"));
        format!(
            "{name} {:?} {:?} {}",
            rows[0].state,
            rows[0].problems,
            outcome(summary, |lines| lines.to_string())
        )
    });
}

#[test]
fn user_settings() {
    let examples = vec![
        b"theme = 'light'\n[keys]\nquit = 'Q'\ndown = ['j', 'down', 'ctrl-n']\n[queue]\ncpu = 2\n[slurm]\ntime = '1:00'\n".to_vec(),
    ];
    let words = &["[keys]\n", "[queue]\n", "[slurm]\n", "= [", "'ctrl-'", "space", "\"\"", "{}"];
    Target { name: "user_settings", examples, words }.fuzz(|input, folder| {
        let path = file(folder, "config.toml", input);
        let (settings, problems) = UserSettings::read(&path);
        let (_, more) = Keymap::new(&settings.keys);
        let jobs = Jobs::new(&Workspace::at(folder, folder));
        [problems, more, jobs.problems().to_vec()]
            .concat()
            .join(" ")
            .replace(&folder.display().to_string(), "")
    });
}

#[test]
fn session() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("sessions");
    let examples =
        fs::read_dir(folder).unwrap().map(|entry| fs::read(entry.unwrap().path()).unwrap()).collect();
    let words = &["version = ", "[browse]\n", "[corpus]\n", "rows = [", "true", "'", "pane = "];
    Target { name: "session", examples, words }.fuzz(|input, folder| {
        let inner = tempfile::tempdir_in(folder).unwrap();
        let path = file(inner.path(), "s.toml", input);
        outcome(Session::load(&path), |loaded| {
            if let Some(session) = &loaded.session {
                session.to_toml().unwrap();
            }
            let notices: Vec<String> = loaded.notices.iter().map(ToString::to_string).collect();
            notices.join(" ").replace(&inner.path().display().to_string(), "")
        })
    });
}

#[test]
fn theme() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("themes");
    let examples =
        fs::read_dir(folder).unwrap().map(|entry| fs::read(entry.unwrap().path()).unwrap()).collect();
    let words = &["inherits = ", "[palette]\n", "fg = '#", "modifiers = [", "'own'", "\u{1b}"];
    Target { name: "theme", examples, words }.fuzz(|input, folder| {
        file(folder, "own.toml", input);
        let themes = Themes::with_folder(folder);
        let (_, warnings) = themes.load("own");
        let warnings: Vec<String> = warnings.iter().take(3).map(ToString::to_string).collect();
        warnings.join(" ").replace(&folder.display().to_string(), "")
    });
}

#[test]
fn recording() {
    let examples = vec![
        b"{\"matchbook-recording\":1,\"size\":{\"width\":80,\"height\":24}}\n{\"at\":1,\"key\":\"ctrl-l\"}\n\
          {\"at\":2,\"paste\":\"x\"}\n{\"at\":3,\"resize\":{\"width\":10,\"height\":5}}\n{\"at\":4,\"screen\":\"a\"}\n"
            .to_vec(),
    ];
    let words = &["{\"at\":", "\"mouse\":{\"event\":\"press\",\"x\":1,\"y\":2}", "\"key\":\"", "\n", "}"];
    Target { name: "recording", examples, words }.fuzz(|input, _| {
        outcome(Recording::parse(&String::from_utf8_lossy(input)), |recording| {
            assert!(recording.header.size.width <= 2000 && recording.header.size.height <= 2000);
            recording.events.len().min(9).to_string()
        })
    });
}

#[test]
fn protected_symbols() {
    let examples =
        vec![b"[\"math.PR\"]\nletters = ['P', 'E']\n".to_vec(), b"[\"math\"]\nletters = 'abc'\n".to_vec()];
    let words = &["letters", "[\"", "\"]", "'\u{1d538}'", "____bold"];
    Target { name: "protected_symbols", examples, words }.fuzz(|input, _| {
        outcome(Protected::parse(&String::from_utf8_lossy(input), "p.toml"), |_| String::new())
    });
}

/// Every field of every table, with values that are absurd: a message or a value that is read back, never a panic.
#[test]
fn fields() {
    fn check<S: Fields + std::fmt::Debug>(settings: &S, flag: &str, value: &str) -> String {
        let mut changed = settings.clone();
        let Some(field) = S::field(flag) else { return String::new() };
        if let Err(problem) = field.set(&mut changed, value) {
            return problem;
        }
        let shown = field.get(&changed);
        let mut again = settings.clone();
        field.set(&mut again, &shown).unwrap();
        assert_eq!(field.get(&again), shown, "{flag}");
        String::new()
    }
    let examples: Vec<Vec<u8>> = TrainSettings::FIELDS
        .iter()
        .map(|field| format!("{}={}", field.flag, field.get(&Preset::Small.settings())))
        .chain(PretrainSettings::FIELDS.iter().map(|field| format!("{}=1", field.flag)))
        .map(String::into_bytes)
        .collect();
    let words = &["1e400", "-", "0x10", "+1", " ", "partial:0.3+p", "=", "0.0000000000000000000000001"];
    Target { name: "fields", examples, words }.fuzz(|input, _| {
        let text = String::from_utf8_lossy(input);
        let (flag, value) = text.split_once('=').unwrap_or((&text, ""));
        let mut described = String::new();
        for preset in [Preset::Tiny, Preset::Paper] {
            let settings = preset.settings();
            described += &check(&settings, flag, value);
            let mut changed = settings;
            if let Some(field) = TrainSettings::field(flag)
                && field.set(&mut changed, value).is_ok()
                && changed.check().is_ok()
            {
                // What passes the check is kept and read again.
                let written = toml::to_string(&changed).unwrap();
                let read: TrainSettings = toml::from_str(&written).unwrap();
                assert_eq!(TrainSettings { seed: changed.seed, ..read }, changed, "{written}");
                let with = changed.shape.with(crate::model::MOST_WORDS);
                assert!(with.check().is_ok());
            }
        }
        described + &check(&PretrainPreset::Tiny.settings(), flag, value)
    });
}
