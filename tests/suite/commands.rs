//! The commands as users run them, one after another on the demo articles.

use std::{
    fs,
    path::Path,
    process::{Command, Output},
};

use serde_json::Value;

use crate::support::program;

/// Runs the program in a folder.
fn matchbook(folder: &Path, arguments: &[&str]) -> Output {
    Command::new(program())
        .current_dir(folder)
        // A user's settings change what some commands say.
        .env("XDG_CONFIG_HOME", folder)
        .args(arguments)
        .output()
        .unwrap()
}

/// Runs the program, which must succeed, and gives what it printed.
fn ok(folder: &Path, arguments: &[&str]) -> String {
    let output = matchbook(folder, arguments);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{arguments:?}: {errors}");
    String::from_utf8(output.stdout).unwrap()
}

fn json(folder: &Path, arguments: &[&str]) -> Value {
    serde_json::from_str(&ok(folder, arguments)).unwrap()
}

/// Runs the program, which must fail with one line that has these words.
fn fails(folder: &Path, arguments: &[&str], words: &str) {
    let output = matchbook(folder, arguments);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{arguments:?}: {errors}");
    assert_eq!(errors.lines().count(), 1, "{errors}");
    assert!(errors.contains(words), "{errors}");
}

/// A folder with the demo articles and their corpus.
fn demo() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    ok(folder.path(), &["demo", "articles"]);
    ok(folder.path(), &["extract", "articles", "--metadata", "articles/manifest.tsv", "-o", "a.corpus"]);
    folder
}

#[test]
fn the_first_five_minutes() {
    let folder = demo();
    let here = folder.path();
    let stats = json(here, &["stats", "a.corpus", "--json"]);
    assert_eq!(stats, json(here, &["stats", "demo", "--json"]), "the demo goes the way of any other article");
    assert_eq!(stats["articles_with_pairs"], 40);
    assert!(stats["statements"]["text_and_math"]["min"].as_f64().unwrap() >= 20.0);
    assert!(ok(here, &["stats", "a.corpus"]).contains("Math proportion"));
    assert!(ok(here, &["stats", "a.corpus", "--format", "latex"]).contains("\\toprule"));

    let shown = ok(here, &["show", "a.corpus", "demo.15#2"]);
    assert!(shown.contains("σ²") && shown.contains("ℙ("), "{shown}");
    assert!(!shown.contains('\x1b'), "no colours in a pipe");
    let found = json(here, &["show", "a.corpus", "finite variance mean", "--json"]);
    assert!(found["pairs"].as_array().unwrap().contains(&Value::from("demo.15#2")), "{found}");
}

#[test]
fn levels_change_names_and_say_which() {
    let folder = demo();
    let here = folder.path();
    let shown = ok(here, &["show", "a.corpus", "demo.15#2", "--level", "full"]);
    assert!(shown.contains("replaced: ") && shown.contains("kept: ℙ (double-struck)"), "{shown}");
    let protected = ok(here, &["show", "a.corpus", "demo.15#2", "--level", "full+p"]);
    assert!(protected.contains("σ (protected in the category)"), "{protected}");
    for level in ["conservation", "partial:0.3", "full", "transposition", "full+p", "full:disjoint"] {
        let audit = json(here, &["replace", "a.corpus", "--level", level, "--audit", "--json"]);
        assert_eq!(audit["total"]["collisions"], 0, "{level}");
        assert_eq!(audit["total"]["unexplained"], 0, "{level}");
        assert_eq!(audit["total"]["pairs"], 311, "{level}");
    }
    let reference =
        json(here, &["replace", "a.corpus", "--level", "full", "--compat", "reference", "--json"]);
    assert!(
        reference["total"]["unexplained"].as_u64().unwrap() > 0,
        "the reference leaks, and the audit shows it"
    );
}

