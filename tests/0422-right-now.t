#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# "Right now" is the last round of all servers: rates of it alone, the window in the notes, who is
# late by name; the same from memory, from the database and by REST.
. "$(dirname "$0")/lib.sh"
# shellcheck source=tests/lib-barod.sh
. "$TOP/tests/lib-barod.sh"
requires jq curl date

socket=$SCRATCH/barod.sock
now=$(date +%s)
start=$((now - 1200))
at() { date -u -d "@$((start + $1))" +%Y-%m-%dT%H:%M:%S.000Z; }
second() { date -u -d "@$((start + $1))" +%Y-%m-%dT%H:%M:%SZ; }

# batch SERVER OST EVERY FROM TO JOB COUNTER_A_ROUND: rounds of one job on one target; the job
# is the batch's sequence, too.
batch() {
    printf '{"format":"baro-jobstats-1","agent":"c0ffee00-0000-4000-8000-000000000001",'
    printf '"sequence":%s,"server":"%s","targets":[' "$6" "$1"
    t=$(($4 + $3))
    comma=
    while [ $t -le "$5" ]; do
        previous="\"$(at $((t - $3)))\""
        reset=false
        [ $t != $(($4 + $3)) ] || previous=null reset=true
        printf '%s{"target":"%s","kind":"ost","timestamp":"%s","entries":[' "$comma" "$2" "$(at $t)"
        printf '{"entry_id":"%s:1000:n1","exact":true,"since":"%s","previous":%s,"reset":%s,' \
            "$6" "$(at $((t - $3)))" "$previous" "$reset"
        printf '"snapshot_time":%s,"start_time":null,"ops":{"write_bytes":{"samples":1,' "$start"
        printf '"unit":"bytes","min":1,"max":9,"sum":%s}}}]}' $(((t - $4) / $3 * $7))
        comma=,
        t=$((t + $3))
    done
    printf ']}\n'
}
post() {
    curl -sf --unix-socket "$socket" -H 'Content-Type: application/json' --data-binary @- \
        http://x/v1/jobstats >/dev/null
}

printf '[net]\nsocket = %s\nlisten = none\n[records]\npath = %s\n' "$socket" "$SCRATCH/r.db" >"$SCRATCH/barod.conf"
start_barod
# Job 1 wrote 6000 a minute until a while ago, job 2 began a round ago with 60 a second.
batch oss01 s-OST0000 60 0 840 1 6000 | post
batch oss01 s-OST0001 60 840 900 2 3600 | post
batch oss02 s-OST0002 60 0 900 3 600 | post

BARO_SERVER=unix:$socket
export BARO_SERVER
top() { baro jobstats top --op write_bytes --output json "$@" 2>"$SCRATCH/notes"; }
rates='.[] | [.job, .write_bytes_rate, .write_bytes]'
is "top is of the last round alone: who has ended is not in it" "$(top | jq -c "$rates")" '["2",60,3600]
["3",10,600]'
ok "which the notes name" grep -q "window $(second 840) to $(second 900), the last round of all servers, read from memory" \
    "$SCRATCH/notes" || sed 's/^/# /' "$SCRATCH/notes"
is "a window by its length is as before" "$(top --last 10m | jq -c "[$rates] | length")" 3
is "the trend is of ten rounds, the last of which is the window" \
    "$(baro jobstats top --op write_bytes --output json 2>/dev/null | jq -r '.[] | .trend')" '0000000008
8888888888'
memory=$(top | jq -c .)
is "the database gives the same" "$(baro jobstats top --op write_bytes --output json --records "$SCRATCH/r.db" 2>/dev/null | jq -c .)" \
    "$memory"
is "and so does REST, with last=rounds" \
    "$(curl -s --unix-socket "$socket" 'http://x/v1/jobstats/top?op=write_bytes&last=rounds' | jq -c '[.rows[][0]]')" \
    '["2","3"]'
is "rates have it on demand" \
    "$(baro jobstats rates --by job --op write_bytes --last rounds --output json 2>/dev/null | jq -c '[.[] | [.job, .write_bytes]]')" \
    '[["2",3600],["3",600]]'
baro jobstats top --last rounds --from -2h >/dev/null 2>"$SCRATCH/err"
is "it is no window beside another" "$?" 2
ok "which is named" grep -q -e '--last rounds is of now' "$SCRATCH/err"

# oss01 goes on, oss02 does not: up to two rounds it is waited for, then it is named.
batch oss01 s-OST0003 60 900 1020 4 60 | post
ok "a server two rounds behind is waited for" test "$(top | jq -r '.[0].job')" = 2
batch oss01 s-OST0004 60 1020 1080 5 120 | post
is "one that is further behind is left out" "$(top | jq -c "$rates")" '["5",2,120]'
ok "and named, with its last round" grep -q "no row came of oss02 since $(second 900) (every [0-9.]* [a-z]* before)" \
    "$SCRATCH/notes" || sed 's/^/# /' "$SCRATCH/notes"
is "on request it stands alone" "$(top --lustre-server oss02 | jq -c "$rates")" '["3",10,600]'
ok "and is not late then" not grep -q 'no row came' "$SCRATCH/notes"
# A server that is read every two minutes makes the window as long.
batch oss03 s-OST0005 120 840 1080 6 1200 | post
is "the longest round is the window" "$(top | jq -c "$rates")" '["6",10,1200]
["5",1,120]
["4",0.5,60]'
finish
