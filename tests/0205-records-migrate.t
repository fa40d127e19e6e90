#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# baro records migrate: what it would do, then does; an older schema in both engines, and
# tables of plain PostgreSQL to which an extension came later (with stand-ins for
# TimescaleDB, which is not run here).
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/lib-postgres.sh"
requires sqlite3
stress=$BUILD/src/records/records_stress
test -x "$stress" || skip_all "built without unit tests"

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
sql() {
    if [ "$engine" = sqlite ]; then
        sqlite3 "$db" "$1"
    else
        PGOPTIONS="-c statement_timeout=0" psql -XqAt -v ON_ERROR_STOP=1 -c "$1" 2>"$SCRATCH/sql.err"
    fi
}
refused() {
    ! "$@" >"$SCRATCH/out" 2>&1
}

# migrates ARGUMENTS: what it prints is in steps.
migrates() {
    baro records migrate "$@" >"$SCRATCH/steps"
}

# check_engine NAME DATABASE: a database of schema 3, which version and series read.
check_engine() {
    ok "$1: the steps are printed" migrates --dry-run "$2"
    ok "$1: with what is done" grep -q "^schema 3 to 4: tables of jobs" "$SCRATCH/steps"
    ok "$1: the time" grep -q "^  time: under a second" "$SCRATCH/steps"
    ok "$1: and the locks" grep -q "^  locks: ." "$SCRATCH/steps"
    is "$1: and nothing is changed" "$(sql 'select version from schema_version')" 3
    ok "$1: it is migrated" migrates "$2"
    ok "$1: with the same step" grep -q "^schema 3 to 4" "$SCRATCH/steps"
    is "$1: the tables are there" "$(sql 'select count(*) from job_runs')" 0
    is "$1: users' numbers have an index" "$(sql "$has_uid_index")" 1
    is "$1: the rows are" "$(sql 'select count(*) from jobstats_ost')" 600
    ok "$1: a second time" migrates "$2"
    ok "$1: there is nothing to do" grep -q "^nothing to do" "$SCRATCH/steps"
}

db=$SCRATCH/records.db
has_uid_index="select count(*) from sqlite_master where name = 'job_runs_uid'"
"$stress" sqlite "$db" 20 30 >"$SCRATCH/stress.out" || fail "a database is made"
engine=sqlite
sql "$to_version_3"
check_engine sqlite "$db"
ok "a file that is not there is not made" refused baro records migrate "$SCRATCH/none.db"
ok "so that none is there afterwards" test ! -e "$SCRATCH/none.db"

pg_available && pg_start || {
    skip "the same in PostgreSQL" "no PostgreSQL server programs are installed"
    finish
}
requires psql
engine=postgres
has_uid_index="select count(*) from pg_indexes where indexname = 'job_runs_uid'"
ok "postgres: an empty database is left empty" refused baro records migrate "$PG_CONNECTION"
is "postgres: with no table" "$(sql "select count(*) from pg_class where
    relnamespace = 'public'::regnamespace")" 0
"$stress" postgres "$PG_CONNECTION" 20 30 >"$SCRATCH/stress.out" || fail "a database is made"
sql "$to_version_3"
# A role whose statements are cut off soon: a migration has limits of its own.
sql "alter role baro set statement_timeout = '1ms'"
check_engine postgres "$PG_CONNECTION"
sql "alter role baro reset statement_timeout"

# ---- the extension comes later ----

psql -XqAtv ON_ERROR_STOP=1 >"$SCRATCH/sql.out" <<'EOF'
CREATE SCHEMA stand_in;
CREATE TABLE stand_in.pg_extension (extname name, extversion text);
INSERT INTO stand_in.pg_extension VALUES ('timescaledb', '2.19.3');
CREATE FUNCTION stand_in.create_hypertable(relation regclass, time_column_name name,
    chunk_time_interval anyelement, create_default_indexes boolean)
    RETURNS TABLE(hypertable_id integer) LANGUAGE sql AS $$ SELECT 1 $$;
CREATE FUNCTION stand_in.drop_chunks(relation regclass, older_than anyelement)
    RETURNS SETOF text LANGUAGE sql AS $$ SELECT 'chunk'::text $$;
CREATE ROLE grafana LOGIN;
GRANT SELECT ON jobstats, jobstats_ost TO grafana;
EOF
later="$PG_CONNECTION options='-c search_path=public,stand_in,pg_catalog -c timescaledb.license=apache'"
is "the tables are partitioned" \
    "$(sql "select relkind from pg_class where relname = 'jobstats_ost'")" p
before=$(sql "select md5(string_agg(r::text, ',' order by \"timestamp\", sid)) from jobstats_ost r")
ok "the conversion is announced" migrates --dry-run "$later"
ok "with the extension and the space it takes" grep -q \
    "become hypertables of TimescaleDB 2.19.3: .* GB are copied" "$SCRATCH/steps"
ok "and who waits" grep -q "locks: ACCESS EXCLUSIVE on jobstats_mdt" "$SCRATCH/steps"
sql "create view site as select * from jobstats_ost"
ok "a view of the site's own is no loss" refused baro records migrate "$later"
ok "but a reason, with its name" grep -q "other objects depend on it" "$SCRATCH/out"
is "and the tables are as they were" \
    "$(sql "select relkind from pg_class where relname = 'jobstats_ost'")" p
sql "drop view site"
ok "the tables are converted" baro records migrate "$later"
is "they are partitioned no more" \
    "$(sql "select relkind from pg_class where relname = 'jobstats_ost'")" r
is "and hold the same rows" \
    "$(sql "select md5(string_agg(r::text, ',' order by \"timestamp\", sid)) from jobstats_ost r")" \
    "$before"
is "the views show them" "$(sql "select count(*) from jobstats")" 600
is "and others may read them as before" \
    "$(sql "select has_table_privilege('grafana', 'jobstats_ost', 'SELECT') and
        has_table_privilege('grafana', 'jobstats', 'SELECT')")" t
is "nothing of the old ones is left" \
    "$(sql "select count(*) from pg_class where relname like 'jobstats%plain%'
        or relname like 'jobstats_ost_2%'")" 0
ok "rows go on to be taken" "$stress" postgres "$later" 21 30
is "once each" "$(sql "select count(*) from jobstats_ost")" 630
ok "and there is nothing more to do" migrates "$later"
ok "as it says" grep -q "^nothing to do" "$SCRATCH/steps"
finish
