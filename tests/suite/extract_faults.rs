//! Whatever happens to the program, a corpus is whole or absent; whatever happens to a corpus, it is reported in
//! one line.

#![cfg(unix)]

use std::{
    ffi::OsStr,
    fs,
    io::Read,
    process::{Child, Command, Stdio},
    thread,
    time::{Duration, Instant},
};

use crate::support::{CommandOutput, TestDir, demo, many, packing, peak_memory, program, wait};
use matchbook::{
    base::task::CancelToken,
    corpus::{
        readable,
        statistics::Statistics,
        store::{Filter, Query, Store, StoreError},
    },
};

const EXTRACT: [&str; 4] = ["extract", "articles", "-o", "out.corpus"];

/// A place with many articles and a small corpus that was there before.
fn prepared(articles: usize) -> TestDir {
    let dir = TestDir::new();
    dir.write("small.html", &demo()[0].1);
    assert_eq!(dir.run(&["extract", "small.html", "-o", "out.corpus"]).code, Some(0));
    for (name, content) in many(articles) {
        dir.write(format!("articles/{name}"), content);
    }
    dir
}

fn start(mut command: Command) -> Child {
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
}

fn signal(child: &Child, name: &str) {
    Command::new("kill").args([&format!("-{name}"), &child.id().to_string()]).status().unwrap();
}

fn unfinished(dir: &TestDir) -> Vec<String> {
    let names = dir.listing().into_keys().map(|path| path.display().to_string());
    names.filter(|name| name.contains("unfinished")).collect()
}

#[test]
fn killed_at_any_moment() {
    for had_corpus in [true, false] {
        let dir = prepared(40);
        let old = fs::read(dir.path("out.corpus")).unwrap();
        let begin = Instant::now();
        assert_eq!(dir.run(&["extract", "articles", "-o", "whole.corpus"]).code, Some(0));
        let whole = begin.elapsed();
        let expected = dir.export("whole.corpus");
        let mut was_stale = false;
        for moment in 0..10 {
            match had_corpus {
                true => fs::write(dir.path("out.corpus"), &old).unwrap(),
                false => drop(fs::remove_file(dir.path("out.corpus"))),
            }
            let mut child = start(dir.command(&EXTRACT));
            thread::sleep(whole * moment / 9);
            child.kill().unwrap();
            child.wait().unwrap();
            was_stale |= !unfinished(&dir).is_empty();
            assert!(unfinished(&dir).len() <= 1, "what the one before left is not removed");
            match fs::read(dir.path("out.corpus")) {
                Ok(found) if had_corpus && found == old => {}
                Ok(_) => assert!(dir.export("out.corpus") == expected, "killed after {moment}/9"),
                Err(_) => assert!(!had_corpus, "the old corpus is gone after {moment}/9"),
            }
        }
        assert!(was_stale, "it was never killed while it wrote");
        assert_eq!(dir.run(&EXTRACT).code, Some(0));
        assert_eq!(unfinished(&dir), [""; 0]);
        assert!(dir.export("out.corpus") == expected);
    }
}

#[test]
fn stopped_by_a_signal() {
    for (name, input) in
        [("INT", "articles"), ("TERM", "articles"), ("INT", "articles.tar"), ("TERM", "articles.tar")]
    {
        let dir = prepared(600);
        dir.write("articles.tar", packing::tar(&many(600).collect::<Vec<_>>()));
        let (before, old) = (dir.listing(), fs::read(dir.path("out.corpus")).unwrap());
        // The moment at which the file appears, and a later one.
        for delay in [0, 60] {
            // On a busy machine an extraction may end before the signal is sent; then it is not the one to look at.
            let interrupted = (0..5).find_map(|_| {
                let mut child = start(dir.command(&["extract", input, "-o", "out.corpus", "--threads", "1"]));
                while unfinished(&dir).is_empty() && child.try_wait().unwrap().is_none() {
                    thread::sleep(Duration::from_millis(1));
                }
                thread::sleep(Duration::from_millis(delay));
                if child.try_wait().unwrap().is_none() {
                    signal(&child, name);
                    let begin = Instant::now();
                    let answer = wait(child, Duration::from_secs(20));
                    if answer.code != Some(0) {
                        return Some((answer, begin));
                    }
                }
                fs::write(dir.path("out.corpus"), &old).unwrap();
                None
            });
            let (answer, begin) = interrupted.expect("one of five extractions is interrupted");
            answer.fails_with("stopped; no corpus was written, and an existing one is unchanged");
            assert!(begin.elapsed() < Duration::from_secs(2), "{name} {:?}", begin.elapsed());
            assert_eq!(dir.changes(&before), [""; 0], "{name}");
        }
    }
}

