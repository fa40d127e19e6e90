#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Plugins that try to get out, or do not end, in the real process: each is refused or contained,
# and the program that started it is unharmed.
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/lib.sh"
requires jq baro baro-plugin-host
host=$BUILD/src/cmd/baro-plugin-host
cd "$SCRATCH" || exit 1
write() { # LINE: the body of source
    printf 'plugin{name="x",version="1",metrics={{"m","n"}}}\nn = 0\nfunction source(t)\nn = n + 1\nif n == 2 then sample("m", n) return end\n%s\nend\n' "$1" >p.lua
}
# The first call is bad, the second one is fine again: the outcome of both.
outcome() {
    write "$1"
    timeout 120 baro plugin test p.lua --steps 2 --host "$host" -o json 2>err |
        jq -r '[.[] | select(.kind == "call") | .of] | join(", ")'
}
while IFS='|' read -r name want line; do
    got=$(outcome "$line")
    # shellcheck disable=SC2254 # a pattern on purpose
    case $got in
    $want", ok") pass "$name: $want, and the next call is fine" ;;
    *) fail "$name: '$got', not '$want, ok'" ;;
    esac
done <<'CASES'
an endless loop|over its *|while true do end
pcall around it|over its *|while true do pcall(function() while true do end end) end
nested pcall|over its *|local function f() pcall(f) while true do pcall(f) end end f()
a pattern of a?|over its *|while true do pcall(string.find, ("a"):rep(44), ("a?"):rep(22) .. ("a"):rep(22) .. "b") end
a pattern of .-|over its *|while true do pcall(string.find, ("a"):rep(600), ".-.-.-.-b") end
memory|over its memory|local t = {} while true do t[#t + 1] = ("x"):rep(100) .. #t end
memory in pcall|over its memory|while true do pcall(function() local t = {} while true do t[#t + 1] = {} end end) end
a string doubled|over its *|local s = "x" while true do s = s .. s end
a long string|error|return ("x"):rep(1 << 30)
a string of nothing|error|return (""):rep(1 << 53)
deep recursion|over its memory|local f f = function() return 1 + f() end f()
a finalizer|error|setmetatable({}, {__gc = function() while true do end end})
a finalizer set later|ok|for i = 1, 100 do local m = {} setmetatable({}, m) m.__gc = function() while true do end end end
the metatable of strings|error|getmetatable("").__index = function() while true do end end
string functions replaced|ok|string.find = nil string.format = nil math = nil
xpcall's handler|error|xpcall(function() while true do end end, function() while true do end end)
coroutines|error|coroutine.wrap(function() while true do end end)()
bytecode|error|load("\27Lua")()
a hook|error|debug.sethook()
a file|error|io.open("/etc/passwd")
a program|error|os.execute("true")
a library|error|require("os")
an endless metamethod|error|return setmetatable({}, {__index = function(t, k) return t[k] end}).x
an error that is an object|error|error(setmetatable({}, {__tostring = function() while true do end end}))
slow comparisons|over its time|local a, b = ("x"):rep(200000) .. "a", ("x"):rep(200000) .. "a" while true do local c = a == b and a < b and a == b and a < b and a == b end
many yields|over its *|while true do sample("m", 1) end
much printed|over its *|while true do print(("x"):rep(300)) end
CASES
is "nothing was left behind" "$(pgrep -f "$host" | wc -l)" 0

# ---- what does not end while it is loaded ----
printf 'plugin{name="x",version="1"}\nwhile true do pcall(function() while true do end end) end\n' >p.lua
ok "a file that does not end when it is loaded is refused" eval \
    '! baro plugin test p.lua --host "$host" 2>err && grep -q "instructions" err'
python3 -c 'print("plugin{name=\"x\",version=\"1\"}\nx = " + "(" * 20000)' >p.lua
ok "a file that is nested too deep is refused" eval '! baro plugin test p.lua --host "$host" 2>err'
printf '\033Lua\124' >p.lua
ok "bytecode is refused" eval '! baro plugin test p.lua --host "$host" 2>err && grep -q binary err'
head -c 70000 /dev/zero | tr '\0' ' ' >p.lua
ok "a file that is too large is refused" eval '! baro plugin test p.lua --host "$host" 2>err && grep -q 60000 err'
finish
