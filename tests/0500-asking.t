#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What baro answers about rows in a database: totals by hand, forms, misuse.
. "$(dirname "$0")/lib.sh"
PATH=$BUILD/tests/fill:$PATH
requires jq date
LC_ALL=C.UTF-8
export LC_ALL

db=$SCRATCH/records.db
start=$(($(date +%s) / 60 * 60 - 86400))

at() { date -u -d "@$((start + $1))" +%Y-%m-%dT%H:%M:%S.000Z; }

# entry ID SINCE PREVIOUS RESET OPS: times in seconds, - is none.
entry() {
    entry_previous=null
    [ "$3" = - ] || entry_previous="\"$(at "$3")\""
    printf '{"entry_id":"%s","exact":true,"since":"%s","previous":%s,"reset":%s,' \
        "$1" "$(at "$2")" "$entry_previous" "$4"
    printf '"snapshot_time":%s,"start_time":null,"ops":{%s}}' "$start" "$5"
}

bytes() { printf '"write_bytes":{"samples":%s,"unit":"bytes","min":1,"max":9,"sum":%s}' "$1" "$2"; }
opens() { printf '"open":{"samples":%s,"unit":"reqs"},"close":{"samples":%s,"unit":"reqs"}' "$1" "$2"; }

batch() {
    printf '{"format":"baro-jobstats-1","agent":"c0ffee00-0000-4000-8000-000000000001",'
    printf '"sequence":1,"server":"oss01","targets":['
    comma=
    for round in 1 2 3 4 5; do
        t=$((round * 120))
        since=$((t - 120))
        previous=$since
        reset=false
        if [ $round = 1 ]; then
            previous=-
            reset=true
        fi
        printf '%s{"target":"scratch-OST0001","kind":"ost","timestamp":"%s","entries":[' "$comma" "$(at $t)"
        entry 7:1000:n1 $since "$previous" $reset "$(bytes $round $((round * 1200000)))"
        printf ,
        entry 7:1000:n2 $since "$previous" $reset "$(bytes $round $((round * 600000)))"
        printf ,
        entry 8:1001:n1 $since "$previous" $reset "$(bytes $round $((round * 200000)))"
        printf ,
        entry bash.0 $since "$previous" $reset "$(bytes $round $((round * 120)))"
        printf ']},{"target":"scratch-MDT0000","kind":"mdt","timestamp":"%s","entries":[' "$(at $t)"
        entry 8:1001:n1 $since "$previous" $reset "$(opens $((round * 10)) $((round * 11)))"
        printf ']}'
        comma=,
    done
    printf ']}\n'
}

batch >"$SCRATCH/batch.json"
is "a batch becomes rows" "$(baro-fill "$db" <"$SCRATCH/batch.json")" "taken 25, known 0, refused 0"

ask() { baro jobstats "$@" --records "$db" --output json 2>"$SCRATCH/notes"; }

is "who writes to OST0001, and since when" \
    "$(ask top --last 10m --target '*-OST0001' --op write_bytes | jq -c '.[] | [.job, .user, .write_bytes, .write_bytes_rate, .nodes, .since]')" \
    "[\"7\",\"1000\",9000000,15000,2,\"$(at 0)\"]
