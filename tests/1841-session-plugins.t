#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# One sample's way: the trigger, a Lua source on eight real agents (BARO_SESSION_NODES: as many as
# that, and the control node), the reduction on the way, a metric in barod's store that equals a
# direct computation; a sink at the control node.  An interior agent is killed and the others
# contribute again; a plugin is edited, fails, is suspended, and the agents live on; the plugins'
# process is killed.
. "$(dirname "$0")/lib.sh"
requires python3

nodes=${BARO_SESSION_NODES:-9}
at_exit 'kill $(cat "$SCRATCH"/*.pid)'
cd "$SCRATCH" || exit 1
mkdir run plugins
host=$BUILD/src/cmd/baro-plugin-host
[ -x "$host" ] || { echo "1..0 # SKIP no baro-plugin-host"; exit 0; }

# Three children of the control node at most: ranks 4 to 8 are below 1 and 2.
rank=1
while [ "$rank" -lt "$nodes" ]; do
    mkdir -p "root$rank/proc/sys/fs"
    echo "$((rank * rank * 10)) 0 100000" >"root$rank/proc/sys/fs/file-nr"
    rank=$((rank + 1))
done
plugin() { # FACTOR
    cat <<END_LUA
plugin {
    name = "fds", version = "1.0", reads = { "/proc/sys/fs/file-nr" },
    metrics = { { "fds_open", "files" }, { "fds_spread", "files" } }, events = { { "many", "warning" } },
}
function source(t)
    local open = tonumber(read("/proc/sys/fs/file-nr"):match("(%d+)")) * $1
    sample("fds_open", open)
    contribute("open", "sum", open)
    contribute("open", "max", open)
    contribute("open", "mean", open)
end
function sink(t, inputs)
    local value = {}
    for _, input in ipairs(inputs) do
        value[input.name] = input.value
    end
    if not value.open_sum then return end
    sample("fds_spread", value.open_max - value.open_mean)
    sample("fds_spread", $1, { type = "factor", id = "1" })
    if value.open_sum < 10000 then
        event("many", "together " .. value.open_sum)
    end
end
END_LUA
}
plugin 1 >plugins/fds.lua

session() {
    printf '[session]\nsize = %s\nfanout = 3\naddress = unix:%s/run/%%r.sock\nrank = %s\nheartbeat = 1s\nperiod = 1s\nlead = 300ms\ndeadline = 900ms\nstate = %s/state\n' \
        "$nodes" "$SCRATCH" "$1" "$SCRATCH"
}

{ printf '[records]\nengine = sqlite\npath = %s/records.db\n[net]\nlisten = none\nsocket = %s/barod.sock\n[store]\ndirectory = %s/store\n[plugins]\ndirectory = %s/plugins\nhost = %s\n' \
    "$SCRATCH" "$SCRATCH" "$SCRATCH" "$SCRATCH" "$host"; session 0; } >barod.conf
barod --config barod.conf 2>>barod.log &
echo $! >0.pid
wait_for 10 baro stats --server "unix:$SCRATCH/barod.sock"

start_agent() {
    { printf '[agent]\nsource = none\nroot = %s/root%s\nserver = unix:%s/barod.sock\nstate = %s/agent%s\nspool = %s/agent%s/spool\nhost = rank%s\ncluster = test\n[node]\nflush_interval = 0s\n[plugins]\ndirectory = %s/plugins\nhost = %s\n' \
        "$SCRATCH" "$1" "$SCRATCH" "$SCRATCH" "$1" "$SCRATCH" "$1" "$1" "$SCRATCH" "$host"; session "$1"; } >"agent$1.conf"
    baro-agent --config "agent$1.conf" 2>>"agent$1.log" &
    echo $! >"$1.pid"
}
rank=1
while [ "$rank" -lt "$nodes" ]; do
    start_agent "$rank"
    rank=$((rank + 1))
done

last() { # METRIC COMPONENT
    baro metric query "$1" "$2" --last "${3:-3s}" --server "unix:$SCRATCH/barod.sock" --output csv 2>/dev/null |
        tail -n 1 | sed 's/.*,//'
}
has() { # METRIC COMPONENT VALUE
    value=$(last "$1" "$2")
    [ -n "$value" ] && python3 -c "import sys; sys.exit(abs($value - ($3)) > 1e-6)"
}
tree=session/rank0/session:system
values="[10 * r * r for r in range(1, $nodes)]"
ok "the sum of all nodes' contributions is that of a direct computation" \
    wait_for 20 has fds_open_sum $tree "sum($values)"
