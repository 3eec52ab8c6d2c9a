//! Archives that are broken, or made to break something; and that the container of an article does not matter.

use std::{
    fs,
    os::unix::{ffi::OsStrExt, fs::symlink},
    path::Path,
    process::Command,
    time::Instant,
};

use crate::support::{
    TestDir, demo, many,
    packing::{self, Articles, archives, tar_entry},
    pair, xhtml,
};
use tar::EntryType;

/// An article with a pair of its own.
fn article() -> Vec<u8> {
    xhtml(&pair("x")).into_bytes()
}

fn named(names: &[&str]) -> Articles {
    names.iter().map(|name| ((*name).to_owned(), article())).collect()
}

/// Extracts `bad`, an archive of this name, beside a good one. The good one gives its pair; the bad one gives
/// `read` articles and these problems: an ending of the file's name and a part of the cause.
fn check(name: &str, bad: &[u8], options: &[&str], read: u64, problems: &[(&str, &str)]) {
    // Named on the command line, and found in a folder.
    for inputs in [&["in/good.zip", &format!("in/{name}")][..], &["in"]] {
        let dir = TestDir::new();
        dir.write("in/good.zip", packing::zip(&named(&["good.xhtml"])));
        dir.write(format!("in/{name}"), bad);
        let before = dir.listing();
        for threads in ["1", "4"] {
            let found = dir.extract(inputs, &[options, &["--threads", threads]].concat());
            assert_eq!(dir.changes(&before), ["out.corpus", "report.tsv"], "{name}");
            found.is_consistent();
            assert_eq!(found.reported("good.xhtml"), [(1, 1, String::new())], "{name}");
            let listed = found.problems();
            assert_eq!(listed.len(), problems.len(), "{name}: {listed:?}");
            for ((file, cause), (ending, part)) in listed.iter().zip(problems) {
                assert!(file.ends_with(ending) && cause.contains(part), "{name}: {file}: {cause}");
            }
            assert_eq!(found.count("articles_read"), read + 1, "{name}");
        }
    }
}

#[test]
fn names_that_lead_out_of_the_archive() {
    let names = [
        "../up.xhtml",
        "a/../../b.xhtml",
        "/absolute.xhtml",
        "\\back.xhtml",
        "a\\..\\..\\c.xhtml",
        "c:drive.xhtml",
        "C:\\x\\windows.xhtml",
        "a/..\\d.xhtml",
        "//server/e.xhtml",
    ];
    let mut sorted: Vec<&str> = names.to_vec();
    sorted.sort_by_key(|name| name.rsplit(['/', '\\']).next().unwrap());
    let expected: Vec<(&str, &str)> =
        sorted.iter().map(|name| (*name, "leads outside the archive")).collect();
    let mut tar = tar::Builder::new(Vec::new());
    for name in names {
        tar_entry(&mut tar, EntryType::Regular, name.as_bytes(), &article());
    }
    tar_entry(&mut tar, EntryType::Regular, b"./a/.../good..xhtml", &article());
    let tar = tar.into_inner().unwrap();
    check("bad.tar", &tar, &[], 1, &expected);
    check("bad.tar.gz", &packing::gzip(&tar), &[], 1, &expected);
    // The writer of the test would tidy these names, so they are put in afterwards.
    let harmless: Vec<String> = names.iter().map(|name| "n".repeat(name.len() - 6) + ".xhtml").collect();
    for (name, harmless) in names.iter().zip(&harmless) {
        let mut zip = packing::zip(&named(&[harmless]));
        replace(&mut zip, harmless.as_bytes(), name.as_bytes());
        check("bad.zip", &zip, &[], 0, &[(name, "leads outside the archive")]);
    }
}

