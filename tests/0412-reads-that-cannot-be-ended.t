#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Ten targets of a dead controller, whose reads cannot be ended: the others are read in
# every round, and the log and a metric say what hangs.
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/lib.sh"
requires baro-sim-hang
# shellcheck source=tests/agent/agent.sh
. "$TOP/tests/agent/agent.sh"

agent_world 2.15.8
pids=$SCRATCH/pids
: >"$pids"
# shellcheck disable=SC2317 # by at_exit
end_hanging() {
    while read -r hanging; do
        kill -9 "$hanging" 2>/dev/null
    done <"$pids"
}
at_exit end_hanging
cat >"$SCRATCH/lctl" <<EOF
#!/bin/sh
case \$* in
*job_cleanup_interval*) exit 0 ;;
"get_param -N"*)
    for n in 0 1 2 3 4 5 6 7 8 9 a b; do
        echo "obdfilter.scratch-OST000\$n.job_stats"
    done
    ;;
*OST000[0-9].job_stats) exec baro-sim-hang "$pids" ;;
*) exec "$FS/servers/oss01/lctl" get_param -n obdfilter.scratch-OST0001.job_stats ;;
esac
EOF
chmod +x "$SCRATCH/lctl"
baro-sim-hang "$pids" &
wait_for 10 test -s "$pids"
looked=$(sed 's/.*) //; s/ .*//' "/proc/$(cat "$pids")/stat")
[ "$looked" = D ] || skip_all "no process can be made to sleep in the kernel here: state '$looked'"
end_hanging
: >"$pids"

baro-agent --config "$CONF" --set "agent.lctl=$SCRATCH/lctl" --set agent.deadline=1s \
    --set agent.interval=10s --set agent.totals_interval=0s --set agent.log_level=debug \
    --set "agent.metrics=$SCRATCH/metrics" >"$LOG" 2>&1 &
daemon=$!
at_exit 'kill -9 $daemon'
wait_for 10 grep -q observing "$LOG"
metric() {
    awk -v name="baro_agent_$1" '$1 == name { print $2 }' "$SCRATCH/metrics" 2>/dev/null
}
reads_of() { # TARGET COUNT: so many of its reads were stored
    [ "$(grep -c "read of $1 at .*: stored" "$LOG")" -ge "$2" ]
}
# The clock goes on until a condition holds.
minute=1
until_true() {
    for _ in $(seq 1 600); do
        "$@" && return 0
        minute=$((minute + 1))
        (unset BARO_CLOCK && baro-sim clock --clock "$CLOCK" --set "@$((EPOCH + minute * 3))" >/dev/null)
        sleep 0.05
    done
    return 1
}
ten_hang() {
    [ "$(metric reads_hanging)" = 10 ]
}
ok "all ten hang in the end, and are told by a metric" until_true ten_hang
done_a=$(grep -c "read of scratch-OST000a at .*: stored" "$LOG")
ok "a target of another controller is read, round after round" \
    until_true reads_of scratch-OST000a $((done_a + 3))
ok "and so is the next" until_true reads_of scratch-OST000b 3
ok "the log says what hangs" grep -q 'reads hang in the kernel and cannot be ended' "$LOG"
is "none was begun twice" "$(sort "$pids" | uniq -d | wc -l) $(wc -l <"$pids")" "0 10"
end_hanging
none_hangs() {
    [ "$(metric reads_hanging)" = 0 ]
}
kill -TERM $daemon
wait $daemon
is "SIGTERM ends it well" $? 0
finish
