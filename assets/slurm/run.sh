#!/bin/bash
# Written by matchbook. Slurm may start this more than once: a run goes on where it stopped.
#SBATCH --open-mode=append
#SBATCH --requeue
#SBATCH --signal=B:USR1@{{notice}}
{{options}}
{{environment}}
{{work}}

# Near its limit the run writes a checkpoint, and the job goes back to the queue; a run that shall stop, or whose node is
# wanted, writes one too. Both signals come to this shell alone.
child='' limit=''
trap 'limit=1; [ -z "$child" ] || kill -TERM "$child" 2>/dev/null' USR1
trap '[ -z "$child" ] || kill -TERM "$child" 2>/dev/null' TERM

"$@" </dev/null &
child=$!
while wait "$child"; code=$?; [ "$code" -gt 128 ] && kill -0 "$child" 2>/dev/null; do :; done

if [ -n "$limit" ] && [ "$code" -eq 0 ] && [ ! -e "$run/stop" ] && ! grep -q '"state": "finished"' "$run/status.json"; then
  scontrol requeue "${SLURM_ARRAY_JOB_ID:+${SLURM_ARRAY_JOB_ID}_}${SLURM_ARRAY_TASK_ID:-$SLURM_JOB_ID}"
fi
exit "$code"
