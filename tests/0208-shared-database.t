#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A PostgreSQL that is not barod's alone: a site's own tables of the same names, limits of
# time of the role, and a second barod on the same schema.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/lib-postgres.sh"
requires curl psql
pg_available || skip_all "no PostgreSQL server programs are installed"
pg_start || {
    fail "PostgreSQL starts"
    finish
}
sql() { psql -XqAt -v ON_ERROR_STOP=1 -c "$1"; }

# config NAME LINE: the configuration of one barod, with a line of [records].
config() {
    cat >"$SCRATCH/$1.conf" <<CONF
[net]
socket = $SCRATCH/$1.sock
listen = none
[records]
engine = postgres
connection = $PG_CONNECTION
$2
CONF
}
start_barod() {
    barod --config "$SCRATCH/$1.conf" >"$SCRATCH/$1.log" 2>&1 &
}
is_health() {
    [ "$(curl -s -o "$SCRATCH/health" -w '%{http_code}' --unix-socket "$SCRATCH/$1.sock" \
        http://x/healthz)" = "$2" ]
}

sql "create table batches (id integer); create table series (id integer, name text)"
config first ""
refused() {
    ! timeout 60 barod --config "$SCRATCH/first.conf" >"$SCRATCH/refused" 2>&1
}
ok "beside a site's own tables barod does not start" refused
ok "it names them" grep -q "schema public .* that are not barograph's: batches, series" \
    "$SCRATCH/refused"
ok "and the remedy" grep -q 'set schema = barograph in .records.' "$SCRATCH/refused"
is "nothing of theirs was touched" "$(sql "select count(*) from pg_class where relkind in
    ('r', 'p', 'v') and relnamespace = 'public'::regnamespace")" 2

# Every statement of the role would be cut off before it begins.
sql "create role barod login superuser; alter role barod set statement_timeout = '1ms';
    alter role barod set lock_timeout = '1ms'"
PG_CONNECTION="$PG_CONNECTION user=barod"
config first "schema = barograph"
start_barod first
pid=$!
at_exit 'kill -9 $pid'
ok "in a schema of its own it starts, whatever limits the role has" wait_for 30 is_health first 200
is "its tables are there" "$(sql "select count(*) from pg_class where relname = 'series' and
    relnamespace = 'barograph'::regnamespace")" 1
ok "queries find them without being told" baro jobstats series --records "$PG_CONNECTION"
ok "so does verify" baro records verify "$PG_CONNECTION"
migrates() {
    ! baro records migrate "$PG_CONNECTION" >"$SCRATCH/out" 2>&1 || grep -q "nothing to do" "$SCRATCH/out"
}
ok "and migrate, which has nothing to do" migrates

# ---- a second one ----

config second "schema = barograph"
start_barod second
second=$!
at_exit 'kill -9 $second'
ok "a second barod on the schema is not well" wait_for 30 is_health second 503
ok "and says which process it waits for" wait_for 30 grep -q \
    "another barod writes these records already ([0-9]*, .*connected since" "$SCRATCH/second.log"
config third "schema = barograph_test"
start_barod third
third=$!
at_exit 'kill -9 $third'
ok "on another schema of the database it is" wait_for 30 is_health third 200
kill -TERM $pid
wait $pid
ok "when the first ends, the second takes over" wait_for 60 is_health second 200
kill -TERM $second $third
wait $second $third
finish
