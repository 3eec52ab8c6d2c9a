//! `find`, `match` and `duplicates`, as a user runs them.

use std::{collections::HashMap, fs, io::Write, process::Stdio, time::Duration};

use serde_json::{Value, json};

use crate::support::{CommandOutput, TestDir, python, wait};

fn dir() -> TestDir {
    let dir = TestDir::new();
    let demo = dir.run(&["demo", "articles/demo"]);
    assert_eq!(demo.code, Some(0), "{demo:?}");
    let extracted = dir.run(&["extract", "articles/demo", "-o", "demo.corpus"]);
    assert_eq!(extracted.code, Some(0), "{extracted:?}");
    dir
}

fn run(dir: &TestDir, arguments: &[&str], input: &str) -> CommandOutput {
    let mut command = dir.command(arguments);
    command.env("MATCHBOOK_WORKSPACE", dir.path("workspace"));
    let mut child =
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let input = input.to_owned();
    // A command that refuses its arguments does not read its input.
    let writer = std::thread::spawn(move || drop(stdin.write_all(input.as_bytes())));
    let output = wait(child, Duration::from_secs(120));
    writer.join().unwrap();
    output
}

fn json_of(output: &CommandOutput) -> Value {
    assert_eq!(output.code, Some(0), "{output:?}");
    serde_json::from_str(&output.out).unwrap()
}

/// Ranks of the test part by `evaluate`, and by `find` with the statements of its pairs.
pub fn ranks(dir: &TestDir, corpus: &str, evaluate: &[&str], find: &[&str]) -> [HashMap<String, u64>; 2] {
    let arguments: Vec<&str> = [
        &[
            "evaluate",
            "--corpus",
            corpus,
            "--part",
            "test",
            "--level",
            "conservation",
            "--decoder",
            "local",
            "--json",
        ],
        evaluate,
    ]
    .concat();
    let evaluated = json_of(&run(dir, &arguments, ""));
    let verdicts = evaluated["verdicts"].as_array().unwrap();
    let expected: HashMap<String, u64> = verdicts
        .iter()
        .map(|verdict| (verdict["pair"].as_str().unwrap().to_owned(), verdict["rank"].as_u64().unwrap()))
        .collect();
    let questions: String =
        expected.keys().map(|id| format!("{}\n", json!({ "like": id, "name": id }))).collect();
    let arguments: Vec<&str> = [&["find", corpus, "--batch", "--part", "test"], find].concat();
    let answers = run(dir, &arguments, &questions);
    assert_eq!(answers.code, Some(0), "{answers:?}");
    let found: HashMap<String, u64> = answers
        .out
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap())
        .map(|answer| {
            let name = answer["name"].as_str().unwrap().to_owned();
            (name, answer["own"]["rank"].as_u64().unwrap_or_else(|| panic!("{answer}")))
        })
        .collect();
    [expected, found]
}

#[test]
fn ranks_are_those_of_an_evaluation() {
    let dir = dir();
    for (evaluate, find) in [
        (&["--baseline", "tfidf", "--symbols", "renamed"][..], &[][..]),
        (&["--baseline", "tfidf", "--split", "unmixed"], &["--literal", "--split", "unmixed"]),
        (&["--baseline", "dice"], &["--baseline", "dice"]),
        (&["--run", "demo-conservation", "--split", "mixed"], &["--run", "demo-conservation"]),
    ] {
        let [expected, found] = ranks(&dir, "demo.corpus", evaluate, find);
        assert!(expected.len() > 20);
        assert_eq!(found, expected, "{find:?}");
    }
}

