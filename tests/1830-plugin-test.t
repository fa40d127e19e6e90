#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A plugin in Lua, as a new user writes it: the example of doc/plugins.md, and the default ones.
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/lib.sh"
requires jq baro baro-plugin-host
host=$BUILD/src/cmd/baro-plugin-host
cd "$SCRATCH" || exit 1
plugin() { # VERB ARGUMENT...
    verb=$1
    shift
    baro plugin "$verb" "$@" --host "$host"
}

# ---- the page's example, and its commands ----
awk '/^```lua/ { on = 1; next } /^```/ { on = 0 } on' "$TOP/doc/plugins.md" >fds.lua
ok "the page has a plugin" grep -q '^plugin {' fds.lua
ok "it runs on this machine" plugin test fds.lua
is "it yields one sample the first time" \
    "$(plugin test fds.lua -o json | jq -r '[.[] | select(.kind == "sample") | .name] | join(" ")')" \
    "fds_open"
awk '/^```/ { on = !on; next } on && /^(mkdir|echo)/' "$TOP/doc/plugins.md" >commands
# shellcheck source=/dev/null
. ./commands
plugin test fds.lua --root before --root after -o json >steps.json
rows() { # JQ
    jq -r "$1" steps.json
}
is "of two steps, each sample and the event" "$(rows '.[] | select(.kind != "call")
    | "\(.step) \(.kind) \(.name) \(.of // "") \(.value // "") \(.text // "")"')" \
    "1 sample fds_open  1000 
2 sample fds_open  9500 
2 sample fds_opened  850 
2 event fds_high warning  9500 of 10000 file handles are open"
is "and what both calls cost" \
    "$(rows '[.[] | select(.kind == "call" and .of == "ok" and .value > 0 and .value < 1)] | length')" 2
is "time between steps is as given" \
    "$(plugin test fds.lua --root before --root after --step 1s -o csv | grep -c '^2,sample,fds_opened,"",8500')" 1
ok "show has what it reads" eval \
    'plugin show fds.lua -o csv | grep -q "^reads,/proc/sys/fs/file-nr,"'
ok "and the digest of its text" eval \
    'plugin show fds.lua -o csv | grep -q "^digest,$(sha256sum fds.lua | cut -c1-64),"'
ok "bench has the cost of a call" eval \
    'plugin bench fds.lua --steps 50 -o json | jq -e ".[0].calls == 50 and .[0].failures == 0 and .[0].cpu < 0.1"'

# ---- the default plugins ----
is "list has those of a directory" \
    "$(plugin list "$TOP/plugins" -o json | jq -r '[.[] | select(.refused == null) | .plugin] | contains(["edac"])')" \
    true
is "none of them is refused" \
    "$(plugin list "$TOP/plugins" -o json | jq -r '[.[] | select(.refused != null)] | length')" 0
edac() { # DIRECTORY CORRECTED UNCORRECTED
    dimm=$1/sys/devices/system/edac/mc/mc0/dimm3
    mkdir -p "$dimm"
    echo "$2" >"$dimm/dimm_ce_count"
    echo "$3" >"$dimm/dimm_ue_count"
    echo "CPU0_C1_D0" >"$dimm/dimm_label"
}
edac e1 5 0
edac e2 7 0
edac e3 7 1
is "edac: what grew is an event with the module's label, once" \
    "$(plugin test "$TOP/plugins/edac.lua" --root e1 --root e2 --root e3 -o json |
        jq -r '.[] | select(.kind == "event" or .kind == "health") | "\(.step) \(.name) \(.text)"')" \
    "2 memory_corrected CPU0_C1_D0: 2 more, 7 in all
3 memory_uncorrected CPU0_C1_D0: 1 more, 1 in all
3 memory uncorrected errors"

# ---- what is wrong with one ----
echo 'plugin { name = "x" ' >bad.lua
ok "a mistake is named, with its line" eval \
    '! plugin test bad.lua 2>err && grep -q "bad.lua: plugin:2: .*expected" err'
is "and a list has it as refused" "$(plugin list bad.lua -o json | jq -r '.[0].refused != null')" true
printf 'plugin{name="x",version="1"}\nfunction source() error("no luck") end\n' >fails.lua
ok "a call that fails is exit status 1" eval \
    'plugin test fails.lua -o csv >out; [ $? -eq 1 ] && grep -q "no luck" out'
printf 'plugin{name="x",version="1",reads={"/etc/passwd"}}\nfunction source() print(read("/etc/passwd") == nil) end\n' >reads.lua
ok "a file that is not in the list is not passed" eval \
    'plugin test reads.lua >out 2>err && grep -q "does not get 1" err out'
is "and is not there for it" "$(plugin test reads.lua -o json 2>/dev/null | jq -r '.[0].text')" true
is "the administrator can allow it" \
    "$(plugin test reads.lua --allow /etc/passwd -o json | jq -r '.[0].text')" false
ok "two files are one too many" eval 'plugin test fds.lua fails.lua 2>err; [ $? -eq 2 ]'
ok "without the program, that is named" eval \
    '! baro plugin test fds.lua --host ./none 2>err && grep -q "none" err'
ok "the program alone does nothing" eval '"$host" 2>err; [ $? -eq 2 ] && grep -q baro-agent err'
finish