/// Replaces every occurrence by something of the same length.
/// Neither is an article, but a user who misses articles should hear of them.
#[test]
fn inner_archives_and_entries_that_climb_have_a_line() {
    let inner = packing::zip(&named(&["inner.xhtml"]));
    let mut articles = named(&["fine.html"]);
    articles.push(("deep/more.zip".to_owned(), inner));
    articles.push(("more.tar.gz".to_owned(), b"whatever".to_vec()));
    articles.push((".hidden.zip".to_owned(), b"whatever".to_vec()));
    articles.push(("figure.png".to_owned(), b"whatever".to_vec()));
    let (archive, climbs) = ("archive inside an archive", "leads outside the archive");
    let expected = [("!more.tar.gz", archive), ("!deep/more.zip", archive)];
    for (ending, packed) in archives(&articles) {
        check(&format!("bad.{ending}"), &packed, &[], 1, &expected);
    }
    let mut tar = tar::Builder::new(Vec::new());
    for (kind, name) in [
        (EntryType::Regular, &b".."[..]),
        (EntryType::Regular, b"../notes.txt"),
        (EntryType::Directory, b"a/../../"),
        (EntryType::Regular, b"fine.txt"),
    ] {
        tar_entry(&mut tar, kind, name, b"");
    }
    let expected = [("!..", climbs), ("!a/../../", climbs), ("!../notes.txt", climbs)];
    check("climbs.tar", &tar.into_inner().unwrap(), &[], 0, &expected);
    let mut zip = packing::zip(&[("nn/x.txt".to_owned(), Vec::new())]);
    replace(&mut zip, b"nn/x.txt", b"../x.txt");
    check("climbs.zip", &zip, &[], 0, &[("!../x.txt", climbs)]);
}

fn replace(bytes: &mut [u8], old: &[u8], new: &[u8]) {
    assert_eq!(old.len(), new.len());
    let places: Vec<usize> = memchr::memmem::find_iter(bytes, old).collect();
    assert!(!places.is_empty());
    for at in places {
        bytes[at..at + new.len()].copy_from_slice(new);
    }
}

#[test]
fn links_devices_and_folders_in_archives() {
    let mut tar = tar::Builder::new(Vec::new());
    tar_entry(&mut tar, EntryType::Symlink, b"link.xhtml", b"");
    tar_entry(&mut tar, EntryType::Link, b"hard.xhtml", b"");
    tar_entry(&mut tar, EntryType::Directory, b"folder.xhtml", b"");
    tar_entry(&mut tar, EntryType::Directory, b"slash.xhtml/", b"");
    tar_entry(&mut tar, EntryType::Fifo, b"pipe.xhtml", b"");
    tar_entry(&mut tar, EntryType::Char, b"device.xhtml", b"");
    tar_entry(&mut tar, EntryType::Regular, b"a/.hidden.xhtml", &article());
    tar_entry(&mut tar, EntryType::Regular, b"picture.png", b"\x89PNG");
    tar_entry(&mut tar, EntryType::Regular, b"a/real.xhtml", &article());
    let links = [("hard.xhtml", "it is a link"), ("link.xhtml", "it is a link")];
    check("bad.tar", &tar.into_inner().unwrap(), &[], 1, &links);

    let mut zip = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    let options = zip::write::SimpleFileOptions::default();
    zip.add_directory("folder.xhtml", options).unwrap();
    zip.add_symlink("link.xhtml", "/etc/passwd", options).unwrap();
    let zip = zip.finish().unwrap().into_inner();
    check("bad.zip", &zip, &[], 0, &[("link.xhtml", "it is a link")]);
}

#[test]
fn duplicates() {
    let twice = named(&["a/one.xhtml", "b/two.xhtml", "b/one.xhtml", "a/one.xhtml"]);
    let second = "another article with the id one came first";
    check("bad.tar", &packing::tar(&twice), &[], 2, &[("a/one.xhtml", second), ("b/one.xhtml", second)]);
    check("bad.zip", &packing::zip(&twice[..3]), &[], 2, &[("b/one.xhtml", second)]);
    // Twice the same name is possible in a zip archive, but only the last one can be reached by it.
    let mut zip = packing::zip(&named(&["one.xhtml", "two.xhtml"]));
    replace(&mut zip, b"two.xhtml", b"one.xhtml");
    check("bad.zip", &zip, &[], 1, &[("bad.zip", "several entries with the same name")]);
    let own: Articles = ["x.xhtml", "y.xhtml"]
        .iter()
        .map(|name| {
            ((*name).to_owned(), xhtml(&format!("<meta arxivid='9901.1'/>{}", pair(""))).into_bytes())
        })
        .collect();
    check(
        "bad.tar.zst",
        &packing::zstd(&packing::tar(&own)),
        &[],
        1,
        &[("y.xhtml", "the id 9901.1 came first")],
    );
}

