#!/usr/bin/env bash
# A real Slurm on one machine, as ordinary processes with a private configuration in a folder.
#
#   slurm.sh start FOLDER          starts munged, mariadbd, slurmdbd, slurmctld and slurmd; prints the path of slurm.conf
#   slurm.sh controller FOLDER     starts slurmctld again
#   slurm.sh stop FOLDER           ends them, by the numbers that they wrote
#
# Needs root and Debian's slurm-wlm, munge, slurmdbd and mariadb-server. Without the last two there is no accounting.
set -euo pipefail
PATH=$PATH:/usr/sbin:/sbin
what=$1 folder=$2

missing() { for command in "$@"; do command -v "$command" >/dev/null || { echo "there is no $command" >&2; exit 77; }; done; }
free_port() { python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'; }
wait_for() { # SECONDS COMMAND...
  local until=$((SECONDS + $1)); shift
  until "$@" >/dev/null 2>&1; do
    [ $SECONDS -lt $until ] || { echo "waited in vain for: $*" >&2; return 1; }
    sleep 0.2
  done
}
is_idle() { sinfo --noheader --format=%T | grep -q idle; }
end() { # PIDFILE: ends the process if it is there, and waits for it
  [ -s "$1" ] || return 0
  local pid; pid=$(cat "$1")
  kill "$pid" 2>/dev/null || return 0
  for _ in $(seq 50); do kill -0 "$pid" 2>/dev/null || return 0; sleep 0.1; done
  kill -9 "$pid" 2>/dev/null || true
}

case $what in
stop)
  for name in slurmd slurmctld slurmdbd mariadb munged; do end "$folder/$name.pid"; done
  exit 0 ;;
controller)
  export SLURM_CONF=$folder/slurm.conf
  exec slurmctld -f "$folder/slurm.conf" ;;
start) ;;
*) echo "slurm.sh start|controller|stop FOLDER" >&2; exit 2 ;;
esac

missing munged slurmctld slurmd sbatch python3
[ "$(id -u)" = 0 ] || { echo "only root starts a Slurm" >&2; exit 77; }
mkdir -p "$folder"
folder=$(cd "$folder" && pwd)
chmod 755 "$folder"
trap '"$0" stop "$folder"' ERR

mkdir -p -m 700 "$folder/munge"
mkdir -p -m 755 "$folder/socket" "$folder/state" "$folder/spool"
(umask 077; head -c 1024 /dev/urandom > "$folder/munge/key")
munged --force --key-file="$folder/munge/key" --socket="$folder/socket/munge" --pid-file="$folder/munged.pid" \
  --log-file="$folder/munge/log" --seed-file="$folder/munge/seed"

host=$(hostname -s)
accounting=accounting_storage/none
if command -v slurmdbd >/dev/null && command -v mariadbd >/dev/null && command -v mariadb-install-db >/dev/null; then
  accounting=accounting_storage/slurmdbd
  database_port=$(free_port) accounting_port=$(free_port)
  mariadb-install-db --no-defaults --user=root --datadir="$folder/database" --auth-root-authentication-method=normal \
    --skip-test-db >"$folder/install.log" 2>&1
  mariadbd --no-defaults --user=root --datadir="$folder/database" --bind-address=127.0.0.1 --port="$database_port" \
    --socket="$folder/socket/database" --pid-file="$folder/mariadb.pid" --innodb-buffer-pool-size=64M \
    --innodb-flush-log-at-trx-commit=0 --skip-log-bin >"$folder/mariadb.log" 2>&1 &
  sql() { mariadb --no-defaults --user=root --socket="$folder/socket/database" "$@"; }
  wait_for 30 sql -e 'SELECT 1'
  sql -e "CREATE DATABASE slurm; CREATE USER slurm@127.0.0.1 IDENTIFIED BY 'slurm'; GRANT ALL ON slurm.* TO slurm@127.0.0.1"
  (umask 077; cat > "$folder/slurmdbd.conf" <<END
AuthType=auth/munge
AuthInfo=socket=$folder/socket/munge
DbdHost=localhost
DbdAddr=127.0.0.1
DbdPort=$accounting_port
SlurmUser=root
StorageType=accounting_storage/mysql
StorageHost=127.0.0.1
StoragePort=$database_port
StorageUser=slurm
StoragePass=slurm
StorageLoc=slurm
PidFile=$folder/slurmdbd.pid
LogFile=$folder/slurmdbd.log
END
  )
fi

cat > "$folder/slurm.conf" <<END
ClusterName=matchbook
SlurmctldHost=$host(127.0.0.1)
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
CredType=cred/munge
AuthInfo=socket=$folder/socket/munge
SlurmctldPort=$(free_port)
SlurmdPort=$(free_port)
StateSaveLocation=$folder/state
SlurmdSpoolDir=$folder/spool
SlurmctldPidFile=$folder/slurmctld.pid
SlurmdPidFile=$folder/slurmd.pid
SlurmctldLogFile=$folder/slurmctld.log
SlurmdLogFile=$folder/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core_Memory
DefMemPerCPU=256
MpiDefault=none
ReturnToService=2
KillWait=5
JobRequeue=1
MessageTimeout=5
PreemptType=preempt/partition_prio
PreemptMode=REQUEUE
SchedulerParameters=sched_interval=2,bf_interval=2,batch_sched_delay=0
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=$accounting
AccountingStorageHost=127.0.0.1
AccountingStoragePass=$folder/socket/munge
AccountingStoragePort=${accounting_port:-6819}
AccountingStoreFlags=job_comment
GresTypes=gpu
NodeName=$host NodeAddr=127.0.0.1 CPUs=2 RealMemory=2000 Gres=gpu:1 State=UNKNOWN
PartitionName=main Nodes=$host Default=YES MaxTime=INFINITE State=UP
PartitionName=urgent Nodes=$host PriorityTier=10 MaxTime=INFINITE State=UP
END
# A GPU that Slurm gives away and that is not there.
echo "Name=gpu File=/dev/zero" > "$folder/gres.conf"
export SLURM_CONF=$folder/slurm.conf

if [ $accounting = accounting_storage/slurmdbd ]; then
  slurmdbd
  wait_for 30 sacctmgr -i list cluster
  sacctmgr -i add cluster matchbook >"$folder/sacctmgr.log" 2>&1 || true
fi
slurmctld -f "$folder/slurm.conf"
slurmd -f "$folder/slurm.conf"
wait_for 60 is_idle
echo "$folder/slurm.conf"
