#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Health that plugins state becomes health of resources: a Lua plugin and the built-in source edac on
# an agent, a sink at the control node; baro resource show names them, watch has each change as it
# comes.  The same again makes no row; a suspended plugin's is unknown, a removed one's stands against
# nothing; a user's agent has an opinion.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/lib-barod.sh"
. "$(dirname "$0")/lib-roles.sh"
requires jq curl sqlite3
cd "$SCRATCH" || exit 1
host=$BUILD/src/cmd/baro-plugin-host
[ -x "$host" ] || { echo "1..0 # SKIP no baro-plugin-host"; exit 0; }
at_exit 'kill $(cat "$SCRATCH"/*.agent "$SCRATCH/watch.pid" 2>/dev/null) 2>/dev/null'

mkdir run plugins plugins.user sinks
session() {
    printf '[session]\nsize = 2\naddress = unix:%s/run/%%r.sock\nrank = %s\nheartbeat = 1s\nperiod = 200ms\nlead = 50ms\ndeadline = 150ms\nstate = %s/session%s\n' \
        "$SCRATCH" "$1" "$SCRATCH" "$1"
}
roles_start "[resource]
host = alex/a[1-3]
[plugins]
directory = $SCRATCH/sinks
host = $host
$(session 0)"
token node --role agent --host a1 --cluster alex
chmod 600 reader support user node admin
as() { # TOKEN ARGUMENTS
    as_token=$1
    shift
    baro "$@" --server "$url" --token-file "$SCRATCH/$as_token"
}
state() { # COMPONENT: health and reason
    as reader resource list -p -o json "$1" | jq -r --arg c "$1" '.[] | select(.component == $c) | .health + " " + (.reason // "-")'
}
is_state() { [ "$(state "$1")" = "$2" ]; }
rows() { sqlite3 records.db "select count(*) from resource_changes where source like 'system:plugin:fds@%'"; }

# ---- a plugin on a node ----
handles() { echo "$1 0 10000" >"root/proc/sys/fs/file-nr"; }
mc=root/sys/devices/system/edac/mc/mc0
mkdir -p root/proc/sys/fs $mc/dimm0 $mc/dimm1
handles 1000
echo 864000 >$mc/seconds_since_reset
for n in 0 1; do
    echo "CPU 0 DIMM_A$n" >$mc/dimm$n/dimm_label
    echo 0 >$mc/dimm$n/dimm_ce_count
    echo 0 >$mc/dimm$n/dimm_ue_count
done
cat >fds.lua <<'END_LUA'
plugin { name = "fds", version = "1.0", reads = { "/proc/sys/fs/file-nr" }, health = { "host", "handles", "limits" } }
function source(t)
    local open = tonumber(read("/proc/sys/fs/file-nr"):match("(%d+)"))
    if open == 7777 then error("it fails") end
    health("host", open > 9000 and "down" or "up", open .. " of 10000 file handles are open")
    health("handles", open > 5000 and "degraded" or "up", open .. " of 10000")
    health("limits", "up", "")
    contribute("open", "max", open)
end
END_LUA
install_to() { # DIRECTORY NAME
    cat >"$1/.new"
    mv "$1/.new" "$1/$2.lua"
}
install_to plugins fds <fds.lua
start_agent() { # NAME TOKEN DIRECTORY [SESSION]
    { printf '[agent]\nsource = none\nroot = %s/root\nserver = %s\ntoken_file = %s/%s\nstate = %s/%s.state\nspool = %s/%s.spool\nhost = %s\ncluster = alex\n[node]\nsource = edac\ninterval = 200ms\nflush_interval = 0s\n[plugins]\ndirectory = %s\nhost = %s\n' \
        "$SCRATCH" "$url" "$SCRATCH" "$2" "$SCRATCH" "$1" "$SCRATCH" "$1" "$1" "$SCRATCH/$3" "$host"; [ -z "${4-}" ] || session "$4"; } >"$1.conf"
    baro-agent --config "$1.conf" 2>>"$1.log" &
    echo $! >"$1.agent"
}
baro resource watch -o csv --after 0.0 --server "$url" --token-file reader >watched 2>err &
echo $! >watch.pid
start_agent a1 node plugins 1
ok "what a plugin states of its host reaches barod" wait_for 20 is_state alex/a1 "up -"
ok "and of a part" wait_for 20 is_state alex/a1/handles "up -"
ok "the built-in source states modules of memory" wait_for 20 is_state 'alex/a1/dimm:CPU_0_DIMM_A1' "up -"
is "each source is named" "$(as reader resource show -o json alex/a1 | jq -r ".[].source" | grep -v presence)" "system:plugin:fds@a1"

handles 9500
ok "a change reaches it" wait_for 20 is_state alex/a1 "down fds: 9500 of 10000 file handles are open"
is "who states it, and when, is shown" \
    "$(as reader resource show -o json alex/a1 | jq -r '.[] | [.source, .health, .reason, (.since | length > 10)] | join(" ")')" \
    "system:plugin:fds@a1 down fds: 9500 of 10000 file handles are open true"
has_watched() { grep -q "$1" watched; }
ok "watch has it as it comes" wait_for 10 has_watched "alex/a1,up,down,fds: 9500 of 10000 file handles are open,system:plugin:fds@a1"
is "the check of hosts has it" "$(as node resource check --hosts a1 2>&1)" \
    "a1: down: fds: 9500 of 10000 file handles are open (alex/a1)"
