#!/bin/sh
# A token that ends soon is told of by barod, by its agent, by a metric and by a list.
. "$(dirname "$0")/lib.sh"
# shellcheck source=tests/agent/agent.sh
. "$TOP/tests/agent/agent.sh"
requires curl jq

agent_world 2.12
key=$SCRATCH/site.key
baro token key new "$key" >"$SCRATCH/out"
new() { # NAME OPTION...
    new_name=$1
    shift
    baro token new --key "$key" --output "$SCRATCH/$new_name" "$@"
}
new soon --role agent --host oss01 --expires 5d
new later --role reader --expires 300d
new never_shown --role reader --expires 1d

is "of files those that end soon are listed" \
    "$(baro token list --expiring 30d --output json "$SCRATCH/soon" "$SCRATCH/later" | jq -c '[.[].host]')" \
    '["oss01"]'
is "or all" "$(baro token list --output json "$SCRATCH/soon" "$SCRATCH/later" | jq length)" 2
ok "a file that is no token is named" \
    sh -c "baro token list '$key.pub' 2>&1 | grep -q 'site.key.pub: .*not a token'"

port=$(free_port)
barod --config /dev/null --set "net.socket=$SCRATCH/sock" --set "net.listen=127.0.0.1:$port" \
    --set "net.key=$key.pub" --set "records.path=$SCRATCH/records.db" >"$SCRATCH/barod.log" 2>&1 &
pid=$!
at_exit "kill $pid"
ok "barod starts" wait_for 20 curl -sf --unix-socket "$SCRATCH/sock" http://x/healthz
metric() {
    curl -s --unix-socket "$SCRATCH/sock" http://x/metrics | sed -n 's/^baro_net_token_expires_seconds //p'
}
is "no token was shown, so there is nothing to tell" "$(metric)" ""
for who in later soon; do
    is "a token is shown ($who)" "$(curl -s -o "$SCRATCH/out" -w '%{http_code}' \
        -H "Authorization: Bearer $(cat "$SCRATCH/$who")" "http://127.0.0.1:$port/v1/whoami")" 200
done
left=$(metric)
ok "a metric has what is left of the first" test "${left:-0}" -gt 431000 -a "${left:-0}" -le 432000
is "barod lists those that were shown, the first to end first" \
    "$(baro token list --server "unix:$SCRATCH/sock" --output json | jq -c '[.[].role]')" '["agent","reader"]'
is "and those that end soon" \
    "$(baro token list --server "unix:$SCRATCH/sock" --expiring 30d --output json | jq -c '[.[].host]')" '["oss01"]'
is "which is for administrators" "$(curl -s -o "$SCRATCH/out" -w '%{http_code}' \
    -H "Authorization: Bearer $(cat "$SCRATCH/later")" "http://127.0.0.1:$port/v1/tokens")" 403
ok "and logs it" wait_for 30 grep -q 'host oss01) expires in [45] days' "$SCRATCH/barod.log"
ok "not of one that ends late" not grep -q 'role reader' "$SCRATCH/barod.log"

sed -i "s|^server = .*|server = http://127.0.0.1:$port|" "$CONF"
agent --once --set "agent.token_file=$SCRATCH/soon" >"$SCRATCH/out" 2>&1
ok "the agent logs it of its own" grep -q 'token_file: the token .* expires in [45] days' "$LOG"
ok "and counts" grep -q 'agent_token_expires_seconds' "$LOG"
: >"$LOG"
new fresh --role agent --host oss01
agent --once --set "agent.token_file=$SCRATCH/fresh" >"$SCRATCH/out" 2>&1
ok "not of a new one" not grep -q 'token_file: the token' "$LOG"
finish
