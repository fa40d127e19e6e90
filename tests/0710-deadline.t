#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A question that takes too long is cut off, and says how to ask for less.
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/lib.sh"
PATH=$BUILD/tests/fill:$PATH
requires curl jq baro-fill

# Twenty thousand rows: 500 jobs, 40 observations of each.
for part in 1 2 3 4 5; do
    jq -n -c --argjson part "$part" '{format: "baro-jobstats-1",
        agent: "8c5a3f8e-0d6c-4f5e-9a58-0d8f6f1f0b11", sequence: $part,
        server: "oss01", targets: [range(8) as $i |
        (1700000000 + ($part * 8 + $i) * 120) as $t |
        {target: "scratch-OST0001", kind: "ost", timestamp: ($t | todate),
         entries: [range(500) as $job | {entry_id: "\($job):1000:n1", exact: true,
            since: (if $part + $i > 1 then $t - 120 | todate else null end),
            previous: (if $part + $i > 1 then $t - 120 | todate else null end),
            reset: ($part + $i == 1), snapshot_time: $t, start_time: null,
            ops: {write_bytes: {samples: ($part * 8 + $i), unit: "bytes", min: 1,
                max: 1, sum: (($part * 8 + $i) * 4096)}}}]}]}' >"$SCRATCH/batch.json"
    ok "part $part is stored" sh -c "baro-fill '$SCRATCH/baro.db' <'$SCRATCH/batch.json'"
done

start_barod() { # OPTION...
    rm -f "$SCRATCH/sock"
    barod --set "net.socket=$SCRATCH/sock" --set net.listen=none \
        --set "records.path=$SCRATCH/baro.db" --set records.retention=20000d "$@" \
        >>"$SCRATCH/barod.log" 2>&1 &
    pid=$!
    at_exit "kill $pid"
    wait_for 30 test -S "$SCRATCH/sock"
}
ask() {
    curl -s -o "$SCRATCH/answer" -w '%{http_code}' --unix-socket "$SCRATCH/sock" \
        "http://localhost/v1/jobstats/rates?by=job&from=2023-11-14&to=2023-11-16"
}

ok "barod starts" start_barod
is "a question has its answer" "$(ask)" 200
kill "$pid"
wait "$pid"
ok "barod starts with little patience" start_barod --set barod.query_timeout=1ms
is "the same question takes too long" "$(ask)" 504
ok "and says how to ask for less" grep -q 'query a shorter time' "$SCRATCH/answer"
is "a short one is answered" "$(curl -s -o "$SCRATCH/answer" -w '%{http_code}' \
    --unix-socket "$SCRATCH/sock" http://localhost/healthz)" 200
is "the next is cut off as well: the readers were opened again" "$(ask)" 504

finish
