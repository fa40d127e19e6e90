#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# baro job list: which jobs ran when and where.
. "$(dirname "$0")/lib.sh"
requires jq
cd "$SCRATCH" || exit 1

cat >accounts <<'END'
JobID|JobIDRaw|Cluster|State|Start|End|NNodes|NodeList|JobName
1|1|a|COMPLETED|3600|7200|2|n[1-2]|one
2_5|7|a|CANCELLED by 0|7200|10800|1|n2|pipe|name
2_5.batch|7.batch|a|FAILED|7200|10800|1|n2|batch
3|3|a|RUNNING|9000|Unknown|4|n[3-5,9]|on
4|4|b|PENDING|Unknown|Unknown|1|None assigned|later
5|5|b|root|1|2|1|n1|shifted
END
rows() {
    baro job list "$@" -o json 2>said | jq -c '.[] | [.job, .name, .node_hours]'
}
is "all jobs, steps within them" "$(rows accounts)" '["1","one",2]
["2_5","pipe|name",1]
["3","on",null]
["4","later",null]'
is "a row that cannot be is named" "$(cut -c1-67 said)" \
    "accounts:7: its state is not one of Slurm's: fields are shifted: 5|"
is "a window clips" "$(rows accounts --from @5400 --to @10800)" '["1","one",1]
["2_5","pipe|name",1]
["3","on",2]'
is "by node" "$(rows accounts --node n2 --from @7200)" '["2_5","pipe|name",1]'
is "by either id" "$(rows accounts --id 7)$(rows accounts --id 2_5)" \
    '["2_5","pipe|name",1]["2_5","pipe|name",1]'
is "by cluster" "$(rows accounts --cluster b)" '["4","later",null]'
is "the load of a window" "$(baro job list accounts --from @5400 --to @10800 --load -o csv 2>said)" \
    "jobs,nodes,node_hours
3,7,4"
is "host sets are unfolded" "$(baro job list accounts --id 3 --nodes -o json 2>said | jq -r '.[].nodes')" \
    "n3,n4,n5,n9"
printf 'JobID|Start|End\n1|1970-01-01T01:00:10|1970-01-01T01:00:20\n' >local
printf 'JobID|Start|End\n1|1970-01-02T01:00:10|1970-01-02T01:00:20\n' >two-days
is "times without a zone are of the machine's clocks" \
    "$(TZ=Asia/Tokyo baro job list two-days -o json 2>said | jq -r '.[].start')" "1970-01-01T16:00:10.000Z"
ok "whose zone is named" grep -q 'two-days: 2 times without a zone are read as those of Asia/Tokyo' said
is "or of another that is named" "$(baro job list local --zone +01:00 -o json 2>said | jq -r '.[].start')" \
    "1970-01-01T00:00:10.000Z"
ok "which is named, too" grep -q 'local: 2 times without a zone are read as those of +01:00' said
is "CSV and JSON are of UTC whatever the zone" \
    "$(TZ=Asia/Tokyo baro job list two-days -o csv 2>said | grep -c 1970-01-01T16:00:10.000Z)" 1
is "a table has the times of a zone that is named, which its heading has" \
    "$(baro job list two-days --zone Asia/Tokyo 2>said | grep -c 'start (Asia/Tokyo)\|1970-01-02 01:00:10')" 2
is "but else of UTC where it is no terminal" \
    "$(TZ=Asia/Tokyo baro job list two-days 2>said | grep -c 1970-01-01T16:00:10Z)" 1
is "on a terminal it has those of the machine's clocks" \
    "$(TZ=Asia/Tokyo python3 "$TOP/tests/sim/screens.py" 120 40 baro job list two-days |
        grep -c 'start (Asia/Tokyo)\|1970-01-02 01:00:10')" 2
ok "what is not sacct's fails" sh -c 'echo hello >x; ! baro job list x 2>said'
ok "an unknown zone is misuse" sh -c 'baro job list accounts -z Nowhere 2>said; [ $? -eq 2 ]'

# Recorded from a Slurm 22.05, and a centre's jobs beside one of 121 s.
if [ -z "$SHARED" ]; then
    skip "recorded accounting" "it is not here"
    finish
fi
slurm=$SHARED/data/tokio/slurm
same='.[] | [.job, .raw_id, .name, .state, .start, .end, .nodes]'
baro job list "$slurm/sacct-22.05.8.epoch-noconvert.txt" -o json | jq -c "$same" >epoch
is "seven jobs in seconds since the epoch" "$(wc -l <epoch)" 7
is "a job name with a bar shifts nothing" "$(sed -n 5p epoch)" '["5_1","7","arr|pipe name",'\
'"COMPLETED","2026-11-21T02:25:30.000Z","2026-11-21T02:25:33.000Z","vm"]'
for form in parsable parsable2; do
    is "$form: the same with times of a zone" \
        "$(baro job list --zone Z "$slurm/sacct-22.05.8.$form.txt" -o json | jq -c "$same")" \
        "$(cat epoch)"
done
baro job list --zone Z "$slurm/sacct-running-and-pending.txt" -o json 2>faults >running
is "a running job has no end" "$(jq -c '.[] | select(.job == "9") | [.state, .end]' running)" \
    '["RUNNING",null]'
if command -v sqlite3 >/dev/null; then
    sqlite3 "$SHARED/data/tokio/pytokio/tests/inputs/sample_nersc_jobsdb.sqlite3" \
        "SELECT 'JobID|Cluster|Start|End|NNodes' UNION ALL
         SELECT replace(stepid, '.edison', '') || '|' || hostname || '|' || start || '|' ||
             completion || '|' || numnodes FROM summary" >beside
    is "485 jobs beside one: jobs, nodes, node-hours" \
        "$(baro job list beside -c edison -f @1490000867 -t @1490000988 --load -o json |
            jq -c '.[] | [.jobs, .nodes, (.node_hours * 1e6 | round)]')" \
        "$(jq -c '.. | objects | select(has("jobsdb_concurrent_jobs")) |
            [.jobsdb_concurrent_jobs, .jobsdb_concurrent_nodes,
            (.jobsdb_concurrent_nodehrs * 1e6 | round)]' \
            "$SHARED/data/tokio/expected/summarize_job.full.json")"
else
    skip "jobs beside one" "sqlite3 is not installed"
fi
finish
