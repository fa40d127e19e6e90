#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# baro records copy: all rows of a database into another, SQLite to PostgreSQL, back, and
# from one to another of the same engine.  Each value is the one that was read, whatever it
# is; twice changes nothing; killed at any moment it goes on; what cannot be is refused with
# what to do.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/lib-postgres.sh"
requires sqlite3
stress=$BUILD/src/records/records_stress
test -x "$stress" || skip_all "built without unit tests"

source=$SCRATCH/source.db
copied() {
    baro records copy "$@" >"$SCRATCH/out" 2>"$SCRATCH/err" || {
        cat "$SCRATCH/out" "$SCRATCH/err"
        return 1
    }
}
# faults DATABASE: what baro records verify finds; the hostile series has no namespace's id.
faults() {
    baro records verify --hours 1 "$1" | sed '$d'
}
# refused TEXT ARGUMENTS: with that in what it prints.
refused() {
    refused_text=$1
    shift
    ! baro records copy "$@" >"$SCRATCH/out" 2>"$SCRATCH/err" &&
        grep -q -- "$refused_text" "$SCRATCH/err" || {
        cat "$SCRATCH/out" "$SCRATCH/err"
        return 1
    }
}
# dump FILE: every value of every table that is copied, in one order.
tables="namespaces namespace_names servers series jobstats_mdt jobstats_ost rollup_mdt \
    rollup_ost rollup_hours job_runs job_summary_rows id_names target_readings job_steps job_footprint_rows \
    resource_statements resource_changes session_reports job_files job_datasets part_stays part_changes batches"