#[test]
fn overlap_gives_nothing_away_at_full_and_avoidance_does() {
    let here = tempfile::tempdir().unwrap();
    let rows = json(here.path(), &["replace", "demo", "--audit", "--all", "--json"]);
    let of = |level: &str| rows.as_array().unwrap().iter().find(|row| row["level"] == level).unwrap().clone();
    let auc =
        |level: &str, of_what: &str, bound: &str| of(level)["overlap"][of_what][bound].as_f64().unwrap();
    for of_what in ["letters", "symbols"] {
        assert!(auc("full", of_what, "low") < 0.5 && auc("full", of_what, "high") > 0.5);
        assert!(auc("full:disjoint", of_what, "high") < 0.4);
        assert!(auc("conservation", of_what, "low") > 0.9);
    }
    let shortcut = |level: &str, field: &str| of(level)["shortcut"][field].as_f64().unwrap();
    let chance = shortcut("full", "chance");
    assert!(shortcut("full", "low") < chance + 1e-9 && shortcut("full", "high") > chance - 1e-9);
    assert!(shortcut("conservation", "low") > chance);
    let table = ok(here.path(), &["replace", "demo", "--level", "full", "--audit"]);
    assert!(table.contains("shared as with unrelated proofs") && table.contains("by chance"), "{table}");
}

#[test]
fn a_score_on_trained_pairs_says_so() {
    let folder = demo();
    let here = folder.path();
    let of = |more: &[&str]| {
        let arguments = [&["evaluate", "--run", "demo-conservation", "--decoder", "local"], more].concat();
        let output = matchbook(here, &arguments);
        (String::from_utf8(output.stdout).unwrap(), String::from_utf8(output.stderr).unwrap())
    };
    // The model was trained on the mixed split, whose train part has most pairs of the unmixed test part.
    let (table, warning) = of(&["--split", "unmixed"]);
    assert!(table.contains("  clean ") && warning.contains("warning: the model was trained on"), "{warning}");
    let (table, warning) = of(&[]);
    assert!(!table.contains("clean") && !warning.contains("warning"), "{warning}");
    let field = |more: &[&str]| -> Value {
        serde_json::from_str::<Value>(&of(&[more, &["--json"]].concat()).0).unwrap()["contamination"].clone()
    };
    assert_eq!(field(&["--split", "mixed"])["trained_on"], 0);
    assert_eq!(field(&["--part", "train"])["trained_on"], field(&["--part", "train"])["of"]);
    // The same pairs in another corpus, at another level and in another format.
    ok(here, &["export", "demo", "--level", "full", "--part", "train", "-o", "train.jsonl"]);
    ok(here, &["import", "train.jsonl", "-o", "again.corpus"]);
    let again = field(&["--corpus", "again.corpus", "--part", "test"]);
    assert!(again["trained_on"].as_u64().unwrap() + 1 >= again["of"].as_u64().unwrap(), "{again}");
}

#[test]
fn every_format_comes_back_as_it_went_out() {
    let folder = demo();
    let here = folder.path();
    for name in ["pairs.jsonl", "pairs.jsonl.zst", "pairs.parquet", "mixed_conservation_test"] {
        let part: &[&str] = if name.starts_with("mixed") { &["--part", "test"] } else { &[] };
        ok(here, &[&["export", "a.corpus", "-o", name], part].concat());
        ok(here, &["import", name, "-o", "b.corpus"]);
        let again = format!("again-{name}");
        let format = if name.starts_with("mixed") { &["--format", "match"][..] } else { &[] };
        ok(here, &[&["export", "b.corpus", "-o", &again], format].concat());
        assert!(fs::read(here.join(name)).unwrap() == fs::read(here.join(&again)).unwrap(), "{name}");
    }
    ok(here, &["export", "a.corpus", "-o", "pairs.csv"]);
    assert!(fs::read_to_string(here.join("pairs.csv")).unwrap().starts_with(",theory,proof,meta\n"));
    assert_eq!(ok(here, &["export", "a.corpus", "--format", "jsonl", "-o", "-"]).lines().count(), 311);
}

