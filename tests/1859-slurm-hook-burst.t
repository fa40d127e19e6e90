#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# etc/slurm-hook-jobs where many jobs begin at once: slurmctld is asked a few times, not once a job. squeue stands in
# here as a script that holds its answer back until all have begun; barod is the real one.
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/lib-barod.sh"
requires jq flock setsid
cd "$SCRATCH" || exit 1
barod_conf
start_barod || fail "barod starts"
hook=$TOP/etc/slurm-hook-jobs
mkdir bin
cat >bin/squeue <<'END'
#!/bin/sh
# squeue -h -j IDS ...: a line of each; of an array's number those of all its tasks, as Slurm has it
echo "$*" >>"$SCRATCH/calls"
echo "${BARO_TOKEN_FILE:-none}" >>"$SCRATCH/tokens"
while [ ! -e "$SCRATCH/go" ]; do sleep 0.05; done
start=$(cat "$SCRATCH/start")
echo "$3" | tr , '\n' | while read -r id; do
    case $id in
    777) echo 'slurm_load_jobs error: Invalid job id specified' >&2 && exit 1 ;;
    900)
        echo "900_1|898|eva|1000|acct|main|$start|$start|4000000000|1|n1"
        echo "900_2|899|eva|1000|acct|main|$start|$start|4000000000|1|n2"
        ;;
    esac
    echo "$id|$id|eva|1000|acct|main|$start|$start|4000000000|1|n[1-2]"
done
END
chmod +x bin/squeue
PATH=$SCRATCH/bin:$PATH
date +%s >start
cat >defaults <<END
BARO_SERVER=$server
BARO_TOKEN_FILE=
BARO_SPOOL=$SCRATCH/spool
BARO_LOG=$SCRATCH/hook.log
BARO_DEADLINE=60
END
BARO_DEFAULTS=$SCRATCH/defaults SLURM_CLUSTER_NAME=weather
export BARO_DEFAULTS SLURM_CLUSTER_NAME PATH
call() { # JOB KIND
    SLURM_JOB_ID=$1 "$hook" "$2"
}
page() { # JOB
    baro job show --server "$server" "$1" --output json
}
knows() { [ "$(page "$1" 2>/dev/null | jq ".job.start != null")" = true ]; }
knows_end() { [ "$(page "$1" 2>/dev/null | jq ".job.end != null")" = true ]; }
waiting() { [ "$(find spool -name '*.event' | wc -l)" = "$1" ]; }
lines_gone() { [ "$(find spool -name '*.event' -o -name '*.job' | wc -l)" = 0 ]; }

call 1 prolog
ok "the first job's line is asked for" wait_for 10 test -s calls
job=2
while [ "$job" -le 60 ]; do
    call "$job" prolog || fail "a hook fails"
    job=$((job + 1))
done
ok "meanwhile those of all others wait" wait_for 20 waiting 60
touch go
for job in 1 2 31 60; do
    ok "barod knows job $job" wait_for 30 knows "$job"
done
ok "nothing waits any more" wait_for 20 lines_gone
ok "slurmctld was asked three times at most" [ "$(wc -l <calls)" -le 3 ]

# ---- an array's last task has its number ----
call 900 epilog
ok "barod knows its end" wait_for 20 knows_end 900
is "and of no other task that ended" "$(page 900_1 2>&1 | jq -c .job.end 2>/dev/null)$(page 900_2 2>&1 | jq -c .job.end 2>/dev/null)" ""

# ---- what is lost has a line in the log ----
logged() { grep -q "$1" hook.log; }
call 777 prolog
ok "a job that Slurm does not know" wait_for 20 logged 'job 777: its prolog is not reported'
echo 99999999999999999999 >start
call 71 prolog
ok "a line that barod does not take" wait_for 20 logged 'lines some are lost: baro job import: '
ok "is not kept for ever" wait_for 20 lines_gone
date +%s >start

# ---- no spool: SlurmUser may not make one below /var/spool ----
touch file
sed -i "s,^BARO_SPOOL=.*,BARO_SPOOL=$SCRATCH/file/spool,; s,^BARO_TOKEN_FILE=.*,BARO_TOKEN_FILE=$SCRATCH/token," defaults
touch token
chmod 600 token
call 81 prolog
ok "barod hears of a job without a spool" wait_for 20 knows 81
ok "with a word of it" logged 'file/spool cannot be written'
is "what the file of defaults sets is exported" "$(tail -n 1 tokens)" "$SCRATCH/token"
end_barod
call 82 prolog
ok "what barod does not accept then is lost, with a word" wait_for 20 logged 'job 82: its prolog is lost'
finish
