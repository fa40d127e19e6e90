#!/bin/sh
# The table of doc/compat.md against two barods, one of them strict.
. "$(dirname "$0")/lib.sh"
requires curl python3
PATH=$BUILD/tests/fill:$PATH
captured=$SHARED/data/metric-store/captured-semantics.md

start_barod() { # better|strict
    cat >"$SCRATCH/$1.conf" <<CONF
[net]
socket = $SCRATCH/$1.sock
listen = none
[records]
path = $SCRATCH/$1.db
[store]
directory = $SCRATCH/$1
compat = $1
[metric cpu_load]
step = 60s
aggregation = sum
[metric cpu_user]
step = 60s
aggregation = sum
CONF
    barod --config "$SCRATCH/$1.conf" >>"$SCRATCH/$1.log" 2>&1 &
    eval "$1=\$!"
    wait_for 20 curl -sf --unix-socket "$SCRATCH/$1.sock" http://x/healthz
}
stop_barod() {
    eval "kill \$$1 && wait \$$1"
}
at_exit 'kill -9 $better $strict'

# Written before barod starts; the late sample only where it is taken.
n=$(($(date +%s) / 60 * 60 - 240))
samples() { # better|strict
    cat <<END
metric cpu_load 60s sum
metric cpu_user 60s sum
c/h1 cpu_load $((n + 7)) 1.23456
c/h1 cpu_load $((n + 67)) 2
c/h1 cpu_load $((n + 187)) 4
c/h1 cpu_load $((n + 68)) 2.5
c/h2/hwthread:0 cpu_user $n 1
c/h2/hwthread:0 cpu_user $((n + 60)) 2
c/h2/hwthread:1 cpu_user $n 10
c/h3/hwthread:0 cpu_user $n 1
c/h3/hwthread:1 cpu_user $((n + 1)) 2
c/h4/hwthread:3/x:9 cpu_user $n 1
END
}
for mode in better strict; do
    mkdir "$SCRATCH/$mode"
    samples | baro-fill-metrics "$SCRATCH/$mode" || fail "samples are written"
    ok "barod starts: compat = $mode" start_barod $mode
done

cat >"$SCRATCH/walk.py" <<'PYTHON'
import json, re, socket, sys

mode, path, n = sys.argv[1], sys.argv[2], int(sys.argv[3])

def ask(method, target, body=""):
    s = socket.socket(socket.AF_UNIX)
    s.connect(path)
    s.sendall((f"{method} {target} HTTP/1.0\r\nHost: localhost\r\n"
               f"Content-Length: {len(body)}\r\n\r\n{body}").encode())
    data = b""
    while piece := s.recv(65536):
        data += piece
    head, _, answer = data.decode().partition("\r\n\r\n")
    return int(head.split()[1]), answer

def query(method="GET", metric="cpu_load", host="h1", begin=-600, end=600, extra="",
          more=""):
    return (method, "/api/query/",
            f'{{"cluster":"c","from":{n + begin},"to":{n + end}{extra},'
            f'"queries":[{{"metric":"{metric}","host":"{host}"{more}}}]}}')

def results(items):
    return '{"results":[[' + items + "]]}\n"

def tail(begin, end, avg, low, high):
    return (f'"from":{n + begin},"to":{n + end},"resolution":60,'
            f'"avg":{avg},"min":{low},"max":{high}}}')

def error(text):
    text = text.replace(">", "\\u003e")
    return results(f'{{"error":"{text}","from":0,"to":0,"resolution":0,'
                   '"avg":0.00,"min":0.00,"max":0.00}')

LOAD = "1.235,2.500,null,4.000"
UNPADDED = ',"with-padding":false'
STATE = '{{"State":"{}","HealthMetrics":"{}"}}'
LISTS = '{{\\"degraded\\":[],\\"missing\\":[{}]}}'
WRITE = "/api/write?cluster=c&precision=s"
writes = ask("POST", "/api/write", "")[0] != 404

