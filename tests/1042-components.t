#!/bin/sh
# Components that people name: sets of hosts, lists, clusters and bare hosts, on the
# command line and by REST; and what of it is not there.
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
n=$(($(date +%s) / 60 * 60 - 3000))
{
    echo "metric load 60s sum"
    echo "metric flops 60s sum"
    for host in 08 09 10 11; do
        echo "alex/r30c$host load $n..$((n + 600)) $host"
    done
    echo "fritz/f01 load $n..$((n + 600)) 7"
    echo "fritz/f01/hwthread:0 flops $n..$((n + 600)) 1"
    echo "fritz/f01/hwthread:1 flops $n..$((n + 600)) 2"
} | baro-fill-metrics "$SCRATCH/store"
barod --config "$SCRATCH/barod.conf" >"$SCRATCH/barod.log" 2>&1 &
at_exit "kill -9 $!"
ok "barod starts" wait_for 20 curl -sf --unix-socket "$socket" http://x/healthz
BARO_SERVER=unix:$socket
export BARO_SERVER

found() { # operands of metric query
    baro metric query load --statistics -o csv "$@" 2>"$SCRATCH/notes" |
        tail -n +2 | cut -d, -f1 | paste -sd' '
}
is "a set of hosts" "$(found 'alex/r30c[09-10]')" "alex/r30c09 alex/r30c10"
is "a list" "$(found 'alex/r30c08,r30c11')" "alex/r30c08 alex/r30c11"
is "several operands" "$(found 'fritz/*' alex/r30c08)" "alex/r30c08 fritz/f01"
is "two clusters" "$(found 'alex,fritz/*[0,1,8]')" "alex/r30c08 alex/r30c10 alex/r30c11 fritz/f01"
is "a host without its cluster" "$(found f01)" "fritz/f01"
is "a set of them" "$(found 'r30c[08-09]')" "alex/r30c08 alex/r30c09"
is "a cluster in one" "$(baro metric query load alex --statistics -o csv | cut -d, -f1 | tail -1)" \
    alex
is "a set of which some are there" "$(found 'alex/r30c[10-24]')" "alex/r30c10 alex/r30c11"
is "names those that are not" "$(cat "$SCRATCH/notes")" \
    "# alex/r30c[10-24]: there is no host r30c[12-24]; there are r30c[08-11]"
ok "and the status is 0" baro metric query load 'alex/r30c[10-24]'
ok "the table has the note" sh -c \
    "baro metric query load 'alex/r30c[10-24]' --statistics | grep -q 'no host r30c\[12-24\]'"

failure() { # a command
    "$@" >"$SCRATCH/out" 2>"$SCRATCH/err"
    echo "$? $(cat "$SCRATCH/err")"
}
says="the server responds with 404: component"
for verb in query plot top list; do
    is "$verb: a host that is not there fails" \
        "$(failure baro metric "$verb" load 'alex/q[1-3]')" \
        "1 baro metric $verb: $says alex/q[1-3]: there is no host q[1-3]; there are r30c[08-11]"
done
is "a cluster that is not there" "$(failure baro metric query load 'alx/*')" \
    "1 baro metric query: $says alx/*: there is no cluster alx; there is alex"
is "a part that is not there" "$(failure baro metric query flops 'fritz/f01/core:*')" \
    "1 baro metric query: $says fritz/f01/core:*: there is no part core:*; there are hwthread:[0-1]"
is "a metric that is not there, of a list" "$(failure baro metric list loaf)" \
    "1 baro metric list: the server responds with 404: metric: there is no loaf; did you mean 'load'?"
is "a range that ends before it begins" "$(failure baro metric query load 'alex/r30c[9-8]' |
    sed 's/.*component: //')" "'r30c[9-8]': the range 9-8 ends before it begins"

is "list: the operands of query" "$(baro metric list load 'alex/r30c[08-09]' -o csv | tail -n +2 |
    paste -sd' ')" "alex/r30c08,load,60 alex/r30c09,load,60"
is "list: a host with its parts" "$(baro metric list flops,load fritz/f01 -o csv | tail -n +2 |
    cut -d, -f1,2 | paste -sd' ')" "fritz/f01,load fritz/f01/hwthread:0,flops fritz/f01/hwthread:1,flops"
is "list: a cluster and a host of it, each series once" \
    "$(baro metric list load alex alex/r30c08 -o csv | tail -n +2 | wc -l)" 4
is "list: what is not there is a note" "$(baro metric list load alex/r30c08,x -o csv 2>&1 |
    grep '^#')" "# alex/r30c08,x: there is no host x; there are r30c[08-11]"

curl -sg --unix-socket "$socket" \
    "http://x/v1/query?metric=load&component=alex/r30c[11-12]&component=fritz/f01&statistics=only" \
    >"$SCRATCH/json"
ok "REST: several components, and what is missing as a field" python3 - "$SCRATCH/json" <<'PYTHON'
import json, sys
got = json.load(open(sys.argv[1]))
assert [r["component"] for r in got["results"]] == ["alex/r30c11", "fritz/f01"], got
assert got["missing"] == [{"component": "alex/r30c[11-12]", "level": "host",
                           "name": "r30c12", "near": "r30c[10-11]"}], got["missing"]
PYTHON
is "REST: nothing of it is there: 404" "$(curl -sg -o "$SCRATCH/out" -w '%{http_code}' \
    --unix-socket "$socket" "http://x/v1/series?component=alex/zz")" 404
ok "with the reason" grep -q 'there is no host zz' "$SCRATCH/out"
is "REST: no pattern: 400" "$(curl -sg -o /dev/null -w '%{http_code}' \
    --unix-socket "$socket" "http://x/v1/series?component=alex/z[")" 400
finish
