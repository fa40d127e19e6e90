#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# baro node top: what nodes do now, the largest first; rates of counters, units that people read,
# and which nodes are silent.
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=tests/lib-barod.sh
. "$(dirname "$0")/lib-barod.sh"
requires curl jq python3

barod_conf
{
    printf '[metric load_one]\nstep = 10s\naggregation = avg\n'
    printf '[metric mem_used]\nstep = 10s\nunit = kB\naggregation = sum\n'
    printf '[metric other]\nstep = 10s\naggregation = avg\n'
    printf '[metric slow]\nstep = 300s\nunit = Percent\naggregation = avg\n'
    printf '[metric net_bytes_in]\nstep = 10s\nkind = counter\nunit = bytes\naggregation = sum\n'
} >>"$SCRATCH/barod.conf"
BARO_SERVER=$server
export BARO_SERVER
ok "barod starts" start_barod
ok "without any node it says so" eval '! baro node top 2>"$SCRATCH/err" && grep -q "no nodes" "$SCRATCH/err"'
# Two minutes of four nodes: load 1 to 4, memory 1 to 4 GiB, 1000 to 4000 bytes a second; the fifth
# stopped ten minutes ago.
now=$(date +%s)
python3 - "$now" >"$SCRATCH/lines" <<'END'
import sys
now = int(sys.argv[1])
for i in range(1, 6):
    last = now - 600 if i == 5 else now
    at = f"cluster=alex,hostname=a0{i},type=node"
    for t in range(last - 120, last + 1, 10):
        print(f"load_one,{at} value={i} {t}")
        print(f"mem_used,{at} value={i << 20} {t}")
        print(f"net_bytes_in,{at} value={i * 1000 * (t - now + 10000)} {t}")
    print(f"slow,{at} value={10 * i} {last - 400}")
# One that has none of the usual metrics, and lives.
print(f"other,cluster=alex,hostname=b1,type=node value=7 {now - 5}")
END
is "metrics are sent" "$(curl -s -o "$SCRATCH/out" -w '%{http_code}' --unix-socket "$socket" \
    --data-binary "@$SCRATCH/lines" 'http://x/api/write?precision=s')" 200
top() { baro node top "$@" -o json 2>"$SCRATCH/notes"; }
is "the largest load first, the silent node last" "$(top --window 2m | jq -c 'map(.node)')" \
    '["alex/a04","alex/a03","alex/a02","alex/a01","alex/a05","alex/b1"]'
is "each with its numbers: bytes, and the rate of a counter" \
    "$(top --window 2m | jq -c '.[0] | [.load_one, .mem_used, .net_bytes_in]')" '[4,4294967296,4000]'
is "a silent node has none, and its age" \
    "$(top | jq -c '.[4] | [.load_one, .mem_used, (.age | . >= 600 and . < 700)]')" '[null,null,true]'
ok "and is named" grep -q '1 node sends nothing any more: alex/a05$' "$SCRATCH/notes"
is "one that has other metrics lives" "$(top -m load_one | jq -c '.[5] | [.node, .load_one, .age < 60]')" '["alex/b1",null,true]'
ok "and is not named as silent" not grep -q 'b1' "$SCRATCH/notes"
is "sorted by another metric" "$(top --sort mem_used -m load_one,mem_used -l 1 | jq -c '.[0] | keys')" \
    '["age","load_one","mem_used","node"]'
is "what comes every five minutes is there" "$(top -m slow --sort slow | jq -c 'map(.slow)')" '[40,30,20,10,null,null]' ||
    sed 's/^/# /' "$SCRATCH/notes"
is "a set of them" "$(top 'alex/a0[1-2]' | jq -c 'map(.node)')" '["alex/a02","alex/a01"]'
is "over REST with format=json its objects but for ages that go on" \
    "$(curl -s --unix-socket "$socket" 'http://x/v1/nodes/latest?component=alex&metric=load_one&format=json' | jq -c 'map(del(.age))')" \
    "$(top alex -m load_one | jq -c 'map(del(.age))')"
ok "a limit is stated" eval 'top -l 2 >/dev/null; grep -q "^# 2 of 6 nodes" "$SCRATCH/notes"'
baro node top >"$SCRATCH/table" 2>&1
ok "people read 4 GiB, and 4 KB a second" grep -q 'alex/a04 .*4.00 GiB .*3.91 KiB/s' "$SCRATCH/table" ||
    sed 's/^/# /' "$SCRATCH/table"
while IFS='|' read -r wrong status text; do
    # shellcheck disable=SC2086 # options
    baro node top $wrong >"$SCRATCH/out" 2>"$SCRATCH/err"
    status_was=$?
    is "refused: $wrong" "$status_was $(grep -c -e "$text" "$SCRATCH/err")" "$status 1"
done <<END
nosuch/x|1|nosuch
-m nosuch|1|these nodes have no 'nosuch'
-m a,b,c,d,e,f,g,h,i,j,k,l,m,n,o,p,q|2|a table has 16 columns
--sort nosuch|2|'nosuch' is not a metric of the table
--window 0s|2|window: invalid value '0s'
--window 2d|2|window: invalid value '2d'
-l 0|2|at least 1
END
# On a terminal: drawn again, over an end and a new start of barod, until Ctrl-C.
cat >"$SCRATCH/terminal.py" <<'END'
import fcntl, os, pty, select, signal, struct, sys, termios, time
pid, fd = pty.fork()
if pid == 0:
    os.execvp("baro", ["baro", "node", "top", "--follow", "--interval", "200ms"])
fcntl.ioctl(fd, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 100, 0, 0))
seen, end, told, away = b"", time.time() + 120, False, 0
barod = int(sys.argv[1])
while time.time() < end:
    if select.select([fd], [], [], 0.2)[0]:
        try:
            seen += os.read(fd, 65536)
        except OSError:
            break
    if seen.count(b"alex/a04") > 3 and not away:
        away = len(seen)
        os.kill(barod, signal.SIGTERM)
    if away and b"sock: " in seen[away:] and seen[away:].count(b"alex/a04") > 3 and not told:
        told = True
        os.kill(pid, signal.SIGINT)
if not told:
    os.kill(pid, signal.SIGKILL)
open(os.environ["SCRATCH"] + "/seen", "wb").write(seen)
print(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), b"every 200 ms" in seen, told)
END
old=$pid
(
    wait_for 60 not test -S "$socket"
    sleep 1
    exec barod --config "$SCRATCH/barod.conf" >>"$SCRATCH/barod.log" 2>&1
) &
pid=$!
: >"$SCRATCH/seen"
is "--follow draws on over a restart, until Ctrl-C" "$(python3 "$SCRATCH/terminal.py" "$old")" "0 True True" ||
    tail -n 3 "$SCRATCH/barod.log" | sed 's/^/# /'
ok "barod ends" end_barod
ok "it logged no error" not grep -qE 'Sanitizer|runtime error| (error|crit):' "$SCRATCH/barod.log"
finish
