#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Damage in SQLite's file: found by baro records verify, by barod at its start, and while
# it runs; nothing is acknowledged any more, and health says why.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/lib-postgres.sh"
requires curl jq sqlite3 python3
stress=$BUILD/src/records/records_stress
test -x "$stress" || skip_all "built without unit tests"

whole=$SCRATCH/whole.db
"$stress" sqlite "$whole" 200 30 >"$SCRATCH/stress.out" || fail "a database is made"
sqlite3 "$whole" 'pragma wal_checkpoint(truncate)' >/dev/null
verify() {
    baro records verify "$1" >"$SCRATCH/verified" 2>&1
}
before=$(sha256sum <"$whole")
ok "a whole database is well" verify "$whole"
ok "as it says" grep -q "229 series, .*: all is well" "$SCRATCH/verified"
is "and is not changed" "$(sha256sum <"$whole")" "$before"

# found NAME SQL PATTERN: what SQL breaks is found.
found() {
    cp "$whole" "$SCRATCH/broken.db"
    sqlite3 "$SCRATCH/broken.db" "$2" >/dev/null
    ok "$1 are found" not verify "$SCRATCH/broken.db"
    ok "$1 are named" grep -q "$3" "$SCRATCH/verified"
}
found "rows without a series" "delete from series where sid = 7" "belong to no series"
found "lost rows" "delete from jobstats_ost_20261121 where sid = 7" \
    "200 rows of jobstats_ost_20261121 that are not there"
found "ids that are none" "update series set time_series_id = randomblob(16) where sid = 3" \
    "series 3 .*its time_series_id is not"
found "unnamed servers" "delete from servers" "of a server that has no name"
found "cells without an hour" "insert into rollup_ost (hour, sid, since, timestamp, count, part,
    flags) values (0, 1, 0, 1, 1, 0, 0)" "cells (ost) of hours that have no state"
found "wrong cells" "insert into rollup_hours values ('ost', 1795219200000, 1, 1)" \
    "not what the rows add up to"

# Pages with rows of a day are overwritten: its table's only one, or those that the root points to.
scribble() {
    python3 - "$1" <<'EOF'
import sqlite3, struct, sys
db = sqlite3.connect(sys.argv[1])
root = db.execute("select rootpage from sqlite_schema where name = 'jobstats_ost_20261121'").fetchone()[0]
db.close()
with open(sys.argv[1], "r+b") as f:
    f.seek((root - 1) * 4096)
    page = f.read(4096)
    if page[0] != 5:  # its only page
        f.seek((root - 1) * 4096)
        f.write(b"\xa5" * 64)
        sys.exit()
    for cell in struct.unpack_from(f">{struct.unpack_from('>H', page, 3)[0]}H", page, 12):
        f.seek((struct.unpack_from(">I", page, cell)[0] - 1) * 4096)
        f.write(b"\xa5" * 64)
EOF
}
cp "$whole" "$SCRATCH/broken.db"
scribble "$SCRATCH/broken.db"
ok "broken pages are found" not verify "$SCRATCH/broken.db"
ok "by SQLite's own check" grep -q "^SQLite: .*restore a backup" "$SCRATCH/verified"

# ---- barod ----

socket=$SCRATCH/barod.sock
db=$SCRATCH/records.db
cat >"$SCRATCH/barod.conf" <<CONF
[net]
socket = $socket
listen = none
[records]
path = $db
[store]
directory = $SCRATCH/store
[metric power]
step = 10s
CONF
start_barod() {
    barod --config "$SCRATCH/barod.conf" >"$SCRATCH/barod.log" 2>&1 &
    pid=$!
}
at_exit 'kill -9 $pid'
ask() {
    curl -s --unix-socket "$socket" "$@"
}
is_health() {
    [ "$(ask -o "$SCRATCH/health" -w '%{http_code}' http://x/healthz)" = "$1" ]
}
t=$(date -u +%Y-%m-%dT%H:00:00.000Z)
post() {
    ask -o "$SCRATCH/answer" -w '%{http_code}' http://x/v1/jobstats \
        -H 'Content-Type: application/json' -d '[{"target":"scratch-OST0001",
        "entry_id":"cp.'"$1"'","timestamp":"'"$t"'","snapshot_time":1669010520,"write":1}]'
}

cp "$SCRATCH/broken.db" "$db"
start_barod
ok "with a damaged file barod starts" wait_for 30 is_health 503
ok "and says what is wrong with it" wait_for 30 grep -q "the file is damaged; stop barod" \
    "$SCRATCH/barod.log"
is "a batch is not acknowledged" "$(post 0)" 503
is "metrics are stored" "$(ask -o /dev/null -w '%{http_code}' "http://x/api/write?cluster=alex" \
    -d "power,hostname=a0903 value=1 $(date +%s)")" 200
kill -TERM "$pid"
wait "$pid"

rm -f "$db" "$db-wal" "$db-shm"
cp "$whole" "$db"
start_barod
ok "with a whole one it is well" wait_for 30 is_health 200
is "and stores" "$(post 1)" 200
# What another connection finds counts for all.
scribble "$db"
query() {
    ask "http://x/v1/jobstats/rates?from=2026-11-20T00:00:00Z&to=2026-11-22T00:00:00Z&by=target" \
        >"$SCRATCH/answer"
}
is_damaged() {
    query
    is_health 503
}
ok "damage that a query meets is health" wait_for 30 is_damaged
ok "with the remedy" grep -q "restore a backup" "$SCRATCH/health"
is "and nothing is acknowledged any more" "$(post 2)" 503
is "it is counted as unhealthy" \
    "$(ask http://x/metrics | sed -n 's/^baro_records_healthy //p')" 0
cp "$whole" "$SCRATCH/other.db" && mv "$SCRATCH/other.db" "$db"
is "nor into a file that takes its place" "$(post 3)" 503
kill -TERM "$pid"
wait "$pid"
is "it ends all the same" $? 0

# ---- PostgreSQL ----

pg_available && pg_start || {
    skip "the same in PostgreSQL" "no PostgreSQL server programs are installed"
    finish
}
requires psql
"$stress" postgres "$PG_CONNECTION" 200 30 >"$SCRATCH/stress.out" || fail "rows go in"
ok "postgres: a whole database is well" verify "$PG_CONNECTION"
ok "postgres: as it says" grep -q "229 series, .*: all is well" "$SCRATCH/verified"
found_pg() {
    psql -XqAt -c "$2" >/dev/null
    ok "postgres: $1 are found" not verify "$PG_CONNECTION"
    ok "postgres: $1 are named" grep -q "$3" "$SCRATCH/verified"
    psql -XqAt -c "$4" >/dev/null
}
found_pg "numbers that will be given again" \
    "select setval(pg_get_serial_sequence('series', 'sid'), 5)" "the sequence is behind" \
    "select setval(pg_get_serial_sequence('series', 'sid'), 229)"
found_pg "rows that reach too far back" "update jobstats_ost set since = \"timestamp\" -
    interval '5 hours' where sid = 3" "reach back further" "update jobstats_ost set since = null"
found_pg "rows without a series" "delete from series where sid = 7" "belong to no series" ""
finish
