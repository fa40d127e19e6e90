#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A writer into the metric store is killed at any moment, twenty times: every sample that
# was acknowledged is there, bit for bit, in its slot; so after SIGTERM and a sync that
# fails, and with a torn log.
. "$(dirname "$0")/lib.sh"

stress=$BUILD/src/store/store_stress
test -x "$stress" || skip_all "built without unit tests"
rounds=${ROUNDS:-20}
# Where syncs cost nothing, the kill hits more than waiting for a disk.
base=$SCRATCH
[ -w /dev/shm ] && base=$(mktemp -d /dev/shm/baro-test.XXXXXX) && at_exit rm -rf "$base"
store=$base/store

acked() {
    sed -n 's/^ack //p' "$1" | tail -n 1
}

# Let it write until it has acknowledged so many more.
write_some() {
    : >"$SCRATCH/out"
    "$stress" write "$store" "$next" 1000000 >"$SCRATCH/out" 2>"$SCRATCH/err" &
    writer=$!
    while kill -0 $writer 2>/dev/null && [ "$(grep -c ^ack "$SCRATCH/out")" -lt "$1" ]; do
        sleep 0.01
    done
}

next=0
bad=
for round in $(seq "$rounds"); do
    write_some $((round * 37 % 400 + 20))
    kill -9 $writer
    wait $writer 2>/dev/null
    last=$(acked "$SCRATCH/out")
    next=$((last + 1))
    # Every other time the next writer finds it as it is.
    [ $((round % 2)) = 0 ] && continue
    got=$("$stress" check "$store" "$last" 2>"$SCRATCH/check.err")
    case $got in
    "missing 0 wrong 0 extra 0 damaged 0 lost 0 "*) ;;
    *) bad="$bad round $round: $got;" ;;
    esac
done
is "after $rounds deaths every acknowledged sample is there" "$bad" ""

# Whether blocks that memory has released are in a checkpoint or already in an archive when
# the writer ends is the archive worker's time; so it writes on until all have been read from.
from=0
endings=0
bad=
while [ "$from" != 7 ] && [ "$endings" -lt 20 ] && [ -z "$bad" ]; do
    endings=$((endings + 1))
    write_some 600
    kill -TERM $writer
    wait $writer || bad="status $?"
    last=$(acked "$SCRATCH/out")
    next=$((last + 1))
    got=$("$stress" check "$store" "$last" 2>&1)
    case $got in
    "missing 0 wrong 0 extra 0 damaged 0 lost 0 from "*) from=$((from | ${got##* })) ;;
    *) bad=$got ;;
    esac
done
is "told to end, the writer ends well, and everything is there" "$bad" ""
is "read from memory, checkpoints and archives" "$from" 7
is "without a log to be read" \
    "$(find "$store" -name 'log-*' -size +1k | wc -l)" 0

# The last record is cut: as when the machine dies within a write.
write_some 50
kill -9 $writer
wait $writer 2>/dev/null
last=$(acked "$SCRATCH/out")
for log in "$store"/log-*; do
    printf 'torn' >>"$log"
done
is "a torn tail costs nothing" "$("$stress" check "$store" "$last" 2>"$SCRATCH/err" |
    cut -d' ' -f1-6)" "missing 0 wrong 0 extra 0"
ok "and is said" grep -q "ends within a record" "$SCRATCH/err"

# From time to time the disk does not sync.
next=$((last + 1))
: >"$SCRATCH/out"
faults=$(find "$BUILD/src/store" -name 'libstore_faults.so')
asan=$(ldd "$stress" | sed -n 's/^.*=> \(.*libasan[^ ]*\) .*/\1/p')
FAULT_SYNC=$SCRATCH/fault LD_PRELOAD="$asan $faults" "$stress" write "$store" $next \
    1000000 >"$SCRATCH/out" 2>"$SCRATCH/err" &
writer=$!
for round in 1 2 3; do
    want=$(($(grep -c ^ack "$SCRATCH/out") + 150))
    while kill -0 $writer && [ "$(grep -c ^ack "$SCRATCH/out")" -lt $want ]; do
        sleep 0.01
    done
    touch "$SCRATCH/fault"
    sleep 0.2
    rm "$SCRATCH/fault"
done 2>/dev/null
kill -9 $writer
wait $writer 2>/dev/null
last=$(acked "$SCRATCH/out")
ok "a failed sync is said" grep -q "a sync of the log of shard" "$SCRATCH/err"
is "and costs nothing that was acknowledged" "$("$stress" check "$store" "$last" \
    2>"$SCRATCH/check.err" | cut -d' ' -f1-6)" "missing 0 wrong 0 extra 0"

finish
