#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A session of real processes: barod is the control node, agents are the others, each with a
# /proc of its own.  What the control node stores equals a direct computation over them.
. "$(dirname "$0")/lib.sh"
requires python3

nodes=16
at_exit 'kill $(cat "$SCRATCH"/*.pid)'
mkdir "$SCRATCH/run" "$SCRATCH/state"
baro session keygen "$SCRATCH/session.key" >/dev/null
is "the key's file is its owner's alone" "$(stat -c %a "$SCRATCH/session.key")" 600
ok "a key is not overwritten" not baro session keygen "$SCRATCH/session.key"

# ---- a /proc for each rank, and what they come to ----
python3 - "$SCRATCH" $nodes >"$SCRATCH/want" <<'END'
import os, sys
scratch, nodes = sys.argv[1], int(sys.argv[2])
loads, used = [], []
for rank in range(1, nodes):
    proc = f"{scratch}/root{rank}/proc"
    os.makedirs(proc)
    load = round(0.25 * rank * rank + 0.5, 2)
    total, available = 16000000 + rank, 1000 * rank
    open(f"{proc}/loadavg", "w").write(f"{load} 1.00 1.00 2/300 4711\n")
    open(f"{proc}/meminfo", "w").write(
        f"MemTotal:       {total} kB\nMemFree:        500 kB\nMemAvailable:   {available} kB\n")
    loads.append(load)
    used.append((total - available) * 1024)
count = nodes - 1
mean = sum(loads) / count
print("load_one_sum", round(sum(loads), 6))
print("load_one_min", min(loads))
print("load_one_max", max(loads))
print("load_one_mean", round(mean, 6))
print("load_one_stddev", round((sum((x - mean) ** 2 for x in loads) / count) ** 0.5, 6))
print("mem_used_sum", sum(used))
print("mem_used_max", max(used))
END

# ---- the processes ----
session() {
    printf '[session]\nsize = %s\nfanout = 3\naddress = %s\nrank = %s\nheartbeat = 500ms\nperiod = 1s\nlead = 300ms\ndeadline = 600ms\nstate = %s/state\n%s' \
        "$nodes" "$address" "$1" "$SCRATCH" "$more"
}

start_barod() {
    { printf '[records]\nengine = sqlite\npath = %s/records.db\n[net]\nlisten = none\nsocket = %s/barod.sock\n[store]\ndirectory = %s/store\n' \
        "$SCRATCH" "$SCRATCH" "$SCRATCH"; session 0; } >"$SCRATCH/barod.conf"
    barod --config "$SCRATCH/barod.conf" 2>>"$SCRATCH/barod.log" &
    echo $! >"$SCRATCH/barod.pid"
    wait_for 10 baro stats --server "unix:$SCRATCH/barod.sock"
}

start_agent() {
    mkdir -p "$SCRATCH/agent$1"
    { printf '[agent]\nsource = none\nroot = %s/root%s\nserver = unix:%s/barod.sock\nstate = %s/agent%s\nspool = %s/agent%s/spool\nhost = rank%s\n' \
        "$SCRATCH" "$1" "$SCRATCH" "$SCRATCH" "$1" "$SCRATCH" "$1" "$1"; session "$1"; } >"$SCRATCH/agent$1.conf"
    baro-agent --config "$SCRATCH/agent$1.conf" 2>>"$SCRATCH/agent$1.log" &
    echo $! >"$SCRATCH/agent$1.pid"
}

last() {
    baro metric query "$1" "session/rank0/session:system" --last 30s \
        --server "unix:$SCRATCH/barod.sock" --output csv 2>/dev/null | tail -n 1 | sed 's/.*,//'
}

contributed() {
    value=$(last session_contributed)
    [ "${value%.*}" = "$1" ]
}

compare() {
    while read -r metric want; do
        got=$(last "$metric")
        ok "$1: $metric of the tree is that of a direct computation" python3 -c "
import sys
got, want = float('$got'), float('$want')
sys.exit(abs(got - want) > 1e-6 * max(1, abs(want)))"
    done <"$SCRATCH/want"
    median=$(last load_one_p50)
    ok "$1: the median is within 1 %" python3 -c "
import sys
loads = sorted(0.25 * r * r + 0.5 for r in range(1, $nodes))
got, want = float('$median'), loads[int(0.5 * (len(loads) - 1))]
sys.exit(abs(got - want) > 0.01 * want)"
}

start_all() {
    start_barod
    rank=1
    while [ "$rank" -lt "$nodes" ]; do
        start_agent "$rank"
        rank=$((rank + 1))
    done
    ok "$1: all $nodes nodes contribute" wait_for 20 contributed "$nodes"
}

stop_all() {
    # shellcheck disable=SC2046 # a word each
    kill $(cat "$SCRATCH"/*.pid)
    wait
    rm -f "$SCRATCH"/*.pid
    rm -rf "$SCRATCH/store"
}

address="unix:$SCRATCH/run/%r.sock" more=
start_all "unix sockets"
compare "unix sockets"
stop_all

address="127.0.0.1:%p"
more="key_file = $SCRATCH/session.key
identities = none
port = $(free_ports $nodes)
"
start_all "TLS"
compare "TLS"
stop_all
for log in "$SCRATCH"/*.log; do
    ok "$(basename "$log") has no error" not grep -E "Sanitizer|runtime error|LeakSanitizer" "$log"
done
finish