#[test]
fn an_index_is_built_once_and_never_stale() {
    let dir = dir();
    let search = ["find", "demo.corpus", "--like", "demo.01#1", "--json"];
    let first = run(&dir, &search, "");
    let index = dir.path("demo.corpus.index/tfidf-renamed.idx");
    let built = fs::metadata(&index).unwrap().modified().unwrap();
    let again = run(&dir, &search, "");
    assert_eq!(first.out, again.out);
    assert_eq!(fs::metadata(&index).unwrap().modified().unwrap(), built);
    // A damaged index is built again.
    let whole = fs::read(&index).unwrap();
    for damaged in [&whole[..whole.len() / 2], b"", b"MATCHIDX nonsense"] {
        fs::write(&index, damaged).unwrap();
        assert_eq!(run(&dir, &search, "").out, first.out);
        assert_eq!(fs::read(&index).unwrap(), whole);
    }
    // Flipped bits in what a search reads are noticed, the index is removed, and the next search builds it again.
    let mut noticed = 0;
    for part in 0..8 {
        let mut flipped = whole.clone();
        let range = whole.len() * part / 8..whole.len() * (part + 1) / 8;
        flipped[range].iter_mut().step_by(500).for_each(|byte| *byte ^= 4);
        fs::write(&index, &flipped).unwrap();
        let answer = run(&dir, &search, "");
        if answer.code == Some(0) {
            assert_eq!(answer.out, first.out);
            continue;
        }
        noticed += 1;
        answer.fails_with("the index is damaged: part of it was changed; search again");
        assert_eq!(run(&dir, &search, "").out, first.out);
        assert_eq!(fs::read(&index).unwrap(), whole);
    }
    assert!(noticed > 1, "{noticed}");
    // So is the index of another corpus under the same name.
    let shorter = dir.run(&["extract", "articles/demo/demo.01.xhtml", "-o", "other.corpus"]);
    if shorter.code == Some(0) {
        fs::rename(dir.path("other.corpus"), dir.path("demo.corpus")).unwrap();
        let found = json_of(&run(&dir, &search, ""));
        assert!(found["candidates"].as_u64().unwrap() < 20, "{found}");
    }
    assert!(!dir.path("demo.corpus.index/tfidf-renamed.building").exists());
}

#[test]
#[cfg(unix)]
fn a_corpus_in_a_read_only_folder_is_searched() {
    use std::os::unix::fs::PermissionsExt;
    let dir = dir();
    fs::create_dir(dir.path("locked")).unwrap();
    fs::rename(dir.path("demo.corpus"), dir.path("locked/demo.corpus")).unwrap();
    let lock = |mode| fs::set_permissions(dir.path("locked"), fs::Permissions::from_mode(mode)).unwrap();
    lock(0o555);
    let search = ["find", "locked/demo.corpus", "--like", "demo.01#1", "--json"];
    let found = run(&dir, &search, "");
    // The superuser may write anywhere.
    let is_locked = fs::write(dir.path("locked/probe"), "").is_err();
    lock(0o755);
    let index = json_of(&found)["index"].as_str().unwrap().to_owned();
    assert!(!is_locked || index.contains("workspace"), "{index}");
    // Neither folder can be written: a file is where the workspace should be.
    lock(0o555);
    fs::write(dir.path("file"), "").unwrap();
    let mut command = dir.command(&search);
    command.env("MATCHBOOK_WORKSPACE", dir.path("file"));
    let answer = crate::support::finish(command);
    lock(0o755);
    let document = json_of(&answer);
    assert_eq!(document["results"][0]["rank"], 1);
    assert!(!is_locked || (document["index"].is_null() && answer.error.contains("memory")), "{answer:?}");
}

#[test]
fn hostile_statements_get_a_clear_answer() {
    let dir = TestDir::new();
    for empty in ["", "   ", "\n\t"] {
        run(&dir, &["find", "demo", empty], "").fails_with("the statement is empty");
        run(&dir, &["find", "demo", "-"], empty).fails_with("the statement is empty");
    }
    run(&dir, &["find", "demo", "!!! ??? ..."], "").fails_with("no word and no symbol");
    run(&dir, &["find", "demo", "zzxqj wqxyzzy"], "").fails_with("nothing in common");
    run(&dir, &["find", "demo", "--like", "demo.01#99"], "").fails_with("no pair demo.01#99");
    run(&dir, &["find", "demo", "compact", "--category", "math.XX"], "").fails_with("matches the filters");
    run(&dir, &["find", "nowhere.corpus", "compact"], "").fails_with("nowhere.corpus");
    run(&dir, &["find", "demo", "compact", "--run", "nothing"], "").fails_with("no run nothing");
    // Broken TeX, symbols only, control characters and invalid UTF-8 are statements too.
    for odd in
        ["Let $x \\frac{1 be \\begin{", "$x \\in X$", "$$$ \\( $x^{2$ compact", "compact \u{1b}[31m\0 space"]
    {
        let found = run(&dir, &["find", "demo", "-", "--json"], odd);
        assert!(!json_of(&found)["results"].as_array().unwrap().is_empty(), "{odd}");
    }
    let long = "Let $G$ be a compact group. ".repeat(40_000);
    assert!(long.len() > 1 << 20);
    assert_eq!(
        json_of(&run(&dir, &["find", "demo", "-", "--json"], &long))["results"].as_array().unwrap().len(),
        10
    );
    let longer = "compact ".repeat(600_000);
    run(&dir, &["find", "demo", "-"], &longer).fails_with("at most");
}

