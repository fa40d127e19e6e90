# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh
# lib-slurm.sh - a Slurm with its accounting, in a scratch directory.
#
#   . "$(dirname "$0")/lib-slurm.sh"     after lib.sh
#   slurm_available                      else prints why not
#   slurm_share || skip_all "..."        exports SLURM_CONF; slurm_why says why it failed
#   slurm_hook prolog|epilog FILE        a program of slurmctld for this test's jobs
#   slurm_idle                           waits until no job of the test is left in the queue
#   slurm_settled N                      waits until the accounting knows N ended jobs
#
# slurm_share takes the Slurm that scripts/test runs for all, where there is one, else it
# starts one.  Either way the test's jobs have an account of their own, $SLURM_OWN: sbatch
# gives it to them, and sacct and squeue show no others.
#
# With SLURM_PLUGSTACK="required FILE ..." before slurm_start it has that SPANK plugin.
# With SLURM_CGROUPS=yes before slurm_start its jobs are in cgroups of the kernel, version 1.
# With SLURM_SLURMD=PROGRAM each slurmd is started as PROGRAM NODE slurmd ...: one that gives
# the node, and so its jobs, a mount namespace for instance.
#
# munged, mariadbd, slurmdbd, slurmctld and as many slurmd as nodes: all on the loopback
# and on free ports, as root, because slurmd starts jobs as their users.  The nodes
# slurm[1-3] are this machine three times where its Slurm can, else the machine itself:
# SLURM_NODES says which, as a host set.

SLURM_DIR=
SLURM_PIDS=
SLURM_NODES="slurm[1-3]"
SLURM_OWN=

slurm_available() {
    for slurm_program in munged mungekey mariadbd mariadb-install-db slurmdbd slurmctld slurmd \
        sacct sacctmgr sbatch scontrol; do
        command -v "$slurm_program" >/dev/null || {
            echo "$slurm_program is not installed"
            return 1
        }
    done
    [ "$(id -u)" = 0 ] || {
        echo "slurmd wants to be root"
        return 1
    }
}

