#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# etc/slurm-hook-jobs with Debian's Slurm: barod knows a job when it begins and when it ends, and its page has the
# health of its nodes at both; a barod that is away, or hangs, holds up no job and drains no node, and what could
# not be sent is sent later.
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/lib-barod.sh"
. "$(dirname "$0")/lib-slurm.sh"
requires jq curl
why=$(slurm_available) || skip_all "$why"
cd "$SCRATCH" || exit 1
slurm_start || {
    slurm_why | sed 's/^/# /'
    skip_all "no Slurm could be started here"
}
slurm_account && wait_for 30 slurm_is_known || skip_all "Slurm gives no account"
barod_conf
start_barod || fail "barod starts"

# As an administrator has it: the script for both, its options in the environment of slurmctld.
hook=$TOP/etc/slurm-hook-jobs
for kind in prolog epilog; do
    cat >"$kind" <<END
#!/bin/sh
BARO_SERVER=$server BARO_SPOOL=$SCRATCH/spool BARO_DEADLINE=5 BARO_LOG=$SCRATCH/hook.log PATH=$PATH SLURM_CONF=$SLURM_CONF
export BARO_SERVER BARO_SPOOL BARO_DEADLINE BARO_LOG PATH SLURM_CONF
"$hook" $kind
status=\$?
echo "$kind \$SLURM_JOB_ID \$status" >>$SCRATCH/hook.ran
exit \$status
END
    chmod +x "$kind"
    slurm_hook "$kind" "$SCRATCH/$kind"
done

state_health() { # NODE HEALTH [REASON]
    printf '{"component":"weather/%s","health":"%s","reason":"%s","source":"ping"}\n' "$1" "$2" "${3-}" |
        curl -sf --unix-socket "$socket" -H 'Content-Type: application/x-ndjson' --data-binary @- http://x/v1/resources >posted
}
# Slurm's times are whole seconds: what is stated now is before what begins or ends in the next one.
later() {
    later_now=$(date +%s)
    wait_for 3 is_later
}
is_later() { [ "$(date +%s)" -gt "$later_now" ]; }
page() { # JOB [OPTIONS]
    baro job show --server "$server" "$@"
}
submit() { # COMMAND: the number of the job
    sbatch --parsable --nodes=3 --ntasks-per-node=1 --output=/dev/null --wrap "$1"
}
is_running() { [ "$(squeue -h -j "$1" -o %T)" = RUNNING ]; }
is_over() { [ -z "$(squeue -h -j "$1" 2>/dev/null)" ]; }
has_run() { grep -q "^$1 $2 0\$" hook.ran; }
knows_end() { [ "$(page "$1" --output json 2>/dev/null | jq '.job.end != null')" = true ]; }

for one in slurm1 slurm2 slurm3; do state_health "$one" up; done
state_health slurm2 degraded 'edac: 14 corrected errors'
later
job=$(submit "while [ ! -e $SCRATCH/over ]; do sleep 0.1; done")
ok "a job runs" wait_for 30 is_running "$job"
ok "its prolog has run" wait_for 10 has_run prolog "$job"
knows_start() { [ "$(page "$1" --output json 2>/dev/null | jq '.job.start != null')" = true ]; }
ok "barod knows it" wait_for 20 knows_start "$job"
is "with its nodes, as running" \
    "$(page "$job" --output json | jq -rc '[.job.nodes, .job.user, .job.end]')" '["slurm[1-3]","root",null]'
is "its page has the health of its nodes" "$(page "$job" | grep -A 1 'Health of its nodes')" \
    "Health of its nodes at its start: 2 up, 1 degraded; now: 2 up, 1 degraded.
  slurm2  degraded (edac: 14 corrected errors), as now"
later
state_health slurm3 down 'ping: no response for 30 s'
later
touch over
ok "it ends" wait_for 30 is_over "$job"
ok "its epilog has run" wait_for 10 has_run epilog "$job"
ok "barod knows its end" wait_for 10 knows_end "$job"
state_health slurm3 up
is "the page has what changed" "$(page "$job" | grep -A 2 'Health of its nodes')" \
    "Health of its nodes at its start: 2 up, 1 degraded; at its end: 1 up, 1 degraded, 1 down.
  slurm2  degraded (edac: 14 corrected errors), as at the end
  slurm3  up, at the end down (ping: no response for 30 s)"
