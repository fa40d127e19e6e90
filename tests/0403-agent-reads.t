#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# How the agent reads: files through the small reader, servers that hang, units.
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=tests/agent/agent.sh
. "$TOP/tests/agent/agent.sh"

agent_world 2.15.8
baro-sim materialise --fs "$FS" --server oss01 --root "$SCRATCH/root"
lctl=$FS/servers/oss01/lctl
read_files() {
    baro-lustre-read --root "$SCRATCH/root" "$@"
}
for words in "-N obdfilter.*.job_stats" "-n obdfilter.scratch-OST0001.job_stats" \
    "obdfilter.*.job_cleanup_interval" "obdfilter.scratch-OST0001.job_stats"; do
    # shellcheck disable=SC2086 # words on purpose
    is "the reader prints $words as lctl does" \
        "$(set -f; read_files get_param $words)" "$(set -f; $lctl get_param $words)"
done
ok "it reads nothing else" \
    not read_files get_param obdfilter.scratch-OST0001.num_exports
ok "no way leads out of its folders" \
    not read_files get_param 'obdfilter.../../../../etc/passwd.job_stats'
read_files get_param 'mdt.*.job_stats' 2>"$SCRATCH/none"
is "what is not there is said as lctl says it" "$?" 2
ok "with its words" grep -q 'No such file or directory' "$SCRATCH/none"
reader=$BUILD/src/cmd/baro-lustre-read
ok "the agent reads through it" agent --once --set agent.source=files \
    --set "agent.root=$SCRATCH/root" --set "agent.reader=$reader"
is "and finds all entries" "$(rows 'select(.snapshot_time != null)' | wc -l)" \
    "$(count observe_entries_total)"
agent --check --user "$(id -un)" --set agent.source=files --set "agent.root=$SCRATCH/root" \
    --set "agent.reader=$reader"
ok "--check tells of each place" grep -q "proc/fs/lustre: can be read" "$LOG"

# ---- a server that hangs ----
rm -f "$SINK"/*.zst
cat >"$SCRATCH/slow-lctl" <<SLOW
#!/bin/sh
case \$* in
*OST0001.job_stats) exec sleep 1000 ;;
*) exec "$FS/servers/oss01/lctl" "\$@" ;;
esac
SLOW
chmod +x "$SCRATCH/slow-lctl"
at 2
ok "a target that hangs is a failure of --once" \
    not agent --once --set "agent.lctl=$SCRATCH/slow-lctl" --set agent.deadline=10s
is "it is given up at the deadline" "$(count agent_reads_given_up_total)" 1
is "the others are sent" "$(rows .target | sort -u | tr '\n' ' ')" \
    '"scratch-OST0000" "scratch-OST0002" '
at 4
ok "it goes on when the target answers" agent --once
is "from the last look" "$(rows 'select(.target == "scratch-OST0001" and
    .since < "2022-11-21T07:00:00.000Z" and .reset == false)' | wc -l)" 0

# ---- the daemon: a signal ends it, its counters are told ----
baro-agent --config "$CONF" --set "agent.metrics=$SCRATCH/metrics" >"$SCRATCH/daemon.log" 2>&1 &
daemon=$!
at_exit "kill -9 $daemon"
wait_for 10 grep -q 'observing' "$SCRATCH/daemon.log"
at 6
ok "a round is begun when its time has come" \
    wait_for 10 test -s "$SCRATCH/metrics"
kill -USR1 $daemon
ok "SIGUSR1 has the counters told" \
    wait_for 10 grep -q baro_observe_rounds_total "$SCRATCH/daemon.log"
kill -TERM $daemon
wait $daemon
is "SIGTERM ends it well" $? 0

# ---- what is installed ----
is "the sample has every key" \
    "$(sed -n 's/^# \([a-z_]*\) =.*/\1/p' "$TOP/etc/baro-agent.conf" | sort -u)" \
    "$(baro-agent --print-config | sed -n 's/^# \([a-z_]*\) =.*/\1/p' | sort -u)"
ok "the sample is understood" baro-agent --config "$TOP/etc/baro-agent.conf" \
    --set "agent.lctl=$FS/servers/oss01/lctl" --set "agent.state=$SCRATCH/s" \
    --set "agent.spool=$SCRATCH/q" --check --user "$(id -un)"
for key in $(baro-agent --print-config | sed -n 's/^# \([a-z_]*\) =.*/\1/p' | sort -u); do
    grep -q "^\*$key\* =" "$TOP/doc/man/baro-agent.conf.5.scd" || echo "$key"
done >"$SCRATCH/missing"
is "every key has its place in the man page" "$(cat "$SCRATCH/missing")" ""
if command -v systemd-analyze >/dev/null; then
    sed "s|@sbindir@|$BUILD/src/cmd|" "$TOP/etc/systemd/baro-agent.service.in" \
        >"$SCRATCH/baro-agent.service"
    systemd-analyze verify --man=no "$SCRATCH/baro-agent.service" >"$SCRATCH/unit" 2>&1
    is "systemd finds no fault in the unit" \
        "$(grep -c 'baro-agent.service:.*\(Unknown\|Failed\|Invalid\)' "$SCRATCH/unit")" 0
else
    skip "the unit" "systemd-analyze is missing"
fi

finish