/// A shell that limits what the program may do, and then becomes the program.
fn limited(dir: &TestDir, limit: &str, arguments: &[&str]) -> CommandOutput {
    let mut command = Command::new("sh");
    // SIGXFSZ would end the program; while it is ignored, the write fails instead.
    command.args(["-c", &format!("trap '' XFSZ; ulimit {limit} || exit 99; exec \"$0\" \"$@\"")]);
    let program = dir.command(arguments);
    command.arg(program.get_program()).args(program.get_args());
    command.current_dir(dir.path("")).env("TMPDIR", dir.path("temporary"));
    crate::support::finish(command)
}

#[test]
fn a_full_disk() {
    let dir = prepared(12);
    dir.write("articles.tar", packing::tar(&many(60).collect::<Vec<_>>()));
    let before = dir.listing();
    // In blocks of half a kilobyte or a whole one, as the shell pleases.
    for blocks in [0, 1, 40, 100, 200, 400, 600] {
        let limit = format!("-f {blocks}");
        for arguments in [&EXTRACT[..], &["extract", "articles.tar", "-o", "out.corpus"]] {
            let answer = limited(&dir, &limit, arguments);
            answer.fails_with("out.corpus");
            assert_eq!(dir.changes(&before), [""; 0], "{blocks}");
        }
        limited(&dir, &limit, &["export", "out.corpus", "--format", "jsonl", "-o", "pairs.jsonl"]);
        assert!(dir.changes(&before).iter().all(|name| name == "pairs.jsonl"), "{:?}", dir.changes(&before));
        drop(fs::remove_file(dir.path("pairs.jsonl")));
    }
    // A report that cannot be written stops the run before it replaces anything.
    dir.run(&[&EXTRACT[..], &["--report", "/dev/full"]].concat()).fails_with("cannot write the report");
    assert_eq!(dir.changes(&before), [""; 0]);
}

/// Threads need memory for their stacks; when there is none, waiting for them would take forever.
#[test]
fn threads_that_cannot_be_started() {
    let dir = prepared(300);
    let old = fs::read(dir.path("out.corpus")).unwrap();
    let answer = limited(&dir, "-v 2500000", &[&EXTRACT[..], &["--threads", "1024"]].concat());
    // The standard library itself may abort first, when it cannot allocate a thread's signal stack.
    match answer.code {
        Some(_) => answer.fails_with("cannot start a thread"),
        None => assert!(answer.error.contains("Cannot allocate memory"), "{answer:?}"),
    }
    assert!(fs::read(dir.path("out.corpus")).unwrap() == old);
}

#[test]
fn paths_that_make_no_sense() {
    let dir = prepared(2);
    dir.write("garbage.bin", b"\xff\xfe\0\x01garbage\xff".repeat(99));
    dir.write("garbage.tsv", "no\tsuch\tcolumns\n1\t2\t3\n");
    dir.write("garbage.jsonl", "{\"id\": 3\n");
    dir.write("empty.tsv", "");
    let long = "x".repeat(300);
    dir.write("thesis.tex", "years of work");
    let has_device = Command::new("mknod").args(["null", "c", "1", "3"]).current_dir(dir.path("")).status();
    let before = dir.listing();
    let check = |arguments: &[&str], message: &str| {
        dir.run(&[&["extract"], arguments].concat()).fails_with(message);
        assert_eq!(dir.changes(&before), [""; 0], "{arguments:?}");
    };
    check(&["articles", "-o", "temporary"], "temporary");
    check(&["articles", "-o", "thesis.tex"], "it already exists and is not a corpus");
    if has_device.is_ok_and(|status| status.success()) {
        check(&["articles", "-o", "null"], "it already exists and is a pipe or a device");
        assert_eq!(dir.run(&["export", "out.corpus", "--format", "jsonl", "-o", "null"]).code, Some(0));
        assert_eq!(dir.changes(&before), [""; 0]);
    }
    check(&["articles", "-o", "."], "folder");
    check(&["articles", "-o", "/"], "folder");
    check(&["articles", "-o", "missing/out.corpus"], "missing/out.corpus: No such file");
    check(&["articles", "-o", "small.html/out.corpus"], "Not a directory");
    check(&["articles", "-o", "/proc/out.corpus"], "/proc/out.corpus");
    check(&["articles", "-o", &long], "too long");
    check(&["nowhere", "-o", "out.corpus"], "cannot read nowhere: No such file");
    check(&["articles", "nowhere.zip", "-o", "out.corpus"], "cannot read nowhere.zip");
    check(&["articles", "-o", "out.corpus", "--metadata", "nowhere"], "cannot read the metadata in nowhere");
    check(
        &["articles", "-o", "out.corpus", "--metadata", "articles"],
        "cannot read the metadata in articles",
    );
    check(
        &["articles", "-o", "out.corpus", "--metadata", "garbage.bin"],
        "garbage.bin line 1: byte 1 is not valid UTF-8",
    );
    check(
        &["articles", "-o", "out.corpus", "--metadata", "garbage.tsv"],
        "the first line must name the columns",
    );
    check(&["articles", "-o", "out.corpus", "--metadata", "garbage.jsonl"], "garbage.jsonl line 1");
    check(&["articles", "-o", "out.corpus", "--metadata", "/dev/zero"], "it is a pipe or a device");
    check(
        &["articles", "-o", "out.corpus", "--report", "missing/report"],
        "cannot write the report missing/report",
    );
    check(&["articles", "-o", "out.corpus", "--report", "temporary"], "cannot write the report temporary");
    for wrong in [
        &["--threads", "0"][..],
        &["--max-article", "0"],
        &["--max-ratio", "0"],
        &["--min", "-1"],
        &["--tokens", "x"],
    ] {
        let answer = dir.run(&[&EXTRACT[..], wrong].concat());
        assert_eq!((answer.code, dir.changes(&before)), (Some(2), Vec::new()), "{wrong:?}");
    }
    assert_eq!(dir.run(&[&EXTRACT[..], &["--metadata", "empty.tsv"]].concat()).code, Some(0));
}

