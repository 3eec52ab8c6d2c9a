//! Every command that computes with a model, on GPUs and on the CPU, with the same answers.
//!
//! The GPUs are those of `tests/softgpu`, or real ones, where `MATCHBOOK_TEST_CUDA` is set; without it the tests are skipped.

use std::{
    fs,
    process::Command,
    thread,
    time::{Duration, Instant},
};

use serde_json::Value;

use crate::support::runs::TestWorkspace;

/// Whether there are GPUs to test with.
fn has_gpus() -> bool {
    let is_set = std::env::var_os("MATCHBOOK_TEST_CUDA").is_some();
    if !is_set {
        eprintln!("skipped: no GPU; see tests/softgpu/run.sh");
    }
    is_set
}

/// Asserts that two values are the same up to rounding of the numbers with a fraction.
fn near(path: &str, left: &Value, right: &Value, bound: f64) {
    match (left, right) {
        (Value::Array(left), Value::Array(right)) => {
            assert_eq!(left.len(), right.len(), "{path}");
            for (at, (left, right)) in left.iter().zip(right).enumerate() {
                near(&format!("{path}[{at}]"), left, right, bound);
            }
        }
        (Value::Object(left), Value::Object(right)) => {
            assert!(left.keys().eq(right.keys()), "{path}: {left:?} {right:?}");
            for (name, left) in left {
                let (mut left, mut right) = (left.clone(), right[name].clone());
                if name == "weights" {
                    // the largest first: rounding may exchange neighbors
                    by_place(&mut left);
                    by_place(&mut right);
                }
                near(&format!("{path}.{name}"), &left, &right, bound);
            }
        }
        (Value::Number(one), Value::Number(other)) if one.is_f64() || other.is_f64() => {
            let (one, other) = (one.as_f64().unwrap(), other.as_f64().unwrap());
            assert!(
                (one - other).abs() <= bound * one.abs().max(other.abs()).max(1.0),
                "{path}: {one} {other}"
            );
        }
        _ => assert_eq!(left, right, "{path}"),
    }
}

/// Sorts the weights of an explanation by where their pieces are.
fn by_place(weights: &mut Value) {
    weights.as_array_mut().unwrap().sort_by_key(|weight| weight["places"].to_string());
}

/// The JSON that a command prints, with a device.
fn json(workspace: &TestWorkspace, arguments: &str, device: &str) -> Value {
    let arguments: Vec<&str> = arguments.split_whitespace().chain(["--json", "--device", device]).collect();
    serde_json::from_str(&workspace.ok(&arguments)).unwrap()
}

/// What a command prints with a device in the first workspace, and with the CPU in the second.
fn both(of: &[TestWorkspace; 2], arguments: &str, device: &str) -> [Value; 2] {
    [json(&of[0], arguments, device), json(&of[1], arguments, "cpu")]
}

fn ok(workspace: &TestWorkspace, arguments: &str) -> String {
    workspace.ok(&arguments.split_whitespace().collect::<Vec<_>>())
}

fn log(workspace: &TestWorkspace, run: &str) -> String {
    fs::read_to_string(workspace.run(run).join("log.txt")).unwrap()
}

/// The change of a metric on the demo's 31 dev pairs when two proofs of nearly equal scores change places, as rounding may have
/// them do: one rank changes by one, and its reciprocal by a half at most.
const EXCHANGES: [(&str, f64); 2] = [("mrr", 0.5 / 31.0), ("accuracy", 1.0 / 31.0)];

/// Takes the metrics out of rows that follow from ranks.
fn take_rank_metrics(rows: &mut [Value]) -> Vec<(&'static str, f64, f64)> {
    let mut taken = Vec::new();
    for row in rows.iter_mut().filter_map(Value::as_object_mut) {
        for (metric, exchange) in EXCHANGES {
            taken.extend(row.remove(metric).and_then(|value| Some((metric, exchange, value.as_f64()?))));
        }
    }
    taken
}

