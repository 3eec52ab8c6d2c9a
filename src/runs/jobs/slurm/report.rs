//! Parses the output of `squeue` and `sacct`, as JSON where they have it and as plain lines otherwise.

use serde_json::Value;

use super::command::{SlurmCommandError, run_slurm};

/// A job, or a task of an array, as the cluster reports it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct JobReport {
    pub job: u64,
    /// The tasks of an array that this is about; none for a single job.
    pub tasks: Option<Vec<u32>>,
    pub state: String,
    /// `1:0`, the code and the signal; empty when unknown.
    pub exit: String,
    pub comment: String,
}

/// Our state of a job that the cluster has no record of.
pub const FORGOTTEN: &str = "FORGOTTEN";

/// What a Slurm state means for a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    Waiting,
    Running,
    Completed,
    Failed,
    /// It was interrupted by the cluster, and can be resumed.
    Interrupted,
    /// An unknown state, or none.
    Unknown,
}

impl Phase {
    pub fn of(state: &str) -> Phase {
        // `CANCELLED by 0`
        match state.split([' ', '+']).next().unwrap_or_default() {
            "PENDING" | "CONFIGURING" | "REQUEUED" | "REQUEUE_FED" | "REQUEUE_HOLD" | "RESV_DEL_HOLD"
            | "SPECIAL_EXIT" | "SUSPENDED" => Phase::Waiting,
            "RUNNING" | "COMPLETING" | "RESIZING" | "SIGNALING" | "STAGE_OUT" | "STOPPED" => Phase::Running,
            "COMPLETED" => Phase::Completed,
            FORGOTTEN | "FAILED" | "OUT_OF_MEMORY" | "BOOT_FAIL" | "DEADLINE" => Phase::Failed,
            "CANCELLED" | "TIMEOUT" | "PREEMPTED" | "NODE_FAIL" | "REVOKED" => Phase::Interrupted,
            _ => Phase::Unknown,
        }
    }
}

impl JobReport {
    /// Whether this is about `12` or `12_3`.
    pub fn is(&self, id: &str) -> bool {
        let (job, task) = match id.split_once('_') {
            Some((job, task)) => (job, task.parse().ok()),
            None => (id, None),
        };
        job.parse() == Ok(self.job)
            && match (task, &self.tasks) {
                (None, None) => true,
                (Some(task), Some(tasks)) => tasks.contains(&task),
                _ => false,
            }
    }

    /// The id of the job with this comment, for a task of it.
    pub fn id_for(&self, comment: &str, task: Option<u32>) -> Option<String> {
        (self.comment == comment && self.tasks.is_some() == task.is_some()).then(|| match task {
            Some(task) => format!("{}_{task}", self.job),
            None => self.job.to_string(),
        })
    }
}

/// The user's jobs that the controller still has.
pub fn queue() -> Result<Vec<JobReport>, SlurmCommandError> {
    match run_slurm("squeue", &["--me", "--states=all", "--json"]) {
        Ok(text) if text.trim_start().starts_with('{') => {
            if let Some(seen) = jobs_in(&text) {
                return Ok(seen);
            }
        }
        Err(silent @ (SlurmCommandError::Silent(_) | SlurmCommandError::Missing(_))) => return Err(silent),
        Ok(_) | Err(SlurmCommandError::Refused(_)) => {}
    }
    let text = run_slurm("squeue", &["--me", "--states=all", "--noheader", "--array", "--format=%i|%T||%k"])?;
    Ok(lines_in(&text))
}

/// The jobs that accounting has records of. Not every cluster has accounting.
pub fn history(ids: &[&str]) -> Result<Vec<JobReport>, SlurmCommandError> {
    let list = ids.join(",");
    match run_slurm("sacct", &["--allocations", "--json", "--jobs", &list]) {
        Ok(text) if text.trim_start().starts_with('{') => {
            if let Some(seen) = jobs_in(&text) {
                return Ok(seen);
            }
        }
        Err(silent @ (SlurmCommandError::Silent(_) | SlurmCommandError::Missing(_))) => return Err(silent),
        Ok(_) | Err(SlurmCommandError::Refused(_)) => {}
    }
    let format = "--format=JobID,State,ExitCode,Comment";
    let text = run_slurm("sacct", &["--allocations", "--parsable2", "--noheader", format, "--jobs", &list])?;
    Ok(lines_in(&text))
}

