#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Jobs without a Darshan log are judged by what their programs submitted: their footprints against those
# of other runs of their name, as a climate, and in the difference of two of them.
. "$(dirname "$0")/lib.sh"
requires curl jq
cd "$SCRATCH" || exit 1
BARO_SERVER=unix:$SCRATCH/sock
export BARO_SERVER
map=$TOP/etc/studies/job-metrics.conf
printf '[records]\npath = %s/r.db\n[barod]\nfootprint_delay = 0s\n[metric app_steps_per_s]\nstep = 10s\n[net]\nlisten = none\nsocket = %s/sock\n[store]\ndirectory = %s/store\n' \
    "$SCRATCH" "$SCRATCH" "$SCRATCH" >barod.conf
barod --config barod.conf 2>barod.log &
barod=$!
at_exit "kill $barod; wait $barod"
wait_for 20 baro stats

# Forty runs of five minutes, one after the other: each a little faster or slower than 4 steps a second;
# the last one half as fast, at the same CPU.  A neighbour on its node submits another number.
runs=40
begin=$(($(date +%s) - runs * 300 - 60))
awk -v begin="$begin" -v runs="$runs" 'BEGIN {
    print "JobID|JobIDRaw|Cluster|User|JobName|State|Start|End|NNodes|NodeList" >"jobs"
    for (i = 1; i <= runs; i++) {
        start = begin + (i - 1) * 300
        printf "%d|%d|emmy|ann|solver|COMPLETED|%d|%d|1|n1\n", i, i, start, start + 299 >"jobs"
        for (t = start; t < start + 299; t += 10) {
            steps = i == runs ? 2 : 4 + (i % 5) * 0.02
            printf "app_steps_per_s,cluster=emmy,hostname=n1,type=job,type-id=%d value=%f %d\n", i, steps, t >"metrics"
            printf "job_cpu_used,cluster=emmy,hostname=n1,type=job,type-id=%d value=%f %d\n", i, 95 + i % 3, t >"metrics"
            printf "app_steps_per_s,cluster=emmy,hostname=n1,type=job,type-id=9%d value=1000 %d\n", i, t >"metrics"
        }
    }
}'
is "samples are stored" "$(curl -s -o out -w '%{http_code}' --unix-socket sock --data-binary @metrics http://x/api/write; cat out)" 200
baro job import jobs >imported 2>&1
list() { baro job list --server "$BARO_SERVER" --footprint app_steps_per_s,job_cpu_used,job_mem_used:max --last 1d -o csv; }
all_are_stored() { [ "$(list | tail -n +2 | awk -F, '{ n += /,(2|4|4\.0[0-9]*),/ } END { print n }')" = "$runs" ]; }
ok "each run has its footprint, without its neighbour's" wait_for 60 all_are_stored
list >runs.csv

baro climate show --map "$map" --table last -o json runs.csv >last 2>&1
is "the last run is the slowest of its name" "$(jq -c '.last[0] | [.class, .run, .performance, .others, .slower_share]' last)" '["solver on 1","40",2,39,0]'
baro job diff 39 40 >differ 2>&1
is "its result differs, and nothing that its node did" "$(grep -c "^Their nodes did the same" differ) $(awk '/^ *[0-9]+\. / { print $2, $3, $5, $6, $7 }' differ)" \
    "1 app_steps_per_s 4.08 2 / 2.04"
ok "against the noise of the other runs of its name" grep -q "x the noise of 20 comparable runs" differ
baro job diff 37 38 >differ 2>&1
is "of two usual runs nothing differs" "$(sed -n 's/^Nothing of .* differs/nothing differs/p' differ)" "nothing differs beyond the noise of comparable runs."
finish