#[test]
fn whoever_reads_our_output_may_stop() {
    let dir = prepared(2);
    let check = |arguments: &[&str]| {
        let mut child = start(dir.command(arguments));
        let mut pipe = child.stdout.take().unwrap();
        pipe.read_exact(&mut [0]).unwrap();
        drop(pipe);
        let answer = wait(child, Duration::from_secs(20));
        assert_eq!(answer.code, Some(0), "{arguments:?}: {answer:?}");
        let is_quiet = [" written to ", "no terminal"].iter().any(|notice| answer.error.contains(notice));
        let is_quiet = is_quiet || answer.error.is_empty();
        assert!(is_quiet, "{arguments:?}: {answer:?}");
    };
    for format in ["match", "jsonl", "parquet", "csv"] {
        check(&["export", "demo", "-o", "-", "--format", format]);
    }
    check(&["stats", "demo"]);
    check(&["stats", "demo", "--json"]);
    check(&["show", "demo", "demo.01#1"]);
    check(&["show", "demo", "the"]);
    check(&["--help"]);
    check(&[]);
    check(&EXTRACT);
    check(&[&EXTRACT[..], &["--json"]].concat());
    // The pipe is closed from the start.
    let script = format!("exec '{}' stats demo >&-", program());
    let answer = crate::support::finish({
        let mut command = Command::new("sh");
        command.args(["-c", &script]).current_dir(dir.path(""));
        command
    });
    assert!(!answer.error.contains("panicked"), "{answer:?}");
}

const READERS: [&[&str]; 6] = [
    &["stats", "X"],
    &["stats", "X", "--json"],
    &["show", "X", "demo.01#1"],
    &["show", "X", "compact set"],
    &["export", "X", "--format", "jsonl", "-o", "-"],
    &["export", "X", "--format", "match", "-o", "-"],
];

fn read_with(dir: &TestDir, arguments: &[&str], corpus: &str) -> CommandOutput {
    let arguments: Vec<&str> =
        arguments.iter().map(|&word| if word == "X" { corpus } else { word }).collect();
    dir.run(&arguments)
}

#[test]
fn files_that_are_no_corpus() {
    let dir = prepared(1);
    let whole = fs::read(dir.path("out.corpus")).unwrap();
    let foreign = rusqlite::Connection::open(dir.path("foreign.corpus")).unwrap();
    foreign.execute_batch("CREATE TABLE pair (x); INSERT INTO pair VALUES (1)").unwrap();
    drop(foreign);
    let claims = rusqlite::Connection::open(dir.path("claims.corpus")).unwrap();
    claims
        .execute_batch("PRAGMA application_id = 0x4D426F6B; PRAGMA user_version = 1; CREATE TABLE x (y)")
        .unwrap();
    drop(claims);
    let mut newer = whole.clone();
    newer[60..64].copy_from_slice(&9_999u32.to_be_bytes());
    dir.write("newer.corpus", newer);
    dir.write("empty.corpus", "");
    dir.write("short.corpus", &whole[..50]);
    dir.write("half.corpus", &whole[..whole.len() / 2]);
    dir.write("nearly.corpus", &whole[..whole.len() - 1]);
    dir.write("text.corpus", "Dear reader, ".repeat(99));
    dir.write(".out.corpus.unfinished", &whole);
    let before = dir.listing();
    for (corpus, message) in [
        ("nowhere.corpus", "there is no such file"),
        ("articles", "it is a folder"),
        ("empty.corpus", "it is empty"),
        ("short.corpus", "it is too short"),
        ("half.corpus", "is truncated"),
        ("nearly.corpus", "is truncated"),
        ("text.corpus", "it is another kind of file"),
        ("foreign.corpus", "it is the database of another program"),
        ("claims.corpus", "claims.corpus"),
        ("newer.corpus", "written by a newer matchbook"),
        (".out.corpus.unfinished", "is an unfinished corpus"),
        ("/dev/null", "/dev/null"),
    ] {
        for arguments in READERS {
            read_with(&dir, arguments, corpus).fails_with(message);
        }
    }
    assert_eq!(dir.changes(&before), [""; 0]);
}

