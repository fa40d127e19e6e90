#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The units that record health and GPFS: their own ExecStart, under their own restrictions
# made by hand (tests/agent/sandbox.py), against played commands.  As root.
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/lib.sh"
requires python3 setpriv systemd-analyze baro
export ASAN_OPTIONS=detect_leaks=0 # which would want ptrace
day=$(date -u +%Y-%m-%d)
for unit in health gpfs-record; do
    sed "s|@bindir@|/srv/bin|; s|/etc/barograph|/srv/etc|g; s|/usr/lpp/mmfs/bin|/srv/lpp|" \
        "$TOP/etc/systemd/baro-$unit.service.in" >"$SCRATCH/baro-$unit.service"
done
sandbox() { # UNIT OPTION... [--exec] -- ...
    unit=$1 && shift
    python3 "$TOP/tests/agent/sandbox.py" "$SCRATCH/baro-$unit.service" \
        --install "$BUILD/src/cmd/baro:/srv/bin/baro" "$@"
}
echo BARO_GPFS_CLUSTER=viz >"$SCRATCH/env"
echo "BARO_GPFS_OPTIONS=--side server --step 1s" >>"$SCRATCH/env"
why=$(sandbox health -- true 2>&1)
case $? in
0) ;;
77) skip_all "${why#sandbox: }" ;;
*) echo "# $why" ;;
esac

# ---- what both keep from the programs they run ----
for unit in health gpfs-record; do
    # shellcheck disable=SC2016 # expanded inside
    is "$unit: nothing but its own directory can be written, nor is there a network" \
        "$(sandbox $unit -- sh -c '
        touch /usr/x 2>/dev/null || echo system
        touch /etc/x 2>/dev/null || echo etc
        touch /home/x 2>/dev/null || echo home
        unshare -U true 2>/dev/null || echo namespaces
        ls "$1" 2>/dev/null || echo tmp
        cat /proc/net/dev | grep -c eth
        cd /var/lib/barograph/* && touch x && echo state
        grep -c "^NoNewPrivs:.*1$" /proc/self/status' sh "$SCRATCH" 2>/dev/null | tr '\n' ' ')" \
        "system etc home namespaces tmp 0 state 1 "
done

# ---- health: a mount below /home, and devices in a debugfs that is root's ----
mkdir -p "$SCRATCH/home/scratch" "$SCRATCH/debug/lustre" "$SCRATCH/health"
cat >"$SCRATCH/home/scratch/df" <<'END'
UUID 1K-blocks Used Available Use% Mounted on
scratch-OST0000_UUID 1000 500 500 50% /home/scratch[OST:0]
END
echo "  4 UP osc scratch-OST0000-osc-ffff88 8dbd 5 oss1@tcp" >"$SCRATCH/debug/lustre/devices"
chmod -R go= "$SCRATCH/debug"
printf '#!/bin/sh\n[ "$*" = df ] && cat /home/scratch/df\n' >"$SCRATCH/lfs"
printf '#!/bin/sh\n[ "$*" = "dl -t" ] && cat /sys/kernel/debug/lustre/devices\n' >"$SCRATCH/lctl"
chmod +x "$SCRATCH/lfs" "$SCRATCH/lctl"
health() {
    sandbox health --bind "$SCRATCH/home:/home" --bind "$SCRATCH/debug:/sys/kernel/debug" \
        --install "$SCRATCH/lfs:/srv/lustre/lfs" --install "$SCRATCH/lctl:/srv/lustre/lctl" \
        --state "$SCRATCH/health" "$@" --exec -- --lfs /srv/lustre/lfs --lctl /srv/lustre/lctl \
        >"$SCRATCH/said" 2>&1
}
kept=$SCRATCH/health/barograph/health
ok "health: the unit's command takes a sample" health
is "of both commands" "$(tail -qn 1 "$kept/df-$day.txt" "$kept/dl-$day.txt" 2>&1)" \
    "scratch-OST0000_UUID 1000 500 500 50% /home/scratch[OST:0]
  4 UP osc scratch-OST0000-osc-ffff88 8dbd 5 oss1@tcp"
is "which anybody may read" "$(stat -c %a "$kept" "$kept/df-$day.txt" | tr '\n' ' ')" "755 644 "
ok "and shown" sh -c "baro health show '$kept' >/dev/null"
ok "a timer that comes too early finds it young enough" health
is "and asks nobody" "$(grep -c BEGIN "$kept/df-$day.txt")" 1
# With other lines it would not be so: this test can fail.
files() { (cd "$kept" && echo *-"$day".txt); }
rm -r "$SCRATCH/health"
health --add ProtectKernelTunables=yes
is "with ProtectKernelTunables the devices could not be read" "$(files)" "df-$day.txt"
rm -r "$SCRATCH/health"
health --add ProtectHome=yes
is "with ProtectHome=yes nor a mount below /home" "$(files)" "dl-$day.txt"

# ---- GPFS: a daemon behind a socket ----
mkdir -p "$SCRATCH/mmfs"
"$TOP/tests/sim/mmpmon" --serve "$SCRATCH/mmfs/mmpmonSocket" 100 n1 n2 >"$SCRATCH/ready" &
daemon=$!
at_exit "kill $daemon"
wait_for 20 test -s "$SCRATCH/ready"
gpfs() { # ARGUMENT...
    sandbox gpfs-record --bind "$SCRATCH/mmfs:/mnt" --install "$SCRATCH/env:/srv/etc/baro-gpfs-record.env" \
        --install "$TOP/tests/sim/mmpmon:/srv/lpp/mmpmon" --state "$SCRATCH/gpfs" --exec -- "$@" \
        >"$SCRATCH/said" 2>&1
}
ok "gpfs-record: the unit's command records" gpfs --rounds 4
kept=$SCRATCH/gpfs/barograph/gpfs
# A step that was lost on a busy machine makes the next one unknown: no row, never a wrong one.
is "what both nodes did in a step, of the cluster and side that the file names" \
    "$(cat "$kept"/gpfs-*.csv | grep -v ^time | cut -d, -f2- | sort -u)" \
    "1,viz,server,gpfs.site,scratch,2,0,200,400,2,2,2,2,2,2"
is "which anybody may read" "$(stat -c %a "$kept" "$kept"/gpfs-*.csv | sort -u | tr '\n' ' ')" "644 755 "
rm -r "$SCRATCH/mmfs/mmpmonSocket"
gpfs --rounds 1
is "without the daemon it says that steps are lost, and fails" \
    "$? $(grep -c 'baro gpfs record: mmpmon fails; steps are lost' "$SCRATCH/said")" "1 1"

# ---- the timer ----
is "the timer comes every quarter of an hour" \
    "$(systemd-analyze calendar --base-time='2026-11-21 10:01:00 UTC' --iterations=2 \
        "$(sed -n 's/^OnCalendar=//p' "$TOP/etc/systemd/baro-health.timer")" |
        grep -o '2026-11-21 10:[0-9:]* UTC' | sort -u | tr '\n' ' ')" \
    "2026-11-21 10:15:00 UTC 2026-11-21 10:30:00 UTC "
finish
