#!/bin/sh
# Hostile senders: a hundred at a time, slow ones, garbage, bombs.  The server stays
# within its memory and goes on answering.
. "$(dirname "$0")/lib.sh"

# What the server may take: its budget for bodies (64 MiB), the queue (32 MiB), threads
# and connections.  Sanitizers need several times as much: shadow memory, quarantine.
limit_kib=262144
if nm "$BUILD/src/ingest/ingest_only" 2>/dev/null | grep -q __asan_init; then
    limit_kib=1048576
fi

sock=$SCRATCH/sock
ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}quarantine_size_mb=16 \
    "$BUILD/src/ingest/ingest_only" "$sock" >"$SCRATCH/port" 2>"$SCRATCH/err" &
pid=$!
at_exit "kill $pid"
tries=0
until [ -s "$SCRATCH/port" ] || [ $tries -ge 100 ]; do
    sleep 0.1
    tries=$((tries + 1))
done
ok "the server is up" test -S "$sock"

ok "good batches are taken, bad ones refused, /healthz is always answered" \
    "$BUILD/tests/sim/hammer" "$sock" "${HAMMER_ROUNDS:-1}"
sed 's/^/# /' "$SCRATCH/ok.out"
peak_kib=$(sed -n 's/^VmHWM:[^0-9]*\([0-9]*\) kB/\1/p' "/proc/$pid/status")
echo "# peak memory $peak_kib KiB of $limit_kib"
ok "it stayed within its memory" test "$peak_kib" -le "$limit_kib"
is "it closed every connection but its listeners" \
    "$(find "/proc/$pid/fd" -lname 'socket:*' | wc -l)" 2

kill "$pid"
wait "$pid"
is "it ends cleanly" "$?$(cat "$SCRATCH/err")" 0
ok "its socket is gone" test ! -e "$sock"

finish
