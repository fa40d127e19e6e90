#!/bin/sh
# baro node: the nodes that are planted are found, with what and since when; of clean ones
# none is.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/lib-barod.sh"
requires curl jq python3

player="python3 $TOP/tests/sim/nodes.py"
end=$(($(date +%s) / 300 * 300))
from=$((end - 3600))
socket=$SCRATCH/barod.sock
BARO_SERVER=unix:$socket
export BARO_SERVER
conf() { # directory
    cat >"$SCRATCH/barod.conf" <<CONF
[net]
socket = $socket
listen = none
rate_bytes = 1TiB
body_max = 64MiB
[records]
path = $SCRATCH/$1.db
[store]
directory = $SCRATCH/$1
own_metrics = 0s
[metric net_bytes]
kind = counter
aggregation = sum
CONF
    for metric in cpu_load mem_bw clock cpu_temp swap_used gpu_power gpu_temp; do
        printf '[metric %s]\nstep = 60s\naggregation = avg\n' $metric
    done >>"$SCRATCH/barod.conf"
}
send() {
    $player play $end "$@" | curl -s -o /dev/null -w '%{http_code}' --unix-socket "$socket" \
        --data-binary @- http://x/api/write
}
nodes() {
    baro node "$@" --from @$from --to @$end
}

# ---- clean nodes ----
conf clean
ok "barod starts" start_barod
is "an hour of clean nodes is sent" "$(send clean)" 200
is "of clean nodes none is reported" "$(nodes -o csv | tail -n +2)" ""
ok "it is stated what was compared" sh -c "baro node --from @$from --to @$end |
    grep -q '132 nodes, 8 metrics, 12 windows of 5 min: [0-9]* comparisons'"
ok "barod ends" end_barod

# ---- bad ones ----
conf planted
ok "barod starts again" start_barod
is "an hour with bad nodes is sent" "$(send)" 200
$player jobs $end | curl -s -o "$SCRATCH/jobs" --unix-socket "$socket" --data-binary @- \
    -H 'Content-Type: application/x-ndjson' http://x/v1/jobs
is "and two jobs" "$(jq .accepted "$SCRATCH/jobs")" 2
nodes -o json >"$SCRATCH/found"
ok "each bad node is found, with its metric and since when, and no other" \
    sh -c "$player check $end <'$SCRATCH/found'"
is "over REST it is the same, byte for byte" \
    "$(curl -s --unix-socket "$socket" "http://x/v1/nodes?from=@$from&to=@$end&format=json" | cksum)" "$(cksum <"$SCRATCH/found")"
row() { # node metric
    jq -c ".[] | select(.node == \"alex/$1\" and .metric == $2)" "$SCRATCH/found"
}
is "the silent node is the first" "$(jq -r '.[0].node' "$SCRATCH/found")" alex/a017
is "nodes of a job are compared with each other" \
    "$(row a033 '"mem_bw"' | jq -r '.job + " " + (.others | tostring)')" "1 58"
ok "with what is usual" sh -c "jq -e '.[] | select(.node == \"alex/a033\") |
    .value > 70 and .value < 110 and .median > 140 and .median < 160 and .deviations < -6 and
    .out == 7 and .windows == 7' '$SCRATCH/found'"
is "where all others have none, that is their median" \
    "$(row a070 '"swap_used"' | jq -c '[.value, .median, .others]')" "[4250000000,0,39]"

is "a set of nodes" "$(nodes 'alex/a0[33-49]' -o csv | tail -n +2 | cut -d, -f1,3)" \
    "alex/a040,clock
alex/a033,mem_bw"
is "a pattern of nodes" "$(nodes 'alex/a07*' -o csv | tail -n +2 | cut -d, -f1,3 | sort)" \
    "alex/a070,swap_used
alex/a075,cpu_temp"
is "only some metrics" "$(nodes --metric 'mem_*,clock' -o csv | tail -n +2 | cut -d, -f1-3 | sort)" \
    "alex/a017,silent,
alex/a033,low,mem_bw
alex/a040,low,clock
alex/a050,low,mem_bw"
is "one long window of bad values is no run of three" \
    "$(nodes alex/a033 --window 20m -o csv | tail -n +2)" ""
is "what happened before the range is not in it" \
    "$(baro node alex/a033 --last 15m --to @$((from + 1200)) -o csv | tail -n +2)" ""
is "a list of nodes and a cluster" "$(nodes alex/a033,a040 alex/g01 -o csv 2>&1 | grep -c ^alex)" 2
ok "what is not there is named" sh -c "baro node 'alex/a0[33-34]' alex/nope --from @$from --to @$end 2>&1 |
    grep -q 'alex/nope: there is no host nope'"
is "so many findings" "$(nodes --limit 2 -o csv | tail -n +2 | wc -l)" 2
ok "and how many more" sh -c "baro node --from @$from --to @$end --limit 2 |
    grep -q '6 more findings'"

# ---- what cannot be answered ----
ok "no such node" sh -c "baro node alex/nope 2>&1 |
    grep -q '^baro node: the server responds with 404: .*there is no host nope'"
is "no such metric" "$(nodes --metric nope 2>&1)" \
    "baro node: the server responds with 404: metric: these nodes have no 'nope'"
is "windows that are too short" "$(nodes --window 1s 2>&1)" \
    "baro node: the server responds with 400: window: invalid value '1s': Length of the windows that are compared; default: a twelfth of the range."
nodes a b --windows 3 >/dev/null 2>&1
is "an unknown option is misuse" $? 2
ok "barod ends" end_barod
finish
