//! Damage is noticed, and the checkpoint before is used.

use std::fs;

use proptest::prelude::*;

use super::*;

fn checkpoints() -> (tempfile::TempDir, Checkpoints) {
    let home = tempfile::tempdir().unwrap();
    let checkpoints = Checkpoints::at(home.path().join("checkpoints"), None);
    (home, checkpoints)
}

fn content(step: u64) -> Vec<(String, Vec<u8>)> {
    let bytes = |seed: u64, length: u64| (0..length).map(|index| (index * seed % 251) as u8).collect();
    vec![
        ("weights.safetensors".to_owned(), bytes(step + 3, 3000)),
        ("optimiser.bin".to_owned(), bytes(step + 5, 40)),
        ("empty".to_owned(), Vec::new()),
    ]
}

fn save(checkpoints: &Checkpoints, name: &str, step: u64) -> Checkpoint {
    let files = content(step);
    let files = files.iter().map(|(name, bytes)| (name.as_str(), bytes.as_slice()));
    checkpoints.save(name, step, |writer| writer.add_all(files)).unwrap()
}

fn save_step(checkpoints: &Checkpoints, step: u64) -> Checkpoint {
    save(checkpoints, &format!("step-{step}"), step)
}

/// The step of the newest whole checkpoint, whose content must be what was saved, and how many were refused.
fn latest(checkpoints: &Checkpoints) -> (Option<u64>, usize) {
    let LatestCheckpoint { checkpoint, refused } = checkpoints.latest_valid().unwrap();
    if let Some(checkpoint) = &checkpoint {
        for (name, bytes) in content(checkpoint.step()) {
            assert_eq!(checkpoint.read(&name).unwrap(), bytes);
        }
    }
    (checkpoint.map(|checkpoint| checkpoint.step()), refused.len())
}

#[test]
fn the_newest_is_found_and_the_oldest_go() {
    let (_home, checkpoints) = checkpoints();
    assert_eq!(latest(&checkpoints), (None, 0));
    for step in [9, 10, 100, 20] {
        save_step(&checkpoints, step);
    }
    assert_eq!(checkpoints.steps().unwrap(), [100, 20, 10, 9]);
    assert_eq!(latest(&checkpoints), (Some(100), 0));
    // 20 was saved last; 100 is of another time and is not counted.
    checkpoints.keep_last(NonZeroUsize::new(2).unwrap(), 20).unwrap();
    assert_eq!(checkpoints.steps().unwrap(), [100, 20, 10]);
    assert_eq!(checkpoints.entries().unwrap().len(), 3);
}

#[test]
fn the_best_model_has_another_mark_once_it_is_replaced() {
    let (_home, checkpoints) = checkpoints();
    assert_eq!(checkpoints.best_mark(), None);
    save(&checkpoints, layout::BEST, 1);
    let first = checkpoints.best_mark();
    assert!(first.is_some() && first == checkpoints.best_mark());
    save(&checkpoints, layout::BEST, 2);
    assert!(checkpoints.best_mark().is_some_and(|mark| Some(mark) != first));
}

/// An older checkpoint must not take the place of one that was not read to its end.
#[test]
fn a_check_that_is_stopped_finds_nothing_wrong() {
    let (_home, checkpoints) = checkpoints();
    let saved = [9, 10].map(|step| save_step(&checkpoints, step));
    let cancel = CancelToken::new();
    let until = checkpoints.clone().until(&cancel);
    assert_eq!(latest(&until), (Some(10), 0));
    cancel.cancel();
    assert!(matches!(until.latest_valid(), Err(RunError::Cancelled(_))));
    assert!(saved[1].read_until("weights.safetensors", &cancel).is_err());
    assert_eq!(latest(&checkpoints), (Some(10), 0));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn damage_is_refused_and_the_one_before_used(which in 0usize..4, at in 0usize..4000, bit in 0u8..8, cut: bool) {
        let (_home, checkpoints) = checkpoints();
        save_step(&checkpoints, 1);
        let newest = save_step(&checkpoints, 2);
        let names = ["weights.safetensors", "optimiser.bin", "empty", "manifest.json"];
        let path = newest.file(names[which]);
        let mut bytes = fs::read(&path).unwrap();
        match bytes.len() {
            0 => bytes.push(0),
            length if cut => bytes.truncate(at % length),
            length => bytes[at % length] ^= 1 << bit,
        }
        let harmless = Manifest::read(newest.path()).ok();
        fs::write(&path, &bytes).unwrap();
        // White space at the end of the list may go: the list means the same without it.
        if Manifest::read(newest.path()).ok() == harmless && which == 3 {
            prop_assert_eq!(latest(&checkpoints), (Some(2), 0));
        } else {
            prop_assert_eq!(latest(&checkpoints), (Some(1), 1));
            prop_assert!(newest.read(names[which]).is_err());
            prop_assert!(checkpoints.step(2).is_err() && checkpoints.step(1).is_ok());
        }
    }
}

/// Damages the folder of a checkpoint.
type Spoil<'a> = &'a dyn Fn(&Path);

