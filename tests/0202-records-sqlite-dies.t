#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A writer into SQLite is killed at any moment, and its disk fills up: what was
# acknowledged is there, and it goes on where it was.
. "$(dirname "$0")/lib.sh"

stress=$BUILD/src/records/records_stress
test -x "$stress" || skip_all "built without unit tests"
command -v sqlite3 >/dev/null || skip_all "no sqlite3 is installed"
db=$SCRATCH/records.db
batches=600
rows=40

# Kill it five times, each time a little later; it begins at the first batch again.
for border in 20 60 130 250 400; do
    : >"$SCRATCH/out.$border"
    "$stress" sqlite "$db" $batches $rows >"$SCRATCH/out.$border" 2>&1 &
    writer=$!
    while kill -0 $writer 2>/dev/null &&
        [ "$(grep -c ^ack "$SCRATCH/out.$border")" -lt "$border" ]; do
        sleep 0.01
    done
    kill -9 $writer 2>/dev/null
    wait $writer 2>/dev/null
done
"$stress" sqlite "$db" $batches $rows >"$SCRATCH/last" 2>&1
is "the writer comes through in the end" $? 0

lost=$(cat "$SCRATCH"/out.* | sed -n 's/^ack \([0-9]*\) .*/\1/p' | while read -r sequence; do
    grep -q "^ack $sequence taken=$rows known=0 replayed=1" "$SCRATCH/last" ||
        echo "$sequence"
done)
is "every acknowledged batch was kept" "$lost" ""
is "each row is there, once" "$(sqlite3 "$db" "SELECT count(*) FROM jobstats_ost")" \
    $((batches * rows))
is "others may not read it" "$(stat -c %a "$db" | cut -c3)" 0
is "the file is sound" "$(sqlite3 "$db" "PRAGMA integrity_check")" ok
is "no series is there twice" "$(sqlite3 "$db" "SELECT count(*) FROM series")" \
    $((batches + rows - 1))

# Two programs on a new file at once, which send the same.
"$stress" sqlite "$SCRATCH/two.db" 100 $rows >"$SCRATCH/two.a" 2>&1 &
writer=$!
"$stress" sqlite "$SCRATCH/two.db" 100 $rows >"$SCRATCH/two.b" 2>&1
status=$?
wait $writer
is "two writers at once come through" "$status $?" "0 0"
is "and each row is there, once" \
    "$(sqlite3 "$SCRATCH/two.db" "SELECT count(*) FROM jobstats_ost")" $((100 * rows))
is "each batch was taken by one of them" \
    "$(cat "$SCRATCH/two.a" "$SCRATCH/two.b" | grep -c "taken=$rows known=0 replayed=0")" 100

# A limit on the size of files stands for a full disk: writes fail half-way.
full=$SCRATCH/full.db
: >"$SCRATCH/full.out"
prlimit --fsize=600000:unlimited "$stress" sqlite "$full" $batches $rows \
    >"$SCRATCH/full.out" 2>&1 &
writer=$!
at_exit kill -9 $writer
while kill -0 $writer 2>/dev/null && ! grep -q ^again "$SCRATCH/full.out"; do
    sleep 0.05
done
ok "a full disk is told as such" grep -qi "again.*\(full\|i/o\)" "$SCRATCH/full.out"
ok "batches were taken before" grep -q ^ack "$SCRATCH/full.out"
prlimit --pid $writer --fsize=unlimited || kill -9 $writer
wait $writer
is "with room again it goes on by itself" "$(grep -c ^ack "$SCRATCH/full.out")" $batches
is "and each row is there, once" \
    "$(sqlite3 "$full" "SELECT count(*) FROM jobstats_ost")" $((batches * rows))
is "and the file is sound" "$(sqlite3 "$full" "PRAGMA integrity_check")" ok
finish
