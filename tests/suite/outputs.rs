//! No command writes over what it reads, under whatever name.

use std::{fs, path::Path};

use crate::support::TestDir;

/// A folder with a corpus, ranks, metadata and a report.
fn place() -> TestDir {
    let dir = TestDir::new();
    dir.write_demo(6);
    dir.extract(&["articles"], &[]);
    dir.write("meta.tsv", "file\tcategories\ttitle\n");
    let ranks =
        dir.run(&["evaluate", "--baseline", "tfidf", "--corpus", "out.corpus", "--ranks", "ranks.tsv"]);
    assert_eq!(ranks.code, Some(0), "{ranks:?}");
    #[cfg(unix)]
    for (link, target) in [("soft", "out.corpus"), ("soft-ranks", "ranks.tsv")] {
        std::os::unix::fs::symlink(target, dir.path(link)).unwrap();
        fs::hard_link(dir.path(target), dir.path(format!("{link}-hard"))).unwrap();
    }
    dir
}

#[test]
fn outputs_are_never_inputs() {
    let dir = place();
    let article = fs::read_dir(dir.path("articles")).unwrap().next().unwrap().unwrap().path();
    let article = Path::new("articles").join(article.file_name().unwrap()).display().to_string();
    let before = dir.listing();
    let tfidf = |output: &[&'static str]| {
        [&["evaluate", "--baseline", "tfidf", "--corpus", "out.corpus"], output].concat()
    };
    let extract = |input: &'static str, more: &[&str]| -> Vec<String> {
        [&["extract", input], more].concat().into_iter().map(str::to_owned).collect()
    };
    let mut commands: Vec<Vec<String>> = [
        vec!["export", "out.corpus", "-o", "out.corpus", "--format", "jsonl"],
        vec!["export", "out.corpus", "-o", "./articles/../out.corpus", "--format", "csv"],
        vec!["export", "demo", "-o", "out.corpus", "--format", "jsonl"],
        vec!["import", "ranks.tsv", "-o", "ranks.tsv"],
        vec!["assign", "ranks.tsv", "-o", "./ranks.tsv"],
        tfidf(&["--ranks", "out.corpus"]),
        tfidf(&["--save", "out.corpus"]),
        tfidf(&["--ranks", "new", "--save", "./new"]),
    ]
    .into_iter()
    .map(|words| words.into_iter().map(str::to_owned).collect())
    .collect();
    commands.push(extract("articles", &["-o", "new.corpus", "--report", &article]));
    commands
        .push(extract("articles", &["-o", "new.corpus", "--metadata", "meta.tsv", "--report", "meta.tsv"]));
    commands.push(extract("articles", &["-o", "new.corpus", "--report", "new.corpus"]));
    commands.push(extract("articles", &["-o", "new.corpus", "--report", "out.corpus"]));
    #[cfg(unix)]
    for words in [
        ["export", "out.corpus", "-o", "soft", "--format", "jsonl"].to_vec(),
        ["export", "soft", "-o", "soft-hard", "--format", "jsonl"].to_vec(),
        ["assign", "soft-ranks", "-o", "soft-ranks-hard"].to_vec(),
        tfidf(&["--ranks", "soft"]),
        ["extract", "articles", "-o", "new.corpus", "--report", "soft"].to_vec(),
        ["extract", "articles", "-o", "new.corpus", "--report", "soft-hard"].to_vec(),
    ] {
        commands.push(words.into_iter().map(str::to_owned).collect());
    }
    for words in &commands {
        let answer = dir.run(words);
        answer.fails_with("choose another name");
        assert_eq!(dir.changes(&before), Vec::<String>::new(), "{words:?}");
    }
}

