#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# baro space --by user: what the largest users hold, with names, growth and bounds; an agent
# reduces a server with 50,000 users to a few.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/lib-barod.sh"
requires curl jq python3 baro-agent

player="python3 $TOP/tests/sim/usage.py"
end=$(($(date +%s) / 3600 * 3600))
barod_conf
BARO_SERVER=$server
export BARO_SERVER
ok "barod starts" start_barod
is "before anything is sent, it is stated who sends it" "$(baro space --by user 2>&1)" \
    "baro space: the server responds with 404: by: of '*' no user has been sent lately (agents of Lustre servers do, with usage_interval)"
is "ten days are sent" "$($player play $end | curl -s -o "$SCRATCH/sent" -w '%{http_code}' \
    --unix-socket "$socket" --data-binary @- http://x/api/write)" 200
cat >"$SCRATCH/sacct" <<SACCT
JobID|JobIDRaw|User|UID|Group|GID|Account|Partition|Cluster|State|Submit|Start|End|NNodes|NodeList|JobName
7|7|alice|1001|phys|100|phys|batch|alex|COMPLETED|$((end - 90))|$((end - 90))|$((end - 60))|1|a0101|run
SACCT
ok "a job of alice is imported" baro job import --server "$BARO_SERVER" "$SCRATCH/sacct"

space() {
    baro space --to @$((end + 60)) --last 10d "$@"
}
space --by user -o json >"$SCRATCH/users" 2>"$SCRATCH/notes"
row() { # user expression
    jq -c ".[] | select(.user == \"$1\") | $2" "$SCRATCH/users"
}
is "the largest is the first, the others are the last" \
    "$(jq -r '.[].user' "$SCRATCH/users" | xargs)" "1002 1001 1003 1004 others"
is "a user whose name was seen has it" "$(row 1001 .user_name)" '"alice"'
is "one whose name was not has none" "$(row 1002 .user_name)" null
is "sums over targets" "$(row 1001 '[(.used / 1e12 | round), .inodes_used]')" '[14,2000]'
is "growth a day, and its outlook" "$(row 1001 '[(.growth / 1e11 | round), .outlook]')" '[10,"grows"]'
is "inodes too" "$(row 1001 '[(.inodes_growth | round), .inodes_outlook]')" '[100,"grows"]'
is "a clean-up is no growth" "$(row 1002 '[.outlook, (.cleaned / 1e12 | round)]')" '["unclear",10]'
is "what all targets list is exact" "$(row 1001 '.used == .used_max')" true
is "what one does not list has a bound: the smallest that it lists" \
    "$(row 1003 '[.used / 1e12, .used_max / 1e12]')" '[3,5]'
is "shares are of all that is held" "$(jq '[.[].share] | add | round' "$SCRATCH/users")" 100
ok "notes state both" sh -c "grep -q '2 of these are not among the largest' '$SCRATCH/notes' &&
    grep -q '^# others: ' '$SCRATCH/notes'"
is "so many rows" "$(space --by user --limit 2 -o csv 2>/dev/null | tail -n +2 | wc -l)" 2
is "another file system has none" "$(space work --by user 2>&1 | cut -d: -f4-)" \
    " of 'work' no user has been sent lately (agents of Lustre servers do, with usage_interval)"
is "REST has the same rows" "$(curl -s --unix-socket "$socket" \
    "http://x/v1/space?by=user&to=@$((end + 60))&last=10d" |
    jq -cS '.columns as $c | .rows[] | [., $c] | transpose | map({(.[1].name): .[0]}) | add')" \
    "$(jq -cS '.[]' "$SCRATCH/users")"

# ---- an agent ----
cat >"$SCRATCH/lctl" <<LCTL
#!/bin/sh
case \$* in
*acct_user*) exec $player param 50000 ;;
esac
LCTL
chmod +x "$SCRATCH/lctl"
cat >"$SCRATCH/agent.conf" <<CONF
[agent]
server = $BARO_SERVER
host = oss09
state = $SCRATCH/state
spool = $SCRATCH/spool
lctl = $SCRATCH/lctl
interval = 1s
totals_interval = 1s
usage_interval = 1h
usage_top = 10
metrics = $SCRATCH/metrics
CONF
baro-agent --config "$SCRATCH/agent.conf" >"$SCRATCH/agent.log" 2>&1 &
agent=$!
groups() {
    baro space scratch --by group -o json 2>/dev/null >"$SCRATCH/groups" && test -s "$SCRATCH/groups"
}
ok "an agent reads what groups hold at its start" wait_for 60 groups
is "the largest ten of 50,000, and the others" "$(jq -r '.[].group' "$SCRATCH/groups" | xargs)" \
    "49999 49998 49997 49996 49995 49994 49993 49992 49991 49990 others"
is "nothing is lost: the sum of all, on both targets" \
    "$(jq '[.[].used] | add / 1024' "$SCRATCH/groups")" $((2 * 49999 * 50000 / 2))
is "no growth is claimed of one value" "$(jq -r '.[0].outlook' "$SCRATCH/groups")" "no history"
counted() {
    grep -q '^baro_agent_usage_readings_total 1$' "$SCRATCH/metrics"
}
ok "the agent counts its readings" wait_for 30 counted
kill -TERM $agent
wait $agent
is "the agent ends" $? 0
ok "barod ends" end_barod
finish
