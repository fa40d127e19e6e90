#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The way through TimescaleDB's functions, on plain PostgreSQL with stand-ins of the same
# signatures that write down how they were called.  The real extension is not run here:
# what this shows is that we call what is documented, in an order that works, and that
# rows, retention and a missing compression get along.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/lib-postgres.sh"

pg_available || skip_all "no PostgreSQL server programs are installed"
stress=$BUILD/src/records/records_stress
test -x "$stress" || skip_all "built without unit tests"
pg_start || {
    fail "PostgreSQL starts"
    finish
}

# The views that the extension has in a schema of its own, for all hypertables.
psql -Xqv ON_ERROR_STOP=1 >"$SCRATCH/psql.out" 2>&1 <<EOF || fail "the views are made"
CREATE SCHEMA timescaledb_information;
SET search_path = timescaledb_information;
CREATE TABLE jobs (job_id serial, proc_name name, config jsonb, hypertable_schema name,
    hypertable_name name);
CREATE TABLE compression_settings (hypertable_schema name, hypertable_name name,
    attname name, segmentby_column_index smallint, orderby_column_index smallint,
    orderby_asc boolean, orderby_nullsfirst boolean);
CREATE TABLE job_stats (hypertable_schema name, hypertable_name name, job_id integer,
    last_run_status text, total_runs bigint, total_successes bigint,
    total_failures bigint);
CREATE TABLE job_errors (job_id integer, proc_schema name, proc_name name,
    finish_time timestamptz, err_message text);
CREATE TABLE chunks (hypertable_schema name, hypertable_name name, chunk_schema name,
    chunk_name name, range_end timestamptz, is_compressed boolean);
EOF

# A table that hides the catalogue's, because the search path names pg_catalog last.  The
# functions are as strict as the documented ones: a policy that is there twice, or is not
# there, is an error unless the caller has said that it is none.
stand_ins() {
    psql -Xqv ON_ERROR_STOP=1 <<EOF
CREATE SCHEMA $1;
SET search_path = $1, pg_catalog;
CREATE TABLE pg_extension (extname name, extversion text);
INSERT INTO pg_extension VALUES ('timescaledb', '2.19.3');
CREATE TABLE called (n serial, what text);
CREATE FUNCTION create_hypertable(relation regclass, time_column_name name,
    partitioning_column name DEFAULT NULL, number_partitions integer DEFAULT NULL,
    associated_schema_name name DEFAULT NULL, associated_table_prefix name DEFAULT NULL,
    chunk_time_interval anyelement DEFAULT NULL::bigint,
    create_default_indexes boolean DEFAULT true, if_not_exists boolean DEFAULT false)
    RETURNS TABLE(hypertable_id integer, schema_name name, table_name name, created boolean)
    LANGUAGE sql AS \$\$ INSERT INTO called (what) VALUES ('create_hypertable '
        || relation || ' ' || time_column_name || ' ' || chunk_time_interval::text || ' '
        || create_default_indexes) RETURNING 1, 'x'::name, 'y'::name, true \$\$;
CREATE FUNCTION policy_add(proc name, relation regclass, config jsonb, lenient boolean)
    RETURNS integer LANGUAGE plpgsql AS \$\$ BEGIN
    INSERT INTO called (what) VALUES ('add ' || proc || ' ' || relation || ' ' || config);
    IF EXISTS (SELECT FROM timescaledb_information.jobs j WHERE j.proc_name = proc
        AND hypertable_schema = '$1' AND hypertable_name = relation::text) THEN
        IF NOT lenient THEN RAISE 'policy already exists'; END IF;
        RETURN -1;
    END IF;
    INSERT INTO timescaledb_information.jobs (proc_name, config, hypertable_schema,
        hypertable_name) VALUES (proc, config, '$1', relation::text);
    RETURN 1; END \$\$;
CREATE FUNCTION policy_remove(proc name, relation regclass, lenient boolean)
    RETURNS boolean LANGUAGE plpgsql AS \$\$ BEGIN
    INSERT INTO called (what) VALUES ('remove ' || proc || ' ' || relation);
    DELETE FROM timescaledb_information.jobs j WHERE j.proc_name = proc
        AND hypertable_schema = '$1' AND hypertable_name = relation::text;
    IF NOT FOUND AND NOT lenient THEN RAISE 'policy not found'; END IF;
    RETURN FOUND; END \$\$;
CREATE FUNCTION add_compression_policy(hypertable regclass, compress_after anyelement,
    if_not_exists boolean DEFAULT false) RETURNS integer LANGUAGE plpgsql AS \$\$ BEGIN
    IF NOT EXISTS (SELECT FROM timescaledb_information.compression_settings
        WHERE hypertable_schema = '$1' AND hypertable_name = hypertable::text) THEN
        RAISE 'columnstore not enabled on hypertable "%"', hypertable; END IF;
    RETURN policy_add('policy_compression', hypertable,
        jsonb_build_object('compress_after', compress_after::text), if_not_exists);
    END \$\$;
CREATE FUNCTION remove_compression_policy(hypertable regclass,
    if_exists boolean DEFAULT false) RETURNS boolean LANGUAGE sql AS
    \$\$ SELECT policy_remove('policy_compression', hypertable, if_exists) \$\$;
CREATE FUNCTION add_retention_policy(relation regclass, drop_after anyelement,
    if_not_exists boolean DEFAULT false) RETURNS integer LANGUAGE sql AS
    \$\$ SELECT policy_add('policy_retention', relation,
        jsonb_build_object('drop_after', drop_after::text), if_not_exists) \$\$;
CREATE FUNCTION remove_retention_policy(relation regclass, if_exists boolean DEFAULT false)
    RETURNS void LANGUAGE plpgsql AS
    \$\$ BEGIN PERFORM policy_remove('policy_retention', relation, if_exists); END \$\$;
CREATE FUNCTION drop_chunks(relation regclass, older_than anyelement)
    RETURNS SETOF text LANGUAGE sql AS \$\$ INSERT INTO called (what) VALUES
        ('drop_chunks ' || relation || ' ' || older_than::text) RETURNING 'chunk'::text \$\$;
EOF
}