#[test]
fn released_parts_keep_their_split_and_their_bytes() {
    let folder = demo();
    let here = folder.path();
    let names = ["train", "dev", "test"].map(|part| format!("unmixed_conservation_{part}"));
    for (name, part) in names.iter().zip(["train", "dev", "test"]) {
        ok(here, &["export", "a.corpus", "--split", "unmixed", "--part", part, "-o", name]);
    }
    let files: Vec<&str> = names.iter().map(String::as_str).collect();
    ok(here, &[&["import", "-o", "b.corpus"], &files[..]].concat());
    for (name, part) in names.iter().zip(["train", "dev", "test"]) {
        ok(
            here,
            &["export", "b.corpus", "--split", "unmixed", "--part", part, "--format", "match", "-o", "again"],
        );
        assert!(fs::read(here.join(name)).unwrap() == fs::read(here.join("again")).unwrap(), "{name}");
    }
}

#[test]
fn splits_are_whole_and_unmixed_ones_do_not_share_articles() {
    let folder = demo();
    for answer in
        json(folder.path(), &["split", "a.corpus", "--seed", "7", "--leaks", "--json"]).as_array().unwrap()
    {
        let count = |part: &str| answer[part].as_u64().unwrap();
        assert_eq!(count("train") + count("dev") + count("test"), 311);
        let same_article = &answer["leaks"]["leaks"][0];
        let leaks =
            ["train_dev", "train_test", "dev_test"].map(|parts| same_article[parts].as_u64().unwrap());
        assert_eq!(leaks == [0; 3], answer["scheme"] == "unmixed", "{answer}");
    }
}

#[test]
fn generated_articles_give_the_pairs_they_promise() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    ok(here, &["synth", "load", "--pairs", "60", "--seed", "3", "--lean"]);
    let summary =
        json(here, &["extract", "load", "--metadata", "load/manifest.tsv", "-o", "a.corpus", "--json"]);
    assert_eq!(summary["pairs_kept"], 60);
    assert_eq!(summary["unreadable"], 0);
}

#[test]
fn mistakes_are_one_clear_line() {
    let folder = demo();
    let here = folder.path();
    fails(here, &["stats", "nowhere.corpus"], "nowhere.corpus");
    fails(here, &["stats", "articles"], "folder");
    fails(here, &["stats", "articles/manifest.tsv"], "not a corpus");
    fails(here, &["show", "a.corpus", "demo.15#200"], "demo.15#200");
    fails(here, &["extract", "nowhere", "-o", "b.corpus"], "nowhere");
    fails(here, &["export", "a.corpus", "-o", "pairs.xyz"], "--format");
    fails(here, &["import", "articles/manifest.tsv", "-o", "b.corpus"], "manifest.tsv");
    assert!(!here.join("b.corpus").exists());
    assert_eq!(matchbook(here, &["extract"]).status.code(), Some(2));
    assert_eq!(
        matchbook(here, &["show", "a.corpus", "demo.01#1", "--level", "nonsense"]).status.code(),
        Some(2)
    );
}

#[test]
fn baselines_find_proofs_until_the_symbols_are_replaced() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    let evaluate = |more: &[&str]| {
        json(here, &[&["evaluate", "--baseline", "tfidf", "--corpus", "demo", "--json"], more].concat())
    };
    let found = |answer: &Value, decoder: usize| answer["decoders"][decoder]["metrics"].clone();
    let plain = evaluate(&["--decoder", "local,global,sinkhorn,csls"]);
    assert_eq!(plain["verdicts"].as_array().unwrap().len(), 31);
    for (place, name) in ["local", "global", "sinkhorn", "csls"].iter().enumerate() {
        assert_eq!(plain["decoders"][place]["decoder"], *name);
        assert_eq!(found(&plain, place)["mrr"].is_f64(), *name != "global", "{name}");
        assert!(found(&plain, place)["accuracy"].as_f64().unwrap() > 0.8, "{name}");
    }
    let full = evaluate(&["--level", "full"]);
    let share = |answer: &Value| found(answer, 0)["accuracy"].as_f64().unwrap();
    assert!(share(&full) < 0.8 * share(&plain), "{} and {}", share(&full), share(&plain));
    assert!(found(&evaluate(&["--compat", "reference"]), 0) != found(&plain, 0));
    assert!(found(&evaluate(&["--input", "math", "--level", "full"]), 0) != found(&full, 0));
    let table =
        ok(here, &["evaluate", "--baseline", "dice", "--corpus", "demo", "--categories", "--lengths"]);
    assert!(
        table.contains(">=20 statements") && table.contains("math.NT") && table.contains("101-200"),
        "{table}"
    );
}

