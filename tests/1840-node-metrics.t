#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What an agent samples of its node is in barod's store by ClusterCockpit's names: without a session
# at its own interval, with one at its instants; and what is sampled while barod is away arrives later,
# also when the agent was killed meanwhile.
. "$(dirname "$0")/lib.sh"
requires python3

at_exit 'kill $(cat "$SCRATCH"/*.pid)'
cd "$SCRATCH" || exit 1
mkdir -p root/proc/net root/sys run
printf '1.25 0.75 0.50 3/456 789\n' >root/proc/loadavg
printf 'MemTotal: 16000 kB\nMemFree: 4000 kB\nMemAvailable: 9000 kB\nBuffers: 10 kB\nCached: 20 kB\n' >root/proc/meminfo
cat >root/proc/net/dev <<'END_DEV'
Inter-|   Receive                                                |  Transmit
 face |bytes    packets errs drop fifo frame compressed multicast|bytes    packets errs drop fifo colls carrier compressed
  eth0: 12345678    1000    0    0    0     0          0         0 87654321     900    0    0    0     0       0          0
END_DEV

start_barod() {
    { printf '[records]\nengine = sqlite\npath = %s/records.db\n[net]\nlisten = none\nsocket = %s/barod.sock\n[store]\ndirectory = %s/store\n' \
        "$SCRATCH" "$SCRATCH" "$SCRATCH"; printf '%s' "$session"; } >barod.conf
    barod --config barod.conf 2>>barod.log &
    echo $! >barod.pid
    wait_for 10 baro stats --server "unix:$SCRATCH/barod.sock"
}

start_agent() {
    { printf '[agent]\nsource = none\nroot = %s/root\nserver = unix:%s/barod.sock\nstate = %s/state\nspool = %s/spool\nhost = n1\nbackoff_max = 1s\nmetrics_listen = unix:%s/agent.sock\n[node]\nsource = load\nsource = memory\nsource = network\ninterval = 200ms\nflush_interval = %s\ncluster = emmy\n' \
        "$SCRATCH" "$SCRATCH" "$SCRATCH" "$SCRATCH" "$SCRATCH" "${flush:-0s}"; printf '%s' "$session"; } >agent.conf
    baro-agent --config agent.conf --set session.rank=1 2>>agent.log &
    echo $! >agent.pid
}

stop() { # NAME SIGNAL
    kill "-$2" "$(cat "$1.pid")"
    wait "$(cat "$1.pid")" 2>/dev/null
    rm "$1.pid"
}

query() { # METRIC COMPONENT LAST
    baro metric query "$1" "$2" --last "$3" --server "unix:$SCRATCH/barod.sock" --output csv 2>/dev/null
}

last() {
    query "$1" "$2" 1m | tail -n 1 | sed 's/.*,//'
}

has() { # METRIC COMPONENT VALUE
    [ -n "$(last "$1" "$2")" ] && python3 -c "import sys; sys.exit(float('$(last "$1" "$2")') != $3)"
}

# ---- without a session, by default: metrics need no section ----
session=
start_barod
start_agent
ok "the load of the node is in the store" wait_for 10 has load_one emmy/n1 1.25
ok "its memory, in kB" wait_for 5 has mem_available emmy/n1 9000
ok "what is of a device is of the node's device" wait_for 5 has net_bytes_in emmy/n1/network:eth0 12345678
is "nothing is left out" "$(baro stats --server "unix:$SCRATCH/barod.sock" |
    awk '$1 == "baro_ingest_metric_lines_refused_total" || $1 ~ /unknown_metric/ { n += $2 } END { print n + 0 }')" 0
printf '2.50 0.75 0.50 3/456 789\n' >root/proc/loadavg
ok "the next sample has what is there then" wait_for 5 has load_one emmy/n1 2.5

# ---- barod is away, and the agent is killed ----
stop barod TERM
printf '7.75 0.75 0.50 3/456 789\n' >root/proc/loadavg
sleep 1
waits() {
    [ "$(find spool/metrics -name '*.spool' -size +0c | wc -l)" -gt 0 ]
}
ok "samples wait on the disk" wait_for 5 waits
ok "that is logged" wait_for 10 grep -q "metrics of this node wait in the spool" agent.log
stop agent KILL
printf '9.00 0.75 0.50 3/456 789\n' >root/proc/loadavg
start_barod
start_agent
ok "the newest is in the store" wait_for 10 has load_one emmy/n1 9
has_waited() {
    query load_one emmy/n1 1m | grep -q ',7.75$'
}
ok "what waited is there, too" wait_for 10 has_waited
stop agent TERM
stop barod TERM

# ---- with a session: at its instants ----
session="[session]
size = 2
address = unix:$SCRATCH/run/%r.sock
heartbeat = 500ms
period = 1s
lead = 300ms
deadline = 600ms
state = $SCRATCH/session
rank = 0
"
start_barod
start_agent
counter() {
    python3 - "$1" <<'END_PY'
import socket, sys
s = socket.socket(socket.AF_UNIX)
s.connect("agent.sock")
s.sendall(b"GET /metrics HTTP/1.1\r\nHost: agent\r\nConnection: close\r\n\r\n")
text = b"".join(iter(lambda: s.recv(65536), b"")).decode()
print([l.split()[1] for l in text.splitlines() if l.startswith(f"baro_agent_sampling_{sys.argv[1]} ")][0])
END_PY
}
# shellcheck disable=SC2317 # called by name
is_triggered() {
    rounds=$(counter rounds_total)
    [ "$rounds" -ge 5 ] && [ "$(($(counter rounds_total) - $(counter untriggered_total)))" -ge 4 ]
}
ok "it is sampled at the triggers" wait_for 20 is_triggered
before=$(counter untriggered_total)
sleep 2
is "and by these alone" "$(counter untriggered_total)" "$before"
stop barod KILL
# shellcheck disable=SC2317 # called by name
is_untriggered() {
    [ "$(counter untriggered_total)" -ge $((before + 3)) ]
}
ok "without the control node the timer stands for them" wait_for 20 is_untriggered
printf '11.00 0.75 0.50 3/456 789\n' >root/proc/loadavg
start_barod
ok "and all of it arrives" wait_for 20 has load_one emmy/n1 11


# ---- samples gather in memory: one request has many rounds, and an orderly end loses none ----
stop agent TERM
printf '13.00 0.75 0.50 3/456 789\n' >root/proc/loadavg
flush=600s session=
start_agent
# shellcheck disable=SC2317 # called by name
has_rounds() {
    [ "$(counter rounds_total)" -ge 5 ]
}
ok "rounds go by" wait_for 20 has_rounds
is "their samples gather" "$(counter samples_total)" 0
stop agent TERM
# Also where sources are read at few triggers: the rounds between send what has gathered.
printf '14.00 0.75 0.50 3/456 789\n' >root/proc/loadavg
flush="1s
every = 3000"
start_agent
ok "what few rounds read does not wait for the next of them" wait_for 20 eval '[ "$(counter rounds_total)" -ge 8 ]'
stop agent TERM
printf '1.00 0.75 0.50 3/456 789\n' >root/proc/loadavg
flush=0s
start_agent
has_gathered() {
    query load_one emmy/n1 1m | grep -q ',13$'
}
ok "and are in the store after the end" wait_for 10 has_gathered

ok "an unknown source is refused by name" eval \
    '! baro-agent --config agent.conf --set node.source=tape 2>err && grep -q "node.source: invalid value .tape." err'
stop agent TERM
stop barod TERM
for log in barod.log agent.log; do
    ok "$log has no error" not grep -E "Sanitizer|runtime error" "$log"
done
finish