ok "so is the largest" wait_for 5 has fds_open_max $tree "max($values)"
ok "and the mean" wait_for 5 has fds_open_mean $tree "sum($values) / ($nodes - 1)"
for rank in 1 4 8; do
    ok "the plugin's sample of node $rank is a metric of it" \
        wait_for 5 has fds_open "test/rank$rank" $((rank * rank * 10))
done

# ---- the sink at the control node ----
ok "the sink has what all nodes came to" wait_for 5 has fds_spread $tree "max($values) - sum($values) / ($nodes - 1)"
ok "and stores numbers of parts" wait_for 5 has fds_spread $tree/factor:1 1
[ "$nodes" -gt 9 ] || ok "its events are published" wait_for 5 eval \
    'baro event list --server "unix:$SCRATCH/barod.sock" -o csv | grep -q "fds.many.*together 2040"'
baro metric list fds_open --server "unix:$SCRATCH/barod.sock" -o csv >listed.csv
ok "the components of a metric are listed" grep -q rank2 listed.csv
ok "no source is run there" not grep -q rank0 listed.csv
ok "its calls are counted" eval 'baro stats --server "unix:$SCRATCH/barod.sock" |
    awk "\$1 == \"baro_session_sinks_calls_total\" && \$2 > 0 { n = 1 } END { exit !n }"'

# ---- what a sink may get wrong, at the control node ----
mkdir sinks
install_sink() { # NAME, its text
    cat >sinks/new
    mv sinks/new "plugins/$1.lua"
}
count_of() { # COUNTER
    baro stats --server "unix:$SCRATCH/barod.sock" | awk -v name="baro_session_sinks_$1_total" '$1 == name { print $2 }'
}
is_counted() {
    value=$(count_of "$1")
    [ "${value:-0}" -gt 0 ]
}
install_sink slow <<'END_LUA'
plugin { name = "slow", version = "1", period = 2, metrics = { { "slow_seen", "results", "counter" } } }
local n = 0
function sink(t, inputs)
    n = n + 1
    sample("slow_seen", n)
    sample("slow_seen", n, { type = "of" })
    sample("slow_seen", n, { subtype = "of", subid = "1" })
end
END_LUA
is_listed() { # METRIC KIND STEP
    baro metric list --server "unix:$SCRATCH/barod.sock" -o csv >listed.csv && grep "^$1," listed.csv | grep "$2" | grep -q "$3"
}
ok "a counter of every second result is one, with a step of two seconds" wait_for 20 is_listed slow_seen counter ",2[,.]*"
ok "samples of a type without an id are dropped and counted" wait_for 5 is_counted dropped
ok "and logged" grep -q "'slow_seen' is not stored: it is of a type without an id" barod.log
rm plugins/slow.lua

sed 's/sample("fds_spread", value.open_max - value.open_mean)/sample("fds_spread", -1)/' plugins/fds.lua | install_sink fds
ok "an edited sink counts" wait_for 20 has fds_spread $tree -1
printf 'plugin{name="fds",version="1",events={{"twin","info"}}}\nfunction sink(t, inputs) event("twin", #inputs .. " numbers") end\n' |
    install_sink twin
ok "one of the same name is named in the log" wait_for 20 grep -q "plugin twin.lua has the name of fds.lua" barod.log
ok "and called as well, with the same numbers" wait_for 20 grep -q "fds.twin: 4 numbers" barod.log
rm plugins/twin.lua
plugin 1 | install_sink fds

