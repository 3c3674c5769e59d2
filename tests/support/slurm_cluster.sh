#!/bin/bash
# A Slurm cluster of one's own on loopback, for tests: slurm_cluster.sh start FOLDER PORT | stop FOLDER
# Two nodes of two processors; controller on PORT, nodes on the two ports above. No systemd, no cgroups, no accounting.
# FOLDER is short: the path of munge's socket has a limit of 107 bytes.
set -eu
folder=$2
export SLURM_CONF=$folder/slurm.conf

configure() {
    host=$(hostname -s)
    user=$(id -un)
    cat >"$SLURM_CONF" <<CONF
ClusterName=easim
SlurmctldHost=$host(127.0.0.1)
SlurmctldPort=$1
SlurmUser=$user
SlurmdUser=$user
AuthInfo=socket=$folder/munge.s
AuthType=auth/munge
CredType=cred/munge
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
MpiDefault=none
MailProg=/bin/true
SwitchType=switch/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SchedulerParameters=batch_sched_delay=0,bf_interval=1
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
NodeName=n[1-2] NodeHostname=$host NodeAddr=127.0.0.1 Port=[$(($1 + 1))-$(($1 + 2))] CPUs=2 RealMemory=500
PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP
CONF
    : >"$folder/plugstack.conf"
    # Slurm before 23.02 has no "disabled"; its v1 touches nothing as long as nothing asks for it.
    plugin=disabled
    case $(slurmd -V) in *' '2[0-2].*) plugin=cgroup/v1 ;; esac
    printf 'CgroupPlugin=%s\nCgroupAutomount=no\n' "$plugin" >"$folder/cgroup.conf"
}

start() {
    umask 022
    mkdir -p "$folder/state" "$folder/spool.n1" "$folder/spool.n2"
    (umask 077 && head -c 1024 /dev/urandom >"$folder/munge.key")
    /usr/sbin/munged --force --key-file="$folder/munge.key" --socket="$folder/munge.s" \
        --pid-file="$folder/munged.pid" --log-file="$folder/munged.log" --seed-file="$folder/munge.seed"
    configure "$1"
    slurmctld -c
    slurmd -N n1
    slurmd -N n2
    for _ in $(seq 1500); do
        [ "$(timeout 5 sinfo -h -N -o %T 2>/dev/null | grep -c '^idle')" = 2 ] && return
        sleep 0.2
    done
    tail -n 20 "$folder"/*.log >&2
    return 1
}

stop() {
    timeout 5 scancel -u "$(id -un)" 2>/dev/null || true
    for name in slurmd.n1 slurmd.n2 slurmctld munged; do
        pid=$(cat "$folder/$name.pid" 2>/dev/null) || continue
        kill "$pid" 2>/dev/null || continue
        for _ in $(seq 600); do
            kill -0 "$pid" 2>/dev/null || break
            sleep 0.1
        done
    done
}

case $1 in
start) start "$3" ;;
stop) stop ;;
esac