query() {
    psql -XqAt -c "$1"
}

for edition in timescale apache; do
    stand_ins $edition || fail "the stand-ins are made"
    connection="$PG_CONNECTION options='-c search_path=$edition,pg_catalog -c timescaledb.license=$edition'"
    ok "$edition: rows go in" "$stress" postgres "$connection" 20 30
    grep "^open" "$SCRATCH/ok.out" >"$SCRATCH/open.$edition"
    ok "$edition: and again, known" "$stress" postgres "$connection" 20 30
    is "$edition: each is there, once" "$(query "SELECT count(*) FROM $edition.jobstats_ost")" 600
    is "$edition: both tables were made hypertables, without the default index" \
        "$(query "SELECT string_agg(what, ',' ORDER BY n) FROM $edition.called
            WHERE what LIKE 'create%'")" \
        "create_hypertable jobstats_mdt timestamp 1 day false,create_hypertable jobstats_ost timestamp 1 day false"
    is "$edition: no partition was made" \
        "$(query "SELECT count(*) FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhparent
            WHERE c.relnamespace = '$edition'::regnamespace")" 0
done
ok "the edition is told, and nothing is missed where no compression is wanted" grep -q \
    "TimescaleDB 2.19.3 community edition, hypertables, schema" "$SCRATCH/open.timescale"
ok "and the other one" grep -q "Apache edition, hypertables, schema" "$SCRATCH/open.apache"
for edition in timescale apache; do
    is "$edition: chunks are dropped by us, under our clock" \
        "$(query "SELECT DISTINCT what FROM $edition.called WHERE what LIKE 'drop_chunks%ost%'")" \
        "drop_chunks jobstats_ost 2026-11-11 00:00:00+00"
    is "$edition: no policy was set, and none taken away" \
        "$(query "SELECT count(*) FROM $edition.called WHERE what LIKE '%policy%'")" 0
done

# ---- policies of the community edition ----

community="$PG_CONNECTION options='-c search_path=timescale,pg_catalog -c timescaledb.license=timescale'"
# calls COMPRESS_AFTER_S: what a writer that wants this calls, in a line.
calls() {
    query "TRUNCATE timescale.called"
    "$stress" postgres "$community" 1 1 "$1" >"$SCRATCH/calls.out" 2>&1 || cat "$SCRATCH/calls.out"
    query "SELECT string_agg(what, ',' ORDER BY n) FROM timescale.called
        WHERE what NOT LIKE 'drop_chunks%'"
}
# set_after "" AFTER: the line of calls that set this age for both tables.
set_after() {
    for table in jobstats_mdt jobstats_ost; do
        printf '%s' "$1remove policy_compression $table,add policy_compression $table {\"compress_after\": \"$2\"}"
        set -- "," "$2"
    done
}
is "settings that cannot be made are no policy" "$(calls 604800)" ""
ok "and the start says why nothing is compressed" \
    grep -q "no compression: .*timescaledb" "$SCRATCH/calls.out"
query "INSERT INTO timescaledb_information.compression_settings SELECT 'timescale', t, a,
    NULL, n, true, false FROM unnest(ARRAY['jobstats_mdt', 'jobstats_ost']) t,
    (VALUES ('sid', 1), ('timestamp', 2)) AS v(a, n)"
