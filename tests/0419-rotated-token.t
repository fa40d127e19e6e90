#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A token that is replaced under a running agent: used without a restart, and logged.
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=tests/agent/agent.sh
. "$TOP/tests/agent/agent.sh"
requires curl

agent_world 2.12
for name in site other; do baro token key new "$SCRATCH/$name.key" >"$SCRATCH/out"; done
new() { # NAME KEY HOST
    baro token new --key "$SCRATCH/$2.key" --role agent --host "$3" --output "$SCRATCH/$1"
}
new wrong_key other oss01
new wrong_host site oss02
new right site oss01
port=$(free_port)
barod --set "net.socket=$SCRATCH/sock" --set "net.listen=127.0.0.1:$port" \
    --set "net.key=$SCRATCH/site.key.pub" --set "records.path=$SCRATCH/records.db" \
    --set records.retention=20000d --set "store.directory=$SCRATCH/store" \
    >"$SCRATCH/barod.log" 2>&1 &
pid=$!
at_exit "kill $pid; wait $pid"
ok "barod starts" wait_for 30 curl -sf --unix-socket "$SCRATCH/sock" http://x/healthz
metric() {
    curl -s --unix-socket "$SCRATCH/sock" http://x/metrics | sed -n "s/^baro_$1 //p"
}

sed -i "s|^server = .*|server = http://127.0.0.1:$port|" "$CONF"
mv "$SCRATCH/wrong_key" "$SCRATCH/token"
baro-agent --config "$CONF" --set "agent.token_file=$SCRATCH/token" \
    --set agent.backoff_max=1s >>"$LOG" 2>&1 &
agent_pid=$!
at_exit "kill $agent_pid"
minute=0
# A condition, while the played clock goes on.
meanwhile() {
    minute=$((minute + 1))
    at $minute
    "$@"
}
ok "a token of another key is not accepted (401)" wait_for 20 meanwhile grep -q 'the server responds with 401' "$LOG"
mv "$SCRATCH/wrong_host" "$SCRATCH/token"
ok "one of another host, put in its place, is used (403)" \
    wait_for 20 meanwhile grep -q 'responds with 403' "$LOG"
is "nothing was stored" "$(metric ingest_rows_accepted_total)" "0"
rm "$SCRATCH/token"
ok "a token that is gone is logged" wait_for 20 meanwhile grep -q 'token_file: .*the token that was read before is used' "$LOG"
mv "$SCRATCH/right" "$SCRATCH/token"
stored() {
    test "$(metric ingest_rows_accepted_total)" -gt 0
}
ok "with the right one the agent that was never restarted sends what waited" wait_for 20 meanwhile stored
ok "and says that there is another token" \
    wait_for 20 meanwhile grep -q 'token_file: another token is there and is used from now on: ' "$LOG"
ok "it lives" kill -0 "$agent_pid"
finish