is "so has the document" "$(page "$job" --output json | jq -c '[.node_health.start.up, .node_health.end.down, .node_health.nodes[1].host, .node_health.nodes[1].end.reason]')" \
    '[2,1,"slurm3","ping: no response for 30 s"]'
sacct -a -P -j "$job" -o JobID,JobIDRaw,User,UID,Cluster,State,Submit,Start,End,NNodes,NodeList >list
is "the accounting's list is of the same run" "$(baro job import --server "$server" list 2>&1 >/dev/null | grep -o '[0-9]* new')" "0 new"

# ---- an array: the number of its last task is that of the array ----
array=$(sbatch --parsable --nodes=1 --ntasks=1 --array=1-3 --output=/dev/null --wrap "while [ ! -e $SCRATCH/over.\$SLURM_ARRAY_TASK_ID ]; do sleep 0.1; done")
tasks_run() { [ "$(squeue -h -r -j "$array" -t running -o %K | wc -l)" = 3 ]; }
ok "three tasks of an array run" wait_for 60 tasks_run
for task in 1 2 3; do
    ok "barod knows task $task" wait_for 20 knows_start "${array}_$task"
done
touch over.3
ok "the last one ends" wait_for 30 knows_end "${array}_3"
is "the others still run" "$(for task in 1 2; do page "${array}_$task" --output json | jq -c .job.end; done | tr '\n' ' ')" "null null "
touch over.1 over.2
ok "until they end" wait_for 30 knows_end "${array}_1"
ok "each by its own epilog" wait_for 30 knows_end "${array}_2"

# ---- a barod that is away ----
# No hook sends any more, and so many lines wait.
waiting() {
    flock -n spool/.next flock -n spool/.lock true && [ "$(find spool -name '*.job' -o -name '*.event' | wc -l)" = "$1" ]
}
logged() { [ "$(grep -c "job $1: $2" hook.log)" = "$3" ]; }
end_barod
job=$(submit true)
ok "a job without barod ends" wait_for 60 is_over "$job"
ok "its hooks have run, well" wait_for 20 has_run epilog "$job"
ok "what they report waits" wait_for 20 waiting 2
ok "a word is in the log" wait_for 20 logged "$job" 'its .* waits in' 2
is "no node is drained, no job has failed" "$(sinfo -h -N -t drain -o %N | wc -l) $(scontrol show job "$job" | grep -c 'JobState=COMPLETED')" "0 1"
start_barod || fail "barod starts"
next=$(submit true)
ok "the next job's hooks" wait_for 60 has_run epilog "$next"
ok "send what waited" wait_for 20 knows_end "$job"
ok "and nothing waits any more" wait_for 20 waiting 0

# ---- one that hangs, and what is no job ----
python3 -c 'import socket, sys, time
s = socket.socket(socket.AF_UNIX); s.bind(sys.argv[1]); s.listen(100); time.sleep(600)' "$SCRATCH/hangs.sock" &
at_exit "kill $!"
wait_for 10 test -S hangs.sock
BARO_LOG=$SCRATCH/hook.log BARO_SPOOL=$SCRATCH/spool BARO_DEADLINE=1
export BARO_LOG BARO_SPOOL BARO_DEADLINE
job=$(submit "while [ ! -e $SCRATCH/hung ]; do sleep 0.1; done")
wait_for 30 knows_start "$job"
wait_for 10 waiting 0
env SLURM_JOB_ID="$job" SLURM_CLUSTER_NAME=weather BARO_SERVER="unix:$SCRATCH/hangs.sock" "$hook" prolog
is "one that hangs holds up nothing" $? 0
ok "it costs the deadline, later" wait_for 20 logged "$job" 'its prolog waits in' 1
env SLURM_JOB_ID="$job" SLURM_CLUSTER_NAME=weather BARO_SERVER="unix:$SCRATCH/hangs.sock" BARO_SPOOL_MAX=1 "$hook" prolog
ok "the spool has a bound, and what is lost is logged" wait_for 20 logged "$job" 'its prolog is lost' 1
is "at that bound nothing is added" "$(find spool -name '*.job' | wc -l)" 1
touch hung
env SLURM_JOB_ID='7;rm -rf x' "$hook" prolog
is "what is no job is nothing" "$? $(grep -c 'is no job' hook.log)" "0 1"
env SLURM_JOB_ID=999999 "$hook" epilog
ok "nor is one that Slurm does not know" wait_for 20 logged 999999 'its epilog is not reported' 1
finish