#[test]
fn each_refusal_has_its_cause() {
    let (_home, checkpoints) = checkpoints();
    save_step(&checkpoints, 1);
    let refusal = |spoil: Spoil<'_>| {
        let newest = save_step(&checkpoints, 2);
        spoil(newest.path());
        let latest = checkpoints.latest_valid().unwrap();
        assert_eq!(latest.checkpoint.map(|checkpoint| checkpoint.step()), Some(1));
        latest.refused[0].to_string()
    };
    let manifest = |path: &Path, from: &str, to: &str| {
        let text = fs::read_to_string(path.join("manifest.json")).unwrap();
        assert!(text.contains(from));
        fs::write(path.join("manifest.json"), text.replace(from, to)).unwrap();
    };
    let cases: [(Spoil<'_>, &str); 8] = [
        (
            &|path| fs::write(path.join("optimiser.bin"), "short").unwrap(),
            "optimiser.bin has 5 bytes instead of 40",
        ),
        (&|path| fs::write(path.join("optimiser.bin"), [0; 40]).unwrap(), "has changed since it was saved"),
        (&|path| fs::remove_file(path.join("empty")).unwrap(), "empty is missing"),
        (&|path| fs::remove_file(path.join("manifest.json")).unwrap(), "not a matchbook checkpoint"),
        (&|path| fs::write(path.join("manifest.json"), "{}").unwrap(), "has no format"),
        (&|path| manifest(path, "\"format\": 2", "\"format\": 7"), "a newer matchbook saved it (format 7"),
        (
            &|path| manifest(path, "\"step\": 2", "\"step\": 3"),
            "manifest.json has changed since it was saved",
        ),
        (
            &|path| {
                fs::copy(path.with_file_name("step-1/manifest.json"), path.join("manifest.json")).unwrap();
            },
            "from step 1",
        ),
    ];
    for (spoil, words) in cases {
        let found = refusal(spoil);
        assert!(found.contains(words) && found.contains("step-2"), "{found}");
    }
}

#[test]
fn a_list_cannot_reach_outside_its_folder() {
    let (home, checkpoints) = checkpoints();
    let saved = save_step(&checkpoints, 1);
    fs::write(home.path().join("secret"), "x").unwrap();
    let record = manifest::FileRecord { size: 1, blake3: blake3::hash(b"x").to_hex().to_string() };
    let list = Manifest::new(1, None, [("../../secret".to_owned(), record)].into());
    fs::write(saved.file("manifest.json"), list.to_bytes()).unwrap();
    assert_eq!(latest(&checkpoints), (None, 1));
    for name in ["../a", "manifest.json", ""] {
        checkpoints.save("step-2", 2, |writer| writer.add(name, b"")).unwrap_err();
    }
    assert_eq!(checkpoints.entries().unwrap(), ["step-1"], "a failed writer leaves nothing");
}

#[test]
fn the_best_is_replaced_and_never_missing() {
    let (_home, checkpoints) = checkpoints();
    assert_eq!(checkpoints.best().unwrap(), None);
    save(&checkpoints, "best", 1);
    save(&checkpoints, "best", 2);
    assert_eq!(checkpoints.best().unwrap().unwrap().step(), 2);
    // As a writer leaves it that is killed between the two renames.
    let (best, aside) = (checkpoints.folder.join("best"), checkpoints.folder.join(save::aside("best")));
    fs::rename(&best, &aside).unwrap();
    fs::create_dir(checkpoints.folder.join(".best.unfinished")).unwrap();
    assert_eq!(checkpoints.best().unwrap().unwrap().step(), 2);
    checkpoints.recover().unwrap();
    assert_eq!(checkpoints.entries().unwrap(), ["best"]);
    assert_eq!(checkpoints.best().unwrap().unwrap().step(), 2);
    fs::write(best.join("empty"), "not").unwrap();
    assert!(matches!(checkpoints.best(), Err(RunError::Checkpoint { .. })));
}

#[test]
fn a_writer_that_fails_leaves_the_old_one() {
    let (_home, checkpoints) = checkpoints();
    save_step(&checkpoints, 1);
    let error = checkpoints.save("step-1", 1, |writer| {
        writer.add("weights", &[1; 10])?;
        writer.add_with("optimiser", |_| Err(io::ErrorKind::StorageFull.into()))
    });
    let error = error.unwrap_err();
    assert!(error.is_disk_full());
    assert!(
        error.to_string().contains("optimiser") && error.to_string().contains("free some space"),
        "{error}"
    );
    assert_eq!(latest(&checkpoints), (Some(1), 0));
    assert_eq!(checkpoints.entries().unwrap(), ["step-1"]);
}

#[test]
fn a_checkpoint_of_another_run_is_refused_and_an_old_one_is_used() {
    let home = tempfile::tempdir().unwrap();
    let of = |name: &str, epochs: u32| {
        let config = home.path().join(format!("{name}.toml"));
        let text = format!("seed = 1\n[corpus]\nfingerprint = \"a\"\n[settings]\nepochs = {epochs}\n");
        fs::write(&config, text).unwrap();
        let run = RunSeal::read(&config);
        assert!(run.is_some());
        Checkpoints::at(home.path().join(name), run)
    };
    let (one, other) = (of("one", 3), of("other", 4));
    save_step(&one, 7);
    save(&one, "best", 7);
    assert!(one.step(7).unwrap().has_run());
    // Their folders are swapped by hand.
    fs::rename(home.path().join("one"), home.path().join("other")).unwrap();
    let latest = other.latest_valid().unwrap();
    assert!(latest.checkpoint.is_none());
    assert_eq!(latest.refused[0].refusal, Refusal::OtherRun);
    assert!(other.best().unwrap_err().to_string().contains("other settings or another corpus"));
    // Format 1 did not record the run.
    let old = Checkpoints::at(home.path().join("other"), None);
    save_step(&old, 9);
    let found = other.latest_valid().unwrap().checkpoint.unwrap();
    assert_eq!((found.step(), found.has_run()), (9, false));
}