/// The look-ups of the guide's chapter: statements of the demo with other letters find their pairs first.
#[test]
fn the_look_ups_of_the_guide_find_their_proofs() {
    let guide = include_str!("../../assets/guide/find.md");
    let dir = TestDir::new();
    let look_ups: Vec<&str> = guide
        .lines()
        .filter_map(|line| line.strip_prefix("matchbook find demo --k 1 '")?.strip_suffix('\''))
        .collect();
    let expected: Vec<&str> = guide
        .lines()
        .filter(|line| line.starts_with("demo.") && line.contains('#'))
        .filter_map(|line| line.split_whitespace().next())
        .collect();
    assert_eq!((look_ups.len(), expected.len()), (10, 10));
    let lines: String = look_ups.iter().map(|text| format!("{}\n", json!({ "text": text }))).collect();
    let answers = run(&dir, &["find", "demo", "--batch", "--k", "1"], &lines);
    let found: Vec<String> = answers
        .out
        .lines()
        .map(|line| {
            serde_json::from_str::<Value>(line).unwrap()["results"][0]["id"].as_str().unwrap().to_owned()
        })
        .collect();
    assert_eq!(found, expected);
}

#[test]
fn a_batch_answers_every_line() {
    let dir = TestDir::new();
    let lines = "{\"text\": \"Let $X$ be compact\", \"name\": 7}\n\nnonsense\n\"closed subsets of a compact space\"\n\
                 {\"like\": \"demo.01#1\"}\n{\"like\": \"gone#1\"}\n{\"text\": \"\"}\n{}\n";
    let answers = run(&dir, &["find", "demo", "--batch", "--k", "2"], lines);
    assert_eq!(answers.code, Some(0), "{answers:?}");
    let answers: Vec<Value> = answers.out.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let numbers: Vec<u64> = answers.iter().map(|answer| answer["line"].as_u64().unwrap()).collect();
    assert_eq!(numbers, [1, 3, 4, 5, 6, 7, 8]);
    assert_eq!((&answers[0]["name"], answers[0]["results"].as_array().unwrap().len()), (&json!(7), 2));
    for (answer, words) in
        [(1, "not a query"), (4, "no pair gone#1"), (5, "is empty"), (6, "either `text` or `like`")]
    {
        assert!(answers[answer]["error"].as_str().unwrap().contains(words), "{}", answers[answer]);
    }
    assert_eq!(answers[3]["own"]["rank"], 1);
}

/// Words of all texts have no weight.
#[test]
fn a_corpus_of_one_pair_says_why_it_finds_nothing() {
    let dir = TestDir::new();
    let line = "{\"id\": \"a.1#1\", \"statement\": \"Let $R$ be a Noetherian ring\", \"proof\": \"The ring $R$ is Noetherian\"}\n";
    dir.write("one.jsonl", line);
    assert_eq!(dir.run(&["import", "one.jsonl", "-o", "one.corpus"]).code, Some(0));
    let proofs = run(&dir, &["find", "one.corpus", "Noetherian ring", "--in", "proofs"], "");
    proofs.fails_with("in every text of the corpus");
    run(&dir, &["find", "one.corpus", "compact"], "").fails_with("nothing in common");
    let found = run(&dir, &["find", "one.corpus", "Noetherian ring", "--baseline", "dice"], "");
    assert!(found.code == Some(0) && found.out.contains("a.1#1"), "{found:?}");
}

#[test]
fn filters_restrict_the_candidates() {
    let dir = TestDir::new();
    let found = |more: &[&str]| {
        let arguments = [&["find", "demo", "every compact set is closed", "--json"], more].concat();
        json_of(&run(&dir, &arguments, ""))
    };
    let all = found(&[]);
    let topology = found(&["--category", "math.GN"]);
    assert!(topology["candidates"].as_u64() < all["candidates"].as_u64());
    let results = topology["results"].as_array().unwrap();
    assert!(results.iter().all(|result| result["category"] == "math.GN"), "{topology}");
    let article = found(&["--article", "demo.28"]);
    let results = article["results"].as_array().unwrap();
    assert!(results.iter().all(|result| result["id"].as_str().unwrap().starts_with("demo.28#")));
    let lemmas = found(&["--kind", "lemma,theorem"]);
    let results = lemmas["results"].as_array().unwrap();
    assert!(results.iter().all(|result| ["lemma", "theorem"].contains(&result["kind"].as_str().unwrap())));
    run(&dir, &["find", "demo", "compact", "--year", "2007"], "").fails_with("matches the filters");
    let statements = found(&["--in", "statements"]);
    assert!(statements["results"].as_array().unwrap().iter().all(|result| result["side"] == "statement"));
}

