#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A sender over its rate is asked to slow down, is told so, and loses nothing.
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=tests/agent/agent.sh
. "$TOP/tests/agent/agent.sh"
requires curl

agent_world 2.12
# A byte a second: the first batch passes, and is paid for a long time.
start_barod() { # OPTION...
    rm -f "$SCRATCH/sock"
    barod --set "net.socket=$SCRATCH/sock" --set net.listen=none \
        --set "records.path=$SCRATCH/baro.db" --set records.retention=20000d "$@" \
        >>"$SCRATCH/barod.log" 2>&1 &
    pid=$!
    at_exit "kill $pid"
    wait_for 30 test -S "$SCRATCH/sock"
}
metric() {
    curl -s --unix-socket "$SCRATCH/sock" http://localhost/metrics |
        sed -n "s/^baro_$1 //p"
}

ok "barod starts with a narrow limit" start_barod --set net.rate_bytes=1B \
    --set net.rate_bytes_burst=1B
sed -i "s|^server = .*|server = unix:$SCRATCH/sock|" "$CONF"
ok "an agent over it does not get everything away" not agent --once
ok "and says so" grep -q 'the server responds with 429; batches wait' "$LOG"
ok "barod's log says who it was" grep -q 'uid [0-9]* sends too many bytes' "$SCRATCH/barod.log"
status=$(curl -s -D "$SCRATCH/head" -o "$SCRATCH/answer" -w '%{http_code}' \
    --unix-socket "$SCRATCH/sock" http://localhost/healthz)
is "the answer is 429" "$status" 429
ok "with a problem" jq -e '.status == 429 and .title == "Too often"' "$SCRATCH/answer"
ok "and when to come again" grep -q '^Retry-After: [1-9]' "$SCRATCH/head"
kill "$pid"
wait "$pid"

ok "barod starts without one" start_barod --set net.rate_bytes=0B
ok "the agent sends the rest" agent --once
ok "the table of senders has a level" test "$(metric net_rate_senders)" -ge 1
is "and a limit" "$(metric net_rate_senders_limit)" 8192
is "nothing was set aside" "$(count agent_refused_batches_total)" 0
is "of the rest no batch was refused" "$(metric ingest_batches_failed_total)" 0
is "and none is known twice" "$(metric ingest_rows_duplicate_total)" 0
is "every target has its rows" "$(baro jobstats series --server "unix:$SCRATCH/sock" \
    --output json | jq -r '[.[].target] | unique | length')" 3

finish