#[test]
fn several_methods_are_compared_at_all_levels() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    let methods = ["evaluate", "--baseline", "tfidf,dice", "--run", "demo-conservation", "--corpus", "demo"];
    let compare = |more: &[&'static str]| [&methods[..], &["--workspace", "work"], more].concat();
    let table = json(here, &compare(&["--level", "all", "--json"]));
    let (levels, rows) = (table["levels"].as_array().unwrap(), table["rows"].as_array().unwrap());
    assert_eq!(
        rows.iter().map(|row| row["method"].as_str().unwrap()).collect::<Vec<_>>(),
        ["tfidf", "dice", "demo-conservation"]
    );
    let full = levels.iter().position(|level| level == "full").unwrap();
    for row in rows {
        assert_eq!(row["cells"].as_array().unwrap().len(), levels.len());
        // the same numbers as of the method alone
        let method = row["method"].as_str().unwrap();
        let flag = if method.starts_with("demo") { "--run" } else { "--baseline" };
        let alone = [
            "evaluate",
            flag,
            method,
            "--corpus",
            "demo",
            "--level",
            "full",
            "--workspace",
            "work",
            "--json",
        ];
        let alone = json(here, &alone);
        let outcomes = row["cells"][full].as_array().unwrap();
        for (place, outcome) in outcomes.iter().enumerate() {
            let of_alone = &alone["decoders"][place];
            assert_eq!(outcome["decoder"], of_alone["decoder"]);
            assert_eq!(outcome["metrics"]["accuracy"], of_alone["metrics"]["accuracy"], "{method}");
        }
    }
    let printed = ok(here, &compare(&["--level", "conservation,full"]));
    assert!(printed.contains("local MRR") && printed.contains("tfidf finds "), "{printed}");
    let refused = matchbook(here, &compare(&["--level", "all", "--ranks", "ranks.tsv"]));
    assert_eq!(refused.status.code(), Some(1));
    assert!(!here.join("ranks.tsv").exists());
}

#[test]
fn rank_files_are_solved_and_evaluations_kept() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    let request =
        ["evaluate", "--baseline", "tfidf", "--corpus", "demo", "--part", "dev", "--level", "partial"];
    let outputs = ["--ranks", "ranks.tsv", "--keep", "--workspace", "work", "--json"];
    let answer = json(here, &[&request[..], &outputs[..]].concat());
    let kept: Vec<_> = fs::read_dir(here.join("work/evaluations")).unwrap().collect();
    let path = kept.into_iter().next().unwrap().unwrap().path();
    let printed: matchbook::matching::evaluation::Evaluation =
        serde_json::from_value(answer.clone()).unwrap();
    assert_eq!(matchbook::matching::evaluation::Evaluation::load(&path).unwrap(), printed);

    let summary = json(here, &["assign", "ranks.tsv", "-o", "assignment.tsv", "--json"]);
    let assigned = fs::read_to_string(here.join("assignment.tsv")).unwrap();
    assert_eq!(assigned, ok(here, &["assign", "ranks.tsv", "-o", "-"]));
    let value = answer["global"]["value"].as_f64().unwrap();
    assert!((summary["value"].as_f64().unwrap() - value).abs() < 1e-4, "{summary} {value}");
    let given: Vec<u64> =
        assigned.lines().map(|line| line.split('\t').nth(1).unwrap().parse().unwrap()).collect();
    let verdicts = answer["verdicts"].as_array().unwrap();
    assert!(given.iter().zip(verdicts).filter(|(given, verdict)| verdict["global"] == **given).count() > 25);

    let pair = verdicts.iter().find(|verdict| verdict["local"] != verdict["global"]).unwrap()["pair"].clone();
    let explained = ok(here, &[&request[..], &["--explain", pair.as_str().unwrap()]].concat());
    assert!(explained.contains("if it were assigned its preferred proof, at best:"), "{explained}");

    fs::write(here.join("bad.tsv"), "0\t1\tNaN\n").unwrap();
    fails(here, &["assign", "bad.tsv", "-o", "out.tsv"], "bad.tsv: line 1: the score `NaN` is not finite");
    fails(here, &["assign", "none.tsv", "-o", "out.tsv"], "cannot open none.tsv");
    fails(here, &[&request[..], &["--explain", "nowhere#1"]].concat(), "nowhere#1");
    assert!(!here.join("out.tsv").exists());
}

