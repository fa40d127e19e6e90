#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Hosts of jobs that run by their records stay in memory beyond the retention, and go when
# the end of the job is reported; a job whose end was lost holds nothing for ever.  No
# footprints here: they hold the hosts of a job that ended until its own is made (test 1660).
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
[barod]
footprints = none
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
# shellcheck disable=SC2034 # lib-barod.sh has it
pid=$!
at_exit 'kill -9 $pid'
ok "barod starts" wait_for 20 curl -sf --unix-socket "$socket" -o "$SCRATCH/out" http://x/healthz
send() { # hosts first last, in steps of 10 s
    for host in $1; do
        seq "$2" "$3" | awk -v h="$host" -v e=$epoch \
            '{ printf "load,cluster=alex,hostname=%s value=%d %d\n", h, $1, e + 10 * $1 }'
    done | curl -s --unix-socket "$socket" http://x/api/write --data-binary @-
}
has_released() { # slots
    [ "$(curl -s --unix-socket "$socket" http://x/v1/status | jq .store.slots_released)" = "$1" ]
}
# The retention looks again as time goes on.
releases() { # slots
    at $((time += 600))
    sleep 0.1
    has_released "$1"
}
job() { # ID STATE END NODES LIMIT
    printf 'JobID|Cluster|State|Start|End|NNodes|NodeList|Timelimit\n%s|alex|%s|%s|%s|1|%s|%s\n' \
        "$1" "$2" "$((epoch + 10))" "$3" "$4" "$5" | baro job import --server "unix:$socket" - 2>&1
}
is "a job that runs is known" "$(job 7 RUNNING Unknown 'a[1-2]' UNLIMITED)" \
    "baro job import: 1 new, 0 changed, 0 known, 0 refused"
is "and one with a limit of ten minutes" "$(job 8 RUNNING Unknown b1 00:10:00)" \
    "baro job import: 1 new, 0 changed, 0 known, 0 refused"
send "a1 b1 d1" 0 700
at 700
has_checkpoint() {
    ls "$SCRATCH"/store/blocks-* >/dev/null
}
ok "a checkpoint has the samples" wait_for 60 has_checkpoint
# A block has 256 samples; of each host the first two are older than the retention now.
time=9000
ok "what belongs to no job goes" wait_for 20 releases 512
is "hosts of running jobs stay" "$(curl -s -G --unix-socket "$socket" http://x/v1/query -d metric=load \
    -d component=alex/a1 -d from=@$epoch -d to=@$((epoch + 20)) | jq -c '.results[0].sources')" '["memory"]'
is "the end of a job is reported" "$(job 7 COMPLETED $((epoch + 8000)) 'a[1-2]' UNLIMITED)" \
    "baro job import: 0 new, 1 changed, 0 known, 0 refused"
ok "then its hosts go as all others" wait_for 20 releases 1024
time=90000
at $time
is "a list without news makes barod look" "$(job 9 COMPLETED $((epoch + 8000)) c1 00:10:00)" \
    "baro job import: 1 new, 0 changed, 0 known, 0 refused"
ok "a job a day beyond its limit holds nothing" wait_for 20 releases 1536
finish
