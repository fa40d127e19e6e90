#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Roll-ups: barod makes them of hours that are over, an answer is the same with them and
# without, late rows and kill -9 leave none that is wrong; SQLite and PostgreSQL.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/lib-barod.sh"
. "$(dirname "$0")/lib-postgres.sh"
requires curl jq sqlite3 awk

socket=$SCRATCH/barod.sock
start=$(($(date +%s) / 3600 * 3600 - 14 * 3600))

# batch SEQUENCE WHICH: twelve hours of eight series in rounds of four minutes; "late" are
# the rows of one of them in the third and fourth hour, "rest" all others.
batch() {
    awk -v start="$start" -v sequence="$1" -v which="$2" '
    function at(s) { return strftime("%Y-%m-%dT%H:%M:%S.000Z", start + s, 1) }
    BEGIN {
        printf "{\"format\":\"baro-jobstats-1\",\"agent\":\"c0ffee00-0000-4000-8000-000000000001\","
        printf "\"sequence\":%d,\"server\":\"oss01\",\"targets\":[", sequence
        for (round = 1; round <= 180; round++) {
            t = round * 240 + 7
            for (target = 0; target < 3; target++) {
                is_mdt = target == 2
                line = ""
                for (i = 0; i < 8; i++) {
                    # An entry rests for an hour, one begins anew, rounds are lost.
                    if (i == 3 && round > 60 && round < 77) continue
                    if ((round + i) % 41 == 0) continue
                    life = i == 5 ? round % 50 : round
                    is_late = i == 1 && !is_mdt && round > 30 && round <= 60
                    if ((which == "late") != is_late) continue
                    previous = last[target, i]
                    if (is_late && !previous) previous = 30 * 240 + 7
                    reset = life <= 1 || !previous ? "true" : "false"
                    line = line (line == "" ? "" : ",") \
                        sprintf("{\"entry_id\":\"%d:%d:n%d\",\"exact\":true,\"since\":\"%s\",\"previous\":%s," \
                            "\"reset\":%s,\"snapshot_time\":%d,\"start_time\":null,\"ops\":{", 100 + int(i / 2), \
                            1000 + i % 3, i % 4, at(t - 240), previous && reset == "false" ? "\"" at(previous) "\"" : "null", \
                            reset, start + t)
                    if (is_mdt) line = line sprintf("\"open\":{\"samples\":%d,\"unit\":\"reqs\"}}}", life * 7 + i)
                    else line = line sprintf("\"write_bytes\":{\"samples\":%d,\"unit\":\"bytes\",\"min\":1,\"max\":9,\"sum\":%d}}}", \
                        life, life * 1048583 * (i + 1))
                    last[target, i] = t
                }
                if (line == "") continue
                printf "%s{\"target\":\"scratch-%s000%d\",\"kind\":\"%s\",\"timestamp\":\"%s\",\"entries\":[%s]}", \
                    comma, is_mdt ? "MDT" : "OST", target, is_mdt ? "mdt" : "ost", at(t), line
                comma = ","
            }
        }
        print "]}"
    }'
}

stop_barod() {
    kill -TERM $pid
    wait $pid
}
post() {
    curl -s --unix-socket "$socket" -H 'Content-Type: application/json' \
        http://x/v1/jobstats --data-binary "@$1" | jq -c '[.accepted,.duplicate,.refused]'
}
metric() {
    curl -s --unix-socket "$socket" http://x/metrics | awk -v name="baro_$1" '$1 == name { print $2 }'
}
is_made() {
    [ "$(metric records_rollup_hours_total)" -gt 20 ] && [ "$(metric records_rollup_backlog_hours)" = 0 ] &&
        [ "$(sql 'select count(*) from rollup_hours where not is_clean')" = 0 ]
}

# Every question, one after the other, as text.
ask_all() {
    while IFS= read -r words; do
        echo "== $words"
        # shellcheck disable=SC2086 # words on purpose
        {
            baro jobstats $words --records "$records" --output json
            echo "status $?"
        } 2>&1 | grep -v 'nothing was observed for' # so many minutes
    done <<QUESTIONS
top --from @$start --to @$((start + 46800))
top --from @$((start + 1234)) --to @$((start + 43199)) --by user,server
top --from @$start --to @$((start + 43200)) --by target --op write_bytes_count,open
rates --from @$start --to @$((start + 43200)) --step 1h --by user
rates --from @$((start + 99)) --to @$((start + 43200)) --by op
rates --from @$((start + 7200)) --to @$((start + 39600)) --job 100 --op write_bytes
rates --last 12h --step 2h --by job
job 102
job 100 --from @$((start + 3600)) --to @$((start + 40000))
QUESTIONS
}

