//! The batch script of runs: a template, the user's options, and the commands.

use std::{
    ffi::OsString,
    fs,
    path::{Path, PathBuf},
};

use super::{
    super::{JobError, Jobs, SlurmOptions, local, record::Record},
    command::{SlurmCommandError, run_slurm},
};
use crate::{
    base::{atomic, shell},
    runs::{RunDirectory, layout},
};

const RUN: &str = include_str!("../../../../assets/slurm/run.sh");
const PLAIN: &str = include_str!("../../../../assets/slurm/plain.sh");
/// How many seconds before its time limit a run is signalled. A checkpoint takes seconds; Slurm may be a minute off.
const NOTICE: &str = "120";

/// Writes the script of one run into its directory, that of an array beside the runs. Returns its path.
pub fn write(jobs: &Jobs, runs: &[&RunDirectory], records: &[Record]) -> Result<PathBuf, JobError> {
    let mut work = Vec::new();
    for (run, record) in runs.iter().zip(records) {
        let mut record = record.clone();
        let options = record.slurm_options.clone().unwrap_or_default();
        // use the processors that were requested
        record.options.threads =
            record.options.threads.or_else(|| std::num::NonZeroUsize::new(options.cpus? as usize));
        let own = absolute(&jobs.program);
        let program = absolute(&jobs.program_for(&record.options)?);
        // another build than this one has to be of the same version
        let version = match program == own {
            true => String::new(),
            false => format!("export {}={}\n", super::super::EXPECTED_VERSION, env!("CARGO_PKG_VERSION")),
        };
        let arguments = local::arguments(&jobs.workspace, run, &record);
        let words: Vec<String> =
            std::iter::once(program.into_os_string()).chain(arguments).map(utf8).collect::<Result<_, _>>()?;
        let command = shell::join(words);
        let folder = utf8(absolute(run.path()).into_os_string())?;
        let folder = shell::quote(&folder).into_owned();
        work.push(format!("{version}run={folder}\nset -- {command}"));
    }
    let work = match work.as_slice() {
        [one] => one.clone(),
        many => {
            let case = |(task, work): (usize, &String)| format!("{task})\n{work} ;;");
            let cases: Vec<String> = many.iter().enumerate().map(case).collect();
            // an array has one output file for all tasks, and each run its own log
            format!(
                "case \"$SLURM_ARRAY_TASK_ID\" in\n{}\nesac\nexec >>\"$run/log.txt\" 2>&1",
                cases.join("\n")
            )
        }
    };
    let options = records.first().and_then(|record| record.slurm_options.clone()).unwrap_or_default();
    let text = filled(RUN, &options, &work)?;
    let path = match runs {
        [one] => one.path().join(layout::JOB_SCRIPT),
        _ => {
            let folder = jobs.workspace.root().join("jobs");
            fs::create_dir_all(&folder).map_err(JobError::file("create the folder", &folder))?;
            let comment =
                records.first().and_then(|record| record.slurm.as_ref()).map_or("", |job| &job.comment);
            folder.join(format!("array-{}.sh", comment.rsplit(' ').next().unwrap_or_default()))
        }
    };
    atomic::replace(&path, text.as_bytes()).map_err(JobError::file("write", &path))?;
    Ok(path)
}

/// A word of a script, which is text.
fn utf8(word: OsString) -> Result<String, JobError> {
    word.into_string().map_err(|word| {
        let path = PathBuf::from(word);
        JobError::Slurm(format!("{} is not UTF-8, so a batch script cannot refer to it", path.display()))
    })
}

/// A script that runs commands.
pub fn plain(options: &SlurmOptions, work: &str) -> Result<String, JobError> {
    filled(PLAIN, options, work)
}

fn filled(template: &str, options: &SlurmOptions, work: &str) -> Result<String, JobError> {
    let mut lines = Vec::new();
    let mut option = |name: &str, value: &Option<String>| -> Result<(), JobError> {
        if let Some(value) = value {
            if value.contains(|letter: char| letter.is_control() || "\"'\\ #".contains(letter)) {
                return Err(JobError::Slurm(format!("{value:?} is not a valid {name} for a job")));
            }
            lines.push(format!("#SBATCH --{name}={value}"));
        }
        Ok(())
    };
    option("partition", &options.partition)?;
    option("account", &options.account)?;
    option("gres", &options.gres)?;
    if let Some(time) = options.time.as_deref().filter(|time| !is_time(time)) {
        return Err(JobError::Slurm(format!(
            "{time:?} is not a valid time for a job; use minutes, HH:MM:SS, DAYS-HH:MM:SS or UNLIMITED"
        )));
    }
    option("time", &options.time)?;
    option("mem", &options.memory)?;
    option("cpus-per-task", &options.cpus.map(|cpus| cpus.to_string()))?;
    for further in &options.options {
        if !further.starts_with('-') || further.contains(char::is_control) {
            return Err(JobError::Slurm(format!("{further:?} is not an sbatch option")));
        }
        lines.push(format!("#SBATCH {further}"));
    }
    let (options, environment) = (lines.join("\n"), options.environment.join("\n"));
    let values = [("notice", NOTICE), ("options", &options), ("environment", &environment), ("work", work)];
    Ok(substitute(template, &values))
}

