#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# baro store shadow against a stand-in that answers as cc-metric-store was seen to: the same
# series, one that is not there, another value, a gap, times moved by a restart, an error;
# and baro store free, after which nothing has changed.
. "$(dirname "$0")/lib.sh"
requires curl python3
PATH=$BUILD/tests/fill:$PATH
store=$SCRATCH/store
socket=$SCRATCH/barod.sock

# Its queries come as GET with a body; anything else is 405.
cat >"$SCRATCH/peer.py" <<'PYTHON'
import http.server, json, sys
data = {}  # (host, metric, level) -> (start, step, values)
start = int(sys.argv[2])
def series(host, metric, level, first, step, value, change=None, shift=0):
    values = [value + i / 100 for i in range(20)]
    if change:
        change(values)
    data[host, metric, level] = (start + first + shift, step, values)
def another(v): v[7] = 99.5
def gap(v): v[3] = v[4] = None
series("a01", "cpu_load", "", 0, 60, 1)
series("a02", "cpu_load", "", 0, 60, 2, another)
series("a03", "cpu_load", "", 0, 60, 3, gap)
series("a04", "cpu_load", "", 0, 60, 4, None, 30)
series("a01", "flops", "hwthread7", 0, 60, 100)
class Peer(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    def log_message(self, *args): pass
    def do_POST(self):
        self.send_error(405)
    def do_GET(self):
        ask = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        assert self.path == "/api/query/" and ask["cluster"] == "alex" and not ask["with-padding"], ask
        results = []
        for q in ask["queries"]:
            level = q.get("type", "") + "".join(q.get("type-ids", []))
            found = data.get((q["host"], q["metric"], level))
            if q["metric"] == "temp":
                results.append([{"error": "[METRICSTORE]> unknown metric: temp", "from": 0, "to": 0,
                                 "resolution": 0, "avg": 0.0, "min": 0.0, "max": 0.0}])
            elif not found:
                results.append([])
            else:
                at, step, values = found
                first = max(0, -(-(ask["from"] - at) // step))
                values = values[first:max(first, (ask["to"] - at) // step + 1)]
                text = "[%s]" % ",".join("null" if v is None else "%.3f" % v for v in values)
                results.append([{"data": json.loads(text), "from": at + first * step,
                                 "to": at + (first + len(values)) * step, "resolution": step,
                                 "avg": 0.0, "min": 0.0, "max": 0.0}])
        body = json.dumps({"results": results}).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)
http.server.ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Peer).serve_forever()
PYTHON
n=$(($(date +%s) / 60 * 60 - 3600))
baro-fill-metrics "$store" <<END
metric cpu_load 60s sum
metric flops 60s sum
metric temp 60s avg
alex/a01 cpu_load $n..$((n + 1140)) 1
alex/a02 cpu_load $n..$((n + 1140)) 2
alex/a03 cpu_load $n..$((n + 1140)) 3
alex/a04 cpu_load $n..$((n + 1140)) 4
alex/a05 cpu_load $n..$((n + 1140)) 5
alex/a01/hwthread:7 flops $n..$((n + 1140)) 100
alex/a01 temp $n..$((n + 1140)) 40
END
port=$(free_port)
python3 "$SCRATCH/peer.py" "$port" "$n" 2>"$SCRATCH/peer.log" &
at_exit "kill $!"
cat >"$SCRATCH/barod.conf" <<CONF
[net]
socket = $socket
listen = none
[records]
path = $SCRATCH/records.db
[store]
own_metrics = 0s
directory = $store
[write]
metrics = open
CONF
barod --config "$SCRATCH/barod.conf" >"$SCRATCH/barod.log" 2>&1 &
at_exit "kill -9 $!"
BARO_SERVER=unix:$socket
export BARO_SERVER
wait_for 20 curl -sf --unix-socket "$socket" http://x/healthz
wait_for 20 curl -s -o /dev/null "http://127.0.0.1:$port/"
shadow() {
    baro store shadow "http://127.0.0.1:$port" --from "@$n" --to "@$((n + 1200))" "$@"
}
shadow -o csv >"$SCRATCH/out" 2>"$SCRATCH/err"
is "differences end it with 1" $? 1
at() {
    date -u -d "@$((n + 60 * $1))" +%Y-%m-%dT%H:%M:%S
}
is "each is listed once, with the first place" "$(tail -n +2 "$SCRATCH/out" | sort |
    sed 's/\(:[0-9][0-9]\)\.000Z/\1/; s/Z,/,/; s/""//g')" "alex/a01,temp,their error,0,,,,[METRICSTORE]> unknown metric: temp
alex/a02,cpu_load,value,1,$(at 7),2.07,99.5,
alex/a03,cpu_load,only ours,2,$(at 3),3.03,,
alex/a05,cpu_load,not there,20,$(at 0),5,,"
is "and counted; times that were moved by half a step are the same, and said" \
    "$(cat "$SCRATCH/err")" "7 series, 98 points in both: 3 series are the same, 4 differ; 1 have other times there, by less than half a step"
is "where nothing differs it ends with 0" "$(shadow -c 'alex/a01' -m 'cpu_*' 2>&1; echo $?)" \
    "1 series, 20 points in both: 1 series are the same, 0 differ
0"
is "the tolerance is a part of the value" "$(shadow -c 'alex/a02' --tolerance 0.99 2>&1)" \
    "1 series, 20 points in both: 1 series are the same, 0 differ"
# Of itself nothing differs; a metric that is not configured and has come at no step yet is in no
# cc-metric-store.
for second in 0 7 30 31; do
    echo "odd,cluster=alex,hostname=a01 value=$second $((n + second))"
done | curl -s --unix-socket "$socket" --data-binary @- 'http://x/api/write/?cluster=alex'
is "of itself nothing differs, and what has no step is not compared" \
    "$(baro store shadow "$BARO_SERVER" --from "@$n" --to "@$((n + 1200))" 2>&1; echo $?)" \
    "7 series, 140 points in both: 7 series are the same, 0 differ; 1 are not compared: too few or too irregular samples for a step, which all series of a cc-metric-store have
0"
is "nobody there is said" "$(baro store shadow http://127.0.0.1:1 2>&1 | cut -d: -f1-2)" \
    "baro store shadow: the other store"

before=$(baro store export "$store" -f csv | sort)
ok "free: of one host" sh -c "baro store free --to now alex/a01 | grep -q '^buffers freed: '"
ok "free: of all" sh -c "baro store free --to now | grep -q '^buffers freed: '"
is "free: what is answered is the same" \
    "$(baro metric query cpu_load 'alex/*' --from "@$n" -o csv | tail -n +2 | grep -c .)" 100
is "free: and what is kept" "$(baro store export "$store" -f csv | sort)" "$before"
is "free: without a time it is refused" "$(baro store free 2>&1)" \
    "baro store free: --to: before when? see --help"
finish
