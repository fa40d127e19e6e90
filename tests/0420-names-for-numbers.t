#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Users and groups by name: numbers of counters, names of runs of jobs; a number that was
# given to another user; SQLite and PostgreSQL.
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=tests/lib-postgres.sh
. "$(dirname "$0")/lib-postgres.sh"
requires curl jq date
LC_ALL=C.UTF-8
export LC_ALL

socket=$SCRATCH/barod.sock
server=unix:$socket
pid=
at_exit 'kill -9 $pid'
start=$(($(date +%s) / 60 * 60 - 86400))

at() { date -u -d "@$((start + $1))" +%Y-%m-%dT%H:%M:%S.000Z; }

start_barod() {
    {
        printf '[net]\nsocket = %s\nlisten = 127.0.0.1:0\n[records]\nengine = %s\n%s\n' "$socket" "$engine" "$1"
        # shellcheck disable=SC2016
        printf '[filesystem scratch]\njobid_name = %%j:%%u:%%g:%%h\n'
    } >"$SCRATCH/barod.conf"
    barod --config "$SCRATCH/barod.conf" >"$SCRATCH/barod.log" 2>&1 &
    pid=$!
    wait_for 30 curl -sf --unix-socket "$socket" http://x/healthz
}
stop_barod() {
    kill -TERM $pid
    wait $pid
}

