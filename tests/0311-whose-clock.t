#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A barod whose clock is years ahead keeps batches off instead of refusing their rows, says
# so, and takes them when the clock was set right.
. "$(dirname "$0")/lib.sh"
requires curl jq python3

socket=$SCRATCH/barod.sock
BARO_CLOCK=$SCRATCH/clock
export BARO_CLOCK
set_clock() {
    python3 -c "import sys, struct
open(sys.argv[1], 'r+b' if len(sys.argv) > 3 else 'wb').write(
    b'baroclk1' + struct.pack('=q', int(sys.argv[2]) * 10**9))" "$BARO_CLOCK" "$@"
}
start_barod() {
    barod --set "net.socket=$socket" --set net.listen=none \
        --set "records.path=$SCRATCH/records.db" --set records.retention=10d \
        >>"$SCRATCH/barod.log" 2>&1 &
    pid=$!
    wait_for 20 curl -sf --unix-socket "$socket" http://x/healthz
}
at_exit 'kill -9 $pid'
post() {
    curl -s -D "$SCRATCH/head" --unix-socket "$socket" http://x/v1/jobstats \
        -H 'Content-Type: application/json' -d '[{"target":"scratch-OST0001",
        "entry_id":"cp.0","timestamp":"'"$1"'","snapshot_time":1669010520,"write":1}]' |
        jq -c "$2"
}

set_clock 1795219200 # 2026-11-21
ok "barod starts" start_barod
is "a row in time is taken" "$(post 2026-11-21T00:00:00Z .accepted)" 1
is "one of a sender in the past is refused" "$(post 2020-11-21T00:00:00Z .refused)" 1
set_clock 1900000000 again
is "years ahead, what is sent is not refused" "$(post 2026-11-21T00:02:00Z .status)" 503
ok "but asked for again" grep -q '^Retry-After: [1-9]' "$SCRATCH/head"
ok "and the log asks for the clock" grep -q "is the server's clock right?" "$SCRATCH/barod.log"
kill -9 "$pid"; wait "$pid" 2>/dev/null
ok "barod starts with the wrong clock" start_barod
is "and knows it from the database" "$(post 2026-11-21T00:02:00Z .status)" 503
ok "it is counted" sh -c "curl -s --unix-socket '$socket' http://x/metrics |
    grep -qx 'baro_records_clock_doubts_total 1'"
set_clock 1795219320 again
is "set right, it takes the same again" "$(post 2026-11-21T00:02:00Z .accepted)" 1
finish