/// A run of a few steps on devices, and the same on the CPU. Both report the same and change the weights alike.
fn trains_alike(workspace: &TestWorkspace, name: &str, command: &str, device: &str) {
    let (on_cpu, still) = (format!("{name}-cpu"), format!("{name}-still"));
    for (run, device) in [(name, device), (on_cpu.as_str(), "cpu")] {
        ok(workspace, &format!("{command} --run {run} --device {device}"));
    }
    let found = log(workspace, name);
    assert!(found.contains(&format!("engine: candle on {device} (softgpu")), "{found}");
    assert!(log(workspace, &on_cpu).contains("engine: native on cpu (--device cpu)"));
    let (mut gpu, mut cpu) = (workspace.metrics(name), workspace.metrics(&on_cpu));
    assert!(gpu.len() > 1, "{gpu:?}");
    let (of_gpu, of_cpu) = (take_rank_metrics(&mut gpu), take_rank_metrics(&mut cpu));
    assert_eq!(of_gpu.len(), of_cpu.len());
    for ((metric, exchange, one), (_, _, other)) in of_gpu.into_iter().zip(of_cpu) {
        assert!((one - other).abs() <= exchange + 1e-9, "{name}, {metric}: {one} {other}");
    }
    near(name, &Value::from(gpu), &Value::from(cpu), 2e-3);

    // the weights that both started with
    ok(workspace, &format!("{command} --run {still} --device cpu --lr 1e-12"));
    let [gpu, cpu, start] = [name, &on_cpu, &still].map(|run| weights(workspace, run));
    let distance = |left: &[f32], right: &[f32]| {
        left.iter().zip(right).map(|(left, right)| f64::from(left - right).powi(2)).sum::<f64>().sqrt()
    };
    let (apart, moved) = (distance(&gpu, &cpu), distance(&cpu, &start));
    eprintln!("{name}: the weights moved by {moved:.2e} and are {apart:.2e} apart");
    assert!(moved > 1e-4 && apart < 1e-3 * moved, "{name}: {apart} apart after {moved}");
}

/// The weights of the best model of a run. The gradient of the bias of keys, and that of the score, is what rounding leaves of
/// zero, which Adam makes as large as any other: they are left out.
fn weights(workspace: &TestWorkspace, run: &str) -> Vec<f32> {
    let files = workspace.checkpoint(run, "best");
    let (_, bytes) =
        files.iter().find(|(name, _)| name.extension().is_some_and(|kind| kind == "safetensors")).unwrap();
    let tensors = safetensors::SafeTensors::deserialize(bytes).unwrap();
    let mut tensors = tensors.tensors();
    tensors.retain(|(name, _)| !name.ends_with("key.bias") && name != "score.bias");
    tensors.sort_by(|left, right| left.0.cmp(&right.0));
    let values = |bytes: &[u8]| -> Vec<f32> {
        bytes.chunks_exact(4).map(|value| f32::from_le_bytes(value.try_into().unwrap())).collect()
    };
    tensors.iter().flat_map(|(_, tensor)| values(tensor.data())).collect()
}

/// What a command prints itself: the dynamic linker misses the versions of symbols in the libraries of the software GPU.
fn own_lines(printed: &[u8]) -> Vec<String> {
    let printed = String::from_utf8_lossy(printed);
    printed.lines().filter(|line| !line.contains("no version information")).map(str::to_owned).collect()
}

const TINY: &str =
    "train demo --preset tiny --split mixed --epochs 1 --batch 60 --longest 20 --precision f32";