#[test]
fn requests_that_contradict_themselves_are_refused() {
    let folder = demo();
    let here = folder.path();
    let models = ["evaluate", "demo", "--run", "demo-conservation,demo-full"];
    fails(here, &models, "demo-conservation is evaluated at conservation and demo-full at full");
    fails(here, &["evaluate", "demo", "--baseline", "tfidf", "--run", "demo-full"], "without --level");
    let extract = ["extract", "articles", "--metadata", "articles/manifest.tsv", "-o"];
    fails(here, &[&extract[..], &["b.corpus", "--min", "30", "--max", "20"]].concat(), "--min 30 is more");
    fails(here, &[&extract[..], &["demo"]].concat(), "`demo` is the name of the embedded corpus");
    assert!(!here.join("demo").exists() && !here.join("b.corpus").exists());
    fails(here, &["export", "demo", "--notes", "-o", "pairs.csv"], "--notes needs --format jsonl");
    let split = matchbook(here, &["export", "demo", "--split", "unmixed", "-o", "pairs.jsonl"]);
    assert_eq!(split.status.code(), Some(2), "a split of no part");
    // A folder of that name does not hide the embedded corpus.
    fs::create_dir(here.join("demo")).unwrap();
    assert!(ok(here, &["stats", "demo"]).contains("311"));
    // A good corpus is not replaced by an empty one.
    let before = fs::read(here.join("a.corpus")).unwrap();
    fs::write(here.join("empty.jsonl"), "").unwrap();
    fails(here, &["import", "empty.jsonl", "-o", "a.corpus"], "no pair was found");
    assert!(fs::read(here.join("a.corpus")).unwrap() == before);
}

#[test]
fn every_command_has_help_with_an_example() {
    let folder = tempfile::tempdir().unwrap();
    let commands = [
        "extract",
        "import",
        "export",
        "stats",
        "show",
        "split",
        "replace",
        "demo",
        "synth",
        "bench",
        "open",
        "keys",
        "themes",
        "screens",
        "compare",
        "evaluate",
        "assign",
        "guide",
        "completions",
        "man",
    ];
    for command in commands {
        assert!(ok(folder.path(), &[command, "--help"]).contains("Example"), "{command}");
    }
}

#[test]
fn a_pair_of_ones_own_is_compared() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    fs::write(here.join("pair.txt"), "categories: math.PR\nLet $\\sigma > x$.\n---\nThen $\\sigma = x^2$.\n")
        .unwrap();
    let shown = ok(here, &["compare", "pair.txt", "--level", "full+p"]);
    assert!(shown.contains("Let σ > x.") && shown.contains("kept: σ (protected in the category)"), "{shown}");
    fs::write(here.join("bad.txt"), "no proof").unwrap();
    fails(here, &["compare", "bad.txt"], "line of dashes");
    fails(here, &["compare", "nothing.txt"], "nothing.txt");
}

#[test]
fn a_pair_is_shown_as_its_article_has_it_while_that_is_there() {
    let folder = demo();
    let here = folder.path();
    let shown = ok(here, &["show", "a.corpus", "demo.15#2", "--form", "xhtml"]);
    assert!(shown.starts_with('<') && shown.contains("proof"), "{shown}");
    assert_eq!(shown, ok(here, &["show", "demo", "demo.15#2", "--form", "xhtml"]));
    fs::remove_dir_all(here.join("articles")).unwrap();
    fails(here, &["show", "a.corpus", "demo.15#2", "--form", "xhtml"], "no longer exists");
}
