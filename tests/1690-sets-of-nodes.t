#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A set of hosts stands wherever a node can; a name that fits nothing is reported, whatever
# the option: rows of counters from memory and from the database, runs of jobs.
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=tests/lib-barod.sh
. "$TOP/tests/lib-barod.sh"
requires jq curl date

socket=$SCRATCH/barod.sock
start=$(($(date +%s) - 600))
at() { date -u -d "@$((start + $1))" +%Y-%m-%dT%H:%M:%S.000Z; }
{
    printf '[net]\nsocket = %s\nlisten = none\n[records]\npath = %s\n' "$socket" "$SCRATCH/r.db"
    # shellcheck disable=SC2016 # of a format
    printf '[filesystem s]\njobid_name = %%j:%%h\n'
} >"$SCRATCH/barod.conf"
start_barod
BARO_SERVER=unix:$socket
export BARO_SERVER

# Job 7 on r30c09, 8 on r30c10, 9 on login1; a round each.
{
    printf '{"format":"baro-jobstats-1","agent":"c0ffee00-0000-4000-8000-000000000001",'
    printf '"sequence":1,"server":"oss01","targets":[{"target":"s-OST0000","kind":"ost",'
    printf '"timestamp":"%s","entries":[' "$(at 60)"
    comma=
    for entry in 7:r30c09 8:r30c10 9:login1; do
        printf '%s{"entry_id":"%s","exact":true,"since":"%s","previous":null,"reset":true,' \
            "$comma" $entry "$(at 0)"
        printf '"snapshot_time":%s,"start_time":null,"ops":{"write_bytes":{"samples":1,' $start
        printf '"unit":"bytes","min":1,"max":9,"sum":600}}}'
        comma=,
    done
    printf ']}]}\n'
} | curl -sf --unix-socket "$socket" -H 'Content-Type: application/json' --data-binary @- \
    http://x/v1/jobstats >"$SCRATCH/response"
is "rows are stored" "$(jq .accepted "$SCRATCH/response")" 3

jobs() { baro jobstats "$@" --output json 2>"$SCRATCH/notes" | jq -r '.[].job' | sort | xargs; }
for source in memory database; do
    from="--server $BARO_SERVER"
    [ $source = memory ] || from="--records $SCRATCH/r.db"
    # shellcheck disable=SC2086 # words
    {
        is "$source: top of a set" "$(jobs top $from --last 1h --node 'r30c[09-24]')" "7 8"
        is "$source: of a list" "$(jobs top $from --last 1h --node login1,r30c09)" "7 9"
        is "$source: of one" "$(jobs top $from --last 1h --node r30c10)" 8
        is "$source: rates" "$(jobs rates $from --by job --last 1h --node 'r30c[10-11],login1')" "8 9"
        is "$source: series" "$(jobs series $from --node 'r30c[09-24]')" "7 8"
        for option in --fs --node --executable --group --lustre-server; do
            baro jobstats top $from --last 1h $option nosuch >"$SCRATCH/notes" 2>&1
            ok "$source: $option nosuch is reported" grep -q "nosuch'" "$SCRATCH/notes" ||
                sed 's/^/# /' "$SCRATCH/notes"
        done
        baro jobstats top $from --last 1h --node r30c09 >"$SCRATCH/notes" 2>&1
        ok "$source: what is found is not" not grep -q "fits" "$SCRATCH/notes"
        baro jobstats series $from --node nosuch >"$SCRATCH/notes" 2>&1
        ok "$source: series that fit nothing are reported" grep -q "no series fits" "$SCRATCH/notes"
    }
done
baro jobstats top --node 'r30c[24-09]' >"$SCRATCH/out" 2>"$SCRATCH/notes"
ok "a wrong set is refused" [ $? -ne 0 ]
ok "and named" grep -q "node: host set: 'r30c\[24-09\]'" "$SCRATCH/notes" || sed 's/^/# /' "$SCRATCH/notes"

# ---- runs of jobs ----
cat >"$SCRATCH/sacct.txt" <<END
JobID|Cluster|User|State|Start|End|NNodes|NodeList
7|big|ann|COMPLETED|$start|$((start + 60))|2|r30c[09-10]
8|big|bob|COMPLETED|$start|$((start + 60))|1|r30c24
9|big|bob|COMPLETED|$start|$((start + 60))|1|login1
END
ran() { baro job list "$@" --output json 2>"$SCRATCH/notes" | jq -r '.[].job' | sort | xargs; }
is "jobs of a file, by a set" "$(ran "$SCRATCH/sacct.txt" --node 'r30c[10-24]')" "7 8"
ok "they are imported" baro job import "$SCRATCH/sacct.txt"
is "jobs of barod, by a set" "$(ran barod --from -1d --node 'r30c[10-24]')" "7 8"
is "by a list" "$(ran barod --from -1d --node login1,r30c24)" "8 9"
for list in "$SCRATCH/sacct.txt" "barod --from -1d"; do
    # shellcheck disable=SC2086 # words
    baro job list $list --node 'r30c[3-' >"$SCRATCH/out" 2>"$SCRATCH/notes"
    ok "a wrong set is refused (${list##*/})" [ $? -ne 0 ]
    ok "and named (${list##*/})" grep -q "host set: 'r30c\[3-'" "$SCRATCH/notes" || sed 's/^/# /' "$SCRATCH/notes"
done
finish
