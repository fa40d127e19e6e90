#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A barod that runs while a newer one brings its database further writes nothing more,
# says why, and its senders keep what they have; SQLite and PostgreSQL.
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=tests/lib-postgres.sh
. "$(dirname "$0")/lib-postgres.sh"
requires curl sqlite3

socket=$SCRATCH/barod.sock
start_barod() {
    barod --config "$SCRATCH/barod.conf" >"$SCRATCH/barod.log" 2>&1 &
    pid=$!
    wait_for 30 curl -sf --unix-socket "$socket" http://x/healthz
}
at_exit 'kill -9 $pid'

# post SEQUENCE: one row; prints the status.
post() {
    t=$(($(date +%s) - 600 + $1))
    printf '{"format":"baro-jobstats-1","agent":"c0ffee00-0000-4000-8000-000000000001",
        "sequence":%d,"server":"oss01","targets":[{"target":"scratch-OST0000","kind":"ost",
        "timestamp":"%s","entries":[{"entry_id":"1:2:a","exact":true,"since":null,
        "previous":null,"reset":true,"snapshot_time":%d,"start_time":null,"ops":{
        "write_bytes":{"samples":1,"unit":"bytes","min":1,"max":1,"sum":5}}}]}]}' \
        "$1" "$(date -u -d "@$t" +%Y-%m-%dT%H:%M:%SZ)" "$t" |
        curl -s -o /dev/null -w '%{http_code}' --unix-socket "$socket" \
            -H 'Content-Type: application/json' --data-binary @- http://x/v1/jobstats
}

check_engine() {
    {
        printf '[net]\nsocket = %s\nlisten = none\n' "$socket"
        printf '[records]\nengine = %s\n%s\n' "$engine" "$1"
        printf '[filesystem scratch]\njobid_name = %%j:%%u:%%H\n'
    } >"$SCRATCH/barod.conf"
    ok "barod starts, with $engine" start_barod
    is "a row is taken, in $engine" "$(post 1)" 200
    sql 'update schema_version set version = version + 96'
    is "of a newer database the next one is kept by its sender, in $engine" "$(post 2)" 503
    ok "the log says why, in $engine" grep -q 'upgrade barograph' "$SCRATCH/barod.log"
    is "nothing was stored, in $engine" "$(sql 'select count(*) from jobstats')" 1
    disconnect
    is "nor after a new connection, in $engine" "$(post 3)" 503
    sql 'update schema_version set version = version - 96'
    is "with the version it knows it goes on, in $engine" "$(post 2)" 200
    kill -TERM $pid
    wait $pid
}

engine=sqlite
sql() { sqlite3 -cmd '.timeout 5000' "$SCRATCH/records.db" "$1"; }
disconnect() { :; }
check_engine "path = $SCRATCH/records.db"

if pg_available && pg_start; then
    engine=postgres
    sql() { psql -qAtX -c "$1"; }
    disconnect() {
        sql "select pg_terminate_backend(pid) from pg_stat_activity where pid <> pg_backend_pid() and backend_type = 'client backend'" >/dev/null
        post 4 >/dev/null # notices
    }
    check_engine "connection = $PG_CONNECTION"
    # A writer that hangs amid its transaction.
    psql -qAtX -c 'begin; select pg_advisory_xact_lock_shared(6512369771); select pg_sleep(600)' >/dev/null 2>&1 &
    hanging=$!
    at_exit "kill $hanging"
    wait_for 10 sh -c "psql -qAtX -c \"select count(*) from pg_locks where locktype = 'advisory'\" | grep -q 1"
    ok "nobody else waits for a writer that hangs" timeout 120 baro jobstats series --records "$PG_CONNECTION"
else
    skip "the same in postgres" "no PostgreSQL server programs are installed"
fi
finish