#[test]
fn every_encoder_and_objective_trains_on_one_and_on_two_gpus() {
    if !has_gpus() {
        return;
    }
    let workspace = TestWorkspace::new();
    let npt = format!("{TINY} --encoder npt --width 16");
    trains_alike(&workspace, "npt", &npt, "cuda:0");
    trains_alike(&workspace, "npt-hybrid", &format!("{npt} --objective hybrid"), "cuda:0,1");
    let windows =
        "train demo --preset tiny --encoder windows --split mixed --epochs 1 --batch 60 --precision f32";
    trains_alike(&workspace, "windows", windows, "cuda:1");
    trains_alike(&workspace, "windows-hybrid", &format!("{windows} --objective hybrid"), "cuda:0,1");

    let words =
        "pretrain demo --epochs 1 --longest 12 --vocabulary 400 --batch 64 --split mixed --precision f32";
    trains_alike(&workspace, "words", words, "cuda:0");
    trains_alike(&workspace, "words-two", words, "cuda:1,2");
    let bert = format!("{TINY} --encoder scratchbert --init words-cpu");
    trains_alike(&workspace, "bert", &bert, "cuda:0");
    trains_alike(&workspace, "bert-two", &format!("{bert} --freeze 1 --chunk 16"), "cuda:0,1");
    trains_alike(&workspace, "bert-hybrid", &format!("{bert} --objective hybrid --pooling mean"), "cuda:0,1");
}

/// Starts a run, and stops it after a step with a checkpoint.
#[cfg(unix)]
fn begin(workspace: &TestWorkspace, run: &str, arguments: &[&str]) {
    let mut child = workspace.start(run, arguments);
    let metrics = workspace.run(run).join("metrics.jsonl");
    let start = Instant::now();
    while fs::read_to_string(&metrics).map_or(0, |text| text.lines().count()) < 1 {
        assert!(start.elapsed() < Duration::from_secs(300) && child.try_wait().unwrap().is_none(), "{run}");
        thread::sleep(Duration::from_millis(20));
    }
    let stopped = Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(stopped.success() && child.wait().unwrap().success());
    assert_eq!(workspace.status(run)["state"], "stopped", "{}", log(workspace, run));
}

#[test]
#[cfg(unix)]
fn a_run_stays_on_its_gpu_or_says_that_its_engine_changed() {
    if !has_gpus() {
        return;
    }
    let workspace = TestWorkspace::new();
    let command = format!("{TINY} --encoder npt --width 16").replace("--epochs 1", "--epochs 2");
    let arguments: Vec<&str> = command.split_whitespace().skip(1).collect();
    workspace.train("whole", &[&arguments[..], &["--device", "cuda:1"]].concat());
    for run in ["stays", "moves"] {
        begin(
            &workspace,
            run,
            &[&arguments[..], &["--device", "cuda:1", "--checkpoint-every", "0"]].concat(),
        );
    }
    ok(&workspace, "train --run stays --resume");
    let found = log(&workspace, "stays");
    assert_eq!(found.matches("engine: candle on cuda:1 (softgpu").count(), 2, "{found}");
    assert!(!found.contains("different engine"), "{found}");
    assert_eq!(workspace.metrics("stays"), workspace.metrics("whole"));
    assert!(workspace.checkpoint("stays", "best") == workspace.checkpoint("whole", "best"), "another model");

    ok(&workspace, "train --run moves --resume --device cpu");
    let found = log(&workspace, "moves");
    let words = "resuming with a different engine than before (candle on cuda:1 (softgpu";
    assert!(found.contains(words) && found.contains("not bit for bit"), "{found}");
    let [moved, whole] = ["moves", "whole"].map(|run| Value::from(workspace.metrics(run)));
    near("moves", &moved, &whole, 5e-3);
}

#[test]
fn what_gpus_do_is_recorded_and_shown() {
    if !has_gpus() {
        return;
    }
    let workspace = TestWorkspace::new();
    ok(&workspace, &format!("{TINY} --encoder npt --width 16 --run two --device cuda:0,1"));
    let metrics = fs::read_to_string(workspace.run("two").join("metrics.jsonl")).unwrap();
    let rows: Vec<Value> = metrics.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let row = rows.iter().find(|row| !row["gpu_power"].is_null()).unwrap_or_else(|| panic!("{metrics}"));
    let values =
        ["gpu_utilization", "gpu_memory", "gpu_power", "gpu_temperature"].map(|name| row[name].as_f64());
    assert_eq!(values, [Some(40.0), Some(4e9), Some(300.0), Some(52.0)]);
    assert!(row["memory"].as_f64().unwrap() > 1e6);
    let status = workspace.status("two");
    assert_eq!(status["device"], "cuda:0,1");
    assert!(status["engine"].as_str().unwrap().starts_with("candle on cuda:0,1 (softgpu, "), "{status}");
    let runs: Value = serde_json::from_str(&ok(&workspace, "runs --json")).unwrap();
    assert_eq!(runs[0]["device"], "cuda:0,1", "{runs}");
    assert!(ok(&workspace, "runs show two").contains("engine: candle on cuda:0,1 (softgpu, "));
}

