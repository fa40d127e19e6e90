#!/bin/sh
# Hosts with running jobs keep their history in memory beyond the retention.
. "$(dirname "$0")/lib.sh"
requires curl jq baro-sim

epoch=1669014000
CLOCK=$SCRATCH/clock socket=$SCRATCH/barod.sock
at() {
    baro-sim clock --clock "$CLOCK" --set "@$((epoch + $1))"
}
at 0
export BARO_CLOCK="$CLOCK"
cat >"$SCRATCH/barod.conf" <<CONF
[net]
socket = $socket
listen = none
[records]
path = $SCRATCH/records.db
[store]
directory = $SCRATCH/store
retention = 1h
checkpoint = 10m
own_metrics = 0s
[metric load]
step = 10s
CONF
barod --config "$SCRATCH/barod.conf" >"$SCRATCH/barod.log" 2>&1 &
pid=$!
at_exit 'kill -9 $pid'
ok "barod starts" wait_for 20 curl -sf --unix-socket "$socket" -o "$SCRATCH/out" http://x/healthz
exempt() { # hosts until
    curl -s -X POST --unix-socket "$socket" "http://x/v1/store/exempt?cluster=alex&hosts=$1&until=$2" -g |
        jq -c "${3:-.}"
}
send() { # hosts first last, in steps of 10 s
    for host in $1; do
        seq "$2" "$3" | awk -v h="$host" -v e=$epoch \
            '{ printf "load,cluster=alex,hostname=%s value=%d %d\n", h, $1, e + 10 * $1 }'
    done | curl -s --unix-socket "$socket" http://x/api/write --data-binary @-
}
exempt_count() {
    curl -s --unix-socket "$socket" http://x/v1/status | jq .store.hosts_exempt
}
# A block has 256 samples; of each host the first two are older and older.
has_released() { # slots
    [ "$(curl -s --unix-socket "$socket" http://x/v1/status | jq .store.slots_released)" = "$1" ]
}

is "hosts are exempt" "$(exempt "a[1-2]" "@$((epoch + 20000))")" '{"hosts":2,"exempt":2}'
is "more of them" "$(exempt "b[001-100],c1" "@$((epoch + 7500))")" '{"hosts":101,"exempt":103}'
is "now ends it" "$(exempt "b[001-100]" now)" '{"hosts":100,"exempt":3}'
is "the status counts them" "$(exempt_count)" 3
is "a time too far away is refused" "$(exempt a1 "@$((epoch + 3000000))" .status)" 400
is "no time too" "$(exempt a1 soon .status)" 400
is "hosts that are no set are refused" "$(exempt "a[1" "@$((epoch + 1000))" .status)" 400
is "a client that may only read exempts no host" \
    "$(curl -s -X POST --unix-socket "$socket" 'http://x/v1/store/exempt?cluster=alex' | jq .status)" 400

send "a1 c1 d1" 0 700
at 700
has_checkpoint() {
    ls "$SCRATCH"/store/blocks-* >/dev/null
}
ok "a checkpoint has it" wait_for 60 has_checkpoint
at 7000
ok "what is not exempt goes when it is older than the retention" wait_for 60 has_released 256
at 7600
ok "what was exempt until now goes too" wait_for 60 has_released 512
is "and is forgotten" "$(exempt_count)" 2
at 9000
ok "what is exempt stays" wait_for 60 has_released 1024
at 20100
ok "until its time" wait_for 60 has_released 1536
is "files have what went" "$(curl -s -X GET --unix-socket "$socket" http://x/api/query \
    -d '{"cluster":"alex","from":'$epoch',"to":'$((epoch + 30))',"queries":[{"metric":"load","host":"d1"}]}' |
    jq -c '.results[0][0].data')" "[0,1,2]"
kill -TERM "$pid"
wait "$pid"
is "SIGTERM ends it" $? 0
finish