/// `12_3|RUNNING|0:0|comment`
fn lines_in(text: &str) -> Vec<JobReport> {
    let line = |line: &str| {
        let mut fields = line.splitn(4, '|').map(str::trim);
        let (id, state) = (fields.next()?, fields.next()?);
        let (exit, comment) = (fields.next().unwrap_or_default(), fields.next().unwrap_or_default());
        let (job, tasks) = match id.split_once('_') {
            Some((job, tasks)) => (job, Some(tasks_in(tasks.trim_matches(['[', ']'])))),
            None => (id, None),
        };
        let comment = if comment == "(null)" { "" } else { comment };
        Some(JobReport {
            job: job.parse().ok()?,
            tasks,
            state: state.to_owned(),
            exit: exit.to_owned(),
            comment: comment.to_owned(),
        })
    };
    text.lines().filter_map(line).collect()
}

/// The jobs of `squeue --json` and `sacct --json`, whose formats differ between versions. None without a
/// list of jobs.
fn jobs_in(text: &str) -> Option<Vec<JobReport>> {
    let value: Value = serde_json::from_str(text).ok()?;
    // Slurm 22.05 reports in the document that the controller did not answer, with no jobs, and exits successfully.
    if value.get("errors").and_then(Value::as_array).is_some_and(|errors| !errors.is_empty()) {
        return None;
    }
    let jobs = value.get("jobs")?.as_array()?;
    Some(jobs.iter().filter_map(job_in).collect())
}

fn job_in(job: &Value) -> Option<JobReport> {
    let array = job.get("array");
    let own = number(job.get("job_id")?)?;
    let parent =
        job.get("array_job_id").or_else(|| array?.get("job_id")).and_then(number).filter(|id| *id > 0);
    let task = job.get("array_task_id").or_else(|| array?.get("task_id")).and_then(number);
    let waiting =
        job.get("array_task_string").or_else(|| array?.get("task")).and_then(word).unwrap_or_default();
    let tasks = match (parent, task) {
        _ if !waiting.is_empty() => Some(tasks_in(&waiting)),
        (Some(_), Some(task)) => Some(vec![u32::try_from(task).ok()?]),
        _ => None,
    };
    let state = job.get("job_state").or_else(|| job.get("state")?.get("current")).and_then(word)?;
    let comment = job.get("comment").and_then(|comment| word(comment).or_else(|| word(comment.get("job")?)));
    let exit = job.get("exit_code").map(|exit| {
        // as the system encodes it: the code above eight bits of signal
        if let Some(status) = exit.as_u64() {
            return format!("{}:{}", status >> 8 & 255, status & 127);
        }
        let code = exit.get("return_code").and_then(number).unwrap_or_default();
        let signal = exit.get("signal");
        let signal = signal.and_then(|signal| signal.get("signal_id").or(signal.get("id"))).and_then(number);
        format!("{code}:{}", signal.unwrap_or_default())
    });
    Some(JobReport {
        job: if tasks.is_some() { parent.unwrap_or(own) } else { own },
        tasks,
        state,
        exit: exit.unwrap_or_default(),
        comment: comment.unwrap_or_default(),
    })
}

/// `7` or `{"set": true, "number": 7}`
fn number(value: &Value) -> Option<u64> {
    match value {
        Value::Object(fields) if fields.get("set") == Some(&Value::Bool(false)) => None,
        Value::Object(fields) => fields.get("number")?.as_u64(),
        value => value.as_u64(),
    }
}

/// `"RUNNING"` or `["RUNNING"]`
fn word(value: &Value) -> Option<String> {
    match value {
        Value::Array(words) => words.first()?.as_str().map(str::to_owned),
        value => value.as_str().map(str::to_owned),
    }
}