#[test]
fn collections_are_matched_and_strangers_are_left_alone() {
    let dir = dir();
    let arguments = [
        "match",
        "demo.corpus",
        "demo.corpus",
        "--hide",
        "0.5",
        "-o",
        "out.tsv",
        "--unmatched",
        "left.tsv",
        "--json",
    ];
    let summary = json_of(&run(&dir, &arguments, ""));
    let lines = fs::read_to_string(dir.path("out.tsv")).unwrap();
    assert_eq!(lines.lines().count() as u64, 1 + summary["statements"].as_u64().unwrap());
    let left = fs::read_to_string(dir.path("left.tsv")).unwrap().lines().count() as u64 - 1;
    let unmatched = |side: &str| summary[format!("unmatched_{side}")].as_u64().unwrap();
    assert_eq!(left, unmatched("statements") + unmatched("proofs"));
    let measured = summary["measured"].as_array().unwrap();
    let accuracy = |place: usize| measured[place]["accuracy"].as_f64().unwrap();
    assert!(accuracy(0) > accuracy(1) && accuracy(0) > accuracy(2), "{summary}");
    assert_eq!((&measured[1]["none_recall"], &measured[1]["none_precision"]), (&json!(0.0), &Value::Null));
    // Typed statements against the demo's proofs, as JSON Lines.
    let lines = "{\"id\": \"mine\", \"text\": \"Let $f : A \\\\to B$ be a continuous map from a compact space $A$ to a Hausdorff \
                 space $B$. Then $f(C)$ is closed in $B$ for every closed $C \\\\subseteq A$.\"}\n{\"id\": \"other\", \"statement\": \"$q$\"}\n";
    let file = dir.write("some.jsonl", lines);
    let answer = run(&dir, &["match", "some.jsonl", "demo", "-o", "out.jsonl"], "");
    assert_eq!(answer.code, Some(0), "{answer:?}");
    let found = fs::read_to_string(dir.path("out.jsonl")).unwrap();
    let first: Value = serde_json::from_str(found.lines().next().unwrap()).unwrap();
    assert_eq!((&first["statement"], &first["best"]), (&json!("mine"), &json!("demo.28#6")), "{found}");
    // Inputs are never overwritten.
    run(&dir, &["match", "some.jsonl", "demo", "-o", "some.jsonl"], "").fails_with("would be overwritten");
    assert_eq!(fs::read_to_string(file).unwrap(), lines);
}

/// The threshold must know how many candidates there are, and that there may be no right one at all.
#[test]
fn strangers_are_left_alone_whatever_the_sizes() {
    let dir = dir();
    let parts =
        json_of(&run(&dir, &["match", "demo", "demo", "--part", "dev", "-o", "dev.tsv", "--json"], ""));
    assert!(
        parts["matched"].as_u64() > Some(0) && parts["measured"][0]["none_recall"] == Value::Null,
        "{parts}"
    );
    let statements = dir.run(&["export", "demo", "--format", "jsonl", "-o", "all.jsonl"]);
    assert_eq!(statements.code, Some(0), "{statements:?}");
    let all = fs::read_to_string(dir.path("all.jsonl")).unwrap();
    let articles = |range: std::ops::Range<u32>| -> String {
        let is_one =
            |line: &&str| range.clone().any(|article| line.contains(&format!("\"demo.{article:02}#")));
        all.lines().filter(is_one).map(|line| format!("{line}\n")).collect()
    };
    dir.write("some.jsonl", articles(1..9));
    dir.write("others.jsonl", articles(9..40));
    for decoder in ["local", "global"] {
        let arguments =
            ["match", "some.jsonl", "others.jsonl", "--decoder", decoder, "-o", "out.tsv", "--json"];
        let summary = json_of(&run(&dir, &arguments, ""));
        let (matched, statements) =
            (summary["matched"].as_u64().unwrap(), summary["statements"].as_u64().unwrap());
        assert!(statements > 40 && 10 * matched <= statements, "{decoder}: {summary}");
        assert!(summary["strangers"].as_f64() > Some(0.7), "{summary}");
    }
}

