#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# baro store import: JSON checkpoints, binary snapshots and logs of cc-metric-store, written
# by a small oracle, straight into a directory and through a barod: every sample in its
# place; damaged files cost what follows in them.  And the way back comes back the same.
. "$(dirname "$0")/lib.sh"
requires curl python3
store=$SCRATCH/store
socket=$SCRATCH/barod.sock

cat >"$SCRATCH/oracle.py" <<'PYTHON'
# Writes $1/CLUSTER/HOST/... as cc-metric-store would, and what is in it to $2.
import json, os, random, struct, sys, zlib
random.seed(11)
top, want = sys.argv[1], {}
now = int(sys.argv[3]) // 3600 * 3600
f32 = lambda v: struct.unpack("<f", struct.pack("<f", v))[0]
text = lambda s: struct.pack("<H", len(s)) + s.encode()
def expect(path, metric, t, v):
    want[(path, metric, t)] = v
def data(path, metric, start, step, n, decimals):
    out = []
    for i in range(n):
        v = None if random.random() < 0.1 else round(random.uniform(0, 1000), decimals)
        if v is not None:
            expect(path, metric, start + i * step, v)
        out.append(v)
    return {"frequency": step, "start": start, "data": out}
def level(metrics, children): return {"metrics": metrics, "children": children}
def write_json(dir, at, tree):
    with open("%s/%d.json" % (dir, at), "w") as f:
        json.dump(dict(tree, **{"from": at, "to": at + 3600}), f)
def binary(tree):
    out = struct.pack("<I", len(tree["metrics"]))
    for name, m in tree["metrics"].items():
        out += text(name) + struct.pack("<qqI", m["frequency"], m["start"], len(m["data"]))
        out += b"".join(struct.pack("<f", float("nan") if v is None else v) for v in m["data"])
    out += struct.pack("<I", len(tree["children"]))
    for name, child in tree["children"].items():
        out += text(name) + binary(child)
    return out
def write_bin(dir, at, tree):
    open("%s/%d.bin" % (dir, at), "wb").write(struct.pack("<Iqq", 0xCC5B0001, at, at + 3600) + binary(tree))
def record(t, metric, levels, v):
    p = struct.pack("<q", t) + text(metric) + bytes([len(levels)])
    p += b"".join(bytes([len(s)]) + s.encode() for s in levels) + struct.pack("<f", v)
    return struct.pack("<II", 0xCC1DA7A1, len(p)) + p + struct.pack("<I", zlib.crc32(p))
for cluster, host, shift in (("alex", "a01", 0), ("alex", "a02", 17), ("fritz", "f 1", 31)):
    path = "%s/%s" % (cluster, host.replace(" ", "\\x20"))
    dir = "%s/%s/%s" % (top, cluster, host)
    os.makedirs(dir)
    def tree(start, decimals):
        return level({"cpu_load": data(path, "cpu_load", start, 60, 60, decimals)}, {
            "hwthread%d" % k: level({"flops": data("%s/hwthread:%d" % (path, k), "flops", start, 10, 360, decimals)}, {})
            for k in range(2)} | {"accelerator00:4.0": level({}, {"x1": level(
                {"temp": data(path + "/accelerator:00:4.0/x:1", "temp", start, 60, 60, decimals)}, {})})})
    write_json(dir, now - 10800, tree(now - 10800 + shift, 1))
    write_bin(dir, now - 7200, tree(now - 7200 + shift, 2))
    log = struct.pack("<I", 0xCC1DA701)
    for i in range(30):
        t = now - 3600 + shift + i * 60
        log += record(t, "cpu_load", [], i * 1.1) + record(t, "flops", ["hwthread0"], i / 4)
        expect(path, "cpu_load", t, round(i * 1.1, 6))
        expect(path + "/hwthread:0", "flops", t, i / 4)
    log += record(now - 60 + shift, "temp", ["accelerator00:4.0", "x1"], 1e8)
    expect(path + "/accelerator:00:4.0/x:1", "temp", now - 60 + shift, 1e8)
    open(dir + "/current.wal", "wb").write(log)
    os.makedirs(dir + "/avro")
    open(dir + "/1.bin.tmp", "w").write("half a file")
open(top + "/stray", "w").write("no directory")
for (path, metric, t), v in sorted(want.items()):
    print("%s,%s,%d,%s" % (path, metric, t, struct.pack("<d", v).hex()), file=open(sys.argv[2], "a"))
PYTHON
now=$(date +%s)
python3 "$SCRATCH/oracle.py" "$SCRATCH/cc" "$SCRATCH/want" "$now"

cat >"$SCRATCH/bits.py" <<'PYTHON'
import calendar, csv, struct, sys, time
rows = []
for c, m, t, v in list(csv.reader(sys.stdin))[1:]:
    rows.append((c, m, calendar.timegm(time.strptime(t, "%Y-%m-%dT%H:%M:%SZ")), float(v)))
