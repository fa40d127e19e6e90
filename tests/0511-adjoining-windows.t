#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Windows side by side add up to the whole, exactly, however far increments reach back:
# first readings with a start time, rows lost for a day; from memory, SQLite, PostgreSQL,
# from rows and from roll-ups; against a model of fractions.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/lib-barod.sh"
. "$(dirname "$0")/lib-postgres.sh"
requires curl jq sqlite3 python3

socket=$SCRATCH/barod.sock
now=$(date +%s)
oracle() {
    python3 "$TOP/tests/windows/oracle.py" "$@"
}
stop_barod() {
    kill -TERM $pid
    wait $pid
}
metric() {
    curl -s --unix-socket "$socket" http://x/metrics | awk -v name="baro_$1" '$1 == name { print $2 }'
}
is_made() {
    [ "$(metric records_rollup_hours_total)" -gt 20 ] && [ "$(metric records_rollup_backlog_hours)" = 0 ] &&
        [ "$(sql 'select count(*) from rollup_hours where not is_clean')" = 0 ]
}
conf() { # ROLLUPS LINE
    printf '[net]\nsocket = %s\nlisten = none\n[barod]\nrollup_every = 1s\n' "$socket"
    printf '[records]\nengine = %s\n%s\nretention_rollups = %s\n' "$engine" "$2" "$1"
    printf '[filesystem scratch]\njobid_name = %%j:%%u:%%H\n'
}
take() {
    curl -s --unix-socket "$socket" -H 'Content-Type: application/json' \
        http://x/v1/jobstats --data-binary "@$1" | jq -c '.accepted > 300 and .refused == 0'
}

check_engine() { # SEED LINE
    ok "a batch is made" oracle make "$1" "$now" "$SCRATCH/batch.json"
    conf 0s "$2" >"$SCRATCH/barod.conf"
    ok "barod starts, with $engine" start_barod
    is "it takes rows with gaps, in $engine" "$(take "$SCRATCH/batch.json")" true
    ok "memory and the database agree, with $engine" oracle check "$1" "$now" recent -- --server "unix:$socket"
    stop_barod
    ok "rows add up, in $engine" oracle check "$1" "$now" all -- --records "$records"
    conf 3650d "$2" >"$SCRATCH/barod.conf"
    ok "barod starts again, with $engine" start_barod
    ok "hours are made, in $engine" wait_for 60 is_made
    stop_barod
    ok "roll-ups add up, in $engine" oracle check "$1" "$now" all -- --records "$records"
    ok "every third hour is doubted" sql "update rollup_hours set is_clean = false where $third"
    ok "roll-ups and rows together add up, in $engine" oracle check "$1" "$now" all -- --records "$records"
}

engine=sqlite
records=$SCRATCH/records.db
third='hour / 3600000 % 3 = 0'
sql() { sqlite3 -cmd '.timeout 5000' "$records" "$1"; }
check_engine 511 "path = $records"

if pg_available && pg_start; then
    engine=postgres
    records="$PG_CONNECTION"
    third='extract(epoch from hour)::bigint / 3600 % 3 = 0'
    sql() { psql -qAtX -c "$1"; }
    check_engine 512 "connection = $PG_CONNECTION"
else
    skip "the same in postgres" "no PostgreSQL server programs are installed"
fi
finish
