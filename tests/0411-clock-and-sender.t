#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A clock that is set back while barod is away does not silence the sender; SIGHUP and
# removed directories do not silence the agent.
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=tests/agent/agent.sh
. "$TOP/tests/agent/agent.sh"

agent_world 2.15.8
answer 503
baro-agent --config "$CONF" --set agent.totals_interval=0s --set agent.log_level=debug \
    --set "agent.metrics=$SCRATCH/metrics" >"$LOG" 2>&1 &
daemon=$!
at_exit 'kill -9 $daemon'
wait_for 10 grep -q observing "$LOG"
minute=2
at $minute
# The clock goes on until a condition holds: rounds are begun by it.
until_true() {
    for _ in $(seq 1 1500); do
        "$@" && return 0
        minute=$((minute + 1))
        at $minute
        sleep 0.1
    done
    return 1
}
ok "with barod away, batches wait" until_true grep -q 'batches wait in the spool' "$LOG"

at -50
asked=$(wc -l <"$SINK/asked")
has_asked_again() {
    [ "$(wc -l <"$SINK/asked")" -gt $((asked + 1)) ]
}
ok "the sender goes on asking though the clock was set back by most of an hour" \
    wait_for 60 has_asked_again
answer 200
has_sent() {
    ls "$SINK"/*.json.zst >/dev/null 2>&1
}
ok "and sends when barod is there again, with the clock where it is" wait_for 60 has_sent

# ---- SIGHUP ----
kill -HUP $daemon
ok "SIGHUP is told of" wait_for 10 grep -q 'SIGHUP changes nothing' "$LOG"
ok "and ends nothing" kill -0 $daemon

# ---- directories removed under the running agent ----
minute=-49
stored() {
    grep -c 'read of .*: stored' "$LOG"
}
rm -rf "$SCRATCH/state"
before=$(stored)
goes_on() {
    [ "$(stored)" -gt $((before + 2)) ]
}
ok "without its state directory it goes on" until_true goes_on
ok "having made it again" test -s "$SCRATCH/state/agent.list"
ok "and said so" grep -q "state' was removed, and is made again" "$LOG"

answer 503
asked=$(wc -l <"$SINK/asked")
has_waiting() { # refused since: a batch that was on its way at the change is taken yet
    has_asked_again && [ "$(sed -n 's/^baro_spool_records //p' "$SCRATCH/metrics")" -gt 0 ]
}
ok "batches wait in the spool" until_true has_waiting
mv "$SCRATCH/spool" "$SCRATCH/gone" # at once: what is stored meanwhile is in one or the other
ok "a spool that was removed is made again" until_true test -s "$SCRATCH/spool/acknowledged"
has_counted() {
    [ "$(sed -n 's/^baro_spool_lost_records_total //p' "$SCRATCH/metrics")" -gt 0 ] &&
        [ "$(sed -n 's/^baro_spool_lost_entries_total //p' "$SCRATCH/metrics")" -gt 0 ]
}
ok "what was in it is counted as lost" until_true has_counted
ok "and logged" grep -q 'batches with .* entries were lost' "$LOG"
answer 200
rm -f "$SINK"/*.json.zst
ok "what comes after it is sent" until_true has_sent
kill -TERM $daemon
wait $daemon
is "SIGTERM ends it well" $? 0
finish
