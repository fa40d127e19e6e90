#!/bin/sh
# Hostile senders: a hundred at a time, slow ones, garbage, bombs.  The server stays
# within its memory and goes on answering: first net and ingest alone, then barod with
# a database behind them.
. "$(dirname "$0")/lib.sh"

# What the servers may take: the budget for bodies (64 MiB), the queue (32 MiB), threads
# and connections, SQLite's cache.  Sanitizers need several times as much.
limit_kib=262144
if nm "$BUILD/src/ingest/ingest_only" 2>/dev/null | grep -q __asan_init; then
    limit_kib=1048576
fi
ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}quarantine_size_mb=16
export ASAN_OPTIONS
sock=$SCRATCH/sock

wait_for_socket() {
    tries=0
    until [ -S "$sock" ] || [ $tries -ge 200 ]; do
        sleep 0.1
        tries=$((tries + 1))
    done
    [ -S "$sock" ]
}

# hammer_it NAME PID
hammer_it() {
    ok "$1: it is up" wait_for_socket
    ok "$1: good batches are taken, bad ones refused, /healthz is always answered" \
        "$BUILD/tests/sim/hammer" "$sock" "${HAMMER_ROUNDS:-1}"
    sed 's/^/# /' "$SCRATCH/ok.out"
    peak_kib=$(sed -n 's/^VmHWM:[^0-9]*\([0-9]*\) kB/\1/p' "/proc/$2/status")
    echo "# peak memory $peak_kib KiB of $limit_kib"
    ok "$1: it stayed within its memory" test "$peak_kib" -le "$limit_kib"
    kill "$2"
    wait "$2"
    is "$1: it ends cleanly" "$?" 0
    ok "$1: its socket is gone" test ! -e "$sock"
}

"$BUILD/src/ingest/ingest_only" "$sock" >"$SCRATCH/port" 2>"$SCRATCH/err" &
pid=$!
at_exit "kill $pid"
hammer_it "net and ingest" "$pid"
is "net and ingest: no word on standard error" "$(cat "$SCRATCH/err")" ""

cat >"$SCRATCH/barod.conf" <<CONF
[barod]
log_level = warn
[net]
listen = none
socket = $sock
connections_max = 256
body_budget = 64MiB
head_timeout = 2s
body_grace = 2s
[records]
path = $SCRATCH/baro.db
CONF
barod --config "$SCRATCH/barod.conf" >"$SCRATCH/err" 2>&1 &
pid=$!
at_exit "kill $pid"
hammer_it barod "$pid"
ok "barod: no sanitizer complains" not grep -q 'ERROR: .*Sanitizer' "$SCRATCH/err"

finish
