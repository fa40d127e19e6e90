#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Signals to a barod that is written to: SIGTERM and SIGINT end it with everything in
# files, SIGTSTP writes everything and stops it until SIGCONT, SIGKILL leaves the log.
. "$(dirname "$0")/lib.sh"
requires curl python3
. "$TOP/tests/metrics/metrics.sh"
metrics_config

state_of() {
    sed 's/^.*) //; s/ .*//' "/proc/$1/stat"
}
is_stopped() {
    [ "$(state_of "$pid")" = T ]
}
# Another barod on what has come to files: the logs are taken away.
answers_of_files() {
    rm -rf "$SCRATCH/copy"
    cp -R "$store" "$SCRATCH/copy"
    rm -f "$SCRATCH"/copy/log-* "$SCRATCH/copy/lock"
    sed "s,$store,$SCRATCH/copy,; s,$socket,$SCRATCH/copy.sock,; s,records.db,copy.db," \
        "$SCRATCH/barod.conf" >"$SCRATCH/copy.conf"
    barod --config "$SCRATCH/copy.conf" >"$SCRATCH/copy.log" 2>&1 &
    metrics_pids=$!
    wait_for 20 curl -sf --unix-socket "$SCRATCH/copy.sock" http://x/healthz
    everything "$SCRATCH/copy.sock"
    kill -TERM $metrics_pids
    wait $metrics_pids
    metrics_pids=
}

ok "barod starts" start_barod
start_load
for signal in TERM INT; do
    ok "samples come in" wait_acks 300
    kill -$signal $pid
    wait $pid
    is "SIG$signal under load ends it with status 0" $? 0
    is "files alone have everything that was acknowledged" "$(answers_of_files | head -n 1)" \
        "missing 0 wrong 0"
    ok "barod starts again" start_barod
    is "everything that was acknowledged is answered" "$(everything | head -n 1)" \
        "missing 0 wrong 0"
done

# Without checkpoints of its own, so that what is written is written by the signal.
kill -TERM $pid
wait $pid
ok "barod starts, to make no checkpoint for an hour" start_barod --set store.checkpoint=1h
for round in first second; do
    ok "samples come in" wait_acks 300
    stop_load
    kill -TSTP $pid
    ok "SIGTSTP stops it, the $round time" wait_for 20 is_stopped
    is "files alone have everything that was acknowledged" "$(answers_of_files | head -n 1)" \
        "missing 0 wrong 0"
    start_load
    curl -s -m 60 -o "$SCRATCH/late" -w '%{http_code}' --unix-socket "$socket" \
        http://x/healthz >"$SCRATCH/late.status" &
    late=$!
    before=$(ack_count)
    sleep 0.3
    is "whoever comes meanwhile waits" "$(ack_count) $(cat "$SCRATCH/late.status")" "$before "
    kill -CONT $pid
    wait $late
    is "after SIGCONT he is answered" "$(cat "$SCRATCH/late.status")" 200
    ok "and samples come in" wait_acks 300
done
kill -TSTP $pid
ok "SIGTSTP under load stops it too" wait_for 20 is_stopped
kill -9 $pid
wait $pid 2>/dev/null
pid=
ok "killed while it is stopped, it starts again" start_barod
is "and has everything that was acknowledged" "$(everything | head -n 1)" "missing 0 wrong 0"

bad=
for round in $(seq "${ROUNDS:-5}"); do
    wait_acks $((round * 37 % 200 + 20))
    kill -9 $pid
    wait $pid 2>/dev/null
    start_barod
    got=$(everything | head -n 1)
    [ "$got" = "missing 0 wrong 0" ] || bad="$bad round $round: $got;"
done
is "after each kill -9 under load everything that was acknowledged is there" "$bad" ""

# A signal to stop while it is stopped is heard when it goes on.
kill -TSTP $pid
ok "SIGTSTP once more" wait_for 20 is_stopped
kill -TERM $pid
kill -CONT $pid
wait $pid
is "SIGTERM to a stopped barod ends it when it goes on" $? 0
stop_load
ok "barod starts the last time" start_barod
is "everything is there at the end" "$(everything | head -n 1)" "missing 0 wrong 0"
kill -TERM $pid
wait $pid
pid=
finish