slurm_why() {
    tail -n 3 "$SLURM_DIR"/log/* 2>/dev/null | tail -n 25
}

# Run a daemon in the foreground, behind our back, and remember it.
slurm_run() {
    slurm_name=$1
    shift
    "$@" >"$SLURM_DIR/log/$slurm_name.out" 2>&1 </dev/null &
    SLURM_PIDS="$! $SLURM_PIDS"
}

# Jobs end at once, and what they ran in with them.
slurm_cancel() {
    for slurm_job in $(squeue -h -o %A 2>/dev/null); do
        scancel --signal=KILL --full "$slurm_job"
        scancel "$slurm_job"
    done
    wait_for 5 slurm_empty
}

# In the reverse order of their start.  A slurmstepd whose slurmd is gone goes on trying to
# reach it.
slurm_stop() {
    slurm_cancel
    for slurm_pid in $SLURM_PIDS; do
        kill "$slurm_pid" 2>/dev/null
    done
    for slurm_pid in $SLURM_PIDS; do
        wait_for 10 not kill -0 "$slurm_pid" || kill -9 "$slurm_pid"
    done
    for slurm_pid in $(pgrep slurmstepd); do
        ! tr '\0' '\n' <"/proc/$slurm_pid/environ" | grep -qxF "SLURM_CONF=$SLURM_CONF" ||
            kill -9 "$slurm_pid"
    done
    SLURM_PIDS=
    rm -rf "$SLURM_DIR"
}

slurm_munge() {
    mungekey --create --bits 1024 --keyfile "$SLURM_DIR/munge/key" || return 1
    chmod 0600 "$SLURM_DIR/munge/key"
    # --force: the scratch directory is ours alone, munged wants it open for all.
    slurm_run munged munged --foreground --force --key-file "$SLURM_DIR/munge/key" \
        --socket "$SLURM_DIR/munge/socket" --pid-file "$SLURM_DIR/munge/pid" \
        --log-file "$SLURM_DIR/log/munged.log" --seed-file "$SLURM_DIR/munge/seed" \
        --num-threads 2
    wait_for 10 test -S "$SLURM_DIR/munge/socket"
}

slurm_database() {
    mariadb-install-db --no-defaults --user=root --datadir="$SLURM_DIR/data" \
        --auth-root-authentication-method=normal --skip-test-db \
        >"$SLURM_DIR/log/install-db" 2>&1 || return 1
    slurm_run mariadbd mariadbd --no-defaults --user=root --datadir="$SLURM_DIR/data" \
        --socket="$SLURM_DIR/sql" --bind-address=127.0.0.1 --port="$1" \
        --pid-file="$SLURM_DIR/sql.pid" --innodb-buffer-pool-size=16M \
        --innodb-flush-log-at-trx-commit=0 --skip-log-bin --performance-schema=OFF
    wait_for 30 mariadb --no-defaults -u root -S "$SLURM_DIR/sql" -e "
        CREATE USER IF NOT EXISTS slurm@'%' IDENTIFIED BY 'x';
        GRANT ALL ON *.* TO slurm@'%'"
}

slurm_write_dbd() {
    cat >"$SLURM_DIR/slurmdbd.conf" <<END_DBD
AuthType=auth/munge
AuthInfo=socket=$SLURM_DIR/munge/socket
DbdHost=localhost
DbdPort=$2
SlurmUser=root
StorageType=accounting_storage/mysql
StorageHost=127.0.0.1
StoragePort=$1
StorageUser=slurm
StoragePass=x
StorageLoc=slurm_test
PidFile=$SLURM_DIR/slurmdbd.pid
END_DBD
    chmod 0600 "$SLURM_DIR/slurmdbd.conf"
}

# slurmctld runs what the account of a job has hooked up: no test configures it.
slurm_write_hooks() {
    for slurm_kind in prolog epilog; do
        mkdir "$SLURM_DIR/$slurm_kind.d"
        cat >"$SLURM_DIR/$slurm_kind" <<END_HOOK
#!/bin/sh
hook=$SLURM_DIR/$slurm_kind.d/\$SLURM_JOB_ACCOUNT
[ ! -x "\$hook" ] || exec "\$hook"
END_HOOK
        chmod +x "$SLURM_DIR/$slurm_kind"
    done
}

slurm_write_conf() {
    slurm_track=linuxproc slurm_gather=none
    if [ "${SLURM_CGROUPS:-}" = yes ]; then
        slurm_track=cgroup slurm_gather=cgroup
        printf 'CgroupPlugin=cgroup/v1\nCgroupMountpoint=/sys/fs/cgroup\nCgroupAutomount=no\n' \
            >"$SLURM_DIR/cgroup.conf"
    fi
    cat >"$SLURM_DIR/slurm.conf" <<END_CONF
ClusterName=weather
SlurmctldHost=$(hostname -s)(127.0.0.1)
SlurmctldPort=$2
AuthType=auth/munge
AuthInfo=socket=$SLURM_DIR/munge/socket
CredType=cred/munge
SlurmUser=root
StateSaveLocation=$SLURM_DIR/state
SlurmdSpoolDir=${SLURM_SPOOL:-$SLURM_DIR}/spool-%n
SlurmctldPidFile=$SLURM_DIR/slurmctld.pid
SlurmdPidFile=$SLURM_DIR/slurmd-%n.pid
ProctrackType=proctrack/$slurm_track
TaskPlugin=task/none
MpiDefault=none
SwitchType=switch/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SchedulerParameters=batch_sched_delay=0,sched_min_interval=10000,bf_interval=1
JobAcctGatherType=jobacct_gather/$slurm_gather
AccountingStorageType=accounting_storage/slurmdbd
AccountingStorageHost=localhost
AccountingStoragePort=$1
AccountingStoragePass=$SLURM_DIR/munge/socket
ReturnToService=2
KillWait=1
PrologSlurmctld=$SLURM_DIR/prolog
EpilogSlurmctld=$SLURM_DIR/epilog
END_CONF
    shift 2
    for slurm_port; do
        slurm_node=slurm$((slurm_node_count += 1))
        echo "NodeName=$slurm_node NodeHostname=$(hostname -s) NodeAddr=127.0.0.1 Port=$slurm_port" \
            "CPUs=2 RealMemory=100 State=UNKNOWN"
    done >>"$SLURM_DIR/slurm.conf"
    echo "PartitionName=debug Nodes=$SLURM_NODES Default=YES MaxTime=INFINITE State=UP" \
        >>"$SLURM_DIR/slurm.conf"
}

slurm_start() {
    SLURM_DIR=$(mktemp -d "${TMPDIR:-/tmp}/baro-slurm.XXXXXX")
    at_exit slurm_stop
    mkdir "$SLURM_DIR/log" "$SLURM_DIR/munge" "$SLURM_DIR/state"
    SLURM_CONF=$SLURM_DIR/slurm.conf
    export SLURM_CONF
    slurm_node_count=0
    slurm_sql=$(free_port) slurm_dbd=$(free_port) slurm_ctl=$(free_port)
    [ -z "${SLURM_PLUGSTACK:-}" ] || echo "$SLURM_PLUGSTACK" >"$SLURM_DIR/plugstack.conf"
    slurm_write_hooks
    slurm_write_dbd "$slurm_sql" "$slurm_dbd"
    slurm_write_conf "$slurm_dbd" "$slurm_ctl" "$(free_port)" "$(free_port)" "$(free_port)"
    slurm_munge || return 1
    slurm_database "$slurm_sql" || return 1
    slurm_run slurmdbd env SLURM_CONF="$SLURM_DIR/slurm.conf" slurmdbd -D
    wait_for 60 sacctmgr -i add cluster weather || return 1
    slurm_run slurmctld slurmctld -D
    for slurm_node in 1 2 3; do
        slurm_run "slurmd$slurm_node" ${SLURM_SLURMD:+"$SLURM_SLURMD" "slurm$slurm_node"} \
            slurmd -D -N "slurm$slurm_node"
    done
    wait_for 60 slurm_ready
}

slurm_ready() {
    [ "$(sinfo -h -N -t idle -o %N | sort -u | wc -l)" = 3 ]
}

slurm_account() {
    SLURM_OWN=test$$
    { sacctmgr -i add account "$SLURM_OWN" cluster=weather &&
        sacctmgr -i add user root account="$SLURM_OWN"; } >"$SCRATCH/sacctmgr" 2>&1 || return 1
    mkdir "$SCRATCH/slurm-bin"
    for slurm_program in sacct squeue; do
        printf '#!/bin/sh\nexec %s -A %s "$@"\n' "$(command -v $slurm_program)" "$SLURM_OWN" \
            >"$SCRATCH/slurm-bin/$slurm_program"
    done
    chmod +x "$SCRATCH"/slurm-bin/*
    PATH=$SCRATCH/slurm-bin:$PATH SBATCH_ACCOUNT=$SLURM_OWN
    export PATH SBATCH_ACCOUNT
}

# slurmctld hears of a new account a moment after the accounting.
slurm_is_known() {
    scontrol show assoc_mgr flags=assoc accounts="$SLURM_OWN" | grep -q "Account=$SLURM_OWN .*UserName=root"
}

slurm_share() {
    if [ -n "${BARO_RUN_SLURM:-}" ] && [ -d "$BARO_RUN_SLURM" ]; then
        SLURM_DIR=$BARO_RUN_SLURM
        SLURM_CONF=$SLURM_DIR/slurm.conf
        export SLURM_CONF
        at_exit slurm_leave
    else
        slurm_start || return 1
    fi
    slurm_account && wait_for 30 slurm_is_known
}

# slurm_hook prolog|epilog FILE: of the jobs of this test.
slurm_hook() {
    ln -s "$2" "$SLURM_DIR/$1.d/$SLURM_OWN"
}

slurm_leave() {
    slurm_cancel
    rm -f "$SLURM_DIR/prolog.d/$SLURM_OWN" "$SLURM_DIR/epilog.d/$SLURM_OWN"
}

slurm_empty() {
    slurm_queue=$(squeue -h) && [ -z "$slurm_queue" ]
}

slurm_idle() {
    wait_for 120 slurm_empty
}

# The accounting hears of an end a moment after the queue.
slurm_settled() {
    slurm_wanted=$1
    wait_for 60 slurm_knows
}

slurm_knows() {
    [ "$(sacct -a -D -X -n -P -S 2000-01-01 -o End | grep -vc -e Unknown -e '^$')" -ge "$slurm_wanted" ]
}