# batch: five rounds; job 7 of 1001, job 8 of 1002, job 9 of 1003, which has no name.
batch() {
    printf '{"format":"baro-jobstats-1","agent":"c0ffee00-0000-4000-8000-000000000001",'
    printf '"sequence":1,"server":"oss01","targets":['
    comma=
    for round in 1 2 3 4 5; do
        previous="\"$(at $((round * 120 - 120)))\""
        reset=false
        if [ $round = 1 ]; then
            previous=null
            reset=true
        fi
        printf '%s{"target":"scratch-OST0001","kind":"ost","timestamp":"%s","entries":[' \
            "$comma" "$(at $((round * 120)))"
        inner=
        for entry in 7:1001:100:n1,1200000 8:1002:100:n2,600000 9:1003:101:n3,1000; do
            printf '%s{"entry_id":"%s","exact":true,"since":"%s","previous":%s,"reset":%s,' \
                "$inner" "${entry%,*}" "$(at $((round * 120 - 120)))" "$previous" "$reset"
            printf '"snapshot_time":%s,"start_time":null,"ops":{"write_bytes":{"samples":%s,' \
                "$start" "$round"
            printf '"unit":"bytes","min":1,"max":9,"sum":%s}}}' $((round * ${entry#*,}))
            inner=,
        done
        printf ']}'
        comma=,
    done
    printf ']}\n'
}
batch >"$SCRATCH/batch.json"

# As sacct prints it; 1001 was bob's once.
cat >"$SCRATCH/sacct" <<END
JobID|User|UID|Group|GID|Cluster|State|Submit|Start|End|NNodes|NodeList
1|bob|1001|phys|100|alex|COMPLETED|$((start - 9000000))|$((start - 9000000))|$((start - 8990000))|1|n1
7|alice|1001|phys|100|alex|COMPLETED|$((start - 60))|$((start - 30))|$((start + 630))|1|n1
8|carol|1002|phys|100|alex|COMPLETED|$((start - 60))|$((start - 30))|$((start + 630))|1|n2
END

window="--from @$start --to @$((start + 600))"
# shellcheck disable=SC2086
ask() { baro jobstats "$@" --server "$server" $window 2>"$SCRATCH/notes"; }
json() { ask "$@" --output json; }

check_names() {
    # shellcheck disable=SC2016
    is "$engine: before any name is seen a user is a number" \
        "$(json top | jq -c '.[] | [.job, .user, .user_name]')" '["7","1001",null]
["8","1002",null]
["9","1003",null]'
    ok "$engine: runs of jobs are imported" baro job import --server "$server" "$SCRATCH/sacct"
    is "$engine: they bring the names of their users" \
        "$(json top | jq -c '.[] | [.job, .user, .user_name]')" '["7","1001","alice"]
["8","1002","carol"]
["9","1003",null]'
    is "$engine: a table has the name with its number" \
        "$(ask top | awk '{ print $1, $2, $3 }' | sed -n 2,4p)" "7 alice (1001)
8 carol (1002)
9 1003 8.33"
    is "$engine: CSV has both columns" "$(ask top --output csv | sed -n 2p | cut -d, -f1-3)" 7,1001,alice
    is "$engine: a user is found by name" \
        "$(json top --user alice | jq -c '.[] | [.job, .user, .user_name]')" '["7","1001","alice"]'
    is "$engine: and by number" "$(json top --user 1001 | jq -c '.[] | .job')" '"7"'
    is "$engine: groups, too" \
        "$(json top --by group --group phys | jq -c '.[] | [.group, .group_name, .jobs]')" '["100","phys",2]'
    is "$engine: in rates" \
        "$(json rates --by user --user alice --op write_bytes | jq -c '.[] | [.user, .user_name, .write_bytes]')" \
        '["1001","alice",6000000]'
    is "$engine: in series" "$(baro jobstats series --user carol --server "$server" --output json | jq -c '.[] | [.entry, .user_name]')" \
        '["8:1002:100:n2","carol"]'
    is "$engine: on the page of a job" \
        "$(json job 7 --user alice | jq -c '.summary[0] | [.user, .user_name, .group, .group_name]')" \
        '["1001","alice","100","phys"]'
    json top --user alcie >"$SCRATCH/out"
    is "$engine: a name that was never seen finds nothing" "$(jq length "$SCRATCH/out")" 0
    ok "$engine: and that is reported, with some that were" \
        grep -q "no user called 'alcie' was seen.*alice (1001)" "$SCRATCH/notes"
    json top --user bob >"$SCRATCH/out"
    is "$engine: a number that went to another is not the first one's any more" \
        "$(jq length "$SCRATCH/out")" 0
    baro jobstats series --user bob --server "$server" --output json >"$SCRATCH/out" 2>"$SCRATCH/notes"
    ok "$engine: of all time both are meant, which is reported" \
        grep -q "user 1001 was 'alice', too" "$SCRATCH/notes"
    is "$engine: the route has the same" \
        "$(curl -s --unix-socket "$socket" \
            "http://x/v1/jobstats/top?user=alice&from=@$start&to=@$((start + 600))" |
            jq -c '[.columns[1:3][].name, .rows[0][1:3][]]')" '["user","user_name","1001","alice"]'
    is "$engine: runs of jobs are found by name" \
        "$(curl -s --unix-socket "$socket" 'http://x/v1/jobs?user=alice&format=lines' | jq -c '[.id, .user, .uid, .group, .gid]')" \
        '["7","alice",1001,"phys",100]'
    is "$engine: and by number, whoever had it" \
        "$(curl -s --unix-socket "$socket" 'http://x/v1/jobs?user=1001&format=lines' | jq -rs 'map(.user) | join(" ")')" \
        "alice bob"
    for user in alice 1001; do
        is "$engine: what $user did, with what the jobs read and wrote" \
            "$(baro job list --server "$server" --user $user --from "@$((start - 100))" --to "@$((start + 700))" \
                --output json 2>&1 | jq -c '.[] | [.job, .user, .uid, (.node_hours * 1000 | floor), .read_bytes, .write_bytes]')" \
            '["7","alice","1001",183,0,6000000]'
    done
    ok "$engine: and in a line" sh -c "baro job list --server '$server' --user alice --last 2d |
        grep -q '^# 1 jobs, 0.183 node-hours; they read 0 B and wrote 5.72 MiB'"
    is "$engine: who ran nothing has no rows" \
        "$(baro job list --server "$server" --user dave --last 2d --output json | jq length)" 0
    # A batch system that reports numbers alone.
    printf '{"id":"11","uid":1001,"start":%s,"end":%s}\n' "$((start + 200))" "$((start + 400))" |
        curl -s --unix-socket "$socket" -H 'Content-Type: application/x-ndjson' --data-binary @- \
            http://x/v1/jobs >"$SCRATCH/response"
    for form in format=table worst=cpu; do
        is "$engine: a run of a number has its name, $form" \
            "$(curl -s --unix-socket "$socket" "http://x/v1/jobs?from=@$start&to=@$((start + 600))&$form" |
                jq -c '[.columns[].name] as $names | [.rows[] | [$names, .] | transpose | map({(.[0]): .[1]}) | add |
                    select(.job == "11")][0] | [.user, .user_name]')" '["1001","alice"]'
    done
}

check_engine() {
    start_barod "$1" || {
        fail "$engine: barod starts"
        finish
    }
    curl -s --unix-socket "$socket" -H 'Content-Type: application/json' \
        --data-binary "@$SCRATCH/batch.json" http://x/v1/jobstats >"$SCRATCH/response"
    is "$engine: rows are stored" "$(jq .accepted "$SCRATCH/response")" 15
    check_names
    stop_barod
}

engine=sqlite
check_engine "path = $SCRATCH/records.db"
is "sqlite: without a daemon the names are there, too" \
    "$(baro jobstats top --records "$SCRATCH/records.db" $window --output json | jq -c '.[0].user_name')" '"alice"'
if pg_available && pg_share; then
    engine=postgres
    check_engine "connection = $PG_CONNECTION"
fi
finish