is "compression gets its policy" "$(calls 604800)" "$(set_after "" 168:00:00)"
is "nothing is set a second time" "$(calls 604800)" ""
# What a barod of before had set, with whatever retention the last query had.
query "INSERT INTO timescaledb_information.jobs (proc_name, config, hypertable_schema,
    hypertable_name) VALUES ('policy_retention', '{\"drop_after\": \"36500 days\"}',
    'timescale', 'jobstats_ost')"
is "a policy of retention is taken away" "$(calls 604800)" "remove policy_retention jobstats_ost"
is "another age of compression is set" "$(calls 86400)" "$(set_after "" 24:00:00)"
query "TRUNCATE timescale.called"
ok "a query is answered" baro jobstats series --records "$community"
is "and has called nothing of the extension" "$(query "SELECT count(*) FROM timescale.called")" 0
query "CREATE ROLE asker LOGIN; GRANT USAGE ON SCHEMA timescale TO asker;
    GRANT SELECT ON ALL TABLES IN SCHEMA timescale TO asker;
    REVOKE TEMPORARY ON DATABASE postgres FROM PUBLIC"
ok "a role that may only SELECT is answered" baro jobstats rates --by target \
    --from 2026-11-20T00:00:00Z --to 2026-11-22T00:00:00Z \
    --records "$(echo "$community" | sed 's/user=baro/user=asker/')"
is "compress_after = 0 takes the policy away" "$(calls 0)" \
    "remove policy_compression jobstats_mdt,remove policy_compression jobstats_ost"
is "once" "$(calls 0)" ""
query "UPDATE timescaledb_information.compression_settings SET segmentby_column_index = 1,
    orderby_column_index = NULL WHERE attname = 'sid'"
is "what is compressed otherwise, and cannot be changed, keeps its policy" "$(calls 604800)" \
    "$(set_after "" 168:00:00)"

# ---- background jobs that fail ----

query "CREATE TABLE timescale.chunk_old (); CREATE TABLE timescale.chunk_new ();
    INSERT INTO timescaledb_information.chunks VALUES
        ('timescale', 'jobstats_ost', 'timescale', 'chunk_old', '2026-11-01', false),
        ('timescale', 'jobstats_ost', 'timescale', 'chunk_new', '2026-11-22', false),
        ('other', 'jobstats_ost', 'other', 'chunk_other', '2026-11-01', false);
    CREATE FUNCTION timescale.compress_chunk(uncompressed_chunk regclass,
        if_not_compressed boolean DEFAULT false) RETURNS regclass LANGUAGE sql AS
        \$\$ INSERT INTO timescale.called (what) VALUES ('compress_chunk ' || \$1);
        UPDATE timescaledb_information.chunks SET is_compressed = true
            WHERE chunk_name = \$1::text; SELECT \$1 \$\$"
calls 604800 >"$SCRATCH/out"
is "while the jobs run well, they compress" \
    "$(query "SELECT count(*) FROM timescale.called WHERE what LIKE 'compress%'")" 0
query "INSERT INTO timescaledb_information.job_stats SELECT 'timescale', 'jobstats_ost',
        max(job_id), 'Failed', 12, 0, 12 FROM timescaledb_information.jobs;
    INSERT INTO timescaledb_information.job_errors SELECT max(job_id), 'x', 'y', now(),
        'cannot drop portal \"\" while it is being set up' FROM timescaledb_information.jobs"
calls 604800 >"$SCRATCH/out"
is "where they fail, barod compresses what is old enough" \
    "$(query "SELECT string_agg(what, ',' ORDER BY n) FROM timescale.called
        WHERE what LIKE 'compress%'")" "compress_chunk chunk_old"
ok "and knows how many failed, and why" grep -q \
    "^background failed=1 failures=12 compressed=1 cannot drop portal" "$SCRATCH/calls.out"

# ---- many chunks, one of which cannot be compressed ----

query "CREATE OR REPLACE FUNCTION timescale.compress_chunk(uncompressed_chunk regclass,
        if_not_compressed boolean DEFAULT false) RETURNS regclass LANGUAGE plpgsql AS
        \$\$ BEGIN
        IF \$1::text = 'chunk_bad' THEN RAISE 'could not compress it'; END IF;
        INSERT INTO timescale.called (what) VALUES ('compress_chunk ' || \$1);
        UPDATE timescaledb_information.chunks SET is_compressed = true
            WHERE chunk_name = \$1::text; RETURN \$1; END \$\$;
    CREATE TABLE timescale.chunk_bad (); CREATE TABLE timescale.chunk_third ();
    CREATE TABLE timescale.chunk_fourth ();
    UPDATE timescaledb_information.chunks SET is_compressed = false;
    INSERT INTO timescaledb_information.chunks VALUES
        ('timescale', 'jobstats_ost', 'timescale', 'chunk_bad', '2026-10-31', false),
        ('timescale', 'jobstats_mdt', 'timescale', 'chunk_third', '2026-11-02', false),
        ('timescale', 'jobstats_ost', 'timescale', 'chunk_fourth', '2026-11-03', false)"
