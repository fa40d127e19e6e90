#!/bin/sh
# A plot of many series: bands over all of them, said how many; each of a few has its key.
. "$(dirname "$0")/lib.sh"
requires curl python3
PATH=$BUILD/tests/fill:$PATH

socket=$SCRATCH/barod.sock
cat >"$SCRATCH/barod.conf" <<CONF
[net]
socket = $socket
listen = 127.0.0.1:$(free_port)
[records]
path = $SCRATCH/records.db
[store]
directory = $SCRATCH/store
own_metrics = 0s
CONF
mkdir "$SCRATCH/store"
n=$(($(date +%s) / 60 * 60 - 1800))
{
    echo "metric load 60s avg"
    for host in $(seq 10 49); do
        echo "c/n$host load $n..$((n + 1200)) $host"
    done
} | baro-fill-metrics "$SCRATCH/store"
barod --config "$SCRATCH/barod.conf" >"$SCRATCH/barod.log" 2>&1 &
at_exit "kill -9 $!"
ok "barod starts" wait_for 20 curl -sf --unix-socket "$socket" http://x/healthz
BARO_SERVER=unix:$socket
export BARO_SERVER

baro metric plot load --width 70 --height 9 >"$SCRATCH/plot"
is "forty series are bands, which is printed" \
    "$(grep -c '40 series: ━ median, ▒ middle half (quartiles), ░ least to greatest' "$SCRATCH/plot")" 1
ok "in shades" grep -q '░░░' "$SCRATCH/plot"
ok "no wider than requested" python3 - "$SCRATCH/plot" <<'PYTHON'
import sys
picture = open(sys.argv[1], encoding="utf-8").read().split("\n")
assert max(map(len, picture[:11])) <= 70, max(map(len, picture))
PYTHON
baro metric plot load -o svg >"$SCRATCH/plot.svg"
ok "SVG: two areas, a line, and a key of each" python3 - "$SCRATCH/plot.svg" <<'PYTHON'
import sys, xml.dom.minidom
svg = xml.dom.minidom.parse(sys.argv[1])
paths = svg.getElementsByTagName("path")
texts = [t.firstChild.data for t in svg.getElementsByTagName("text")]
assert [p.getAttribute("fill") != "none" for p in paths] == [True, True, False], paths
for key in ("least to greatest of 40 series", "middle half, between the quartiles", "median"):
    assert key in texts, texts
PYTHON
baro metric plot load 'c/n[10-25]' --width 70 --height 20 >"$SCRATCH/plot"
is "sixteen are lines, each with its letter" "$(grep -c '^ *[a-p]  c/n[12][0-9]$' "$SCRATCH/plot")" 16
ok "which is on the line, too" python3 - "$SCRATCH/plot" <<'PYTHON'
import sys
rows = open(sys.argv[1], encoding="utf-8").read().split("\n")[1:21]
for letter in "abcdefghijklmnop":
    assert any(letter in row for row in rows), letter
PYTHON
baro metric plot load 'c/n[10-25]' -o svg >"$SCRATCH/plot.svg"
ok "SVG: each with a style of its own" python3 - "$SCRATCH/plot.svg" <<'PYTHON'
import sys, xml.dom.minidom
paths = xml.dom.minidom.parse(sys.argv[1]).getElementsByTagName("path")
styles = {(p.getAttribute("stroke"), p.getAttribute("stroke-dasharray")) for p in paths}
assert len(paths) == len(styles) == 16, (len(paths), len(styles))
PYTHON
is "one line needs no letter" "$(baro metric plot load c/n10 | tail -1 | tr -d ' ')" c/n10
finish
