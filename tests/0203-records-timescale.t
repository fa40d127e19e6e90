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

# A table that hides the catalogue's, because the search path names pg_catalog last.
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
CREATE FUNCTION add_compression_policy(hypertable regclass, compress_after anyelement,
    if_not_exists boolean DEFAULT false) RETURNS integer LANGUAGE sql AS
    \$\$ INSERT INTO called (what) VALUES ('add_compression_policy ' || hypertable || ' '
        || compress_after::text) RETURNING 1 \$\$;
CREATE FUNCTION remove_compression_policy(hypertable regclass,
    if_exists boolean DEFAULT false) RETURNS boolean LANGUAGE sql AS
    \$\$ INSERT INTO called (what) VALUES ('remove_compression_policy ' || hypertable)
        RETURNING true \$\$;
CREATE FUNCTION add_retention_policy(relation regclass, drop_after anyelement,
    if_not_exists boolean DEFAULT false) RETURNS integer LANGUAGE sql AS
    \$\$ INSERT INTO called (what) VALUES ('add_retention_policy ' || relation || ' '
        || drop_after::text) RETURNING 1 \$\$;
CREATE FUNCTION remove_retention_policy(relation regclass, if_exists boolean DEFAULT false)
    RETURNS void LANGUAGE sql AS \$\$ INSERT INTO called (what) VALUES
        ('remove_retention_policy ' || relation) \$\$;
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
ok "the edition is told, and why nothing is compressed" grep -q \
    "TimescaleDB 2.19.3 community edition, hypertables, no compression: .*timescaledb" \
    "$SCRATCH/open.timescale"
ok "and the other one" grep -q "Apache edition, hypertables, schema" "$SCRATCH/open.apache"
is "the community edition keeps to the retention by itself, at each start" \
    "$(query "SELECT count(*) FROM timescale.called
        WHERE what = 'add_retention_policy jobstats_ost 240:00:00'")" 2
is "the Apache edition's chunks are dropped by us" \
    "$(query "SELECT DISTINCT what FROM apache.called WHERE what LIKE 'drop_chunks%ost%'")" \
    "drop_chunks jobstats_ost 2026-11-11 00:00:00+00"
is "the Apache edition is given no policy" \
    "$(query "SELECT count(*) FROM apache.called WHERE what LIKE '%policy%'")" 0
finish
