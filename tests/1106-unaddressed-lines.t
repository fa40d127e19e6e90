#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A line that names no host or no cluster: in strict mode it is answered as by
# cc-metric-store, with 200 and nothing, so log and metric count it; otherwise the response
# names it.  And what is too old is counted in every response.
. "$(dirname "$0")/lib.sh"
requires curl jq
start() { # MODE
    mode=$1
    socket=$SCRATCH/$mode.sock
    cat >"$SCRATCH/$mode.conf" <<CONF
[net]
socket = $socket
listen = none
[records]
path = $SCRATCH/$mode.db
[store]
directory = $SCRATCH/$mode
retention = 2h
compat = $mode
[metric m]
step = 60s
CONF
    barod --config "$SCRATCH/$mode.conf" >>"$SCRATCH/$mode.log" 2>&1 &
    at_exit "kill -9 $!"
    ok "barod starts: $mode" wait_for 20 curl -sf --unix-socket "$socket" http://x/healthz
}
send() { # TEXT: the body, then the status
    curl -s -w '%{http_code}' --unix-socket "$socket" http://x/api/write --data-binary "$1"
}
counter() {
    curl -s --unix-socket "$socket" http://x/metrics | sed -n "s/^baro_$1 //p"
}
now=$(date +%s)
lines="m,cluster=c value=1 $now
m,hostname=a value=1 $now
m,cluster=c,hostname=a value=1 $now"

start strict
is "strict: the sender hears nothing of it" "$(send "$lines")" 200
is "the metric counts it" "$(counter ingest_metric_lines_unaddressed_total)" 2
ok "the log says whose lines, how many and why" \
    grep -q '2 lines are refused, with status 200 .*no tag hostname' "$SCRATCH/strict.log"
is "strict: what was too old before a bad line is counted in the response" \
    "$(send "m,cluster=c,hostname=a value=1 $((now - 86400))
m,cluster=c,hostname=a value=2 $now
m,cluster=c,hostname=a value=x $now")" \
    '{"status":"Bad Request","error":"at line 3:30: value for field \"value\" (\"x\") has unrecognized type","samples_written":1,"samples_older_than_retention":1}
400'

start better
is "better: both lines are named" "$(send "$lines" | jq -c 'objects | [.refused,.problems[].reason]')" \
    '[2,"no tag names the host","nothing names the cluster"]'
is "and counted" "$(counter ingest_metric_lines_unaddressed_total)" 2
finish