calls 604800 >"$SCRATCH/out"
is "one upkeep compresses all that it can, and passes over the one that fails" \
    "$(query "SELECT string_agg(what, ',' ORDER BY n) FROM timescale.called
        WHERE what LIKE 'compress%'")" \
    "compress_chunk chunk_old,compress_chunk chunk_third,compress_chunk chunk_fourth"
ok "it is counted" grep -q "^background .* compressed=3 " "$SCRATCH/calls.out"
ok "and named, with the reason" grep -q \
    "^chunks failed=1 timescale.chunk_bad: .*could not compress it" "$SCRATCH/calls.out"
is "with compress_after = 0 nobody compresses" "$(
    query "UPDATE timescaledb_information.chunks SET is_compressed = false"
    calls 0 >"$SCRATCH/out"
    query "SELECT count(*) FROM timescale.called WHERE what LIKE 'compress%'"
)" 0

# ---- more chunks that fail than a list would hold, and one behind them ----

query "UPDATE timescaledb_information.chunks SET is_compressed = true
        WHERE chunk_name <> 'chunk_fourth';
    CREATE OR REPLACE FUNCTION timescale.compress_chunk(uncompressed_chunk regclass,
        if_not_compressed boolean DEFAULT false) RETURNS regclass LANGUAGE plpgsql AS
        \$\$ BEGIN
        IF \$1::text LIKE '%bad%' AND EXISTS (SELECT FROM timescale.is_bad) THEN
            RAISE 'could not compress it'; END IF;
        INSERT INTO timescale.called (what) VALUES ('compress_chunk ' || \$1);
        UPDATE timescaledb_information.chunks SET is_compressed = true
            WHERE chunk_name = \$1::text; RETURN \$1; END \$\$;
    CREATE TABLE timescale.is_bad (); INSERT INTO timescale.is_bad DEFAULT VALUES;
    INSERT INTO timescaledb_information.chunks
        SELECT 'timescale', 'jobstats_ost', 'timescale', 'chunk_bad' || n, '2026-10-01', false
        FROM generate_series(1, 70) AS n;
    DO \$\$ BEGIN FOR n IN 1..70 LOOP
        EXECUTE format('CREATE TABLE timescale.chunk_bad%s ()', n); END LOOP; END \$\$"
calls 604800 >"$SCRATCH/out"
is "seventy that fail do not keep the one behind them from it" \
    "$(query "SELECT string_agg(what, ',' ORDER BY n) FROM timescale.called
        WHERE what LIKE 'compress%'")" "compress_chunk chunk_fourth"
ok "each was tried once" grep -q "^chunks failed=70 " "$SCRATCH/calls.out"

# ---- a failure is logged once, not at every upkeep from then on ----

query "UPDATE timescaledb_information.chunks SET is_compressed = chunk_name <> 'chunk_bad'"
barod --set "records.connection=$community" --set records.engine=postgres \
    --set records.retention=20000d --set "store.directory=$SCRATCH/store" \
    --set "net.socket=$SCRATCH/sock" --set net.listen=none \
    --set barod.maintain_every=1s >"$SCRATCH/barod.log" 2>&1 &
barod=$!
at_exit "kill $barod"
warnings() {
    grep -c 'a chunk could not be compressed' "$SCRATCH/barod.log"
}
is_warned() {
    [ "$(warnings)" -ge 1 ]
}
upkeeps() {
    query "SELECT count(*) FROM timescale.called WHERE what LIKE 'drop_chunks%'"
}
ok "barod warns of a chunk that fails" wait_for 30 is_warned
query "DELETE FROM timescale.is_bad"
is_compressed() {
    [ "$(query "SELECT count(*) FROM timescaledb_information.chunks
        WHERE NOT is_compressed AND hypertable_schema = 'timescale'")" = 0 ]
}
ok "mended, it is compressed" wait_for 30 is_compressed
before=$(warnings) upkeeps=$(upkeeps)
has_had_upkeeps() {
    [ "$(upkeeps)" -ge $((upkeeps + 6)) ]
}
ok "some upkeeps later" wait_for 30 has_had_upkeeps
is "nothing more is logged" "$(warnings)" "$before"
kill "$barod"
finish