#[test]
fn the_input_and_output_of_matching_are_checked() {
    let dir = TestDir::new();
    let lines = "{\"id\": \"some\", \"text\": \"every Sylow $p$-subgroup is a $p$-group\"}\n{\"id\": \"none\", \"text\": \"\"}\n";
    dir.write("some.jsonl", lines);
    let answer = run(&dir, &["match", "some.jsonl", "demo", "-o", "-"], "");
    assert_eq!((answer.code, answer.out.lines().count()), (Some(0), 3), "{answer:?}");
    assert!(answer.out.ends_with("none\t\t1.0000\t\t\t\n"), "{answer:?}");
    assert!(answer.error.contains("1 statement without text stays unmatched"), "{answer:?}");
    assert!(!dir.path("-").exists());
    let json = run(&dir, &["match", "some.jsonl", "demo", "-o", "-", "--format", "jsonl"], "");
    let last: Value = serde_json::from_str(json.out.lines().last().unwrap()).unwrap();
    assert_eq!(
        (&last["statement"], &last["proof"], &last["confidence"]),
        (&json!("none"), &Value::Null, &json!(1.0))
    );
    run(&dir, &["match", "some.jsonl", "demo", "-o", "-", "--json"], "")
        .fails_with("both need standard output");
    let absurd = run(&dir, &["match", "some.jsonl", "demo", "-o", "a", "--hide", "NaN"], "");
    assert!(absurd.code == Some(2) && absurd.error.contains("--hide"), "{absurd:?}");
    dir.write("some.jsonl", lines.replace("none", "some"));
    run(&dir, &["match", "some.jsonl", "demo", "-o", "a"], "")
        .fails_with("its id `some` is already used on line 1");
    let known =
        run(&dir, &["match", "demo", "demo", "--part", "train", "--run", "demo-full", "-o", "a.tsv"], "");
    assert!(known.code == Some(0) && known.error.contains("the model was trained on"), "{known:?}");
}

#[test]
fn duplicates_are_found_up_to_renaming() {
    let dir = TestDir::new();
    let words = "we suppose that the following estimate holds for all points of the space";
    let pair = |id: &str, letters: [&str; 3]| {
        let [a, b, c] = letters;
        let formula = format!("{a} + {b} = {c}");
        json!({
            "id": id,
            "statement": {"runs": [["text", words], ["math", formula], ["text", "and nothing else is assumed here"]]},
            "proof": format!("This is the proof of {id}, which is like no other proof in these files."),
        })
    };
    let lines = [pair("a#1", ["x", "y", "z"]), pair("b#1", ["p", "q", "r"]), pair("c#1", ["p", "q", "p"])];
    dir.write("pairs.jsonl", lines.map(|line| format!("{line}\n")).concat());
    assert_eq!(dir.run(&["import", "pairs.jsonl", "-o", "pairs.corpus"]).code, Some(0));
    let found = json_of(&run(&dir, &["duplicates", "pairs.corpus", "--in", "statements", "--json"], ""));
    let list = found["duplicates"].as_array().unwrap();
    assert_eq!(
        (&list[0]["id"], &list[0]["twin"], &list[0]["similarity"]),
        (&json!("b#1"), &json!("a#1"), &json!(1.0))
    );
    let literal = json_of(&run(
        &dir,
        &["duplicates", "pairs.corpus", "--in", "statements", "--literal", "--similarity", "1", "--json"],
        "",
    ));
    assert_eq!(literal["duplicates"], json!([]));
}

/// Exact searches find what scikit-learn and FAISS find in the same vectors; `bench find` fails if they do not.
#[test]
fn other_programs_find_the_same() {
    let dir = dir();
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/peers/find_exact.py");
    let Some(python) = python::with("the comparison of searches", &["sklearn", "faiss"]) else { return };
    for more in [&["--width", "40"][..], &["--run", "demo-conservation"]] {
        let peer = format!("{} {script}", python.display());
        let arguments =
            ["bench", "find", "--corpus", "demo.corpus", "--rounds", "1", "--json", "--peer", peer.as_str()];
        let measured = json_of(&run(&dir, &[&arguments[..], more].concat(), ""));
        for side in ["agreement_sparse", "agreement_dense"] {
            assert_eq!(measured[side]["same_scores"], 1.0, "{measured}");
        }
        assert_eq!(measured["queries"], 100, "{measured}");
    }
}