# row, request, (status, answer) in both modes, or by mode; None: any answer
rows = [
    (1, ("POST", WRITE, f"cpu_load,hostname=w1 value=1 {n}"), (200, "")),
    (2, ("POST", WRITE, f"cpu_load,hostname=w1 value=99 {n - 7200}"), (200, "")),
    (3, ("POST", WRITE, f"cpu_load,hostname=w1 value=2.5 {n + 1}"), (200, "")),
    ("2, read", query(host="w1", begin=-7260, end=-7140, extra=UNPADDED), (200, results(
        '{"data":[99.000],' + tail(-7200, -7140, "99.00", "99.00", "99.00")))),
    ("3, read", query(host="w1", begin=-30, extra=UNPADDED), (200, re.compile(
        r'.*2\.500\],"from":'))),
    (4, query(), (200, results('{"data":[' + "null," * 10 + LOAD + "],"
                               + tail(7, 247, "2.58", "1.23", "4.00")))),
    (5, query(extra=UNPADDED), (200, results(
        '{"data":[' + LOAD + "]," + tail(7, 247, "2.58", "1.23", "4.00")))),
    (6, query("POST", extra=UNPADDED), {"strict": (405, None), "better": (200, results(
        '{"data":[' + LOAD + "]," + tail(7, 247, "2.58", "1.23", "4.00")))}),
    (7, ("POST", WRITE, f"cpu_load,hostname=w2 foo=1 {n}"),
     {"strict": (400, None), "better": (None, None)}),
    (8, ("POST", WRITE, f'cpu_load,hostname=w2 value="x" {n}'),
     {"strict": (400, None), "better": (None, None)}),
    (9, ("POST", WRITE, f"nope,hostname=w2 value=1 {n}"), (200, "")),
    (10, query(metric="nope"), (200, error("[METRICSTORE]> unknown metric: nope"))),
    (11, query(host="zz"), (200, results(""))),
    (12, query(more=',"resolution":61'), (200, error(
        "new sampling frequency (61) must be a multiple of old frequency (60)"))),
    (13, query(begin=600, end=-600), (200, error("[METRICSTORE]> invalid time range"))),
    (14, query(metric="cpu_user", host="h2", extra=UNPADDED), {
        "strict": (200, error("[METRICSTORE]> data from lower granularities does not "
                              "align (missing data after the end of the buffers)")),
        "better": (200, results('{"data":[11.000,2.000],'
                                + tail(0, 120, "6.50", "2.00", "11.00")))}),
    (15, query(metric="cpu_user", host="h3", begin=-60), (200, re.compile(
        r'\{"results":\[\[\{"data":\[null,3\.000\],"from":%d[01],' % (n // 10)))),
    (16, query(begin=6000, end=6600), (200, results(
        "{" + tail(6000, 6000, "null", "null", "null")))),
    (17, query(begin=-6060, end=-5460), (200, results(
        '{"data":[' + ",".join(["null"] * 101) + "],"
        + tail(7, 7, "null", "null", "null")))),
    (18, ("GET", "/api/healthcheck/", json.dumps(
        {"cluster": "c", "nodes": ["h1", "h2", "zz"],
         "metric-names": ["cpu_load", "cpu_user"]})), (200, "{" + ",".join([
             '"h1":' + STATE.format("partial", LISTS.format('\\"cpu_user\\"')),
             '"h2":' + STATE.format("partial", LISTS.format('\\"cpu_load\\"')),
             '"zz":' + STATE.format("failed", "")]) + "}\n")),
    (19, ("POST", f"/api/free/?to={n + 600}", '[["c","h1"]]'),
     (200, re.compile(r"buffers freed: \d+\n$"))),
    (20, ("POST", "/api/free/", '[["c","h1"]]'), (400, re.compile(
        r'\{"status":"Bad Request",'
        r'"error":"\'to\' is a required query parameter"\}\s*$'))),
    (21, ("GET", "/api/debug/?selector=c:nonode", ""), (400, re.compile(
        r'\{"status":"Bad Request","error":"\[METRICSTORE\]\\u003e not found: '
        r'\[\]string\{\\"c\\", \\"nonode\\"\}"\}\s*$'))),
    (22, ("GET", "/api/debug/?selector=c:h4", ""), (200,
        f'{{"data":{{"hwthread3":{{"x9":{{"cpu_user":[{{"start":{n},"len":1,'
        f'"end":{n + 60}}}]}}}}}}}}\n')),
    (25, ("POST", WRITE, f"cpu_load value=1 {n}"), (None, None)),
]

for row, request, want in rows:
    name = f"{row} {request[0]} {request[1].split('?')[0]}: {mode}"
    if ("/api/write" in request[1] or "read" in str(row)) and not writes:
        print(f"skip {name}")
        continue
    if isinstance(want, dict):
        want = want[mode]
    status, answer = ask(*request)
    good = want[0] in (None, status)
    if isinstance(want[1], str):
        good = good and answer == want[1]
    elif want[1]:
        good = good and want[1].match(answer)
    print(("ok " if good else "not ") + name)
    if not good:
        print(f"# {request}\n# got  {status} {answer!r}\n# want {want}")
PYTHON

for mode in better strict; do
    python3 "$SCRATCH/walk.py" $mode "$SCRATCH/$mode.sock" $n >"$SCRATCH/walked" 2>&1
    while read -r verdict name; do
        case $verdict in
        ok) pass "row $name" ;;
        skip) skip "row $name" "barod has no /api/write" ;;
        not) fail "row $name" ;;
        *) echo "$verdict $name" ;;
        esac
    done <"$SCRATCH/walked"
    ok "the table was walked to its end: $mode" grep -q '^[a-z]* 25 ' "$SCRATCH/walked"
done

# Rows 23 and 24: the same answer, to the byte, before and after; and what is written
# then stands beside it.
ask() {
    curl -s --unix-socket "$SCRATCH/better.sock" http://x/api/query -d \
        "{\"cluster\":\"c\",\"from\":$n,\"to\":$((n + 600)),\"with-padding\":false,
          \"queries\":[{\"metric\":\"cpu_load\",\"host\":\"h1\"}]}"
}
exact() {
    curl -s --unix-socket "$SCRATCH/better.sock" \
        "http://x/v1/query?component=c/h1&metric=cpu_load&from=@$n&format=csv"
}
before=$(ask) exactly=$(exact)
ok "barod stops" stop_barod better
ok "barod starts again" start_barod better
is "row 23: after a restart the answer is the same" "$(ask)" "$before"
is "and so are the 64 bits" "$(exact)" "$exactly"
ok "all of 1.23456 is there" sh -c "echo '$exactly' | grep -q ',1.23456\$'"
stop_barod better
printf 'metric cpu_load 60s sum\nc/h1 cpu_load %d 7\nc/h1 cpu_load %d 8\n' \
    $((n + 247)) $((n + 307)) | baro-fill-metrics "$SCRATCH/better"
start_barod better
is "row 24: what is written after a restart is read" \
    "$(ask | sed 's/.*\[\([^]]*\)\].*/\1/')" "1.235,2.500,null,4.000,7.000,8.000"

# The table itself.
rows=$(grep -c '^| [0-9]' "$TOP/doc/compat.md")
is "doc/compat.md has 25 rows" "$rows" 25
if [ -n "$SHARED" ]; then
    is "one for each of the captured answers" "$rows" \
        "$(sed '1,/^|---/d' "$captured" | grep -c '^|')"
else
    skip "one for each of the captured answers" "no ../shared"
fi
finish
