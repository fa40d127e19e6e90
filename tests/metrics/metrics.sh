# SPDX-License-Identifier: Apache-2.0
# metrics.sh - a barod with a metric store under load, for tests that do something to it.
#
#   metrics_config [DIRECTORY [BEGIN]]   writes $SCRATCH/barod.conf; sets $socket, $store,
#                                 $acks, $begin: seconds, by default yesterday
#   start_barod [OPTION ...]      sets $pid; its words go to $SCRATCH/barod.log
#   start_load, stop_load         the sender of load.py, in the background
#   wait_acks COUNT               until so many more batches are acknowledged
#   everything                    "missing 0 wrong 0", or not
load=$TOP/tests/metrics/load.py
pid=
load_pid=

metrics_config() {
    socket=$SCRATCH/barod.sock
    store=${1:-$SCRATCH/store}
    acks=$SCRATCH/acks
    begin=${2:-$(($(date +%s) - 86400))}
    : >"$acks"
    cat >"$SCRATCH/barod.conf" <<CONF
[net]
socket = $socket
listen = none
rate_requests = 0
[records]
path = $SCRATCH/records.db
[store]
directory = $store
checkpoint = 1s
[metric grid]
step = 1s
aggregation = sum
[metric free]
step = none
CONF
}

start_barod() {
    rm -f "$socket"
    barod --config "$SCRATCH/barod.conf" "$@" >>"$SCRATCH/barod.log" 2>&1 &
    pid=$!
    wait_for 20 curl -sf --unix-socket "$socket" http://x/healthz
}

start_load() {
    python3 "$load" send "$socket" "$begin" "$acks" 2>>"$SCRATCH/load.err" &
    load_pid=$!
}

stop_load() {
    kill -TERM $load_pid
    wait $load_pid
    load_pid=
}

ack_count() {
    grep -c '^ack ' "$acks"
}

has_acks() {
    [ "$(ack_count)" -ge "$1" ]
}

wait_acks() {
    wait_for 60 has_acks $(($(ack_count) + $1))
}

everything() {
    python3 "$load" check "${1:-$socket}" "$begin" "$acks" 2>&1
}

metrics_end() {
    for p in $pid $load_pid $metrics_pids; do
        kill -CONT $p
        kill -9 $p
    done
}
metrics_pids=
at_exit metrics_end
