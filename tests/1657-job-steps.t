#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Steps of jobs: stored with the list of sacct, listed on the job's page, each with a page of
# its own time and nodes; elements of arrays; of a job that was requeued those of its last run.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/lib-barod.sh"
requires jq curl sqlite3
cd "$SCRATCH" || exit 1
barod_conf cpu_load
ok "barod starts" start_barod
get() { curl -s --unix-socket "$SCRATCH/sock" "http://x$1"; }
show() { baro job show --server "$server" "$@"; }

# An hour on eight nodes: a step of all of them, then one of two; the second node of that one
# computes nothing meanwhile.
now=$(date +%s)
start=$((now - 4000)) middle=$((now - 2200)) end=$((now - 400))
cat >sacct.txt <<END
JobID|JobIDRaw|Cluster|State|Start|End|NNodes|NodeList|User|TotalCPU|MaxRSS|NTasks|JobName
7|7|nova|COMPLETED|$start|$end|8|c[1-8]|ann|01:00:00|||pipe|line
7.batch|7.batch|nova|COMPLETED|$start|$end|1|c1|||1G|1|batch
7.0|7.0|nova|COMPLETED|$start|$middle|8|c[1-8]||00:30:00|2G|1|solve
7.1|7.1|nova|FAILED|$middle|$end|2|c[7-8]||00:10:00|1G|1|post
5_1|9|nova|COMPLETED|$start|$end|1|d1|ann|01:00:00|||arr
5_1.0|9.0|nova|COMPLETED|$start|$middle|1|d1|||1G|1|first
8|8|nova|NODE_FAIL|$start|$middle|1|e1|ann||||again
8.0|8.0|nova|CANCELLED|$start|$middle|1|e1||||1|old
8|8|nova|COMPLETED|$((middle + 60))|$end|1|e1|ann||||again
8.0|8.0|nova|COMPLETED|$((middle + 60))|$end|1|e1||||1|new
END
awk -v start="$start" -v middle="$middle" -v end="$end" 'BEGIN { for (t = start; t < end; t += 60)
    for (n = 1; n <= 8; n++)
        printf "cpu_load,cluster=nova,hostname=c%d,type=node value=%g %d\n", n, (t > middle && n == 8) ? 0.1 : 70, t }' >metrics.lp
is "metrics are stored" "$(curl -s -o out -w '%{http_code}' --unix-socket sock --data-binary @metrics.lp \
    'http://x/api/write?cluster=nova'; cat out)" 200
is "runs are counted, their steps are not" "$(baro job import --server "$server" sacct.txt 2>&1)" \
    "baro job import: 4 new, 0 changed, 0 known, 0 refused"
is "again nothing changes" "$(baro job import --server "$server" sacct.txt 2>&1; sqlite3 records.db 'select count(*) from job_steps')" \
    "baro job import: 0 new, 0 changed, 4 known, 0 refused
6"

is "the page of the job has its steps" "$(show -o json 7 | jq -c '[.steps[] | [.step, .name, .state, .nodes, .memory_peak_bytes]], .has_more_steps')" \
    '[["0","solve","COMPLETED","c[1-8]",2147483648],["batch","batch","COMPLETED","c1",1073741824],["1","post","FAILED","c[7-8]",1073741824]]
false'
is "and for people" "$(show 7 | grep -c '^  1 post from .* for 30 min on c\[7-8\], FAILED$')" 1
show --step 1 7 >page
is "a step has a page of its own" "$(head -n 2 page)" \
    "Step 1 of job 7 on nova, user ann, FAILED
Ran from $(date -u -d "@$middle" +%FT%TZ) to $(date -u -d "@$end" +%FT%TZ) on c[7-8]."
is "with metrics of its nodes and its time" \
    "$(show --step 1 -o json 7 | jq -c '[.job.step, .job.nodes, .nodes.hosts, .nodes.observed, (.nodes.metrics[0] | .lowest, .lowest_avg < 5)]')" \
    '["1","c[7-8]",2,2,"c8",true]'
is "the other step had no such node" "$(show --step 0 -o json nova/7 | jq -c '[.nodes.hosts, .nodes.metrics[0].lowest_avg]')" '[8,70]'
for step in 0 1 batch; do
    is "JSON of step $step is what REST serves" "$(show --step $step -o json 7 | cksum)" \
        "$(get "/v1/jobs/7?step=$step" | cksum)"
done
is "an element of an array has its steps" "$(show --step 0 5_1 | head -n 1)" \
    "Step 0 of job 5_1 on nova, user ann, COMPLETED"
is "by the number that the system counts, too" "$(show --step 0 9 | head -n 1)" \
    "Step 0 of job 5_1 on nova, user ann, COMPLETED"
is "a job that was requeued has the steps of its last run" "$(show -o json 8 | jq -c '[.steps[].name]')" '["new"]'
is "a step that is none is named" "$(show --step 3 7 2>&1; echo $?)" \
    "baro job show: the server responds with 404: job 7: no step 3 of it is stored (steps come with the list of sacct: 'baro job import --server')
1"
is "a comment is of the whole job" "$(get '/v1/jobs/7?step=0&format=js1' | jq -r '.error // .message // .' | grep -c 'of the whole job')" 1

is "the page of the database has them, too" "$(baro job show --records records.db -o json 7 | jq -c '[.steps[].name]')" \
    '["solve","batch","post"]'
sqlite3 records.db "vacuum into 'old.db'"
sqlite3 old.db 'drop view job_step_runs; drop table job_steps; update schema_version set version = 8'
is "a database of before there were steps has its page" "$(baro job show --records old.db -o json 7 | jq -c '[.job.id, .steps]')" '["7",null]'

# A log does not name its step: it is of the one that ran alone when it began.
printf '{"_cluster":"nova","_jobid":"7","_log":"first.darshan","darshan_start_time":%s,"darshan_end_time":%s}\n' \
    $((start + 10)) $((start + 70)) >line
code=$(curl -s -o out -w '%{http_code}' -H 'Content-Type: application/x-ndjson' --unix-socket sock --data-binary @line http://x/v1/summaries)
is "a summary is stored" "$code $(jq -c .accepted out)" "200 1"
is "the step during which a log began has it" "$(show --step 0 -o json 7 | jq -c .job.log)" '"first.darshan"'
is "the other one has none" "$(show --step 1 -o json 7 | jq -c .job.log)" null
finish
