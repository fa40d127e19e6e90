#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A SQLite file is restored in place under a running barod (.restore of its shell): no
# job's bytes come under another, the log says what is lost, and a file without tables is
# not filled.  The form of PostgreSQL is 0206.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/lib-batches.sh"
requires curl jq sqlite3

socket=$SCRATCH/barod.sock
db=$SCRATCH/records.db
cat >"$SCRATCH/barod.conf" <<CONF
[net]
socket = $socket
listen = none
[records]
path = $db
retention_rollups = 0s
[filesystem scratch]
jobid_name = %j:%u:%H
CONF
sql() {
    sqlite3 -batch "$db" ".timeout 20000" "$1"
}
request() {
    curl -s --unix-socket "$socket" "$@"
}
health() {
    request -o "$SCRATCH/health" -w '%{http_code}' http://x/healthz
}
is_health() {
    [ "$(health)" = "$1" ]
}
rows() {
    sql "select job_id || ' ' || server || ' ' || write_bytes_sum from jobstats
        order by timestamp" | paste -sd,
}
changes() {
    request http://x/metrics | sed -n 's/^baro_records_database_changes_total //p'
}
# restore COPY: in place, as its documentation says; barod's transactions are waited for.
restore() {
    sqlite3 -batch "$db" ".timeout 20000" ".restore '$1'"
}

barod --config "$SCRATCH/barod.conf" >"$SCRATCH/barod.log" 2>&1 &
pid=$!
at_exit "kill -9 $pid"
ok "barod starts" wait_for 30 is_health 200

ok "job 11 is stored" posted 1 11
ok "a copy is made" sql "vacuum into '$SCRATCH/copy.db'"
ok "job 22 is stored, which the copy has not" posted 2 22
ok "job 33, too" posted 3 33
is "all are there" "$(rows)" "11 oss-11 1,22 oss-22 2,33 oss-33 3"
ok "the copy is restored in place" restore "$SCRATCH/copy.db"
ok "it is noticed while nothing is sent" wait_for 30 grep -q "not as barod left it" "$SCRATCH/barod.log"
# 44 is new: it is given the sid that 22 had, which barod has in its memory.
ok "job 44 is stored in the copy" posted 4 44
ok "job 22 goes on" posted 5 22
ok "and job 33" posted 6 33
ok "what comes again of before is stored again" posted 3 33
is "no job's bytes are under another, no server's name under another" "$(rows)" \
    "11 oss-11 1,33 oss-33 3,44 oss-44 4,22 oss-22 5,33 oss-33 6"
is "memory has none of what was lost either" \
    "$(request 'http://x/v1/jobstats/rates?last=1h&by=job&op=write_bytes' |
        jq -c '(.columns | map(.name) | index("job")) as $i | [.rows[] | .[$i]] | sort')" \
    '["11","22","33","44"]'
ok "the log says what it is" grep -q \
    "not as barod left it: it is an older copy: 2 transactions that were acknowledged" \
    "$SCRATCH/barod.log"
is "and so does a metric" "$(changes)" 1
ok "health is good" is_health 200

# ---- a newer copy, of another barod's time ----

cp "$SCRATCH/copy.db" "$SCRATCH/newer.db"
sqlite3 "$SCRATCH/newer.db" "update records_identity set epoch = 100000, writer = randomblob(16)"
ok "a copy that another program wrote to is restored" restore "$SCRATCH/newer.db"
ok "job 55 is stored" posted 7 55
ok "job 44 goes on" posted 8 44
is "under their own names" "$(rows)" "11 oss-11 1,55 oss-55 7,44 oss-44 8"
is "and it is noticed" "$(changes)" 2

# ---- an older schema: of a barod before identities ----

cp "$SCRATCH/copy.db" "$SCRATCH/older.db"
sqlite3 "$SCRATCH/older.db" "drop table records_identity; drop table id_names; drop table target_readings;
    drop view resource_health; drop table resource_statements; drop view resource_history;
    drop table resource_changes; drop view user_sessions; drop table session_reports; drop table job_files; drop table job_datasets; drop view inventory; drop table part_stays; drop view inventory_changes; drop table part_changes; drop view job_footprints; drop table job_footprint_rows; drop view job_step_runs; drop table job_steps; update schema_version set version = 4"
ok "a copy of an older schema is restored" restore "$SCRATCH/older.db"
ok "job 66 is stored" posted 9 66
ok "job 55 goes on" posted 10 55
is "under their own names" "$(rows)" "11 oss-11 1,66 oss-66 9,55 oss-55 10"
is "the schema is today's" "$(sql "select version from schema_version")" 13

# ---- an empty file ----

ok "a copy is made" sql "vacuum into '$SCRATCH/full.db'"
sqlite3 "$SCRATCH/empty.db" "vacuum"
ok "an empty file is restored" restore "$SCRATCH/empty.db"
is "nothing is acknowledged" "$(post 11 77)" 503
is "nor made" "$(sql "select count(*) from sqlite_master")" 0
ok "health says why" eval \
    'wait_for 30 is_health 503 && grep -q "has no tables of barograph any more" "$SCRATCH/health"'
ok "the right one comes back" restore "$SCRATCH/full.db"
ok "and is taken up" posted 11 77
is "with everything of before" "$(rows)" \
    "11 oss-11 1,66 oss-66 9,55 oss-55 10,77 oss-77 11"
ok "health is good" is_health 200

# ---- maintenance by others is no change ----

before=$(changes)
ok "a VACUUM" sql "vacuum"
ok "a checkpoint" sql "pragma wal_checkpoint(truncate)"
ok "job 77 goes on" posted 12 77
is "leave it the same database" "$(changes)" "$before"

# ---- a copy written over the file, as no program of SQLite does ----

ok "a copy is made" sqlite3 -batch "$db" ".timeout 20000" ".backup '$SCRATCH/yesterday.db'"
for sequence in 13 14 15; do
    ok "batch $sequence is stored" posted $sequence "$((sequence * 11))"
    ok "and the log is written back" sql "pragma wal_checkpoint(truncate)"
done
ok "one more is stored, in the log alone" posted 16 77
cp "$SCRATCH/yesterday.db" "$db"
# What lies in the log stands over the copy: the mixture has one job's sid twice.
is "nothing is acknowledged" "$(post 17 99)" 503
ok "health says why" eval \
    'wait_for 30 is_health 503 && grep -q "a copy was written over it" "$SCRATCH/health"'

kill -TERM $pid
wait $pid
is "barod ends well" $? 0
rm -f "$db-wal" "$db-shm"
cp "$SCRATCH/yesterday.db" "$db"
ok "the copy is well, once it is restored as it should be" baro records verify "$db"
finish