#[test]
fn bombs() {
    let zeros = |megabytes: usize| vec![b' '; megabytes << 20];
    let bomb =
        |megabytes| vec![("a.xhtml".to_owned(), article()), ("bomb.xhtml".to_owned(), zeros(megabytes))];
    let ratio = "more than 250 times its packed size; --max-ratio raises the limit";
    check("bad.zip", &packing::zip(&bomb(8)), &[], 1, &[("bomb.xhtml", ratio)]);
    check(
        "bad.zip",
        &packing::zip(&bomb(8)),
        &["--max-ratio", "100000"],
        1,
        &[("bomb.xhtml", "the file is empty")],
    );
    check("bad.zip", &packing::zip(&bomb(40)), &[], 1, &[("bomb.xhtml", "larger than 33554432 bytes")]);
    // An archive in an archive is no article and is not opened.
    let nested = packing::zip(&[("inner.zip".to_owned(), packing::zip(&bomb(8)))]);
    check("bad.zip", &nested, &[], 0, &[("inner.zip", "archive inside an archive")]);
    let tar = packing::tar(&bomb(96));
    let large = ("bomb.xhtml", "larger than 33554432 bytes");
    check("bad.tar.gz", &packing::gzip(&tar), &["--max-ratio", "100000"], 1, &[large]);
    check("bad.tar.zst", &packing::zstd(&tar), &[], 1, &[("bad.tar.zst", ratio), large]);
    check("bad.tar.bz2", &packing::bzip2(&tar), &[], 1, &[("bad.tar.bz2", ratio), large]);
    check(
        "bad.xhtml.gz",
        &packing::gzip(&zeros(96)),
        &[],
        0,
        &[("bad.xhtml.gz", "larger than 33554432 bytes")],
    );
}

/// The size in a zip archive's directory is not to be trusted.
#[test]
fn sizes_that_lie() {
    let whole = packing::zip(&[("liar.xhtml".to_owned(), vec![b'x'; 4 << 20])]);
    let central = memchr::memmem::find(&whole, b"PK\x01\x02").unwrap();
    for size in [0u32, 1, 100, u32::MAX - 1] {
        let mut lies = whole.clone();
        lies[central + 24..central + 28].copy_from_slice(&size.to_le_bytes());
        let dir = TestDir::new();
        dir.write("bad.zip", &lies);
        let found = dir.extract(&["bad.zip"], &[]);
        assert_eq!(
            (found.count("articles_read"), found.count("unreadable")),
            (0, 1),
            "{size}: {}",
            found.summary
        );
    }
    // Ten thousand entries that share the same data, each within all limits for itself.
    let dir = TestDir::new();
    dir.write("bad.zip", overlapping(10_000));
    let start = Instant::now();
    let found = dir.extract(&["bad.zip"], &[]);
    assert!(found.problem("bad.zip").contains("entries overlap"), "{}", found.problems().len());
    assert!(start.elapsed().as_secs() < 10);
}

/// A zip archive whose directory lists the same megabyte many times.
fn overlapping(count: usize) -> Vec<u8> {
    let one = packing::zip(&[("entry00000.xhtml".to_owned(), b"x y z . ".repeat(1 << 17))]);
    let central = memchr::memmem::find(&one, b"PK\x01\x02").unwrap();
    let end = memchr::memmem::find(&one, b"PK\x05\x06").unwrap();
    let mut bomb = one[..central].to_vec();
    for index in 0..count {
        let mut record = one[central..end].to_vec();
        replace(&mut record, b"entry00000", format!("entry{index:05}").as_bytes());
        bomb.extend(record);
    }
    let mut tail = one[end..].to_vec();
    let number = (count as u16).to_le_bytes();
    tail[8..10].copy_from_slice(&number);
    tail[10..12].copy_from_slice(&number);
    tail[12..16].copy_from_slice(&((bomb.len() - central) as u32).to_le_bytes());
    bomb.extend(tail);
    bomb
}

