#!/bin/sh
# barod tells how its store is, to Prometheus, to people, to itself; --check looks at it.
. "$(dirname "$0")/lib.sh"
requires curl jq

CLOCK=$SCRATCH/clock socket=$SCRATCH/barod.sock
epoch=1669014000
at() {
    baro-sim clock --clock "$CLOCK" --set "@$((epoch + $1))"
}
cat >"$SCRATCH/barod.conf" <<CONF
[net]
socket = $socket
listen = none
[records]
path = $SCRATCH/records.db
[store]
directory = $SCRATCH/store
[metric load]
step = 10s
CONF
check() { # configuration option...
    check_file=$1
    shift
    barod --config "$SCRATCH/$check_file" --check "$@" 2>&1
}
is "--check tells of the store" "$(check barod.conf | grep '^store:')" "store: $SCRATCH/store, 1 metrics"
ok "and touches nothing" not test -e "$SCRATCH/store"
sed 's/step = .*/step = soon/' "$SCRATCH/barod.conf" >"$SCRATCH/soon.conf"
is "a step that is none is found by --check" \
    "$(check soon.conf | sed -n 's/.*\(metric load: step.*\)/\1/p')" \
    "metric load: step: 'soon' is neither a time such as 10s, nor found, nor none"
for bad in store.archive=burn store.compat=maybe write.metrics=some write.step=often "store.directory=$SCRATCH/barod.conf/x"; do
    ok "$bad is found by --check" not check barod.conf --set "$bad"
done

at 1
export BARO_CLOCK="$CLOCK"
barod --config "$SCRATCH/barod.conf" >"$SCRATCH/barod.log" 2>&1 &
pid=$!
at_exit "kill -9 $pid"
ok "barod starts" wait_for 20 curl -sf --unix-socket "$socket" http://x/healthz
get() {
    curl -s -G --unix-socket "$socket" "http://x$1"
}
metric() {
    get /metrics | sed -n "s/^baro_$1 //p"
}
ok "a checkpoint is made by request of nobody" test "$(metric 'store_worker_runs_total{worker="checkpoint"}')" -ge 0
curl -s --unix-socket "$socket" http://x/api/write --data-binary "load,cluster=c,hostname=h value=1 $epoch"
is "/metrics has the store's samples" "$(metric store_samples_total)" 1
ok "and the bytes of its log" test "$(metric store_log_bytes_total)" -gt 0
is "and its workers" \
    "$(get /metrics | sed -n 's/^baro_store_worker_age_seconds{worker="\(.*\)"}.*/\1/p' | tr '\n' ' ')" \
    "retention memory checkpoint archive shutdown "
host=$(hostname | cut -d. -f1)
own() { # metric component
    get "/v1/query?metric=baro_$1&component=barograph/$host$2&from=@$epoch&to=@$((epoch + 100))" |
        jq -c '.results[0] | [.step, (.values | length)]'
}
is_kept() {
    [ "$(own net_requests_total "")" = "[10,$1]" ]
}
for i in 1 2 3; do
    at $((i * 10))
    ok "own metrics are kept at $((i * 10)) s" wait_for 10 is_kept $i
done
is "labels are components" "$(own store_worker_runs_total /worker:retention)" "[10,3]"
is "the first sample of load is one of them" \
    "$(get "/v1/query?metric=baro_ingest_metric_samples_total&component=barograph/*&from=@$epoch&to=@$((epoch + 100))" |
        jq -c '.results[0].values')" "[1,1,1]"
BARO_SERVER=unix:$socket
export BARO_SERVER
is "store status shows the workers" \
    "$(baro store status -o csv | grep -c '^\(retention\|memory\|checkpoint\|archive\|shutdown\)_\(runs\|failures\|done\|last_ms\|age_s\),[0-9]')" 25
is "and what was found of steps" "$(baro store status -o csv | grep '^steps_found,' | cut -d, -f1-2)" "steps_found,0"
ok "--check works beside a running barod" check barod.conf
kill -TERM $pid
ok "SIGTERM ends it" wait $pid
is "without own metrics there are none" "$(
    barod --config "$SCRATCH/barod.conf" --set store.own_metrics=0s --set "store.directory=$SCRATCH/other" >>"$SCRATCH/barod.log" 2>&1 &
    pid=$!
    wait_for 20 curl -sf --unix-socket "$socket" http://x/healthz
    at 40
    sleep 0.2
    metric store_samples_total
    kill $pid
    wait $pid)" 0
finish