[\"8\",\"1001\",1000000,1666.6666666666667,1,\"$(at 0)\"]
[\"bash.0\",\"0\",600,1,0,\"$(at 0)\"]"

is "the greatest share of anything comes first" \
    "$(ask top | jq -r '.[0] | "\(.job) \(.metadata_rate)"')" "8 0.175"

is "windows cut increments" \
    "$(ask rates --op write_bytes --job 7 --from "@$((start + 60))" --to "@$((start + 180))" | jq -c '.[] | [.write_bytes, .write_bytes_at_most]')" \
    "[1800000,1800000]"

is "steps add up to the whole" \
    "$(ask rates --op write_bytes --by job --from "@$start" --to "@$((start + 600))" --step 7s | jq 'map(.write_bytes) | add')" \
    "10000600"

is "every operation has a row" \
    "$(ask rates --by op --target '*MDT*' --last 10m | jq -c '.[] | [.op, .total]')" \
    '["open",50]
["close",55]'

is "a login entry is a job" \
    "$(ask series --executable bash | jq -c '.[] | [.job, .user, .executable, .flags]')" \
    '["bash.0","0","bash","login"]'

is "a job has a page" \
    "$(ask job 7 | jq -c '[.summary[0].write_bytes, .operations[0].op, (.targets | length), (.nodes | map(.node))]')" \
    '[9000000,"write_bytes",1,["n1","n2"]]'

is "density counts jobs by decade" \
    "$(ask rates --density --op write_bytes --last 10m | jq -c '.[] | [.rate_from, .groups]')" \
    "[1,1]
[1000,1]
[10000,1]"

is "each decade has its bounds, and what was written in it" \
    "$(ask rates --density --op write_bytes --from "@$start" --to "@$((start + 600))" |
        jq -c '.[1] | [.from, .to, .rate_from, .rate_to, .groups, .write_bytes]')" \
    "[\"$(at 0)\",\"$(at 600)\",1000,10000,1,1000000]"

is "who has done nothing of what is asked has no row" \
    "$(ask rates --by job --op open --last 10m | jq -c '.[] | [.job, .open]')" '["8",50]'

ask rates --by job --op write_bytes --limit 2 --last 10m >"$SCRATCH/out"
is "a limit shows the first ones" "$(jq -r '.[].job' "$SCRATCH/out" | tr '\n' ' ')" "7 8 "
ok "and says that there are more" grep -q '2 of 3 shown; a higher limit shows more' "$SCRATCH/notes"
ask top --op write_bytes --limit 1 >"$SCRATCH/out"
ok "so does the list of the busiest" grep -q '1 of 3 shown; a higher limit shows more' "$SCRATCH/notes"
ask rates --by job --op write_bytes --limit 3 --last 10m >"$SCRATCH/out"
ok "not where there are none" not grep -q 'a higher limit' "$SCRATCH/notes"

ask rates --op write_bytes --from "@$((start - 7200))" --to "@$((start + 600))" >"$SCRATCH/out"
ok "the window is said" grep -q "window $(at -7200 | cut -c1-19)Z to $(at 600 | cut -c1-19)Z" "$SCRATCH/notes"
ok "and from when on there is something" grep -q "nothing is stored from before 20.*; rates are over the whole window" "$SCRATCH/notes"
ask rates --op write_bytes --from "@$((start + 60))" --to "@$((start + 600))" >"$SCRATCH/out"
ok "which is not said where all of the window is known" not grep -q 'nothing is stored' "$SCRATCH/notes"

is "a job's operations have their units, totals, rates and peaks" \
    "$(ask job 8 | jq -c '.operations[] | [.op, .unit, .total]')" \
    '["open","count",50]
["close","count",55]
["write_bytes","bytes",1000000]'
is "a job's page is of the window that is asked for" \
    "$(ask job 7 --from "@$((start + 120))" --to "@$((start + 240))" | jq -c '.summary[0].write_bytes')" 1800000

is "CSV has a header and a row a group" \
    "$(baro jobstats top --last 10m --op write_bytes --by target --records "$db" --output csv 2>/dev/null | cut -d, -f1,3 | tr '\n' ' ')" \
    "target,write_bytes scratch-OST0001,10000600 "

baro jobstats top --records "$db" >"$SCRATCH/table"
ok "a table has trends as blocks where the terminal can show them" grep -q '█' "$SCRATCH/table"
ok "an old observation is not called now" grep -q 'not of now' "$SCRATCH/table"
LC_ALL=C baro jobstats top --records "$db" >"$SCRATCH/table"
ok "elsewhere there are none" not grep -q trend "$SCRATCH/table"

# With a daemon in between, the answers are the same.
baro jobstats follow >/dev/null 2>&1
is "an unknown command is misuse" "$?" 2
baro jobstats top --limit 0 --records "$db" >/dev/null 2>"$SCRATCH/err"
is "a limit of nothing is misuse" "$?" 2
ok "and is named" grep -q -e "--limit: '0'" "$SCRATCH/err"
is "top by operation has a row for each that was done" \
    "$(ask top --last 10m --by op --target '*MDT*' | jq -c '.[] | [.op, .unit, .total, .share]')" \
    '["open","count",50,100]
["close","count",55,100]'
is "of each group too, with its share of the operation" \
    "$(ask top --last 10m --by job,op --op write_bytes | jq -c '.[] | [.job, .op, .total]')" \
    '["7","write_bytes",9000000]
["8","write_bytes",1000000]
["bash.0","write_bytes",600]'
ask top --user 4711 >"$SCRATCH/out"
ok "a user that nobody has is named, with some that there are" \
    grep -q "no series of user '4711'; there are .*1000" "$SCRATCH/notes"
ask rates --target 'scratch-OST9999' --job 77 >"$SCRATCH/out"
ok "and so is a target" grep -q "no series of target 'scratch-OST9999'; there are .*scratch-OST0001" "$SCRATCH/notes"
ok "and a job" grep -q "no series of job '77'" "$SCRATCH/notes"
ask top --user 1000 --from "@$((start - 600))" --to "@$start" >"$SCRATCH/out"
ok "who only rests is not" not grep -q "no series" "$SCRATCH/notes"
ask top --by executable >"$SCRATCH/out"
ok "a row without a name says why" grep -q "a row without executable is of entries" "$SCRATCH/notes"
baro jobstats top --op teleport --records "$db" >/dev/null 2>"$SCRATCH/err"
is "an unknown operation fails" "$?" 2
ok "and is named" grep -q "'teleport'" "$SCRATCH/err"
# What a batch system says of the job stands before it.
cat >"$SCRATCH/jobs.json" <<END
{"id": "7", "cluster": "alex", "name": "cfd", "user": "ann", "start": $start, "end": $((start + 600)), "nodes": "n[1-2]"}
{"id": "8", "start": $start}
END
is "a list of jobs names user, nodes, start and end of a job" \
    "$(ask job 7 --jobs "$SCRATCH/jobs.json" | jq -c '.batch[] | [.job, .name, .user, .nodes, .start, .end, .node_count]')" \
    "[\"7\",\"cfd\",\"ann\",\"n[1-2]\",\"$(at 0)\",\"$(at 600)\",2]"
is "the rest of the page stays" "$(ask job 7 --jobs "$SCRATCH/jobs.json" | jq -c 'del(.batch)')" "$(ask job 7 | jq -c .)"
is "in a table, too" "$(baro jobstats job 7 --jobs "$SCRATCH/jobs.json" --records "$db" 2>&1 | sed -n 2p | grep -c 'alex.*cfd')" 1
is "a job that is in no list is said" "$(echo '[]' >"$SCRATCH/none.json"
    baro jobstats job 7 --jobs "$SCRATCH/none.json" --records "$db" 2>&1 | grep -c 'lists of jobs know no job 7')" 1

# As CSV it is one table: one header, each row as long as it, and the parts of the page.
baro jobstats job 7 --jobs "$SCRATCH/jobs.json" --records "$db" --output csv >"$SCRATCH/job.csv" 2>/dev/null
is "CSV of a job is one table of all parts" \
    "$(python3 -c 'import csv, sys
rows = list(csv.reader(open(sys.argv[1])))
assert all(len(row) == len(rows[0]) for row in rows)
assert len(set(rows[0])) == len(rows[0])
print(rows[0][0], *dict.fromkeys(row[0] for row in rows[1:]))' "$SCRATCH/job.csv")" \
    "part batch summary operations targets nodes"
is "with as many rows as its JSON" "$(($(wc -l <"$SCRATCH/job.csv") - 1))" \
    "$(ask job 7 --jobs "$SCRATCH/jobs.json" | jq '[.[] | length] | add')"

baro jobstats job nobody --records "$db" >/dev/null 2>"$SCRATCH/err"
is "an unknown job fails" "$?" 1
baro jobstats top --records "$SCRATCH/nothing.db" >/dev/null 2>"$SCRATCH/err"
is "no database is made by asking" "$? $(ls "$SCRATCH"/nothing.db 2>/dev/null)" "1 "
baro jobstats top --server "unix:$SCRATCH/none.sock" >/dev/null 2>"$SCRATCH/err"
is "no daemon is a failure" "$?" 1
ok "that names the socket" grep -q "none.sock" "$SCRATCH/err"

# The same over REST.
barod --config /dev/null --set "records.path=$SCRATCH/d.db" \
    --set "net.socket=$SCRATCH/barod.sock" --set "net.listen=127.0.0.1:0" \
    2>"$SCRATCH/barod.log" &
barod=$!
at_exit "kill $barod; wait $barod"
BARO_SERVER=unix:$SCRATCH/barod.sock
export BARO_SERVER
if wait_for 20 baro jobstats series; then
    pass "the daemon answers on its socket"
else
    fail "the daemon answers on its socket"
    sed 's/^/# /' "$SCRATCH/barod.log" | head -n 20
fi
curl -s --unix-socket "$SCRATCH/barod.sock" -H 'Content-Type: application/json' \
    --data-binary "@$SCRATCH/batch.json" http://barod/v1/jobstats >"$SCRATCH/taken"
is "it takes the batch" "$(jq -c '[.accepted, .refused]' "$SCRATCH/taken")" "[25,0]"
for question in "top --by job" "top --last 10m" "rates --last rounds" "rates --by op --last 10m" \
    "rates --step 60s --by target --last 10m"; do
    # shellcheck disable=SC2086 # words are wanted
    is "the daemon says the same: $question" \
        "$(baro jobstats $question --output json 2>/dev/null)" "$(ask $question)"
done
is "and of a job" "$(baro jobstats job 7 --output json)" "$(ask job 7)"
is "a filter with odd bytes arrives" \
    "$(baro jobstats series --entry '7:1000:n2' --output json 2>/dev/null | jq length)" 1
finish
