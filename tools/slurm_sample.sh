#!/bin/bash
# A sample of Slurm's accounting: tools/slurm_sample.sh OUT.txt [PORT]
# Starts MariaDB, slurmdbd, slurmctld and two nodes with made-up GPUs on loopback, in a temporary folder, runs
# small jobs of every kind (rigid, in an array, heterogeneous, cancelled, failed, requeued, without GPUs, never started), and
# writes what sacct prints of them. Needs slurm-wlm, slurmdbd, munge, mariadb-server, and root or a user that may run them.
set -euo pipefail
out=$(realpath -m "$1")
port=${2:-17200}
folder=$(mktemp -d /tmp/slurm-sample.XXXX) # short: sockets
user=$(id -un)
host=$(hostname -s)
export SLURM_CONF=$folder/slurm.conf MYSQL_UNIX_PORT=$folder/db.s TZ=UTC

stop() {
    scancel -u "$user" 2>/dev/null || true
    for name in slurmd.n1 slurmd.n2 slurmctld slurmdbd db munged; do
        pid=$(cat "$folder/$name.pid" 2>/dev/null) || continue
        kill "$pid" 2>/dev/null || continue
        for _ in $(seq 100); do
            kill -0 "$pid" 2>/dev/null || break
            sleep 0.1
        done
    done
    rm -rf "$folder"
}
trap stop EXIT

