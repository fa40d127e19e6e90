#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A plugin's own merge: eight agents contribute a number and a text each for lua, interior nodes of the
# tree and the control node merge them by the plugin's reduce, and the sink has one, which equals a
# direct computation.  A reduce that fails, or is over its budget, costs what it was to merge: whose that
# was is counted; no epoch waits for it.
. "$(dirname "$0")/lib.sh"
requires python3
nodes=9
at_exit 'kill $(cat "$SCRATCH"/*.pid)'
cd "$SCRATCH" || exit 1
mkdir run plugins
host=$BUILD/src/cmd/baro-plugin-host
[ -x "$host" ] || skip_all "no baro-plugin-host"

# Three children at most: ranks 4 to 8 are below 1 and 2, which are below 0.
rank=1
while [ "$rank" -lt "$nodes" ]; do
    mkdir -p "root$rank/proc/sys/fs"
    echo "$((rank * 7 + 1)) 0 100000" >"root$rank/proc/sys/fs/file-nr"
    rank=$((rank + 1))
done
plugin() { # BODY-OF-REDUCE
    cat <<END_LUA
plugin {
    name = "mod", version = "1.0", reads = { "/proc/sys/fs/file-nr" },
    metrics = { { "product", "1" }, { "inputs", "1" }, { "values", "1" }, { "lost", "1" } },
}
function source(t)
    local open = tonumber(read("/proc/sys/fs/file-nr"):match("(%d+)"))
    contribute("v", "lua", open)
    contribute("text", "lua", ("x"):rep(open))
    contribute("open", "sum", open)
end
function reduce(t, inputs)
    $1
    local product, longest = 1, ""
    for _, input in ipairs(inputs) do
        if input.name == "v" then product = product * input.value % 1000003 end
        if input.name == "text" and #input.value > #longest then longest = input.value end
    end
    contribute("v", "lua", product)
    contribute("text", "lua", longest)
end
function sink(t, inputs)
    local seen = 0
    local value = {}
    for _, input in ipairs(inputs) do
        if input.name == "v" then seen = seen + 1 end
        value[input.name] = input.value
    end
    sample("inputs", seen)
    sample("values", value.v_count or 0)
    sample("lost", value.v_lost_hosts or 0)
    if value.v then sample("product", value.v) end
end
END_LUA
}
install_plugin() {
    plugin "$1" >plugins/.new
    mv plugins/.new plugins/mod.lua
}
install_plugin ""
session() {
    printf '[session]\nsize = %s\nfanout = 3\naddress = unix:%s/run/%%r.sock\nrank = %s\nheartbeat = 1s\nperiod = 1s\nlead = 300ms\ndeadline = 900ms\nstate = %s/state\n' \
        "$nodes" "$SCRATCH" "$1" "$SCRATCH"
}
{ printf '[records]\nengine = sqlite\npath = %s/records.db\n[net]\nlisten = none\nsocket = %s/barod.sock\n[store]\ndirectory = %s/store\n[plugins]\ndirectory = %s/plugins\nhost = %s\n' \
    "$SCRATCH" "$SCRATCH" "$SCRATCH" "$SCRATCH" "$host"; session 0; } >barod.conf
barod --config barod.conf 2>>barod.log &
echo $! >0.pid
wait_for 10 baro stats --server "unix:$SCRATCH/barod.sock"
rank=1
while [ "$rank" -lt "$nodes" ]; do
    { printf '[agent]\nsource = none\nroot = %s/root%s\nserver = unix:%s/barod.sock\nstate = %s/agent%s\nspool = %s/agent%s/spool\nhost = rank%s\ncluster = test\n[plugins]\ndirectory = %s/plugins\nhost = %s\n' \
        "$SCRATCH" "$rank" "$SCRATCH" "$SCRATCH" "$rank" "$SCRATCH" "$rank" "$rank" "$SCRATCH" "$host"; session "$rank"; } >"agent$rank.conf"
    baro-agent --config "agent$rank.conf" 2>>"agent$rank.log" &
    echo $! >"$rank.pid"
    rank=$((rank + 1))
done
tree=session/rank0/session:system
has() { # METRIC VALUE
    value=$(baro metric query "$1" "$tree" --last 3s --server "unix:$SCRATCH/barod.sock" --output csv 2>/dev/null |
        tail -n 1 | sed 's/.*,//')
    [ -n "$value" ] && python3 -c "import sys; sys.exit(abs($value - ($2)) > 1e-6)"
}
product=$(python3 -c "
p = 1
for r in range(1, $nodes): p = p * (7 * r + 1) % 1000003
print(p)")
ok "the merge of all nodes is that of a direct computation" wait_for 20 has product "$product"
ok "the sink has one value" wait_for 10 has inputs 1
ok "of as many as were contributed" wait_for 10 has values 8
ok "nothing is lost" wait_for 10 has lost 0
ok "what the session merges itself goes on" wait_for 10 has mod_open_sum "sum(7 * r + 1 for r in range(1, $nodes))"

# Below rank 2 are 7 and 8: its reduce fails, and what the three contributed is lost.
install_plugin 'if (read("/proc/sys/fs/file-nr") or ""):match("^15 ") then error("it fails") end'
ok "a reduce that fails costs its inputs, and whose they were is counted" wait_for 20 has lost 3
ok "the others go on" wait_for 10 has inputs 1
ok "after three times the plugin is suspended there, and what comes from below goes up as it is" wait_for 30 has values 7
ok "and is merged above: nothing is lost" wait_for 10 has lost 0
ok "to one" wait_for 10 has inputs 1
install_plugin ""
ok "loaded again it merges again" wait_for 30 has inputs 1
ok "to the same" wait_for 10 has product "$product"
install_plugin 'while true do end'
epochs() { baro stats --server "unix:$SCRATCH/barod.sock" | awk '$1 == "baro_session_epochs_total" { print $2 }'; }
is_later() { [ "$(epochs)" -gt "$1" ]; }
before=$(epochs)
ok "one over its budget does not hold up an epoch" wait_for 30 is_later $((before + 4))
ok "which is logged" wait_for 20 grep -q "mod.plugin_over_budget" barod.log agent1.log agent2.log
for log in *.log; do
    ok "$log has no error" not grep -E "Sanitizer|runtime error" "$log"
done
finish