dump() {
    for table in $tables; do
        columns=$(sqlite3 "$1" "select group_concat('quote(\"' || name || '\")', ' || char(9) || ')
            from pragma_table_info('$table')")
        echo "$table"
        sqlite3 "$1" "select $columns from $table" | LC_ALL=C sort
    done
    sqlite3 "$1" "select kind, day, span_ms, row_count from jobstats_days where row_count > 0
        order by 1, 2"
}

"$stress" sqlite "$source" 30 40 >"$SCRATCH/stress.out" || fail "a database is made"
# What may stand in a column: extremes, counters of 2^63 and 2^64 - 1, bytes that are no text,
# days of long ago, jobs without a start, numbers that no double holds exactly.
day=$(sqlite3 "$source" "select day from jobstats_days where kind = 'ost' limit 1")
sqlite3 "$source" "
    insert into series select 9007199254740993, x'00112233445566778899aabbccddeeff', 'scratch',
        'scratch-OST0009', 'ost', 'a\x00b\xFF', x'610062ff', null, '', 'user', null, 'n', 'e',
        '1', 8, 1;
    update series set job_id = 'käse 作業 ' || char(9) || char(10) || '\N' where sid = 1;
    insert into jobstats_ost_$day (timestamp, sid, since, reset, snapshot_time, start_time,
        read_bytes, read_bytes_sum, write_bytes, write_bytes_sum, more)
        select max(timestamp) + 1, 9007199254740993, null, 1, 9223372036854775807,
        -9223372036854775807 - 1, 0, -1, 9223372036854775807, -9223372036854775807 - 1,
        '{\"a\":\"' || char(92) || 'u0000\"}' from jobstats_ost_$day;
    update jobstats_days set row_count = row_count + 1 where kind = 'ost' and day = $day;
    insert into job_runs (cluster, id, start_ns, name, end_ns, told_ms, node_count)
        values ('', 'x', 0, 'a\x00b\xFF', null, 1, 9223372036854775807),
        ('alex', '5_1', 9223372036854775807, '''\"%s', 9223372036854775807, 2, null),
        ('alex', '5_2', -9223372036854775807 - 1, '', 0, 3, 0),
        ('alex', '5_3', 1700000000000000000, null, 1700000001000000000, 4, 1);
    insert into id_names (kind, number, name, cluster, start_ns, end_ns, told_ms)
        values ('user', '1001', 'alice', '', 1, 2, 3);
    insert into target_readings (cluster, target, start_ns, source, end_ns, fs, used_kib, told_ms)
        values ('', 's-OST0001', 1700000000000000000, '', 1700000000000000000, 's', null, 3),
        ('a', '\"', -1, 'n', -1, '', 9223372036854775807, 3);
    insert into job_steps (cluster, id, step, start_ns, name, end_ns, told_ms)
        values ('', 'x', '0', 0, 'a\x00b', null, 1), ('alex', '5_1', 'batch', 9223372036854775807, null, 0, 2);
    insert into resource_statements (component, source, start_ns, end_ns, health, reason, by_whom, told_ms)
        values ('alex/a1', 'admin', 1, 1, 'drained', '\"%s', null, 1), ('alex/a1/x:1', 'system:x', 9223372036854775807, 0, 'up', null, '', 2);
    insert into resource_changes (component, source, start_ns, end_ns, health, reason, by_whom, told_ms)
        values ('alex/a1', 'admin', 1, 1, 'drained', '\"%s', null, 1), ('alex/a1', 'admin', -1, -1, null, null, null, 1);
    insert into session_reports (uid, session, sequence, name, start_ns, end_ns, payload, told_ms)
        values ('1000', 'x', 0, 'y', 1, null, '\"%s', 1), ('', '', 9223372036854775807, null, null, null, null, 2);
    insert into job_footprint_rows (cluster, id, start_ns, metric, end_ns, nodes, covered, mean, told_ms)
        values ('', 'x', 1, '', 2, null, 0.1, null, 1), ('alex', '5_1', 9223372036854775807, 'a\x00b', 9223372036854775807,
        9223372036854775807, 5e-324, -1e308, 2);
    insert into job_summary_rows (cluster, job, log, start_ns, told_ms, coverage_factor_bw)
        values ('', '7', 'a.darshan', null, 1, 0.1), ('', '8', 'b', 5, 1, 1e308),
        ('', '9', 'c', 5, 1, -5e-324), ('', '10', 'd', 5, 1, 9e999);
    insert into batches values (x'ffffffffffffffffffffffffffffffff', 9223372036854775807,
        1700000000123, 1, 0, 0, ''), (x'00000000000000000000000000000000', 0, 0, 0, 0, 1,
        'a;b');
    insert into rollup_hours values ('ost', 1700002800000, 1, 3);
    insert into rollup_ost (hour, sid, part, server, since, timestamp, flags, count, missing,
        write_bytes_sum) values (1700002800000, 1, 0, 1, 1700002800001, 1700002899999, 128, 2,
        -1, -1)" || fail "hostile values are put in"
dump "$source" >"$SCRATCH/source.dump"

# pair NAME FROM TO: what a copy is, in both directions and within an engine.
pair() {
    ok "$1: it is copied" copied --from "$2" --to "$3"
    ok "$1: and compared" grep -q "all is the same" "$SCRATCH/out"
    ok "$1: again" copied --from "$2" --to "$3"
    ok "$1: there is nothing to do" grep -q " 0 copied, " "$SCRATCH/out"
    ok "$1: nor to compare" grep -q " 0 read back" "$SCRATCH/out"
    ok "$1: all of both are read" copied --verify-only --from "$2" --to "$3"
    ok "$1: and are the same" grep -q "compared: all is the same" "$SCRATCH/out"
}

pair "SQLite to SQLite" "sqlite:$source" "$SCRATCH/second.db"
dump "$SCRATCH/second.db" >"$SCRATCH/second.dump"
ok "each value is the one of the source" cmp "$SCRATCH/source.dump" "$SCRATCH/second.dump"
is "the copy has no fault that the source has not" "$(faults "$SCRATCH/second.db")" "$(faults "$source")"
ok "a file is no copy of itself" refused "source itself" --from "$source" --to "sqlite:$source"
cp "$source" "$SCRATCH/same.db"
ok "nor of a copy that cp made" refused "source itself" --from "$source" --to "$SCRATCH/same.db"

# ---- what came later, what went, what another program did ----

sqlite3 "$source" "
    insert into jobstats_ost_$day (timestamp, sid) select max(timestamp) + 1, 1 from
        jobstats_ost_$day;
    update jobstats_days set row_count = row_count + 1 where kind = 'ost' and day = $day;
    delete from id_names; update rollup_hours set changes = changes + 1;
    delete from rollup_ost; delete from job_runs where id = 'x';
    update job_runs set state = 'FAILED' where id = '5_3'"
ok "what came later differs" sh -c '! baro records copy --verify-only --from "$1" --to "$2" \
    >"$3"' x "$source" "$SCRATCH/second.db" "$SCRATCH/out"
ok "with the day's name" grep -q "^jobstats_ost $day: [0-9]* rows in the source" "$SCRATCH/out"
is "and nothing else than what was changed" "$(grep -c ' rows in the source' "$SCRATCH/out")" 6
ok "it is copied" copied --from "$source" --to "$SCRATCH/second.db"
ok "and nothing else" grep -q " 6 copied," "$SCRATCH/out"
dump "$source" >"$SCRATCH/source.dump"
dump "$SCRATCH/second.db" >"$SCRATCH/second.dump"
ok "the copy is what the source is" cmp "$SCRATCH/source.dump" "$SCRATCH/second.dump"

sqlite3 "$SCRATCH/second.db" "update jobstats_ost_$day set write_bytes_sum = 4 where sid = 1"
ok "a value that was changed in the copy is found" sh -c '! baro records copy --verify-only \
    --from "$1" --to "$2" >"$3"' x "$source" "$SCRATCH/second.db" "$SCRATCH/out"
ok "by its day" grep -q "^jobstats_ost $day: .*which are not the same" "$SCRATCH/out"
is "alone" "$(grep -c ' rows in the source' "$SCRATCH/out")" 1

"$stress" sqlite "$SCRATCH/second.db" 31 40 >"$SCRATCH/stress.out"
ok "where a barod has written since, nothing is copied" refused "was written to since" \
    --from "$source" --to "$SCRATCH/second.db"
"$stress" sqlite "$SCRATCH/other.db" 2 2 >"$SCRATCH/stress.out"
ok "nor into other data" refused "holds data that no copy" --from "$source" --to "$SCRATCH/other.db"
ok "nor from another source" copied --from "$source" --to "$SCRATCH/third.db"
ok "which is named" refused "copy of another database" --from "$SCRATCH/other.db" \
    --to "$SCRATCH/third.db"
sqlite3 "$SCRATCH/other.db" "update schema_version set version = 5"
ok "another schema has its remedy" refused "baro records migrate" --from "$SCRATCH/other.db" \
    --to "$SCRATCH/fourth.db"
ok "and no file is made" test ! -e "$SCRATCH/fourth.db"
ok "a source that is not there is named" refused "none.db" --from "$SCRATCH/none.db" \
    --to "$SCRATCH/fourth.db"

# ---- beside writers ----

"$stress" sqlite "$SCRATCH/busy.db" 20 40 >"$SCRATCH/stress.out"
"$stress" sqlite "$SCRATCH/busy.db" 600 40 >"$SCRATCH/stress.out" 2>&1 &
writer=$!
ok "a source that is written to is copied" copied --from "$SCRATCH/busy.db" --to "$SCRATCH/of-busy.db"
ok "with no row that has no series" test "$(sqlite3 "$SCRATCH/of-busy.db" "select count(*) > 0 from
    jobstats_ost") $(sqlite3 "$SCRATCH/of-busy.db" "select count(*) from jobstats_ost r left join
    series s using (sid) where s.sid is null")" = "1 0"
wait $writer
ok "and again for what came later" copied --from "$SCRATCH/busy.db" --to "$SCRATCH/of-busy.db"
dump "$SCRATCH/busy.db" >"$SCRATCH/busy.dump"
dump "$SCRATCH/of-busy.db" >"$SCRATCH/of-busy.dump"
ok "which is all of it then" cmp "$SCRATCH/busy.dump" "$SCRATCH/of-busy.dump"

(
    printf '[net]\nsocket = %s\nlisten = none\n[records]\npath = %s\n' "$SCRATCH/barod.sock" \
        "$SCRATCH/of-busy.db" >"$SCRATCH/barod.conf"
    exec barod --config "$SCRATCH/barod.conf" >"$SCRATCH/barod.log" 2>&1
) &
barod=$!
wait_for 30 test -S "$SCRATCH/barod.sock"
ok "a destination that a barod has is refused" refused "another barod has this database" \
    --from "$SCRATCH/busy.db" --to "$SCRATCH/of-busy.db"
kill $barod
wait $barod 2>/dev/null

# ---- a full disk ----

(
    trap '' XFSZ
    ulimit -f 400
    ! baro records copy --from "$source" --to "$SCRATCH/full.db" >"$SCRATCH/out" 2>"$SCRATCH/err"
)
is "a disk that is full ends it with 1" $? 0
ok "with the reason" grep -q "baro records copy: .*\(full\|too large\|disk I/O\)" "$SCRATCH/err"
ok "with room it goes on" copied --from "$source" --to "$SCRATCH/full.db"
dump "$SCRATCH/full.db" >"$SCRATCH/full.dump"
ok "and ends the same" cmp "$SCRATCH/source.dump" "$SCRATCH/full.dump"

# ---- PostgreSQL ----

pg_available && pg_start || {
    skip "the same with PostgreSQL" "no PostgreSQL server programs are installed"
    finish
}
requires psql
sql() { psql -XqAt -v ON_ERROR_STOP=1 -c "$1"; }
database() {
    sql "create database $1"
    echo "postgres:host=$PG_DIR user=baro dbname=$1"
}
first=$(database first)
pair "SQLite to PostgreSQL" "sqlite:$source" "$first"
pair "PostgreSQL to SQLite" "$first" "sqlite:$SCRATCH/back.db"
dump "$SCRATCH/back.db" >"$SCRATCH/back.dump"
ok "there and back each value is the same" cmp "$SCRATCH/source.dump" "$SCRATCH/back.dump"
second=$(database second)
pair "PostgreSQL to PostgreSQL" "$first" "$second"
is "nor has PostgreSQL's" "$(faults "$second")" "$(faults "$source")"
is "a job's counter of 2^64 - 1 is that" "$(PGDATABASE=second sql \
    "select read_bytes_sum from jobstats_ost where sid = 9007199254740993")" -1
"$stress" postgres "host=$PG_DIR user=baro dbname=second" 40 40 >"$SCRATCH/stress.out"
is "a writer goes on in the copy" $? 0
is "with numbers of series that were not given before" "$(PGDATABASE=second sql \
    "select count(*) > 0 and min(sid) > 9007199254740993 from series where sid >
    9007199254740993")" t
is "a batch that was acknowledged before is known" "$(grep -c 'known=0 replayed=1' \
    "$SCRATCH/stress.out")" 30

# Killed again and again; the state in the destination is how far it is.
killed=$(database killed)
for pause in 0.05 0.15 0.25 0.4 0.6; do
    baro records copy --from "$source" --to "$killed" >"$SCRATCH/out" 2>&1 &
    copy=$!
    sleep "$pause"
    kill -9 $copy 2>/dev/null
    wait $copy 2>/dev/null
done
ok "killed, it goes on" wait_for 30 copied --from "$source" --to "$killed"
is "the state is finished" "$(PGDATABASE=killed sql \
    "select checksum from records_copy where part = ''")" finished
is "each part was compared" "$(PGDATABASE=killed sql \
    "select count(*) from records_copy where part <> '' and is_verified = 0")" 0
ok "and nothing differs" copied --verify-only --from "$source" --to "$killed"

# What PostgreSQL cannot hold is named; nothing is changed on its way.
sqlite3 "$source" "insert into job_runs (cluster, id, start_ns, told_ms) values ('alex',
    cast(x'350031' as text), 77, 5)"
ok "a NUL in a job's id is refused" refused "job_runs.id: .*NUL" --from "$source" --to "$killed"
sqlite3 "$source" "delete from job_runs where start_ns = 77; insert into job_runs (cluster, id,
    start_ns, told_ms) values ('alex', cast(x'35ff31' as text), 77, 5)"
ok "and bytes that are no UTF-8" refused "job_runs.id: .*xFF.*UTF-8" --from "$source" \
    --to "$killed"
ok "which SQLite holds" copied --from "$source" --to "$SCRATCH/third.db"
sqlite3 "$source" "delete from job_runs where start_ns = 77; update series set flags = 4294967296
    where sid = 1"
ok "a number that is too large for its column" refused "series.flags: 4294967296" \
    --from "$source" --to "$killed"
sqlite3 "$source" "update series set flags = 0 where sid = 1"
ok "corrected, it goes on" copied --from "$source" --to "$killed"
PGDATABASE=second sql "update job_summary_rows set coverage_factor_bw = 'NaN'"
ok "NaN is refused by SQLite" refused "coverage_factor_bw: .*NaN" --from "$second" \
    --to "$SCRATCH/nan.db"

finish
