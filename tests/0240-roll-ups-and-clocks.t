#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A clock that is years ahead for a while takes no roll-ups away, and makes none of hours
# that have not been: what comes afterwards is counted.
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/lib-barod.sh"
requires curl jq sqlite3 awk

clock=$SCRATCH/clock
socket=$SCRATCH/barod.sock
records=$SCRATCH/records.db
start=1795219200 # 2026-11-21T00:00:00Z
hour=3600

{
    printf '[net]\nsocket = %s\nlisten = none\n[barod]\nrollup_every = 1s\n' "$socket"
    printf '[records]\npath = %s\n[filesystem scratch]\njobid_name = %%j:%%u:%%H\n' "$records"
} >"$SCRATCH/barod.conf"

set_clock() {
    (unset BARO_CLOCK && baro-sim clock --clock "$clock" --set "@$1" >/dev/null)
}
stop_barod() {
    kill -TERM "$pid"
    wait "$pid"
}

# post SEQUENCE FROM TO: rows of one job every ten minutes of the hours FROM .. TO.
post() {
    awk -v sequence="$1" -v begin=$((start + $2 * hour)) -v end=$((start + $3 * hour)) -v zero="$start" '
    function at(t) { return strftime("%Y-%m-%dT%H:%M:%S.000Z", t, 1) }
    BEGIN {
        printf "{\"format\":\"baro-jobstats-1\",\"agent\":\"c0ffee00-0000-4000-8000-000000000001\","
        printf "\"sequence\":%d,\"server\":\"oss01\",\"targets\":[", sequence
        for (t = begin + 600; t <= end; t += 600) {
            printf "%s{\"target\":\"scratch-OST0000\",\"kind\":\"ost\",\"timestamp\":\"%s\",\"entries\":[", comma, at(t)
            printf "{\"entry_id\":\"7:1:n1\",\"exact\":true,\"since\":\"%s\",\"previous\":%s,", at(t - 600), \
                t == zero + 600 ? "null" : "\"" at(t - 600) "\""
            printf "\"reset\":%s,\"snapshot_time\":%d,\"start_time\":null,", t == zero + 600 ? "true" : "false", t
            printf "\"ops\":{\"write_bytes\":{\"samples\":1,\"unit\":\"bytes\",\"min\":1,\"max\":1,\"sum\":%d}}}]}", t - zero
            comma = ","
        }
        print "]}"
    }' >"$SCRATCH/batch.json"
    curl -s --unix-socket "$socket" -H 'Content-Type: application/json' \
        http://x/v1/jobstats --data-binary "@$SCRATCH/batch.json" | jq -c '[.accepted,.duplicate,.refused]'
}
sql() {
    sqlite3 -cmd '.timeout 5000' "$records" "$1"
}
metric() {
    curl -s --unix-socket "$socket" http://x/metrics | awk -v name="baro_$1" '$1 == name { print $2 }'
}
# looked: the worker has been through all kinds since.
looked() {
    [ "$(metric records_rollup_backlog_hours)" = 0 ] && [ "$(sql "select count(*) from rollup_hours where kind = 'ost' and is_clean")" -ge "$1" ]
}
rates() {
    baro jobstats rates --records "$records" --from "@$start" --to "@$((start + $1 * hour))" \
        --op write_bytes --output json | jq '.[0].write_bytes'
}

set_clock $((start + 6 * hour))
export BARO_CLOCK="$clock"
ok "barod starts" start_barod
is "rows of five hours are taken" "$(post 1 0 5)" '[30,0,0]'
ok "their hours are made" wait_for 30 looked 5
cells=$(sql 'select count(*) from rollup_ost')
stop_barod

set_clock $((start + 3 * 366 * 24 * hour))
ok "barod starts in three years' time" start_barod
sleep 2
newest=$(sql "select (max(hour) / 1000 - $start) / $hour from rollup_hours")
is "no hours are made of which there are no rows" "$((newest < 8))" 1
stop_barod

set_clock $((start + 7 * 366 * 24 * hour))
ok "barod starts in seven years' time" start_barod
ok "and says that the clock is doubtful" wait_for 20 grep -q 'is the clock right' "$SCRATCH/barod.log"
sleep 2
is "the cells are still there" "$(sql 'select count(*) from rollup_ost')" "$cells"
stop_barod

set_clock $((start + 12 * hour))
ok "barod starts with a clock that was set right" start_barod
is "what comes then is taken" "$(post 2 5 11)" '[36,0,0]'
ok "and made into hours" wait_for 30 looked 11
stop_barod
is "nothing is missing" "$(rates 11)" "$((11 * hour))"
sql 'update rollup_hours set is_clean = 0'
is "and rows say the same" "$(rates 11)" "$((11 * hour))"
finish