/// `2-4,7%2`; also a step as in `0-8:2` and a bit mask as in `0xE`.
fn tasks_in(text: &str) -> Vec<u32> {
    const MOST: u32 = 1_000_000;
    if let Some(bits) = text.strip_prefix("0x") {
        let digits = bits.chars().rev().filter_map(|digit| digit.to_digit(16)).enumerate();
        let tasks = digits.flat_map(|(place, digit)| {
            (0..4).filter(move |bit| digit >> bit & 1 == 1).map(move |bit| place as u32 * 4 + bit)
        });
        return tasks.collect();
    }
    let text = text.split('%').next().unwrap_or_default();
    let mut tasks = Vec::new();
    for part in text.split(',').map(str::trim) {
        let (range, step) = part.split_once(':').unwrap_or((part, "1"));
        let (first, last) = range.split_once('-').unwrap_or((range, range));
        if let (Ok(first), Ok(last), Ok(step)) =
            (first.parse::<u32>(), last.parse::<u32>(), step.parse::<usize>())
            && last < MOST
        {
            tasks.extend((first..=last).step_by(step.max(1)));
        }
    }
    tasks
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_lines_and_json_say_the_same() {
        let plain = lines_in(
            "12|RUNNING||matchbook a 1|2\n13_1|PENDING||c\n13_[2-4,7%2]|PENDING||c\nodd\n14|CANCELLED by 0|0:15|\n",
        );
        assert_eq!(plain.len(), 4);
        assert_eq!((plain[0].job, plain[0].comment.as_str()), (12, "matchbook a 1|2"));
        assert!(plain[0].is("12") && !plain[0].is("12_1") && !plain[0].is("1"));
        assert!(plain[1].is("13_1") && !plain[1].is("13"));
        assert!(plain[2].is("13_3") && plain[2].is("13_7") && !plain[2].is("13_5"));
        assert_eq!(Phase::of(&plain[3].state), Phase::Interrupted);
        let old = jobs_in(
            r#"{"jobs":[{"job_id":12,"job_state":"RUNNING","array_job_id":0,"array_task_id":null,"comment":"a"},
                {"job_id":13,"job_state":"PENDING","array_job_id":13,"array_task_id":null,"array_task_string":"2-3","comment":"c"},
                {"job_id":15,"job_state":"RUNNING","array_job_id":13,"array_task_id":1,"comment":"c"}]}"#,
        )
        .unwrap();
        assert!(old[0].is("12") && old[1].is("13_2") && old[2].is("13_1"));
        assert_eq!(old[1].id_for("c", Some(3)).as_deref(), Some("13_3"));
        assert_eq!(old[0].id_for("c", None), None);
        let new = jobs_in(
            r#"{"jobs":[{"job_id":12,"job_state":["FAILED"],"array_job_id":{"set":true,"number":0},
                "array_task_id":{"set":false,"number":0},"comment":"a","exit_code":{"return_code":{"set":true,"number":3},"signal":{"id":{"set":false,"number":0}}}}]}"#,
        )
        .unwrap();
        assert!(new[0].is("12"));
        assert_eq!((new[0].state.as_str(), new[0].exit.as_str()), ("FAILED", "3:0"));
        let accounted = jobs_in(
            r#"{"jobs":[{"job_id":9,"array":{"job_id":8,"task_id":1},"state":{"current":"COMPLETED"},"comment":{"job":"x"},
                "exit_code":{"return_code":0}}]}"#,
        )
        .unwrap();
        assert!(accounted[0].is("8_1") && accounted[0].comment == "x");
        assert_eq!(jobs_in("[]"), None);
        assert_eq!(jobs_in(r#"{"errors":[{"error":"Unable to contact slurm controller"}],"jobs":[]}"#), None);
        assert_eq!((tasks_in("0x1E"), tasks_in("0-4:2,9%3")), (vec![1, 2, 3, 4], vec![0, 2, 4, 9]));
    }
}
