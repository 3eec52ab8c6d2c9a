#!/bin/bash
# Written by matchbook. Slurm may start this more than once: a run resumes where it stopped.
#SBATCH --open-mode=append
#SBATCH --requeue
#SBATCH --signal=B:USR1@{{notice}}
{{options}}

# Near its limit (USR1) the run writes a checkpoint and the job goes back to the queue; a run that should stop (USR2), or
# whose node is reclaimed (TERM), writes one and ends.
child='' limit=''
tell() { [ -z "$child" ] || kill -TERM "$child" 2>/dev/null; }
trap 'limit=1; tell' USR1
trap tell USR2 TERM

{{environment}}
{{work}}

"$@" </dev/null &
child=$!
while wait "$child"; code=$?; [ "$code" -gt 128 ] && kill -0 "$child" 2>/dev/null; do :; done

if [ -n "$limit" ] && [ "$code" -eq 0 ] && [ ! -e "$run/stop" ] && ! grep -q '"state": "finished"' "$run/status.json"; then
  scontrol requeue "${SLURM_ARRAY_JOB_ID:+${SLURM_ARRAY_JOB_ID}_}${SLURM_ARRAY_TASK_ID:-$SLURM_JOB_ID}"
fi
exit "$code"
