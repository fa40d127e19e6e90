#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Connections to a control node by those who have no key: half open ones that send nothing, half a
# hello or something else, and a port scan.  BARO_SESSION_HALF_OPEN of them (1000; the soak has
# 10000).  Few have a descriptor, memory stays as it is, the instants are kept, and a node of the
# session joins meanwhile.
. "$(dirname "$0")/lib.sh"
requires python3

many=${BARO_SESSION_HALF_OPEN:-1000}
nodes=4
port=$(free_ports $nodes)
at_exit 'kill $(cat "$SCRATCH"/*.pid); wait'
baro session keygen "$SCRATCH/session.key" >/dev/null
# What was freed does not count as memory of the server where a sanitizer keeps it.
export ASAN_OPTIONS="${ASAN_OPTIONS:-}:quarantine_size_mb=1:thread_local_quarantine_size_kb=64"

session() {
    printf '[session]\nsize = %s\nfanout = 3\naddress = 127.0.0.1:%%p\nport = %s\nkey_file = %s/session.key\nidentities = none\nrank = %s\nheartbeat = 2s\nperiod = 1s\nlead = 300ms\ndeadline = 600ms\nstate = %s/state\n' \
        "$nodes" "$port" "$SCRATCH" "$1" "$SCRATCH"
}

start_agent() {
    mkdir -p "$SCRATCH/agent$1"
    { printf '[agent]\nsource = none\nserver = unix:%s/barod.sock\nstate = %s/agent%s\nspool = %s/agent%s/spool\nhost = rank%s\n' \
        "$SCRATCH" "$SCRATCH" "$1" "$SCRATCH" "$1" "$1"; session "$1"; } >"$SCRATCH/agent$1.conf"
    baro-agent --config "$SCRATCH/agent$1.conf" 2>>"$SCRATCH/agent$1.log" &
    echo $! >"$SCRATCH/$1.pid"
}

contributed() {
    value=$(baro metric query session_contributed "session/rank0/session:system" --last 2s \
        --server "unix:$SCRATCH/barod.sock" --output csv 2>/dev/null | tail -n 1 | sed 's/.*,//')
    [ "${value%.*}" = "$1" ]
}

counter() {
    baro stats --server "unix:$SCRATCH/barod.sock" --output csv --raw |
        awk -F, -v name="baro_session_$1" '$1 == name { print $2 }'
}

has_counter() {
    [ "$(counter "$1")" = "$2" ]
}

is_over() {
    [ "$(counter "$1")" -gt "$2" ]
}

resident_kb() {
    awk '/^VmRSS/ { print $2 }' "/proc/$pid/status"
}

descriptors() {
    find "/proc/$pid/fd" | wc -l
}

{ printf '[records]\nengine = sqlite\npath = %s/records.db\n[net]\nlisten = none\nsocket = %s/barod.sock\n[store]\ndirectory = %s/store\n' \
    "$SCRATCH" "$SCRATCH" "$SCRATCH"; session 0; } >"$SCRATCH/barod.conf"
barod --config "$SCRATCH/barod.conf" 2>>"$SCRATCH/barod.log" &
pid=$!
echo $pid >"$SCRATCH/0.pid"
wait_for 10 baro stats --server "unix:$SCRATCH/barod.sock"
start_agent 1
start_agent 2
ok "three nodes contribute" wait_for 20 contributed 3
sleep 3 # what is allocated at first is there: this decides nothing
fds=$(descriptors) memory=$(resident_kb) skew=$(counter skew_max_seconds) missed=$(counter missed_total)

# ---- connections that stay half open, from sixteen addresses ----
cat >"$SCRATCH/unproven.py" <<'END'
import resource, socket, sys, time
port, many, stop = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
# The beginning of a record that has a ClientHello, and no more of it.
half = bytes.fromhex("16030102000100 01fc0303".replace(" ", "")) + bytes(40)
said = (b"", half, b"GET / HTTP/1.0\r\n\r\n", bytes(16384))
held = []
for i in range(many):
    s = socket.socket()
    s.settimeout(20)
    s.bind((f"127.0.0.{2 + i % 16}", 0))
    try:
        s.connect(("127.0.0.1", port))
        if said[i % 4]:
            s.sendall(said[i % 4])
    except OSError:
        pass
    held.append(s)
print(f"{len(held)} connections are held", flush=True)
import os
while not os.path.exists(stop):
    time.sleep(0.1)
END
python3 "$SCRATCH/unproven.py" "$port" "$many" "$SCRATCH/stop" >"$SCRATCH/unproven.out" 2>&1 &
unproven=$!
most_fds=0 most_memory=0
until grep -q held "$SCRATCH/unproven.out" || ! kill -0 $unproven 2>/dev/null; do
    n=$(descriptors) m=$(resident_kb)
    [ "$n" -le "$most_fds" ] || most_fds=$n
    [ "$m" -le "$most_memory" ] || most_memory=$m
    sleep 0.05
done
is "all connections were opened" "$(cat "$SCRATCH/unproven.out")" "$many connections are held"
start_agent 3
ok "a node joins beside $many half open connections" wait_for 30 contributed 4
ok "of those with no key the oldest gave way" is_over half_open_dropped_total 0
ok "few have a descriptor: $fds before, $most_fds at most" [ "$most_fds" -le $((fds + 90)) ]
ok "memory stays: $memory kB before, $most_memory kB at most" [ "$most_memory" -le $((memory + 16384)) ]
is "no node was lost" "$(counter children_lost_total)" 0
is "no instant was missed" "$(counter missed_total)" "$missed"
echo "figure: $many half open: descriptors $fds before, $most_fds at most; memory $memory kB before, $most_memory kB at most; longest skew $skew s before, $(counter skew_max_seconds) s after; dropped $(counter half_open_dropped_total)"
touch "$SCRATCH/stop"
wait $unproven

# ---- a port scan: connect, and gone ----
ended=$(counter half_open_ended_total)
python3 - "$port" "$many" <<'END'
import socket, struct, sys
for i in range(int(sys.argv[2])):
    s = socket.socket()
    if i % 2:  # reset; else an orderly end
        s.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    s.settimeout(20)
    try:
        s.connect(("127.0.0.1", int(sys.argv[1])))
    except OSError:
        pass
    s.close()
END
ok "what a scan opens is counted when it ends" wait_for 20 is_over half_open_ended_total "$ended"
ok "all contribute" wait_for 20 contributed 4
is "no node was lost by the scan" "$(counter children_lost_total)" 0
ok "the log has a line of it" grep -q "connections ended without a hello" "$SCRATCH/barod.log"
ok "and not one for each: $(grep -c "ended without a hello" "$SCRATCH/barod.log")" \
    [ "$(grep -c "ended without a hello" "$SCRATCH/barod.log")" -le 5 ]
are_back() {
    [ "$(descriptors)" -le $((fds + 5)) ]
}
ok "the descriptors are free again" wait_for 30 are_back
echo "figure: after a scan of $many ports: descriptors $(descriptors), memory $(resident_kb) kB, ended without a hello $(counter half_open_ended_total), longest skew $(counter skew_max_seconds) s"
for log in "$SCRATCH"/*.log; do
    ok "$(basename "$log") has no error" not grep -E "Sanitizer|runtime error" "$log"
done
finish