#[test]
fn what_cannot_run_is_said_in_one_line_and_leaves_no_run() {
    if !has_gpus() {
        return;
    }
    let workspace = TestWorkspace::new();
    workspace.fails("none", &["demo", "--device", "cuda:7"], &["cuda:7"]);
    assert!(!workspace.run("none").exists());
    for place in ["--detach", "--queue"] {
        workspace.fails("none", &["demo", "--device", "cuda:7", place], &["cuda:7", "this machine has "]);
        assert!(!workspace.run("none").exists());
    }
    for command in [
        "evaluate --run demo-full",
        "find demo compact --run demo-full",
        "explain --run demo-full --pair demo.01#1",
    ] {
        let arguments: Vec<&str> = command.split_whitespace().chain(["--device", "cuda:7"]).collect();
        let output = workspace.command(&arguments).output().unwrap();
        let error = own_lines(&output.stderr);
        assert!(output.status.code() == Some(1) && error.len() == 1, "{command}: {error:?}");
        assert!(error[0].contains("cuda:7"), "{command}: {error:?}");
    }
}

#[test]
fn errors_of_the_driver_are_one_line() {
    if !has_gpus() || std::env::var_os("SOFTGPU").is_none() {
        return;
    }
    let workspace = TestWorkspace::new();
    let train = |run: &str, device: &str, fails_at: &str| {
        let command = format!("{TINY} --encoder npt --width 16 --run {run} --device {device}");
        let mut command = workspace.command(&command.split_whitespace().collect::<Vec<_>>());
        let output = command.env("SOFTGPU_FAIL", fails_at).env("RUST_BACKTRACE", "1").output().unwrap();
        (output.status.success(), own_lines(&output.stderr))
    };
    // a driver that does not start
    let (is_done, error) = train("none", "cuda", "0");
    assert!(!is_done && !workspace.run("none").exists());
    assert!(error.len() == 1 && error[0].contains("CUDA_ERROR_SYSTEM_DRIVER_MISMATCH"), "{error:?}");
    let (is_done, error) = train("auto", "auto", "0");
    assert!(is_done, "{error:?}");
    let found = log(&workspace, "auto");
    assert!(
        found.contains("engine: native on cpu (no GPU was found: ")
            && found.contains("CUDA_ERROR_SYSTEM_DRIVER_MISMATCH"),
        "{found}"
    );
    // a kernel that fails
    let (is_done, error) = train("broken", "cuda", "300");
    assert!(!is_done);
    let last = error.last().unwrap();
    assert!(last.contains("CUDA_ERROR_LAUNCH_FAILED") && !error.iter().any(|line| line.contains("panic")));
    let status = workspace.status("broken");
    assert_eq!(status["state"], "failed");
    assert!(status["cause"].as_str().unwrap().contains("CUDA_ERROR_LAUNCH_FAILED"), "{status}");
    assert!(!log(&workspace, "broken").contains("stack backtrace"));
}