/// Whether Slurm reads it as a time: `MM`, `MM:SS`, `HH:MM:SS`, and `D-HH`, `D-HH:MM`, `D-HH:MM:SS`.
fn is_time(text: &str) -> bool {
    let is_number = |part: &str| !part.is_empty() && part.bytes().all(|digit| digit.is_ascii_digit());
    let (days, clock) = match text.split_once('-') {
        Some((days, clock)) => (Some(days), clock),
        None => (None, text),
    };
    let is_clock = clock.split(':').count() <= 3 && clock.split(':').all(is_number);
    let is_unlimited = ["unlimited", "infinite"].iter().any(|word| text.eq_ignore_ascii_case(word));
    is_unlimited || (is_clock && days.is_none_or(is_number))
}

/// Replaces `{{name}}` by its value. Values are inserted as they are, also if they contain such a name.
fn substitute(template: &str, values: &[(&str, &str)]) -> String {
    let mut filled = String::new();
    let mut rest = template;
    while let Some((before, after)) = rest.split_once("{{") {
        filled.push_str(before);
        let value = after.split_once("}}").and_then(|(name, after)| {
            let (_, value) = values.iter().find(|(known, _)| *known == name)?;
            Some((*value, after))
        });
        match value {
            Some((value, after)) => {
                filled.push_str(value);
                rest = after;
            }
            None => {
                filled.push_str("{{");
                rest = after;
            }
        }
    }
    filled.push_str(rest);
    filled
}

/// Submits a script of runs. Returns the job id.
pub fn submit(
    script: &Path,
    comment: &str,
    runs: &[&RunDirectory],
    options: &SlurmOptions,
) -> Result<String, SlurmCommandError> {
    let mut arguments = vec![format!("--comment={comment}")];
    match runs {
        [one] => {
            arguments.push(format!("--job-name={}", one.name()));
            arguments.push(format!("--output={}", pattern(&one.log_path())));
        }
        many => {
            let at_once = options.at_once.map(|count| format!("%{count}")).unwrap_or_default();
            arguments.push(format!("--array=0-{}{at_once}", many.len() - 1));
            arguments.push("--job-name=matchbook".to_owned());
            arguments.push("--output=/dev/null".to_owned());
        }
    }
    sbatch(script, &arguments)
}

/// Submits a script. Returns the job id.
pub fn sbatch(script: &Path, arguments: &[String]) -> Result<String, SlurmCommandError> {
    let script = script.to_string_lossy();
    let mut all = vec!["--parsable"];
    all.extend(arguments.iter().map(String::as_str));
    all.push(&script);
    let answer = run_slurm("sbatch", &all)?;
    // `12`, and with several clusters `12;name`
    let id = answer.trim().lines().last().unwrap_or_default();
    let id = id.split(';').next().unwrap_or_default().trim().to_owned();
    match id.parse::<u64>() {
        Ok(_) => Ok(id),
        Err(_) => Err(SlurmCommandError::Silent(format!(
            "sbatch printed {:?}, which is not a job id",
            answer.trim()
        ))),
    }
}

/// A path in which Slurm replaces nothing.
pub fn pattern(path: &Path) -> String {
    absolute(path).to_string_lossy().replace('%', "%%")
}

pub fn absolute(path: &Path) -> PathBuf {
    std::path::absolute(path).unwrap_or_else(|_| path.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_become_lines_and_hostile_ones_are_refused() {
        let options = SlurmOptions {
            partition: Some("gpu".to_owned()),
            time: Some("1:00:00".to_owned()),
            options: vec!["--qos=low".to_owned()],
            environment: vec!["module load cuda".to_owned(), "export A=1".to_owned()],
            ..SlurmOptions::default()
        };
        let text = plain(&options, "echo done").unwrap();
        let (head, rest) = text.split_once("module load cuda\nexport A=1").unwrap();
        assert!(
            head.contains("#SBATCH --partition=gpu\n#SBATCH --time=1:00:00\n#SBATCH --qos=low\n"),
            "{text}"
        );
        assert!(rest.trim_end().ends_with("echo done"));
        for wrong in ["a b", "a\n#SBATCH --x", "\"x"] {
            let options = SlurmOptions { account: Some(wrong.to_owned()), ..SlurmOptions::default() };
            assert!(plain(&options, "").is_err(), "{wrong}");
        }
        let options = SlurmOptions { options: vec!["rm".to_owned()], ..SlurmOptions::default() };
        assert!(plain(&options, "").is_err());
        let options =
            SlurmOptions { options: vec!["--comment={{work}}".to_owned()], ..SlurmOptions::default() };
        let text = plain(&options, "echo done").unwrap();
        assert!(text.contains("#SBATCH --comment={{work}}\n"), "{text}");
    }
}
