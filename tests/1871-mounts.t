#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Network file systems of a node as health: a mount that hangs (a real one, FUSE without a server that
# responds) is unknown with its reason and holds one process, the others are checked all the same, the agent
# samples on and ends; imports of Lustre that are evicted are degraded.
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/lib.sh"
[ "$(id -u)" = 0 ] || skip_all "only root can mount"
[ -e /dev/fuse ] || skip_all "this kernel has no FUSE (/dev/fuse)"
if [ -z "${BARO_MOUNTS_ALONE-}" ]; then
    unshare -m true 2>/dev/null || skip_all "no mount namespaces here"
    export BARO_MOUNTS_ALONE=yes
    exec unshare -m sh "$0"
fi
. "$(dirname "$0")/lib-barod.sh"
. "$(dirname "$0")/lib-roles.sh"
requires jq curl python3
cd "$SCRATCH" || exit 1
at_exit 'kill $(cat "$SCRATCH"/*.pid) 2>/dev/null; umount -l "$SCRATCH/root/home" "$SCRATCH/root/work" 2>/dev/null'

mkdir -p root/proc/self root/home root/work root/scratch
roles_start "[resource]
host = alex/a1"
token node --role agent --host a1 --cluster alex
chmod 600 reader support node admin
state() { # COMPONENT: health and reason
    baro resource list -p -o json "$1" --server "$url" --token-file "$SCRATCH/reader" |
        jq -r --arg c "$1" '.[] | select(.component == $c) | .health + " " + (.reason // "-")'
}
is_state() { [ "$(state "$1")" = "$2" ]; }
counter() {
    curl -s --unix-socket agent.sock http://x/metrics | awk -v n="baro_agent_sampling_$1" '$1 == n { print $2 }'
}
is_counter() { [ "$(counter "$1")" = "$2" ]; }
is_over() { [ "$(counter "$1")" -gt "$2" ]; }
mounts() { # PATH:TYPE...
    printf '22 27 0:21 / /proc rw,relatime - proc proc rw\n' >mountinfo
    for mount in "$@"; do
        printf '30 27 0:40 / %s rw,relatime shared:3 - %s server:/x rw\n' "${mount%:*}" "${mount#*:}" >>mountinfo
    done
    mv mountinfo root/proc/self/mountinfo
}
# A FUSE whose server reads requests, and does not respond.
cat >hang.py <<'END'
import ctypes, os, sys, time
fd = os.open("/dev/fuse", os.O_RDWR)
libc = ctypes.CDLL(None, use_errno=True)
options = f"fd={fd},rootmode=40000,user_id=0,group_id=0".encode()
if libc.mount(b"hang", sys.argv[1].encode(), b"fuse", 0, options) != 0:
    sys.exit(os.strerror(ctypes.get_errno()))
open(sys.argv[2], "w").close()
time.sleep(600)
END
hang() { # NAME
    python3 hang.py "root/$1" "$1.mounted" 2>>hang.err &
    echo $! >"$1.pid"
    wait_for 10 test -e "$1.mounted"
}
cat >agent.conf <<END
[agent]
source = none
root = $SCRATCH/root
server = $url
token_file = $SCRATCH/node
state = $SCRATCH/state
spool = $SCRATCH/spool
host = a1
cluster = alex
metrics_listen = unix:$SCRATCH/agent.sock
[node]
interval = 200ms
flush_interval = 0s
mounts_interval = 300ms
mount_deadline = 500ms
END
probes() { pgrep -f "mount-probe $SCRATCH/root" | wc -l; }

ok "a file system hangs" hang home
mounts /home:nfs4 /scratch:lustre
baro-agent --config agent.conf 2>>agent.log &
echo $! >agent.pid
ok "its health is unknown, with the reason" wait_for 20 is_state alex/a1/mount:home "unknown mounts: /home hangs: no response to statfs in 500ms"
ok "the one behind it is up" wait_for 20 is_state alex/a1/mount:scratch "up -"
is "the host is not drained for it" "$(state alex/a1 | cut -d' ' -f1 | grep -c -e down -e drained)" 0
rounds=$(counter mount_rounds_total)
ok "it is checked round after round" wait_for 20 is_over mount_rounds_total "$((rounds + 5))"
# shellcheck disable=SC2317 # called by name
is_one() { [ "$(counter mount_checks_hanging) $(probes)" = "1 1" ]; }
ok "and one process hangs, beside the one that checks now" wait_for 10 is_one
before=$(counter rounds_total)
ok "the agent samples on" wait_for 10 is_over rounds_total "$((before + 5))"
ok "another hangs" hang work
mounts /home:nfs4 /work:nfs /scratch:lustre
ok "it is unknown, too" wait_for 20 is_state alex/a1/mount:work "unknown mounts: /work hangs: no response to statfs in 500ms"
ok "with a process each" wait_for 20 is_counter mount_checks_hanging 2

# ---- imports of Lustre ----
import() { # NAME STATE
    mkdir -p "root/proc/fs/lustre/$1-ffff8e5c71f3c800"
    target=${1#*/}
    printf 'import:\n    name: %s-ffff8e5c71f3c800\n    target: %s_UUID\n    state: %s\n    connect_flags: [ write_grant ]\n    import_flags: [ replayable ]\n' \
        "$target" "${target%-*}" "$2" >import.new
    mv import.new "root/proc/fs/lustre/$1-ffff8e5c71f3c800/import"
}
import mdc/scratch-MDT0000-mdc FULL
import osc/scratch-OST0001-osc FULL
import osc/scratch-OST0002-osc IDLE
ok "imports that are connected" wait_for 20 is_state alex/a1/lustre:scratch "up -"
import osc/scratch-OST0001-osc EVICTED
ok "one that was evicted" wait_for 20 is_state alex/a1/lustre:scratch "degraded mounts: 1 of 3 imports are not connected: OST0001 is EVICTED"
import osc/scratch-OST0001-osc FULL
ok "and is there again" eval 'wait_for 20 eval "state alex/a1/lustre:scratch | grep -q ^up"'

# ---- the server is gone: the process ends ----
kill "$(cat home.pid)"
ok "a server that ends gives the process back" wait_for 20 is_counter mount_checks_hanging 1
ok "what it returns then is an error" wait_for 20 is_state alex/a1/mount:home "degraded mounts: statfs /home: Transport endpoint is not connected"
mounts /work:nfs /scratch:lustre
ok "what is mounted no more stands against nothing" eval 'wait_for 20 eval "state alex/a1/mount:home | grep -q ^up"'
kill "$(cat agent.pid)"
ok "the agent ends while a process hangs" wait_for 10 eval '! kill -0 "$(cat agent.pid)" 2>/dev/null'
for log in *.log; do
    ok "$log has no error" not grep -E "Sanitizer|runtime error" "$log"
done
finish