/// Reads everything there is, however damaged.
fn read_all(path: &std::path::Path) -> Result<(), StoreError> {
    let store = Store::open(path)?;
    Statistics::of(&store)?;
    store.categories()?;
    store.articles()?;
    let page = store.search(&Query::parse("compact se"), &Filter::default(), 0, 20, &CancelToken::new())?;
    store.summaries(&page.hits.iter().map(|hit| hit.row).collect::<Vec<_>>())?;
    store.for_each_pair(None, |row, _, pair| {
        std::hint::black_box((readable(&pair.statement), readable(&pair.proof)));
        store.spans(row).map(drop)
    })
}

#[test]
fn a_corpus_with_flipped_bits() {
    let dir = prepared(1);
    let whole = fs::read(dir.path("out.corpus")).unwrap();
    // The head of every page is where a flipped bit does most.
    let places = (0..whole.len())
        .step_by(16_384)
        .flat_map(|page| page..page + 24)
        .chain((0..whole.len()).step_by(1_999));
    let mut damaged = 0;
    for (index, at) in places.enumerate() {
        let mut flipped = whole.clone();
        flipped[at] ^= 1 << (index % 8);
        let path = dir.write("flipped.corpus", &flipped);
        if let Err(error) = read_all(&path) {
            damaged += 1;
            let message = error.to_string();
            assert!(message.contains("flipped.corpus") && !message.contains('\n'), "byte {at}: {message}");
        }
        if index % 97 == 0 {
            for arguments in READERS {
                let answer = read_with(&dir, arguments, "flipped.corpus");
                if answer.code != Some(0) {
                    answer.fails_with("");
                }
            }
        }
    }
    assert!(damaged > 20, "{damaged}");
}

#[test]
fn memory_stays_bounded() {
    let dir = TestDir::new();
    let articles: Vec<(String, Vec<u8>)> = many(120).collect();
    let bytes: usize = articles.iter().map(|(_, content)| content.len()).sum();
    for (name, content) in &articles {
        dir.write(format!("articles/{name}"), content);
    }
    dir.write("articles.tar.zst", packing::zstd(&packing::tar(&articles)));
    // Articles as large as they may be, of the costliest kinds.
    let large = |inside: &str| {
        crate::support::xhtml(&crate::support::pair(&inside.repeat((31 << 20) / inside.len())))
    };
    for (index, inside) in
        ["x ", "<p>some words in a row, and more of them</p>", "&amp; and so on and so on &amp; "]
            .iter()
            .enumerate()
    {
        dir.write(format!("large/{index}.xhtml"), large(inside));
        let wide: Vec<u8> = large(inside)[..(15 << 20)].encode_utf16().flat_map(u16::to_le_bytes).collect();
        dir.write(format!("large/{index}-wide.xhtml"), wide);
    }
    for input in ["articles", "articles.tar.zst", "large"] {
        // The large articles have no pairs, and a corpus without pairs replaces none with pairs.
        let output = format!("{input}.corpus");
        let arguments = ["extract", input, "-o", &output, "--threads", "4"];
        let Some((answer, peak)) = peak_memory(dir.command(&arguments)) else {
            return eprintln!("skipped: the peak memory of a process is not known here");
        };
        assert_eq!(answer.code, Some(0), "{answer:?}");
        eprintln!("{input}: {} MB of memory for {} MB of articles", peak >> 20, bytes >> 20);
        assert!(peak < 300 << 20, "{input}: {} MB", peak >> 20);
    }
}

/// Only what the command line can express is tried here; this keeps the list honest.
#[test]
fn arguments_that_are_no_text() {
    use std::os::unix::ffi::OsStrExt;
    let dir = prepared(1);
    let odd = OsStr::from_bytes(b"caf\xe9.corpus");
    let answer = dir.run(&[OsStr::new("extract"), OsStr::new("articles"), OsStr::new("-o"), odd]);
    assert_eq!(answer.code, Some(0), "{answer:?}");
    assert!(dir.path(odd).exists());
    assert_eq!(dir.run(&[OsStr::new("stats"), odd]).code, Some(0));
    assert_eq!(dir.run(&[OsStr::new("show"), OsStr::new("out.corpus"), odd]).code, Some(2));
}