#[test]
fn memory_that_runs_out_slows_a_run_down_and_does_not_end_it() {
    if !has_gpus() || std::env::var_os("SOFTGPU").is_none() {
        return;
    }
    let workspace = TestWorkspace::new();
    let command = format!("{TINY} --encoder npt --width 16 --device cuda:0 --run");
    let train = |run: &str, mode: &str, bytes: u64| {
        let arguments: Vec<&str> = command.split_whitespace().chain([run]).collect();
        let mut command = workspace.command(&arguments);
        command.env("SOFTGPU", mode).env("SOFTGPU_LOG", workspace.path("counts.log"));
        command.env("SOFTGPU_MEM", bytes.to_string()).output().unwrap()
    };
    // the smallest memory in which one document at a time fits, found without computing anything
    let (mut bytes, mut failures) = (1 << 18, 0);
    let name = |bytes: u64| format!("try-{bytes}");
    loop {
        let output = train(&name(bytes), "null", bytes);
        if output.status.success() {
            break;
        }
        let error = String::from_utf8(output.stderr).unwrap();
        let last = error.trim_end().lines().last().unwrap();
        assert!(last.contains("memory of the device; use ") && last.contains("--device"), "{bytes}: {error}");
        assert!(!error.contains("panicked") && !error.contains("backtrace"), "{error}");
        failures += 1;
        bytes += bytes / 4;
        assert!(bytes < 1 << 30);
    }
    assert!(failures > 0);
    assert!(log(&workspace, &name(bytes)).contains("ran out of memory"), "{}", log(&workspace, &name(bytes)));

    assert!(train("tight", "exec", bytes).status.success());
    assert!(log(&workspace, "tight").contains("ran out of memory"));
    ok(&workspace, &format!("{command} wide"));
    assert!(!log(&workspace, "wide").contains("ran out of memory"));
    let [tight, wide] = ["tight", "wide"].map(|run| Value::from(workspace.metrics(run)));
    near("tight", &tight, &wide, 5e-3);
}

#[test]
fn a_study_trains_and_evaluates_on_its_device() {
    if !has_gpus() {
        return;
    }
    let study = "study cross --encoders windows --levels conservation,full --split mixed --seeds 1 --epochs 1 --at-once 1 --format csv";
    let [gpu, cpu] = ["cuda:1", "cpu"].map(|device| {
        let workspace = TestWorkspace::new();
        let arguments: Vec<&str> = study.split_whitespace().chain(["--device", device]).collect();
        let counts = workspace.path("counts.log");
        let output = workspace.command(&arguments).env("SOFTGPU_LOG", &counts).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        // a process that used a GPU reports its counts in the end
        let processes = fs::read_to_string(&counts).map_or(0, |text| text.matches("softgpu rest").count());
        (String::from_utf8(output.stdout).unwrap(), processes)
    });
    // two runs, each evaluated at two levels
    assert_eq!((gpu.1, cpu.1), (6, 0));
    assert_eq!(gpu.0, cpu.0);
}

#[test]
fn models_give_the_same_answers_on_gpus() {
    if !has_gpus() {
        return;
    }
    // an index that one device has built would serve the other
    let of = [TestWorkspace::new(), TestWorkspace::new()];
    for model in ["demo-conservation", "demo-full"] {
        for (device, what) in [("cuda:0", "--part test"), ("cuda:0,1", "--part dev")] {
            let evaluate = format!("evaluate --run {model} {what} --decoder local,global");
            let [gpu, cpu] = both(&of, &evaluate, device);
            assert!(gpu["verdicts"].as_array().unwrap().len() > 20);
            near(&evaluate, &gpu, &cpu, 1e-3);
        }
        for method in ["lime --samples 60", "gradients", "occlusion"] {
            let explain = format!("explain --run {model} --pair demo.01#1 --method {method}");
            let [gpu, cpu] = both(&of, &explain, "cuda:0");
            near(&explain, &gpu, &cpu, 1e-3);
        }
        let find = format!("find demo --like demo.01#1 --run {model}");
        let [gpu, cpu] = both(&of, &find, "cuda:1");
        assert!(gpu["results"].as_array().unwrap().len() > 3);
        near(&find, &gpu, &cpu, 1e-3);
        let matching = format!("match demo demo --run {model} --hide 0.5");
        let [gpu, cpu] = both(&of, &format!("{matching} -o out.jsonl"), "cuda:0");
        near(&matching, &gpu, &cpu, 1e-3);
        let [gpu, cpu] = of.each_ref().map(|workspace| {
            let answers = fs::read_to_string(workspace.path("out.jsonl")).unwrap();
            answers.lines().map(|line| serde_json::from_str::<Value>(line).unwrap()).collect::<Value>()
        });
        assert!(gpu.as_array().unwrap().len() > 20);
        near(&matching, &gpu, &cpu, 1e-3);
    }
}
