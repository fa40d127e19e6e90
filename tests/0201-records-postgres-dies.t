#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# PostgreSQL is killed, stopped and frozen under a writer: nothing is lost, nothing twice.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/lib-postgres.sh"

pg_available || skip_all "no PostgreSQL server programs are installed"
stress=$BUILD/src/records/records_stress
test -x "$stress" || skip_all "built without unit tests"
pg_start || {
    fail "PostgreSQL starts"
    finish
}

batches=900
rows=40
: >"$SCRATCH/out"
"$stress" postgres "$PG_CONNECTION" $batches $rows >"$SCRATCH/out" 2>"$SCRATCH/err" &
writer=$!
at_exit kill $writer

# Wait until so many batches were acknowledged, or the writer ended.
acked() {
    while kill -0 $writer 2>/dev/null && [ "$(grep -c ^ack "$SCRATCH/out")" -lt "$1" ]; do
        sleep 0.02
    done
}

restart() {
    pg_start && return
    fail "PostgreSQL comes back after $1"
    finish
}

for border in 60 160 260; do
    acked $border
    pg_kill9
    restart "kill -9"
done
acked 380
pg_stop
restart "a shutdown"
acked 500
pg_freeze
sleep 3
ok "a server that hangs is noticed" grep -q "does not respond\|timeout" "$SCRATCH/out"
pg_thaw
acked 620
psql -XqAt -c "SELECT pg_terminate_backend(pid) FROM pg_stat_activity
    WHERE application_name = 'barograph'" >/dev/null
wait $writer
is "the writer comes through" $? 0
is "every batch was acknowledged" "$(grep -c ^ack "$SCRATCH/out")" $batches
is "it was told to try again at least five times" \
    "$([ "$(grep -c ^again "$SCRATCH/out")" -ge 5 ] && echo yes)" yes
is "each row is there, once" \
    "$(psql -XqAt -c "SELECT count(*), count(DISTINCT (\"timestamp\", sid)) FROM jobstats_ost")" \
    "$((batches * rows))|$((batches * rows))"
is "each batch has its answer" "$(psql -XqAt -c "SELECT count(*), sum(taken) FROM batches")" \
    "$batches|$((batches * rows))"
is "no series is there twice" \
    "$(psql -XqAt -c "SELECT count(*) FROM series")" $((batches + rows - 1))

"$stress" postgres "$PG_CONNECTION" $batches $rows >"$SCRATCH/again" 2>&1
is "sending all of it again changes nothing" \
    "$(grep -c "^ack .* taken=$rows known=0 replayed=1" "$SCRATCH/again")" $batches
# Two programs that open a new database at once and send the same.
psql -Xqc "CREATE SCHEMA two"
both="$PG_CONNECTION options='-c search_path=two'"
"$stress" postgres "$both" 60 $rows >"$SCRATCH/two.a" 2>&1 &
writer=$!
"$stress" postgres "$both" 60 $rows >"$SCRATCH/two.b" 2>&1
status=$?
wait $writer
is "two writers at once come through" "$status $?" "0 0"
is "and each row is there, once" \
    "$(psql -XqAt -c "SELECT count(*) FROM two.jobstats_ost")" $((60 * rows))
is "each batch was taken by one of them" \
    "$(cat "$SCRATCH/two.a" "$SCRATCH/two.b" | grep -c "taken=$rows known=0 replayed=0")" 60
grep -v ^ack "$SCRATCH/out" | sort | uniq -c | sed 's/^/# /'
finish
