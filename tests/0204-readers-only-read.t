#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A query of the command line changes nothing in a database: no migration, no policy, no
# lock that a writer would wait for; a role that may only SELECT can run all of them.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/lib-postgres.sh"
requires sqlite3
stress=$BUILD/src/records/records_stress
test -x "$stress" || skip_all "built without unit tests"

# What a database of schema 3 lacks.
to_version_3="drop view if exists jobs; drop view if exists job_summaries;
    drop view if exists user_names; drop table if exists id_names;
    drop view if exists target_health; drop table if exists target_readings;
    drop view if exists job_footprints; drop table if exists job_footprint_rows;
    drop view if exists job_step_runs; drop table if exists job_steps;
    drop view if exists resource_health; drop table if exists resource_statements;
    drop view if exists resource_history; drop table if exists resource_changes;
    drop view if exists user_sessions; drop table if exists session_reports; drop table if exists job_files; drop table if exists job_datasets;
    drop view if exists inventory; drop table if exists part_stays; drop view if exists inventory_changes; drop table if exists part_changes;
    drop table if exists job_runs; drop table if exists job_summary_rows;
    drop table if exists records_identity; update schema_version set version = 3"
window="--from 2026-11-20T00:00:00Z --to 2026-11-22T00:00:00Z"

# queries NAME DATABASE: every query of the command line that reads a database.
queries() {
    # shellcheck disable=SC2086
    for query in "series" "top --by target $window" "rates --by target $window" \
        "job 3 $window" "series --id 00000000-0000-0000-0000-000000000001"; do
        ok "$1: baro jobstats $query" baro jobstats $query --records "$2"
    done
}

# ---- SQLite ----

db=$SCRATCH/records.db
"$stress" sqlite "$db" 20 30 >"$SCRATCH/stress.out" || fail "a database is made"
sqlite3 "$db" "$to_version_3; pragma wal_checkpoint(truncate)" >/dev/null
before=$(sha256sum <"$db")
queries "sqlite of schema 3" "$db"
is "sqlite: not one byte of the file changed" "$(sha256sum <"$db")" "$before"
is "sqlite: it is of schema 3 still" \
    "$(sqlite3 "$db" 'select version from schema_version')" 3
sqlite3 "$db" 'update schema_version set version = 2'
not_run() {
    ! baro jobstats series --records "$1" >"$SCRATCH/out" 2>&1
}
ok "sqlite: an older schema is refused" not_run "$db"
ok "sqlite: with the remedy" grep -q "baro records migrate" "$SCRATCH/out"
is "sqlite: and left as it is" "$(sqlite3 "$db" 'select version from schema_version')" 2
sqlite3 "$SCRATCH/empty.db" 'pragma user_version = 1'
ok "sqlite: a file without tables of ours is refused" not_run "$SCRATCH/empty.db"
is "sqlite: and no table is made there" \
    "$(sqlite3 "$SCRATCH/empty.db" 'select count(*) from sqlite_master')" 0
mkdir "$SCRATCH/copy"
"$stress" sqlite "$SCRATCH/copy/records.db" 2 3 >"$SCRATCH/stress.out"
chmod a-w "$SCRATCH/copy/records.db" "$SCRATCH/copy"
ok "sqlite: a copy in a directory that cannot be written is read" \
    baro jobstats series --records "$SCRATCH/copy/records.db"
chmod u+w "$SCRATCH/copy"

# ---- PostgreSQL ----

if ! pg_available || ! pg_start; then
    skip "the same in PostgreSQL" "no PostgreSQL server programs are installed"
    finish
fi
requires psql
sql() {
    psql -XqAt -v ON_ERROR_STOP=1 -c "$1"
}
sql "alter system set log_min_messages = debug2"
sql "select pg_reload_conf()" >"$SCRATCH/out"
ok "postgres: its log names every cancel" wait_for 20 \
    grep -q 'parameter "log_min_messages" changed' "$PG_DIR/log"
"$stress" postgres "$PG_CONNECTION" 20 30 >"$SCRATCH/stress.out" || fail "rows go in"
sql "revoke temporary on database postgres from public; create role reader login; grant usage on schema public to reader;
    grant select on all tables in schema public to reader"
reader="host=$PG_DIR user=reader dbname=postgres"
queries "postgres, with SELECT alone" "$reader"
is "postgres: no statement was cancelled" \
    "$(grep -c "processing cancel request" "$PG_DIR/log")" 0
sql "alter system reset log_min_messages"
sql "select pg_reload_conf()" >"$SCRATCH/out"
sql "$to_version_3"
queries "postgres of schema 3" "$PG_CONNECTION"
is "postgres: it is of schema 3 still" "$(sql 'select version from schema_version')" 3
is "postgres: no table was made" "$(sql "select to_regclass('job_runs') is null")" t

# A writer has a table for itself, as a migration: a query ends soon, and says why.
mkfifo "$SCRATCH/pipe"
psql -XqAt <"$SCRATCH/pipe" >/dev/null 2>&1 &
holder=$!
exec 3>"$SCRATCH/pipe"
at_exit "kill $holder"
echo "begin; lock table series in access exclusive mode;" >&3
is_locked() {
    [ "$(sql "select count(*) from pg_locks where mode = 'AccessExclusiveLock' and
        relation = 'series'::regclass and granted")" = 1 ]
}
ok "postgres: a table is locked" wait_for 20 is_locked
locked() {
    ! timeout 60 baro jobstats series --records "$PG_CONNECTION" >"$SCRATCH/out" 2>&1 &&
        grep -q "lock timeout" "$SCRATCH/out"
}
ok "postgres: a query does not wait for it for ever" locked
echo "rollback;" >&3
exec 3>&-
wait $holder 2>/dev/null
sql "update schema_version set version = 2"
ok "postgres: an older schema is refused" not_run "$PG_CONNECTION"
ok "postgres: with the remedy" grep -q "baro records migrate" "$SCRATCH/out"
sql "create schema empty"
ok "postgres: where there is no table of ours it is refused" not_run \
    "$PG_CONNECTION options='-c search_path=empty'"
is "postgres: and none is made" "$(sql "select count(*) from pg_class
    where relnamespace = 'empty'::regnamespace")" 0
finish