for c, m, t, v in sorted(rows):
    print("%s,%s,%d,%s" % (c, m, t, struct.pack("<d", v).hex()))
PYTHON
same() { # what to hold it against
    python3 "$SCRATCH/bits.py" | diff - "$1" | head -n 8
}
count=$(grep -c . "$SCRATCH/want")
is "checkpoints and logs go into a directory" \
    "$(baro store import "$SCRATCH/cc" --into "$store" 2>&1)" \
    "3 hosts, 9 files, $count samples"
is "every sample is in its place, with the decimals it had" \
    "$(baro store export "$store" -f csv | same "$SCRATCH/want")" ""
ok "the directory is whole" baro store verify "$store"
is "the same again changes nothing" "$(baro store import "$SCRATCH/cc" --into "$store" >/dev/null
    baro store export "$store" -f csv | same "$SCRATCH/want")" ""
is "a part of the time" "$(baro store import "$SCRATCH/cc" --into "$SCRATCH/part" \
    --from "@$((now / 3600 * 3600 - 3600))" | sed 's/.*files, //')" \
    "$(awk -F, -v t=$((now / 3600 * 3600 - 3600)) '$3 >= t' "$SCRATCH/want" | grep -c .) samples"

# There and back: checkpoints that were made of it hold the same.
baro store export "$store" -f cc --out "$SCRATCH/back" 2>/dev/null
python3 - "$SCRATCH/back" <<'PYTHON'
# What cc-metric-store does at a start, and then at a checkpoint: it writes the first
# slot's time, which is half a step behind start.
import glob, json, sys
def move(level):
    for m in level["metrics"].values():
        m["start"] += m["frequency"] // 2
    for child in level["children"].values():
        move(child)
for path in glob.glob(sys.argv[1] + "/*/*/*.json"):
    tree = json.load(open(path))
    move(tree)
    json.dump(tree, open(path, "w"))
PYTHON
ok "what was exported is taken" baro store import "$SCRATCH/back" --into "$SCRATCH/again"
is "and is the same" "$(baro store export "$SCRATCH/again" -f csv | same "$SCRATCH/want")" ""

cat >"$SCRATCH/barod.conf" <<CONF
[net]
socket = $socket
listen = none
[records]
path = $SCRATCH/records.db
[store]
own_metrics = 0s
directory = $SCRATCH/served
retention = 30d
[metric cpu_load]
step = 60s
[metric flops]
step = 10s
[metric temp]
step = 60s
CONF
barod --config "$SCRATCH/barod.conf" >"$SCRATCH/barod.log" 2>&1 &
at_exit "kill -9 $!"
wait_for 20 curl -sf --unix-socket "$socket" http://x/healthz
is "through a barod" "$(baro store import "$SCRATCH/cc" --server "unix:$socket" 2>&1)" \
    "3 hosts, 9 files, $count samples"
is "everything is there" "$(baro store export "$SCRATCH/served" -f csv | same "$SCRATCH/want")" ""

# Damage.
dir=$SCRATCH/cc/alex/a01
size=$(wc -c <"$dir/current.wal")
head -c $((size - 7)) "$dir/current.wal" >"$SCRATCH/cut" && cp "$SCRATCH/cut" "$dir/current.wal"
baro store import "$SCRATCH/cc" --into "$SCRATCH/d1" >"$SCRATCH/out" 2>"$SCRATCH/err"
is "a log that a crash cut is no error" $? 0
ok "but a note" grep -q "^baro store import: '$dir/current.wal': note: it ends within" "$SCRATCH/err"
is "and costs its last record" "$(cat "$SCRATCH/out")" "3 hosts, 9 files, $((count - 1)) samples"
bin=$(echo "$dir"/*.bin)
head -c 900 "$bin" >"$SCRATCH/cut" && cp "$SCRATCH/cut" "$bin"
json=$(echo "$SCRATCH/cc/alex/a02"/*.json)
sed -i 's/"frequency": 10/"frequency": 0/' "$json"
baro store import "$SCRATCH/cc" --into "$SCRATCH/d2" >"$SCRATCH/out" 2>"$SCRATCH/err"
is "damaged files end it with 1" $? 1
ok "and are named with the byte" grep -q "^baro store import: '$bin': byte [0-9]*: " "$SCRATCH/err"
ok "and the reason" grep -q "^baro store import: '$json': .*'flops' has a frequency" "$SCRATCH/err"
ok "the rest is taken" grep -q "^3 hosts, 9 files, [0-9]\{4\} samples" "$SCRATCH/out"
is "and all that is there is right" "$(baro store export "$SCRATCH/d2" -f csv |
    python3 "$SCRATCH/bits.py" | grep -v -x -F -f "$SCRATCH/want")" ""
is "a directory without checkpoints is said" "$(baro store import "$SCRATCH/d2" --into "$SCRATCH/d3" 2>&1)" \
    "baro store import: '$SCRATCH/d2' has no checkpoints: CLUSTER/HOST/TIME.json or .bin"
finish