printf 'plugin{name="bad",version="1"}\nfunction sink() error("it fails") end\n' | install_sink bad
printf 'plugin{name="heavy",version="1"}\nfunction sink() while true do end end\n' | install_sink heavy
ok "a sink that fails is suspended, with a line of log" wait_for 30 grep -q "bad.plugin_suspended: bad: .*it fails" barod.log
ok "so is one over its budget" wait_for 30 grep -q "heavy.plugin_suspended: heavy: " barod.log
ok "which is counted" wait_for 5 is_counted over_budget
published() { # NAME
    baro event list --server "unix:$SCRATCH/barod.sock" -o csv >events.csv && grep -q "$1" events.csv
}
ok "both are events of the session" wait_for 5 eval 'published bad.plugin_suspended && published heavy.plugin_suspended'
before=$(count_of events)
goes_on() {
    [ "$(count_of events)" -gt "$before" ]
}
[ "$nodes" -gt 9 ] || ok "events of another sink go on" wait_for 10 goes_on
ok "and its numbers" wait_for 20 has fds_spread $tree "max($values) - sum($values) / ($nodes - 1)"
rm plugins/bad.lua plugins/heavy.lua
pids=$(pgrep -P "$(cat 0.pid)" -f "$host")
kill -9 $pids
ok "while the process is away no call is made, which is counted" wait_for 10 is_counted not_called
ok "and logged" grep -q "the sink of plugin fds.lua is not called: it is not loaded now" barod.log
ok "so is its end" wait_for 5 is_counted kills
ok "and sinks are called again" wait_for 20 eval 'has fds_spread $tree/factor:1 1'

# ---- an interior node ----
kill -9 "$(cat 1.pid)"
began=$(date +%s%N)
wait "$(cat 1.pid)" 2>/dev/null
rm 1.pid
ok "without an interior node all others contribute" \
    wait_for 20 has fds_open_sum $tree "sum($values) - 10"
ended=$(date +%s%N)
# The metric is there a trigger, a deadline and a query later.
ok "within three heartbeats, and two triggers to be seen: $(((ended - began) / 1000000)) ms" \
    [ $((ended - began)) -lt 6500000000 ]
ok "its plugins' process ended with it" wait_for 5 eval \
    '[ "$(pgrep -f "^$host" -c)" -eq $((nodes - 1)) ]'
start_agent 1
ok "it comes back" wait_for 20 has fds_open_sum $tree "sum($values)"

# ---- a plugin is edited while it runs ----
plugin 3 >plugins/.new
mv plugins/.new plugins/fds.lua
ok "the edited plugin counts on all nodes" wait_for 20 has fds_open_sum $tree "3 * sum($values)"

# ---- its process is killed ----
pids=$(pgrep -P "$(cat 8.pid)")
kill -9 $pids
ok "a killed process of plugins is logged" wait_for 5 grep -q "the process of Lua plugins is ended" agent8.log
ok "and started again" wait_for 20 has fds_open_sum $tree "3 * sum($values)"
ok "the agent is the same" kill -0 "$(cat 8.pid)"

# ---- one that is over its budget ----
printf 'plugin{name="loop",version="1"}\nfunction source() while true do end end\n' >plugins/loop.lua
ok "one over its budget is suspended, with a line of log" \
    wait_for 30 grep -q "loop.plugin_suspended" agent5.log
ok "the other one goes on" wait_for 10 has fds_open_sum $tree "3 * sum($values)"
rm plugins/loop.lua
ok "one that is gone is unloaded" wait_for 10 grep -q "plugin loop.lua is gone" agent5.log
chmod o+w plugins/fds.lua
ok "one that other users may write is not run" wait_for 10 grep -q "plugin fds.lua is not run" agent5.log

# ---- a barod that has nothing to run them for ----
for case in "none:there is no .session." "other:this is node 1 of the session"; do
    { printf '[records]\nengine = sqlite\npath = %s/other.db\n[net]\nlisten = none\nsocket = %s/other.sock\n[store]\ndirectory = %s/other\n[plugins]\ndirectory = %s/plugins\nhost = %s\n' \
        "$SCRATCH" "$SCRATCH" "$SCRATCH" "$SCRATCH" "$host"; [ "${case%%:*}" = none ] || session 1; } >other.conf
    [ "${case%%:*}" = none ] || { kill "$(cat 1.pid)"; wait "$(cat 1.pid)" 2>/dev/null; rm 1.pid; }
    barod --config other.conf 2>other.log &
    echo $! >other.pid
    ok "barod says why it runs no plugin: ${case#*:}" wait_for 10 grep -q "no plugin is run: ${case#*:}" other.log
    ok "and starts no process" wait_for 10 eval 'baro stats --server "unix:$SCRATCH/other.sock" && ! pgrep -P "$(cat other.pid)" -f "$host"'
    kill "$(cat other.pid)"
    wait "$(cat other.pid)"
    rm other.pid
done

for log in *.log; do
    ok "$log has no error" not grep -E "Sanitizer|runtime error" "$log"
done
finish