#[test]
fn many_entries_and_long_names() {
    let empty: Articles = (0..20_000).map(|index| (format!("{index:05}.xhtml"), Vec::new())).collect();
    for (ending, packed) in [("zip", packing::zip(&empty)), ("tar.gz", packing::gzip(&packing::tar(&empty)))]
    {
        let dir = TestDir::new();
        dir.write(format!("many.{ending}"), packed);
        let found = dir.extract(&[&format!("many.{ending}")], &[]);
        assert_eq!((found.count("unreadable"), found.problems().len()), (20_000, 1_000));
        assert_eq!(found.summary["causes"]["empty file"], 20_000);
        found.is_consistent();
    }
    let mut tar = tar::Builder::new(Vec::new());
    let long = format!("{}/x.xhtml", "deep/".repeat(2_000));
    let mut header = tar::Header::new_gnu();
    header.set_size(article().len() as u64);
    tar.append_data(&mut header, &long, &article()[..]).unwrap();
    tar_entry(&mut tar, EntryType::Regular, b"caf\xe9.xhtml", &article());
    tar_entry(&mut tar, EntryType::Regular, b"\xff\xfe.xhtml", &article());
    check("names.tar", &tar.into_inner().unwrap(), &[], 3, &[]);
}

/// The name of an entry is an entry of its own before it, which is read whole before anybody can look at it.
#[test]
fn a_name_of_hundreds_of_megabytes() {
    let mut tar = tar::Builder::new(Vec::new());
    let mut header = tar::Header::new_gnu();
    header.set_entry_type(EntryType::GNULongName);
    header.set_size(400 << 20);
    header.set_cksum();
    tar.append(&header, std::io::Read::take(std::io::repeat(b'x'), 400 << 20)).unwrap();
    tar_entry(&mut tar, EntryType::Regular, b"x.xhtml", &article());
    let packed = packing::zstd(&tar.into_inner().unwrap());
    let dir = TestDir::new();
    dir.write("bad.tar.zst", packed);
    let arguments = ["extract", "bad.tar.zst", "-o", "out.corpus", "--json", "--max-ratio", "1000000"];
    let Some((answer, peak)) = crate::support::peak_memory(dir.command(&arguments)) else {
        return eprintln!("skipped: the peak memory of a process is not known here");
    };
    // The archive holds nothing else that could be read.
    assert_eq!(answer.code, Some(1), "{answer:?}");
    assert!(peak < 200 << 20, "{} MB", peak >> 20);
}

#[test]
fn archives_cut_short() {
    let articles: Articles = demo().iter().take(4).cloned().collect();
    for (ending, whole) in archives(&articles) {
        for part in [0, 1, 3, 10, 25, 50, 75, 90, 98, 99] {
            let dir = TestDir::new();
            dir.write(format!("in/cut.{ending}"), &whole[..whole.len() * part / 100]);
            dir.write("in/good.xhtml", article());
            let found = dir.extract(&["in"], &[]);
            let context = format!("{ending} {part} %: {:?}", found.problems());
            found.is_consistent();
            assert_eq!(found.reported("good.xhtml"), [(1, 1, String::new())], "{context}");
            let (read, bad) = (found.count("articles_read"), found.count("unreadable"));
            // The end of a tar archive is two blocks of nothing, which may be missing without harm.
            let whole = read == 5 && ending == "tar" && part >= 98;
            assert!(whole || (read < 5 && bad >= 1), "{context}");
            if part == 0 {
                assert_eq!(found.problem(&format!("cut.{ending}")), "the file is empty", "{context}");
            }
        }
    }
}

#[test]
fn archives_with_nothing_or_something_else_in_them() {
    let empty: Articles = Vec::new();
    for (ending, packed) in archives(&empty) {
        check(&format!("empty.{ending}"), &packed, &[], 0, &[]);
    }
    let one = named(&["one.xhtml"]);
    // The type of an archive is detected from its content.
    check("zip.tar.gz", &packing::zip(&one), &[], 1, &[]);
    check("tar.zip", &packing::tar(&one), &[], 1, &[]);
    check("zstd.tar.bz2", &packing::zstd(&packing::tar(&one)), &[], 1, &[]);
    check("article.xhtml.gz", &packing::gzip(&article()), &[], 1, &[]);
    for name in ["pdf.zip", "pdf.tar", "pdf.tar.gz"] {
        let dir = TestDir::new();
        dir.write(format!("in/{name}"), b"%PDF-1.7 and so on");
        let found = dir.extract(&["in"], &[]);
        assert!(found.problem(name).contains("not an archive"), "{name}: {}", found.problem(name));
    }
    let mut encrypted = packing::zip(&one);
    let central = memchr::memmem::find(&encrypted, b"PK\x01\x02").unwrap();
    encrypted[6] |= 1;
    encrypted[central + 8] |= 1;
    check("secret.zip", &encrypted, &[], 0, &[("one.xhtml", "assword")]);
    let mut strange = packing::zip(&one);
    let central = memchr::memmem::find(&strange, b"PK\x01\x02").unwrap();
    strange[8] = 99;
    strange[central + 10] = 99;
    check("strange.zip", &strange, &[], 0, &[("one.xhtml", "ompression")]);
    let mut damaged = packing::zip(&one);
    let at = damaged.len() / 3;
    damaged[at] ^= 0x55;
    check("damaged.zip", &damaged, &[], 0, &[("one.xhtml", "damaged")]);
}