since() { as reader resource list -o json alex/a1 | jq -r '.[0].since'; }
before=$(rows) began=$(since)
epochs() { as admin stats | awk '$1 == "baro_session_epochs_total" { print $2 }'; }
have_passed() { [ "$(epochs)" -gt "$1" ]; }
passed=$(epochs)
handles 9400
ok "triggers go by" wait_for 10 have_passed $((passed + 5))
is "the same health again makes no row" "$(rows)" "$before"

# ---- the agent is started again ----
kill "$(cat a1.agent)"
wait "$(cat a1.agent)" 2>/dev/null
start_agent a1 node plugins 1
ok "an agent that is started again states its new value" wait_for 20 is_state alex/a1 "down fds: 9400 of 10000 file handles are open"
is "which is so since before" "$(since)" "$began"
is "and makes no row" "$(rows)" "$before"

# ---- memory ----
echo 3 >$mc/dimm1/dimm_ue_count
ok "an uncorrected error degrades the module" wait_for 20 is_state alex/a1/dimm:CPU_0_DIMM_A1 \
    "degraded edac: 3 uncorrected errors of CPU_0_DIMM_A1 since the start"
handles 1000
ok "and its host by it" wait_for 20 is_state alex/a1 "degraded edac: 3 uncorrected errors of CPU_0_DIMM_A1 since the start"
echo 12 >$mc/dimm0/dimm_ce_count
ok "many corrected ones in a short time do, too" wait_for 20 is_state alex/a1/dimm:CPU_0_DIMM_A0 \
    "degraded edac: CPU_0_DIMM_A0: 12 corrected errors in an hour, more than 10"

# ---- one that fails, one that is removed ----
# By an agent that knows of no well one before: what is bad again within the hour is unsteady.
kill "$(cat a1.agent)"
wait "$(cat a1.agent)" 2>/dev/null
handles 9500
start_agent a1 node plugins 1
ok "it is down again" wait_for 20 is_state alex/a1 "down fds: 9500 of 10000 file handles are open"
handles 7777
ok "of a suspended plugin nothing is known" wait_for 20 is_state alex/a1/limits "unknown fds: suspended, its calls failed"
is "what was down stays so: a dead device hangs its own check" "$(state alex/a1)" "down fds: 9500 of 10000 file handles are open"
is "what was degraded, too" "$(state alex/a1/handles | cut -d' ' -f1)" degraded
handles 9500
install_to plugins fds <fds.lua
touch plugins/fds.lua
ok "loaded again, it states anew" wait_for 20 is_state alex/a1/limits "up -"
is "of all" "$(state alex/a1)" "down fds: 9500 of 10000 file handles are open"
chmod 666 plugins/fds.lua
ok "of one whose file is not safe nothing is known" wait_for 20 is_state alex/a1/limits "unknown fds: not run, its file is not safe"
is "what was down stays so" "$(state alex/a1)" "down fds: 9500 of 10000 file handles are open"
chmod 644 plugins/fds.lua
ok "safe again, it states anew" wait_for 20 is_state alex/a1/limits "up -"
chmod 666 plugins/fds.lua
ok "it is not safe again" wait_for 20 is_state alex/a1/limits "unknown fds: not run, its file is not safe"
rm plugins/fds.lua
ok "what a removed one stated stands against nothing" wait_for 20 is_state alex/a1/handles "up -"
ok "nor against the host" wait_for 20 is_state alex/a1 "degraded edac: 3 uncorrected errors of CPU_0_DIMM_A1 since the start"

# ---- a sink ----
install_to plugins fds <fds.lua
install_to sinks spread <<'END_LUA'
plugin { name = "fds", version = "1.0", health = { "handles:all" } }
function sink(t, inputs)
    for _, input in ipairs(inputs) do
        if input.name == "open_max" then
            health("handles:all", input.value > 9000 and "degraded" or "up", input.value .. " on one node")
        end
    end
end
END_LUA
handles 9100
ok "what a sink states is of the control node" wait_for 20 is_state session/rank0/handles:all "degraded fds: 9100.0 on one node"
is "and by it" "$(as reader resource show -o json session/rank0/handles:all | jq -r '.[].source')" "system:plugin:fds@rank0"
handles 1000
ok "until it does not" wait_for 20 is_state session/rank0/handles:all "up -"
is "a member of a session that has no cluster of the site is no second host" "$(state session/rank1)" ""

# ---- a user's ----
token hers --role user --user alice
chmod 600 hers
install_to plugins.user fds <fds.lua
handles 9500
start_agent a2 hers plugins.user
opinion() { as support resource show -o json alex/a2 | jq -r '.[] | [.source, .health, .counts] | join(" ")'; }
is_opinion() { [ "$(opinion)" = "user:alice down opinion" ]; }
ok "a user's agent has an opinion" wait_for 20 is_opinion
is "which changes nothing" "$(state alex/a2)" "unknown -"

# ---- the database is away while a node changes ----
kill "$(cat a1.agent)"
wait "$(cat a1.agent)" 2>/dev/null
start_agent a1 node plugins 1
ok "an agent states its value at its start" wait_for 20 is_state alex/a1/handles "degraded fds: 9500 of 10000"
end_barod
handles 1000
ok "barod starts again" start_barod
ok "what changed meanwhile arrives" wait_for 30 is_state alex/a1/handles "up -"

for log in *.log; do
    ok "$log has no error" not grep -E "Sanitizer|runtime error" "$log"
done
finish