/// Through a link: a defect replaces the link and not the machine's device.
#[test]
#[cfg(unix)]
fn a_device_is_written_to_and_not_replaced() {
    let dir = place();
    std::os::unix::fs::symlink("/dev/null", dir.path("null")).unwrap();
    for words in [
        vec!["export", "out.corpus", "-o", "null", "--format", "jsonl"],
        vec!["assign", "ranks.tsv", "-o", "null"],
        vec!["extract", "articles", "-o", "new.corpus", "--report", "null"],
    ] {
        let answer = dir.run(&words);
        assert_eq!(answer.code, Some(0), "{answer:?}");
    }
    assert!(dir.path("null").is_symlink());
}

#[test]
fn the_demo_does_not_overwrite_files_of_the_user() {
    let dir = TestDir::new();
    dir.write("mine/manifest.tsv", "my own");
    dir.run(&["demo", "mine"]).fails_with("already exists and is not from the demo");
    assert_eq!(fs::read_to_string(dir.path("mine/manifest.tsv")).unwrap(), "my own");
    for _ in 0..2 {
        assert_eq!(dir.run(&["demo", "new"]).code, Some(0));
    }
}

/// A wrong path or a damaged archive must not cost a good corpus.
#[test]
fn an_extraction_that_reads_nothing_keeps_the_old_corpus() {
    let dir = place();
    dir.write("empty/readme.txt", "no article");
    dir.write("bad/one.html", "");
    let corpus = fs::read(dir.path("out.corpus")).unwrap();
    for input in ["empty", "bad"] {
        let answer = dir.run(&["extract", input, "-o", "out.corpus", "--report", "why.tsv"]);
        answer.fails_with("no article could be read, so no corpus was written");
        assert_eq!(fs::read(dir.path("out.corpus")).unwrap(), corpus);
    }
    let report = fs::read_to_string(dir.path("why.tsv")).unwrap();
    assert!(report.contains("one.html\t0\t0\tthe file is empty"), "{report}");
}

/// Every other command with an output: each finds a corpus in its place.
#[test]
fn no_picture_table_or_page_replaces_a_corpus() {
    let dir = place();
    let run = |words: &[&str]| {
        let mut command = dir.command(words);
        command.env("MATCHBOOK_WORKSPACE", dir.path("work"));
        crate::support::finish(command)
    };
    let train =
        ["train", "out.corpus", "--run", "r", "--encoder", "npt", "--preset", "tiny", "--epochs", "1"];
    let trained = run(&[&train[..], &["--split", "mixed", "--width", "8"]].concat());
    assert_eq!(trained.code, Some(0), "{trained:?}");
    dir.write(
        "r.jsonl",
        "{\"matchbook-recording\":1,\"size\":{\"width\":80,\"height\":24}}\n{\"at\":1,\"screen\":\"one\"}\n",
    );
    let corpus = fs::read(dir.path("out.corpus")).unwrap();
    let heatmap = ["explain", "--run", "demo-full", "--pair", "demo.01#1", "--method", "gradients"];
    for (name, words) in [
        ("chart.svg", &["curves", "r", "-o", "chart.svg"][..]),
        ("heat.html", &[&heatmap[..], &["--export", "html", "-o", "heat.html"]].concat()),
        ("pictures/one.svg", &["screens", "r.jsonl", "-o", "pictures"]),
        ("tables/main.md", &["study", "main", "demo", "--show", "--output", "tables"]),
        ("new.tsv", &["match", "out.corpus", "out.corpus", "-o", "new.tsv"]),
        ("rest.tsv", &["match", "out.corpus", "out.corpus", "-o", "other.tsv", "--unmatched", "rest.tsv"]),
        ("page.html", &["report", "r", "-o", "page.html"]),
        ("table.tex", &["runs", "table", "--rows", "level", "-o", "table.tex"]),
    ] {
        let path = dir.write(name, &corpus);
        let answer = run(words);
        assert!(fs::read(path).unwrap() == corpus, "{words:?}: {answer:?}");
        assert!(matches!(answer.code, Some(1 | 2)), "{words:?}: {answer:?}");
    }
}
