# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh
# agent.sh - what the tests of the agent share: a played server, a sink, a played clock.
#
#   agent_world VERSION     $FS, $CONF, $SINK, $CLOCK; the clock stands at minute 0
#   at MINUTES              sets the clock
#   agent ARGS...           runs baro-agent with $CONF, its log in $LOG
#   rows [JQ]               every entry that the sink has, one JSON object a line

requires python3 jq zstd baro-agent baro-sim

EPOCH=1669014000
LOG=$SCRATCH/agent.log
SINK=$SCRATCH/sink

at() {
    baro-sim clock --clock "$CLOCK" --set "@$((EPOCH + $1 * 60))"
}

agent_world() {
    FS=$SCRATCH/fs CLOCK=$SCRATCH/clock CONF=$SCRATCH/agent.conf
    mkdir -p "$SINK"
    at 0
    baro-sim init --fs "$FS" --clock "$CLOCK" nodes=100 version="$1"
    python3 "$TOP/tests/agent/sink.py" "$SINK" "$SCRATCH/port" &
    SINK_PID=$!
    at_exit "kill $SINK_PID"
    wait_for 20 test -s "$SCRATCH/port"
    cat >"$CONF" <<CONF
[agent]
server = http://127.0.0.1:$(cat "$SCRATCH/port")
host = oss01
state = $SCRATCH/state
spool = $SCRATCH/spool
lctl = $FS/servers/oss01/lctl
CONF
    export BARO_CLOCK="$CLOCK"
}

agent() {
    baro-agent --config "$CONF" "$@" >>"$LOG" 2>&1
}

answer() {
    echo "$*" >"$SINK/status.new"
    mv "$SINK/status.new" "$SINK/status"
}

# The counter NAME as the last run of --once told it.
count() {
    sed -n "s/.* baro_$1 //p" "$LOG" | tail -n 1
}

rows() {
    for rows_file in "$SINK"/*.json.zst; do
        [ -f "$rows_file" ] || continue
        zstd -dcq "$rows_file"
        echo
    done | jq -c '.agent as $agent | .sequence as $sequence | .targets[] |
        .target as $target | .timestamp as $timestamp | .entries[] |
        . + {$agent, $sequence, $target, $timestamp}' | jq -c "${1:-.}"
}
