#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The agent's unit leaves Lustre's files readable: read through its own restrictions, made
# by hand out of its own lines (tests/agent/sandbox.py), as its user, in the three places
# that Lustre has had.
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=tests/agent/agent.sh
. "$TOP/tests/agent/agent.sh"
requires setpriv systemd-analyze

agent_world 2.15.8
unset BARO_CLOCK
export ASAN_OPTIONS=detect_leaks=0 # which would want ptrace
sed "s|@sbindir@|/srv/sbin|" "$TOP/etc/systemd/baro-agent.service.in" \
    >"$SCRATCH/baro-agent.service"
baro-sim materialise --fs "$FS" --server oss01 --root "$SCRATCH/root"

# A target in each place; debugfs is closed to all but root.
proc=$SCRATCH/root/proc/fs sys=$SCRATCH/root/sys/fs debug=$SCRATCH/root/debug
mkdir -p "$sys/lustre/obdfilter" "$sys/cgroup" "$debug/lustre/obdfilter"
mv "$proc/lustre/obdfilter/scratch-OST0001" "$sys/lustre/obdfilter/"
mv "$proc/lustre/obdfilter/scratch-OST0002" "$debug/lustre/obdfilter/"
chmod -R a+rX "$SCRATCH/root"
chmod -R go= "$debug"
cat >"$SCRATCH/agent.conf" <<CONF
[agent]
server = unix:/srv/nobody-listens
host = oss01
source = files
reader = /srv/libexec/baro-lustre-read
state = /var/lib/barograph/agent
spool = /var/lib/barograph/spool
CONF

sandbox() { # --add LINE ... -- COMMAND...
    python3 "$TOP/tests/agent/sandbox.py" "$SCRATCH/baro-agent.service" \
        --bind "$proc:/proc/fs" --bind "$sys:/sys/fs" --bind "$debug:/sys/kernel/debug" \
        --install "$BUILD/src/cmd/baro-agent:/srv/sbin/baro-agent" \
        --install "$BUILD/src/cmd/baro-lustre-read:/srv/libexec/baro-lustre-read" \
        --install "$SCRATCH/agent.conf:/srv/agent.conf" "$@"
}
read_all() {
    sandbox "$@" -- /srv/libexec/baro-lustre-read get_param 'obdfilter.*.job_stats' 2>&1
}

why=$(sandbox -- true 2>&1)
case $? in
0) ;;
77) skip_all "${why#sandbox: }" ;;
*) echo "# $why" ;;
esac

# ---- it is in force ----
# shellcheck disable=SC2016 # expanded inside
is "in it nothing is root's, at home, or writable but its own" "$(sandbox -- sh -c '
    id -u | grep -qv "^0$" && echo user
    touch /usr/x 2>/dev/null || echo system
    [ -z "$(ls -A /root /home 2>/dev/null | grep -v :)" ] && echo home
    ls "$1" 2>/dev/null || echo tmp
    unshare -U true 2>/dev/null || echo namespaces
    touch /var/lib/barograph/agent/x && echo state
    grep -c "^CapBnd:.*0000000000000004$" /proc/self/status
    grep -c "^NoNewPrivs:.*1$" /proc/self/status' sh "$SCRATCH" | tr '\n' ' ')" \
    "user system home tmp namespaces state 1 1 "
ok "a line that the test does not know is noticed" \
    sh -c '! "$@"' sh python3 "$TOP/tests/agent/sandbox.py" "$SCRATCH/baro-agent.service" \
    --add "ProtectEverything=yes" -- true

# ---- Lustre is readable through it ----
read_all >"$SCRATCH/out"
for target in "proc 0000" "sys 0001" "debugfs 0002"; do
    is "the reader reads the target in ${target% *}" \
        "$(grep -c "^obdfilter.scratch-OST${target#* }.job_stats=" "$SCRATCH/out")" 1
done
is "and all of each" "$(grep -c '^- job_id:' "$SCRATCH/out")" \
    "$(cat "$proc" "$sys" "$debug" -- 2>/dev/null
    find "$SCRATCH/root" -name job_stats -exec cat {} + | grep -c '^- job_id:')"
sandbox -- /srv/sbin/baro-agent --config /srv/agent.conf --once >"$LOG" 2>&1
is "the agent reads three targets through it" "$(count agent_reads_total)" 3
is "none fails" "$(count agent_reads_failed_total)" 0
is "and each is kept in its spool" "$(count agent_reads_not_stored_total)" 0

# ---- and would not be with other lines: this test can fail ----
is "with ProtectKernelTunables the target in debugfs could not be read" \
    "$(read_all --add ProtectKernelTunables=yes | grep -c '^obdfilter.*job_stats=')" 2
is "with ProcSubset=pid the one in proc could not" \
    "$(read_all --add ProcSubset=pid | grep -c '^obdfilter.*job_stats=')" 2
sed '/^AmbientCapabilities/d' "$SCRATCH/baro-agent.service" >"$SCRATCH/without"
mv "$SCRATCH/without" "$SCRATCH/baro-agent.service"
is "without the one capability what is closed to others could not" \
    "$(read_all | grep -c '^obdfilter.*job_stats=')" 2
finish
