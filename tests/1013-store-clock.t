#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The clock of a barod that is written to is stepped back an hour, and forward again, while
# checkpoints, retention and archive go by it: nothing is lost, and they go on.
. "$(dirname "$0")/lib.sh"
requires curl python3
. "$TOP/tests/metrics/metrics.sh"
metrics_config "$SCRATCH/store" 1700000000
BARO_CLOCK=$SCRATCH/clock
export BARO_CLOCK
printf 'baroclk1\000\000\000\000\000\000\000\000' >"$BARO_CLOCK"

# By step_clock all that the sender shows from then on is so many seconds off.
step_clock() {
    echo "$1" >"$BARO_CLOCK.offset.new"
    mv "$BARO_CLOCK.offset.new" "$BARO_CLOCK.offset"
}
# What shows that a worker has run.
trace() {
    case $1 in
    checkpoint) find "$store" -name 'manifest-*' ;;
    archive) find "$store" -name 'archive-*' ;;
    retention) baro store status --server "unix:$socket" -o csv --raw |
        grep '^slots_released,' ;;
    esac | sort | tail -n 1
}
has_changed() {
    [ "$(trace "$1")" != "$2" ]
}
go_on() {
    wait_for 60 has_changed "$1" "$(trace "$1")"
}

step_clock 0
ok "barod starts with a played clock" start_barod --set store.checkpoint=60s \
    --set store.retention=30m --set store.archive_after=20m
start_load
ok "an hour and a half of samples comes in" wait_acks 5400
ok "checkpoints are made" go_on checkpoint
ok "history is let go" go_on retention
ok "files go to the archive" go_on archive
is "everything is answered" "$(everything | head -n 1)" "missing 0 wrong 0"

step_clock -3600
ok "stepped back an hour, it takes samples" wait_acks 600
ok "and makes checkpoints" go_on checkpoint
ok "and lets history go" go_on retention
is "everything is answered" "$(everything | head -n 1)" "missing 0 wrong 0"
kill -9 $pid
wait $pid 2>/dev/null
ok "killed in the hour that is twice, it starts" start_barod --set store.checkpoint=60s \
    --set store.retention=30m --set store.archive_after=20m
is "everything is there" "$(everything | head -n 1)" "missing 0 wrong 0"
ok "samples come in" wait_acks 600

step_clock 0
ok "stepped forward again, it goes on" wait_acks 3600
ok "with checkpoints" go_on checkpoint
ok "and the archive" go_on archive
is "everything is answered" "$(everything | head -n 1)" "missing 0 wrong 0"
stop_load
is "nothing was refused" "$(grep -c '^refused' "$acks")" 0
kill -TERM $pid
wait $pid
is "SIGTERM ends it" $? 0
pid=
finish