#[test]
fn folders_with_strange_things_in_them() {
    let dir = TestDir::new();
    dir.write("articles/deep/er/good.xhtml", article());
    dir.write("articles/folder.html/inner.xhtml", article());
    symlink("loop.xhtml", dir.path("articles/loop.xhtml")).unwrap();
    symlink("nowhere.xhtml", dir.path("articles/dangling.xhtml")).unwrap();
    symlink("..", dir.path("articles/deep/up")).unwrap();
    symlink("/", dir.path("articles/root")).unwrap();
    let has_pipe =
        Command::new("mkfifo").arg(dir.path("articles/pipe.xhtml")).status().is_ok_and(|s| s.success());
    let long = "d".repeat(200);
    let descend =
        format!("for i in $(seq 25); do mkdir {long} && cd -P {long} || exit 1; done; echo > lost.xhtml");
    let status = Command::new("sh").args(["-c", &descend]).current_dir(dir.path("articles")).status();
    let has_abyss = status.is_ok_and(|status| status.success());
    let bytes = std::ffi::OsStr::from_bytes(b"caf\xe9.xhtml");
    fs::write(dir.path(Path::new("articles").join(bytes)), article()).unwrap();
    let found = dir.extract(&["articles"], &[]);
    found.is_consistent();
    assert_eq!(found.count("articles_read"), 3);
    assert!(found.problem("loop.xhtml").contains("oo many"), "{:?}", found.problems());
    assert!(found.problem("dangling.xhtml").contains("o such file"), "{:?}", found.problems());
    if has_abyss {
        assert!(found.problem("ddd").contains("too long"), "{:?}", found.problems());
    }
    if has_pipe {
        assert!(found.problem("pipe.xhtml").contains("a pipe or a device"), "{:?}", found.problems());
        let answer = dir.run(&["extract", "articles/pipe.xhtml", "-o", "out.corpus"]);
        answer.fails_with("articles/pipe.xhtml");
    }
}

/// The same articles give the same bytes, wherever they come from and however many threads read them.
#[test]
fn the_container_does_not_matter() {
    let articles: Articles = demo().iter().step_by(5).cloned().chain(many(4)).collect();
    let dir = TestDir::new();
    for (name, content) in &articles {
        dir.write(Path::new("articles").join(name), content);
    }
    let moved = |articles: &[(String, Vec<u8>)]| -> Articles {
        articles.iter().map(|(name, content)| (format!("./other/place/{name}"), content.clone())).collect()
    };
    let mut shuffled = articles.clone();
    shuffled.reverse();
    shuffled.rotate_left(5);
    shuffled.swap(0, 3);
    let mut inputs = vec!["articles".to_owned()];
    for (kind, articles) in [("plain", articles.clone()), ("moved", moved(&articles)), ("shuffled", shuffled)]
    {
        for (ending, packed) in archives(&articles) {
            let name = format!("{kind}.{ending}");
            dir.write(&name, packed);
            inputs.push(name);
        }
    }
    let mut expected = None;
    for (index, input) in inputs.iter().enumerate() {
        // Every input with one number of threads, and the first of each kind with all.
        for threads in ["1", "2", "4"].iter().skip(index % 3).take(if index < 6 { 3 } else { 1 }) {
            let found = dir.extract(&[input], &["--threads", threads]);
            assert_eq!(found.count("articles_read"), articles.len() as u64, "{input}");
            let exported = dir.export("out.corpus");
            assert!(exported.lines().count() > 40);
            let expected = expected.get_or_insert_with(|| exported.clone());
            assert!(*expected == exported, "{input} with {threads} threads differs from the folder");
        }
    }
}