# wait_for WHAT COMMAND...: until the command succeeds, half a minute at most
wait_for() {
    local what=$1
    shift
    for _ in $(seq 150); do
        "$@" >/dev/null 2>&1 && return
        sleep 0.2
    done
    echo "slurm_sample: $what" >&2
    tail -n 20 "$folder"/*.log >&2
    exit 1
}

mkdir -p "$folder/state" "$folder/spool.n1" "$folder/spool.n2"
(umask 077 && head -c 1024 /dev/urandom >"$folder/munge.key")
/usr/sbin/munged --force --key-file="$folder/munge.key" --socket="$folder/munge.s" --pid-file="$folder/munged.pid" \
    --log-file="$folder/munged.log" --seed-file="$folder/munge.seed"
mariadb-install-db --no-defaults --datadir="$folder/db" --auth-root-authentication-method=normal --user="$user" >/dev/null
/usr/sbin/mariadbd --no-defaults --datadir="$folder/db" --socket="$MYSQL_UNIX_PORT" --skip-networking \
    --pid-file="$folder/db.pid" --user="$user" 2>"$folder/db.log" &
wait_for 'MariaDB did not start' mariadb --no-defaults --socket="$MYSQL_UNIX_PORT" -u root -e 'select 1'
cat >"$folder/slurmdbd.conf" <<CONF
DbdHost=$host
DbdAddr=127.0.0.1
DbdPort=$((port + 3))
SlurmUser=$user
AuthType=auth/munge
AuthInfo=socket=$folder/munge.s
StorageType=accounting_storage/mysql
StorageUser=root
StorageLoc=slurm_acct_db
PidFile=$folder/slurmdbd.pid
LogFile=$folder/slurmdbd.log
CONF
chmod 600 "$folder/slurmdbd.conf"
plugin=disabled # Slurm before 23.02 has no such plug-in; its v1 touches nothing as long as nothing asks for it
case $(slurmd -V) in *' '2[0-2].*) plugin=cgroup/v1 ;; esac
printf 'CgroupPlugin=%s\nCgroupAutomount=no\n' "$plugin" >"$folder/cgroup.conf"
: >"$folder/plugstack.conf"
touch "$folder"/gpu{0..3} # slurmd asks only whether there is such a file
printf 'NodeName=%s Name=gpu Type=%s File=%s\n' n1 a100 "$folder/gpu[0-3]" n2 h100 "$folder/gpu[0-3]" >"$folder/gres.conf"
cat >"$SLURM_CONF" <<CONF
ClusterName=sample
SlurmctldHost=$host(127.0.0.1)
SlurmctldPort=$port
SlurmUser=$user
SlurmdUser=$user
AuthInfo=socket=$folder/munge.s
AuthType=auth/munge
CredType=cred/munge
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/slurmdbd
AccountingStorageHost=127.0.0.1
AccountingStoragePort=$((port + 3))
AccountingStoragePass=$folder/munge.s
AccountingStorageTRES=gres/gpu,gres/gpu:a100,gres/gpu:h100
GresTypes=gpu
MpiDefault=none
MailProg=/bin/true
SwitchType=switch/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SchedulerParameters=batch_sched_delay=0,sched_interval=1,bf_interval=1
SlurmdParameters=config_overrides
ReturnToService=2
KillWait=2
StateSaveLocation=$folder/state
SlurmdSpoolDir=$folder/spool.%n
SlurmctldPidFile=$folder/slurmctld.pid
SlurmdPidFile=$folder/slurmd.%n.pid
SlurmctldLogFile=$folder/slurmctld.log
SlurmdLogFile=$folder/slurmd.%n.log
PlugStackConfig=$folder/plugstack.conf
NodeName=n1 NodeHostname=$host NodeAddr=127.0.0.1 Port=$((port + 1)) CPUs=8 RealMemory=500 Gres=gpu:a100:4
NodeName=n2 NodeHostname=$host NodeAddr=127.0.0.1 Port=$((port + 2)) CPUs=8 RealMemory=500 Gres=gpu:h100:4
PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP
CONF
slurmdbd
wait_for 'slurmdbd did not start' sacctmgr -n show cluster
sacctmgr -i add cluster sample >"$folder/sacctmgr.log" 2>&1 || true
sacctmgr -i add account lab cluster=sample >>"$folder/sacctmgr.log" 2>&1
sacctmgr -i add user "$user" account=lab cluster=sample >>"$folder/sacctmgr.log" 2>&1
slurmctld -c
slurmd -N n1
slurmd -N n2
idle() {
    [ "$(sinfo -h -N -o %T | grep -c '^idle')" = 2 ]
}
wait_for 'the nodes are not idle' idle

# job SECONDS OPTIONS...: its number
job() {
    local seconds=$1
    shift
    sbatch --parsable --output=/dev/null --chdir=/ --ntasks=1 "$@" --wrap "sleep $seconds"
}
job 4 --gres=gpu:a100:2 --time=10
job 3 --gres=gpu:h100:4 --time=1-00:00:00
job 2 --gres=gpu:1 --time=UNLIMITED
job 1 --time=5
job 2 --gres=gpu:h100:1 --array=0-3%2 --time=2
sbatch --parsable --output=/dev/null --chdir=/ --gres=gpu:a100:1 --time=5 : --gres=gpu:h100:2 --wrap 'srun sleep 2; sleep 1'
sbatch --parsable --output=/dev/null --chdir=/ --gres=gpu:a100:1 --wrap 'sleep 1; exit 3'
cancelled=$(job 300 --gres=gpu:a100:1 --time=30)
requeued=$(job 6 --gres=gpu:h100:1 --time=30 --requeue)
job 2 --gres=gpu:h100:1 --time=00:01:30
never=$(job 5 --gres=gpu:a100:4 --begin=now+1hour)
running() {
    [ "$(squeue -h -o %T -j "$1")" = RUNNING ]
}
wait_for 'a job did not start' running "$cancelled"
wait_for 'a job did not start' running "$requeued"
sleep 2
scontrol requeue "$requeued"
scancel "$cancelled" "$never"
over() { # a job that is requeued waits for two minutes, unless it is told not to
    scontrol update "JobId=$requeued" StartTime=now || true
    [ -z "$(squeue -h)" ]
}
wait_for 'the jobs do not end' over
sleep 2 # the last records reach the data base
sacct --allusers --duplicates --starttime=now-1hour --parsable2 \
    --format=JobID,User,Account,Partition,Submit,Start,End,ElapsedRaw,Timelimit,State,AllocTRES,ConsumedEnergyRaw >"$out"
wc -l <"$out"
