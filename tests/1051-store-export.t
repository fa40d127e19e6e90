#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# baro store export: what was put comes out bit for bit, out of a directory and through a
# barod that has it open; and as checkpoints that cc-metric-store reads as the same.
. "$(dirname "$0")/lib.sh"
requires curl python3
PATH=$BUILD/tests/fill:$PATH
store=$SCRATCH/store
socket=$SCRATCH/barod.sock

python3 - "$SCRATCH" <<'PYTHON'
import random, struct, sys
random.seed(7)
t0 = 1700000043
put, lines = ["metric cpu_load 60s sum", "metric power none", "metric temp 30s avg"], []
def number():
    kind = random.random()
    if kind < 0.5: return round(random.uniform(0, 100), 2)
    if kind < 0.9: return random.uniform(-1e6, 1e6)
    return random.choice([0.0, -0.0, 1e300, 5e-324, -1.0])
def series(path, tags, metric, times):
    for t in times:
        if random.random() < 0.05:
            continue
        v = number()
        put.append("%s %s %d %r" % (path, metric, t, v))
        lines.append((metric + tags, t, struct.pack("<d", v)))
series("alex/a01", ",cluster=alex,hostname=a01", "cpu_load", range(t0, t0 + 90000, 60))
series("alex/a02", ",cluster=alex,hostname=a02", "cpu_load", range(t0 + 7, t0 + 3000, 60))
series("alex/a02/hwthread:7", ",cluster=alex,hostname=a02,type=hwthread,type-id=7", "temp", range(t0, t0 + 30000, 30))
series("fritz/f\\x20x/accelerator:00000000:49:00.0/x:1", ",cluster=fritz,hostname=f\\ x,type=accelerator,type-id=00000000:49:00.0,stype=x,stype-id=1", "temp", range(t0, t0 + 900, 30))
series("fritz/g", ",cluster=fritz,hostname=g", "power", [t0 + 5 * i + i % 3 for i in range(400)])
open(sys.argv[1] + "/put", "w").write("\n".join(put) + "\n")
open(sys.argv[1] + "/want", "w").write("".join("%s %d %s\n" % (k, t, v.hex()) for k, t, v in sorted(lines)))
PYTHON
ok "a store is filled" baro-fill-metrics "$store" <"$SCRATCH/put"

# key, time, the value's 64 bits; both forms of text.
cat >"$SCRATCH/bits.py" <<'PYTHON'
import calendar, csv, re, struct, sys, time
rows = []
if sys.argv[1] == "line":
    for line in sys.stdin:
        key, value, t = re.fullmatch(r"(.*) value=(\S+) (\d+)\n", line).groups()
        rows.append((key, int(t), struct.pack("<d", float(value))))
else:
    for component, metric, t, value in list(csv.reader(sys.stdin))[1:]:
        key = metric
        names = ["cluster", "hostname", "type", "stype"]
        for name, part in zip(names, component.split("/")):
            word, _, ident = part.partition(":") if "type" in name else (part, "", "")
            key += ",%s=%s" % (name, word.replace("\\x20", "\\ "))
            if ident:
                key += ",%s-id=%s" % (name, ident)
        rows.append((key, calendar.timegm(time.strptime(t, "%Y-%m-%dT%H:%M:%SZ")), struct.pack("<d", float(value))))
for key, t, bits in sorted(rows):
    print(key, t, bits.hex())
PYTHON
same() { # form
    python3 "$SCRATCH/bits.py" "$1" | diff - "$SCRATCH/want" | head -n 10
}
is "line protocol has every sample, bit for bit" "$(baro store export "$store" | same line)" ""
is "so has CSV" "$(baro store export "$store" -f csv | same csv)" ""
is "a pattern of components and of metrics" \
    "$(baro store export "$store" -c 'alex/*' -m 'temp,cpu_*' -f csv | cut -d, -f1,2 | sort -u | tr '\n' ' ')" \
    "alex/a01,cpu_load alex/a02,cpu_load component,metric "
is "a range of time" "$(baro store export "$store" -m power --from @1700000053 --to @1700000060 |
    sed 's/.* //' | tr '\n' ' ')" "$(awk '/^power/ && $2 >= 1700000053 && $2 < 1700000060 {print $2}' \
    "$SCRATCH/want" | tr '\n' ' ')"
is "times as one asks" "$(baro store export "$store" -m power --times ns | head -n 1 | sed 's/.* //')" \
    "$(awk '/^power/ {print $2; exit}' "$SCRATCH/want")000000000"

# cc-metric-store: a buffer begins at start, its first slot's time is half a step later.
cat >"$SCRATCH/cc.py" <<'PYTHON'
import glob, json, os, re, struct, sys
rows = []
def load(level, key):
    for metric, m in level["metrics"].items():
        assert set(m) == {"frequency", "start", "data"}, m
        for i, v in enumerate(m["data"]):
            if v is not None:
                start, step = int(m["start"]), int(m["frequency"])
                rows.append((metric + key, start + step // 2 + i * step, struct.pack("<d", v)))
        starts.setdefault((metric, key), []).append(m["start"])
    for name, child in level["children"].items():
        word = re.match(r"[a-z]+", name).group()
        kind = "stype" if ",type=" in key else "type"
        load(child, "%s,%s=%s,%s-id=%s" % (key, kind, word, kind, name[len(word):]))
starts = {}
for cluster in os.listdir(sys.argv[1]):
    for host in os.listdir(os.path.join(sys.argv[1], cluster)):
        for path in sorted(glob.glob(os.path.join(sys.argv[1], cluster, host, "*.json"))):
            level = json.load(open(path), parse_int=float)
            assert level["from"] == int(os.path.basename(path)[:-5]) < level["to"]
            load(level, ",cluster=%s,hostname=%s" % (cluster, host.replace(" ", "\\ ")))
assert all(s == sorted(s) for s in starts.values()), "a buffer before the one before"
for key, t, bits in sorted(rows):
    print(key, t, bits.hex())
PYTHON
baro store export "$store" -f cc --out "$SCRATCH/cc" 2>"$SCRATCH/said"
is "checkpoints are written" "$?" 0
is "they hold the same, of all series with a step" "$(python3 "$SCRATCH/cc.py" "$SCRATCH/cc" |
    diff - "$(grep -v ^power "$SCRATCH/want" >"$SCRATCH/steps" && echo "$SCRATCH/steps")" | head -n 5)" ""
ok "and it is said what is not in them" grep -q "1 series are left out" "$SCRATCH/said"
ok "what is there is not written over" not baro store export "$store" -f cc --out "$SCRATCH/cc"

cat >"$SCRATCH/barod.conf" <<CONF
[net]
socket = $socket
listen = none
[records]
path = $SCRATCH/records.db
[store]
own_metrics = 0s
directory = $store
retention = 3650d
CONF
barod --config "$SCRATCH/barod.conf" >"$SCRATCH/barod.log" 2>&1 &
at_exit "kill -9 $!"
wait_for 20 curl -sf --unix-socket "$socket" http://x/healthz
is "a directory that barod has open" "$(baro store export "$store" | same line)" ""
is "through barod" "$(baro store export --server "unix:$socket" | same line)" ""
is "through barod as CSV" "$(baro store export -s "unix:$socket" -f csv | same csv)" ""
is "wrong usage is said" "$(baro store export 2>&1)" \
    "baro store export: a DIRECTORY, or --server; see --help"
ok "a directory of something else is refused" not baro store export "$SCRATCH/cc"
is "and is left alone" "$(ls "$SCRATCH/cc")" "alex
fritz"
finish
