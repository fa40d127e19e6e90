#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# kill -9 of an interior node, a leaf and the control node of a session over TLS: all that live
# contribute again.  Connections without a hello get few slots, and disturb none of it.
. "$(dirname "$0")/lib.sh"
requires python3

nodes=13
port=$(free_ports $nodes)
at_exit 'kill $(cat "$SCRATCH"/*.pid)'
baro session keygen "$SCRATCH/session.key" >/dev/null

session() {
    printf '[session]\nsize = %s\nfanout = 3\naddress = 127.0.0.1:%%p\nport = %s\nkey_file = %s/session.key\nidentities = none\nrank = %s\nheartbeat = 500ms\nperiod = 1s\nlead = 300ms\ndeadline = 600ms\nstate = %s/state\n' \
        "$nodes" "$port" "$SCRATCH" "$1" "$SCRATCH"
}

start_barod() {
    { printf '[records]\nengine = sqlite\npath = %s/records.db\n[net]\nlisten = none\nsocket = %s/barod.sock\n[store]\ndirectory = %s/store\n' \
        "$SCRATCH" "$SCRATCH" "$SCRATCH"; session 0; } >"$SCRATCH/barod.conf"
    barod --config "$SCRATCH/barod.conf" 2>>"$SCRATCH/barod.log" &
    echo $! >"$SCRATCH/0.pid"
    wait_for 10 baro stats --server "unix:$SCRATCH/barod.sock"
}

start_agent() {
    mkdir -p "$SCRATCH/agent$1"
    { printf '[agent]\nsource = none\nserver = unix:%s/barod.sock\nstate = %s/agent%s\nspool = %s/agent%s/spool\nhost = rank%s\n' \
        "$SCRATCH" "$SCRATCH" "$1" "$SCRATCH" "$1" "$1"; session "$1"; } >"$SCRATCH/agent$1.conf"
    baro-agent --config "$SCRATCH/agent$1.conf" 2>>"$SCRATCH/agent$1.log" &
    echo $! >"$SCRATCH/$1.pid"
}

kill_rank() {
    kill -9 "$(cat "$SCRATCH/$1.pid")"
    wait "$(cat "$SCRATCH/$1.pid")" 2>/dev/null
    rm "$SCRATCH/$1.pid"
}

contributed() {
    value=$(baro metric query session_contributed "session/rank0/session:system" --last 2s \
        --server "unix:$SCRATCH/barod.sock" --output csv 2>/dev/null | tail -n 1 | sed 's/.*,//')
    [ "${value%.*}" = "$1" ]
}

counter() {
    baro stats --server "unix:$SCRATCH/barod.sock" | awk -v name="baro_session_$1" '$1 == name { print $2 }'
}

has_counter() {
    [ "$(counter "$1")" = "$2" ]
}

start_barod
rank=1
while [ "$rank" -lt "$nodes" ]; do
    start_agent "$rank"
    rank=$((rank + 1))
done
ok "all nodes contribute" wait_for 20 contributed "$nodes"
ok "and are online" wait_for 20 has_counter online "$nodes"

kill_rank 1
ok "without an interior node all others contribute" wait_for 20 contributed 12
ok "its children have another parent" wait_for 10 has_counter children 5
ok "its loss is announced" wait_for 10 has_counter online 12
start_agent 1
ok "it comes back" wait_for 20 contributed "$nodes"
ok "and has its children again" wait_for 20 has_counter children 3

kill_rank 12
ok "without a leaf all others contribute" wait_for 20 contributed 12
start_agent 12
ok "the leaf comes back" wait_for 20 contributed "$nodes"

is "the control node has its first incarnation" "$(counter incarnation)" 1
kill_rank 0
start_barod
ok "all contribute after the control node began anew" wait_for 20 contributed "$nodes"
ok "all are online again" wait_for 20 has_counter online "$nodes"
is "the incarnation is another one" "$(counter incarnation)" 2

# ---- connections that say nothing ----
pid=$(cat "$SCRATCH/0.pid")
before=$(find "/proc/$pid/fd" | wc -l)
python3 - "$port" >"$SCRATCH/scan.out" 2>&1 <<'END' &
import socket, sys, time
held = []
for i in range(800):
    s = socket.create_connection(("127.0.0.1", int(sys.argv[1])), timeout=20)
    if i % 3 == 0:
        try:
            s.sendall(b"GET / HTTP/1.0\r\n\r\n")
        except OSError:
            pass
    held.append(s)
time.sleep(3)
END
scan=$!
# shellcheck disable=SC2317 # called by name
has_dropped() {
    [ "$(counter half_open_dropped_total)" -gt 0 ]
}
ok "of many connections without a hello the oldest give way" wait_for 20 has_dropped
during=$(find "/proc/$pid/fd" | wc -l)
ok "few have a descriptor: $before before, $during meanwhile" [ "$during" -le $((before + 80)) ]
ok "the nodes contribute meanwhile" wait_for 20 contributed "$nodes"
wait "$scan"
descriptors_are_back() {
    [ "$(find "/proc/$pid/fd" | wc -l)" -le $((before + 5)) ]
}
ok "the descriptors are free again" wait_for 20 descriptors_are_back
is "no node was lost by it" "$(counter children)" 3
for log in "$SCRATCH"/*.log; do
    ok "$(basename "$log") has no error" not grep -E "Sanitizer|runtime error" "$log"
done
finish