# The same, believing no hour.
ask_rows() {
    sql 'update rollup_hours set is_clean = false' >/dev/null
    ask_all
}

# same SENTENCE: with barod stopped.
same() {
    ask_all >"$SCRATCH/with"
    ask_rows >"$SCRATCH/without"
    if cmp -s "$SCRATCH/with" "$SCRATCH/without"; then
        pass "$1, in $engine"
    else
        diff "$SCRATCH/with" "$SCRATCH/without" | head -n 20 | cut -c 1-300 | sed 's/^/# /'
        fail "$1, in $engine"
    fi
}

check_engine() {
    {
        printf '[net]\nsocket = %s\nlisten = none\n[barod]\nrollup_every = 1s\n' "$socket"
        printf '[records]\nengine = %s\n%s\n' "$engine" "$1"
        printf '[filesystem scratch]\njobid_name = %%j:%%u:%%H\n'
    } >"$SCRATCH/barod.conf"
    batch 1 rest >"$SCRATCH/rest.json"
    batch 2 late >"$SCRATCH/late.json"
    ok "barod starts, with $engine" start_barod
    is "rows of twelve hours are taken, in $engine" "$(post "$SCRATCH/rest.json" | jq '.[0] > 3000 and .[2] == 0')" true
    ok "the hours that are over are made, in $engine" wait_for 60 is_made
    ok "there are cells, fewer than rows, in $engine" test \
        "$(sql 'select count(*) from rollup_ost')" -gt 100
    stop_barod
    same "an answer is the same with roll-ups and without"
    is "what was not believed was asked of rows, in $engine" "$(sql 'select count(*) from rollup_hours where is_clean')" 0

    ok "barod starts again, with $engine" start_barod
    ok "and makes them anew, in $engine" wait_for 60 is_made
    is "rows that come late are taken, in $engine" "$(post "$SCRATCH/late.json" | jq '.[0] > 20 and .[1] == 0')" true
    kill -9 $pid
    wait $pid 2>/dev/null
    rm -f "$socket"
    same "after kill -9 none is believed that lacks them"

    ok "barod starts once more, with $engine" start_barod
    # Killed while it makes hours, again and again.
    for pause in 0.1 0.3 0.5; do
        sleep $pause
        kill -9 $pid
        wait $pid 2>/dev/null
        rm -f "$socket"
        start_barod
    done
    kill -9 $pid
    wait $pid 2>/dev/null
    rm -f "$socket"
    same "killed while it makes them, none is wrong"
    ok "barod starts at last, with $engine" start_barod
    ok "and all are made, in $engine" wait_for 60 is_made
    stop_barod
    same "late rows are in them"

    # Rows go, their hours stay.
    ask_all >"$SCRATCH/before"
    ok "barod starts for the last time, with $engine" start_barod
    ok "and makes all, in $engine" wait_for 60 is_made
    stop_barod
    ok "they are what the rows add up to, in $engine" \
        eval 'baro records verify --hours 1000 "$records" >"$SCRATCH/verified"'
    ok "all of them, in $engine" grep -q "[1-9][0-9]* cells of [1-9][0-9]* hours: all is well" \
        "$SCRATCH/verified"
    sql "delete from $(rows_table)" >/dev/null
    is "without rows, roll-ups answer, in $engine" \
        "$(baro jobstats rates --from "@$((start + 3600))" --to "@$((start + 36000))" --op write_bytes --records "$records" --output json 2>/dev/null | jq '.[0].write_bytes > 1000000000')" true
}

engine=sqlite
records=$SCRATCH/records.db
sql() { sqlite3 -cmd '.timeout 5000' "$records" "$1"; }
rows_table() { sqlite3 "$records" "select name from sqlite_master where type = 'table' and name like 'jobstats_ost_2%' limit 1"; }
check_engine "path = $records"

if pg_available && pg_share; then
    engine=postgres
    records="$PG_CONNECTION"
    sql() { psql -qAtX -c "$1"; }
    rows_table() { echo jobstats_ost; }
    check_engine "connection = $PG_CONNECTION"
else
    skip "the same in postgres" "no PostgreSQL server programs are installed"
fi
finish
